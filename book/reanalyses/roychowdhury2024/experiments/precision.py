"""Precision of accuracy, NDCG, and reciprocal rank: Table II for our data, widths, pairs of models, and ties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core.resampling import class_means
from isotropy_lab.retrieval.comparison import compare_models
from isotropy_lab.retrieval.ranking import answer_ranks
from isotropy_lab.retrieval.scores import bootstrap_interval, interval_of_samples, scores_of_ranks
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.sampling import PAPER_SIZES, interval_widths, questions_needed

__all__ = [
    "accuracy_at_k",
    "all_hits",
    "bootstrap_draws",
    "duplicated_documents",
    "interval_methods",
    "paired_and_single",
    "paper_and_full_mode",
    "performance_table",
    "question_kinds",
    "questions_for_a_difference",
    "questions_for_a_width",
    "width_against_questions",
    "width_by_accuracy",
]


#: Metrics, and the last rank that each of them counts.
LAST_RANKS = {"accuracy": 10, "ndcg": 10, "mrr": None}
#: Numbers of questions in a sample for which widths are shown.
SIZES = (50, 100, 200, 400, 800, 1600, 3200, 5167)


def performance_table(
    ranks: Mapping[str, Any], *, n_resamples: int = 10_000, n_questions: int | None = None
) -> pd.DataFrame:
    """Return Table II for our data: accuracy and NDCG, of samples and of all questions, with interval widths.

    Values are in percent; ``full_`` metrics refer to all questions.
    """
    rows = []
    for name, values in ranks.items():
        row: dict[str, Any] = {"model": name}
        for metric in ("accuracy", "ndcg"):
            interval = interval_of_samples(
                values, metric=metric, k=10, n_resamples=n_resamples, n_questions=n_questions, rng=0
            )
            row[metric] = 100 * interval.mean
            row[f"{metric}_width"] = 100 * interval.width
            row[f"full_{metric}"] = 100 * interval.estimate
        rows.append(row)
    return pd.DataFrame(rows)


def interval_methods(ranks: Any, *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return intervals of each metric, computed by percentiles, by BCa, and by Wilson's method."""
    all_ranks = np.asarray(ranks)
    rows: list[tuple[Any, ...]] = []
    for metric, k in LAST_RANKS.items():
        interval = interval_of_samples(all_ranks, metric=metric, k=k, n_resamples=n_resamples, rng=0)
        rows.append((metric, "percentile", interval.estimate, interval.mean, interval.low, interval.high))
        scores = scores_of_ranks(all_ranks, metric, k)
        bca = stats.bootstrap((scores,), np.mean, n_resamples=n_resamples, method="BCa", batch=1000, rng=0)
        mean, ends = float(bca.bootstrap_distribution.mean()), bca.confidence_interval
        rows.append((metric, "bca", interval.estimate, mean, float(ends.low), float(ends.high)))
        if metric == "accuracy":
            hits = int((all_ranks <= 10).sum())
            ends = stats.binomtest(hits, all_ranks.size).proportion_ci(method="wilson")
            rows.append((metric, "wilson", hits / all_ranks.size, math.nan, ends.low, ends.high))
    table = pd.DataFrame(rows, columns=["metric", "method", "estimate", "bootstrap_mean", "low", "high"])
    return table.assign(width=table["high"] - table["low"])


def all_hits() -> pd.DataFrame:
    """Return the intervals for a model with only hits, for which bootstrap samples do not vary.

    The columns are n_questions, and the lower ends by percentiles, Wilson, and Clopper and Pearson (exact).
    """
    rows = []
    for n in (5, 20, 100, 736):
        test = stats.binomtest(n, n)
        wilson, exact = (test.proportion_ci(0.95, method=name) for name in ("wilson", "exact"))
        rows.append((n, 1.0, wilson.low, exact.low))
    return pd.DataFrame(rows, columns=["n_questions", "bootstrap_low", "wilson_low", "exact_low"])


