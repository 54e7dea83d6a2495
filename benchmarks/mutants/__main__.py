"""Run the tests on mutants of the package: ``python -m benchmarks.mutants [--n 300] [--seed S] [--again] …``."""

from __future__ import annotations

import argparse
import compileall
import contextlib
import datetime
import hashlib
import importlib
import json
import os
import pathlib
import platform
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
import scipy

from benchmarks.mutants import ROOT, Mutant, everything

HERE = pathlib.Path(__file__).parent
RESULTS, EQUIVALENT = HERE / "results.json", HERE / "equivalent.toml"
TESTS = "tests/isotropy_lab"
SIGNATURES = f"{TESTS}/test_defaults.py"
#: Tests of the whole, which reach every function and run other processes, or take minutes.
LEFT_OUT = ("test_fuzz.py", "test_in_a_browser.py", "test_scale.py")
#: What the tests import is imported once; what a mutant changes is not.
HEAVY = (
    "dask.array", "gensim.models", "hypothesis.extra.numpy", "jsonschema", "matplotlib.pyplot", "numba", "pandas",
    "pyarrow.parquet", "safetensors.numpy", "scipy.optimize", "scipy.signal", "scipy.sparse.csgraph", "scipy.spatial",
    "scipy.stats", "sklearn.datasets", "sklearn.decomposition", "sklearn.manifold", "sklearn.metrics",
    "sklearn.neighbors", "sklearn.pipeline", "sklearn.utils.estimator_checks",
)  # fmt: skip
#: Tests of so many seconds are run on a mutant, the quickest first; a survivor has passed all of them.
SECONDS = 60.0
#: What the exit of pytest means: 2 and 4 say that a file of tests cannot be imported, 5 that all of it is skipped.
_STATUS = {0: "survived", 1: "killed", 2: "killed", 4: "killed", 5: "survived"}


class Job(NamedTuple):
    """Tests that run in a copy of the tree, in stages: the next one runs if all tests of the last passed."""

    begin: Callable[[pathlib.Path], None]
    stages: list[list[str]]
    seconds: float
    end: Callable[[pathlib.Path, str, str], None]


# --- processes ------------------------------------------------------------------------------------------------


def drain(jobs: Iterable[Job], slots: list[pathlib.Path]) -> None:
    """Run the jobs, one at a time in each copy of the tree, each in a process forked from this one."""
    free, running = list(slots), {}
    waiting = iter(jobs)
    job = next(waiting, None)
    while job is not None or running:
        while job is not None and free:
            slot = free.pop()
            job.begin(slot)
            running[_start(job, slot)] = (job, slot, time.monotonic())
            job = next(waiting, None)
        time.sleep(0.05)
        for pid, (own, slot, start) in list(running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended and time.monotonic() - start < 10.0 * own.seconds:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)  # and what the tests have started
            if not ended:
                os.waitpid(pid, 0)
            code = os.waitstatus_to_exitcode(status) if ended else -signal.SIGKILL
            outcome = (
                "timed out" if code in (-signal.SIGXCPU, -signal.SIGKILL) else _STATUS.get(code, "killed")
            )
            del running[pid]
            log = (slot / "log.txt").read_text(encoding="utf-8", errors="replace")
            own.end(slot, outcome, log)
            free.append(slot)


