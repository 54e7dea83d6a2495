"""Stress of several projections of the same data at many scales (Figures 1 and 2 of Smelser et al., 2025)."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import pdist

from isotropy_lab.projection import crossings, pair_sums, shepard_goodness
from isotropy_lab.results import PairSums
from reanalyses.smelser2025.experiments.projection_sets import Projections
from reanalyses.smelser2025.orders import order_table, orders

__all__ = [
    "orders_at_own_scales",
    "shepard_diagram",
    "stress_crossings",
    "stress_curves",
    "stress_orders",
    "stress_summary",
]


def scales_or_default(scales: npt.ArrayLike | None) -> npt.NDArray[np.float64]:
    """Return scales, by default 251 logarithmically spaced ones from 0.001 to 100."""
    return np.geomspace(1e-3, 1e2, 251) if scales is None else np.asarray(scales, dtype=np.float64)


def stress_curves(data: Projections, *, scales: npt.ArrayLike | None = None) -> pd.DataFrame:
    """Return the normalized stress of several projections enlarged by the same factors (Figure 1).

    The table has one row per method and scale: method, scale, stress (with the root).
    """
    factors = scales_or_default(scales)
    rows = [
        (method, float(factor), float(np.sqrt(sums.normalized_stress(float(factor)))))
        for method, sums in _sums(data).items()
        for factor in factors
    ]
    return pd.DataFrame(rows, columns=["method", "scale", "stress"])


def stress_summary(data: Projections) -> pd.DataFrame:
    """Return the minimum of each stress curve, and its value at the projection's own size.

    ``returns_to_one`` is twice the optimal scale; beyond it, the projection is worse than a single point.
    """
    rows = [
        {
            "method": method,
            "stress": float(np.sqrt(sums.normalized_stress())),
            "optimal_scale": sums.optimal_scale,
            "scale_normalized_stress": float(np.sqrt(sums.normalized_stress(sums.optimal_scale))),
            "returns_to_one": 2.0 * sums.optimal_scale,
        }
        for method, sums in _sums(data).items()
    ]
    return pd.DataFrame(rows)


def stress_crossings(data: Projections) -> pd.DataFrame:
    """Return the scales at which two stress curves cross."""
    rows = [(c.first, c.second, c.scale, c.stress) for c in crossings(_sums(data))]
    return pd.DataFrame(rows, columns=["first", "second", "scale", "stress"])


def stress_orders(data: Projections) -> pd.DataFrame:
    """Return the orders of projections by stress that occur at common scales.

    Three methods have at most 4 orders (`smelser2025.orders` has the proof); Smelser et al. (2025) state six.
    """
    return order_table(orders(_sums(data)))


def orders_at_own_scales(data: Projections) -> pd.DataFrame:
    """Return scales for the projections at which every order by stress occurs.

    A curve decreases from 1 to its minimum and returns to 1, so each projection takes every value between
    its minimum and 1. The values here divide the range from the largest minimum to 1 evenly.
    """
    sums_by_method = _sums(data)
    minima = {name: sums.normalized_stress(sums.optimal_scale) for name, sums in sums_by_method.items()}
    lowest = float(np.sqrt(max(minima.values())))
    n_levels = len(sums_by_method)
    levels = lowest + (1.0 - lowest) * np.arange(1, n_levels + 1) / (n_levels + 1)
    rows = []
    for order in itertools.permutations(sums_by_method):
        for name, level in zip(order, levels, strict=True):
            sums = sums_by_method[name]
            # NS²(α) = NS²(α*) + (α − α*)²·Σe²/Σd², solved for the smaller α.
            step = np.sqrt((level**2 - minima[name]) * sums.sum_d2 / sums.sum_e2)
            scale = float(sums.optimal_scale - step)
            stress = float(np.sqrt(sums.normalized_stress(scale)))
            rows.append((" < ".join(order), name, scale, stress))
    return pd.DataFrame(rows, columns=["order", "method", "scale", "stress"])


def shepard_diagram(data: Projections, *, max_pairs: int = 4000) -> pd.DataFrame:
    """Return distances in projections and in the data, with the monotone fit (Figure 2).

    The fit and goodness are based on all pairs, of which at most `max_pairs` are returned.
    """
    from sklearn.isotonic import IsotonicRegression

    d = pdist(data.X)
    shown = np.arange(d.size)
    if d.size > max_pairs:
        shown = np.random.default_rng(0).choice(d.size, max_pairs, replace=False)
    shown = shown[np.argsort(d[shown], kind="stable")]
    tables = []
    for method, Y in data.Y.items():
        e = pdist(Y)
        fitted = IsotonicRegression().fit(d, e).predict(d[shown])
        columns = {"method": method, "d": d[shown], "e": e[shown], "fitted": fitted}
        tables.append(pd.DataFrame({**columns, "shepard_goodness": shepard_goodness(data.X, Y)}))
    return pd.concat(tables, ignore_index=True)


def _sums(data: Projections) -> dict[str, PairSums]:
    return {name: pair_sums(data.X, Y) for name, Y in data.Y.items()}
