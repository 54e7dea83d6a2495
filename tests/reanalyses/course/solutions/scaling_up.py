"""Right answers to the exercises of the lesson "Scaling up", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.report.scaling_up import merged_by_parts, no_pair, recall


def no_pair_by_products(few: Any, n_rows: int) -> list[float]:
    """Expand the square: N times the sum of the squares less the square of the sum."""
    total = few.sum(axis=0)
    return [float(len(few) * (few**2).sum() - total @ total), 2e-9 * n_rows * (n_rows - 1)]


def with_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    """By the pairs, for comparison."""
    from math import comb

    from scipy.spatial.distance import pdist

    return float((pdist(few) ** 2).sum()), comb(n_rows, 2) * np.dtype(np.float32).itemsize / 1e9


def recall_by_sets(exact: Any, fast: Any) -> list[float]:
    """With sets, and the standard library."""
    from statistics import fmean, stdev

    shares = [
        len(set(true) & set(found)) / len(true)
        for true, found in zip(exact.tolist(), fast.tolist(), strict=True)
    ]
    return [fmean(shares), stdev(shares) / len(shares) ** 0.5]


def recall_by_table(exact: Any, fast: Any) -> tuple[float, float]:
    """Every neighbor with every neighbor of its question."""
    from scipy.stats import sem

    shares = (exact[:, :, None] == fast[:, None, :]).any(axis=2).mean(axis=1)
    return float(shares.mean()), float(sem(shares))


def merged(sums: Any, counts: Any) -> float:
    """The square of the sum has all pairs twice, and each vector with itself once."""
    total, count = sums[0] + sums[1], counts[0] + counts[1]
    return float((total @ total - count) / (count * (count - 1)))


def merged_by_mean(sums: Any, counts: Any) -> float:
    """The squared length of the mean, with the pairs of a vector and itself taken out."""
    n = int(np.sum(counts))
    squared = float(np.linalg.norm(np.sum(sums, axis=0) / n) ** 2)
    return (squared - 1 / n) * n / (n - 1)


SOLUTIONS = {
    "no-pair": (no_pair, no_pair_by_products, with_pairs),
    "recall": (recall, recall_by_sets, recall_by_table),
    "merged": (merged, merged_by_parts, merged_by_mean),
}
