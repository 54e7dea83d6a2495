"""Stress: the differences between the distances of a projection, at any scale, and those of the data.

With d the distances of the data and e those of the projection, over pairs i < j, every measure here follows
from Σd², Σe² and Σde, which `pair_sums` gathers in one pass.
"""

from __future__ import annotations

import math

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums

__all__ = ["PairSums", "normalized_stress", "optimal_scale", "pair_sums", "scale_normalized_stress"]


def normalized_stress(
    X: checks.Points,
    Y: checks.Points,
    *,
    scale: float = 1.0,
    squared: bool = False,
    metric: str = "euclidean",
) -> float:
    """Return the normalized stress √(Σ(d − scale·e)²/Σd²), which depends on the projection's size.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points, not all equal; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection.
    scale : float, default 1.0
        Factor by which the projection is enlarged, ≥ 0.
    squared : bool, default False
        Without the root, as Table I of the paper has it; equation (2) has the root.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Of X; "precomputed" allows any distances.

    Returns
    -------
    float
        ≥ 0 and unbounded, without unit; 0 is best, 1 is the value of a projection shrunk to a point.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X
        coincide; precomputed distances are not distances; an option is unknown or out of range; a sum over-
        or underflows.

    Notes
    -----
    NS²(α) = 1 − 2αΣde/Σd² + α²Σe²/Σd², a parabola in the scale. Invariant under translation and rotation of X
    and of Y and under scaling both by one factor, not under scaling one of them. Cost: O(N²(n + t)) time, a
    megabyte. Smelser et al. (2025), equation (2).

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]]
    >>> normalized_stress(X, Y), normalized_stress(X, Y, scale=0.5)
    (1.0, 0.0)
    """
    scale = checks.check_real(scale, "scale", low=0.0, high=math.inf, open_high=True)
    value = pair_sums(X, Y, metric=metric).normalized_stress(scale)
    checks.check_representable(np.array([value]), "normalized stress")
    return _rooted(value, squared)


def optimal_scale(X: checks.Points, Y: checks.Points, *, metric: str = "euclidean") -> float:
    """Return the factor of a projection that minimizes its stress, Σde/Σe².

    Parameters
    ----------
    X, Y, metric
        The data, their projection and how they are compared, as in `normalized_stress`.

    Returns
    -------
    float
        ≥ 0, in units of X per unit of Y. It is 0 only if every pair that is apart in Y coincides in X, and
        then no scale above 0 has least stress.

    Raises
    ------
    TypeError, ValueError
        See `normalized_stress`; also if all points of Y coincide.

    Notes
    -----
    Invariant under translation and rotation; times c when X is scaled by c, divided by c when Y is. Cost:
    that of `normalized_stress`. Smelser et al. (2025) print Σde/Σd², which is no minimizer of Σ(d − αe)², and
    call it a correlation coefficient; it is the slope of a line through the origin.

    Examples
    --------
    >>> optimal_scale([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.5
    """
    return pair_sums(X, Y, metric=metric).optimal_scale


def scale_normalized_stress(
    X: checks.Points, Y: checks.Points, *, squared: bool = False, metric: str = "euclidean"
) -> float:
    """Return the normalized stress of a projection at its optimal scale.

    Parameters
    ----------
    X, Y, metric
        The data, their projection and how they are compared, as in `normalized_stress`.
    squared : bool, default False
        Without the root, as equation (4) has it; the authors' code takes the root.

    Returns
    -------
    float
        In [0, 1]; 0 for a projection whose distances are proportional to those of the data.

    Raises
    ------
    TypeError, ValueError
        See `normalized_stress`; also if all points of Y coincide.

    Notes
    -----
    SNS² = 1 − (Σde)²/(Σd²Σe²): one minus the squared cosine between the distances, evaluated from residuals
    near the best scale, so that a small stress keeps its digits. Invariant under translation, rotation and
    scale of X and of Y. Cost: that of `normalized_stress`. Smelser et al. (2025), equation (4).

    Examples
    --------
    >>> scale_normalized_stress([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.0
    """
    sums = pair_sums(X, Y, metric=metric)
    return _rooted(min(sums.normalized_stress(sums.optimal_scale), 1.0), squared)


def _rooted(value: float, squared: bool) -> float:
    return value if squared else math.sqrt(value)
