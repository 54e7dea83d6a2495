"""Exercises of the lesson "Your own vectors"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, normalize

__all__ = ["EXERCISES"]


# 1. constant


def draw_vectors(rng: np.random.Generator) -> Data:
    return {
        "vectors": rng.standard_normal((60, 6)) * np.array([2, 1.5, 1, 1, 1, 0.5]) + 0.2,
        "added": round(float(rng.uniform(0.4, 1.5)), 1),
    }


def lesson_vectors() -> Data:
    from isotropy_report.io import load_word_vectors

    return {"vectors": load_word_vectors("glove-pool").vectors[:2_000], "added": 0.5}


def scores_after_shift(vectors: Any, added: float) -> tuple[float, float]:
    """Return the average cosine and the corrected IsoScore after adding a constant to all coordinates."""
    from isotropy_lab.isotropy import isoscore

    shifted = np.asarray(vectors, float) + added
    U = shifted / np.linalg.norm(shifted, axis=1, keepdims=True)
    N, total = len(U), U.sum(axis=0)
    return float((total @ total - N) / (N * (N - 1))), isoscore(vectors, estimator="corrected")


def scores_without_shift(vectors: Any, added: float) -> tuple[float, float]:
    return scores_after_shift(vectors, 0.0)


def scores_with_plugin(vectors: Any, added: float) -> tuple[float, float]:
    from isotropy_lab.isotropy import isoscore

    return scores_after_shift(vectors, added)[0], isoscore(vectors)


# 2. modules


def draw_modules(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(12), rng.integers(2, 9, 12))
    X = rng.standard_normal((12, 6))[module] + rng.standard_normal((len(module), 6)) + 0.7
    return {"X": X, "module": module}


def lesson_modules() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    paths = text_collections.collection("yang").places
    _, module = np.unique([path.split()[0] for path in paths], return_inverse=True)
    return {"X": encoders.load("MiniLM", "yang").documents[0].astype(float), "module": module}


def jackknife_half_width(X: Any, module: Any) -> float:
    """Return the half-width of the 95% interval of the average cosine, by the jackknife over modules."""
    from scipy import stats

    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    sizes = np.bincount(module)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, module, U)
    n_remaining, remaining_sums = len(X) - sizes, U.sum(axis=0) - sums
    leave_one_out = ((remaining_sums**2).sum(axis=1) - n_remaining) / (n_remaining * (n_remaining - 1))
    return float(np.sqrt((len(sizes) - 1) * leave_one_out.var()) * stats.t.ppf(0.975, len(sizes) - 1))


def half_width_by_row(X: Any, module: Any) -> float:
    return jackknife_half_width(X, np.arange(len(X)))


def jackknife_standard_error(X: Any, module: Any) -> float:
    from scipy import stats

    return jackknife_half_width(X, module) / float(stats.t.ppf(0.975, len(np.unique(module)) - 1))


def half_width_without_factor(X: Any, module: Any) -> float:
    n = len(np.unique(module))
    return jackknife_half_width(X, module) / (n - 1)


def half_width_with_normal_quantile(X: Any, module: Any) -> float:
    return jackknife_standard_error(X, module) * 1.959964


# 3. forged


def draw_file(rng: np.random.Generator) -> Data:
    shape = rng.uniform(0.5, 1, 16)
    X = normalize(rng.standard_normal((800, 16)) * shape + rng.uniform(0.3, 0.6, 16))
    return {"X": X, "noise": rng.standard_normal((800, 16))}


def lesson_file() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    X = encoders.load("MiniLM", "yang").documents[0].astype(float)
    return {"X": X, "noise": np.random.default_rng(0).standard_normal(X.shape)}


def noise_itself(X: Any, noise: Any) -> Any:
    return noise


def reversed_rows(X: Any, noise: Any) -> Any:
    return X[::-1]


def judge_file(answer: Any, X: Any, noise: Any) -> None:
    from isotropy_lab.isotropy import average_cosine, isoscore

    forged = answers.rows(answer, "file", X.shape[1], len(X))
    if (np.ptp(forged, axis=0) == 0).any():
        raise Wrong("a column of your file is constant.")
    if np.abs(np.linalg.norm(forged, axis=1) - 1).max() > 1e-3:
        raise Wrong("the rows of your file do not have unit length, and the card would show that.")
    real_rows = {row.tobytes() for row in np.round(X, 9) + 0.0}
    if any(row.tobytes() in real_rows for row in np.round(forged, 9) + 0.0):
        raise Wrong("your file contains rows of the real file.")
    cosines = X @ X.T
    np.fill_diagonal(cosines, -1.0)
    max_cosines, forged_cosines = cosines.max(axis=1), np.abs(forged @ X.T).max(axis=1)
    if np.median(1.0 - forged_cosines) < 0.1 * np.median(1.0 - max_cosines):
        raise Wrong("the rows of your file are nearly the real rows, or their opposites.")
    if abs(average_cosine(forged) - average_cosine(X)) > 0.8 / np.sqrt(len(X)):  # allows for random variation
        raise Wrong("the average cosine of your file differs. On which moments does it depend?")
    expected, score = (isoscore(A, estimator="corrected") for A in (X, forged))
    if abs(score / expected - 1) > 0.1:
        raise Wrong("the corrected IsoScore of your file differs. On which moments does it depend?")


EXERCISES = (
    Exercise(
        name="constant",
        number=1,
        objectives=(1,),
        asks="two numbers after adding: the average cosine and the corrected IsoScore",
        parts=("average cosine", "corrected IsoScore"),
        lesson_data=lesson_vectors,
        draw=draw_vectors,
        rtol=2e-3,
        solution=scores_after_shift,
        slips=(
            Slip(scores_without_shift, "those are the numbers before anything was added."),
            Slip(scores_with_plugin, "that is the plug-in score. The card also has the corrected score."),
        ),
        praise="A constant changes cosines, but not the covariance.",
    ),
    Exercise(
        name="modules",
        number=2,
        objectives=(2,),
        asks="the half-width of the interval, a number",
        parts=("half-width",),
        lesson_data=lesson_modules,
        draw=draw_modules,
        decimals=(4,),
        solution=jackknife_half_width,
        slips=(
            Slip(half_width_by_row, "you left out rows. Leave out whole modules."),
            Slip(
                jackknife_standard_error, "that is the standard error. The interval's half-width is larger."
            ),
            Slip(half_width_without_factor, "the jackknife variance has the factor n − 1 for n modules."),
            Slip(
                half_width_with_normal_quantile, "use the quantile of Student's t, as in `cosine_interval`."
            ),
        ),
        praise="This interval assumes that modules are independent.",
    ),
    Exercise(
        name="forged",
        number=3,
        objectives=(3,),
        asks="your forged file, an array of the shape of `X`",
        lesson_data=lesson_file,
        draw=draw_file,
        judge=judge_file,
        slips=(
            Slip(noise_itself, "that is noise. Give it the moments that the two numbers depend on."),
            Slip(reversed_rows, "those are the real rows in another order."),
        ),
        praise="Does any line of the card reveal the forgery?",
    ),
)
