"""The deciding numbers of the errata of Roychowdhury et al. (2025): one function for each entry of ``errata.toml``.

Every function returns a `Finding` whose values are the deciding numbers and whose ``holds`` says whether they decide
the matter the way the entry says. Draws have fixed seeds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.isotropy import isoscore, partition_score, partition_score_second_order
from isotropy_lab.transforms import Whitening
from reanalyses.ledger import Finding
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.claims import printed, printed_transforms
from reanalyses.roychowdhury2024.correlations import correlation, pooling_effect
from reanalyses.roychowdhury2024.sampling import PAPER_MODE

#: Models that Section III-B says are evaluated, and that no table has: GTE, MPNet, MiniLM and three of OpenAI's.
NAMED_ONLY = ("GTE", "MPNet", "MiniLM", "text-embedding-3-small", "text-embedding-3-large", "ada_002")


def _words(values: tuple[float, ...]) -> str:
    return ", ".join(f"{v:.4g}" for v in values)


# --- what is not given
# ------------------------------------------------------------------------------------------


def sizes_not_given() -> Finding:
    """Questions in a sample that each printed width of an accuracy's interval implies: least, median, most."""
    implied = _implied()
    values = (float(implied.min()), float(np.median(implied)), float(implied.max()))
    return Finding(values, values[2] < 200, f"{_words(values)} of 5,167")


def _implied() -> NDArray[np.float64]:
    table = printed()
    p = table["accuracy"].to_numpy() / 100
    z = float(stats.norm.ppf(0.975))
    return np.asarray(p * (1 - p) * (2 * z / (table["accuracy_width"].to_numpy() / 100)) ** 2)


def decimals() -> Finding:
    """Number of samples modulo 40 that allows the printed decimals with 100 questions, and how many decimals it allows."""
    table = experiments.possible_decimals()
    row = table[table["n_questions"] == 100]
    values = (float(row["n_bootstraps_modulo_40"].iloc[0]), float(row["possible"].iloc[0]))
    return Finding(
        values,
        len(row) == 1 and bool((table["possible"] >= values[1]).all()),
        f"{values[0]:.0f} modulo 40; {values[1]:.0%} of decimals, fewer than for any other size",
    )


def number_of_samples() -> Finding:
    """χ² of the means over samples about the full data with 100 and with 500 samples, 8 degrees of freedom."""
    table = experiments.implied_bootstraps((100, 500))
    values = tuple(float(x) for x in table["chi_square"])
    return Finding(
        values,
        values[0] < 15.5 < values[1],
        f"{values[0]:.2f} and {values[1]:.1f}; 15.5 is the 95th percentile",
    )


def scores_not_printed() -> Finding:
    """I_A of unit rows about one direction, and the exact partition score of the same rows."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(500), 0.05 * rng.standard_normal((500, 9))])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    values = (partition_score_second_order(rows), partition_score(rows))
    return Finding(
        values,
        values[0] < math.exp(-2) <= values[1],
        f"{_words(values)}; e⁻² = {math.exp(-2):.4f} bounds the exact one",
    )


def negative_scores() -> Finding:
    """I_A of the 150 irises as measured, in centimeters."""
    from sklearn.datasets import load_iris

    value = partition_score_second_order(load_iris().data)
    return Finding((value,), value < 0, f"{value:.3f}")


def models_without_results() -> Finding:
    """Models that are named as evaluated and are in no table, and models in the tables."""
    found = set(printed().index) | set(printed_transforms()["model"])
    missing = [name for name in NAMED_ONLY if not any(name.lower() in one.lower() for one in found)]
    values = (float(len(missing)), float(len(found)))
    return Finding(
        values, values[0] > 0, f"{values[0]:.0f} are missing; {values[1]:.0f} rows of two families"
    )


# --- intervals
# ------------------------------------------------------------------------------------------


def a_point_is_noise() -> Finding:
    """Probability that one of two equal models has an interval at least a point narrower; for both families."""
    table = experiments.spread_of_widths().set_index("narrower_by")["chance"]
    values = (float(table[1.0]), float(table[1.0]) ** 2)
    return Finding(values, min(values) > 0.05, _words(values))


def accuracy_narrows() -> Finding:
    """bge_large, base to FT: ratio of printed widths, and ratio of √(p(1 − p)); R² of all widths on it."""
    table = experiments.printed_width_changes().set_index(["family", "step"])
    row = table.loc[("bge_large", "base → FT")]
    squared = np.corrcoef(
        np.sqrt(printed()["accuracy"] * (100 - printed()["accuracy"])), printed()["accuracy_width"]
    )
    values = (float(row["ratio"]), float(row["ratio_by_accuracy"]), float(squared[0, 1] ** 2))
    return Finding(values, abs(values[0] - values[1]) < 0.01, _words(values))


def ndcg_widths() -> Finding:
    """Questions in a sample for the printed NDCG widths: least of the least and most of the greatest numbers needed."""
    table = experiments.printed_ndcg_widths()
    values = (float(table["least"].min()), float(table["most"].max()))
    return Finding(
        values, values[0] > 10 * PAPER_MODE["n_questions"], f"{values[0]:,.0f} to {values[1]:,.0f}"
    )


def ndcg_width_doubles() -> Finding:
    """Width of bge_large's NDCG interval before and after fine-tuning."""
    table = printed()["ndcg_width"]
    values = (float(table["bge_large"]), float(table["bge_large_finetuned"]))
    return Finding(values, values[1] > values[0], _words(values))


