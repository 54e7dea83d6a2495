"""Sample sizes that the numbers reported by Roychowdhury et al. (2025) imply or exclude."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from reanalyses.roychowdhury2024.correlations import (
    TABLE_1_PAIRS,
    correlation,
    correlations,
    pooling_effect,
    power_sums,
    products_about_means,
)
from reanalyses.roychowdhury2024.published import (
    printed_correlations,
    printed_performance,
    printed_transforms,
)
from reanalyses.roychowdhury2024.sampling import (
    interval_widths,
    largest_loss,
    ndcg_deviation_bounds,
    questions_needed,
)

__all__ = [
    "explained_by_accuracy",
    "implied_bootstraps",
    "isotropy_correlations_printed",
    "possible_decimals",
    "printed_isotropy_bounds",
    "printed_ndcg_widths",
    "printed_threshold_losses",
    "printed_width_changes",
    "printed_widths",
    "spread_of_widths",
    "table_1_recomputed",
    "table_1_with_further_models",
    "whole_ranking_ndcg_widths",
]

_Z = float(stats.norm.ppf(0.975))
#: Number of documents in the paper, and of questions in one of its samples.
_N_DOCUMENTS, _N_QUESTIONS = 5257, 100

#: Number of dimensions of the embeddings of both families.
DIMENSIONS = {"bge_large": 1024, "llm_embedder": 768}


def printed_widths(*, n_questions: int = 100, n_repeats: int = 2000) -> pd.DataFrame:
    """Compare the widths of the accuracy intervals in Table II with those of samples of a given size.

    ``implied`` is the number of questions l for which 2z√(p(1 − p)/l) equals the printed width.
    """
    table = printed_performance()[["model", "accuracy", "accuracy_width"]]
    table = table.rename(columns={"accuracy_width": "width"})
    chance = pd.concat(
        interval_widths(accuracy / 100, [n_questions], n_repeats=n_repeats, rng=0)
        for accuracy in table["accuracy"]
    ).reset_index(drop=True)
    p = table["accuracy"] / 100
    return table.assign(
        expected=100 * chance["mean"],
        low=100 * chance["low"],
        high=100 * chance["high"],
        z=(table["width"] - 100 * chance["mean"]) / (100 * chance["sd"]),
        implied=1e4 * p * (1 - p) * (2 * _Z / table["width"]) ** 2,
    )


def printed_ndcg_widths() -> pd.DataFrame:
    """Return the sample sizes required for the reported NDCG intervals of Table II.

    ``at_100_low`` and ``at_100_high`` are the smallest and largest widths possible for samples of 100
    questions, whatever the ranks.
    """
    columns = ["model", "accuracy", "ndcg", "ndcg_width"]
    rows = []
    for model, accuracy, ndcg, width in printed_performance()[columns].itertuples(index=False):
        low, high = ndcg_deviation_bounds(ndcg / 100, accuracy / 100)
        rows.append(
            {
                "model": model,
                "ndcg": ndcg,
                "width": width,
                "at_100_low": 20 * _Z * low,
                "at_100_high": 20 * _Z * high,
                "least": questions_needed(width / 100, low),
                "most": questions_needed(width / 100, high),
            }
        )
    return pd.DataFrame(rows)


def whole_ranking_ndcg_widths(k: int) -> NDArray[np.float64]:
    """Return each model's smallest NDCG width if NDCG uses the whole ranking, given the accuracy at `k`.

    Hits then have the gains of the first k ranks, and misses those of the later ranks. The accuracy, the mean
    gain, and the printed width of the accuracy interval are given. NaN if no ranking has both means.
    """
    gains = 1.0 / np.log2(1.0 + np.arange(_N_DOCUMENTS, 0, -1))
    hits, misses = gains[-k:], gains[:-k]  # ascending
    widths = []
    for row in printed_performance().itertuples(index=False):
        p, mean = row.accuracy / 100, row.ndcg / 100
        hit_gains = np.linspace(hits[0], hits[-1], 4001)
        miss_gains = (mean - p * hit_gains) / (1 - p)
        possible = (miss_gains >= misses[0]) & (miss_gains <= misses[-1])
        squares = p * np.interp(hit_gains, hits, hits**2) + (1 - p) * np.interp(miss_gains, misses, misses**2)
        variance = float((squares - mean**2)[possible].min()) if possible.any() else math.nan
        widths.append(row.accuracy_width * math.sqrt(max(variance, 0.0) / (p * (1 - p))))
    return np.array(widths)


def possible_decimals(
    *, sizes: Sequence[int] = (50, 64, 80, 100, 120, 125, 128, 150, 200, 250, 256, 300, 400, 500, 1000, 5167)
) -> pd.DataFrame:
    """Return the sample sizes and numbers of samples compatible with the decimals of the reported widths.

    With l questions, accuracies are multiples of 100/l percent, and a percentile interpolates linearly
    between neighbors at a fraction of the step that depends only on the number of samples modulo 40.
    Therefore, only some decimals are possible if neighbors differ by at most two steps; a printed number may
    be rounded or truncated. ``chance`` is the probability that arbitrary decimals would pass: the fraction
    ``possible`` to the power of the number of distinct printed decimals.
    """
    widths = printed_performance()["accuracy_width"].to_numpy()
    # In hundredths of a point; the integer part of a width is arbitrary, in steps of 100/l.
    printed = np.unique(np.round(100 * (widths % 1)).astype(int) % 100)
    rows = []
    for size in sizes:
        step = 100 / size
        for modulo in range(40):
            fraction = ((modulo - 1) % 40) / 40  # position between order statistics at 2.5%
            offsets = np.array([e * (1 - fraction) - d * fraction for d in range(3) for e in range(3)])
            counts = np.arange(size)  # integer numbers of steps, `size` of which are 100 points
            exact = 100 * (step * (offsets[:, None] + counts[None])).ravel()
            # Truncation turns 17.05 into 17.04 if its floating-point value is slightly smaller.
            roundings = (np.floor(exact + 1e-6), np.floor(exact - 1e-6), np.round(exact))
            hundredths = np.unique(np.concatenate(roundings).astype(int) % 100)
            if np.isin(printed, hundredths).all():
                fraction_allowed = hundredths.size / 100
                rows.append((size, modulo, fraction_allowed, fraction_allowed**printed.size))
    return pd.DataFrame(rows, columns=["n_questions", "n_bootstraps_modulo_40", "possible", "chance"])


def implied_bootstraps(
    n_resamples: Sequence[int] = (20, 60, 100, 140, 220, 500, 1000, 10_000),
) -> pd.DataFrame:
    """Compare the means over samples in Table II with the full data, for given numbers of samples.

    ``chi_square`` is Σ (mean − full)² l m/(p(1 − p)) over the eight models.
    """
    table = printed_performance()
    p = table["full_accuracy"].to_numpy() / 100
    deviation = (table["accuracy"].to_numpy() / 100 - p) ** 2 / (p * (1 - p))
    sizes = np.asarray(n_resamples)
    statistics = float(deviation.sum()) * _N_QUESTIONS * sizes
    p_high = stats.chi2.sf(statistics, len(table))
    return pd.DataFrame({"n_bootstraps": sizes, "chi_square": statistics, "p_high": p_high})


def spread_of_widths(*, hits_correlation: float = 0.0) -> pd.DataFrame:
    """Return the probability that one of two equally good models has a narrower interval by chance.

    Each model has its own samples or, if `hits_correlation` is above 0, both have the same samples, and their
    hits on a question have this correlation.
    """
    p, n_resamples, n_pairs = 0.8164, 100, 20_000
    rho = hits_correlation
    generator = np.random.default_rng(0)
    if rho > 0:
        both_hit = p * p + rho * p * (1 - p)
        shares = [both_hit, p - both_hit, p - both_hit, 1 - 2 * p + both_hit]
        counts = generator.multinomial(_N_QUESTIONS, shares, size=(n_pairs, n_resamples))
        pair = [counts[..., 0] + counts[..., 1], counts[..., 0] + counts[..., 2]]
    else:
        pair = [generator.binomial(_N_QUESTIONS, p, size=(n_pairs, n_resamples)) for _ in range(2)]
    widths = []
    for hits in pair:
        low, high = np.percentile(hits, [2.5, 97.5], axis=1)
        widths.append(100 * (high - low) / _N_QUESTIONS)
    difference = widths[0] - widths[1]
    # Widths are multiples of 1/40 point; rounding must not decide whether one is narrower by exactly this amount.
    rows = [(by, float((difference > by - 1e-9).mean())) for by in (0.5, 1.0, 1.5, 2.0, 3.0)]
    return pd.DataFrame(rows, columns=["narrower_by", "chance"])


def printed_width_changes() -> pd.DataFrame:
    """Compare the stated changes of widths between stages with those that the change in accuracy implies."""
    table = printed_performance().set_index("model")
    steps = {
        "base → FT": ("", "_finetuned"),
        "base → PT": ("", "_pretrained"),
        "PT → PT-FT": ("_pretrained", "_pretrained_finetuned"),
        "FT → PT-FT": ("_finetuned", "_pretrained_finetuned"),
    }
    rows = []
    for family in ("bge_large", "llm_embedder"):
        for step, (stage_before, stage_after) in steps.items():
            before, after = table.loc[family + stage_before], table.loc[family + stage_after]
            deviations = [math.sqrt(row["accuracy"] * (100 - row["accuracy"])) for row in (before, after)]
            rows.append(
                {
                    "family": family,
                    "step": step,
                    "ratio": after["accuracy_width"] / before["accuracy_width"],
                    "ratio_by_accuracy": deviations[1] / deviations[0],
                }
            )
    return pd.DataFrame(rows)


def explained_by_accuracy() -> dict[str, float]:
    """Return the fraction of the variance of reported accuracy widths that √(p(1 − p)) explains.

    ``p`` refers to the deviations from samples of 100 questions, with eight degrees of freedom.
    """
    table = printed_widths()
    deviation = np.sqrt(table["accuracy"] * (100 - table["accuracy"]))
    r = float(np.corrcoef(deviation, table["width"])[0, 1])
    statistic = float((table["z"] ** 2).sum())
    return {"r_squared": r**2, "p": float(stats.chi2.sf(statistic, len(table)))}


def printed_threshold_losses() -> pd.DataFrame:
    """Compare the published losses due to thresholds with the largest losses that the definition allows.

    Values are in percent and points. ``error`` is the standard error of the difference of two means over 100
    independent samples, and ``possible_up_to`` the number of questions in a sample up to which the loss is
    possible (below 1: none).
    """
    table = printed_performance()[["model", "tau", "psi", "accuracy", "accuracy_at_tau"]]
    p, q = table["accuracy"] / 100, table["accuracy_at_tau"] / 100
    loss = table["accuracy"] - table["accuracy_at_tau"]
    largest = 100 * table["psi"].map(lambda psi: largest_loss(psi, _N_QUESTIONS))
    possible = np.log1p(-table["psi"] / 100) / np.log1p(-loss / 100)
    return table.assign(
        loss=loss,
        largest_loss=largest,
        excess=loss - largest,
        error=100 * np.sqrt((p * (1 - p) + q * (1 - q)) / (100 * _N_QUESTIONS)),
        possible_up_to=possible.where(loss > 0),
    )


def table_1_recomputed() -> pd.DataFrame:
    """Compare the correlations of Table I with those of the eight rows of Tables II and III."""
    rows = printed_performance().merge(
        printed_transforms().query("transform == 'Baseline'")[["model", "i_a", "i_b"]], on="model"
    )
    table = printed_correlations().rename(columns={"correlation": "printed"})
    ours = correlations(rows, TABLE_1_PAIRS).rename(columns={"r": "from_rows"})
    return table.merge(ours[["first", "second", "from_rows", "low", "high"]], on=["first", "second"])


def table_1_with_further_models(*, n_further: int = 6) -> pd.DataFrame:
    """Return the possible correlations of Table I if further, unpublished models were included.

    Section III-B names six further models as evaluated. Their rows may be anywhere within the range of each
    printed column; all distributions of them over the corners of that range are tried, and all values between
    the smallest and largest correlation are possible. A further model has one row in Table II and four in
    Table III.
    """
    performance, transforms = printed_performance(), printed_transforms()
    rows = []
    for pair in printed_correlations().itertuples(index=False):
        in_table_2 = pair.second in performance
        table, n_rows = (performance, n_further) if in_table_2 else (transforms, 4 * n_further)
        x, y = (table[name].to_numpy(dtype=float) for name in (pair.first, pair.second))
        corners = np.array([(a, b) for a in (x.min(), x.max()) for b in (y.min(), y.max())])
        at_corners = [c for c in itertools.product(range(n_rows + 1), repeat=4) if sum(c) == n_rows]
        sums = power_sums(x, y).sum(axis=0) + np.array(at_corners) @ power_sums(*corners.T)
        xx, yy, xy = products_about_means(sums)
        r = xy / np.sqrt(xx * yy)
        from_rows = float(np.corrcoef(x, y)[0, 1])
        rows.append(
            (pair.first, pair.second, pair.correlation, from_rows, x.size, float(r.min()), float(r.max()))
        )
    return pd.DataFrame(rows, columns=["first", "second", "printed", "from_rows", "n", "least", "greatest"])


def isotropy_correlations_printed() -> pd.DataFrame:
    """Return Table III's correlations of accuracy with isotropy: by transformation, pooled, and decomposed.

    Intervals are Fisher's, and missing for dependent rows.
    """
    table = printed_transforms()
    rows: list[tuple[Any, ...]] = []
    for score in ("i_a", "i_b"):
        for name, group in table.groupby("transform", sort=False):
            result = correlation(group["accuracy"], group[score], rng=0)
            rows.append((score, str(name), result.estimate, result.low, result.high))
        all_rows = pooling_effect(table, "accuracy", score, group="transform")
        without_odd = pooling_effect(table[~table["odd"]], "accuracy", score, group="transform")
        for name, r in (
            ("all, pooled", all_rows.pooled),
            ("without odd cells, pooled", without_odd.pooled),
            ("all, within transformations", all_rows.within),
            ("without odd cells, within", without_odd.within),
            ("all, between transformations", all_rows.between),
        ):
            rows.append((score, name, r, math.nan, math.nan))
    return pd.DataFrame(rows, columns=["score", "rows", "r", "low", "high"])


def printed_isotropy_bounds() -> pd.DataFrame:
    """Compare I_A of transformed embeddings in Table III with the minimum for centered rows.

    Centered rows have I_A = (1 + λ_min/2)/(1 + λ_max/2), where λ are the eigenvalues of their covariance
    matrix (divisor N), so I_A is at least 1/(1 + λ_max/2). "Whitened": all λ are 1, and I_A is 100.
    "Standardized": the λ sum to n, and I_B determines the sum of their squares, n²/(1 + (n − 1) I_B); the
    largest λ is maximal if all others are equal. "PCA": unit rows minus their mean have at most unit
    variance, so λ_max ≤ 1. There is no bound for rows that are normalized afterwards.
    """
    table = printed_transforms().query("transform != 'Baseline'").reset_index(drop=True)
    n = table["family"].map(DIMENSIONS)
    used = 1 + (n - 1) * table["i_b"] / 100
    largest = (1 + np.sqrt((n - 1) * (n / used - 1))).where(table["transform"] == "Standardized", 1.0)
    smallest = 100 / (1 + largest / 2)
    smallest = smallest.where(table["transform"] != "Whitened", 100.0)
    return table[["model", "transform", "i_a", "i_b"]].assign(least_i_a=smallest)
