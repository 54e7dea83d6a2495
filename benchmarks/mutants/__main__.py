"""Run the tests on mutants of the package: ``python -m benchmarks.mutants [--n 300] [--seed S]
[--modules PREFIX …]``.

Survivors are printed for review: a missing test is written, and a change without an observable effect counts
as equivalent. ``--write EQUIVALENT`` stores the counts in ``benchmarks/mutants.json``, which the book shows.
"""

import argparse
import collections
import datetime
import json
import os
import queue
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.mutants import PACKAGE, Mutant, all_mutants, mutated_source

ROOT = PACKAGE.parent
RECORD = ROOT / "benchmarks" / "mutants.json"
TESTS = ("tests/isotropy_lab", "tests/test_chunks.py")
#: Test of defaults, which are evaluated when a module is loaded and therefore by no call.
SIGNATURES = "tests/test_defaults.py"
#: Tests of the whole package, which reach every function or take minutes.
EXCLUDED = ("test_fuzz.py", "test_odd_arguments.py", "test_scale.py")
#: Seconds of processor time of the tests run on a mutant, fastest first; a survivor passes all of them.
SECONDS = 60.0

TestTimes = dict[str, dict[str, float]]


def copy_package(folder: Path) -> Path:
    """Copy the package and its tests to a separate folder, with links to files that are only read."""
    folder.mkdir()
    for entry in ROOT.iterdir():
        if entry.name in ("isotropy_lab", "tests"):
            shutil.copytree(entry, folder / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    return folder


def run_tests(slot: Path, *words: str, seconds: float | None = None, code: Path | None = None) -> str:
    """Run pytest in a copy; return "survived", "killed", or "timed out".

    `code` is the folder of the cache for compiled loops.
    """
    environment = os.environ | {
        "PYTHONPATH": f"{slot}{os.pathsep}{slot / 'book'}",
        "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(code or slot / "numba"),
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *words]
    with subprocess.Popen(
        command, cwd=slot, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            exit_code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # including the processes that the tests have started
            return "timed out"
    return "survived" if exit_code in (0, 5) else "killed"  # 5: everything was skipped


def tests_of_functions(slot: Path) -> TestTimes:
    """Return, for each function and module, the tests that call it, with their processor time."""
    output = slot / "reached.jsonl"
    ignored = [f"--ignore-glob=*/{name}" for name in EXCLUDED]
    run_tests(slot, "-p", "benchmarks.mutants.reached", f"--reached={output}", *ignored, *TESTS)
    tests_by_name: TestTimes = collections.defaultdict(lambda: collections.defaultdict(float))
    for line in map(json.loads, output.read_text(encoding="utf-8").splitlines()):
        modules = {module for module, _ in line["calls"]}
        for name in [*(f"{module}:{function}" for module, function in line["calls"]), *modules]:
            tests_by_name[name][line["test"]] += line["seconds"]
    return tests_by_name


def select_tests(mutant: Mutant, reached_by: TestTimes) -> dict[str, float]:
    """Return the tests to run on a mutant: those that call its function or its module, fastest first."""
    tests = reached_by.get(f"{mutant.module}:{mutant.function}") or reached_by.get(mutant.module, {})
    # Calls of compiled code are not recorded.
    tests = (reached_by.get("projection/_pairs/compilation.py", {}) if _is_compiled(mutant) else {}) | tests
    selection, total = {SIGNATURES: 1.0}, 0.0
    for test, seconds in sorted(tests.items(), key=lambda item: item[1]):
        if total == 0.0 or total + seconds <= SECONDS * (3.0 if _is_compiled(mutant) else 1.0):
            selection[test] = seconds
            total += seconds
    return selection


def _is_compiled(mutant: Mutant) -> bool:
    return "/kernels/" in mutant.module


def run_mutant(mutant: Mutant, reached_by: TestTimes, slots: queue.Queue[Path]) -> str:
    """Run the tests on a mutant, in a copy that is used only for this mutant."""
    slot = slots.get()
    file = slot / "isotropy_lab" / mutant.module
    tests = select_tests(mutant, reached_by)
    timeout = 60.0 + 10.0 * sum(tests.values()) + (300.0 if _is_compiled(mutant) else 0.0)
    try:
        file.write_text(mutated_source(PACKAGE / mutant.module, mutant.number), encoding="utf-8")
        with tempfile.TemporaryDirectory() as cache:  # code that calls a mutant must not be cached
            code = Path(cache) if _is_compiled(mutant) else None
            result = run_tests(slot, "-x", "--hypothesis-seed=0", *tests, seconds=timeout, code=code)
    finally:
        shutil.copy2(PACKAGE / mutant.module, file)
        slots.put(slot)
    print(f"{result:9}  {mutant.module}:{mutant.line}  {mutant.change}", flush=True)
    return result


def main(arguments: list[str] | None = None) -> None:
    """Draw mutants, run the tests on each of them, and print the survivors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--n", type=int, default=300, help="number of mutants (default: 300)")
    parser.add_argument("--seed", type=int, help="seed of the draw (default: a new seed)")
    parser.add_argument("--modules", nargs="*", default=[], metavar="PREFIX", help="only these modules")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=int, metavar="EQUIVALENT", help="number of equivalent survivors")
    options = parser.parse_args(arguments)
    seed = random.randrange(10**6) if options.seed is None else options.seed
    candidates = all_mutants(tuple(options.modules))
    sample = random.Random(seed).sample(candidates, min(options.n, len(candidates)))
    print(f"seed {seed}: {len(sample)} of {len(candidates):,} mutants", flush=True)
    resource.setrlimit(resource.RLIMIT_AS, (2**34, 2**34))  # a mutant may request all memory
    with tempfile.TemporaryDirectory() as work:
        slots: queue.Queue[Path] = queue.Queue()
        for number in range(options.processes):
            slots.put(copy_package(Path(work, str(number))))
        if run_tests(slots.queue[0], SIGNATURES) != "survived":
            raise RuntimeError(f"{SIGNATURES} fails on the unchanged package, so it would kill every mutant")
        reached_by = tests_of_functions(slots.queue[0])
        with ThreadPoolExecutor(options.processes) as pool:
            outcomes = list(pool.map(lambda m: run_mutant(m, reached_by, slots), sample))
    survivors = [m for m, result in zip(sample, outcomes, strict=True) if result == "survived"]
    print(f"{len(sample) - len(survivors)} of {len(sample)} mutants were killed; the survivors are:")
    print(*(f"  {m.module}:{m.line}  {m.function}  {m.change}" for m in survivors), sep="\n")
    if options.write is not None:
        record = json.loads(RECORD.read_text(encoding="utf-8")) | {
            "seed": seed,
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "candidates": len(candidates),
            "mutants": len(sample),
            "noticed": len(sample) - len(survivors),
            "equivalent": options.write,
        }
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
