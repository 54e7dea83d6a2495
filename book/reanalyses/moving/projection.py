"""Figures that move of Part 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reanalyses.moving.figure import MovingFigure

if TYPE_CHECKING:
    from reanalyses.smelser2025.experiments.sources import Projections

__all__ = ["ANGLES", "METHODS", "islands", "orders_over_scale", "sizes", "stress_angle"]

#: Presets of `stress_angle`: three points on a line, three of their projection, and what to notice.
ANGLES = {
    "exchanged": (
        [1, 3, 8],
        [3, 1, 8],
        "a and b have changed places: no size of the projection makes its distances those of the data.",
    ),
    "three times as large": (
        [0, 1, 3],
        [0, 3, 9],
        "A faithful copy, too large: stress at its own size is 2, and the angle is 0.",
    ),
    "two together": (
        [1, 3, 8],
        [2, 2, 6],
        "a and b have become one point; the angle says how much that costs, whatever the size.",
    ),
    "much too small": (
        [0, 3, 9],
        [4, 4.2, 4.4],
        "Evenly spaced and tiny: stress is near 1 because of the size, and the sine is far below.",
    ),
    "all at one place": (
        [1, 3, 8],
        [5, 5, 5],
        "Without distances there is no angle; stress is 1 at every scale.",
    ),
}

#: The digits of `islands`.
ISLANDS = (0, 3, 4, 6, 7, 8)

#: Projections of `orders_over_scale`: on iris all seven orders that four lines can have.
METHODS = ("pca", "isomap", "lle", "random")


def stress_angle() -> MovingFigure:
    """Show stress as the gap between two vectors of distances, and scale-normalized stress as the sine of their angle.

    For the lesson "Stress and size". The numbers are those of `isotropy_lab.projection.normalized_stress`,
    `scale_normalized_stress` and `optimal_scale`.
    """
    presets = [{"name": name, "X": x, "Y": y, "notice": text} for name, (x, y, text) in ANGLES.items()]
    return MovingFigure(
        "angle",
        "Stress is a gap, and at its best scale a sine",
        "Move the scale: the tip of α e runs along its ray, the gap is shortest at a right angle, and the angle never changes.",
        "Three points on a line have three distances, which are a vector d; those of their projection are a vector e. "
        "Normalized stress at scale α is the distance between α e and d over the length of d. It is least where the gap stands "
        "at a right angle on e; there it is the sine of the angle between d and e.",
        {"presets": presets},
    )


def orders_over_scale(
    datasets: Sequence[str] = ("iris", "wine", "penguins"), methods: Sequence[str] = METHODS
) -> MovingFigure:
    """Show stress over a common scale of up to five projections, and the same as straight lines that cross once.

    For the lesson "Stress and size". The projections are stored ones; the numbers are those of
    `isotropy_lab.projection.normalized_stress` and `isotropy_lab.projection.curves.orders`.
    """
    from isotropy_lab.projection import pair_sums
    from reanalyses.smelser2025 import experiments
    from reanalyses.smelser2025.experiments.sources import label

    presets = []
    for name in datasets:
        data = experiments.projections(name, methods)
        sums = [pair_sums(data.X, Y) for Y in data.Y.values()]
        n = len(experiments.stress_orders(data))
        presets.append(
            {
                "name": name,
                "D": sums[0].sum_d2,
                "sums": [[one.sum_de, one.sum_e2] for one in sums],
                "notice": f"{n} orders of {len(sums)} projections of the data {name}, as one scale grows.",
            }
        )
    m = len(methods)
    return MovingFigure(
        "orders",
        "Orders over scale are straight lines that cross",
        f"Enlarge all projections at once: the order changes only where two lines cross, at most {m * (m - 1) // 2} times.",
        "Above, the stress of several projections over one scale for all of them: each falls from 1, and rises again. Below, "
        "the same after a change of variable, by which each becomes a straight line. Two lines cross at most once, so the "
        f"{m} projections have at most {m * (m - 1) // 2 + 1} orders, and one that has passed never comes back.",
        {"names": [label(one) for one in methods], "presets": presets},
    )


def sizes(data: Projections | None = None) -> MovingFigure:
    """Show projections at any size, with stress, divergence and the orders by both.

    For the lessons "Stress and size" and "KL and size". `data` are what `reanalyses.smelser2025.experiments.projections`
    returns, up to five methods; by default MDS, t-SNE and a random projection of iris. The numbers are those of
    `reanalyses.smelser2025.experiments.stress_and_kl_at`.
    """
    from reanalyses.smelser2025 import experiments

    found = experiments.projections("iris", ("mds", "tsne", "random")) if data is None else data
    statistics = experiments.scale_statistics(found)
    if found.dataset.name == "wine":
        statistics["group_names"] = [f"cultivar {i}" for i in (1, 2, 3)]  # scikit-learn has class_0 and so on
    return MovingFigure(
        "sizes",
        "The same projections at other sizes",
        "The first slider gives all of them one size, the others each its own: how many orders do you find with either?",
        "Projections of the same data, drawn beside the size of the data, with curves of their stress and of their divergence "
        "over scale. Each curve of stress falls from 1 to its least value and rises again; where two cross, the order changes.",
        statistics,
    )


def _outline(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the corners of the hull of the four fifths of the points that are nearest to their median."""
    from scipy.spatial import ConvexHull

    far = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    inner = points[far <= np.quantile(far, 0.8)]
    corners: npt.NDArray[np.float64] = inner[ConvexHull(inner).vertices]
    return corners


