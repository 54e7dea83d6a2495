"""Results that decide the claims in the main text of Smelser et al. (2025): one function per entry of ``ledger.toml``.

Every function returns a `Finding`: our values (in its docstring, after the colon), whether the claim holds as stated,
and a description of the numbers. Six of the 24 datasets, the well-known ones, are available here, with projections
from ten seeds. The paper does not say which distances projections are scored against: printed numbers are compared
with scores against raw data (as published); claims about orders and proportions must hold both for these and for
scores against the projected data, and are otherwise undecided. Scores are read from `stored`. Printed tables are
recomputed if they contain the required values. Random draws have fixed seeds. The claims of the supplement are in
`supplement_claims`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import pdist

from isotropy_lab.projection import (
    affinities,
    forced_scale_kl,
    kl_divergence,
    nonmetric_stress,
    normalized_stress,
    optimal_scale,
    pair_sums,
    scale_normalized_kl,
    scale_normalized_stress,
    shepard_goodness,
)
from isotropy_lab.results import PairSums
from reanalyses.ledger import Finding
from reanalyses.smelser2025 import datasets, experiments, reported_numbers, stored
from reanalyses.smelser2025.datasets import embeddings
from reanalyses.smelser2025.datasets.surveyed import SURVEYED
from reanalyses.smelser2025.experiments import projections
from reanalyses.smelser2025.experiments.kl_scales import is_minimum
from reanalyses.smelser2025.experiments.projection_sets import label
from reanalyses.smelser2025.orders import orders
from reanalyses.zeros import or_zero

Array = NDArray[np.float64]

#: Datasets of a few hundred points.
SMALL_DATASETS = ("iris", "wine", "penguins", "auto-mpg")
METHODS = experiments.SIX
INVARIANT = ("sgs", "nms", "sns", "fsns")
EXPECTED_ORDER = "tsne < mds < random"
#: Number of datasets in Tables III to V.
N_DATASETS = 24
#: Normal quantile for intervals that cover all thirty proportions of Table III, at 95%.
NORMAL_QUANTILE = 3.14


# --- data shared by several claims --------------------------------------------------------------------------


def seed_scores() -> pd.DataFrame:
    """Return all measures of the projections of six datasets from ten seeds, against the projected data."""
    return stored.scores()


def as_published_scores() -> pd.DataFrame:
    """Return the measures of the same projections against raw data."""
    return stored.scores("as-published")


def both_scores() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the scores against the projected data, and against raw data as published."""
    return seed_scores(), as_published_scores()


def both_before_mds() -> list[pd.DataFrame]:
    """Return Table III for our projections by both references: percentages by (method, scale) and measure."""
    return [
        experiments.baseline_table(scores).pivot(
            index=["method", "scale"], columns="measure", values="percent"
        )
        for scores in both_scores()
    ]


def orders_by_divergence(scores: pd.DataFrame) -> pd.DataFrame:
    """Return Table IV for our projections: percentages by order and measure."""
    table = experiments.kl_order_table(scores)
    return table.pivot(index="order", columns="measure", values="percent")


def noise(preprocess: str = "consistent", level: float = 0.25) -> pd.DataFrame:
    """Return Pearson's correlation of each measure with the number of noise steps, by (dataset, method)."""
    table = stored.noise(preprocess, level)
    return table.pivot(index=["dataset", "method"], columns="measure", values="pearson")


