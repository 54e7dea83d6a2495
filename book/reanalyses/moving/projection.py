"""Interactive figures of Part 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reanalyses.moving.figure import MovingFigure

if TYPE_CHECKING:
    from reanalyses.smelser2025.experiments.projection_sets import Projections

#: The digits of `islands`.
ISLANDS = (0, 3, 4, 6, 7, 8)


def sizes(data: Projections | None = None) -> MovingFigure:
    """Show projections at any scale, with their stress, KL divergence, and orders by both.

    For the lessons "Stress and size" and "KL and size". `data` is the result of
    `reanalyses.smelser2025.experiments.projections` for up to five methods; by default MDS, t-SNE, and a random
    projection of iris. The numbers are those of `reanalyses.smelser2025.experiments.stress_and_kl_at`.
    """
    from reanalyses.smelser2025 import experiments

    if data is None:
        data = experiments.projections("iris", ("mds", "tsne", "random"))
    statistics = experiments.scale_statistics(data)
    if data.dataset.name == "wine":
        statistics["group_names"] = [f"cultivar {i}" for i in (1, 2, 3)]  # scikit-learn: class_0 to class_2
    return MovingFigure(
        "sizes",
        "The same projections at other sizes",
        "The first slider gives all of them one size, the others each its own: how many orders do you find with either?",
        "Projections of the same data, drawn beside the size of the data, with curves of their stress and of their divergence "
        "over scale. Each curve of stress falls from 1 to its least value and rises again; where two cross, the order changes.",
        statistics,
    )


def _outline(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the corners of the convex hull of the 80% of the points that are nearest to their median."""
    from scipy.spatial import ConvexHull

    distances = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    inner = points[distances <= np.quantile(distances, 0.8)]
    corners: npt.NDArray[np.float64] = inner[ConvexHull(inner).vertices]
    return corners


def islands() -> MovingFigure:
    """Show t-SNE's projection of handwritten digits, whose clusters can be moved, with five quality measures.

    For the lesson "Choosing a projection". The numbers are those of `isotropy_lab.projection.projection_quality` and
    `scale_normalized_kl`, and the rank correlation of distances between the digits' centers in data and projection.
    """
    from reanalyses.smelser2025 import experiments

    digits = experiments.projections("digits", ["tsne"])
    labels = np.asarray(digits.dataset.labels)
    rows = np.concatenate([np.flatnonzero(labels == digit)[::6] for digit in ISLANDS])
    digit_index = np.searchsorted(ISLANDS, labels[rows])
    # The measures do not depend on the scale of the projection; this scale fits the frame.
    Y = 0.3 * digits.Y["tsne"][rows]
    Y = Y - (Y.min(axis=0) + Y.max(axis=0)) / 2
    # The 4s form two clusters, upper and lower, that can be moved apart; the lower one is the last.
    fours = digit_index == ISLANDS.index(4)
    piece_of = np.where(fours & (Y[:, 1] < np.median(Y[fours, 1])), len(ISLANDS), digit_index)
    centers = np.array([Y[piece_of == piece].mean(axis=0) for piece in range(len(ISLANDS) + 1)])
    offsets = np.round(Y - centers[piece_of], 3)
    hulls = [_outline(offsets[piece_of == piece]) for piece in range(len(centers))]
    overlaid, torn, exchanged = centers.copy(), centers.copy(), centers.copy()
    apart = 1.25 * centers
    overlaid[ISLANDS.index(6)] = centers[ISLANDS.index(0)] + [1, 0]
    torn[-1] = [14, -15]
    exchanged[:6] = centers[[3, 4, 5, 0, 1, 2]]
    exchanged[-1] = exchanged[ISLANDS.index(4)] + centers[-1] - centers[ISLANDS.index(4)]
    presets = [
        ("original map", centers, "t-SNE's map of 182 handwritten digits, about 30 of each of six kinds."),
        ("6s laid over the 0s", overlaid, "False neighbors: trustworthiness falls more than continuity."),
        ("4s torn in two", torn, "Missing neighbors: continuity falls, and trustworthiness hardly moves."),
        ("pulled apart", apart, "Wider gaps: the divergence rises, the other numbers hardly change."),
        ("exchanged", exchanged, "Every cluster in another's place: the last number falls to about 0."),
    ]
    return MovingFigure(
        "islands",
        "Move the clusters of a map",
        "Drag a cluster onto another, or away from all: which number responds to which mistake?",
        "t-SNE's map of 182 handwritten digits in clusters, with its trustworthiness, continuity, scale-normalized stress and "
        "divergence, and the rank correlation of the distances between the centers of the digits in the data and in the map. "
        "A cluster laid over another costs more trustworthiness than continuity; one that is torn in two costs continuity.",
        {
            "X": np.round(digits.X[rows], 3).tolist(),
            "own": offsets.tolist(),
            "on": piece_of.tolist(),
            "kind": digit_index.tolist(),
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
