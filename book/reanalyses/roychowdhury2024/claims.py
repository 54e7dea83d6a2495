"""The deciding numbers of the claims of Roychowdhury et al. (2025): one function for each entry of ``ledger.toml``.

Every function returns a `Finding`: our values, whether the claim holds in its own terms, and the numbers in words. The
paper's questions are private and its adapted models are not published, so claims about data are tested on 736 questions
about YANG definitions with variants of one encoder, and claims about numbers on the printed tables, which contain what is
needed. Draws have fixed seeds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval.comparison import Comparison, compare_models
from isotropy_lab.retrieval.overlap import SimilaritySamples
from isotropy_lab.retrieval.scores import bootstrap_accuracy, bootstrap_ndcg
from isotropy_lab.retrieval.separation import Separation
from isotropy_lab.retrieval.thresholds import score_at_threshold
from reanalyses.ledger import Finding
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.correlations import correlation, pooling_effect
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.variants import embedding_variants
from reanalyses.roychowdhury2024.transformed import transformed_scores

FAMILIES = ("bge_large", "llm_embedder")
#: Variants of Table II, and ours.
STAGES = {"PT": "_pretrained", "FT": "_finetuned", "PT-FT": "_pretrained_finetuned"}


# --- data shared by several claims
# ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def gold() -> NDArray[np.int64]:
    """Position of the right definition of each question."""
    return experiments.collection().gold


@lru_cache(maxsize=1)
def base() -> EmbeddingVariant:
    """The encoder as published, with sentences of an encyclopedia."""
    return experiments.embedded(agnostic=600)


@lru_cache(maxsize=1)
def centered() -> EmbeddingVariant:
    """The control."""
    return experiments.centered_variant(base())


@lru_cache(maxsize=1)
def models() -> dict[str, EmbeddingVariant]:
    """The encoder as published, adapted and merged."""
    return {"MiniLM": base()} | {name: adapted_embeddings(name) for name in ADAPTED_VARIANTS}


@lru_cache(maxsize=1)
def base_ranks() -> NDArray[np.int64]:
    """Ranks of the right definitions by the encoder as published."""
    return base().ranks(gold())


@lru_cache(maxsize=1)
def ranks() -> dict[str, NDArray[np.int64]]:
    """Ranks of the right definitions by these."""
    return experiments.ranks_of(models(), gold())


@lru_cache(maxsize=1)
def samples() -> SimilaritySamples:
    """Similarities by the encoder as published."""
    return experiments.samples_of(base(), gold())


@lru_cache(maxsize=1)
def variants() -> tuple[EmbeddingVariant, ...]:
    """All variants of the embeddings, in the order of `embedding_variants`."""
    return tuple(embedding_variants())


@lru_cache(maxsize=1)
def scores() -> pd.DataFrame:
    """What Table I correlates, for all variants."""
    return experiments.variant_scores(variants(), gold(), n_resamples=40)


@lru_cache(maxsize=1)
def separations() -> dict[str, Separation]:
    """Distances of definitions to sentences of an encyclopedia, by model."""
    return experiments.separations(models())


@lru_cache(maxsize=1)
def transforms() -> pd.DataFrame:
    """Table III on our data: the encoder as published, fine-tuned and pre-trained."""
    return experiments.transforms_table({name: models()[name] for name in ("MiniLM", "FT", "PT")}, gold())


def printed() -> pd.DataFrame:
    """Table II by model."""
    return experiments.printed_performance().set_index("model")


def printed_transforms() -> pd.DataFrame:
    """Table III."""
    return experiments.printed_transforms()


def gain(after: str, before: str = "MiniLM", *, metric: str = "accuracy") -> Comparison:
    """What one of our models gains over another on the same questions."""
    return compare_models(ranks()[after], ranks()[before], metric=metric, n_resamples=2000, rng=0)


def widths(metric: str = "accuracy") -> dict[str, float]:
    """Widths of our models' intervals from all questions, in points."""
    function = bootstrap_accuracy if metric == "accuracy" else bootstrap_ndcg
    return {name: 100 * function(one, rng=0).width for name, one in ranks().items()}


