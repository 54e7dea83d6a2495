"""Tests of neighborhood overlap: sets, jackknife, chance level, ties, and errors."""

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
def test_sets_one_by_one(seed, k):
    A, B = models(seed)
    found = neighbor_overlap(A, B, k=k)
    expected = np.array(oracles.shared_neighbors(A, B, k, "cosine")) / k
    assert found.overlap == pytest.approx(expected.mean(), rel=1e-12)
    assert found.low <= found.overlap <= found.high
    assert found.chance == pytest.approx(k / 17)


@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 8))
def test_the_jackknife_leaves_out_each_item(seed, k):
    A, B = models(seed)
    lists = [nearest_neighbors(X, k + 1).indices for X in (A, B)]
    shared, change = neighbors.shared_neighbors(*lists)
    slow = [
        sum(oracles.shared_neighbors(np.delete(A, i, 0), np.delete(B, i, 0), k, "cosine"))
        for i in range(len(A))
    ]
    np.testing.assert_array_equal(shared.sum() - shared + change, slow)
    means = np.array(slow) / (17 * k)
    jackknife = np.sqrt(17 / 18 * ((means - means.mean()) ** 2).sum())
    independent = np.std(shared / k, ddof=1) / np.sqrt(18)
    found = neighbor_overlap(A, B, k=k, confidence_level=0.9)
    assert found.standard_error == pytest.approx((jackknife + independent) / 2)
    reach = stats.t.ppf(0.95, 17) * found.standard_error
    ends = max(found.overlap - reach, 0.0), min(found.overlap + reach, 1.0)
    assert (found.low, found.high) == pytest.approx(ends)


def test_the_same_neighbors_and_none():
    A, _ = models(0)
    found = neighbor_overlap(A, 3.0 * A, k=5)
    assert (found.overlap, found.high, found.standard_error) == (1.0, 1.0, 0.0)
    assert found.low == pytest.approx(stats.beta.ppf(0.025, len(A), 1))  # Clopper and Pearson
    # In two rings of the same points one model pairs what the other keeps apart.
    A = np.repeat(np.eye(2), 4, axis=0) + 0.01 * np.arange(8)[:, None]
    B = np.tile(np.eye(2), (4, 1))
    assert neighbor_overlap(A, B, k=1).overlap < 1


def test_duplicates_are_neighbors_of_each_other_and_ties_go_to_the_lower_row():
    A, B = models(2, 10)
    twice = np.concatenate([A, A]), np.concatenate([B, B])
    assert neighbor_overlap(*twice, k=1).overlap == 1.0
    expected = np.mean(oracles.shared_neighbors(*twice, 4, "cosine")) / 4
    assert neighbor_overlap(*twice, k=4).overlap == pytest.approx(expected, rel=1e-12)
