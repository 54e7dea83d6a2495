"""Deciding numbers of the errata of Smelser et al. (2025): one function per entry of ``errata.toml``.

Every function returns a `Finding` whose values are the deciding numbers and whose ``holds`` says whether they confirm
the entry. Random draws have fixed seeds; projections are the bundled ones.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import pdist, squareform

from isotropy_lab.projection import (
    affinities,
    forced_scale_kl,
    kl_curve,
    kl_divergence,
    nonmetric_stress,
    normalized_stress,
    optimal_scale,
    scale_normalized_kl,
    scale_normalized_stress,
    shepard_goodness,
)
from reanalyses.ledger import Finding
from reanalyses.smelser2025 import claims, datasets, experiments, reported_numbers, stored
from reanalyses.smelser2025.claims import (
    both_before_mds,
    both_scores,
    crossings_of_random,
    forced_scale_stress,
    kl_at_infinity,
    percentages,
    projected,
    random_minima,
    raw_stress,
)
from reanalyses.smelser2025.datasets.surveyed import SURVEYED
from reanalyses.smelser2025.experiments import projections
from reanalyses.smelser2025.kl_derivative import kl_derivative
from reanalyses.zeros import listed, or_zero

Array = NDArray[np.float64]

#: Five points whose divergence has a minimum at scale 0 that is not the global one: affinities of the pairs (1, 2),
#: (1, 3), …, (4, 5) up to a common factor, and coordinates of the points.
FIVE_P = (3, 33, 146, 3, 36, 1, 140, 24, 111, 3)
FIVE_Y = ((3.54, -11.82), (-0.06, 2.01), (0.51, 0.24), (-10.23, 0.95), (0.44, 0.28))


@lru_cache(maxsize=8)
def _iris(method: str = "pca", scaling: str = "none") -> tuple[Array, Array]:
    """Return iris and a projection of it."""
    data = projections("iris", (method,), scaling=scaling)
    return data.X, data.Y[method]


# --- stress -------------------------------------------------------------------------------------------------


def optimal_alpha() -> Finding:
    """Return log₁₀ of squared stress at the reported α relative to its minimum, at three sizes."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    minimum = scale_normalized_stress(X, Y, squared=True)
    stresses = []
    for size in (0.1, 1.0, 10.0):
        alpha = float(d @ (size * e)) / float(d @ d)
        stresses.append(normalized_stress(X, size * Y, scale=alpha, squared=True))
    values = tuple(math.log10(stress / minimum) for stress in stresses)
    return Finding(
        values,
        min(values) > 0.05,
        f"log₁₀ of the quotient {listed(values, 4)}: squared stress {listed(stresses, 4)} in place of {minimum:.4g}",
    )


def alpha_is_a_slope() -> Finding:
    """Return the reported and correct α of enlarged components, and the correlation of distances."""
    X, Y = _iris()
    d, e = pdist(X), pdist(10.0 * Y)
    values = (float(d @ e) / float(d @ d), optimal_scale(X, 10.0 * Y), float(np.corrcoef(d, e)[0, 1]))
    return Finding(
        values,
        values[0] > 1,
        f"printed α {values[0]:.3f}, right α {values[1]:.4f}, correlation {values[2]:.4f}",
    )