def _interval(found: Comparison) -> str:
    return f"{100 * found.estimate:+.1f} points ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


# --- adaptation
# ------------------------------------------------------------------------------------------


def fine_tuning_raises_accuracy() -> Finding:
    """Gains of FT and PT-FT over the encoder as published, held-out questions, with paired intervals."""
    found = [gain(name) for name in ("FT", "PT-FT")]
    return Finding(
        tuple(100 * one.estimate for one in found),
        all(one.low > 0 for one in found),
        f"FT {_interval(found[0])}, PT-FT {_interval(found[1])}",
    )


def pre_training_lowers_accuracy() -> Finding:
    """Loss of PT against the encoder as published."""
    found = gain("PT")
    return Finding((100 * found.estimate,), found.high < 0, f"PT {_interval(found)}")


def start_matters_little() -> Finding:
    """PT-FT against FT: whether the paired interval stays within five points, and holds 0."""
    found = gain("PT-FT", "FT")
    near = max(abs(found.low), abs(found.high)) < 0.05
    return Finding(
        (100 * found.estimate,), found.low <= 0 <= found.high and near, f"PT-FT − FT {_interval(found)}"
    )


def fine_tuning_narrows() -> Finding:
    """Widths of our models' intervals, and what √(p(1 − p)) makes of their accuracies."""
    width = widths()
    values = (width["MiniLM"], width["FT"], width["PT-FT"])
    shares = [float((ranks()[name] <= 10).mean()) for name in ("MiniLM", "FT")]
    ratio = math.sqrt(shares[1] * (1 - shares[1]) / (shares[0] * (1 - shares[0])))
    return Finding(
        values,
        max(values[1:]) < values[0],
        f"{values[0]:.2f}, FT {values[1]:.2f}, PT-FT {values[2]:.2f} points; ratio of FT {values[1] / values[0]:.2f}, by accuracy "
        f"alone {ratio:.2f}",
    )


def narrower_than_accuracy_makes_it() -> Finding:
    """Printed widths less those of samples of 100 questions, in standard deviations: mean of fine-tuned and other models."""
    table = experiments.printed_widths()
    tuned = table["model"].str.contains("finetuned")
    values = (float(table.loc[tuned, "z"].mean()), float(table.loc[~tuned, "z"].mean()))
    chance = float(stats.norm.cdf((values[0] - values[1]) / math.sqrt(1 / 4 + 1 / 4)))
    return Finding(
        (*values, chance),
        chance < 0.025,
        f"{values[0]:+.2f} and {values[1]:+.2f}; so much lower by chance with probability {chance:.2f}",
    )


def pre_training_narrows_further() -> Finding:
    """How often one of two equally good models has an interval a point narrower, for one family and for both."""
    table = experiments.spread_of_widths().set_index("narrower_by")["chance"]
    one = float(table[1.0])
    return Finding(
        (one, one**2), one**2 < 0.025, f"by chance {one:.2f} for one family, {one**2:.2f} for both"
    )


def ndcg_narrows() -> Finding:
    """Whether every printed NDCG width of a fine-tuned model is below its base model's."""
    table = printed()["ndcg_width"]
    values = tuple(float(table[f + s]) for f in FAMILIES for s in ("", "_finetuned", "_pretrained_finetuned"))
    holds = all(max(values[i + 1 : i + 3]) < values[i] for i in (0, 3))
    return Finding(values, holds, f"bge_large {values[:3]}, llm_embedder {values[3:]}")


def recommended_order() -> Finding:
    """Whether PT-FT is better than FT: printed differences of accuracy and NDCG, and ours with its interval."""
    table = printed()
    values = tuple(
        float(table.loc[f + "_pretrained_finetuned", c] - table.loc[f + "_finetuned", c])
        for f in FAMILIES
        for c in ("accuracy", "ndcg")
    )
    found = gain("PT-FT", "FT")
    return Finding(
        (*values, 100 * found.estimate),
        min(values) > 0 or found.low > 0,
        f"printed: bge_large {values[0]:+.2f} and NDCG {values[1]:+.1f}, llm_embedder {values[2]:+.2f} and {values[3]:+.1f}; "
        f"ours {_interval(found)}",
    )


