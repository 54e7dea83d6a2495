"""Accuracy, recall, NDCG, reciprocal rank and average precision with bootstrap intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.resampling import (
    bca_quantile,
    certain_ends,
    class_means,
    group_means,
    group_sums,
    percentile_ends,
)
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_groups, check_n_resamples
from isotropy_lab.retrieval.relevance import check_metric, judged_ranks, judged_scores

__all__ = ["BootstrapInterval", "bootstrap_interval"]


@dataclass(frozen=True)
class BootstrapInterval(Result):
    """A metric of retrieval, a fraction from 0 to 1, with a bootstrap interval.

    Attributes
    ----------
    mean, standard_error : float
        Mean and standard deviation of the bootstrap samples.
    low, high, confidence_level : float
        Ends of the interval, and the nominal coverage.
    estimate : float
        The metric of the questions themselves.
    method : str
        "percentile" or "bca"; "wilson" where all questions, or groups, have the same value, so that samples
        do not vary.
    metric, k : str, int or None
        What is measured, up to which rank; None for all.
    n_ranked, n_questions, n_resamples : int
        Questions that were ranked, questions in a sample (its mean if groups are drawn), and samples.
    n_groups : int or None
        Groups in a sample; None if questions are drawn one by one.
    """

    mean: float
    low: float
    high: float
    estimate: float
    standard_error: float
    confidence_level: float
    method: str
    metric: str
    k: int | None
    n_ranked: int
    n_questions: int
    n_resamples: int
    n_groups: int | None = None

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.high - self.low


def scores_of_ranks(ranks: NDArray[np.int64], metric: str, k: int | None) -> NDArray[np.float64]:
    """Return the score of each rank: a hit, 1/log₂(1 + rank) or 1/rank, or 0 beyond k."""
    return judged_scores(ranks[:, None], np.ones((ranks.size, 1), dtype=np.int64), metric, k)


def bootstrap_interval(
    ranks: Any,
    *,
    metric: str = "accuracy",
    k: int | None = 10,
    n_resamples: int = 10000,
    confidence_level: float = 0.95,
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return a metric of retrieval, such as accuracy@10, with its bootstrap interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or RelevantRanks
        Rank of each question's best-placed relevant document, 1 being best, as from `answer_ranks`; or the
        ranks of all, from `relevant_ranks` or `run_ranks`.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}, default "accuracy"
        What is measured: see `question_scores`.
    k : int or None, default 10
        Last rank that counts; None for all, with "mrr" and "map" only.
    n_resamples : int, default 10000
        Bootstrap samples, m; at least 40, and 2/(1 − confidence_level).
    confidence_level : float, default 0.95
        Nominal coverage.
    groups : array-like of shape (Q,), optional
        Label of the group of each question, such as its answer or its chapter. A sample draws as many groups
        as there are, each with all of its questions: for questions that are alike within groups, and a test
        set whose groups are a sample of those that there might be.
    rng : numpy.random.Generator or int, optional
        Draws the samples.

    Returns
    -------
    BootstrapInterval
        All in [0, 1], 1 being best. Where all questions have the same value, no sample varies, and the
        interval is Wilson's for the fraction of questions, or of groups, that have this value, the others
        having any.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty; if `k` is 0; if samples are too few; if an option
        does not exist; or if there are not as many labels as questions, or fewer than 2 groups.

    Notes
    -----
    Ends are percentiles of the samples, linearly interpolated. Questions are drawn with replacement, as the
    numbers of questions with ranks 1, …, K and beyond, and from the same source for all metrics at K: one
    seed means the same samples. With several relevant documents, classes of questions have equal ranks up to
    K, and grades. The mean over a sample of groups is a ratio, whose denominator varies too; with fewer than
    some 20 groups, or very unequal ones, such intervals are too narrow. Documents are taken as given.
    Unchanged by any order of the questions. O(Q log Q + m K) time, 24 MB; O(m Q) if there are some hundred
    classes or groups. Roychowdhury et al. (2025), section II-A, where m and K are not given; Cameron, Gelbach
    and Miller (2008) for groups.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_interval
    >>> found = bootstrap_interval([1] * 60 + [4] * 20 + [25] * 20, k=10, rng=0)
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    >>> bootstrap_interval([1, 2, 4, 4], metric="mrr", k=None, rng=0).estimate
    0.5
    """
    return interval_of_samples(
        ranks,
        metric=metric,
        k=k,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        groups=groups,
        rng=rng,
    )


def interval_of_samples(
    ranks: Any,
    *,
    metric: str,
    k: int | None,
    n_resamples: int,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState,
) -> BootstrapInterval:
    """Return the `bootstrap_interval`, also with samples of another size, or by method "bca"."""
    k = check_metric(metric, k)
    places, grades = judged_ranks(ranks)
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    n_ranked = len(places)
    size = n_questions or n_ranked
    generator = checks.as_generator(rng)
    # Independent draws: of questions, in classes that score alike for every metric, or of groups of
    # questions.
    if groups is None:
        n_groups, n_drawn = None, size
        places, grades, counts = _classes(places, grades, k)
        values = judged_scores(places, grades, metric, k)
        estimate = float(counts @ values) / n_ranked
        certain = np.ptp(values) == 0
    else:
        sums, sizes = group_sums(judged_scores(places, grades, metric, k), as_groups(groups, n_ranked))
        n_groups = n_drawn = sums.size
        counts = np.ones(n_groups, dtype=np.int64)
        estimate = math.fsum(sums) / n_ranked
        # What a group adds to the estimate, times the number of groups: their mean is the estimate.
        values = estimate + (sums - estimate * sizes) * (n_groups / n_ranked)
        certain = np.ptp(sums / sizes) <= 1e-14
    mean, error = estimate, 0.0
    if certain:
        method = "wilson"
        low, high = certain_ends(estimate, n_drawn, level, lowest=0.0, highest=1.0)
    else:
        if n_groups is None:
            means = class_means(values, counts, size, m, generator)
        else:
            means = group_means(sums, sizes, m, generator)
        mean, error = float(means.mean()), float(means.std(ddof=1))
        if method == "percentile":
            low, high = percentile_ends(means, level)
        else:
            low, high = (
                bca_quantile(means, values, counts, n_drawn, tail)
                for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
            )
    return BootstrapInterval(
        mean=mean,
        low=low,
        high=high,
        estimate=estimate,
        standard_error=error,
        confidence_level=level,
        method=method,
        metric=metric,
        k=k,
        n_ranked=n_ranked,
        n_questions=size,
        n_resamples=m,
        n_groups=n_groups,
    )


def _classes(
    ranks: NDArray[np.int64], grades: NDArray[np.int64], k: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows of ranks and grades, with ranks beyond k as one, and their counts."""
    if k is not None:
        beyond = min(k, 2**62) + 1  # what a rank can be
        ranks = np.where(ranks > 0, np.minimum(ranks, beyond), beyond)
        order = np.lexsort((grades, ranks))  # the order of documents beyond k does not matter
        ranks, grades = (np.take_along_axis(x, order, axis=1) for x in (ranks, grades))
    rows, counts = np.unique(np.hstack([ranks, grades]), axis=0, return_counts=True)
    return rows[:, : ranks.shape[1]], rows[:, ranks.shape[1] :], counts
