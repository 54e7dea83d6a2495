"""Exercises of the lesson "How many points are enough"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip
from reanalyses.rudman2022 import clouds

__all__ = ["EXERCISES"]


# 1. nineteen


def draw_target(rng: np.random.Generator) -> Data:
    return {
        "n_dimensions": int(rng.integers(50, 900)),
        "fraction": float(rng.choice([0.75, 0.8, 0.9, 0.95, 0.96])),
    }


def count_points_by_search(n_dimensions: int, fraction: float) -> int:
    """Return the smallest number of points for which a sample uses the given fraction of the dimensions, by search."""
    samples = range(2, 100_000)
    return next(N for N in samples if 1 / (1 + (n_dimensions + 1) / (N - 1)) >= fraction - 1e-12)


def one_point_too_few(n_dimensions: int, fraction: float) -> float:
    return (n_dimensions + 1) * fraction / (1 - fraction)


def points_without_corrections(n_dimensions: int, fraction: float) -> float:
    return n_dimensions * fraction / (1 - fraction)


def points_for_reciprocal_fraction(n_dimensions: int, fraction: float) -> float:
    return 1 + (n_dimensions + 1) * (1 - fraction) / fraction


# 2. tables


def draw_models(rng: np.random.Generator) -> Data:
    n_a, n_b = int(rng.integers(8, 15)), int(rng.integers(40, 60))
    return {
        "a": clouds.first_k_dimensions(int(rng.integers(150, 250)), n_a, (n_a + 1) // 2, rng=rng),
        "b": clouds.first_k_dimensions(int(rng.integers(20, 40)), n_b, (n_b + 1) // 2, rng=rng),
    }


def lesson_models() -> Data:
    return {
        "a": clouds.first_k_dimensions(3_000, 101, 51, rng=0),
        "b": clouds.first_k_dimensions(300, 769, 385, rng=0),
    }


def scores_by_package(a: Any, b: Any) -> list[float]:
    """Return the plug-in IsoScores of models a and b, and then their corrected IsoScores."""
    from isotropy_lab.isotropy import isoscore

    return [*(isoscore(X) for X in (a, b)), *(isoscore(X, estimator="corrected") for X in (a, b))]


def plugin_scores_only(a: Any, b: Any) -> list[float]:
    plugin = scores_by_package(a, b)[:2]
    return [*plugin, *plugin]


def scores_by_model(a: Any, b: Any) -> list[float]:
    plugin_a, plugin_b, corrected_a, corrected_b = scores_by_package(a, b)
    return [plugin_a, corrected_a, plugin_b, corrected_b]


# 3. mystery


def mystery_file(seed: int = 0) -> Any:
    """Return 400 vectors in 30 dimensions: a nearly isotropic cloud away from the origin, with ten outliers."""
    return _draw_vectors(np.random.default_rng(seed), 400, 30, 10)


def _draw_vectors(rng: np.random.Generator, n_rows: int, n_dimensions: int, n_outliers: int) -> Any:
    X = rng.standard_normal((n_rows, n_dimensions)) * rng.uniform(0.5, 1.5, n_dimensions) + 3.0
    X[rng.permutation(n_rows)[:n_outliers], 0] += rng.uniform(150, 200, n_outliers)
    return X


def draw_mystery(rng: np.random.Generator) -> Data:
    n_rows, n_dimensions = int(rng.integers(100, 200)), int(rng.integers(20, 40))
    return {"mystery": _draw_vectors(rng, n_rows, n_dimensions, int(rng.integers(3, 9)))}


def _is_outlier(mystery: Any) -> Any:
    """Return a mask of the rows whose squared distance from the mean exceeds four times its average."""
    squared_distances = ((mystery - mystery.mean(axis=0)) ** 2).sum(axis=1)
    return squared_distances > 4 * squared_distances.mean()


def file_measures(mystery: Any) -> tuple[int, float, float]:
    """Return the number of outliers, and the corrected score and the average cosine without them."""
    from isotropy_lab.isotropy import average_cosine, isoscore

    outliers = _is_outlier(mystery)
    others = mystery[~outliers]
    return int(outliers.sum()), float(isoscore(others, estimator="corrected")), float(average_cosine(others))


def measures_with_plugin_score(mystery: Any) -> Any:
    from isotropy_lab.isotropy import isoscore

    n_outliers, _, cosine = file_measures(mystery)
    return n_outliers, isoscore(mystery[~_is_outlier(mystery)]), cosine


def measures_after_centering(mystery: Any) -> Any:
    from isotropy_lab.isotropy import average_cosine

    others = mystery[~_is_outlier(mystery)]
    return *file_measures(mystery)[:2], average_cosine(others - others.mean(axis=0))


def measures_with_score_of_all_rows(mystery: Any) -> Any:
    from isotropy_lab.isotropy import isoscore

    n_outliers, _, cosine = file_measures(mystery)
    return n_outliers, isoscore(mystery, estimator="corrected"), cosine


def measures_with_cosine_of_all_rows(mystery: Any) -> Any:
    from isotropy_lab.isotropy import average_cosine

    return *file_measures(mystery)[:2], average_cosine(mystery)


EXERCISES = (
    Exercise(
        name="nineteen",
        number=1,
        objectives=(1,),
        asks="the number of points",
        parts=("number of points",),
        lesson_data=lambda: {"n_dimensions": 300, "fraction": 0.95},
        draw=draw_target,
        rtol=0,
        atol=0.5,
        solution=count_points_by_search,
        slips=(
            Slip(one_point_too_few, "the denominator of the formula is N − 1. Did you solve for N?"),
            Slip(points_without_corrections, "you used k and N, but the formula contains k + 1 and N − 1."),
            Slip(points_for_reciprocal_fraction, "you used the reciprocal of the ratio."),
        ),
        praise="Even such a sample does not use all dimensions.",
    ),
    Exercise(
        name="tables",
        number=2,
        objectives=(1, 2),
        asks="four numbers: the plug-in scores of A and B, then their corrected scores",
        parts=("plug-in score of A", "plug-in score of B", "corrected score of A", "corrected score of B"),
        lesson_data=lesson_models,
        draw=draw_models,
        decimals=(2, 2, 2, 2),
        solution=scores_by_package,
        slips=(
            Slip(plugin_scores_only, "the last two are plug-in scores. Use `estimator` of `isoscore`."),
            Slip(scores_by_model, "give the plug-in scores of A and B first, then the corrected scores."),
        ),
        praise="The plug-in scores differ, although the models are equally isotropic.",
    ),
    Exercise(
        name="mystery",
        number=3,
        objectives=(2, 3),
        asks="three numbers: the number of far rows, and the corrected IsoScore and the average cosine of the other rows",
        parts=("number of far rows", "corrected IsoScore of the rest", "average cosine of the rest"),
        lesson_data=lambda: {"mystery": mystery_file()},
        draw=draw_mystery,
        decimals=(0, 2, 2),
        atol=1e-6,
        solution=file_measures,
        slips=(
            Slip(measures_with_plugin_score, "your score is the plug-in score. Use the corrected one."),
            Slip(measures_after_centering, "your cosine was measured after centering. Give the one before."),
            Slip(measures_with_score_of_all_rows, "your corrected score includes the far rows."),
            Slip(measures_with_cosine_of_all_rows, "your cosine includes the far rows."),
        ),
        praise="Now write the three sentences, and say which rows each number describes.",
    ),
)
