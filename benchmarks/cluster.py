"""Time of the card and of a search by number of rows and workers, for vectors created on a cluster.

``python -m benchmarks.cluster`` measures 10⁵, 10⁶, and 10⁷ rows of 384 numbers with two workers, and 10⁶ rows
with one. In one process with two threads, faiss's flat index searches 10⁶ rows in memory. The results are
written to ``cluster.json``.
"""

import json
import pathlib
import resource
import time
from typing import Any

import numpy as np

from benchmarks.processes import MB, interpreter_with, machine, measure_separately
from benchmarks.retrieval import ENVIRONMENTS

RESULTS = pathlib.Path(__file__).with_name("cluster.json")
N_DIMENSIONS, CHUNK, N_QUESTIONS = 384, 50_000, 1_000
WORKER_MEMORY = "2GB"
"""Memory limit of a worker; the ten million rows take 15 GB."""


def rows(seed: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the rows of a chunk: Gaussian points with a nonzero mean and variances like 1/k."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((CHUNK, N_DIMENSIONS), dtype=np.float32)
    points /= np.sqrt(np.arange(1, N_DIMENSIONS + 1, dtype=np.float32))
    points[:, 0] += 1
    return points


def vectors(n_rows: int) -> Any:
    """Return a Dask array of chunks that the workers create whenever they need them."""
    import dask
    import dask.array as da

    chunks = [dask.delayed(rows, pure=True)(seed) for seed in range(n_rows // CHUNK)]
    return da.concatenate([da.from_delayed(chunk, (CHUNK, N_DIMENSIONS), np.float32) for chunk in chunks])


def measure(n_rows: int, n_workers: int) -> dict[str, Any]:
    """Return the seconds of each phase, and the peak memory of a worker and of the calling process."""
    from dask.distributed import Client, LocalCluster

    from isotropy_lab.retrieval import relevant_ranks, top_k
    from isotropy_report import report_card

    X = vectors(n_rows)
    rng = np.random.default_rng(1)
    gold = rng.integers(CHUNK, size=N_QUESTIONS)
    questions = rows(0)[gold] + rng.standard_normal((N_QUESTIONS, N_DIMENSIONS), dtype=np.float32) / 9
    seconds = {}
    with (
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=WORKER_MEMORY
        ) as cluster,
        Client(cluster) as client,
    ):
        for phase, call in {
            "making the rows": lambda: X.sum().compute(),
            "card": lambda: report_card(X, pictures=False),
            "ranks": lambda: relevant_ranks(questions, X, gold),
            "top 10": lambda: top_k(questions, X, 10),
        }.items():
            start = time.perf_counter()
            call()
            seconds[phase] = round(time.perf_counter() - start, 2)
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 10**6)
    return {
        "rows": n_rows,
        "workers": n_workers,
        "gigabytes": round(X.nbytes / 1e9, 2),
        "seconds": seconds,
        "megabytes of a worker": round(max(peaks.values())),
        "megabytes of the client": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB),
    }


def search_with_faiss(task: dict[str, Any]) -> dict[str, Any]:
    """Return the seconds that faiss needs to index unit-norm rows in memory and search for top documents."""
    import faiss  # type: ignore[import-not-found]

    start = time.perf_counter()
    X = np.concatenate([rows(seed) for seed in range(task["rows"] // CHUNK)])
    loaded = time.perf_counter()
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    index = faiss.IndexFlatIP(N_DIMENSIONS)
    index.add(X)
    index.search(X[:N_QUESTIONS], 10)
    seconds = {"making the rows": round(loaded - start, 2), "top 10": round(time.perf_counter() - loaded, 2)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    return {"rows": task["rows"], "seconds": seconds, "version": faiss.__version__, "megabytes": round(peak)}


def main() -> None:
    """Measure and write the results."""
    million = 1_000_000
    runs = [measure(million, 1), *(measure(n_rows, 2) for n_rows in (100_000, million, 10_000_000))]
    results = {"machine": machine(), "dimensions": N_DIMENSIONS, "questions": N_QUESTIONS, "runs": runs}
    if interpreter := interpreter_with(*ENVIRONMENTS["faiss"]):
        task = {"rows": million, "threads": 2}
        results["faiss"] = measure_separately(interpreter, "cluster", task, "search_with_faiss")
    text = json.dumps(results, indent=1, ensure_ascii=False)
    print(text)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
