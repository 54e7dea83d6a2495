"""Tests that the clouds of the six tests have the stated covariance and IsoScore."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.isotropy import isoscore, isoscore_from_eigenvalues
from reanalyses.rudman2022 import clouds

POWERS = clouds.power_law_eigenvalues(30)


@pytest.mark.parametrize(
    ("cloud", "truth"),
    [
        (lambda: clouds.correlated_pair(100_000, rng=0), 9 / 41),
        (lambda: clouds.skewered_meatball(50_000, n_line=50_000, rng=0), 0.5),
        (lambda: clouds.skewered_meatball(50_000, n_line=50_000, line_variance=1.0, rng=0), 5 / 6),
        (lambda: clouds.uniform_ball(100_000, 2, rng=0), 0.5),
        (lambda: clouds.isotropic_gaussian(100_000, 6, mean=5.0, variance=3.0, rng=0), 1.0),
        (lambda: clouds.first_k_dimensions(100_000, 9, 4, rng=0), 3 / 8),
        (lambda: clouds.one_long_axis(100_000, 10, 75.0, rng=0), 0.028044),
        (lambda: clouds.power_law_spectrum(100_000, 30, rng=0), None),
        (lambda: clouds.multivariate_t(100_000, POWERS, rng=0), None),
    ],
)
def test_clouds_have_the_stated_isoscore(cloud, truth):
    if truth is None:
        truth = isoscore_from_eigenvalues(POWERS)
    # The tolerance is at least three standard errors at 100,000 points; small scores have small errors.
    assert isoscore(cloud()) == pytest.approx(truth, abs=0.01 if truth > 0.05 else 0.0005)


@pytest.mark.parametrize("law", ["uniform", "poisson", "student-t", "chi-square"])
def test_independent_coordinates_are_isotropic(law):
    X = clouds.independent_coordinates(law, 100_000, 3, rng=0)
    assert np.abs(np.corrcoef(X.T) - np.eye(3)).max() < 0.015
    assert isoscore(X) == pytest.approx(1.0, abs=0.005)


@given(st.floats(-720, 720), st.integers(0, 1_000))
@settings(max_examples=25, deadline=None)
def test_rotation_keeps_lengths_and_is_inverted(degrees, seed):
    X = clouds.isotropic_gaussian(20, 2, rng=seed)
    Y = clouds.rotate(X, degrees)
    np.testing.assert_allclose(np.linalg.norm(Y, axis=1), np.linalg.norm(X, axis=1), rtol=1e-12)
    np.testing.assert_allclose(clouds.rotate(Y, -degrees), X, atol=1e-10)


@given(st.integers(0, 1_000))
@settings(max_examples=20, deadline=None)
def test_pca_reorientation_diagonalizes(seed):
    A = np.random.default_rng(seed).standard_normal((4, 4))
    X = clouds.isotropic_gaussian(50, 4, mean=9.0, rng=seed) @ A
    S = np.cov(clouds.pca_reorient(X).T)
    assert np.abs(S - np.diag(np.diag(S))).max() < 1e-9 * S.max()
    assert (np.diff(np.diag(S)) <= 1e-12).all()
    np.testing.assert_allclose(np.diag(S), np.linalg.eigvalsh(np.cov(X.T))[::-1], rtol=1e-7, atol=1e-10)


def test_gaussian_has_given_variances_and_mean():
    X = clouds.gaussian(200_000, [4.0, 2.0, 1.0], mean=[1.0, 2.0, 3.0], rng=0)
    np.testing.assert_allclose(np.cov(X.T), np.diag([4.0, 2.0, 1.0]), atol=0.05)
    np.testing.assert_allclose(X.mean(axis=0), [1, 2, 3], atol=0.02)


def test_unused_dimensions_are_exactly_zero():
    assert not clouds.first_k_dimensions(50, 5, 2, rng=0)[:, 2:].any()
