"""KL divergence of a projection's affinities from those of the data: at one scale and over scales."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram, histogram_of, kl_histogram
from isotropy_lab.projection._pairs.kl_minima import gaussian_minimum, student_minima
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, Derivatives, KLPairs, kl_pairs

__all__ = [
    "KLHistogram",
    "ScaleNormalizedKL",
    "forced_scale_kl",
    "kl_curve",
    "kl_divergence",
    "kl_gradient",
    "kl_histogram",
    "scale_normalized_kl",
]


@dataclass(frozen=True)
class ScaleNormalizedKL(Result):
    """The smallest divergence over all scales of a projection, and its scale.

    Attributes
    ----------
    value : float
        The smallest divergence, or the limit that no scale attains.
    scale : float
        The scale at which it is: 0 or ``math.inf`` for a limit.
    n_minima : int
        How many local minima there are at scales between 0 and ∞.
    at_zero, at_infinity : bool
        Whether the infimum is the limit at scale 0 (where every projection has the same) or at ∞.
    minima : tuple of (float, float)
        Scale and divergence of each local minimum, by ascending scale.
    """

    value: float
    scale: float
    n_minima: int
    at_zero: bool
    at_infinity: bool
    minima: tuple[tuple[float, float], ...]

    def __float__(self) -> float:
        return self.value


def kl_divergence(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    scale: float = 1.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> float:
    """Return the KL divergence Σ P log(P/Q) of a projection's affinities Q from the data's P, in nats.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; or their distances with ``metric="precomputed"``; or P itself, as `affinities` returns
        it, with ``metric="affinities"``, which saves finding it again for every projection.
    Y : array-like of shape (N, t)
        Their projection, not all points equal.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    scale : float, default 1
        The factor α ≥ 0 by which the projection is enlarged; 0 and ``math.inf`` give the limits.
    kernel : {"student-t", "gaussian", "inverse-square"}
        What Q is proportional to, e being the distances of the projection: 1/(1 + α²e²), as in t-SNE;
        exp(−α²e²), without the factor ½ that P has; or 1/e², the limit of the first at α = ∞, which does not
        depend on α.
    metric : {"euclidean", "precomputed", "affinities"}, default "euclidean"
        What `X` holds: points, their distances, or affinities.

    Returns
    -------
    float
        At least 0, which is best. It is ``math.inf``, truly, in a limit in which pairs with P > 0 get Q = 0:
        for the Gaussian at α = ∞, and for 1/e² if two points of `Y` coincide.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity, or only equal points; their lengths
        differ; X is not the matrix of distances or affinities that `metric` announces; an option is unknown
        or out of range.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and under translation and rotation of `Y`; *not*
    under scaling of `Y`, which is what `scale` does. At scale 0 it is log N(N − 1) minus the entropy of P.
    Nothing is floored: a probability that underflows enters through its logarithm. Points of `Y` nearer than
    1e-145 of its width coincide. Cost: that of `affinities`, then O(N² t), a logarithm for each pair; 8·N²
    bytes for P.

    Smelser et al. (2025), equations (5) to (7) and (11); van der Maaten and Hinton (2008).

    Examples
    --------
    >>> from isotropy_lab.projection import kl_divergence
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> [round(kl_divergence(X, X, perplexity=2.0, scale=scale), 4) for scale in (1.0, 10.0)]
    [0.0897, 0.1886]
    """
    checks.check_option(kernel, "kernel", KERNELS)
    scale = checks.check_real(scale, "scale", low=0.0, high=math.inf)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    inner = pairs.inner_scale(scale)
    if kernel == "inverse-square":
        return pairs.at_infinity()
    if math.isinf(inner):
        return pairs.at_infinity(gaussian=kernel == "gaussian")
    return _evaluator(pairs, kernel)(inner).value


def kl_gradient(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    scale: float = 1.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
    order: int = 1,
) -> float:
    """Return the first or second derivative of the divergence with respect to the scale α.

    Parameters
    ----------
    X, Y, perplexity, metric
        The data, their projection and how they are compared, as in `kl_divergence`.
    scale : float, default 1
        The factor α at which to differentiate, finite and ≥ 0.
    kernel : {"student-t", "gaussian"}
        What Q is proportional to: 1/(1 + α²e²) or exp(−α²e²).
    order : {1, 2}
        Which derivative.

    Returns
    -------
    float
        Nats per unit of α, or per its square: it changes with the size of `Y` as 1/size or 1/size².

    Raises
    ------
    TypeError, ValueError
        See `kl_divergence`; also if the derivative overflows.

    Notes
    -----
    With g = e²/(1 + α²e²), and means over pairs by P and by Q, the first derivative of the Student-t
    divergence is 2α(E_P g − E_Q g), 0 at α = 0, and the second 2(E_P g − E_Q g) + 4α²(2 E_Q g² − E_P g² −
    (E_Q g)²). For the Gaussian they are 2α(E_P e² − E_Q e²) and 2(E_P e² − E_Q e²) + 4α² Var_Q e². Invariant
    under translation and rotation of both, and under scaling of `X`. Cost: that of `affinities`, then O(N²
    t).

    Smelser et al. (2025), equations (8) to (10): with distances of the projection, and with k and l as the
    indices inside the sums over k ≠ l; as printed they are distances of the data, and partly i and j.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_gradient
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> [round(kl_gradient(X, X, perplexity=2.0, order=k), 4) for k in (1, 2)]
    [0.0987, -0.0648]
    """
    checks.check_option(kernel, "kernel", KERNELS[:2])
    checks.check_integer(order, "order", low=1, high=2)
    scale = checks.check_real(scale, "scale", low=0.0, high=math.inf, open_high=True)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    derivative = _evaluator(pairs, kernel)(pairs.inner_scale(scale))[order]
    value = derivative * pairs.size * (pairs.size if order == 2 else 1.0)
    checks.check_representable(np.array([value]), "the derivative by the scale")
    return value


def forced_scale_kl(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> float:
    """Return the divergence of a projection that is scaled to a largest distance of 1.

    Parameters
    ----------
    X, Y, perplexity, kernel, metric
        The data, their projection and how they are compared, as in `kl_divergence`.

    Returns
    -------
    float
        At least 0, which is best.

    Raises
    ------
    TypeError, ValueError
        See `kl_divergence`.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and of `Y`: this is `kl_divergence` at the scale
    1/max e. Dividing the distances of the data by their largest too, as the paper does, changes nothing.
    Cost: that of `affinities`, then O(N² t). Smelser et al. (2025), Section IV-B.

    Examples
    --------
    >>> from isotropy_lab.projection import forced_scale_kl, kl_divergence
    >>> X, Y = [[0.0], [1.0], [2.0], [5.0]], [[0.0], [2.0], [3.0], [8.0]]
    >>> value = kl_divergence(X, Y, perplexity=2.0, scale=1 / 8)
    >>> round(forced_scale_kl(X, Y, perplexity=2.0), 6) == round(value, 6)
    True
    """
    checks.check_option(kernel, "kernel", KERNELS)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    if kernel == "inverse-square":
        return pairs.at_infinity()
    return _evaluator(pairs, kernel)(1.0 / math.sqrt(pairs.farthest)).value


def kl_curve(
    X: checks.Points,
    Y: checks.Points,
    scales: ArrayLike,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
    method: str = "histogram",
) -> NDArray[np.float64]:
    """Return the divergence of a projection at each of many scales.

    Parameters
    ----------
    X, Y, perplexity, kernel, metric
        The data, their projection and how they are compared, as in `kl_divergence`.
    scales : array-like of shape (s,)
        Finite factors α ≥ 0 of the projection.
    method : {"histogram", "exact"}
        "histogram" passes over the pairs once, whatever the number of scales, and is off by at most 2.6e-9
        for the Student-t kernel; "exact" passes over them for every scale.

    Returns
    -------
    numpy.ndarray of shape (s,), float64
        At least 0; the lower, the better.

    Raises
    ------
    TypeError, ValueError
        See `kl_divergence`; also if a scale is negative or not finite.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and under translation and rotation of `Y`;
    scaling `Y` moves the curve along the scales. Cost: that of `affinities`, then O(N² t) once, and O(S) for
    S scales, milliseconds for each. Smelser et al. (2025), Figures 3 and 4.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_curve
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> kl_curve(X, X, [0.0, 0.5, 1.0, 2.0], perplexity=2.0).round(4)
    array([0.256 , 0.0506, 0.0897, 0.1509])
    """
    checks.check_option(kernel, "kernel", KERNELS)
    checks.check_option(method, "method", ("histogram", "exact"))
    values = as_scales(scales)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    if kernel == "inverse-square":
        return np.full(values.size, pairs.at_infinity())
    if method == "histogram":
        return histogram_of(pairs).values(values, kernel=kernel)
    evaluate = _evaluator(pairs, kernel)
    return np.array([evaluate(pairs.inner_scale(float(scale))).value for scale in values])


def scale_normalized_kl(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> ScaleNormalizedKL:
    """Return the smallest divergence of a projection over all its scales.

    Parameters
    ----------
    X, Y, perplexity, metric
        The data, their projection and how they are compared, as in `kl_divergence`.
    kernel : {"student-t", "gaussian"}
        What Q is proportional to: 1/(1 + α²e²) or exp(−α²e²).

    Returns
    -------
    ScaleNormalizedKL
        `value` is at least 0, which is best, and at most log N(N − 1) minus the entropy of P, the value at
        scale 0. ``float(result)`` is the value.

    Raises
    ------
    TypeError, ValueError
        See `kl_divergence`.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and of `Y`.

    *Student-t.* The curve can have several local minima, so all are sought: the gradient, from a histogram of
    the pairs, is taken at 16 scales in each factor of e from 1e-3/max e to 1e3/min e > 0 (further, if points
    coincide). A change of sign from − to +, also within a cell of the grid, is a minimum; it is refined with
    the exact gradient, and its value is exact. Minima less than some 1e-8 deep are not counted.

    *Gaussian.* With x = α² the divergence is C + x E_P e² + log Σ exp(−x e²), convex in x, so that it has one
    minimum. Several minima in a plot come from flooring Q, which takes the rise away where exp(−x e²)
    underflows.

    The infimum is the limit at 0 where E_P e² is not below the mean of e² and no minimum is lower: usual for
    projections that are no better than random.

    Cost: that of `affinities`, then one pass over the pairs for the histogram and about two for each minimum,
    O(N² t); 8·N² bytes for P. Smelser et al. (2025), Section IV-B; their search is bounded to (0, 300), and
    so not invariant.

    Examples
    --------
    >>> from isotropy_lab.projection import scale_normalized_kl
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> found = scale_normalized_kl(X, X, perplexity=2.0)
    >>> round(found.value, 4), round(found.scale, 4), found.n_minima
    (0.0503, 0.5237, 1)
    """
    checks.check_option(kernel, "kernel", KERNELS[:2])
    return scale_normalized_kl_of(kl_pairs(X, Y, perplexity=perplexity, metric=metric), kernel=kernel)


def scale_normalized_kl_of(pairs: KLPairs, *, kernel: str = "student-t") -> ScaleNormalizedKL:
    """Return the smallest divergence of checked pairs over all scales."""
    histogram = histogram_of(pairs)
    if kernel == "gaussian":
        found, falls = gaussian_minimum(pairs, histogram)
    else:
        found, falls = student_minima(pairs, histogram)
    minima = tuple((inner / pairs.size, value) for inner, value in found)
    candidates = [*minima, (0.0, pairs.at_zero)]
    if falls:  # the limit costs another pass, so it is computed only if the curve falls toward it
        candidates.append((math.inf, pairs.at_infinity(gaussian=kernel == "gaussian")))
    scale, value = min(candidates, key=lambda pair: pair[1])
    return ScaleNormalizedKL(
        value=value,
        scale=scale,
        n_minima=len(minima),
        at_zero=scale == 0.0,
        at_infinity=scale == math.inf,
        minima=minima,
    )


def _evaluator(pairs: KLPairs, kernel: str) -> Callable[[float], Derivatives]:
    return pairs.gaussian if kernel == "gaussian" else pairs.student