def _start(job: Job, slot: pathlib.Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 3
    try:
        os.setsid()
        cpu = int(job.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (2**34, 2**34))
        log = os.open(slot / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(slot)
        sys.path[:] = [str(slot), *(place for place in sys.path if place not in ("", str(ROOT)))]
        os.environ |= {"PYTHONPATH": f"{slot}{os.pathsep}{slot / 'book'}", "PYTHONDONTWRITEBYTECODE": "1"}
        for stage in job.stages:
            code = int(
                pytest.main(["-q", f"--rootdir={slot}", "-p", "no:cacheprovider", "-p", "no:xdist", *stage])
            )
            if code:
                break
        sys.stdout.flush()
    finally:
        os._exit(code)


def copy_tree(work: pathlib.Path, number: int) -> pathlib.Path:
    """Copy the package and its tests into a folder of their own, with links to what is only read."""
    slot = work / f"slot{number}"
    shutil.rmtree(slot, ignore_errors=True)
    slot.mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name in ("isotropy_lab", "tests"):
            shutil.copytree(entry, slot / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not entry.name.startswith("."):
            (slot / entry.name).symlink_to(entry)
    # By default a module counts as unchanged if its size and the second of its change are.
    hashed = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(slot / "isotropy_lab", quiet=1, invalidation_mode=hashed)
    return slot


# --- which tests reach what -----------------------------------------------------------------------------------


def map_tests(work: pathlib.Path, slots: list[pathlib.Path]) -> dict[str, dict[str, float]]:
    """Return for each function, and for each module, the tests that call it, with their seconds.

    Each file of tests is run once, and again after a change.
    """
    folder = work / "reached"
    folder.mkdir(exist_ok=True)
    jobs = []
    for file in sorted((ROOT / TESTS).rglob("test_*.py")):
        name = file.relative_to(ROOT).as_posix()
        lines = folder / (name.replace("/", "__") + ".jsonl")
        if file.name not in LEFT_OUT and not (
            lines.exists() and lines.stat().st_mtime > file.stat().st_mtime
        ):
            jobs.append(_mapping(name, lines))
    drain(jobs, slots)
    found: dict[str, dict[str, float]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            for call in {*line["calls"], *(call.split(":")[0] for call in line["calls"])}:
                tests = found.setdefault(call.removeprefix("isotropy_lab/"), {})
                tests[line["test"]] = tests.get(line["test"], 0.0) + line["seconds"]
    return found


def _mapping(name: str, lines: pathlib.Path) -> Job:
    part = lines.with_suffix(".part")

    def begin(_slot: pathlib.Path) -> None:
        part.write_text("", encoding="utf-8")

    def end(_slot: pathlib.Path, outcome: str, log: str) -> None:
        if outcome == "timed out":
            raise SystemExit(f"{name} does not end:\n{log}")
        part.rename(lines)
        print("mapped", name, "" if outcome == "survived" else log, flush=True)

    return Job(begin, [["-p", "benchmarks.mutants.reached", "--reached", str(part), name]], 900.0, end)


def chosen_tests(mutant: Mutant, reached: dict[str, dict[str, float]], seconds: float) -> dict[str, float]:
    """Return the tests to run on a mutant: those of its module's name first, then the quickest."""
    module = mutant.module
    direct = reached.get(f"{module}:{mutant.function}", {})
    tests = direct or reached.get(module, {})
    *wing, name = module.split("/")
    own = ["/".join((TESTS, *wing[:1], f"test_{name.lstrip('_')}"))]
    # Compiled code is not seen being called, and is compared with its twin in NumPy.
    if "/kernels/" in module:
        tests = reached.get("projection/_pairs/compilation.py", {}) | tests
        own.append(f"{TESTS}/projection/test_without_numba.py")
        seconds *= 3.0  # seconds of the first test of a file hold those of compiling

    def order(item: tuple[str, float]) -> tuple[int, bool, float]:
        test, spent = item
        place = next((i for i, file in enumerate(own) if test.startswith(f"{file}::")), len(own))
        return place, test not in direct, spent

    chosen, total = {}, 0.0
    for test, spent in sorted(tests.items(), key=order):
        if not chosen or total + spent <= seconds:
            chosen[test] = spent
            total += spent
    if chosen and (ROOT / SIGNATURES).exists():
        chosen[SIGNATURES] = 1.0  # a default is read when a module is loaded, by no call
    return chosen


# --- mutants --------------------------------------------------------------------------------------------------


def draw(candidates: list[Mutant], n: int, seed: int) -> list[Mutant]:
    """Return n mutants; an edit of a module changes few of them."""
    return sorted(candidates, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())[:n]


def run(
    drawn: list[Mutant], reached: dict[str, dict[str, float]], slots: list[pathlib.Path], journal: pathlib.Path,
    seconds: float = SECONDS,
) -> None:  # fmt: skip
    """Run the tests on each mutant, and write a line into the journal for each."""
    jobs = []
    for mutant in drawn:
        tests = chosen_tests(mutant, reached, seconds)
        if tests:
            jobs.append(_mutating(mutant, tests, journal))
        else:
            _note(journal, mutant, "not run", "")
    drain(jobs, slots)


def _mutating(mutant: Mutant, tests: dict[str, float], journal: pathlib.Path) -> Job:
    kernel = "/kernels/" in mutant.module

    def begin(slot: pathlib.Path) -> None:
        _write(slot, mutant.apply((ROOT / "isotropy_lab" / mutant.module).read_bytes()))
        # Compiled code is kept, but not that of a mutant.
        code = slot / "numba" if kernel else slot.with_name(f"{slot.name}-numba")
        shutil.rmtree(slot / "numba", ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(code)

    def end(slot: pathlib.Path, outcome: str, log: str) -> None:
        _write(slot, (ROOT / "isotropy_lab" / mutant.module).read_bytes())
        by = next(
            (line.split()[1] for line in log.splitlines() if line.startswith(("FAILED ", "ERROR "))), ""
        )
        _note(journal, mutant, outcome, by)

    def _write(slot: pathlib.Path, source: bytes) -> None:
        file = slot / "isotropy_lab" / mutant.module
        times = file.stat()
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # numba keeps code by the time of the file

    limit = 30.0 + 3.0 * sum(tests.values()) + (180.0 if kernel else 0.0)
    first = next(iter(tests)).split("::")[0]
    parts = (
        [test for test in tests if test.startswith(first)],
        [test for test in tests if not test.startswith(first)],
    )
    return Job(begin, [["-x", "--hypothesis-seed=0", *part] for part in parts if part], limit, end)


def _note(journal: pathlib.Path, mutant: Mutant, outcome: str, by: str) -> None:
    line = {"key": mutant.key, "line": mutant.line, "outcome": outcome, "by": by}
    with journal.open("a", encoding="utf-8") as lines:
        print(json.dumps(line, ensure_ascii=False), file=lines)
    print(f"{outcome:9}  {mutant.module}:{mutant.line}  {mutant.change}  [{by}]", flush=True)


# --- the record -----------------------------------------------------------------------------------------------


class Reason(NamedTuple):
    """Why a mutant survives, as a person read it: no input tells it from the code, or none that a test can afford."""

    why: str
    equivalent: bool = True


def reasons(file: pathlib.Path = EQUIVALENT) -> dict[tuple[str, str, str], Reason]:
    """Return what is known of mutants that survive."""
    if not file.exists():
        return {}
    listed = tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])
    return {
        (entry["module"], entry["line"], entry["change"]): Reason(entry["why"], entry.get("equivalent", True))
        for entry in listed
    }


def summary(
    outcomes: dict[tuple[str, str, str], str], known: dict[tuple[str, str, str], Reason]
) -> dict[str, Any]:
    """Count the outcomes in each wing, and list who survived; a mutant that never ends is noticed, too."""
    wings: dict[str, dict[str, int]] = {}
    for key, outcome in sorted(outcomes.items()):
        wing = key[0].split("/")[0] if "/" in key[0] else "shared"
        counts = wings.setdefault(
            wing, {"killed": 0, "timed out": 0, "survived": 0, "equivalent": 0, "not run": 0}
        )
        same = outcome in ("survived", "not run") and key in known and known[key].equivalent
        counts["equivalent" if same else outcome] += 1
    total = {name: sum(counts[name] for counts in wings.values()) for name in next(iter(wings.values()))}
    noticed = total["killed"] + total["timed out"]
    return {
        "mutants": sum(total.values()),
        "share_killed": round(noticed / (sum(total.values()) - total["equivalent"]), 4),
        "total": total,
        "wings": wings,
        "survivors": [
            {
                "module": key[0],
                "line": key[1],
                "change": key[2],
                "why": known[key].why if key in known else None,
                "equivalent": key in known and known[key].equivalent,
            }
            for key, outcome in sorted(outcomes.items())
            if outcome in ("survived", "not run")
        ],
    }


def code() -> str:
    """Name the code of the package by a digest."""
    digest = hashlib.sha256()
    for file in sorted((ROOT / "isotropy_lab").rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def read_journal(journal: pathlib.Path, *, first: bool = False) -> dict[tuple[str, str, str], str]:
    """Return the last outcome of each mutant, or the first: before tests were added for those that survived."""
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
    found = [json.loads(line) for line in (reversed(lines) if first else lines)]
    return {tuple(line["key"]): line["outcome"] for line in found}  # type: ignore[misc]


def main(arguments: list[str] | None = None) -> int:
    """Draw mutants, run the tests on each, write results.json; return 1 if fewer than 95 % are killed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=main.__doc__)
    parser.add_argument("--n", type=int, default=300, help="so many mutants (default: 300)")
    parser.add_argument("--seed", type=int, default=20261123, help="of the draw")
    parser.add_argument(
        "--modules", nargs="*", default=[], metavar="PREFIX", help="only modules whose path begins so"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="run survivors without a reason once more, after tests were added",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for each mutant")
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "isotropy-lab-mutants",
        help="a folder for copies of the package; a run that was stopped goes on there",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    candidates = list(everything(tuple(options.modules)))
    drawn = draw(candidates, options.n, options.seed)
    # Outcomes are of this code; tests may be added to it.
    options.work /= code()
    options.work.mkdir(parents=True, exist_ok=True)
    journal = options.work / f"journal-{options.seed}.jsonl"
    known, why = read_journal(journal), reasons(EQUIVALENT)
    again = {key for key, outcome in known.items() if outcome in ("survived", "not run") and key not in why}
    left = [mutant for mutant in drawn if mutant.key not in known or (options.again and mutant.key in again)]
    if left:
        for name in HEAVY:
            importlib.import_module(name)
        slots = [copy_tree(options.work, number) for number in range(options.processes)]
        run(left, map_tests(options.work, slots), slots, journal, options.seconds)
    outcomes, before = read_journal(journal), read_journal(journal, first=True)
    result = {
        "seed": options.seed,
        "candidates": len(candidates),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {
            "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
        },
        **summary({mutant.key: outcomes[mutant.key] for mutant in drawn}, why),
        "share_killed_at_first": summary({mutant.key: before[mutant.key] for mutant in drawn}, why)["share_killed"],
    }  # fmt: skip
    print(json.dumps({name: result[name] for name in ("mutants", "share_killed", "total")}))
    if not (options.no_write or options.modules):
        RESULTS.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if result["share_killed"] >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