def cross_term() -> Finding:
    """Return raw stress over all ordered pairs, and its expansion with + and with −, for iris's components."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    correct = 2 * raw_stress(X, Y, scale=0.5)
    plus, minus = (2 * float(d @ d + sign * 0.5 * d @ e + 0.25 * e @ e) for sign in (1.0, -2.0))
    values = (correct, minus, plus)
    return Finding(
        values,
        abs(correct - minus) < 1e-8 * correct < plus - correct,
        f"raw stress {correct:.0f}, expansion with −2α {minus:.0f}, as printed {plus:.0f}",
    )


def square_root() -> Finding:
    """Return normalized stress with the root of equation (2), and without it as in Table I and (3) and (4)."""
    X, Y = _iris()
    values = (
        scale_normalized_stress(X, Y),
        scale_normalized_stress(X, Y, squared=True),
        nonmetric_stress(X, Y),
        nonmetric_stress(X, Y, squared=True),
    )
    return Finding(
        values,
        values[0] > 10 * values[1],
        f"SNS {values[0]:.5f} with the root, {values[1]:.6f} without; NMS {values[2]:.5f} and {values[3]:.6f}",
    )


def parabola() -> Finding:
    """Return the ratio of second differences of stress at small to large sizes, with and without the root."""
    X, Y = _iris()
    values = []
    for squared in (False, True):
        curve = {s: normalized_stress(X, Y, scale=s, squared=squared) for s in (2, 3, 4, 8, 9, 10)}
        values.append((curve[2] - 2 * curve[3] + curve[4]) / (curve[8] - 2 * curve[9] + curve[10]))
    return Finding(
        tuple(values),
        values[0] > 2 and abs(values[1] - 1) < 1e-9,
        f"quotient of second differences {values[0]:.1f} with the root, {values[1]:.6f} without, where a parabola has 1",
    )


def constant_factor() -> Finding:
    """Return the ratio of raw stress to normalized stress at sizes 1 and 2, with and without the root."""
    X, Y = _iris()
    values = tuple(
        2.0 * raw_stress(X, Y, scale=s) / normalized_stress(X, Y, scale=s, squared=squared)
        for squared in (False, True)
        for s in (1.0, 2.0)
    )
    return Finding(
        values,
        values[1] > 2 * values[0] and abs(values[2] / values[3] - 1) < 1e-9,
        f"{values[0]:.4g} at size 1 and {values[1]:.4g} at size 2 with the root; {values[2]:.6g} and {values[3]:.6g} without",
    )


def sammon() -> Finding:
    """Return squared normalized stress, and Sammon's (1/Σd) Σ(d − e)²/d over pairs of distinct points."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    values = (
        normalized_stress(X, Y, squared=True),
        float((((d - e) ** 2)[d > 0] / d[d > 0]).sum() / d.sum()),
    )
    return Finding(
        values,
        values[1] > 2 * values[0],
        f"squared normalized stress {values[0]:.5f}, Sammon's stress {values[1]:.5f}",
    )


def six_orders() -> Finding:
    """Return the largest number of orders of three methods at common scales, and the number at their own."""
    n_common = max(len(experiments.stress_orders(projections(name))) for name in experiments.WELL_KNOWN)
    n_own = experiments.orders_at_own_scales(projections("iris"))["order"].nunique()
    return Finding(
        (float(n_common), float(n_own)),
        n_common == 4 and n_own == 6,
        f"{n_common} orders at one common scale, {n_own} at scales of their own",
    )


def crossing_of_random() -> Finding:
    """Return the range of scales beyond which random has less stress than MDS on iris, for both references."""
    scales = crossings_of_random().groupby("preprocess")["scale"]
    values = tuple(
        float(value)
        for preprocess in ("as-published", "consistent")
        for value in (scales.min()[preprocess], scales.max()[preprocess])
    )
    return Finding(
        values,
        values[0] > 3 * values[3],
        f"against raw data {values[0]:.2f} to {values[1]:.2f}, against the projected data {values[2]:.2f} to {values[3]:.2f}",
    )


def forced_scale_factor() -> Finding:
    """Return log₁₀ of the growth of squared FSNS under tenfold enlargement, as published and as intended."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    d = d / d.max()
    published = [float(((d - (s * e).max() * s * e) ** 2).sum() / d.sum()) for s in (1.0, 10.0)]
    correct = [float(((d - s * e / (s * e).max()) ** 2).sum() / d.sum()) for s in (1.0, 10.0)]
    values = (math.log10(published[1] / published[0]), math.log10(correct[1] / correct[0]))
    return Finding(
        values,
        values[0] > 3 and abs(values[1]) < 1e-9,
        f"log₁₀ of the growth {values[0]:.4f} as printed, {abs(values[1]):.4f} as meant: squared values as printed "
        f"{published[0]:.4g} and {published[1]:.4g}, as meant {correct[0]:.4g} and {correct[1]:.4g}, all over Σd′",
    )


def forced_scale_denominator() -> Finding:
    """Return squared FSNS for the components of iris, divided by Σd′ (as published) and by Σd′²."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    d, e = d / d.max(), e / e.max()
    square = float(((d - e) ** 2).sum())
    values = (square / float(d.sum()), forced_scale_stress(X, Y) ** 2)
    return Finding(
        values,
        abs(square / float((d**2).sum()) - values[1]) < 1e-12 and values[0] < 0.9 * values[1],
        f"over Σd′ {values[0]:.6f}, over Σd′² {values[1]:.6f}",
    )


