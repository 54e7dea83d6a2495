"""Exercises of the lesson "KL divergence and size"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip, reverse

__all__ = ["EXERCISES"]


def data_affinities(X: Any, perplexity: float) -> Any:
    """Return the symmetric affinities of t-SNE for the data."""
    from isotropy_lab.projection import affinities

    return affinities(X, perplexity=perplexity)


def kl_divergence(P: Any, Y: Any, scale: float) -> float:
    """Return the KL divergence of t-SNE for a projection at a scale, given the affinities of the data."""
    squared = ((Y[:, None] - Y) ** 2).sum(axis=2)
    kernel = 1 / (1 + scale**2 * squared)
    np.fill_diagonal(kernel, 0)
    nonzero = P > 0
    return float((P[nonzero] * np.log(P[nonzero] / (kernel / kernel.sum())[nonzero])).sum())


# 1. copy


def draw_points(rng: np.random.Generator) -> Data:
    return {
        "points": np.cumsum([0, *rng.uniform((0.8, 0.8, 2.5), (1.2, 1.2, 4))]).round(2)[:, None],
        "perplexity": 2.0,
    }


def minimum_for_copy(points: Any, perplexity: float) -> tuple[float, float]:
    """Return the smallest KL divergence of a copy of the data, and the scale at which it occurs."""
    from isotropy_lab.projection import scale_normalized_kl

    minimum = scale_normalized_kl(points, points, perplexity=perplexity)
    return minimum.value, minimum.scale


def divergence_at_original_scale(points: Any, perplexity: float) -> tuple[float, float]:
    return kl_divergence(data_affinities(points, perplexity), points, 1.0), 1.0


def minimum_with_enlarged_scale(points: Any, perplexity: float) -> tuple[float, float]:
    value, scale = minimum_for_copy(points, perplexity)
    return value, 1_000 * scale


# 2. bounded


def draw_projection(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((24, 4)) * np.array([3, 2, 1, 1])
    return {
        "X": X,
        "Y": X[:, :2] + 0.3 * rng.standard_normal((24, 2)),
        "shrink": float(rng.choice([3_000, 5_000, 9_000])),
        "perplexity": 6.0,
    }


def lesson_projection() -> Data:
    from reanalyses.smelser2025 import layouts

    stored = layouts.load("wine")
    return {"X": stored.X, "Y": stored.Y["MDS"], "shrink": 100.0, "perplexity": 30.0}


def bounded_and_global_minimum(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    """Return the smallest divergence for scales from 0 to 300, and the smallest divergence over all scales."""
    from scipy.optimize import minimize_scalar

    P = data_affinities(X, perplexity)
    squared = ((Y[:, None] - Y) ** 2).sum(axis=2) / shrink**2

    def divergence(scale: float) -> float:
        kernel = 1 / (1 + scale**2 * squared)
        np.fill_diagonal(kernel, 0)
        return float((P[P > 0] * np.log(P[P > 0] / kernel[P > 0] * kernel.sum())).sum())

    bounded = minimize_scalar(divergence, bounds=(0, 300), method="bounded")
    unbounded = minimize_scalar(lambda u: divergence(shrink * np.exp(u)), bounds=(-6, 6), method="bounded")
    return float(bounded.fun), float(unbounded.fun)


def minima_without_shrinking(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    return bounded_and_global_minimum(X, Y, 1.0, perplexity)


# 3. islands


def draw_clustered_layout(rng: np.random.Generator) -> Data:
    noise = rng.standard_normal((30, 6))
    return {"noise": noise, "islands": 8 * np.sign(noise[:, :2]) + noise[:, 2:4], "perplexity": 5.0}


def lesson_layout() -> Data:
    from reanalyses.smelser2025 import layouts

    stored = layouts.load("noise")
    return {"noise": stored.X, "islands": stored.Y["t-SNE"], "perplexity": 5.0}


def three_divergences(noise: Any, islands: Any, perplexity: float) -> tuple[float, float, float]:
    """Return the smallest divergences of t-SNE and of principal components, and the divergence of a single point."""
    from isotropy_lab.projection import scale_normalized_kl

    P = data_affinities(noise, perplexity)
    U, S, _ = np.linalg.svd(noise - noise.mean(axis=0), full_matrices=False)
    maps = (islands, U[:, :2] * S[:2])
    tsne, principal = (scale_normalized_kl(P, Y, metric="affinities").value for Y in maps)
    nonzero, n_points = P > 0, len(noise)
    return tsne, principal, float((P[nonzero] * np.log(P[nonzero] * n_points * (n_points - 1))).sum())


def divergences_at_original_scale(noise: Any, islands: Any, perplexity: float) -> list[float]:
    P = data_affinities(noise, perplexity)
    U, S, _ = np.linalg.svd(noise - noise.mean(axis=0), full_matrices=False)
    maps_and_scales = ((islands, 1.0), (U[:, :2] * S[:2], 1.0), (islands, 0.0))
    return [kl_divergence(P, Y, scale) for Y, scale in maps_and_scales]


def divergences_at_default_perplexity(
    noise: Any, islands: Any, perplexity: float
) -> tuple[float, float, float]:
    """Use a perplexity of 30, or a smaller one for a few points."""
    return three_divergences(noise, islands, min(30, len(noise) / 3))


EXERCISES = (
    Exercise(
        name="copy",
        number=1,
        objectives=(2, 3),
        asks="two numbers: the smallest divergence of the copy, and its size at that divergence",
        parts=("smallest divergence", "size"),
        lesson_data=lambda: {"points": np.array([[0.0], [1.0], [2.0], [5.0]]), "perplexity": 2.0},
        draw=draw_points,
        decimals=(3, 2),
        rtol=4e-3,
        solution=minimum_for_copy,
        slips=(
            Slip(divergence_at_original_scale, "that is the copy at its original size. Try smaller sizes."),
            Slip(
                minimum_with_enlarged_scale,
                "the size of the projection matters here, not the size of the data.",
            ),
        ),
        praise="Even the best copy has a positive divergence, whatever the size of the data.",
    ),
    Exercise(
        name="bounded",
        number=2,
        objectives=(1, 3),
        asks="two numbers for the shrunk projection: the minimum of the bounded search, and the minimum over all scales",
        parts=("value of the bounded search", "minimum over all scales"),
        lesson_data=lesson_projection,
        draw=draw_projection,
        rtol=2e-3,
        solution=bounded_and_global_minimum,
        slips=(
            Slip(minima_without_shrinking, "that is the projection before it was shrunk."),
            Slip(reverse(bounded_and_global_minimum), "the value of the bounded search comes first."),
        ),
        praise="With a fixed bound on the scale, the result depends on the size again.",
    ),
    Exercise(
        name="islands",
        number=3,
        objectives=(1, 2, 3),
        asks="three numbers: the SNKL of t-SNE, the SNKL of the principal components, and the divergence of a collapsed projection",
        parts=("t-SNE", "principal components", "collapsed"),
        lesson_data=lesson_layout,
        draw=draw_clustered_layout,
        rtol=2e-3,
        solution=three_divergences,
        slips=(
            Slip(divergences_at_original_scale, "use the optimal scale of each projection."),
            Slip(
                divergences_at_default_perplexity,
                "you used the default perplexity. Use that of the exercise.",
            ),
        ),
        praise="The divergence of t-SNE is low, although the data have no groups.",
    ),
)
