"""Experiments on scale as tidy data frames."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab import moments
from isotropy_lab.isotropy import isoscore
from isotropy_lab.projection.estimates import stress_estimate
from reanalyses.scaling.cost import SCORES, cost

__all__ = [
    "costs",
    "one_answer",
    "pair_estimates",
    "picture_of_many",
]

Array = NDArray[Any]

#: What the book assumes of two machines, in bytes and operations a second: a laptop, and a cluster of a hundred servers
#: that send their results over one line.
MACHINES: dict[str, dict[str, float]] = {
    "laptop": {"workers": 1, "read_rate": 1e9, "flop_rate": 1e11, "network_rate": np.inf},
    "cluster": {"workers": 3200, "read_rate": 2e8, "flop_rate": 5e10, "network_rate": 1e10},
}


def one_answer(n_points: int = 60_000, n_dimensions: int = 64) -> pd.DataFrame:
    """Compute one IsoScore from every kind of input that this machine can read.

    Columns source, isoscore, difference (from an array in float64), share_in_memory (the most of the data
    that is handed over at once).
    """
    generator = np.random.default_rng(0)
    spread = np.linspace(1.0, 3.0, n_dimensions, dtype=np.float32)
    X = generator.standard_normal((n_points, n_dimensions), dtype=np.float32) * spread + np.float32(3.0)
    exact = isoscore(X.astype(np.float64))
    step = -(-n_points // 8)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "points.npy", X)
        mapped = np.load(Path(folder) / "points.npy", mmap_mode="r")
        sources: list[tuple[str, Callable[[], Any], float]] = [
            ("array in float64", lambda: X.astype(np.float64), 1.0),
            ("array in float32", lambda: X, 1.0),
            ("memory map", lambda: mapped, min(2**25 / X.nbytes, 1.0)),
            ("eight blocks, one by one", lambda: _blocks(mapped, step), step / n_points),
        ]
        if importlib.util.find_spec("dask") is not None:
            da: Any = importlib.import_module("dask.array")
            lazy = da.from_array(mapped, chunks=(step, n_dimensions))
            sources.append(("Dask array of eight chunks", lambda: lazy, step / n_points))
        rows = []
        for name, source, share in sources:
            value = isoscore(source())
            rows.append(
                {"source": name, "isoscore": value, "difference": value - exact, "share_in_memory": share}
            )
    return pd.DataFrame(rows)


def costs(
    n_points: Sequence[int] = (10**4, 10**5, 10**6, 10**7, 10**8, 10**9, 10**10),
    *,
    n_dimensions: int = 768,
    scores: Sequence[str] = ("isoscore", "average-cosine", "sampled-pairs", "all-pairs"),
    machine: str = "laptop",
) -> pd.DataFrame:
    """Compute what scores cost on paper for growing numbers of points.

    Columns score, n_points, n_dimensions, workers, bytes_stored, bytes_read, flops, bytes_sent, memory,
    seconds.
    """
    rates = MACHINES[machine]
    workers = int(rates["workers"])
    rows = []
    for score in scores:
        shared = score in SCORES[:3]
        for N in n_points:
            used = min(workers, N) if shared else 1
            found = cost(
                N, n_dimensions, score=score, workers=used, chunk_rows=max(min(100_000, -(-N // used)), 1)
            )
            rows.append(
                {
                    "score": score,
                    "n_points": N,
                    "n_dimensions": n_dimensions,
                    "workers": used,
                    "bytes_stored": found.bytes_stored,
                    "bytes_read": found.bytes_read,
                    "flops": found.flops,
                    "bytes_sent": found.bytes_sent,
                    "memory": found.memory,
                    "seconds": found.seconds(
                        read_rate=rates["read_rate"],
                        flop_rate=rates["flop_rate"],
                        network_rate=rates["network_rate"],
                    ),
                }
            )
    return pd.DataFrame(rows)


def picture_of_many(n_points: int = 100_000, n_dimensions: int = 32) -> tuple[Array, Array]:
    """Return a cloud of five clusters and the plane of its first principal components.

    Returns both float32.
    """
    generator = np.random.default_rng(0)
    centers = 3.0 * generator.standard_normal((5, n_dimensions))
    X = generator.standard_normal((n_points, n_dimensions)) + centers[generator.integers(5, size=n_points)]
    vectors = np.linalg.eigh(moments(X).covariance()).eigenvectors
    return X.astype(np.float32), ((X - X.mean(axis=0)) @ vectors[:, ::-1][:, :2]).astype(np.float32)


def pair_estimates(
    X: Any,
    Y: Any,
    *,
    n_pairs: Sequence[int] = (1_000, 10_000, 100_000, 1_000_000),
    measures: Sequence[str] = ("stress", "shepard", "non-metric"),
) -> pd.DataFrame:
    """Estimate the measures of a picture from more and more pairs.

    Columns measure, n_pairs (visited), method, value, standard_error, low, high, share (of all pairs).
    """
    names = {"stress": "scale-normalized", "shepard": "Shepard", "non-metric": "non-metric"}
    generator = np.random.default_rng(0)
    N = len(X)
    rows = []
    for measure in measures:
        for expected in n_pairs:
            found = stress_estimate(X, Y, measure=names[measure], n_pairs=expected, rng=generator)
            rows.append(
                {
                    "measure": measure,
                    "n_pairs": found.n_pairs,
                    "method": found.method,
                    "value": found.estimate,
                    "standard_error": found.standard_error,
                    "low": found.low,
                    "high": found.high,
                    "share": 2.0 * found.n_pairs / (N * (N - 1.0)),
                }
            )
    return pd.DataFrame(rows)


def _blocks(X: Array, step: int) -> Iterator[Array]:
    for start in range(0, X.shape[0], step):
        yield X[start : start + step]
