"""Deciding numbers of the errata of Roychowdhury et al. (2025): one function per entry of ``errata.toml``.

Every function returns a `Finding` whose values are the deciding numbers and whose ``holds`` says whether they confirm
the entry. Random draws have fixed seeds.
"""

from __future__ import annotations

import math

import numpy as np

from isotropy_lab.isotropy import isoscore, partition_score, partition_score_second_order
from isotropy_lab.retrieval._overlap import overlap
from isotropy_lab.transforms import Whitening
from reanalyses.ledger import Finding
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.claims import (
    chance_of_a_point,
    minilm,
    ndcg_mean_errors,
    printed,
    printed_losses_are_possible,
    samples,
    separation_change,
    strength,
    uneven_and_isotropic,
)
from reanalyses.roychowdhury2024.correlations import correlation, pooling_effect
from reanalyses.roychowdhury2024.published import printed_transforms
from reanalyses.roychowdhury2024.sampling import PAPER_SIZES

#: Models listed as evaluated in Section III-B but missing from all tables.
NAMED_ONLY = ("GTE", "MPNet", "MiniLM", "text-embedding-3-small", "text-embedding-3-large", "ada_002")


# --- what is not given --------------------------------------------------------------------------------------


def sizes_not_given() -> Finding:
    """Check that the printed widths imply fewer than 200 questions; return the implied range and median."""
    implied = experiments.printed_widths()["implied"]
    low, median, high = values = (float(implied.min()), float(implied.median()), float(implied.max()))
    return Finding(
        values,
        high < 200,
        f"implied questions in a sample, of 5,167: least {low:.1f}, median {median:.1f}, most {high:.1f}",
    )


def decimals() -> Finding:
    """Check that the decimals allow one number of samples modulo 40; return it and the fraction allowed."""
    table = experiments.possible_decimals()
    row = table[table["n_questions"] == 100]
    values = (float(row["n_bootstraps_modulo_40"].iloc[0]), float(row["possible"].iloc[0]))
    return Finding(
        values,
        len(row) == 1 and bool((table["possible"] >= values[1]).all()),
        f"samples modulo 40: {values[0]:.0f}; decimals that 100 questions then allow: {values[1]:.0%}, fewer than any other size",
    )


def number_of_samples() -> Finding:
    """Check that the means vary as for 100 samples, not 500; return χ² (8 degrees of freedom)."""
    table = experiments.implied_bootstraps((100, 500))
    values = tuple(float(x) for x in table["chi_square"])
    return Finding(
        values,
        values[0] < 15.5 < values[1],
        f"χ² with 100 samples {values[0]:.2f}, with 500 {values[1]:.1f}; the 95th percentile is 15.5",
    )


