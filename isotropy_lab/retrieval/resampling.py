"""Bootstraps of a mean over questions by how often each class of equal values is drawn, and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = [
    "bca_ends",
    "bca_quantile",
    "certain_ends",
    "class_means",
    "class_weights",
    "normal_quantile",
    "percentile_ends",
    "scores_of_ranks",
]

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]

_ENTRIES = 2**20  # class weights drawn at a time: 8 MB
_FEW = 64  # of more classes, drawing questions and counting is faster than one binomial number for each


def scores_of_ranks(ranks: NDArray[np.int64], metric: str, k: int | None) -> Floats:
    """Return what each rank adds to a metric: a hit, 1/log₂(1 + rank) or 1/rank, and 0 beyond k.

    Parameters
    ----------
    ranks : array of int64
        Ranks, 1 being best.
    metric : {"accuracy", "ndcg", "mrr"}
        What is scored.
    k : int or None
        The last rank that counts; None for all.

    Returns
    -------
    numpy.ndarray of float64
        From 0 to 1.

    Examples
    --------
    >>> scores_of_ranks(np.array([1, 3, 11]), "ndcg", 10).tolist()
    [1.0, 0.5, 0.0]
    """
    numbers = ranks.astype(np.float64)
    if metric == "accuracy":
        scores = np.ones(numbers.shape)
    else:
        scores = 1.0 / (np.log2(1.0 + numbers) if metric == "ndcg" else numbers)
    return np.asarray(scores if k is None else np.where(ranks <= k, scores, 0.0))


def class_weights(
    counts: Counts, n_questions: int, n_bootstraps: int, rng: np.random.Generator
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Draw how many questions of each class are in every bootstrap sample, some samples at a time.

    Drawing questions one by one with replacement and counting their classes gives a multinomial distribution, from
    which the counts of a few classes are drawn at once.

    Parameters
    ----------
    counts : array of shape (C,), int64
        Questions of each class.
    n_questions : int
        Questions in a sample.
    n_bootstraps : int
        Samples.
    rng : numpy.random.Generator
        Source of the draws.

    Yields
    ------
    tuple of slice and numpy.ndarray of shape (b, C), int64
        Which samples, and their weights; rows sum to `n_questions`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [(part, w.sum(axis=1).tolist()) for part, w in class_weights(np.array([2, 1]), 5, 3, rng)]
    [(slice(0, 3, None), [5, 5, 5])]
    """
    n_classes, total = counts.size, int(counts.sum())
    few = n_classes <= _FEW
    labels = np.repeat(np.arange(n_classes), counts)
    step = max(1, _ENTRIES // (n_classes if few else max(n_classes, n_questions)))
    for start in range(0, n_bootstraps, step):
        stop = min(start + step, n_bootstraps)
        if few:
            yield slice(start, stop), rng.multinomial(n_questions, counts / total, size=stop - start)
        else:
            drawn = labels[rng.integers(total, size=(stop - start, n_questions))]
            drawn += n_classes * np.arange(stop - start)[:, None]
            weights = np.bincount(drawn.ravel(), minlength=n_classes * (stop - start))
            yield slice(start, stop), weights.reshape(stop - start, n_classes)


def class_means(
    values: Floats, counts: Counts, n_questions: int, n_bootstraps: int, rng: np.random.Generator
) -> Floats:
    """Return the mean of every bootstrap sample, for one value of each class or for several.

    Parameters
    ----------
    values : array of shape (C,) or (C, V), float64
        Value of a question of each class.
    counts, n_questions, n_bootstraps, rng
        As for `class_weights`.

    Returns
    -------
    numpy.ndarray of shape (n_bootstraps,) or (n_bootstraps, V), float64

    Examples
    --------
    >>> class_means(np.array([1.0]), np.array([7]), 5, 2, np.random.default_rng(0)).tolist()
    [1.0, 1.0]
    """
    means = np.empty((n_bootstraps, *values.shape[1:]))
    for part, weights in class_weights(counts, n_questions, n_bootstraps, rng):
        means[part] = weights @ values
    return means / n_questions


def percentile_ends(means: Floats, confidence: float) -> tuple[float, float]:
    """Return the percentiles that leave out equally many samples on either side, linearly interpolated.

    Parameters
    ----------
    means : array of shape (m,), float64
        Mean of every bootstrap sample.
    confidence : float
        Share between the ends.

    Returns
    -------
    tuple of two floats

    Examples
    --------
    >>> percentile_ends(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(means, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    return float(low), float(high)


def bca_ends(
    means: Floats, values: Floats, counts: Counts, n_questions: int, confidence: float
) -> tuple[float, float]:
    """Return the ends of the bias-corrected and accelerated interval of a mean over questions.

    Parameters
    ----------
    means : array of shape (m,), float64
        Mean of every bootstrap sample.
    values, counts : arrays of shape (C,)
        Value and number of questions of each class; not all values equal.
    n_questions : int
        Questions in a sample.
    confidence : float
        Nominal coverage.

    Returns
    -------
    tuple of two floats

    Notes
    -----
    Leaving out one question moves a mean by its deviation/(l − 1), so that the jackknife's acceleration is the
    skewness over 6√l. Samples equal to the estimate count by half in the correction of the bias. Efron (1987).

    Examples
    --------
    >>> values, counts = np.array([0.0, 1.0]), np.array([20, 180])
    >>> means = class_means(values, counts, 200, 2000, np.random.default_rng(0))
    >>> low, high = bca_ends(means, values, counts, 200, 0.95)
    >>> 0.83 < low < 0.87 < 0.92 < high < 0.95
    True
    """
    low, high = (
        bca_quantile(means, values, counts, n_questions, tail)
        for tail in ((1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0)
    )
    return low, high


def bca_quantile(means: Floats, values: Floats, counts: Counts, n_questions: int, tail: float) -> float:
    """Return the one-sided bound of a mean that has this probability below it, bias-corrected and accelerated.

    Parameters
    ----------
    means, values, counts, n_questions
        As for `bca_ends`.
    tail : float
        Probability, in (0, 1).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the acceleration is so strong that the correction has no value at this tail, which takes samples of far
        fewer questions than there are.

    Examples
    --------
    >>> values, counts = np.array([0.0, 1.0]), np.array([499, 1])
    >>> means = class_means(values, counts, 500, 4000, np.random.default_rng(0))
    >>> high = bca_quantile(means, values, counts, 500, 0.95)
    >>> float(np.quantile(means, 0.95)), 0.007 < high < 0.011  # Clopper and Pearson's exact bound is .0095
    (0.006, True)
    """
    total = float(counts.sum())
    center = float(counts @ values) / total
    spread = values - center
    second, third = float(counts @ spread**2) / total, float(counts @ spread**3) / total
    acceleration = third / (6.0 * np.sqrt(n_questions) * second**1.5)
    # A mean that equals the estimate may differ from it in the last digits.
    tolerance = 1e-12 * float(np.abs(values).max())
    below = float((means < center - tolerance).mean() + (means <= center + tolerance).mean()) / 2.0
    edge = 0.5 / means.size
    bias = float(special.ndtri(min(max(below, edge), 1.0 - edge)))
    z = bias + float(special.ndtri(tail))
    _check_correction_possible(float(acceleration * z), n_questions, int(total))
    level = float(special.ndtr(bias + z / (1.0 - acceleration * z)))
    return float(np.quantile(means, level))


def normal_quantile(confidence: float, *, sides: int = 2) -> float:
    """Return z such that a standard normal number lies within ±z (two sides) or below z (one) with this probability.

    Parameters
    ----------
    confidence : float
        Probability, in (0, 1).
    sides : {1, 2}, default 2
        Tails that share the rest.

    Returns
    -------
    float

    Examples
    --------
    >>> round(normal_quantile(0.95), 3), round(normal_quantile(0.95, sides=1), 3)
    (1.96, 1.645)
    """
    return float(special.ndtri(1.0 - (1.0 - confidence) / sides))


def certain_ends(
    value: float, n_questions: int, confidence: float, *, lowest: float, highest: float, sides: int = 2
) -> tuple[float, float]:
    """Return an interval for a mean where all questions have the same value, so that no bootstrap can vary.

    Wilson's interval for the share of questions that have this value, all n of n, begins at n/(n + z²); the rest may
    have any value from `lowest` to `highest`. If all questions are hits, or none, this is Wilson's interval itself.

    Parameters
    ----------
    value : float
        The value of all questions.
    n_questions : int
        Their number.
    confidence : float
        Nominal coverage.
    lowest, highest : float
        Bounds of what a question can have.
    sides : {1, 2}, default 2
        1 for a bound with this confidence on either side.

    Returns
    -------
    tuple of two floats

    Notes
    -----
    Wilson (1927).

    Examples
    --------
    >>> low, high = certain_ends(1.0, 100, 0.95, lowest=0.0, highest=1.0)
    >>> round(low, 4), high
    (0.963, 1.0)
    """
    z = normal_quantile(confidence, sides=sides)
    rest = z * z / (n_questions + z * z)
    return value - rest * (value - lowest), value + rest * (highest - value)


def _check_correction_possible(product: float, size: int, n_questions: int) -> None:
    """Raise ValueError beyond the pole of the correction for skewness, where acceleration times z reaches 1."""
    if not product < 1.0:
        raise ValueError(
            f"method is 'bca' with samples of {size} from {n_questions} questions, whose values are too skewed for that "
            "correction; expected method='percentile', or samples of all questions"
        )
