"""Figures that move of Part 5."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks
from reanalyses.moving.figure import MovingFigure

__all__ = ["PAIR_WAYS", "pairs"]

#: Ways to draw pairs and to take an interval from them.
PAIR_WAYS = ("random pairs", "all pairs of a few points", "… with an interval over points")


def pairs(points: ArrayLike | None = None) -> MovingFigure:
    """Show samples of pairs of points, the interval that each would report, and how many of these hold the truth.

    For the lesson "Scaling up". `points` lie in the plane; by default they are the first two principal components of
    MiniLM's definitions, at a scale at which two of them are 1 apart on average. Draws are those of
    `reanalyses.moving.generator.uniform`. The interval over points is the jackknife that leaves out each point.
    """
    plane = _map() if points is None else checks.as_points(points, "points", min_points=200)
    presets = [
        (
            "a thousand pairs",
            PAIR_WAYS[0],
            1_000,
            "A thousand pairs at random touch more than a thousand points; about 95 of 100 intervals hold the truth.",
        ),
        (
            "45 points",
            PAIR_WAYS[1],
            1_000,
            "As many pairs, of 45 points: the intervals look as sharp as before, and most of them miss.",
        ),
        (
            "45 points, honest",
            PAIR_WAYS[2],
            1_000,
            "The same pairs and the same estimates. Their interval has the width that 45 points deserve.",
        ),
        (
            "ten thousand pairs",
            PAIR_WAYS[0],
            10_000,
            "Ten times as many pairs at random: the intervals are about a third as wide.",
        ),
    ]
    names = ("name", "way", "pairs", "notice")
    return MovingFigure(
        "pairs",
        "A thousand pairs, drawn in two ways",
        "Draw the same number of pairs at random, and as all pairs of a few points. Which intervals keep their promise?",
        "Samples of a thousand pairs from all pairs of points of a map. Each reports a 95% interval for the mean distance. Of "
        "pairs drawn at random about 95 of 100 intervals hold the mean over all pairs. Of all pairs of 45 points most "
        "intervals miss it, unless each point, not each pair, counts as one piece of evidence; then they are several times as wide.",
        {
            "points": plane.round(4).tolist(),
            "presets": [dict(zip(names, preset, strict=True)) for preset in presets],
        },
    )


def _map() -> NDArray[np.float64]:
    """Return MiniLM's definitions on their first two principal components, 1 apart on average."""
    from scipy.spatial.distance import pdist

    from reanalyses.roychowdhury2024.datasets import encoders

    X = encoders.load("MiniLM", "yang").documents[0].astype(np.float64)
    X -= X.mean(axis=0)
    leading = np.linalg.eigh(X.T @ X).eigenvectors[:, :-3:-1]
    plane = X @ leading
    return np.asarray(plane / pdist(plane).mean())
