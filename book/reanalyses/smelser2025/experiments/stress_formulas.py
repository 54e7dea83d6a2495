"""Stress of small examples, computed by correct formulas and by those published in Smelser et al. (2025)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import pdist

from isotropy_lab._core import checks
from isotropy_lab.projection import nonmetric_stress, pair_sums, shepard_goodness

__all__ = [
    "measures_at_sizes",
    "printed_forced_scale_stress",
    "printed_scale",
    "stress_at_factors",
    "stress_sums",
    "three_points",
]

Array = npt.NDArray[np.float64]


def three_points() -> tuple[Array, dict[str, Array]]:
    """Return three points on a line, at 0, 1, and 3, with two projections of them."""
    X = np.array([[0.0], [1.0], [3.0]])
    return X, {"faithful": 2.0 * X, "exchanged": X[[0, 2, 1]]}


def stress_at_factors(X: checks.Points, layouts: Mapping[str, checks.Points], factors: npt.ArrayLike) -> pd.DataFrame:  # fmt: skip
    """Return the normalized stress of given projections enlarged by given factors.

    The table has one row per projection and factor: method, scale, stress (with the root).
    """
    scales = np.asarray(factors, dtype=np.float64)
    rows = []
    for method, Y in layouts.items():
        sums = pair_sums(X, Y)
        rows += [(method, float(a), math.sqrt(sums.normalized_stress(float(a)))) for a in scales]
    return pd.DataFrame(rows, columns=["method", "scale", "stress"])


def stress_sums(X: checks.Points, layouts: Mapping[str, checks.Points]) -> pd.DataFrame:
    """Return the three sums that determine the stress of a projection, with its stress at three scales.

    These are its own size, the optimal scale, and the scale that the paper states as optimal.
    """
    rows = []
    for method, Y in layouts.items():
        sums = pair_sums(X, Y)
        published = printed_scale(X, Y)
        rows.append(
            {
                "method": method,
                "sum_d2": sums.sum_d2,
                "sum_de": sums.sum_de,
                "sum_e2": sums.sum_e2,
                "stress": math.sqrt(sums.normalized_stress()),
                "optimal_scale": sums.optimal_scale,
                "scale_normalized_stress": math.sqrt(sums.normalized_stress(sums.optimal_scale)),
                "printed_scale": published,
                "stress_at_printed_scale": math.sqrt(sums.normalized_stress(published)),
            }
        )
    return pd.DataFrame(rows)


def stress_by_distances(X: checks.Points, Y: checks.Points) -> dict[str, float]:
    """Return normalized stress at 1 and 10 times a projection's own size, at the optimal, and at the forced scale."""
    sums = pair_sums(X, Y)
    scales = {"ns": 1.0, "ns_10": 10.0, "sns": sums.optimal_scale, "fsns": sums.max_d / sums.max_e}
    return {name: math.sqrt(sums.normalized_stress(scale)) for name, scale in scales.items()}


def stress_by_ranks(X: checks.Points, Y: checks.Points) -> dict[str, float]:
    """Return Shepard goodness and non-metric stress, which depend only on the order of the data's distances."""
    return {"sgs": shepard_goodness(X, Y), "nms": nonmetric_stress(X, Y)}


def printed_scale(X: checks.Points, Y: checks.Points) -> float:
    """Return Σde/Σd², which Smelser et al. incorrectly state as the factor that minimizes stress.

    Here d and e are the distances in the data and in the projection; `optimal_scale` divides by Σe². The two
    agree only if Σd² = Σe². Do not use this factor as a measure.
    """
    sums = pair_sums(X, Y)
    return sums.sum_de / sums.sum_d2


def printed_forced_scale_stress(X: checks.Points, Y: checks.Points) -> float:
    """Return the forced-scale stress, computed by the published formula, which depends on the scale.

    Let d and e be the distances in the data and in the projection, and d′ = d/max d. The formula is Σ(d′ −
    e·max e)²/Σd′: its factor 1/δ′ with δ′ = 1/max e multiplies by the largest distance of the projection,
    whereas `forced_scale_stress` divides by it. Do not use it as a measure.
    """
    d, e = pdist(X), pdist(Y)
    d /= d.max()
    return float(((d - e * e.max()) ** 2).sum() / d.sum())


def measures_at_sizes(X: checks.Points, Y: checks.Points) -> pd.DataFrame:
    """Return the stress of a projection at 0.1, 1, and 10 times its size, by correct and published formulas.

    Stress values include the root, except for raw stress and the published fsns. The published nms regresses d
    on e, as in one sentence of the paper; another sentence has the opposite.
    """
    rows: list[tuple[str, str, float, float]] = []
    for factor in (0.1, 1.0, 10.0):
        enlarged = factor * np.asarray(Y, dtype=float)
        sums = pair_sums(X, enlarged)
        correct = stress_by_distances(X, enlarged) | stress_by_ranks(X, enlarged)
        published = {
            "nms": _stress_of_fitted_data(X, enlarged),
            "sns": math.sqrt(sums.normalized_stress(printed_scale(X, enlarged))),
            "fsns": printed_forced_scale_stress(X, enlarged),
        }
        rows.append(("raw", "right", factor, sums.raw_stress()))
        rows += [(name, "right", factor, correct[name]) for name in ("ns", "sgs", "nms", "sns", "fsns")]
        rows += [(name, "printed", factor, value) for name, value in published.items()]
    return pd.DataFrame(rows, columns=["measure", "formula", "factor", "value"])


def _stress_of_fitted_data(X: checks.Points, Y: checks.Points) -> float:
    """Return √(Σ(d̂ − e)²/Σe²), where d̂ is the monotone regression of d on e."""
    from sklearn.isotonic import IsotonicRegression

    d, e = pdist(X), pdist(Y)
    fitted = IsotonicRegression().fit(e, d).predict(e)
    return math.sqrt(float(((fitted - e) ** 2).sum() / (e**2).sum()))
