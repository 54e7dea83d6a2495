"""What decides each claim of the supplement of Smelser et al. (2025): one function for each entry of ``ledger.toml``.

Like `claims`, on the datasets that are here. Divergences have perplexity 30 unless it says otherwise.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from isotropy_lab.projection import (
    affinities,
    kl_at_infinity,
    kl_curve,
    kl_divergence,
    kl_gradient,
    scale_normalized_kl,
)
from reanalyses.ledger import Finding
from reanalyses.smelser2025 import experiments
from reanalyses.smelser2025.claims import (
    METHODS,
    SEEDS,
    SMALL,
    noise,
    projected,
    random_minima,
    seed_scores,
    three,
)

Array = NDArray[np.float64]

#: The example of Appendix B.
P_B = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]])
Y_B = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


@lru_cache(maxsize=8)
def _problem(name: str, method: str) -> tuple[Array, Array]:
    """Affinities of a dataset, and a projection of it."""
    X, named = projected(name, (method,))
    return affinities(X), named[method]


def _by_differences(P: Array, Y: Array, scale: float, step: float = 1e-4) -> tuple[float, float]:
    below, at, above = kl_curve(
        P, Y, [scale - step, scale, scale + step], metric="affinities", method="exact"
    )
    return (above - below) / (2 * step), (above - 2 * at + below) / step**2


# --- Appendix A
# ------------------------------------------------------------------------------------------


def equation_8() -> Finding:
    """First derivative for iris by MDS at α = 1: equation (8) with distances of the data, as printed, and by differences."""
    X, named = three("iris")
    P, Y = affinities(X), named["mds"]
    d2 = pdist(X, "sqeuclidean")
    w = 1 / (1 + d2)
    p = 2 * squareform(P, checks=False)
    printed = float((2 * p * d2 * w).sum() - (2 * d2 * w**2).sum() / w.sum())
    values = (printed, _by_differences(P, Y, 1.0)[0])
    return Finding(
        values, abs(values[0] - values[1]) < 1e-5, f"{values[0]:.5f}, by differences {values[1]:.5f}"
    )


def equation_8_in_the_projection() -> Finding:
    """Largest relative gap of (8), with distances of the projection, to differences: four datasets by MDS, α = 0.5, 1, 2."""
    worst = 0.0
    for name in SMALL:
        P, Y = _problem(name, "mds")
        for scale in (0.5, 1.0, 2.0):
            first = kl_gradient(P, Y, scale=scale, metric="affinities")
            worst = max(worst, abs(first - _by_differences(P, Y, scale)[0]) / max(abs(first), 1e-2))
    return Finding((worst,), worst < 1e-4, f"{worst:.1g}")


def equation_9_in_the_projection() -> Finding:
    """Largest relative gap of (9), with distances of the projection and k, l in the sums, to second differences."""
    worst = 0.0
    for name in SMALL:
        P, Y = _problem(name, "mds")
        for scale in (0.5, 1.0, 2.0):
            second = kl_gradient(P, Y, scale=scale, order=2, metric="affinities")
            worst = max(worst, abs(second - _by_differences(P, Y, scale, 1e-3)[1]) / max(abs(second), 1e-1))
    return Finding((worst,), worst < 1e-3, f"{worst:.1g}")


def slope_at_zero() -> Finding:
    """Largest first derivative at α = 0 over projections of four datasets by six methods."""
    worst = max(
        abs(kl_gradient(*_problem(name, method), scale=0.0, metric="affinities"))
        for name in SMALL
        for method in METHODS
    )
    return Finding((float(worst),), worst == 0, f"{worst:g}")


def equation_10() -> Finding:
    """Relative gap of (10) to the second derivative at α = 0, with ΣP = 1: projections of four datasets."""
    worst = 0.0
    for name in SMALL:
        for method in ("mds", "random"):
            P, Y = _problem(name, method)
            e2 = pdist(Y, "sqeuclidean")
            printed = 2 * float(2 * squareform(P, checks=False) @ (e2 - e2.mean()))
            second = kl_gradient(P, Y, scale=0.0, order=2, metric="affinities")
            worst = max(worst, abs(second - printed) / abs(e2.mean()))
    return Finding((worst,), worst < 1e-9, f"{worst:.1g}")


def maximum_at_zero() -> Finding:
    """Largest second derivative at 0, in units of the mean square distance, of projections by methods that look at the data."""
    worst = max(
        kl_gradient(P, Y, scale=0.0, order=2, metric="affinities") / pdist(Y, "sqeuclidean").mean()
        for name in SMALL
        for method in METHODS[:-1]
        for P, Y in [_problem(name, method)]
    )
    return Finding((float(worst),), worst < 0, f"{worst:.3f}: a maximum for all")


def minimum_at_zero_is_global() -> Finding:
    """Of 200 random projections of iris those with a minimum at 0 that is not the least."""
    table = random_minima()
    count = int((table["rises_at_zero"] & ~table["at_zero"]).sum())
    return Finding(
        (float(count),), count == 0, f"{count} of {int(table['rises_at_zero'].sum())} with a minimum at 0"
    )


def minimum_at_zero_is_always_global() -> Finding:
    """Five points with a minimum at 0: the value there, and a lower one."""
    P, drawn = experiments.random_problem(5, rng=1168)
    found = scale_normalized_kl(P, drawn[1], metric="affinities")
    values = (kl_divergence(P, drawn[1], scale=0.0, metric="affinities"), found.value)
    return Finding(
        values, values[1] >= values[0], f"{values[0]:.5f} at 0, {values[1]:.5f} at {found.scale:.4f}"
    )


def equation_11() -> Finding:
    """Largest gap between the divergence at scale 10⁹ and KL_∞: four datasets by six methods."""
    worst = 0.0
    for name in SMALL:
        for method in METHODS:
            P, Y = _problem(name, method)
            limit = kl_at_infinity(P, Y, metric="affinities")
            if math.isfinite(limit):
                worst = max(worst, abs(limit - kl_divergence(P, Y, scale=1e12, metric="affinities")))
    return Finding((worst,), worst < 1e-5, f"{worst:.1g}")


def performs_badly_at_infinity() -> Finding:
    """Trials, percent, with the expected order by KL_∞ and by SNKL: ten seeds of the four small datasets."""
    trials = right = 0
    for name in SMALL:
        P = _problem(name, "mds")[0]
        for seed in SEEDS[name]:
            found = experiments.projections(name, ("tsne", "mds", "random"), seeds=(seed,))
            a, b, c = (kl_at_infinity(P, Y, metric="affinities") for Y in found.Y.values())
            trials, right = trials + 1, right + (a < b < c)
    scores = seed_scores()[seed_scores()["dataset"].isin(SMALL)]
    table = experiments.kl_order_table(scores).query("order == 'tsne < mds < random' and measure == 'snkl'")
    values = (100.0 * right / trials, float(table["percent"].iloc[0]))
    return Finding(values, values[0] < values[1] - 5, f"{values[0]:.0f}% and {values[1]:.0f}%")


# --- Appendices B and C
# ------------------------------------------------------------------------------------------


def appendix_b_limit() -> Finding:
    """KL_∞ of the example of Appendix B, and the largest deviation of Q(∞) from P."""
    q = 1 / pdist(Y_B, "sqeuclidean")
    q = squareform(q / (2 * q.sum()))
    values = (kl_at_infinity(P_B, Y_B, metric="affinities"), float(np.abs(q - P_B).max()))
    return Finding(values, max(map(abs, values)) < 1e-12, "Q at infinity is P itself")


def appendix_b_falls() -> Finding:
    """Largest step upwards of the curve of Appendix B between sizes 10⁻³ and 10², and the least value above its limit."""
    curve = experiments.appendix_b()["divergence"].to_numpy()
    values = (float(np.diff(curve).max()), float(curve.min()))
    return Finding(values, values[0] < 1e-12 < values[1], f"falls throughout, {values[1]:.1g} at the end")


def approaches_from_below() -> Finding:
    """Projections of ours, of 24, whose divergence approaches its limit from below."""
    below = [
        kl_divergence(P, Y, scale=100 / np.median(pdist(Y)), metric="affinities")
        < kl_at_infinity(P, Y, metric="affinities")
        for name in SMALL
        for method in METHODS
        for P, Y in [_problem(name, method)]
    ]
    return Finding((float(sum(below)),), all(below), f"{sum(below)} of {len(below)}")


def gaussian_at_zero() -> Finding:
    """Gap between the divergences with both kernels at scale 0, on iris by MDS."""
    P, Y = _problem("iris", "mds")
    at = [kl_divergence(P, Y, scale=0.0, kernel=k, metric="affinities") for k in ("student-t", "gaussian")]
    return Finding((abs(at[0] - at[1]),), abs(at[0] - at[1]) < 1e-12, f"both {at[0]:.4f}")


def gaussian_at_infinity() -> Finding:
    """The example of Appendix B: Q_G at scale 100 on the two shortest pairs and on the other, over ordered pairs."""
    e2 = pdist(Y_B, "sqeuclidean")
    q = np.exp(-(100.0**2) * (e2 - e2.min()))
    q /= 2 * q.sum()
    values = tuple(map(float, np.sort(q)))
    return Finding(
        values, values[0] == 0 and abs(values[1] - 0.25) < 1e-12 and abs(values[2] - 0.25) < 1e-12,
        "1/4 for each of the four ordered pairs, 0 for the others",
    )  # fmt: skip


# --- Appendix D, Table VI
# ------------------------------------------------------------------------------------------


def table_6_permutations() -> Finding:
    """Rows of Table VI, of 32, that are no permutation of 1 to 5."""
    table = experiments.table_6()
    bad = sum(
        sorted(part[column]) != [1, 2, 3, 4, 5]
        for _, part in table.groupby("dataset")
        for column in ("ns_rank", "sns_rank")
    )
    return Finding((float(bad),), bad == 0, f"{bad} of 32")


def every_ranking_changes() -> Finding:
    """Fewest methods that change their rank on a dataset of Table VI, and the mean of Kendall's τ."""
    table = experiments.rank_agreement(experiments.table_6())
    values = (float(table["moved"].min()), float(table["kendall_tau"].mean()))
    return Finding(values, values[0] > 0, f"at least {values[0]:.0f} of 5; mean τ {values[1]:.2f}")