def regression_of_which_on_which() -> Finding:
    """Return NMS at sizes 1 and 10 for the regression of d on e (as in the text) and of e on d."""
    from sklearn.isotonic import IsotonicRegression

    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    fitted = IsotonicRegression().fit_transform(e, d)
    published = [float(np.sqrt(((fitted - s * e) ** 2).sum() / ((s * e) ** 2).sum())) for s in (1.0, 10.0)]
    correct = [nonmetric_stress(X, s * Y) for s in (1.0, 10.0)]
    return Finding(
        (*published, *correct),
        abs(published[1] - published[0]) > 0.1 and abs(correct[1] - correct[0]) < 1e-9,
        f"d on e {published[0]:.4f} and {published[1]:.4f}, e on d {correct[0]:.4f} and {correct[1]:.4f}, at sizes 1 and 10",
    )


def ties() -> Finding:
    """Return NMS of iris by MDS, if tied distances may have different fits, and if they share one fit."""
    X, Y = _iris("mds")
    values = (nonmetric_stress(X, Y), nonmetric_stress(X, Y, ties="secondary"))
    return Finding(
        values, values[0] < values[1], f"ties may differ {values[0]:.5f}, ties equal {values[1]:.5f}"
    )


def rounding_breaks_ties() -> Finding:
    """Return iris's Shepard goodness before and after a rotation, computed by our code and by SciPy."""
    X, Y = _iris()
    # Compute elementwise, since all processors round alike, with the angle of the 5-12-13 triangle.
    cosine, sine = 12 / 13, 5 / 13
    rotated = X.copy()
    rotated[:, 1] = cosine * X[:, 1] + sine * X[:, 2]
    rotated[:, 2] = cosine * X[:, 2] - sine * X[:, 1]
    kept = [shepard_goodness(points, Y) for points in (X, rotated)]
    broken = [float(stats.spearmanr(pdist(points), pdist(Y))[0]) for points in (X, rotated)]
    holds = abs(kept[0] - kept[1]) < 1e-12 and min(abs(b - kept[0]) for b in broken) > 5e-6
    holds &= abs(broken[0] - broken[1]) > 1e-6
    return Finding(
        (*kept, *broken),
        bool(holds),
        f"ties kept {kept[0]:.6f}, rotated {kept[1]:.6f}; SciPy {broken[0]:.6f}, rotated {broken[1]:.6f}",
    )


def diagonal_of_the_matrix() -> Finding:
    """Return Shepard goodness of a random projection, computed from pairs i < j and from full matrices."""
    X, Y = _iris("random")
    full = [squareform(pdist(points)).ravel() for points in (X, Y)]
    values = (shepard_goodness(X, Y), float(stats.spearmanr(*full)[0]))
    return Finding(
        values, values[1] - values[0] > 0.01, f"pairs i < j {values[0]:.4f}, whole matrices {values[1]:.4f}"
    )


# --- divergence ---------------------------------------------------------------------------------------------


def conditional_probability() -> Finding:
    """Return the error of correct row sums of p(j|i), and the range and row sum of the published p(j|i)."""
    X = _iris()[0]
    d2 = squareform(pdist(X, "sqeuclidean"))
    n = len(X)
    kernel = np.exp(-d2 / (2 * np.median(d2)))
    off_diagonal = ~np.eye(n, dtype=bool)
    correct = (kernel * off_diagonal) / (kernel * off_diagonal).sum(axis=1, keepdims=True)
    # The published terms do not depend on k and l, so their sum is N(N − 1) times the numerator.
    published = np.where(off_diagonal, kernel / (n * (n - 1) * kernel), 0.0)
    values = (
        float(np.abs(correct.sum(axis=1) - 1).max()),
        float(np.ptp(published[off_diagonal])),
        float(published[0].sum()) * n,
    )
    return Finding(
        values,
        values[1] < 1e-15 < correct[off_diagonal].max(),
        f"sums of right rows differ from 1 by {or_zero(values[0], '.1g')}; printed p have a range of "
        f"{or_zero(values[1], '.1g')}, and N times their row sums is {values[2]:.4f}: all are 1/(N(N − 1))",
    )


