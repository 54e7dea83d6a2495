"""Exercises of the lesson "Choosing a projection"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def ranks(A: Any) -> Any:
    """Return the rank of every point by distance from each point; a point itself has rank 0."""
    A = np.asarray(A, float)
    squared = ((A[:, None] - A) ** 2).sum(axis=2)
    return squared.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")


def neighbor_scores(R: Any, r: Any, k: int) -> tuple[float, float]:
    """Return trustworthiness and continuity, computed from ranks."""
    N = len(R)
    worst = N * k * (2 * N - 3 * k - 1) / 2
    false, missing = (r <= k) & (k < R), (k >= R) & (r > k)
    return 1 - float((R[false] - k).sum()) / worst, 1 - float((r[missing] - k).sum()) / worst


# 1. swap


def any_line(rng: np.random.Generator) -> Data:
    line = np.cumsum(rng.uniform(0.5, 4, 9))[:, None]
    order = np.arange(9)
    # Three points exchange positions in a cycle, so that swapping data and projection changes the result.
    moved = rng.choice(9, 3, replace=False)
    order[moved] = order[np.roll(moved, 1)]
    return {"line": line, "drawing": line[order], "k": 2}


def line_of_the_lesson() -> Data:
    line = np.array([[0.0], [1.0], [3.0], [10.0], [12.0], [13.0]])
    return {"line": line, "drawing": line[[0, 1, 3, 2, 4, 5]], "k": 2}


def swap(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """Return trustworthiness and continuity, computed from ranks, and the curve of preserved neighbors."""
    R, r = (np.abs(A - A.T).argsort(axis=1).argsort(axis=1) for A in (line, drawing))
    N = len(R)
    worst = N * k * (2 * N - 3 * k - 1) / 2
    trust = 1 - (R[(r <= k) & (k < R)] - k).sum() / worst
    continuity = 1 - (r[(k >= R) & (r > k)] - k).sum() / worst
    pairs = np.bincount(np.maximum(R, r).ravel(), minlength=N)[1:]
    return float(trust), float(continuity), np.cumsum(pairs) / (N * np.arange(1, N))


def swap_exchanged(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    return swap(drawing, line, k)


def nothing_swapped(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    return swap(line, line, k)


# 2. press


def clusters(rng: np.random.Generator) -> Data:
    solid = rng.standard_normal((60, 3))
    solid[30:, 0] += 20
    return {"solid": solid}


def press(solid: Any) -> tuple[Any, Any, Any]:
    """Return projections that overlay two clusters, tear clusters apart, and move one cluster far away."""
    flat = solid[:, :2]
    over, torn, far = flat.copy(), flat.copy(), flat.copy()
    over[30:, 0] -= 20
    torn[::2, 1] += 20
    far[30:, 0] += 180
    return over, torn, far


def press_exchanged(solid: Any) -> tuple[Any, Any, Any]:
    over, torn, far = press(solid)
    return torn, over, far


def all_flat(solid: Any) -> tuple[Any, Any, Any]:
    return solid[:, :2], solid[:, :2], solid[:, :2]


def judge_press(answer: Any, solid: Any) -> None:
    names = ("laid over", "torn", "far")
    parts = answers.taken_apart(answer, names)
    drawings = [
        answers.rows(part, f"projection {name!r}", 2, len(solid))
        for name, part in zip(names, parts, strict=True)
    ]
    R = ranks(solid)
    scores = [neighbor_scores(R, ranks(Z), 10) for Z in drawings]
    good = neighbor_scores(R, ranks(solid[:, :2]), 10)
    if scores[0][0] >= min(scores[0][1], good[0]) - 0.02:
        raise Wrong(
            "trustworthiness hardly penalizes your first projection. Are its false neighbors far apart in the data?"
        )
    if scores[1][1] >= min(scores[1][0], good[1]) - 0.02:
        raise Wrong("continuity hardly penalizes your second projection. Are its missing neighbors far away?")
    if min(scores[2][0] - good[0], scores[2][1] - good[1]) < -0.005:
        raise Wrong(
            "your third projection changes a measure. Keep each cluster together, and the clusters apart."
        )
    apart = np.linalg.norm(drawings[2][30:].mean(axis=0) - drawings[2][:30].mean(axis=0))
    within = drawings[2][:30].std(axis=0).mean() / solid[:30, :2].std(axis=0).mean()
    if 0.5 < apart / (20 * within) < 2:
        raise Wrong("in your third projection, the clusters are nearly as far apart as in the data.")


# 3. unlabeled

#: Methods in the order in which their indices are expected.
METHODS = ("MDS", "t-SNE", "PCA", "random")
#: Factors by which each map exceeds its optimal scale, large enough for raw stress to mislead.
TOO_LARGE = {"MDS": 3.0, "t-SNE": 2.0, "PCA": 1.0, "random": 0.9}


def without_names(name: str, rng: np.random.Generator, n_points: int | None = None) -> Data:
    """Return the stored projections of a dataset in random order, each rotated and rescaled."""
    from isotropy_lab.projection import optimal_scale
    from reanalyses.smelser2025 import layouts

    found = layouts.load(name)
    n = len(found.X)
    kept = np.arange(n) if n_points is None else np.sort(rng.choice(n, n_points, replace=False))
    X, maps = found.X[kept], []
    for i in rng.permutation(len(METHODS)):
        Z = found.Y[METHODS[i]][kept]
        cosine, sine = (f(turn) for turn in [rng.uniform(0, 2 * np.pi)] for f in (np.cos, np.sin))
        turned = (Z - Z.mean(axis=0)) @ np.array([[cosine, -sine], [sine, cosine]])
        maps.append(optimal_scale(X, Z) * TOO_LARGE[METHODS[i]] * rng.uniform(0.95, 1.05) * turned)
    return {"X": X, "maps": np.array(maps)}


def any_maps(rng: np.random.Generator) -> Data:
    return without_names(str(rng.choice(["iris", "wine", "penguins"])), rng, n_points=120)


def named(stress: Any, divergence: Any, trust: Any) -> list[int]:
    """Return the indices of MDS and t-SNE (smallest loss), of the remaining method, and of the worst one."""
    mds, tsne, blind = int(np.argmin(stress)), int(np.argmin(divergence)), int(np.argmin(trust))
    return [mds, tsne, 6 - mds - tsne - blind, blind]


def unlabeled(X: Any, maps: Any) -> tuple[Any, Any, Any, Any]:
    """Return the indices of the methods, and the three measures of every projection."""
    from isotropy_lab.projection import neighborhood_scores, scale_normalized_kl, scale_normalized_stress

    stress = [scale_normalized_stress(X, Z) for Z in maps]
    divergence = [scale_normalized_kl(X, Z, perplexity=30).value for Z in maps]
    trust = [neighborhood_scores(X, Z, n_neighbors=10).trustworthiness[0] for Z in maps]
    return named(stress, divergence, trust), stress, divergence, trust


def unlabeled_as_they_are(X: Any, maps: Any) -> tuple[Any, Any, Any, Any]:
    from isotropy_lab.projection import kl_divergence, normalized_stress

    trust = unlabeled(X, maps)[3]
    stress = [normalized_stress(X, Z) for Z in maps]
    divergence = [kl_divergence(X, Z, perplexity=30) for Z in maps]
    return named(stress, divergence, trust), stress, divergence, trust


def unlabeled_continuity(X: Any, maps: Any) -> tuple[Any, Any, Any, Any]:
    from isotropy_lab.projection import neighborhood_scores

    continuity = [neighborhood_scores(X, Z, n_neighbors=10).continuity[0] for Z in maps]
    return (*unlabeled(X, maps)[:3], continuity)


EXERCISES = (
    Exercise(
        name="swap",
        number=1,
        objectives=(1, 2),
        asks="three things: trustworthiness, continuity, and the fractions kept for k from 1 to 5",
        parts=("trustworthiness", "continuity", "fractions kept"),
        own=line_of_the_lesson,
        draw=any_line,
        decimals=(3, 3, 2),
        solution=swap,
        slips=(
            Slip(nothing_swapped, "that is the projection before anything was exchanged."),
            Slip(swap_exchanged, "you exchanged data and projection, and thus the two measures."),
        ),
        praise="A false neighbor at one position is a missing neighbor at another.",
    ),
    Exercise(
        name="press",
        number=2,
        objectives=(1, 4),
        asks="three projections: one laid over, one torn, and one that changes neither measure",
        own=lambda: clusters(np.random.default_rng(0)),
        draw=clusters,
        judge=judge_press,
        parts=("laid over", "torn", "far"),
        slips=(
            Slip(
                press_exchanged,
                "your first two projections are exchanged. Clusters should overlap in the first one.",
            ),
            Slip(all_flat, "those are good projections. Make them worse, as the exercise describes."),
        ),
        praise="An overlap invents neighbors, a tear hides them, and neither measure depends on how far apart clusters are.",
    ),
    Exercise(
        name="unlabeled",
        number=3,
        objectives=(2, 3),
        asks="four lists: the indices of MDS, t-SNE, PCA and the random layout; then SNS, SNKL and trustworthiness of the maps",
        parts=("indices", "SNS", "SNKL", "trustworthiness"),
        own=lambda: without_names("penguins", np.random.default_rng(0)),
        draw=any_maps,
        decimals=(0, 3, 2, 2),
        solution=unlabeled,
        slips=(
            Slip(
                unlabeled_as_they_are,
                "those are stress and divergence at the given scales. Compare the maps at their optimal scales.",
            ),
            Slip(unlabeled_continuity, "the last list is continuity, which penalizes missing neighbors."),
        ),
        praise="Numbers found the names.",
    ),
)
