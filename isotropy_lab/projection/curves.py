"""Stress as a function of scale: curves, and the scales at which they cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums

__all__ = ["Crossing", "StressCurve", "crossings", "stress_curve"]

ROUNDING = 1e-12
"""Relative difference below which sums count as equal, such as the sums of a projection and its rotation."""


@dataclass(frozen=True, eq=False)
class StressCurve(Result):
    """Normalized stress (`values`) of a projection at many scales, and the sums that give it at any scale."""

    scales: NDArray[np.float64]
    values: NDArray[np.float64]
    sums: PairSums


@dataclass(frozen=True)
class Crossing(Result):
    """A scale above 0 at which two projections have the same stress, and the square root of this stress."""

    first: Any
    second: Any
    scale: float
    stress: float


Curves: TypeAlias = Sequence[StressCurve | PairSums] | Mapping[Any, StressCurve | PairSums]


def stress_curve(
    X: checks.Points, Y: checks.Points, scales: Any, *, metric: str = "euclidean"
) -> StressCurve:
    """Compute the normalized stress of a projection at many scales, in one pass over the pairs.

    Parameters
    ----------
    X, Y, metric
        Data, projection, and metric: see `normalized_stress`.
    scales : array-like of shape (m,)
        Scaling factors of the projection, ≥ 0.

    Returns
    -------
    StressCurve
        `values` equal `normalized_stress` at each scale: 1 at scale 0, and smallest at the optimal scale.

    Raises
    ------
    TypeError, ValueError
        As in `normalized_stress`; or if `scales` is empty or has a negative number.

    Notes
    -----
    The curve is invariant under translation and rotation of X and Y. Cost: O(N²(n + t)) time once, then O(S)
    for S scales. Smelser et al. (2025), Section III-A and the upper part of Figure 1.

    Examples
    --------
    >>> stress_curve([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]], [0.0, 0.5, 1.0]).values.tolist()
    [1.0, 0.0, 1.0]
    """
    factors = as_scales(scales)
    sums = pair_sums(X, Y, metric=metric)
    values = np.array([sums.normalized_stress(float(factor)) for factor in factors])
    checks.check_representable(values, "normalized stress at one of the scales")
    values = np.sqrt(values)
    factors = factors.copy()
    factors.setflags(write=False)
    values.setflags(write=False)
    return StressCurve(factors, values, sums)


def crossings(curves: Curves) -> tuple[Crossing, ...]:
    """Return all scales above 0 at which two projections of the same data have equal stress, ascending.

    Parameters
    ----------
    curves : sequence or mapping of StressCurve or PairSums
        Two or more projections of the same data, identified by position or by name.

    Returns
    -------
    tuple of Crossing
        One for each pair of projections whose curves cross; at most m(m − 1)/2 for m projections. Projections
        whose sums are equal up to a relative difference of 1e-12 have the same curve and do not cross.

    Raises
    ------
    TypeError, ValueError
        If a curve has another type, if there are fewer than 2 curves, or if they belong to different data.

    Notes
    -----
    NS²(α) = 1 − 2αc/D + α²s/D with c = Σde, s = Σe², and D = Σd². Two curves therefore cross at 0 and, if it
    is positive, at α = 2(c_A − c_B)/(s_A − s_B); neither a search nor a grid is needed. Crossings are
    invariant under translation and rotation of X and of each projection; multiplying all projections by c
    divides the scales by c. Cost: O(m²). Smelser et al. (2025), Section III-A.

    Examples
    --------
    >>> X = [[0.0], [1.0], [3.0]]
    >>> small = stress_curve(X, [[0.0], [1.0], [3.0]], [1.0])
    >>> large = stress_curve(X, [[0.0], [2.0], [6.0]], [1.0])
    >>> [(c.first, c.second, round(c.scale, 6)) for c in crossings({"small": small, "large": large})]
    [('small', 'large', 0.666667)]
    """
    sums = sums_by_name(curves)
    unsorted = []
    for (first, a), (second, b) in itertools.combinations(sums.items(), 2):
        scale = crossing_scale(a, b)
        if scale is not None:
            unsorted.append(Crossing(first, second, scale, math.sqrt(a.normalized_stress(scale))))
    return tuple(sorted(unsorted, key=lambda crossing: crossing.scale))


def sums_by_name(curves: Curves) -> dict[Any, PairSums]:
    """Return the sums of two or more projections of the same data, keyed by name."""
    if not checks.is_iterable(curves):
        raise TypeError(f"curves is {checks.describe(curves)}; expected a sequence or a mapping of curves")
    items = curves.items() if isinstance(curves, Mapping) else enumerate(curves)
    sums_of = {name: curve.sums if isinstance(curve, StressCurve) else curve for name, curve in items}
    for name, sums in sums_of.items():
        if not isinstance(sums, PairSums):
            raise TypeError(
                f"curves has {checks.describe(sums)} for {name!r}; expected a StressCurve or PairSums"
            )
    if len(sums_of) < 2:
        raise ValueError(
            f"curves has {checks.how_many(len(sums_of), 'curve')}; expected at least 2 to compare"
        )
    first_name, first = next(iter(sums_of.items()))
    for name, sums in sums_of.items():
        if sums.n_pairs != first.n_pairs or abs(sums.sum_d2 - first.sum_d2) > 1e-9 * first.sum_d2:
            raise ValueError(
                f"curves has projections of different data: {first_name!r} with {first.n_pairs} pairs and "
                f"Σd² = {first.sum_d2:g}, {name!r} with {sums.n_pairs} and {sums.sum_d2:g}; expected "
                "projections of the same X"
            )
    return sums_of


def differences(a: PairSums, b: PairSums) -> tuple[float, float]:
    """Return the differences between two projections in Σde and Σe², with rounding errors set to 0."""
    c, s = (
        0.0 if abs(x - y) <= ROUNDING * max(abs(x), abs(y)) else x - y
        for x, y in ((a.sum_de, b.sum_de), (a.sum_e2, b.sum_e2))
    )
    return c, s


def crossing_scale(a: PairSums, b: PairSums) -> float | None:
    """Return the scale above 0 at which two curves cross, or None if there is none."""
    c, s = differences(a, b)
    scale = 2.0 * c / s if s != 0 else 0.0
    return scale if 0 < scale < math.inf else None
