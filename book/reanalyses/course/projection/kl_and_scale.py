"""Exercises of the lesson "KL divergence and size"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def shares_of(X: Any, perplexity: float) -> Any:
    """Return the affinities of the data, as computed by the package."""
    from isotropy_lab.projection import affinities

    return affinities(X, perplexity=perplexity)


def kl(P: Any, Y: Any, size: float) -> float:
    """Return the KL divergence of a projection, given the affinities of the data."""
    squared = ((Y[:, None] - Y) ** 2).sum(axis=2)
    bell = 1 / (1 + size**2 * squared)
    np.fill_diagonal(bell, 0)
    on = P > 0
    return float((P[on] * np.log(P[on] / (bell / bell.sum())[on])).sum())


# 1. copy


def any_points(rng: np.random.Generator) -> Data:
    return {
        "points": np.cumsum([0, *rng.uniform((0.8, 0.8, 2.5), (1.2, 1.2, 4))]).round(2)[:, None],
        "perplexity": 2.0,
    }


def copy_by_package(points: Any, perplexity: float) -> tuple[float, float]:
    """Return the smallest divergence of a copy of the data and its scale, computed with the package."""
    from isotropy_lab.projection import scale_normalized_kl

    found = scale_normalized_kl(points, points, perplexity=perplexity)
    return found.value, found.scale


def copy_as_it_comes(points: Any, perplexity: float) -> tuple[float, float]:
    return kl(shares_of(points, perplexity), points, 1.0), 1.0


def copy_of_larger_data(points: Any, perplexity: float) -> tuple[float, float]:
    value, size = copy_by_package(points, perplexity)
    return value, 1_000 * size


# 2. bounded


def any_search(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((24, 4)) * np.array([3, 2, 1, 1])
    return {
        "X": X,
        "Y": X[:, :2] + 0.3 * rng.standard_normal((24, 2)),
        "shrink": float(rng.choice([3_000, 5_000, 9_000])),
        "perplexity": 6.0,
    }


def wines() -> Data:
    from reanalyses.smelser2025 import layouts

    found = layouts.load("wine")
    return {"X": found.X, "Y": found.Y["MDS"], "shrink": 100.0, "perplexity": 30.0}


def bounded(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    """Return the smallest divergence within the bounds, and that over all scales."""
    from scipy.optimize import minimize_scalar

    P = shares_of(X, perplexity)
    squared = ((Y[:, None] - Y) ** 2).sum(axis=2) / shrink**2

    def divergence(size: float) -> float:
        bell = 1 / (1 + size**2 * squared)
        np.fill_diagonal(bell, 0)
        return float((P[P > 0] * np.log(P[P > 0] / bell[P > 0] * bell.sum())).sum())

    within = minimize_scalar(divergence, bounds=(0, 300), method="bounded")
    whole = minimize_scalar(lambda u: divergence(shrink * np.exp(u)), bounds=(-6, 6), method="bounded")
    return float(within.fun), float(whole.fun)


def not_shrunk(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    return bounded(X, Y, 1.0, perplexity)


def exchanged(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    within, whole = bounded(X, Y, shrink, perplexity)
    return whole, within


# 3. islands


def any_islands(rng: np.random.Generator) -> Data:
    noise = rng.standard_normal((30, 6))
    return {"noise": noise, "islands": 8 * np.sign(noise[:, :2]) + noise[:, 2:4], "perplexity": 5.0}


def islands_of_the_lesson() -> Data:
    from reanalyses.smelser2025 import layouts

    found = layouts.load("noise")
    return {"noise": found.X, "islands": found.Y["t-SNE"], "perplexity": 5.0}


def islands(noise: Any, islands: Any, perplexity: float) -> tuple[float, float, float]:
    """Return the smallest divergences of t-SNE, of principal components, and of a single point."""
    from isotropy_lab.projection import scale_normalized_kl

    P = shares_of(noise, perplexity)
    U, S, _ = np.linalg.svd(noise - noise.mean(axis=0), full_matrices=False)
    drawn, first = (scale_normalized_kl(P, Y, metric="affinities").value for Y in (islands, U[:, :2] * S[:2]))
    on = P > 0
    n = len(noise)
    return drawn, first, float((P[on] * np.log(P[on] * n * (n - 1))).sum())


def islands_as_they_come(noise: Any, islands: Any, perplexity: float) -> tuple[float, float, float]:
    P = shares_of(noise, perplexity)
    U, S, _ = np.linalg.svd(noise - noise.mean(axis=0), full_matrices=False)
    return kl(P, islands, 1.0), kl(P, U[:, :2] * S[:2], 1.0), kl(P, islands, 0.0)


EXERCISES = (
    Exercise(
        name="copy",
        number=1,
        objectives=(2, 3),
        asks="two numbers: the smallest divergence of the copy, and its size there",
        parts=("smallest divergence", "size"),
        own=lambda: {"points": np.array([[0.0], [1.0], [2.0], [5.0]]), "perplexity": 2.0},
        draw=any_points,
        decimals=(3, 2),
        rtol=4e-3,
        solution=copy_by_package,
        slips=(
            Slip(copy_as_it_comes, "that is the copy at its original size. Try smaller sizes."),
            Slip(
                copy_of_larger_data,
                "the size of the data does not matter here, but the size of the projection does.",
            ),
        ),
        praise="Even the best copy is not graded 0, whatever the size of the data.",
    ),
    Exercise(
        name="bounded",
        number=2,
        objectives=(1, 3),
        asks="two numbers for the shrunk projection: what the bounded search finds, and the minimum over all scales",
        parts=("value of the bounded search", "minimum over all scales"),
        own=wines,
        draw=any_search,
        rtol=2e-3,
        solution=bounded,
        slips=(
            Slip(not_shrunk, "that is the projection before it was shrunk."),
            Slip(exchanged, "hand in the value of the bounded search, and then the minimum over all scales."),
        ),
        praise="With a fixed bound on the scale, the result depends on the size again.",
    ),
    Exercise(
        name="islands",
        number=3,
        objectives=(1, 2, 3),
        asks="three numbers: the SNKL of t-SNE, of the principal components, and the divergence of a collapsed projection",
        parts=("t-SNE", "principal components", "collapsed"),
        own=islands_of_the_lesson,
        draw=any_islands,
        rtol=2e-3,
        solution=islands,
        slips=(
            Slip(
                islands_as_they_come,
                "those are divergences at the original scales. Find the optimal scale of each projection.",
            ),
        ),
        praise="A low value, and no groups in the data.",
    ),
)
