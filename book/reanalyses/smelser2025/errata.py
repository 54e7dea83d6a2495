"""Deciding numbers of the errata of Smelser et al. (2025): one function per entry of ``errata.toml``.

Every function returns a `Finding` whose values are the deciding numbers (in its docstring, after the colon) and whose
``holds`` says whether they confirm the entry. Random draws have fixed seeds; projections are the bundled ones.
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
    """Show that Σde/Σd² does not minimize stress: log₁₀ of squared stress over its minimum, three sizes."""
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
        f"log₁₀ of the quotient {listed(values, 4)}: squared stress {listed(stresses, 4)} instead of {minimum:.4g}",
    )


def alpha_is_a_slope() -> Finding:
    """Show that α is a slope, not a correlation: published and correct α, and correlation of distances."""
    X, Y = _iris()
    d, e = pdist(X), pdist(10.0 * Y)
    values = (float(d @ e) / float(d @ d), optimal_scale(X, 10.0 * Y), float(np.corrcoef(d, e)[0, 1]))
    return Finding(
        values,
        values[0] > 1,
        f"printed α {values[0]:.3f}, correct α {values[1]:.4f}, correlation {values[2]:.4f}",
    )


def cross_term() -> Finding:
    """Show that raw stress has the cross term −2αΣde, not +αΣde: its value, and both expansions."""
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
    """Show that the root, which (2) has and Table I, (3), (4) lack, matters: SNS and NMS with, without it."""
    X, Y = _iris()
    sns, squared_sns = (scale_normalized_stress(X, Y, squared=squared) for squared in (False, True))
    nms, squared_nms = (nonmetric_stress(X, Y, squared=squared) for squared in (False, True))
    return Finding(
        (sns, squared_sns, nms, squared_nms),
        sns > 10 * squared_sns,
        f"SNS {sns:.5f} with the root, {squared_sns:.6f} without; NMS {nms:.5f} and {squared_nms:.6f}",
    )


def parabola() -> Finding:
    """Show that stress is a parabola only without the root: ratio of second differences, small over large."""
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
    """Show that raw over normalized stress is constant only without the root: two sizes with, two without."""
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
    """Show that Sammon's stress, (1/Σd) Σ(d − e)²/d, is not normalized stress: both values for iris."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    squared_stress = normalized_stress(X, Y, squared=True)
    sammon_stress = float((((d - e) ** 2)[d > 0] / d[d > 0]).sum() / d.sum())
    return Finding(
        (squared_stress, sammon_stress),
        sammon_stress > 2 * squared_stress,
        f"squared normalized stress {squared_stress:.5f}, Sammon's stress {sammon_stress:.5f}",
    )


def six_orders() -> Finding:
    """Show that common scales allow at most four orders of three methods, and separate scales allow all six."""
    n_common = max(len(experiments.stress_orders(projections(name))) for name in experiments.WELL_KNOWN)
    n_own = experiments.orders_at_own_scales(projections("iris"))["order"].nunique()
    return Finding(
        (float(n_common), float(n_own)),
        n_common == 4 and n_own == 6,
        f"{n_common} orders at one common scale, {n_own} at scales of their own",
    )


def crossing_of_random() -> Finding:
    """Show that random wins on iris from scale 9 only against raw data: range of scales, both references."""
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
    """Show that the published FSNS depends on size: log₁₀ of its growth, as published and as intended."""
    X, Y = _iris()
    d, e = pdist(X), pdist(Y)
    d = d / d.max()
    published = [float(((d - (s * e).max() * s * e) ** 2).sum() / d.sum()) for s in (1.0, 10.0)]
    correct = [float(((d - s * e / (s * e).max()) ** 2).sum() / d.sum()) for s in (1.0, 10.0)]
    values = (math.log10(published[1] / published[0]), math.log10(correct[1] / correct[0]))
    return Finding(
        values,
        values[0] > 3 and abs(values[1]) < 1e-9,
        f"log₁₀ of the growth {values[0]:.4f} as printed, {abs(values[1]):.4f} as intended: squared values as printed "
        f"{published[0]:.4g} and {published[1]:.4g}, as intended {correct[0]:.4g} and {correct[1]:.4g}, all over Σd′",
    )


