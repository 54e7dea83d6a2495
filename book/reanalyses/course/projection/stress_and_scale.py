"""Exercises of the lesson "Stress and size"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def pairwise_distances(points: Any) -> Any:
    """Return the Euclidean distances of all pairs of points as a vector."""
    from scipy.spatial.distance import pdist

    return pdist(points)


# 1. by-hand


def draw_line(rng: np.random.Generator) -> Data:
    first_step, second_step = rng.choice(np.arange(1, 12), 2, replace=False)
    points = np.array([[0.0], [float(first_step)], [float(first_step + second_step)]])
    return {"points": points, "faithful": float(rng.integers(2, 5)) * points, "exchanged": points[[0, 2, 1]]}


def lesson_line() -> Data:
    points = np.array([[0.0], [1.0], [3.0]])
    return {"points": points, "faithful": 2 * points, "exchanged": points[[0, 2, 1]]}


def stresses_and_equal_scale(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    """Return both stresses, and the scale at which they are equal, for the distances d (data), e, and f."""
    d, e, f = (
        np.array([abs(X[1] - X[0]), abs(X[2] - X[0]), abs(X[2] - X[1])])[:, 0]
        for X in (points, faithful, exchanged)
    )
    faithful_stress, exchanged_stress = (float(np.sqrt(((d - g) ** 2).sum() / (d**2).sum())) for g in (e, f))
    return faithful_stress, exchanged_stress, float(2 * (d @ e - d @ f) / (e @ e - f @ f))


def squared_stresses(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    first, second, scale = stresses_and_equal_scale(points, faithful, exchanged)
    return first**2, second**2, scale


def stresses_and_half_scale(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    first, second, scale = stresses_and_equal_scale(points, faithful, exchanged)
    return first, second, scale / 2


# 2. sizes


def draw_projections(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((30, 4)) * np.array([3, 2, 1, 0.5])
    return {"X": X, "mds": X[:, :2], "tsne": 9 * np.tanh(X[:, [1, 0]]) + rng.standard_normal((30, 2))}


def lesson_projections() -> Data:
    from reanalyses.smelser2025 import layouts

    stored = layouts.load("penguins")
    return {"X": stored.X, "mds": stored.Y["MDS"], "tsne": stored.Y["t-SNE"]}


def reversing_scales(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    """Return twice the optimal scale of MDS, at which its stress is 1, and the optimal scale of t-SNE."""
    d, e, f = pairwise_distances(X), pairwise_distances(mds), pairwise_distances(tsne)
    return 2 * float(d @ e / (e @ e)), float(d @ f / (f @ f))


def optimal_scales(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    twice_optimal, optimal = reversing_scales(X, mds, tsne)
    return twice_optimal / 2, optimal


def judge_scales(answer: Any, X: Any, mds: Any, tsne: Any) -> None:
    from isotropy_lab.projection import normalized_stress

    names = ("MDS", "t-SNE")
    parts = zip(answers.split_parts(answer, names), names, strict=True)
    scales = [answers.number(part, f"scale of {name}") for part, name in parts]
    if min(scales) <= 0:
        raise Wrong("one of your scales is not positive.")
    projections = zip((mds, tsne), scales, strict=True)
    mds_stress, tsne_stress = (normalized_stress(X, Y, scale=scale) for Y, scale in projections)
    if tsne_stress >= mds_stress:
        raise Wrong(
            f"MDS still wins, with a stress of {mds_stress:.2f}; the stress of t-SNE is {tsne_stress:.2f}."
        )


# 3. blind


def draw_noise(rng: np.random.Generator) -> Data:
    return {
        "noise": rng.standard_normal((80, 150)),
        "square": rng.uniform(size=(80, 2)),
        "uniform": rng.uniform(size=(2, 80)),
    }


def lesson_noise() -> Data:
    rng = np.random.default_rng(0)
    noise, square = rng.standard_normal((300, 500)), rng.uniform(size=(300, 2))
    return {"noise": noise, "square": square, "uniform": rng.uniform(size=(2, 300))}


def layout_on_a_line(noise: Any, square: Any, uniform: Any) -> Any:
    return np.column_stack([uniform[0], np.zeros(len(noise))])


def judge_layout(answer: Any, noise: Any, square: Any, uniform: Any) -> None:
    from isotropy_lab.projection import scale_normalized_stress

    layout = answers.rows(answer, "layout", 2, len(noise))
    if (np.ptp(layout, axis=0) == 0).all():
        raise Wrong("all points of your layout coincide.")
    layout_sns = scale_normalized_stress(noise, layout)
    squares = np.random.default_rng(1).uniform(size=(40, len(noise), 2))
    limit = float(np.quantile([scale_normalized_stress(noise, Y) for Y in squares], 0.05))
    if layout_sns >= limit:
        scores = f"an SNS of {layout_sns:.4f}, and 95% of random squares have more than {limit:.4f}"
        raise Wrong(f"your layout has {scores}. Which distances vary too much?")


EXERCISES = (
    Exercise(
        name="by-hand",
        number=1,
        objectives=(1, 2),
        asks="three numbers: the stress of the faithful projection, the stress of the exchanged projection, and the scale at "
        "which they are tied",
        parts=("stress of the faithful projection", "stress of the exchanged projection", "scale"),
        lesson_data=lesson_line,
        draw=draw_line,
        decimals=(0, 2, 2),
        solution=stresses_and_equal_scale,
        slips=(
            Slip(squared_stresses, "you left out the square root, which is the last step of stress."),
            Slip(stresses_and_half_scale, "the linear term of each parabola has the factor 2."),
        ),
        praise="At the original scale, the wrong projection has the lower stress.",
    ),
    Exercise(
        name="sizes",
        number=2,
        objectives=(1, 2),
        asks="two numbers: the scales of MDS and of t-SNE",
        parts=("MDS", "t-SNE"),
        lesson_data=lesson_projections,
        draw=draw_projections,
        judge=judge_scales,
        slips=(
            Slip(
                optimal_scales,
                "you used both optimal scales. At which other scale is the stress of any projection 1?",
            ),
        ),
        praise="The choice of scales determines which projection wins.",
    ),
    Exercise(
        name="blind",
        number=3,
        objectives=(3,),
        asks="your layout, an array with one point in each row",
        lesson_data=lesson_noise,
        draw=draw_noise,
        judge=judge_layout,
        slips=(Slip(layout_on_a_line, "your points are on a line, where distances vary the most."),),
        praise="The layout scores well, and it does not depend on the data.",
    ),
)
