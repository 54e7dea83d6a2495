"""Correct answers to the exercises of the lesson "How many points are enough"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy.how_many_points import mystery, nineteen_by_counting, tables_by_package


def nineteen(n_dimensions: int, fraction: float) -> float:
    """Solve 1 / (1 + (n + 1) / (N − 1)) = s for N."""
    return (n_dimensions + 1) * fraction / (1 - fraction) + 1


def tables(a: Any, b: Any) -> tuple[float, float, float, float]:
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


def mystery_by_hand(mystery: Any) -> tuple[float, ...]:
    """Use eigenvalues, the closed form of both traces, and lengths of sums of unit vectors."""
    centered = mystery - mystery.sum(axis=0) / len(mystery)
    d2 = np.einsum("ij,ij->i", centered, centered)
    far = d2 / d2.mean() > 4
    lam = np.linalg.eigvalsh(centered.T @ centered)
    rest = mystery[~far]
    cosines = []
    for X in (rest, rest - rest.mean(axis=0)):
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        cosines.append(((U.sum(axis=0) ** 2).sum() - len(U)) / (len(U) ** 2 - len(U)))
    return far.sum(), lam.sum() ** 2 / (lam**2).sum(), tables(rest, rest)[2], *cosines


SOLUTIONS = {
    "nineteen": (nineteen, nineteen_by_counting),
    "tables": (tables, tables_by_package),
    "mystery": (mystery, mystery_by_hand),
}