def noise_by_condition() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the correlations with noise for three amounts of noise and both references, by name."""
    for preprocess, level in itertools.product(("consistent", "as-published"), stored.NOISE_LEVELS):
        yield f"{preprocess}, noise {level:g}", noise(preprocess, level)


def common_answer(answers: Iterable[bool]) -> bool | None:
    """Return the common answer under all conditions that the paper leaves open, or None if they differ."""
    distinct = set(map(bool, answers))
    return distinct.pop() if len(distinct) == 1 else None


@lru_cache(maxsize=4)
def noise_of_images(level: float = 0.25) -> pd.DataFrame:
    """Return the correlations with noise for MDS of 1,500 images of digits and ten steps."""
    table = experiments.noise_correlations(
        experiments.sensitivity(projections("mnist-1500", ("mds",)), n_steps=10, noise=level)
    )
    return table.set_index("measure")


@lru_cache(maxsize=1)
def random_minima() -> pd.DataFrame:
    """Return the minima of the divergence of 200 random projections of iris."""
    return experiments.minima_of_random_projections(projections("iris").X)


@lru_cache(maxsize=8)
def three_projections(name: str) -> tuple[Array, Mapping[str, Array]]:
    """Return the data and projections by MDS, by t-SNE, and at random."""
    return projected(name, experiments.THREE)


def projected(name: str, methods: Sequence[str]) -> tuple[Array, Mapping[str, Array]]:
    """Return the data and projections by method, for seed 0."""
    data = projections(name, methods)
    return data.X, data.Y


@lru_cache(maxsize=8)
def _all_sums_of(name: str) -> tuple[dict[str, PairSums], ...]:
    data = projections(name, (*METHODS, "lle"), seeds=range(10))
    sums: dict[int, PairSums] = {}
    by_seed = []
    for projections_of_seed in data.by_seed.values():
        for Y in projections_of_seed.values():
            if id(Y) not in sums:
                sums[id(Y)] = pair_sums(data.X, Y)
        by_seed.append({method: sums[id(Y)] for method, Y in projections_of_seed.items()})
    return tuple(by_seed)


def sums_of(name: str, methods: Sequence[str] = METHODS) -> tuple[dict[str, PairSums], ...]:
    """Return the sums over pairs for projections of a dataset by method, for each of ten seeds."""
    return tuple({method: sums[method] for method in methods} for sums in _all_sums_of(name))


def all_sums() -> Iterator[PairSums]:
    """Yield the sums over pairs for all projections of the six datasets by six methods."""
    for name in experiments.WELL_KNOWN:
        for by_method in sums_of(name):
            yield from by_method.values()


def percentages(leave_out: Sequence[str] = ()) -> tuple[float, ...]:
    """Return five percentages from Table VI: Isomap, LLE, and t-SNE second, and t-SNE and LLE last."""
    table = experiments.rank_summary(survey_ranks().reset_index(), leave_out=leave_out).set_index(
        ["measure", "method"]
    )
    entries = (
        (("ns", "isomap"), "second"),
        (("ns", "lle"), "second"),
        (("sns", "tsne"), "second"),
        (("ns", "tsne"), "last"),
        (("sns", "lle"), "last"),
    )
    return tuple(float(table.loc[row, column]) for row, column in entries)


def survey_ranks() -> pd.DataFrame:
    """Return the published Table VI: ns_rank and sns_rank by dataset and method."""
    return experiments.table_6().set_index(["dataset", "method"])


def fractions_before_mds() -> pd.DataFrame:
    """Return the fraction of trials in which a method precedes MDS: (method, scale, measure) by dataset."""
    fractions = {
        name: experiments.baseline_table(scores).set_index(["method", "scale", "measure"])["percent"] / 100.0
        for name, scores in as_published_scores().groupby("dataset")
    }
    return pd.DataFrame(fractions)


def _bound(fractions: Sequence[float]) -> tuple[float, float, float]:
    """Return bounds on a percentage over all 24 datasets, given fractions on some, and its variation over seeds."""
    low = 100.0 * sum(fractions) / N_DATASETS
    # The paper used ten other seeds, which doubles the variance. If all seeds agree, half a trial counts as different.
    clipped = [min(max(p, 0.05), 0.95) if p > 0.0 else 0.0 for p in fractions]
    deviation = 100.0 / N_DATASETS * math.sqrt(sum(2.0 * p * (1.0 - p) / 10.0 for p in clipped))
    return low, low + 100.0 * (N_DATASETS - len(fractions)) / N_DATASETS, NORMAL_QUANTILE * deviation


def _limit_text(published: float, limit: tuple[float, float, float], digits: int) -> str:
    """Return both bounds and a published percentage as text, with the variation over seeds if it is out of bounds."""
    low, high, slack = limit
    is_outside = not low - 0.05 <= published <= high + 0.05
    seeds = f", other seeds {slack:.1f} more or less" if is_outside else ""
    return f"{low:.1f} to {high:.1f} (printed {published:.{digits}f}{seeds})"


def _decide(published: Sequence[float], limits: Sequence[tuple[float, float, float]]) -> bool | None:
    """Return None (undecided) if every published percentage is possible, and False if one is not."""
    is_possible = (
        low - slack - 0.05 <= value <= high + slack + 0.05
        for value, (low, high, slack) in zip(published, limits, strict=True)
    )
    return None if all(is_possible) else False


def _format(labels: Sequence[str], values: Sequence[float], form: str = ".1f", unit: str = "%") -> str:
    return ", ".join(f"{label} {value:{form}}{unit}" for label, value in zip(labels, values, strict=True))


def _change(values: Sequence[float]) -> float:
    """Return the range of values relative to the magnitude of their mean."""
    return float(np.ptp(values) / max(abs(float(np.mean(values))), 1e-300))


# --- abstract, introduction, Figure 1 -----------------------------------------------------------------------


def severely_affected() -> Finding:
    """Test whether size severely affects stress and divergence: at the optimal scale and at ten times it."""
    X, layouts = three_projections("iris")
    Y = layouts["mds"]
    normalized = scale_normalized_kl(X, Y)
    stress = scale_normalized_stress(X, Y)
    enlarged_stress = normalized_stress(X, Y, scale=10 * optimal_scale(X, Y))
    enlarged_kl = kl_divergence(X, Y, scale=10 * normalized.scale)
    return Finding(
        (stress, enlarged_stress, normalized.value, enlarged_kl),
        enlarged_stress > 10 * stress and enlarged_kl > 1.5 * normalized.value,
        f"stress {stress:.3f} at the best size, {enlarged_stress:.2f} at ten times it; divergence {normalized.value:.3f} and "
        f"{enlarged_kl:.3f}",
    )


def small_benchmark() -> Finding:
    """Test whether SNS and SNKL have the expected orders: percentage of others by SNS, number by SNKL.

    With scores against raw data, Penguins are counted separately, since the paper has exceptions for them.
    """
    highest = max(float(table.loc[("random", 1), "sns"]) for table in both_before_mds())
    scaled, raw = unexpected_by_snkl()
    values = (highest, float(scaled.sum()), float(raw.drop("penguins").sum()), float(raw["penguins"]))
    return Finding(
        values,
        values[:3] == (0.0, 0.0, 0.0) and values[3] <= 10.0,
        f"random before MDS by SNS in {highest:.0f}% of 60 trials, against both references; unexpected orders by SNKL "
        f"{values[1]:.0f} against the projected data, {values[2] + values[3]:.0f} against raw data, of these "
        f"{values[3]:.0f} on penguins",
    )


def unexpected_by_snkl() -> tuple[pd.Series, pd.Series]:
    """Return, by dataset and reference, the number of ten trials in which SNKL misses the expected order."""
    consistent, published = (unexpected(scores)["snkl"].groupby("dataset").sum() for scores in both_scores())
    return consistent, published


def unexpected(scores: pd.DataFrame) -> pd.DataFrame:
    """Return whether the order is not t-SNE, MDS, random (the expected one), by dataset, seed, and measure."""
    columns = {}
    for measure in experiments.KL_MEASURES:
        table = scores.pivot(index=["dataset", "seed"], columns="method", values=measure)
        columns[measure] = ~((table["tsne"] < table["mds"]) & (table["mds"] < table["random"]))
    return pd.DataFrame(columns)


@lru_cache(maxsize=1)
def crossings_of_random() -> pd.DataFrame:
    """Return the scale beyond which random has less stress than MDS on iris, by seed, for both references."""
    rows = []
    for seed in range(10):
        for preprocess in ("as-published", "consistent"):
            iris = projections("iris", seeds=(seed,), preprocess=preprocess)
            table = experiments.stress_crossings(iris).set_index(["first", "second"])
            rows.append((seed, preprocess, float(table.loc[("mds", "random"), "scale"])))
    return pd.DataFrame(rows, columns=["seed", "preprocess", "scale"])


def figure_1_random_wins() -> Finding:
    """Test whether random has the lowest stress on iris beyond scale 9 (Figure 1): range over ten seeds."""
    scales = crossings_of_random().query("preprocess == 'as-published'")["scale"]
    values = (float(scales.min()), float(scales.max()))
    lowest_methods = [
        experiments.stress_curves(projections("iris", seeds=(seed,), preprocess="as-published"), scales=[9.0])
        .set_index("method")["stress"]
        .idxmin()
        for seed in range(10)
    ]
    n_seeds = lowest_methods.count("random")
    return Finding(
        values,
        n_seeds == 10 and values[1] <= 9.0,
        f"random overtakes at scale {values[0]:.2f} to {values[1]:.2f}; lowest of the three at scale 9 for {n_seeds} of 10 seeds",
    )


def figure_1_six_orders() -> Finding:
    """Test whether all six orders occur on iris (Figure 1): numbers at own scales, and at a common scale."""
    data = [projections("iris", preprocess=preprocess) for preprocess in ("as-published", "consistent")]
    at_own_scales = [count_realized_orders(experiments.orders_at_own_scales(iris)) for iris in data]
    at_common_scale = [len(experiments.stress_orders(iris)) for iris in data]
    return Finding(
        (float(min(at_own_scales)), float(max(at_common_scale))),
        min(at_own_scales) == 6,
        f"{min(at_own_scales)} orders with a scale for each projection, {max(at_common_scale)} at one common scale",
    )


def count_realized_orders(table: pd.DataFrame) -> int:
    """Count the orders in a table of `orders_at_own_scales` whose stresses are in the stated order."""
    return sum(
        bool((rows["stress"].diff().dropna() > 0).all()) for _, rows in table.groupby("order", sort=False)
    )


def any_order_at_own_scales() -> Finding:
    """Test whether own scales allow any order by stress: smallest number of orders on a dataset."""
    counts = [
        count_realized_orders(experiments.orders_at_own_scales(projections(name)))
        for name in experiments.WELL_KNOWN
    ]
    return Finding(
        (float(min(counts)),), min(counts) == 6, f"the fewest of six datasets: {min(counts)} of the 6"
    )


def methods_have_sizes() -> Finding:
    """Test whether methods differ in size: range of the ratio of the widest to the narrowest projection."""
    ratios = []
    for name in experiments.WELL_KNOWN:
        for by_method in sums_of(name):
            diameters = [sums.max_e for sums in by_method.values()]
            ratios.append(max(diameters) / min(diameters))
    return Finding(
        (min(ratios), max(ratios)),
        min(ratios) > 10,
        f"the widest projection {min(ratios):.0f} to {max(ratios):.0f} times as wide as the narrowest",
    )


# --- measures by their formulas -----------------------------------------------------------------------------


def raw_stress(X: Array, Y: Array, scale: float = 1.0) -> float:
    """Return Σ(d − scale·e)² over pairs i < j, where d and e are distances in the data and in the projection."""
    return pair_sums(X, Y).raw_stress(scale)


def forced_scale_stress(X: Array, Y: Array) -> float:
    """Return the normalized stress after dividing both sides by their largest distance."""
    sums = pair_sums(X, Y)
    return math.sqrt(sums.normalized_stress(sums.max_d / sums.max_e))


def kl_at_infinity(P: Array, Y: Array) -> float:
    """Return the divergence at increasing scales of a projection, given affinities."""
    return kl_divergence(P, Y, kernel="inverse-square", metric="affinities")


# --- section III, Table I -----------------------------------------------------------------------------------


def table_1_invariance() -> Finding:
    """Test whether measures depend on the scale as in Table I: smallest and largest relative change."""
    X, layouts = three_projections("iris")
    changes = {}
    measures: dict[str, Callable[[Array, Array], float]] = {
        "raw stress": raw_stress,
        "NS": normalized_stress,
        "Shepard goodness": shepard_goodness,
        "NMS": nonmetric_stress,
        "SNS": scale_normalized_stress,
    }
    for name, measure in measures.items():
        changes[name] = _change([measure(X, size * layouts["mds"]) for size in (0.5, 1.0, 10.0)])
    sensitive = min(changes["raw stress"], changes["NS"])
    invariant = max(value for name, value in changes.items() if name not in ("raw stress", "NS"))
    return Finding(
        (sensitive, invariant),
        sensitive > 0.5 and invariant < 1e-9,
        f"raw stress and NS change by at least {sensitive:.2g} of their mean, the other three by at most {or_zero(invariant, '.1g')}",
    )


def raw_stress_invariances() -> Finding:
    """Test whether raw stress ignores motions and reflection, but not size: relative change, and ratio."""
    X, layouts = three_projections("iris")
    Y = layouts["mds"]
    c, s = math.cos(0.7), math.sin(0.7)
    rotation = np.array([[c, -s], [s, c]])
    moved = [Y @ rotation, Y + np.array([3.0, -7.0]), Y * np.array([-1.0, 1.0])]
    base = raw_stress(X, Y)
    values = (max(abs(raw_stress(X, Z) / base - 1) for Z in moved), raw_stress(X, 2 * Y) / base)
    return Finding(
        values,
        values[0] < 1e-9 and values[1] > 2,
        f"changes by {or_zero(values[0], '.1g')} when moved, rotated, or reflected; {values[1]:.0f} times as much at twice the size",
    )


def raw_stress_is_large() -> Finding:
    """Test whether raw stress can be large for a good projection: in two units, and normalized stress."""
    data = projections("iris", ("mds",), preprocess="as-published")
    Y = data.Y["mds"]
    best_scale = optimal_scale(data.X, Y)
    in_centimeters = 2 * raw_stress(data.X, Y, scale=best_scale)
    in_small_units = 2 * raw_stress(1000.0 * data.X, Y, scale=1000.0 * best_scale)
    normalized = normalized_stress(1000.0 * data.X, Y, scale=1000.0 * best_scale)
    return Finding(
        (in_centimeters, in_small_units, normalized),
        in_centimeters > 100 and in_small_units > 1e7 and normalized < 0.2,
        f"at its best size raw stress {in_centimeters:.0f} in centimeters squared, {in_small_units:.3g} in units a thousandth "
        f"as large; normalized stress {normalized:.3f} in both",
    )


def root_keeps_orders() -> Finding:
    """Test whether the root of (2) keeps all orders: number of projection pairs with another order."""
    n_pairs = n_changed = 0
    for name in experiments.WELL_KNOWN:
        for by_method in sums_of(name):
            squares = np.array([sums.normalized_stress() for sums in by_method.values()])
            roots = np.array([_rooted(sums) for sums in by_method.values()])
            first, second = np.triu_indices(len(squares), 1)
            n_pairs += first.size
            n_changed += int(
                (np.sign(squares[first] - squares[second]) != np.sign(roots[first] - roots[second])).sum()
            )
    return Finding((float(n_changed),), n_changed == 0, f"{n_changed} of {n_pairs} pairs change their order")


def _rooted(sums: PairSums) -> float:
    return math.sqrt(sums.normalized_stress())


def root_of_a_sum() -> Finding:
    """Test whether the root of (2) reduces the impact of large residuals: on their weight, and on the sum.

    The first two values are the weight of the largest residual of iris's components relative to the median one, without
    and with the root (a weight is the derivative of the measure with respect to a residual). The others are the growth of
    the sum and of its root if one residual grows from 1 to 10 next to a rest of 1.
    """
    X, layouts = projected("iris", ("pca",))
    d, e = pdist(X), pdist(layouts["pca"])
    r = np.abs(d - e)
    largest, median = int(r.argmax()), int(np.argsort(r)[r.size // 2])
    of_residuals = tuple(float(w[largest] / w[median]) for w in (weights(r, d), weights_with_root(r, d)))
    of_sum = growth_of_a_sum(1.0, 10.0)
    return Finding(
        (*of_residuals, *of_sum),
        common_answer((of_residuals[1] < 0.9 * of_residuals[0], of_sum[1] < 0.9 * of_sum[0])),
        f"the largest residual weighs {of_residuals[0]:.1f} times as much as the median one without the root, {of_residuals[1]:.1f} "
        f"times with it; one residual that grows from 1 to 10 next to a rest of 1 multiplies the sum by {of_sum[0]:.1f}, the "
        f"root by {of_sum[1]:.1f}",
    )


def growth_of_a_sum(first: float, last: float) -> tuple[float, float]:
    """Return the growth of rest + r² as r increases from the first to the last value, and that of its root."""
    before, after = 1.0 + first**2, 1.0 + last**2
    return after / before, math.sqrt(after) / math.sqrt(before)


def weights(r: Array, d: Array, step: float = 1e-6) -> Array:
    """Return the derivative of Σr²/Σd² with respect to each residual."""
    return np.asarray(((r + step) ** 2 - (r - step) ** 2) / (d @ d) / (2.0 * step))


def weights_with_root(r: Array, d: Array) -> Array:
    """Return the derivative of √(Σr²/Σd²) with respect to each residual."""
    step = 1e-6
    above, below = (np.sqrt((r @ r + (r + h) ** 2 - r**2) / (d @ d)) for h in (step, -step))
    return np.asarray((above - below) / (2.0 * step))


def quadratic_in_scale() -> Finding:
    """Test whether raw stress is quadratic in the scale: largest third difference over second differences."""
    ratio = 0.0
    for name in SMALL_DATASETS:
        for by_method in sums_of(name):
            for sums in by_method.values():
                values = np.array([sums.raw_stress(scale) for scale in (0.0, 1.0, 2.0, 3.0, 4.0)])
                ratio = max(ratio, float(np.abs(np.diff(values, 3)).max() / np.abs(np.diff(values, 2)).min()))
    return Finding((ratio,), ratio < 1e-9, f"third differences at most {or_zero(ratio, '.1g')} of the second")


def not_in_unit_interval() -> Finding:
    """Test whether normalized stress can exceed 1: range over datasets of the mean for t-SNE."""
    values = seed_scores().query("method == 'tsne'").groupby("dataset")["ns"].mean()
    return Finding(
        (float(values.min()), float(values.max())),
        values.min() > 1,
        f"{values.min():.1f} to {values.max():.1f}, where 1 was to be the most",
    )


def curve_of_stress() -> Finding:
    """Test whether stress curves start at 1, have one minimum, and grow without bound: three extremes."""
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
    """Test whether two curves cross at most once at positive scales: largest number, pairs without one."""
    n_most = n_without = n_pairs = 0
    for name in experiments.WELL_KNOWN:
        for curves in sums_of(name, (*METHODS, "lle")):
            for a, b in itertools.combinations(curves.values(), 2):
                n_crossings = len(orders([a, b])) - 1
                n_most = max(n_most, n_crossings)
                n_without, n_pairs = n_without + (n_crossings == 0), n_pairs + 1
    return Finding(
        (float(n_most), float(n_without)),
        n_most == 1,
        f"at most {n_most}; pairs of projections without one: {n_without} of {n_pairs}",
    )


def figure_2() -> Finding:
    """Recompute Figure 2: mean Shepard goodness of MDS and random on Wine as published, over ten seeds."""
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
    """Test whether Shepard goodness ignores size: relative change on Wine by MDS, sizes 0.01 to 100."""
    X, layouts = three_projections("wine")
    change = _change([shepard_goodness(X, size * layouts["mds"]) for size in (0.01, 1.0, 100.0)])
    return Finding((change,), change < 1e-12, f"changes by {change:.1g} of its value")


def fitted_values_scale() -> Finding:
    """Test whether non-metric stress ignores size, since its fit scales: two relative errors at size 7."""
    from sklearn.isotonic import IsotonicRegression

    X, layouts = three_projections("wine")
    Y = layouts["mds"]
    d, e = pdist(X), pdist(Y)
    first, second = (IsotonicRegression().fit_transform(d, size * e) for size in (1.0, 7.0))
    error = float(np.abs(second - 7 * first).max() / second.max())
    change = abs(nonmetric_stress(X, 7.0 * Y) / nonmetric_stress(X, Y) - 1.0)
    by_hand = math.sqrt(float(((first - e) ** 2).sum() / (e @ e))) / nonmetric_stress(X, Y) - 1.0
    return Finding(
        (error, change),
        max(error, change) < 1e-9 and abs(by_hand) < 0.01,
        f"the fits differ from seven times those at size 1 by {or_zero(error, '.1g')}, the measure changes by {or_zero(change, '.1g')}",
    )


def unique_minimum() -> Finding:
    """Test whether stress has a unique minimum at a positive scale: smallest Σde/√(Σd²Σe²)."""
    cosines = [sums.sum_de / math.sqrt(sums.sum_d2 * sums.sum_e2) for sums in all_sums()]
    is_minimum_at_optimum = [
        sums.normalized_stress(sums.optimal_scale)
        < min(sums.normalized_stress(factor * sums.optimal_scale) for factor in (0.0, 0.9, 1.1))
        for sums in all_sums()
    ]
    return Finding(
        (float(min(cosines)),),
        min(cosines) > 0 and max(cosines) < 1 + 1e-9 and all(is_minimum_at_optimum),
        f"at least {min(cosines):.3f}: Σde is positive for all {len(cosines)}, and the minimum at a scale above 0",
    )


def printed_alpha() -> Finding:
    """Test whether the published α = Σde/Σd² minimizes stress: stress of iris by t-SNE there, at Σde/Σe²."""
    X, layouts = three_projections("iris")
    Y = layouts["tsne"]
    scales = (experiments.printed_scale(X, Y), optimal_scale(X, Y))
    values = tuple(normalized_stress(X, Y, scale=scale) for scale in scales)
    return Finding(
        values,
        abs(values[0] - values[1]) < 1e-9,
        f"stress {values[0]:.4g} at the printed scale {scales[0]:.4g}, {values[1]:.4f} at {scales[1]:.4g}",
    )


def alpha_by_unit() -> Finding:
    """Test whether α ignores the unit of the data: published and correct α in one unit, and in half of it.

    The projection stays the same. The components, which double with the data, are added for comparison.
    """
    X, layouts = three_projections("iris")
    Y = layouts["tsne"]
    values = tuple(
        scale(unit * X, Y) for unit in (1.0, 2.0) for scale in (experiments.printed_scale, optimal_scale)
    )
    pca = projected("iris", ("pca",))[1]["pca"]
    of_components = [experiments.printed_scale(unit * X, unit * pca) for unit in (1.0, 2.0)]
    return Finding(
        values,
        common_answer(abs(a - b) < 1e-9 for a, b in ((values[0], values[2]), of_components)),
        f"printed α {values[0]:.2f}, and {values[2]:.2f} when the distances of the data double; best scale "
        f"{values[1]:.5f} and {values[3]:.5f}; of components that double with the data, printed α {of_components[0]:.3f} and "
        f"{of_components[1]:.3f}",
    )


def alpha_as_correlation() -> Finding:
    """Test whether α is a correlation: published α at two sizes, correlation, mean product, covariance."""
    X, layouts = projected("iris", ("pca",))
    d, e = pdist(X), pdist(layouts["pca"])
    published = [float(d @ (size * e)) / float(d @ d) for size in (1.0, 10.0)]
    correct = [optimal_scale(X, size * layouts["pca"]) for size in (1.0, 10.0)]
    correlation = float(np.corrcoef(d, 10.0 * e)[0, 1])
    values = (*published, correlation, float((d * e).mean()), float(np.cov(d, e)[0, 1]))
    return Finding(
        values,
        abs(published[1] - correlation) < 0.1 or abs(correct[0] - correct[1]) < 0.1,
        f"printed α {published[0]:.3f} and {published[1]:.3f}, correct α {correct[0]:.3f} and {correct[1]:.3f}, correlation "
        f"{correlation:.4f} at both sizes; mean of de {values[3]:.3f}, covariance {values[4]:.3f}",
    )


def forced_scale_is_invariant() -> Finding:
    """Test whether FSNS is scale-invariant: largest relative change on iris, sizes 0.1 to 10."""
    X, layouts = projected("iris", METHODS)
    change = max(
        _change([forced_scale_stress(X, size * Y) for size in (0.1, 1.0, 10.0)]) for Y in layouts.values()
    )
    published = [experiments.printed_forced_scale_stress(X, size * layouts["mds"]) for size in (1.0, 10.0)]
    return Finding(
        (change,),
        change < 1e-9,
        f"changes by {or_zero(change, '.1g')}; the formula to the letter, MDS: {published[0]:.4g} and {published[1]:.4g} at ten times the size",
    )


def forced_scale_assumes_shape() -> Finding:
    """Test whether FSNS assumes equal shapes of distributions: range of FSNS/SNS, for both references."""
    ratios = [scores["fsns"] / scores["sns"] for scores in both_scores()]
    values = tuple(float(value) for ratio in ratios for value in (ratio.min(), ratio.max()))
    return Finding(
        values,
        common_answer(ratio.min() >= 1 - 1e-9 and ratio.max() > 2 for ratio in ratios),
        f"FSNS is {values[0]:.3f} to {values[1]:.3f} times SNS against the projected data, {values[2]:.3f} to "
        f"{values[3]:.3f} times against raw data",
    )


# --- section IV ---------------------------------------------------------------------------------------------


def figure_3_varies() -> Finding:
    """Test whether the divergence on Wine varies with size (Figure 3): ratio of extremes, by method."""
    data = projections("wine", preprocess="as-published")
    table = experiments.kl_curves(data).groupby("method")["divergence"]
    ratios = (table.max() / table.min()).loc[["random", "mds", "tsne"]]
    values = tuple(map(float, ratios))
    return Finding(
        values,
        max(values) > 1.5 and min(values) > 1.05,
        _format(("random", "MDS", "t-SNE"), values, ".2f", " times"),
    )


def figure_3_order() -> Finding:
    """Test whether the expected order on Wine depends on the scale (Figure 3): orders at common scales."""
    orders_by_seed: list[str] = []
    for seed in range(10):
        wine = projections("wine", seeds=(seed,), preprocess="as-published")
        orders_by_seed += experiments.kl_orders(wine)["order"].tolist()
    distinct = tuple(dict.fromkeys(orders_by_seed))
    return Finding(
        (float(len(distinct)),),
        EXPECTED_ORDER in distinct and len(distinct) > 1,
        f"{len(distinct)} orders at one common scale: {'; '.join(distinct)}",
    )


def n_orders_at_own_sizes(scores: pd.DataFrame) -> int:
    """Return the number of orders of three methods by divergence that occur if each projection has its own scale.

    Each curve takes every value between its infimum and the larger of its limits, at scale 0 and at infinity.
    """
    ranges = {row.method: (row.snkl, max(row.kl_0, row.kl_inf)) for row in scores.itertuples()}
    n_orders = 0
    for order in itertools.permutations(experiments.THREE):
        bound, is_possible = -math.inf, True
        for method in order:
            low, high = ranges[method]
            bound = max(bound, low)
            is_possible &= bound < high - 1e-9
        n_orders += is_possible
    return n_orders


def figure_3_six_orders() -> Finding:
    """Test whether all six orders by divergence occur on Wine (Figure 3): smallest number, seeds with six."""
    counts = []
    for scores in (as_published_scores(), seed_scores()):
        wine = scores[(scores["dataset"] == "wine") & scores["method"].isin(experiments.THREE)]
        counts.append([n_orders_at_own_sizes(group) for _, group in wine.groupby("seed")])
    values = (float(min(counts[0])), float(counts[1].count(6)))
    return Finding(
        values,
        values[0] == 6,
        f"as published {values[0]:.0f} of 6 orders at each of ten seeds; scored against the projected data all six "
        f"at {values[1]:.0f} seeds, {min(counts[1])} at the others",
    )


def printed_conditional() -> Finding:
    """Test whether the published p(j|i) are probabilities: their range on iris, and mean times N(N − 1)."""
    X, _ = three_projections("iris")
    n = len(X)
    d2 = pdist(X, "sqeuclidean")
    kernel = np.exp(-d2 / (2.0 * np.median(d2)))
    published = kernel / printed_denominator(kernel, n)
    values = (float(np.ptp(published) / published.mean()), float(published.mean() * n * (n - 1)))
    return Finding(
        values,
        values[0] > 1e-6,
        f"printed p differ by {or_zero(values[0], '.1g')} of their value: all are {values[1]:.4f}/(N(N − 1))",
    )


def printed_denominator(kernel: Array, n: int) -> Array:
    """Return the published denominator of p(j|i), in which all N(N − 1) terms are the kernel of i and j."""
    return np.asarray(n * (n - 1) * kernel)


def large_affinities_are_near() -> Finding:
    """Test whether large p_ij indicate similar points: rank correlation with distance, the largest p_ij."""
    X, _ = three_projections("iris")
    P = affinities(X)
    first, second = np.triu_indices(len(X), 1)
    p, d = P[first, second], pdist(X)
    relative_distance = float(np.mean(d[np.argsort(p)[-len(X) :]]) / np.mean(d))
    ranks = pd.DataFrame({"p": p, "d": d})[p > 0].corr(method="spearman")
    values = (float(ranks.loc["p", "d"]), relative_distance, float(p.max()))
    return Finding(
        values,
        values[0] < -0.8 and relative_distance < 0.2,
        f"rank correlation of p and distance {values[0]:.3f}; the {len(X)} pairs with the largest p are {relative_distance:.3f} times as far "
        f"apart as all; the largest p is {values[2]:.5f}, the bound 1/N {1.0 / len(X):.5f}",
    )


def constant_at_zero() -> Finding:
    """Test whether the divergence at scale 0 is log N(N − 1) − H(P) for all methods: spread, and error."""
    X, layouts = projected("iris", METHODS)
    P = affinities(X)
    at_zero = [kl_divergence(P, Y, scale=0.0, metric="affinities") for Y in layouts.values()]
    n_points = len(X)
    p = P[P > 0]
    by_hand = float(p @ np.log(p)) + np.log(n_points * (n_points - 1))
    values = (float(np.ptp(at_zero)), abs(at_zero[0] - by_hand))
    return Finding(
        values,
        max(values) < 1e-10,
        f"all six are {at_zero[0]:.4f}; difference from the formula {or_zero(values[1], '.1g')}",
    )


def at_most_one_minimum() -> Finding:
    """Test whether the divergence has at most one local minimum at positive scales: largest number."""
    tables = (seed_scores(), as_published_scores())
    highest = max(float(table["minima"].max()) for table in tables)
    with_several = stored.scores(methods=("lle",)).query("minima > 1")
    return Finding(
        (highest,),
        highest <= 1,
        f"at most {highest:.0f} in {sum(map(len, tables))} trials against either reference; by LLE, which the paper does not "
        f"use here, 2 on {', '.join(dict.fromkeys(with_several['dataset'])) or 'none'}",
    )


def unimodal() -> Finding:
    """Test whether the divergence is unimodal: percentage of trials with one minimum, including scale 0."""
    percents = [
        100.0 * float(((scores["minima"] + (scores["bend"] > 0)) <= 1).mean()) for scores in both_scores()
    ]
    n_with_outlier = len(experiments.outlier_curve()[1])
    return Finding(
        tuple(percents),
        common_answer(value > 99 for value in percents),
        f"{percents[0]:.1f}% of {len(seed_scores())} trials against the projected data, {percents[1]:.1f}% against raw data; "
        f"iris's components with one far point have {n_with_outlier} minima",
    )


def minimum_at_zero_is_bad() -> Finding:
    """Test whether only bad projections have a minimum at scale 0: number of random ones, both references.

    "Bad" has two interpretations: whether projections with a minimum at 0 have the largest SNKL among random ones, and
    whether they are fewer than 10% of the random projections, which are identically distributed.
    """
    by_measure, by_chance, counts = [], [], []
    for scores, name in zip(both_scores(), ("the projected data", "raw data"), strict=True):
        is_at_zero = scores["at_zero"] > 0.5
        is_random = scores["method"] == "random"
        if is_at_zero[~is_random].any():
            return Finding((float(is_at_zero[~is_random].sum()),), False, "a projection by a method has it")
        table = scores[is_random].assign(low=is_at_zero)
        ends = table.groupby(["dataset", "low"])["snkl"].agg(["min", "max"]).unstack("low")
        ends = ends.dropna()
        by_measure.append(bool((ends[("min", True)] >= ends[("max", False)]).all()) if len(ends) else True)
        count, total = int(is_at_zero[is_random].sum()), int(is_random.sum())
        by_chance.append(count < 0.1 * total)
        counts.append((name, int((~is_random).sum()), count, total))
    return Finding(
        tuple(float(count) for _, _, count, _ in counts),
        common_answer((*by_measure, *by_chance)),
        "; ".join(
            f"against {n}: 0 of {m} by the five methods, {c} of {k} random ones" for n, m, c, k in counts
        )
        + f"; on every dataset these have the largest SNKL of the random ones: {'yes' if all(by_measure) else 'no'}",
    )


def asymptote() -> Finding:
    """Test whether the divergence has a limit, where stress grows: distance at 10⁷, growth from 10⁶."""
    X, layouts = three_projections("iris")
    Y = layouts["mds"]
    P = affinities(X)
    limit = kl_at_infinity(P, Y)
    distance = abs(kl_divergence(P, Y, scale=1e7, metric="affinities") - limit)
    growth = normalized_stress(X, Y, scale=1e7) / normalized_stress(X, Y, scale=1e6)
    return Finding(
        (distance, growth),
        distance < 1e-6 and growth > 9,
        f"the divergence is {distance:.1g} from its limit {limit:.4f}, the stress grows {growth:.3f} times",
    )


def gaussian_has_several_minima() -> Finding:
    """Test whether KL_G may have several local minima: largest number, and for clusters with a floor."""
    counts = []
    for name in SMALL_DATASETS:
        X, layouts = projected(name, ("umap",))
        curve = experiments.floored_gaussian_curve(X, layouts["umap"], scales=np.geomspace(2e-2, 2e2, 61))
        counts.append(int(is_minimum(curve["divergence"].to_numpy()).sum()))
    clusters = projections(experiments.clustered_points(), ("pca",), scaling="none")
    table = experiments.floored_gaussian_curve(
        clusters.X, clusters.Y["pca"], scales=np.geomspace(1e-3, 10, 121), perplexity=8.8
    )
    counts.append(int(is_minimum(table["divergence"].to_numpy()).sum()))
    n_floored = int(is_minimum(table["floored"].to_numpy()).sum())
    return Finding(
        (float(max(counts)), float(n_floored)),
        max(counts) > 1,
        f"at most {max(counts)} by definition, as for every function convex in α²; far clusters with a floor have {n_floored}",
    )


def kernel_matters() -> Finding:
    """Test whether the kernel decides the growth with size: divergence at 10⁴ α* over its minimum, at α*."""
    X, layouts = projected("auto-mpg", ("umap",))
    P, Y = affinities(X), layouts["umap"]
    kernels = ("student-t", "gaussian")
    normalized = {k: scale_normalized_kl(P, Y, kernel=k, metric="affinities") for k in kernels}
    values = tuple(
        kl_divergence(P, Y, scale=1e4 * minimum.scale, kernel=k, metric="affinities") / minimum.value
        for k, minimum in normalized.items()
    )
    detail = "; ".join(f"{k}: minimum {b.value:.3f} at scale {b.scale:.3f}" for k, b in normalized.items())
    return Finding(
        values,
        values[1] > 100 * values[0],
        f"{detail}; at ten thousand times that scale {values[0]:.1f} and {values[1]:.2g} times the minimum",
    )


def snkl_is_invariant() -> Finding:
    """Test whether SNKL and FSKL are scale-invariant: relative changes on iris, sizes 10⁻⁶ to 10⁶."""
    X, layouts = three_projections("iris")
    P, Y = affinities(X), layouts["tsne"]
    sizes = (1e-6, 1.0, 1e6)
    snkl = _change([scale_normalized_kl(P, s * Y, metric="affinities").value for s in sizes])
    fskl = _change([forced_scale_kl(P, s * Y, metric="affinities") for s in sizes])
    return Finding(
        (snkl, fskl),
        max(snkl, fskl) < 1e-9,
        f"SNKL changes by {or_zero(snkl, '.1g')}, FSKL by {or_zero(fskl, '.1g')}",
    )


def never_decreasing_for_ever() -> Finding:
    """Test whether no divergence decreases at all scales: number of infima at infinity, both references."""
    counts = [int((scores["at_infinity"] > 0.5).sum()) for scores in both_scores()]
    return Finding(
        tuple(map(float, counts)),
        common_answer(count == 0 for count in counts),
        f"{counts[0]} of {len(seed_scores())} trials against the projected data, {counts[1]} against raw data",
    )


def forced_scale_is_uninformed() -> Finding:
    """Test whether FSKL performs worse than SNKL: percentages in the expected order, for both references."""
    tables = [orders_by_divergence(scores).loc[EXPECTED_ORDER] for scores in both_scores()]
    values = tuple(float(table[measure]) for table in tables for measure in ("fskl", "snkl"))
    by_dataset = 100.0 * (1.0 - unexpected(seed_scores())["fskl"].groupby("dataset").mean())
    below_100 = ", ".join(f"{name} {v:.0f}%" for name, v in by_dataset.items() if v < 100)
    return Finding(
        values,
        common_answer(table["fskl"] < table["snkl"] for table in tables),
        f"FSKL {values[0]:.1f}%, SNKL {values[1]:.1f}% against the projected data; FSKL {values[2]:.1f}%, SNKL "
        f"{values[3]:.1f}% against raw data; FSKL on {below_100}, else 100%",
    )


def wrong_only_by_forced_scale() -> Finding:
    """Test whether only FSKL misses expected orders: trials missed by FSKL, and by FSKL only."""
    tables = [unexpected(scores) for scores in both_scores()]
    n_wrong = [int(table["fskl"].sum()) for table in tables]
    n_only_fskl = [int((table["fskl"] & ~table.drop(columns="fskl").any(axis=1)).sum()) for table in tables]
    n_only_kl_10 = [int((table["kl_10"] & ~table["fskl"]).sum()) for table in tables]
    return Finding(
        tuple(map(float, (*n_wrong, *n_only_fskl))),
        common_answer(a > 0.9 * w > 0 for a, w in zip(n_only_fskl, n_wrong, strict=True)),
        f"against the projected data FSKL {n_wrong[0]}, of these the others correct in {n_only_fskl[0]}; against raw data {n_wrong[1]} and "
        f"{n_only_fskl[1]}; KL at 10 is wrong where FSKL is right in {n_only_kl_10[0]} and {n_only_kl_10[1]} trials",
    )


def golden_section() -> Finding:
    """Test whether golden-section search finds the minimum of the divergence: largest relative excess."""
    excess = 0.0
    for name in SMALL_DATASETS:
        X, layouts = projected(name, METHODS[:-1])
        P = affinities(X)
        for Y in layouts.values():
            search = minimize_scalar(
                lambda a, Y=Y, P=P: kl_divergence(P, Y, scale=math.exp(a), metric="affinities"),
                bracket=(-10.0, 10.0),
                method="golden",
            )
            minimum = scale_normalized_kl(P, Y, metric="affinities").value
            excess = max(excess, float(search.fun) / minimum - 1.0)
    return Finding(
        (excess,), excess < 1e-6, f"at most {or_zero(excess, '.1g')} of the smallest divergence above it"
    )


# --- section V ----------------------------------------------------------------------------------------------


def table_2() -> Finding:
    """Compare the six well-known datasets with Table II: numbers of points (values) and of dimensions."""
    table = datasets.table_2()
    loaded = sizes_here()
    values = tuple(float(n) for n, _ in loaded)
    reported = [tuple(map(int, table.loc[name, ["points", "dimensions"]])) for name in experiments.WELL_KNOWN]
    detail = ", ".join(
        f"{name} {n} × {k}" for name, (n, k) in zip(experiments.WELL_KNOWN, loaded, strict=True)
    )
    return Finding(values, reported == loaded, detail)


def sizes_here() -> list[tuple[int, int]]:
    """Return the numbers of points and dimensions of the six well-known datasets as loaded here."""
    shapes = [datasets.load(name).X.shape for name in experiments.WELL_KNOWN]
    return [(int(n), int(k)) for n, k in shapes]


def six_and_eighteen() -> Finding:
    """Recount the datasets: well-known ones and those of the survey in Table II, missing in Table VI."""
    n_listed, n_of_survey, n_ranked = numbers_of_datasets()
    values = (float(n_listed - n_of_survey), float(n_of_survey), float(n_of_survey - n_ranked))
    return Finding(
        values,
        values == (6, 18, 2),
        f"{values[0]:.0f} well-known, {values[1]:.0f} of the survey, {values[2]:.0f} of these not in Table VI",
    )


def numbers_of_datasets() -> tuple[int, int, int]:
    """Return the numbers of rows in Table II, of survey datasets among them, and of datasets in Table VI."""
    return len(datasets.table_2()), len(SURVEYED), int(experiments.table_6()["dataset"].nunique())


def raw_stress_is_redundant() -> Finding:
    """Test whether raw over normalized stress is constant: spread of the ratio, without and with the root."""
    X, layouts = projected("iris", METHODS)
    values = tuple(
        _change([raw_stress(X, Y) / normalized_stress(X, Y, squared=squared) for Y in layouts.values()])
        for squared in (True, False)
    )
    return Finding(
        values,
        values[0] < 1e-9,
        f"by Table I the factor varies by {values[0]:.1g} of its value, with the root by {values[1]:.2f}",
    )


def deterministic_methods() -> Finding:
    """Test whether PCA and Isomap are deterministic: normalized stress between two seeds."""
    X = projections("iris", ("pca",)).projected
    differences = {}
    for method in ("pca", "isomap", "random"):
        first, second = (embeddings.compute(X, method, seed=seed).Y for seed in (0, 1))
        differences[method] = normalized_stress(first, second)
    return Finding(
        (differences["pca"], differences["isomap"]),
        max(differences["pca"], differences["isomap"]) < 1e-6 < differences["random"],
        f"PCA differs by {differences['pca']:.1g}, Isomap by {differences['isomap']:.1g}; random by {differences['random']:.2f}",
    )


def figure_5() -> Finding:
    """Test whether invariant measures increase with noise and NS does not, for MDS on MNIST (Figure 5)."""
    tables = {level: noise_of_images(level)["pearson"] for level in stored.NOISE_LEVELS}
    lowest = {level: float(table[list(INVARIANT)].min()) for level, table in tables.items()}
    ns = {level: float(table["ns"]) for level, table in tables.items()}
    return Finding(
        (*lowest.values(), *ns.values()),
        common_answer(lowest[level] > 0.9 > ns[level] for level in tables),
        "; ".join(
            f"noise {level:g}: smallest {lowest[level]:.2f}, {table[list(INVARIANT)].idxmin().upper()}, NS {ns[level]:.2f}"
            for level, table in tables.items()
        ),
    )


def _medians(tables: Iterable[tuple[str, pd.DataFrame]]) -> list[tuple[str, float, float]]:
    """Return each name with the median correlations of the invariant measures and of NS."""
    return [
        (name, float(np.median(table[list(INVARIANT)].to_numpy())), float(table["ns"].median()))
        for name, table in tables
    ]


def figure_6() -> Finding:
    """Test whether invariant measures follow noise better than NS, for MDS (Figure 6): median correlation."""
    medians = _medians((name, table.xs("mds", level="method")) for name, table in noise_by_condition())
    values = (min(row[1] for row in medians), max(row[2] for row in medians))
    return Finding(
        values,
        common_answer(high > 0.85 and high > low + 0.2 for _, high, low in medians),
        "; ".join(f"{name}: invariant {high:.2f}, NS {low:.2f}" for name, high, low in medians),
    )


def _least_invariant(table: pd.DataFrame) -> tuple[float, str]:
    """Return the smallest correlation with noise of an invariant measure, with its dataset and method."""
    correlations = table.drop("random", level="method")[list(INVARIANT)].stack()
    where = correlations.idxmin()
    return float(correlations.min()), f"{where[2].upper()} on {where[0]} by {where[1]}"


def invariant_measures_follow_noise() -> Finding:
    """Test whether all invariant measures increase with noise: smallest correlation, by amount of noise."""
    lowest = [(name, *_least_invariant(table)) for name, table in noise_by_condition()]
    return Finding(
        tuple(value for _, value, _ in lowest),
        common_answer(value > 0.5 for _, value, _ in lowest),
        "; ".join(f"{name}: {value:.2f}, {where}" for name, value, where in lowest),
    )


def normalized_stress_improves() -> Finding:
    """Test whether noise often seems to improve NS: number of decreasing curves of 20, by amount."""
    counts = []
    for level in stored.NOISE_LEVELS:
        table = noise("as-published", level).drop("random", level="method")["ns"]
        counts.append((level, int((table < 0).sum()), len(table)))
    return Finding(
        tuple(float(count) for _, count, _ in counts),
        common_answer(count > 2 for _, count, _ in counts),
        "; ".join(f"noise {level:g}: {count} of {total}" for level, count, total in counts),
    )


def random_stays_constant() -> Finding:
    """Test whether random projections stay constant under noise: largest increase of SNS, and t-SNE's."""
    table = stored.noise().query("measure == 'sns'")
    increase = (table["with_all_noise"] / table["without_noise"] - 1).groupby(table["method"]).max()
    values = (float(increase["random"]), float(increase["tsne"]))
    return Finding(
        values, values[0] < 0.25 < values[1], f"random at most {values[0]:.1%}, t-SNE up to {values[1]:.1%}"
    )


