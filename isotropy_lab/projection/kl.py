"""KL divergence of a projection's affinities from the data's affinities, at one scale or many scales."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.kl_histogram import histogram_of
from isotropy_lab.projection._pairs.kl_minima import gaussian_minimum, student_minima
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, Derivatives, KLPairs, kl_pairs

__all__ = ["ScaleNormalizedKL", "forced_scale_kl", "kl_curve", "kl_divergence", "scale_normalized_kl"]


@dataclass(frozen=True)
class ScaleNormalizedKL(Result):
    """Smallest divergence over all scales of a projection, and the scale at which it occurs.

    Attributes
    ----------
    value : float
        Smallest divergence, or a limit that no scale attains.
    scale : float
        Scale of the smallest divergence: 0 or ``math.inf`` for a limit.
    n_minima : int
        Number of local minima at scales between 0 and ∞.
    at_zero, at_infinity : bool
        Whether the infimum is the limit at scale 0, where all projections have the same value, or at ∞.
    minima : tuple of (float, float)
        Scale and divergence of each local minimum, in ascending order of scale.
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
        N ≥ 3 points; or, with ``metric="precomputed"``, their distances; or, with ``metric="affinities"``,
        the result P of `affinities`, which saves computing it again for every projection.
    Y : array-like of shape (N, t)
        Projection of the N points, in the same order; the projected points are not all equal.
    perplexity : float, default 30
        Effective number of neighbors of a point of `X`: at least 1, and less than N − 1.
    scale : float, default 1
        Scaling factor α ≥ 0 of the projection; 0 and ``math.inf`` give the limits.
    kernel : {"student-t", "gaussian", "inverse-square"}
        Function of the distances e of the projection to which Q is proportional: 1/(1 + α²e²), as in t-SNE;
        exp(−α²e²), without the factor ½ in P; or 1/e², the limit of the first kernel at α = ∞, which does not
        depend on α.
    metric : {"euclidean", "precomputed", "affinities"}, default "euclidean"
        Whether `X` contains points, their distances, or affinities.

    Returns
    -------
    float
        Divergence of at least 0; 0 is best. It is ``math.inf`` in a limit in which pairs with P > 0 get Q =
        0: for the Gaussian kernel at α = ∞, and for 1/e² if two points of `Y` coincide.

    Raises
    ------
    TypeError, ValueError
        If X or Y is not numeric, has fewer than 3 points, contains NaN or inf, or has only equal points; if
        their lengths differ; if `X` is not a matrix of distances or affinities as required by `metric`; or if
        an option does not exist or is out of range.

    Notes
    -----
    It is invariant under translation, rotation, and scaling of `X`, and under translation and rotation of
    `Y`, but *not* under scaling of `Y`, which `scale` controls. At scale 0, the divergence is log N(N − 1)
    minus the entropy of P. No probability is floored: a probability that underflows enters through its
    logarithm. Points of `Y` closer than 1e-145 times its width count as coincident. Cost: as for
    `affinities`, plus O(N² t) with one logarithm per pair; 8·N² bytes for P.

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
    return evaluator(pairs, kernel)(inner).value


