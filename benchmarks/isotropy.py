"""IsoScore and the mean cosine beside the peer package IsoScore 2.0.1 and the floor of the machine.

Each task runs in a process of its own with a fixed number of BLAS threads. Contenders take turns within one run, so
that a busy machine slows all of them; the ratio is the median of the ratios of neighboring runs, and beside it
stands the ratio of the fastest runs. Peak memory is the rise of the largest resident set, in a fresh process that
runs one contender once.

The peer lives in an environment of its own, `benchmarks/.peers`, made on the first run with pinned versions; set
`ISOTROPY_LAB_PEERS` to the Python interpreter of another one, or to nothing to go without.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks import processes

HERE = pathlib.Path(__file__).parent
PEERS = [
    "IsoScore==2.0.1",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "scikit-learn==1.9.1",
    "scipy==1.17.1",
    "threadpoolctl==3.8.0",
    "torch==2.13.0",
]

# A child process: makes the data, runs the named contenders in turn, prints seconds. It imports the package only
# where that is asked for, so that the interpreter of the peers can run it too.
CHILD = r"""
import json, os, sys, time
import numpy as np

task = json.loads(sys.argv[1])
N, n = task["shape"]

def load():
    if task["path"]:
        return np.load(task["path"], mmap_mode="r" if task["memory_map"] else None)
    return None

def contender(name):
    if name == "floor":
        return lambda X: X.T @ X
    if name == "memory pass":
        return lambda X: X.sum()
    if name == "ours":
        from isotropy_lab.isotropy import isoscore
        return isoscore
    if name == "ours, corrected":
        from isotropy_lab.isotropy import isoscore
        return lambda X: isoscore(X, estimator="corrected")
    if name == "ours, cosine":
        from isotropy_lab.isotropy import average_cosine
        return average_cosine
    if name == "peer":
        from IsoScore import IsoScore as module
        import torch
        torch.set_num_threads(task["threads"])
        score = getattr(module, "IsoScore", None) or getattr(module, "IsoScore_star")
        return lambda X: score(X)
    raise ValueError(name)

def resident(key):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    return 0

X = load()
calls = {name: contender(name) for name in task["contenders"]}
small = np.random.default_rng(0).standard_normal((500, 8)).astype(np.float32)
values = {}
for call in calls.values():
    call(small)  # imports and thread pools are not what is measured