def table_3_direction() -> Finding:
    """Test whether size puts random before MDS by NS only (Table III): percentages, also invariant ones."""
    tables = both_before_mds()
    at_1, at_10 = ([float(table.loc[("random", size), "ns"]) for table in tables] for size in (1, 10))
    invariant = [float(table.loc["random", ["sgs", "nms", "sns"]].to_numpy().max()) for table in tables]
    return Finding(
        (*at_1, *at_10, *invariant),
        common_answer(a == 0 < 25 < b and c == 0 for a, b, c in zip(at_1, at_10, invariant, strict=True)),
        f"by NS against the projected data {at_1[0]:.0f}% at size 1 and {at_10[0]:.0f}% at size 10, against raw data "
        f"{at_1[1]:.0f}% and {at_10[1]:.0f}%; by SGS, NMS and SNS at most {max(invariant):.0f}%",
    )


#: Distinct percentages of Table III; those of invariant measures are equal at both sizes.
TABLE_3_CELLS = tuple(
    (measure, scale, method)
    for method in METHODS[1:]
    for measure in experiments.STRESS_MEASURES
    for scale in ((1, 10) if measure == "ns" else (1,))
)


def table_3_cells() -> Finding:
    """Test whether Table III is possible given six of 24 datasets: range of every percentage."""
    table = experiments.table_3().set_index(["method", "scale"])
    fractions = fractions_before_mds()
    published, limits, details = [], [], []
    for measure, scale, method in TABLE_3_CELLS:
        published.append(float(table.loc[(method, scale), measure]))
        limits.append(_bound(fractions.loc[(method, scale, measure)].tolist()))
        suffix = " at ten times the size" if scale == 10 else ""
        bounds = _limit_text(published[-1], limits[-1], 1)
        details.append(f"{label(method)} by {measure.upper()}{suffix} {bounds}")
    return Finding(tuple(low for low, _, _ in limits), _decide(published, limits), "; ".join(details))