def scores_not_printed() -> Finding:
    """Check that I_A can be far below the exact partition score; return both for nearly equal vectors."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(500), 0.05 * rng.standard_normal((500, 9))])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    values = (partition_score_second_order(rows), partition_score(rows))
    return Finding(
        values,
        values[0] < math.exp(-2) <= values[1],
        f"I_A {values[0]:.3f}, exact partition score {values[1]:.3f}, which is never below e⁻² = {math.exp(-2):.4f}",
    )


def negative_scores() -> Finding:
    """Check that I_A can be negative; return I_A of the 150 irises in centimeters."""
    from sklearn.datasets import load_iris

    value = partition_score_second_order(load_iris().data)
    return Finding((value,), value < 0, f"I_A of iris: {value:.3f}")


def models_without_results() -> Finding:
    """Check that models named as evaluated are in no table; return their number, and that of the others."""
    models = set(printed().index) | set(printed_transforms()["model"])
    missing = [name for name in NAMED_ONLY if not any(name.lower() in model.lower() for model in models)]
    values = (float(len(missing)), float(len(models)))
    return Finding(
        values,
        values[0] > 0,
        f"named models without a row: {values[0]:.0f}; rows: {values[1]:.0f}, of two families",
    )


# --- intervals ----------------------------------------------------------------------------------------------


def a_point_is_noise() -> Finding:
    """Check that chance narrows an interval by a point; return its probability for three correlations."""
    values = tuple(chance_of_a_point(rho) for rho in (0.0, 0.5, 0.9))
    return Finding(
        values,
        min(values) ** 2 > 0.025,
        f"samples of its own {values[0]:.2f}; shared samples, hits with a correlation of 0.5 {values[1]:.2f}, of 0.9 "
        f"{values[2]:.2f}; for two families that have nothing in common these squared: {values[0] ** 2:.2f}, "
        f"{values[1] ** 2:.2f}, {values[2] ** 2:.2f}",
    )


def accuracy_narrows() -> Finding:
    """Check that accuracy explains a narrower interval; return stated and predicted ratio, and R²."""
    table = experiments.printed_width_changes().set_index(["family", "step"])
    row = table.loc[("bge_large", "base → FT")]
    r_squared = experiments.explained_by_accuracy()["r_squared"]
    values = (float(row["ratio"]), float(row["ratio_by_accuracy"]), r_squared)
    return Finding(
        values,
        abs(values[0] - values[1]) < 0.01,
        f"ratio of widths {values[0]:.3f}, by accuracy alone {values[1]:.3f}; R² of all eight widths {values[2]:.3f}",
    )


def ndcg_widths() -> Finding:
    """Check that the printed NDCG widths need far more than 100 questions; return the range needed."""
    table = experiments.printed_ndcg_widths().set_index("model")
    values = (float(table["least"].min()), float(table["most"].max()))
    return Finding(
        values,
        values[0] > 10 * PAPER_SIZES["n_questions"],
        f"questions needed in a sample: least for {table['least'].idxmin()}, at least {values[0]:,.0f}; most for "
        f"{table['most'].idxmax()}, up to {values[1]:,.0f}",
    )


def ndcg_width_doubles() -> Finding:
    """Check that fine-tuning widens bge_large's NDCG interval; return the widths before and after."""
    table = printed()["ndcg_width"]
    values = (float(table["bge_large"]), float(table["bge_large_finetuned"]))
    return Finding(
        values, values[1] > values[0], f"bge_large {values[0]:.1f} points, after FT {values[1]:.1f}"
    )


def order_of_training() -> Finding:
    """Check that no row of Table II has fine-tuning before pre-training; return the rows of both orders."""
    names = printed().index
    values = (
        float(sum(name.endswith("finetuned_pretrained") for name in names)),
        float(sum(name.endswith("pretrained_finetuned") for name in names)),
    )
    return Finding(
        values,
        values[0] == 0 < values[1],
        f"rows with FT before PT: {values[0]:.0f}, with PT before FT: {values[1]:.0f}",
    )


def column_numbers() -> Finding:
    """Check that column 7 of Table II is ROE, not Acc@τ; return the columns of Acc@τ, Acc, and ROE."""
    order = list(experiments.printed_performance().columns)
    columns = [name for name in order if name != "psi"]  # printed in one column with τ
    at_tau, accuracy, roe = values = (
        float(columns.index("accuracy_at_tau") + 1),
        float(columns.index("accuracy") + 1),
        float(columns.index("roe") + 1),
    )
    return Finding(
        values,
        at_tau != 7 and roe == 7,
        f"Acc@τ is column {at_tau:.0f}, Acc {accuracy:.0f}, column 7 ROE",
    )


def samples_are_no_subsets() -> Finding:
    """Check that samples repeat questions; return the distinct ones expected in 100 and 5,167 draws."""
    values = tuple(5167 * (1 - (1 - 1 / 5167) ** n) for n in (100, 5167))
    return Finding(
        values,
        values[1] < 0.64 * 5167,
        f"different questions expected: {values[0]:.1f} of 100, {values[1]:.0f} of 5,167",
    )


# --- thresholds and overlaps --------------------------------------------------------------------------------


def impossible_losses() -> Finding:
    """Check that printed losses exceed the bound for one γ per sample; return loss, bound, and counts."""
    above, loss, bound, by_row = printed_losses_are_possible().values
    values = (loss, bound, above, by_row)
    return Finding(
        values,
        loss > 5 * bound and by_row == 0,
        f"largest loss {loss:.2f} points, possible there {bound:.3f} with one γ for each sample; losses above their bound: "
        f"{above:.0f} of 8, with one γ for each question {by_row:.0f} of 8",
    )


def impossible_gain() -> Finding:
    """Check that a threshold raises bge_large's accuracy, which is impossible; return both and the error.

    The standard error is for 100 samples of 100 questions per column, that is, for 10,000 answers each.
    """
    row = printed().loc["bge_large"]
    with_threshold, without = float(row["accuracy_at_tau"]), float(row["accuracy"])
    error = float(np.sqrt(sum(share * (100 - share) / 10_000 for share in (with_threshold, without))))
    return Finding(
        (with_threshold, without, error),
        with_threshold > without,
        f"with the threshold {with_threshold:.2f}, without {without:.2f}; the difference's standard error with other "
        f"samples {error:.2f}",
    )