def order_of_training() -> Finding:
    """Rows of Table II with fine-tuning before pre-training, and with pre-training before fine-tuning."""
    names = printed().index
    values = (
        float(sum(name.endswith("finetuned_pretrained") for name in names)),
        float(sum(name.endswith("pretrained_finetuned") for name in names)),
    )
    return Finding(values, values[0] == 0 < values[1], _words(values))


def column_numbers() -> Finding:
    """Column of Acc@τ in Table II, and of COE, ROE or τ that "column 7" can mean, counting the model's name."""
    order = list(experiments.printed_performance().columns)
    shown = [name for name in order if name != "psi"]  # printed with τ in one column
    values = (
        float(shown.index("accuracy_at_tau") + 1),
        float(shown.index("accuracy") + 1),
        float(shown.index("roe") + 1),
    )
    return Finding(
        values,
        values[0] != 7 and values[2] == 7,
        f"Acc@τ is column {values[0]:.0f}, Acc {values[1]:.0f}, column 7 ROE",
    )


def samples_are_no_subsets() -> Finding:
    """Different questions among 100, and among 5,167, drawn with replacement from 5,167: expected numbers."""
    values = tuple(5167 * (1 - (1 - 1 / 5167) ** size) for size in (100, 5167))
    return Finding(values, values[1] < 0.64 * 5167, f"{values[0]:.1f} of 100, {values[1]:.0f} of 5,167")


# --- thresholds and overlaps
# ------------------------------------------------------------------------------------------


def impossible_losses() -> Finding:
    """Largest printed loss of accuracy, the most that Γ allows there, and how many of eight exceed it."""
    table = experiments.printed_threshold_losses()
    worst = table.loc[table["loss"].idxmax()]
    values = (float(worst["loss"]), float(worst["largest_loss"]), float((table["excess"] > 0).sum()))
    return Finding(values, values[0] > 10 * values[1], _words(values))


def impossible_gain() -> Finding:
    """Accuracy of bge_large with its threshold and without."""
    row = printed().loc["bge_large"]
    values = (float(row["accuracy_at_tau"]), float(row["accuracy"]))
    return Finding(values, values[0] > values[1], _words(values))


def psi_is_a_percentage() -> Finding:
    """Share of 10,000 similarities below their 35th percentile, which the printed equation says is 35."""
    values = np.random.default_rng(0).standard_normal(10_000)
    share = float((values < np.percentile(values, 35)).mean())
    return Finding((share,), abs(share - 0.35) < 1e-3, f"{share:.4f}")


def exceedance() -> Finding:
    """P(x > θ) and the ECDF at θ of the numbers 1 to 10 at θ = 3.5."""
    values = np.arange(1, 11)
    both = (float((values > 3.5).mean()), float((values <= 3.5).mean()))
    return Finding(both, abs(sum(both) - 1) < 1e-12 and both[0] != both[1], _words(both))


def percentile_of_the_sample() -> Finding:
    """θ of all questions, and the standard deviation of θ over samples of 100: with S_topK of all it would be 0."""
    rng = np.random.default_rng(0)
    top = rng.normal(rng.normal(0.5, 0.1, size=(736, 1)), 0.05, size=(736, 10))
    drawn = rng.integers(0, 736, size=(2000, 100))
    thetas = np.percentile(top[drawn].reshape(2000, -1), 30, axis=1)
    values = (float(np.percentile(top, 30)), float(thetas.std()))
    return Finding(values, values[1] > 0.005, _words(values))


def missing_minus() -> Finding:
    """Norm of two unit vectors taken as one, whatever they are: orthogonal, opposite and equal; and their distances."""
    pairs = ([(1, 0), (0, 1)], [(1, 0), (-1, 0)], [(1, 0), (1, 0)])
    joint = [float(np.linalg.norm(np.ravel(pair))) for pair in pairs]
    apart = [float(np.linalg.norm(np.subtract(pair[0], pair[1]))) for pair in pairs]
    values = (joint[0], *apart)
    return Finding(values, len({round(x, 12) for x in joint}) == 1, _words(values))


# --- correlations and isotropy
# ------------------------------------------------------------------------------------------