def table_3_trials() -> Finding:
    """Test whether Table III has 240 trials: largest distance of a percentage from multiples of 1/240."""
    values = experiments.table_3().drop(columns=["method", "scale"]).to_numpy(dtype=float)
    error = float(np.abs(values - np.round(values * 2.4) / 2.4).max())
    return Finding((error,), error <= 0.0501, f"at most {error:.3f} points, where rounding explains 0.05")


def rarely_better_than_mds() -> Finding:
    """Test whether t-SNE and UMAP rarely precede MDS by invariant measures: largest percentage."""
    tables = [table.loc[["tsne", "umap"], list(INVARIANT)] for table in both_before_mds()]
    highest = [float(table.to_numpy().max()) for table in tables]
    isomap = [float(both_before_mds()[1].loc[("isomap", 1), measure]) for measure in INVARIANT]
    return Finding(
        tuple(highest),
        common_answer(value < 5 for value in highest),
        f"at most {highest[0]:.1f}% of 60 trials against the projected data, {highest[1]:.1f}% against raw data; there Isomap "
        f"{_format(('SGS', 'NMS', 'SNS', 'FSNS'), isomap)}",
    )


def occasional_reversals() -> Finding:
    """Test whether t-SNE and UMAP occasionally precede MDS by NS: published percentages, and another's."""
    ns = experiments.table_3().query("scale == 1").set_index("method")["ns"]
    values = (float(ns["tsne"]), float(ns["umap"]), float(ns.drop(["tsne", "umap"]).max()))
    ours = [
        " and ".join(f"{table.loc[(method, 1), 'ns']:.1f}%" for method in ("tsne", "umap"))
        for table in both_before_mds()
    ]
    return Finding(
        values,
        min(values[:2]) > 0 and max(values) < 50,
        f"t-SNE {values[0]:.1f}%, UMAP {values[1]:.1f}%, another method at most {values[2]:.1f}%; on our six datasets t-SNE "
        f"and UMAP {ours[0]} against the projected data, {ours[1]} against raw data",
    )


