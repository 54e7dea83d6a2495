"""Results that decide the claims of Roychowdhury et al. (2025): one function per entry of ``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds as stated, and a description of the numbers.
The paper's questions are private, and its adapted models are not published. Statements about its tables are checked
with the printed tables, and general statements about embeddings with other data: 736 questions about YANG
definitions, with variants of one encoder and, for some claims, encoders of five families; and an external question
set about Open vSwitch. Other data can agree or disagree, but never contradict. The authors' code (a link in Section
V-A) was not read, so "left open" refers to the text. Random draws have fixed seeds.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval._overlap import SimilaritySamples
from isotropy_lab.retrieval._separation import Separation
from isotropy_lab.retrieval.comparison import Comparison, compare_all_models, compare_models
from isotropy_lab.retrieval.scores import bootstrap_interval, interval_of_samples
from isotropy_lab.retrieval.thresholds import score_at_threshold
from isotropy_lab.transforms import Whitening
from reanalyses.ledger import Finding
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.correlations import Correlation, correlation
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.variants import embedding_variants
from reanalyses.roychowdhury2024.published import documented_dimensions, printed_transforms
from reanalyses.roychowdhury2024.sampling import PAPER_SIZES, largest_loss, ndcg_deviation_bounds
from reanalyses.roychowdhury2024.separation_change import SeparationChange, compare_separation
from reanalyses.roychowdhury2024.transformed import transformed_scores

FAMILIES = ("bge_large", "llm_embedder")
#: Variants of Table II, and our own.
STAGES = {"PT": "_pretrained", "FT": "_finetuned", "PT-FT": "_pretrained_finetuned"}


# --- data shared by several claims --------------------------------------------------------------------------


@lru_cache(maxsize=1)
def gold() -> NDArray[np.int64]:
    """Return the index of the relevant definition of each question."""
    return experiments.collection().gold


@lru_cache(maxsize=1)
def minilm() -> EmbeddingVariant:
    """Return the published encoder, with sentences from an encyclopedia."""
    return experiments.minilm_variant()


@lru_cache(maxsize=1)
def centered() -> EmbeddingVariant:
    """Return the control variant, which is only centered."""
    return experiments.center_variant(minilm())


@lru_cache(maxsize=1)
def models() -> dict[str, EmbeddingVariant]:
    """Return the encoder as published, after adaptation, and after merging."""
    return {"MiniLM": minilm()} | {name: adapted_embeddings(name) for name in ADAPTED_VARIANTS}


@lru_cache(maxsize=1)
def minilm_ranks() -> NDArray[np.int64]:
    """Return the ranks of relevant definitions under the published encoder."""
    return minilm().ranks(gold())


@lru_cache(maxsize=1)
def ranks() -> dict[str, NDArray[np.int64]]:
    """Return the ranks of relevant definitions under the given models."""
    return experiments.ranks_of(models(), gold())


@lru_cache(maxsize=1)
def samples() -> SimilaritySamples:
    """Return the similarities under the published encoder."""
    return experiments.samples_of(minilm(), gold())


@lru_cache(maxsize=1)
def variants() -> tuple[EmbeddingVariant, ...]:
    """Return all variants of the embeddings, in the order of `embedding_variants`."""
    return tuple(embedding_variants())


@lru_cache(maxsize=1)
def scores() -> pd.DataFrame:
    """Return the scores that Table I correlates, for all variants."""
    return experiments.variant_scores(variants(), gold())


@lru_cache(maxsize=1)
def separations() -> dict[str, Separation]:
    """Return the distances of definitions to sentences from an encyclopedia, by model."""
    return experiments.separations(models())


@lru_cache(maxsize=1)
def transforms() -> pd.DataFrame:
    """Return Table III for our data: the published, fine-tuned, and pre-trained encoders."""
    return experiments.transforms_table({name: models()[name] for name in ("MiniLM", "FT", "PT")}, gold())


def printed() -> pd.DataFrame:
    """Return the printed Table II by model."""
    return experiments.printed_performance().set_index("model")


class Gain(NamedTuple):
    """A paired difference with its confidence interval, as fractions."""

    estimate: float
    low: float
    high: float


def gain(after: str, before: str = "MiniLM") -> Gain:
    """Return the paired gain in accuracy of one model over another on the same questions."""
    models_compared = ranks() if before == "MiniLM" else {name: ranks()[name] for name in (before, after)}
    table = compare_all_models(models_compared, baseline=before, rng=0)
    row = table.set_index("first").loc[after]
    return Gain(float(row["estimate"]), float(row["low"]), float(row["high"]))


def across_variants(first: str, second: str) -> pd.Series:
    """Return the correlation between two columns of Table I across our variants, with a bootstrap interval."""
    table = experiments.correlation_table(scores()).set_index(["first", "second"])
    return table.loc[(first, second), ["r", "low", "high", "n"]].astype(float)


def _variants_text(result: pd.Series) -> str:
    return f"{result['r']:.2f} ({result['low']:.2f} to {result['high']:.2f}, n = {result['n']:.0f})"


def after_less_before(column: str, before: str, after: str) -> tuple[float, ...]:
    """Return, by family, the difference in a column of Table II between two stages, in printed digits."""
    table = printed()[column]
    return tuple(round(float(table[f + after] - table[f + before]), 2) for f in FAMILIES)


def half_widths() -> pd.Series:
    """Return half of the printed widths of accuracy intervals by model, in percentage points."""
    return printed()["accuracy_width"] / 2


def sample_deviations(metric: str) -> pd.Series:
    """Return the standard deviation of a sample's score implied by each printed width, in percentage points."""
    return printed()[f"{metric}_width"] / (2 * float(stats.norm.ppf(0.975)))


def _by_family_text(values: tuple[float, ...]) -> str:
    return ", ".join(f"{f} {value:+.2f}" for f, value in zip(FAMILIES, values, strict=True))


@lru_cache(maxsize=4)
def chance_of_a_point(hits_correlation: float) -> float:
    """Return the probability that one of two equal models has an interval narrower by a percentage point."""
    table = experiments.spread_of_widths(hits_correlation=hits_correlation)
    return float(table.set_index("narrower_by")["chance"][1.0])


def widths() -> dict[str, float]:
    """Return the widths of our models' accuracy intervals from all questions, in percentage points."""
    return {name: 100 * bootstrap_interval(r, rng=0).width for name, r in ranks().items()}


def _correlation_text(result: Correlation) -> str:
    return f"{result.estimate:.2f} ({result.low:.2f} to {result.high:.2f}, n = {result.n})"


def _gain_text(change: Comparison | Gain) -> str:
    return f"{100 * change.estimate:+.1f} points ({100 * change.low:+.1f} to {100 * change.high:+.1f})"


# --- adaptation ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def open_vswitch_gains() -> pd.DataFrame:
    """Return, by model, the change in accuracy on Open vSwitch's questions due to adaptation, in points."""
    table = experiments.gains_on_open_vswitch(ADAPTED_VARIANTS)
    return table[table["metric"] == "accuracy"].set_index("first")


def _open_vswitch_text(name: str) -> str:
    row = open_vswitch_gains().loc[name]
    return f"{name} {row['difference']:+.1f} points ({row['low']:+.1f} to {row['high']:+.1f}, p {row['pvalue']:.2f})"


