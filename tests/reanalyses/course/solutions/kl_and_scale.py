"""Correct answers to the exercises of the lesson "KL divergence and size"."""

from typing import Any

import numpy as np

from reanalyses.course.projection.kl_and_scale import bounded, copy_by_package, islands, kl, shares_of


def copy(points: Any, perplexity: float) -> tuple[float, float]:
    """Search over the logarithm of the scale, with the divergence in NumPy."""
    from scipy.optimize import minimize_scalar

    P = shares_of(points, perplexity)
    squared = (points - points.T) ** 2

    def divergence(log_size: float) -> float:
        bell = 1 / (1 + np.exp(2 * log_size) * squared)
        np.fill_diagonal(bell, 0)
        on = P > 0
        return float((P[on] * np.log(P[on] / bell[on] * bell.sum())).sum())

    found = minimize_scalar(divergence, bounds=(-5, 5), method="bounded")
    return float(found.fun), float(np.exp(found.x))


def bounded_at_the_end(X: Any, Y: Any, shrink: float, perplexity: float) -> tuple[float, float]:
    """Use the upper bound, since the optimal scale exceeds 300, and the package for all scales."""
    from isotropy_lab.projection import scale_normalized_kl

    P = shares_of(X, perplexity)
    best = scale_normalized_kl(P, Y, metric="affinities")
    return kl(P, Y / shrink, min(300.0, best.scale * shrink)), best.value


def islands_by_package(noise: Any, islands: Any, perplexity: float) -> dict[str, float]:
    """Compute everything with the package, from the points."""
    from isotropy_lab.projection import kl_divergence, scale_normalized_kl

    centered = noise - noise.mean(axis=0)
    first = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
    return {
        "t-SNE": scale_normalized_kl(noise, islands, perplexity=perplexity).value,
        "principal components": scale_normalized_kl(noise, first, perplexity=perplexity).value,
        "collapsed": kl_divergence(noise, islands, perplexity=perplexity, scale=0),
    }


SOLUTIONS = {
    "copy": (copy, copy_by_package),
    "bounded": (bounded, bounded_at_the_end),
    "islands": (islands, islands_by_package),
}
