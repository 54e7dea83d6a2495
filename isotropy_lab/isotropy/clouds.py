"""Seeded generators of point clouds whose true IsoScore is known.

Each draws from a population with a stated covariance, so the IsoScore that it should get is known exactly. ``rng`` is a
generator or a seed; sizes, variances and options out of range raise a ValueError that names them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab import _checks

__all__ = [
    "first_k_dimensions",
    "gaussian",
    "isotropic_gaussian",
    "multivariate_t",
    "one_long_axis",
    "power_law_eigenvalues",
    "power_law_spectrum",
]

Cloud = NDArray[np.float64]
Rng = np.random.Generator | int | None


def isotropic_gaussian(
    n_points: int,
    n_dimensions: int,
    *,
    mean: ArrayLike = 0.0,
    variance: float = 1.0,
    rng: Rng = None,
) -> Cloud:
    """Gaussian cloud with covariance ``variance``·I: true IsoScore 1, all n dimensions used.

    The population of Tests 1, 2 and half of 5 (Rudman et al. 2022, Appendix E).

    Parameters
    ----------
    n_points, n_dimensions : int
        Size of the cloud.
    mean : float or array-like of shape (n_dimensions,), default 0
        Mean vector; a number is taken for every coordinate.
    variance : float, default 1
        Variance of every coordinate, positive.

    Returns
    -------
    ndarray of shape (n_points, n_dimensions)

    Examples
    --------
    >>> isotropic_gaussian(3, 2, mean=5.0, rng=0).round(2)
    array([[5.13, 4.87],
           [5.64, 5.1 ],
           [4.46, 5.36]])
    """
    n_points, n_dimensions = _size(n_points, n_dimensions)
    variance = _positive(variance, "variance")
    z = _checks.as_generator(rng).standard_normal((n_points, n_dimensions))
    return np.asarray(z * np.sqrt(variance) + np.asarray(mean, dtype=np.float64))


def gaussian(n_points: int, covariance: ArrayLike, *, mean: ArrayLike = 0.0, rng: Rng = None) -> Cloud:
    """Gaussian cloud with a given covariance Σ: true IsoScore is that of Σ, (tr(Σ)²/tr(Σ²) − 1)/(n − 1).

    Parameters
    ----------
    n_points : int
        Number of points.
    covariance : array-like of shape (n, n) or (n,)
        Covariance matrix, or the variances of independent coordinates. Singular matrices are allowed.
    mean : float or array-like of shape (n,), default 0
        Mean vector.

    Returns
    -------
    ndarray of shape (n_points, n)

    Examples
    --------
    >>> gaussian(2, [1.0, 0.0], rng=0).round(3)
    array([[0.126, 0.   ],
           [0.64 , 0.   ]])
    """
    n_points = _checks.check_integer(n_points, "n_points", low=1)
    root = _symmetric_root(covariance)
    z = _checks.as_generator(rng).standard_normal((n_points, root.shape[0]))
    # A diagonal root is applied coordinate by coordinate: it is exact and keeps unused dimensions exactly 0.
    spread = z * root if root.ndim == 1 else z @ root
    return np.asarray(spread + np.asarray(mean, dtype=np.float64))


def first_k_dimensions(n_points: int, n_dimensions: int, k: int, *, rng: Rng = None) -> Cloud:
    """Gaussian cloud that uniformly uses the first k of n dimensions: true IsoScore (k − 1)/(n − 1).

    Its covariance is I_n^(k), a diagonal of k ones and n − k zeros (Rudman et al. 2022, Section 3.2, Table 2 and
    equation D.4); k(X) is k.

    Parameters
    ----------
    n_points, n_dimensions : int
        Size of the cloud.
    k : int
        Dimensions used, between 1 and ``n_dimensions``; the others are exactly 0.

    Returns
    -------
    ndarray of shape (n_points, n_dimensions)

    Examples
    --------
    >>> first_k_dimensions(2, 4, 2, rng=0).round(2)
    array([[ 0.13, -0.13,  0.  ,  0.  ],
           [ 0.64,  0.1 ,  0.  ,  0.  ]])
    """
    n_points, n_dimensions = _size(n_points, n_dimensions)
    k = _checks.check_integer(k, "k", low=1, high=n_dimensions)
    cloud = np.zeros((n_points, n_dimensions))
    cloud[:, :k] = _checks.as_generator(rng).standard_normal((n_points, k))
    return cloud


def one_long_axis(n_points: int, n_dimensions: int, x: float, *, rng: Rng = None) -> Cloud:
    """Gaussian cloud with covariance diag(x, 1, …, 1): one axis longer than the rest.

    It uses (x + n − 1)²/(x² + n − 1) dimensions, so IsoScore is 1 at x = 1 and falls to 0 as x grows: Test 3 (n = 10,
    x from 1 to 75) and Figure 3 (n = 2, x = 1, 3, 75) of Rudman et al. (2022).

    Parameters
    ----------
    n_points, n_dimensions : int
        Size of the cloud.
    x : float
        Variance of the first coordinate, positive.

    Returns
    -------
    ndarray of shape (n_points, n_dimensions)

    Examples
    --------
    >>> one_long_axis(2, 3, 100.0, rng=0).round(2)
    array([[ 1.26, -0.13,  0.64],
           [ 1.05, -0.54,  0.36]])
    """
    x = _positive(x, "x")
    cloud = isotropic_gaussian(n_points, n_dimensions, rng=rng)
    cloud[:, 0] *= np.sqrt(x)
    return cloud


def power_law_eigenvalues(n_dimensions: int, *, exponent: float = 1.0) -> NDArray[np.float64]:
    """Eigenvalues j^(−exponent), j = 1, …, n: the spectrum that embeddings resemble.

    Parameters
    ----------
    n_dimensions : int
        Number of eigenvalues.
    exponent : float, default 1
        Decay, 0 or more; 0 is the isotropic spectrum.

    Returns
    -------
    ndarray of shape (n_dimensions,)
        Descending.

    Examples
    --------
    >>> power_law_eigenvalues(4, exponent=2.0)
    array([1.        , 0.25      , 0.11111111, 0.0625    ])
    """
    n_dimensions = _checks.check_integer(n_dimensions, "n_dimensions", low=1)
    exponent = _checks.check_real(exponent, "exponent", low=0.0, high=np.inf, open_high=True)
    return np.arange(1.0, n_dimensions + 1.0) ** -exponent


def power_law_spectrum(n_points: int, n_dimensions: int, *, exponent: float = 1.0, rng: Rng = None) -> Cloud:
    """Gaussian cloud with variances j^(−exponent): true IsoScore is that of `power_law_eigenvalues`.

    Parameters
    ----------
    n_points, n_dimensions : int
        Size of the cloud.
    exponent : float, default 1
        Decay of the spectrum, 0 or more.

    Returns
    -------
    ndarray of shape (n_points, n_dimensions)

    Examples
    --------
    >>> power_law_spectrum(2, 3, exponent=2.0, rng=0).round(2)
    array([[ 0.13, -0.07,  0.21],
           [ 0.1 , -0.27,  0.12]])
    """
    return gaussian(n_points, power_law_eigenvalues(n_dimensions, exponent=exponent), rng=rng)


def multivariate_t(
    n_points: int, covariance: ArrayLike, *, degrees_of_freedom: float = 6.0, rng: Rng = None
) -> Cloud:
    """Heavy-tailed elliptical cloud with a given covariance Σ: true IsoScore is that of Σ.

    A Gaussian vector divided by one chi variable for all its coordinates, rescaled so that the covariance is Σ. Fourth
    moments, which the corrected IsoScore estimates, exist for more than 4 degrees of freedom.

    Parameters
    ----------
    n_points : int
        Number of points.
    covariance : array-like of shape (n, n) or (n,)
        Covariance matrix, or variances of uncorrelated coordinates.
    degrees_of_freedom : float, default 6
        Weight of the tails, greater than 2.

    Returns
    -------
    ndarray of shape (n_points, n)

    Examples
    --------
    >>> multivariate_t(100_000, [4.0, 1.0], degrees_of_freedom=10.0, rng=0).var(axis=0).round(1)
    array([4., 1.])
    """
    n_points = _checks.check_integer(n_points, "n_points", low=1)
    nu = _checks.check_real(
        degrees_of_freedom, "degrees_of_freedom", low=2.0, high=np.inf, open_low=True, open_high=True
    )
    generator = _checks.as_generator(rng)
    z = gaussian(n_points, covariance, rng=generator)
    return np.asarray(z * np.sqrt((nu - 2.0) / generator.chisquare(nu, n_points))[:, None])


def _size(n_points: int, n_dimensions: int) -> tuple[int, int]:
    check = _checks.check_integer
    return check(n_points, "n_points", low=1), check(n_dimensions, "n_dimensions", low=1)


def _positive(value: float, name: str) -> float:
    return _checks.check_real(value, name, low=0.0, high=np.inf, open_low=True, open_high=True)


def _symmetric_root(covariance: ArrayLike) -> NDArray[np.float64]:
    """Square root of a covariance: elementwise for a vector of variances, symmetric for a matrix.

    The symmetric root does not depend on the order in which a solver returns eigenvalues.
    """
    if np.ndim(covariance) == 1:
        return np.asarray(np.sqrt(_checks.as_eigenvalues(covariance, "covariance")))
    eigenvalues, vectors = np.linalg.eigh(_checks.as_covariance(covariance, "covariance"))
    return np.asarray((vectors * np.sqrt(eigenvalues.clip(min=0.0))) @ vectors.T)
