"""Divergence of several pictures of the same data as their sizes change: Figures 3 and 4, Appendix B, and minima."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from isotropy_lab import _checks
from isotropy_lab.projection._checks import as_scales, check_same_points
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram, kl_histogram
from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.curves import ScaleOrder
from isotropy_lab.projection.kl_curves import kl_curve, scale_normalized_kl
from scipy.optimize import brentq
from scipy.spatial.distance import pdist, squareform

from reanalyses.smelser2025.datasets import Dataset
from reanalyses.smelser2025.experiments.pictures import Source, pictures, prepared
from reanalyses.smelser2025.experiments.stress_scales import scales_or_default

__all__ = [
    "appendix_b",
    "clustered_points",
    "floored_gaussian_curve",
    "kl_crossings",
    "kl_curves",
    "kl_orders",
    "kl_summary",
    "minima_of_random_pictures",
    "order_counts",
    "orders_of",
    "outlier_curve",
    "pair_affinities",
    "problem_curves",
    "random_problem",
]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator | int | None

#: Differences of divergences below this are rounding.
_ROUNDING = 1e-12


def kl_curves(
    source: Source = "wine",
    *,
    methods: Sequence[str] = ("random", "mds", "tsne"),
    scales: npt.ArrayLike | None = None,
    perplexity: float = 30.0,
    kernel: str = "student-t",
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """Enlarge several pictures of the same data by the same factors and measure the divergence: Figure 3.

    Returns a table: one row for each method and scale: method, scale, divergence.

    Examples
    --------
    >>> table = kl_curves(scales=[0.0, 1.0])
    >>> table.loc[table["scale"] == 0, "divergence"].nunique()  # at scale 0 all pictures are the same
    1
    """
    factors = scales_or_default(scales)
    X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
    P = affinities(X, perplexity=perplexity)
    parts = [
        pd.DataFrame(
            {
                "method": name,
                "scale": factors,
                "divergence": kl_curve(P, Y, factors, kernel=kernel, metric="affinities"),
            }
        )
        for name, Y in named.items()
    ]
    return pd.concat(parts, ignore_index=True)


def kl_summary(
    source: Source = "wine",
    *,
    methods: Sequence[str] = ("random", "mds", "tsne"),
    perplexity: float = 30.0,
    kernel: str = "student-t",
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """State where each curve of divergence has its infimum, and its limits.

    Returns a table: one row for each method: method, divergence (at the size the picture has), best_scale,
    scale_normalized_kl, minima (local ones at scales between 0 and ∞), infimum ("minimum", "at 0" or "at ∞"),
    at_zero, at_infinity (the limits; infinite where they are).

    Examples
    --------
    >>> table = kl_summary().set_index("method")
    >>> table["scale_normalized_kl"].idxmin(), table["minima"].max() >= 1
    ('tsne', np.True_)
    """
    X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
    P = affinities(X, perplexity=perplexity)
    rows = []
    for name, Y in named.items():
        found = scale_normalized_kl(P, Y, kernel=kernel, metric="affinities")
        histogram = kl_histogram(P, Y, metric="affinities")
        at_zero, own = map(float, histogram.values([0.0, 1.0], kernel=kernel))
        limit = math.inf
        if kernel == "student-t":
            limit = float(histogram.values([1.0], kernel="inverse-square")[0])
        rows.append(
            {
                "method": name,
                "divergence": own,
                "best_scale": found.scale,
                "scale_normalized_kl": found.value,
                "minima": found.n_minima,
                "infimum": "at 0" if found.at_zero else "at ∞" if found.at_infinity else "minimum",
                "at_zero": at_zero,
                "at_infinity": limit,
            }
        )
    return pd.DataFrame(rows)


def kl_crossings(
    source: Source = "wine",
    *,
    methods: Sequence[str] = ("random", "mds", "tsne"),
    perplexity: float = 30.0,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """List the scales at which two curves of divergence cross.

    Returns a table: one row for each crossing found above 0, by ascending scale: first, second, scale,
    divergence. A pair of curves may cross several times.

    There is no closed form. Signs of differences are taken at 16 scales in each factor of e, from a thousandth of the
    smallest 1/max e to a thousand times the largest 1/min e; two crossings between neighbors in that grid are missed.

    Examples
    --------
    >>> list(kl_crossings().columns)
    ['first', 'second', 'scale', 'divergence']
    """
    named = _histograms(source, methods, perplexity, seed, preprocess, scaling)
    rows = [
        (a, b, scale, float(named[a].values([scale])[0]))
        for (a, b), scales in _meetings(named).items()
        for scale in scales
    ]
    table = pd.DataFrame(rows, columns=["first", "second", "scale", "divergence"])
    return table.sort_values("scale", ignore_index=True)


def kl_orders(
    source: Source = "wine",
    *,
    methods: Sequence[str] = ("random", "mds", "tsne"),
    perplexity: float = 30.0,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """List the orders of pictures by divergence that occur as one factor enlarges all of them.

    Returns a table: one row for each interval of scales, ascending: order ("tsne < mds < random", least
    divergence first), low, high. An order may come back.

    The search is that of `kl_crossings`.

    Examples
    --------
    >>> kl_orders()["order"].nunique() <= 6
    True
    """
    found = orders_of(_histograms(source, methods, perplexity, seed, preprocess, scaling))
    return pd.DataFrame(
        [(" < ".join(o.order), o.low, o.high) for o in found], columns=["order", "low", "high"]
    )


def orders_of(named: Mapping[str, KLHistogram]) -> tuple[ScaleOrder, ...]:
    """Return the orders of pictures by divergence over all common scales.

    Returns by ascending scale; neighbors differ, but an order may come back.

    Examples
    --------
    >>> P, (A, B, C) = random_problem(5, rng=0)
    >>> named = {k: kl_histogram(P, Y, metric="affinities") for k, Y in zip("ABC", (A, B, C))}
    >>> found = orders_of(named)
    >>> found[0].low, found[-1].high
    (0.0, inf)
    """
    first, last = _range(named)
    edges = [0.0, *sorted({scale for scales in _meetings(named).values() for scale in scales}), math.inf]
    found: list[ScaleOrder] = []
    for low, high in itertools.pairwise(edges):
        middle = math.sqrt((low or min(first, high / 2)) * (high if high < math.inf else max(last, 2 * low)))
        values = {name: float(histogram.values([middle])[0]) for name, histogram in named.items()}
        order = tuple(sorted(values, key=values.__getitem__))
        if found and found[-1].order == order:
            found[-1] = ScaleOrder(order, found[-1].low, high)
        else:
            found.append(ScaleOrder(order, low, high))
    return tuple(found)


def random_problem(n_points: int, *, rng: Rng = 0) -> tuple[Array, tuple[Array, Array, Array]]:
    """Draw affinities of a few random points, and three random pictures of very different spreads.

    Examples
    --------
    >>> P, pictures = random_problem(5)
    >>> P.shape, [Y.shape for Y in pictures]
    ((5, 5), [(5, 2), (5, 2), (5, 2)])
    """
    n_points = _checks.check_integer(n_points, "n_points", low=4)
    generator = _checks.as_generator(rng)
    X = generator.standard_normal((n_points, 3))
    P = affinities(X, perplexity=2.0)
    # Points at all distances from the middle: near and far pairs meet the bend of the kernel at different scales.
    spread = np.exp(1.5 * generator.standard_normal((3, n_points, 1)))
    first, second, third = generator.standard_normal((3, n_points, 2)) * spread
    return P, (first, second, third)


def pair_affinities(
    X: _checks.Points,
    Y: _checks.Points,
    scales: npt.ArrayLike = (0.0, 1.0, 10.0),
    *,
    perplexity: float = 30.0,
) -> pd.DataFrame:
    """List for each pair of points the share that it has of the affinities of the data, and of the picture's by scale.

    Returns a table: one row for each pair i < j, by ascending distance in the data: pair (counted from 1),
    distance (in the picture, unscaled), data, and a column for each scale, "scale 1" and the like. Both
    halves of a pair are counted, so that each of these columns sums to 1.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> table = pair_affinities(X, X, [0.0], perplexity=2.0)
    >>> table["pair"].tolist()[0], float(table["data"].sum().round(9)), float(table["scale 0"].iloc[0].round(4))
    ('1–2', 1.0, 0.1667)
    """
    factors = as_scales(scales)
    P = affinities(X, perplexity=perplexity)
    points, picture = (_checks.as_points(X, "X"), _checks.as_points(Y, "Y"))
    check_same_points(points.shape[0], picture.shape[0])
    first, second = np.triu_indices(points.shape[0], 1)
    e2 = pdist(picture, "sqeuclidean")
    table = pd.DataFrame(
        {
            "pair": [f"{i + 1}–{j + 1}" for i, j in zip(first, second, strict=True)],
            "distance": np.sqrt(e2),
            "data": 2.0 * squareform(P, checks=False),
        }
    )
    for factor in factors:
        weights = 1.0 / (1.0 + factor**2 * e2)
        table[f"scale {factor:g}"] = weights / weights.sum()
    return table.iloc[np.argsort(pdist(points), kind="stable")].reset_index(drop=True)


def problem_curves(
    seed: int, *, n_points: int = 5, scales: npt.ArrayLike | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Follow the three pictures of a random problem over all common scales: what `order_counts` found, drawn and listed.

    Returns a table: the curves (method, scale, divergence), the pictures being called A, B and C; and the
    orders (order, low, high) as `kl_orders` returns them, with a scale in the middle of each interval and the
    divergences of A, B and C there.

    Examples
    --------
    >>> _, orders = problem_curves(3420186697)
    >>> orders["order"].nunique()
    6
    """
    factors = np.geomspace(0.03, 30.0, 161) if scales is None else as_scales(scales)
    P, drawn = random_problem(n_points, rng=seed)
    named = {name: kl_histogram(P, Y, metric="affinities") for name, Y in zip("ABC", drawn, strict=True)}
    curves = pd.concat(
        [
            pd.DataFrame({"method": name, "scale": factors, "divergence": histogram.values(factors)})
            for name, histogram in named.items()
        ],
        ignore_index=True,
    )
    rows = []
    for found in orders_of(named):
        # The first interval begins at 0 and the last one has no end.
        low = found.low or min(found.high, 1.0) / 4.0
        middle = math.sqrt(low * (found.high if found.high < math.inf else 4.0 * max(low, 0.25)))
        values = {name: float(histogram.values([middle])[0]) for name, histogram in named.items()}
        rows.append(
            {
                "order": " < ".join(found.order),
                "low": found.low,
                "high": found.high,
                "scale": middle,
                **values,
            }
        )
    return curves, pd.DataFrame(rows)


