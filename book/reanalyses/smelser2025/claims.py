"""What decides each claim of Smelser et al. (2025) in the ledger, main text: one function for each entry of ``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds in its own terms, and the numbers in words. Of the
24 datasets the six well-known ones are here, with projections from ten seeds; they are scored against the data that were
projected, unless it says "as published". Scores are read from `stored`. Printed tables are recomputed where they contain
what is needed. Draws have fixed seeds. The claims of the supplement are in `supplement_claims`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from isotropy_lab.projection import (
    affinities,
    forced_scale_kl,
    forced_scale_stress,
    kl_at_infinity,
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
from reanalyses.smelser2025 import datasets, experiments, stored
from reanalyses.smelser2025.datasets import embeddings
from reanalyses.smelser2025.datasets.surveyed import SURVEYED
from reanalyses.smelser2025.experiments import projections
from reanalyses.smelser2025.experiments.sources import label

Array = NDArray[np.float64]

#: Datasets of a few hundred points.
SMALL = ("iris", "wine", "penguins", "auto-mpg")
METHODS = experiments.SIX
#: The methods of Table VI.
SURVEY = ("mds", "tsne", "umap", "isomap", "lle")
INVARIANT = ("sgs", "nms", "sns", "fsns")
EXPECTED = "tsne < mds < random"
#: Datasets of Tables III to V.
N_DATASETS = 24
#: Normal quantile of intervals that all thirty shares of Table III stay in, at 95%.
QUANTILE = 3.14


# --- data shared by several claims
# ------------------------------------------------------------------------------


def seed_scores() -> pd.DataFrame:
    """All measures of projections of the six datasets from ten seeds, scored against the data that were projected."""
    return stored.scores()


def as_published_scores() -> pd.DataFrame:
    """The same projections scored against raw data."""
    return stored.scores("as-published")


def as_published_means() -> pd.DataFrame:
    """Means of the latter over seeds, by dataset and method."""
    return as_published_scores().groupby(["dataset", "method"])[["snkl", "sgs"]].mean()


def before_mds() -> pd.DataFrame:
    """Table III on our projections: percentages by (method, scale) and measure."""
    table = experiments.baseline_table(seed_scores())
    return table.pivot(index=["method", "scale"], columns="measure", values="percent")


def before_mds_as_published(measure: str = "ns", scale: int = 1) -> pd.Series:
    """Percentages of trials of six datasets in which a method comes before MDS, scored against raw data."""
    table = experiments.baseline_table(as_published_scores())
    return table.set_index(["measure", "scale", "method"])["percent"][measure][scale]


def orders_by_divergence(scores: pd.DataFrame | None = None) -> pd.DataFrame:
    """Table IV on our projections: percentages by order and measure."""
    table = experiments.kl_order_table(seed_scores() if scores is None else scores)
    return table.pivot(index="order", columns="measure", values="percent")


def correlations_of_divergences() -> pd.DataFrame:
    """Table V on our projections, by pair of measures: over all datasets, within them, and printed."""
    return experiments.kl_correlations(seed_scores()).set_index(["first", "second"])


def noise(preprocess: str = "consistent", level: float = 0.25) -> pd.DataFrame:
    """Pearson's correlation with the number of noise steps, by (dataset, method) and measure."""
    table = stored.noise(preprocess, level)
    return table.pivot(index=["dataset", "method"], columns="measure", values="pearson")


def noises() -> Iterator[tuple[str, pd.DataFrame]]:
    """The same for three amounts of noise and both ways of scoring, each with its name."""
    for preprocess, level in itertools.product(("consistent", "as-published"), stored.LEVELS):
        yield f"{preprocess}, noise {level:g}", noise(preprocess, level)


def decided(answers: Iterable[bool]) -> bool | None:
    """One answer where all conditions that the paper leaves open give the same, and None where they do not."""
    found = set(map(bool, answers))
    return found.pop() if len(found) == 1 else None


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


@lru_cache(maxsize=8)
def _all_sums_of(name: str) -> tuple[dict[str, PairSums], ...]:
    data = projections(name, (*METHODS, "lle"), seeds=range(10))
    known: dict[int, PairSums] = {}
    found = []
    for named in data.by_seed.values():
        for Y in named.values():
            if id(Y) not in known:
                known[id(Y)] = pair_sums(data.X, Y)
        found.append({method: known[id(Y)] for method, Y in named.items()})
    return tuple(found)


def sums_of(name: str, methods: Sequence[str] = METHODS) -> tuple[dict[str, PairSums], ...]:
    """Sums over pairs for projections of a dataset by method, for each of ten seeds."""
    return tuple({method: named[method] for method in methods} for named in _all_sums_of(name))


def all_sums() -> Iterator[PairSums]:
    """Sums over pairs of all projections of the six datasets by six methods."""
    for name in experiments.WELL_KNOWN:
        for named in sums_of(name):
            yield from named.values()


def percentages(leave_out: Sequence[str] = ()) -> tuple[float, ...]:
    """The five percentages of Section V-D from Table VI: Isomap, LLE and t-SNE second, t-SNE and LLE last."""
    table = experiments.rank_summary(survey_ranks().reset_index(), leave_out=leave_out).set_index(
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


def survey_ranks() -> pd.DataFrame:
    """Table VI as printed: ns_rank and sns_rank by dataset and method."""
    return experiments.table_6().set_index(["dataset", "method"])


def survey_trials() -> pd.DataFrame:
    """Agreement of the rankings by NS and SNS of the five methods of Table VI, our projections, dataset by seed."""
    return experiments.rank_agreement(experiments.stress_ranks(stored.scores(methods=SURVEY), by_seed=True))


def shares_before_mds() -> pd.DataFrame:
    """Shares of ten trials in which a method comes before MDS, as published: (method, scale, measure) by dataset."""
    parts = {
        name: experiments.baseline_table(part).set_index(["method", "scale", "measure"])["percent"] / 100.0
        for name, part in as_published_scores().groupby("dataset")
    }
    return pd.DataFrame(parts)


def _bounded(shares: Sequence[float]) -> tuple[float, float, float]:
    """Percentages of all datasets between which a table must be, given the shares on some, and the slack of seeds."""
    least = 100.0 * sum(shares) / N_DATASETS
    # Theirs are ten other seeds: the difference has twice the variance. Where all seeds agree, half a trial is left open.
    open_ = [min(max(share, 0.05), 0.95) if share > 0.0 else 0.0 for share in shares]
    deviation = 100.0 / N_DATASETS * math.sqrt(sum(2.0 * share * (1.0 - share) / 10.0 for share in open_))
    return least, least + 100.0 * (N_DATASETS - len(shares)) / N_DATASETS, QUANTILE * deviation


def _within(printed: Sequence[float], limits: Sequence[tuple[float, float, float]]) -> bool | None:
    """None where every printed percentage is possible, so that nothing is decided, and False where one is not."""
    possible = (
        low - slack - 0.05 <= value <= high + slack + 0.05
        for value, (low, high, slack) in zip(printed, limits, strict=True)
    )
    return None if all(possible) else False


def _percent(values: Sequence[float]) -> str:
    return ", ".join(f"{v:.1f}%" for v in values)


def _named(labels: Sequence[str], values: Sequence[float], form: str = ".1f", unit: str = "%") -> str:
    return ", ".join(f"{label} {value:{form}}{unit}" for label, value in zip(labels, values, strict=True))


def _spread(values: Sequence[float]) -> float:
    return float(np.ptp(values) / max(abs(float(np.mean(values))), 1e-300))


# --- abstract, introduction, Figure 1
# ------------------------------------------------------------------------------------------


def severely_affected() -> Finding:
    """Iris by MDS: normalized stress and divergence at the best size and at ten times it."""
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
        f"stress {values[0]:.3f} at the best size, {values[1]:.2f} at ten times it; divergence {values[2]:.3f} and "
        f"{values[3]:.3f}",
    )