def table_1() -> Finding:
    """Correlations of Table II's rows that Table I prints: accuracy and COE, accuracy and ROE, τ and ROE."""
    table = experiments.table_1_recomputed().head(3)
    values = tuple(float(x) for x in table["from_rows"])
    gaps = (table["from_rows"] - table["printed"]).abs()
    return Finding(values, bool((gaps > 0.05).all()), _words(values))


def pooling() -> Finding:
    """Accuracy with I_A and I_B: over the eight baseline rows of Table III, and over all 32."""
    base = printed_transforms().query("transform == 'Baseline'")
    values = tuple(correlation(base["accuracy"], base[s], rng=0).estimate for s in ("i_a", "i_b")) + tuple(
        pooling_effect(printed_transforms(), "accuracy", s, group="transform").pooled for s in ("i_a", "i_b")
    )
    return Finding(values, values[0] > 0.8 and abs(values[2]) < 0.2, _words(values))


def odd_cells_hide_it() -> Finding:
    """Accuracy and I_A within transformations, over all 32 rows of Table III and without the two odd cells."""
    table = printed_transforms()
    values = tuple(
        pooling_effect(part, "accuracy", "i_a", group="transform").within
        for part in (table, table[~table["odd"]])
    )
    return Finding(values, values[1] > values[0] + 0.5, _words(values))


def eight_models() -> Finding:
    """Interval of a correlation of .882 from eight models (Fisher)."""
    half = float(stats.norm.ppf(0.975)) / math.sqrt(8 - 3)
    values = (math.tanh(math.atanh(0.882) - half), math.tanh(math.atanh(0.882) + half))
    return Finding(values, values[1] - values[0] > 0.5, _words(values))


def one_dataset() -> Finding:
    """Datasets whose correlations are in Table I, and those that Section V-A speaks of."""
    shown = len(experiments.printed_correlations()) / 5
    return Finding((shown, 3.0), shown < 3, f"{shown:.0f} of 3")


def whitened_is_not_whitened() -> Finding:
    """I_B in per cent of whitened rows, least and greatest under "Whitened", and the least under "Standardized"."""
    rows = np.random.default_rng(0).standard_normal((400, 20)) @ np.random.default_rng(1).standard_normal(
        (20, 20)
    )
    table = printed_transforms().groupby("transform")["i_b"]
    values = (
        100 * isoscore(Whitening().fit_transform(rows)),
        float(table.min()["Whitened"]),
        float(table.max()["Whitened"]),
        float(table.min()["Standardized"]),
    )
    return Finding(values, values[2] < 90 < values[3], _words(values))


def impossible_pair() -> Finding:
    """Standardized bge_large: the least I_A in per cent that its printed I_B allows centered rows, and the printed I_A."""
    table = experiments.printed_isotropy_bounds().query("transform == 'Standardized'").set_index("model")
    values = tuple(
        float(table.loc[m, c]) for m in ("bge_large", "llm_embedder") for c in ("least_i_a", "i_a")
    )
    return Finding(values, values[0] > values[1] and values[2] > values[3], _words(values))


def too_low_scores() -> Finding:
    """Transformed cells of Table III, those below the least I_A of rows with mean zero; that least and the greatest for PCA."""
    table = experiments.printed_isotropy_bounds()
    removed = table[table["transform"] == "PCA"]
    values = (
        float(len(table)),
        float((table["i_a"] < table["least_i_a"]).sum()),
        float(removed["least_i_a"].min()),
        float(removed["i_a"].max()),
    )
    return Finding(
        values,
        values[0] == values[1] and values[3] < values[2],
        f"{values[1]:.0f} of {values[0]:.0f} cells are too low; under PCA at least {values[2]:.1f} is possible, and at "
        f"most {values[3]:.2f} printed",
    )


def odd_cells() -> Finding:
    """The two cells of Table III printed as 73.0, 88.0 and 47.0, 65.52: I_A over the median of their column."""
    table = printed_transforms().query("transform == 'Whitened'")
    median = float(table["i_a"].median())
    values = tuple(float(x) / median for x in table.loc[table["odd"], "i_a"])
    return Finding(values, len(values) == 2 and min(values) > 3, _words(values))


def more_isotropic_by_which() -> Finding:
    """Base models of Table III: I_A of bge_large and llm_embedder, and I_B of both."""
    table = printed_transforms().query("transform == 'Baseline' and stage == 'base'").set_index("family")
    values = tuple(float(table.loc[f, s]) for s in ("i_a", "i_b") for f in ("bge_large", "llm_embedder"))
    return Finding(values, values[0] < values[1] and values[2] > values[3], _words(values))


def isotropy_falls() -> Finding:
    """I_A of llm_embedder as it is, and pre-trained and fine-tuned."""
    table = (
        printed_transforms().query("transform == 'Baseline' and family == 'llm_embedder'").set_index("stage")
    )
    values = (float(table.loc["base", "i_a"]), float(table.loc["pretrained_finetuned", "i_a"]))
    return Finding(values, values[1] < values[0], _words(values))