if task["measure"] == "time":
    seconds = {name: [] for name in calls}
    for repeat in range(task["repeats"] + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            value = call(X)
            if repeat:  # the first round warms the caches
                seconds[name].append(time.perf_counter() - start)
            values[name] = float(value) if np.ndim(value) == 0 else None
    print(json.dumps({"seconds": seconds, "values": values}))
else:
    import threading
    (name,) = calls
    done = threading.Event()
    base, peak = resident("RssAnon"), [0]
    def watch():
        while not done.is_set():
            peak[0] = max(peak[0], resident("RssAnon"))
            done.wait(0.002)
    watcher = threading.Thread(target=watch)
    watcher.start()
    before = resident("VmHWM")
    calls[name](X)
    done.set()
    watcher.join()
    print(json.dumps({"extra": max(peak[0] - base, 0), "high_water": resident("VmHWM") - before}))
"""

# name, shape, contenders, baseline, target ratio of ours to the baseline
TASKS: list[dict[str, Any]] = [
    {"name": "IsoScore 100k × 768", "shape": (100_000, 768), "ours": "ours", "floor": "floor", "peer": True, "target": 1.3},
    {"name": "IsoScore 500k × 300", "shape": (500_000, 300), "ours": "ours", "floor": "floor", "peer": True, "target": 1.5},
    {"name": "corrected 100k × 768", "shape": (100_000, 768), "ours": "ours, corrected", "floor": "floor", "peer": False,
     "target": None},
    {"name": "mean cosine, all pairs, 100k × 768", "shape": (100_000, 768), "ours": "ours, cosine",
     "floor": "memory pass", "peer": False, "target": 3.0},
]  # fmt: skip
MEMORY_TARGET = 100 * 10**6


def peer_python() -> str | None:
    """Return the interpreter that has the peer package, made if need be, or None to go without."""
    return processes.interpreter_with(PEERS, ".peers", "ISOTROPY_LAB_PEERS")


def _child(python: str, threads: int, task: dict[str, Any]) -> dict[str, Any]:
    environment = dict(os.environ)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[variable] = str(threads)
    # The peers' interpreter measures ours as well, in the same process, so that all take turns.
    root = str(HERE.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
    done = subprocess.run(
        [python, "-c", CHILD, json.dumps({**task, "threads": threads})],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a benchmark process failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _write_points(path: pathlib.Path, shape: tuple[int, int]) -> None:
    """Write float32 points with a mean of 3 and mildly unequal variances, block by block."""
    import numpy as np

    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    rng = np.random.default_rng(0)
    spread = np.linspace(1, 3, shape[1], dtype=np.float32)
    for start in range(0, shape[0], 8192):
        rows = min(8192, shape[0] - start)
        out[start : start + rows] = rng.standard_normal((rows, shape[1]), dtype=np.float32) * spread + 3
    out.flush()


def run(*, quick: bool, threads: list[int], repeats: int) -> dict[str, Any]:
    """Measure every task and return the results as plain data."""
    peer = peer_python()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in sorted({task["shape"] for task in TASKS}):
            path = pathlib.Path(folder) / "points.npy"
            actual = (shape[0] // 50, shape[1]) if quick else shape
            _write_points(path, actual)
            for task in (t for t in TASKS if t["shape"] == shape):
                for count in threads:
                    rows.append(_measure(task, actual, path, count, repeats, peer))
                    print(_line(rows[-1]), file=sys.stderr, flush=True)
            path.unlink()
        rows.append(_memory_map(pathlib.Path(folder) / "map.npy", quick))
    if quick:  # a fiftieth of the points says that everything runs, and nothing about the targets
        rows = [row | {"task": f"{row['task']}, a fiftieth", "meets_target": None} for row in rows]
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": processes.machine(),
        "versions": _versions(peer),
        "data": "float32, mean 3, standard deviations from 1 to 3",
        "repeats": repeats,
        "rows": rows,
    }


def _measure(
    task: dict[str, Any],
    shape: tuple[int, int],
    path: pathlib.Path,
    threads: int,
    repeats: int,
    peer: str | None,
) -> dict[str, Any]:
    common = {"shape": shape, "path": str(path), "memory_map": False, "repeats": repeats}
    with_peer = task["peer"] and peer is not None
    names = [task["floor"], task["ours"], *(["peer"] if with_peer else [])]
    python = peer if with_peer and peer else sys.executable
    timed = _child(python, threads, {**common, "measure": "time", "contenders": names})
    seconds = timed["seconds"]
    memory = {
        name: _child(python, threads, {**common, "measure": "memory", "contenders": [name]})["extra"]
        for name in names[1:]
    }

    def ratio(a: str, b: str) -> float:
        return statistics.median(x / y for x, y in zip(seconds[a], seconds[b], strict=True))

    to_floor = ratio(task["ours"], task["floor"])
    extra = memory[task["ours"]]
    meets = None
    if task["target"] is not None:
        meets = to_floor <= task["target"] and extra <= MEMORY_TARGET
        if with_peer:
            meets = meets and ratio(task["ours"], "peer") < 1
    return {
        "task": task["name"],
        "shape": list(shape),
        "threads": threads,
        "floor": task["floor"],
        "seconds": {name: statistics.median(values) for name, values in seconds.items()},
        "fastest_seconds": {name: min(values) for name, values in seconds.items()},
        "ratio_to_floor": to_floor,
        "ratio_to_floor_of_fastest": min(seconds[task["ours"]]) / min(seconds[task["floor"]]),
        "target": task["target"],
        "ratio_to_peer": ratio(task["ours"], "peer") if with_peer else None,
        "extra_bytes": extra,
        "peer_extra_bytes": memory.get("peer"),
        "values": timed["values"],
        "meets_target": meets,
    }


def _memory_map(path: pathlib.Path, quick: bool) -> dict[str, Any]:
    """IsoScore of a memory map of 2 GB: the anonymous memory stays that of one block."""
    shape = (14_000 if quick else 700_000, 768)
    _write_points(path, shape)
    task = {"shape": shape, "path": str(path), "memory_map": True, "repeats": 1}
    timed = _child(sys.executable, 1, {**task, "measure": "time", "contenders": ["ours"]})
    extra = _child(sys.executable, 1, {**task, "measure": "memory", "contenders": ["ours"]})["extra"]
    size = path.stat().st_size
    path.unlink()
    return {
        "task": f"memory map of {size / 1e9:.1f} GB",
        "shape": list(shape),
        "threads": 1,
        "floor": None,
        "seconds": {"ours": timed["seconds"]["ours"][0]},
        "ratio_to_floor": None,
        "target": None,
        "ratio_to_peer": None,
        "extra_bytes": extra,
        "peer_extra_bytes": None,
        "values": timed["values"],
        "meets_target": extra <= MEMORY_TARGET,
    }


def _versions(peer: str | None) -> dict[str, str]:
    from importlib import metadata

    versions = {"python": platform.python_version(), "numpy": metadata.version("numpy")}
    if peer:
        code = "from importlib.metadata import version as v; print(v('IsoScore'), v('numpy'), v('torch'))"
        done = subprocess.run([peer, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            versions["IsoScore"], versions["numpy beside the peer"], versions["torch"] = done.stdout.split()
    return versions


def _line(row: dict[str, Any]) -> str:
    def number(value: float | None, form: str) -> str:
        return "–" if value is None else format(value, form)

    ours = next(value for name, value in row["seconds"].items() if name.startswith("ours"))
    verdict = {True: "met", False: "MISSED", None: "–"}[row["meets_target"]]
    peer_extra = row["peer_extra_bytes"]
    return (
        f"{row['task']:<36}{row['threads']:>3}{number(ours, '.3f'):>9}"
        f"{number(row['ratio_to_floor'], '.2f'):>9}{number(row.get('ratio_to_floor_of_fastest'), '.2f'):>9}"
        f"{number(row['target'], '.1f'):>8}{number(row['ratio_to_peer'], '.2f'):>9}{row['extra_bytes'] / 1e6:>8.0f}"
        f"{number(None if peer_extra is None else peer_extra / 1e6, '.0f'):>9}  {verdict}"
    )


def table(results: dict[str, Any]) -> str:
    """Return the results as lines of text."""
    head = f"{'task':<36}{'thr':>3}{'seconds':>9}{'÷ floor':>9}{'fastest':>9}{'target':>8}{'÷ peer':>9}{'+MB':>8}{'peer +MB':>9}"
    return "\n".join(["", head, *(_line(row) for row in results["rows"])])
