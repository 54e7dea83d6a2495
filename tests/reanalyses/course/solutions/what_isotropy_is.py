"""Correct answers to the exercises of the lesson "What isotropy is"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy.what_isotropy_is import half, two_counts_by_shares, used


def half_by_halving(dimensions: float) -> float:
    """Use bisection: fewer dimensions are used the more one variance exceeds the other."""
    low, high = 1.0, 1_000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if used([middle, 1]) > dimensions else (low, middle)
    return low


def half_by_roots(dimensions: float) -> float:
    """Return the smaller root, which is the same ellipse rotated by 90°."""
    return float(min(np.roots([dimensions - 1, -2, dimensions - 1])))


def two_counts(lam: Any) -> tuple[float, float]:
    """Return the squared sum over the sum of squares, with and without the largest variance."""
    rest = lam[:-1]
    return lam.sum() ** 2 / (lam**2).sum(), rest.sum() ** 2 / (rest**2).sum()


def polygon(n_clusters: int, noise: Any) -> Any:
    """Place clusters on the corners of a regular polygon, with equal variances in all directions."""
    angles = 2 * np.pi * (np.arange(len(noise)) % n_clusters) / n_clusters
    return np.column_stack([np.cos(angles), np.sin(angles)]) + 0.05 * noise


def whitened(n_clusters: int, noise: Any) -> Any:
    """Place clusters along a curve, and then equalize the variances."""
    place = np.arange(len(noise)) % n_clusters
    cloud = np.column_stack([place, 0.5 * place**2]) + 0.02 * noise
    cloud = cloud - cloud.mean(axis=0)
    return cloud @ np.linalg.inv(np.linalg.cholesky(np.cov(cloud.T))).T


def roots_of_one(n_clusters: int, noise: Any) -> Any:
    """Place small clusters at the complex roots of one, far apart."""
    corner = np.exp(2j * np.pi / n_clusters) ** np.repeat(np.arange(n_clusters), 20)
    return 10 * np.column_stack([corner.real, corner.imag]) + 0.3 * noise[: len(corner)]


SOLUTIONS = {
    "half": (half, half_by_halving, half_by_roots),
    "used": (two_counts, two_counts_by_shares),
    "fool": (polygon, whitened, roots_of_one),
}
