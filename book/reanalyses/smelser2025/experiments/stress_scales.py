"""Stress of several pictures of the same data as their sizes change: Figures 1 and 2 of Smelser et al. (2025)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from isotropy_lab import _checks
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums
from isotropy_lab.projection.curves import crossings, orders
from isotropy_lab.projection.ranks import shepard_goodness
from scipy.spatial.distance import pdist

from reanalyses.smelser2025.experiments.pictures import Source, pictures

__all__ = [
    "THREE",
    "orders_at_own_scales",
    "scales_or_default",
    "shepard_diagram",
    "stress_crossings",
    "stress_curves",
    "stress_orders",
    "stress_summary",
]

Rng = np.random.Generator | int | None

THREE = ("mds", "tsne", "random")
"""The methods whose pictures the paper's figures compare."""


def scales_or_default(scales: npt.ArrayLike | None) -> npt.NDArray[np.float64]:
    """Return scales, by default 251 from 0.001 to 100 at equal steps of their logarithm.

    Examples
    --------
    >>> scales_or_default(None).size, scales_or_default([1, 2]).tolist()
    (251, [1.0, 2.0])
    """
    return np.geomspace(1e-3, 1e2, 251) if scales is None else as_scales(scales)


def stress_curves(
    source: Source = "iris",
    *,
    methods: Sequence[str] = THREE,
    scales: npt.ArrayLike | None = None,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """Enlarge several pictures of the same data by the same factors and measure the normalized stress: Figure 1.

    Returns a table: one row for each method and scale: method, scale, stress (with the root).

    Examples
    --------
    >>> table = stress_curves(scales=[0, 1, 10])
    >>> table.loc[table["scale"] == 10].sort_values("stress")["method"].tolist()
    ['random', 'mds', 'tsne']
    """
    factors = scales_or_default(scales)
    rows = [
        (method, float(factor), float(np.sqrt(sums.normalized_stress(float(factor)))))
        for method, sums in _sums(source, methods, seed, preprocess, scaling).items()
        for factor in factors
    ]
    return pd.DataFrame(rows, columns=["method", "scale", "stress"])


def stress_summary(
    source: Source = "iris",
    *,
    methods: Sequence[str] = THREE,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """State where each curve of stress has its minimum, and what it is at the picture's own size.

    Returns a table: one row for each method: method, stress (at the size the picture has), optimal_scale,
    scale_normalized_stress, returns_to_one (the scale, twice the optimal one, from which the picture is worse
    than one shrunk to a point).

    Examples
    --------
    >>> table = stress_summary().set_index("method")
    >>> table["scale_normalized_stress"].idxmin()
    'mds'
    """
    rows = [
        {
            "method": method,
            "stress": float(np.sqrt(sums.normalized_stress())),
            "optimal_scale": sums.optimal_scale,
            "scale_normalized_stress": float(np.sqrt(sums.normalized_stress(sums.optimal_scale))),
            "returns_to_one": 2.0 * sums.optimal_scale,
        }
        for method, sums in _sums(source, methods, seed, preprocess, scaling).items()
    ]
    return pd.DataFrame(rows)


def stress_crossings(
    source: Source = "iris",
    *,
    methods: Sequence[str] = THREE,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """List the scales at which two curves of stress cross.

    Returns a table: one row for each crossing above 0, by ascending scale: first, second, scale, stress. At
    most one for each pair.

    Examples
    --------
    >>> len(stress_crossings())
    3
    """
    found = crossings(_sums(source, methods, seed, preprocess, scaling))
    rows = [(c.first, c.second, c.scale, c.stress) for c in found]
    return pd.DataFrame(rows, columns=["first", "second", "scale", "stress"])


def stress_orders(
    source: Source = "iris",
    *,
    methods: Sequence[str] = THREE,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """List the orders of pictures by stress that occur as one factor enlarges all of them.

    Returns a table: one row for each order, by ascending scale: order ("mds < tsne < random", least stress
    first), low, high (its scales). At most 4 for three methods: see `curves.orders` for the proof. Smelser et
    al. (2025) say six.

    Examples
    --------
    >>> len(stress_orders())
    4
    """
    found = orders(_sums(source, methods, seed, preprocess, scaling))
    return pd.DataFrame(
        [(" < ".join(o.order), o.low, o.high) for o in found], columns=["order", "low", "high"]
    )


def orders_at_own_scales(
    source: Source = "iris",
    *,
    methods: Sequence[str] = THREE,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """Give every picture a scale of its own, so that each of all possible orders by stress comes out.

    Returns a table: one row for each order and method: order, method, scale, stress.

    A curve falls from 1 to its least stress and comes back to 1 at twice the optimal scale, so that each picture takes
    every value between. The values here divide the room between the worst of the least stresses and 1 evenly.

    Examples
    --------
    >>> orders_at_own_scales()["order"].nunique()
    6
    """
    named = _sums(source, methods, seed, preprocess, scaling)
    least = {name: sums.normalized_stress(sums.optimal_scale) for name, sums in named.items()}
    worst = float(np.sqrt(max(least.values())))
    levels = worst + (1.0 - worst) * np.arange(1, len(named) + 1) / (len(named) + 1)
    rows = []
    for order in itertools.permutations(named):
        for name, level in zip(order, levels, strict=True):
            sums = named[name]
            # NS²(α) = NS²(α*) + (α − α*)²·Σe²/Σd², taken on the side of small pictures.
            step = np.sqrt((level**2 - least[name]) * sums.sum_d2 / sums.sum_e2)
            scale = float(sums.optimal_scale - step)
            stress = float(np.sqrt(sums.normalized_stress(scale)))
            rows.append((" < ".join(order), name, scale, stress))
    return pd.DataFrame(rows, columns=["order", "method", "scale", "stress"])


def shepard_diagram(
    source: Source = "wine",
    *,
    methods: Sequence[str] = ("mds", "random"),
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
    max_pairs: int = 4000,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Set the distances of pictures against those of the data, with the monotone fit: Figure 2.

    Returns a table: one row for each method and pair, by ascending distance in the data: method, d (in the
    data), e (in the picture), fitted (the non-decreasing function of d that is nearest to e; equal d have
    equal fits), shepard_goodness (the same in all rows of a method).

    Examples
    --------
    >>> table = shepard_diagram(max_pairs=500)
    >>> table.groupby("method")["shepard_goodness"].first().round(2).to_dict()["mds"] > 0.9
    True
    """
    from sklearn.isotonic import IsotonicRegression

    max_pairs = _checks.check_integer(max_pairs, "max_pairs", low=1)
    X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
    d = pdist(X)
    chosen = np.arange(d.size)
    if d.size > max_pairs:
        chosen = _checks.as_generator(rng).choice(d.size, max_pairs, replace=False)
    chosen = chosen[np.argsort(d[chosen], kind="stable")]
    parts = []
    for method, Y in named.items():
        e = pdist(Y)
        fitted = IsotonicRegression().fit(d, e).predict(d[chosen])
        parts.append(
            pd.DataFrame(
                {
                    "method": method,
                    "d": d[chosen],
                    "e": e[chosen],
                    "fitted": fitted,
                    "shepard_goodness": shepard_goodness(X, Y),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _sums(
    source: Source, methods: Sequence[str], seed: int, preprocess: str, scaling: str | None
) -> dict[str, PairSums]:
    X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
    return {name: pair_sums(X, Y) for name, Y in named.items()}
