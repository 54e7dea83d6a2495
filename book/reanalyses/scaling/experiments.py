"""Experiments on scale as tidy data frames."""

from __future__ import annotations

import importlib.util
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab import _checks
from isotropy_lab.isotropy import average_cosine, intrinsic_dimension, isoscore
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.moments import Moments, moments
from isotropy_lab.projection.estimates import (
    PairEstimate,
    nonmetric_estimate,
    shepard_estimate,
    stress_estimate,
)
from reanalyses.scaling.cost import SCORES, cost, message_bytes
from reanalyses.tables import readable

__all__ = [
    "cosine_pairs",
    "costs",
    "counts_beside_paper",
    "dimension_by_queries",
    "far_end",
    "machines",
    "merged_in_any_order",
    "one_answer",
    "pair_estimates",
    "picture_of_many",
    "readable",
]

Array = NDArray[Any]

#: What the book assumes of three machines, in bytes and operations a second: a laptop, a server, a cluster of a
#: hundred servers that send their results over one line.
MACHINES: dict[str, dict[str, float]] = {
    "laptop": {"workers": 1, "read_rate": 1e9, "flop_rate": 1e11, "network_rate": np.inf},
    "server": {"workers": 32, "read_rate": 2e8, "flop_rate": 5e10, "network_rate": np.inf},
    "cluster": {"workers": 3200, "read_rate": 2e8, "flop_rate": 5e10, "network_rate": 1e10},
}


def one_answer(
    n_points: int = 60_000, n_dimensions: int = 64, *, rng: _checks.RandomState = 0
) -> pd.DataFrame:
    """Compute one IsoScore from every kind of input that this machine can read.

    Columns source, isoscore, difference (from an array in float64), share_in_memory (the most of the data
    that is handed over at once).

    Examples
    --------
    >>> bool((one_answer(2000, 20)["difference"].abs() < 1e-6).all())
    True
    """
    generator = _checks.as_generator(rng)
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


def merged_in_any_order(
    n_points: int = 5_000,
    n_dimensions: int = 20,
    *,
    n_parts: int = 12,
    n_orders: int = 50,
    rng: _checks.RandomState = 0,
) -> pd.DataFrame:
    """Cut a cloud into parts, merge their moments in random orders, and compare the score with that of the whole.

    Columns order and difference, that of IsoScore from its value for the whole.

    Examples
    --------
    >>> bool((merged_in_any_order(300, 4, n_orders=3)["difference"].abs() < 1e-12).all())
    True
    """
    generator = _checks.as_generator(rng)
    n_parts = _checks.check_integer(n_parts, "n_parts", low=2, high=n_points)
    X = generator.standard_normal((n_points, n_dimensions)) * np.linspace(1.0, 3.0, n_dimensions)
    cuts = np.sort(generator.choice(np.arange(1, n_points), size=n_parts - 1, replace=False))
    parts = np.split(X, cuts)
    for part in parts:
        part += 10.0 * generator.standard_normal(n_dimensions)
    whole = isoscore(np.vstack(parts))
    found = [moments(part) for part in parts]
    rows = []
    for number in range(n_orders):
        merged: Moments | None = None
        for i in generator.permutation(n_parts):
            merged = found[i] if merged is None else merged.merge(found[i])
        assert merged is not None
        rows.append({"order": number, "difference": isoscore(merged) - whole})
    return pd.DataFrame(rows)