# --- intervals
# ------------------------------------------------------------------------------------------


def bootstrap_gives_both() -> Finding:
    """Mean and interval of 10,000 bootstraps of our questions against share and Wilson's interval: largest difference."""
    table = experiments.interval_methods(base_ranks())
    rows = table[table["metric"] == "accuracy"].set_index("method")
    gap = (rows.loc["percentile", ["low", "high"]] - rows.loc["wilson", ["low", "high"]]).abs().max()
    values = (
        float(abs(rows.loc["percentile", "bootstrap_mean"] - rows.loc["wilson", "estimate"])),
        float(gap),
    )
    return Finding(
        values,
        values[0] < 0.001 and values[1] < 0.005,
        f"mean {values[0]:.5f} from the share, ends up to {values[1]:.4f} from Wilson's",
    )


def printed_accuracy_widths() -> Finding:
    """Widths that 100 samples of 100 questions have on average at the printed accuracies."""
    table = experiments.printed_widths()
    outside = int(((table["width"] < table["low"] - 0.01) | (table["width"] > table["high"])).sum())
    return Finding(
        tuple(float(x) for x in table["expected"]),
        outside <= 1,
        f"{outside} of 8 outside the range of 95% of widths; from {table['expected'].min():.1f} to {table['expected'].max():.1f}",
    )


def full_data_and_bootstraps() -> Finding:
    """χ² of the printed means over samples about the printed full-data accuracies, if 100 samples of 100 questions."""
    row = experiments.implied_bootstraps((100,)).iloc[0]
    values = (float(row["chi_square"]), float(row["p_high"]))
    return Finding(
        values, values[1] > 0.025, f"χ² = {values[0]:.2f} with 8 degrees of freedom, p = {values[1]:.2f}"
    )


def printed_ndcg_widths() -> Finding:
    """Least widths that samples of 100 questions allow for the printed NDCG and accuracy."""
    table = experiments.printed_ndcg_widths()
    return Finding(
        tuple(float(x) for x in table["at_100_low"]),
        bool((table["width"] >= table["at_100_low"]).all()),
        f"at least {table['at_100_low'].min():.1f} points; the printed ones need {table['least'].min():,} to {table['most'].max():,} questions",
    )


def single_intervals_are_a_test() -> Finding:
    """Pairs of our models: how many differ by the paired interval, and how many by single ones that do not overlap."""
    table = experiments.paired_and_single(ranks(), n_resamples=2000)
    values = (float(table["differ"].sum()), float((~table["overlap"]).sum()), float(len(table)))
    return Finding(
        values,
        values[0] == values[1],
        f"of {values[2]:.0f} pairs {values[0]:.0f} differ by the paired interval, {values[1]:.0f} by single ones",
    )


# --- thresholds
# ------------------------------------------------------------------------------------------


def below_gamma_nothing_changes() -> Finding:
    """Accuracy lost in each of 100 samples of 100 questions with the threshold at the sample's own γ: the most."""
    found = samples()
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(100):
        drawn = rng.integers(0, found.n_questions, size=100)
        top, hits = found.S_topK[drawn], found.hit_ranks[drawn]
        losses.append(float((hits <= found.k).mean()) - score_at_threshold(top, hits, float(top.min())))
    return Finding((max(losses),), max(losses) == 0, f"at most {max(losses):.3f}")


def thresholds_only_lose() -> Finding:
    """Largest rise of accuracy and of NDCG from one threshold to the next, over 101 thresholds."""
    table = experiments.threshold_curves(base(), gold(), psi=range(101))
    values = tuple(float(table[c].diff().dropna().max()) for c in ("accuracy", "ndcg"))
    return Finding(values, max(values) <= 0, f"accuracy {values[0]:.4f}, NDCG {values[1]:.4f}")


