"""Exercises of the lesson "Isotropy and accuracy"."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. pooled


def correlation_range(x: Any, y: Any, group: Any) -> tuple[float, float]:
    """Return the smallest and largest correlation over all draws of whole groups with replacement."""
    rows = [np.flatnonzero(np.asarray(group) == name) for name in dict.fromkeys(np.asarray(group).tolist())]
    correlations = []
    for sample in product(rows, repeat=len(rows)):
        i = np.concatenate(sample)
        correlations.append(np.corrcoef(x[i], y[i])[0, 1])
    return float(min(correlations)), float(max(correlations))


def judge_table(answer: Any, n_groups: int, n_models: int) -> None:
    table, *ends = answers.split_parts(answer, ("table", "lowest correlation", "highest correlation"))
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
        x, y = X[names == name], Y[names == name]
        if np.ptp(x) == 0 or np.ptp(y) == 0 or np.corrcoef(x, y)[0, 1] < 1 - 1e-6:
            raise Wrong(f"within group {name}, the correlation is not 1.")
    if (r := np.corrcoef(X, Y)[0, 1]) >= -0.9:
        raise Wrong(f"over all rows, the correlation is {r:.2f}. Make a table for which it is below -0.9.")
    reported = [answers.number(end, "end of the draws") for end in ends]
    if not np.allclose(reported, correlation_range(X, Y, names), atol=2e-3):
        raise Wrong(
            "your table is correct, but the smallest or largest correlation over all draws of whole groups is wrong."
        )


# 2. halves


def draw_hits(rng: np.random.Generator) -> Data:
    skill = rng.uniform(0.55, 0.65, (7, 1))
    halves = np.array([rng.permutation(80) < 40 for _ in range(30)])
    return {"hits": rng.uniform(size=(7, 80)) < skill, "halves": halves}


def gains_of_best(hits: Any, halves: Any) -> tuple[float, float]:
    """Return the mean gains, in points, of the best method of a half over method 0: on this half, and on the other."""
    gains = []
    for half in halves:
        best = hits[hits[:, half].mean(axis=1).argmax()]
        gains.append([(best[i].mean() - hits[0][i].mean()) for i in (half, ~half)])
    mean_gains = 100 * np.mean(gains, axis=0)
    return float(mean_gains[0]), float(mean_gains[1])


def gains_chosen_on_all(hits: Any, halves: Any) -> list[float]:
    gain = hits[hits.mean(axis=1).argmax()].astype(float) - hits[0]
    return [float(100 * np.mean([gain[i].mean() for i in masks])) for masks in (halves, ~halves)]


def gains_chosen_on_each(hits: Any, halves: Any) -> tuple[float, float]:
    return gains_of_best(hits, halves)[0], gains_of_best(hits, ~halves)[0]


def gains_as_fractions(hits: Any, halves: Any) -> list[float]:
    return [gain / 100 for gain in gains_of_best(hits, halves)]


# 3. free


def draw_embeddings(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(12)
    D = rng.standard_normal((1_200, 12)) * np.exp(rng.standard_normal(12)) + common_direction
    Q = D[:10] + rng.standard_normal((10, 12))
    D, Q = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (D, Q))
    return {"Q": Q, "D": D, "noise": rng.standard_normal((1_200, 60)), "at_least": 20.0}


def lesson_embeddings() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder = encoders.load("MiniLM", "yang")
    D = np.asarray(encoder.documents_of(0), np.float64)
    noise = np.random.default_rng(0).standard_normal((len(D), 300))
    return {"Q": np.float64(encoder.questions), "D": D, "noise": noise, "at_least": 150.0}


def judge_embeddings(answer: Any, Q: Any, D: Any, noise: Any, at_least: float) -> None:
    from isotropy_lab.isotropy import dimensions_used, partition_score_second_order

    parts = answers.split_parts(answer, ("questions", "documents"))
    submitted = [
        answers.array(part, name)
        for name, part in zip(("list of questions", "list of documents"), parts, strict=True)
    ]
    if (
        any(rows.ndim != 2 or len(rows) != len(old) for rows, old in zip(submitted, (Q, D), strict=True))
        or submitted[0].shape[1] != submitted[1].shape[1]
    ):
        raise Wrong(f"hand in {len(Q)} questions and {len(D)} documents with the same number of coordinates.")
    lengths = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in submitted]
    if min(length.min() for length in lengths) == 0:
        raise Wrong("your vectors contain a row of zeros, for which cosines are undefined.")
    questions, documents = (rows / length for rows, length in zip(submitted, lengths, strict=True))
    before, after = Q @ D.T, questions @ documents.T
    # Rankings are unchanged if the cosines fall along the old order; equal cosines would erase it.
    steps = np.diff(np.take_along_axis(after, np.argsort(-before, axis=1), axis=1), axis=1)
    if not (steps.max(axis=1) < 1e-4 * np.ptp(after, axis=1)).all():
        raise Wrong("some ranks have changed. What you add must lengthen all documents by the same factor.")
    if (score := partition_score_second_order(documents)) <= 0.9:
        raise Wrong(f"the score I_A of your normalized documents is {score:.2f}. The score must exceed 0.9.")
    if (n_used := dimensions_used(documents)) <= at_least:
        raise Wrong(f"your documents use {n_used:.0f} dimensions. Use more than {at_least:.0f}.")


EXERCISES = (
    Exercise(
        name="pooled",
        number=1,
        objectives=(1, 3),
        asks="three things: your table with the columns `group`, `x` and `y`, and the smallest and largest correlations over "
        "all draws of whole groups",
        parts=("table", "lowest correlation", "highest correlation"),
        lesson_data=lambda: {"n_groups": 3, "n_models": 4},
        draw=lambda rng: {"n_groups": int(rng.integers(3, 5)), "n_models": int(rng.integers(4, 12))},
        judge=judge_table,
        slips=(),
        praise="If groups are drawn, the interval contains nearly every correlation.",
    ),
    Exercise(
        name="halves",
        number=2,
        objectives=(3,),
        asks="a function `gains(hits, halves)` that returns two gains in percentage points; each row of `hits` is a "
        "transformation, and each row of `halves` a choice of questions",
        parts=("gain on its half", "gain on the other"),
        draw=draw_hits,
        atol=1e-6,
        solution=gains_of_best,
        slips=(
            Slip(gains_chosen_on_all, "you chose on all questions. Choose again on each half."),
            Slip(gains_chosen_on_each, "you chose again on the other half. Keep the first choice."),
            Slip(gains_as_fractions, "those are fractions. Return percentage points."),
        ),
        praise="The best method looks better on the half that selected it.",
    ),
    Exercise(
        name="free",
        number=3,
        objectives=(2,),
        asks="two arrays: the questions and the documents after your change",
        parts=("questions", "documents"),
        lesson_data=lesson_embeddings,
        draw=draw_embeddings,
        judge=judge_embeddings,
        slips=(),
        praise="Which score would detect this change?",
    ),
)