def fine_tuning_raises_accuracy() -> Finding:
    """Check that FT and PT-FT raise accuracy, and do not lower it on Open vSwitch; return the gains."""
    gains = [gain(name) for name in ("FT", "PT-FT")]
    losing = [name for name in ("FT", "PT-FT") if open_vswitch_gains()["high"][name] < 0]
    return Finding(
        tuple(100 * change.estimate for change in gains),
        all(change.low > 0 for change in gains) and not losing,
        f"FT {_gain_text(gains[0])}, PT-FT {_gain_text(gains[1])}; on Open vSwitch's questions {_open_vswitch_text('FT')}, "
        f"{_open_vswitch_text('PT-FT')}",
    )


def printed_fine_tuning_raises() -> Finding:
    """Check that FT and PT-FT raise the printed accuracies of both families; return the gains."""
    values = tuple(x for stage in ("FT", "PT-FT") for x in after_less_before("accuracy", "", STAGES[stage]))
    return Finding(
        values,
        min(values) > 0,
        f"FT less base: {_by_family_text(values[:2])} points; PT-FT less base: {_by_family_text(values[2:])} points",
    )


def pre_training_lowers_accuracy() -> Finding:
    """Check that PT lowers accuracy, and does not raise it on Open vSwitch; return the difference."""
    change = gain("PT")
    return Finding(
        (100 * change.estimate,),
        change.high < 0 and not open_vswitch_gains()["low"]["PT"] > 0,
        f"PT {_gain_text(change)}; on Open vSwitch's questions {_open_vswitch_text('PT')}",
    )


def printed_pre_training_lowers() -> Finding:
    """Check that PT lowers the printed accuracies of both families; return the differences."""
    values = after_less_before("accuracy", "", STAGES["PT"])
    return Finding(values, max(values) < 0, f"PT less base: {_by_family_text(values)} points")


def start_matters_little() -> Finding:
    """Check that PT-FT and FT differ by less than two points of accuracy; return the difference."""
    change = gain("PT-FT", "FT")
    within = max(abs(change.low), abs(change.high)) < 0.02
    beyond = change.low > 0.02 or change.high < -0.02
    return Finding(
        (100 * change.estimate,),
        True if within else False if beyond else None,
        f"PT-FT less FT: {_gain_text(change)}",
    )


def printed_starts_are_near() -> Finding:
    """Check that printed PT-FT and FT differ by less than half an interval; return the differences."""
    values = after_less_before("accuracy", STAGES["FT"], STAGES["PT-FT"])
    half = float(half_widths()[[f + STAGES[stage] for f in FAMILIES for stage in ("FT", "PT-FT")]].min())
    return Finding(
        values,
        max(map(abs, values)) < half,
        f"PT-FT less FT: {_by_family_text(values)} points; half of the narrowest interval: {half:.2f} points",
    )


def fine_tuning_narrows() -> Finding:
    """Check that fine-tuning narrows our models' intervals; return the widths of MiniLM, FT, and PT-FT."""
    width = widths()
    values = (width["MiniLM"], width["FT"], width["PT-FT"])
    shares = [float((ranks()[name] <= 10).mean()) for name in ("MiniLM", "FT")]
    ratio = math.sqrt(shares[1] * (1 - shares[1]) / (shares[0] * (1 - shares[0])))
    return Finding(
        values,
        max(values[1:]) < values[0],
        f"as published {values[0]:.2f} points, FT {values[1]:.2f}, PT-FT {values[2]:.2f}; FT over published "
        f"{values[1] / values[0]:.2f}, by accuracy alone {ratio:.2f}",
    )


def printed_fine_tuning_narrows() -> Finding:
    """Check that FT and PT-FT narrow the printed intervals of accuracy; return the changes in width."""
    values = tuple(
        x for stage in ("FT", "PT-FT") for x in after_less_before("accuracy_width", "", STAGES[stage])
    )
    return Finding(
        values,
        max(values) < 0,
        f"FT less base: {_by_family_text(values[:2])} points; PT-FT less base: {_by_family_text(values[2:])} points",
    )


def pre_training_narrows_further() -> Finding:
    """Check that PT-FT has narrower intervals than FT beyond chance; return changes and predicted ratios."""
    differences = after_less_before("accuracy_width", STAGES["FT"], STAGES["PT-FT"])
    ratios = []
    for column in ("full_accuracy", "accuracy"):
        p = printed()[column] / 100
        for f in FAMILIES:
            after, before = (p[f + STAGES[stage]] for stage in ("PT-FT", "FT"))
            ratios.append(math.sqrt(after * (1 - after) / (before * (1 - before))))
    chances = [chance_of_a_point(rho) for rho in (0.0, 0.9)]
    narrower = max(differences) < 0
    by_chance = max(chances) ** 2 > 0.025
    return Finding(
        (*differences, *ratios),
        None if narrower and by_chance else narrower,
        f"PT-FT less FT: {_by_family_text(differences)} points; ratio to be expected by the accuracies of the full data: "
        f"bge_large {ratios[0]:.3f}, llm_embedder {ratios[1]:.3f}, by the bootstrapped ones: {ratios[2]:.3f}, {ratios[3]:.3f}; "
        f"with 100 samples of 100 one of two equal models is narrower by a point with probability {chances[0]:.2f} if each "
        f"has samples of its own, {chances[1]:.2f} if they share them and their hits have a correlation of 0.9",
    )


def printed_pre_training_narrows() -> Finding:
    """Check that PT-FT has narrower printed intervals of accuracy than FT; return the changes in width."""
    values = after_less_before("accuracy_width", STAGES["FT"], STAGES["PT-FT"])
    return Finding(values, max(values) < 0, f"PT-FT less FT: {_by_family_text(values)} points")


def ndcg_narrows() -> Finding:
    """Check that adaptation narrows printed NDCG intervals on average; return mean changes and a count."""
    by_stage = [after_less_before("ndcg_width", "", stage) for stage in STAGES.values()]
    means = tuple(float(np.mean(values)) for values in by_stage)
    n_narrower = sum(x < 0 for values in by_stage for x in values)
    texts = "; ".join(
        f"{name}: {_by_family_text(values)}, mean {mean:+.2f}"
        for name, values, mean in zip(STAGES, by_stage, means, strict=True)
    )
    return Finding(
        (*means, float(n_narrower)),
        max(means) < 0,
        f"adapted less base model, in points: {texts}; {n_narrower} of 6 widths are smaller",
    )


def ndcg_narrows_by_pt_ft() -> Finding:
    """Check that PT-FT narrows the printed NDCG intervals of both families; return the changes in width."""
    values = after_less_before("ndcg_width", "", STAGES["PT-FT"])
    return Finding(values, max(values) < 0, f"PT-FT less base: {_by_family_text(values)} points")


def recommended_order() -> Finding:
    """Check that PT-FT exceeds FT in printed accuracy and NDCG; return the differences by family."""
    accuracy, ndcg = (after_less_before(c, STAGES["FT"], STAGES["PT-FT"]) for c in ("accuracy", "ndcg"))
    values = (*accuracy, *ndcg)
    decided = True if min(values) > 0 else False if max(values) <= 0 else None
    return Finding(
        values,
        decided,
        f"PT-FT less FT in accuracy: {_by_family_text(accuracy)} points; in NDCG: {_by_family_text(ndcg)}",
    )


# --- intervals ----------------------------------------------------------------------------------------------


def bootstrap_gives_both() -> Finding:
    """Check that bootstrapping gives the accuracy and Wilson's interval; return the largest differences."""
    table = experiments.interval_methods(minilm_ranks())
    rows = table[table["metric"] == "accuracy"].set_index("method")
    ends = (rows.loc["percentile", ["low", "high"]] - rows.loc["wilson", ["low", "high"]]).abs().max()
    values = (
        float(abs(rows.loc["percentile", "bootstrap_mean"] - rows.loc["wilson", "estimate"])),
        float(ends),
    )
    return Finding(
        values,
        values[0] < 0.001 and values[1] < 0.005,
        f"bootstrap mean less the share of hits: {values[0]:.5f}; ends of the interval less Wilson's: at most {values[1]:.4f}",
    )


