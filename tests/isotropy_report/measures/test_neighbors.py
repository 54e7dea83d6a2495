"""Tests of neighborhood overlap: shared neighbors, jackknife, chance level, duplicates, and ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_report.measures import neighbor_overlap, neighbors
from tests import oracles

pytestmark = pytest.mark.numbers


def models(seed, n_points=18, n_a=4, n_b=3, noise=0.7):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n_points, n_a))
    return A, A[:, :n_b] + noise * rng.standard_normal((n_points, n_b))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 16))
def test_overlap_agrees_with_naive_sets(seed, k):
    A, B = models(seed)
    result = neighbor_overlap(A, B, k=k)
    expected = np.array(oracles.shared_neighbors(A, B, k, "cosine")) / k
    assert result.overlap == pytest.approx(expected.mean(), rel=1e-12)
    assert result.low <= result.overlap <= result.high
    assert result.chance == pytest.approx(k / 17)


@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 8))
def test_standard_error_agrees_with_a_jackknife(seed, k):
    A, B = models(seed)
    lists = [nearest_neighbors(X, k + 1).indices for X in (A, B)]
    shared, change = neighbors.shared_neighbors(*lists)
    expected = [
        sum(oracles.shared_neighbors(np.delete(A, i, 0), np.delete(B, i, 0), k, "cosine"))
        for i in range(len(A))
    ]
    np.testing.assert_array_equal(shared.sum() - shared + change, expected)
    means = np.array(expected) / (17 * k)
    jackknife = np.sqrt(17 / 18 * ((means - means.mean()) ** 2).sum())
    independent = np.std(shared / k, ddof=1) / np.sqrt(18)
    result = neighbor_overlap(A, B, k=k, confidence_level=0.9)
    assert result.standard_error == pytest.approx((jackknife + independent) / 2)
    half_width = stats.t.ppf(0.95, 17) * result.standard_error
    ends = max(result.overlap - half_width, 0.0), min(result.overlap + half_width, 1.0)
    assert (result.low, result.high) == pytest.approx(ends)


def test_overlap_of_equal_and_different_neighborhoods():
    A, _ = models(0)
    result = neighbor_overlap(A, 3.0 * A, k=5)
    assert (result.overlap, result.high, result.standard_error) == (1.0, 1.0, 0.0)
    assert result.low == pytest.approx(stats.beta.ppf(0.025, len(A), 1))  # Clopper and Pearson
    # The nearest neighbors of one model are distant in the other.
    A = np.repeat(np.eye(2), 4, axis=0) + 0.01 * np.arange(8)[:, None]
    B = np.tile(np.eye(2), (4, 1))
    assert neighbor_overlap(A, B, k=1).overlap < 1


def test_duplicates_are_neighbors_of_each_other_and_ties_go_to_the_lower_row():
    A, B = models(2, 10)
    doubled = np.concatenate([A, A]), np.concatenate([B, B])
    assert neighbor_overlap(*doubled, k=1).overlap == 1.0
    expected = np.mean(oracles.shared_neighbors(*doubled, 4, "cosine")) / 4
    assert neighbor_overlap(*doubled, k=4).overlap == pytest.approx(expected, rel=1e-12)
