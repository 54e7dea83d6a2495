"""Precision of accuracy, NDCG, and reciprocal rank: Table II for our data, widths, pairs of models, and ties."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core.resampling import class_means
from isotropy_lab.retrieval._checks import as_ranks, check_models, check_n_resamples, check_same_questions
from isotropy_lab.retrieval.comparison import compare_models, pairs_of_models
from isotropy_lab.retrieval.ranking import answer_ranks
from isotropy_lab.retrieval.scores import bootstrap_interval, interval_of_samples, scores_of_ranks
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.sampling import PAPER_MODE, interval_width, questions_needed

__all__ = [
    "SIZES",
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


METRICS = ("accuracy", "ndcg", "mrr")
#: Numbers of questions in a sample for which widths are shown.
SIZES = (50, 100, 200, 400, 800, 1600, 3200, 5167)


def performance_table(
    ranks: Mapping[str, Any],
    *,
    k: int = 10,
    n_resamples: int = 10_000,
    n_questions: int | None = None,
    method: str = "percentile",
    rng: int = 0,
) -> pd.DataFrame:
    """Return Table II for our data: accuracy, NDCG, and reciprocal rank with the widths of their intervals."""
    rows = []
    for name, values in ranks.items():
        row: dict[str, Any] = {"model": name}
        full = {}
        for metric in METRICS:
            found = interval_of_samples(
                values,
                metric=metric,
                k=None if metric == "mrr" else k,
                n_resamples=n_resamples,
                n_questions=n_questions,
                method=method,
                rng=rng,
            )
            row |= {
                metric: 100 * found.mean,
                f"{metric}_low": 100 * found.low,
                f"{metric}_high": 100 * found.high,
                f"{metric}_width": 100 * found.width,
            }
            full[f"full_{metric}"] = 100 * found.estimate
        rows.append(row | full)
    return pd.DataFrame(rows)


def interval_methods(ranks: Any, *, k: int = 10, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return intervals of each metric, computed by percentiles, by BCa, and by Wilson's method."""
    numbers = as_ranks(ranks)
    rows: list[tuple[Any, ...]] = []
    for metric in METRICS:
        for method in ("percentile", "bca"):
            last = None if metric == "mrr" else k
            found = interval_of_samples(
                numbers, metric=metric, k=last, n_resamples=n_resamples, method=method, rng=0
            )
            rows.append((metric, method, found.estimate, found.mean, found.low, found.high))
        if metric == "accuracy":
            hits = int((numbers <= k).sum())
            ends = stats.binomtest(hits, numbers.size).proportion_ci(method="wilson")
            rows.append((metric, "wilson", hits / numbers.size, math.nan, ends.low, ends.high))
    table = pd.DataFrame(rows, columns=["metric", "method", "estimate", "bootstrap_mean", "low", "high"])
    return table.assign(width=table["high"] - table["low"])


def all_hits() -> pd.DataFrame:
    """Return the intervals for a model with only hits, for which bootstrap samples do not vary.

    Columns n_questions, bootstrap_low (of percentiles), wilson_low, exact_low (Clopper and Pearson).
    """
    rows = []
    for size in (5, 20, 100, 736):
        test = stats.binomtest(size, size)
        wilson, exact = (test.proportion_ci(0.95, method=name) for name in ("wilson", "exact"))
        rows.append((size, 1.0, wilson.low, exact.low))
    return pd.DataFrame(rows, columns=["n_questions", "bootstrap_low", "wilson_low", "exact_low"])


def bootstrap_draws(
    ranks: Any, *, k: int = 10, n_resamples: int = 10_000, n_questions: int | None = None, rng: int = 0
) -> NDArray[np.float64]:
    """Return the accuracies of bootstrap samples for a histogram.

    The samples are those of `bootstrap_interval` with this seed.
    """
    numbers = as_ranks(ranks)
    size = numbers.size if n_questions is None else n_questions
    m = check_n_resamples(n_resamples)
    classes, counts = np.unique(np.minimum(numbers, k + 1), return_counts=True)
    hits = scores_of_ranks(classes, "accuracy", k)
    return class_means(hits, counts, size, m, np.random.default_rng(rng))


