"""KL divergence of several projections of the same data at many scales (Figures 3 and 4, Appendix B)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import brentq
from scipy.spatial.distance import pdist, squareform

from isotropy_lab._core import checks
from isotropy_lab.projection import affinities, kl_curve, kl_divergence, scale_normalized_kl
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram, histogram_of
from isotropy_lab.projection._pairs.kl_pairs import kl_pairs
from reanalyses.smelser2025.datasets import Dataset
from reanalyses.smelser2025.experiments.projection_sets import Projections, projections
from reanalyses.smelser2025.experiments.stress_scales import scales_or_default
from reanalyses.smelser2025.orders import ScaleOrder, join_intervals, order_table

__all__ = [
    "appendix_b",
    "clustered_points",
    "floored_gaussian_curve",
    "kl_curves",
    "kl_histogram",
    "kl_orders",
    "kl_summary",
    "minima_of_random_projections",
    "order_counts",
    "orders_of",
    "outlier_curve",
    "problem_curves",
    "random_problem",
]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator | int | None

#: Smaller differences of divergences are rounding errors.
_ROUNDING = 1e-12


def kl_histogram(P: Array, Y: npt.ArrayLike, *, bits: int = 9) -> KLHistogram:
    """Return the histogram of pairs with 2^bits bins per octave, which gives the divergence at any scale."""
    return histogram_of(kl_pairs(P, Y, perplexity=30.0, metric="affinities"), bits=bits)


def kl_curves(data: Projections, *, scales: npt.ArrayLike | None = None) -> pd.DataFrame:
    """Return the divergence of several projections enlarged by the same factors (Figure 3)."""
    factors = scales_or_default(scales)
    P = affinities(data.X, perplexity=30.0)
    tables = []
    for name, Y in data.Y.items():
        values = kl_curve(P, Y, factors, metric="affinities")
        tables.append(pd.DataFrame({"method": name, "scale": factors, "divergence": values}))
    return pd.concat(tables, ignore_index=True)


def kl_summary(data: Projections, *, perplexity: float = 30.0) -> pd.DataFrame:
    """Return the infimum of each divergence curve with its scale, and the limits."""
    P = affinities(data.X, perplexity=perplexity)
    rows = []
    for name, Y in data.Y.items():
        normalized = scale_normalized_kl(P, Y, metric="affinities")
        at_zero, at_own_scale = map(float, kl_histogram(P, Y).values([0.0, 1.0]))
        rows.append(
            {
                "method": name,
                "divergence": at_own_scale,
                "best_scale": normalized.scale,
                "scale_normalized_kl": normalized.value,
                "minima": normalized.n_minima,
                "infimum": "at 0" if normalized.at_zero else "at ∞" if normalized.at_infinity else "minimum",
                "at_zero": at_zero,
                "at_infinity": kl_divergence(P, Y, kernel="inverse-square", metric="affinities"),
            }
        )
    return pd.DataFrame(rows)


def kl_orders(data: Projections) -> pd.DataFrame:
    """Return the orders of projections by divergence that occur at common scales (`orders_of`)."""
    P = affinities(data.X, perplexity=30.0)
    return order_table(orders_of({name: kl_histogram(P, Y) for name, Y in data.Y.items()}))


def orders_of(histograms: Mapping[str, KLHistogram]) -> tuple[ScaleOrder, ...]:
    """Return the orders of projections by divergence over all common scales, ascending; orders may recur.

    The crossings of two curves have no closed form. Signs of differences are evaluated on a grid of scales, 16
    per factor of 2.718; with d the distances of pairs in a projection, it extends from 0.001 times the smallest
    1/max d to 1,000 times the largest 1/min d. Two crossings between adjacent scales are missed.
    """
    first, last = _scale_range(histograms)
    edges = [0.0, *sorted({s for scales in _crossings(histograms).values() for s in scales}), math.inf]
    intervals = []
    for low, high in itertools.pairwise(edges):
        middle = math.sqrt((low or min(first, high / 2)) * (high if high < math.inf else max(last, 2 * low)))
        values = {name: float(histogram.values([middle])[0]) for name, histogram in histograms.items()}
        intervals.append((tuple(sorted(values, key=values.__getitem__)), low, high))
    return join_intervals(intervals)


def random_problem(n_points: int, *, rng: Rng = 0) -> tuple[Array, tuple[Array, Array, Array]]:
    """Return affinities of a few random points, and three random projections with very different spreads."""
    generator = checks.as_generator(rng)
    X = generator.standard_normal((n_points, 3))
    P = affinities(X, perplexity=2.0)
    # Points at all distances from the center, so that pairs reach the bend of the kernel at different scales.
    radii = np.exp(1.5 * generator.standard_normal((3, n_points, 1)))
    first, second, third = generator.standard_normal((3, n_points, 2)) * radii
    return P, (first, second, third)


def problem_curves(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the divergence curves of three random projections, A, B, and C, and their orders over common scales."""
    factors = np.geomspace(0.03, 30.0, 161)
    P, random_projections = random_problem(5, rng=seed)
    histograms = {name: kl_histogram(P, Y) for name, Y in zip("ABC", random_projections, strict=True)}
    columns = {name: histogram.values(factors) for name, histogram in histograms.items()}
    curves = pd.DataFrame({"scale": factors} | columns)
    curves = curves.melt("scale", var_name="method", value_name="divergence")
    rows = []
    for interval in orders_of(histograms):
        # The first interval begins at 0, and the last one is unbounded.
        low = interval.low or min(interval.high, 1.0) / 4.0
        middle = math.sqrt(low * (interval.high if interval.high < math.inf else 4.0 * max(low, 0.25)))
        values = {name: float(histogram.values([middle])[0]) for name, histogram in histograms.items()}
        rows.append(
            {
                "order": " < ".join(interval.order),
                "low": interval.low,
                "high": interval.high,
                "scale": middle,
                **values,
            }
        )
    return curves, pd.DataFrame(rows)


