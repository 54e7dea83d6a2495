"""Correct answers to the exercises of the lesson "Five scores, six tests"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy import five_scores_six_tests as lesson
from reanalyses.rudman2022 import clouds


def average_cosine_of_sample(mean: float, variance: float, n_dimensions: int) -> float:
    """Draw the cloud, and compute its score."""
    from isotropy_lab.isotropy import average_cosine

    cloud = clouds.isotropic_gaussian(4_000, n_dimensions, mean=mean, variance=variance, rng=0)
    return float(average_cosine(cloud))


def center_and_shrink(needle: Any) -> Any:
    """Center and scale the needle, since one score depends on location and the other on scale."""
    return 0.001 * (needle - needle.mean(axis=0))


def rotate_and_shrink(needle: Any) -> Any:
    """Express the needle in its principal axes and shrink it; orthogonal maps also keep its shape."""
    centered = needle - needle.mean(axis=0)
    return centered @ np.linalg.svd(centered, full_matrices=False)[2].T / 1e6


def shrink_to_bound(needle: Any) -> Any:
    """Reflect the needle, and scale the longest vector to length 1/1,000."""
    centered = needle - needle.sum(axis=0) / len(needle)
    return -centered / (1_000 * np.linalg.norm(centered, axis=1).max())


def largest_deviation_and_step(k: Any, values: Any) -> tuple[float, float]:
    """Return the largest distance from the line, and the smallest step."""
    line = (k - 1) / (len(k) - 1)
    return np.abs(values - line).max(), np.diff(values).min()


def add_outlier(round_cloud: Any) -> Any:
    """Add one outlier, which is not visible in a plot of the other points but reduces the score to nearly 0."""
    changed = round_cloud.copy()
    changed[0] = 0
    changed[0, 0] = 1_000
    return changed


def project_onto_sphere(round_cloud: Any) -> Any:
    """Project all points onto a sphere, which changes the plot but hardly the score."""
    return round_cloud / np.linalg.norm(round_cloud, axis=1, keepdims=True)


def move_to_corners(round_cloud: Any) -> Any:
    """Place all points near the corners of a cube."""
    return np.sign(round_cloud) + 0.01 * round_cloud


SOLUTIONS = {
    "arrow": (lesson.average_cosine, average_cosine_of_sample),
    "needle": (center_and_shrink, rotate_and_shrink, shrink_to_bound),
    "rule": (largest_deviation_and_step, lesson.tolerance_and_step),
    "seventh": (add_outlier, project_onto_sphere, move_to_corners),
}
