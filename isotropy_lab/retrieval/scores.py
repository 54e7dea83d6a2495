"""Accuracy, recall, NDCG, reciprocal rank and average precision with bootstrap intervals; how many questions they need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_groups, check_n_resamples
from isotropy_lab.retrieval._resampling import (
    bca_quantile,
    certain_ends,
    class_means,
    group_means,
    group_sums,
    percentile_ends,
)
from isotropy_lab.retrieval.relevance import check_metric, judged_ranks, judged_scores

__all__ = [
    "BootstrapInterval",
    "bootstrap_accuracy",
    "bootstrap_map",
    "bootstrap_mrr",
    "bootstrap_ndcg",
    "bootstrap_recall",
    "questions_needed",
]

METHODS = ("percentile", "bca")


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
        "percentile" or "bca"; "wilson" where all questions, or groups, have the same value, so that samples do not vary.
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
    """Return what each rank of an only relevant document adds to a metric: a hit, 1/log₂(1 + rank) or 1/rank, or 0."""
    return judged_scores(ranks[:, None], np.ones((ranks.size, 1), dtype=np.int64), metric, k)


def bootstrap_accuracy(
    ranks: Any,
    *,
    k: int = 10,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return accuracy@K, the fraction of questions with a relevant document among the K best, with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or RelevantRanks
        Rank of each question's best-placed relevant document, 1 being best, as from `answer_ranks`; or the ranks of all,
        from `relevant_ranks` or `run_ranks`.
    k : int, default 10
        Documents retrieved for a question.
    n_resamples : int, default 10000
        Bootstrap samples, m; at least 40, and 2/(1 − confidence_level).
    n_questions : int, optional
        Questions in a sample, l; by default all Q. With another number the interval says how an accuracy measured with
        that many questions would vary, not how well this one is known.
    confidence_level : float, default 0.95
        Nominal coverage.
    method : {"percentile", "bca"}, default "percentile"
        Percentiles of the samples, linearly interpolated, or with correction of bias and skewness.
    groups : array-like of shape (Q,), optional
        Label of the group of each question, such as its answer or its chapter. A sample draws as many groups as there
        are, each with all of its questions: for questions that are alike within groups, and a test set whose groups are
        a sample of those that there might be. Not with `n_questions`.
    rng : numpy.random.Generator or int, optional
        Draws the samples.

    Returns
    -------
    BootstrapInterval
        All in [0, 1], 1 being best. Where all questions are hits, or none, no sample varies, and the interval is
        Wilson's for `n_questions`, or for the number of groups.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty; if `k` is 0; if samples are too few; if an option does not exist;
        if there are not as many labels as questions, or fewer than 2 groups; or with "bca", if `n_questions` is so small beside a rare value that the correction is undefined.

    Notes
    -----
    Questions are drawn with replacement, as the numbers of questions with ranks 1, …, K and beyond, and from the same
    source for all metrics at K: one seed means the same samples. With several relevant documents, classes of questions
    have equal ranks up to K, and grades. The mean over a sample of groups is a ratio, whose denominator varies too; with
    fewer than some 20 groups, or very unequal ones, such intervals are too narrow. Documents are taken as given.
    Unchanged by any order of the questions. O(Q log Q + m K) time, 24 MB; O(m Q) if there are some hundred classes or
    groups. Roychowdhury et al. (2025), section II-A, where m, l and K are not given; Cameron, Gelbach and Miller (2008)
    for groups.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_accuracy
    >>> found = bootstrap_accuracy([1] * 60 + [4] * 20 + [25] * 20, k=10, rng=0)
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    """
    return _bootstrap(ranks, "accuracy", k, n_resamples, n_questions, confidence_level, method, groups, rng)


