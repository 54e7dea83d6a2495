"""Exercises of the lesson "Choosing a projection"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def neighbor_ranks(A: Any) -> Any:
    """Return, for each point, the ranks of all points by distance from it; a point itself has rank 0."""
    A = np.asarray(A, float)
    squared = ((A[:, None] - A) ** 2).sum(axis=2)
    return squared.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")


def neighbor_scores(R: Any, r: Any, k: int) -> tuple[float, float]:
    """Return trustworthiness and continuity, given the neighbor ranks in the data (R) and in the projection (r)."""
    N = len(R)
    worst_sum = N * k * (2 * N - 3 * k - 1) / 2
    is_false, is_missing = (r <= k) & (k < R), (k >= R) & (r > k)
    penalties = (R[is_false] - k).sum(), (r[is_missing] - k).sum()
    return 1 - float(penalties[0]) / worst_sum, 1 - float(penalties[1]) / worst_sum


# 1. swap


def draw_line(rng: np.random.Generator) -> Data:
    line = np.cumsum(rng.uniform(0.5, 4, 9))[:, None]
    order = np.arange(9)
    # Three points exchange positions in a cycle, so that swapping data and projection changes the result.
    positions = rng.choice(9, 3, replace=False)
    order[positions] = order[np.roll(positions, 1)]
    return {"line": line, "drawing": line[order], "k": 2}


def lesson_line() -> Data:
    line = np.array([[0.0], [1.0], [3.0], [10.0], [12.0], [13.0]])
    return {"line": line, "drawing": line[[0, 1, 3, 2, 4, 5]], "k": 2}


def scores_and_curve(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """Return trustworthiness, continuity, and the fraction of preserved neighbors for k from 1 to N − 2."""
    R, r = (np.abs(A - A.T).argsort(axis=1).argsort(axis=1) for A in (line, drawing))
    N = len(R)
    worst_sum = N * k * (2 * N - 3 * k - 1) / 2
    trustworthiness = 1 - (R[(r <= k) & (k < R)] - k).sum() / worst_sum
    continuity = 1 - (r[(k >= R) & (r > k)] - k).sum() / worst_sum
    counts = np.bincount(np.maximum(R, r).ravel(), minlength=N)[1:-1]
    return float(trustworthiness), float(continuity), np.cumsum(counts) / (N * np.arange(1, N - 1))


def scores_with_roles_exchanged(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    return scores_and_curve(drawing, line, k)


def scores_of_identical_layout(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    return scores_and_curve(line, line, k)


# 2. press


def draw_clusters(rng: np.random.Generator) -> Data:
    solid = rng.standard_normal((60, 3))
    solid[30:, 0] += 20
    return {"solid": solid}


def three_projections(solid: Any) -> tuple[Any, Any, Any]:
    """Return projections that overlay two clusters, tear clusters apart, and move one cluster far away."""
    flat = solid[:, :2]
    overlaid, torn, distant = flat.copy(), flat.copy(), flat.copy()
    overlaid[30:, 0] -= 20
    torn[::2, 1] += 20
    distant[30:, 0] += 180
    return overlaid, torn, distant


def projections_exchanged(solid: Any) -> tuple[Any, Any, Any]:
    overlaid, torn, distant = three_projections(solid)
    return torn, overlaid, distant


def faithful_projections(solid: Any) -> tuple[Any, Any, Any]:
    return solid[:, :2], solid[:, :2], solid[:, :2]


def relative_distance(Z: Any) -> float:
    """Return the distance between the centers of the two clusters in units of the larger cluster's spread."""
    distance = np.linalg.norm(Z[30:].mean(axis=0) - Z[:30].mean(axis=0))
    return float(distance / max(part.std(axis=0).mean() for part in (Z[:30], Z[30:])))


def judge_projections(answer: Any, solid: Any) -> None:
    names = ("laid over", "torn", "far")
    parts = answers.split_parts(answer, names)
    drawings = [
        answers.rows(part, f"projection {name!r}", 2, len(solid))
        for name, part in zip(names, parts, strict=True)
    ]
    R = neighbor_ranks(solid)
    scores = [neighbor_scores(R, neighbor_ranks(Z), 10) for Z in drawings]
    reference = neighbor_scores(R, neighbor_ranks(solid[:, :2]), 10)
    if scores[0][1] < scores[0][0] - 0.02 and scores[1][0] < scores[1][1] - 0.02:
        raise Wrong("your first two projections are exchanged. The clusters overlap in the first.")
    if scores[0][0] >= min(scores[0][1], reference[0]) - 0.02:
        raise Wrong(
            "trustworthiness hardly penalizes your first projection. Are its false neighbors distant in the data?"
        )
    if scores[1][1] >= min(scores[1][0], reference[1]) - 0.02:
        raise Wrong("continuity hardly penalizes your second projection. Are its missing neighbors far away?")
    if min(scores[2][0] - reference[0], scores[2][1] - reference[1]) < -0.005:
        raise Wrong(
            "your third projection changes a measure. Keep each cluster together, and the clusters apart."
        )
    if relative_distance(drawings[2]) < 2.95 * relative_distance(solid[:, :2]):
        raise Wrong(
            "relative to their size, the clusters of your third projection are less than three times as far apart as before."
        )


