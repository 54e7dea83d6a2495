"""What decides each claim of Smelser et al. (2025) in the ledger, main text: one function for each entry of ``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds in its own terms, and the numbers in words. Of the
24 datasets the six well-known ones are here, with projections from ten seeds; they are scored against the data that were
projected, unless it says "as published". Printed tables are recomputed where they contain what is needed. Draws have
fixed seeds. The claims of the supplement are in `supplement_claims`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from isotropy_lab.projection import (
    affinities,
    forced_scale_kl,
    forced_scale_stress,
    kl_curve,
    kl_divergence,
    nonmetric_stress,
    normalized_stress,
    optimal_scale,
    raw_stress,
    scale_normalized_kl,
    scale_normalized_stress,
    shepard_goodness,
)
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums
from isotropy_lab.projection.curves import orders
from reanalyses.ledger import Finding
from reanalyses.smelser2025 import datasets, experiments
from reanalyses.smelser2025.datasets.surveyed import SURVEYED
from reanalyses.smelser2025.experiments import projections

Array = NDArray[np.float64]

#: Datasets of a few hundred points, and of 1,500, where ranks take long.
SMALL = ("iris", "wine", "penguins", "auto-mpg")
LARGE = ("swiss-roll", "s-curve")
#: Seeds of the projections of the two kinds.
SEEDS: dict[str, tuple[int, ...]] = {**dict.fromkeys(SMALL, tuple(range(10))), **dict.fromkeys(LARGE, (0,))}
METHODS = experiments.SIX
INVARIANT = ("sgs", "nms", "sns", "fsns")
EXPECTED = "tsne < mds < random"


# --- data shared by several claims
# ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def seed_scores() -> pd.DataFrame:
    """All measures of projections of the six datasets, ten seeds of the small ones and one of the large."""
    return pd.concat(
        [
            experiments.projection_scores(projections(name, METHODS, seeds=seeds))
            for name, seeds in SEEDS.items()
        ]
    )


@lru_cache(maxsize=1)
def as_published_scores() -> pd.DataFrame:
    """Measures of projections of Penguins and Wine, ten seeds, scored against raw data."""
    return experiments.projection_scores(
        [projections(name, seeds=range(10), preprocess="as-published") for name in ("penguins", "wine")],
        measures=("sgs", *experiments.KL_MEASURES),
    )


def as_published_means() -> pd.DataFrame:
    """Their means over seeds, by dataset and method."""
    return as_published_scores().groupby(["dataset", "method"])[["snkl", "sgs"]].mean()


@lru_cache(maxsize=1)
def before_mds() -> pd.DataFrame:
    """Table III on our projections: percentages by (method, scale) and measure, every dataset with the same weight."""
    parts = [experiments.baseline_table(part) for _, part in seed_scores().groupby("dataset")]
    return pd.concat(parts).pivot_table(index=["method", "scale"], columns="measure", values="percent")


@lru_cache(maxsize=1)
def _compared_as_published() -> pd.Series:
    """Percentages of trials in which a method comes before MDS, scored against raw data, by (measure, scale, method)."""
    several = [
        projections(name, METHODS, seeds=range(10), preprocess="as-published")
        for name in experiments.WELL_KNOWN
    ]
    scores = experiments.projection_scores(several, measures=("ns", "sns"))
    return experiments.baseline_table(scores).set_index(["measure", "scale", "method"])["percent"]


def before_mds_as_published(measure: str = "ns", scale: int = 1) -> pd.Series:
    """Percentages of trials of six datasets in which a method comes before MDS, scored against raw data."""
    return _compared_as_published()[measure][scale]


@lru_cache(maxsize=1)
def orders_by_divergence() -> pd.DataFrame:
    """Table IV on our projections: percentages by order and measure, every dataset with the same weight."""
    parts = [experiments.kl_order_table(part) for _, part in seed_scores().groupby("dataset")]
    return pd.concat(parts).pivot_table(index="order", columns="measure", values="percent")


@lru_cache(maxsize=1)
def correlations_of_divergences() -> pd.Series:
    """Table V on our projections, by pair of measures."""
    return experiments.kl_correlations(seed_scores()).set_index(["first", "second"])["spearman"]


@lru_cache(maxsize=1)
def noise() -> pd.DataFrame:
    """Pearson's correlation with the number of noise steps, by (dataset, method) and measure."""
    several = [projections(name, ("mds", "tsne", "umap", "isomap", "pca", "random")) for name in SMALL]
    table = experiments.noise_correlations(experiments.sensitivity(several))
    return table.pivot(index=["dataset", "method"], columns="measure", values="pearson")


@lru_cache(maxsize=1)
def noise_of_images() -> pd.DataFrame:
    """The same for MDS of 1,500 images of digits and ten steps."""
    table = experiments.noise_correlations(
        experiments.sensitivity(projections("mnist-1500", ("mds",)), n_steps=10)
    )
    return table.set_index("measure")


@lru_cache(maxsize=1)
def random_minima() -> pd.DataFrame:
    """Minima of the divergence of 200 random projections of iris."""
    return experiments.minima_of_random_projections(projections("iris").X)