def bootstrap_draws(
    ranks: Any, *, n_resamples: int = 10_000, n_questions: int | None = None
) -> NDArray[np.float64]:
    """Return the accuracies of bootstrap samples for a histogram.

    The samples are those of `bootstrap_interval` with the seed 0.
    """
    all_ranks = np.asarray(ranks)
    classes, counts = np.unique(np.minimum(all_ranks, 11), return_counts=True)
    hits = scores_of_ranks(classes, "accuracy", 10)
    return class_means(hits, counts, n_questions or all_ranks.size, n_resamples, np.random.default_rng(0))


def paper_and_full_mode(ranks: Any) -> pd.DataFrame:
    """Return accuracies from samples of 100 questions, as the paper's widths imply, and from all questions.

    The columns are mode, n_bootstraps, n_questions, metric, estimate, bootstrap_mean, low, high, and width.
    """
    modes: dict[str, dict[str, Any]] = {"paper": dict(PAPER_SIZES), "full": {"n_resamples": 10_000}}
    rows = []
    for metric, k in LAST_RANKS.items():
        for mode, options in modes.items():
            interval = interval_of_samples(ranks, metric=metric, k=k, rng=0, **options)
            rows.append(
                {
                    "mode": mode,
                    "n_bootstraps": interval.n_resamples,
                    "n_questions": interval.n_questions,
                    "metric": metric,
                    "estimate": interval.estimate,
                    "bootstrap_mean": interval.mean,
                    "low": interval.low,
                    "high": interval.high,
                    "width": interval.width,
                }
            )
    return pd.DataFrame(rows)


def width_against_questions(
    ranks: Any, *, sizes: Sequence[int] = SIZES, n_resamples: int = 10_000
) -> pd.DataFrame:
    """Return the widths of bootstrap intervals of accuracy and NDCG by sample size.

    ``low`` and ``high`` enclose 95% of the widths from only 100 samples (`interval_widths`); ``normal`` and
    ``ndcg_normal`` are based on the standard deviation of single questions.
    """
    all_ranks = np.asarray(ranks)
    deviation = float(scores_of_ranks(all_ranks, "ndcg", 10).std())
    table = interval_widths(float((all_ranks <= 10).mean()), sizes, rng=0)
    for column, metric in (("bootstrap", "accuracy"), ("ndcg", "ndcg")):
        table[column] = [
            interval_of_samples(
                all_ranks, metric=metric, k=10, n_resamples=n_resamples, n_questions=n, rng=0
            ).width
            for n in sizes
        ]
    table["ndcg_normal"] = 2 * stats.norm.ppf(0.975) * deviation / np.sqrt(table["n_questions"])
    return table


def width_by_accuracy(
    accuracies: Sequence[float] = tuple(np.arange(50, 96) / 100), *, n_repeats: int = 1000
) -> pd.DataFrame:
    """Return the widths of intervals from 100 questions for every accuracy.

    The columns are accuracy and those of `interval_widths`, which are fractions.
    """
    tables = {
        accuracy: interval_widths(accuracy, [100], n_repeats=n_repeats, rng=0) for accuracy in accuracies
    }
    return pd.concat(tables, names=["accuracy", None]).reset_index("accuracy").reset_index(drop=True)


def accuracy_at_k(
    ranks: Mapping[str, Any], *, ks: Sequence[int] = (1, 2, 3, 5, 10, 20, 50, 100), n_resamples: int = 10_000
) -> pd.DataFrame:
    """Return accuracy@K for several K with confidence intervals.

    The columns are model, k, accuracy (of all questions), low, and high; values are fractions.
    """
    rows = []
    for name, values in ranks.items():
        for k in ks:
            interval = bootstrap_interval(values, k=k, n_resamples=n_resamples, rng=0)
            rows.append((name, k, interval.estimate, interval.low, interval.high))
    return pd.DataFrame(rows, columns=["model", "k", "accuracy", "low", "high"])


