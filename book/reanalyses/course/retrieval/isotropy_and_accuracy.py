"""Exercises of the lesson "Isotropy and accuracy"."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. pooled


def parts_of_correlation(x: Any, y: Any, group: Any) -> tuple[float, float]:
    """Return the parts of the correlation within and between groups, which add up to the correlation."""
    x, y, group = np.asarray(x, float), np.asarray(y, float), np.asarray(group)
    x_means, y_means = (np.array([v[group == name].mean() for name in group]) for v in (x, y))
    scale = len(x) * x.std() * y.std()
    within = ((x - x_means) * (y - y_means)).sum() / scale
    between = ((x_means - x.mean()) * (y_means - y.mean())).sum() / scale
    return float(within), float(between)


def judge_table(answer: Any, n_groups: int, n_models: int) -> None:
    table, *parts = answers.split_parts(answer, ("table", "part within groups", "part between groups"))
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
    reported = [answers.number(part, "part of the correlation") for part in parts]
    expected = parts_of_correlation(X, Y, names)
    if np.allclose(reported, expected, rtol=0, atol=2e-3):
        return
    if np.allclose(reported, expected[::-1], rtol=0, atol=2e-3):
        raise Wrong("your table is correct, but the two parts are exchanged.")
    if not np.isclose(sum(reported), r, rtol=0, atol=4e-3):
        raise Wrong(
            f"your table is correct, but your parts add up to {sum(reported):.3g}. They must add up to the "
            "correlation over all rows."
        )
    raise Wrong("your table is correct, and your parts add up to its correlation, but they are other parts.")


# 2. relatives


def draw_families(rng: np.random.Generator) -> Data:
    sizes = rng.permutation([3, 3, 4, 6])
    family = np.repeat(["a", "b", "c", "d"], sizes)
    x, y = (rng.normal(0, 1, (4, 2)).repeat(sizes, axis=0) + rng.standard_normal((16, 2))).T
    return {"x": x, "y": y + 0.3 * x, "family": family}


def lesson_families() -> Data:
    from reanalyses.roychowdhury2024.datasets import family_scores

    table = family_scores.load()
    rows = table[table["transform"] == "centered"]
    return {
        "x": rows["i_a"].to_numpy(float),
        "y": rows["accuracy"].to_numpy(float),
        "family": rows["family"].to_numpy(str),
    }


def correlations_of_draws(x: Any, y: Any, family: Any) -> list[float]:
    """Return the correlation of each draw of whole families with replacement, where it is defined."""
    members = [np.flatnonzero(family == name) for name in np.unique(family)]
    correlations = []
    for drawn in product(members, repeat=len(members)):
        i = np.concatenate(drawn)
        if np.ptp(x[i]) > 0 and np.ptp(y[i]) > 0:
            correlations.append(float(np.corrcoef(x[i], y[i])[0, 1]))
    return correlations


def interval_by_families(x: Any, y: Any, family: Any) -> tuple[float, float]:
    """Return the ends of the 95% interval of the correlation over all draws of whole families."""
    low, high = np.percentile(correlations_of_draws(x, y, family), [2.5, 97.5])
    return float(low), float(high)


def interval_of_90_percent(x: Any, y: Any, family: Any) -> tuple[float, float]:
    low, high = np.percentile(correlations_of_draws(x, y, family), [5, 95])
    return float(low), float(high)


def interval_of_family_means(x: Any, y: Any, family: Any) -> tuple[float, float]:
    names = np.unique(family)
    mean_x, mean_y = (np.array([v[family == name].mean() for name in names]) for v in (x, y))
    return interval_by_families(mean_x, mean_y, names)


def smallest_and_largest(x: Any, y: Any, family: Any) -> tuple[float, float]:
    correlations = correlations_of_draws(x, y, family)
    return min(correlations), max(correlations)


# 3. free


def draw_embeddings(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(12)
    D = rng.standard_normal((1_200, 12)) * np.exp(rng.standard_normal(12)) + common_direction
    Q = D[:10] + rng.standard_normal((10, 12))
    D, Q = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (D, Q))
    return {"Q": Q, "D": D, "noise": rng.standard_normal((1_200, 60))}


def lesson_embeddings() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    encoder = encoders.load("MiniLM", "yang")
    D = np.asarray(encoder.documents_of(0), np.float64)
    noise = np.random.default_rng(0).standard_normal((len(D), 300))
    return {"Q": np.float64(encoder.questions), "D": D, "noise": noise}


def judge_embeddings(answer: Any, Q: Any, D: Any, noise: Any) -> None:
    from isotropy_lab.isotropy import partition_score_second_order

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


EXERCISES = (
    Exercise(
        name="pooled",
        number=1,
        objectives=(1,),
        asks="three things: your table with the columns `group`, `x` and `y`, and the parts of its correlation within and "
        "between groups",
        parts=("table", "part within groups", "part between groups"),
        lesson_data=lambda: {"n_groups": 3, "n_models": 4},
        draw=lambda rng: {"n_groups": int(rng.integers(3, 5)), "n_models": int(rng.integers(4, 12))},
        judge=judge_table,
        slips=(),
        praise="The part between groups decides the sign.",
    ),
    Exercise(
        name="relatives",
        number=2,
        objectives=(3,),
        asks="two numbers: the lower and the upper end of the 95% interval for the centered encoders, over all draws of whole "
        "families",
        parts=("lower end", "upper end"),
        lesson_data=lesson_families,
        draw=draw_families,
        decimals=(2, 2),
        rtol=0,
        atol=1e-6,
        solution=interval_by_families,
        slips=(
            Slip(interval_of_90_percent, "those are the ends of a 90% interval."),
            Slip(interval_of_family_means, "you replaced each family by its mean. Draw all its encoders."),
            Slip(
                smallest_and_largest,
                "those are the smallest and the largest correlation, not the middle 95%.",
            ),
        ),
        praise="Does the interval contain 0 for the other transformations?",
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
        praise="Which number differs before and after, although no rank does?",
    ),
)