def printed_accuracy_widths() -> Finding:
    """Check that some sample size fits the printed widths; return the widths expected for 100 questions."""
    sizes = (50, 80, 100, 120, 125, 150, 200, 1033, 5167)
    outside = {}
    for size in sizes:
        table = experiments.printed_widths(n_questions=size, n_repeats=500)
        outside[size] = int(((table["width"] < table["low"] - 0.01) | (table["width"] > table["high"])).sum())
    fit = [size for size, number in outside.items() if number <= 1]
    expected = experiments.printed_widths()["expected"]
    return Finding(
        tuple(float(x) for x in expected),
        bool(fit),
        f"at most one of eight widths is outside the range of 95% with {', '.join(map(str, fit)) or 'no number of'} questions "
        f"in a sample; with 5,167 questions {outside[5167]} of 8 are, with 1,033 {outside[1033]} of 8",
    )


def dimensions_of_models() -> Finding:
    """Return the documented dimensions of six models, to compare with those in the paper."""
    table = documented_dimensions()
    named = [f"{row.model} {row.dimensions}" for row in table.itertuples(index=False)]
    return Finding(tuple(map(float, table["dimensions"])), True, ", ".join(named))


def full_data_and_bootstraps() -> Finding:
    """Check that printed means agree with full-data accuracies; return the largest difference and p."""
    table = printed()
    difference = table["accuracy"] - table["full_accuracy"]
    sum_of_squares = float(((difference / sample_deviations("accuracy")) ** 2).sum())
    p = float(stats.chi2.sf(PAPER_SIZES["n_resamples"] * sum_of_squares, len(table)))
    compatible = float(stats.chi2.ppf(0.975, len(table)) / sum_of_squares)
    largest = float(difference.abs().max())
    return Finding(
        (largest, p),
        p > 0.025,
        f"largest difference {largest:.2f} points; as means over {PAPER_SIZES['n_resamples']} samples of the printed widths "
        f"p = {p:.2f}, and up to {compatible:.0f} samples would agree as well",
    )


def ndcg_mean_errors(n_resamples: int) -> pd.Series:
    """Return, by model, the difference of printed mean NDCG and full-data value, in standard errors."""
    table = printed()
    # Numbers may be rounded by half of their last digit, so use the smallest difference and the largest width.
    difference = ((table["ndcg"] - table["full_ndcg"]).abs() - 0.1).clip(lower=0)
    return difference / ((sample_deviations("ndcg") + 0.05 / 3.92) / math.sqrt(n_resamples))


def least_ndcg_widths() -> pd.Series:
    """Return the smallest NDCG widths compatible with the printed widths for accuracy, by model, in points."""
    table = printed()
    low = [
        ndcg_deviation_bounds(row.ndcg / 100, row.accuracy / 100)[0] for row in table.itertuples(index=False)
    ]
    p = table["accuracy"] / 100
    return table["accuracy_width"] * low / np.sqrt(p * (1 - p))


def full_data_and_bootstrapped_ndcg() -> Finding:
    """Check that printed mean NDCGs agree with full-data values; return the lowest difference and p."""
    table = printed()
    difference = table["ndcg"] - table["full_ndcg"]
    samples_drawn = PAPER_SIZES["n_resamples"]
    deviation = least_ndcg_widths() / (2 * float(stats.norm.ppf(0.975)))
    p = float(stats.chi2.sf(samples_drawn * float(((difference / deviation) ** 2).sum()), len(table)))
    return Finding(
        (float(difference.min()), p),
        p > 0.025,
        f"largest difference {difference.abs().max():.1f} points; as means over {samples_drawn} samples, with the least widths "
        f"that the samples of accuracy allow, p = {p:.2f}; with the printed widths "
        f"{(ndcg_mean_errors(samples_drawn) > 3).sum()} of 8 would be more than three errors away",
    )


def printed_ndcg_widths() -> Finding:
    """Check that printed NDCG widths fit the widths for accuracy; return the smallest compatible ones."""
    table, bounds = printed(), least_ndcg_widths()
    # The ratio of two widths from 100 samples each varies by about 12%.
    compatible = {
        k: int((table["ndcg_width"] >= 0.76 * experiments.whole_ranking_ndcg_widths(k)).sum())
        for k in range(1, 51)
    }
    best = max(compatible, key=lambda k: compatible[k])
    possible = bool((table["ndcg_width"] >= 0.76 * bounds).all()) or compatible[best] == len(table)
    return Finding(
        tuple(float(x) for x in bounds),
        None if possible else False,
        f"with one K for both at least {bounds.min():.1f} to {bounds.max():.1f} points; printed are "
        f"{table['ndcg_width'].min():.1f} to {table['ndcg_width'].max():.1f}; with accuracy at K and NDCG over all 5,257 "
        f"sentences at most {compatible[best]} of 8 widths come within 24% of their bound, at K = {best}, of all K up to 50",
    )


def single_intervals_are_a_test() -> Finding:
    """Check that disjoint intervals serve as a test of models; count disjoint and different pairs.

    The first half of the sentence is that intervals provide a test; the second, that there is none without them,
    depends on whether the number of questions is known.
    """
    table = experiments.paired_and_single(ranks(), n_resamples=2000)
    apart = table[~table["overlap"]]
    values = (float(len(apart)), float((apart["mcnemar_p"] < 0.05).sum()), float(table["differ"].sum()))
    return Finding(
        values,
        None if values[0] > 0 and values[0] == values[1] else False,
        f"{values[0]:.0f} of {len(table)} pairs have separate intervals, and {values[1]:.0f} of these differ by McNemar's "
        f"exact test; the paired interval tells {values[2]:.0f} of {len(table)} apart",
    )


# --- thresholds ---------------------------------------------------------------------------------------------


def below_gamma_nothing_changes() -> Finding:
    """Check that a sample's γ as threshold costs no accuracy; return the largest loss of 100 samples."""
    sampled = samples()
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(100):
        rows = rng.integers(0, sampled.n_questions, size=100)
        top, hit_ranks = sampled.S_topK[rows], sampled.hit_ranks[rows]
        before = float((hit_ranks <= sampled.k).mean())
        losses.append(before - score_at_threshold(top, hit_ranks, float(top.min())))
    largest = max(map(abs, losses))
    return Finding((largest,), largest == 0, f"largest change of a sample's accuracy: {largest:.3f}")


def thresholds_only_lose() -> Finding:
    """Check that thresholds never raise accuracy; return its largest rise and its fall."""
    table = experiments.threshold_curves(minilm(), gold(), psi=range(101))
    rise = float(table["accuracy"].diff().dropna().max())
    fall = float(table["accuracy"].iloc[0] - table["accuracy"].iloc[-1])
    return Finding(
        (rise, fall),
        rise <= 0 and fall > 0,
        f"largest rise of accuracy: {rise:.4f}; fall from the lowest to the highest threshold: {fall:.3f}",
    )


def ndcg_offers_a_trade_off() -> Finding:
    """Check that thresholds cost less NDCG than accuracy; return ratios of losses, and the best NDCG gain."""
    table = experiments.threshold_curves(minilm(), gold(), psi=(10, 20, 30, 40, 50))
    ratio = table["ndcg_loss"] / table["accuracy_loss"]
    values = (float(ratio.min()), float(ratio.max()), float(-table["ndcg_loss"].min()))
    return Finding(
        values,
        values[0] > 0 and values[1] < 0.9,
        f"{values[0]:.2f} to {values[1]:.2f} points of NDCG for a point of accuracy; best NDCG with a threshold less that "
        f"without: {values[2]:+.4f}",
    )


