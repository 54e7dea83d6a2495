"""Exercises of the lesson "Scaling up"; the last exercise covers all of Part 5."""

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
    difficulty = rng.uniform(size=90)
    hits, other = ((difficulty + 0.3 * rng.standard_normal(90) < level).astype(float) for level in (0.7, 0.6))
    return _halves(X, module, int(rng.integers(10, len(module) - 10)), hits, other)


def lesson_halves() -> Data:
    """Return the data of the lesson: unit vectors, modules, sums of two halves, and hits of E5 and MiniLM."""
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    E5, MiniLM = (encoders.load(name, "yang") for name in ("E5", "MiniLM"))
    gold = experiments.collection().gold
    paths = text_collections.collection("yang").places
    _, module = np.unique([path.split()[0] for path in paths], return_inverse=True)
    hits, other = ((encoder.ranks(gold) <= 10).astype(float) for encoder in (E5, MiniLM))
    return _halves(E5.documents[0].astype(float), module, 1_000, hits, other)


def _halves(X: Any, module: Any, cut: int, hits: Any, other: Any) -> Data:
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return {
        "units": U,
        "module": module,
        "sums": np.array([U[:cut].sum(axis=0), U[cut:].sum(axis=0)]),
        "counts": np.array([cut, len(U) - cut]),
        "hits": hits,
        "other_hits": other,
    }


def cosine_and_errors(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    """Return the average cosine, its half-width by module, and the difference in accuracy detectable with power 0.8."""
    from scipy import stats

    from reanalyses.course.report.your_own_vectors import jackknife_half_width

    within_sums = sum((s @ s - n) / 2 for s, n in zip(sums, counts, strict=True))
    n_pairs = sum(n * (n - 1) / 2 for n in counts) + counts[0] * counts[1]
    difference = hits - other_hits
    factor = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    standard_error = np.std(difference, ddof=1) / np.sqrt(len(difference))
    cosine = float((within_sums + sums[0] @ sums[1]) / n_pairs)
    return cosine, jackknife_half_width(units, module), float(factor * standard_error)


def mean_of_half_cosines(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    cosines = [(s @ s - n) / (n * (n - 1)) for s, n in zip(sums, counts, strict=True)]
    others = cosine_and_errors(units, module, sums, counts, hits, other_hits)[1:]
    return float(np.average(cosines, weights=counts)), *others


def error_by_row(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    return cosine_and_errors(units, np.arange(len(units)), sums, counts, hits, other_hits)


def error_without_pairing(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    samples = (hits, other_hits)
    first, second = (cosine_and_errors(units, module, sums, counts, x, 0 * x) for x in samples)
    return first[0], first[1], float(np.hypot(first[2], second[2]))


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
            Slip(memory_in_float64, "a number in float32 takes four bytes."),
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
        asks="three numbers: the average cosine of all vectors, the half-width of its interval by modules, and the least detectable lead",
        parts=("average cosine", "half-width", "smallest lead"),
        lesson_data=lesson_halves,
        draw=draw_halves,
        decimals=(4, 4, 3),
        solution=cosine_and_errors,
        slips=(
            Slip(mean_of_half_cosines, "your average cosine omits pairs across the halves."),
            Slip(error_by_row, "your interval leaves out rows. Leave out whole modules."),
            Slip(error_without_pairing, "both models have the same questions, so use the paired difference."),
        ),
        praise="Now rewrite the report.",
    ),
)
