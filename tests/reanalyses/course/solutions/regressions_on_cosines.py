"""Right answers to the exercises of the lesson "Regressions on cosines".

A table has a word to a row, the first half of the rows being one group, and an adjective to a column.
, each found in three ways."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.association.regressions_on_cosines import claim, other_list_by_scipy, tiled


def other_list(table: Any) -> float:
    """Student's t for all splits at once, from means and variances."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1]
    half = np.array(list(combinations(range(2 * n), n)))
    one, two = table[half].reshape(len(half), -1), table[half[::-1]].reshape(len(half), -1)
    pooled = (one.var(axis=1, ddof=1) + two.var(axis=1, ddof=1)) / 2
    t = (one.mean(axis=1) - two.mean(axis=1)) / np.sqrt(2 * pooled / (n * m))
    return float((2 * stats.t.sf(np.abs(t), 2 * n * m - 2) < 0.05).mean())


def other_list_by_regression(table: Any) -> float:
    """The correlation of the cosines with the group, which has the same p-value as the regression."""
    from scipy import stats

    n, m = table.shape
    y = table.ravel() - table.mean()
    significant = []
    for half in combinations(range(n), n // 2):
        x = np.full(n, -1.0)
        x[list(half)] = 1
        r = np.repeat(x, m) @ y / np.sqrt(n * m * (y @ y))
        t = r * np.sqrt((n * m - 2) / (1 - r**2))
        significant.append(2 * stats.t.sf(abs(t), n * m - 2) < 0.05)
    return float(np.mean(significant))


def tiled_without_copies(table: Any, n_copies: int) -> list[float]:
    """Copies leave means and sums of squares in proportion, so that none is needed."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1] * n_copies
    first, second = table[:n], table[n:]
    difference = second.mean() - first.mean()
    squares = n_copies * (((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    t = difference / np.sqrt(squares / (2 * n * m - 2) * 2 / (n * m))
    total, sums = table.mean(axis=1).sum(), table.mean(axis=1)
    apart = [abs(2 * sums[list(half)].sum() - total) / n for half in combinations(range(2 * n), n)]
    p_words = np.mean(np.array(apart) >= abs(difference) - 1e-12)
    return [float(difference), float(2 * stats.t.sf(abs(t), 2 * n * m - 2)), float(p_words)]


def tiled_by_regression(table: Any, n_copies: int) -> dict[str, float]:
    """The slope on the group with its naive error, and SciPy's permutation test of the words."""
    from scipy import stats

    many = np.tile(np.asarray(table, float), n_copies)
    group = np.repeat([0.0, 1.0], many.size // 2)
    fit = stats.linregress(group, many.ravel())
    means, n = many.mean(axis=1), len(many) // 2
    test = stats.permutation_test(
        (means[n:], means[:n]),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        n_resamples=np.inf,
        vectorized=True,
    )
    return {"difference": fit.slope, "p of pairs": fit.pvalue, "p of words": test.pvalue}


def claim_by_hand(male: Any, female: Any, unpleasant: Any, pool: Any) -> list[float]:
    """Unit vectors, their means, and all splits of the words."""
    one, two, kept, rows = (
        words / np.linalg.norm(words, axis=1, keepdims=True) for words in (male, female, unpleasant, pool)
    )
    means = np.vstack([one, two]) @ kept.mean(axis=0)
    difference, n = means[: len(one)].mean() - means[len(one) :].mean(), len(means)
    apart = [
        means[list(half)].mean() - means[sorted({*range(n)} - {*half})].mean()
        for half in combinations(range(n), len(one))
    ]
    p = np.mean(np.abs(apart) >= abs(difference) - 1e-12)
    return [float(difference), float(p), float(rows.mean(axis=0) @ kept.mean(axis=0))]


def claim_by_scipy(male: Any, female: Any, unpleasant: Any, pool: Any) -> dict[str, float]:
    """Cosine distances, and SciPy's permutation test of the words."""
    from scipy import stats
    from scipy.spatial.distance import cdist

    one, two, drawn = (
        (1 - cdist(words, unpleasant, "cosine")).mean(axis=1) for words in (male, female, pool)
    )
    test = stats.permutation_test(
        (one, two), lambda x, y, axis: x.mean(axis) - y.mean(axis), n_resamples=np.inf, vectorized=True
    )
    return {"difference": test.statistic, "p of words": test.pvalue, "center of the null": drawn.mean()}


SOLUTIONS = {
    "other-list": (other_list, other_list_by_scipy, other_list_by_regression),
    "tiled": (tiled, tiled_without_copies, tiled_by_regression),
    "claim": (claim, claim_by_hand, claim_by_scipy),
}
