"""Orders of projections by stress over all common scales."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isotropy_lab._core.results import Result
from isotropy_lab.projection.curves import ROUNDING, Curves, crossing_scale, differences, sums_by_name
from isotropy_lab.results import PairSums


@dataclass(frozen=True)
class ScaleOrder(Result):
    """Projections in ascending order of stress, at all scales between `low` and `high`."""

    order: tuple[Any, ...]
    low: float
    high: float


def orders(curves: Curves) -> tuple[ScaleOrder, ...]:
    """Return all orders of projections by stress at common scales, each with its interval of scales, ascending.

    The open intervals cover (0, ∞) except for the crossings. Projections with the same curve keep their given
    order.

    For m projections, there are at most m(m − 1)/2 + 1 orders, which is 4 for three projections: for α > 0, the
    order by the squared stress NS² equals the order by (NS² − 1)·Σd²/α = α·Σe² − 2Σde, a straight line for
    every projection, where d and e are the distances in the data and in the projection; two lines cross at most
    once. Smelser et al. (2025) state that all six orders of three projections can be found (Figure 1), which
    requires a separate scale for each projection.

    >>> from isotropy_lab.projection import stress_curve
    >>> X = [[0.0], [1.0], [3.0]]
    >>> small = stress_curve(X, [[0.0], [1.0], [3.0]], [1.0])
    >>> large = stress_curve(X, [[0.0], [2.0], [6.0]], [1.0])
    >>> [(o.order, round(o.low, 3), round(o.high, 3)) for o in orders({"small": small, "large": large})]
    [(('large', 'small'), 0.0, 0.667), (('small', 'large'), 0.667, inf)]
    """
    sums = sums_by_name(curves)
    names = list(sums)
    crossing_scales = {
        (i, j): crossing_scale(sums[names[i]], sums[names[j]])
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    scales = sorted({scale for scale in crossing_scales.values() if scale is not None})
    # Several crossings may differ only by rounding; keep the last, at which all of them have been passed.
    distinct_scales = [a for a, b in itertools.pairwise([*scales, math.inf]) if a < (1.0 - ROUNDING) * b]
    edges = [0.0, *distinct_scales, math.inf]
    # Two crossings may coincide, up to rounding.
    return join_intervals(
        (_order_above(sums, crossing_scales, low), low, high) for low, high in itertools.pairwise(edges)
    )


def join_intervals(intervals: Iterable[tuple[tuple[Any, ...], float, float]]) -> tuple[ScaleOrder, ...]:
    """Return orders with the ends of their adjacent intervals; neighbors with the same order become one."""
    groups = [(order, [*group]) for order, group in itertools.groupby(intervals, key=lambda entry: entry[0])]
    return tuple(ScaleOrder(order, group[0][1], group[-1][2]) for order, group in groups)


def order_table(intervals: Sequence[ScaleOrder]) -> pd.DataFrame:
    """Return orders as a table, each as text such as "mds < tsne", with the ends of its interval."""
    rows = [(" < ".join(entry.order), entry.low, entry.high) for entry in intervals]
    return pd.DataFrame(rows, columns=["order", "low", "high"])


def _order_above(
    sums_by_projection: dict[Any, PairSums], crossing_scales: dict[tuple[int, int], float | None], low: float
) -> tuple[Any, ...]:
    """Return the order just above a scale, given the order near 0 and the crossings up to this scale.

    Counting crossings, rather than computing the stress, gives the correct order where curves nearly touch.
    """
    sums = list(sums_by_projection.values())
    n_lower = [0] * len(sums)  # number of projections with smaller stress
    for (i, j), scale in crossing_scales.items():
        c, s = differences(sums[i], sums[j])
        # Near 0, the projection with the larger Σde is lower or, if these are equal, with the smaller Σe².
        # If both sums are equal, the curves are the same.
        i_is_lower = c > 0 or (c == 0 and s <= 0)
        if scale is not None and scale <= low:
            i_is_lower = not i_is_lower
        n_lower[j if i_is_lower else i] += 1
    names = list(sums_by_projection)
    return tuple(names[k] for k in sorted(range(len(names)), key=n_lower.__getitem__))
