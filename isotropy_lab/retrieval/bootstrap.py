"""Accuracy@K, NDCG@K and mean reciprocal rank with bootstrap intervals, all from one ranking."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import as_ranks, check_bootstraps
from isotropy_lab.retrieval.resampling import (
    bca_ends,
    certain_ends,
    class_means,
    percentile_ends,
    scores_of_ranks,
)

__all__ = ["PAPER_MODE", "BootstrapInterval", "bootstrap_accuracy", "bootstrap_mrr", "bootstrap_ndcg"]

METHODS = ("percentile", "bca")

#: What the widths printed by Roychowdhury et al. (2025) imply: 100 samples of 100 questions. The paper gives neither.
PAPER_MODE = MappingProxyType({"n_bootstraps": 100, "n_questions": 100})


@dataclass(frozen=True)
class BootstrapInterval:
    """A metric of retrieval with a bootstrap interval; all of them are shares from 0 to 1.

    Attributes
    ----------
    mean : float
        Mean over the bootstrap samples.
    low, high : float
        Ends of the interval.
    estimate : float
        The metric of the questions themselves.
    standard_error : float
        Standard deviation of the bootstrap samples.
    confidence : float
        Nominal coverage.
    method : str
        "percentile" or "bca"; "wilson" where all questions have the same value, so that samples do not vary.
    metric : str
        "accuracy", "ndcg" or "mrr".
    k : int or None
        The last rank that counts; None for all.
    n_ranked : int
        Questions that were ranked.
    n_questions, n_bootstraps : int
        Questions in a sample, and samples.
    """

    mean: float
    low: float
    high: float
    estimate: float
    standard_error: float
    confidence: float
    method: str
    metric: str
    k: int | None
    n_ranked: int
    n_questions: int
    n_bootstraps: int

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.high - self.low


def bootstrap_accuracy(
    ranks: Any,
    *,
    k: int = 10,
    n_bootstraps: int = 10000,
    n_questions: int | None = None,
    confidence: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return accuracy@K, the share of questions whose right document is among the K best, with a bootstrap interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,)
        Rank of each question's right document, 1 being best, as from `answer_ranks`.
    k : int, default 10
        Documents retrieved for a question.
    n_bootstraps : int, default 10000
        Samples, m; at least 40, and 2/(1 − confidence).
    n_questions : int, optional
        Questions in a sample, l; by default all Q. With another number the interval says how an accuracy measured with
        that many questions would vary, not how well this one is known. ``**PAPER_MODE`` sets m = l = 100.
    confidence : float, default 0.95
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
    TypeError
        If `ranks` does not hold whole numbers.
    ValueError
        If `ranks` is empty or has numbers below 1; if k is 0; if there are too few samples for percentiles; if an
        option does not exist; or with "bca", if `n_questions` is so small beside a rare value that the correction is
        undefined.

    Notes
    -----
    Of a question only its rank matters, up to K: samples are drawn as multinomial numbers of questions with ranks
    1, …, K and beyond, from the same source for accuracy, NDCG and MRR at K, so that the same seed means the same
    samples. Unchanged by any order of the questions. O(Q log Q + m K) time, 8 MB. Roychowdhury et al. (2025), section
    II-A, where m, l and K are not given.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_accuracy
    >>> found = bootstrap_accuracy([1] * 60 + [4] * 20 + [35] * 20, k=10, rng=0)
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (0.8, 0.72, 0.88)
    >>> all_hit = bootstrap_accuracy([1, 2, 3, 4], k=10)
    >>> all_hit.method, round(all_hit.low, 2), all_hit.high
    ('wilson', 0.51, 1.0)
    """
    last = _checks.check_integer(k, "k", low=1)
    return _bootstrap(ranks, "accuracy", last, n_bootstraps, n_questions, confidence, method, rng)


def bootstrap_ndcg(
    ranks: Any,
    *,
    k: int = 10,
    n_bootstraps: int = 10000,
    n_questions: int | None = None,
    confidence: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return NDCG@K, the mean of 1/log₂(1 + rank), 0 beyond K, with a bootstrap interval.

    Parameters
    ----------
    ranks, k, n_bootstraps, n_questions, confidence, method, rng
        As for `bootstrap_accuracy`.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if every right document is first. Where all questions have the same rank, or all are beyond
        K, the interval is that for the share of questions with that rank (Wilson), the others having any value.

    Raises
    ------
    TypeError, ValueError
        As for `bootstrap_accuracy`.

    Notes
    -----
    With one right document for each question the ideal gain is 1, so that this is the discounted gain itself; it
    lies between accuracy@1 and accuracy@K. Cost: as `bootstrap_accuracy`. Unchanged by any order of the questions.
    Järvelin and Kekäläinen (2002).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_ndcg
    >>> round(bootstrap_ndcg([1, 3, 50, 1], k=10, rng=0).estimate, 6)
    0.625
    """
    last = _checks.check_integer(k, "k", low=1)
    return _bootstrap(ranks, "ndcg", last, n_bootstraps, n_questions, confidence, method, rng)


def bootstrap_mrr(
    ranks: Any,
    *,
    k: int | None = None,
    n_bootstraps: int = 10000,
    n_questions: int | None = None,
    confidence: float = 0.95,
    method: str = "percentile",
    rng: _checks.RandomState = None,
) -> BootstrapInterval:
    """Return the mean reciprocal rank with a bootstrap interval.

    Parameters
    ----------
    ranks, n_bootstraps, n_questions, confidence, method, rng
        As for `bootstrap_accuracy`.
    k : int, optional
        Last rank that counts; by default all do.

    Returns
    -------
    BootstrapInterval
        All in [0, 1]; 1 if every right document is first. Where all questions have the same rank, as for
        `bootstrap_ndcg`.

    Raises
    ------
    TypeError, ValueError
        As for `bootstrap_accuracy`.

    Notes
    -----
    Classes are the different ranks: O(m Q) time at most, 24 MB. Unchanged by any order of the questions. Voorhees
    (1999).

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_mrr
    >>> bootstrap_mrr([1, 2, 4, 4], rng=0).estimate
    0.5
    """
    last = None if k is None else _checks.check_integer(k, "k", low=1)
    return _bootstrap(ranks, "mrr", last, n_bootstraps, n_questions, confidence, method, rng)


def _bootstrap(
    ranks: Any,
    metric: str,
    k: int | None,
    n_bootstraps: int,
    n_questions: int | None,
    confidence: float,
    method: str,
    rng: _checks.RandomState,
) -> BootstrapInterval:
    numbers = as_ranks(ranks)
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    m = check_bootstraps(n_bootstraps, level)
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
            low, high = bca_ends(means, values, counts, size, level)
    return BootstrapInterval(
        mean=mean,
        low=low,
        high=high,
        estimate=estimate,
        standard_error=error,
        confidence=level,
        method=method,
        metric=metric,
        k=k,
        n_ranked=int(numbers.size),
        n_questions=size,
        n_bootstraps=m,
    )