def forced_scale_denominator() -> Finding:
    """Show that dividing by Σd′, not Σd′², changes FSNS: squared values for iris's components."""
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
    """Show that NMS is invariant only if e is regressed on d: sizes 1 and 10, d on e first."""
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
    """Show that the treatment of ties changes NMS: iris by MDS, with different fits and with one fit."""
    X, Y = _iris("mds")
    values = (nonmetric_stress(X, Y), nonmetric_stress(X, Y, ties="secondary"))
    return Finding(
        values, values[0] < values[1], f"ties may differ {values[0]:.5f}, ties equal {values[1]:.5f}"
    )


def rounding_breaks_ties() -> Finding:
    """Show that rounding breaks ties in SciPy: iris's Shepard goodness before and after rotation."""
    X, Y = _iris()
    # Compute elementwise, since all processors round alike, with the angle of the 5-12-13 triangle.
    cosine, sine = 12 / 13, 5 / 13
    rotated = X.copy()
    rotated[:, 1] = cosine * X[:, 1] + sine * X[:, 2]
    rotated[:, 2] = cosine * X[:, 2] - sine * X[:, 1]
    ours = [shepard_goodness(points, Y) for points in (X, rotated)]
    by_scipy = [float(stats.spearmanr(pdist(points), pdist(Y))[0]) for points in (X, rotated)]
    holds = abs(ours[0] - ours[1]) < 1e-12 and min(abs(b - ours[0]) for b in by_scipy) > 5e-6
    holds &= abs(by_scipy[0] - by_scipy[1]) > 1e-6
    return Finding(
        (*ours, *by_scipy),
        bool(holds),
        f"ties kept {ours[0]:.6f}, rotated {ours[1]:.6f}; SciPy {by_scipy[0]:.6f}, rotated {by_scipy[1]:.6f}",
    )


def diagonal_of_the_matrix() -> Finding:
    """Show that diagonals inflate Shepard goodness: random projection, pairs i < j and full matrices."""
    X, Y = _iris("random")
    full = [squareform(pdist(points)).ravel() for points in (X, Y)]
    values = (shepard_goodness(X, Y), float(stats.spearmanr(*full)[0]))
    return Finding(
        values, values[1] - values[0] > 0.01, f"pairs i < j {values[0]:.4f}, whole matrices {values[1]:.4f}"
    )


# --- divergence ---------------------------------------------------------------------------------------------


def conditional_probability() -> Finding:
    """Show that the published p(j|i) is constant: error of correct row sums, its range, its row sum."""
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
        f"sums of correct rows differ from 1 by {or_zero(values[0], '.1g')}; printed p have a range of "
        f"{or_zero(values[1], '.1g')}, and N times their row sums is {values[2]:.4f}: all are 1/(N(N − 1))",
    )


def largest_probability() -> Finding:
    """Show that no p_ij exceeds 1/N: the largest for iris at perplexity 30, and the bound."""
    P = affinities(_iris()[0])
    values = (float(P.max()), 1.0 / len(P))
    return Finding(values, values[0] <= values[1], f"largest p {values[0]:.5f}, bound 1/N {values[1]:.5f}")