def ndcg_offers_a_trade_off() -> Finding:
    """Greatest NDCG with any threshold less NDCG without: whether fewer documents can raise it."""
    table = experiments.threshold_curves(base(), gold(), psi=range(101))
    best = float(-table["ndcg_loss"].min())
    return Finding((best,), best > 0, f"best NDCG with a threshold {best:+.4f} against none")


def minimal_effect() -> Finding:
    """Loss and suppressed share of thresholds chosen on half of the questions, by the other half, over 50 halves."""
    table = experiments.thresholds_of_halves(samples(), n_halves=50, n_resamples=400)
    values = (
        100 * float(table["loss"].mean()),
        float(table["within"].mean()),
        100 * float(table["suppressed"].mean()),
    )
    return Finding(
        values,
        values[0] < 2 and values[1] >= 0.9,
        f"{values[0]:.1f} points lost on average, within two points in {values[1]:.0%} of halves; {values[2]:.0f}% of documents hidden",
    )


def printed_losses_are_chance() -> Finding:
    """Largest printed loss of accuracy by a threshold, in errors of the difference of two means over samples."""
    table = experiments.printed_threshold_losses()
    z = table["loss"] / table["error"]
    values = (float(table["loss"].max()), float(z.max()), float((z > 1.96).sum()))
    return Finding(
        values,
        values[2] == 0,
        f"up to {values[0]:.2f} points, {values[1]:.1f} errors; {values[2]:.0f} of 8 beyond 1.96",
    )


def printed_losses_are_possible() -> Finding:
    """Printed losses that percentiles of Γ cannot have with samples of 100 questions, and the bound at most."""
    table = experiments.printed_threshold_losses()
    values = (
        float((table["excess"] > 0).sum()),
        float(table["loss"].max()),
        float(table["largest_loss"].max()),
    )
    return Finding(
        values,
        values[0] == 0,
        f"{values[0]:.0f} of 8 above the bound; {values[1]:.2f} points where {values[2]:.2f} are possible",
    )


def not_different_is_harmless() -> Finding:
    """Most accuracy that a threshold may lose and still lie in the interval of 100 samples of 100 of our questions."""
    found = bootstrap_accuracy(base_ranks(), n_resamples=100, n_questions=100, rng=0)
    table = experiments.threshold_curves(base(), gold(), psi=range(101))
    allowed = table[table["accuracy"] >= found.low].iloc[-1]
    loss = 100 * float(allowed["accuracy_loss"])
    return Finding(
        (loss, float(allowed["psi"])), loss < 2, f"{loss:.1f} points lost, at ψ = {allowed['psi']:.0f}"
    )


def documents_suppressed() -> Finding:
    """Share of retrieved documents below τ(ψ) by Γ at the printed ψ, samples of 100 questions."""
    table = experiments.threshold_readings(samples(), psi=(25, 30, 35, 40))
    rows = table[table["method"] == "gamma, l = 100"]
    values = tuple(100 * float(x) for x in rows["suppressed"])
    return Finding(
        values,
        min(values) > 5,
        f"{min(values):.2f}% to {max(values):.2f}% of documents hidden at ψ = 25 to 40",
    )


def psi_is_irrelevant_documents() -> Finding:
    """Share of the wrong documents retrieved that lie below τ(35) by Γ: whether it is 35%."""
    found = samples()
    tau = experiments.threshold_steps(found, psi=35).tau
    wrong = np.ones(found.S_topK.shape, dtype=bool)
    hit = np.flatnonzero(found.hit_ranks <= found.k)
    wrong[hit, found.hit_ranks[hit] - 1] = False
    share = 100 * float((found.S_topK[wrong] < tau).mean())
    return Finding((share,), abs(share - 35) < 5, f"{share:.2f}% of the wrong documents")


def chosen_thresholds_hold() -> Finding:
    """Thresholds by non-inferiority for every model: mean loss on the halves that did not choose, over 20 of them."""
    rows = {}
    for name in ("MiniLM", "PT", "FT", "PT-FT"):
        found = experiments.samples_of(models()[name], gold())
        rows[name] = experiments.thresholds_of_halves(found, margin=0.05, n_halves=20, n_resamples=400)
    values = tuple(100 * float(one["loss"].mean()) for one in rows.values())
    return Finding(
        values,
        max(values) <= 5 and all(float(one["psi"].min()) > 0 for one in rows.values()),
        ", ".join(
            f"{name} loses {value:.1f} points at ψ = {one['psi'].mean():.0f}"
            for (name, one), value in zip(rows.items(), values, strict=True)
        ),
    )