def largest_probability() -> Finding:
    """Return the largest p_ij of iris at perplexity 30, and its upper bound 1/N."""
    P = affinities(_iris()[0])
    values = (float(P.max()), 1.0 / len(P))
    return Finding(values, values[0] <= values[1], f"largest p {values[0]:.5f}, bound 1/N {values[1]:.5f}")


def derivatives() -> Finding:
    """Return two derivatives at α = 1, computed by differences, in closed form, and by (8) in three readings.

    The readings of (8) are: distances of the projection with k, l within its sums; these sums with distances of the
    data; and literally, distances of the data with i, j within the last sum.
    """
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    p, d2, e2 = (2 * squareform(P, checks=False), pdist(X, "sqeuclidean"), pdist(Y, "sqeuclidean"))
    h = 1e-4
    below, center, above = kl_curve(P, Y, [1 - h, 1.0, 1 + h], metric="affinities", method="exact")
    first, second = (above - below) / (2 * h), (above - 2 * center + below) / h**2

    def by_8(squares: Array, *, literally: bool = False) -> float:
        w = 1 / (1 + squares)
        # The numerator and the denominator are sums over ordered pairs.
        sums = w.size * w if literally else w.sum()
        return float((p * (2 * squares * w - (2 * squares * w**2).sum() / sums)).sum())

    exact = [kl_derivative(P, Y, metric="affinities", order=order) for order in (1, 2)]
    values = (first, exact[0], by_8(e2), by_8(d2), by_8(d2, literally=True), second, exact[1])
    holds = (
        max(abs(first - exact[0]), abs(first - values[2])) < 1e-6 < min(abs(first - v) for v in values[3:5])
    )
    return Finding(
        values,
        bool(holds and abs(second - exact[1]) < 1e-4),
        f"first derivative by differences {values[0]:.5f}, exact {values[1]:.5f}, by (8) mended {values[2]:.5f}, by (8) with "
        f"distances of the data {values[3]:.5f}, by (8) to the letter {values[4]:.5f}; second by differences "
        f"{values[5]:.5f}, exact {values[6]:.5f}",
    )


def _clusters(scales: ArrayLike) -> pd.DataFrame:
    """Return KL_G of distant clusters projected by identity, with and without a floor."""
    clusters = projections(experiments.clustered_points(), ("pca",), scaling="none")
    return experiments.floored_gaussian_curve(clusters.X, clusters.Y["pca"], scales=scales, perplexity=8.8)


def gaussian_is_convex() -> Finding:
    """Count the minima of KL_G for clusters without and with a floor, and projections that have several."""
    table = _clusters(np.geomspace(1e-3, 10, 121))
    n_several = 0
    for name in ("iris", "wine", "penguins", "auto-mpg"):
        X, layouts = projected(name, ("mds", "tsne", "umap", "pca", "isomap", "lle", "random"))
        P = affinities(X)
        for Y in layouts.values():
            curve = kl_curve(P, Y, np.geomspace(1e-3, 1e2, 301), kernel="gaussian", metric="affinities")
            decreases = np.diff(curve) < -1e-12
            n_several += int((~decreases[:-1] & decreases[1:]).any())
    values = (float(table["minimum"].sum()), float(table["floored_minimum"].sum()), float(n_several))
    return Finding(
        values,
        values == (1.0, 2.0, 0.0),
        f"far clusters have {values[0]:.0f} minimum, floored {values[1]:.0f}; {n_several} of 28 projections have several",
    )


def gaussian_floor() -> Finding:
    """Return KL_G of distant clusters at the largest size, with and without a floor of 1e-15 on Q."""
    table = _clusters([10.0])
    values = (float(table["divergence"].iloc[0]), float(table["floored"].iloc[0]))
    return Finding(values, values[1] < values[0] / 10, f"divergence {values[0]:.1f}, floored {values[1]:.1f}")