def derivatives() -> Finding:
    """Show that (8) and (9) need distances of the projection, and k, l in their sums: values at α = 1.

    The first derivative is also computed by (8) in three versions: with distances of the projection and k, l in the
    sums; with distances of the data and the same sums; and literally, with distances of the data and i, j in the last.
    """
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    p, d2, e2 = (2 * squareform(P, checks=False), pdist(X, "sqeuclidean"), pdist(Y, "sqeuclidean"))
    step = 1e-4
    below, center, above = kl_curve(P, Y, [1 - step, 1.0, 1 + step], metric="affinities", method="exact")
    first, second = (above - below) / (2 * step), (above - 2 * center + below) / step**2

    def by_8(squares: Array, *, literally: bool = False) -> float:
        weights = 1 / (1 + squares)
        # The numerator and the denominator are sums over ordered pairs.
        sums = weights.size * weights if literally else weights.sum()
        return float((p * (2 * squares * weights - (2 * squares * weights**2).sum() / sums)).sum())

    exact = [kl_derivative(P, Y, metric="affinities", order=order) for order in (1, 2)]
    values = (first, exact[0], by_8(e2), by_8(d2), by_8(d2, literally=True), second, exact[1])
    holds = (
        max(abs(first - exact[0]), abs(first - values[2])) < 1e-6 < min(abs(first - v) for v in values[3:5])
    )
    return Finding(
        values,
        bool(holds and abs(second - exact[1]) < 1e-4),
        f"first derivative by differences {values[0]:.5f}, exact {values[1]:.5f}, by (8) corrected {values[2]:.5f}, by (8) with "
        f"distances of the data {values[3]:.5f}, by (8) literally {values[4]:.5f}; second by differences "
        f"{values[5]:.5f}, exact {values[6]:.5f}",
    )


def _clusters(scales: ArrayLike) -> pd.DataFrame:
    """Return KL_G of distant clusters projected by identity, with and without a floor."""
    clusters = projections(experiments.clustered_points(), ("pca",), scaling="none")
    return experiments.floored_gaussian_curve(clusters.X, clusters.Y["pca"], scales=scales, perplexity=8.8)


def gaussian_is_convex() -> Finding:
    """Show that KL_G has one minimum, and two with a floor: clusters, and projections with several."""
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
    """Show that a floor of 1e-15 on Q changes KL_G of distant clusters: without and with, at size 10."""
    table = _clusters([10.0])
    values = (float(table["divergence"].iloc[0]), float(table["floored"].iloc[0]))
    return Finding(values, values[1] < values[0] / 10, f"divergence {values[0]:.1f}, floored {values[1]:.1f}")


def symmetric_divergence() -> Finding:
    """Show that a Gaussian kernel does not make KL symmetric: KL(P‖Q_G) and KL(Q_G‖P), iris's components."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    best = scale_normalized_kl(P, Y, kernel="gaussian", metric="affinities")
    p = 2 * squareform(P, checks=False)
    q = np.exp(-(best.scale**2) * pdist(Y, "sqeuclidean"))
    q /= q.sum()
    is_positive = p > 0
    values = (best.value, float((q * np.log(q / np.where(is_positive, p, np.nan)))[is_positive].sum()))
    return Finding(
        values, abs(values[0] - values[1]) > 0.01, f"KL(P‖Q) {values[0]:.4f}, KL(Q‖P) {values[1]:.4f}"
    )


def student_t_is_not_unimodal() -> Finding:
    """Show that KL can have two minima, by data with an outlier: log₁₀ of their scales, and values."""
    minima = experiments.outlier_curve()[1].to_numpy()
    return Finding(
        tuple(entry for scale, value in minima for entry in (math.log10(scale), float(value))),
        len(minima) == 2,
        "; ".join(f"{value:.4f} at log₁₀ α = {math.log10(scale):.4f}" for scale, value in minima),
    )


def minimum_at_zero() -> Finding:
    """Show that random projections have a minimum at 0 by chance: fraction of 200, expected ½."""
    fraction = float(random_minima()["rises_at_zero"].mean())
    return Finding((fraction,), 0.4 < fraction < 0.6, f"{fraction:.1%} of 200 random projections")


def minimum_at_zero_is_not_global() -> Finding:
    """Show that a minimum at 0 need not be global, by five points: values at 0, smaller minimum, scale."""
    P = squareform(np.array(FIVE_P)) / (2.0 * sum(FIVE_P))
    Y = np.array(FIVE_Y)
    normalized = scale_normalized_kl(P, Y, metric="affinities")
    at_zero = kl_divergence(P, Y, scale=0.0, metric="affinities")
    second = kl_derivative(P, Y, scale=0.0, order=2, metric="affinities")
    return Finding(
        (at_zero, second, normalized.value, normalized.scale),
        second > 0 and normalized.value < at_zero - 1e-4 and not normalized.at_zero,
        f"divergence {at_zero:.5f} at 0 with second derivative {second:.4f}, and {normalized.value:.5f} at α = {normalized.scale:.4f}; "
        f"points {', '.join(f'({x:g}, {y:g})' for x, y in FIVE_Y)}; p of the pairs 12, 13, … 45 in the ratio "
        f"{' : '.join(map(str, FIVE_P))}",
    )


def bounded_search() -> Finding:
    """Show that scales up to 300 can miss the minimum: smallest divergence over these, and over all."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    shrunk = 1e-4 * Y
    bounded = minimize_scalar(
        lambda a: kl_divergence(P, shrunk, scale=float(a), metric="affinities"),
        bounds=(0, 300),
        method="bounded",
    )
    values = (float(bounded.fun), scale_normalized_kl(P, shrunk, metric="affinities").value)
    return Finding(
        values, values[0] > 2 * values[1], f"scales up to 300 {values[0]:.4f}, all scales {values[1]:.4f}"
    )


