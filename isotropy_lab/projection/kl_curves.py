"""KL divergence over all scales of a picture: its curve, and its smallest value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, minimize_scalar

from isotropy_lab import _checks
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram, histogram_of
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, Derivatives, Picture, picture_of

__all__ = ["ScaleNormalizedKL", "kl_curve", "scale_normalized_kl", "scale_normalized_kl_of"]

#: How far beyond 1/max e and 1/min e scales are searched.
_BEYOND = 1e3
#: Scales of the grid in each factor of e.
_DENSITY = 16
#: A gradient of the histogram is told from 0 if it is this fraction of what it is a difference of.
_RESOLVED = 1e-8


@dataclass(frozen=True)
class ScaleNormalizedKL:
    """The smallest divergence over all scales of a picture, and where it is.

    Attributes
    ----------
    value : float
        The smallest divergence, or the limit that no scale attains.
    scale : float
        The scale at which it is: 0 or ``math.inf`` for a limit.
    n_minima : int
        How many local minima there are at scales between 0 and ∞.
    at_zero, at_infinity : bool
        Whether the infimum is the limit at scale 0 (where every picture has the same) or at ∞.
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


def kl_curve(
    X: _checks.Points,
    Y: _checks.Points,
    scales: ArrayLike,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
    method: str = "histogram",
) -> NDArray[np.float64]:
    """Return the divergence of a picture at each of many scales.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points; or square distances with ``metric="precomputed"``; or affinities with ``metric="affinities"``.
    Y : array-like of shape (N, t)
        The picture of the same points.
    scales : array-like of shape (s,)
        Finite factors α ≥ 0 of the picture.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    kernel : {"student-t", "gaussian", "inverse-square"}
        As for `kl_divergence`.
    metric : str, default "euclidean"
        As for `kl_divergence`.
    method : {"histogram", "exact"}
        "histogram" passes over the pairs once, whatever the number of scales, and is off by at most 2.6e-9 for the
        Student-t kernel (`KLHistogram.error_bound`); "exact" passes over them for every scale.

    Returns
    -------
    numpy.ndarray of shape (s,), float64
        At least 0; the lower, the better.

    Raises
    ------
    TypeError
        If `X`, `Y` or `scales` does not hold real numbers.
    ValueError
        As for `kl_divergence`; also if a scale is negative or not finite.
    ImportError
        If numba is not installed.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X` and under translation and rotation of `Y`; scaling `Y` moves
    the curve along the scales. Cost: that of `affinities`, then O(N² t) once, and milliseconds for each scale. Smelser
    et al. (2025), Figures 3 and 4.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_curve
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> kl_curve(X, X, [0.0, 0.5, 1.0, 2.0], perplexity=2.0).round(4)
    array([0.256 , 0.0506, 0.0897, 0.1509])
    """
    _checks.check_option(kernel, "kernel", KERNELS)
    _checks.check_option(method, "method", ("histogram", "exact"))
    values = as_scales(scales)
    picture = picture_of(X, Y, perplexity=perplexity, metric=metric)
    if kernel == "inverse-square":
        return np.full(values.size, picture.at_infinity())
    if method == "histogram":
        return histogram_of(picture).values(values, kernel=kernel)
    evaluate = picture.gaussian if kernel == "gaussian" else picture.student
    return np.array([evaluate(picture.inner_scale(float(scale))).value for scale in values])