def nearly_eighty() -> Finding:
    """Test whether random precedes MDS by NS in nearly 80% at ten times the size: published percentage."""
    value = float(experiments.table_3().set_index(["method", "scale"]).loc[("random", 10), "ns"])
    return Finding((value,), 75 <= value < 80, f"{value:.1f}%, {2.4 * value:.0f} of 240 trials")


def no_contradiction_by_invariant_measures() -> Finding:
    """Test whether enlargement changes Table III for NS only: largest change, invariant measures and NS."""
    table = experiments.table_3().set_index(["method", "scale"]).unstack("scale")
    change = (table.xs(10, axis=1, level="scale") - table.xs(1, axis=1, level="scale")).abs().max()
    random = experiments.table_3().query("method == 'random' and scale == 1").iloc[0]
    invariant, ns = float(change[list(INVARIANT)].max()), float(change["ns"])
    return Finding(
        (invariant, ns),
        invariant == 0 < 20 < ns,
        f"percentages by invariant measures change by {invariant:.1f} points, by NS by up to {ns:.1f}; random before MDS at "
        f"either size: {_format(('SGS', 'NMS', 'SNS', 'FSNS'), [float(random[m]) for m in INVARIANT])}",
    )


def never_reversed_tsne() -> Finding:
    """Test whether enlargement keeps t-SNE's percentage by NS in Table III: both percentages."""
    table = experiments.table_3().query("method == 'tsne'").set_index("scale")["ns"]
    values = (float(table[1]), float(table[10]))
    return Finding(
        values,
        values[0] == values[1],
        f"{values[0]:.1f}% at the default size, {values[1]:.1f}% at ten times it",
    )