def order_counts(
    *, n_problems: int = 3000, n_points: int = 5, n_scales: int = 400, rng: Rng = 0
) -> tuple[pd.DataFrame, int | None]:
    """Count the orders of three pictures by divergence that one common scale can bring about, in random problems.

    Returns a table: the table has one row for each number of orders from 1 to 6: orders, problems, share.
    Beside it the seed with which `random_problem` draws the first problem that has all six, if one has.

    With stress, three pictures have at most 4 orders (`curves.orders`); with the divergence, two curves can cross more than
    once, and all 6 occur.

    Examples
    --------
    >>> table, _ = order_counts(n_problems=20)
    >>> int(table["problems"].sum())
    20
    """
    n_problems = _checks.check_integer(n_problems, "n_problems", low=1)
    n_scales = _checks.check_integer(n_scales, "n_scales", low=2)
    seeds = _checks.as_generator(rng).integers(2**32, size=n_problems)
    squares = np.geomspace(1e-3, 1e3, n_scales) ** 2
    counts = np.zeros(7, dtype=np.intp)
    example: int | None = None
    for seed in map(int, seeds):
        P, drawn = random_problem(n_points, rng=seed)
        p = 2.0 * P[np.triu_indices(n_points, 1)]
        p_log_p = float(p @ np.log(p, where=p > 0, out=np.zeros_like(p)))
        curves = []
        for Y in drawn:
            w = 1.0 + squares[:, None] * pdist(Y, "sqeuclidean")
            curves.append(p_log_p + np.log(w) @ p + np.log((1.0 / w).sum(axis=1)))
        values = np.sort(curves, axis=0)
        clear = (np.diff(values, axis=0) > _ROUNDING).all(axis=0)
        found = {tuple(column) for column in np.argsort(curves, axis=0)[:, clear].T}
        counts[len(found)] += 1
        if len(found) == 6 and example is None:
            example = seed
    table = pd.DataFrame({"orders": np.arange(1, 7), "problems": counts[1:]})
    table["share"] = table["problems"] / n_problems
    return table, example