def tsne_from_5_to_2() -> Finding:
    """Datasets of Table VI in which t-SNE is fifth by NS, second by SNS, and both."""
    table = experiments.table_6().query("method == 'tsne'")
    fifth, second = table["ns_rank"] == 5, table["sns_rank"] == 2
    values = tuple(float(v.sum()) for v in (fifth, second, fifth & second))
    return Finding(
        values, min(values[:2]) > 8, f"{values[0]:.0f}, {values[1]:.0f}, both {values[2]:.0f} of 16"
    )


def tsne_is_second_here() -> Finding:
    """Datasets of ours, of six, in which t-SNE is second of MDS, t-SNE, UMAP and Isomap by SNS."""
    ranks = experiments.stress_ranks(
        seed_scores()[seed_scores()["method"].isin(["mds", "tsne", "umap", "isomap"])]
    )
    second = int((ranks.query("method == 'tsne'")["sns_rank"] == 2).sum())
    return Finding((float(second),), second > 3, f"{second} of 6")


# --- Appendix E
# ------------------------------------------------------------------------------------------


def _curves_like_figure_1(name: str) -> tuple[int, bool, float]:
    """Orders by stress, whether random wins when enlarged, and the spread of the divergence of MDS."""
    data = experiments.projections(name)
    orders = experiments.stress_orders(data)["order"]
    curves = experiments.kl_curves(data, scales=np.geomspace(1e-3, 1e2, 61))
    curve = curves.loc[curves["method"] == "mds", "divergence"]
    return (len(orders), orders.iloc[-1].startswith("random"), float(curve.max() / curve.min()))


