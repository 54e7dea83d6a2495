"""Correct answers to the exercises of the lesson "Regressions on cosines".

A table has one row per word, where the first half of the rows is one group, and one column per adjective.
"""

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.association import regressions_on_cosines as lesson


def rejection_rate_for_all_splits(table: Any) -> float:
    """Compute Student's t for all splits at once, from means and variances."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1]
    half = np.array(list(combinations(range(2 * n), n)))
    first, second = table[half].reshape(len(half), -1), table[half[::-1]].reshape(len(half), -1)
    pooled = (first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)) / 2
    t = (first.mean(axis=1) - second.mean(axis=1)) / np.sqrt(2 * pooled / (n * m))
    return float((2 * stats.t.sf(np.abs(t), 2 * n * m - 2) < 0.05).mean())


def statistics_by_sums(table: Any, n_copies: int) -> list[float]:
    """Avoid duplicates, which scale means and sums of squares proportionally."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1] * n_copies
    first, second = table[:n], table[n:]
    difference = second.mean() - first.mean()
    squares = n_copies * (((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    t = difference / np.sqrt(squares / (2 * n * m - 2) * 2 / (n * m))
    total, sums = table.mean(axis=1).sum(), table.mean(axis=1)
    differences = [abs(2 * sums[list(half)].sum() - total) / n for half in combinations(range(2 * n), n)]
    p_words = np.mean(np.array(differences) >= abs(difference) - 1e-12)
    return [float(2 * stats.t.sf(abs(t), 2 * n * m - 2)), float(p_words)]


def claim_in_numpy(male: Any, female: Any, unpleasant: Any, pool: Any) -> list[float]:
    """Use unit vectors, their means, and all splits of the words."""
    first, second, attributes, pool_rows = (
        words / np.linalg.norm(words, axis=1, keepdims=True) for words in (male, female, unpleasant, pool)
    )
    means = np.vstack([first, second]) @ attributes.mean(axis=0)
    difference, n = means[: len(first)].mean() - means[len(first) :].mean(), len(means)
    differences = [
        means[list(half)].mean() - means[sorted({*range(n)} - {*half})].mean()
        for half in combinations(range(n), len(first))
    ]
    p = np.mean(np.abs(differences) >= abs(difference) - 1e-12)
    return [float(p), float(pool_rows.mean(axis=0) @ attributes.mean(axis=0))]


SOLUTIONS = {
    "other-list": (rejection_rate_for_all_splits, lesson.rejection_rate),
    "tiled": (lesson.statistics_with_copies, statistics_by_sums),
    "claim": (lesson.claim_statistics, claim_in_numpy),
}
