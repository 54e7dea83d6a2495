"""Tests of IsoScore and participation ratios against the package IsoScore, its algorithm, and the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from isotropy_lab import moments
from isotropy_lab.isotropy import dimensions_used, isoscore, isoscore_from_eigenvalues, isotropy_defect
from isotropy_lab.isotropy.participation import CenteredTraces, participation_ratio, unbiased_traces
from tests import oracles


def standard_normal(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape)


CLOUDS = {
    "gauss_iso": standard_normal(0, (2000, 10)),
    "gauss_mean20": standard_normal(0, (2000, 10)) + 20.0,
    "gauss_maxvar": standard_normal(1, (2000, 10)) * np.sqrt(np.r_[75.0, np.ones(9)]),
    "gauss_corr": standard_normal(2, (2000, 2)) @ np.linalg.cholesky(np.array([[1.0, 0.8], [0.8, 1.0]])).T,
    "gauss_k3of9": standard_normal(3, (2000, 9)) * np.r_[np.ones(3), np.zeros(6)],
    "iris": load_iris().data,
    "wine": load_wine().data,
    "digits500": load_digits().data[:500],
}
# Computed by the package IsoScore 2.0.1, which rounds √n to float32, hence the tolerance below.
ISOSCORE_PACKAGE = {
    "gauss_iso": 0.9944261138896299,
    "gauss_mean20": 0.9944261138896299,
    "gauss_maxvar": 0.029118851486261952,
    "gauss_corr": 0.2114562389635617,
    "gauss_k3of9": 0.24988173113303283,
    "iris": 0.055141926047892253,
    "wine": 0.00031876811103092294,
    "digits500": 0.173268274171574,
}


@pytest.mark.parametrize("name", CLOUDS)
def test_agrees_with_the_package_and_the_algorithm(name):
    X = CLOUDS[name]
    score, defect, used = oracles.isoscore_seven_steps(X)
    assert isoscore(X) == pytest.approx(ISOSCORE_PACKAGE[name], abs=1e-7)
    assert isoscore(X) == pytest.approx(score, abs=1e-12)
    assert isotropy_defect(X) == pytest.approx(defect, abs=1e-12)
    assert dimensions_used(X) == pytest.approx(used, abs=1e-11)
    assert name != "gauss_maxvar" or 1.1 < dimensions_used(X, estimator="corrected") < 1.5


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), N=st.integers(2, 30), n=st.integers(2, 30), power=st.floats(0, 3))
def test_closed_form_agrees_with_the_algorithm_and_its_bounds(seed, N, n, power):
    X = standard_normal(seed, (N, n)) * np.arange(1, n + 1) ** -power
    score, defect, _ = oracles.isoscore_seven_steps(X)
    assert isoscore(X) == pytest.approx(score, abs=1e-10)
    assert isotropy_defect(X) == pytest.approx(defect, abs=1e-7)
    assert 0 <= isoscore(X) <= 1  # Proposition C.1
    assert 1 <= dimensions_used(X) <= min(n, N - 1) * (1 + 1e-12)
    if N >= 4:
        assert 0 <= isoscore(X, estimator="corrected") <= 1
        assert 1 <= dimensions_used(X, estimator="corrected") <= n


def test_scores_of_equal_eigenvalues_agree_with_table_2():
    """Eigenvalues of k ones and 9 − k zeros have the score (k − 1)/8."""
    for k in range(1, 10):
        eigenvalues = np.r_[np.ones(k), np.zeros(9 - k)]
        assert isoscore_from_eigenvalues(eigenvalues) == pytest.approx((k - 1) / 8, abs=1e-15)


def test_corrected_traces_equal_means_over_quadruples():
    X = np.random.default_rng(6).standard_t(4, (8, 3)) * [1, 2, 3]
    m = moments(X, fourth=True)
    traces = unbiased_traces(8, np.trace(m.scatter), np.vdot(m.scatter, m.scatter), m.quartic)
    np.testing.assert_allclose(traces, oracles.corrected_traces_by_quadruples(X), rtol=1e-12)


def test_orthogonal_points_have_score_1():
    assert isoscore(np.eye(6), estimator="corrected") == 1.0


@pytest.mark.parametrize("scale", [1e-150, 1e-85, 1e77, 1e150])
@pytest.mark.parametrize("rows", [5, 200])  # fewer points than dimensions, and more
def test_extreme_scales_do_not_change_scores(scale, rows):
    X = (standard_normal(0, (200, 6)) * np.arange(1, 7) + [3, 0, 0, 0, 0, 1])[:rows]
    for estimator in ("plug-in", "corrected"):
        expected = pytest.approx(isoscore(X, estimator=estimator), abs=1e-12)
        assert isoscore(X * scale, estimator=estimator) == expected
        assert isoscore([X[:2] * scale, X[2:] * scale], estimator=estimator) == expected
    assert isotropy_defect(X * scale) == pytest.approx(isotropy_defect(X), abs=1e-12)
    cov = np.cov(X, rowvar=False)
    assert isoscore_from_eigenvalues(np.linalg.eigvalsh(cov) * scale) == pytest.approx(isoscore(X), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "n"), [(5, 3), (5, 17), (5000, 17)])
def test_corrected_score_needs_two_distinct_points_besides_the_rest(k, n, dtype):
    X = np.vstack([np.full((k, n), 0.1), np.arange(1.0, n + 1)]).astype(dtype)
    with pytest.raises(ValueError, match="coincide"):
        isoscore(X, estimator="corrected")
    assert isoscore(X) == pytest.approx(0.0, abs=1e-6)  # a line
    X[0] += np.arange(n)[::-1]  # two points apart are enough
    assert 0 <= isoscore(X, estimator="corrected") <= 1


@pytest.mark.parametrize("N", [10, 1000, 10**6])
@pytest.mark.parametrize(("share", "refused"), [(1.01e-12, False), (0.99e-12, True)])
def test_rounding_threshold_does_not_depend_on_the_number_of_points(N, share, refused):
    """The unbiased estimate of (tr Σ)² is `share` of its plug-in estimate; rounding leaves about 1e-16."""
    square = 1.0 / (N - 1) ** 2
    c = (N - 1) / (N * (N - 2) * (N - 3))
    quartic = (N - 1) / N * square * (N * N - 3 * N + 3 - share / c)
    traces = CenteredTraces(N, 5, 1.0, 1.0, quartic)
    if refused:
        with pytest.raises(ValueError, match="coincide"):
            participation_ratio(traces, estimator="corrected")
    else:
        assert 1.0 <= participation_ratio(traces, estimator="corrected") <= 5.0
