"""Files and arguments that nobody would give on purpose, made from a seed: what ``python -m benchmarks.fuzz`` tries."""
