"""Interactive figures of Part 2."""

from __future__ import annotations

from reanalyses.moving.figure import MovingFigure

#: Presets of `mean_arrows`: directions of the words of both lists in degrees, and what to notice.
ARROWS = {
    "a turn": (
        [-20, 0, 20],
        [25, 45, 65],
        "B is A, turned by 45°: equal lengths, and the cosine of the angle makes the difference.",
    ),
    "same direction": (
        [-85, 0, 85],
        [-10, 0, 10],
        "Both mean unit vectors have the same direction. Their cosine is 1, and the scatter of A lowers the similarity.",
    ),
    "opposite": (
        [-20, 0, 20],
        [160, 180, -160],
        "Opposite lists have a negative similarity, weakened by the spread of both.",
    ),
    "no direction": (
        [0, 120, -120],
        [40, 50, 60],
        "The words of A cancel each other: their mean is zero, and so is every similarity with A.",
    ),
    "prefers another": (
        [-70, 0, 70],
        [27, 37, 47],
        "A is scattered, B is concentrated. The cosine is only 0.80, and A is still more similar to B than to itself.",
    ),
}

#: Presets of `three_vectors`: θ₁, θ₂ and the lift in degrees, and what to notice.
VECTORS = {
    "60° and 60°": ([60, 60, 0], "Mean cosine similarity puts S closer to either other pair than to itself."),
    "lifted by 40°": (
        [60, 60, 40],
        "In one plane all pairs span the same. Lift vector 2, and the canonical similarity tells them apart.",
    ),
    "30° and 30°": ([30, 30, 0], "Closer together, and still inconsistent."),
    "100° and 100°": ([100, 100, 0], "Vector 2 points away from the mean of S, and S is closest to itself."),
    "opposite": ([90, 90, 0], "1 and 3 are opposite: the mean vector of S is zero and has no direction."),
    "duplicate": ([0, 60, 0], "1 and 2 are the same: S and {2, 3} span the same plane, and tie."),
}


def mean_arrows() -> MovingFigure:
    """Show two lists of three words as directions in the plane, with mean unit vectors and mean cosine similarity.

    For the lesson "Geometric consistency". The numbers are those of
    `isotropy_lab.association.mean_cosine_similarity` and its normalized form.
    """
    presets = [{"name": name, "A": a, "B": b, "notice": text} for name, (a, b, text) in ARROWS.items()]
    return MovingFigure(
        "arrows",
        "Two lists, two mean unit vectors",
        "Drag a word around the circle: the more a list scatters, the shorter its arrow. Scatter a list without turning its arrow: all its similarities shrink.",
        "Two lists of three words are directions on a circle. Each has an arrow, its mean unit vector. Mean cosine similarity is the product of "
        "the two lengths and the cosine of the angle between them. A list that spreads by 70 degrees to both sides has an arrow "
        "of length 0.56 and a similarity of 0.32 with itself, and of 0.56 with a tight list in its middle.",
        {"presets": presets},
    )


def three_vectors(theta_1: int = 60, theta_2: int = 60, lift: int = 0) -> MovingFigure:
    """Show three unit vectors, and the pair that is most similar to the pair of the first and third vectors.

    For the case file of Kindel (2023). The numbers are those of `reanalyses.kindel2023.experiments.three_vectors`.
    """
    presets = [{"name": name, "angles": angles, "notice": text} for name, (angles, text) in VECTORS.items()]
    return MovingFigure(
        "vectors",
        "The smallest inconsistency",
        "Turn the vectors with the sliders: a pair should be closest to itself. Under which similarity is it?",
        "Three arrows. The pair S of the first and the third is compared with all three pairs. With 60 degrees between "
        "neighbors, mean cosine similarity gives S a value of 0.250 with itself and of 0.375 with each other pair.",
        {"angles": [theta_1, theta_2, lift], "presets": presets},
    )
