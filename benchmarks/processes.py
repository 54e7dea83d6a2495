"""Functions shared by all benchmarks: environments of other packages, processes, turns, and peak memory."""

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

HERE = pathlib.Path(__file__).parent
MB = 10**6
#: Packages that a peer's interpreter needs to run ours.
OURS = ("numpy==2.4.6", "pandas==3.1.1", "scikit-learn==1.9.1", "scipy==1.17.1", "threadpoolctl==3.8.0")
#: Largest number of turns of a contender.
TURNS = 7

Call = Callable[[], float]


def interpreter_with(packages: Sequence[str], folder: str, variable: str) -> str | None:
    """Return an interpreter with the given packages, created in `folder` if necessary, or None.

    The environment variable names another interpreter, or none if it is empty.
    """
    interpreter = os.environ.get(variable)
    if interpreter is not None:
        return interpreter or None
    environment = HERE / folder
    python, marker = environment / "bin" / "python", environment / ".complete"
    if not marker.exists() or marker.read_text().split() != list(packages):
        print(f"Creating benchmarks/{folder} for {' '.join(packages)} (once).", file=sys.stderr)
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"The peer is excluded: {error}", file=sys.stderr)
            return None
        marker.write_text("\n".join(packages))
    return str(python)


def measure_separately(
    python: str, module: str, task: Mapping[str, Any], function: str = "measure"
) -> dict[str, Any]:
    """Run a task by a function of a benchmark module in a separate process."""
    code = (
        f"import json, sys; from benchmarks import {module}; "
        f"print(json.dumps({module}.{function}(json.loads(sys.argv[1]))))"
    )
    return run_separately(python, code, task)


def run_separately(python: str, code: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """Run a task in a separate process with its number of threads; return its last line, parsed as JSON."""
    environment = dict(os.environ)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[variable] = str(task["threads"])
    # The interpreter of another package also measures ours, so that all contenders take turns.
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(HERE.parent), environment.get("PYTHONPATH")])
    )
    command = [python, "-c", code, json.dumps(task)]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if completed.returncode:
        raise RuntimeError(f"A benchmark process failed:\n{completed.stderr}")
    result: dict[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    return result


def machine() -> dict[str, Any]:
    """Return a description of the machine."""
    model = platform.processor() or platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system(), "load_at_end": load}


def resident(key: str, process: int | str = "self") -> int:
    """Return an entry of the status of a process in bytes, or 0 if there is none."""
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":")), 0)


