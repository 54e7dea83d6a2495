"""Correct answers to the exercises of the lesson "KL divergence and size"."""

from typing import Any

import numpy as np

from reanalyses.course.projection import kl_and_scale as lesson


def minimum_over_log_scale(points: Any, perplexity: float) -> tuple[float, float]:
    """Search over the logarithm of the scale, with the divergence in NumPy."""
    from scipy.optimize import minimize_scalar

    P = lesson.data_affinities(points, perplexity)
    squared = (points - points.T) ** 2

    def divergence(log_scale: float) -> float:
        kernel = 1 / (1 + np.exp(2 * log_scale) * squared)
        np.fill_diagonal(kernel, 0)
        nonzero = P > 0
        return float((P[nonzero] * np.log(P[nonzero] / kernel[nonzero] * kernel.sum())).sum())

    minimum = minimize_scalar(divergence, bounds=(-5, 5), method="bounded")
    return float(minimum.fun), float(np.exp(minimum.x))


def minima_at_the_bound(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    """Use the upper bound, since the optimal scale exceeds 300, and the package for all scales."""
    from isotropy_lab.projection import scale_normalized_kl

    P = lesson.data_affinities(X, perplexity)
    best = scale_normalized_kl(P, Y, metric="affinities")
    return lesson.kl_divergence(P, Y / shrink, min(300.0, best.scale * shrink)), best.value


def three_divergences_by_package(noise: Any, islands: Any, perplexity: float) -> dict[str, float]:
    """Compute everything with the package, from the points."""
    from isotropy_lab.projection import kl_divergence, scale_normalized_kl

    centered = noise - noise.mean(axis=0)
    principal = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
    return {
        "t-SNE": scale_normalized_kl(noise, islands, perplexity=perplexity).value,
        "principal components": scale_normalized_kl(noise, principal, perplexity=perplexity).value,
        "collapsed": kl_divergence(noise, islands, perplexity=perplexity, scale=0),
    }


SOLUTIONS = {
    "copy": (minimum_over_log_scale, lesson.minimum_for_copy),
    "bounded": (lesson.bounded_and_global_minimum, minima_at_the_bound),
    "islands": (lesson.three_divergences, three_divergences_by_package),
}
