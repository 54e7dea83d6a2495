"""Exercises of the lesson "Scaling up"; the last exercise covers all of Part 5."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. no-pair


def few_definitions() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    return {"few": encoders.load("MiniLM", "yang").documents[0][:500].astype(float), "n_rows": 10_000_000}


def any_points(rng: np.random.Generator) -> Data:
    return {"few": rng.standard_normal((40, 5)) + 2, "n_rows": int(rng.integers(20, 500)) * 100_000}


def no_pair(few: Any, n_rows: int) -> tuple[float, float]:
    """Return the sum of squared pair distances, computed from the mean, and a distance matrix's memory."""
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
    """Return the mean recall of the top 10 and its standard error, with the questions as a sample."""
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


# 3. colleague


def any_halves(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(12), rng.integers(2, 12, 12))
    X = 0.7 * rng.standard_normal((12, 6))[module] + rng.standard_normal((len(module), 6)) + 0.8
    hard = rng.uniform(size=90)
    hits, other = ((hard + 0.3 * rng.standard_normal(90) < level).astype(float) for level in (0.7, 0.6))
    return _halves(X, module, int(rng.integers(10, len(module) - 10)), hits, other)


def two_halves() -> Data:
    """Return the data of the lesson: unit vectors, modules, sums of two halves, and hits of E5 and MiniLM."""
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    E5, MiniLM = (encoders.load(name, "yang") for name in ("E5", "MiniLM"))
    gold = experiments.collection().gold
    places = text_collections.collection("yang").places
    _, module = np.unique([place.split()[0] for place in places], return_inverse=True)
    hits, other = ((one.ranks(gold) <= 10).astype(float) for one in (E5, MiniLM))
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


def colleague(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    """Return the average cosine from two halves, its half-width by module, and the detectable difference in hits."""
    from scipy import stats

    from reanalyses.course.report.your_own_vectors import modules

    within = sum((s @ s - n) / 2 for s, n in zip(sums, counts, strict=True))
    pairs = sum(n * (n - 1) / 2 for n in counts) + counts[0] * counts[1]
    d = hits - other_hits
    factor = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    error = np.std(d, ddof=1) / np.sqrt(len(d))
    return float((within + sums[0] @ sums[1]) / pairs), modules(units, module), float(factor * error)


def mean_of_both(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    each = [(s @ s - n) / (n * (n - 1)) for s, n in zip(sums, counts, strict=True)]
    return float(np.average(each, weights=counts)), *colleague(units, module, sums, counts, hits, other_hits)[
        1:
    ]


def rows_left_out(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    return colleague(units, np.arange(len(units)), sums, counts, hits, other_hits)


def two_samples(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> tuple[float, float, float]:
    one, other = (colleague(units, module, sums, counts, each, 0 * each) for each in (hits, other_hits))
    return one[0], one[1], float(np.hypot(one[2], other[2]))


EXERCISES = (
    Exercise(
        name="no-pair",
        number=1,
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
        objectives=(3,),
        asks="a function `recall(exact, fast)` of two tables, ten neighbors to a row, that returns recall and standard error",
        parts=("recall", "standard error"),
        draw=any_searches,
        solution=recall,
        slips=(
            Slip(
                neighbors_as_sample,
                "the neighbors of one question are found or missed together, so they are not independent.",
            ),
            Slip(place_by_place, "a neighbor counts at any position among the ten."),
            Slip(deviation_only, "that is the standard deviation, not the standard error of the mean."),
        ),
        praise="Two hundred questions are two hundred, however many neighbors they have.",
    ),
    Exercise(
        name="colleague",
        number=3,
        objectives=(2, 3),
        asks="three numbers: the average cosine of all vectors, how far its interval by modules reaches, and the least lead",
        parts=("average cosine", "reach", "least lead"),
        own=two_halves,
        draw=any_halves,
        decimals=(4, 4, 3),
        solution=colleague,
        slips=(
            Slip(mean_of_both, "your average cosine leaves out the pairs with one vector in each half."),
            Slip(rows_left_out, "your interval leaves out rows. Leave out whole modules."),
            Slip(
                two_samples,
                "both models have the same questions. Use the standard error of the paired difference.",
            ),
        ),
        praise="Now rewrite the report.",
    ),
)
