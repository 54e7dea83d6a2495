"""Tests of the jackknife interval of IsoScore against refitting, and of its bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.isotropy import isoscore, isoscore_interval, jackknife
from tests import oracles


@pytest.mark.parametrize("shape", [(60, 5), (40, 60)])
@pytest.mark.parametrize("grouped", [False, "equal", "unequal"])
def test_jackknife_equals_refitting(shape, grouped):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.linspace(1, 6, shape[1]) + 100.0
    labels = np.arange(shape[0])
    if grouped:
        labels = rng.permutation(labels // 4 if grouped == "equal" else np.floor(np.sqrt(labels)).astype(int))
    interval = isoscore_interval(X, groups=labels if grouped else None)
    log_ratio, standard_error = oracles.jackknife(X, labels)
    n = shape[1]
    assert interval.standard_error == pytest.approx(np.exp(log_ratio) * standard_error / (n - 1), rel=1e-8)
    assert interval.estimate == pytest.approx((np.exp(log_ratio) - 1) / (n - 1), rel=1e-10)
    assert interval.estimate == pytest.approx(isoscore(X, estimator="corrected"), rel=1e-10)
    assert interval.low < interval.estimate < interval.high
    assert interval.n_groups == len(np.unique(labels))
    half_width = stats.t.ppf(0.975, interval.n_groups - 1) * standard_error
    ends = (np.exp(log_ratio + half_width * np.array([-1.0, 1.0])) - 1.0) / (n - 1)
    assert (interval.low, interval.high) == pytest.approx(tuple(np.minimum(ends, 1.0)), rel=1e-8)
    last_four = np.arange(len(X)) >= len(X) - 4
    assert [isoscore_interval(X[i:], groups=last_four[i:]).n_groups for i in (0, len(X) - 9)] == [2, 2]
    assert isoscore_interval(X[:5, :2]).n_points == 5
    assert jackknife.sum_groups(np.arange(3.0), np.array([1, 2, 0]), 3).tolist() == [2, 0, 1]
    wider = isoscore_interval(X, groups=labels if grouped else None, confidence_level=0.99)
    assert wider.low < interval.low
    assert wider.high > interval.high


def rows_on_fitted_axes(rng, n, n_points=60):
    """Return rows on their own principal axes, with more even variances than independent rows."""
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
def test_interval_contains_its_estimate_and_has_positive_width(seed, N, n, steep, fitted):
    rng = np.random.default_rng(seed)
    X = (
        rows_on_fitted_axes(rng, n, max(N, n))
        if fitted
        else rng.standard_normal((N, n)) * np.arange(1, n + 1) ** -steep
    )
    interval = isoscore_interval(X)
    assert interval.estimate == pytest.approx(isoscore(X, estimator="corrected"), rel=1e-9, abs=1e-9)
    assert 0.0 <= interval.low <= interval.estimate <= interval.high <= 1.0
    assert interval.low < interval.high or interval.standard_error < 1e-9


def test_interval_of_rows_on_fitted_axes_ends_at_1():
    X = rows_on_fitted_axes(np.random.default_rng(0), 32)
    interval = isoscore_interval(X)
    log_ratio, standard_error = oracles.jackknife(X, np.arange(len(X)))
    half_width = stats.t.ppf(0.975, len(X) - 1) * standard_error
    assert log_ratio - half_width > np.log(32)  # the ratio lies beyond its bound, and so does its interval
    assert (interval.estimate, interval.high) == (1.0, 1.0)
    assert interval.low == pytest.approx((32 * np.exp(-half_width) - 1) / 31, rel=1e-9)
    assert interval.standard_error == pytest.approx(32 * standard_error / 31, rel=1e-6)


def test_ratios_of_at_least_the_number_of_dimensions_are_cut_off():
    for n in (2, 300):
        cut_off = [jackknife.is_cut_off(math.log(n * fraction), n) for fraction in (0.5, 1 - 1e-6, 1.0, 1.5)]
        assert cut_off == [False, False, True, True]
