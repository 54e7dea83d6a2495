"""Right answers to the exercises of the lesson "Five scores, six tests"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.isotropy.five_scores_six_tests import arrow, rule_by_loop
from reanalyses.rudman2022 import clouds


def arrow_by_drawing(mean: float, variance: float, n_dimensions: int) -> float:
    """Draw the cloud and measure."""
    from isotropy_lab.isotropy import average_cosine

    cloud = clouds.isotropic_gaussian(4_000, n_dimensions, mean=mean, variance=variance, rng=0)
    return float(average_cosine(cloud))


def small_and_centered(needle: Any) -> Any:
    """One score follows the place, the other the unit."""
    return 0.001 * (needle - needle.mean(axis=0))


def turned_and_small(needle: Any) -> Any:
    """Turned into its principal axes, and written in millions: a rotation keeps the shape, too."""
    centered = needle - needle.mean(axis=0)
    return centered @ np.linalg.svd(centered, full_matrices=False)[2].T / 1e6


def shortest_possible(needle: Any) -> Any:
    """The longest vector gets the length 1/1,000."""
    centered = needle - needle.sum(axis=0) / len(needle)
    return -centered / (1_000 * np.linalg.norm(centered, axis=1).max())


def rule(k: Any, values: Any) -> tuple[float, float]:
    """The farthest value from the line, and the smallest step."""
    line = (k - 1) / (len(k) - 1)
    return np.abs(values - line).max(), np.diff(values).min()


def far_point(round_cloud: Any) -> Any:
    """One far point: nobody sees it in a picture of the rest, and the score collapses."""
    changed = round_cloud.copy()
    changed[0] = 0
    changed[0, 0] = 1_000
    return changed


def ring(round_cloud: Any) -> Any:
    """All points onto a sphere: the picture changes, and the score hardly does."""
    return round_cloud / np.linalg.norm(round_cloud, axis=1, keepdims=True)


def corners(round_cloud: Any) -> Any:
    """All points near the corners of a cube."""
    return np.sign(round_cloud) + 0.01 * round_cloud


SOLUTIONS = {
    "arrow": (arrow, arrow_by_drawing),
    "needle": (small_and_centered, turned_and_small, shortest_possible),
    "rule": (rule, rule_by_loop),
    "seventh": (far_point, ring, corners),
}
