"""Stress: differences between the distances of a projection, at any scale, and those of the data.

All measures follow from Σd², Σe², and Σde over pairs i < j, with the distances d of the data and e of the
projection. `pair_sums` computes these sums in one pass.
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
        N ≥ 3 points, not all equal; or, with ``metric="precomputed"``, their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Projection of the N points, in the same order.
    scale : float, default 1.0
        Scaling factor of the projection, ≥ 0.
    squared : bool, default False
        Whether to return the squared stress, as in Table I of the paper; equation (2) takes the root.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Metric of `X`; "precomputed" allows any distances.

    Returns
    -------
    float
        Dimensionless, unbounded stress ≥ 0; 0 is best, and a projection shrunk to a point has stress 1.

    Raises
    ------
    TypeError, ValueError
        If X or Y is not numeric, has fewer than 3 points, or contains NaN or inf; if their lengths differ; if
        all points of X coincide; if precomputed distances are not distances; if an option does not exist or
        is out of range; or if a sum overflows or underflows.

    Notes
    -----
    NS²(α) = 1 − 2αΣde/Σd² + α²Σe²/Σd² is a parabola in the scale. It is invariant under translation and
    rotation of X and Y, and under scaling of both by the same factor, but not under scaling of one of them.
    Cost: O(N²(n + t)) time and about 1 MB. Smelser et al. (2025), equation (2).

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]]
    >>> normalized_stress(X, Y), normalized_stress(X, Y, scale=0.5)
    (1.0, 0.0)
    """
    scale = checks.check_real(scale, "scale", low=0.0, high=math.inf, open_high=True)
    value = pair_sums(X, Y, metric=metric).normalized_stress(scale)
    checks.check_representable(np.array([value]), "normalized stress")
    return _root_unless(squared, value)


def optimal_scale(X: checks.Points, Y: checks.Points, *, metric: str = "euclidean") -> float:
    """Return the scaling factor of a projection that minimizes its stress, Σde/Σe².

    Parameters
    ----------
    X, Y, metric
        Data, projection, and metric: see `normalized_stress`.

    Returns
    -------
    float
        Factor ≥ 0, in units of X per unit of Y. It is 0 only if all pairs of different points of Y coincide
        in X; no positive scale then has the smallest stress.

    Raises
    ------
    TypeError, ValueError
        As in `normalized_stress`; or if all points of Y coincide.

    Notes
    -----
    The scale is invariant under translation and rotation; scaling X by c multiplies it by c, and scaling Y
    divides it by c. Cost: as for `normalized_stress`. Smelser et al. (2025) print Σde/Σd², which does
    not minimize Σ(d − αe)², and call it a correlation coefficient; it is the slope of a line through the
    origin.

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
        Data, projection, and metric: see `normalized_stress`.
    squared : bool, default False
        Whether to return the squared stress, as in equation (4); the authors' code takes the root.

    Returns
    -------
    float
        Stress in [0, 1]; 0 if the distances of the projection are proportional to those of the data.

    Raises
    ------
    TypeError, ValueError
        As in `normalized_stress`; or if all points of Y coincide.

    Notes
    -----
    SNS² = 1 − (Σde)²/(Σd²Σe²), which is one minus the squared cosine between the vectors of distances. It is
    computed from residuals near the optimal scale to keep small stress precise, and is invariant under
    translation, rotation, and scaling of X and Y. Cost: as for `normalized_stress`. Smelser et al. (2025),
    equation (4).

    Examples
    --------
    >>> scale_normalized_stress([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    0.0
    """
    sums = pair_sums(X, Y, metric=metric)
    return _root_unless(squared, min(sums.normalized_stress(sums.optimal_scale), 1.0))


def _root_unless(squared: bool, value: float) -> float:
    return value if squared else math.sqrt(value)
