"""Tests of the cost of smaller vectors: every method by direct computation, bytes, questions, and errors."""

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.retrieval import answer_ranks, compare_models
from isotropy_report.measures import compression_costs
from isotropy_report.measures.neighbors import shared_neighbors
from tests import oracles

pytestmark = pytest.mark.numbers


def vectors(seed=0, n_points=80, n=16):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n_points, n)) * np.arange(1, n + 1) ** -0.5 + 0.3).astype(np.float32)


def halves(X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[np.sort(order[: len(X) // 2])], X[np.sort(order[len(X) // 2 :])]


def by_hand(X, fitted):
    axes = np.linalg.eigh(np.cov(fitted.astype(np.float64), rowvar=False))[1][:, ::-1]
    low, high = fitted.min(0).astype(np.float64), fitted.max(0).astype(np.float64)
    codes = np.clip(np.rint((X - low) / (high - low) * 255), 0, 255)
    return {
        ("first dimensions", 8): X[:, :8],
        ("first dimensions", 3): X[:, :3],
        ("PCA", 8): X @ axes[:, :8],
        ("PCA", 3): X @ axes[:, :3],
        ("float16", 16): X.astype(np.float16).astype(np.float64),
        ("int8", 16): low + codes * (high - low) / 255,
    }


def test_each_way_by_hand():
    X = vectors()
    found = compression_costs(X, dimensions=[8, 3], k=4, rng=7)
    fitted, measured = halves(X / np.linalg.norm(X, axis=1, keepdims=True), 7)
    ways = by_hand(measured, fitted)
    assert [(r.method, r.dimensions) for r in found.rows] == [("as given", 16), *ways, ("binary", 16)]
    for row in found.rows[1:-1]:
        shared = oracles.shared_neighbors(measured, ways[row.method, row.dimensions], 4, "cosine")
        # Rounding to float32 may exchange a pair of neighbors that are about equally near.
        assert row.overlap == pytest.approx(np.mean(shared) / 4, abs=0.0126)
        assert row.overlap_low <= row.overlap <= row.overlap_high
        assert (row.accuracy, row.loss) == (None, None)
    assert found.n_fitted == found.n_measured == 40
    assert len({row.text for row in found.rows}) == len(found.rows)


def test_bits_are_compared_by_hamming_distance():
    X = vectors(1)
    found = compression_costs(X, k=4, rng=1).rows[-1]
    _, measured = halves(X, 1)
    bits = measured > 0
    lists = []
    for i, row in enumerate(bits):
        far = (bits != row).sum(1)
        lists.append(sorted((j for j in range(40) if j != i), key=lambda j, far=far: (far[j], j))[:5])
    full = [
        sorted(
            (j for j in range(40) if j != i),
            key=lambda j, x=x: -(x @ measured[j]) / np.linalg.norm(measured[j]),
        )[:5]
        for i, x in enumerate(measured)
    ]
    shared, _ = shared_neighbors(np.array(full), np.array(lists))
    assert found.overlap == pytest.approx(shared.mean() / 4, abs=1e-12)


def test_bytes():
    X = vectors(n=20)
    found = compression_costs(X, k=3, rng=0)
    assert [r.dimensions for r in found.rows] == [20, 10, 5, 2, 10, 5, 2, 20, 20, 20]
    assert [r.n_bytes for r in found.rows] == [80, 40, 20, 8, 40, 20, 8, 40, 20, 3]
    assert [r.n_bytes for r in compression_costs(X.astype(np.float64), k=3, rng=0).rows[:2]] == [160, 80]
    half = compression_costs(X.astype(np.float16), k=3, rng=0).rows
    assert [r.n_bytes for r in half[:2]] == [40, 20]
    assert "float16" not in [r.method for r in half]


def test_questions():
    X = vectors(2)
    rng = np.random.default_rng(0)
    Q = X[:30] + 0.8 * rng.standard_normal((30, 16)).astype(np.float32)
    found = compression_costs(X, dimensions=[3], questions=Q, gold=np.arange(30), k=4, rng=3)
    fitted, _ = halves(X, 3)
    full = answer_ranks(Q, X, np.arange(30))
    assert found.rows[0].accuracy == (full <= 4).mean()
    assert (found.rows[0].loss, found.n_questions) == (0.0, 30)
    cut = answer_ranks(Q[:, :3], X[:, :3], np.arange(30))
    row = found.rows[1]
    assert row.accuracy == pytest.approx((cut <= 4).mean())
    assert row.loss == pytest.approx(compare_models(full, cut, k=4, rng=0).estimate)
    assert row.loss_low <= row.loss <= row.loss_high
    fitted /= np.linalg.norm(fitted, axis=1, keepdims=True)
    axes = np.linalg.eigh(np.cov(fitted.astype(np.float64), rowvar=False))[1][:, ::-1][:, :3]
    projected = answer_ranks(Q @ axes, X @ axes, np.arange(30))
    assert found.rows[2].accuracy == pytest.approx((projected <= 4).mean(), abs=0.034)


@pytest.mark.parametrize("asked", [False, True])
def test_the_sentence_names_the_smallest_way_that_is_enough(asked):
    X = np.random.default_rng(0).standard_normal((500, 48)).astype(np.float32)
    options = {"questions": X[:300], "gold": np.arange(300)} if asked else {}
    found = compression_costs(X, k=3, rng=0, **options)
    whole, *ways = found.rows
    enough = [row for row in ways if (row.lost_bound <= 0.02 if asked else row.overlap_low >= 0.9)]
    assert enough
    smallest = min(enough, key=lambda row: row.n_bytes)
    assert f"{smallest.n_bytes} instead of {whole.n_bytes} bytes" in found.summary
    assert f"{smallest.overlap:.1%}" in found.summary
    assert str(found).endswith(found.table)
    options = {"questions": X[:30], "gold": np.arange(30)} if asked else {}
    few = X[:30].astype(np.float16)  # too few to show anything, and float16 is no smaller
    none = compression_costs(few, k=3, rng=0, **options)
    assert "None of 8 smaller ways" in none.summary


def test_the_bound_of_lost_questions_is_that_of_clopper_and_pearson():
    X = vectors(2)
    Q = X[:30] + 0.3 * np.random.default_rng(0).standard_normal((30, 16)).astype(np.float32)
    found = compression_costs(X, dimensions=[3], questions=Q, gold=np.arange(30), k=1, rng=3)
    full, cut = (answer_ranks(Q[:, :d], X[:, :d], np.arange(30)) for d in (16, 3))
    lost = ((full == 1) & (cut > 1)).sum()
    assert 0 < lost < 30
    assert found.rows[1].lost_bound == pytest.approx(stats.beta.ppf(0.975, lost + 1, 30 - lost))


def test_lengths_of_rows_change_nothing_and_zero_rows_are_named_by_their_place():
    X = vectors(3)
    lengths = np.random.default_rng(0).uniform(0.1, 9.0, (80, 1)).astype(np.float32)
    for one, other in zip(*(compression_costs(Y, k=4, rng=0).rows for Y in (X, X * lengths)), strict=True):
        assert one.overlap == pytest.approx(other.overlap, abs=0.0126)
    X[[5, 71]] = 0.0
    with pytest.raises(ValueError, match="zero vectors in 2 of 80 rows, first in row 5"):
        compression_costs(X, k=4, rng=0)


def test_what_is_not_smaller_is_not_named():
    X = np.random.default_rng(0).integers(-127, 127, (200, 32)).astype(np.int8)
    found = compression_costs(X, k=3, rng=0)
    assert not found.summary.startswith("Int8")


def test_at_most_so_many_rows_are_measured():
    found = compression_costs(vectors(), k=4, max_rows=20, rng=0)
    assert (found.n_points, found.n_fitted, found.n_measured) == (80, 20, 20)