def floored_gaussian_curve(
    source: Source = "digits",
    *,
    method: str = "umap",
    scales: npt.ArrayLike | None = None,
    floor: float = 1e-15,
    perplexity: float = 30.0,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> pd.DataFrame:
    """Compare the divergence by the Gaussian kernel with what flooring its probabilities makes of it: Figure 4.

    Returns a table: one row for each scale: scale, divergence, minimum (whether it is less than at both
    neighbors), floored, floored_minimum (the same for the floored q).

    The divergence is convex in the square of the scale: one minimum at most. Floored, the terms of far pairs stop to
    grow, and the near pairs that are left can bring about a minimum of their own: `clustered_points` draws an example.
    Each scale costs a pass over the pairs.

    Examples
    --------
    >>> table = floored_gaussian_curve("iris", method="tsne")
    >>> int(table["minimum"].sum())
    1
    """
    floor = _checks.check_real(floor, "floor", low=0.0, high=1.0, open_low=True, open_high=True)
    factors = np.geomspace(2e-2, 2e2, 81) if scales is None else as_scales(scales)
    X, named = pictures(source, (method,), seed=seed, preprocess=preprocess, scaling=scaling)
    P = affinities(X, perplexity=perplexity)
    exact = kl_curve(P, named[method], factors, kernel="gaussian", metric="affinities", method="exact")
    e2 = pdist(named[method], "sqeuclidean")
    p = squareform(P, checks=False)
    entropy = 2.0 * float(p[p > 0] @ np.log(p[p > 0]))
    floored = np.empty(factors.size)
    for k, factor in enumerate(factors):
        with np.errstate(under="ignore"):
            q = np.exp(-(factor**2) * e2)
        total = 2.0 * float(q.sum())
        if total > 0.0:
            q /= total
        floored[k] = entropy - 2.0 * float(p @ np.log(np.maximum(q, floor)))
    return pd.DataFrame(
        {
            "scale": factors,
            "divergence": exact,
            "minimum": _is_minimum(exact),
            "floored": floored,
            "floored_minimum": _is_minimum(floored),
        }
    )


def clustered_points(
    *, n_clusters: int = 4, n_points: int = 8, separation: float = 25.0, rng: Rng = 0
) -> Dataset:
    """Draw far clusters of a few points, on which a floor makes a second minimum of the Gaussian divergence.

    Returns in three dimensions, to be projected as they are (``scaling="none"``).

    Examples
    --------
    >>> table = floored_gaussian_curve(
    ...     clustered_points(), method="pca", scales=np.geomspace(1e-3, 10, 121), perplexity=8.8, scaling="none"
    ... )
    >>> int(table["minimum"].sum()), int(table["floored_minimum"].sum())
    (1, 2)
    """
    n_clusters = _checks.check_integer(n_clusters, "n_clusters", low=1)
    n_points = _checks.check_integer(n_points, "n_points", low=1)
    separation = _checks.check_real(separation, "separation", low=0.0, high=1e100)
    generator = _checks.as_generator(rng)
    middles = separation * generator.standard_normal((n_clusters, 1, 3))
    X = (middles + generator.standard_normal((n_clusters, n_points, 3))).reshape(-1, 3)
    return Dataset(
        name="clusters",
        X=X,
        labels=np.repeat(np.arange(n_clusters), n_points),
        label_names=tuple(f"cluster {i + 1}" for i in range(n_clusters)),
        feature_names=("x", "y", "z"),
        source="drawn at random",
        note="",
    )


def appendix_b(scales: npt.ArrayLike | None = None) -> pd.DataFrame:
    """Three points whose divergence falls with the scale for ever: the example of Appendix B.

    Returns a table: one row for each scale: scale, divergence. Its limit is 0, which it comes near from
    above; the appendix's heading says "from below".

    Examples
    --------
    >>> appendix_b([0.0, 1.0, 100.0])["divergence"].round(4).tolist()
    [0.0437, 0.007, 0.0]
    """
    factors = scales_or_default(scales)
    P = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]])
    Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return pd.DataFrame(
        {"scale": factors, "divergence": kl_curve(P, Y, factors, metric="affinities", method="exact")}
    )