def bootstrap_recall(
    ranks: Any,
    *,
    k: int = 10,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return recall@K, the mean fraction of a question's relevant documents among the K best, with its interval.

    Parameters
    ----------
    ranks : RelevantRanks, or array-like of shape (Q,)
        From `relevant_ranks` or `run_ranks`. With one relevant document for each question recall is the accuracy.
    k : int, default 10
        Documents retrieved for a question. A question with more relevant documents than that cannot reach 1.
    n_resamples, n_questions, confidence_level, method, groups, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if all relevant documents are among the first K. Where all questions have the same value, the
        interval is Wilson's for the fraction of questions that have it, the others having any value.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty, `k` is 0, samples are too few, or an option does not exist or fit.

    Notes
    -----
    Samples are those of `bootstrap_accuracy`. O(Q log Q + m K) time with one relevant document for each question, O(m Q)
    at most; 24 MB. Unchanged by any order of the questions.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_recall, relevant_ranks
    >>> documents = [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]]
    >>> found = relevant_ranks([[1.0, 0.1], [0.0, 1.0]], documents, [[0, 1], [1, 2]])
    >>> bootstrap_recall(found, k=2, rng=0).estimate
    0.75
    """
    return _bootstrap(ranks, "recall", k, n_resamples, n_questions, confidence_level, method, groups, rng)


def bootstrap_ndcg(
    ranks: Any,
    *,
    k: int = 10,
    gain: str = "linear",
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return NDCG@K, with one relevant document the mean of 1/log₂(1 + rank), 0 beyond K, with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or RelevantRanks
        Rank of each question's only relevant document, 1 being best; or the ranks and grades of all, from
        `relevant_ranks` or `run_ranks`.
    k : int, default 10
        Documents retrieved for a question.
    gain : {"linear", "exponential"}, default "linear"
        What a document adds: its grade, or 2^grade − 1. Without grades both are 1.
    n_resamples, n_questions, confidence_level, method, groups, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if relevant documents are first, those of higher grades before others. Where all questions have
        the same value, the interval is
        Wilson's for the fraction of questions that have it, the others having any value.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty, `k` is 0, samples are too few, or an option does not exist or fit.

    Notes
    -----
    The discounted gains Σ g/log₂(1 + rank) of a question, over the highest that any ranking of all documents has; with one
    relevant document this is the discounted gain itself. O(Q log Q + m K) time, 24 MB. Unchanged by any order of the questions, and with
    linear gains by a factor on all grades. Järvelin and Kekäläinen (2002).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_ndcg
    >>> round(bootstrap_ndcg([1, 3, 50, 1], k=10, rng=0).estimate, 6)
    0.625
    """
    return _bootstrap(ranks, "ndcg", k, n_resamples, n_questions, confidence_level, method, groups, rng, gain)