@lru_cache(maxsize=8)
def three(name: str) -> tuple[Array, Mapping[str, Array]]:
    """Data and projections by MDS, t-SNE and at random."""
    return projected(name, experiments.THREE)


def projected(name: str, methods: Sequence[str]) -> tuple[Array, Mapping[str, Array]]:
    """Data and projections by method, seed 0."""
    found = projections(name, methods)
    return found.X, found.Y


def sums_of(name: str, methods: Sequence[str] = METHODS) -> dict[str, PairSums]:
    """Sums over pairs for projections of a dataset, seed 0."""
    X, named = projected(name, methods)
    return {method: pair_sums(X, Y) for method, Y in named.items()}


def percentages(leave_out: Sequence[str] = ()) -> tuple[float, ...]:
    """The five percentages of Section V-D from Table VI: Isomap, LLE and t-SNE second, t-SNE and LLE last."""
    table = experiments.rank_summary(experiments.table_6(), leave_out=leave_out).set_index(
        ["measure", "method"]
    )
    cells = (
        (("ns", "isomap"), "second"),
        (("ns", "lle"), "second"),
        (("sns", "tsne"), "second"),
        (("ns", "tsne"), "last"),
        (("sns", "lle"), "last"),
    )
    return tuple(float(table.loc[row, column]) for row, column in cells)


def _percent(values: Sequence[float]) -> str:
    return ", ".join(f"{v:.1f}%" for v in values)


def _spread(values: Sequence[float]) -> float:
    return float(np.ptp(values) / max(abs(float(np.mean(values))), 1e-300))


# --- abstract, introduction, Figure 1
# ------------------------------------------------------------------------------------------


def severely_affected() -> Finding:
    """Iris by MDS: stress and divergence at the best size, and at ten times it."""
    X, named = three("iris")
    Y = named["mds"]
    found = scale_normalized_kl(X, Y)
    values = (
        scale_normalized_stress(X, Y),
        normalized_stress(X, Y, scale=10 * optimal_scale(X, Y)),
        found.value,
        kl_divergence(X, Y, scale=10 * found.scale),
    )
    return Finding(
        values,
        values[1] > 10 * values[0] and values[3] > 1.5 * values[2],
        f"stress {values[0]:.3f} and {values[1]:.2f}, divergence {values[2]:.3f} and {values[3]:.3f}",
    )


def small_benchmark() -> Finding:
    """Percentage of trials with random last and MDS or t-SNE first, by SNS and SNKL, over our datasets."""
    table = before_mds()
    values = (
        100 - float(table.loc[("random", 1), "sns"]),
        float(orders_by_divergence().loc[EXPECTED, "snkl"]),
    )
    return Finding(
        values,
        min(values) > 95,
        f"random never before MDS by SNS {values[0]:.0f}%, expected order by SNKL {values[1]:.0f}%",
    )


def figure_1_random_wins() -> Finding:
    """Size beyond which random has the least stress of the three on iris, as published."""
    iris = projections("iris", preprocess="as-published")
    last = experiments.stress_crossings(iris).iloc[-1]
    order = experiments.stress_orders(iris)["order"].iloc[-1]
    return Finding(
        (float(last["scale"]),),
        order.startswith("random"),
        f"{order} beyond {last['scale']:.2f} times its size",
    )


def figure_1_six_orders() -> Finding:
    """Orders of MDS, t-SNE and random at a common scale on iris, whichever the data they are scored against."""
    counts = [
        len(experiments.stress_orders(projections("iris", preprocess=preprocess)))
        for preprocess in ("consistent", "as-published")
    ]
    return Finding(
        tuple(map(float, counts)), min(counts) == 6, f"{counts[0]} orders, as published {counts[1]}"
    )


def any_order_at_own_scales() -> Finding:
    """Orders of the three on iris if each projection has a size of its own."""
    count = experiments.orders_at_own_scales(projections("iris"))["order"].nunique()
    return Finding((float(count),), count == 6, f"{count} of 6")


def methods_have_sizes() -> Finding:
    """Largest over smallest diameter of the projections of a dataset by six methods, smallest of the six datasets."""
    ratios = []
    for name in experiments.WELL_KNOWN:
        diameters = [sums.max_e for sums in sums_of(name).values()]
        ratios.append(max(diameters) / min(diameters))
    return Finding(
        (min(ratios), max(ratios)), min(ratios) > 10, f"{min(ratios):.0f} to {max(ratios):.0f} times"
    )


# --- section III, Table I
# ------------------------------------------------------------------------------------------