def psi_is_a_percentage() -> Finding:
    """Check that ψ is a percentage; return the fraction of 100 minima below their 35th percentile."""
    steps = experiments.threshold_steps(samples(), psi=35)
    share = float((steps.gamma < steps.tau).mean())
    return Finding((share,), 0.25 < share <= 0.35, f"share below τ(35): {share:.2f}; printed: ψ = 35")


def exceedance() -> Finding:
    """Check that COE is an exceedance, not an ECDF; return both for our questions at ψ = 30."""
    sampled = samples()
    coe = overlap(sampled, 30, n_resamples=40, rng=0).coe_full
    ecdf = float((sampled.S_corr <= np.percentile(sampled.S_topK, 30)).mean())
    return Finding(
        (coe, ecdf), abs(coe + ecdf - 1) < 1e-9 and coe != ecdf, f"exceedance {coe:.3f}, ECDF {ecdf:.3f}"
    )


def percentile_of_the_sample() -> Finding:
    """Check that θ differs between samples; return θ of all questions, and its standard deviation."""
    top = samples().S_topK
    questions = np.random.default_rng(0).integers(0, len(top), size=(2000, 100))
    thetas = np.percentile(top[questions].reshape(2000, -1), 30, axis=1)
    values = (float(np.percentile(top, 30)), float(thetas.std()))
    return Finding(
        values,
        values[1] > 0.005,
        f"θ of all questions {values[0]:.3f}, standard deviation of θ_j {values[1]:.4f}",
    )


def missing_minus() -> Finding:
    """Check that only differences of unit vectors vary in length; return the joint norm and distances."""
    pairs = ([(1, 0), (0, 1)], [(1, 0), (-1, 0)], [(1, 0), (1, 0)])
    joint = [float(np.linalg.norm(np.ravel(pair))) for pair in pairs]
    apart = [float(np.linalg.norm(np.subtract(pair[0], pair[1]))) for pair in pairs]
    orthogonal, opposite, equal = apart
    return Finding(
        (joint[0], *apart),
        len({round(x, 12) for x in joint}) == 1,
        f"taken together {joint[0]:.4f}; distances: orthogonal {orthogonal:.4f}, opposite {opposite:.0f}, equal {equal:.0f}",
    )


def set_of_minima() -> Finding:
    """Check that minima are taken by row; return the numbers of distances, row minima, and overall minima."""
    rows, others = minilm().documents_of(0)[:200].astype(float), minilm().agnostic
    assert others is not None
    distances = np.linalg.norm(rows[:, None] - others.astype(float)[None], axis=2)
    n_pairs, n_rows, n_minima = values = (
        float(distances.size),
        float(distances.min(axis=1).size),
        float(np.unique(distances.min()).size),
    )
    return Finding(
        values,
        n_rows == len(rows) < n_pairs,
        f"one for each pair: {n_pairs:.0f}; least over d′ for each d: {n_rows:.0f}; least of all: {n_minima:.0f}",
    )


def outside_not_named() -> Finding:
    """Check that Δ depends on the number of outside sentences; return its mean for 60 and for 600."""
    rows, others = minilm().documents_of(0), minilm().agnostic
    assert others is not None
    cosines = rows.astype(float) @ others.astype(float).T
    values = tuple(
        float(np.sqrt(2 - 2 * cosines[:, :number].max(axis=1)).mean()) for number in (60, len(others))
    )
    return Finding(
        values,
        values[1] < values[0] - 0.02,
        f"mean of Δ with 60 sentences {values[0]:.3f}, with 600 {values[1]:.3f}",
    )


def full_or_test() -> Finding:
    """Check that the accuracies fit full and test data; return 20% of 5,167, and both numbers of fits."""
    sizes = (round(0.2 * 5167), 5167)
    accuracies = printed()["full_accuracy"].to_numpy()
    possible = [sum(abs(100 * round(x / 100 * n) / n - x) <= 0.05 + 1e-9 for x in accuracies) for n in sizes]
    values = (float(sizes[0]), *map(float, possible))
    return Finding(
        values,
        min(possible) == len(accuracies),
        f"test questions {values[0]:.0f}; accuracies that they allow: {values[1]:.0f} of 8; that 5,167 allow: {values[2]:.0f}",
    )


