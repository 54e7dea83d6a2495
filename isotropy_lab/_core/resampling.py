"""Bootstrap samples, intervals, and a test of means over questions, drawn individually or in groups.

Individual questions are drawn as counts of classes with equal values, and groups with all their questions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.int64]

_CHUNK_ENTRIES = 2**20  # class weights drawn at a time: 8 MB of memory
_MAX_ENUMERATED = 12  # with more differences, random signs are faster than all 2¹² and more
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


def sign_flip_pvalue(differences: Floats, n_resamples: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value of the paired randomization test, which changes the signs of differences.

    It is exact for few differences, and if all have the same size: this is the sign test. Otherwise, m
    random changes are drawn, and the p-value is (b + 1)/(m + 1) for b sums as far from 0. Fisher (1935).
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0.0]), return_counts=True)
    n_changed = int(counts.sum())
    if sizes.size <= 1:
        n_better = int((differences > 0.0).sum())
        return float(stats.binomtest(n_better, n_changed).pvalue) if n_changed else 1.0
    # Sums that should be equal may differ in their last digits.
    limit = abs(math.fsum(differences)) - 1e-12 * float(counts @ sizes)
    if n_changed <= _MAX_ENUMERATED:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n_changed)))
        return float((np.abs(signs @ np.repeat(sizes, counts)) >= limit).mean())
    n_as_far, chunk_size = 0, max(1, _CHUNK_ENTRIES // sizes.size)
    for start in range(0, n_resamples, chunk_size):
        shape = (min(chunk_size, n_resamples - start), sizes.size)
        sums = (2 * rng.binomial(counts, 0.5, size=shape) - counts) @ sizes
        n_as_far += int((np.abs(sums) >= limit).sum())
    return (n_as_far + 1) / (n_resamples + 1)


def paired_score_ends(n_better: int, n_worse: int, n: int, level: float) -> tuple[float, float]:
    """Return Tango's score interval (1998) for a difference of hits on n questions that are not all equal.

    It contains d unless the score test, whose variance is the most likely one given d, rejects d.
    """
    estimate, quantile = (n_better - n_worse) / n, float(special.ndtri((1.0 + level) / 2.0))

    def excess(d: float) -> float:
        b = (2 * n - n_better + n_worse) * d - n_better - n_worse
        root = math.sqrt(max(b**2 + 8 * n * n_worse * d * (1.0 - d), 0.0))
        variance = n * ((root - b) / (2 * n) + d * (1.0 - d))
        return (n_better - n_worse - n * d) ** 2 - quantile**2 * variance

    low, high = (optimize.brentq(excess, end, estimate, xtol=1e-14) for end in (-1.0, 1.0))
    return float(low), float(high)


def certain_ends(
    value: float, n_questions: int, level: float, *, lowest: float, highest: float
) -> tuple[float, float]:
    """Return an interval for the mean of equal values, for which bootstrap samples do not vary.

    Wilson's interval (1927) for 0 of n bounds the fraction of questions with another value, which may be
    anywhere from `lowest` to `highest`. If all are hits, or all misses, the result is Wilson's interval.
    """
    bound = float(stats.binomtest(0, n_questions).proportion_ci(level, method="wilson").high)
    return value - bound * (value - lowest), value + bound * (highest - value)
