"""Figures that move of Part 1 and of the front page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reanalyses.moving.figure import MovingFigure

__all__ = ["CLOUDS", "cloud", "number_of_points"]

#: Presets of `cloud`: its name, and what to notice.
CLOUDS = {
    "ball": "A ball around the origin: every score shown is high.",
    "centered needle": "A needle through the origin. IsoScore is near 0, and the average cosine score calls it isotropic.",
    "needle": "The same needle away from the origin: the average cosine score falls, IsoScore does not notice.",
    "far ball": "A ball far from the origin. IsoScore is what it was; the average cosine score is near 0.",
    "two clusters": "Two round clusters make one long cloud: IsoScore sees the covariance and nothing else.",
}


def cloud(start: str = "ball", *, compact: bool = False, two_scores: bool = False) -> MovingFigure:
    """Show a cloud of 48 points to drag, stretch, turn and center, with five scores that follow.

    For the lesson "Five scores, six tests"; with `two_scores`, IsoScore and the average cosine score alone, for "What
    isotropy is"; with `compact`, lower and without sliders, for the front page, where subtracting the mean comes first.
    The numbers are those of `isotropy_lab.isotropy.isotropy_scores`.
    """
    presets = [
        {"name": name, "points": points.round(3).tolist(), "axis": axis, "notice": CLOUDS[name]}
        for name, (points, axis) in _clouds().items()
        if not (compact and name == "centered needle")  # which is the needle, less its mean
    ]
    center = ("center", "Subtracting the mean moves the cloud and changes nothing about its shape.")
    look = "Drag a point, or the whole cloud by the diamond at its mean. Which scores follow the shape, and which the place?"
    if compact:
        center = (
            "subtract the mean",
            "Only the place has changed. A score that moved follows where a cloud lies; the shape is what it was.",
        )
        look = "Subtract the mean, or drag the cloud by the diamond: which scores move, though the shape does not?"
    return MovingFigure(
        "cloud",
        "Drag a cloud",
        look,
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


def number_of_points(N: int = 60, n: int = 100, decay: float = 0.5) -> MovingFigure:
    """Show how IsoScore depends on the number of points, with clouds that are drawn in the page.

    For the lesson "How many points are enough". The curve has both traces at their expectation for a Gaussian. Clouds come
    from `reanalyses.moving.generator.normal`, so that Python can draw the same ones.
    """
    presets = [
        (
            "team A",
            300,
            768,
            0.0,
            "Team A has 300 sentences: the score is near 0.3. The truth is 1, where the corrected score is cut off.",
        ),
        ("team B", 5_000, 768, 0.0, "Team B has 5,000 sentences of the same model, and a score near 0.9."),
        (
            "N = n",
            300,
            300,
            0.0,
            "As many points as dimensions, in an isotropic cloud: the score is near one half.",
        ),
        (
            "N = 19 n",
            570,
            30,
            0.0,
            "An isotropic cloud with nineteen points for each dimension: now the score is near 0.95.",
        ),
        (
            "steep",
            60,
            100,
            1.0,
            "Variances 1, 1/2, 1/3, …: they fall faster than those of the first cloud. The truth is low, and the score is near it with fewer points.",
        ),
    ]
    names = ("name", "N", "n", "decay", "notice")
    return MovingFigure(
        "points",
        "How many points are enough?",
        "Add points: the plug-in score climbs toward the truth, and the corrected one scatters around it.",
        "A curve of the expected IsoScore over the number of points, from 4 to 10,000, for a cloud in 100 dimensions whose "
        "variances decay. It climbs toward the true score; the corrected scores of drawn clouds scatter around the truth. For "
        "an isotropic cloud, whose true score is 1, the curve is near 0.5 with as many points as dimensions, and near 0.95 "
        "with nineteen times as many.",
        {
            "N": N,
            "n": n,
            "decay": decay,
            "presets": [dict(zip(names, preset, strict=True)) for preset in presets],
        },
    )


def _clouds() -> dict[str, tuple[NDArray[np.float64], float]]:
    """Return the points of each preset, and the angle of its long axis."""
    drawn = np.random.default_rng(348).standard_normal((48, 2))
    drawn -= drawn.mean(axis=0)
    even = drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T, ddof=0))).T  # uncorrelated, of variance 1
    angle = np.deg2rad(25.0)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    ball, needle = even * [1.05, 0.95] + [0.1, -0.05], even * [2.1, 0.17] @ turn
    clusters = 0.55 * even + np.where(np.arange(48) % 2, 1, -1)[:, None] * [2.8, 1.4]
    return {
        "ball": (ball, 0.0),
        "centered needle": (needle, angle),
        "needle": (needle + 4.6 * turn[0], angle),
        "far ball": (ball + np.array([3.2, 2.8]), 0.0),
        "two clusters": (clusters, float(np.arctan2(1.4, 2.8))),
    }