def bootstrap_mrr(
    ranks: Any,
    *,
    k: int | None = None,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return the mean reciprocal rank of the first relevant document with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or RelevantRanks
        Rank of each question's best-placed relevant document, 1 being best; or the ranks of all.
    k : int, optional
        Last rank that counts; by default all do.
    n_resamples, n_questions, confidence_level, method, groups, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if every first document is relevant. Where all questions have the same rank, the interval is
        Wilson's for the fraction of questions that have it, the others having any rank.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty, `k` is 0, samples are too few, or an option does not exist or fit.

    Notes
    -----
    Classes are the different ranks: O(m Q) time at most, 24 MB. Unchanged by any order of the questions. Voorhees (1999).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_mrr
    >>> bootstrap_mrr([1, 2, 4, 4], rng=0).estimate
    0.5
    """
    return _bootstrap(ranks, "mrr", k, n_resamples, n_questions, confidence_level, method, groups, rng)


def bootstrap_map(
    ranks: Any,
    *,
    k: int | None = None,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    groups: Any = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Return the mean average precision with its interval.

    Parameters
    ----------
    ranks : RelevantRanks, or array-like of shape (Q,)
        From `relevant_ranks` or `run_ranks`. With one relevant document for each question this is the mean reciprocal
        rank.
    k : int, optional
        Last rank that counts; by default all do. Relevant documents beyond it add 0.
    n_resamples, n_questions, confidence_level, method, groups, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if relevant documents are before all others. Where all questions have the same value, the
        interval is Wilson's for the fraction of questions that have it, the others having any value.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty, `k` is 0, samples are too few, or an option does not exist or fit.

    Notes
    -----
    The average precision of a question is the mean over its relevant documents of the fraction of relevant documents up
    to their rank. O(m Q) time at most, 24 MB. Unchanged by any order of the questions. Buckley and Voorhees (2000).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_map, relevant_ranks
    >>> documents = [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]]
    >>> found = relevant_ranks([[1.0, 0.1], [0.0, 1.0]], documents, [[0, 1], [1, 2]])
    >>> round(bootstrap_map(found, rng=0).estimate, 4)  # (1/1 + 2/3)/2 and 1
    0.9167
    """
    return _bootstrap(ranks, "map", k, n_resamples, n_questions, confidence_level, method, groups, rng)


def _bootstrap(
    ranks: Any,
    metric: str,
    k: int | None,
    n_resamples: int,
    n_questions: int | None,
    confidence_level: float,
    method: str,
    groups: Any,
    rng: checks.RandomState,
    gain: str = "linear",
) -> BootstrapInterval:
    k = check_metric(metric, k, gain)
    places, grades = judged_ranks(ranks)
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    n_ranked = len(places)
    size = n_ranked if n_questions is None else checks.check_integer(n_questions, "n_questions", low=1)
    checks.check_option(method, "method", METHODS)
    generator = checks.as_generator(rng)
    # Independent draws: of questions, in classes that score alike for every metric, or of groups of questions.
    if groups is None:
        n_groups, n_drawn = None, size
        places, grades, counts = _classes(places, grades, k)
        values = judged_scores(places, grades, metric, k, gain)
        estimate = float(counts @ values) / n_ranked
        certain = np.ptp(values) == 0
    else:
        if n_questions is not None:
            raise ValueError(
                f"n_questions is {size} with groups, which are drawn with all of their questions; expected one of the two"
            )
        sums, sizes = group_sums(judged_scores(places, grades, metric, k, gain), as_groups(groups, n_ranked))
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
    """Return the different rows of ranks and grades, ranks beyond k being one, and how often each occurs."""
    if k is not None:
        beyond = min(k, 2**62) + 1  # what a rank can be
        ranks = np.where(ranks > 0, np.minimum(ranks, beyond), beyond)
        order = np.lexsort((grades, ranks))  # the order of documents beyond k does not matter
        ranks, grades = (np.take_along_axis(x, order, axis=1) for x in (ranks, grades))
    rows, counts = np.unique(np.hstack([ranks, grades]), axis=0, return_counts=True)
    return rows[:, : ranks.shape[1]], rows[:, ranks.shape[1] :], counts


def questions_needed(width: float, deviation: float, *, confidence_level: float = 0.95) -> int:
    """Return how many questions a test set must have for the interval of a mean to be no wider than this.

    Parameters
    ----------
    width : float
        Length of the interval, above 0.
    deviation : float
        Standard deviation of the values of single questions, √(p(1 − p)) for an accuracy.
    confidence_level : float, default 0.95
        Nominal coverage.

    Returns
    -------
    int
        (2z · deviation/width)², rounded up, at least 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number or out of range, or no number of questions gives this width.

    Notes
    -----
    By the normal approximation. Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.retrieval import questions_needed
    >>> questions_needed(0.02, 0.5)  # an accuracy of one half, known to ±1 percentage point
    9604
    """
    length = checks.check_real(width, "width", low=0.0, high=math.inf, open_low=True, open_high=True)
    spread = checks.check_real(deviation, "deviation", low=0.0, high=math.inf, open_high=True)
    level = checks.check_confidence_level(confidence_level)
    root = 2.0 * float(special.ndtri((1.0 + level) / 2.0)) * spread / length
    if not root < 1e150:
        raise ValueError(
            f"width is {length:g} at a deviation of {spread:g}, for which no number of questions will do; expected a "
            "wider interval"
        )
    return max(1, math.ceil(root**2))
