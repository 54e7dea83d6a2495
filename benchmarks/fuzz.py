"""Try files and arguments that nobody would give on purpose: ``python -m benchmarks.fuzz [--files N] [--arguments N]``.

Every case is made from the seed and its number, so that ``--only N`` makes one again. A call must give finite numbers within
the range that its docstring names, or refuse with a ValueError or a TypeError that names the argument or the file. Anything
else is a finding: another error, a RuntimeWarning, a silent NaN, a changed input, more than 10 seconds of the processor or
500 MB, the end of the process. Findings are printed, and counted in ``benchmarks/fuzz.json``. The exit code is 1 if there
are any.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import datetime
import json
import multiprocessing
import platform
import re
import sys
import tempfile
import time
from importlib import metadata
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "fuzz.json"
SECONDS = 10.0  # of the processor, which other work on the machine does not lengthen
PATIENCE = 120.0  # on the clock, after which a process is taken to hang
EXTRA_BYTES = 500 * 10**6
ALLOWED = ("result", "refused")
PACKAGES = ("isotropy-lab", "numpy", "scipy", "scikit-learn", "pandas", "numba")


def serve(part: str, seed: int, pipe: Connection) -> None:
    """Try the cases whose numbers come through a pipe, in a process of its own."""
    import warnings

    warnings.simplefilter("ignore")
    # A word that is taken for a path must not name a file of the repository.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        tempfile.tempdir = folder
        if part == "files":
            from benchmarks.fuzzing import files

            maker = files.Maker(seed, Path(folder))
            attempt: Any = lambda number: files.try_one(maker, number)  # noqa: E731
        else:
            from benchmarks.fuzzing import arguments

            attempt = lambda number: arguments.try_one(seed, number)  # noqa: E731
        while (number := pipe.recv()) is not None:
            limit_memory()
            start, before = time.process_time(), peak()
            where, said, (kind, found) = attempt(number)
            if (took := time.process_time() - start) > SECONDS and kind in ALLOWED:
                kind, found = "slow", f"{took:.0f} s"
            if (more := peak() - before) > EXTRA_BYTES:
                kind, found = "memory", f"{more / 1e6:.0f} MB"
            pipe.send((where, said, kind, found))


def peak() -> int:
    """Return the most bytes of memory that this process has ever held; 0 where the system does not say."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return 1024 * int(found[1]) if found else 0


def limit_memory() -> None:
    """Bound the address space, so that a call for more than the machine has fails; memory never touched counts there."""
    status = Path("/proc/self/statm")
    if status.exists():
        import resource

        has = int(status.read_text().split()[0]) * resource.getpagesize()
        limit = has + 8 * EXTRA_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


class Worker:
    """A process that tries cases, and is replaced when it ends or hangs."""

    process: multiprocessing.process.BaseProcess

    def __init__(self, part: str, seed: int) -> None:
        self.part, self.seed = part, seed
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(self.part, self.seed, other), daemon=True)
        self.process.start()
        other.close()

    def attempt(self, number: int) -> tuple[str, str, str, str]:
        """Let the process try a case; return where, what, the kind of outcome and what was found."""
        try:
            self.pipe.send(number)
            if self.pipe.poll(PATIENCE):
                answer: tuple[str, str, str, str] = self.pipe.recv()
                return answer
            kind = "hang"
        except (EOFError, OSError):
            kind = "the process ended"
        self.process.kill()
        self.process.join()
        self.start()
        return "?", f"case {number}", kind, f"exit code {self.process.exitcode}"

    def stop(self) -> None:
        """Let the process end."""
        self.pipe.send(None)
        self.process.join()


def run(part: str, numbers: list[int], seed: int) -> dict[str, Any]:
    """Try cases; return counts and findings."""
    outcomes: collections.Counter[str] = collections.Counter()
    by: dict[str, collections.Counter[str]] = {}
    findings = []
    worker = Worker(part, seed)
    for number in numbers:
        where, said, kind, found = worker.attempt(number)
        outcomes[kind] += 1
        by.setdefault(where, collections.Counter())[kind] += 1
        if kind not in ALLOWED:
            findings.append({"number": number, "where": where, "case": said, "kind": kind, "found": found})
    worker.stop()
    return {
        "cases": len(numbers),
        "outcomes": dict(sorted(outcomes.items())),
        "by": {where: dict(sorted(counts.items())) for where, counts in sorted(by.items())},
        "findings": findings,
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers come from."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def main(arguments: list[str] | None = None) -> int:
    """Try the cases, print findings, write the counts; return 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument(
        "--files", type=int, default=10_000, metavar="N", help="how many files (default 10000)"
    )
    parser.add_argument(
        "--arguments", type=int, default=10_000, metavar="N", help="how many calls (default 10000)"
    )
    parser.add_argument("--seed", type=int, default=2026, help="of everything random (default 2026)")
    parser.add_argument(
        "--only", type=int, metavar="N", help="try case N of both parts alone, and write nothing"
    )
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    options = parser.parse_args(arguments)
    record: dict[str, Any] = {
        "what": "damaged files and odd arguments: each is read or computed, or refused in words",
        "seed": options.seed,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": versions(),
        "limits": {"seconds": SECONDS, "bytes": EXTRA_BYTES},
    }
    for part in ("files", "arguments"):
        numbers = list(range(getattr(options, part))) if options.only is None else [options.only]
        if not numbers:  # left out this time: what the record has of it stays, if it is of this seed
            older = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
            if older.get("seed") == options.seed:
                record[part] = older[part]
                continue
        record[part] = run(part, numbers, options.seed)
        print(f"{part}: {record[part]['cases']:,} cases, {record[part]['outcomes']}")
        for finding in record[part]["findings"]:
            print("  {number}  {where}  [{case}]  {kind}: {found}".format(**finding))
    if options.only is None and not options.no_write:
        RESULTS.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(record[part]["findings"] for part in ("files", "arguments")))


if __name__ == "__main__":
    sys.exit(main())