def paired_and_single(ranks: Mapping[str, Any], *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Compare models on the same questions by a paired interval and by their two single intervals.

    ``width_ratio`` is the width of the paired interval divided by that for two independent sets of questions,
    √(w₁² + w₂²).
    """
    options: Any = {"metric": "accuracy", "k": 10, "n_resamples": n_resamples, "rng": 0}
    single = {name: bootstrap_interval(values, **options) for name, values in ranks.items()}
    rows = []
    for first, second in itertools.combinations(ranks, 2):
        paired = compare_models(ranks[first], ranks[second], **options)
        a, b = single[first], single[second]
        rows.append(
            {
                "first": first,
                "second": second,
                "difference": paired.estimate,
                "low": paired.low,
                "high": paired.high,
                "mcnemar_p": paired.pvalue,
                "first_low": a.low,
                "first_high": a.high,
                "second_low": b.low,
                "second_high": b.high,
                "overlap": a.low <= b.high and b.low <= a.high,
                "differ": paired.low > 0 or paired.high < 0,
                "width_ratio": (paired.high - paired.low) / math.hypot(a.width, b.width),
            }
        )
    return pd.DataFrame(rows)


def duplicated_documents(
    variant: EmbeddingVariant, gold: Any, *, copies: Sequence[int] = (0, 1, 2)
) -> pd.DataFrame:
    """Return the effect of the rule for ties on accuracy and rank when documents are duplicated.

    Every document is duplicated, and all duplicates follow the originals, so that questions refer to the
    first of each pair.
    """
    documents = variant.documents_of(0)
    rows = []
    for n_copies in copies:
        repeated = np.concatenate([documents] * (n_copies + 1))
        for ties in ("lower-index", "worst"):
            ranks = answer_ranks(variant.questions, repeated, gold, ties=ties)
            rows.append(
                (n_copies, ties, float((ranks == 1).mean()), float((ranks <= 10).mean()), float(ranks.mean()))
            )
    return pd.DataFrame(rows, columns=["copies", "ties", "accuracy_1", "accuracy", "mean_rank"])


def question_kinds(ranks: Any, gold: Any, template_ranks: Any, template_gold: Any) -> pd.DataFrame:
    """Compare natural questions with those generated from names, overall and for the same documents."""
    a, b, gold_a, gold_b = map(np.asarray, (ranks, template_ranks, gold, template_gold))
    sets = {
        "natural": a,
        "from names": b,
        "natural, same documents": a[np.isin(gold_a, gold_b)],
        "from names, same documents": b[np.isin(gold_b, gold_a)],
    }
    rows = []
    for name, values in sets.items():
        interval = bootstrap_interval(values, k=10, n_resamples=10_000, rng=0)
        ndcg = float(scores_of_ranks(values, "ndcg", 10).mean())
        at_1 = float((values == 1).mean())
        rows.append((name, values.size, at_1, interval.estimate, interval.low, interval.high, ndcg))
    return pd.DataFrame(rows, columns=["questions", "n", "accuracy_1", "accuracy", "low", "high", "ndcg"])


def questions_for_a_width() -> pd.DataFrame:
    """Return the number of questions needed to estimate accuracy with a given precision.

    There is one row per accuracy and one column per half-width, such as "±.02".
    """
    rows = []
    for accuracy in (0.5, 0.67, 0.75, 0.82, 0.9, 0.95):
        deviation = math.sqrt(accuracy * (1 - accuracy))
        needed = {
            f"±{half:.3g}".replace("0.", "."): questions_needed(2 * half, deviation)
            for half in (0.05, 0.03, 0.02, 0.01)
        }
        rows.append({"accuracy": accuracy, **needed})
    return pd.DataFrame(rows)


def questions_for_a_difference(first: Any, second: Any) -> pd.DataFrame:
    """Return the number of questions needed to detect a difference in accuracy, with one or two sets.

    n = ((z + z_power) σ/δ)², where σ² is the variance of single questions' differences: d − δ² if a fraction
    d of the questions is a hit of only one model, and p₁(1 − p₁) + p₂(1 − p₂) for two sets.
    """
    hits_a, hits_b = np.asarray(first) <= 10, np.asarray(second) <= 10
    disagree = float((hits_a != hits_b).mean())
    p, q = float(hits_a.mean()), float(hits_b.mean())
    z = float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    rows = []
    for delta in (0.05, 0.03, 0.02, 0.01):
        paired = (z / delta) ** 2 * max(disagree - delta**2, delta - delta**2)
        rows.append((delta, math.ceil(paired), math.ceil((z / delta) ** 2 * (p * (1 - p) + q * (1 - q)))))
    return pd.DataFrame(rows, columns=["difference", "paired", "two_sets"])