def order_counts(
    *, n_problems: int = 3000, n_scales: int = 400, rng: Rng = 0
) -> tuple[pd.DataFrame, int | None]:
    """Count the orders of three projections by divergence over all common scales, in random problems.

    The second result is the seed with which `random_problem` draws the first problem that has all six orders,
    or None.
    """
    seeds = checks.as_generator(rng).integers(2**32, size=n_problems)
    squares = np.geomspace(1e-3, 1e3, n_scales) ** 2
    counts = np.zeros(7, dtype=np.intp)
    example: int | None = None
    for seed in map(int, seeds):
        P, random_projections = random_problem(5, rng=seed)
        p = 2.0 * P[np.triu_indices(5, 1)]
        p_log_p = float(p @ np.log(p, where=p > 0, out=np.zeros_like(p)))
        curves = []
        for Y in random_projections:
            w = 1.0 + squares[:, None] * pdist(Y, "sqeuclidean")
            curves.append(p_log_p + np.log(w) @ p + np.log((1.0 / w).sum(axis=1)))
        values = np.sort(curves, axis=0)
        is_clear = (np.diff(values, axis=0) > _ROUNDING).all(axis=0)
        orders = {tuple(column) for column in np.argsort(curves, axis=0)[:, is_clear].T}
        counts[len(orders)] += 1
        if len(orders) == 6 and example is None:
            example = seed
    table = pd.DataFrame({"orders": np.arange(1, 7), "problems": counts[1:]})
    table["share"] = table["problems"] / n_problems
    return table, example


def floored_gaussian_curve(
    X: checks.Points, Y: checks.Points, *, scales: npt.ArrayLike | None = None, perplexity: float = 30.0
) -> pd.DataFrame:
    """Compare the divergence for the Gaussian kernel with and without a floor of 1e-15 on probabilities (Figure 4).

    The divergence is convex in the squared scale, so it has at most one minimum. With a floor, the terms of
    distant pairs stop growing, and close pairs may create another minimum: `clustered_points` is an example.
    """
    factors = np.geomspace(2e-2, 2e2, 81) if scales is None else np.asarray(scales, dtype=np.float64)
    P = affinities(X, perplexity=perplexity)
    exact = kl_curve(P, Y, factors, kernel="gaussian", metric="affinities", method="exact")
    e2 = pdist(np.asarray(Y, dtype=float), "sqeuclidean")
    p = squareform(P, checks=False)
    entropy = 2.0 * float(p[p > 0] @ np.log(p[p > 0]))
    floored = np.empty(factors.size)
    for k, factor in enumerate(factors):
        with np.errstate(under="ignore"):
            q = np.exp(-(factor**2) * e2)
        total = 2.0 * float(q.sum())
        if total > 0.0:
            q /= total
        floored[k] = entropy - 2.0 * float(p @ np.log(np.maximum(q, 1e-15)))
    return pd.DataFrame(
        {
            "scale": factors,
            "divergence": exact,
            "minimum": is_minimum(exact),
            "floored": floored,
            "floored_minimum": is_minimum(floored),
        }
    )


def clustered_points() -> Dataset:
    """Return distant 3D clusters for which a floor creates a second minimum of the divergence.

    Use ``scaling="none"`` for the projection, and perplexity 8.8 for the measure.
    """
    generator = np.random.default_rng(0)
    n_clusters, n_points = 4, 8
    centers = 25.0 * generator.standard_normal((n_clusters, 1, 3))
    X = (centers + generator.standard_normal((n_clusters, n_points, 3))).reshape(-1, 3)
    return Dataset(
        name="clusters",
        X=X,
        labels=np.repeat(np.arange(n_clusters), n_points),
        label_names=tuple(f"cluster {i + 1}" for i in range(n_clusters)),
        feature_names=("x", "y", "z"),
    )


