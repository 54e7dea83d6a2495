"""Exercises of the lesson "How accurate is it, really?"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def any_search(rng: np.random.Generator) -> Data:
    D = rng.standard_normal((60, 8))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    gold = rng.integers(0, 60, 40)
    return {"Q": D[gold] + 0.5 * rng.standard_normal((40, 8)), "D": D, "gold": gold}


def documentation() -> Data:
    from reanalyses.corpora import python_docs

    docs = python_docs.load("MiniLM")
    return {
        "Q": docs.question_vectors.astype(float),
        "D": docs.document_vectors.astype(float),
        "gold": docs.gold,
    }


# 1. twice


def twice(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    """Return the accuracy if duplicates rank before the answers, and if they rank after them (2r − 1)."""
    S = Q @ D.T
    nearer = (S[np.arange(len(Q)), gold][:, None] < S).sum(axis=1)
    strict, kind = 2 * nearer + 2, 2 * nearer + 1
    return float((strict <= 1).mean()), float((kind <= 10).mean())


def without_copies(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    ten = np.argsort(-(Q @ D.T), axis=1)[:, :10] == np.asarray(gold)[:, None]
    return 0.0, float(ten.any(axis=1).mean())


def always_kind(Q: Any, D: Any, gold: Any) -> tuple[float, float]:
    first = np.argmax(Q @ D.T, axis=1) == gold
    return float(first.mean()), twice(Q, D, gold)[1]


# 2. width


def any_interval(rng: np.random.Generator) -> Data:
    return {
        "A": round(float(rng.uniform(0.6, 0.95)), 3),
        "width": round(float(rng.uniform(0.05, 0.2)), 3),
        "n_test": int(rng.integers(500, 3_000)),
    }


def interval_of_the_study() -> Data:
    from reanalyses.roychowdhury2024 import experiments

    row = experiments.printed_performance().set_index("model").loc["bge_large_finetuned"]
    return {"A": float(row["accuracy"]) / 100, "width": float(row["accuracy_width"]) / 100, "n_test": 1_033}


def width(A: float, width: float, n_test: int) -> tuple[float, float]:
    """Return the sample size for a given interval width, and the interval width for a given sample size."""
    variance = A * (1 - A)
    return (2 * 1.96) ** 2 * variance / width**2, 2 * 1.96 * (variance / n_test) ** 0.5


def half_the_interval(A: float, width: float, n_test: int) -> tuple[float, float]:
    return 1.96**2 * A * (1 - A) / width**2, 1.96 * float(np.sqrt(A * (1 - A) / n_test))


def without_the_square(A: float, width: float, n_test: int) -> tuple[float, float]:
    return 3.92 * float(np.sqrt(A * (1 - A))) / width, 3.92 * float(np.sqrt(A * (1 - A) / n_test))


# 3. alike


def any_groups(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(40), rng.integers(3, 12, 40))
    hard = rng.uniform(0.3, 1.0, 40)[module]
    hits, other = ((rng.uniform(size=len(module)) < hard - less).astype(float) for less in (0.0, 0.1))
    return {"hits": hits, "other": other, "module": module}


def two_searches() -> Data:
    from isotropy_lab.retrieval import answer_ranks
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    minilm, routers = encoders.load("MiniLM", "yang"), experiments.collection()
    Q, D, gold = minilm.questions, minilm.documents[0], routers.gold
    _, module = np.unique(routers.questions["module"], return_inverse=True)
    ranks = answer_ranks(Q, D, gold), answer_ranks(Q[:, :192], D[:, :192], gold)
    hits, other = ((each <= 10).astype(float) for each in ranks)
    return {"hits": hits, "other": other, "module": module}


def alike(hits: Any, other: Any, module: Any) -> tuple[float, float, float]:
    """Return the standard errors of accuracy, by question and by module, and of the paired difference."""
    single = np.sqrt(hits.var() / len(hits))
    errors = []
    for values in (hits, hits - other):
        beyond = np.bincount(module, values - values.mean())
        errors.append(float(np.sqrt((beyond**2).sum()) / len(hits)))
    return float(single), errors[0], errors[1]


def shuffled(hits: Any, other: Any, module: Any) -> tuple[float, float, float]:
    return alike(hits, other, np.random.default_rng(0).permutation(module))


def unpaired(hits: Any, other: Any, module: Any) -> tuple[float, float, float]:
    one, two = alike(hits, 0 * other, module), alike(other, 0 * hits, module)
    return one[0], one[1], float(np.hypot(one[1], two[1]))


EXERCISES = (
    Exercise(
        name="twice",
        number=1,
        objectives=(1,),
        asks="two numbers: accuracy at 1 if ties go against you, and accuracy at 10 if they go in your favor",
        parts=("accuracy at 1", "accuracy at 10"),
        own=documentation,
        draw=any_search,
        solution=twice,
        slips=(
            Slip(always_kind, "in the first number, ties go against you. What is the rank of the copy then?"),
            Slip(without_copies, "your second number ignores the copies, which also fill the top 10."),
        ),
        praise="Always say how ties are broken.",
    ),
    Exercise(
        name="width",
        number=2,
        objectives=(2,),
        asks="two numbers by the formula: the questions of a sample, and the width with all test questions, as a fraction",
        parts=("number of questions", "width"),
        own=interval_of_the_study,
        draw=any_interval,
        decimals=(0, 3),
        rtol=5e-3,
        solution=width,
        slips=(
            Slip(half_the_interval, "that is the half-width. An interval extends to both sides."),
            Slip(without_the_square, "half the width requires four times the questions, not twice as many."),
        ),
        praise="With a hundred samples, the width itself varies by chance.",
    ),
    Exercise(
        name="alike",
        number=3,
        objectives=(1, 3),
        asks="three standard errors, as fractions: of the accuracy by question, by module, and of the lead over the half search by module",
        parts=("error by question", "error by module", "error of the lead"),
        own=two_searches,
        draw=any_groups,
        rtol=0.08,
        solution=alike,
        slips=(
            Slip(shuffled, "you used the shuffled labels. Use the real ones."),
            Slip(unpaired, "use the paired difference. Questions that are hard for both searches cancel."),
        ),
        praise="Shuffle the labels, and see what remains of the second one.",
    ),
)
