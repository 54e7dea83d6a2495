"""Stress: how far the distances of a projection are from those of the data, at its own, at any and at the best scale.

With d the distances of the data and e those of the projection, over pairs i < j, every measure here follows from Σd²,
Σe² and Σde, which `pair_sums` gathers in one pass.
"""

from __future__ import annotations

import math

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import check_not_vanished, check_some_distance
from isotropy_lab.projection._pairs.distances import Pairs, pairs_of, times_power
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums, scaled_sums

__all__ = [
    "PairSums",
    "forced_scale_stress",
    "normalized_stress",
    "optimal_scale",
    "pair_sums",
    "raw_stress",
    "scale_normalized_stress",
]


def raw_stress(
    X: checks.Points, Y: checks.Points, *, scale: float = 1.0, metric: str = "euclidean", n_threads: int = 1
) -> float:
    """Return the raw stress of a projection, Σ(d − scale·e)² over pairs i < j.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points, not all equal; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection.
    scale : float, default 1.0
        Factor by which the projection is enlarged, ≥ 0.
    metric : str, default "euclidean"
        Of X: also "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.
    n_threads : int, default 1
        Threads; the result does not depend on their number.

    Returns
    -------
    float
        ≥ 0, in the units of X squared; 0 for a projection whose distances are those of the data.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X coincide;
        precomputed distances are not distances; an option is unknown or out of range; the result over- or underflows.

    Notes
    -----
    Invariant under translation and rotation of X and of Y, not under their scale. Cost: O(N²(n + t)) time, a megabyte
    for each thread and, from 32 dimensions on, a copy of the points. Smelser et al. (2025), equation (1), sum over
    ordered pairs and give twice this.

    Examples
    --------
    >>> raw_stress([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    14.0
    """
    pairs = pairs_of(X, Y, metric=metric)
    factor = _scale(scale, pairs)
    scaled = scaled_sums(pairs, n_threads=n_threads).raw_stress(factor)
    value = times_power(scaled, 2 * pairs.x.exponent)
    checks.check_representable(np.array([value]), "raw stress")
    check_not_vanished(scaled, value, "raw stress")
    return value


def normalized_stress(
    X: checks.Points,
    Y: checks.Points,
    *,
    scale: float = 1.0,
    squared: bool = False,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> float:
    """Return the normalized stress of a projection, √(Σ(d − scale·e)²/Σd²), which depends on the projection's size.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `raw_stress` takes them.
    scale : float, default 1.0
        Factor by which the projection is enlarged, ≥ 0.
    squared : bool, default False
        Without the root, as Table I of the paper has it; equation (2) has the root.
    metric, n_threads
        See `raw_stress`.

    Returns
    -------
    float
        ≥ 0 and unbounded, without unit; 0 is best, 1 is the value of a projection shrunk to a point.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X coincide;
        precomputed distances are not distances; an option is unknown or out of range; the result overflows.

    Notes
    -----
    NS²(α) = 1 − 2αΣde/Σd² + α²Σe²/Σd², a parabola in the scale. Invariant under translation and rotation of X and of Y
    and under scaling both by one factor, not under scaling one of them. Cost: that of `raw_stress`. Smelser et al.
    (2025), equation (2).

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]]
    >>> normalized_stress(X, Y), normalized_stress(X, Y, scale=0.5)
    (1.0, 0.0)
    """
    pairs = pairs_of(X, Y, metric=metric)
    factor = _scale(scale, pairs)
    value = scaled_sums(pairs, n_threads=n_threads).normalized_stress(factor)
    checks.check_representable(np.array([value]), "normalized stress")
    return _rooted(value, squared)


def optimal_scale(
    X: checks.Points, Y: checks.Points, *, metric: str = "euclidean", n_threads: int = 1
) -> float:
    """Return the factor by which to enlarge a projection so that its stress is least, Σde/Σe².

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `raw_stress` takes them.
    metric, n_threads
        See `raw_stress`.

    Returns
    -------
    float
        ≥ 0, in units of X per unit of Y. It is 0 only if every pair that is apart in Y coincides in X, and then no
        scale above 0 has least stress.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X or Y
        coincide; precomputed distances are not distances; an option is unknown or out of range; the result overflows.

    Notes
    -----
    Invariant under translation and rotation; times c when X is scaled by c, divided by c when Y is. Cost: that of
    `raw_stress`. Smelser et al. (2025) print Σde/Σd², which is no minimizer of Σ(d − αe)², and call it a correlation
    coefficient; it is the slope of a line through the origin.

    Examples
    --------
    >>> optimal_scale([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.5
    """
    pairs = pairs_of(X, Y, metric=metric)
    best = scaled_sums(pairs, n_threads=n_threads).optimal_scale
    value = times_power(best, pairs.x.exponent - pairs.y.exponent)
    checks.check_representable(np.array([value]), "the optimal scale")
    return value


def scale_normalized_stress(
    X: checks.Points,
    Y: checks.Points,
    *,
    squared: bool = False,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> float:
    """Return the scale-normalized stress, the normalized stress of a projection at the scale where it is least.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `raw_stress` takes them.
    squared : bool, default False
        Without the root, as equation (4) has it; the authors' code takes the root.
    metric, n_threads
        See `raw_stress`.

    Returns
    -------
    float
        In [0, 1]; 0 for a projection whose distances are proportional to those of the data.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X or Y
        coincide; precomputed distances are not distances; an option is unknown or out of range.

    Notes
    -----
    SNS² = 1 − (Σde)²/(Σd²Σe²): one minus the squared cosine between the distances, evaluated from residuals near the
    best scale, so that a small stress keeps its digits. Invariant under translation, rotation and scale of X and of Y.
    Cost: that of `raw_stress`. Smelser et al. (2025), equation (4).

    Examples
    --------
    >>> scale_normalized_stress([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.0
    """
    sums = scaled_sums(pairs_of(X, Y, metric=metric), n_threads=n_threads)
    return _rooted(min(sums.normalized_stress(sums.optimal_scale), 1.0), squared)


def forced_scale_stress(
    X: checks.Points,
    Y: checks.Points,
    *,
    squared: bool = False,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> float:
    """Return the forced-scale normalized stress: both sides divided by their largest distance before comparison.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `raw_stress` takes them.
    squared : bool, default False
        Without the root, as the paper prints it; the authors' code takes the root.
    metric, n_threads
        See `raw_stress`.

    Returns
    -------
    float
        ≥ 0, without unit, never below `scale_normalized_stress`; 0 for a projection whose distances are proportional
        to those of the data.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X or Y
        coincide; precomputed distances are not distances; an option is unknown or out of range.

    Notes
    -----
    The normalized stress at scale max d/max e. Invariant under translation, rotation and scale of X and of Y, but two
    pairs of points decide the scale. Cost: that of `raw_stress`. Smelser et al. (2025), section III-B; they print the
    factor 1/δ′ with δ′ = 1/max e, which multiplies instead of dividing, and Σd′ in place of Σd′², which their code has.

    Examples
    --------
    >>> forced_scale_stress([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.0
    """
    sums = scaled_sums(pairs_of(X, Y, metric=metric), n_threads=n_threads)
    check_some_distance(sums.max_e, "Y")
    return _rooted(sums.normalized_stress(sums.max_d / sums.max_e), squared)


def _scale(scale: float, pairs: Pairs) -> float:
    """The scale in the units of the two sides."""
    scale = checks.check_real(scale, "scale", low=0.0, high=math.inf, open_high=True)
    return times_power(scale, pairs.y.exponent - pairs.x.exponent)


def _rooted(value: float, squared: bool) -> float:
    return value if squared else math.sqrt(value)
