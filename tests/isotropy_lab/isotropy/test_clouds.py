"""Clouds have the covariance, and hence the IsoScore, that they state."""

from __future__ import annotations

import numpy as np
import pytest

from isotropy_lab.isotropy import clouds, isoscore, isoscore_from_eigenvalues


@pytest.mark.parametrize(
    ("cloud", "truth"),
    [
        (lambda: clouds.isotropic_gaussian(100_000, 6, mean=5.0, variance=3.0, rng=0), 1.0),
        (lambda: clouds.first_k_dimensions(100_000, 9, 4, rng=0), 3 / 8),
        (lambda: clouds.one_long_axis(100_000, 10, 75.0, rng=0), 0.028044),
        (lambda: clouds.power_law_spectrum(100_000, 30, rng=0), None),
        (
            lambda: clouds.multivariate_t(
                100_000, clouds.power_law_eigenvalues(30), degrees_of_freedom=9, rng=0
            ),
            None,
        ),
    ],
)
def test_isoscore_is_the_one_stated(cloud, truth):
    if truth is None:
        truth = isoscore_from_eigenvalues(clouds.power_law_eigenvalues(30))
    # At least three standard errors at 100,000 points for each of these; small scores have small ones.
    assert isoscore(cloud()) == pytest.approx(truth, abs=0.01 if truth > 0.05 else 0.0005)


def test_gaussian_has_its_covariance_and_mean():
    C = np.array([[4.0, 1.0, 0.0], [1.0, 2.0, -0.5], [0.0, -0.5, 1.0]])
    X = clouds.gaussian(200_000, C, mean=[1.0, 2.0, 3.0], rng=0)
    np.testing.assert_allclose(np.cov(X.T), C, atol=0.05)
    np.testing.assert_allclose(X.mean(axis=0), [1, 2, 3], atol=0.02)


def test_unused_dimensions_are_exactly_zero():
    assert not clouds.first_k_dimensions(50, 5, 2, rng=0)[:, 2:].any()


def test_seeds_decide():
    assert (clouds.isotropic_gaussian(5, 3, rng=1) == clouds.isotropic_gaussian(5, 3, rng=1)).all()
    assert (clouds.isotropic_gaussian(5, 3) != clouds.isotropic_gaussian(5, 3)).any()
    generator = np.random.default_rng(1)
    first = clouds.multivariate_t(5, [1.0, 1.0], rng=generator)
    assert (first != clouds.multivariate_t(5, [1.0, 1.0], rng=generator)).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clouds.isotropic_gaussian(0, 3), "n_points is 0"),
        (lambda: clouds.isotropic_gaussian(3, 3, variance=-1.0), "variance is -1"),
        (lambda: clouds.first_k_dimensions(10, 3, 4), "k is 4; expected a whole number from 1 to 3"),
        (lambda: clouds.one_long_axis(10, 3, 0.0), "x is 0"),
        (
            lambda: clouds.power_law_eigenvalues(3, exponent=np.inf),
            r"exponent is inf; expected a number in \[0, inf\)",
        ),
        (
            lambda: clouds.power_law_eigenvalues(3, exponent=-0.5),
            r"exponent is -0.5; expected a number in \[0, inf\)",
        ),
        (lambda: clouds.multivariate_t(3, [1.0, 1.0], degrees_of_freedom=2.0), "degrees_of_freedom is 2"),
        (lambda: clouds.gaussian(3, [[1.0, 2.0], [0.0, 1.0]]), "covariance is not symmetric"),
        (lambda: clouds.gaussian(3, [1.0, -1.0]), "covariance has a negative value"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