def small_benchmark() -> Finding:
    """Percent of trials in which random is not before MDS by SNS, and with the expected order by SNKL: six datasets."""
    table = before_mds()
    values = (
        100 - float(table.loc[("random", 1), "sns"]),
        float(orders_by_divergence().loc[EXPECTED, "snkl"]),
    )
    return Finding(
        values,
        min(values) > 95,
        f"random not before MDS by SNS in {values[0]:.0f}% of 60 trials, expected order by SNKL in {values[1]:.0f}%",
    )


@lru_cache(maxsize=1)
def crossings_of_random() -> pd.DataFrame:
    """Iris: the scale beyond which random has less stress than MDS, by seed, as published and consistently."""
    rows = []
    for seed in range(10):
        for preprocess in ("as-published", "consistent"):
            iris = projections("iris", seeds=(seed,), preprocess=preprocess)
            table = experiments.stress_crossings(iris).set_index(["first", "second"])
            rows.append((seed, preprocess, float(table.loc[("mds", "random"), "scale"])))
    return pd.DataFrame(rows, columns=["seed", "preprocess", "scale"])


def figure_1_random_wins() -> Finding:
    """Iris as published, ten seeds: the scale beyond which random has less stress than MDS and t-SNE, least and largest."""
    found = crossings_of_random().query("preprocess == 'as-published'")["scale"]
    values = (float(found.min()), float(found.max()))
    beyond = [
        experiments.stress_curves(projections("iris", seeds=(seed,), preprocess="as-published"), scales=[9.0])
        .set_index("method")["stress"]
        .idxmin()
        for seed in range(10)
    ]
    count = beyond.count("random")
    return Finding(
        values,
        count == 10 and values[1] <= 9.0,
        f"random overtakes at scale {values[0]:.2f} to {values[1]:.2f}; least of the three at scale 9 at {count} of 10 seeds",
    )


def figure_1_six_orders() -> Finding:
    """Orders of MDS, t-SNE and random on iris when each projection has a scale of its own, and at one common scale."""
    data = [projections("iris", preprocess=preprocess) for preprocess in ("as-published", "consistent")]
    own = [count_realized(experiments.orders_at_own_scales(one)) for one in data]
    common = [len(experiments.stress_orders(one)) for one in data]
    return Finding(
        (float(min(own)), float(max(common))),
        min(own) == 6,
        f"{min(own)} orders with a scale for each projection, {max(common)} at one common scale",
    )


def count_realized(table: pd.DataFrame) -> int:
    """Orders of a table of `orders_at_own_scales` in which the stresses are in the order that it states."""
    return sum(
        bool((part["stress"].diff().dropna() > 0).all()) for _, part in table.groupby("order", sort=False)
    )


def any_order_at_own_scales() -> Finding:
    """Orders of MDS, t-SNE and random by stress if each projection has a scale of its own: the fewest of six datasets."""
    counts = [
        count_realized(experiments.orders_at_own_scales(projections(name))) for name in experiments.WELL_KNOWN
    ]
    return Finding(
        (float(min(counts)),), min(counts) == 6, f"at least {min(counts)} of 6 on each of six datasets"
    )


def methods_have_sizes() -> Finding:
    """Largest over smallest diameter of the projections of a dataset by six methods: least and most of six datasets."""
    ratios = []
    for name in experiments.WELL_KNOWN:
        for named in sums_of(name):
            diameters = [sums.max_e for sums in named.values()]
            ratios.append(max(diameters) / min(diameters))
    return Finding(
        (min(ratios), max(ratios)),
        min(ratios) > 10,
        f"the widest projection {min(ratios):.0f} to {max(ratios):.0f} times as wide as the narrowest",
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
    }
    for name, measure in measures.items():
        changes[name] = _spread([measure(X, size * named["mds"]) for size in (0.5, 1.0, 10.0)])
    sensitive = min(changes["raw stress"], changes["NS"])
    invariant = max(value for name, value in changes.items() if name not in ("raw stress", "NS"))
    return Finding(
        (sensitive, invariant),
        sensitive > 0.5 and invariant < 1e-9,
        f"raw stress and NS change by at least {sensitive:.2g} of their mean, the other three by at most {invariant:.1g}",
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
        values,
        values[0] < 1e-9 and values[1] > 2,
        f"changes by {values[0]:.1g} when moved, turned or reflected; {values[1]:.0f} times as much at twice the size",
    )


def raw_stress_is_large() -> Finding:
    """Iris by MDS: raw stress over all ordered pairs in raw units, and normalized stress, which has none; as published."""
    data = projections("iris", ("mds",), preprocess="as-published")
    Y = data.Y["mds"]
    best = optimal_scale(data.X, Y)
    values = (
        2 * raw_stress(data.X, Y, scale=best),
        2 * raw_stress(1000.0 * data.X, Y, scale=1000.0 * best),
        normalized_stress(1000.0 * data.X, Y, scale=1000.0 * best),
    )
    return Finding(
        values,
        values[0] > 100 and values[1] > 1e7 and values[2] < 0.2,
        f"at its best size raw stress {values[0]:.0f} in centimeters squared, {values[1]:.3g} in units a thousandth as large; "
        f"normalized stress {values[2]:.3f} in both",
    )


def root_keeps_orders() -> Finding:
    """Pairs of projections of a dataset whose order by normalized stress differs with the root and without: ten seeds."""
    pairs = changed = 0
    for name in experiments.WELL_KNOWN:
        for named in sums_of(name):
            squares = np.array([sums.normalized_stress() for sums in named.values()])
            rooted = np.array([_rooted(sums) for sums in named.values()])
            first, second = np.triu_indices(len(squares), 1)
            pairs += first.size
            changed += int(
                (np.sign(squares[first] - squares[second]) != np.sign(rooted[first] - rooted[second])).sum()
            )
    return Finding((float(changed),), changed == 0, f"{changed} of {pairs} pairs change their order")


def _rooted(sums: PairSums) -> float:
    return math.sqrt(sums.normalized_stress())


