"""Exercises of the lesson "Scaling up"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Criterion, Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. no-pair


def few_definitions() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    return {"few": encoders.load("MiniLM", "yang").documents[0][:500].astype(float), "n_rows": 10_000_000}


def any_points(rng: np.random.Generator) -> Data:
    return {"few": rng.standard_normal((40, 5)) + 2, "n_rows": int(rng.integers(20, 500)) * 100_000}


def no_pair(few: Any, n_rows: int) -> tuple[float, float]:
    """N times the sum of the squared distances to the mean; four bytes for each of N (N − 1) / 2 distances."""
    spread = ((few - few.mean(axis=0)) ** 2).sum()
    return float(len(few) * spread), 4 * n_rows * (n_rows - 1) / 2 / 1e9


def each_pair_twice(few: Any, n_rows: int) -> tuple[float, float]:
    return 2 * no_pair(few, n_rows)[0], 4e-9 * n_rows**2


def in_float64(few: Any, n_rows: int) -> tuple[float, float]:
    one, other = no_pair(few, n_rows)
    return one, 2 * other


def mean_of_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    one, other = no_pair(few, n_rows)
    return one / (len(few) * (len(few) - 1) / 2), other


# 2. recall


def any_searches(rng: np.random.Generator) -> Data:
    exact = np.array([rng.choice(300, 10, replace=False) for _ in range(40)])
    fast = exact.copy()
    for row, lost in zip(fast, rng.binomial(10, rng.beta(1, 3, 40)), strict=True):
        row[:lost] = 300 + np.arange(lost)
    return {"exact": exact, "fast": np.array([rng.permutation(row) for row in fast])}


def recall(exact: Any, fast: Any) -> tuple[float, float]:
    """The share of the true ten for each question is the sample."""
    shares = np.array([np.isin(true, found).mean() for true, found in zip(exact, fast, strict=True)])
    return float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(shares)))


def neighbors_as_sample(exact: Any, fast: Any) -> tuple[float, float]:
    p = recall(exact, fast)[0]
    return p, float(np.sqrt(p * (1 - p) / np.size(exact)))


def place_by_place(exact: Any, fast: Any) -> tuple[float, float]:
    shares = (exact == fast).mean(axis=1)
    return float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(shares)))


def deviation_only(exact: Any, fast: Any) -> tuple[float, float]:
    one, other = recall(exact, fast)
    return one, other * np.sqrt(len(exact))


# 3. merged


def any_parts(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((90, 6)) + 0.5
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    cut = int(rng.integers(20, 70))
    return {"sums": np.array([U[:cut].sum(axis=0), U[cut:].sum(axis=0)]), "counts": np.array([cut, 90 - cut])}


def two_machines() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    X = encoders.load("MiniLM", "yang").documents[0].astype(float)
    return {
        "sums": np.array([X[:1000].sum(axis=0), X[1000:].sum(axis=0)]),
        "counts": np.array([1000, len(X) - 1000]),
    }


def merged_by_parts(sums: Any, counts: Any) -> float:
    """The pairs within each part, and those between the two."""
    within = sum((s @ s - n) / 2 for s, n in zip(sums, counts, strict=True))
    pairs = sum(n * (n - 1) / 2 for n in counts) + counts[0] * counts[1]
    return float((within + sums[0] @ sums[1]) / pairs)


def with_itself(sums: Any, counts: Any) -> float:
    total, count = sums.sum(axis=0), counts.sum()
    return float(total @ total / count**2)


def mean_of_both(sums: Any, counts: Any) -> float:
    each = [(s @ s - n) / (n * (n - 1)) for s, n in zip(sums, counts, strict=True)]
    return float(np.average(each, weights=counts))


EXERCISES = (
    Exercise(
        name="no-pair",
        number=1,
        level="warm-up",
        minutes=3,
        objectives=(1, 2),
        asks="two numbers: the sum of the squared distances, and the gigabytes of all distances of so many rows in float32",
        parts=("sum", "gigabytes"),
        own=few_definitions,
        draw=any_points,
        solution=no_pair,
        slips=(
            Slip(each_pair_twice, "you counted every pair twice."),
            Slip(in_float64, "a number in float32 takes four bytes."),
            Slip(mean_of_pairs, "that is the mean over pairs. The exercise asks for the sum."),
        ),
        praise="With and without pairs, and no laptop holds the second.",
    ),
    Exercise(
        name="recall",
        number=2,
        level="practice",
        minutes=6,
        objectives=(3,),
        asks="a function `recall(exact, fast)` of two tables, ten neighbors to a row, that returns recall and standard error",
        parts=("recall", "standard error"),
        draw=any_searches,
        solution=recall,
        slips=(
            Slip(
                neighbors_as_sample,
                "neighbors of one question are found or missed together: they are no sample.",
            ),
            Slip(place_by_place, "a neighbor counts wherever it stands among the ten."),
            Slip(
                deviation_only,
                "that is the standard deviation of the questions, not the standard error of their mean.",
            ),
        ),
        praise="Two hundred questions are two hundred, however many neighbors they have.",
    ),
    Exercise(
        name="merged",
        number=3,
        level="open-ended",
        minutes=10,
        objectives=(2, 4),
        asks="the average cosine of all vectors from the two sums and counts, a number",
        parts=("average cosine",),
        own=two_machines,
        draw=any_parts,
        solution=merged_by_parts,
        slips=(
            Slip(with_itself, "every vector has the cosine 1 with itself: those do not count."),
            Slip(mean_of_both, "pairs of a vector here and one there are missing."),
        ),
        praise="Now find two pairs of parts that no median can be merged from.",
        rubric=(
            Criterion(
                "Lines that merge",
                (
                    "Guessed.",
                    "Some, with what each machine sends.",
                    "All, with what each machine sends: counts, sums, least and largest.",
                ),
            ),
            Criterion(
                "Lines that do not",
                (
                    "None.",
                    "Named.",
                    "Named, with two pairs of parts that agree in what is sent and differ in the line.",
                ),
            ),
            Criterion(
                "What the card does with a large file",
                (
                    "Not said.",
                    "It samples.",
                    "Which lines see all rows, which a sample, and where the card says so.",
                ),
            ),
        ),
    ),
)