def scale_normalized_kl(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> ScaleNormalizedKL:
    """Return the smallest divergence of a picture over all its scales.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points; or square distances with ``metric="precomputed"``; or affinities with ``metric="affinities"``.
    Y : array-like of shape (N, t)
        The picture of the same points.
    perplexity : float, default 30
        The number of neighbors that a point of `X` effectively has: at least 1, less than N − 1.
    kernel : {"student-t", "gaussian"}
        As for `kl_divergence`; the third kernel does not depend on the scale.
    metric : str, default "euclidean"
        As for `kl_divergence`.

    Returns
    -------
    ScaleNormalizedKL
        `value` is at least 0, which is best, and at most log N(N − 1) minus the entropy of P, the value at scale 0.
        ``float(result)`` is the value.

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
    Invariant under translation, rotation and scaling of `X` and of `Y`.

    *Student-t.* The curve can have several local minima, so all are sought: the gradient, from a histogram of the pairs,
    is taken at 16 scales in each factor of e from 1e-3/max e to 1e3/min e, with the smallest e > 0 (further, if points
    coincide). A change of sign from − to + is a minimum, also one within a cell of the grid, for which the gradient's own
    turning points are followed up; it is refined with the exact gradient, and the value there is exact. What is not
    counted is a minimum less than some 1e-8 below its surroundings: outside this range there can only be such.

    *Gaussian.* With x = α² the divergence is C + x E_P e² + log Σ exp(−x e²): linear plus a log-sum-exp of functions linear
    in x, whose second derivative is the variance of e² under Q, not negative. It is convex in x, so that it falls to one
    minimum and rises. (Not in α.) Several minima in a plot are made by flooring Q: where exp(−x e²) underflows, a floor
    takes the rise away.

    The infimum is the limit at 0 where E_P e² is not below the mean of e² and no minimum is lower: usual for pictures
    that are no better than random.

    Cost: that of `affinities`, then one pass over the pairs for the histogram and about two for each minimum, O(N² t);
    8·N² bytes for P. Smelser et al. (2025), Section IV-B; their search is bounded to (0, 300), and so not invariant.

    Examples
    --------
    >>> from isotropy_lab.projection import scale_normalized_kl
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> found = scale_normalized_kl(X, X, perplexity=2.0)
    >>> round(found.value, 4), round(found.scale, 4), found.n_minima
    (0.0503, 0.5237, 1)
    """
    _checks.check_option(kernel, "kernel", KERNELS[:2])
    picture = picture_of(X, Y, perplexity=perplexity, metric=metric)
    return scale_normalized_kl_of(picture, kernel=kernel)


def scale_normalized_kl_of(picture: Picture, *, kernel: str = "student-t") -> ScaleNormalizedKL:
    """Return the smallest divergence of a picture that has been checked already.

    Parameters
    ----------
    picture : Picture
        The affinities of the data and the coordinates of the picture.
    kernel : {"student-t", "gaussian"}
        As for `scale_normalized_kl`.

    Returns
    -------
    ScaleNormalizedKL

    Raises
    ------
    ImportError
        If numba is not installed.

    Examples
    --------
    >>> from isotropy_lab.projection._pairs.kl_pairs import picture_of
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> scale_normalized_kl_of(picture_of(X, X, perplexity=2.0, metric="euclidean")).n_minima
    1
    """
    histogram = histogram_of(picture)
    if kernel == "gaussian":
        found, falls = _gaussian_minimum(picture, histogram)
    else:
        found, falls = _student_minima(picture, histogram)
    minima = tuple((picture.outer_scale(inner), value) for inner, value in found)
    # Not summed up to infinity where the curve rises to it.
    limit = picture.at_infinity(gaussian=kernel == "gaussian") if falls else math.inf
    scale, value = min(minima, key=lambda pair: pair[1], default=(0.0, picture.at_zero))
    at_zero = picture.at_zero < value or not minima
    if at_zero:
        scale, value = 0.0, picture.at_zero
    at_infinity = limit < value
    if at_infinity:
        scale, value = math.inf, limit
    return ScaleNormalizedKL(
        value=value,
        scale=scale,
        n_minima=len(minima),
        at_zero=at_zero and not at_infinity,
        at_infinity=at_infinity,
        minima=minima,
    )


def _student_minima(picture: Picture, histogram: KLHistogram) -> tuple[list[tuple[float, float]], bool]:
    """Return inner scale and value of every local minimum, and whether the curve falls toward infinity."""
    low = math.log(1.0 / (_BEYOND * math.sqrt(picture.farthest)))
    # The pairs that coincide rule the curve only where they outweigh all others.
    many = math.sqrt(picture.n_pairs) if picture.nearest == 0.0 else 1.0
    high = math.log(_BEYOND * many / math.sqrt(picture.nearest_apart))
    grid = np.linspace(low, high, math.ceil((high - low) * _DENSITY) + 1)
    slopes = _student_slopes(histogram, grid)

    def slope(x: float, sign: float = 1.0) -> float:
        return sign * float(_student_slopes(histogram, np.array([x]), resolved=0.0)[0])

    signs = [(float(x), float(y)) for x, y in zip(grid, slopes, strict=True) if y != 0.0]
    # Where the gradient comes near 0 and turns away, it may have been beyond between two points of the grid.
    middle, size = slopes[1:-1], np.abs(slopes)
    turns = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])
    turns &= (middle != 0.0) & (middle * slopes[:-2] > 0.0) & (middle * slopes[2:] > 0.0)
    for k in np.flatnonzero(turns) + 1:
        sign = math.copysign(1.0, slopes[k])
        x = minimize_scalar(slope, bounds=(grid[k - 1], grid[k + 1]), args=(sign,), method="bounded").x
        resolved = float(_student_slopes(histogram, np.array([x]))[0])
        if sign * resolved < 0.0:
            signs.append((float(x), resolved))
    signs.sort()
    found = [
        _polish(picture.student, float(brentq(slope, left, right)))
        for (left, before), (right, after) in itertools.pairwise(signs)
        if before < 0.0 < after
    ]
    return found, bool(signs) and signs[-1][1] < 0.0