def table_1_invariance() -> Finding:
    """Relative change of each measure of Table I on iris by MDS, between half its size and ten times it."""
    X, named = three("iris")
    changes = {}
    measures: dict[str, Callable[[Array, Array], float]] = {
        "raw stress": raw_stress,
        "NS": normalized_stress,
        "Shepard goodness": shepard_goodness,
        "NMS": nonmetric_stress,
        "SNS": scale_normalized_stress,
        "FSNS": forced_scale_stress,
    }
    for label, measure in measures.items():
        changes[label] = _spread([measure(X, size * named["mds"]) for size in (0.5, 1.0, 10.0)])
    sensitive = min(changes["raw stress"], changes["NS"])
    invariant = max(value for label, value in changes.items() if label not in ("raw stress", "NS"))
    return Finding(
        (sensitive, invariant),
        sensitive > 0.5 and invariant < 1e-9,
        f"at least {sensitive:.2g}, at most {invariant:.1g}",
    )


def raw_stress_invariances() -> Finding:
    """Relative change of iris's raw stress by MDS under rotation, translation and reflection, and under stretching."""
    X, named = three("iris")
    Y = named["mds"]
    c, s = math.cos(0.7), math.sin(0.7)
    turn, shift, flip = (np.array([[c, -s], [s, c]]), np.array([3.0, -7.0]), np.array([-1.0, 1.0]))
    moved = [Y @ turn, Y + shift, Y * flip]
    base = raw_stress(X, Y)
    values = (max(abs(raw_stress(X, Z) / base - 1) for Z in moved), raw_stress(X, 2 * Y) / base)
    return Finding(
        values, values[0] < 1e-9 and values[1] > 2, f"{values[0]:.1g}; twice as large: {values[1]:.0f} times"
    )


def quadratic_in_scale() -> Finding:
    """Largest third difference of raw stress in the scale, relative to the second, over the six datasets' projections."""
    worst = 0.0
    for name in SMALL:
        for sums in sums_of(name).values():
            values = np.array([sums.raw_stress(scale) for scale in (0.0, 1.0, 2.0, 3.0, 4.0)])
            worst = max(worst, float(np.abs(np.diff(values, 3)).max() / np.abs(np.diff(values, 2)).min()))
    return Finding((worst,), worst < 1e-9, f"{worst:.1g}")


def not_in_unit_interval() -> Finding:
    """Normalized stress of t-SNE's projections at their own size: smallest and largest of the six datasets."""
    values = seed_scores().query("method == 'tsne'").groupby("dataset")["ns"].mean()
    return Finding(
        (float(values.min()), float(values.max())),
        values.min() > 1,
        f"{values.min():.1f} to {values.max():.1f}",
    )


def curve_of_stress() -> Finding:
    """Whether every curve starts at 1, falls, turns once and grows: projections of six datasets by six methods."""
    starts, turns, ends = [], [], []
    for name in experiments.WELL_KNOWN:
        for sums in sums_of(name).values():
            scales = sums.optimal_scale * np.linspace(0, 50, 501)
            curve = np.sqrt([sums.normalized_stress(scale) for scale in scales])
            starts.append(curve[0])
            ends.append(curve[-1])
            turns.append(int((np.diff(np.sign(np.diff(curve))) != 0).sum()))
    values = (max(abs(s - 1) for s in starts), float(max(turns)), float(min(ends)))
    holds = values[0] < 1e-12 and set(turns) == {1} and values[2] > 10
    return Finding(
        values,
        holds,
        f"{len(turns)} curves, each turns once, at least {values[2]:.0f} at 50 times the best size",
    )


def one_positive_crossing() -> Finding:
    """Most crossings above 0 of any two projections of a dataset by seven methods, and pairs without one."""
    most, without, pairs = 0, 0, 0
    for name in experiments.WELL_KNOWN:
        methods = (*METHODS, "lle")
        X, named = projected(name, methods)
        curves = {method: pair_sums(X, Y) for method, Y in named.items()}
        for a, b in itertools.combinations(curves.values(), 2):
            changes = len(orders([a, b])) - 1
            most, without, pairs = (max(most, changes), without + (changes == 0), pairs + 1)
    return Finding(
        (float(most), float(without)),
        most == 1,
        f"at most {most}; none in {without} of {pairs} pairs of projections",
    )


def figure_2() -> Finding:
    """Shepard goodness of Wine as published: MDS, mean of ten seeds and extremes, and random."""
    table = as_published_scores().query("dataset == 'wine'")
    mds = table.query("method == 'mds'")["sgs"]
    random = table.query("method == 'random'")["sgs"]
    values = (float(mds.mean()), float(random.mean()))
    return Finding(
        values,
        values[0] > 0.3,
        f"MDS {values[0]:.3f} ({mds.min():.3f} to {mds.max():.3f}), random {values[1]:.3f} "
        f"({random.min():.3f} to {random.max():.3f})",
    )


def ranks_ignore_stretching() -> Finding:
    """Relative change of Wine's Shepard goodness by MDS, scaled by 0.01 and by 100."""
    X, named = three("wine")
    change = _spread([shepard_goodness(X, size * named["mds"]) for size in (0.01, 1.0, 100.0)])
    return Finding((change,), change < 1e-12, f"{change:.1g}")


