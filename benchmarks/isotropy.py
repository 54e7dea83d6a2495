"""Benchmarks of IsoScore and the mean cosine against the package IsoScore 2.0.1 and the minimal work.

Each task runs in its own process with a fixed number of BLAS threads. Contenders take turns within one run,
so that load on the machine slows all of them. The ratio is the median of the ratios of neighboring turns, and
the ratio of the fastest turns is reported, too. Peak memory is the increase of anonymous memory in a new
process that runs one contender once.

The package has its own environment, `benchmarks/.peers`, which the first run creates with pinned versions.
`ISOTROPY_LAB_PEERS` names another Python interpreter, or disables the package if it is empty.
"""

import functools
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks import processes

PEERS = ["IsoScore==2.0.1", *processes.OURS, "torch==2.13.0"]

# Tasks to measure; `target` is the maximum ratio of our time to that of the baseline `floor`.
TASKS: list[dict[str, Any]] = [
    {"name": "IsoScore 100k × 768", "shape": (100_000, 768), "ours": "ours", "floor": "floor", "peer": True,
     "target": 1.3},
    {"name": "IsoScore 500k × 300", "shape": (500_000, 300), "ours": "ours", "floor": "floor", "peer": True,
     "target": 1.5},
    {"name": "corrected 100k × 768", "shape": (100_000, 768), "ours": "ours, corrected", "floor": "floor",
     "peer": False,
     "target": None},
    {"name": "mean cosine, all pairs, 100k × 768", "shape": (100_000, 768), "ours": "ours, cosine",
     "floor": "memory pass", "peer": False, "target": 3.0},
]  # fmt: skip
MEMORY_TARGET = 100 * 10**6


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """Run contenders of one task in this process; return seconds and values, or one memory increase."""
    import numpy as np

    X = np.load(task["path"], mmap_mode="r" if task["memory_map"] else None)
    example = np.random.default_rng(0).standard_normal((500, 8)).astype(np.float32)
    calls = {name: contender(name, task["threads"]) for name in task["contenders"]}
    for call in calls.values():
        call(example)  # exclude imports and thread pools from the measurement
    return processes.run_in_turns({name: functools.partial(call, X) for name, call in calls.items()}, task)


def contender(name: str, threads: int) -> Callable[[Any], float]:
    """Return the function to measure; the peer's package is imported only if it is requested."""
    from isotropy_lab.isotropy import average_cosine, isoscore

    if name == "peer":
        import torch
        from IsoScore import IsoScore as module  # type: ignore[import-not-found]

        torch.set_num_threads(threads)
        return lambda X: (getattr(module, "IsoScore", None) or module.IsoScore_star)(X)
    return {
        "floor": lambda X: (X.T @ X)[0, 0],
        "memory pass": lambda X: X.sum(),
        "ours": isoscore,
        "ours, corrected": lambda X: isoscore(X, estimator="corrected"),
        "ours, cosine": average_cosine,
    }[name]


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


