"""Interactive figures of Part 1 and of the front page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reanalyses.moving.figure import MovingFigure

#: Presets of `cloud`: name, and what to notice.
CLOUDS = {
    "ball": "A ball around the origin: every score shown is high.",
    "centered needle": "A needle through the origin. IsoScore is near 0, and the average cosine score calls it isotropic.",
    "needle": "The same needle away from the origin: the average cosine score falls, IsoScore does not notice.",
    "far ball": "A ball far from the origin. IsoScore is what it was; the average cosine score is near 0.",
    "two clusters": "Two round clusters make one long cloud: IsoScore sees the covariance and nothing else.",
}


def cloud(start: str = "ball", *, compact: bool = False, two_scores: bool = False) -> MovingFigure:
    """Show a cloud of 48 points that can be dragged, stretched, rotated, and centered, with five live scores.

    For the lesson "Five scores, six tests"; with `two_scores`, only IsoScore and the average cosine score, for "What
    isotropy is"; with `compact`, a lower figure without sliders for the front page, where subtracting the mean comes
    first. The numbers are those of `isotropy_lab.isotropy.isotropy_scores`.
    """
    presets = [
        {"name": name, "points": points.round(3).tolist(), "axis": axis, "notice": CLOUDS[name]}
        for name, (points, axis) in _clouds().items()
        if not (compact and name == "centered needle")  # it equals the needle minus its mean
    ]
    center = ("center", "Subtracting the mean moves the cloud and changes nothing about its shape.")
    notice = "Drag a point, or the whole cloud by the diamond at its mean. Which scores follow the shape, and which the location?"
    if compact:
        center = (
            "subtract the mean",
            "Only the place has changed. A score that moved follows where a cloud lies; the shape is what it was.",
        )
        notice = "Subtract the mean, or drag the cloud by the diamond: which scores move, though the shape does not?"
    return MovingFigure(
        "cloud",
        "Drag a cloud",
        notice,
        "A cloud of 48 points in the plane with scores of its isotropy. Moved away from the origin, a round cloud keeps its "
        "IsoScore of nearly 1 while its average cosine score falls to nearly 0. A needle through the origin has an IsoScore "
        "of nearly 0 and an average cosine score of nearly 1.",
        {
            "presets": presets,
            "first": start,
            "neighbors": 20,
            "compact": compact,
            "two": two_scores,
            "center": dict(zip(("name", "notice"), center, strict=True)),
        },
    )


def _clouds() -> dict[str, tuple[NDArray[np.float64], float]]:
    """Return the points of each preset, and the angle of its longest axis."""
    points = np.random.default_rng(348).standard_normal((48, 2))
    points -= points.mean(axis=0)
    # Uncorrelated coordinates of variance 1.
    round_cloud = points @ np.linalg.inv(np.linalg.cholesky(np.cov(points.T, ddof=0))).T
    angle = np.deg2rad(25.0)
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    ball = round_cloud * [1.05, 0.95] + [0.1, -0.05]
    needle = round_cloud * [2.1, 0.17] @ rotation
    clusters = 0.55 * round_cloud + np.where(np.arange(48) % 2, 1, -1)[:, None] * [2.8, 1.4]
    return {
        "ball": (ball, 0.0),
        "centered needle": (needle, angle),
        "needle": (needle + 4.6 * rotation[0], angle),
        "far ball": (ball + np.array([3.2, 2.8]), 0.0),
        "two clusters": (clusters, float(np.arctan2(1.4, 2.8))),
    }