# --- overlaps
# ------------------------------------------------------------------------------------------


def sizes_of_samples() -> Finding:
    """Sizes of S_corr, S_topK and S_rand over the number of questions."""
    found = samples()
    values = tuple(x.size / found.n_questions for x in (found.S_corr, found.S_topK, found.S_rand))
    return Finding(values, values == (1, found.k, 1), f"{values[0]:g}, {values[1]:g}, {values[2]:g} times Q")


def coe_follows_accuracy() -> Finding:
    """Correlation of accuracy and COE across our variants, with its bootstrap interval."""
    found = correlation(scores()["accuracy"], scores()["coe"], interval="bootstrap", rng=0)
    return Finding(
        (found.estimate,),
        found.low > 0.5,
        f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f}), n = {found.n}",
    )


def roe_follows_threshold() -> Finding:
    """Correlation of threshold and ROE across our variants, with its bootstrap interval."""
    found = correlation(scores()["tau"], scores()["roe"], interval="bootstrap", rng=0)
    return Finding(
        (found.estimate,),
        found.low > 0,
        f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f}), n = {found.n}",
    )


def _table_1(first: str, second: str) -> Finding:
    table = experiments.table_1_recomputed().set_index(["first", "second"])
    row = table.loc[(first, second)]
    return Finding(
        (float(row["from_rows"]),),
        bool(row["inside"]),
        f"{row['from_rows']:.3f} ({row['low']:.2f} to {row['high']:.2f}) from the eight rows",
    )


def table_1_coe() -> Finding:
    """Correlation of the columns accuracy and COE of Table II."""
    return _table_1("accuracy", "coe")


def table_1_roe() -> Finding:
    """Correlation of the columns accuracy and ROE of Table II."""
    return _table_1("accuracy", "roe")


def table_1_threshold() -> Finding:
    """Correlation of the columns τ and ROE of Table II."""
    return _table_1("tau", "roe")


def _pooled(score: str) -> Finding:
    found = pooling_effect(printed_transforms(), "accuracy", score, group="transform")
    rows = printed_transforms().query("transform == 'Baseline'")
    r = correlation(rows["accuracy"], rows[score], rng=0)
    return Finding(
        (found.pooled,),
        False,
        f"{found.pooled:.3f} over all 32 rows, {r.estimate:.3f} over the eight baseline rows",
    )


def table_1_i_a() -> Finding:
    """Correlation of accuracy and I_A over all rows of Table III, base models with and without post-processing."""
    return _pooled("i_a")


def table_1_i_b() -> Finding:
    """Correlation of accuracy and I_B over all rows of Table III."""
    return _pooled("i_b")


def roe_and_accuracy_low() -> Finding:
    """Correlation of accuracy and ROE in Table II, with its interval."""
    found = correlation(printed()["accuracy"], printed()["roe"], rng=0)
    return Finding(
        (found.estimate,),
        found.low <= 0 <= found.high,
        f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})",
    )


def threshold_and_roe_positive() -> Finding:
    """Correlation of τ and ROE in Table II, with its interval."""
    found = correlation(printed()["tau"], printed()["roe"], rng=0)
    return Finding(
        (found.estimate,), found.low > 0, f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})"
    )


def both_strong() -> Finding:
    """Fisher intervals of the printed correlations of COE and ROE with eight models: their lower ends."""
    values = tuple(math.tanh(math.atanh(r) - stats.norm.ppf(0.975) / math.sqrt(5)) for r in (0.882, 0.391))
    return Finding(values, min(values) > 0, f"lower ends {values[0]:.2f} and {values[1]:.2f}")


