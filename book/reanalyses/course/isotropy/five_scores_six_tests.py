"""Exercises of the lesson "Five scores, six tests"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong
from reanalyses.rudman2022 import clouds

__all__ = ["EXERCISES"]


# 1. arrow


def any_arrow(rng: np.random.Generator) -> Data:
    return {
        "mean": round(float(rng.uniform(0.2, 0.9)), 2),
        "variance": round(float(rng.uniform(0.5, 3.0)), 1),
        "n_dimensions": int(rng.integers(200, 400)),
    }


def arrow(mean: float, variance: float, n_dimensions: int) -> float:
    """Return the squared length of the mean, divided by the expected squared length of a vector."""
    return n_dimensions * mean**2 / (n_dimensions * mean**2 + n_dimensions * variance)


def arrow_without_squares(mean: float, variance: float, n_dimensions: int) -> float:
    return mean / (mean + variance)


def arrow_with_deviation(mean: float, variance: float, n_dimensions: int) -> float:
    return float(mean**2 / (mean**2 + np.sqrt(variance)))


def arrow_as_score(mean: float, variance: float, n_dimensions: int) -> float:
    return 1 - arrow(mean, variance, n_dimensions)


# 2. needle


def any_needle(rng: np.random.Generator) -> Data:
    lengths = np.sqrt([float(rng.uniform(20, 90)), 1, 1])
    return {"needle": float(rng.uniform(3, 8)) + rng.standard_normal((1_000, 3)) * lengths}


def needle_of_the_lesson() -> Data:
    return {"needle": 5 + clouds.one_long_axis(2_000, 3, 75, rng=1)}


def centered_only(needle: Any) -> Any:
    return needle - needle.mean(axis=0)


def small_only(needle: Any) -> Any:
    return 0.001 * needle


def judge_needle(answer: Any, needle: Any) -> None:
    from isotropy_lab.isotropy import average_cosine_score, isoscore, partition_score

    mine = answers.rows(answer, "needle", 3, len(needle))
    if (np.ptp(mine, axis=0) == 0).all():
        raise Wrong("all points of your needle coincide.")
    lengths, wanted = (np.linalg.norm(X - X.mean(axis=0), axis=1) for X in (mine, needle))
    if not np.allclose(lengths / lengths.max(), wanted / wanted.max(), rtol=1e-6, atol=1e-9):
        raise Wrong("your needle has a different shape. Only move, rotate, or scale the whole needle.")
    if abs(isoscore(mine) - isoscore(needle)) > 1e-6:
        raise Wrong("the IsoScore of your needle differs, so its shape has changed.")
    if (score := average_cosine_score(mine)) <= 0.99:
        raise Wrong(f"the average cosine score of your needle is {score:.3f}. Which change raises it?")
    if (score := partition_score(mine)) <= 0.99:
        raise Wrong(f"the partition score of your needle is {score:.3f}. Which change raises it?")


# 3. rule


def any_curve(rng: np.random.Generator) -> Data:
    n = int(rng.integers(12, 30))
    k = np.arange(1.0, n + 1)
    bent = ((k - 1) / (n - 1)) ** float(rng.uniform(0.4, 2.0))
    start = float(rng.uniform(0.1, 0.4))
    return {"k": k, "values": start + (1 - start) * bent + 0.02 * rng.standard_normal(n)}


def curve_of_varex() -> Data:
    from isotropy_lab.isotropy import varex_score

    k, cloud = np.arange(1, 26), np.random.default_rng(0).standard_normal((10_000, 25))
    return {"k": k, "values": np.array([varex_score(cloud * (np.arange(25) < used)) for used in k])}


def rule_by_loop(k: Any, values: Any) -> tuple[float, float]:
    """Return the largest distance from the line and the smallest step, computed value by value."""
    far = max(abs(value - (each - 1) / (k[-1] - 1)) for each, value in zip(k, values, strict=True))
    return far, min(values[i + 1] - values[i] for i in range(len(values) - 1))


def rule_on_average(k: Any, values: Any) -> tuple[float, float]:
    return np.abs(values - (k - 1) / (len(k) - 1)).mean(), np.diff(values).min()


def rule_from_zero(k: Any, values: Any) -> tuple[float, float]:
    return np.abs(values - k / len(k)).max(), np.diff(values).min()


# 4. seventh


def any_round_cloud(rng: np.random.Generator) -> Data:
    return {"round_cloud": rng.standard_normal((400, int(rng.integers(2, 6))))}


def cloud_of_the_lesson() -> Data:
    return {"round_cloud": np.random.default_rng(0).standard_normal((5_000, 2))}


def stretched(round_cloud: Any) -> Any:
    return round_cloud * np.r_[10.0, np.ones(round_cloud.shape[1] - 1)]


def moved(round_cloud: Any) -> Any:
    return round_cloud + 5


def judge_seventh(answer: Any, round_cloud: Any) -> None:
    from isotropy_lab.isotropy import isoscore

    changed = answers.rows(answer, "changed cloud", round_cloud.shape[1], len(round_cloud))
    if (np.ptp(changed, axis=0) == 0).all():
        raise Wrong("all points of your changed cloud coincide.")
    drop = isoscore(round_cloud) - isoscore(changed)
    share = (changed != round_cloud).any(axis=1).mean()
    if share == 0:
        raise Wrong("your cloud is unchanged.")
    if share <= 0.01:
        if drop < 0.3:
            raise Wrong(f"you changed few points, and the score fell by only {drop:.3f}. That is correct.")
        return
    if drop >= 0.05:
        raise Wrong(
            f"you changed {share:.0%} of the points, and the score fell by {drop:.2f}, as it should. "
            "Change far fewer points, or make a change that the score ignores."
        )
    lengths = [np.linalg.norm(X - X.mean(axis=0), axis=1) for X in (changed, round_cloud)]
    before, after = (one / np.sqrt((one**2).mean()) for one in lengths)
    places = np.concatenate([before, after])
    shares = [np.searchsorted(np.sort(one), places, side="right") / len(one) for one in (before, after)]
    if np.abs(shares[0] - shares[1]).max() < 0.2:  # the Kolmogorov–Smirnov distance
        raise Wrong("the score is unchanged, but so is the shape. Make a cloud that is clearly not round.")


EXERCISES = (
    Exercise(
        name="arrow",
        number=1,
        objectives=(1,),
        asks="the average cosine that you predict, a number",
        parts=("average cosine",),
        own=lambda: {"mean": 0.5, "variance": 1.0, "n_dimensions": 300},
        draw=any_arrow,
        rtol=0.02,
        solution=arrow,
        slips=(
            Slip(arrow_without_squares, "squared lengths add up. Which of your numbers has to be squared?"),
            Slip(arrow_with_deviation, "you took a standard deviation where a variance belongs."),
            Slip(arrow_as_score, "that is the score, which is one minus the average cosine."),
        ),
        praise="Doubling the mean and four times the variance is only another unit.",
    ),
    Exercise(
        name="needle",
        number=2,
        objectives=(1, 2),
        asks="the needle after your change, an array with its rows in the same order",
        own=needle_of_the_lesson,
        draw=any_needle,
        judge=judge_needle,
        slips=(
            Slip(centered_only, "you moved the needle, which changes only one of the two scores."),
            Slip(small_only, "you changed the unit, which changes only one of the two scores."),
        ),
        praise="Two perfect scores, for the same needle as before.",
    ),
    Exercise(
        name="rule",
        number=3,
        objectives=(3,),
        asks="two numbers for VarEx: the tolerance from which it passes, and its smallest step",
        parts=("tolerance", "smallest step"),
        own=curve_of_varex,
        draw=any_curve,
        decimals=(2, 3),
        solution=rule_by_loop,
        slips=(
            Slip(rule_on_average, "a value may be farther away than the average. Which value decides?"),
            Slip(rule_from_zero, "with one axis used, the score should be 0, so the line begins there."),
        ),
        praise="A rule has to say its tolerance, and where a curve starts.",
    ),
    Exercise(
        name="seventh",
        number=4,
        objectives=(2, 3),
        asks="your changed cloud, an array of the same shape",
        own=cloud_of_the_lesson,
        draw=any_round_cloud,
        judge=judge_seventh,
        slips=(
            Slip(stretched, "you stretched an axis, and the score fell, as it should."),
            Slip(moved, "you moved the cloud, which changes no variance. The score should stay the same."),
        ),
        praise="Is your test fair? Say what the definition promises.",
    ),
)
