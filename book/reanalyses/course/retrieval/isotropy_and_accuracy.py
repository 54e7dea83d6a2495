"""Exercises of the lesson "Isotropy and accuracy"."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. pooled


def over_draws(x: Any, y: Any, group: Any) -> tuple[float, float]:
    """Return the smallest and largest correlation over all samples of whole groups."""
    rows = [np.flatnonzero(np.asarray(group) == name) for name in dict.fromkeys(np.asarray(group).tolist())]
    found = []
    for drawn in product(rows, repeat=len(rows)):
        i = np.concatenate(drawn)
        found.append(np.corrcoef(x[i], y[i])[0, 1])
    return float(min(found)), float(max(found))


def judge_pooled(answer: Any, n_groups: int, n_models: int) -> None:
    table, *ends = answers.taken_apart(answer, ("table", "lowest correlation", "highest correlation"))
    try:
        group, x, y = ([*table[key]] for key in ("group", "x", "y"))
    except (TypeError, KeyError, IndexError, ValueError):
        raise Wrong("your table is missing one of the columns `group`, `x`, and `y`.") from None
    X, Y, names = (
        answers.array(x, "column x"),
        answers.array(y, "column y"),
        np.array([str(name) for name in group]),
    )
    sizes = np.unique(names, return_counts=True)[1]
    if X.shape != Y.shape or X.shape != names.shape or sizes.tolist() != [n_models] * n_groups:
        raise Wrong(f"your table has other groups. Make {n_groups} groups with {n_models} models each.")
    for name in np.unique(names):
        mine = names == name
        if np.ptp(X[mine]) == 0 or np.ptp(Y[mine]) == 0 or np.corrcoef(X[mine], Y[mine])[0, 1] < 1 - 1e-6:
            raise Wrong(f"within group {name}, the correlation is not 1.")
    if (r := np.corrcoef(X, Y)[0, 1]) >= -0.9:
        raise Wrong(f"over all rows, the correlation is {r:.2f}. Make a table for which it is below -0.9.")
    found = [answers.number(end, "end of the draws") for end in ends]
    if not np.allclose(found, over_draws(X, Y, names), atol=2e-3):
        raise Wrong(
            "your table is correct, but the smallest or largest correlation over all draws of whole groups is wrong."
        )


# 2. halves


def any_hits(rng: np.random.Generator) -> Data:
    skill = rng.uniform(0.55, 0.65, (7, 1))
    halves = np.array([rng.permutation(80) < 40 for _ in range(30)])
    return {"hits": rng.uniform(size=(7, 80)) < skill, "halves": halves}


def best_half(hits: Any, halves: Any) -> tuple[float, float]:
    """Return the mean gain of one half's best method over the first method, on this half and on the other."""
    drawn = []
    for half in halves:
        best = hits[hits[:, half].mean(axis=1).argmax()]
        drawn.append([(best[i].mean() - hits[0][i].mean()) for i in (half, ~half)])
    gains = 100 * np.mean(drawn, axis=0)
    return float(gains[0]), float(gains[1])


def chosen_on_all(hits: Any, halves: Any) -> tuple[float, float]:
    best = hits[hits.mean(axis=1).argmax()].astype(float) - hits[0]
    return float(100 * np.mean([best[i].mean() for i in halves])), float(
        100 * np.mean([best[~i].mean() for i in halves])
    )


def best_on_each(hits: Any, halves: Any) -> tuple[float, float]:
    return best_half(hits, halves)[0], best_half(hits, ~halves)[0]


# 3. free


def any_embeddings(rng: np.random.Generator) -> Data:
    common = rng.standard_normal(12)
    D = rng.standard_normal((1_200, 12)) * np.exp(rng.standard_normal(12)) + common
    Q = D[:10] + rng.standard_normal((10, 12))
    D, Q = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (D, Q))
    return {"Q": Q, "D": D, "noise": rng.standard_normal((1_200, 60)), "at_least": 20.0}


def embeddings_of_the_lesson() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    one = encoders.load("MiniLM", "yang")
    D = np.asarray(one.documents_of(0), np.float64)
    noise = np.random.default_rng(0).standard_normal((len(D), 300))
    return {"Q": np.float64(one.questions), "D": D, "noise": noise, "at_least": 150.0}


def judge_free(answer: Any, Q: Any, D: Any, noise: Any, at_least: float) -> None:
    from isotropy_lab.isotropy import dimensions_used, partition_score_second_order

    parts = answers.taken_apart(answer, ("questions", "documents"))
    new = [
        answers.array(part, name)
        for name, part in zip(("list of questions", "list of documents"), parts, strict=True)
    ]
    if (
        any(rows.ndim != 2 or len(rows) != len(old) for rows, old in zip(new, (Q, D), strict=True))
        or new[0].shape[1] != new[1].shape[1]
    ):
        raise Wrong(f"hand in {len(Q)} questions and {len(D)} documents with the same number of coordinates.")
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in new]
    if min(length.min() for length in lengths) == 0:
        raise Wrong("your vectors contain a row of zeros, for which cosines are undefined.")
    questions, documents = (rows / length for rows, length in zip(new, lengths, strict=True))
    before, after = Q @ D.T, questions @ documents.T
    # All rankings are unchanged if no similarity increases along the old order.
    steps = np.diff(np.take_along_axis(after, np.argsort(-before, axis=1), axis=1), axis=1)
    if steps.max() > 1e-7:
        raise Wrong("some ranks have changed. Multiply the lengths of all documents by the same factor.")
    if (score := partition_score_second_order(documents)) <= 0.9:
        raise Wrong(f"the score I_A of your normalized documents is {score:.2f}. The score must exceed 0.9.")
    if (used := dimensions_used(documents)) <= at_least:
        raise Wrong(f"your documents use {used:.0f} dimensions. Use more than {at_least:.0f}.")


EXERCISES = (
    Exercise(
        name="pooled",
        number=1,
        objectives=(1, 3),
        asks="three things: your table with the columns `group`, `x` and `y`, and the least and the largest correlation over all "
        "draws of whole groups",
        parts=("table", "lowest correlation", "highest correlation"),
        own=lambda: {"n_groups": 3, "n_models": 4},
        draw=lambda rng: {"n_groups": int(rng.integers(3, 5)), "n_models": int(rng.integers(4, 12))},
        judge=judge_pooled,
        slips=(),
        praise="With groups drawn, the interval holds nearly everything.",
    ),
    Exercise(
        name="halves",
        number=2,
        objectives=(3,),
        asks="a function `gains(hits, halves)` that returns two gains in percentage points; each row of `hits` is a "
        "transformation, and each row of `halves` a choice of questions",
        parts=("gain on its half", "gain on the other"),
        draw=any_hits,
        atol=1e-6,
        solution=best_half,
        slips=(
            Slip(chosen_on_all, "you chose on all questions. Choose again on each half."),
            Slip(best_on_each, "you chose again on the other half. Keep what was chosen on the first half."),
        ),
        praise="What is chosen looks better where it was chosen.",
    ),
    Exercise(
        name="free",
        number=3,
        objectives=(2,),
        asks="two arrays: the questions and the documents after your change",
        parts=("questions", "documents"),
        own=embeddings_of_the_lesson,
        draw=any_embeddings,
        judge=judge_free,
        slips=(),
        praise="What score would notice the trick?",
    ),
)