def appendix_b(scales: npt.ArrayLike | None = None) -> pd.DataFrame:
    """Return the divergence of three points at many scales, which always decreases (example of Appendix B).

    Its limit is 0, approached from above, whereas the heading of the appendix says "from below".
    """
    factors = scales_or_default(scales)
    P = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]])
    Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return pd.DataFrame(
        {"scale": factors, "divergence": kl_curve(P, Y, factors, metric="affinities", method="exact")}
    )


def outlier_curve() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the curve and the two minima of the divergence of data and projection with an added outlier.

    The outlier is not a neighbor of any other point: enlarging a small projection improves it by separating the
    outlier from the rest, enlarging a larger one by separating the other points; in between, it gets worse.
    Smelser et al. (2025) call this curve unimodal.
    """
    factors = np.geomspace(1e-6, 1e3, 401)
    data = projections("iris", ("pca",), scaling="none")
    distance = 1e4
    outlier = data.X.mean(axis=0)
    outlier[0] += distance
    Y = np.vstack([data.Y["pca"], [distance, 0.0]])
    P = affinities(np.vstack([data.X, outlier]), perplexity=30.0)
    normalized = scale_normalized_kl(P, Y, metric="affinities")
    curve = pd.DataFrame({"scale": factors, "divergence": kl_curve(P, Y, factors, metric="affinities")})
    return curve, pd.DataFrame(normalized.minima, columns=["scale", "divergence"])


def minima_of_random_projections(X: checks.Points) -> pd.DataFrame:
    """Return the minima of the divergence of 200 random projections, with its values at scale 0.

    By equation (10), the curve increases at scale 0 if the mean of the squared distance in the projection,
    weighted by P, exceeds its mean over all pairs.
    """
    generator = np.random.default_rng(0)
    P = affinities(X, perplexity=30.0)
    p = 2.0 * squareform(P, checks=False)
    at_zero = float(p[p > 0] @ np.log(p[p > 0])) + math.log(p.size)
    rows = []
    for draw in range(200):
        Y = generator.random((P.shape[0], 2))
        e2 = pdist(Y, "sqeuclidean")
        normalized = scale_normalized_kl(P, Y, metric="affinities")
        rows.append(
            {
                "draw": draw,
                "rises_at_zero": bool(p @ e2 > e2.mean()),
                "at_zero": normalized.at_zero,
                "minima": normalized.n_minima,
                "scale_normalized_kl": normalized.value,
                "divergence_at_zero": at_zero,
            }
        )
    return pd.DataFrame(rows)


def _scale_range(histograms: Mapping[str, KLHistogram]) -> tuple[float, float]:
    """Return a scale below which projections are small, and one above which the kernel is near its limit."""
    low, high = math.inf, 0.0
    for histogram in histograms.values():
        unit = histogram.size  # unit of length
        nearest = histogram.nearest or float(histogram.number_at[histogram.number_at > 0].min())
        low = min(low, 1e-3 / (unit * math.sqrt(histogram.farthest)))
        high = max(high, 1e3 / (unit * math.sqrt(nearest)))
    return low, high


def _crossings(histograms: Mapping[str, KLHistogram]) -> dict[tuple[str, str], list[float]]:
    low, high = _scale_range(histograms)
    grid = np.geomspace(low, high, math.ceil(16 * math.log(high / low)) + 1)
    values = {name: histogram.values(grid) for name, histogram in histograms.items()}
    crossings = {}
    for a, b in itertools.combinations(histograms, 2):
        difference = values[a] - values[b]
        unequal = np.flatnonzero(np.abs(difference) > _ROUNDING)
        sign_changes = np.flatnonzero(np.diff(np.sign(difference[unequal])))
        log_scales = np.log(grid[unequal])
        pair = histograms[a], histograms[b]
        crossings[a, b] = [
            math.exp(brentq(_difference, log_scales[k], log_scales[k + 1], args=pair)) for k in sign_changes
        ]
    return crossings


def _difference(log_scale: float, a: KLHistogram, b: KLHistogram) -> float:
    scale = [math.exp(log_scale)]
    return float(a.values(scale)[0] - b.values(scale)[0])


def is_minimum(values: Array) -> npt.NDArray[np.bool_]:
    """Return a mask of values below both adjacent values, without the first and the last value."""
    mask = np.zeros(values.size, dtype=bool)
    if values.size > 2:
        mask[1:-1] = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])
    return mask
