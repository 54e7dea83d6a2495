"""Run the numerical tests, and execute the book, under several BLAS kernels: ``python
scripts/test_kernels.py``.

OpenBLAS chooses kernels by processor, and kernels sum in different orders: last bits differ, and with them
results that depend on them, such as ties and the choice among eigenvectors of equal eigenvalues. Each
configuration is a run of pytest with the kernel set by OPENBLAS_CORETYPE; threadpoolctl confirms that it is
used. Kernels that this processor cannot run are skipped and reported. Then the notebooks are executed under
each kernel with one thread, and the text of the pages is compared with that of the built book. Exit code 1 if
a test fails or a page differs; failures are printed last. With ``--write``, the counts of tests are stored in
benchmarks/processors.json, for the book.
"""

import argparse
import datetime
import difflib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import execution

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "processors.json"
#: Nehalem supports SSE 4.2, Haswell AVX2, and SkylakeX AVX-512.
KERNELS = ("Nehalem", "Haswell", "SkylakeX")
THREADS = (1, 2)
#: Pages of records and prose, which do not depend on BLAS.
NO_BLAS = {
    *(f"{part}/index" for part in ("association", "isotropy", "projection", "report", "retrieval")),
    *(
        f"appendix/{page}"
        for page in ("benchmarks", "calibration", "in-the-tab", "instructors", "teaching-lessons", "trust")
    ),
}
#: Program that uses all OpenBLAS libraries loaded by NumPy and SciPy, and prints kernels and threads.
BLAS_PROGRAM = """
import numpy, scipy.linalg, threadpoolctl
for kind in ("float32", "float64"):
    A = numpy.eye(200, dtype=kind)
    A @ A, A @ A[0], A[0] @ A[0], numpy.linalg.eigh(A)
    scipy.linalg.blas.sgemm(1.0, A, A), scipy.linalg.svd(A)
for library in threadpoolctl.threadpool_info():
    if library["internal_api"] == "openblas":
        print(library["architecture"], library["num_threads"])
"""


@dataclass(frozen=True)
class Run:
    """Result of one configuration."""

    name: str
    summary: str  #: last line of pytest's output, such as "812 passed, 3 skipped"
    seconds: float
    output: str
    failed: bool


def environment(kernel: str, threads: int) -> dict[str, str]:
    """Return the variables of one configuration, without the machine's own settings of kernels."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "MKL_"))}
    counts = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    # Idle BLAS threads sleep immediately; otherwise, they would occupy a processor of another configuration
    # while waiting.
    settings = {
        "OPENBLAS_CORETYPE": kernel,
        "OPENBLAS_THREAD_TIMEOUT": "4",
        "ISOTROPY_LAB_FINDINGS": "",  # results of a build come from this processor's own kernel
        "PYTHONHASHSEED": "0",
        "NO_COLOR": "1",
    }
    return {**kept, **counts, **settings}


def label(kernel: str, threads: int) -> str:
    """Return the name of a configuration, padded to a fixed width."""
    return f"{kernel:8} {threads} thread{'s' if threads > 1 else ' '}"


def blas_libraries(variables: Mapping[str, str]) -> tuple[subprocess.CompletedProcess[str], list[list[str]]]:
    """Return a process that has used BLAS with given variables, and its libraries' kernels and threads."""
    run = subprocess.run([sys.executable, "-c", BLAS_PROGRAM], env=variables, capture_output=True, text=True)
    return run, [line.split() for line in run.stdout.splitlines()]


def skip_reason(kernel: str, threads: int) -> str:
    """Return the reason why a configuration cannot run here, or "" if it can.

    A processor that lacks the kernel's instructions gets another kernel from OpenBLAS.
    """
    run, libraries = blas_libraries(environment(kernel, threads))
    if run.returncode < 0:
        return "this processor cannot run it"
    if run.returncode or not libraries:
        return "NumPy has no OpenBLAS here" if not run.returncode else run.stderr.strip().splitlines()[-1]
    others = {name for name, _ in libraries if name.lower() != kernel.lower()}
    if others:
        return f"OpenBLAS takes {' and '.join(sorted(others))} instead, as this processor cannot run it"
    if any(int(count) != threads for _, count in libraries):
        return f"OpenBLAS takes {libraries[0][1]} threads instead"
    return ""


