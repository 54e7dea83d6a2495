import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.isotropy import isoscore, isoscore_interval, jackknife
from tests import oracles


@pytest.mark.parametrize("shape", [(60, 5), (40, 60)])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_jackknife_equals_refitting(shape, grouped):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.linspace(1, 6, shape[1]) + 100.0
    labels = (
        np.repeat(np.arange(shape[0] // 4), 4)[rng.permutation(shape[0])] if grouped else np.arange(shape[0])
    )
    found = isoscore_interval(X, groups=labels if grouped else None)
    log_ratio, se = oracles.jackknife(X, labels)
    n = shape[1]
    assert found.standard_error == pytest.approx(np.exp(log_ratio) * se / (n - 1), rel=1e-8)
    assert found.estimate == pytest.approx((np.exp(log_ratio) - 1) / (n - 1), rel=1e-10)
    assert found.estimate == pytest.approx(isoscore(X, estimator="corrected"), rel=1e-10)
    assert found.low < found.estimate < found.high
    assert found.n_groups == len(np.unique(labels))
    half_width = stats.t.ppf(0.975, found.n_groups - 1) * se
    ends = (np.exp(log_ratio + half_width * np.array([-1.0, 1.0])) - 1.0) / (n - 1)
    assert (found.low, found.high) == pytest.approx(tuple(np.minimum(ends, 1.0)), rel=1e-8)
    four_left = np.arange(len(X)) >= len(X) - 4
    assert [isoscore_interval(X[i:], groups=four_left[i:]).n_groups for i in (0, len(X) - 9)] == [2, 2]
    assert isoscore_interval(X[:5, :2]).n_points == 5
    assert jackknife.sum_groups(np.arange(3.0), np.array([1, 2, 0]), 3).tolist() == [2, 0, 1]
    wider = isoscore_interval(X, groups=labels if grouped else None, confidence_level=0.99)
    assert wider.low < found.low
    assert wider.high > found.high


def svd_fitted(rng, n, n_points=60):
    """Return rows on axes fitted to them, which are more even than independent rows."""
    left, values, _ = np.linalg.svd(rng.standard_normal((n_points, 200)), full_matrices=False)
    return left[:, :n] * values[:n]


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(6, 80),
    n=st.integers(2, 30),
    steep=st.floats(0.0, 1.0),
    fitted=st.booleans(),
)
def test_an_interval_holds_its_estimate_and_is_never_a_point_beside_a_standard_error(
    seed, N, n, steep, fitted
):
    rng = np.random.default_rng(seed)
    X = (
        svd_fitted(rng, n, max(N, n))
        if fitted
        else rng.standard_normal((N, n)) * np.arange(1, n + 1) ** -steep
    )
    found = isoscore_interval(X)
    assert found.estimate == pytest.approx(isoscore(X, estimator="corrected"), rel=1e-9, abs=1e-9)
    assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    assert found.low < found.high or found.standard_error < 1e-9


def test_axes_fitted_on_the_rows_leave_an_interval_below_the_largest_score():
    X = svd_fitted(np.random.default_rng(0), 32)
    found = isoscore_interval(X)
    log, error = oracles.jackknife(X, np.arange(len(X)))
    reach = stats.t.ppf(0.975, len(X) - 1) * error
    assert log - reach > np.log(32)  # the ratio lies beyond its bound, and so does its interval
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx((32 * np.exp(-reach) - 1) / 31, rel=1e-9)
    assert found.standard_error == pytest.approx(32 * error / 31, rel=1e-6)


def test_a_ratio_is_cut_off_from_the_number_of_dimensions_on():
    for n in (2, 300):
        found = [jackknife.is_cut_off(math.log(n * part), n) for part in (0.5, 1 - 1e-6, 1.0, 1.5)]
        assert found == [False, False, True, True]
