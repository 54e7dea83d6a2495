"""Tests that clouds have the stated covariance, and hence the stated IsoScore."""

import numpy as np
import pytest

from isotropy_lab.isotropy import isoscore, isoscore_from_eigenvalues
from reanalyses.rudman2022 import clouds

POWERS = clouds.power_law_eigenvalues(30)


@pytest.mark.parametrize(
    ("cloud", "truth"),
    [
        (lambda: clouds.isotropic_gaussian(100_000, 6, mean=5.0, variance=3.0, rng=0), 1.0),
        (lambda: clouds.first_k_dimensions(100_000, 9, 4, rng=0), 3 / 8),
        (lambda: clouds.one_long_axis(100_000, 10, 75.0, rng=0), 0.028044),
        (lambda: clouds.power_law_spectrum(100_000, 30, rng=0), None),
        (lambda: clouds.multivariate_t(100_000, POWERS, degrees_of_freedom=9, rng=0), None),
    ],
)
def test_isoscore_is_the_one_stated(cloud, truth):
    if truth is None:
        truth = isoscore_from_eigenvalues(POWERS)
    # At least three standard errors at 100,000 points for each of these; small scores have small ones.
    assert isoscore(cloud()) == pytest.approx(truth, abs=0.01 if truth > 0.05 else 0.0005)


def test_gaussian_has_its_covariance_and_mean():
    C = np.array([[4.0, 1.0, 0.0], [1.0, 2.0, -0.5], [0.0, -0.5, 1.0]])
    X = clouds.gaussian(200_000, C, mean=[1.0, 2.0, 3.0], rng=0)
    np.testing.assert_allclose(np.cov(X.T), C, atol=0.05)
    np.testing.assert_allclose(X.mean(axis=0), [1, 2, 3], atol=0.02)


def test_unused_dimensions_are_exactly_zero():
    assert not clouds.first_k_dimensions(50, 5, 2, rng=0)[:, 2:].any()