def memory_increase(call: Callable[[], float]) -> tuple[int, float]:
    """Return the increase of anonymous memory during a call, and the result of the call."""
    finished, baseline, peak = threading.Event(), resident("RssAnon"), [0]

    def watch() -> None:
        while not finished.is_set():
            peak[0] = max(peak[0], resident("RssAnon"))
            finished.wait(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    value = float(call())
    finished.set()
    watcher.join()
    return max(peak[0] - baseline, 0), value


def medians(times: dict[str, Any], ours: str, other: str | None) -> tuple[dict[str, float], float | None]:
    """Return each contender's median seconds, and the ratio of ours to another, turn by turn if possible."""
    turns = times["seconds"]
    seconds = {name: statistics.median(values) for name, values in turns.items()}
    if other not in turns:
        return seconds, None
    if len(turns[ours]) == len(turns[other]):
        return seconds, statistics.median(a / b for a, b in zip(turns[ours], turns[other], strict=True))
    return seconds, seconds[ours] / seconds[other]


def run_in_turns(calls: Mapping[str, Call], task: Mapping[str, Any]) -> dict[str, Any]:
    """Run the contenders of a task in turn in this process; return seconds and values, or added memory.

    `once` names contenders with a single turn.
    """
    names = task["contenders"]
    if task["measure"] == "memory":
        (name,) = names
        increase, value = memory_increase(calls[name])
        return {"extra": increase, "values": {name: value}}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    processor: dict[str, list[float]] = {name: [] for name in names}
    values, process_peak = {}, None
    for turn in range(task["turns"]):
        for name in names:
            if turn and name in task.get("once", ()):
                continue
            start, cpu_start = time.perf_counter(), time.process_time()
            values[name] = float(calls[name]())
            seconds[name].append(time.perf_counter() - start)
            processor[name].append(time.process_time() - cpu_start)
            process_peak = process_peak or resident("VmHWM")  # our contender is the first
    return {"seconds": seconds, "processor": processor, "values": values, "whole": process_peak}


def compare(
    python: str,
    module: str,
    task: Mapping[str, Any],
    request: Mapping[str, Any],
    *,
    missed: Mapping[str, str],
    quick: bool,
) -> dict[str, Any]:
    """Run one task of a module in separate processes; return a row of results with the verdict."""
    times = measure_separately(python, module, {**request, "measure": "time"})
    names = request["contenders"]
    ours, other = names[0], task.get("beside")
    if task.get("whole"):
        memory = {ours: times["whole"]}
    else:
        memory = {
            name: measure_separately(python, module, {**request, "measure": "memory", "contenders": [name]})[
                "extra"
            ]
            for name in names
            if name == ours or (name == other and not other.startswith("floor"))
        }
    seconds, ratio = medians(times, ours, other)
    if task.get("parts") and request["threads"] == 1:
        _, ratio = medians(times | {"seconds": times["processor"]}, ours, other)
    limits = [(seconds[ours], "seconds"), (ratio, "ratio"), (memory[ours], "bytes")]
    targets_met = [value <= task[limit] for value, limit in limits if limit in task and value is not None]
    meets = None if quick or request["threads"] not in task["judged"] or not targets_met else all(targets_met)
    row = {
        "task": f"{task['name']}, quick" if quick else task["name"],
        "shape": list(request["shape"]),
        "threads": request["threads"],
        "seconds": seconds,
        "fastest_seconds": {name: min(values) for name, values in times["seconds"].items()},
        "processor_seconds": {name: statistics.median(values) for name, values in times["processor"].items()},
        "contender": ours,
        "beside": other if other in names else None,
        "ratio": ratio,
        "target_seconds": task.get("seconds"),
        "target_ratio": task.get("ratio"),
        "extra_bytes": memory[ours],
        "beside_extra_bytes": memory.get(other) if other else None,
        "target_bytes": task.get("bytes"),
        "bytes_of": "the whole process" if task.get("whole") else "the rise",
        "values": times["values"],
        "meets_target": meets,
        "why": missed.get(task["name"]) if meets is False else None,
    }
    if times.get("parts"):
        row["parts"] = times["parts"]
    print(row_text(row), file=sys.stderr, flush=True)
    return row


def number(value: float | None, spec: str) -> str:
    """Return a number formatted by a format specification, or a dash for None."""
    return "–" if value is None else format(value, spec)


def row_text(row: Mapping[str, Any]) -> str:
    """Return a row of the results as a line of text."""

    def megabytes(value: int | None) -> str:
        return number(None if value is None else value / MB, ".0f")

    verdict = {True: "met", False: "MISSED", None: "–"}[row["meets_target"]]
    return (
        f"{row['task']:<37}{row['threads']:>4}{row['seconds'][row['contender']]:>9.3f}"
        f"{row['processor_seconds'][row['contender']]:>9.3f}{number(row['target_seconds'], '.1f'):>8}"
        f"{number(row['ratio'], '.3f'):>9}{number(row['target_ratio'], '.2f'):>8}"
        f"{megabytes(row['extra_bytes']):>8}"
        f"{megabytes(row['target_bytes']):>8}{megabytes(row['beside_extra_bytes']):>8}  {verdict:<7}"
        + (f"÷ {row['beside']}" if row["beside"] else "")
    ).rstrip()


def table(results: Mapping[str, Any]) -> str:
    """Return the results of a module as lines of text."""
    header = (
        f"{'task':<37}{'thr':>4}{'seconds':>9}{'CPU':>9}{'target':>8}{'ratio':>9}{'target':>8}{'+MB':>8}"
        f"{'target':>8}{'its +MB':>8}"
    )
    reasons = [f"{row['task']}: {row['why']}" for row in results["rows"] if row["meets_target"] is False]
    return "\n".join(["", header, *(row_text(row) for row in results["rows"]), *dict.fromkeys(reasons)])


def results(rows: Sequence[Mapping[str, Any]], **details: Any) -> dict[str, Any]:
    """Return the rows of a module with the date, the machine, and other information."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"date": today, "machine": machine(), "repeats": TURNS, **details, "rows": rows}