def infinite_at_infinity() -> Finding:
    """Show that KL_∞ is infinite for coinciding points (1 if so), but finite with a floor of 1e-15."""
    X = datasets.load("iris", rows="all").X
    Y = X - X.mean(axis=0)
    Y = Y @ np.linalg.svd(Y, full_matrices=False)[2][:2].T
    first, second = np.argwhere(np.triu(squareform(pdist(X)) == 0, 1))[0]
    Y[second] = Y[first]
    P = affinities(X)
    p = 2 * squareform(P, checks=False)
    q = 1 / (pdist(Y, "sqeuclidean") + 1e-15)
    is_positive = p > 0
    floored = float(p[is_positive] @ np.log(p[is_positive] / (q / q.sum())[is_positive]))
    values = (float(math.isinf(kl_at_infinity(P, Y))), floored)
    return Finding(values, values[0] == 1 and values[1] < 100, f"infinite; floored {floored:.2f}")


def approaches_from_above() -> Finding:
    """Show that Appendix B approaches its limit from above: divergence at scales 1, 10, and 100."""
    values = tuple(experiments.appendix_b([1.0, 10.0, 100.0])["divergence"])
    return Finding(
        values,
        values[0] > values[1] > values[2] > 0,
        f"{values[0]:.3g} at scale 1, {values[1]:.3g} at 10, {values[2]:.3g} at 100; the limit is 0",
    )


def letter_of_the_kernel() -> Finding:
    """Show that KL_∞ needs y_i − y_j, not x_i − x_j: divergence at a large scale, and both limits."""
    X, Y = _iris("pca", "minmax")
    P = affinities(X)
    values = (kl_divergence(P, Y, scale=1e9, metric="affinities"), kl_at_infinity(P, Y), kl_at_infinity(P, X))
    return Finding(
        values,
        abs(values[0] - values[1]) < 1e-6 < abs(values[2] - values[1]),
        f"divergence at a large scale {values[0]:.4f}, limit by the projection {values[1]:.4f}, by the data {values[2]:.4f}",
    )


def nearest_pair() -> Finding:
    """Show that the smallest distance must exclude i = j: squared minimum with these pairs, and without."""
    Y = _iris("pca", "minmax")[1]
    values = (float(squareform(pdist(Y, "sqeuclidean")).min()), float(pdist(Y, "sqeuclidean").min()))
    return Finding(
        values, values[0] == 0 < values[1], f"over all i, j {values[0]:g}, over i ≠ j {values[1]:.3g}"
    )


def rescaling_the_data() -> Finding:
    """Show that rescaling the data changes nothing: change of P, and FSKL minus KL at scale 1/max e."""
    X, Y = _iris("mds", "minmax")
    d, e = pdist(X), pdist(Y)
    change = float(np.abs(affinities(X) - affinities(X / d.max())).max())
    difference = forced_scale_kl(X, Y) - kl_divergence(X, Y, scale=1 / float(e.max()))
    return Finding(
        (change, difference),
        max(change, abs(difference)) < 1e-10,
        f"P changes by {or_zero(change, '.1g')}, FSKL differs by {or_zero(difference, '.1g')}",
    )


