"""Figures that move of Part 2."""

from __future__ import annotations

from reanalyses.moving.figure import MovingFigure

__all__ = ["ARROWS", "mean_arrows"]

#: Presets of `mean_arrows`: directions of the words of both lists in degrees, and what to notice.
ARROWS = {
    "prefers another": (
        [-70, 0, 70],
        [-10, 0, 12],
        "A is spread, B is tight: mean cosine similarity finds A more similar to B than to itself.",
    ),
    "same direction": (
        [-50, 0, 50],
        [-10, 0, 10],
        "Both mean arrows point the same way, their cosine is 1, and the similarity is as low as A is spread.",
    ),
    "a turn": (
        [-20, 0, 20],
        [25, 45, 65],
        "B is A, turned by 45°: equal lengths, and now A is most similar to itself.",
    ),
    "opposite": (
        [-20, 0, 20],
        [160, 180, -160],
        "Opposite lists have a negative similarity, weakened by the spread of both.",
    ),
    "no direction": (
        [0, 120, -120],
        [40, 50, 60],
        "The words of A cancel each other: no mean arrow, no cosine, and a similarity of 0 with everything.",
    ),
}


def mean_arrows() -> MovingFigure:
    """Show two lists of three words as directions in the plane, with their mean arrows and mean cosine similarity.

    For the lessons "WEAT and what it measures" and "Geometric consistency". The numbers are those of
    `isotropy_lab.association.mean_cosine_similarity` and its normalized form.
    """
    presets = [{"name": name, "A": a, "B": b, "notice": text} for name, (a, b, text) in ARROWS.items()]
    return MovingFigure(
        "arrows",
        "Two lists, two mean arrows",
        "Drag a word around the circle: the more a list spreads, the shorter its arrow, and the lower every similarity with it.",
        "Two lists of three words are directions on a circle. Each has a mean arrow. Mean cosine similarity is the product of "
        "the two lengths and the cosine of the angle between them. A list that spreads by 70 degrees to both sides has an arrow "
        "of length 0.56 and a similarity of 0.32 with itself, and of 0.56 with a tight list in its middle.",
        {"presets": presets},
    )
