"""Tests that clouds of the six tests have the stated covariance, and hence the stated IsoScore."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.isotropy import isoscore
from reanalyses.rudman2022 import clouds


@pytest.mark.parametrize(
    ("cloud", "truth"),
    [
        (lambda: clouds.correlated_pair(100_000, rng=0), 9 / 41),
        (lambda: clouds.skewered_meatball(50_000, n_line=50_000, rng=0), 0.5),
        (lambda: clouds.skewered_meatball(50_000, n_line=50_000, line_variance=1.0, rng=0), 5 / 6),
        (lambda: clouds.uniform_ball(100_000, 2, rng=0), 0.5),
    ],
)
def test_isoscore_is_the_one_stated(cloud, truth):
    # 0.01 is at least three standard errors at 100,000 points for each of these.
    assert isoscore(cloud()) == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize("law", ["uniform", "poisson", "student-t", "chi-square"])
def test_independent_coordinates_are_isotropic(law):
    X = clouds.independent_coordinates(law, 100_000, 3, rng=0)
    assert np.abs(np.corrcoef(X.T) - np.eye(3)).max() < 0.015
    assert isoscore(X) == pytest.approx(1.0, abs=0.005)


@given(st.floats(-720, 720), st.integers(0, 1_000))
@settings(max_examples=25, deadline=None)
def test_rotation_keeps_lengths_and_turns_back(degrees, seed):
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