def smaller_tsne_wins() -> Finding:
    """Test whether t-SNE has less NS than MDS at small common scales: number of 60 trials."""
    wins = [
        orders({method: by_method[method] for method in ("mds", "tsne")})[0].order[0] == "tsne"
        for name in experiments.WELL_KNOWN
        for by_method in sums_of(name)
    ]
    return Finding((float(sum(wins)),), all(wins), f"{sum(wins)} of {len(wins)} trials")


def any_projection_can_win() -> Finding:
    """Test whether any method precedes MDS by NS at some common scale: number of 300 trials."""
    wins = []
    for name in experiments.WELL_KNOWN:
        for curves in sums_of(name):
            for method in METHODS[1:]:
                pair = {"mds": curves["mds"], method: curves[method]}
                wins.append(any(o.order[0] == method for o in orders(pair)))
    return Finding((float(sum(wins)),), all(wins), f"{sum(wins)} of {len(wins)} trials")


def mds_is_first() -> Finding:
    """Test whether MDS is first by both measures in Table VI: number of datasets."""
    table = survey_ranks().query("method == 'mds'")
    n_first = int(((table["ns_rank"] == 1) & (table["sns_rank"] == 1)).sum())
    return Finding((float(n_first),), n_first == len(table), f"first on {n_first} of {len(table)} datasets")


