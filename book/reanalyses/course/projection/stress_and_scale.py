"""Exercises of the lesson "Stress and size"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def distances(points: Any) -> Any:
    """Return the distances of all pairs of points as a vector."""
    from scipy.spatial.distance import pdist

    return pdist(points)


# 1. by-hand


def any_line(rng: np.random.Generator) -> Data:
    one, two = rng.choice(np.arange(1, 12), 2, replace=False)
    points = np.array([[0.0], [float(one)], [float(one + two)]])
    return {"points": points, "faithful": float(rng.integers(2, 5)) * points, "exchanged": points[[0, 2, 1]]}


def line_of_the_lesson() -> Data:
    points = np.array([[0.0], [1.0], [3.0]])
    return {"points": points, "faithful": 2 * points, "exchanged": points[[0, 2, 1]]}


def by_hand(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    """Return both stresses and the scale at which they are equal: 2 (c − c′) / (s − s′) for two parabolas."""
    d, e, f = (
        np.array([abs(X[1] - X[0]), abs(X[2] - X[0]), abs(X[2] - X[1])])[:, 0]
        for X in (points, faithful, exchanged)
    )
    first, second = (float(np.sqrt(((d - g) ** 2).sum() / (d**2).sum())) for g in (e, f))
    return first, second, float(2 * (d @ e - d @ f) / (e @ e - f @ f))


def without_root(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    one, two, level = by_hand(points, faithful, exchanged)
    return one**2, two**2, level


def half_the_factor(points: Any, faithful: Any, exchanged: Any) -> tuple[float, float, float]:
    one, two, level = by_hand(points, faithful, exchanged)
    return one, two, level / 2


# 2. sizes


def any_drawings(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((30, 4)) * np.array([3, 2, 1, 0.5])
    return {"X": X, "mds": X[:, :2], "tsne": 9 * np.tanh(X[:, [1, 0]]) + rng.standard_normal((30, 2))}


def penguins() -> Data:
    from reanalyses.smelser2025 import layouts

    found = layouts.load("penguins")
    return {"X": found.X, "mds": found.Y["MDS"], "tsne": found.Y["t-SNE"]}


def sizes(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    """Return twice the optimal scale of MDS, where it is as bad as a single point, and the optimal scale of t-SNE."""
    d, e, f = distances(X), distances(mds), distances(tsne)
    return 2 * float(d @ e / (e @ e)), float(d @ f / (f @ f))


def both_at_their_best(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    twice, best = sizes(X, mds, tsne)
    return twice / 2, best


def judge_sizes(answer: Any, X: Any, mds: Any, tsne: Any) -> None:
    from isotropy_lab.projection import normalized_stress

    parts = answers.taken_apart(answer, ("MDS", "t-SNE"))
    factors = [
        answers.number(part, f"scale of {name}") for part, name in zip(parts, ("MDS", "t-SNE"), strict=True)
    ]
    if min(factors) <= 0:
        raise Wrong("one of your scales is not positive.")
    of_mds, of_tsne = (
        normalized_stress(X, Y, scale=factor) for Y, factor in zip((mds, tsne), factors, strict=True)
    )
    if of_tsne >= of_mds:
        raise Wrong(f"MDS still wins, with a stress of {of_mds:.2f}; the stress of t-SNE is {of_tsne:.2f}.")


# 3. blind


def any_noise(rng: np.random.Generator) -> Data:
    return {
        "noise": rng.standard_normal((80, 150)),
        "square": rng.uniform(size=(80, 2)),
        "uniform": rng.uniform(size=(2, 80)),
    }


def noise_of_the_lesson() -> Data:
    rng = np.random.default_rng(0)
    noise, square = rng.standard_normal((300, 500)), rng.uniform(size=(300, 2))
    return {"noise": noise, "square": square, "uniform": rng.uniform(size=(2, 300))}


def all_on_a_line(noise: Any, square: Any, uniform: Any) -> Any:
    return np.column_stack([uniform[0], np.zeros(len(noise))])


def judge_blind(answer: Any, noise: Any, square: Any, uniform: Any) -> None:
    from isotropy_lab.projection import scale_normalized_stress

    drawing = answers.rows(answer, "layout", 2, len(noise))
    if (np.ptp(drawing, axis=0) == 0).all():
        raise Wrong("all points of your layout coincide.")
    mine, bar = (scale_normalized_stress(noise, Y) for Y in (drawing, square))
    if mine >= bar:
        scores = f"an SNS of {mine:.4f}, and the random square has {bar:.4f}"
        raise Wrong(f"your layout has {scores}. Which distances vary too much?")


EXERCISES = (
    Exercise(
        name="by-hand",
        number=1,
        objectives=(1, 2),
        asks="three numbers: the stress of the faithful projection, of the exchanged one, and the scale at which they are tied",
        parts=("stress of the faithful projection", "stress of the exchanged projection", "scale"),
        own=line_of_the_lesson,
        draw=any_line,
        decimals=(0, 2, 2),
        solution=by_hand,
        slips=(
            Slip(without_root, "you left out the square root, which is the last step of stress."),
            Slip(half_the_factor, "set the parabolas equal again. The linear term has a factor of 2."),
        ),
        praise="At the original scale, the wrong one wins.",
    ),
    Exercise(
        name="sizes",
        number=2,
        objectives=(1, 2),
        asks="two numbers: the scales of MDS and of t-SNE",
        parts=("MDS", "t-SNE"),
        own=penguins,
        draw=any_drawings,
        judge=judge_sizes,
        slips=(
            Slip(
                both_at_their_best,
                "you used both optimal scales. At which scale is any projection as bad as a single point?",
            ),
        ),
        praise="Whoever chooses the scales chooses the winner.",
    ),
    Exercise(
        name="blind",
        number=3,
        objectives=(3,),
        asks="your layout, an array with one point in each row",
        own=noise_of_the_lesson,
        draw=any_noise,
        judge=judge_blind,
        slips=(Slip(all_on_a_line, "your points are on a line, where distances vary the most."),),
        praise="The layout scores well, and it does not depend on the data.",
    ),
)