def test_paths() -> tuple[str, ...]:
    """Return the folders and files with numerical tests, so that pytest collects no others."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from tests.conftest import NUMBERS

    return NUMBERS


def run_tests(kernel: str, threads: int, processes: int, arguments: Sequence[str]) -> Run:
    """Run the numerical tests in one configuration, distributed over several processes."""
    command = [sys.executable, "-m", "pytest", *test_paths(), "-m", "numbers"]
    command += ["-p", "no:cacheprovider", "--no-header", "--tb=short", "-rfE", *arguments]
    command += (
        ["--numprocesses", str(processes), "--dist", "loadgroup"] if processes > 1 else ["-p", "no:xdist"]
    )
    start = time.monotonic()
    run = subprocess.run(command, cwd=ROOT, env=environment(kernel, threads), capture_output=True, text=True)
    output = run.stdout + run.stderr
    counts = re.findall(r"(?m)^=*\s*((?:\d+ \w+(?:, )?)+) in [\d.]+s", output)
    summary = (
        re.sub(r",? \d+ deselected", "", counts[-1]) if counts else f"pytest ended with {run.returncode}"
    )
    seconds = time.monotonic() - start
    return Run(label(kernel, threads), summary, seconds, output, run.returncode != 0)


def page_lines(page: str, build: Path) -> list[str]:
    """Return the lines that an executed page shows, each with its cell.

    The data of interactive figures are drawn rather than read, so their numbers are rounded to nine decimals
    and twelve digits.
    """
    notebook = json.loads((ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8"))
    outputs = execution.executed_pages.read_outputs(build / "executed", page, notebook)
    lines, cell = [], ""
    for line in execution.executed_pages.outputs_text(outputs).splitlines() if outputs else ():
        cell = line if re.fullmatch(r"cell \d+", line) else cell
        if '":' in line:
            line = re.sub(r"-?\d+\.\d+(e[-+]\d+)?", lambda match: _round_number(float(match[0])), line)
        lines.append(f"{cell}: {line}")
    return lines


def _round_number(number: float) -> str:
    """Return a number without the digits in which two kernels may differ."""
    return f"{round(number, 9) + 0.0:.12g}"


def differences(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the first difference between two texts of a page in each block."""
    for kind, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            old, new = " ".join(before[i:j]), " ".join(after[k:m])
            start = next((n for n, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), 0)
            cell = (before[i:j] or after[k:m])[0].split(":")[0]
            yield f"  {cell}: …{old[max(0, start - 60) : start]}[{old[start:][:40]} | {new[start:][:40]}]"


def compare_pages(kernel: str, pages: str = "") -> Run:
    """Execute the pages that match a pattern under a kernel, and compare the results with the built book."""
    start, book_build = time.monotonic(), ROOT / "book" / "_build"
    kernel_build = book_build / "kernels" / kernel
    files = {execution.name_of(ROOT, file): file for file in execution.notebooks(ROOT)}
    compared = [file for name, file in files.items() if name not in NO_BLAS and re.search(pages, name)]
    errors = execution.execute_notebooks(ROOT, compared)
    errors |= execution.execute_notebooks(
        ROOT, compared, build=kernel_build, environment={"OPENBLAS_CORETYPE": kernel}
    )
    problems = [f"{page} fails: {error}" for page, error in errors.items()]
    n_same = 0
    for page in (execution.name_of(ROOT, file) for file in compared):
        page_differences = list(differences(page_lines(page, book_build), page_lines(page, kernel_build)))
        n_same += not page_differences and page not in errors
        problems += [page, *page_differences] if page_differences else []
    summary = f"{n_same} of {len(compared)} pages show the same"
    return Run(
        f"{kernel:8} book     ", summary, time.monotonic() - start, "\n".join(problems), bool(problems)
    )


def record(
    runs: Sequence[Run], configurations: Sequence[tuple[str, int]], excluded: Sequence[dict[str, object]]
) -> dict[str, object]:
    """Return the test counts of each configuration as plain data."""
    import numpy
    import scipy

    rows = [
        {"kernel": kernel, "threads": threads}
        | {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)\b", run.summary)}
        for run, (kernel, threads) in zip(runs, configurations, strict=True)
    ]
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {"numpy": numpy.__version__, "scipy": scipy.__version__},
        "rows": rows,
        "left out": list(excluded),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the configurations in parallel, and print one line for each; return 1 if any fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--kernels", nargs="+", default=KERNELS, metavar="NAME", help=f"default: {' '.join(KERNELS)}"
    )
    parser.add_argument("--threads", nargs="+", type=int, default=THREADS, metavar="N", help="default: 1 2")
    parser.add_argument("--pages", default="", help="regular expression of pages to execute (default: all)")
    parser.add_argument("--write", action="store_true", help=f"store the counts in {RECORD.name}")
    options, extra = parser.parse_known_args(arguments)
    start = time.monotonic()
    configurations, skipped = [], []
    for kernel in options.kernels:
        for threads in options.threads:
            if reason := skip_reason(kernel, threads):
                print(f"{label(kernel, threads)}  left out: {reason}", flush=True)
                skipped.append({"kernel": kernel, "threads": threads, "why": reason})
            else:
                configurations.append((kernel, threads))
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    processes = max(1, processors // max(1, len(configurations)))
    with ThreadPoolExecutor(processors) as pool:
        runs = []
        for future in [
            pool.submit(run_tests, kernel, threads, processes, extra) for kernel, threads in configurations
        ]:
            runs.append(run := future.result())
            print(f"{run.name}  {run.summary}, {run.seconds:.0f} s", flush=True)
    own_kernels = {name.lower() for name, _ in blas_libraries(os.environ)[1]}
    for kernel in dict.fromkeys(kernel for kernel, _ in configurations if {kernel.lower()} != own_kernels):
        runs.append(run := compare_pages(kernel, options.pages))
        own = " and ".join(sorted(own_kernels))
        print(f"{run.name}  {run.summary} as under {own}, {run.seconds:.0f} s", flush=True)
    failed = [run for run in runs if run.failed]
    if options.write:
        RECORD.write_text(
            json.dumps(record(runs[: len(configurations)], configurations, skipped), indent=1) + "\n",
            encoding="utf-8",
        )
    for run in failed:
        print(f"\n--- {run.name}\n{run.output}", flush=True)
    print(
        f"{len(runs) - len(failed)} of {len(runs)} configurations passed in {time.monotonic() - start:.0f} s"
    )
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    raise SystemExit(main())