def paper_and_full_mode(ranks: Any) -> pd.DataFrame:
    """Return accuracies from samples of 100 questions, as the paper's widths imply, and from all questions.

    Columns mode, n_bootstraps, n_questions, metric, estimate, bootstrap_mean, low, high, width.
    """
    modes: dict[str, dict[str, Any]] = {"paper": dict(PAPER_MODE), "full": {"n_resamples": 10_000}}
    rows = []
    for metric in METRICS:
        for mode, options in modes.items():
            found = interval_of_samples(
                ranks, metric=metric, k=None if metric == "mrr" else 10, rng=0, **options
            )
            rows.append(
                {
                    "mode": mode,
                    "n_bootstraps": found.n_resamples,
                    "n_questions": found.n_questions,
                    "metric": metric,
                    "estimate": found.estimate,
                    "bootstrap_mean": found.mean,
                    "low": found.low,
                    "high": found.high,
                    "width": found.width,
                }
            )
    return pd.DataFrame(rows)


def width_against_questions(
    ranks: Any, *, sizes: Sequence[int] = SIZES, n_resamples: int = 10_000
) -> pd.DataFrame:
    """Return the widths of bootstrap and binomial intervals by sample size.

    ``low`` and ``high`` enclose 95% of the widths from only 100 samples (`interval_width`); ``ndcg_normal``
    is based on the standard deviation of single questions.
    """
    numbers = as_ranks(ranks)
    deviation = float(scores_of_ranks(numbers, "ndcg", 10).std())
    theory = interval_width(float((numbers <= 10).mean()), list(sizes), rng=0).set_index("n_questions")
    rows = []
    for size in sizes:
        of: dict[str, Any] = {"k": 10, "n_resamples": n_resamples, "n_questions": size, "rng": 0}
        rows.append(
            {
                "n_questions": size,
                "bootstrap": interval_of_samples(numbers, metric="accuracy", **of).width,
                "ndcg": interval_of_samples(numbers, metric="ndcg", **of).width,
                **{
                    name: float(theory.loc[size, name])
                    for name in ("normal", "wilson", "binomial", "low", "high")
                },
                "ndcg_normal": 2 * stats.norm.ppf(0.975) * deviation / math.sqrt(size),
            }
        )
    return pd.DataFrame(rows)


def width_by_accuracy(accuracies: Any = None, *, n_repeats: int = 1000) -> pd.DataFrame:
    """Return the width of intervals for every accuracy at a sample size: 2z√(p(1 − p)/l), with its spread.

    Columns accuracy, and normal, mean, sd, low and high of `interval_width`: fractions.
    """
    values = (
        np.arange(50, 96) / 100 if accuracies is None else np.atleast_1d(np.asarray(accuracies, dtype=float))
    )
    rows = []
    for accuracy in values:
        found = interval_width(float(accuracy), 100, n_resamples=100, n_repeats=n_repeats, rng=0).iloc[0]
        rows.append({"accuracy": float(accuracy), **found[["normal", "mean", "sd", "low", "high"]].to_dict()})
    return pd.DataFrame(rows)


def accuracy_at_k(
    ranks: Mapping[str, Any], *, ks: Sequence[int] = (1, 2, 3, 5, 10, 20, 50, 100), n_resamples: int = 10_000
) -> pd.DataFrame:
    """Return accuracy@K for several K with confidence intervals.

    Columns model, k, accuracy (of all questions), low, high: fractions.
    """
    rows = []
    for name, values in ranks.items():
        for k in ks:
            found = bootstrap_interval(values, k=k, n_resamples=n_resamples, rng=0)
            rows.append((name, k, found.estimate, found.low, found.high))
    return pd.DataFrame(rows, columns=["model", "k", "accuracy", "low", "high"])


