"""Exercises of the lesson "Choosing a projection"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Criterion, Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def ranks(A: Any) -> Any:
    """Return the ranks of all points as seen from each; 0 is itself."""
    A = np.asarray(A, float)
    squared = ((A[:, None] - A) ** 2).sum(axis=2)
    return squared.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")


def neighbor_scores(R: Any, r: Any, k: int) -> tuple[float, float]:
    """Return trustworthiness and continuity."""
    N = len(R)
    worst = N * k * (2 * N - 3 * k - 1) / 2
    strangers, friends = (r <= k) & (k < R), (k >= R) & (r > k)
    return 1 - float((R[strangers] - k).sum()) / worst, 1 - float((r[friends] - k).sum()) / worst


# 1. swap


def any_line(rng: np.random.Generator) -> Data:
    line = np.cumsum(rng.uniform(0.5, 4, 9))[:, None]
    order = np.arange(9)
    # Three points change places in a ring, so that data and drawing cannot change their roles.
    moved = rng.choice(9, 3, replace=False)
    order[moved] = order[np.roll(moved, 1)]
    return {"line": line, "drawing": line[order], "k": 2}


def line_of_the_lesson() -> Data:
    line = np.array([[0.0], [1.0], [3.0], [10.0], [12.0], [13.0]])
    return {"line": line, "drawing": line[[0, 1, 3, 2, 4, 5]], "k": 2}


def swap(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """Two tables of ranks; strangers and friends; and the curve of what is kept."""
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
    """Lay one over the other; move every second point away; move one cluster ten times as far."""
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
        answers.rows(part, f"drawing {name!r}", 2, len(solid))
        for name, part in zip(names, parts, strict=True)
    ]
    R = ranks(solid)
    scores = [neighbor_scores(R, ranks(Z), 10) for Z in drawings]
    good = neighbor_scores(R, ranks(solid[:, :2]), 10)
    if scores[0][0] >= min(scores[0][1], good[0]) - 0.02:
        raise Wrong(
            "trustworthiness hardly punishes your first drawing. Does it bring strangers from far away?"
        )
    if scores[1][1] >= min(scores[1][0], good[1]) - 0.02:
        raise Wrong("continuity hardly punishes your second drawing. Does it send friends far away?")
    if min(scores[2][0] - good[0], scores[2][1] - good[1]) < -0.005:
        raise Wrong(
            "your third drawing is noticed: keep all points of a cluster together, and the clusters apart."
        )
    apart = np.linalg.norm(drawings[2][30:].mean(axis=0) - drawings[2][:30].mean(axis=0))
    within = drawings[2][:30].std(axis=0).mean() / solid[:30, :2].std(axis=0).mean()
    if 0.5 < apart / (20 * within) < 2:
        raise Wrong("in your third drawing the clusters stand nearly as far apart as in the data.")


# 3. search


def any_collection(rng: np.random.Generator) -> Data:
    documents = rng.standard_normal((90, 24)) * np.sqrt(1 / np.arange(1, 25))
    gold = rng.integers(0, 90, 40)
    questions = documents[gold] + 0.35 * rng.standard_normal((40, 24))
    return {
        "documents": documents,
        "questions": questions,
        "gold": gold,
        "components": np.array([1, 2, 5, 12, 24]),
    }


def definitions() -> Data:
    from reanalyses.roychowdhury2024.datasets import drawings, encoders
    from reanalyses.roychowdhury2024.datasets.text_collections import collection

    return {
        "documents": drawings.load().X,
        "questions": encoders.load("MiniLM", "yang").questions,
        "gold": np.array(collection("yang").gold)[:, 0],
        "components": np.array([2, 10, 50, 384]),
    }


def search_by_scipy(documents: Any, questions: Any, gold: Any, components: Any) -> list[float]:
    """SciPy's distances, and the first ten of each row."""
    from scipy.spatial.distance import cdist

    mean = documents.mean(axis=0)
    directions = np.linalg.svd(documents - mean, full_matrices=False)[2]
    found = []
    for n in components:
        near = cdist((questions - mean) @ directions[:n].T, (documents - mean) @ directions[:n].T)
        found.append(float((near.argsort(axis=1)[:, :10] == np.asarray(gold)[:, None]).any(axis=1).mean()))
    return found


def first_only(documents: Any, questions: Any, gold: Any, components: Any) -> list[float]:
    from scipy.spatial.distance import cdist

    mean = documents.mean(axis=0)
    directions = np.linalg.svd(documents - mean, full_matrices=False)[2]
    found = []
    for n in components:
        asked, stored = ((A - mean) @ directions[:n].T for A in (questions, documents))
        near = cdist(asked, stored).argmin(axis=1)
        found.append(float((near == gold).mean()))
    return found


def first_coordinates(documents: Any, questions: Any, gold: Any, components: Any) -> list[float]:
    from scipy.spatial.distance import cdist

    found = []
    for n in components:
        squared = cdist(questions[:, :n], documents[:, :n], "sqeuclidean")
        right = squared[np.arange(len(gold)), gold]
        found.append(float(((squared < right[:, None]).sum(axis=1) < 10).mean()))
    return found


EXERCISES = (
    Exercise(
        name="swap",
        number=1,
        level="warm-up",
        minutes=4,
        objectives=(1, 2),
        asks="three things: trustworthiness, continuity, and the curve `kept`",
        parts=("trustworthiness", "continuity", "curve"),
        own=line_of_the_lesson,
        draw=any_line,
        solution=swap,
        slips=(
            Slip(nothing_swapped, "that is the drawing before anything was exchanged."),
            Slip(swap_exchanged, "you took the drawing for the data: the two measures are exchanged."),
        ),
        praise="Whoever moves in somewhere has moved out elsewhere.",
    ),
    Exercise(
        name="press",
        number=2,
        level="practice",
        minutes=8,
        objectives=(1, 4),
        asks="three drawings: one laid over, one torn, and one that neither measure notices",
        own=lambda: clusters(np.random.default_rng(0)),
        draw=clusters,
        judge=judge_press,
        parts=("laid over", "torn", "far"),
        slips=(
            Slip(press_exchanged, "your first two drawings are exchanged: the one laid over comes first."),
            Slip(all_flat, "those are good drawings. Spoil them."),
        ),
        praise="Laying over invents neighbors, tearing hides them, and how far islands stand apart goes unnoticed.",
    ),
    Exercise(
        name="search",
        number=3,
        level="open-ended",
        minutes=10,
        objectives=(2, 3),
        asks="the shares found in each number of `components`, a list",
        parts=("list of shares",),
        own=definitions,
        draw=any_collection,
        rtol=5e-3,
        solution=search_by_scipy,
        slips=(
            Slip(first_only, "you asked for the nearest definition. Ask for the ten nearest."),
            Slip(first_coordinates, "you took coordinates as they come. Take principal components."),
        ),
        praise="A picture has two.",
        rubric=(
            Criterion(
                "The numbers",
                (
                    "Two components only.",
                    "Several numbers of components.",
                    "Several, and where the search becomes any good.",
                ),
            ),
            Criterion(
                "What they say of pictures",
                (
                    "Nothing.",
                    "Pictures lose neighbors.",
                    "Which questions a picture can answer, and that the ten nearest are not one of them.",
                ),
            ),
            Criterion(
                "The number to report",
                (
                    "None.",
                    "One measure.",
                    "A measure that fits a question somebody asks, and the size of neighborhood it is for.",
                ),
            ),
        ),
    ),
)
