"""Tests that results from several chunks, the last one shorter, equal those in memory."""

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from isotropy_lab import association, isotropy, projection, retrieval
from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab.isotropy.participation import centered_gram
from isotropy_lab.retrieval._overlap import overlaps_at
from isotropy_report import measures

RNG = np.random.default_rng(0)
#: 67 points in 5 dimensions, which chunks of 20 or 30 rows do not divide; the last rows matter most.
X = RNG.standard_normal((67, 5)) * np.arange(1.0, 68.0)[:, None]
Y = X[:, :2] + 0.1 * RNG.standard_normal((67, 2))
POOL, WIDE = RNG.standard_normal((150, 6)), RNG.standard_normal((150, 30))
RANKS = np.array([1, 2, 5, 40, 3, 1, 7, 90, 2, 11] * 3)
#: Ranks with more than 64 distinct values, so that samples are drawn by question.
DISTINCT_RANKS = RNG.permutation(np.arange(1, 101))
SAMPLES = retrieval.similarity_samples(POOL[:30] + 0.5, POOL, range(30), k=5, rng=0)


def _assert_equal(actual: Any, expected: Any) -> None:
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(actual, expected, rtol=1e-11)
    elif dataclasses.is_dataclass(expected):
        for field in dataclasses.fields(expected):
            _assert_equal(getattr(actual, field.name), getattr(expected, field.name))
    elif isinstance(expected, (float, np.ndarray)):
        np.testing.assert_allclose(actual, expected, rtol=1e-11)
    else:
        assert actual == expected