def symmetric_divergence() -> Finding:
    """Return KL(P‖Q_G) and KL(Q_G‖P) of iris's components at their optimal scale."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    best = scale_normalized_kl(P, Y, kernel="gaussian", metric="affinities")
    p = 2 * squareform(P, checks=False)
    q = np.exp(-(best.scale**2) * pdist(Y, "sqeuclidean"))
    q /= q.sum()
    positive = p > 0
    values = (best.value, float((q * np.log(q / np.where(positive, p, np.nan)))[positive].sum()))
    return Finding(
        values, abs(values[0] - values[1]) > 0.01, f"KL(P‖Q) {values[0]:.4f}, KL(Q‖P) {values[1]:.4f}"
    )


def student_t_is_not_unimodal() -> Finding:
    """Return the divergence's minima for data with an outlier: log₁₀ of their scales, and their values."""
    minima = experiments.outlier_curve()[1].to_numpy()
    return Finding(
        tuple(v for scale, value in minima for v in (math.log10(scale), float(value))),
        len(minima) == 2,
        "; ".join(f"{value:.4f} at log₁₀ α = {math.log10(scale):.4f}" for scale, value in minima),
    )


def minimum_at_zero() -> Finding:
    """Return the fraction of 200 random projections whose divergence has a minimum at 0; chance gives ½."""
    fraction = float(random_minima()["rises_at_zero"].mean())
    return Finding((fraction,), 0.4 < fraction < 0.6, f"{fraction:.1%} of 200 random projections")


def minimum_at_zero_is_not_global() -> Finding:
    """Return the divergence of five points and its second derivative at scale 0, and the smaller minimum."""
    P = squareform(np.array(FIVE_P)) / (2.0 * sum(FIVE_P))
    Y = np.array(FIVE_Y)
    normalized = scale_normalized_kl(P, Y, metric="affinities")
    values = (
        kl_divergence(P, Y, scale=0.0, metric="affinities"),
        kl_derivative(P, Y, scale=0.0, order=2, metric="affinities"),
        normalized.value,
        normalized.scale,
    )
    return Finding(
        values,
        values[1] > 0 and values[2] < values[0] - 1e-4 and not normalized.at_zero,
        f"divergence {values[0]:.5f} at 0 with second derivative {values[1]:.4f}, and {values[2]:.5f} at α = {values[3]:.4f}; "
        f"points {', '.join(f'({x:g}, {y:g})' for x, y in FIVE_Y)}; p of the pairs 12, 13, … 45 in the ratio "
        f"{' : '.join(map(str, FIVE_P))}",
    )


def bounded_search() -> Finding:
    """Return the smallest divergence of shrunk components, over scales from 0 to 300 and over all scales."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    small = 1e-4 * Y
    bounded = minimize_scalar(
        lambda a: kl_divergence(P, small, scale=float(a), metric="affinities"),
        bounds=(0, 300),
        method="bounded",
    )
    values = (float(bounded.fun), scale_normalized_kl(P, small, metric="affinities").value)
    return Finding(
        values, values[0] > 2 * values[1], f"scales up to 300 {values[0]:.4f}, all scales {values[1]:.4f}"
    )


def infinite_at_infinity() -> Finding:
    """Return whether KL_∞ is infinite for two coinciding points, and KL_∞ with 1e-15 added to squares."""
    X = datasets.load("iris", rows="all").X
    Y = X - X.mean(axis=0)
    Y = Y @ np.linalg.svd(Y, full_matrices=False)[2][:2].T
    first, second = np.argwhere(np.triu(squareform(pdist(X)) == 0, 1))[0]
    Y[second] = Y[first]
    P = affinities(X)
    p = 2 * squareform(P, checks=False)
    q = 1 / (pdist(Y, "sqeuclidean") + 1e-15)
    positive = p > 0
    floored = float(p[positive] @ np.log(p[positive] / (q / q.sum())[positive]))
    values = (float(math.isinf(kl_at_infinity(P, Y))), floored)
    return Finding(values, values[0] == 1 and values[1] < 100, f"infinite; floored {floored:.2f}")


def approaches_from_above() -> Finding:
    """Return the divergence at scales 1, 10, and 100 in the example of Appendix B, always above its limit."""
    values = tuple(experiments.appendix_b([1.0, 10.0, 100.0])["divergence"])
    return Finding(
        values,
        values[0] > values[1] > values[2] > 0,
        f"{values[0]:.3g} at scale 1, {values[1]:.3g} at 10, {values[2]:.3g} at 100; the limit is 0",
    )


def letter_of_the_kernel() -> Finding:
    """Return the divergence at a large scale, and its limit by the projection's and the data's distances."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    values = (kl_divergence(P, Y, scale=1e9, metric="affinities"), kl_at_infinity(P, Y), kl_at_infinity(P, X))
    return Finding(
        values,
        abs(values[0] - values[1]) < 1e-6 < abs(values[2] - values[1]),
        f"divergence at a large scale {values[0]:.4f}, limit by the projection {values[1]:.4f}, by the data {values[2]:.4f}",
    )