def threshold_by_question(sampled: SimilaritySamples, psi: float) -> float:
    """Return the threshold with γ as one minimum per question: a percentile of the K-th similarities."""
    return float(np.percentile(sampled.S_topK[:, -1], psi))


def points_lost(sampled: SimilaritySamples, threshold: float) -> float:
    """Return the accuracy that a threshold costs, in percentage points."""
    return 100 * float(((sampled.hit_ranks <= sampled.k) & (sampled.S_corr < threshold)).mean())


def wrong_documents(sampled: SimilaritySamples) -> NDArray[np.bool_]:
    """Return a mask of the similarities in S_topK that belong to documents without the answer."""
    return np.not_equal(np.arange(1, sampled.k + 1), sampled.hit_ranks[:, None])


def minimal_effect() -> Finding:
    """Check that the printed ψ cost little; return losses by sample minima, row minima, and all values.

    "Minimal" is undecided between two points and half of the narrowest printed interval.
    """
    sampled, psi = samples(), (25, 30, 35, 40)
    table = experiments.threshold_readings(sampled, psi=psi)
    before = float((minilm_ranks() <= 10).mean())
    lost = 100 * (before - table.set_index("method")["accuracy"])
    by_question = [points_lost(sampled, threshold_by_question(sampled, p)) for p in psi]
    values = (float(lost["gamma, l = 100"].max()), max(by_question), float(lost["pooled"].max()))
    half = float(half_widths().min())
    return Finding(
        values,
        max(values[:2]) < 2 or (None if max(values[:2]) < half else False),
        f"at most {values[0]:.2f} points by Γ with 100 questions in a sample, {values[1]:.1f} by the least similarity of each "
        f"question, {values[2]:.1f} by all similarities; half of the narrowest printed interval: {half:.2f}",
    )


def printed_losses_are_chance() -> Finding:
    """Check that printed threshold losses are below half an interval; return the largest fraction of it."""
    table = printed()
    share = (table["accuracy_at_tau"] - table["accuracy"]).abs() / half_widths()
    errors = experiments.printed_threshold_losses().set_index("model")
    z = errors["loss"] / errors["error"]
    worst = str(share.idxmax())
    return Finding(
        (float(share.max()),),
        bool((share < 1).all()),
        f"largest share: {worst} {share.max():.2f} of half its interval; in errors of two independent means over 100 samples "
        f"of 100 questions the largest loss would be that of {z.idxmax()}, {z.max():.1f}",
    )


def printed_losses_are_possible() -> Finding:
    """Check that no printed loss exceeds its bound; count excesses for one γ per sample and per question."""
    table = experiments.printed_threshold_losses().set_index("model")
    implied = experiments.printed_widths().set_index("model")["implied"]
    # A width from 100 samples has a standard deviation of 8 to 9%, so half of the implied number is conservative.
    bound = pd.Series({m: 100 * largest_loss(table["psi"][m], int(implied[m] / 2)) for m in table.index})
    above = {
        m: int((table["loss"] > bound + 3 * table["error"] * math.sqrt(100 / m)).sum()) for m in (100, 40)
    }
    # With row minima, only ψ percent of the questions have a document below τ, and the others cannot lose a hit.
    by_row = int((table["loss"] > table["psi"]).sum())
    sampled = samples()
    our_losses = [points_lost(sampled, threshold_by_question(sampled, psi)) for psi in (25, 40)]
    worst = str(table["loss"].idxmax())
    values = (float(above[100]), float(table["loss"][worst]), float(bound[worst]), float(by_row))
    possible = [above[100] == 0, by_row == 0]
    return Finding(
        values,
        all(possible) if possible[0] == possible[1] else None,
        f"γ one number for each sample: {above[100]} of 8 losses lie more than three errors of means over 100 samples above the "
        f"bound, {above[40]} if there were 40 samples; {worst}: {values[1]:.2f} points lost, {values[2]:.2f} possible with "
        f"half of the questions that its interval implies; γ a set with one number for each question: {by_row} of 8 are above "
        f"the bound, which is ψ; our questions lose {our_losses[0]:.1f} to {our_losses[1]:.1f} points in this reading",
    )


