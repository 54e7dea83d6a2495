"""Exercises of the lesson "How many points are enough"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip
from reanalyses.course.isotropy.layer_by_layer import used
from reanalyses.rudman2022 import clouds

__all__ = ["EXERCISES"]


# 1. nineteen


def any_target(rng: np.random.Generator) -> Data:
    return {
        "n_dimensions": int(rng.integers(50, 900)),
        "fraction": float(rng.choice([0.75, 0.8, 0.9, 0.95, 0.96])),
    }


def nineteen_by_counting(n_dimensions: int, fraction: float) -> int:
    """Return the smallest sufficient number of points, by trying all numbers in turn."""
    samples = range(2, 100_000)
    return next(N for N in samples if 1 / (1 + (n_dimensions + 1) / (N - 1)) >= fraction - 1e-12)


def one_point_short(n_dimensions: int, fraction: float) -> float:
    return (n_dimensions + 1) * fraction / (1 - fraction)


def without_one(n_dimensions: int, fraction: float) -> float:
    return n_dimensions * fraction / (1 - fraction)


def upside_down(n_dimensions: int, fraction: float) -> float:
    return 1 + (n_dimensions + 1) * (1 - fraction) / fraction


# 2. tables


def any_models(rng: np.random.Generator) -> Data:
    n_a, n_b = int(rng.integers(8, 15)), int(rng.integers(40, 60))
    return {
        "a": clouds.first_k_dimensions(int(rng.integers(150, 250)), n_a, (n_a + 1) // 2, rng=rng),
        "b": clouds.first_k_dimensions(int(rng.integers(20, 40)), n_b, (n_b + 1) // 2, rng=rng),
    }


def models_of_the_lesson() -> Data:
    return {
        "a": clouds.first_k_dimensions(3_000, 101, 51, rng=0),
        "b": clouds.first_k_dimensions(300, 769, 385, rng=0),
    }


def tables_by_package(a: Any, b: Any) -> list[float]:
    """Return the plug-in and corrected scores of both models, computed with the package."""
    from isotropy_lab.isotropy import isoscore

    return [*(isoscore(X) for X in (a, b)), *(isoscore(X, estimator="corrected") for X in (a, b))]


def tables_not_corrected(a: Any, b: Any) -> list[float]:
    plain = tables_by_package(a, b)[:2]
    return [*plain, *plain]


def tables_model_by_model(a: Any, b: Any) -> list[float]:
    one, two, three, four = tables_by_package(a, b)
    return [one, three, two, four]


# 3. mystery


def mystery_file(seed: int = 0) -> Any:
    """Return 400 vectors in 30 dimensions: a nearly isotropic cloud away from the origin, with ten outliers."""
    return _mystery(np.random.default_rng(seed), 400, 30, 10)


def _mystery(rng: np.random.Generator, n_rows: int, n_dimensions: int, n_far: int) -> Any:
    X = rng.standard_normal((n_rows, n_dimensions)) * rng.uniform(0.5, 1.5, n_dimensions) + 3.0
    X[rng.permutation(n_rows)[:n_far], 0] += rng.uniform(150, 200, n_far)
    return X


def any_mystery(rng: np.random.Generator) -> Data:
    n_rows, n_dimensions = int(rng.integers(100, 200)), int(rng.integers(20, 40))
    return {"mystery": _mystery(rng, n_rows, n_dimensions, int(rng.integers(3, 9)))}


def _far(mystery: Any) -> Any:
    d2 = ((mystery - mystery.mean(axis=0)) ** 2).sum(axis=1)
    return d2 > 4 * d2.mean()


def mystery(mystery: Any) -> tuple[int, float, float, float, float]:
    """Return the outliers, the dimensions used, the score of the rest, and its cosines before and after centering."""
    from isotropy_lab.isotropy import average_cosine, isoscore

    far = _far(mystery)
    rest = mystery[~far]
    fair = isoscore(rest, estimator="corrected")
    cosines = (average_cosine(X) for X in (rest, rest - rest.mean(axis=0)))
    return (int(far.sum()), used(mystery), fair, *cosines)  # type: ignore[return-value]


def mystery_not_corrected(mystery: Any) -> Any:
    from isotropy_lab.isotropy import isoscore

    found = list(_answers(mystery))
    found[2] = isoscore(mystery[~_far(mystery)])
    return found


def mystery_without_centering(mystery: Any) -> Any:
    found = list(_answers(mystery))
    found[4] = found[3]
    return found


def mystery_of_all_rows(mystery: Any) -> Any:
    from isotropy_lab.isotropy import isoscore

    found = list(_answers(mystery))
    found[2] = isoscore(mystery, estimator="corrected")
    return found


def mystery_of_the_rest(mystery: Any) -> Any:
    found = list(_answers(mystery))
    found[1] = used(mystery[~_far(mystery)])
    return found


_answers = mystery  # the functions for mistakes have a parameter named `mystery`


EXERCISES = (
    Exercise(
        name="nineteen",
        number=1,
        objectives=(1,),
        asks="the number of points",
        parts=("number of points",),
        own=lambda: {"n_dimensions": 300, "fraction": 0.95},
        draw=any_target,
        rtol=0,
        atol=0.5,
        solution=nineteen_by_counting,
        slips=(
            Slip(one_point_short, "the denominator of the formula is N − 1. Did you solve for N?"),
            Slip(without_one, "you used n and N, but the formula is a ratio of n + 1 and N − 1."),
            Slip(upside_down, "your fraction is upside down. So few points are not enough."),
        ),
        praise="Even then, the sample does not use all dimensions.",
    ),
    Exercise(
        name="tables",
        number=2,
        objectives=(1, 2),
        asks="four numbers: the plug-in scores of A and B, then their corrected scores",
        parts=("plug-in score of A", "plug-in score of B", "corrected score of A", "corrected score of B"),
        own=models_of_the_lesson,
        draw=any_models,
        decimals=(2, 2, 2, 2),
        solution=tables_by_package,
        slips=(
            Slip(tables_not_corrected, "the last two are plug-in scores. Use `estimator` of `isoscore`."),
            Slip(
                tables_model_by_model, "give the plug-in scores of A and B first, then the corrected scores."
            ),
        ),
        praise="The plug-in scores rank two models that are equal.",
    ),
    Exercise(
        name="mystery",
        number=3,
        objectives=(2, 3),
        asks="five numbers: far rows, dimensions used by all rows, then of the rest the corrected IsoScore, "
        "the average cosine, and the average cosine after centering",
        parts=(
            "number of far rows",
            "dimensions used by all rows",
            "corrected IsoScore of the rest",
            "average cosine of the rest",
            "average cosine of the rest after centering",
        ),
        own=lambda: {"mystery": mystery_file()},
        draw=any_mystery,
        decimals=(0, 2, 2, 2, 2),
        atol=1e-6,
        solution=mystery,
        slips=(
            Slip(
                mystery_not_corrected, "your score of the rest is the plug-in score. Use the corrected score."
            ),
            Slip(mystery_without_centering, "your last cosine was measured before centering."),
            Slip(mystery_of_all_rows, "your corrected score includes the far rows."),
            Slip(mystery_of_the_rest, "your second number leaves out the far rows. Include all rows."),
        ),
        praise="Now write the three sentences: which number describes which rows?",
    ),
)
