"""Clouds with known isotropy: with a given covariance, and from tests and figures of Rudman et al. (2022)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks

Cloud = NDArray[np.float64]
Rng = np.random.Generator | int | None
Distribution = Literal["uniform", "poisson", "student-t", "chi-square"]


def isotropic_gaussian(
    n_points: int, n_dimensions: int, *, mean: ArrayLike = 0.0, variance: float = 1.0, rng: Rng = None
) -> Cloud:
    """Return a Gaussian cloud with covariance ``variance``·I, whose true IsoScore is 1.

    Tests 1 and 2 and half of Test 5 use this population (Rudman et al. 2022, Appendix E).
    """
    z = checks.as_generator(rng).standard_normal((n_points, n_dimensions))
    return np.asarray(z * np.sqrt(variance) + np.asarray(mean, dtype=np.float64))


def gaussian(n_points: int, variances: ArrayLike, *, mean: ArrayLike = 0.0, rng: Rng = None) -> Cloud:
    """Return a Gaussian cloud with uncorrelated coordinates of the given variances."""
    spread = np.sqrt(np.asarray(variances, dtype=np.float64))
    z = checks.as_generator(rng).standard_normal((n_points, len(spread)))
    return np.asarray(z * spread + np.asarray(mean, dtype=np.float64))


def first_k_dimensions(n_points: int, n_dimensions: int, k: int, *, rng: Rng = None) -> Cloud:
    """Return a Gaussian cloud that uniformly uses k of n dimensions, with true IsoScore (k − 1)/(n − 1).

    Its covariance is I_n^(k), a diagonal of k ones and n − k zeros (Rudman et al. 2022, Section 3.2, Table 2 and
    equation D.4); k(X) is k.
    """
    cloud = np.zeros((n_points, n_dimensions))
    cloud[:, :k] = checks.as_generator(rng).standard_normal((n_points, k))
    return cloud


def one_long_axis(n_points: int, n_dimensions: int, x: float, *, rng: Rng = None) -> Cloud:
    """Return a Gaussian cloud with covariance diag(x, 1, …, 1), in which one axis differs from the others.

    It uses (x + n − 1)²/(x² + n − 1) dimensions, so IsoScore is 1 at x = 1 and falls to 0 as x grows: Test 3 (n = 10,
    x from 1 to 75) and Figure 3 (n = 2, x = 1, 3, 75) of Rudman et al. (2022).
    """
    cloud = isotropic_gaussian(n_points, n_dimensions, rng=rng)
    cloud[:, 0] *= np.sqrt(x)
    return cloud


def power_law_eigenvalues(n_dimensions: int, *, exponent: float = 1.0) -> NDArray[np.float64]:
    """Return the eigenvalues j^(−exponent), j = 1, …, n, a spectrum similar to that of embeddings."""
    return np.arange(1.0, n_dimensions + 1.0) ** -exponent


def power_law_spectrum(n_points: int, n_dimensions: int, *, exponent: float = 1.0, rng: Rng = None) -> Cloud:
    """Return a Gaussian cloud with variances j^(−exponent); its true IsoScore is that of `power_law_eigenvalues`."""
    return gaussian(n_points, power_law_eigenvalues(n_dimensions, exponent=exponent), rng=rng)


def multivariate_t(n_points: int, variances: ArrayLike, *, rng: Rng = None) -> Cloud:
    """Return a heavy-tailed elliptical cloud with uncorrelated coordinates of the given variances.

    All coordinates of a Gaussian vector are divided by one chi variable with 6 degrees of freedom, and
    rescaled to the variances. Fourth moments, which the corrected IsoScore estimates, exist for more than 4
    degrees of freedom.
    """
    nu = 6.0
    generator = checks.as_generator(rng)
    z = gaussian(n_points, variances, rng=generator)
    return np.asarray(z * np.sqrt((nu - 2.0) / generator.chisquare(nu, n_points))[:, None])


def correlated_pair(n_points: int, *, correlation: float = 0.8, rng: Rng = None) -> Cloud:
    """Return a Gaussian cloud with covariance [[1, r], [r, 1]], whose true IsoScore is (1 − r²)/(1 + r²).

    Test 4, Figure 4, and Table 3 of Rudman et al. (2022) use r = 0.8, for which it is 9/41 = 0.2195 (printed:
    0.216).
    """
    r = correlation
    z = isotropic_gaussian(n_points, 2, rng=rng)
    z[:, 1] = r * z[:, 0] + np.sqrt(1.0 - r * r) * z[:, 1]
    return z


def skewered_meatball(
    n_ball: int, *, n_line: int = 1_000, line_variance: float = 3.0, rng: Rng = None
) -> Cloud:
    """Return the union of a line and a ball in three dimensions (Test 6 and Figure 5 of Rudman et al., 2022).

    The line is Gaussian along (1, 1, 1), the ball a standard three-dimensional Gaussian. With r = n_ball/n_line the
    covariance of the union has eigenvalues proportional to (line_variance + r, r, r). The default of 3 is the line
    (t, t, t) with t ~ N(0, 1): only then is the true IsoScore 1/2 at equal counts. With a variance of 1 it is 5/6.
    """
    generator = checks.as_generator(rng)
    t = generator.standard_normal(n_line) * np.sqrt(line_variance / 3.0)
    line = np.repeat(t[:, None], 3, axis=1)
    return np.concatenate([line, generator.standard_normal((n_ball, 3))])


def uniform_ball(n_points: int, k: int, *, n_dimensions: int = 3, rng: Rng = None) -> Cloud:
    """Return a uniform k-dimensional ball in n dimensions with covariance I_n^(k) (Figure 1 of the paper)."""
    generator = checks.as_generator(rng)
    direction = generator.standard_normal((n_points, k))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.sqrt(k + 2.0) * generator.random(n_points) ** (1.0 / k)
    cloud = np.zeros((n_points, n_dimensions))
    cloud[:, :k] = direction * radius[:, None]
    return cloud


def independent_coordinates(
    distribution: Distribution, n_points: int, n_dimensions: int = 2, *, rng: Rng = None
) -> Cloud:
    """Return a cloud with independent, identically distributed coordinates, whose true IsoScore is 1.

    The distributions are those of Figure 10 of Rudman et al. (2022), which gives no parameters: uniform on
    [−1, 1], Poisson with mean 3, Student's t with 5 degrees of freedom, and chi-square with 3.
    """
    generator, size = checks.as_generator(rng), (n_points, n_dimensions)
    if distribution == "uniform":
        return generator.uniform(-1.0, 1.0, size)
    if distribution == "poisson":
        return generator.poisson(3.0, size).astype(np.float64)
    return generator.standard_t(5.0, size) if distribution == "student-t" else generator.chisquare(3.0, size)


def rotate(X: ArrayLike, degrees: float) -> Cloud:
    """Rotate a two-dimensional cloud about the origin, counterclockwise.

    Isotropy is unchanged by rotation; Test 4 and Figure 4 of Rudman et al. (2022) use 120° and 240°.
    """
    theta = np.deg2rad(degrees)
    c, s = np.cos(theta), np.sin(theta)
    return np.asarray(np.asarray(X, dtype=np.float64) @ np.array([[c, s], [-s, c]]))


def pca_reorient(X: ArrayLike) -> Cloud:
    """Center a cloud and rotate its principal axes onto the coordinate axes, longest first.

    This is step 2 of Algorithm 1, and gives the right panel of Figure 4 (Rudman et al. 2022). Signs are
    arbitrary: the entry of largest magnitude in each principal direction is made positive.
    """
    cloud = np.asarray(X, dtype=np.float64)
    centered = cloud - cloud.mean(axis=0)
    directions = np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[largest, np.arange(directions.shape[1])])
    return np.asarray(centered @ directions)