def apart_from_the_outside_only() -> Finding:
    """Check that FT and PT-FT spread the domain even more; return the changes of the log ratio."""
    changes = {name: separation_change(name) for name in ("FT", "PT-FT")}
    return Finding(
        tuple(change.log_ratio for change in changes.values()),
        all(change.log_ratio_high < 0 for change in changes.values()),
        ", ".join(
            f"{name} {change.log_ratio:+.3f} (at most {change.log_ratio_high:+.3f})"
            for name, change in changes.items()
        ),
    )


def ndcg_of_means() -> Finding:
    """Check that printed NDCG means disagree with the full data; return their number and largest error."""
    errors = ndcg_mean_errors(20)
    values = (float((errors > 3).sum()), float(errors.max()))
    return Finding(
        values,
        values[0] > 0,
        f"with 20 samples {values[0]:.0f} of 8 differ by more than three errors after rounding, {errors.idxmax()} by "
        f"{values[1]:.1f}",
    )


# --- correlations and isotropy ------------------------------------------------------------------------------


def table_1() -> Finding:
    """Check that Table I does not follow from Table II; return the correlations from its rows."""
    table = experiments.table_1_recomputed().head(3)
    coe, roe, tau_roe = values = tuple(float(x) for x in table["from_rows"])
    differences = (table["from_rows"] - table["printed"]).abs()
    return Finding(
        values,
        bool((differences > 0.05).all()),
        f"accuracy and COE {coe:.3f}, accuracy and ROE {roe:.3f}, τ and ROE {tau_roe:.3f}",
    )


def pooling() -> Finding:
    """Check that pooling hides correlations of accuracy with isotropy; return them over 8 and 32 rows."""
    baseline = printed_transforms().query("transform == 'Baseline'")
    r_a, r_b, pooled_a, pooled_b = values = tuple(
        correlation(baseline["accuracy"], baseline[s], rng=0).estimate for s in ("i_a", "i_b")
    ) + tuple(
        pooling_effect(printed_transforms(), "accuracy", s, group="transform").pooled for s in ("i_a", "i_b")
    )
    return Finding(
        values,
        r_a > 0.8 and abs(pooled_a) < 0.2,
        f"eight models: I_A {r_a:.3f}, I_B {r_b:.3f}; all 32 rows: I_A {pooled_a:.3f}, I_B {pooled_b:.3f}",
    )


def odd_cells_hide_it() -> Finding:
    """Check that two odd cells hide a correlation within transformations; return it with and without."""
    table = printed_transforms()
    values = tuple(
        pooling_effect(rows, "accuracy", "i_a", group="transform").within
        for rows in (table, table[~table["odd"]])
    )
    return Finding(
        values,
        values[1] > values[0] + 0.5,
        f"within transformations: all rows {values[0]:.3f}, without the two cells {values[1]:.3f}",
    )


def eight_models() -> Finding:
    """Check that eight models leave a wide interval of r = 0.882; return those of 8 and 14 models."""
    (low, high), (low_14, high_14) = strength(0.882, 8), strength(0.882, 14)
    return Finding(
        (low, high, low_14, high_14),
        high - low > 0.5,
        f"95% interval with n = 8: {low:.3f} to {high:.3f}, with n = 14: {low_14:.3f} to {high_14:.3f}",
    )


def one_dataset() -> Finding:
    """Check that Table I has fewer datasets than Section V-A mentions; return both numbers."""
    shown = len(experiments.printed_correlations()) / 5
    return Finding((shown, 3.0), shown < 3, f"datasets in Table I: {shown:.0f}; in the sentence: 3")


def whitened_is_not_whitened() -> Finding:
    """Check that rows printed as whitened are not; return I_B of whitened rows, and printed extremes."""
    rows = np.random.default_rng(0).standard_normal((400, 20)) @ np.random.default_rng(1).standard_normal(
        (20, 20)
    )
    table = printed_transforms().groupby("transform")["i_b"]
    computed, low, high, standardized = values = (
        100 * isoscore(Whitening().fit_transform(rows)),
        float(table.min()["Whitened"]),
        float(table.max()["Whitened"]),
        float(table.min()["Standardized"]),
    )
    return Finding(
        values,
        high < 90 < standardized,
        f"whitened by their own covariance {computed:.2f}; printed under Whitened {low:.2f} to {high:.2f}, under Standardized at least {standardized:.2f}",
    )