def run(*, quick: bool) -> dict[str, Any]:
    """Measure every task and return the results as plain data."""
    peer = processes.interpreter_with(PEERS, ".peers", "ISOTROPY_LAB_PEERS")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in sorted({task["shape"] for task in TASKS}):
            path = pathlib.Path(folder) / "points.npy"
            actual = (shape[0] // 50, shape[1]) if quick else shape
            _write_points(path, actual)
            for task in (t for t in TASKS if t["shape"] == shape):
                for threads in (1, 2):
                    rows.append(_measure(task, actual, path, threads, peer))
                    print(_row_text(rows[-1]), file=sys.stderr, flush=True)
            path.unlink()
        rows.append(_measure_memory_map(pathlib.Path(folder) / "map.npy", quick))
    if quick:  # 2% of the points show that everything runs, but nothing about the targets
        rows = [row | {"task": f"{row['task']}, a fiftieth", "meets_target": None} for row in rows]
    return processes.results(
        rows,
        versions=dict(package.split("==") for package in PEERS if peer or package.startswith("numpy")),
        data="float32, mean 3, standard deviations from 1 to 3",
    )


def _run_all(python: str, task: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Return seconds and values of all contenders, and the memory increase of each except the floor."""
    times = processes.measure_separately(python, "isotropy", task | {"measure": "time"})
    memory = {
        name: processes.measure_separately(
            python, "isotropy", task | {"measure": "memory", "contenders": [name]}
        )["extra"]
        for name in task["contenders"]
        if name not in ("floor", "memory pass")
    }
    return times, memory


def _measure(
    task: dict[str, Any], shape: tuple[int, int], path: pathlib.Path, threads: int, peer: str | None
) -> dict[str, Any]:
    with_peer = task["peer"] and peer is not None
    ours, floor = task["ours"], task["floor"]
    request = {"path": str(path), "memory_map": False, "turns": processes.TURNS, "threads": threads}
    names = [floor, ours, *(["peer"] if with_peer else [])]
    times, memory = _run_all(peer if with_peer and peer else sys.executable, request | {"contenders": names})
    seconds, to_floor = processes.medians(times, ours, floor)
    assert to_floor is not None
    to_peer = processes.medians(times, ours, "peer")[1] if with_peer else None
    meets = None
    if task["target"] is not None:
        meets = (
            to_floor <= task["target"] and memory[ours] <= MEMORY_TARGET and (to_peer is None or to_peer < 1)
        )
    fastest = {name: min(values) for name, values in times["seconds"].items()}
    return {
        "task": task["name"],
        "shape": list(shape),
        "threads": threads,
        "floor": floor,
        "seconds": seconds,
        "fastest_seconds": fastest,
        "ratio_to_floor": to_floor,
        "ratio_to_floor_of_fastest": fastest[ours] / fastest[floor],
        "target": task["target"],
        "ratio_to_peer": to_peer,
        "extra_bytes": memory[ours],
        "peer_extra_bytes": memory.get("peer"),
        "values": {name: value for name, value in times["values"].items() if name != "floor"},
        "meets_target": meets,
    }


def _measure_memory_map(path: pathlib.Path, quick: bool) -> dict[str, Any]:
    """Measure IsoScore of a 2 GB memory map, whose anonymous memory remains that of one block."""
    shape = (14_000 if quick else 700_000, 768)
    _write_points(path, shape)
    request = {"path": str(path), "memory_map": True, "turns": 1, "threads": 1, "contenders": ["ours"]}
    times, memory = _run_all(sys.executable, request)
    size = path.stat().st_size
    path.unlink()
    return {
        "task": f"memory map of {size / 1e9:.1f} GB",
        "shape": list(shape),
        "threads": 1,
        "seconds": {"ours": times["seconds"]["ours"][0]},
        **dict.fromkeys(("floor", "ratio_to_floor", "target", "ratio_to_peer", "peer_extra_bytes")),
        "extra_bytes": memory["ours"],
        "values": times["values"],
        "meets_target": memory["ours"] <= MEMORY_TARGET,
    }


def _row_text(row: dict[str, Any]) -> str:
    number = processes.number
    ours = next(value for name, value in row["seconds"].items() if name.startswith("ours"))
    verdict = {True: "met", False: "MISSED", None: "–"}[row["meets_target"]]
    peer_extra = row["peer_extra_bytes"]
    return (
        f"{row['task']:<36}{row['threads']:>3}{number(ours, '.3f'):>9}"
        f"{number(row['ratio_to_floor'], '.2f'):>9}{number(row.get('ratio_to_floor_of_fastest'), '.2f'):>9}"
        f"{number(row['target'], '.1f'):>8}{number(row['ratio_to_peer'], '.2f'):>9}"
        f"{row['extra_bytes'] / 1e6:>8.0f}"
        f"{number(None if peer_extra is None else peer_extra / 1e6, '.0f'):>9}  {verdict}"
    )


def table(results: dict[str, Any]) -> str:
    """Return the results as lines of text."""
    header = f"{'task':<36}{'thr':>3}{'seconds':>9}{'÷ floor':>9}{'fastest':>9}{'target':>8}{'÷ peer':>9}"
    header += f"{'+MB':>8}{'peer +MB':>9}"
    return "\n".join(["", header, *(_row_text(row) for row in results["rows"])])
