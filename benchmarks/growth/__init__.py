"""How time and memory of every public measure grow, beside what its docstring says: ``python -m benchmarks.growth``."""