# 3. unlabeled

#: Methods in the order in which their indices are expected.
METHODS = ("MDS", "t-SNE", "PCA", "random")
#: Scale of each map relative to its optimal scale, such that stress at the given scales misleads.
SCALE_FACTORS = {"MDS": 3.0, "t-SNE": 2.0, "PCA": 1.0, "random": 0.9}


def unlabeled_maps(name: str, rng: np.random.Generator, n_points: int | None = None) -> Data:
    """Return the stored projections of a dataset in random order, each rotated and rescaled."""
    from isotropy_lab.projection import optimal_scale
    from reanalyses.smelser2025 import layouts

    stored = layouts.load(name)
    n = len(stored.X)
    rows = np.arange(n) if n_points is None else np.sort(rng.choice(n, n_points, replace=False))
    X, maps = stored.X[rows], []
    for i in rng.permutation(len(METHODS)):
        Z = stored.Y[METHODS[i]][rows]
        angle = rng.uniform(0, 2 * np.pi)
        cosine, sine = np.cos(angle), np.sin(angle)
        rotated = (Z - Z.mean(axis=0)) @ np.array([[cosine, -sine], [sine, cosine]])
        maps.append(optimal_scale(X, Z) * SCALE_FACTORS[METHODS[i]] * rng.uniform(0.95, 1.05) * rotated)
    return {"X": X, "maps": np.array(maps)}


def draw_maps(rng: np.random.Generator) -> Data:
    return unlabeled_maps(str(rng.choice(["iris", "wine", "penguins"])), rng, n_points=120)


def find_methods(stress: Any, divergence: Any, trust: Any) -> list[int]:
    """Return the indices of MDS (lowest stress), t-SNE (lowest divergence), PCA, and random (lowest trustworthiness)."""
    mds, tsne, random = (int(np.argmin(values)) for values in (stress, divergence, trust))
    return [mds, tsne, 6 - mds - tsne - random, random]


def methods_and_trust(X: Any, maps: Any) -> tuple[Any, Any]:
    """Return the indices of the methods, and the trustworthiness of every projection."""
    from isotropy_lab.projection import neighborhood_scores, scale_normalized_kl, scale_normalized_stress

    stress = [scale_normalized_stress(X, Z) for Z in maps]
    divergence = [scale_normalized_kl(X, Z, perplexity=30).value for Z in maps]
    trust = [neighborhood_scores(X, Z, n_neighbors=10).trustworthiness[0] for Z in maps]
    return find_methods(stress, divergence, trust), trust


def methods_at_given_scales(X: Any, maps: Any) -> tuple[Any, Any]:
    from isotropy_lab.projection import kl_divergence, normalized_stress

    trust = methods_and_trust(X, maps)[1]
    stress = [normalized_stress(X, Z) for Z in maps]
    divergence = [kl_divergence(X, Z, perplexity=30) for Z in maps]
    return find_methods(stress, divergence, trust), trust


def methods_and_continuity(X: Any, maps: Any) -> tuple[Any, Any]:
    from isotropy_lab.projection import neighborhood_scores

    continuity = [neighborhood_scores(X, Z, n_neighbors=10).continuity[0] for Z in maps]
    return methods_and_trust(X, maps)[0], continuity


EXERCISES = (
    Exercise(
        name="swap",
        number=1,
        objectives=(1, 2),
        asks="three things: trustworthiness, continuity, and the fractions kept for k from 1 to 4",
        parts=("trustworthiness", "continuity", "fractions kept"),
        lesson_data=lesson_line,
        draw=draw_line,
        decimals=(3, 3, 2),
        solution=scores_and_curve,
        slips=(
            Slip(scores_of_identical_layout, "that is the projection before anything was exchanged."),
            Slip(scores_with_roles_exchanged, "you exchanged data and projection, thus both measures."),
        ),
        praise="A false neighbor at one position is a missing neighbor at another.",
    ),
    Exercise(
        name="press",
        number=2,
        objectives=(1, 4),
        asks="three projections: one laid over, one torn, and one with its clusters far apart",
        lesson_data=lambda: draw_clusters(np.random.default_rng(0)),
        draw=draw_clusters,
        judge=judge_projections,
        parts=("laid over", "torn", "far"),
        slips=(
            Slip(
                projections_exchanged,
                "your first two projections are exchanged. The clusters overlap in the first.",
            ),
            Slip(faithful_projections, "those projections are faithful. Distort them as described."),
        ),
        praise="Overlap adds false neighbors, a tear removes true ones, and the distance between clusters changes neither measure.",
    ),
    Exercise(
        name="unlabeled",
        number=3,
        objectives=(2, 3),
        asks="two lists: the indices of MDS, t-SNE, PCA and the random layout, and the trustworthiness of the maps",
        parts=("indices", "trustworthiness"),
        lesson_data=lambda: unlabeled_maps("penguins", np.random.default_rng(0)),
        draw=draw_maps,
        decimals=(0, 2),
        solution=methods_and_trust,
        slips=(
            Slip(
                methods_at_given_scales,
                "you measured stress and KL at the given scales. Use the optimal scale of each map.",
            ),
            Slip(methods_and_continuity, "your last list is continuity. Penalize false neighbors."),
        ),
        praise="The measures identified the methods.",
    ),
)
