"""Bootstrap samples and intervals of means over questions, drawn individually or in groups.

Individual questions are drawn as counts of classes with equal values, and groups with all their questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]

_CHUNK_ENTRIES = 2**20  # class weights drawn at a time: 8 MB of memory
_MAX_CLASSES = 64  # with more classes, sampling and counting questions are faster than a multinomial draw


def class_weights(
    counts: Counts, n_questions: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Yield blocks of bootstrap samples: the slice of samples, and the number of questions per class.

    The class counts of `n_questions` questions drawn with replacement have a multinomial distribution, from
    which they are drawn directly if there are few classes.
    """
    n_classes, total = counts.size, int(counts.sum())
    is_multinomial = n_classes <= _MAX_CLASSES
    labels = np.repeat(np.arange(n_classes), counts.astype(np.intp))
    chunk_size = max(1, _CHUNK_ENTRIES // (n_classes if is_multinomial else max(n_classes, n_questions)))
    for start in range(0, n_resamples, chunk_size):
        stop = min(start + chunk_size, n_resamples)
        if is_multinomial:
            yield slice(start, stop), rng.multinomial(n_questions, counts / total, size=stop - start)
        else:
            drawn = labels[rng.integers(total, size=(stop - start, n_questions))]
            drawn += n_classes * np.arange(stop - start)[:, None]
            weights = np.bincount(drawn.ravel(), minlength=n_classes * (stop - start))
            yield slice(start, stop), weights.reshape(stop - start, n_classes)


def question_weights(
    n_questions: int, sample_size: int, n_resamples: int, chunk_size: int, rng: np.random.Generator
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Yield blocks of bootstrap samples: the slice of samples, and the count of each question."""
    for start in range(0, n_resamples, chunk_size):
        stop = min(start + chunk_size, n_resamples)
        drawn = rng.integers(0, n_questions, size=(stop - start, sample_size))
        drawn += n_questions * np.arange(stop - start)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=n_questions * (stop - start))
        yield slice(start, stop), weights.reshape(stop - start, n_questions)


def class_means(
    values: Floats, counts: Counts, n_questions: int, n_resamples: int, rng: np.random.Generator
) -> Floats:
    """Return the mean of every bootstrap sample: shape (m,), or (m, V) for V values per class."""
    means = np.empty((n_resamples, *values.shape[1:]))
    for samples, weights in class_weights(counts, n_questions, n_resamples, rng):
        means[samples] = weights @ values
    return means / n_questions


def group_sums(values: Floats, labels: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return each group's exact sum, which does not depend on the order of questions, and its size."""
    sizes = np.bincount(labels)
    parts = np.split(values[np.argsort(labels, kind="stable")], np.cumsum(sizes)[:-1])
    return np.array([math.fsum(part) for part in parts]), sizes.astype(np.float64)


def group_means(sums: Floats, sizes: Floats, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return the mean over questions for every bootstrap sample of whole groups."""
    ones = np.ones(sums.size, dtype=np.int64)
    sums_and_sizes = class_means(np.column_stack([sums, sizes]), ones, sums.size, n_resamples, rng)
    return np.asarray(sums_and_sizes[:, 0] / sums_and_sizes[:, 1])


def percentile_ends(means: Floats, level: float) -> tuple[float, float]:
    """Return the linearly interpolated ends of the central interval of the samples."""
    low, high = np.quantile(means, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def bca_quantile(means: Floats, values: Floats, counts: Counts, n_questions: int, tail: float) -> float:
    """Return the bias-corrected and accelerated (BCa) quantile of a mean; values must not all be equal.

    Omitting one of l questions moves the mean by that question's deviation/(l − 1), so that the jackknife
    acceleration is the skewness divided by 6√l. In the bias correction, samples equal to the estimate count
    as half. Efron (1987).
    """
    total = float(counts.sum())
    center = float(counts @ values) / total
    deviations = values - center
    second, third = float(counts @ deviations**2) / total, float(counts @ deviations**3) / total
    acceleration = third / (6.0 * np.sqrt(n_questions) * second**1.5)
    # A mean that equals the estimate in exact arithmetic may differ from it in the last digits.
    tolerance = 1e-12 * float(np.abs(values).max())
    share_below = float((means < center - tolerance).mean() + (means <= center + tolerance).mean()) / 2.0
    smallest_share = 0.5 / means.size
    bias = float(special.ndtri(min(max(share_below, smallest_share), 1.0 - smallest_share)))
    z = bias + float(special.ndtri(tail))
    if not acceleration * z < 1.0:  # beyond the pole of the skewness correction
        raise ValueError(
            f"method is 'bca', but samples of {n_questions} of {total:.0f} questions are too skewed for "
            "BCa; expected method='percentile', or samples as large as the full set of questions"
        )
    level = float(special.ndtr(bias + z / (1.0 - acceleration * z)))
    return float(np.quantile(means, level))


def certain_ends(
    value: float, n_questions: int, level: float, *, lowest: float, highest: float
) -> tuple[float, float]:
    """Return an interval for the mean of equal values, for which bootstrap samples do not vary.

    Wilson's interval (1927) for 0 of n bounds the fraction of questions with another value, which may be
    anywhere from `lowest` to `highest`. If all are hits, or all misses, the result is Wilson's interval.
    """
    bound = float(stats.binomtest(0, n_questions).proportion_ci(level, method="wilson").high)
    return value - bound * (value - lowest), value + bound * (highest - value)
