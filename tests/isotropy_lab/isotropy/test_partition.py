"""Tests of the partition score against sums of exponentials and independently computed values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

from isotropy_lab.isotropy import partition_score, partition_score_second_order
from isotropy_lab.isotropy.partition import log_partition_score
from tests import oracles


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), N=st.integers(1, 20), n=st.integers(1, 6))
def test_agrees_with_sums_of_exponentials(seed, N, n):
    # Distinct scales make the eigenvectors, and so the score, unique.
    X = np.random.default_rng(seed).standard_normal((max(N, n), n)) * 1.7 ** np.arange(n)
    score = partition_score(X)
    assert score == pytest.approx(oracles.partition_score(X), rel=1e-6)
    assert 0 <= score <= 1


# Values of equation (B.2) over ± eigenvectors, and of the second-order form, from an independent computation.
@pytest.mark.parametrize(
    ("X", "score", "second_order"),
    [
        (np.random.default_rng(0).standard_normal((2000, 10)), 0.8305444716746939, 0.829056360416504),
        (
            np.random.default_rng(0).standard_normal((2000, 10)) + 20.0,
            1.1438052999282959e-55,
            -0.029921959290662593,
        ),
        (load_iris().data, 2.0010197884200798e-07, -0.16944948673645416),
        (load_digits().data[:500], 6.213353887369791e-47, -0.03572564327637163),
    ],
)
def test_scores_equal_independently_computed_values(X, score, second_order):
    assert partition_score(X) == pytest.approx(score, rel=1e-9)
    assert partition_score_second_order(X) == pytest.approx(second_order, abs=1e-12)
    assert partition_score_second_order(X) == pytest.approx(
        oracles.partition_score_second_order(X), abs=1e-12
    )


def test_extreme_data_give_finite_log_scores():
    X = np.random.default_rng(1).standard_normal((100, 3)) * 1e4 + 1e5
    assert partition_score(X) == 0.0
    logarithm = log_partition_score(X)
    # The points farthest along the mean, in both directions, dominate Z.
    assert np.isfinite(logarithm)
    assert logarithm < -1e5
    assert partition_score(np.zeros((4, 3))) == 1.0


def test_second_order_score_uses_eigenvalue_0_for_few_points():
    X = np.array([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    assert partition_score_second_order(X) == pytest.approx((2 - np.sqrt(13)) / (2 + np.sqrt(13) + 4.5))
    X = X[:, :2]  # as many points as dimensions: the smallest is 4
    assert partition_score_second_order(X) == pytest.approx((4 - np.sqrt(13)) / (2 + np.sqrt(13) + 4.5))