def root_of_a_sum() -> Finding:
    """Iris's components: weight of the largest residual against the median one, squared stress and with the root.

    The weight of a residual is the change of the measure for a small change of that residual; of two residuals their
    quotient counts.
    """
    X, named = projected("iris", ("pca",))
    d, e = pdist(X), pdist(named["pca"])
    r = np.abs(d - e)
    largest, median = int(r.argmax()), int(np.argsort(r)[r.size // 2])
    values = tuple(float(w[largest] / w[median]) for w in (weights(r, d), weights_with_root(r, d)))
    return Finding(
        values,
        values[1] < 0.9 * values[0],
        f"the largest residual weighs {values[0]:.1f} times as much as the median one without the root, "
        f"{values[1]:.1f} times with it",
    )


def weights(r: Array, d: Array, step: float = 1e-6) -> Array:
    """Change of Σr²/Σd² for a small change of each residual."""
    return np.asarray(((r + step) ** 2 - (r - step) ** 2) / (d @ d) / (2.0 * step))


def weights_with_root(r: Array, d: Array, step: float = 1e-6) -> Array:
    """The same for √(Σr²/Σd²)."""
    up, down = (np.sqrt((r @ r + (r + h) ** 2 - r**2) / (d @ d)) for h in (step, -step))
    return np.asarray((up - down) / (2.0 * step))


def quadratic_in_scale() -> Finding:
    """Largest third difference of raw stress in the scale over the second: projections of four datasets, ten seeds."""
    worst = 0.0
    for name in SMALL:
        for named in sums_of(name):
            for sums in named.values():
                values = np.array([sums.raw_stress(scale) for scale in (0.0, 1.0, 2.0, 3.0, 4.0)])
                worst = max(worst, float(np.abs(np.diff(values, 3)).max() / np.abs(np.diff(values, 2)).min()))
    return Finding((worst,), worst < 1e-9, f"third differences at most {worst:.1g} of the second")


def not_in_unit_interval() -> Finding:
    """Normalized stress of t-SNE's projections at their own size: means of ten seeds, least and largest of six datasets."""
    values = seed_scores().query("method == 'tsne'").groupby("dataset")["ns"].mean()
    return Finding(
        (float(values.min()), float(values.max())),
        values.min() > 1,
        f"{values.min():.1f} to {values.max():.1f}, where 1 was to be the most",
    )


def curve_of_stress() -> Finding:
    """Whether every curve starts at 1, falls, turns once and grows: six datasets, six methods, ten seeds."""
    starts, turns, ends = [], [], []
    for sums in all_sums():
        scales = sums.optimal_scale * np.linspace(0, 50, 101)
        curve = np.sqrt([sums.normalized_stress(scale) for scale in scales])
        starts.append(curve[0])
        ends.append(curve[-1])
        turns.append(int((np.diff(np.sign(np.diff(curve))) != 0).sum()))
    values = (max(abs(s - 1) for s in starts), float(max(turns)), float(min(ends)))
    holds = values[0] < 1e-12 and set(turns) == {1} and values[2] > 10
    return Finding(
        values,
        holds,
        f"{len(turns)} curves, each starts at 1, turns once, and has at least {values[2]:.0f} at 50 times the best size",
    )


def one_positive_crossing() -> Finding:
    """Most crossings above 0 of two projections of a dataset from one seed, by seven methods, and pairs without one."""
    most, without, pairs = 0, 0, 0
    for name in experiments.WELL_KNOWN:
        for curves in sums_of(name, (*METHODS, "lle")):
            for a, b in itertools.combinations(curves.values(), 2):
                changes = len(orders([a, b])) - 1
                most, without, pairs = (max(most, changes), without + (changes == 0), pairs + 1)
    return Finding(
        (float(most), float(without)),
        most == 1,
        f"at most {most}; none in {without} of {pairs} pairs of projections",
    )


def figure_2() -> Finding:
    """Shepard goodness of Wine as published, means of ten seeds: MDS and random."""
    table = as_published_scores().query("dataset == 'wine'")
    mds = table.query("method == 'mds'")["sgs"]
    random = table.query("method == 'random'")["sgs"]
    values = (float(mds.mean()), float(random.mean()))
    return Finding(
        values,
        values[0] > 0.3,
        f"MDS {values[0]:.3f} ({mds.min():.3f} to {mds.max():.3f}, standard deviation {mds.std():.3f}), "
        f"random {values[1]:.3f} ({random.min():.3f} to {random.max():.3f}, standard deviation {random.std():.3f})",
    )


def ranks_ignore_stretching() -> Finding:
    """Relative change of Wine's Shepard goodness by MDS, scaled by 0.01 and by 100."""
    X, named = three("wine")
    change = _spread([shepard_goodness(X, size * named["mds"]) for size in (0.01, 1.0, 100.0)])
    return Finding((change,), change < 1e-12, f"changes by {change:.1g} of its value")


def fitted_values_scale() -> Finding:
    """Wine by MDS: non-metric stress at size 7 against size 1, and the fits of e on d at both sizes against each other."""
    from sklearn.isotonic import IsotonicRegression

    X, named = three("wine")
    Y = named["mds"]
    d, e = pdist(X), pdist(Y)
    first, second = (IsotonicRegression().fit_transform(d, size * e) for size in (1.0, 7.0))
    gap = float(np.abs(second - 7 * first).max() / second.max())
    change = abs(nonmetric_stress(X, 7.0 * Y) / nonmetric_stress(X, Y) - 1.0)
    by_hand = math.sqrt(float(((first - e) ** 2).sum() / (e @ e))) / nonmetric_stress(X, Y) - 1.0
    return Finding(
        (gap, change),
        max(gap, change) < 1e-9 and abs(by_hand) < 0.01,
        f"the fits differ from seven times those at size 1 by {gap:.1g}, the measure changes by {change:.1g}",
    )


def unique_minimum() -> Finding:
    """Least Σde over √(Σd²Σe²), the cosine of the two lists of distances, of all projections: six datasets, ten seeds."""
    cosines = [sums.sum_de / math.sqrt(sums.sum_d2 * sums.sum_e2) for sums in all_sums()]
    least = [
        sums.normalized_stress(sums.optimal_scale)
        < min(sums.normalized_stress(factor * sums.optimal_scale) for factor in (0.0, 0.9, 1.1))
        for sums in all_sums()
    ]
    return Finding(
        (float(min(cosines)),),
        min(cosines) > 0 and max(cosines) < 1 + 1e-9 and all(least),
        f"at least {min(cosines):.3f}: Σde is positive for all {len(cosines)}, and the minimum at a scale above 0",
    )


def printed_alpha() -> Finding:
    """Stress of t-SNE's projection of iris at the printed α, and at Σde/Σe²."""
    X, named = three("iris")
    Y = named["tsne"]
    scales = (experiments.printed_scale(X, Y), optimal_scale(X, Y))
    values = tuple(normalized_stress(X, Y, scale=scale) for scale in scales)
    return Finding(
        values,
        abs(values[0] - values[1]) < 1e-9,
        f"stress {values[0]:.4g} at the printed scale {scales[0]:.4g}, {values[1]:.4f} at {scales[1]:.4g}",
    )


def alpha_by_unit() -> Finding:
    """Iris by t-SNE: the scale, printed and right, with distances of the data in one unit and in one half as large."""
    X, named = three("iris")
    Y = named["tsne"]
    values = tuple(
        scale(unit * X, Y) for unit in (1.0, 2.0) for scale in (experiments.printed_scale, optimal_scale)
    )
    return Finding(
        values,
        abs(values[2] - values[0]) < 1e-9 or abs(values[3] - values[1]) < 1e-9,
        f"printed α {values[0]:.2f}, and {values[2]:.2f} when the distances of the data double; best scale "
        f"{values[1]:.5f} and {values[3]:.5f}",
    )


def alpha_as_correlation() -> Finding:
    """Iris's components at their size and ten times it: the printed α, and the correlation and covariance of distances."""
    X, named = projected("iris", ("pca",))
    d, e = pdist(X), pdist(named["pca"])
    printed = [float(d @ (size * e)) / float(d @ d) for size in (1.0, 10.0)]
    right = [optimal_scale(X, size * named["pca"]) for size in (1.0, 10.0)]
    correlation = float(np.corrcoef(d, 10.0 * e)[0, 1])
    values = (*printed, correlation, float((d * e).mean()), float(np.cov(d, e)[0, 1]))
    return Finding(
        values,
        abs(printed[1] - correlation) < 0.1 or abs(right[0] - right[1]) < 0.1,
        f"printed α {printed[0]:.3f} and {printed[1]:.3f}, right α {right[0]:.3f} and {right[1]:.3f}, correlation "
        f"{correlation:.4f} at both sizes; mean of de {values[3]:.3f}, covariance {values[4]:.3f}",
    )


def forced_scale_is_invariant() -> Finding:
    """Iris by six methods: relative change of FSNS, both sides divided by their largest distance, between sizes 0.1 and 10."""
    X, named = projected("iris", METHODS)
    worst = max(
        _spread([forced_scale_stress(X, size * Y) for size in (0.1, 1.0, 10.0)]) for Y in named.values()
    )
    printed = [experiments.printed_forced_scale_stress(X, size * named["mds"]) for size in (1.0, 10.0)]
    return Finding(
        (worst,),
        worst < 1e-9,
        f"changes by {worst:.1g}; the formula to the letter, MDS: {printed[0]:.4g} and {printed[1]:.4g} at ten times the size",
    )


def forced_scale_assumes_shape() -> Finding:
    """Quotient of FSNS and SNS over all projections of six datasets, ten seeds: least and largest."""
    ratio = seed_scores()["fsns"] / seed_scores()["sns"]
    values = (float(ratio.min()), float(ratio.max()))
    return Finding(
        values,
        values[0] >= 1 - 1e-9 and values[1] > 2,
        f"FSNS is {values[0]:.3f} to {values[1]:.3f} times SNS",
    )


# --- section IV
# ------------------------------------------------------------------------------------------


def figure_3_varies() -> Finding:
    """Wine as published: largest divergence over smallest between sizes 0.001 and 100, for random, MDS and t-SNE."""
    data = projections("wine", preprocess="as-published")
    table = experiments.kl_curves(data).groupby("method")["divergence"]
    ratios = (table.max() / table.min()).loc[["random", "mds", "tsne"]]
    values = tuple(map(float, ratios))
    return Finding(
        values,
        max(values) > 1.5 and min(values) > 1.05,
        _named(("random", "MDS", "t-SNE"), values, ".2f", " times"),
    )


def figure_3_order() -> Finding:
    """Wine as published: orders of t-SNE, MDS and random by divergence at common scales, over ten seeds."""
    found: list[str] = []
    for seed in range(10):
        found += experiments.kl_orders(projections("wine", seeds=(seed,), preprocess="as-published"))[
            "order"
        ].tolist()
    seen = tuple(dict.fromkeys(found))
    return Finding(
        (float(len(seen)),),
        EXPECTED in seen and len(seen) > 1,
        f"{len(seen)} orders at one common scale: {'; '.join(seen)}",
    )


def orders_at_own_sizes(scores: pd.DataFrame) -> int:
    """Orders of t-SNE, MDS and random by divergence that occur if each projection has a scale of its own.

    Each takes every value between its infimum and the larger of its two limits, at scale 0 and without bound.
    """
    ranges = {row.method: (row.snkl, max(row.kl_0, row.kl_inf)) for row in scores.itertuples()}
    count = 0
    for order in itertools.permutations(experiments.THREE):
        reached, possible = -math.inf, True
        for method in order:
            low, high = ranges[method]
            reached = max(reached, low)
            possible &= reached < high - 1e-9
        count += possible
    return count


def figure_3_six_orders() -> Finding:
    """Wine: orders of t-SNE, MDS and random by divergence with a scale for each, ten seeds; as published, and consistently."""
    counts = []
    for scores in (as_published_scores(), seed_scores()):
        wine = scores[(scores["dataset"] == "wine") & scores["method"].isin(experiments.THREE)]
        counts.append([orders_at_own_sizes(part) for _, part in wine.groupby("seed")])
    values = (float(min(counts[0])), float(counts[1].count(6)))
    return Finding(
        values,
        values[0] == 6,
        f"as published at least {values[0]:.0f} orders at each of ten seeds; scored against the projected data all six "
        f"at {values[1]:.0f} seeds, {min(counts[1])} at the others",
    )


def six_orders_occur() -> Finding:
    """Of 600 random problems of five points those with all six orders by divergence at one common scale."""
    table, _ = experiments.order_counts(n_problems=600, n_scales=200)
    six = int(table.set_index("orders").loc[6, "problems"])
    return Finding((float(six),), six > 0, f"{six} of 600 problems have all six")


def printed_conditional() -> Finding:
    """Iris: range of the printed conditional probabilities, at one bandwidth, and the largest joint one against its bound."""
    X, _ = three("iris")
    n = len(X)
    d2 = pdist(X, "sqeuclidean")
    kernel = np.exp(-d2 / (2.0 * np.median(d2)))
    # No index of the sum over k ≠ l is in its terms: it is N(N − 1) times the numerator.
    printed = kernel / (n * (n - 1) * kernel)
    largest = float(affinities(X).max())
    values = (float(np.ptp(printed)), largest, 1.0 / n)
    return Finding(
        values,
        values[0] > 1e-6 or largest > 1.0 / n,
        f"printed p range over {values[0]:.1g}, so all are equal; the largest p of iris is {largest:.5f}, and none can "
        f"exceed {values[2]:.5f}",
    )


def constant_at_zero() -> Finding:
    """Iris by six methods: spread of the divergence at scale 0, and its gap to log N(N − 1) minus the entropy of P."""
    X, named = projected("iris", METHODS)
    P = affinities(X)
    at_zero = [kl_divergence(P, Y, scale=0.0, metric="affinities") for Y in named.values()]
    n = len(X)
    p = P[P > 0]
    by_hand = float(p @ np.log(p)) + np.log(n * (n - 1))
    values = (float(np.ptp(at_zero)), abs(at_zero[0] - by_hand))
    return Finding(
        values, max(values) < 1e-10, f"all six are {at_zero[0]:.4f}; gap to the formula {values[1]:.1g}"
    )


def at_most_one_minimum() -> Finding:
    """Most local minima at scales above 0 of the divergence of a projection: six datasets, six methods, ten seeds."""
    tables = (seed_scores(), as_published_scores())
    most = max(float(table["minima"].max()) for table in tables)
    others = stored.scores(methods=("lle",)).query("minima > 1")
    return Finding(
        (most,),
        most <= 1,
        f"at most {most:.0f} in {sum(map(len, tables))} trials, scored in both ways; by LLE, which the paper does not "
        f"use here, 2 on {', '.join(dict.fromkeys(others['dataset'])) or 'none'}",
    )


def unimodal() -> Finding:
    """Percent of trials in which the divergence has one local minimum, the end at 0 counted where it rises from there."""
    scores = seed_scores()
    minima = scores["minima"] + (scores["bend"] > 0)
    value = 100.0 * float((minima <= 1).mean())
    far = len(experiments.outlier_curve()[1])
    return Finding(
        (value,),
        value > 99,
        f"{value:.1f}% of {len(scores)} trials; iris's components with one far point have {far} minima",
    )


def minimum_at_zero_is_bad() -> Finding:
    """Projections with the infimum at scale 0, six datasets and ten seeds: by methods, and random ones, of 60."""
    scores = seed_scores()
    low = scores["at_zero"] > 0.5
    is_random = scores["method"] == "random"
    values = (float(low[~is_random].sum()), float(low[is_random].sum()))
    return Finding(
        values,
        values[0] == 0 and values[1] < 6,
        f"{values[0]:.0f} of {(~is_random).sum()} by the five methods, {values[1]:.0f} of {is_random.sum()} random ones",
    )


def asymptote() -> Finding:
    """Iris by MDS: gap of the divergence at scale 10⁷ to its limit, and growth of normalized stress from 10⁶ to 10⁷."""
    X, named = three("iris")
    Y = named["mds"]
    P = affinities(X)
    limit = kl_at_infinity(P, Y, metric="affinities")
    values = (
        abs(kl_divergence(P, Y, scale=1e7, metric="affinities") - limit),
        normalized_stress(X, Y, scale=1e7) / normalized_stress(X, Y, scale=1e6),
    )
    return Finding(
        values,
        values[0] < 1e-6 and values[1] > 9,
        f"the divergence is {values[0]:.1g} from its limit {limit:.4f}, the stress grows {values[1]:.3f} times",
    )


def gaussian_has_several_minima() -> Finding:
    """Local minima of KL_G, the most of four datasets by UMAP; of far clusters, as defined and with q floored at 1e-15."""
    counts = []
    for name in SMALL:
        X, named = projected(name, ("umap",))
        curve = experiments.floored_gaussian_curve(X, named["umap"], scales=np.geomspace(2e-2, 2e2, 61))
        counts.append(count_minima(curve["divergence"].to_numpy()))
    far = projections(experiments.clustered_points(), ("pca",), scaling="none")
    table = experiments.floored_gaussian_curve(
        far.X, far.Y["pca"], scales=np.geomspace(1e-3, 10, 121), perplexity=8.8
    )
    counts.append(count_minima(table["divergence"].to_numpy()))
    floored = count_minima(table["floored"].to_numpy())
    return Finding(
        (float(max(counts)), float(floored)),
        max(counts) > 1,
        f"at most {max(counts)} by definition, as for every function convex in α²; far clusters with a floor have {floored}",
    )


def count_minima(curve: Array) -> int:
    """Values of a curve that are below both neighbors."""
    return int(((curve[1:-1] < curve[:-2]) & (curve[1:-1] < curve[2:])).sum())


def kernel_matters() -> Finding:
    """Auto-MPG by UMAP: the divergence at ten thousand times the best scale over the least, Student-t and Gaussian kernel."""
    X, named = projected("auto-mpg", ("umap",))
    P = affinities(X)
    found = {
        k: scale_normalized_kl(P, named["umap"], kernel=k, metric="affinities")
        for k in ("student-t", "gaussian")
    }
    values = tuple(
        kl_divergence(P, named["umap"], scale=1e4 * one.scale, kernel=k, metric="affinities") / one.value
        for k, one in found.items()
    )
    detail = "; ".join(f"{k}: least {one.value:.3f} at scale {one.scale:.3f}" for k, one in found.items())
    return Finding(
        values,
        values[1] > 100 * values[0],
        f"{detail}; at ten thousand times that scale {values[0]:.1f} and {values[1]:.2g} times the least",
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
    return Finding(values, max(values) < 1e-9, f"SNKL changes by {values[0]:.1g}, FSKL by {values[1]:.1g}")


def never_decreasing_for_ever() -> Finding:
    """Trials in which the divergence has its infimum at infinity: six datasets, six methods, ten seeds."""
    scores = seed_scores()
    count = int((scores["at_infinity"] > 0.5).sum())
    return Finding((float(count),), count == 0, f"{count} of {len(scores)} trials")


def forced_scale_is_uninformed() -> Finding:
    """Percent of 60 trials with the expected order by FSKL and by SNKL, and the datasets where FSKL misses it."""
    scores = seed_scores()
    table = orders_by_divergence().loc[EXPECTED]
    values = (float(table["fskl"]), float(table["snkl"]))
    by_dataset = {
        name: float(orders_by_divergence(part).loc[EXPECTED, "fskl"])
        for name, part in scores.groupby("dataset")
    }
    missed = ", ".join(f"{name} {v:.0f}%" for name, v in by_dataset.items() if v < 100)
    return Finding(
        values,
        values[0] < values[1] - 5,
        f"FSKL {values[0]:.1f}%, SNKL {values[1]:.1f}%; FSKL on {missed}, else 100%",
    )


# --- section V
# ------------------------------------------------------------------------------------------


def table_2() -> Finding:
    """Points of the six well-known datasets as they are loaded here, in the order of Table II; dimensions are compared too."""
    listed = datasets.table_2()
    loaded = sizes_here()
    values = tuple(float(n) for n, _ in loaded)
    printed = [tuple(map(int, listed.loc[name, ["points", "dimensions"]])) for name in experiments.WELL_KNOWN]
    detail = ", ".join(
        f"{name} {n} × {k}" for name, (n, k) in zip(experiments.WELL_KNOWN, loaded, strict=True)
    )
    return Finding(values, printed == loaded, detail)


def sizes_here() -> list[tuple[int, int]]:
    """Points and dimensions of the six well-known datasets as they are loaded here."""
    shapes = [datasets.load(name).X.shape for name in experiments.WELL_KNOWN]
    return [(int(n), int(k)) for n, k in shapes]


def six_and_eighteen() -> Finding:
    """Rows of Table II, those of the survey's block, and datasets of Table VI: do they leave six and two?"""
    listed, of_survey, ranked = numbers_of_datasets()
    values = (float(listed - of_survey), float(of_survey), float(of_survey - ranked))
    return Finding(
        values,
        values == (6, 18, 2),
        f"{values[0]:.0f} well-known, {values[1]:.0f} of the survey, {values[2]:.0f} of these not in Table VI",
    )


def numbers_of_datasets() -> tuple[int, int, int]:
    """Rows of Table II, those of the survey among them, and datasets of Table VI."""
    return len(datasets.table_2()), len(SURVEYED), int(experiments.table_6()["dataset"].nunique())


def raw_stress_is_redundant() -> Finding:
    """Spread, over six projections of iris, of raw stress over normalized stress: as in Table I, and with the root of (2)."""
    X, named = projected("iris", METHODS)
    values = tuple(
        _spread([raw_stress(X, Y) / normalized_stress(X, Y, squared=squared) for Y in named.values()])
        for squared in (True, False)
    )
    return Finding(
        values,
        values[0] < 1e-9,
        f"by Table I the factor varies by {values[0]:.1g} of its value, with the root by {values[1]:.2f}",
    )


def deterministic_methods() -> Finding:
    """Iris by PCA and by Isomap, computed from two seeds: normalized stress of one projection against the other."""
    X = projections("iris", ("pca",)).projected
    gaps = {}
    for method in ("pca", "isomap", "random"):
        first, second = (embeddings.compute(X, method, seed=seed).Y for seed in (0, 1))
        gaps[method] = normalized_stress(first, second)
    return Finding(
        (gaps["pca"], gaps["isomap"]),
        max(gaps["pca"], gaps["isomap"]) < 1e-6 < gaps["random"],
        f"PCA differs by {gaps['pca']:.1g}, Isomap by {gaps['isomap']:.1g}; random by {gaps['random']:.2f}",
    )


def figure_5() -> Finding:
    """MNIST by MDS, ten steps of noise: the least correlation with noise of an invariant measure, and that of NS."""
    table = noise_of_images()["pearson"]
    values = (float(table[list(INVARIANT)].min()), float(table["ns"]))
    return Finding(
        values,
        values[0] > 0.9 > values[1],
        f"invariant measures at least {values[0]:.3f}, NS {values[1]:.3f}",
    )


def _medians(tables: Iterable[tuple[str, pd.DataFrame]]) -> list[tuple[str, float, float]]:
    """Name, median correlation of the invariant measures over methods and datasets, and of NS."""
    return [
        (name, float(np.median(table[list(INVARIANT)].to_numpy())), float(table["ns"].median()))
        for name, table in tables
    ]


def figure_6() -> Finding:
    """MDS, four datasets: median correlation with noise of the four invariant measures, and of NS; three amounts of noise."""
    found = _medians((name, table.xs("mds", level="method")) for name, table in noises())
    values = (min(row[1] for row in found), max(row[2] for row in found))
    return Finding(
        values,
        decided(high > 0.85 and high > low + 0.2 for _, high, low in found),
        "; ".join(f"{name}: invariant {high:.2f}, NS {low:.2f}" for name, high, low in found),
    )


def _least_invariant(table: pd.DataFrame) -> tuple[float, str]:
    """Least correlation with noise of SGS, NMS, SNS and FSNS on what is not random, and where it is."""
    stacked = table.drop("random", level="method")[list(INVARIANT)].stack()
    where = stacked.idxmin()
    return float(stacked.min()), f"{where[2].upper()} on {where[0]} by {where[1]}"


def invariant_measures_follow_noise() -> Finding:
    """All methods but random: least correlation with noise of an invariant measure, for three amounts and both scorings."""
    found = [(name, *_least_invariant(table)) for name, table in noises()]
    return Finding(
        tuple(value for _, value, _ in found),
        decided(value > 0.5 for _, value, _ in found),
        "; ".join(f"{name}: {value:.2f}, {where}" for name, value, where in found),
    )


def normalized_stress_improves() -> Finding:
    """Curves of NS, of 20, that fall on the whole: four datasets as published, five methods, three amounts of noise."""
    counts = []
    for level in stored.LEVELS:
        table = noise("as-published", level).drop("random", level="method")["ns"]
        counts.append((level, int((table < 0).sum()), len(table)))
    return Finding(
        tuple(float(count) for _, count, _ in counts),
        decided(count > 2 for _, count, _ in counts),
        "; ".join(f"noise {level:g}: {count} of {total}" for level, count, total in counts),
    )


def random_stays_constant() -> Finding:
    """Largest rise of SNS over all steps of noise on four datasets, relative: random projections, and by t-SNE."""
    table = stored.noise().query("measure == 'sns'")
    rise = (table["last"] / table["first"] - 1).groupby(table["method"]).max()
    values = (float(rise["random"]), float(rise["tsne"]))
    return Finding(
        values, values[0] < 0.25 < values[1], f"random at most {values[0]:.1%}, t-SNE up to {values[1]:.1%}"
    )


def table_3_direction() -> Finding:
    """Percent of 60 trials with random before MDS: NS at sizes 1 and 10, and the most by SGS, NMS and SNS."""
    table = before_mds()
    invariant = table.loc["random", ["sgs", "nms", "sns"]].to_numpy().max()
    values = (float(table.loc[("random", 1), "ns"]), float(table.loc[("random", 10), "ns"]), float(invariant))
    return Finding(
        values,
        values[0] == 0 < 75 < values[1] and values[2] == 0,
        f"NS {values[0]:.0f}% at size 1 and {values[1]:.0f}% at size 10; SGS, NMS and SNS at most {values[2]:.0f}%",
    )


#: The shares that Table III prints, each once: those of invariant measures are the same at both sizes.
TABLE_3_CELLS = tuple(
    (measure, scale, method)
    for method in METHODS[1:]
    for measure in experiments.STRESS_MEASURES
    for scale in ((1, 10) if measure == "ns" else (1,))
)


def _table_3_cells(cells: Sequence[tuple[str, int, str]]) -> Finding:
    """Whether the printed shares are possible, given ours on six datasets as published and any on the other 18."""
    table = experiments.table_3().set_index(["method", "scale"])
    shares = shares_before_mds()
    printed = [float(table.loc[(method, scale), measure]) for measure, scale, method in cells]
    limits = [_bounded(shares.loc[(method, scale, measure)].tolist()) for measure, scale, method in cells]
    parts = [
        f"{label(method)} by {measure.upper()}{' at ten times the size' if scale == 10 else ''} {low:.1f} to {high:.1f} "
        f"(printed {value:.1f})"
        for (measure, scale, method), (low, high, _), value in zip(cells, limits, printed, strict=True)
    ]
    return Finding(tuple(low for low, _, _ in limits), _within(printed, limits), "; ".join(parts))


def table_3_cells() -> Finding:
    """Every share of Table III: what our six datasets allow, as published, whatever the other 18 have."""
    return _table_3_cells(TABLE_3_CELLS)


def table_3_trials() -> Finding:
    """Largest distance of a printed percentage of Table III from a multiple of 1/240, in percentage points."""
    values = experiments.table_3().drop(columns=["method", "scale"]).to_numpy(dtype=float)
    gap = float(np.abs(values - np.round(values * 2.4) / 2.4).max())
    return Finding((gap,), gap <= 0.0501, f"at most {gap:.3f} points, where a printed digit allows 0.05")


def rarely_better_than_mds() -> Finding:
    """Largest percentage of trials in which t-SNE, UMAP or Isomap comes before MDS by an invariant measure."""
    highest = float(before_mds().loc[["tsne", "umap", "isomap"], list(INVARIANT)].to_numpy().max())
    return Finding((highest,), highest < 5, f"at most {highest:.1f}% of 60 trials")


def rarely_pca_before_mds() -> Finding:
    """Percent of 60 trials in which PCA comes before MDS from random starts, by SGS, NMS, SNS, FSNS; and from the classical."""
    values = before_mds().loc[("pca", 1), list(INVARIANT)].to_numpy(dtype=float)
    classical = experiments.baseline_table(
        stored.scores(methods=("mds-classical", "pca")), baseline="mds-classical"
    ).query("scale == 1 and measure == 'sns'")["percent"]
    return Finding(
        tuple(values),
        float(values.max()) < 5,
        f"{_named(('SGS', 'NMS', 'SNS', 'FSNS'), values)}; by SNS before MDS from the classical start "
        f"{float(classical.iloc[0]):.0f}%",
    )


def occasional_reversals() -> Finding:
    """Percent of 60 trials of six datasets, as published, in which t-SNE and UMAP come before MDS by NS at their own size."""
    values = tuple(float(before_mds_as_published()[method]) for method in ("tsne", "umap"))
    same = tuple(float(before_mds().loc[(method, 1), "ns"]) for method in ("tsne", "umap"))
    return Finding(
        values,
        min(values) > 0 and max(values) < 100,
        f"as published {_named(('t-SNE', 'UMAP'), values)}; scored against the projected data "
        f"{_named(('t-SNE', 'UMAP'), same)}",
    )


def occasional_reversals_as_published() -> Finding:
    """t-SNE and UMAP before MDS by NS at their own size: shares of 24 datasets that our six allow, as published."""
    return _table_3_cells([("ns", 1, "tsne"), ("ns", 1, "umap")])


def enlarged_as_published() -> Finding:
    """The five methods before MDS by NS at ten times the size: shares of 24 datasets that our six allow, as published."""
    return _table_3_cells([("ns", 10, method) for method in METHODS[1:]])


def reversals_of_sns_as_published() -> Finding:
    """The five methods before MDS by SNS: shares of 24 datasets that our six allow, as published."""
    return _table_3_cells([("sns", 1, method) for method in METHODS[1:]])


def nearly_eighty() -> Finding:
    """Random before MDS by NS at ten times the size: shares of 24 datasets that our six allow, as published."""
    return _table_3_cells([("ns", 10, "random")])


def no_contradiction_by_invariant_measures() -> Finding:
    """Table III as printed: the largest change of a share when all are enlarged tenfold, invariant measures and NS."""
    table = experiments.table_3().set_index(["method", "scale"]).unstack("scale")
    change = (table.xs(10, axis=1, level="scale") - table.xs(1, axis=1, level="scale")).abs().max()
    random = experiments.table_3().query("method == 'random' and scale == 1").iloc[0]
    values = (float(change[list(INVARIANT)].max()), float(change["ns"]))
    return Finding(
        values,
        values[0] == 0 < 20 < values[1],
        f"shares by invariant measures change by {values[0]:.1f} points, by NS by up to {values[1]:.1f}; random before MDS at "
        f"either size: {_named(('SGS', 'NMS', 'SNS', 'FSNS'), [float(random[m]) for m in INVARIANT])}",
    )


def never_reversed_tsne() -> Finding:
    """Table III as printed: change of the share of t-SNE before MDS by NS when all are enlarged tenfold."""
    table = experiments.table_3().query("method == 'tsne'").set_index("scale")["ns"]
    values = (float(table[1]), float(table[10]))
    return Finding(
        values,
        values[0] == values[1],
        f"{values[0]:.1f}% at the default size, {values[1]:.1f}% at ten times it",
    )


def smaller_tsne_wins() -> Finding:
    """Trials, of 60, in which t-SNE has less NS than MDS when both are made small enough by one factor."""
    wins = [
        orders({"mds": named["mds"], "tsne": named["tsne"]})[0].order[0] == "tsne"
        for name in experiments.WELL_KNOWN
        for named in sums_of(name)
    ]
    return Finding((float(sum(wins)),), all(wins), f"{sum(wins)} of {len(wins)} trials")


def any_projection_can_win() -> Finding:
    """Trials, of 300, in which some common scale ranks a method before MDS by NS: six datasets, five methods, ten seeds."""
    found = []
    for name in experiments.WELL_KNOWN:
        for curves in sums_of(name):
            for method in METHODS[1:]:
                pair = {"mds": curves["mds"], method: curves[method]}
                found.append(any(o.order[0] == method for o in orders(pair)))
    return Finding((float(sum(found)),), all(found), f"{sum(found)} of {len(found)} trials")


def mds_is_first() -> Finding:
    """Datasets of Table VI in which MDS is first by both measures."""
    table = survey_ranks().query("method == 'mds'")
    first = int(((table["ns_rank"] == 1) & (table["sns_rank"] == 1)).sum())
    return Finding((float(first),), first == len(table), f"first on {first} of {len(table)} datasets")


def no_dataset_agrees() -> Finding:
    """Datasets of Table VI with the same ranking by both measures."""
    same = int(experiments.rank_agreement(survey_ranks().reset_index())["same"].sum())
    return Finding((float(same),), same == 0, f"the same order on {same} of 16 datasets")


def no_dataset_agrees_here() -> Finding:
    """Surveys of ours, of ten, without a dataset where NS and SNS rank alike: six datasets, one seed, methods of Table VI."""
    table = survey_trials()
    clean = int((table.groupby("seed")["same"].sum() == 0).sum())
    by_dataset = table.groupby("dataset")["same"].sum()
    return Finding(
        (float(clean),),
        clean > 5,
        f"none agrees in {clean} of 10 surveys of one seed each; the same order in {int(table['same'].sum())} of "
        f"{len(table)} trials ({', '.join(f'{n} {v}' for n, v in by_dataset.items() if v)})",
    )


def shares_of_the_survey() -> Finding:
    """The five percentages of Section V-D from the 16 datasets of Table VI, and the largest gap to the printed ones."""
    values = percentages()
    gap = largest_gap(values, (33.0, 40.0, 80.0, 80.0, 73.0))
    labels = (
        "Isomap second by NS",
        "LLE second by NS",
        "t-SNE second by SNS",
        "t-SNE last by NS",
        "LLE last by SNS",
    )
    return Finding(
        values, gap < 0.51, f"{_named(labels, values, '.2f')}: at most {gap:.2f} points from the printed"
    )


def largest_gap(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Largest difference of two lists of numbers."""
    return float(np.abs(np.subtract(ours, theirs)).max())


def umap_never_above_tsne() -> Finding:
    """Datasets of Table VI in which UMAP ranks above t-SNE by SNS."""
    count = int(experiments.rank_agreement(survey_ranks().reset_index())["umap_before_tsne"].sum())
    return Finding((float(count),), count == 0, f"above t-SNE on {count} of 16 datasets")


def umap_never_above_tsne_here() -> Finding:
    """Surveys of ours, of ten, without a dataset where UMAP has less SNS than t-SNE: six datasets, one seed each."""
    table = seed_scores().pivot(index=["dataset", "seed"], columns="method", values="sns")
    above = table["umap"] < table["tsne"]
    clean = int((above.groupby("seed").sum() == 0).sum())
    values = above.groupby("dataset").sum()
    return Finding(
        (float(clean),),
        clean > 5,
        f"never above in {clean} of 10 surveys of one seed each; above in {above.sum()} of {len(table)} trials: "
        f"{', '.join(f'{n} {v} of 10' for n, v in values.items())}",
    )


# --- sections VI and VII
# ------------------------------------------------------------------------------------------


def table_4_printed() -> Finding:
    """Largest distance of the column sums of Table IV from 100, and of a cell from a multiple of 1/240."""
    table = experiments.table_4().drop(columns="order").to_numpy(dtype=float)
    values = (
        float(np.abs(table.sum(axis=0) - 100).max()),
        float(np.abs(table - np.round(table * 2.4) / 2.4).max()),
    )
    return Finding(
        values,
        values[0] < 0.02 and values[1] <= 0.00501,
        f"sums off by at most {values[0]:.2f} points, cells by at most {values[1]:.4f}",
    )


def table_4_cells() -> Finding:
    """Every share of Table IV: what our six datasets allow, as published, whatever the other 18 have."""
    printed = experiments.table_4().set_index("order")
    scores = as_published_scores()
    tables = [orders_by_divergence(part) / 100.0 for _, part in scores.groupby("dataset")]
    values, limits, parts = [], [], []
    for order in printed.index:
        for measure in printed.columns:
            limit = _bounded([float(table.loc[order, measure]) for table in tables])
            value = float(printed.loc[order, measure])
            values.append(limit[0])
            limits.append((value, limit))
            if value or limit[0]:
                name = measure.upper().replace("_", " at ")
                parts.append(f"{order} by {name} {limit[0]:.1f} to {limit[1]:.1f} (printed {value:.2f})")
    return Finding(tuple(values), _within([v for v, _ in limits], [x for _, x in limits]), "; ".join(parts))


def table_4_snkl() -> Finding:
    """Percent of 60 trials with the expected order by SNKL, scored against the projected data, and as published."""
    value = float(orders_by_divergence().loc[EXPECTED, "snkl"])
    published = float(orders_by_divergence(as_published_scores()).loc[EXPECTED, "snkl"])
    return Finding((value,), value > 96, f"{value:.1f}% of 60 trials; as published {published:.1f}%")


def table_4_scales() -> Finding:
    """Percent of 60 trials with the expected order by the divergence at sizes 1 and 10."""
    table = orders_by_divergence().loc[EXPECTED]
    values = (float(table["kl_1"]), float(table["kl_10"]))
    return Finding(
        values, values[0] > values[1] + 10, f"{values[0]:.1f}% at size 1, {values[1]:.1f}% at ten times it"
    )


def table_4_best() -> Finding:
    """Percent of 60 trials with the expected order by the invariant SNKL and FSKL, and by KL at sizes 1 and 10."""
    values = orders_by_divergence().loc[EXPECTED, list(experiments.KL_MEASURES)].to_numpy(dtype=float)
    return Finding(
        tuple(values), values[0] > values[1], _named(("SNKL", "FSKL", "KL at 1", "KL at 10"), values)
    )


def penguins_means() -> Finding:
    """SNKL of Penguins, means of ten seeds, as published: MDS and t-SNE."""
    scores = as_published_scores().query("dataset == 'penguins'").groupby("method")["snkl"]
    values = (float(scores.mean()["mds"]), float(scores.mean()["tsne"]))
    errors = [float(scores.std()[m]) / math.sqrt(10) for m in ("mds", "tsne")]
    return Finding(
        values,
        values[0] < values[1],
        f"MDS {values[0]:.3f} (standard error {errors[0]:.3f}), t-SNE {values[1]:.3f} ({errors[1]:.3f})",
    )


def penguins_order() -> Finding:
    """Seeds, of ten, in which SNKL ranks MDS before t-SNE before random on Penguins, as published."""
    scores = as_published_scores().query("dataset == 'penguins'")
    table = scores.pivot(index="seed", columns="method", values="snkl")
    count = int(((table["mds"] < table["tsne"]) & (table["tsne"] < table["random"])).sum())
    return Finding((float(count),), count > 5, f"{count} of 10 seeds")


def penguins_order_of_the_data() -> Finding:
    """Penguins' difference of SNKL between t-SNE and MDS in percent of the latter, as published, and of the other datasets."""
    means = as_published_scores().groupby(["dataset", "method"])["snkl"].mean().unstack()
    gaps = 100.0 * (means["mds"] - means["tsne"]).abs() / means["mds"]
    same = seed_scores().query("dataset == 'penguins'").groupby("method")["snkl"].mean()
    values = (float(gaps["penguins"]), float(gaps.drop("penguins").min()))
    return Finding(
        values,
        values[0] < values[1],
        f"penguins {values[0]:.1f}%, the other five datasets at least {values[1]:.0f}%; scored against the projected data "
        f"penguins have MDS {same['mds']:.3f} and t-SNE {same['tsne']:.3f}, in the expected order",
    )


def table_5() -> Finding:
    """Correlations of the measures of divergence over the projections of six datasets by three methods, as in Table V."""
    table = correlations_of_divergences()
    values = tuple(map(float, table["spearman"]))
    gap = float((table["spearman"] - table["printed"]).abs().max())
    scores = seed_scores()
    scores = scores[scores["method"].isin(experiments.THREE)]
    parts = [part for _, part in scores.groupby("dataset")]
    draws = np.random.default_rng(0)
    again = [_spearman(pd.concat([parts[k] for k in draws.integers(6, size=6)])) for _ in range(200)]
    errors = np.std(again, axis=0, ddof=1)
    names = [f"{a.upper()}–{b.upper()}".replace("_", " at ") for a, b in table.index]
    detail = ", ".join(f"{n} {v:.2f} ± {s:.2f}" for n, v, s in zip(names, values, errors, strict=True))
    return Finding(
        values, gap < 0.2, f"{detail} (standard errors over datasets); at most {gap:.2f} from the printed"
    )


def _spearman(scores: pd.DataFrame) -> Array:
    """Rank correlations of the measures of divergence, in the order of Table V."""
    found = scores[list(experiments.KL_MEASURES)].corr(method="spearman").to_numpy()
    return np.asarray(found[np.triu_indices(len(found), 1)])


def sizes_correlate() -> Finding:
    """Spearman's correlation of the divergences at sizes 1 and 10 over our projections by three methods."""
    value = float(correlations_of_divergences()["spearman"][("kl_1", "kl_10")])
    return Finding((value,), value > 0.8, f"{value:.2f}")


def divergence_varies_less() -> Finding:
    """Median, over our projections by three methods, of the quotient between sizes 10 and 1: stress and divergence."""
    scores = seed_scores()[seed_scores()["method"].isin(experiments.THREE)]
    stress = float((scores["ns_10"] / scores["ns"]).median())
    divergence = (scores["kl_10"] / scores["kl_1"]).to_numpy()
    values = (stress, float(np.median(np.maximum(divergence, 1 / divergence))))
    return Finding(
        values, values[0] > 2 * values[1], f"stress {values[0]:.2f} times, divergence {values[1]:.2f} times"
    )


def forced_scale_correlates_least() -> Finding:
    """Largest correlation of FSKL with another measure, and smallest of the others among themselves."""
    table = correlations_of_divergences()
    with_fskl = ["fskl" in pair for pair in table.index]
    others = [not one for one in with_fskl]
    values = (float(table["spearman"][with_fskl].max()), float(table["spearman"][others].min()))
    within = table["within"][with_fskl]
    return Finding(
        values,
        values[0] < values[1],
        f"FSKL at most {values[0]:.2f}, the others at least {values[1]:.2f}; within a dataset FSKL {within.min():.2f} to "
        f"{within.max():.2f}",
    )


def random_before_tsne() -> Finding:
    """Percent of 60 trials in which random has less NS than t-SNE and than MDS, at their own sizes and at ten times these."""
    values = []
    for measure in ("ns", "ns_10"):
        table = seed_scores().pivot(index=["dataset", "seed"], columns="method", values=measure)
        values += [100 * float((table["random"] < table[m]).mean()) for m in ("tsne", "mds")]
    return Finding(
        tuple(values),
        min(values[0], values[2]) > 50 and max(values[1], values[3]) > 0,
        f"than t-SNE {values[0]:.0f}%, than MDS {values[1]:.0f}%; at ten times the size {values[2]:.0f}% and {values[3]:.0f}%",
    )


def cannot_be_manipulated() -> Finding:
    """Largest relative change of SNS and SNKL over 24 projections when each gets a random size between 0.001 and 1000."""
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
    return Finding((worst,), worst < 1e-8, f"changes by at most {worst:.1g} of their values")