def fitted_values_scale() -> Finding:
    """Largest relative difference between the fits to Wine by MDS at size 7 and seven times those at size 1."""
    from sklearn.isotonic import IsotonicRegression

    X, named = three("wine")
    d, e = pdist(X), pdist(named["mds"])
    first, second = (IsotonicRegression().fit_transform(d, size * e) for size in (1.0, 7.0))
    gap = float(np.abs(second - 7 * first).max() / second.max())
    return Finding((gap,), gap < 1e-12, f"{gap:.1g}")


def unique_minimum() -> Finding:
    """Smallest Σde and Σe² over the projections of six datasets by six methods, relative to those of MDS."""
    smallest = []
    for name in experiments.WELL_KNOWN:
        for sums in sums_of(name).values():
            smallest.append(sums.sum_de / np.sqrt(sums.sum_d2 * sums.sum_e2))
    return Finding(
        (float(min(smallest)),),
        min(smallest) > 0,
        f"Σde positive for all {len(smallest)}: the minimum is at a scale above 0",
    )


def printed_alpha() -> Finding:
    """Stress of t-SNE's projection of iris at the printed α, and at the best scale."""
    X, named = three("iris")
    d, e = pdist(X), pdist(named["tsne"])
    printed = float(d @ e) / float(d @ d)
    values = (normalized_stress(X, named["tsne"], scale=printed), scale_normalized_stress(X, named["tsne"]))
    return Finding(values, abs(values[0] - values[1]) < 1e-9, f"{values[0]:.4g}, least {values[1]:.4f}")


def forced_scale_assumes_shape() -> Finding:
    """Smallest and largest quotient of FSNS and SNS over all projections of six datasets."""
    ratio = seed_scores()["fsns"] / seed_scores()["sns"]
    values = (float(ratio.min()), float(ratio.max()))
    return Finding(values, values[0] >= 1 - 1e-9 and values[1] > 2, f"{values[0]:.3f} to {values[1]:.3f}")


# --- section IV
# ------------------------------------------------------------------------------------------


def figure_3_varies() -> Finding:
    """Wine: largest divergence over smallest between sizes 0.001 and 100, for random, MDS and t-SNE."""
    table = experiments.kl_curves(projections("wine")).groupby("method")["divergence"]
    ratios = (table.max() / table.min()).loc[["random", "mds", "tsne"]]
    return Finding(
        tuple(map(float, ratios)), float(ratios.min()) > 1.2, ", ".join(f"{r:.2f}" for r in ratios)
    )


def figure_3_order() -> Finding:
    """Orders of t-SNE, MDS and random by divergence at common scales on Wine as published."""
    found = experiments.kl_orders(projections("wine", preprocess="as-published"))["order"]
    return Finding(
        (float(found.nunique()),), bool((found != EXPECTED).any()), "; ".join(dict.fromkeys(found))
    )


def figure_3_six_orders() -> Finding:
    """Orders of t-SNE, MDS and random on Wine at common scales: consistent and as published; ten seeds."""
    counts = [
        max(
            experiments.kl_orders(projections("wine", seeds=(seed,), preprocess=p))["order"].nunique()
            for seed in range(10)
        )
        for p in ("consistent", "as-published")
    ]
    return Finding(
        tuple(map(float, counts)),
        max(counts) == 6,
        f"at most {counts[0]} orders, as published {counts[1]}, for any of ten seeds",
    )


def six_orders_occur() -> Finding:
    """Of 600 random problems of five points those with all six orders by divergence at one common scale."""
    table, _ = experiments.order_counts(n_problems=600, n_scales=200)
    six = int(table.set_index("orders").loc[6, "problems"])
    return Finding((float(six),), six > 0, f"{six} of 600")


def constant_at_zero() -> Finding:
    """Spread of the divergence at scale 0 over six projections of iris, and log N(N − 1) minus the entropy of P."""
    X, named = projected("iris", METHODS)
    P = affinities(X)
    at_zero = [kl_divergence(P, Y, scale=0.0, metric="affinities") for Y in named.values()]
    n = len(X)
    p = P[P > 0]
    by_hand = float(p @ np.log(p)) + np.log(n * (n - 1))
    values = (float(np.ptp(at_zero)), abs(at_zero[0] - by_hand))
    return Finding(values, max(values) < 1e-10, f"all are {at_zero[0]:.4f}")


@lru_cache(maxsize=1)
def _minima() -> pd.DataFrame:
    rows = []
    for name in (*SMALL, "s-curve"):
        X, named = projected(name, (*METHODS, "lle"))
        P = affinities(X)
        for method, Y in named.items():
            found = scale_normalized_kl(P, Y, metric="affinities")
            curve = kl_curve(P, Y, np.geomspace(1e-3, 1e6, 200), metric="affinities")
            rows.append(
                (
                    name,
                    method,
                    found.n_minima,
                    found.at_zero,
                    found.at_infinity,
                    float(curve[-1] - curve[-40]),
                )
            )
    return pd.DataFrame(rows, columns=["dataset", "method", "minima", "at_zero", "at_infinity", "last_rise"])


def at_most_one_minimum() -> Finding:
    """Most local minima of the divergence of any of our projections of five datasets by seven methods."""
    most = int(_minima()["minima"].max())
    return Finding((float(most),), most <= 1, f"{most}, of {len(_minima())} projections")