def forced_scale_kl(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> float:
    """Return the divergence of a projection that is scaled to a maximum distance of 1.

    Parameters
    ----------
    X, Y, perplexity, kernel, metric
        Data, projection, and options: see `kl_divergence`.

    Returns
    -------
    float
        Divergence of at least 0; 0 is best.

    Raises
    ------
    TypeError, ValueError
        As in `kl_divergence`.

    Notes
    -----
    The result is `kl_divergence` at the scale 1/max e, so it is invariant under translation, rotation, and
    scaling of `X` and `Y`. The paper also divides the distances of the data by their maximum, which has no
    effect. Cost: as for `affinities`, plus O(N² t). Smelser et al. (2025), Section IV-B.

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
    return evaluator(pairs, kernel)(1.0 / math.sqrt(pairs.farthest)).value


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
    """Compute the divergence of a projection at each of many scales.

    Parameters
    ----------
    X, Y, perplexity, kernel, metric
        Data, projection, and options: see `kl_divergence`.
    scales : array-like of shape (s,)
        Finite scaling factors α ≥ 0 of the projection.
    method : {"histogram", "exact"}
        "histogram" visits the pairs once, for any number of scales, with an error of at most 2.6e-9 for the
        Student-t kernel; "exact" visits them for every scale.

    Returns
    -------
    numpy.ndarray of shape (s,), float64
        Divergences of at least 0; smaller is better.

    Raises
    ------
    TypeError, ValueError
        As in `kl_divergence`; or if a scale is negative or not finite.

    Notes
    -----
    The curve is invariant under translation, rotation, and scaling of `X`, and under translation and rotation
    of `Y`; scaling `Y` shifts the curve along the scales. Cost: as for `affinities`, plus O(N² t) once, and
    milliseconds for each scale. Smelser et al. (2025), Figures 3 and 4.

    Examples
    --------
    >>> from isotropy_lab.projection import kl_curve
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> kl_curve(X, X, [0.0, 0.5, 1.0, 2.0], perplexity=2.0).round(4)
    array([0.256 , 0.0506, 0.0897, 0.1509])
    """
    checks.check_option(kernel, "kernel", KERNELS)
    checks.check_option(method, "method", ("histogram", "exact"))
    factors = as_scales(scales)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    if kernel == "inverse-square":
        return np.full(factors.size, pairs.at_infinity())
    if method == "histogram":
        return histogram_of(pairs).values(factors, kernel=kernel)
    evaluate = evaluator(pairs, kernel)
    return np.array([evaluate(pairs.inner_scale(float(factor))).value for factor in factors])


def scale_normalized_kl(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
) -> ScaleNormalizedKL:
    """Find the smallest divergence of a projection over all scales.

    Parameters
    ----------
    X, Y, perplexity, metric
        Data, projection, and options: see `kl_divergence`.
    kernel : {"student-t", "gaussian"}
        Function to which Q is proportional: 1/(1 + α²e²) or exp(−α²e²).

    Returns
    -------
    ScaleNormalizedKL
        `value` is at least 0, which is best, and at most log N(N − 1) minus the entropy of P, which is the
        value at scale 0. ``float(result)`` is the value.

    Raises
    ------
    TypeError, ValueError
        As in `kl_divergence`.

    Notes
    -----
    It is invariant under translation, rotation, and scaling of `X` and `Y`.

    *Student-t.* The curve can have several local minima, and all of them are searched for. The gradient,
    computed from a histogram of the pairs, is evaluated at 16 scales per factor of e, from 1e-3/max e to
    1e3/min e > 0 (further if points coincide). A change of sign from − to +, also within a cell of the grid,
    indicates a minimum, which is refined with the exact gradient; its value is exact. Minima less than about
    1e-8 deep are not counted.

    *Gaussian.* With x = α², the divergence is C + x E_P e² + log Σ exp(−x e²), which is convex in x and
    therefore has a single minimum. A plot with several minima results from flooring Q, which removes the
    increase where exp(−x e²) underflows.

    The infimum is the limit at 0 if E_P e² is not less than the mean of e² and no minimum is lower. This is
    typical of projections that are no better than random.

    Cost: as for `affinities`, plus one pass over the pairs for the histogram and about two for each minimum,
    O(N² t); 8·N² bytes for P. Smelser et al. (2025), Section IV-B; their search in (0, 300) is not invariant.

    Examples
    --------
    >>> from isotropy_lab.projection import scale_normalized_kl
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> result = scale_normalized_kl(X, X, perplexity=2.0)
    >>> round(result.value, 4), round(result.scale, 4), result.n_minima
    (0.0503, 0.5237, 1)
    """
    checks.check_option(kernel, "kernel", KERNELS[:2])
    return scale_normalized_kl_of(kl_pairs(X, Y, perplexity=perplexity, metric=metric), kernel=kernel)


def scale_normalized_kl_of(pairs: KLPairs, *, kernel: str = "student-t") -> ScaleNormalizedKL:
    """Return the smallest divergence of checked pairs over all scales."""
    histogram = histogram_of(pairs)
    if kernel == "gaussian":
        inner_minima, falls_at_infinity = gaussian_minimum(pairs, histogram)
    else:
        inner_minima, falls_at_infinity = student_minima(pairs, histogram)
    minima = tuple((inner / pairs.size, value) for inner, value in inner_minima)
    candidates = [*minima, (0.0, pairs.at_zero)]
    if falls_at_infinity:  # the limit requires one more pass over the pairs
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


def evaluator(pairs: KLPairs, kernel: str) -> Callable[[float], Derivatives]:
    return pairs.gaussian if kernel == "gaussian" else pairs.student
