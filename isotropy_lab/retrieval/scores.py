"""Accuracy@K, NDCG@K and mean reciprocal rank with bootstrap intervals, and the number of questions they need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from isotropy_lab import _checks
from isotropy_lab._results import Result
from isotropy_lab.retrieval._checks import as_ranks, check_n_resamples
from isotropy_lab.retrieval._resampling import bca_quantile, certain_ends, class_means, percentile_ends

__all__ = ["BootstrapInterval", "bootstrap_accuracy", "bootstrap_mrr", "bootstrap_ndcg", "questions_needed"]

METRICS = ("accuracy", "ndcg", "mrr")
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
        "percentile" or "bca"; "wilson" where all questions have the same value, so that samples do not vary.
    metric, k : str, int or None
        What is measured, up to which rank; None for all.
    n_ranked, n_questions, n_resamples : int
        Questions that were ranked, questions in a sample, and samples.
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

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.high - self.low


def scores_of_ranks(ranks: NDArray[np.int64], metric: str, k: int | None) -> NDArray[np.float64]:
    """Return what each rank adds to a metric: a hit, 1/log₂(1 + rank) or 1/rank, and 0 beyond k."""
    numbers = ranks.astype(np.float64)
    if metric == "accuracy":
        scores = np.ones(numbers.shape)
    else:
        scores = 1.0 / (np.log2(1.0 + numbers) if metric == "ndcg" else numbers)
    return np.asarray(scores if k is None else np.where(ranks <= k, scores, 0.0))


def bootstrap_accuracy(
    ranks: Any,
    *,
    k: int = 10,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return accuracy@K, the fraction of questions whose right document is among the K best, with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,)
        Rank of each question's right document, 1 being best, as from `answer_ranks`.
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
    rng : numpy.random.Generator or int, optional
        Draws the samples.

    Returns
    -------
    BootstrapInterval
        All in [0, 1], 1 being best. Where all questions are hits, or none, no sample varies, and the interval is
        Wilson's for `n_questions`.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty; if `k` is 0; if samples are too few; if an option does not exist;
        or with "bca", if `n_questions` is so small beside a rare value that the correction is undefined.

    Notes
    -----
    Questions are drawn with replacement, as the numbers of questions with ranks 1, …, K and beyond, and from the same
    source for accuracy, NDCG and MRR at K: one seed means the same samples. Documents are taken as given. Unchanged by
    any order of the questions. O(Q log Q + m K) time, 8 MB. Roychowdhury et al. (2025), section II-A, where m, l and K
    are not given.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_accuracy
    >>> found = bootstrap_accuracy([1] * 60 + [4] * 20 + [25] * 20, k=10, rng=0)
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    """
    return _bootstrap(ranks, "accuracy", k, n_resamples, n_questions, confidence_level, method, rng)


def bootstrap_ndcg(
    ranks: Any,
    *,
    k: int = 10,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return NDCG@K, the mean of 1/log₂(1 + rank), 0 beyond K, with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,)
        Rank of each question's right document, 1 being best.
    k : int, default 10
        Documents retrieved for a question.
    n_resamples, n_questions, confidence_level, method, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if every right document is first. Where all questions have the same value, the interval is
        Wilson's for the fraction of questions that have it, the others having any value.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are no whole numbers from 1 or empty, `k` is 0, samples are too few, or an option does not exist or fit.

    Notes
    -----
    With one right document for each question the ideal gain is 1, so that this is the discounted gain itself. O(m K)
    time. Unchanged by any order of the questions. Järvelin and Kekäläinen (2002).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_ndcg
    >>> round(bootstrap_ndcg([1, 3, 50, 1], k=10, rng=0).estimate, 6)
    0.625
    """
    return _bootstrap(ranks, "ndcg", k, n_resamples, n_questions, confidence_level, method, rng)


def bootstrap_mrr(
    ranks: Any,
    *,
    k: int | None = None,
    n_resamples: int = 10000,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return the mean reciprocal rank with its interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,)
        Rank of each question's right document, 1 being best.
    k : int, optional
        Last rank that counts; by default all do.
    n_resamples, n_questions, confidence_level, method, rng
        Of the bootstrap: see `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if every right document is first. Where all questions have the same rank, the interval is
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
    return _bootstrap(ranks, "mrr", k, n_resamples, n_questions, confidence_level, method, rng)


def _bootstrap(
    ranks: Any,
    metric: str,
    k: int | None,
    n_resamples: int,
    n_questions: int | None,
    confidence_level: float,
    method: str,
    rng: _checks.RandomState,
) -> BootstrapInterval:
    if k is not None or metric != "mrr":
        k = _checks.check_integer(k, "k", low=1)
    numbers = as_ranks(ranks)
    level = _checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    size = numbers.size if n_questions is None else _checks.check_integer(n_questions, "n_questions", low=1)
    _checks.check_option(method, "method", METHODS)
    generator = _checks.as_generator(rng)
    classes, counts = np.unique(numbers if k is None else np.minimum(numbers, k + 1), return_counts=True)
    values = scores_of_ranks(classes, metric, k)
    estimate = float(counts @ values) / numbers.size
    mean, error = estimate, 0.0
    if np.ptp(values) == 0:
        method = "wilson"
        low, high = certain_ends(estimate, size, level, lowest=0.0, highest=1.0)
    else:
        means = class_means(values, counts, size, m, generator)
        mean, error = float(means.mean()), float(means.std(ddof=1))
        if method == "percentile":
            low, high = percentile_ends(means, level)
        else:
            low, high = (
                bca_quantile(means, values, counts, size, tail)
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
        n_ranked=int(numbers.size),
        n_questions=size,
        n_resamples=m,
    )


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
    length = _checks.check_real(width, "width", low=0.0, high=math.inf, open_low=True, open_high=True)
    spread = _checks.check_real(deviation, "deviation", low=0.0, high=math.inf, open_high=True)
    level = _checks.check_confidence_level(confidence_level)
    root = 2.0 * float(special.ndtri((1.0 + level) / 2.0)) * spread / length
    if not root < 1e150:
        raise ValueError(
            f"width is {length:g} at a deviation of {spread:g}, for which no number of questions will do; expected a "
            "wider interval"
        )
    return max(1, math.ceil(root**2))