def unimodal() -> Finding:
    """Local minima of the divergence of iris's components with one far point."""
    count = len(experiments.outlier_curve()[1])
    return Finding((float(count),), count <= 1, f"{count} minima")


def minimum_at_zero_is_bad() -> Finding:
    """Projections whose infimum is at 0: of those by a method that looks at the data, and of 200 random ones of iris."""
    ours = _minima()
    methods = int(ours.loc[ours["method"] != "random", "at_zero"].sum())
    random = int(random_minima()["at_zero"].sum())
    return Finding(
        (float(methods), float(random)),
        methods == 0 and random < 20,
        f"{methods} by other methods, {random} of 200 random projections, which are not worse than random",
    )


def asymptote() -> Finding:
    """Iris by MDS at scales 10⁶ and 10⁷: change of the divergence, and growth of the normalized stress."""
    X, named = three("iris")
    Y = named["mds"]
    P = affinities(X)
    values = (
        abs(
            kl_divergence(P, Y, scale=1e7, metric="affinities")
            - kl_divergence(P, Y, scale=1e6, metric="affinities")
        ),
        normalized_stress(X, Y, scale=1e7) / normalized_stress(X, Y, scale=1e6),
    )
    return Finding(values, values[0] < 1e-6 and values[1] > 9, f"{values[0]:.1g}; {values[1]:.3f} times")


def gaussian_has_several_minima() -> Finding:
    """Most local minima of KL_G of our projections by UMAP, of four datasets."""
    counts = []
    for name in SMALL:
        X, named = projected(name, ("umap",))
        curve = experiments.floored_gaussian_curve(X, named["umap"], scales=np.geomspace(2e-2, 2e2, 61))
        counts.append(int(curve["minimum"].sum()))
    return Finding(
        (float(max(counts)),), max(counts) > 1, f"at most {max(counts)}; the curve is convex in α²"
    )


def kernel_matters() -> Finding:
    """Auto-MPG by UMAP: best scale and least divergence with the Student-t kernel, and with the Gaussian."""
    X, named = projected("auto-mpg", ("umap",))
    P = affinities(X)
    found = [
        scale_normalized_kl(P, named["umap"], kernel=k, metric="affinities")
        for k in ("student-t", "gaussian")
    ]
    values = tuple(v for f in found for v in (f.scale, f.value))
    return Finding(
        values,
        abs(values[0] / values[2] - 1) > 0.2,
        "; ".join(f"{f.value:.3f} at {f.scale:.3f}" for f in found),
    )


def snkl_is_invariant() -> Finding:
    """Relative change of SNKL and FSKL of iris by t-SNE between sizes 10⁻⁶ and 10⁶."""
    X, named = three("iris")
    P = affinities(X)
    sizes = (1e-6, 1.0, 1e6)
    values = (
        _spread([scale_normalized_kl(P, s * named["tsne"], metric="affinities").value for s in sizes]),
        _spread([forced_scale_kl(P, s * named["tsne"], metric="affinities") for s in sizes]),
    )
    return Finding(values, max(values) < 1e-9, f"{values[0]:.1g} and {values[1]:.1g}")


def never_decreasing_for_ever() -> Finding:
    """Projections of our datasets whose divergence has its infimum at infinity."""
    count = int(_minima()["at_infinity"].sum())
    return Finding((float(count),), count == 0, f"{count} of {len(_minima())}")


def forced_scale_is_uninformed() -> Finding:
    """Expected order by FSKL and by SNKL, percent of trials."""
    table = orders_by_divergence().loc[EXPECTED]
    values = (float(table["fskl"]), float(table["snkl"]))
    return Finding(values, values[0] < values[1] - 5, _percent(values))


# --- section V
# ------------------------------------------------------------------------------------------


def table_2() -> Finding:
    """Datasets of Table II whose points or dimensions differ from those here or in the survey's files."""
    table = datasets.table_2()
    off = table[(table["points"] != table["points_here"]) | (table["dimensions"] != table["dimensions_here"])]
    return Finding((float(len(off)),), len(off) == 0, f"{len(off)} of {len(table)}: {', '.join(off.index)}")


def six_and_eighteen() -> Finding:
    """Well-known datasets, those of the survey, and those of the latter without usable projections."""
    left_out = sum(not entry.embeddings_published for entry in SURVEYED.values())
    values = (float(len(datasets.table_2()) - len(SURVEYED)), float(len(SURVEYED)), float(left_out))
    return Finding(values, values == (6, 18, 2), "6 well-known, 18 of the survey, 2 of these left out")


def raw_stress_is_redundant() -> Finding:
    """Spread, over six projections of iris, of raw stress over the square of normalized stress."""
    X, named = projected("iris", METHODS)
    ratio = [raw_stress(X, Y) / normalized_stress(X, Y, squared=True) for Y in named.values()]
    return Finding((_spread(ratio),), _spread(ratio) < 1e-9, f"{_spread(ratio):.1g}: the factor is Σd²")