def figure_10() -> Finding:
    """Penguins: orders by stress, and largest over smallest divergence of MDS."""
    count, wins, ratio = _curves_like_figure_1("penguins")
    return Finding(
        (float(count), ratio), wins and count > 1 and ratio > 1.2, f"{count} orders; {ratio:.2f} times"
    )


def figure_11() -> Finding:
    """Wine: orders by stress, and largest over smallest divergence of MDS."""
    count, wins, ratio = _curves_like_figure_1("wine")
    return Finding(
        (float(count), ratio), wins and count > 1 and ratio > 1.2, f"{count} orders; {ratio:.2f} times"
    )


def figure_13() -> Finding:
    """1,500 images of digits: orders by stress, and largest over smallest divergence of MDS."""
    count, wins, ratio = _curves_like_figure_1("mnist-1500")
    return Finding(
        (float(count), ratio), wins and count > 1 and ratio > 1.2, f"{count} orders; {ratio:.2f} times"
    )


def figure_14() -> Finding:
    """Median correlation with noise, all methods but random: NS, SGS, NMS, SNS, FSNS."""
    table = noise().drop("random", level="method")[["ns", "sgs", "nms", "sns", "fsns"]].median()
    values = tuple(map(float, table))
    return Finding(values, min(values[1:]) > 0.9 > values[0], ", ".join(f"{v:.3f}" for v in values))


def _one_dataset(name: str) -> Finding:
    table = noise().loc[name].drop("random")
    values = (float(table["ns"].abs().max()), float(table[["sgs", "nms", "sns"]].min().min()))
    return Finding(
        values,
        values[1] > values[0],
        f"NS at most {values[0]:.3f} in size; SGS, NMS and SNS at least {values[1]:.3f}",
    )


def figure_15() -> Finding:
    """Auto-MPG: largest correlation of NS with noise in size, and least of SGS, NMS and SNS."""
    return _one_dataset("auto-mpg")


def figure_17() -> Finding:
    """Iris: largest correlation of NS with noise in size, and least of SGS, NMS and SNS."""
    return _one_dataset("iris")


def figure_18() -> Finding:
    """Wine: largest correlation of NS with noise in size, and least of SGS, NMS and SNS."""
    return _one_dataset("wine")
