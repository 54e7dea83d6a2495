"""Accuracy, recall, NDCG, reciprocal rank, and average precision with bootstrap intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.resampling import certain_ends, class_means, group_means, group_sums, percentile_ends
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_groups, check_n_resamples
from isotropy_lab.retrieval.relevance import check_metric, judged_ranks, judged_scores

__all__ = ["BootstrapInterval", "bootstrap_interval"]


@dataclass(frozen=True)
class BootstrapInterval(Result):
    """A retrieval metric from 0 to 1 with a bootstrap interval.

    Attributes
    ----------
    mean, standard_error : float
        Mean and standard deviation of the bootstrap samples.
    low, high, confidence_level : float
        Ends of the interval, and its nominal coverage.
    estimate : float
        Metric of the original questions.
    method : str
        "percentile", or "wilson" if all questions, or groups, have the same value, so that samples do not
        vary.
    metric, k : str, int or None
        The metric, and the last rank that counts; None for all ranks.
    n_ranked, n_questions, n_resamples : int
        Numbers of ranked questions, of questions per sample (on average, with groups), and of samples.
    n_groups : int or None
        Number of groups in a sample; None if questions are drawn individually.
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
    """Return the score of each rank: 1, 1/log₂(1 + rank), or 1/rank, but 0 beyond k."""
    return judged_scores(ranks[:, None], np.ones((ranks.size, 1), dtype=np.int64), metric, k)


def bootstrap_interval(
    ranks: Any,
    *,
    metric: str = "accuracy",
    k: int | None = 10,
    n_resamples: int = 10000,
    confidence_level: float = 0.95,
    groups: checks.Groups = None,
    rng: checks.RandomState = None,
) -> BootstrapInterval:
    """Compute a retrieval metric, such as accuracy@10, with its bootstrap interval.

    Parameters
    ----------
    ranks : array-like of shape (Q,), or RelevantRanks
        Rank of each question's highest-ranked relevant document, for example from `answer_ranks`; or the
        ranks of all relevant documents, from `relevant_ranks` or `run_ranks`. Ranks start at 1.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}, default "accuracy"
        The metric to compute: see `question_scores`.
    k : int or None, default 10
        Last rank that counts; None for all ranks, allowed only with "mrr" and "map".
    n_resamples : int, default 10000
        Number m of bootstrap samples; at least 40 and at least 2/(1 − confidence_level).
    confidence_level : float, default 0.95
        Nominal coverage of the interval.
    groups : array-like of shape (Q,), optional
        Group label of each question, such as its answer or chapter. Each sample draws as many groups as there
        are, with all of their questions. Use this if questions within a group are similar, and the groups of
        the test set are a sample from a larger population of groups.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the bootstrap samples.

    Returns
    -------
    BootstrapInterval
        Values in [0, 1]; 1 is best. If all questions have the same value, samples do not vary. The interval
        is then based on Wilson's interval for the fraction of questions, or of groups, that have this value;
        the others may have any value.

    Raises
    ------
    TypeError, ValueError
        If `ranks` are not positive integers or are empty; if `k` is 0; if there are too few samples or fewer
        than 2 groups; if an option does not exist; or if the number of labels is wrong.

    Notes
    -----
    The ends are linearly interpolated percentiles of the samples. Questions are drawn with replacement, as
    counts of questions with ranks 1, …, K, and beyond, so all metrics at K get the same samples with the same
    seed. With several relevant documents, questions are counted by their ranks up to K and grades. With
    groups, the mean of a sample is a ratio, whose denominator also varies; intervals are too narrow with
    fewer than about 20 groups, or with groups of very different sizes. The documents are treated as fixed.
    The order of the questions does not matter. Cost: O(Q log Q + m K) time and 24 MB; O(m Q) with hundreds of
    classes or groups. Roychowdhury et al. (2025), Section II-A, which does not state m and K; Cameron,
    Gelbach, and Miller (2008) for groups.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_interval
    >>> interval = bootstrap_interval([1] * 60 + [4] * 20 + [25] * 20, k=10, rng=0)
    >>> interval.estimate, round(interval.low, 2), round(interval.high, 2)
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
    groups: checks.Groups = None,
    rng: checks.RandomState,
) -> BootstrapInterval:
    """Return a `bootstrap_interval`, optionally with another sample size."""
    k = check_metric(metric, k)
    rank_rows, grades = judged_ranks(ranks)
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    n_ranked = len(rank_rows)
    sample_size = n_questions or n_ranked
    generator = checks.as_generator(rng)
    # Independent draws are either questions, counted in classes with equal scores for every metric, or groups
    # of questions.
    if groups is None:
        n_groups, n_drawn = None, sample_size
        rank_rows, grades, counts = _classes(rank_rows, grades, k)
        values = judged_scores(rank_rows, grades, metric, k)
        estimate = float(counts @ values) / n_ranked
        is_constant = np.ptp(values) == 0
    else:
        sums, sizes = group_sums(judged_scores(rank_rows, grades, metric, k), as_groups(groups, n_ranked))
        n_groups = n_drawn = sums.size
        counts = np.ones(n_groups, dtype=np.int64)
        estimate = math.fsum(sums) / n_ranked
        # The contribution of each group, scaled so that the mean over groups is the estimate.
        values = estimate + (sums - estimate * sizes) * (n_groups / n_ranked)
        is_constant = np.ptp(sums / sizes) <= 1e-14
    mean, error, method = estimate, 0.0, "wilson"
    if is_constant:
        low, high = certain_ends(estimate, n_drawn, level, lowest=0.0, highest=1.0)
    else:
        if n_groups is None:
            means = class_means(values, counts, sample_size, m, generator)
        else:
            means = group_means(sums, sizes, m, generator)
        mean, error, method = float(means.mean()), float(means.std(ddof=1)), "percentile"
        low, high = percentile_ends(means, level)
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
        n_questions=sample_size,
        n_resamples=m,
        n_groups=n_groups,
    )


def _classes(
    ranks: NDArray[np.int64], grades: NDArray[np.int64], k: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows of ranks and grades, treating ranks beyond k as equal, and their counts."""
    if k is not None:
        beyond = min(k, 2**62) + 1  # the limit ensures that k + 1 fits in int64
        ranks = np.where(ranks > 0, np.minimum(ranks, beyond), beyond)
        order = np.lexsort((grades, ranks))  # the order of documents beyond k does not matter
        ranks, grades = (np.take_along_axis(x, order, axis=1) for x in (ranks, grades))
    rows, counts = np.unique(np.hstack([ranks, grades]), axis=0, return_counts=True)
    return rows[:, : ranks.shape[1]], rows[:, ranks.shape[1] :], counts