def outlier_curve(
    source: Source = "iris",
    *,
    distance: float = 1e4,
    scales: npt.ArrayLike | None = None,
    perplexity: float = 30.0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add one far point to data and picture, so that the Student-t divergence has two minima.

    Returns a table: the curve (scale, divergence) and its minima (scale, divergence).

    No other point has the far one among its neighbors: a small picture gains by telling it from the rest, a larger one
    by telling the rest apart, and between the two it gains nothing. Smelser et al. (2025) call this curve unimodal from
    experience, and the Gaussian one not; it is the other way round.

    Examples
    --------
    >>> _, minima = outlier_curve()
    >>> len(minima)
    2
    """
    distance = _checks.check_real(distance, "distance", low=-1e100, high=1e100)
    factors = np.geomspace(1e-6, 1e3, 401) if scales is None else as_scales(scales)
    X, named = pictures(source, ("pca",), scaling="none")
    far = X.mean(axis=0)
    far[0] += distance
    Y = np.vstack([named["pca"], [distance, 0.0]])
    P = affinities(np.vstack([X, far]), perplexity=perplexity)
    found = scale_normalized_kl(P, Y, metric="affinities")
    curve = pd.DataFrame({"scale": factors, "divergence": kl_curve(P, Y, factors, metric="affinities")})
    return curve, pd.DataFrame(found.minima, columns=["scale", "divergence"])


def minima_of_random_pictures(
    source: Source = "iris",
    *,
    n_draws: int = 200,
    perplexity: float = 30.0,
    preprocess: str = "consistent",
    scaling: str | None = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Draw random pictures and see how often their divergence is least at scale 0.

    Returns a table: one row for each picture: draw, rises_at_zero (whether the curve rises from scale 0, so
    that this is a minimum), at_zero (whether the infimum is there), minima (at scales between),
    scale_normalized_kl, divergence_at_zero.

    The curve rises from 0 if the mean of e² under P is above its mean over all pairs, equation (10). For a picture that
    does not know the data this is a matter of chance.

    Examples
    --------
    >>> table = minima_of_random_pictures(n_draws=20)
    >>> 0 < int(table["rises_at_zero"].sum()) < 20
    True
    """
    n_draws = _checks.check_integer(n_draws, "n_draws", low=1)
    generator = _checks.as_generator(rng)
    P = affinities(prepared(source, preprocess=preprocess, scaling=scaling).scoring, perplexity=perplexity)
    p = 2.0 * squareform(P, checks=False)
    at_zero = float(p[p > 0] @ np.log(p[p > 0])) + math.log(p.size)
    rows = []
    for draw in range(n_draws):
        Y = generator.random((P.shape[0], 2))
        e2 = pdist(Y, "sqeuclidean")
        found = scale_normalized_kl(P, Y, metric="affinities")
        rows.append(
            {
                "draw": draw,
                "rises_at_zero": bool(p @ e2 > e2.mean()),
                "at_zero": found.at_zero,
                "minima": found.n_minima,
                "scale_normalized_kl": found.value,
                "divergence_at_zero": at_zero,
            }
        )
    return pd.DataFrame(rows)


def _histograms(
    source: Source, methods: Sequence[str], perplexity: float, seed: int, preprocess: str, scaling: str | None
) -> dict[str, KLHistogram]:
    X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
    P = affinities(X, perplexity=perplexity)
    return {name: kl_histogram(P, Y, metric="affinities") for name, Y in named.items()}


def _range(named: Mapping[str, KLHistogram]) -> tuple[float, float]:
    """A scale below which all pictures are small, and one above which the kernel has its limit for all."""
    low, high = math.inf, 0.0
    for histogram in named.values():
        unit = math.ldexp(1.0, histogram.exponent)
        least = histogram.nearest or float(histogram.number_at[histogram.number_at > 0].min())
        low = min(low, 1e-3 / (unit * math.sqrt(histogram.farthest)))
        high = max(high, 1e3 / (unit * math.sqrt(least)))
    return low, high


def _meetings(named: Mapping[str, KLHistogram]) -> dict[tuple[str, str], list[float]]:
    low, high = _range(named)
    grid = np.geomspace(low, high, math.ceil(16 * math.log(high / low)) + 1)
    values = {name: histogram.values(grid) for name, histogram in named.items()}
    found = {}
    for a, b in itertools.combinations(named, 2):
        gap = values[a] - values[b]
        apart = np.flatnonzero(np.abs(gap) > _ROUNDING)
        turns = np.flatnonzero(np.diff(np.sign(gap[apart])))
        between = _difference(named[a], named[b])
        found[a, b] = [
            math.exp(brentq(between, math.log(grid[apart[k]]), math.log(grid[apart[k + 1]]))) for k in turns
        ]
    return found


def _difference(a: KLHistogram, b: KLHistogram) -> Callable[[float], float]:
    def difference(log_scale: float) -> float:
        scale = [math.exp(log_scale)]
        return float(a.values(scale)[0] - b.values(scale)[0])

    return difference


def _is_minimum(values: Array) -> npt.NDArray[np.bool_]:
    """Which values are below both neighbors; the first and the last are not counted."""
    found = np.zeros(values.size, dtype=bool)
    if values.size > 2:
        found[1:-1] = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])
    return found