def coe_generalizes() -> Finding:
    """Across variants: how COE, and accuracy itself, on half of the questions correlate with accuracy on the others."""
    order = np.random.default_rng(0).permutation(len(gold()))
    half = np.zeros(len(order), dtype=bool)
    half[order[: len(order) // 2]] = True
    rows = []
    for one in variants():
        found = experiments.samples_of(one, gold())
        theta = np.percentile(found.S_topK[half], 30)
        hits = found.hit_ranks <= found.k
        rows.append((float((found.S_corr[half] > theta).mean()), hits[half].mean(), hits[~half].mean()))
    coe, here, there = np.array(rows).T
    values = (float(np.corrcoef(coe, there)[0, 1]), float(np.corrcoef(here, there)[0, 1]))
    return Finding(
        values, values[0] > 0.8, f"COE {values[0]:.3f}, accuracy {values[1]:.3f}, {len(rows)} variants"
    )


# --- isotropy
# ------------------------------------------------------------------------------------------


def poorly_correlated() -> Finding:
    """Correlations of accuracy with I_A and I_B over the eight models as they are, from Table III."""
    rows = printed_transforms().query("transform == 'Baseline'")
    found = [correlation(rows["accuracy"], rows[score], rng=0) for score in ("i_a", "i_b")]
    values = tuple(one.estimate for one in found)
    words = [f"{one.estimate:.2f} ({one.low:.2f} to {one.high:.2f})" for one in found]
    return Finding(values, max(map(abs, values)) < 0.3, f"I_A {words[0]}, I_B {words[1]}")


def poorly_correlated_here() -> Finding:
    """Correlations of accuracy with I_A among our layers, truncated and adapted embeddings, and by ranks over all."""
    by_kind = {name: part for name, part in scores().groupby("family") if len(part) >= 4}
    found = {name: correlation(part["accuracy"], part["i_a"], rng=0) for name, part in by_kind.items()}
    whole = correlation(scores()["accuracy"], scores()["i_a"], method="spearman", interval="bootstrap", rng=0)
    words = [f"{name} {one.estimate:.2f} ({one.low:.2f} to {one.high:.2f})" for name, one in found.items()]
    return Finding(
        (*(one.estimate for one in found.values()), whole.estimate),
        all(one.low <= 0 <= one.high for one in found.values()),
        f"{', '.join(words)}; all {whole.n} by ranks {whole.estimate:.2f} ({whole.low:.2f} to {whole.high:.2f})",
    )


def isotropy_is_no_guide() -> Finding:
    """One thing changed at a time: I_A and accuracy by centering, accuracy and I_A by a linear map of the questions."""
    i_a = experiments.isotropy_of(base())[0]
    moved = experiments.isotropy_of(centered())[0] - i_a
    adapter = next(one for one in variants() if one.name == "minilm-adapter")
    still = experiments.isotropy_of(adapter)[0] - i_a
    by_centering, by_adapter = (
        compare_models(one.ranks(gold()), base_ranks(), n_resamples=2000, rng=0)
        for one in (centered(), adapter)
    )
    return Finding(
        (moved, 100 * by_centering.estimate, still, 100 * by_adapter.estimate),
        moved > 0.3
        and by_centering.low <= 0 <= by_centering.high
        and abs(still) < 1e-3
        and by_adapter.low > 0,
        f"centering: I_A {moved:+.2f}, accuracy {_interval(by_centering)}; linear map: I_A {still:+.4f}, accuracy "
        f"{_interval(by_adapter)}",
    )


def fine_tuning_raises_isotropy() -> Finding:
    """I_A and I_B of our definitions before and after fine-tuning."""
    before, after = (experiments.isotropy_of(models()[name]) for name in ("MiniLM", "FT"))
    values = (*before, *after)
    return Finding(
        values,
        after[0] > before[0] and after[1] > before[1],
        f"I_A {before[0]:.3f} to {after[0]:.3f}, I_B {before[1]:.3f} to {after[1]:.3f}",
    )


def fine_tuned_rows_are_more_isotropic() -> Finding:
    """Baseline rows of Table III: by how much I_A and I_B of fine-tuned models exceed their base models'."""
    table = printed_transforms().query("transform == 'Baseline'").set_index(["family", "stage"])
    values = tuple(
        float(table.loc[(f, stage), score] - table.loc[(f, "base"), score])
        for f in FAMILIES
        for stage in ("finetuned", "pretrained_finetuned")
        for score in ("i_a", "i_b")
    )
    return Finding(values, min(values) > 0, ", ".join(f"{x:+.2f}" for x in values))


def transforms_raise_isotropy() -> Finding:
    """Smallest change of I_A and of I_B by standardizing, whitening and removing directions, on our embeddings."""
    table = transforms()
    plain = table[table["transform"] == "Baseline"].set_index("model")
    others = table[table["transform"].isin(["Standardized", "Whitened", "PCA"])]
    values = tuple(
        float((others[score] - others["model"].map(plain[score])).min()) for score in ("i_a", "i_b")
    )
    return Finding(values, min(values) > 0, f"I_A {values[0]:+.1f}, I_B {values[1]:+.1f} at least")


def printed_whitening_raises_isotropy() -> Finding:
    """Models whose I_B falls under "Whitened" in Table III, of eight."""
    table = printed_transforms().pivot(index="model", columns="transform", values="i_b")
    fallen = float((table["Whitened"] < table["Baseline"]).sum())
    return Finding((fallen,), fallen == 0, f"{fallen:.0f} of 8 fall")


def transforms_do_not_raise_accuracy() -> Finding:
    """Gains of accuracy by each transformation of our embeddings, with paired intervals: the greatest lower end."""
    found = transformed_scores(base().questions, base().documents_of(0), gold())
    gains = {
        name: compare_models(found.ranks[name], found.ranks["baseline"], n_resamples=2000, rng=0)
        for name in ("standardized", "whitened", "all-but-the-top")
    }
    values = tuple(100 * one.estimate for one in gains.values())
    return Finding(
        values,
        all(one.low <= 0 for one in gains.values()),
        ", ".join(f"{name} {_interval(one)}" for name, one in gains.items()),
    )


def transforms_help_other_embeddings() -> Finding:
    """Gains of accuracy by the same transformations of averages of GloVe and of the encoder's last layer but one."""
    gains = []
    for one in variants():
        if one.name in ("glove", "minilm-layer-5"):
            found = transformed_scores(one.questions, one.documents_of(0), gold())
            gains += [
                compare_models(found.ranks[name], found.ranks["baseline"], n_resamples=2000, rng=0)
                for name in ("standardized", "whitened", "all-but-the-top")
            ]
    values = tuple(100 * one.estimate for one in gains)
    words = ", ".join(f"{value:+.1f}" for value in values)
    return Finding(values, all(one.low <= 0 for one in gains), f"layer 5, then GloVe: {words} points")


def scores_differ() -> Finding:
    """I_A and I_B of our centered definitions."""
    i_a, i_b = experiments.isotropy_of(centered())
    return Finding((i_a, i_b), abs(i_a - i_b) > 0.3, f"I_A {i_a:.2f}, I_B {i_b:.2f} of the same embeddings")


def high_score_is_uniform() -> Finding:
    """I_A and I_B of unit vectors about the origin that use 3 of 300 dimensions."""
    rng = np.random.default_rng(0)
    rows = np.zeros((2000, 300))
    half = rng.standard_normal((1000, 3))
    rows[:, :3] = np.concatenate([half, -half])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    values = (partition_score_second_order(rows), isoscore(rows))
    return Finding(
        values, min(values) < 0.2 and max(values) < 0.2, f"I_A {values[0]:.2f}, I_B {values[1]:.3f}"
    )


def peaks_mean_low_isotropy() -> Finding:
    """Spread of cosines of random pairs: of isotropic directions in 384 dimensions, of ours centered, and I_B of both."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((2000, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    spread = float((rows[:1000] * rows[1000:]).sum(axis=1).std())
    ours = experiments.samples_of(centered(), gold(), k=1).S_rand
    i_b = experiments.isotropy_of(centered())[1]
    values = (spread, isoscore(rows), float(ours.std()), i_b)
    return Finding(
        values,
        values[0] > values[2],
        f"spread {values[0]:.3f} at I_B {values[1]:.2f}, {values[2]:.3f} at I_B {values[3]:.2f}: the narrower is the more isotropic",
    )


def adaptation_widens_random_similarities() -> Finding:
    """Spread of similarities with random documents before and after fine-tuning, with Levene's test."""
    before, after = (experiments.samples_of(models()[name], gold(), k=1).S_rand for name in ("MiniLM", "FT"))
    p = float(stats.levene(before, after).pvalue)
    values = (float(before.std()), float(after.std()))
    return Finding(
        values, values[1] > values[0] and p < 0.05, f"{values[0]:.3f} to {values[1]:.3f}, p = {p:.2g}"
    )


def bge_is_more_isotropic() -> Finding:
    """Table III, base models: I_A and I_B of bge_large less those of llm_embedder."""
    table = printed_transforms().query("transform == 'Baseline' and stage == 'base'").set_index("family")
    values = tuple(float(table.loc["bge_large", s] - table.loc["llm_embedder", s]) for s in ("i_a", "i_b"))
    return Finding(values, min(values) > 0, f"I_A {values[0]:+.2f}, I_B {values[1]:+.2f}")


def neither_necessary_nor_sufficient() -> Finding:
    """Our variants: least I_B among the third with the best accuracy, greatest among the third with the worst."""
    table = scores().sort_values("accuracy")
    third = len(table) // 3
    values = (float(table["i_b"].tail(third).min()), float(table["i_b"].head(third).max()))
    return Finding(
        values,
        values[0] < values[1],
        f"the best go down to I_B {values[0]:.2f}, the worst up to {values[1]:.2f}",
    )


# --- separation
# ------------------------------------------------------------------------------------------


def little_overlap() -> Finding:
    """Definitions that are nearer to a sentence of an encyclopedia than to another definition, of as many of each."""
    found = separations()["MiniLM"]
    share = float((found.distances < found.within).mean())
    return Finding((share,), share < 0.05, f"{share:.1%} of definitions")


def _moved(name: str) -> tuple[float, float, float, float, float]:
    changes = experiments.separation_changes(
        {key: separations()[key] for key in ("MiniLM", name)}, baseline="MiniLM", n_resamples=1000
    ).iloc[0]
    columns = ("difference", "difference_low", "difference_high", "log_ratio", "log_ratio_high")
    mean, low, high, ratio, ratio_high = (float(changes[c]) for c in columns)
    return mean, low, high, ratio, ratio_high


def fine_tuning_moves_apart() -> Finding:
    """Change of the mean distance to the nearest sentence outside by fine-tuning, and of its ratio to that inside."""
    mean, low, high, ratio, _ = _moved("FT")
    return Finding(
        (mean, ratio), low > 0, f"Δ {mean:+.4f} ({low:+.4f} to {high:+.4f}), log of the ratio {ratio:+.3f}"
    )


def adaptation_moves_apart() -> Finding:
    """The same for pre-training followed by fine-tuning, which is the adapted model of Section II-F."""
    mean, low, high, ratio, _ = _moved("PT-FT")
    return Finding(
        (mean, ratio), low > 0, f"Δ {mean:+.4f} ({low:+.4f} to {high:+.4f}), log of the ratio {ratio:+.3f}"
    )


def apart_from_the_outside_only() -> Finding:
    """Whether the ratio to the distance within the domain grows, too: upper ends for FT and PT-FT."""
    found: Mapping[str, tuple[float, ...]] = {name: _moved(name) for name in ("FT", "PT-FT")}
    values = tuple(one[3] for one in found.values())
    return Finding(
        values,
        min(values) > 0,
        ", ".join(f"{name} {one[3]:+.3f} (up to {one[4]:+.3f})" for name, one in found.items()),
    )


def dimensions_of_minilm() -> Finding:
    """Dimensions of the encoder's embeddings."""
    n = float(base().n_dimensions)
    return Finding((n,), n == 384, f"{n:.0f}")
