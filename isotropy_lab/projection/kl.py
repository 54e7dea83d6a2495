"""KL divergence between the affinities of the data and those of a picture, at a given scale of the picture."""

from __future__ import annotations

import math

from isotropy_lab import _checks
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, outer_derivative, picture_of

__all__ = ["forced_scale_kl", "kl_at_infinity", "kl_divergence", "kl_gradient"]


def kl_divergence(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    perplexity: float = 30.0,
    scale: float = 1.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> float:
    """Return the divergence Σ P log(P/Q) of the picture's affinities Q from those of the data, P, in nats.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; or square distances with ``metric="precomputed"``; or P itself, as `affinities` returns it, with
        ``metric="affinities"``, which saves finding it again for every picture.
    Y : array-like of shape (N, t)
        The picture of the same points, in any number of dimensions.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    scale : float, default 1
        The factor α ≥ 0 by which the picture is enlarged; 0 and ``math.inf`` give the limits.
    kernel : {"student-t", "gaussian", "inverse-square"}
        What Q is proportional to, e being the distances in the picture: 1/(1 + α²e²), as in t-SNE; exp(−α²e²), without
        the factor ½ that P has; or 1/e², the limit of the first at α = ∞, which does not depend on α.
    metric : str, default "euclidean"
        Of `X`: also "precomputed", "affinities", or a metric of `sklearn.metrics.pairwise_distances`.

    Returns
    -------
    float
        At least 0, which is best. It is ``math.inf``, truly, in a limit in which pairs with P > 0 get Q = 0: for the
        Gaussian at α = ∞, and for 1/e² if two points of `Y` coincide.

    Raises
    ------
    TypeError
        If `X` or `Y` does not hold real numbers.
    ValueError
        If the numbers of points differ or are below 3, all points of `X` or of `Y` coincide, a value is NaN or inf,
        distances or affinities are not what they should be, the perplexity or the scale is out of range, or an option
        does not exist.
    ImportError
        If numba is not installed.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and under translation and rotation of `Y`; *not* under
    scaling of `Y`, which is what `scale` does. At scale 0 it is log N(N − 1) minus the entropy of P, whatever the
    picture.

    Nothing is floored: a probability that underflows enters through its logarithm, and the kernels are normalized by
    their largest term. Points of `Y` that are nearer than 1e-145 of its width coincide. Cost: that of `affinities`, then O(N² t), a logarithm for each pair; 8·N² bytes for P.

    Smelser et al. (2025), equations (5) to (7) and (11); van der Maaten and Hinton (2008).

    Examples
    --------
    >>> from isotropy_lab.projection import kl_divergence
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(kl_divergence(X, X, perplexity=2.0), 4), round(kl_divergence(X, X, perplexity=2.0, scale=10.0), 4)
    (0.0897, 0.1886)
    """
    _checks.check_option(kernel, "kernel", KERNELS)
    scale = _checks.check_real(scale, "scale", low=0.0, high=math.inf)
    picture = picture_of(X, Y, perplexity=perplexity, metric=metric)
    inner = picture.inner_scale(scale)
    if kernel == "inverse-square":
        return picture.at_infinity()
    if math.isinf(inner):
        return picture.at_infinity(gaussian=kernel == "gaussian")
    return (picture.gaussian if kernel == "gaussian" else picture.student)(inner).value


def kl_at_infinity(
    X: _checks.Points, Y: _checks.Points, *, perplexity: float = 30.0, metric: str = "euclidean"
) -> float:
    """Return the divergence at ever larger scales of the picture, KL_∞, which is that of the kernel 1/e².

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points; or square distances with ``metric="precomputed"``; or affinities with ``metric="affinities"``.
    Y : array-like of shape (N, t)
        The picture of the same points.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    metric : str, default "euclidean"
        As for `kl_divergence`.

    Returns
    -------
    float
        At least 0, which is best; ``math.inf``, the true value, if two points of `Y` coincide while any other pair
        has P > 0.

    Raises
    ------
    TypeError
        If `X` or `Y` does not hold real numbers.
    ValueError
        As for `kl_divergence`.
    ImportError
        If numba is not installed.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and of `Y`. Cost: as for `kl_divergence`. Smelser et al.
    (2025), equation (11). The published code puts a small number in the place of a distance of 0, which makes a large
    number, some 26, of what is infinite.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_at_infinity
    >>> P = [[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]]
    >>> round(kl_at_infinity(P, [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]], metric="affinities"), 12)
    0.0
    """
    return picture_of(X, Y, perplexity=perplexity, metric=metric).at_infinity()


def kl_gradient(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    perplexity: float = 30.0,
    scale: float = 1.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
    order: int = 1,
) -> float:
    """Return the first or second derivative of the divergence by the scale α of the picture.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points; or square distances with ``metric="precomputed"``; or affinities with ``metric="affinities"``.
    Y : array-like of shape (N, t)
        The picture of the same points.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    scale : float, default 1
        The factor α at which to differentiate, finite and ≥ 0.
    kernel : {"student-t", "gaussian"}
        As for `kl_divergence`; the third kernel does not depend on the scale.
    metric : str, default "euclidean"
        As for `kl_divergence`.
    order : {1, 2}
        Which derivative.

    Returns
    -------
    float
        Nats per unit of α, or per its square: it changes with the size of `Y` as 1/size or 1/size².

    Raises
    ------
    TypeError
        If `X` or `Y` does not hold real numbers, or `order` is not a whole number.
    ValueError
        As for `kl_divergence`; also if a derivative overflows float64.
    ImportError
        If numba is not installed.

    Notes
    -----
    With g = e²/(1 + α²e²), and means over pairs by P and by Q, the first derivative of the Student-t divergence is
    2α(E_P g − E_Q g), 0 at α = 0, and the second 2(E_P g − E_Q g) + 4α²(2 E_Q g² − E_P g² − (E_Q g)²). For the Gaussian
    they are 2α(E_P e² − E_Q e²) and 2(E_P e² − E_Q e²) + 4α² Var_Q e². Invariant under translation and rotation of both,
    and under scaling of `X`. Cost: as for `kl_divergence`.

    Smelser et al. (2025), equations (8) to (10): with distances of the picture, and with k and l as the indices inside
    the sums over k ≠ l; as printed they are distances of the data, and partly i and j.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_gradient
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> [round(kl_gradient(X, X, perplexity=2.0, order=k), 4) for k in (1, 2)]
    [0.0987, -0.0648]
    """
    _checks.check_option(kernel, "kernel", KERNELS[:2])
    _checks.check_integer(order, "order", low=1, high=2)
    scale = _checks.check_real(scale, "scale", low=0.0, high=math.inf, open_high=True)
    picture = picture_of(X, Y, perplexity=perplexity, metric=metric)
    inner = picture.inner_scale(scale)
    found = (picture.gaussian if kernel == "gaussian" else picture.student)(inner)
    return outer_derivative(found, order, picture.exponent)


def forced_scale_kl(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> float:
    """Return the divergence of the picture when its largest distance is made 1.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points; or square distances with ``metric="precomputed"``; or affinities with ``metric="affinities"``.
    Y : array-like of shape (N, t)
        The picture of the same points.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    kernel : {"student-t", "gaussian", "inverse-square"}
        As for `kl_divergence`.
    metric : str, default "euclidean"
        As for `kl_divergence`.

    Returns
    -------
    float
        At least 0, which is best.

    Raises
    ------
    TypeError
        If `X` or `Y` does not hold real numbers.
    ValueError
        As for `kl_divergence`.
    ImportError
        If numba is not installed.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and of `Y`. The paper divides the distances of the data by
    their largest, too, which changes nothing, because the perplexity takes it out again: this is `kl_divergence` at the
    scale 1/max e. Cost: as for `kl_divergence`. Smelser et al. (2025), Section IV-B.

    Examples
    --------
    >>> from isotropy_lab.projection import forced_scale_kl, kl_divergence
    >>> X, Y = [[0.0], [1.0], [2.0], [5.0]], [[0.0], [2.0], [3.0], [8.0]]
    >>> round(forced_scale_kl(X, Y, perplexity=2.0), 6) == round(kl_divergence(X, Y, perplexity=2.0, scale=1 / 8), 6)
    True
    """
    _checks.check_option(kernel, "kernel", KERNELS)
    picture = picture_of(X, Y, perplexity=perplexity, metric=metric)
    if kernel == "inverse-square":
        return picture.at_infinity()
    inner = 1.0 / math.sqrt(picture.farthest)
    return (picture.gaussian if kernel == "gaussian" else picture.student)(inner).value