def islands() -> MovingFigure:
    """Show t-SNE's drawing of handwritten digits in islands that can be moved, with five measures of the drawing.

    For the lesson "Choosing a projection". The numbers are those of `isotropy_lab.projection.projection_quality` and
    `scale_normalized_kl`, and the rank correlation of the distances between the digits' centers in data and drawing.
    """
    from reanalyses.smelser2025 import experiments

    digits = experiments.projections("digits", ["tsne"])
    labels = np.asarray(digits.dataset.labels)
    chosen = np.concatenate([np.flatnonzero(labels == digit)[::6] for digit in ISLANDS])
    kind = np.searchsorted(ISLANDS, labels[chosen])
    # All measures are the same at every size of the drawing; this one fits the frame.
    Y = 0.3 * digits.Y["tsne"][chosen]
    Y = Y - (Y.min(axis=0) + Y.max(axis=0)) / 2
    # The 4s come in two pieces, upper and lower, that can be torn apart; the lower one is the last.
    fours = kind == ISLANDS.index(4)
    on = np.where(fours & (Y[:, 1] < np.median(Y[fours, 1])), len(ISLANDS), kind)
    home = np.array([Y[on == piece].mean(axis=0) for piece in range(len(ISLANDS) + 1)])
    own = np.round(Y - home[on], 3)
    hulls = [_outline(own[on == piece]) for piece in range(len(home))]
    over, torn, exchanged = home.copy(), home.copy(), home.copy()
    over[ISLANDS.index(6)] = home[ISLANDS.index(0)] + [1, 0]
    torn[-1] = [14, -15]
    exchanged[:6] = home[[3, 4, 5, 0, 1, 2]]
    exchanged[-1] = exchanged[ISLANDS.index(4)] + home[-1] - home[ISLANDS.index(4)]
    presets = [
        ("as it came", home, "t-SNE's drawing of handwritten digits, 30 of each of six kinds."),
        ("6s laid over the 0s", over, "Strangers move in: trustworthiness falls most."),
        ("4s torn in two", torn, "Friends move out: continuity falls, and trustworthiness hardly notices."),
        ("pulled apart", 1.25 * home, "Wider gaps: the divergence rises, the other numbers hardly change."),
        ("exchanged", exchanged, "Every island in another's place: the last number falls to nothing."),
    ]
    return MovingFigure(
        "islands",
        "Move the islands of a drawing",
        "Drag an island onto another, or away from all: which of the numbers notices which mistake?",
        "t-SNE's drawing of 180 handwritten digits in islands, with its trustworthiness, continuity, scale-normalized stress and "
        "divergence, and the rank correlation of the distances between the centers of the digits in the data and in the drawing. "
        "An island laid over another costs trustworthiness most; one that is torn in two costs continuity.",
        {
            "X": np.round(digits.X[chosen], 3).tolist(),
            "own": own.tolist(),
            "on": on.tolist(),
            "kind": kind.tolist(),
            "digits": list(ISLANDS),
            "pieces": ["0s", "3s", "upper 4s", "6s", "7s", "8s", "lower 4s"],
            "hulls": [hull.tolist() for hull in hulls],
            "k": 10,
            "perplexity": 30,
            "presets": [
                {"name": name, "at": np.round(at, 3).tolist(), "notice": text} for name, at, text in presets
            ],
        },
    )
