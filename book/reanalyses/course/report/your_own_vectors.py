"""Exercises of the lesson "Your own vectors"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def units(X: Any) -> Any:
    return X / np.linalg.norm(X, axis=1, keepdims=True)


# 1. constant


def any_vectors(rng: np.random.Generator) -> Data:
    return {
        "vectors": rng.standard_normal((60, 6)) * np.array([2, 1.5, 1, 1, 1, 0.5]) + 0.2,
        "added": round(float(rng.uniform(0.4, 1.5)), 1),
    }


def frequent_words() -> Data:
    from isotropy_report.io import load_word_vectors

    return {"vectors": load_word_vectors("glove-pool").vectors[:2_000], "added": 0.5}


def constant(vectors: Any, added: float) -> tuple[float, float]:
    """Return the average cosine and the corrected IsoScore after adding a constant to all coordinates."""
    from isotropy_lab.isotropy import isoscore

    moved = np.asarray(vectors, float) + added
    U = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    N, total = len(U), U.sum(axis=0)
    return float((total @ total - N) / (N * (N - 1))), isoscore(vectors, estimator="corrected")


def nothing_added(vectors: Any, added: float) -> tuple[float, float]:
    return constant(vectors, 0.0)


def not_corrected(vectors: Any, added: float) -> tuple[float, float]:
    from isotropy_lab.isotropy import isoscore

    return constant(vectors, added)[0], isoscore(vectors)


# 2. modules


def any_modules(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(12), rng.integers(2, 9, 12))
    X = rng.standard_normal((12, 6))[module] + rng.standard_normal((len(module), 6)) + 0.7
    return {"X": X, "module": module}


def modules_of_the_lesson() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    places = text_collections.collection("yang").places
    _, module = np.unique([place.split()[0] for place in places], return_inverse=True)
    return {"X": encoders.load("MiniLM", "yang").documents[0].astype(float), "module": module}


def modules(X: Any, module: Any) -> float:
    """Return the half-width of the interval of the average cosine, by the jackknife over modules."""
    from scipy import stats

    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    sizes = np.bincount(module)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, module, U)
    m, rest = len(X) - sizes, U.sum(axis=0) - sums
    without = ((rest**2).sum(axis=1) - m) / (m * (m - 1))
    return float(np.sqrt((len(sizes) - 1) * without.var()) * stats.t.ppf(0.975, len(sizes) - 1))


def row_by_row(X: Any, module: Any) -> float:
    return modules(X, np.arange(len(X)))


def standard_error_only(X: Any, module: Any) -> float:
    from scipy import stats

    return modules(X, module) / float(stats.t.ppf(0.975, len(np.unique(module)) - 1))


def as_if_a_sample(X: Any, module: Any) -> float:
    n = len(np.unique(module))
    return modules(X, module) / (n - 1)


# 3. forged


def any_file(rng: np.random.Generator) -> Data:
    shape = rng.uniform(0.5, 1, 16)
    X = units(rng.standard_normal((800, 16)) * shape + rng.uniform(0.3, 0.6, 16))
    return {"X": X, "noise": rng.standard_normal((800, 16))}


def file_of_the_lesson() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    X = encoders.load("MiniLM", "yang").documents[0].astype(float)
    return {"X": X, "noise": np.random.default_rng(0).standard_normal(X.shape)}


def noise_itself(X: Any, noise: Any) -> Any:
    return noise


def copied(X: Any, noise: Any) -> Any:
    return X[::-1]


def judge_forged(answer: Any, X: Any, noise: Any) -> None:
    from isotropy_lab.isotropy import average_cosine, isoscore

    mine = answers.rows(answer, "file", X.shape[1], len(X))
    if (np.ptp(mine, axis=0) == 0).any():
        raise Wrong("a column of your file is constant.")
    if np.abs(np.linalg.norm(mine, axis=1) - 1).max() > 1e-3:
        raise Wrong("the rows of your file do not have unit length, and the card would show that.")
    known = {row.tobytes() for row in np.round(X, 9) + 0.0}
    if any(row.tobytes() in known for row in np.round(mine, 9) + 0.0):
        raise Wrong("your file contains rows of the real file. No text may be used in your file.")
    if abs(average_cosine(mine) - average_cosine(X)) > 0.8 / np.sqrt(len(X)):  # allows for random variation
        raise Wrong("the average cosine of your file differs. What is that number computed from?")
    wanted, found = (isoscore(A, estimator="corrected") for A in (X, mine))
    if abs(found / wanted - 1) > 0.1:
        raise Wrong("the corrected IsoScore of your file differs. What is that number computed from?")


EXERCISES = (
    Exercise(
        name="constant",
        number=1,
        objectives=(1,),
        asks="two numbers after adding: the average cosine and the corrected IsoScore",
        parts=("average cosine", "corrected IsoScore"),
        own=frequent_words,
        draw=any_vectors,
        rtol=2e-3,
        solution=constant,
        slips=(
            Slip(nothing_added, "those are the numbers before anything was added."),
            Slip(not_corrected, "that is the plug-in score. The card also has the corrected score."),
        ),
        praise="The covariance does not see a constant, the cosine does.",
    ),
    Exercise(
        name="modules",
        number=2,
        objectives=(2,),
        asks="how far the interval reaches to either side, a number",
        parts=("reach",),
        own=modules_of_the_lesson,
        draw=any_modules,
        decimals=(4,),
        solution=modules,
        slips=(
            Slip(row_by_row, "you left out rows. Leave out whole modules."),
            Slip(standard_error_only, "that is the standard error. The interval's half-width is larger."),
            Slip(
                as_if_a_sample,
                "values that each leave out one module are not a sample. The factor is their number minus 1.",
            ),
        ),
        praise="It takes for granted that modules are independent.",
    ),
    Exercise(
        name="forged",
        number=3,
        objectives=(3,),
        asks="your forged file, an array of the shape of `X`",
        own=file_of_the_lesson,
        draw=any_file,
        judge=judge_forged,
        slips=(
            Slip(noise_itself, "that is noise. Give it what the two numbers are computed from."),
            Slip(copied, "those are the real rows in another order."),
        ),
        praise="Which line gives it away?",
    ),
)