def paired_and_single(ranks: Mapping[str, Any], *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Compare models on the same questions by a paired interval and by their two single intervals.

    ``width_ratio`` is the width of the paired interval divided by that for two independent sets of questions,
    √(w₁² + w₂²).
    """
    names = check_models(ranks, None)
    single = {
        name: bootstrap_interval(ranks[name], metric="accuracy", k=10, n_resamples=n_resamples, rng=0)
        for name in names
    }
    rows = []
    for first, second in pairs_of_models(names, None):
        found = compare_models(
            ranks[first], ranks[second], metric="accuracy", k=10, n_resamples=n_resamples, rng=0
        )
        a, b = single[first], single[second]
        rows.append(
            {
                "first": first,
                "second": second,
                "difference": found.estimate,
                "low": found.low,
                "high": found.high,
                "p": found.pvalue,
                "mcnemar_p": found.mcnemar_pvalue,
                "first_low": a.low,
                "first_high": a.high,
                "second_low": b.low,
                "second_high": b.high,
                "overlap": a.low <= b.high and b.low <= a.high,
                "differ": found.low > 0 or found.high < 0,
                "width_ratio": (found.high - found.low) / math.hypot(a.width, b.width),
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
    for number in copies:
        many = np.concatenate([documents] * (number + 1))
        for ties in ("lower-index", "worst"):
            ranks = answer_ranks(variant.questions, many, gold, ties=ties)
            rows.append(
                (number, ties, float((ranks == 1).mean()), float((ranks <= 10).mean()), float(ranks.mean()))
            )
    return pd.DataFrame(rows, columns=["copies", "ties", "accuracy_1", "accuracy", "mean_rank"])


def question_kinds(ranks: Any, gold: Any, template_ranks: Any, template_gold: Any) -> pd.DataFrame:
    """Compare natural questions with those generated from names, overall and for the same documents."""
    a, b = (as_ranks(ranks), as_ranks(template_ranks, "template_ranks"))
    gold_a, gold_b = np.asarray(gold), np.asarray(template_gold)
    check_same_questions({"ranks": a.size, "gold": gold_a.size})
    check_same_questions({"template_ranks": b.size, "template_gold": gold_b.size})
    sets = {
        "natural": a,
        "from names": b,
        "natural, same documents": a[np.isin(gold_a, gold_b)],
        "from names, same documents": b[np.isin(gold_b, gold_a)],
    }
    rows = []
    for name, values in sets.items():
        found = bootstrap_interval(values, k=10, n_resamples=10_000, rng=0)
        ndcg = float(scores_of_ranks(values, "ndcg", 10).mean())
        rows.append(
            (name, values.size, float((values == 1).mean()), found.estimate, found.low, found.high, ndcg)
        )
    return pd.DataFrame(rows, columns=["questions", "n", "accuracy_1", "accuracy", "low", "high", "ndcg"])


def questions_for_a_width() -> pd.DataFrame:
    """Return the number of questions needed to estimate accuracy with a given precision.

    There is one row per accuracy and one column per half-width, such as "±.02".
    """
    rows = []
    for accuracy in (0.5, 0.67, 0.75, 0.82, 0.9, 0.95):
        p = accuracy
        deviation = math.sqrt(p * (1 - p))
        needed = {
            f"±{half:.3g}".replace("0.", "."): questions_needed(2 * half, deviation)
            for half in (0.05, 0.03, 0.02, 0.01)
        }
        rows.append({"accuracy": p, **needed})
    return pd.DataFrame(rows)


def questions_for_a_difference(first: Any, second: Any) -> pd.DataFrame:
    """Return the number of questions needed to detect a difference in accuracy, with one or two sets.

    n = ((z + z_power) σ/δ)², where σ² is the variance of single questions' differences: d − δ² if a fraction
    d of the questions is a hit of only one model, and p₁(1 − p₁) + p₂(1 − p₂) for two sets.
    """
    a, b = (as_ranks(first, "first"), as_ranks(second, "second"))
    check_same_questions({"first": a.size, "second": b.size})
    hits_a, hits_b = a <= 10, b <= 10
    disagree = float((hits_a != hits_b).mean())
    p, q = float(hits_a.mean()), float(hits_b.mean())
    z = float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    rows = []
    for delta in (0.05, 0.03, 0.02, 0.01):
        paired = (z / delta) ** 2 * max(disagree - delta**2, delta - delta**2)
        rows.append((delta, math.ceil(paired), math.ceil((z / delta) ** 2 * (p * (1 - p) + q * (1 - q)))))
    return pd.DataFrame(rows, columns=["difference", "paired", "two_sets"])