CASES: dict[str, tuple[str, str, int, Callable[[], Any]]] = {
    "many short samples of lists": (
        "isotropy_lab.association.nulls", "_CHUNK_ENTRIES", 150 * 30,
        lambda: association.null_intervals(WIDE[:13], WIDE[20:33], WIDE, n_resamples=70, rng=0).totals,
    ),
    "neighborhoods of lists": (
        "isotropy_lab.association.nulls", "_CHUNK_ENTRIES", 150 * 30,
        lambda: association.null_intervals(
            POOL[:3], POOL[20:23], POOL, n_resamples=70, draw="neighborhoods", rng=0
        ).congruences,
    ),
    "subsets of two halves": (
        "isotropy_lab.association.permutation", "_CHUNK_ENTRIES", 30,
        lambda: association.weat_permutation_test(POOL[:7], POOL[7:14], POOL[20:25], POOL[30:35], rng=0),
    ),
    "cosines of rows in float64": (
        "isotropy_lab.isotropy.cosine", "_CHUNK_BYTES", 1,
        lambda: isotropy.average_cosine(np.repeat(POOL, 4, axis=1)),
    ),
    "cosines of narrow rows": (
        "isotropy_lab.isotropy.cosine", "_CHUNK_BYTES", 1,
        lambda: isotropy.average_cosine(POOL.astype(np.float32)),
    ),
    "distances of sampled pairs": (
        "isotropy_lab.projection.estimates", "_CHUNK_BYTES", 8 * 5 * 30,
        lambda: projection.stress_estimate(X, Y, n_pairs=100, rng=0),
    ),
    "nearest by cosine": (
        "isotropy_lab._core.neighbors", "_CHUNK_ENTRIES", 5 * 30,
        lambda: measures.neighbor_overlap(X, X + 3.0, k=3),
    ),
    "nearest by distance": (
        "isotropy_lab._core.neighbors", "_CHUNK_ENTRIES", 5 * 30,
        lambda: nearest_neighbors(X, 3, metric="euclidean").values,
    ),
    "largest of all rows": (
        "isotropy_lab._core.neighbors", "_CHUNK_ENTRIES", 4,
        lambda: nearest_neighbors(X, 3, metric="euclidean").indices,
    ),
    "compressed rows": (
        "isotropy_report.measures.costs", "_CHUNK_ENTRIES", 5 * 30,
        lambda: measures.compression_costs(X, dimensions=[2], k=3, rng=0).to_frame(),
    ),
    "shared neighbors": (
        "isotropy_report.measures.neighbors", "_CHUNK_ENTRIES", 9 * 30,
        lambda: measures.neighbor_overlap(X, X + 3.0, k=3),
    ),
    "exchanged labels": (
        "isotropy_report.measures.drift", "_CHUNK_ENTRIES", 107 * 30,
        lambda: measures.drift_test(X, X[:40] + 1.0, n_resamples=70, rng=0),
    ),
    "samples of classes": (
        "isotropy_lab._core.resampling", "_CHUNK_ENTRIES", 8 * 40,
        lambda: retrieval.bootstrap_interval(RANKS, metric="mrr", k=None, n_resamples=1000, rng=0),
    ),
    "samples of questions": (
        "isotropy_lab._core.resampling", "_CHUNK_ENTRIES", 100 * 300,
        lambda: retrieval.bootstrap_interval(DISTINCT_RANKS, metric="mrr", k=None, n_resamples=1000, rng=0),
    ),
    "samples of similarities": (
        "isotropy_lab.retrieval._overlap", "_CHUNK_ENTRIES", 150 * 300,
        lambda: overlaps_at(SAMPLES, [20.0, 80.0], n_resamples=1000, rng=0),
    ),
    "cosines of a picture": (
        "isotropy_report.card.pictures", "_CHUNK_ENTRIES", 5 * 30,
        lambda: importlib.import_module("isotropy_report.card.pictures")._cosines(
            X, np.arange(66), np.arange(1, 67)
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_chunk_size_does_not_change_results(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module_name, constant, chunk_size, compute = CASES[case]
    expected = compute()
    module = importlib.import_module(module_name)
    assert chunk_size < getattr(module, constant)
    monkeypatch.setattr(module, constant, chunk_size)
    _assert_equal(compute(), expected)


def test_partition_sums_of_more_than_a_million_points() -> None:
    """XᵀX is summed in three chunks, and the exponentials in many."""
    points = np.random.default_rng(0).standard_normal((1_500_000, 3), dtype=np.float32) * [0.3, 0.2, 0.1]
    points[-1] = (4.0, 0.0, 0.0)  # the last point is the farthest
    scatter = points.astype(np.float64).T @ points.astype(np.float64)
    exponents = np.linalg.eigh(scatter)[1].T @ points.astype(np.float64).T
    Z = np.exp(np.vstack([exponents, -exponents])).sum(axis=1)
    assert isotropy.partition_score(points) == pytest.approx(Z.min() / Z.max(), rel=1e-9)


def test_cosines_of_rows_whose_squares_overflow() -> None:
    """Rows are divided by their largest entries, 1,024 at a time."""
    rows = np.random.default_rng(1).standard_normal((2_500, 3)) + np.linspace(0.0, 2.0, 2_500)[:, None]
    assert isotropy.average_cosine(rows * 1e200) == pytest.approx(isotropy.average_cosine(rows), rel=1e-12)


def test_inner_products_of_long_rows() -> None:
    rows = np.random.default_rng(2).standard_normal((3, 1_500_000), dtype=np.float32) + 2.0
    rows[0, -1] = 3_000.0
    gram, n = centered_gram(rows)
    centered = rows - rows.mean(axis=0, dtype=np.float64)
    expected = centered @ centered.T
    assert n == 1_500_000
    np.testing.assert_allclose(gram / gram[0, 0], expected / expected[0, 0], rtol=1e-6)


def test_intrinsic_dimension_in_chunks() -> None:
    """With 200 neighbors in 8 dimensions, a chunk has 1,304 queries."""
    points = np.random.default_rng(3).standard_normal((3_000, 8))
    tree = NearestNeighbors(n_neighbors=201, algorithm="kd_tree").fit(points)
    logs = np.log(tree.kneighbors(points)[0][:, 1:])
    inverse = (logs[:, -1:] - logs[:, :-1]).sum(axis=1) / 199.0
    assert isotropy.intrinsic_dimension(points, n_neighbors=200) == pytest.approx(
        1.0 / inverse.mean(), rel=1e-9
    )


def test_asymmetric_distances_in_the_last_rows_are_refused() -> None:
    """1,500 points have three chunks, and the error is in the last one."""
    positions = np.arange(1_500.0)
    distances = np.abs(positions[:, None] - positions)
    distances[1_499, 1_498] = 3.0
    with pytest.raises(ValueError, match=r"X is not symmetric \(1 at \(1498, 1499\), 3 at \(1499, 1498\)\)"):
        projection.normalized_stress(distances, positions[:, None], metric="precomputed")
