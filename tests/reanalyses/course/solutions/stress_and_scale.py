"""Correct answers to the exercises of the lesson "Stress and size"."""

from typing import Any

import numpy as np

from reanalyses.course.projection import stress_and_scale as lesson


def stresses_by_package(points: Any, faithful: Any, exchanged: Any) -> list[float]:
    """Use the package, and search for the factor."""
    from scipy.optimize import brentq

    from isotropy_lab.projection import normalized_stress

    def advantage(factor: float) -> float:
        stresses = [normalized_stress(points, P, scale=factor) for P in (faithful, exchanged)]
        return stresses[0] ** 2 - stresses[1] ** 2

    return [
        normalized_stress(points, faithful),
        normalized_stress(points, exchanged),
        float(brentq(advantage, 1e-3, 50)),
    ]


def scales_by_package(X: Any, mds: Any, tsne: Any) -> dict[str, float]:
    """Enlarge MDS far beyond its optimal scale."""
    from isotropy_lab.projection import optimal_scale

    return {"MDS": 100.0, "t-SNE": optimal_scale(X, tsne)}


def small_scales(X: Any, mds: Any, tsne: Any) -> list[float]:
    """Shrink MDS to nearly a point, and t-SNE to any scale between 0 and twice its optimum."""
    d, f = lesson.pairwise_distances(X), lesson.pairwise_distances(tsne)
    return [1e-6, 0.7 * float(d @ f) / float(f @ f)]


def disk_with_rim(noise: Any, square: Any, uniform: Any) -> Any:
    """Return a disk with an excess of points at its rim."""
    radius = uniform[0] ** 0.4
    angles = 2 * np.pi * np.arange(len(noise)) * (3 - 5**0.5) / 2
    return radius[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def sunflower(noise: Any, square: Any, uniform: Any) -> Any:
    """Return an even disk, arranged like the seeds of a sunflower."""
    i = np.arange(len(noise)) + 0.5
    points = np.sqrt(i) * np.exp(2.399963j * i)
    return np.column_stack([points.real, points.imag])


def two_rings(noise: Any, square: Any, uniform: Any) -> Any:
    """Return a ring with two thirds of the points, and a smaller ring with the rest."""
    n = len(noise)
    i = np.arange(n)
    radius = np.where(i % 3 == 0, 0.4, 1.0)
    return np.array([radius * np.cos(2.4 * i), radius * np.sin(2.4 * i)]).T


SOLUTIONS = {
    "by-hand": (lesson.stresses_and_equal_scale, stresses_by_package),
    "sizes": (lesson.reversing_scales, scales_by_package, small_scales),
    "blind": (disk_with_rim, sunflower, two_rings),
}