def counts_beside_paper(
    sizes: Sequence[tuple[int, int]] = ((20_000, 32), (5_000, 128), (2_000, 512)),
    *,
    rng: _checks.RandomState = 0,
) -> pd.DataFrame:
    """Count what one pass reads and what its moments weigh on their way, beside the cost model.

    Columns n_points, n_dimensions, and of bytes_read, message_bytes the count and, with the suffix _on_paper,
    the formula.

    Examples
    --------
    >>> table = counts_beside_paper(((300, 5),))
    >>> int(table["bytes_read"].iloc[0]) == int(table["bytes_read_on_paper"].iloc[0]) == 6000
    True
    """
    generator = _checks.as_generator(rng)
    rows = []
    for n_points, n in sizes:
        X = generator.standard_normal((n_points, n), dtype=np.float32)
        counted = 0

        def blocks(X: Array = X) -> Iterator[Array]:
            nonlocal counted
            for block in _blocks(X, -(-X.shape[0] // 7)):
                counted += block.nbytes
                yield block

        m = moments(blocks())
        rows.append(
            {
                "n_points": n_points,
                "n_dimensions": n,
                "bytes_read": counted,
                "bytes_read_on_paper": cost(n_points, n).bytes_read,
                "message_bytes": len(pickle.dumps(m, protocol=5)),
                "message_bytes_on_paper": message_bytes(n),
            }
        )
    return pd.DataFrame(rows)


def machines() -> pd.DataFrame:
    """List the machines for which `costs` computes times.

    Columns machine, workers, gigabytes_read (a second and worker), gigaflops (of one worker),
    network_gigabytes.

    Examples
    --------
    >>> machines()["machine"].tolist()
    ['laptop', 'server', 'cluster']
    """
    return pd.DataFrame(
        {
            "machine": name,
            "workers": int(machine["workers"]),
            "gigabytes_read": machine["read_rate"] / 1e9,
            "gigaflops": machine["flop_rate"] / 1e9,
            "network_gigabytes": machine["network_rate"] / 1e9
            if np.isfinite(machine["network_rate"])
            else np.nan,
        }
        for name, machine in MACHINES.items()
    )


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

    Examples
    --------
    >>> costs((10**6,), scores=("isoscore",))["bytes_read"].tolist()
    [3072000000]
    """
    _checks.check_option(machine, "machine", list(MACHINES))
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


def far_end(n_points: int = 10**10, *, n_dimensions: int = 768) -> dict[str, float]:
    """Return what the largest collection of the book costs, in units that one can picture.

    Returns isoscore_days (on the laptop), isoscore_minutes (on the cluster), pairs_years (stress over all
    pairs, on the laptop), terabytes_read and gigabytes_sent (by the cluster, for IsoScore).

    Examples
    --------
    >>> far_end(10**6)["pairs_years"] > far_end(10**6)["isoscore_days"]
    True
    """
    laptop = costs((n_points,), n_dimensions=n_dimensions).set_index("score")["seconds"]
    cluster = costs((n_points,), n_dimensions=n_dimensions, scores=("isoscore",), machine="cluster").iloc[0]
    return {
        "isoscore_days": float(laptop["isoscore"]) / 86400.0,
        "isoscore_minutes": float(cluster["seconds"]) / 60.0,
        "pairs_years": float(laptop["all-pairs"]) / 3.15576e7,
        "terabytes_read": float(cluster["bytes_read"]) / 1e12,
        "gigabytes_sent": float(cluster["bytes_sent"]) / 1e9,
    }


def picture_of_many(
    n_points: int = 100_000, n_dimensions: int = 32, *, rng: _checks.RandomState = 0
) -> tuple[Array, Array]:
    """Return a cloud of five clusters and the plane of its first principal components.

    Returns both float32.

    Examples
    --------
    >>> [part.shape for part in picture_of_many(50, 4)]
    [(50, 4), (50, 2)]
    """
    generator = _checks.as_generator(rng)
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
    rng: _checks.RandomState = 0,
) -> pd.DataFrame:
    """Estimate the measures of a picture from more and more pairs.

    Columns measure, n_pairs (visited), method, value, standard_error, low, high, share (of all pairs).

    Examples
    --------
    >>> X, Y = picture_of_many(500, 4)
    >>> pair_estimates(X, Y, n_pairs=(500, 2000), measures=("stress",))["n_pairs"].tolist()
    [500, 2000]
    """
    estimates: dict[str, Callable[..., PairEstimate]] = {
        "stress": stress_estimate,
        "shepard": shepard_estimate,
        "non-metric": nonmetric_estimate,
    }
    for measure in measures:
        _checks.check_option(measure, "measures", list(estimates))
    generator = _checks.as_generator(rng)
    N = len(X)
    rows = []
    for measure in measures:
        for expected in n_pairs:
            found = estimates[measure](X, Y, n_pairs=expected, rng=generator)
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


def cosine_pairs(
    X: Any, *, n_pairs: Sequence[int] = (100, 10_000, 1_000_000), rng: _checks.RandomState = 0
) -> pd.DataFrame:
    """Average the cosines of random pairs, and of all pairs, which need no pair.

    Columns pairs (how many, as text), mean_cosine, error (from the exact mean).

    Examples
    --------
    >>> float(cosine_pairs(np.eye(3) + 1.0, n_pairs=())["error"].iloc[0])
    0.0
    """
    generator = _checks.as_generator(rng)
    exact = average_cosine(X)
    rows = []
    for expected in n_pairs:
        value = average_cosine(X, n_pairs=expected, rng=generator)
        rows.append({"pairs": f"{expected:,} at random", "mean_cosine": value, "error": value - exact})
    N = len(X)
    rows.append({"pairs": f"all {N * (N - 1) // 2:,}, exactly", "mean_cosine": exact, "error": 0.0})
    return pd.DataFrame(rows)


def dimension_by_queries(
    X: Any, *, n_queries: Sequence[int] = (100, 400, 1_600), rng: _checks.RandomState = 0
) -> pd.DataFrame:
    """Estimate the intrinsic dimension from more and more queries, and from all.

    Columns n_queries, value, standard_error, low, high; the last row is that of all points, without error.

    Examples
    --------
    >>> dimension_by_queries(np.random.default_rng(0).random((200, 2)), n_queries=(50,))["n_queries"].tolist()
    [50, 200]
    """
    generator = _checks.as_generator(rng)
    rows = []
    for expected in n_queries:
        found = intrinsic_dimension_details(X, n_queries=expected, rng=generator)
        rows.append(
            {
                "n_queries": found.n_queries,
                "value": found.estimate,
                "standard_error": found.standard_error,
                "low": found.low,
                "high": found.high,
            }
        )
    exact = intrinsic_dimension(X)
    rows.append({"n_queries": len(X), "value": exact, "standard_error": 0.0, "low": exact, "high": exact})
    return pd.DataFrame(rows)


def _blocks(X: Array, step: int) -> Iterator[Array]:
    for start in range(0, X.shape[0], step):
        yield X[start : start + step]