def no_dataset_agrees() -> Finding:
    """Test whether both measures never rank methods alike in Table VI: number of datasets where they do."""
    n_same = int(experiments.rank_agreement(survey_ranks().reset_index())["same"].sum())
    return Finding((float(n_same),), n_same == 0, f"the same order on {n_same} of 16 datasets")


def shares_of_the_survey() -> Finding:
    """Recompute the five percentages of Section V-D from Table VI, and compare them with those published."""
    values = percentages()
    error = largest_gap(values, (33.0, 40.0, 80.0, 80.0, 73.0))
    labels = (
        "Isomap second by NS",
        "LLE second by NS",
        "t-SNE second by SNS",
        "t-SNE last by NS",
        "LLE last by SNS",
    )
    return Finding(
        values, error < 0.51, f"{_format(labels, values, '.2f')}: at most {error:.2f} points from the printed"
    )


def largest_gap(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the largest absolute difference between corresponding entries of two lists."""
    return float(np.abs(np.subtract(first, second)).max())


def orl_is_empty() -> Finding:
    """Test whether 90% of the survey's ORL rows are zero: percentage, and the largest in another file."""
    percents = empty_rows()
    values = (float(percents["orl"]), float(percents.drop("orl").max()))
    return Finding(
        values,
        abs(values[0] - 90.0) < 0.5,
        f"{values[0]:.1f}% of the rows of ORL, at most {values[1]:.1f}% of {len(percents) - 1} others",
    )


def empty_rows() -> pd.Series:
    """Return the percentage of zero rows in each file of the survey, by dataset."""
    table = reported_numbers.survey_rows().set_index("dataset")
    return 100.0 * table["n_empty"] / table["n_points"]


def survey_used_normalized_stress() -> Finding:
    """Test whether the survey used NS: datasets of Table VI with the order of NS, and with that of SNS.

    The means of Kendall's τ and the largest reported stress are added.
    """
    table = experiments.reported_agreement()
    values = tuple(float(table[name].sum()) for name in ("same_as_ns", "same_as_sns"))
    values += tuple(float(table[name].mean()) for name in ("with_ns", "with_sns"))
    return Finding(
        values,
        values[0] == len(table),
        f"the order of NS on {values[0]:.0f} of {len(table)} datasets, of SNS on {values[1]:.0f}; mean Kendall's τ with NS "
        f"{values[2]:.2f}, with SNS {values[3]:.2f}; largest reported stress {table['largest'].max():.2f}",
    )


def umap_never_above_tsne() -> Finding:
    """Test whether SNS never ranks UMAP above t-SNE in Table VI: number of datasets where it does."""
    count = int(experiments.rank_agreement(survey_ranks().reset_index())["umap_before_tsne"].sum())
    return Finding((float(count),), count == 0, f"above t-SNE on {count} of 16 datasets")


# --- sections VI and VII ------------------------------------------------------------------------------------


def table_4_printed() -> Finding:
    """Test whether Table IV is consistent: distances of sums from 100, of cells from multiples of 1/240."""
    table = experiments.table_4().drop(columns="order").to_numpy(dtype=float)
    error_of_sums = float(np.abs(table.sum(axis=0) - 100).max())
    error_of_cells = float(np.abs(table - np.round(table * 2.4) / 2.4).max())
    return Finding(
        (error_of_sums, error_of_cells),
        error_of_sums < 0.02 and error_of_cells <= 0.00501,
        f"sums off by at most {error_of_sums:.2f} points, cells by at most {error_of_cells:.4f}",
    )


def table_4_cells() -> Finding:
    """Test whether Table IV is possible given six of 24 datasets: range of every percentage."""
    published = experiments.table_4().set_index("order")
    scores = as_published_scores()
    tables = [orders_by_divergence(group) / 100.0 for _, group in scores.groupby("dataset")]
    values, limits, details = [], [], []
    for order in published.index:
        for measure in published.columns:
            limit = _bound([float(table.loc[order, measure]) for table in tables])
            value = float(published.loc[order, measure])
            values.append(limit[0])
            limits.append((value, limit))
            if value or limit[0]:
                name = measure.upper().replace("_", " at ")
                details.append(f"{order} by {name} {_limit_text(value, limit, 2)}")
    return Finding(tuple(values), _decide([v for v, _ in limits], [x for _, x in limits]), "; ".join(details))


def table_4_snkl() -> Finding:
    """Test whether SNKL has the expected order in over 96% of trials: exceptions, and the percentage."""
    consistent, published = unexpected_by_snkl()
    values = (float(consistent.sum()), float(published["penguins"]), float(published.drop("penguins").sum()))
    percent = 100.0 - 100.0 * float(published.sum()) / (10 * N_DATASETS)
    return Finding(
        (*values, percent),
        values[0] == values[2] == 0.0 and percent > 96.0,
        f"{values[0]:.0f} against the projected data; against raw data {values[1]:.0f} on penguins and {values[2]:.0f} elsewhere, "
        f"{percent:.2f}% of 240 trials in the expected order if the other 18 datasets have no exception",
    )


def penguins_in_table_4() -> Finding:
    """Test whether Table IV has only the 8 exceptions of Penguins by SNKL: that order, all other orders."""
    table = experiments.table_4().set_index("order")["snkl"]
    n_trials = float(table["mds < tsne < random"]) * 2.4
    others = float(table.drop([EXPECTED_ORDER, "mds < tsne < random"]).sum())
    return Finding(
        (n_trials, others),
        abs(n_trials - 8.0) < 0.012 and others == 0.0,
        f"{n_trials:.3f} of 240 trials; all other unexpected orders {others:.2f}%",
    )


def table_4_scales() -> Finding:
    """Test whether size changes orders by divergence: percentages of the expected order, sizes 1 and 10."""
    tables = [orders_by_divergence(scores).loc[EXPECTED_ORDER] for scores in both_scores()]
    values = tuple(float(table[size]) for table in tables for size in ("kl_1", "kl_10"))
    return Finding(
        values,
        common_answer(table["kl_1"] > table["kl_10"] + 10 for table in tables),
        f"{values[0]:.1f}% at size 1 and {values[1]:.1f}% at ten times it against the projected data, {values[2]:.1f}% and "
        f"{values[3]:.1f}% against raw data",
    )


def table_4_best() -> Finding:
    """Test whether SNKL is the best invariant measure: percentages of the expected order, also by FSKL."""
    tables = [orders_by_divergence(scores).loc[EXPECTED_ORDER] for scores in both_scores()]
    values = tuple(float(table[measure]) for table in tables for measure in ("snkl", "fskl"))
    return Finding(
        values,
        common_answer(table["snkl"] > table["fskl"] for table in tables),
        f"{_format(('SNKL', 'FSKL'), values[:2])} against the projected data, {_format(('SNKL', 'FSKL'), values[2:])} against "
        f"raw data",
    )


def penguins_means() -> Finding:
    """Recompute the mean SNKL of MDS and t-SNE on Penguins as published, over ten seeds."""
    scores = as_published_scores().query("dataset == 'penguins'").groupby("method")["snkl"]
    values = (float(scores.mean()["mds"]), float(scores.mean()["tsne"]))
    errors = [float(scores.std()[m]) / math.sqrt(10) for m in ("mds", "tsne")]
    return Finding(
        values,
        values[0] < values[1],
        f"MDS {values[0]:.3f} (standard error {errors[0]:.3f}), t-SNE {values[1]:.3f} ({errors[1]:.3f})",
    )


def penguins_order() -> Finding:
    """Test whether SNKL has the order MDS, t-SNE, random on Penguins in 8 of 10 runs: number of seeds."""
    scores = as_published_scores().query("dataset == 'penguins'")
    table = scores.pivot(index="seed", columns="method", values="snkl")
    count = int(((table["mds"] < table["tsne"]) & (table["tsne"] < table["random"])).sum())
    return Finding((float(count),), count > 5, f"{count} of 10 seeds")


def penguins_order_of_the_data() -> Finding:
    """Test whether t-SNE and MDS differ little by SNKL on Penguins: difference there, smallest elsewhere."""
    means = as_published_scores().groupby(["dataset", "method"])["snkl"].mean().unstack()
    differences = 100.0 * (means["mds"] - means["tsne"]).abs() / means["mds"]
    consistent = seed_scores().query("dataset == 'penguins'").groupby("method")["snkl"].mean()
    values = (float(differences["penguins"]), float(differences.drop("penguins").min()))
    return Finding(
        values,
        values[0] < values[1],
        f"penguins {values[0]:.1f}%, the other five datasets at least {values[1]:.0f}%; scored against the projected data "
        f"penguins have MDS {consistent['mds']:.3f} and t-SNE {consistent['tsne']:.3f}, in the expected order",
    )


def table_5() -> Finding:
    """Recompute Table V: correlations of divergence measures over the projections of six datasets."""
    results = []
    for scores in both_scores():
        table = experiments.kl_correlations(scores).set_index(["first", "second"])
        three_methods = scores[scores["method"].isin(experiments.THREE)]
        results.append((table["spearman"], table["printed"], _errors_over_datasets(three_methods)))
    names = [f"{a.upper()}–{b.upper()}".replace("_", " at ") for a, b in results[0][0].index]
    largest = [float((ours - published).abs().max()) for ours, published, _ in results]
    errors = [error for _, _, error in results]
    details = [
        ", ".join(f"{n} {v:.2f} ± {s:.2f}" for n, v, s in zip(names, ours, error, strict=True))
        for ours, _, error in results
    ]
    return Finding(
        tuple(map(float, results[0][0])),
        common_answer(value < 2.0 * float(error.max()) for value, error in zip(largest, errors, strict=True)),
        f"against the projected data {details[0]}, at most {largest[0]:.2f} from the printed; against raw data {details[1]}, at "
        f"most {largest[1]:.2f} (standard errors over datasets)",
    )


def _errors_over_datasets(scores: pd.DataFrame) -> Array:
    """Return the standard errors of the correlations of Table V under resampling of datasets."""
    groups = [group for _, group in scores.groupby("dataset")]
    rng = np.random.default_rng(0)
    resampled = [_spearman(pd.concat([groups[k] for k in rng.integers(6, size=6)])) for _ in range(200)]
    return np.asarray(np.std(resampled, axis=0, ddof=1))


def _spearman(scores: pd.DataFrame) -> Array:
    """Return the rank correlations of the divergence measures, in the order of Table V."""
    correlations = scores[list(experiments.KL_MEASURES)].corr(method="spearman").to_numpy()
    return np.asarray(correlations[np.triu_indices(len(correlations), 1)])


def sizes_correlate() -> Finding:
    """Test whether divergences at sizes 1 and 10 correlate highly: correlation, and the largest with FSKL."""
    pairs = [_sizes_and_forced(scores) for scores in both_scores()]
    return Finding(
        tuple(value for pair in pairs for value in pair),
        common_answer(sizes > forced and sizes > 0.5 for sizes, forced in pairs),
        f"{pairs[0][0]:.2f} against the projected data, {pairs[1][0]:.2f} against raw data; FSKL with another at most "
        f"{pairs[0][1]:.2f} and {pairs[1][1]:.2f}",
    )


def _sizes_and_forced(scores: pd.DataFrame) -> tuple[float, float]:
    table = experiments.kl_correlations(scores).set_index(["first", "second"])["spearman"]
    return float(table[("kl_1", "kl_10")]), float(table[["fskl" in pair for pair in table.index]].max())


def divergence_varies_less() -> Finding:
    """Test whether size changes the divergence less than stress: largest change, smallest factor of stress.

    Enlarged t times, each 1/(1 + α²d²) keeps between t⁻² and all of its value, and so does their sum: log q changes by
    at most 2 log t. Stress is 1 − 2bα + aα², a positive. Median factors from the projections' own sizes are added.
    """
    values, details = [], []
    for scores, name in zip(both_scores(), ("the projected data", "raw data"), strict=True):
        change = float((scores["kl_10"] - scores["kl_1"]).abs().max())
        a = (scores["ns_10"] - 10.0 * scores["ns"] + 9.0) / 90.0
        stress, enlarged = (1.0 - (1.0 + a - scores["ns"]) * scale + a * scale**2 for scale in (1e6, 1e7))
        values += [change, float((enlarged / stress).min()) if a.min() > 0 else 0.0]
        medians = (
            float(np.median(np.maximum(ratio, 1.0 / ratio)))
            for ratio in (scores["ns_10"] / scores["ns"], scores["kl_10"] / scores["kl_1"])
        )
        details.append(
            f"against {name} the divergence changes by at most {change:.2f}, stress in the end by a factor of at least "
            f"{values[-1]:.1f}; median factors from the own size {' and '.join(f'{x:.2f}' for x in medians)}"
        )
    bound = 2.0 * math.log(10.0)
    return Finding(
        tuple(values),
        max(values[::2]) <= bound and min(values[1::2]) > 99,
        f"bound {bound:.2f}; {'; '.join(details)}",
    )


def forced_scale_correlates_least() -> Finding:
    """Test whether FSKL has the lowest correlations: its largest, and the smallest of others."""
    values, answers = [], []
    for scores in both_scores():
        table = experiments.kl_correlations(scores).set_index(["first", "second"])
        with_fskl = np.array(["fskl" in pair for pair in table.index])
        values += [float(table["spearman"][with_fskl].max()), float(table["spearman"][~with_fskl].min())]
        answers.append(values[-2] < values[-1])
    return Finding(
        tuple(values),
        common_answer(answers),
        f"against the projected data FSKL at most {values[0]:.2f}, the others at least {values[1]:.2f}; against raw data "
        f"{values[2]:.2f} and {values[3]:.2f}",
    )


def random_before_tsne() -> Finding:
    """Test whether NS puts random before t-SNE, sometimes MDS: percentages of trials at sizes 1 and 10."""
    results = []
    for scores in both_scores():
        percents: dict[tuple[str, str], float] = {}
        for measure in ("ns", "ns_10"):
            table = scores.pivot(index=["dataset", "seed"], columns="method", values=measure)
            percents |= {
                (measure, m): 100 * float((table["random"] < table[m]).mean()) for m in ("tsne", "mds")
            }
        results.append(percents)
    return Finding(
        tuple(value for percents in results for value in percents.values()),
        common_answer(
            min(s["ns", "tsne"], s["ns_10", "tsne"]) > 0 and max(s["ns", "mds"], s["ns_10", "mds"]) > 0
            for s in results
        ),
        "; ".join(
            f"against {name}: than t-SNE {s['ns', 'tsne']:.0f}%, than MDS {s['ns', 'mds']:.0f}%, at ten times the size "
            f"{s['ns_10', 'tsne']:.0f}% and {s['ns_10', 'mds']:.0f}%"
            for name, s in zip(("the projected data", "raw data"), results, strict=True)
        ),
    )


def random_is_uncorrelated() -> Finding:
    """Test whether random is uncorrelated with the data: mean Shepard goodness, error, and maximum."""
    sgs = as_published_scores().query("method == 'random'")["sgs"]
    mean, largest = float(sgs.mean()), float(sgs.abs().max())
    standard_error = float(sgs.std() / math.sqrt(len(sgs)))
    return Finding(
        (mean, standard_error, largest),
        abs(mean) < 3.0 * standard_error and largest < 0.1,
        f"mean {mean:.4f} (standard error {standard_error:.4f}), at most {largest:.3f} in magnitude",
    )


def mds_optimizes_stress() -> Finding:
    """Test whether MDS optimizes NS: range of its ratio to the minimum over sizes, smallest of t-SNE."""
    scores = seed_scores()
    ratio = (scores["ns"] / scores["sns"]).groupby(scores["method"])
    low, high, tsne = float(ratio.min()["mds"]), float(ratio.max()["mds"]), float(ratio.min()["tsne"])
    return Finding(
        (low, high, tsne), high < 1.001 < tsne, f"MDS {low:.4f} to {high:.4f}, t-SNE at least {tsne:.1f}"
    )


def cannot_be_manipulated() -> Finding:
    """Test whether rescaling cannot change SNS and SNKL: largest relative change over 24 projections."""
    rng = np.random.default_rng(0)
    change = 0.0
    for name in SMALL_DATASETS:
        X, layouts = projected(name, METHODS)
        P = affinities(X)
        for Y in layouts.values():
            size = float(np.exp(rng.uniform(-np.log(1e3), np.log(1e3))))
            pairs = [
                [scale_normalized_stress(X, Z) for Z in (Y, size * Y)],
                [scale_normalized_kl(P, Z, metric="affinities").value for Z in (Y, size * Y)],
            ]
            change = max(change, *map(_change, pairs))
    return Finding((change,), change < 1e-8, f"changes by at most {or_zero(change, '.1g')} of their values")
