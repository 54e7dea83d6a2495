"""The clouds of the six tests and the figures of Rudman et al. (2022), beside those of `isotropy_lab.isotropy.clouds`."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from isotropy_lab import _checks
from isotropy_lab.isotropy.clouds import (
    Cloud,
    Rng,
    first_k_dimensions,
    gaussian,
    isotropic_gaussian,
    multivariate_t,
    one_long_axis,
    power_law_eigenvalues,
    power_law_spectrum,
)

__all__ = [
    "correlated_pair",
    "first_k_dimensions",
    "gaussian",
    "independent_coordinates",
    "isotropic_gaussian",
    "multivariate_t",
    "one_long_axis",
    "pca_reorient",
    "power_law_eigenvalues",
    "power_law_spectrum",
    "rotate",
    "skewered_meatball",
    "uniform_ball",
]

Distribution = Literal["uniform", "poisson", "student-t", "chi-square"]


def correlated_pair(n_points: int, *, correlation: float = 0.8, rng: Rng = None) -> Cloud:
    """Two-dimensional Gaussian cloud with covariance [[1, r], [r, 1]]: true IsoScore (1 − r²)/(1 + r²).

    With r = 0.8 that is 9/41 = 0.2195: Test 4, Figure 4 and Table 3 of Rudman et al. (2022), which print 0.216.

    Examples
    --------
    >>> bool(abs(np.corrcoef(correlated_pair(50_000, rng=0).T)[0, 1] - 0.8) < 0.01)
    True
    """
    r = _checks.check_real(correlation, "correlation", low=-1.0, high=1.0)
    z = isotropic_gaussian(n_points, 2, rng=rng)
    z[:, 1] = r * z[:, 0] + np.sqrt(1.0 - r * r) * z[:, 1]
    return z


def skewered_meatball(
    n_ball: int, *, n_line: int = 1_000, line_variance: float = 3.0, rng: Rng = None
) -> Cloud:
    """Union of a line and a ball in three dimensions: Test 6 and Figure 5 of Rudman et al. (2022).

    The line is Gaussian along (1, 1, 1), the ball a standard three-dimensional Gaussian. With r = n_ball/n_line the
    covariance of the union has eigenvalues proportional to (line_variance + r, r, r). The default of 3 is the line
    (t, t, t) with t ~ N(0, 1): only then is the true IsoScore 1/2 at equal counts. With a variance of 1 it is 5/6.

    Examples
    --------
    >>> skewered_meatball(0, n_line=2, rng=0).round(3)
    array([[ 0.126,  0.126,  0.126],
           [-0.132, -0.132, -0.132]])
    """
    n_ball = _checks.check_integer(n_ball, "n_ball", low=0)
    n_line = _checks.check_integer(n_line, "n_line", low=1)
    line_variance = _checks.check_real(
        line_variance, "line_variance", low=0.0, high=np.inf, open_low=True, open_high=True
    )
    generator = _checks.as_generator(rng)
    t = generator.standard_normal(n_line) * np.sqrt(line_variance / 3.0)
    line = np.repeat(t[:, None], 3, axis=1)
    return np.concatenate([line, generator.standard_normal((n_ball, 3))])


def uniform_ball(n_points: int, k: int, *, n_dimensions: int = 3, rng: Rng = None) -> Cloud:
    """Uniform k-dimensional ball in n dimensions with covariance I_n^(k): line, disk or ball for k = 1, 2 or 3.

    True IsoScore is (k − 1)/(n − 1), as for the Gaussian of the same covariance; Figure 1 of Rudman et al. (2022).
    The radius √(k + 2) gives every used coordinate variance 1.

    Examples
    --------
    >>> disk = uniform_ball(1_000, 2, rng=0)
    >>> bool((np.linalg.norm(disk, axis=1) <= 2).all()), float(np.abs(disk[:, 2]).max())
    (True, 0.0)
    """
    n_points = _checks.check_integer(n_points, "n_points", low=1)
    n_dimensions = _checks.check_integer(n_dimensions, "n_dimensions", low=1)
    k = _checks.check_integer(k, "k", low=1, high=n_dimensions)
    generator = _checks.as_generator(rng)
    direction = generator.standard_normal((n_points, k))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = np.sqrt(k + 2.0) * generator.random(n_points) ** (1.0 / k)
    cloud = np.zeros((n_points, n_dimensions))
    cloud[:, :k] = direction * radius[:, None]
    return cloud


def independent_coordinates(
    distribution: Distribution, n_points: int, n_dimensions: int = 2, *, rng: Rng = None
) -> Cloud:
    """Independent, identically distributed coordinates: true IsoScore 1 whatever the shape of the cloud.

    Figure 10 of Rudman et al. (2022), which gives no parameters: here they are uniform on [−1, 1], Poisson with mean
    3, Student t with 5 degrees of freedom and chi-square with 3.

    Examples
    --------
    >>> independent_coordinates("poisson", 3, rng=0)
    array([[2., 0.],
           [7., 1.],
           [4., 1.]])
    """
    _checks.check_option(distribution, "distribution", get_args(Distribution))
    n_points = _checks.check_integer(n_points, "n_points", low=1)
    n_dimensions = _checks.check_integer(n_dimensions, "n_dimensions", low=1)
    generator, size = _checks.as_generator(rng), (n_points, n_dimensions)
    if distribution == "uniform":
        return generator.uniform(-1.0, 1.0, size)
    if distribution == "poisson":
        return generator.poisson(3.0, size).astype(np.float64)
    return generator.standard_t(5.0, size) if distribution == "student-t" else generator.chisquare(3.0, size)


def rotate(X: ArrayLike, degrees: float) -> Cloud:
    """Rotate a two-dimensional cloud about the origin, counterclockwise.

    Isotropy is unchanged by rotation; Test 4 and Figure 4 of Rudman et al. (2022) use 120° and 240°.

    Examples
    --------
    >>> rotate([[1.0, 0.0], [0.0, 2.0]], 90.0).round(12) + 0.0
    array([[ 0.,  1.],
           [-2.,  0.]])
    """
    cloud = np.asarray(_checks.as_points(X, "X", min_points=1), dtype=np.float64)
    if cloud.shape[1] != 2:
        raise ValueError(f"X must have 2 columns to be rotated in the plane; found {cloud.shape[1]}")
    theta = np.deg2rad(
        _checks.check_real(degrees, "degrees", low=-np.inf, high=np.inf, open_low=True, open_high=True)
    )
    c, s = np.cos(theta), np.sin(theta)
    return np.asarray(cloud @ np.array([[c, s], [-s, c]]))


def pca_reorient(X: ArrayLike) -> Cloud:
    """Center a cloud and turn its principal axes onto the coordinate axes, longest first.

    The covariance of the result is diagonal and descending; IsoScore is unchanged. Step 2 of Algorithm 1 and the right
    panel of Figure 4 (Rudman et al. 2022). Signs are arbitrary: the entry of largest magnitude in each principal
    direction is made positive.

    Examples
    --------
    >>> pca_reorient([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).round(12) + 0.0
    array([[-1.41421356,  0.        ],
           [ 0.        ,  0.        ],
           [ 1.41421356,  0.        ]])
    """
    cloud = np.asarray(_checks.as_points(X, "X", min_points=2), dtype=np.float64)
    centered = cloud - cloud.mean(axis=0)
    directions = np.linalg.eigh(centered.T @ centered)[1][:, ::-1]
    largest = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[largest, np.arange(directions.shape[1])])
    return np.asarray(centered @ directions)