# --- experiments --------------------------------------------------------------------------------------------


def preprocessing_mismatch() -> Finding:
    """Show that the reference decides SNKL on Penguins and Shepard goodness on Wine: raw data come first."""
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
    """Show that scoring against raw data causes the reversals by NS: percentages, 18 datasets at 0%."""
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
    """Show that two datasets in raw units explain "MDS < random < t-SNE" in Table IV: number, by reference."""
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
    """Show that only NS of Table III is scale-sensitive: largest change between sizes, NS and others."""
    table = experiments.table_3().set_index(["method", "scale"]).unstack("scale")
    change = (table.xs(10, axis=1, level="scale") - table.xs(1, axis=1, level="scale")).abs().max()
    ns, others = float(change["ns"]), float(change.drop("ns").max())
    return Finding(
        (ns, others), ns > others == 0, f"NS changes by up to {ns:.1f} points, the others by {others:.1f}"
    )


def never_reversed() -> Finding:
    """Show that NS does rank t-SNE before MDS, at both sizes: reported percentages at sizes 1 and 10."""
    table = experiments.table_3().query("method == 'tsne'")
    values = tuple(map(float, table["ns"]))
    return Finding(values, min(values) > 0, f"{values[0]:.1f}% at size 1, {values[1]:.1f}% at size 10")


def no_such_contradiction() -> Finding:
    """Show that FSNS does rank random before MDS, at both sizes: reported percentages at sizes 1 and 10."""
    table = experiments.table_3().query("method == 'random'")
    values = tuple(map(float, table["fsns"]))
    return Finding(values, min(values) > 0, f"FSNS {values[0]:.1f}% at size 1, {values[1]:.1f}% at size 10")


def percentages_of_fifteen() -> Finding:
    """Show that Section V-D counts 15 datasets: its percentages from all 16, and without epileptic."""
    of_sixteen, published = percentages(), (33, 40, 80, 80, 73)
    agreeing = [
        name
        for name in experiments.table_6()["dataset"].unique()
        if all(abs(v - p) < 0.51 for v, p in zip(percentages(leave_out=(name,)), published, strict=True))
    ]
    values = (*of_sixteen, *percentages(leave_out=("epileptic",)))
    return Finding(
        values,
        agreeing == ["epileptic"],
        f"{listed(of_sixteen, 4)} of 16; {listed(values[5:], 4)} without {', '.join(agreeing)}",
    )


def min_max_stress() -> Finding:
    """Show that the survey's min–max stress is not NS: iris by t-SNE at sizes 1 and 10, and mean Kendall's τ.

    The ranks are compared with those by the survey's stress, as mean and maximum over datasets.
    """
    reported = experiments.reported_agreement()
    X, Y = _iris("tsne", "minmax")
    at_1, at_10 = (experiments.min_max_stress(X, Z, squared=True) for Z in (Y, 10 * Y))
    with_sns, with_ns = (float(reported[name].mean()) for name in ("with_sns", "with_ns"))
    largest = float(reported["largest"].max())
    return Finding(
        (at_1, at_10, with_sns, with_ns, largest),
        abs(at_1 - at_10) < 1e-9 and with_sns > with_ns + 0.2 and largest < 1,
        f"min–max stress {at_1:.4g} at size 1, {at_10:.4g} at size 10; reported by the survey: mean Kendall's τ with SNS "
        f"{with_sns:.3f}, with NS {with_ns:.3f}, largest {largest:.2f}",
    )


def table_2_sizes() -> Finding:
    """Show that sample sizes are rounded down: points of sms, svhn, and hatespeech, one less than reported.

    All sampled datasets of the survey are checked against the number of rows in their files.
    """
    sizes = {}
    for name, entry in SURVEYED.items():
        match = re.search(r"([\d.]+)% of (?:the )?([\d,]+)", entry.content)
        if match:
            sizes[name] = math.floor(float(match[1]) * int(match[2].replace(",", "")) / 100.0 + 1e-9)
    equal = [name for name, points in sizes.items() if points == SURVEYED[name].n_points]
    excesses = {name: SURVEYED[name].reported[0] - points for name, points in sizes.items()}
    names = ("sms", "svhn", "hatespeech")
    larger = {name for name, excess in excesses.items() if excess}
    return Finding(
        tuple(float(sizes[name]) for name in names),
        len(equal) == len(sizes) and larger == set(names) and all(excesses[name] == 1 for name in names),
        f"{', '.join(f'{n} {sizes[n]}' for n in names)}; rounding down gives the files' rows on {len(equal)} of {len(sizes)} "
        f"datasets, and the printed sizes on all but these three",
    )