def _student_slopes(
    histogram: KLHistogram, log_scales: NDArray[np.float64], *, resolved: float = _RESOLVED
) -> NDArray[np.float64]:
    """Return half the derivative by log α at many inner scales, 0 where it cannot be told from 0."""
    sums, _, b, _ = histogram.student_sums(np.exp(log_scales))
    near_p, near_q = b * sums[:, 1], b * sums[:, 6] / sums[:, 5]
    far_p, far_q = sums[:, 3], sums[:, 8] / sums[:, 5]
    near, far = np.maximum(near_p, near_q), np.maximum(far_p, far_q)
    slopes = np.where(near <= far, near_p - near_q, far_q - far_p)
    return np.where(np.abs(slopes) > resolved * np.minimum(near, far), slopes, 0.0)


def _gaussian_minimum(picture: Picture, histogram: KLHistogram) -> tuple[list[tuple[float, float]], bool]:
    """Return inner scale and value of the minimum, if there is one, and whether the curve falls toward infinity."""

    def slope(x: float) -> float:
        sums = histogram.gaussian_sums(np.array([math.exp(x)]))[0]
        return histogram.pull - float(sums[1] / sums[0])

    mean = float(histogram.number @ histogram.number_at) / picture.n_pairs
    # The second term is the rounding of a difference of two square distances.
    if histogram.pull - mean >= -_RESOLVED * mean - 1e-15 * picture.farthest:
        return [], False
    if histogram.pull == 0.0:  # P rests on the nearest pairs alone
        return [], True
    low, high = 0.5 * math.log(_RESOLVED / picture.farthest), 0.5 * math.log(1.0 / picture.farthest)
    while slope(low) > 0.0:
        low -= 5.0
    while slope(high) < 0.0:
        high += 1.0
    return [_polish(picture.gaussian, float(brentq(slope, low, high)))], False


def _polish(evaluate: Callable[[float], Derivatives], log_scale: float) -> tuple[float, float]:
    """Return the inner scale at which the exact gradient vanishes, near a root of the histogram's, and the value there."""
    for _ in range(8):
        scale = math.exp(log_scale)
        found = evaluate(scale)
        first = scale * found.first
        second = scale * scale * found.second + first
        step = -first / second if second > 0.0 else 0.0
        if not abs(step) < 1e-3:  # too flat for Newton: the histogram knows as much
            break
        log_scale += step
        if abs(step) < 1e-7:  # the value moves by its square
            break
    return math.exp(log_scale), found.value
