"""Exercises of the lesson "How many points are enough"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.exercise import Criterion, Data, Exercise, Slip
from reanalyses.rudman2022 import clouds

__all__ = ["EXERCISES"]


# 1. nineteen


def any_target(rng: np.random.Generator) -> Data:
    return {
        "n_dimensions": int(rng.integers(50, 900)),
        "score": float(rng.choice([0.75, 0.8, 0.9, 0.95, 0.96])),
    }


def nineteen_by_counting(n_dimensions: int, score: float) -> int:
    """Try sample after sample."""
    samples = range(2, 100_000)
    return next(N for N in samples if 1 / (1 + (n_dimensions + 1) / (N - 1)) >= score - 1e-12)


def one_point_short(n_dimensions: int, score: float) -> float:
    return (n_dimensions + 1) * score / (1 - score)


def without_one(n_dimensions: int, score: float) -> float:
    return n_dimensions * score / (1 - score)


def upside_down(n_dimensions: int, score: float) -> float:
    return 1 + (n_dimensions + 1) * (1 - score) / score


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
    """With the package."""
    from isotropy_lab.isotropy import isoscore

    return [*(isoscore(X) for X in (a, b)), *(isoscore(X, estimator="corrected") for X in (a, b))]


def tables_not_corrected(a: Any, b: Any) -> list[float]:
    plain = tables_by_package(a, b)[:2]
    return [*plain, *plain]


def tables_model_by_model(a: Any, b: Any) -> list[float]:
    one, two, three, four = tables_by_package(a, b)
    return [one, three, two, four]


# 3. coverage


def any_samples(rng: np.random.Generator) -> Data:
    # Needles, round clouds and others, so that some intervals lie below the truth and some above it.
    samples = (
        rng.standard_normal((10, 16, 3))
        * np.array([[1.0, 1, 1], [20, 1, 1], [2, 1, 1], [3, 2, 1], [6, 1, 1]] * 2)[:, None]
    )
    for i in (0, 5):
        samples[i] = np.linalg.qr(samples[i] - samples[i].mean(axis=0))[0]  # as round as can be
    return {"samples": samples, "truth": round(float(rng.uniform(0.25, 0.4)), 2)}


def coverage(samples: Any, truth: float) -> float:
    """The share of the samples whose interval has one end at or below the truth, and the other at or above it."""
    from isotropy_lab.isotropy import isoscore_interval

    found = [isoscore_interval(X) for X in samples]
    return float(np.mean([one.low <= truth and truth <= one.high for one in found]))


def one_end_only(samples: Any, truth: float) -> float:
    from isotropy_lab.isotropy import isoscore_interval

    return float(np.mean([truth <= isoscore_interval(X).high for X in samples]))


def misses(samples: Any, truth: float) -> float:
    return 1 - coverage(samples, truth)


def coverage_in_percent(samples: Any, truth: float) -> float:
    return 100 * coverage(samples, truth)


# 4. copies


def any_copies(rng: np.random.Generator) -> Data:
    n_copies = rng.integers(1, 6, 30)
    originals = rng.standard_normal((30, 5)) * np.array([2, 1.5, 1, 1, 0.5])
    groups = np.repeat(np.arange(30), n_copies)
    order = rng.permutation(len(groups))
    return {"copies": originals[groups][order], "groups": groups[order]}


def copies_of_the_lesson() -> Data:

    originals = clouds.power_law_spectrum(200, 20, rng=4)
    return {"copies": np.repeat(originals, 10, axis=0), "groups": np.repeat(np.arange(200), 10)}


def copies(copies: Any, groups: Any) -> float:
    """Keep the first row of each group before scoring."""
    from isotropy_lab.isotropy import isoscore

    first = np.unique(groups, return_index=True)[1]
    return isoscore(copies[first], estimator="corrected")


def told_nothing(copies: Any, groups: Any) -> float:
    from isotropy_lab.isotropy import isoscore

    return isoscore(copies, estimator="corrected")


def not_corrected(copies: Any, groups: Any) -> float:
    from isotropy_lab.isotropy import isoscore

    return isoscore(np.unique(copies, axis=0))


EXERCISES = (
    Exercise(
        name="nineteen",
        number=1,
        level="warm-up",
        minutes=3,
        objectives=(1,),
        asks="the number of points",
        parts=("number of points",),
        own=lambda: {"n_dimensions": 300, "score": 0.95},
        draw=any_target,
        rtol=0,
        atol=0.5,
        solution=nineteen_by_counting,
        slips=(
            Slip(one_point_short, "the formula has N − 1 below: did you solve for N?"),
            Slip(without_one, "the formula has n + 1 above and N − 1 below; you took n and N."),
            Slip(upside_down, "your fraction is upside down: so few points cannot do."),
        ),
        praise="That many points for each dimension, and the score is still not 1.",
    ),
    Exercise(
        name="tables",
        number=2,
        level="practice",
        minutes=6,
        objectives=(1, 2),
        asks="four numbers: the plug-in scores of A and B, then their corrected scores",
        parts=("plug-in score of A", "plug-in score of B", "corrected score of A", "corrected score of B"),
        own=models_of_the_lesson,
        draw=any_models,
        rtol=1e-3,
        solution=tables_by_package,
        slips=(
            Slip(
                tables_not_corrected,
                "the last two are plug-in scores again. `isoscore` has an argument `estimator`.",
            ),
            Slip(
                tables_model_by_model,
                "the order is: plug-in scores of A and B first, then the corrected ones.",
            ),
        ),
        praise="The plug-in scores rank two models that are equal.",
    ),
    Exercise(
        name="coverage",
        number=3,
        level="practice",
        minutes=6,
        objectives=(3,),
        asks="a function `coverage(samples, truth)` that returns the share of the samples whose interval holds the truth",
        parts=("share",),
        draw=any_samples,
        solution=coverage,
        slips=(
            Slip(one_end_only, "you looked at one end of the interval only."),
            Slip(misses, "that is the share of the intervals that miss the truth."),
            Slip(coverage_in_percent, "that is in percent. Return a share between 0 and 1."),
        ),
        praise="Draw a few hundred samples of both kinds, and see which keeps its promise.",
    ),
    Exercise(
        name="copies",
        number=4,
        level="open-ended",
        minutes=10,
        objectives=(2, 3),
        asks="your corrected estimate of the score, a number",
        parts=("estimate",),
        own=copies_of_the_lesson,
        draw=any_copies,
        solution=copies,
        slips=(
            Slip(
                told_nothing,
                "that takes copies for independent points, with or without labels for the interval.",
            ),
            Slip(
                not_corrected,
                "one row of each is right. Now use the corrected estimator, as the interval does.",
            ),
        ),
        praise="How wide are the intervals with the labels, and without?",
        rubric=(
            Criterion(
                "The two widths",
                ("Not compared.", "Compared.", "Compared with √10 and with the width for the originals."),
            ),
            Criterion(
                "The estimate",
                (
                    "Not looked at.",
                    "Says that labels do not change it.",
                    "Says why: four different rows may be copies of one point.",
                ),
            ),
            Criterion(
                "The correction",
                (
                    "None.",
                    "One that needs equal numbers of copies.",
                    "One that works for groups of any sizes, tried on a second cloud.",
                ),
            ),
        ),
    ),
)