def lost_car() -> Finding:
    """Show that a car was read as a header: number of cars in auto-mpg, with and without the first."""
    values = tuple(float(len(datasets.load("auto-mpg", rows=rows).X)) for rows in ("all", "printed"))
    return Finding(
        values, values[0] - values[1] == 1, f"{values[0]:.0f} cars, {values[1]:.0f} without the first"
    )


def found_in_scikit_learn() -> Finding:
    """Show that scikit-learn has four of the six datasets in the upper block of Table II."""
    import sklearn.datasets

    functions = {
        "iris": "load_iris",
        "wine": "load_wine",
        "swiss-roll": "make_swiss_roll",
        "s-curve": "make_s_curve",
        "penguins": "load_penguins",
        "auto-mpg": "load_auto_mpg",
    }
    available = [name for name, function in functions.items() if hasattr(sklearn.datasets, function)]
    return Finding(
        (float(len(available)), float(len(functions))),
        len(available) == 4,
        f"{', '.join(available)}: {len(available)} of {len(functions)}",
    )


def unseeded_surfaces() -> Finding:
    """Show that surfaces need a seed: minimum stress of components of two Swiss rolls, seeds 0 and 1."""
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
    """Show that not 16, but 24 datasets are tested: numbers of datasets in Tables II and VI."""
    values = (float(len(datasets.table_2())), float(experiments.table_6()["dataset"].nunique()))
    return Finding(values, values == (24.0, 16.0), f"Table II {values[0]:.0f}, Table VI {values[1]:.0f}")


def mds_that_loses_to_pca() -> Finding:
    """Show that MDS from random starts can lose to PCA: percentage of trials by start, and SNS on iris.

    The starts are random, in two versions of scikit-learn, and the classical solution.
    """
    scores = stored.scores(methods=("mds", "pca", "mds-classical"))
    table = scores.pivot(index=["dataset", "seed"], columns="method", values="sns")
    table["older"] = reported_numbers.older_mds().set_index(["dataset", "seed"])["sns"]
    iris = table.loc["iris"]
    percents = [100.0 * float((table["pca"] < table[m]).mean()) for m in ("older", "mds", "mds-classical")]
    values = (
        *percents,
        float(iris["pca"].iloc[0]),
        float(iris["mds"].max()),
        float(iris["mds-classical"].iloc[0]),
    )
    return Finding(
        values,
        percents[0] > percents[1] > percents[2] == 0 and values[5] < values[3] < values[4],
        f"PCA before MDS in {percents[0]:.1f}% of 60 trials from random starts with scikit-learn 1.5.1, in {percents[1]:.1f}% with "
        f"ours, in {percents[2]:.1f}% from the classical solution; SNS of iris by PCA {values[3]:.4f}, by MDS from the worst of "
        f"ten random starts {values[4]:.4f}, from the classical solution {values[5]:.4f}",
    )


def weight_of_residuals() -> Finding:
    """Show that the root changes no relative weight of residuals: largest over median, without and with."""
    finding = claims.root_of_a_sum()
    return Finding(finding.values, abs(finding.values[1] / finding.values[0] - 1.0) < 1e-3, finding.detail)


def alpha_and_the_unit() -> Finding:
    """Show that α depends on the unit of the data: published and correct α in one unit, and in half of it."""
    finding = claims.alpha_by_unit()
    a, b, c, d = finding.values
    return Finding(finding.values, abs(c / a - 0.5) < 1e-9 and abs(d / b - 2.0) < 1e-9, finding.detail)
