"""Right answers to the exercises of the lesson "How many points are enough", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.isotropy.how_many_points import mystery, nineteen_by_counting, tables_by_package


def nineteen(n_dimensions: int, fraction: float) -> float:
    """Solve 1 / (1 + (n + 1) / (N − 1)) = s for N."""
    return (n_dimensions + 1) * fraction / (1 - fraction) + 1


def nineteen_by_ratio(n_dimensions: int, fraction: float) -> float:
    """The excess (n + 1) / (N − 1) may be 1/s − 1."""
    return 1 + (1 + n_dimensions) / (1 / fraction - 1)


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


def mystery_by_package(mystery: Any) -> list[float]:
    """Far rows by their distances, and everything else by the package."""
    from isotropy_lab.isotropy import average_cosine, dimensions_used, isoscore_interval

    distance = np.linalg.norm(mystery - mystery.mean(axis=0), axis=1)
    kept = mystery[distance <= 2 * np.sqrt((distance**2).mean())]
    return [
        len(mystery) - len(kept),
        dimensions_used(mystery),
        isoscore_interval(kept).estimate,
        average_cosine(kept),
        average_cosine(kept - kept.mean(axis=0)),
    ]


def mystery_by_hand(mystery: Any) -> tuple[float, ...]:
    """Eigenvalues, the closed form of both traces, and the lengths of sums of unit-norm vectors."""
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
    "nineteen": (nineteen, nineteen_by_counting, nineteen_by_ratio),
    "tables": (tables, tables_by_package, tables_by_products),
    "mystery": (mystery, mystery_by_package, mystery_by_hand),
}