def nearest_pair() -> Finding:
    """Return the smallest squared distance over all i and j, as published, and over i ≠ j."""
    Y = _iris("pca", "minmax")[1]
    values = (float(squareform(pdist(Y, "sqeuclidean")).min()), float(pdist(Y, "sqeuclidean").min()))
    return Finding(
        values, values[0] == 0 < values[1], f"over all i, j {values[0]:g}, over i ≠ j {values[1]:.3g}"
    )


def rescaling_the_data() -> Finding:
    """Return the largest change of P when the data are rescaled, and FSKL minus KL at scale 1/max e."""
    X, Y = _iris("mds", "minmax")
    d, e = pdist(X), pdist(Y)
    change = float(np.abs(affinities(X) - affinities(X / d.max())).max())
    gap = forced_scale_kl(X, Y) - kl_divergence(X, Y, scale=1 / float(e.max()))
    return Finding(
        (change, gap),
        max(change, abs(gap)) < 1e-10,
        f"P changes by {or_zero(change, '.1g')}, FSKL differs by {or_zero(gap, '.1g')}",
    )


# --- experiments --------------------------------------------------------------------------------------------


def preprocessing_mismatch() -> Finding:
    """Return SNKL on Penguins and Shepard goodness on Wine, scored against raw data and projected data."""
    consistent, published = (
        scores.groupby(["dataset", "method"])[["snkl", "sgs"]].mean() for scores in both_scores()
    )
    keys = ((("penguins", "mds"), "snkl"), (("penguins", "tsne"), "snkl"), (("wine", "mds"), "sgs"))
    values = tuple(float(table.loc[row, column]) for table in (published, consistent) for row, column in keys)
    holds = values[0] < values[1] and values[3] > values[4] and values[5] > values[2] + 0.3
    return Finding(
        values,
        holds,
        "; ".join(
            f"{name}: SNKL of penguins MDS {a:.3f}, t-SNE {b:.3f}, Shepard goodness of wine {c:.3f}"
            for name, (a, b, c) in (("against raw data", values[:3]), ("against projected data", values[3:]))
        ),
    )


def reversals_by_preprocessing() -> Finding:
    """Return, by method, the percentage of trials in which NS ranks it before MDS, with 18 datasets at 0%."""
    consistent, published = (table["ns"].xs(1, level="scale") for table in both_before_mds())
    values = tuple(float(published[method]) / 4 for method in ("tsne", "umap", "pca", "isomap", "random"))
    highest = float(consistent[["tsne", "umap", "isomap", "random"]].max())
    return Finding(
        values,
        values[0] == 12.5 and values[3] == 25.0 and highest == 0.0,
        ", ".join(
            f"{n} {v:.1f}%" for n, v in zip(("t-SNE", "UMAP", "PCA", "Isomap", "random"), values, strict=True)
        ),
    )


def orders_by_preprocessing() -> Finding:
    """Count the datasets on which KL_1 ranks MDS, random, t-SNE in this order for all seeds, by reference."""
    counts = []
    for scores in reversed(both_scores()):
        table = scores[scores["dataset"].isin(["penguins", "wine"])].pivot(
            index=["dataset", "seed"], columns="method", values="kl_1"
        )
        in_this_order = (table["mds"] < table["random"]) & (table["random"] < table["tsne"])
        counts.append(int(in_this_order.groupby("dataset").all().sum()))
    values = (*map(float, counts), 100 * counts[0] / 24)
    return Finding(
        values,
        counts == [2, 0],
        f"as published {counts[0]} datasets, consistently {counts[1]}; of 24 datasets {values[2]:.2f}%",
    )


