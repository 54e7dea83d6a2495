"""Correct answers to the exercises of the lesson "How many points are enough"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy import how_many_points as lesson


def count_points(n_dimensions: int, fraction: float) -> float:
    """Solve 1 / (1 + (n + 1) / (N − 1)) = s for N."""
    return (n_dimensions + 1) * fraction / (1 - fraction) + 1


def scores_by_traces(a: Any, b: Any) -> tuple[float, float, float, float]:
    """Compute the plug-in and corrected scores from the sums that unbiased estimates of both traces require."""
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


def measures_in_numpy(mystery: Any) -> tuple[float, ...]:
    """Use the closed form of both traces, and the length of a sum of unit vectors."""
    centered = mystery - mystery.sum(axis=0) / len(mystery)
    d2 = np.einsum("ij,ij->i", centered, centered)
    is_outlier = d2 / d2.mean() > 4
    others = mystery[~is_outlier]
    U = others / np.linalg.norm(others, axis=1, keepdims=True)
    cosine = ((U.sum(axis=0) ** 2).sum() - len(U)) / (len(U) ** 2 - len(U))
    return is_outlier.sum(), scores_by_traces(others, others)[2], cosine


SOLUTIONS = {
    "nineteen": (count_points, lesson.count_points_by_search),
    "tables": (scores_by_traces, lesson.scores_by_package),
    "mystery": (lesson.file_measures, measures_in_numpy),
}
