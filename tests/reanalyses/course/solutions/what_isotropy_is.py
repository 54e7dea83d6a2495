"""Correct answers to the exercises of the lesson "What isotropy is"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy import what_isotropy_is as lesson


def variance_by_bisection(dimensions: float) -> float:
    """Use bisection: fewer dimensions are used the more one variance exceeds the other."""
    low, high = 1.0, 1_000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if lesson.participation_ratio([middle, 1]) > dimensions else (low, middle)
    return low


def smaller_variance(dimensions: float) -> float:
    """Return the smaller root, which is the same ellipse rotated by 90°."""
    return float(min(np.roots([dimensions - 1, -2, dimensions - 1])))


def dimensions_by_sums(lam: Any) -> tuple[float, float]:
    """Return the squared sum over the sum of squares, with and without the largest variance."""
    without_largest = lam[:-1]
    return lam.sum() ** 2 / (lam**2).sum(), without_largest.sum() ** 2 / (without_largest**2).sum()


def place_on_polygon(n_clusters: int, noise: Any) -> Any:
    """Place clusters on the corners of a regular polygon, with equal variances in all directions."""
    angles = 2 * np.pi * (np.arange(len(noise)) % n_clusters) / n_clusters
    return np.column_stack([np.cos(angles), np.sin(angles)]) + 0.05 * noise


def place_on_curve_and_whiten(n_clusters: int, noise: Any) -> Any:
    """Place clusters along a curve, and then equalize the variances."""
    cluster = np.arange(len(noise)) % n_clusters
    cloud = np.column_stack([cluster, 0.5 * cluster**2]) + 0.02 * noise
    cloud = cloud - cloud.mean(axis=0)
    return cloud @ np.linalg.inv(np.linalg.cholesky(np.cov(cloud.T))).T


def place_at_roots_of_one(n_clusters: int, noise: Any) -> Any:
    """Place small clusters at the complex roots of one, far apart."""
    corner = np.exp(2j * np.pi / n_clusters) ** np.repeat(np.arange(n_clusters), 20)
    return 10 * np.column_stack([corner.real, corner.imag]) + 0.3 * noise[: len(corner)]


SOLUTIONS = {
    "half": (lesson.larger_variance, variance_by_bisection, smaller_variance),
    "used": (dimensions_by_sums, lesson.dimensions_by_fractions),
    "fool": (place_on_polygon, place_on_curve_and_whiten, place_at_roots_of_one),
}