def scale_sensitive_caption() -> Finding:
    """Return the largest change of Table III's percentages between two sizes, for NS and the others."""
    table = experiments.table_3().set_index(["method", "scale"]).unstack("scale")
    change = (table.xs(10, axis=1, level="scale") - table.xs(1, axis=1, level="scale")).abs().max()
    values = (float(change["ns"]), float(change.drop("ns").max()))
    return Finding(
        values,
        values[0] > values[1] == 0,
        f"NS changes by up to {values[0]:.1f} points, the others by {values[1]:.1f}",
    )


def never_reversed() -> Finding:
    """Return the reported percentages of trials in which NS ranks t-SNE before MDS, at sizes 1 and 10."""
    table = experiments.table_3().query("method == 'tsne'")
    values = tuple(map(float, table["ns"]))
    return Finding(values, min(values) > 0, f"{values[0]:.1f}% at size 1, {values[1]:.1f}% at size 10")


def no_such_contradiction() -> Finding:
    """Return the reported percentages of trials in which FSNS ranks random before MDS, at sizes 1 and 10."""
    table = experiments.table_3().query("method == 'random'")
    values = tuple(map(float, table["fsns"]))
    return Finding(values, min(values) > 0, f"FSNS {values[0]:.1f}% at size 1, {values[1]:.1f}% at size 10")


def percentages_of_fifteen() -> Finding:
    """Return the percentages of Section V-D, computed from 16 datasets and from 15 (without epileptic)."""
    of_sixteen, published = percentages(), (33, 40, 80, 80, 73)
    fits = [
        name
        for name in experiments.table_6()["dataset"].unique()
        if all(abs(v - p) < 0.51 for v, p in zip(percentages(leave_out=(name,)), published, strict=True))
    ]
    values = (*of_sixteen, *percentages(leave_out=("epileptic",)))
    return Finding(
        values,
        fits == ["epileptic"],
        f"{listed(of_sixteen, 4)} of 16; {listed(values[5:], 4)} without {', '.join(fits)}",
    )


def min_max_stress() -> Finding:
    """Return iris's min–max stress by t-SNE at sizes 1 and 10, and Kendall's τ of ranks with the survey's.

    The ranks are compared with those by the survey's stress, as mean and maximum over datasets.
    """
    reported = experiments.reported_agreement()
    X, Y = _iris("tsne", "minmax")
    values = (
        experiments.min_max_stress(X, Y, squared=True),
        experiments.min_max_stress(X, 10 * Y, squared=True),
        float(reported["with_sns"].mean()),
        float(reported["with_ns"].mean()),
        float(reported["largest"].max()),
    )
    return Finding(
        values,
        abs(values[0] - values[1]) < 1e-9 and values[2] > values[3] + 0.2 and values[4] < 1,
        f"min–max stress {values[0]:.4g} at size 1, {values[1]:.4g} at size 10; reported by the survey: mean Kendall's τ with SNS "
        f"{values[2]:.3f}, with NS {values[3]:.3f}, largest {values[4]:.2f}",
    )


def table_2_sizes() -> Finding:
    """Return the numbers of points of sms, svhn, and hatespeech if the sample size is rounded down.

    All sampled datasets of the survey are checked against the number of rows in their files.
    """
    sizes = {}
    for name, entry in SURVEYED.items():
        match = re.search(r"([\d.]+)% of (?:the )?([\d,]+)", entry.content)
        if match:
            sizes[name] = math.floor(float(match[1]) * int(match[2].replace(",", "")) / 100.0 + 1e-9)
    equal = [name for name, points in sizes.items() if points == SURVEYED[name].n_points]
    gaps = {name: SURVEYED[name].reported[0] - points for name, points in sizes.items()}
    names = ("sms", "svhn", "hatespeech")
    larger = {name for name, gap in gaps.items() if gap}
    return Finding(
        tuple(float(sizes[name]) for name in names),
        len(equal) == len(sizes) and larger == set(names) and all(gaps[name] == 1 for name in names),
        f"{', '.join(f'{n} {sizes[n]}' for n in names)}; rounding down gives the files' rows on {len(equal)} of {len(sizes)} "
        f"datasets, and the printed sizes on all but these three",
    )


