"""Right answers to the exercises of the lesson "How many points are enough", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.isotropy.how_many_points import (
    copies,
    coverage,
    nineteen_by_counting,
    tables_by_package,
)


def nineteen(n_dimensions: int, score: float) -> float:
    """Solve 1 / (1 + (n + 1) / (N − 1)) = s for N."""
    return (n_dimensions + 1) * score / (1 - score) + 1


def nineteen_by_ratio(n_dimensions: int, score: float) -> float:
    """The excess (n + 1) / (N − 1) may be 1/s − 1."""
    return 1 + (1 + n_dimensions) / (1 / score - 1)


def tables(a: Any, b: Any) -> tuple[float, float, float, float]:
    """Plug-in and corrected score by the sums of squares that unbiased estimates of both traces need."""
    scores = []
    for X in (a, b):
        N, n = X.shape
        centered = X - X.mean(axis=0)
        S = centered.T @ centered / (N - 1)
        squared, of_square = np.trace(S) ** 2, (S**2).sum()
        fourth = N / (N - 1) * ((centered**2).sum(axis=1) ** 2).sum()
        fair = 2 * of_square + (N**2 - 3 * N + 1) * squared - fourth
        fair /= (N - 1) * (N - 2) * of_square + squared - fourth
        scores.append([(squared / of_square - 1) / (n - 1), (fair - 1) / (n - 1)])
    return scores[0][0], scores[1][0], scores[0][1], scores[1][1]


def tables_by_products(a: Any, b: Any) -> list[float]:
    """By the inner products of different points: sums over two, three and four of them, none used twice."""
    plain, fair = [], []
    for X in (a, b):
        N, n = X.shape
        G = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
        lam = np.linalg.eigvalsh(G)
        plain.append((lam.sum() ** 2 / (lam**2).sum() - 1) / (n - 1))
        # Half a squared distance estimates the trace; a product of two of them with four points its square.
        D = (np.diag(G)[:, None] + np.diag(G) - 2 * G) / 2
        pairs = (D.sum() ** 2 - 4 * (D.sum(axis=1) ** 2).sum() + 2 * (D**2).sum()) / (
            N * (N - 1) * (N - 2) * (N - 3)
        )
        # ⟨x1 − x2, x3 − x4⟩² in the same way: four products of different points, averaged over all choices.
        off = G - np.diag(np.diag(G))
        two = (off**2).sum() / (N * (N - 1))
        three = ((off.sum(axis=1) ** 2).sum() - (off**2).sum()) / (N * (N - 1) * (N - 2))
        four = (off.sum() ** 2 - 4 * (off.sum(axis=1) ** 2).sum() + 2 * (off**2).sum()) / (
            N * (N - 1) * (N - 2) * (N - 3)
        )
        fair.append((pairs / (two - 2 * three + four) - 1) / (n - 1))
    return [*plain, *fair]


def coverage_by_count(samples: Any, truth: float) -> float:
    """Count, and divide."""
    from isotropy_lab.isotropy import isoscore_interval

    n_held = 0
    for X in samples:
        found = isoscore_interval(X)
        if not (truth < found.low or truth > found.high):
            n_held += 1
    return n_held / len(samples)


def coverage_by_misses(samples: Any, truth: float) -> float:
    """One less the shares that lie wholly above and wholly below."""
    from isotropy_lab.isotropy import isoscore_interval

    ends = np.array([[found.low, found.high] for found in map(isoscore_interval, samples)])
    return 1 - float((ends[:, 0] > truth).mean()) - float((ends[:, 1] < truth).mean())


def copies_by_mean(copies: Any, groups: Any) -> float:
    """The mean of each group: equal rows have themselves for a mean."""
    from isotropy_lab.isotropy import isoscore

    means = [copies[groups == group].mean(axis=0) for group in sorted(set(groups))]
    return isoscore(np.array(means), estimator="corrected")


def copies_by_value(copies: Any, groups: Any) -> float:
    """No labels at all: keep every different row once."""
    from isotropy_lab.isotropy import isoscore_interval

    return isoscore_interval(np.unique(copies, axis=0)).estimate


SOLUTIONS = {
    "nineteen": (nineteen, nineteen_by_counting, nineteen_by_ratio),
    "tables": (tables, tables_by_package, tables_by_products),
    "coverage": (coverage, coverage_by_count, coverage_by_misses),
    "copies": (copies, copies_by_mean, copies_by_value),
}