def not_different_is_harmless() -> Finding:
    """Check that ψ = 40 keeps the accuracy of other halves in the interval; count exceptions."""
    sampled, n = samples(), samples().n_questions
    hit = sampled.hit_ranks <= sampled.k
    generator = np.random.default_rng(0)
    outside, worst = np.zeros(2), np.zeros(2)
    for _ in range(50):
        order = generator.permutation(n)
        half, other = order[: n // 2], order[n // 2 :]
        minima = sampled.S_topK[half[generator.integers(0, len(half), size=(100, 100))], -1]
        taus = (float(np.percentile(minima.min(axis=1), 40)), float(np.percentile(minima, 40)))
        after = np.array([float((hit & (sampled.S_corr >= tau))[other].mean()) for tau in taus])
        interval = interval_of_samples(
            sampled.hit_ranks[other], metric="accuracy", k=10, n_resamples=100, n_questions=100, rng=generator
        )
        outside += after < interval.low
        worst = np.maximum(worst, 100 * (interval.estimate - after))
    return Finding(
        (*map(float, outside), *map(float, worst)),
        bool((outside == 0).all()),
        f"outside the interval at ψ = 40: in {outside[0]:.0f} of 50 halves by Γ, largest loss {worst[0]:.1f} points; in "
        f"{outside[1]:.0f} of 50 by the least similarity of each question, largest loss {worst[1]:.1f} points",
    )


def tests_without_bootstrapping() -> Finding:
    """Check that only bootstrapping provides a test; compare it with an exact test at 21 thresholds.

    The bootstrap provides a test, but other methods do, too; "only because" is correct in one reading.
    """
    sampled = samples()
    hit = sampled.hit_ranks <= sampled.k
    rng = np.random.default_rng(0)
    resamples = rng.integers(0, sampled.n_questions, size=(2000, sampled.n_questions))
    exact, bootstrapped = [], []
    for psi in range(0, 101, 5):
        lost = hit & (sampled.S_corr < np.percentile(sampled.S_topK, psi))
        n = int(lost.sum())
        exact.append(n > 0 and float(stats.binomtest(n, n).pvalue) < 0.05)
        bootstrapped.append(float(np.percentile(lost[resamples].mean(axis=1), 2.5)) > 0)
    agreement = float(np.mean(np.array(exact) == np.array(bootstrapped)))
    values = (agreement, float(sum(exact)), float(len(exact)))
    return Finding(
        values,
        None if agreement > 0.9 and 0 < values[1] < values[2] else False,
        f"at the percentiles 0, 5, …, 100 of all retrieved similarities the exact test finds a loss {values[1]:.0f} times of "
        f"{values[2]:.0f}; a paired bootstrap decides the same at {agreement:.0%} of them",
    )


def documents_suppressed() -> Finding:
    """Check that the printed ψ hide many documents; return the percentages in three interpretations."""
    sampled, psi = samples(), (25, 30, 35, 40)
    table = experiments.threshold_readings(sampled, psi=psi).set_index("method")["suppressed"]
    by_gamma, pooled = (100 * table[name] for name in ("gamma, l = 100", "pooled"))
    by_question = [100 * float((sampled.S_topK < threshold_by_question(sampled, p)).mean()) for p in psi]
    values = (float(by_gamma.max()), min(by_question), float(pooled.min()))
    decided = True if min(values) > 5 else False if max(values) <= 5 else None
    return Finding(
        values,
        decided,
        f"hidden documents: by Γ {by_gamma.min():.2f}% to {by_gamma.max():.2f}%, by the least similarity of each question "
        f"{min(by_question):.0f}% to {max(by_question):.0f}%, by all similarities {pooled.min():.0f}% to {pooled.max():.0f}%",
    )


def psi_is_irrelevant_documents() -> Finding:
    """Check that ψ is the percentage of irrelevant documents; return four percentages below τ(35)."""
    sampled = samples()
    steps = experiments.threshold_steps(sampled, psi=35)
    is_wrong = wrong_documents(sampled)
    by_question = threshold_by_question(sampled, steps.psi)
    least, wrong, least_by_question, wrong_by_question = values = (
        100 * float((steps.gamma < steps.tau).mean()),
        100 * float((sampled.S_topK[is_wrong] < steps.tau).mean()),
        100 * float((sampled.S_topK[:, -1] < by_question).mean()),
        100 * float((sampled.S_topK[is_wrong] < by_question).mean()),
    )
    close = [abs(value - steps.psi) < 5 for value in values]
    return Finding(
        values,
        True if all(close) else None if any(close) else False,
        f"below τ(35) by Γ: {least:.0f}% of the samples' least similar documents, {wrong:.2f}% of the wrong documents; "
        f"by the least similarity of each question: {least_by_question:.0f}% of the questions' least similar documents, "
        f"{wrong_by_question:.0f}% of the wrong ones",
    )


@lru_cache(maxsize=2)
def chosen(minima: str) -> pd.DataFrame:
    """Return Section II-B's thresholds of six models; `minima` has one γ per "samples" or "questions"."""
    return experiments.paper_thresholds(models(), gold(), minima=minima)


def chosen_thresholds_hold() -> Finding:
    """Check that Section II-B finds cheap thresholds for six models; return their range and largest costs."""
    tables = [chosen(minima) for minima in ("samples", "questions")]
    taus = tables[0]["tau"]
    losses = [100 * float(table["loss"].max()) for table in tables]
    values = (float(taus.min()), float(taus.max()), *losses)
    return Finding(
        values,
        all(bool(table["tau"].notna().all()) for table in tables) and max(losses) < 2,
        f"by Γ a threshold for {taus.notna().sum()} of {len(taus)} models, from {values[0]:.2f} to {values[1]:.2f}, largest loss "
        f"{losses[0]:.2f} points; by the least similarity of each question for {tables[1]['tau'].notna().sum()}, largest loss "
        f"{losses[1]:.2f}",
    )


def printed_psi_are_highest() -> Finding:
    """Check that the printed ψ are the highest without a significant difference; return ours."""
    psi = printed()["psi"]
    ranges = [(float(t.min()), float(t.max())) for t in (chosen(m)["psi"] for m in ("samples", "questions"))]
    inside = [low >= psi.min() and high <= psi.max() for low, high in ranges]
    one_side = all(low > psi.max() for low, _ in ranges) or all(high < psi.min() for _, high in ranges)
    return Finding(
        (*ranges[0], *ranges[1]),
        True if all(inside) else False if one_side else None,
        f"highest ψ in steps of five, by Γ {ranges[0][0]:.0f} to {ranges[0][1]:.0f}, the end of the range tried; by the least "
        f"similarity of each question {ranges[1][0]:.0f} to {ranges[1][1]:.0f}; printed {psi.min():.0f} to {psi.max():.0f}",
    )


def similarities_depend_on_the_model() -> Finding:
    """Check that models have different similarities; return two 30th percentiles and the parts below."""
    top = {name: experiments.samples_of(variant, gold()).S_topK.ravel() for name, variant in models().items()}
    thetas = {name: float(np.percentile(values, 30)) for name, values in top.items()}
    low, high = min(thetas, key=lambda n: thetas[n]), max(thetas, key=lambda n: thetas[n])
    below = float((top[high] < thetas[low]).mean())
    above = float((top[low] < thetas[high]).mean())
    return Finding(
        (thetas[low], thetas[high], 100 * below, 100 * above),
        below < 0.15 and above > 0.6,
        f"the 30th percentile is {thetas[low]:.2f} for {low} and {thetas[high]:.2f} for {high}; below the first lie "
        f"{below:.0%} of the second's similarities, below the second {above:.0%} of the first's",
    )


def low_and_high_thresholds() -> Finding:
    """Check that low thresholds keep irrelevant documents, and high ones cost accuracy; return both costs."""
    sampled = samples()
    low, high = (float(np.percentile(sampled.S_topK, psi)) for psi in (5, 95))
    kept = 100 * float((sampled.S_topK[wrong_documents(sampled)] >= low).mean())
    lost = points_lost(sampled, high)
    return Finding(
        (kept, lost),
        kept > 50 and lost > 2,
        f"at the 5th percentile {kept:.0f}% of the wrong documents stay; at the 95th {lost:.0f} points of accuracy are lost",
    )


# --- overlaps -----------------------------------------------------------------------------------------------


def sizes_of_samples() -> Finding:
    """Check that there are Q relevant, KQ best, and Q random similarities; return the multiples of Q."""
    sampled, variant = samples(), minilm()
    questions, documents = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for rows in (variant.questions.astype(float), variant.documents_of(0).astype(float))
    )
    cosines, rows = questions @ documents.T, np.arange(len(questions))
    relevant, best, random = values = (
        float((np.abs(sampled.S_corr - cosines[rows, gold()]) < 1e-5).mean()),
        float((cosines > sampled.S_topK[:, -1:] - 1e-6).sum() / len(cosines)),
        float((np.abs(sampled.S_rand - cosines[rows, sampled.random_documents]) < 1e-5).mean()),
    )
    return Finding(
        values,
        values == (1, sampled.k, 1),
        f"correct {relevant:g} times Q, top K {best:g} times Q, random {random:g} times Q",
    )


def coe_follows_accuracy() -> Finding:
    """Check that COE and accuracy correlate strongly across our variants; return the correlation."""
    result = across_variants("accuracy", "coe")
    return Finding((float(result["r"]),), bool(result["low"] > 0.5), f"r = {_variants_text(result)}")


def roe_follows_threshold() -> Finding:
    """Check that ROE and threshold correlate positively across our variants; return the correlation."""
    result = across_variants("tau", "roe")
    return Finding((float(result["r"]),), bool(result["low"] > 0), f"r = {_variants_text(result)}")


def _printed_correlation(first: str, second: str) -> Finding:
    row = experiments.table_1_with_further_models().set_index(["first", "second"]).loc[(first, second)]
    equal = abs(row["from_rows"] - row["printed"]) < 0.0005
    possible = row["least"] <= row["printed"] <= row["greatest"]
    return Finding(
        (float(row["from_rows"]),),
        True if equal else None if possible else False,
        f"printed {row['printed']:.3f}, from the {row['n']:.0f} printed rows {row['from_rows']:.3f}; with six further models "
        f"within the printed ranges anything from {row['least']:.2f} to {row['greatest']:.2f}",
    )


def table_1_coe() -> Finding:
    """Return the correlation between accuracy and COE in Table II, to compare with Table I."""
    return _printed_correlation("accuracy", "coe")


def table_1_roe() -> Finding:
    """Return the correlation between accuracy and ROE in Table II, to compare with Table I."""
    return _printed_correlation("accuracy", "roe")


def table_1_threshold() -> Finding:
    """Return the correlation between the threshold τ and ROE in Table II, to compare with Table I."""
    return _printed_correlation("tau", "roe")