def lost_car() -> Finding:
    """Return the number of cars in auto-mpg, with and without the first, which can be read as a header."""
    values = tuple(float(len(datasets.load("auto-mpg", rows=rows).X)) for rows in ("all", "printed"))
    return Finding(
        values, values[0] - values[1] == 1, f"{values[0]:.0f} cars, {values[1]:.0f} without the first"
    )


def found_in_scikit_learn() -> Finding:
    """Return the datasets of the upper block of Table II with a loader or generator in scikit-learn."""
    import sklearn.datasets

    loaders = {
        "iris": "load_iris",
        "wine": "load_wine",
        "swiss-roll": "make_swiss_roll",
        "s-curve": "make_s_curve",
        "penguins": "load_penguins",
        "auto-mpg": "load_auto_mpg",
    }
    available = [name for name, loader in loaders.items() if hasattr(sklearn.datasets, loader)]
    return Finding(
        (float(len(available)), float(len(loaders))),
        len(available) == 4,
        f"{', '.join(available)}: {len(available)} of {len(loaders)}",
    )


def unseeded_surfaces() -> Finding:
    """Return the minimum stress of two Swiss rolls' principal components, sampled with seeds 0 and 1."""
    from sklearn.datasets import make_swiss_roll

    values = []
    for seed in (0, 1):
        X = make_swiss_roll(n_samples=1500, noise=0.0, random_state=seed)[0]
        centered = X - X.mean(axis=0)
        Y = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
        values.append(scale_normalized_stress(X, Y))
    return Finding(
        tuple(values), abs(values[0] - values[1]) > 1e-4, f"seed 0 {values[0]:.5f}, seed 1 {values[1]:.5f}"
    )


def number_of_datasets() -> Finding:
    """Return the numbers of datasets in Tables II and VI."""
    values = (float(len(datasets.table_2())), float(experiments.table_6()["dataset"].nunique()))
    return Finding(values, values == (24.0, 16.0), f"Table II {values[0]:.0f}, Table VI {values[1]:.0f}")


def mds_that_loses_to_pca() -> Finding:
    """Return the percentage of trials in which SNS ranks PCA before MDS, by start of MDS, and SNS on iris.

    The starts are random, in two versions of scikit-learn, and the classical solution.
    """
    scores = stored.scores(methods=("mds", "pca", "mds-classical"))
    table = scores.pivot(index=["dataset", "seed"], columns="method", values="sns")
    table["older"] = reported_numbers.older_mds().set_index(["dataset", "seed"])["sns"]
    iris = table.loc["iris"]
    shares = [100.0 * float((table["pca"] < table[m]).mean()) for m in ("older", "mds", "mds-classical")]
    values = (
        *shares,
        float(iris["pca"].iloc[0]),
        float(iris["mds"].max()),
        float(iris["mds-classical"].iloc[0]),
    )
    return Finding(
        values,
        shares[0] > shares[1] > shares[2] == 0 and values[5] < values[3] < values[4],
        f"PCA before MDS in {shares[0]:.1f}% of 60 trials from random starts with scikit-learn 1.5.1, in {shares[1]:.1f}% with "
        f"ours, in {shares[2]:.1f}% from the classical solution; SNS of iris by PCA {values[3]:.4f}, by MDS from the worst of "
        f"ten random starts {values[4]:.4f}, from the classical solution {values[5]:.4f}",
    )


def weight_of_residuals() -> Finding:
    """Return the largest residual's weight relative to the median's, for squared stress and with the root."""
    finding = claims.root_of_a_sum()
    return Finding(finding.values, abs(finding.values[1] / finding.values[0] - 1.0) < 1e-3, finding.detail)


def alpha_and_the_unit() -> Finding:
    """Return the reported and correct scales of iris by t-SNE, with distances in one unit and in half of it."""
    finding = claims.alpha_by_unit()
    a, b, c, d = finding.values
    return Finding(finding.values, abs(c / a - 0.5) < 1e-9 and abs(d / b - 2.0) < 1e-9, finding.detail)