def figure_5() -> Finding:
    """MNIST by MDS: correlation with noise of the invariant measures, the least, and of NS."""
    table = noise_of_images()["pearson"]
    values = (float(table[list(INVARIANT)].min()), float(table["ns"]))
    return Finding(
        values,
        values[0] > 0.9 > values[1],
        f"invariant measures at least {values[0]:.3f}, NS {values[1]:.3f}",
    )


def figure_6() -> Finding:
    """MDS on four datasets: least correlation with noise of an invariant measure, and largest of NS."""
    table = noise().xs("mds", level="method")
    values = (float(table[list(INVARIANT)].min().min()), float(table["ns"].max()))
    return Finding(
        values, values[0] > 0.9 > 0.6 > values[1], f"at least {values[0]:.3f}; NS at most {values[1]:.3f}"
    )


def invariant_measures_follow_noise() -> Finding:
    """All methods but random: least correlation with noise of SGS, NMS, SNS and FSNS, with where it is."""
    table = noise().drop("random", level="method")[list(INVARIANT)].stack()
    where = table.idxmin()
    return Finding(
        (float(table.min()),),
        float(table.min()) > 0.5,
        f"{table.min():.3f}, {where[2]} on {where[0]} by {where[1]}",
    )


def normalized_stress_improves() -> Finding:
    """Curves of NS that fall on the whole: with a fifth of the noise, iris by MDS and t-SNE, eight draws; and of Figure 14."""
    curves = []
    for draw in range(8):
        table = experiments.noise_correlations(
            experiments.sensitivity(projections("iris", ("mds", "tsne")), noise=0.05, rng=draw)
        )
        curves += list(table.loc[table["measure"] == "ns", "pearson"])
    strong = noise()["ns"]
    falls = (sum(value < 0 for value in curves), int((strong < 0).sum()))
    return Finding(
        tuple(map(float, falls)),
        falls[0] > 2,
        f"{falls[0]} of {len(curves)} with gentle noise, {falls[1]} of {len(strong)} with noise as large as the projection",
    )


def random_stays_constant() -> Finding:
    """Random projections: largest rise of SNS over all steps of noise, relative, and of t-SNE's."""
    several = [projections(name, ("random", "tsne")) for name in ("iris", "wine")]
    table = experiments.sensitivity(several).query("measure == 'sns'")
    ends = table[table["step"].isin([0, 50])].pivot(
        index=["dataset", "method"], columns="step", values="value"
    )
    rise = ((ends[50] / ends[0]) - 1).groupby("method").max()
    values = (float(rise["random"]), float(rise["tsne"]))
    return Finding(values, values[0] < 0.25 < values[1], f"{values[0]:.1%} against {values[1]:.1%}")


def table_3_direction() -> Finding:
    """Random before MDS: NS at sizes 1 and 10, and the most by SGS, NMS and SNS."""
    table = before_mds()
    invariant = table.loc["random", ["sgs", "nms", "sns"]].to_numpy().max()
    values = (float(table.loc[("random", 1), "ns"]), float(table.loc[("random", 10), "ns"]), float(invariant))
    return Finding(values, values[0] == 0 < 75 < values[1] and values[2] == 0, _percent(values))


def table_3_trials() -> Finding:
    """Largest distance of a printed percentage of Table III from a multiple of 1/240."""
    values = experiments.table_3().drop(columns=["method", "scale"]).to_numpy(dtype=float)
    gap = float(np.abs(values - np.round(values * 2.4) / 2.4).max())
    return Finding((gap,), gap <= 0.0501, f"{gap:.3f} points")


def rarely_better_than_mds() -> Finding:
    """Largest percentage of trials in which t-SNE, UMAP or Isomap comes before MDS by an invariant measure."""
    highest = float(before_mds().loc[["tsne", "umap", "isomap"], list(INVARIANT)].to_numpy().max())
    return Finding((highest,), highest < 5, f"{highest:.1f}%")


def rarely_pca_before_mds() -> Finding:
    """Percentages of trials in which PCA comes before MDS by SGS, NMS, SNS and FSNS."""
    values = before_mds().loc[("pca", 1), list(INVARIANT)].to_numpy(dtype=float)
    return Finding(tuple(values), float(values.max()) < 5, _percent(list(values)))


def occasional_reversals() -> Finding:
    """Percentages of trials in which t-SNE and UMAP come before MDS by NS at their own size."""
    values = tuple(float(before_mds().loc[(method, 1), "ns"]) for method in ("tsne", "umap"))
    return Finding(values, min(values) > 0, _percent(values))


def occasional_reversals_as_published() -> Finding:
    """The same where projections of the six datasets are scored against raw data, percent of 24 datasets."""
    table = before_mds_as_published()
    values = tuple(float(table[method]) / 4 for method in ("tsne", "umap"))
    return Finding(values, min(values) > 0, f"if no other dataset reverses: {_percent(values)}")


