"""Stress as a function of scale: curves, their crossings, and the orders of projections."""

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

__all__ = ["Crossing", "ScaleOrder", "StressCurve", "crossings", "orders", "stress_curve"]

_ROUNDING = 1e-12
"""Sums with a smaller relative difference count as equal, such as those of a projection and its rotation."""


@dataclass(frozen=True, eq=False)
class StressCurve(Result):
    """Normalized stress of one projection at many scales, with the sums that give it at every other.

    NumPy reads it as its values: ``np.asarray(curve)``, ``curve[0]``, ``len(curve)``.
    """

    scales: NDArray[np.float64]
    values: NDArray[np.float64]
    sums: PairSums

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return int(self.values.size)

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]


@dataclass(frozen=True)
class Crossing(Result):
    """A scale above 0 at which two projections have the same stress, and that stress (with the root)."""

    first: Any
    second: Any
    scale: float
    stress: float


@dataclass(frozen=True)
class ScaleOrder(Result):
    """Projections from the smallest stress to the largest, at all scales between `low` and `high`."""

    order: tuple[Any, ...]
    low: float
    high: float


Curves: TypeAlias = Sequence[StressCurve | PairSums] | Mapping[Any, StressCurve | PairSums]


def stress_curve(
    X: checks.Points, Y: checks.Points, scales: Any, *, metric: str = "euclidean"
) -> StressCurve:
    """Return the normalized stress of a projection at many scales, from one pass over the pairs.

    Parameters
    ----------
    X, Y, metric
        The data, their projection and how they are compared, as in `normalized_stress`.
    scales : array-like of shape (m,)
        Factors by which the projection is enlarged, ≥ 0.

    Returns
    -------
    StressCurve
        Its `values` are those of `normalized_stress` at `scales`: 1 at scale 0, minimal at the optimal scale.

    Raises
    ------
    TypeError, ValueError
        See `normalized_stress`; also if a scale is negative or there is none.

    Notes
    -----
    Invariant under translation and rotation of X and of Y. Cost: O(N²(n + t)) time once, then O(S) for S
    scales. Smelser et al. (2025), section III-A and the upper part of Figure 1.

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
    """Return all scales above 0 at which two projections of the same data have the same stress, ascending.

    Parameters
    ----------
    curves : sequence or mapping of StressCurve or PairSums
        Two or more projections of the same data, by place or by name.

    Returns
    -------
    tuple of Crossing
        One for each pair of projections that meet, at most m(m − 1)/2 for m projections. Projections with the
        same sums, up to 1e-12 of themselves, have the same curve and do not cross.

    Raises
    ------
    TypeError, ValueError
        A curve is something else; there are fewer than 2, or they belong to different data.

    Notes
    -----
    NS²(α) = 1 − 2αc/D + α²s/D with c = Σde, s = Σe², D = Σd², so that two curves meet at 0 and at α = 2(c_A −
    c_B)/(s_A − s_B) if that is positive: no search and no grid. Invariant under translation and rotation of X
    and of each projection; the scales are divided by c when all projections are enlarged by c. Cost: O(m²).
    Smelser et al. (2025), section III-A.

    Examples
    --------
    >>> X = [[0.0], [1.0], [3.0]]
    >>> small = stress_curve(X, [[0.0], [1.0], [3.0]], [1.0])
    >>> large = stress_curve(X, [[0.0], [2.0], [6.0]], [1.0])
    >>> [(c.first, c.second, round(c.scale, 6)) for c in crossings({"small": small, "large": large})]
    [('small', 'large', 0.666667)]
    """
    named = _sums_by_name(curves)
    found = []
    for (first, a), (second, b) in itertools.combinations(named.items(), 2):
        scale = _crossing_scale(a, b)
        if scale is not None:
            found.append(Crossing(first, second, scale, math.sqrt(a.normalized_stress(scale))))
    return tuple(sorted(found, key=lambda crossing: crossing.scale))


def orders(curves: Curves) -> tuple[ScaleOrder, ...]:
    """Return every order of projections by stress over common scales, with its interval of scales.

    Parameters
    ----------
    curves : sequence or mapping of StressCurve or PairSums
        See `crossings`.

    Returns
    -------
    tuple of ScaleOrder
        By ascending scale, all different; the intervals are open and fill (0, ∞) but for the crossings.
        Projections with the same curve keep the order in which they were given.

    Raises
    ------
    TypeError, ValueError
        A curve is something else; there are fewer than 2, or they belong to different data.

    Notes
    -----
    At most m(m − 1)/2 + 1 orders of m projections occur, 4 of three: for α > 0 the order by NS² is that by
    (NS² − 1)·D/α = sα − 2c, a straight line for every projection, and two lines cross at most once. Smelser
    et al. (2025) say of three projections that all six orders can be found (Figure 1); for that each
    projection needs a scale of its own. Invariant under translation and rotation. Cost: O(m⁴) at most.

    Examples
    --------
    >>> X = [[0.0], [1.0], [3.0]]
    >>> small = stress_curve(X, [[0.0], [1.0], [3.0]], [1.0])
    >>> large = stress_curve(X, [[0.0], [2.0], [6.0]], [1.0])
    >>> [(o.order, round(o.low, 3), round(o.high, 3)) for o in orders({"small": small, "large": large})]
    [(('large', 'small'), 0.0, 0.667), (('small', 'large'), 0.667, inf)]
    """
    named = _sums_by_name(curves)
    names = list(named)
    crossing_scales = {
        (i, j): _crossing_scale(named[names[i]], named[names[j]])
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    scales = sorted({scale for scale in crossing_scales.values() if scale is not None})
    # Of crossings that only rounding tells apart, the last, at which all of them have been passed.
    last = [a for a, b in itertools.pairwise([*scales, math.inf]) if a < (1.0 - _ROUNDING) * b]
    edges = [0.0, *last, math.inf]
    found: list[ScaleOrder] = []
    for low, high in itertools.pairwise(edges):
        order = _order_above(named, crossing_scales, low)
        if found and found[-1].order == order:  # two crossings in one, up to rounding
            found[-1] = ScaleOrder(order, found[-1].low, high)
        else:
            found.append(ScaleOrder(order, low, high))
    return tuple(found)


def _sums_by_name(curves: Curves) -> dict[Any, PairSums]:
    """Return two or more sums of the same data by name, or raise."""
    if not checks.is_iterable(curves):
        raise TypeError(f"curves is {checks.describe(curves)}; expected a sequence or a mapping of curves")
    given = curves.items() if isinstance(curves, Mapping) else enumerate(curves)
    named = {name: curve.sums if isinstance(curve, StressCurve) else curve for name, curve in given}
    for name, sums in named.items():
        if not isinstance(sums, PairSums):
            raise TypeError(
                f"curves has {checks.describe(sums)} for {name!r}; expected a StressCurve or PairSums"
            )
    if len(named) < 2:
        raise ValueError(f"curves has {checks.how_many(len(named), 'curve')}; expected at least 2 to compare")
    base, first = next(iter(named.items()))
    for name, other in named.items():
        if other.n_pairs != first.n_pairs or abs(other.sum_d2 - first.sum_d2) > 1e-9 * first.sum_d2:
            raise ValueError(
                f"curves has projections of different data: {base!r} with {first.n_pairs} pairs and Σd² = "
                f"{first.sum_d2:g}, {name!r} with {other.n_pairs} and {other.sum_d2:g}; expected projections "
                "of the same X"
            )
    return named


def _differences(a: PairSums, b: PairSums) -> tuple[float, float]:
    """Return the differences of Σde and of Σe²; 0 if they are within rounding."""
    c, s = (
        0.0 if abs(x - y) <= _ROUNDING * max(abs(x), abs(y)) else x - y
        for x, y in ((a.sum_de, b.sum_de), (a.sum_e2, b.sum_e2))
    )
    return c, s


def _crossing_scale(a: PairSums, b: PairSums) -> float | None:
    """Return the scale above 0 at which two curves cross, or None."""
    c, s = _differences(a, b)
    scale = 2.0 * c / s if s != 0 else 0.0
    return scale if 0 < scale < math.inf else None


def _order_above(
    named: dict[Any, PairSums], crossing_scales: dict[tuple[int, int], float | None], low: float
) -> tuple[Any, ...]:
    """Return the order just above a scale, from the order near 0 and the crossings up to that scale.

    Counting the changes rather than computing the stress keeps the order right where curves nearly touch.
    """
    sums = list(named.values())
    before = [0] * len(sums)  # how many projections have smaller stress
    for (i, j), scale in crossing_scales.items():
        c, s = _differences(sums[i], sums[j])
        # Near 0 the larger Σde has the lower line; if they are equal, the smaller Σe² has; else they are one
        # curve.
        first = c > 0 or (c == 0 and s <= 0)
        if scale is not None and scale <= low:
            first = not first
        before[j if first else i] += 1
    names = list(named)
    return tuple(names[k] for k in sorted(range(len(names)), key=lambda k: before[k]))
