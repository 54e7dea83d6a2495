"""Exercises of the lesson "Scaling up"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. no-pair


def lesson_vectors() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    return {"few": encoders.load("MiniLM", "yang").documents[0][:500].astype(float), "n_rows": 10_000_000}


def draw_points(rng: np.random.Generator) -> Data:
    return {"few": rng.standard_normal((40, 5)) + 2, "n_rows": int(rng.integers(20, 500)) * 100_000}


def squared_sum_and_memory(few: Any, n_rows: int) -> tuple[float, float]:
    """Return the sum of squared distances over all pairs, and the gigabytes of all distances of n_rows in float32."""
    total_variation = ((few - few.mean(axis=0)) ** 2).sum()
    return float(len(few) * total_variation), 4 * n_rows * (n_rows - 1) / 2 / 1e9


def ordered_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    return 2 * squared_sum_and_memory(few, n_rows)[0], 4e-9 * n_rows**2


def memory_in_float64(few: Any, n_rows: int) -> tuple[float, float]:
    total, gigabytes = squared_sum_and_memory(few, n_rows)
    return total, 2 * gigabytes


def mean_of_squares(few: Any, n_rows: int) -> tuple[float, float]:
    total, gigabytes = squared_sum_and_memory(few, n_rows)
    return total / (len(few) * (len(few) - 1) / 2), gigabytes


# 2. recall


def draw_neighbors(rng: np.random.Generator) -> Data:
    exact = np.array([rng.choice(300, 10, replace=False) for _ in range(40)])
    fast = exact.copy()
    for row, n_lost in zip(fast, rng.binomial(10, rng.beta(1, 3, 40)), strict=True):
        row[:n_lost] = 300 + np.arange(n_lost)
    return {"exact": exact, "fast": np.array([rng.permutation(row) for row in fast])}


def recall_and_error(exact: Any, fast: Any) -> tuple[float, float]:
    """Return the mean recall@10 and its standard error, with the questions as a sample."""
    recalls = np.array([np.isin(true, row).mean() for true, row in zip(exact, fast, strict=True)])
    return float(recalls.mean()), float(recalls.std(ddof=1) / np.sqrt(len(recalls)))


def error_over_neighbors(exact: Any, fast: Any) -> tuple[float, float]:
    mean_recall = recall_and_error(exact, fast)[0]
    return mean_recall, float(np.sqrt(mean_recall * (1 - mean_recall) / np.size(exact)))


def recall_by_position(exact: Any, fast: Any) -> tuple[float, float]:
    recalls = (exact == fast).mean(axis=1)
    return float(recalls.mean()), float(recalls.std(ddof=1) / np.sqrt(len(recalls)))


def recall_and_standard_deviation(exact: Any, fast: Any) -> tuple[float, float]:
    mean_recall, standard_error = recall_and_error(exact, fast)
    return mean_recall, standard_error * np.sqrt(len(exact))


# 3. colleague


def draw_halves(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(12), rng.integers(2, 12, 12))
    X = 0.7 * rng.standard_normal((12, 6))[module] + rng.standard_normal((len(module), 6)) + 0.8
    return _halves(X, module, int(rng.integers(10, len(module) - 10)))


def lesson_halves() -> Data:
    """Return the data of the lesson: unit vectors and modules of E5, and the sums of two halves."""
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    paths = text_collections.collection("yang").places
    _, module = np.unique([path.split()[0] for path in paths], return_inverse=True)
    return _halves(encoders.load("E5", "yang").documents[0].astype(float), module, 1_000)


def _halves(X: Any, module: Any, cut: int) -> Data:
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return {
        "units": U,
        "module": module,
        "sums": np.array([U[:cut].sum(axis=0), U[cut:].sum(axis=0)]),
        "counts": np.array([cut, len(U) - cut]),
    }


def cosine_and_half_width(units: Any, module: Any, sums: Any, counts: Any) -> tuple[float, float]:
    """Return the average cosine of both halves together, and the half-width of its interval by module."""
    from reanalyses.course.report.your_own_vectors import jackknife_half_width

    within_sums = sum((s @ s - n) / 2 for s, n in zip(sums, counts, strict=True))
    n_pairs = sum(n * (n - 1) / 2 for n in counts) + counts[0] * counts[1]
    return float((within_sums + sums[0] @ sums[1]) / n_pairs), jackknife_half_width(units, module)


def mean_of_half_cosines(units: Any, module: Any, sums: Any, counts: Any) -> tuple[float, float]:
    cosines = [(s @ s - n) / (n * (n - 1)) for s, n in zip(sums, counts, strict=True)]
    return float(np.average(cosines, weights=counts)), cosine_and_half_width(units, module, sums, counts)[1]


def cosine_between_halves(units: Any, module: Any, sums: Any, counts: Any) -> tuple[float, float]:
    half_width = cosine_and_half_width(units, module, sums, counts)[1]
    return float(sums[0] @ sums[1] / (counts[0] * counts[1])), half_width


def half_width_by_row(units: Any, module: Any, sums: Any, counts: Any) -> tuple[float, float]:
    return cosine_and_half_width(units, np.arange(len(units)), sums, counts)


def numbers_of_the_colleague(units: Any, module: Any, sums: Any, counts: Any) -> tuple[float, float]:
    cosine = mean_of_half_cosines(units, module, sums, counts)[0]
    return cosine, half_width_by_row(units, module, sums, counts)[1]


EXERCISES = (
    Exercise(
        name="no-pair",
        number=1,
        objectives=(1, 2),
        asks="two numbers: the sum of the squared distances, and the gigabytes of the distances between all rows in float32",
        parts=("sum", "gigabytes"),
        lesson_data=lesson_vectors,
        draw=draw_points,
        solution=squared_sum_and_memory,
        slips=(
            Slip(ordered_pairs, "you counted every pair twice."),
            Slip(
                memory_in_float64, "twice the answer: count each pair once, and four bytes for each distance."
            ),
            Slip(mean_of_squares, "that is the mean over pairs. The exercise asks for the sum."),
        ),
        praise="The sum does not require the pairs, which fit on no laptop.",
    ),
    Exercise(
        name="recall",
        number=2,
        objectives=(3,),
        asks="a function `recall(exact, fast)` of two tables with ten neighbors per row; it returns recall and its standard error",
        parts=("recall", "standard error"),
        draw=draw_neighbors,
        solution=recall_and_error,
        slips=(
            Slip(error_over_neighbors, "the neighbors of one question are not independent."),
            Slip(recall_by_position, "a neighbor counts at any of the ten positions."),
            Slip(recall_and_standard_deviation, "that is the standard deviation of recall."),
        ),
        praise="The sample size is the number of questions, not the number of neighbors.",
    ),
    Exercise(
        name="colleague",
        number=3,
        objectives=(2, 3),
        asks="two numbers: the average cosine of all vectors, and the half-width of its interval by modules",
        parts=("average cosine", "half-width"),
        lesson_data=lesson_halves,
        draw=draw_halves,
        decimals=(4, 4),
        solution=cosine_and_half_width,
        slips=(
            Slip(mean_of_half_cosines, "your average cosine omits pairs across the halves."),
            Slip(cosine_between_halves, "your average cosine has only the pairs across the halves."),
            Slip(half_width_by_row, "your interval leaves out rows. Leave out whole modules."),
            Slip(
                numbers_of_the_colleague,
                "these are the numbers of the report: pairs across the halves, and whole modules, are missing.",
            ),
        ),
        praise="Now rewrite the report.",
    ),
)
