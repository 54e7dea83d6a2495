import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.isotropy import isoscore, isoscore_from_eigenvalues, isoscore_interval, jackknife
from isotropy_lab.isotropy.intervals import _Cloud
from isotropy_lab.isotropy.jackknife import group_sums, traces_without
from tests import oracles


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(12, 30),
    n=st.integers(2, 40),
    n_groups=st.integers(3, 30),
    mean=st.sampled_from([0.0, 100.0]),
)
def test_closed_forms_equal_fitting_again_without_each_group(seed, N, n, n_groups, mean):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, n)) * np.linspace(1, 4, n) + mean
    labels = np.unique(
        np.append(np.arange(min(n_groups, N)), rng.integers(n_groups, size=N))[:N], return_inverse=True
    )[1]
    G = labels.max() + 1
    cloud = _Cloud.of(X)
    sums = group_sums(cloud.points, cloud.lengths, labels, G, cloud.quadratic, cloud.lengths @ cloud.points)
    left, total, square, quartic = traces_without(N, cloud.square, cloud.quartic, sums)
    scale = np.sum((X - X.mean(0)) ** 2)  # the cloud is scaled to tr T = 1
    for g in range(G):
        Y = X[labels != g]
        Y = Y - Y.mean(0)
        assert left[g] == len(Y)
        assert total[g] * scale == pytest.approx(np.sum(Y * Y), rel=1e-8)
        assert square[g] * scale**2 == pytest.approx(np.sum((Y @ Y.T) ** 2), rel=1e-8)
        assert quartic[g] * scale**2 == pytest.approx(np.sum(np.sum(Y * Y, axis=1) ** 2), rel=1e-8)


@pytest.mark.parametrize("shape", [(60, 5), (40, 60)])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_jackknife_equals_refitting(shape, grouped):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * np.linspace(1, 6, shape[1])
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
    assert jackknife.sums_of(np.arange(3.0), np.array([1, 2, 0]), 3).tolist() == [2, 0, 1]
    wider = isoscore_interval(X, groups=labels if grouped else None, confidence_level=0.99)
    assert wider.low < found.low
    assert wider.high > found.high


@pytest.mark.rest
def test_coverage_of_the_jackknife():
    """At n = 100, N = 200 the jackknife covers a known truth about as often as it says."""
    spread = np.linspace(1, 3, 100)
    truth = isoscore_from_eigenvalues(spread**2)
    jackknife = 0
    for seed in range(100):
        X = np.random.default_rng(seed).standard_normal((200, 100)) * spread
        interval = isoscore_interval(X)
        jackknife += interval.low <= truth <= interval.high
    assert jackknife >= 88  # 95 ± 2.2; fewer than 88 has a probability of 0.002 under the nominal level


def test_groups_cover_where_points_alone_do_not():
    """Grouped points share a component: the plain jackknife is too narrow, the grouped one is wider."""
    spread = np.linspace(1, 3, 5)
    rng = np.random.default_rng(2)
    plain, grouped = [], []
    for _ in range(20):
        shared = np.repeat(rng.standard_normal((40, 5)), 10, axis=0)
        X = (shared + 0.3 * rng.standard_normal((400, 5))) * spread
        plain.append(isoscore_interval(X).standard_error)
        grouped.append(isoscore_interval(X, groups=np.repeat(np.arange(40), 10)).standard_error)
    assert np.mean(grouped) > 2 * np.mean(plain)


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