def enlarged_as_published() -> Finding:
    """t-SNE and PCA before MDS by NS at ten times the size, as published, if the other 18 datasets have 0 and 100%."""
    table = before_mds_as_published(scale=10)
    values = (float(table["tsne"]) / 4, float(table["pca"]) / 4 + 75.0)
    return Finding(values, values[0] > 0 and values[1] < 100, _percent(values))


def reversals_of_sns_as_published() -> Finding:
    """UMAP and Isomap before MDS by SNS, as published, percent of 24 datasets if the other 18 have none."""
    table = before_mds_as_published("sns")
    values = (float(table["umap"]) / 4, float(table["isomap"]) / 4)
    return Finding(values, min(values) > 0, _percent(values))


def nearly_eighty() -> Finding:
    """Random before MDS by NS at ten times the size, percent of trials of six datasets."""
    value = float(before_mds().loc[("random", 10), "ns"])
    return Finding((value,), 75 < value < 85, f"{value:.0f}%; printed are 79.6")


def no_contradiction_by_invariant_measures() -> Finding:
    """Printed percentages of trials in which random comes before MDS, by SGS, NMS, SNS and FSNS."""
    values = (
        experiments.table_3().query("method == 'random'")[list(INVARIANT)].to_numpy(dtype=float).max(axis=0)
    )
    return Finding(tuple(values), float(values.max()) == 0, _percent(list(values)))


def never_reversed_tsne() -> Finding:
    """Printed percentages of trials in which t-SNE comes before MDS by NS."""
    values = tuple(map(float, experiments.table_3().query("method == 'tsne'")["ns"]))
    return Finding(values, max(values) == 0, _percent(values))


def smaller_tsne_wins() -> Finding:
    """Datasets, of six, in which t-SNE has less NS than MDS when both are made small enough."""
    wins = [
        experiments.stress_orders(projections(name, ("mds", "tsne")))["order"].iloc[0] == "tsne < mds"
        for name in experiments.WELL_KNOWN
    ]
    return Finding((float(sum(wins)),), all(wins), f"{sum(wins)} of {len(wins)}")


def any_projection_can_win() -> Finding:
    """Pairs of dataset and method, of 30, in which some common scale ranks the method before MDS by NS."""
    found = []
    for name in experiments.WELL_KNOWN:
        curves = sums_of(name)
        for method in METHODS[1:]:
            pair = {"mds": curves["mds"], method: curves[method]}
            found.append(any(o.order[0] == method for o in orders(pair)))
    return Finding((float(sum(found)),), all(found), f"{sum(found)} of {len(found)}")


def mds_is_first() -> Finding:
    """Datasets of Table VI in which MDS is first by both measures."""
    table = experiments.table_6().query("method == 'mds'")
    first = int(((table["ns_rank"] == 1) & (table["sns_rank"] == 1)).sum())
    return Finding((float(first),), first == len(table), f"{first} of {len(table)}")


def no_dataset_agrees() -> Finding:
    """Datasets of Table VI with the same ranking by both measures."""
    same = int(experiments.rank_agreement(experiments.table_6())["same"].sum())
    return Finding((float(same),), same == 0, f"{same} of 16")


def no_dataset_agrees_here() -> Finding:
    """Datasets of ours, of six, with the same ranking of MDS, t-SNE, UMAP, PCA and Isomap by both measures."""
    ranks = experiments.stress_ranks(seed_scores().query("method != 'random'"))
    table = experiments.rank_agreement(ranks)
    return Finding(
        (float(table["same"].sum()),), not table["same"].any(), f"{table['same'].sum()} of {len(table)}"
    )


def shares_of_the_survey() -> Finding:
    """The five percentages of Section V-D from the 16 datasets of Table VI."""
    values = percentages()
    holds = all(abs(v - printed) < 0.51 for v, printed in zip(values, (33, 40, 80, 80, 73), strict=True))
    return Finding(values, holds, _percent(values))


def umap_never_above_tsne() -> Finding:
    """Datasets of Table VI in which UMAP ranks above t-SNE by SNS."""
    count = int(experiments.rank_agreement(experiments.table_6())["umap_before_tsne"].sum())
    return Finding((float(count),), count == 0, f"{count} of 16")


def umap_never_above_tsne_here() -> Finding:
    """Trials of ours in which UMAP has less SNS than t-SNE, by dataset."""
    table = seed_scores().pivot(index=["dataset", "seed"], columns="method", values="sns")
    values = 100 * (table["umap"] < table["tsne"]).groupby("dataset").mean()
    return Finding(
        (float(values.max()),),
        float(values.max()) == 0,
        ", ".join(f"{n} {v:.0f}%" for n, v in values.items()),
    )


# --- sections VI and VII
# ------------------------------------------------------------------------------------------


def table_4_printed() -> Finding:
    """Largest distance of the column sums of Table IV from 100."""
    sums = experiments.table_4().drop(columns="order").sum().to_numpy(dtype=float)
    gap = float(np.abs(sums - 100).max())
    return Finding((gap,), gap < 0.02, f"{gap:.2f} points")