def table_1_i_a() -> Finding:
    """Return the correlation between accuracy and I_A in Table III, to compare with Table I."""
    return _printed_correlation("accuracy", "i_a")


def table_1_i_b() -> Finding:
    """Return the correlation between accuracy and I_B in Table III, to compare with Table I."""
    return _printed_correlation("accuracy", "i_b")


def roe_and_accuracy_low() -> Finding:
    """Check that accuracy and ROE correlate weakly; return r for our variants and for Table II's rows."""
    result = across_variants("accuracy", "roe")
    rows = correlation(printed()["accuracy"], printed()["roe"], rng=0)
    return Finding(
        (float(result["r"]), rows.estimate),
        _all_weak((float(result["low"]), float(result["high"]))),
        f"our variants r = {_variants_text(result)}; the rows of Table II r = {_correlation_text(rows)}",
    )


def threshold_and_roe_positive() -> Finding:
    """Check that the threshold τ and ROE correlate positively in Table II; return the correlation."""
    r = correlation(printed()["tau"], printed()["roe"], rng=0)
    return Finding((r.estimate,), r.low > 0, f"the rows of Table II r = {_correlation_text(r)}")


def strength(r: float, n_models: int) -> tuple[float, float]:
    """Return Fisher's interval of a correlation for a given number of models."""
    half = float(stats.norm.ppf(0.975)) / math.sqrt(n_models - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _at_least_half(pair: tuple[str, str]) -> Finding:
    """Decide whether a printed correlation is at least 0.5, by Fisher's intervals for 9 to 14 models."""
    r = float(experiments.printed_correlations().set_index(["first", "second"])["correlation"][pair])
    rows = correlation(printed()[pair[0]], printed()[pair[1]], rng=0)
    lows, highs = zip(*(strength(r, n) for n in range(9, 15)), strict=True)
    values = (lows[0], highs[0], lows[-1], highs[-1], rows.low, rows.high)
    return Finding(
        values,
        True if min(lows) >= 0.5 else False if max(highs) < 0.5 else None,
        f"printed {r:.3f}: with 9 models {values[0]:.2f} to {values[1]:.2f}, with 14 {values[2]:.2f} to {values[3]:.2f}; the "
        f"eight rows of Table II r = {_correlation_text(rows)}",
    )


def coe_is_strong() -> Finding:
    """Check that accuracy and COE correlate by at least 0.5; return intervals for 9, 14, and 8 models."""
    return _at_least_half(("accuracy", "coe"))


def threshold_is_strong() -> Finding:
    """Check that threshold and ROE correlate by at least 0.5; return intervals for 9, 14, and 8 models."""
    return _at_least_half(("tau", "roe"))


@lru_cache(maxsize=1)
def halves() -> pd.DataFrame:
    """Return every variant's COE, ROE, accuracy, and threshold on one half, and the last two on the other."""
    order = np.random.default_rng(0).permutation(len(gold()))
    half = np.zeros(len(order), dtype=bool)
    half[order[: len(order) // 2]] = True
    rows = []
    for variant in variants():
        sampled = experiments.samples_of(variant, gold())
        tau, other_tau = (float(np.percentile(sampled.S_topK[questions], 30)) for questions in (half, ~half))
        hits = sampled.hit_ranks <= sampled.k
        rows.append(
            (
                float((sampled.S_corr[half] > tau).mean()),
                float((sampled.S_rand[half] > tau).mean()),
                float(hits[half].mean()),
                float(hits[~half].mean()),
                other_tau,
            )
        )
    return pd.DataFrame(rows, columns=["coe", "roe", "accuracy", "other_accuracy", "other_tau"])


def coe_generalizes() -> Finding:
    """Check that COE on half of the questions follows accuracy on the other half; return correlations."""
    table = halves()
    results = [
        correlation(table[name], table["other_accuracy"], interval="bootstrap", rng=0)
        for name in ("coe", "accuracy")
    ]
    return Finding(
        tuple(result.estimate for result in results),
        results[0].low > 0.8,
        f"COE r = {_correlation_text(results[0])}, accuracy r = {_correlation_text(results[1])}",
    )


def roe_generalizes() -> Finding:
    """Check that ROE on half of the questions follows the threshold of the other half; return r."""
    table = halves()
    result = correlation(table["roe"], table["other_tau"], interval="bootstrap", rng=0)
    return Finding(
        (result.estimate,),
        True if result.low > 0 else False if result.high < 0.3 else None,
        f"r = {_correlation_text(result)}",
    )


# --- isotropy -----------------------------------------------------------------------------------------------


def _all_weak(*intervals: tuple[float, float]) -> bool | None:
    """Return whether all intervals of correlations lie within one half of 0; False if one lies beyond three tenths."""
    if all(max(abs(low), abs(high)) < 0.5 for low, high in intervals):
        return True
    return False if any(low > 0.3 or high < -0.3 for low, high in intervals) else None


def not_correlated() -> Finding:
    """Check that accuracy and isotropy correlate weakly over Table III, with models drawn as wholes."""
    table = printed_transforms()
    options = {"groups": table["family"] + " " + table["stage"], "interval": "bootstrap", "rng": 0}
    results = [correlation(table["accuracy"], table[score], **options) for score in ("i_a", "i_b")]
    return Finding(
        tuple(result.estimate for result in results),
        _all_weak(*((result.low, result.high) for result in results)),
        f"all 32 rows, models as wholes: I_A {_correlation_text(results[0])}, I_B {_correlation_text(results[1])}",
    )


def poorly_correlated() -> Finding:
    """Check that accuracy and isotropy correlate weakly over 32 rows of Table III, and over 8 raw ones."""
    table = printed_transforms()
    results = {
        words: [correlation(rows["accuracy"], rows[score], rng=0) for score in ("i_a", "i_b")]
        for words, rows in (("all 32 rows", table), ("8 rows", table.query("transform == 'Baseline'")))
    }
    readings = {_all_weak(*((result.low, result.high) for result in pair)) for pair in results.values()}
    return Finding(
        tuple(result.estimate for pair in results.values() for result in pair),
        readings.pop() if len(readings) == 1 else None,
        "; ".join(
            f"{words}: I_A {_correlation_text(pair[0])}, I_B {_correlation_text(pair[1])}"
            for words, pair in results.items()
        ),
    )


@lru_cache(maxsize=1)
def family_scores() -> pd.DataFrame:
    """Return accuracy and isotropy of encoders from five families, raw and under each transformation."""
    by_name = {name: encoders.load(name, "yang") for name in encoders.ENCODERS}
    return experiments.family_scores(by_name, gold())


@lru_cache(maxsize=1)
def family_correlations() -> pd.DataFrame:
    """Return, by transformation, the correlation of accuracy with isotropy over encoders of five families."""
    table = family_scores()
    table = table[table["transform"] != "Centered"]  # an addition of ours that is not in Table III
    return experiments.family_correlations(table).set_index(["transform", "measure"])


def poorly_correlated_here() -> Finding:
    """Check that accuracy and isotropy correlate weakly over encoders of five families; return r."""
    table = family_correlations()
    rows = [table.loc[("all", score)] for score in ("i_a", "i_b")]
    texts = [
        f"{'as they are' if name == 'Baseline' else name}: "
        + ", ".join(
            f"{symbol} {_families_text(row)}, between families {row['between']:.2f} "
            f"({row['between_low']:.2f} to {row['between_high']:.2f})"
            for score, symbol in (("i_a", "I_A"), ("i_b", "I_B"))
            for row in [table.loc[(name, score)]]
        )
        for name in ("Baseline", "Standardized", "Whitened", "PCA")
    ]
    return Finding(
        tuple(float(row["r"]) for row in rows),
        _all_weak(*((float(row["low"]), float(row["high"])) for row in rows)),
        f"with transformations, families drawn as wholes: I_A {_families_text(rows[0])}, I_B {_families_text(rows[1])}; "
        + "; ".join(texts),
    )


def _families_text(row: pd.Series) -> str:
    return f"{row['r']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def isotropy_is_no_guide() -> Finding:
    """Check that centering raises only I_A, and a map of questions only accuracy; return the changes."""
    i_a = experiments.isotropy_of(minilm())[0]
    after_centering = experiments.isotropy_of(centered())[0] - i_a
    adapter = next(variant for variant in variants() if variant.name == "minilm-adapter")
    after_map = experiments.isotropy_of(adapter)[0] - i_a
    by_centering, by_adapter = (
        compare_models(variant.ranks(gold()), minilm_ranks(), n_resamples=10_000, rng=0)
        for variant in (centered(), adapter)
    )
    return Finding(
        (after_centering, 100 * by_centering.estimate, after_map, 100 * by_adapter.estimate),
        after_centering > 0.3
        and by_centering.low <= 0 <= by_centering.high
        and abs(after_map) < 1e-3
        and by_adapter.low > 0,
        f"centering: I_A {after_centering:+.2f}, accuracy {_gain_text(by_centering)}; linear map: I_A {after_map:+.4f}, accuracy "
        f"{_gain_text(by_adapter)}",
    )


def fine_tuning_raises_isotropy() -> Finding:
    """Check that fine-tuning raises I_A and I_B of our definitions; return them before and after."""
    names = ("MiniLM", "FT", "PT", "PT-FT")
    i_a, i_b = zip(*(experiments.isotropy_of(models()[name]) for name in names), strict=True)
    values = tuple(x for i in (0, 2) for score in (i_a, i_b) for x in score[i : i + 2])
    return Finding(
        values,
        all(score[i + 1] > score[i] for i in (0, 2) for score in (i_a, i_b)),
        ", ".join(
            f"{names[i]} to {names[i + 1]}: I_A {i_a[i]:.3f} to {i_a[i + 1]:.3f}, I_B {i_b[i]:.3f} to {i_b[i + 1]:.3f}"
            for i in (0, 2)
        ),
    )


def fine_tuned_rows_are_more_isotropic() -> Finding:
    """Check that fine-tuning raises I_A and I_B in Table III's baseline rows; return the changes."""
    table = printed_transforms().query("transform == 'Baseline'").set_index(["family", "stage"])
    steps = (("base", "finetuned"), ("pretrained", "pretrained_finetuned"))
    values = tuple(
        round(float(table.loc[(f, after), score] - table.loc[(f, before), score]), 2)
        for f in FAMILIES
        for before, after in steps
        for score in ("i_a", "i_b")
    )
    texts = [
        f"{f} {step}: I_A {values[i]:+.2f}, I_B {values[i + 1]:+.2f}"
        for i, (f, step) in zip(
            range(0, 8, 2), [(f, s) for f in FAMILIES for s in ("FT less base", "PT-FT less PT")], strict=True
        )
    ]
    return Finding(values, min(values) > 0, "; ".join(texts))


def transforms_raise_isotropy() -> Finding:
    """Check that three transformations raise I_A and I_B of our models; return the smallest changes."""
    table = transforms()
    plain = table[table["transform"] == "Baseline"].set_index("model")
    others = table[table["transform"].isin(["Standardized", "Whitened", "PCA"])]
    values = tuple(
        float((others[score] - others["model"].map(plain[score])).min()) for score in ("i_a", "i_b")
    )
    return Finding(values, min(values) > 0, f"I_A {values[0]:+.1f}, I_B {values[1]:+.1f} at least")


def printed_whitening_raises_isotropy() -> Finding:
    """Check that whitening by own, other, or general texts gives the printed I_B; return I_B for each."""
    documents = minilm().documents_of(0)
    pairs = {
        "themselves": (documents, documents),
        "other definitions": (documents[::2], documents[1::2]),
        "an encyclopedia": (minilm().agnostic, documents),
    }
    values = tuple(100 * isoscore(Whitening().fit(fitted).transform(rows)) for fitted, rows in pairs.values())
    table = printed_transforms().query("transform == 'Whitened'")["i_b"]
    low, high = float(table.min()), float(table.max())
    inside = [low <= value <= high for value in values]
    return Finding(
        values,
        True if all(inside) else False if not any(inside) else None,
        f"whitened by {', '.join(f'{name} {value:.1f}' for name, value in zip(pairs, values, strict=True))}; printed {low:.2f} to "
        f"{high:.2f}",
    )


def transforms_do_not_raise_accuracy() -> Finding:
    """Check that transformations do not raise accuracy significantly; return the gains."""
    results = transformed_scores(minilm(), gold())
    gains = {
        name: compare_models(results.ranks[name], results.ranks["baseline"], n_resamples=2000, rng=0)
        for name in ("standardized", "whitened", "all-but-the-top")
    }
    values = tuple(100 * change.estimate for change in gains.values())
    return Finding(
        values,
        all(change.low <= 0 for change in gains.values()),
        ", ".join(f"{name} {_gain_text(change)}" for name, change in gains.items()),
    )


def printed_transforms_do_not_raise() -> Finding:
    """Check that transformations raise no accuracy in Table III; return mean changes and increases."""
    table = printed_transforms().pivot(index="model", columns="transform", values="accuracy")
    change = table.sub(table["Baseline"], axis=0)[["Standardized", "Whitened", "PCA"]]
    half = float(half_widths().min())
    means, n_up, largest = change.mean(), float((change > 0).sum().sum()), float(change.max().max())
    return Finding(
        (*(float(mean) for mean in means), n_up, largest),
        float(means.max()) <= 0 and largest < half,
        "mean change: standardized {:+.2f}, whitened {:+.2f}, PCA {:+.2f} points; ".format(*means)
        + f"{n_up:.0f} of 24 cells rise, by {largest:.2f} points at most",
    )


def scores_differ() -> Finding:
    """Check that I_A and I_B can be quite different; return both of our centered definitions."""
    i_a, i_b = experiments.isotropy_of(centered())
    return Finding((i_a, i_b), abs(i_a - i_b) > 0.3, f"of the same embeddings: I_A {i_a:.2f}, I_B {i_b:.2f}")


def scores_are_independent() -> Finding:
    """Check that centering changes only I_A, and whitening then I_B; return the changes."""
    before, after = experiments.isotropy_of(minilm()), experiments.isotropy_of(centered())
    white = transforms().set_index(["model", "transform"]).loc[("MiniLM", "Whitened")]
    values = (after[0] - before[0], after[1] - before[1], float(white["i_b"]) / 100 - after[1])
    return Finding(
        values,
        values[0] > 0.3 and abs(values[1]) < 0.05 and values[2] > 0.3,
        f"centering: I_A {values[0]:+.2f}, I_B {values[1]:+.3f}; whitening on top of it: I_B {values[2]:+.2f}",
    )


def uneven_and_isotropic() -> tuple[float, float, float]:
    """Return I_A of unit vectors in 3 of 300 dimensions, and I_B and the mean cosine of a narrow cap."""
    rng = np.random.default_rng(0)
    flat = np.zeros((2000, 300))
    half = rng.standard_normal((1000, 3))
    flat[:, :3] = np.concatenate([half, -half])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    cap = np.column_stack([np.ones(20_000), 0.01 * rng.standard_normal((20_000, 29))])
    cap /= np.linalg.norm(cap, axis=1, keepdims=True)
    return partition_score_second_order(flat), isoscore(cap), float((cap.mean(axis=0) ** 2).sum())


def high_score_is_uniform() -> Finding:
    """Check that high scores imply uniform vectors; return I_A in 3 of 300 dimensions, and I_B of a cap.

    Neither cloud scores high by both measures, so the joint implication remains open.
    """
    values = uneven_and_isotropic()
    return Finding(
        values,
        True if max(values[:2]) < 0.5 else None,
        f"rows in 3 of 300 dimensions: I_A {values[0]:.2f}; rows in a cap with a mean cosine of {values[2]:.3f}: I_B "
        f"{values[1]:.2f}",
    )


def peaks_mean_low_isotropy() -> Finding:
    """Check that narrow random similarities mean low isotropy; return rank correlations and spreads."""
    results = [
        correlation(scores()["random_sd"], scores()[score], method="spearman", interval="bootstrap", rng=0)
        for score in ("i_a", "i_b")
    ]
    rows = np.random.default_rng(0).standard_normal((2000, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    spread = float((rows[:1000] * rows[1000:]).sum(axis=1).std())
    smallest = float(scores()["random_sd"].min())
    holds = all(result.low > 0 for result in results)
    against = any(result.high < 0 for result in results)
    return Finding(
        (*(result.estimate for result in results), spread, smallest),
        True if holds else False if against else None,
        f"spread and I_A {_correlation_text(results[0])}, spread and I_B {_correlation_text(results[1])}; spread of isotropic directions "
        f"{spread:.3f}, least of our variants {smallest:.3f}",
    )


def adaptation_widens_random_similarities() -> Finding:
    """Check that fine-tuning widens random similarities; return both spreads and Levene's p-value."""
    before, after = (experiments.samples_of(models()[name], gold(), k=1).S_rand for name in ("MiniLM", "FT"))
    p = float(stats.levene(before, after).pvalue)
    values = (float(before.std()), float(after.std()), p)
    decided = None if p >= 0.05 else values[1] > values[0]
    return Finding(
        values,
        decided,
        f"standard deviation: published {values[0]:.3f}, FT {values[1]:.3f}; Levene's p = {p:.2g}",
    )


def bge_is_more_isotropic() -> Finding:
    """Check that bge_large is more isotropic than llm_embedder in Table III; return the differences."""
    table = printed_transforms().query("transform == 'Baseline' and stage == 'base'").set_index("family")
    values = tuple(float(table.loc["bge_large", s] - table.loc["llm_embedder", s]) for s in ("i_a", "i_b"))
    decided = True if min(values) > 0 else False if max(values) < 0 else None
    return Finding(
        values, decided, f"bge_large less llm_embedder: I_A {values[0]:+.2f}, I_B {values[1]:+.2f} (percent)"
    )


def baseline_accuracies_agree() -> Finding:
    """Check that baseline accuracies agree in Tables II and III; return the largest difference."""
    rows = printed_transforms().query("transform == 'Baseline'").set_index("model")["accuracy"]
    gaps = (rows - printed()["accuracy"]).abs()
    return Finding(
        (float(gaps.max()),), bool((gaps < 1e-9).all()), f"largest difference of 8: {gaps.max():.2f} points"
    )


def accuracy_is_not_by_isotropy_alone() -> Finding:
    """Check that accuracy rises with and without I_A, by FT and by a linear map; return the changes."""
    i_a = [experiments.isotropy_of(models()[name])[0] for name in ("MiniLM", "FT")]
    tuned = gain("FT")
    adapter = next(variant for variant in variants() if variant.name == "minilm-adapter")
    i_a_change = experiments.isotropy_of(adapter)[0] - i_a[0]
    mapped = compare_models(adapter.ranks(gold()), minilm_ranks(), n_resamples=10_000, rng=0)
    return Finding(
        (i_a[1] - i_a[0], 100 * tuned.estimate, i_a_change, 100 * mapped.estimate),
        i_a[1] > i_a[0] and tuned.low > 0 and abs(i_a_change) < 1e-3 and mapped.low > 0,
        f"FT: I_A {i_a[1] - i_a[0]:+.2f}, accuracy {_gain_text(tuned)}; linear map of the questions: I_A {i_a_change:+.4f}, accuracy "
        f"{_gain_text(mapped)}",
    )


def base_models_are_similar() -> Finding:
    """Check that the base models' accuracies differ by less than half an interval; return both."""
    table = printed().loc[list(FAMILIES)]
    difference = float(table["accuracy"]["llm_embedder"] - table["accuracy"]["bge_large"])
    half = float(half_widths()[list(FAMILIES)].min())
    return Finding(
        (difference, half),
        abs(difference) < half,
        f"llm_embedder less bge_large: {difference:+.2f} points; half of the narrower interval: {half:.2f} points",
    )


def neither_necessary_nor_sufficient() -> Finding:
    """Check that the best third of variants can be less isotropic than the worst; return the extremes."""
    table = scores().sort_values("accuracy")
    third = len(table) // 3
    low_i_a, high_i_a, low_i_b, high_i_b = values = tuple(
        float(x)
        for score in ("i_a", "i_b")
        for x in (table[score].tail(third).min(), table[score].head(third).max())
    )
    return Finding(
        values,
        low_i_a < high_i_a and low_i_b < high_i_b,
        f"the best third goes down to I_A {low_i_a:.2f} and I_B {low_i_b:.2f}, the worst third up to I_A {high_i_a:.2f} and "
        f"I_B {high_i_b:.2f}",
    )


# --- separation ---------------------------------------------------------------------------------------------


def little_overlap() -> Finding:
    """Check that few definitions are closer to outside sentences than to others; return the fraction."""
    separation = separations()["MiniLM"]
    share = float((separation.distances < separation.within).mean())
    return Finding((share,), share < 0.05, f"definitions nearer to the outside: {share:.1%}")


def separation_change(name: str) -> SeparationChange:
    """Return the change of the definitions' separation from other sentences due to an adaptation."""
    return compare_separation(separations()["MiniLM"], separations()[name], n_resamples=1000, rng=0)


def fine_tuning_moves_apart() -> Finding:
    """Check that FT moves definitions away from outside sentences; return the change and log ratio."""
    change = separation_change("FT")
    low, high = change.difference_low, change.difference_high
    decided = True if low > 0 else False if high < 0 else None
    return Finding(
        (change.difference, change.log_ratio),
        decided,
        f"mean of Δ {_change_text(change)}; log of its ratio to the distance within the domain {change.log_ratio:+.3f}",
    )


def _change_text(change: SeparationChange) -> str:
    return f"{change.difference:+.4f} ({change.difference_low:+.4f} to {change.difference_high:+.4f})"


def adaptation_moves_apart() -> Finding:
    """Check that FT and PT-FT move definitions away from outside sentences; return the changes."""
    changes = {name: separation_change(name) for name in ("FT", "PT-FT")}
    further = all(change.difference_low > 0 for change in changes.values())
    nearer = all(change.difference_high < 0 for change in changes.values())
    return Finding(
        tuple(change.difference for change in changes.values()),
        True if further else False if nearer else None,
        "; ".join(f"mean of Δ by {name} {_change_text(change)}" for name, change in changes.items()),
    )


def dimensions_of_minilm() -> Finding:
    """Check that MiniLM has 384 dimensions; return the number of coordinates that are not always zero."""
    n = float(np.any(minilm().documents_of(0) != 0, axis=0).sum())
    return Finding((n,), n == 384, f"coordinates: {n:.0f}")
