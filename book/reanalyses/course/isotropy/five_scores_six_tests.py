"""Exercises of the lesson "Five scores, six tests"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong
from reanalyses.rudman2022 import clouds

__all__ = ["EXERCISES"]


# 1. arrow


def draw_moments(rng: np.random.Generator) -> Data:
    return {
        "mean": round(float(rng.uniform(0.2, 0.9)), 2),
        "variance": round(float(rng.uniform(0.5, 3.0)), 1),
        "n_dimensions": int(rng.integers(200, 400)),
    }


def average_cosine(mean: float, variance: float, n_dimensions: int) -> float:
    """Return the expected average cosine: the squared norm of the mean over the expected squared norm of a vector."""
    return n_dimensions * mean**2 / (n_dimensions * mean**2 + n_dimensions * variance)


def cosine_without_squares(mean: float, variance: float, n_dimensions: int) -> float:
    return mean / (mean + variance)


def cosine_with_standard_deviation(mean: float, variance: float, n_dimensions: int) -> float:
    return float(mean**2 / (mean**2 + np.sqrt(variance)))


def cosine_score(mean: float, variance: float, n_dimensions: int) -> float:
    return 1 - average_cosine(mean, variance, n_dimensions)


# 2. needle


def draw_needle(rng: np.random.Generator) -> Data:
    scales = np.sqrt([float(rng.uniform(20, 90)), 1, 1])
    return {"needle": float(rng.uniform(3, 8)) + rng.standard_normal((1_000, 3)) * scales}


def lesson_needle() -> Data:
    return {"needle": 5 + clouds.one_long_axis(2_000, 3, 75, rng=1)}


def center(needle: Any) -> Any:
    return needle - needle.mean(axis=0)


def rescale(needle: Any) -> Any:
    return 0.001 * needle


def judge_needle(answer: Any, needle: Any) -> None:
    from isotropy_lab.isotropy import average_cosine_score, isoscore, partition_score

    changed = answers.rows(answer, "needle", 3, len(needle))
    if (np.ptp(changed, axis=0) == 0).all():
        raise Wrong("all points of your needle coincide.")
    distances, expected = (np.linalg.norm(X - X.mean(axis=0), axis=1) for X in (changed, needle))
    if not np.allclose(distances / distances.max(), expected / expected.max(), rtol=1e-6, atol=1e-9):
        raise Wrong("your needle has a different shape. Only move, rotate, or scale the whole needle.")
    if abs(isoscore(changed) - isoscore(needle)) > 1e-6:
        raise Wrong("the IsoScore of your needle differs, so its shape has changed.")
    if (score := average_cosine_score(changed)) <= 0.99:
        raise Wrong(f"the average cosine score of your needle is {score:.3f}. Which change raises it?")
    if (score := partition_score(changed)) <= 0.99:
        raise Wrong(f"the partition score of your needle is {score:.3f}. Which change raises it?")


# 3. rule


def draw_curve(rng: np.random.Generator) -> Data:
    n_axes = int(rng.integers(12, 30))
    k = np.arange(1.0, n_axes + 1)
    curve = ((k - 1) / (n_axes - 1)) ** float(rng.uniform(0.4, 2.0))
    start = float(rng.uniform(0.1, 0.4))
    return {"k": k, "values": start + (1 - start) * curve + 0.02 * rng.standard_normal(n_axes)}


def varex_curve() -> Data:
    from isotropy_lab.isotropy import varex_score

    k, cloud = np.arange(1, 26), np.random.default_rng(0).standard_normal((10_000, 25))
    return {"k": k, "values": np.array([varex_score(cloud * (np.arange(25) < n_axes)) for n_axes in k])}


def tolerance_and_step(k: Any, values: Any) -> tuple[float, float]:
    """Return the largest absolute deviation from the line and the smallest step between consecutive values."""
    tolerance = max(abs(value - (n_axes - 1) / (k[-1] - 1)) for n_axes, value in zip(k, values, strict=True))
    return tolerance, min(values[i + 1] - values[i] for i in range(len(values) - 1))


def mean_deviation_and_step(k: Any, values: Any) -> tuple[float, float]:
    return np.abs(values - (k - 1) / (len(k) - 1)).mean(), np.diff(values).min()


def deviation_from_zero_and_step(k: Any, values: Any) -> tuple[float, float]:
    return np.abs(values - k / len(k)).max(), np.diff(values).min()


# 4. seventh


def draw_round_cloud(rng: np.random.Generator) -> Data:
    return {"round_cloud": rng.standard_normal((400, int(rng.integers(2, 6))))}


def lesson_cloud() -> Data:
    return {"round_cloud": np.random.default_rng(0).standard_normal((5_000, 2))}


def stretch(round_cloud: Any) -> Any:
    return round_cloud * np.r_[10.0, np.ones(round_cloud.shape[1] - 1)]


def shift(round_cloud: Any) -> Any:
    return round_cloud + 5


def judge_changed_cloud(answer: Any, round_cloud: Any) -> None:
    from scipy import stats

    from isotropy_lab.isotropy import isoscore

    changed = answers.rows(answer, "changed cloud", round_cloud.shape[1], len(round_cloud))
    if (np.ptp(changed, axis=0) == 0).all():
        raise Wrong("all points of your changed cloud coincide.")
    drop = isoscore(round_cloud) - isoscore(changed)
    fraction_changed = (changed != round_cloud).any(axis=1).mean()
    if fraction_changed == 0:
        raise Wrong("your cloud is unchanged.")
    if fraction_changed <= 0.01:
        if drop < 0.3:
            raise Wrong(
                f"the score ignored your few changed points, as it should: it changed by only {abs(drop):.3f}."
            )
        return
    if drop >= 0.05:
        raise Wrong(
            f"you changed {fraction_changed:.0%} of the points, and the score fell by {drop:.2f}, as it should. "
            "Change far fewer points, or make a change that the score ignores."
        )
    distances = [np.linalg.norm(X - X.mean(axis=0), axis=1) for X in (changed, round_cloud)]
    relative_distances = [sample / np.sqrt((sample**2).mean()) for sample in distances]
    # Two samples of one round cloud hardly ever differ by as much.
    if stats.ks_2samp(*relative_distances, method="asymp").statistic < 2 / np.sqrt(len(changed)):
        raise Wrong(
            "the score is unchanged, and so are the distances from the mean, which are all that this check compares. "
            "Change those as well."
        )


EXERCISES = (
    Exercise(
        name="arrow",
        number=1,
        objectives=(1,),
        asks="the average cosine that you predict, a number",
        parts=("average cosine",),
        lesson_data=lambda: {"mean": 0.5, "variance": 1.0, "n_dimensions": 300},
        draw=draw_moments,
        rtol=0.02,
        solution=average_cosine,
        slips=(
            Slip(cosine_without_squares, "squared lengths add up. Which of your numbers has to be squared?"),
            Slip(cosine_with_standard_deviation, "you took a standard deviation where a variance belongs."),
            Slip(cosine_score, "that is the score, which is one minus the average cosine."),
        ),
        praise="Doubling the mean and quadrupling the variance only changes the unit.",
    ),
    Exercise(
        name="needle",
        number=2,
        objectives=(1, 2),
        asks="the needle after your change, an array with its rows in the same order",
        lesson_data=lesson_needle,
        draw=draw_needle,
        judge=judge_needle,
        slips=(
            Slip(center, "you only moved the needle. The partition score also depends on the unit."),
            Slip(rescale, "you only changed the unit. The average cosine score does not depend on it."),
        ),
        praise="The needle has its old shape, but two scores are now perfect.",
    ),
    Exercise(
        name="rule",
        number=3,
        objectives=(3,),
        asks="two numbers for VarEx: the tolerance from which it passes, and its smallest step",
        parts=("tolerance", "smallest step"),
        lesson_data=varex_curve,
        draw=draw_curve,
        decimals=(2, 3),
        solution=tolerance_and_step,
        slips=(
            Slip(mean_deviation_and_step, "the farthest value decides, not the average."),
            Slip(deviation_from_zero_and_step, "the line begins at 0 with one axis used."),
        ),
        praise="A rule must state its tolerance and where a curve starts.",
    ),
    Exercise(
        name="seventh",
        number=4,
        objectives=(2, 3),
        asks="your changed cloud, an array of the same shape",
        lesson_data=lesson_cloud,
        draw=draw_round_cloud,
        judge=judge_changed_cloud,
        slips=(
            Slip(stretch, "you stretched an axis, and the score fell, as it should."),
            Slip(shift, "you moved the cloud, which changes no variance. The score should stay the same."),
        ),
        praise="Is your test fair? Say which behavior the definition requires.",
    ),
)