def table_4_snkl() -> Finding:
    """Expected order by SNKL, percent of trials."""
    value = float(orders_by_divergence().loc[EXPECTED, "snkl"])
    return Finding((value,), value > 96, _percent([value]))


def table_4_scales() -> Finding:
    """Expected order by the divergence at sizes 1 and 10."""
    table = orders_by_divergence().loc[EXPECTED]
    values = (float(table["kl_1"]), float(table["kl_10"]))
    return Finding(values, values[0] > values[1] + 10, _percent(values))


def table_4_best() -> Finding:
    """Expected order by each measure: SNKL, FSKL, KL at sizes 1 and 10."""
    values = orders_by_divergence().loc[EXPECTED, list(experiments.KL_MEASURES)].to_numpy(dtype=float)
    return Finding(tuple(values), values[0] == values.max(), _percent(list(values)))


def penguins_means() -> Finding:
    """SNKL of Penguins, means of ten seeds, as published: MDS and t-SNE."""
    table = as_published_means()["snkl"]
    values = (float(table[("penguins", "mds")]), float(table[("penguins", "tsne")]))
    return Finding(values, values[0] < values[1], f"{values[0]:.3f} and {values[1]:.3f}")


def penguins_order() -> Finding:
    """Seeds, of ten, in which SNKL ranks MDS before t-SNE before random on Penguins, as published."""
    scores = as_published_scores().query("dataset == 'penguins'")
    table = scores.pivot(index="seed", columns="method", values="snkl")
    count = int(((table["mds"] < table["tsne"]) & (table["tsne"] < table["random"])).sum())
    return Finding((float(count),), count > 5, f"{count} of 10")


def penguins_order_of_the_data() -> Finding:
    """Seeds, of ten, with an unexpected order by SNKL on Penguins, scored against the data that were projected."""
    scores = seed_scores().query("dataset == 'penguins'")
    table = scores.pivot(index="seed", columns="method", values="snkl")
    count = int((~((table["tsne"] < table["mds"]) & (table["mds"] < table["random"]))).sum())
    return Finding((float(count),), count > 5, f"{count} of 10")


def table_5() -> Finding:
    """Correlations of the measures of divergence over our projections, in the order of Table V."""
    values = tuple(correlations_of_divergences().to_numpy(dtype=float))
    printed = experiments.table_5()["spearman"].to_numpy(dtype=float)
    gap = float(np.abs(np.array(values) - printed).max())
    return Finding(
        values, gap < 0.2, f"{', '.join(f'{v:.2f}' for v in values)}; at most {gap:.2f} from the printed"
    )


def sizes_correlate() -> Finding:
    """Correlation of the divergences at sizes 1 and 10."""
    value = float(correlations_of_divergences()[("kl_1", "kl_10")])
    return Finding((value,), value > 0.8, f"{value:.2f}")


def divergence_varies_less() -> Finding:
    """Median, over our projections by three methods, of the quotient between sizes 10 and 1: stress and divergence."""
    scores = seed_scores()[seed_scores()["method"].isin(experiments.THREE)]
    stress = float((scores["ns_10"] / scores["ns"]).median())
    divergence = (scores["kl_10"] / scores["kl_1"]).to_numpy()
    values = (stress, float(np.median(np.maximum(divergence, 1 / divergence))))
    return Finding(values, values[0] > 2 * values[1], f"{values[0]:.2f} and {values[1]:.2f}")


def forced_scale_correlates_least() -> Finding:
    """Largest correlation of FSKL with another measure, and smallest of the others among themselves."""
    table = correlations_of_divergences()
    with_fskl = [v for k, v in table.items() if "fskl" in k]
    others = [v for k, v in table.items() if "fskl" not in k]
    values = (float(max(with_fskl)), float(min(others)))
    return Finding(
        values, values[0] < values[1], f"at most {values[0]:.2f}, the others at least {values[1]:.2f}"
    )


def random_before_tsne() -> Finding:
    """Trials, percent, in which random has less NS than t-SNE at their own sizes, and less than MDS."""
    table = seed_scores().pivot(index=["dataset", "seed"], columns="method", values="ns")
    values = tuple(100 * float((table["random"] < table[m]).mean()) for m in ("tsne", "mds"))
    return Finding(values, values[0] > 50, f"{values[0]:.0f}% and {values[1]:.0f}%")


def cannot_be_manipulated() -> Finding:
    """Largest relative change of SNS and SNKL over 36 projections when each gets a random size between 0.001 and 1000."""
    draws = np.random.default_rng(0)
    worst = 0.0
    for name in SMALL:
        X, named = projected(name, METHODS)
        P = affinities(X)
        for Y in named.values():
            size = float(np.exp(draws.uniform(-np.log(1e3), np.log(1e3))))
            pairs = [
                [scale_normalized_stress(X, Z) for Z in (Y, size * Y)],
                [scale_normalized_kl(P, Z, metric="affinities").value for Z in (Y, size * Y)],
            ]
            worst = max(worst, *map(_spread, pairs))
    return Finding((worst,), worst < 1e-8, f"{worst:.1g}")