def impossible_pair() -> Finding:
    """Check that the printed I_A is too small for the printed I_B; return bound and I_A of two models."""
    table = experiments.printed_isotropy_bounds().query("transform == 'Standardized'").set_index("model")
    bge_bound, bge_i_a, llm_bound, llm_i_a = values = tuple(
        float(table.loc[m, c]) for m in ("bge_large", "llm_embedder") for c in ("least_i_a", "i_a")
    )
    return Finding(
        values,
        bge_bound > bge_i_a and llm_bound > llm_i_a,
        f"bge_large: at least {bge_bound:.2f} possible, {bge_i_a:.2f} printed; llm_embedder: at least {llm_bound:.2f}, {llm_i_a:.2f}",
    )


def too_low_scores() -> Finding:
    """Check that every printed I_A is too low for centered rows; return counts, and PCA's bound and maximum."""
    table = experiments.printed_isotropy_bounds()
    removed = table[table["transform"] == "PCA"]
    n_cells, n_below, bound, largest = values = (
        float(len(table)),
        float((table["i_a"] < table["least_i_a"]).sum()),
        float(removed["least_i_a"].min()),
        float(removed["i_a"].max()),
    )
    return Finding(
        values,
        n_cells == n_below and largest < bound,
        f"cells below the bound: {n_below:.0f} of {n_cells:.0f}; under PCA the bound is {bound:.1f}, the greatest printed "
        f"{largest:.2f}",
    )


def odd_cells() -> Finding:
    """Check that three cells stand out; return two ratios to the median I_A, and one to the baseline I_B."""
    table = printed_transforms().query("transform == 'Whitened'").set_index("model")
    median = float(table["i_a"].median())
    baseline = printed_transforms().query("transform == 'Baseline'").set_index("model")["i_b"]
    ratio = (table["i_b"] / baseline).sort_values()
    odd = table.index[table["odd"]]
    values = (*(float(table["i_a"][m]) / median for m in odd), float(ratio["bge_large"]))
    others = ratio.drop([*odd, "bge_large"])
    return Finding(
        values,
        len(values) == 3 and min(values[:2]) > 3 and values[2] > 2 > float(others.max()),
        f"I_A over the median of the column: {values[0]:.2f} and {values[1]:.2f}; I_B over the baseline's: bge_large "
        f"{values[2]:.2f}, {', '.join(f'{m} {ratio[m]:.2f}' for m in odd)}, the five others {others.min():.2f} to "
        f"{others.max():.2f}",
    )


def more_isotropic_by_which() -> Finding:
    """Check that I_A and I_B disagree about the base models; return both scores of both models."""
    table = printed_transforms().query("transform == 'Baseline' and stage == 'base'").set_index("family")
    values = tuple(float(table.loc[f, s]) for s in ("i_a", "i_b") for f in ("bge_large", "llm_embedder"))
    return Finding(
        values,
        values[0] < values[1] and values[2] > values[3],
        f"I_A: bge_large {values[0]:.2f}, llm_embedder {values[1]:.2f}; I_B: {values[2]:.2f}, {values[3]:.2f}",
    )


def isotropy_falls() -> Finding:
    """Check that PT lowers I_A and raises I_B of llm_embedder; return both scores of its four stages."""
    table = (
        printed_transforms().query("transform == 'Baseline' and family == 'llm_embedder'").set_index("stage")
    )
    stages = ("base", "pretrained", "pretrained_finetuned", "finetuned")
    i_a, i_b = ([float(table.loc[stage, score]) for stage in stages] for score in ("i_a", "i_b"))
    return Finding(
        (*i_a, *i_b),
        max(i_a[1:3]) < i_a[0] < i_a[3] and min(i_b[1:]) > i_b[0],
        "; ".join(
            f"{name}: base {s[0]:.2f}, PT {s[1]:.2f}, PT-FT {s[2]:.2f}, FT {s[3]:.2f}"
            for name, s in (("I_A", i_a), ("I_B", i_b))
        ),
    )


def one_score_alone() -> Finding:
    """Check that one score alone can be misleading; return I_A in 3 of 300 dimensions, and I_B of a cap."""
    i_a, i_b, mean_cosine = values = uneven_and_isotropic()
    return Finding(
        values,
        min(values) > 0.5,
        f"rows in 3 of 300 dimensions: I_A {i_a:.2f}; rows in a cap with a mean cosine of {mean_cosine:.3f}: I_B "
        f"{i_b:.2f}",
    )
