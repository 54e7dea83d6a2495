"""Tests of the cost of smaller vectors: methods by direct computation, bytes, questions, and errors."""

import numpy as np
import pytest
from scipy import stats

from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab.retrieval import answer_ranks, compare_models
from isotropy_report.measures import compression_costs
from isotropy_report.measures.neighbors import shared_neighbors
from tests import oracles

pytestmark = pytest.mark.numbers


def random_vectors(seed=0, n_points=80, n=16):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n_points, n)) * np.arange(1, n + 1) ** -0.5 + 0.3).astype(np.float32)


def split_in_halves(X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    return X[np.sort(order[: len(X) // 2])], X[np.sort(order[len(X) // 2 :])]


def expected_vectors(X, fitted):
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


def test_overlap_of_each_method_agrees_with_direct_computation():
    X = random_vectors()
    costs = compression_costs(X, dimensions=[8, 3], k=4, rng=7)
    fitted, measured = split_in_halves(X / np.linalg.norm(X, axis=1, keepdims=True), 7)
    expected = expected_vectors(measured, fitted)
    assert [(r.method, r.dimensions) for r in costs.rows] == [("as given", 16), *expected, ("binary", 16)]
    for row in costs.rows[1:-1]:
        shared = oracles.shared_neighbors(measured, expected[row.method, row.dimensions], 4, "cosine")
        # Rounding to float32 may exchange a pair of neighbors that are about equally near.
        assert row.overlap == pytest.approx(np.mean(shared) / 4, abs=0.0126)
        assert row.overlap_low <= row.overlap <= row.overlap_high
        assert (row.accuracy, row.loss) == (None, None)
    assert costs.n_fitted == costs.n_measured == 40
    assert len({row.text for row in costs.rows}) == len(costs.rows)


def test_bits_are_compared_by_hamming_distance():
    X = random_vectors(1)
    row = compression_costs(X, k=4, rng=1).rows[-1]
    _, measured = split_in_halves(X, 1)
    bits = measured > 0
    lists = []
    for i, code in enumerate(bits):
        distances = (bits != code).sum(1)
        lists.append(sorted((j for j in range(40) if j != i), key=lambda j, d=distances: (d[j], j))[:5])
    full = nearest_neighbors(measured, 5).indices
    shared, _ = shared_neighbors(full, np.array(lists))
    assert row.overlap == pytest.approx(shared.mean() / 4, abs=1e-12)


def test_bytes_per_vector():
    X = random_vectors(n=20)
    costs = compression_costs(X, k=3, rng=0)
    assert [r.dimensions for r in costs.rows] == [20, 10, 5, 2, 10, 5, 2, 20, 20, 20]
    assert [r.n_bytes for r in costs.rows] == [80, 40, 20, 8, 40, 20, 8, 40, 20, 3]
    assert [r.n_bytes for r in compression_costs(X.astype(np.float64), k=3, rng=0).rows[:2]] == [160, 80]
    float16_rows = compression_costs(X.astype(np.float16), k=3, rng=0).rows
    assert [r.n_bytes for r in float16_rows[:2]] == [40, 20]
    assert "float16" not in [r.method for r in float16_rows]


def test_accuracies_agree_with_ranks():
    X = random_vectors(2)
    rng = np.random.default_rng(0)
    Q = X[:30] + 0.8 * rng.standard_normal((30, 16)).astype(np.float32)
    costs = compression_costs(X, dimensions=[3], questions=Q, gold=np.arange(30), k=4, rng=3)
    fitted, _ = split_in_halves(X, 3)
    full = answer_ranks(Q, X, np.arange(30))
    assert costs.rows[0].accuracy == (full <= 4).mean()
    assert (costs.rows[0].loss, costs.n_questions) == (0.0, 30)
    cut = answer_ranks(Q[:, :3], X[:, :3], np.arange(30))
    row = costs.rows[1]
    assert row.accuracy == pytest.approx((cut <= 4).mean())
    assert row.loss == pytest.approx(compare_models(full, cut, k=4, rng=0).estimate)
    assert row.loss_low <= row.loss <= row.loss_high
    fitted /= np.linalg.norm(fitted, axis=1, keepdims=True)
    axes = np.linalg.eigh(np.cov(fitted.astype(np.float64), rowvar=False))[1][:, ::-1][:, :3]
    projected = answer_ranks(Q @ axes, X @ axes, np.arange(30))
    assert costs.rows[2].accuracy == pytest.approx((projected <= 4).mean(), abs=0.034)


@pytest.mark.parametrize("with_questions", [False, True])
def test_summary_names_the_smallest_sufficient_method(with_questions):
    X = np.random.default_rng(0).standard_normal((500, 48)).astype(np.float32)
    options = {"questions": X[:300] + 0.01, "gold": np.arange(300)} if with_questions else {}
    costs = compression_costs(X, k=3, rng=0, **options)
    full, *methods = costs.rows
    sufficient = [
        row for row in methods if (row.lost_bound <= 0.02 if with_questions else row.overlap_low >= 0.9)
    ]
    assert sufficient
    smallest = min(sufficient, key=lambda row: row.n_bytes)
    assert f"{smallest.n_bytes} instead of {full.n_bytes} bytes" in costs.summary[0]
    assert f"{smallest.overlap:.1%}" in costs.summary[0]
    assert costs.best.n_bytes == smallest.n_bytes
    options = {"questions": X[:30] + 0.01, "gold": np.arange(30)} if with_questions else {}
    few_rows = X[:30].astype(np.float16)  # too few to show anything, and float16 is no smaller
    without_evidence = compression_costs(few_rows, k=3, rng=0, **options)
    assert ("30 questions" in without_evidence.summary[0]) == with_questions
    assert ("None of 8" in without_evidence.summary[0]) != with_questions


def test_wrong_gold_and_repeated_questions_are_refused():
    X = random_vectors(2)
    with pytest.raises(ValueError, match="chance"):
        compression_costs(X, questions=X[:60], gold=np.arange(60) + 15, k=1, rng=0)
    many = np.random.default_rng(0).standard_normal((9_000, 16))
    of_others = np.append(np.arange(2), np.arange(60, 198))  # 78 questions find a document of another one
    with pytest.raises(ValueError, match="chance"):
        compression_costs(many, questions=many[:140], gold=of_others, k=1, rng=0)
    two_right = np.append(np.arange(2), np.arange(5_000, 5_138))
    with pytest.raises(ValueError, match="no smaller vectors"):
        compression_costs(many, questions=many[:140], gold=two_right, k=1, rng=0)
    twice = np.tile(np.arange(20), 2)
    with pytest.raises(ValueError, match="20 of 40 questions repeat"):
        compression_costs(X, questions=X[twice], gold=twice, k=1, rng=0)


def test_bound_of_lost_questions_is_clopper_pearson():
    X = random_vectors(2)
    Q = X[:30] + 0.3 * np.random.default_rng(0).standard_normal((30, 16)).astype(np.float32)
    costs = compression_costs(X, dimensions=[3], questions=Q, gold=np.arange(30), k=1, rng=3)
    full, cut = (answer_ranks(Q[:, :d], X[:, :d], np.arange(30)) for d in (16, 3))
    lost = ((full == 1) & (cut > 1)).sum()
    assert 0 < lost < 30
    assert costs.rows[1].lost_bound == pytest.approx(stats.beta.ppf(0.95, lost + 1, 30 - lost))


def test_row_norms_do_not_matter_and_zero_rows_are_refused():
    X = random_vectors(3)
    lengths = np.random.default_rng(0).uniform(0.1, 9.0, (80, 1)).astype(np.float32)
    for row, scaled in zip(*(compression_costs(Y, k=4, rng=0).rows for Y in (X, X * lengths)), strict=True):
        assert row.overlap == pytest.approx(scaled.overlap, abs=0.0126)
    X[[5, 71]] = 0.0
    with pytest.raises(ValueError, match="zero vectors in 2 of 80 rows, first in row 5"):
        compression_costs(X, k=4, rng=0)


def test_methods_that_save_nothing_are_not_named():
    X = np.random.default_rng(0).integers(-127, 127, (200, 32)).astype(np.int8)
    costs = compression_costs(X, k=3, rng=0)
    assert not costs.summary[0].startswith("Int8")


def test_max_rows_limits_the_measured_rows():
    costs = compression_costs(random_vectors(), k=4, max_rows=20, rng=0)
    assert (costs.n_points, costs.n_fitted, costs.n_measured) == (80, 20, 20)
