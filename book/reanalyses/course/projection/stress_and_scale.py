"""Exercises of the lesson "Stress and size"."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Criterion, Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def distances(points: Any) -> Any:
    """Return the distance of every pair of points, as one list."""
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
    """Two parabolas in the factor, with the same height at 0: they meet at 2 (c − c′) / (s − s′)."""
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
    from reanalyses.smelser2025 import experiments

    found = experiments.projections("penguins", ("mds", "tsne"))
    return {"X": found.X, "mds": found.Y["mds"], "tsne": found.Y["tsne"]}


def sizes(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    """MDS at twice its best size, where it is as bad as a spot; t-SNE at its best."""
    d, e, f = distances(X), distances(mds), distances(tsne)
    return 2 * float(d @ e / (e @ e)), float(d @ f / (f @ f))


def both_at_their_best(X: Any, mds: Any, tsne: Any) -> tuple[float, float]:
    twice, best = sizes(X, mds, tsne)
    return twice / 2, best


def judge_sizes(answer: Any, X: Any, mds: Any, tsne: Any) -> None:
    from isotropy_lab.projection import normalized_stress

    parts = answers.taken_apart(answer, ("mds", "tsne"))
    factors = [
        answers.number(part, f"size of {name}") for part, name in zip(parts, ("MDS", "t-SNE"), strict=True)
    ]
    if min(factors) <= 0:
        raise Wrong("a size is larger than 0.")
    of_mds, of_tsne = (
        normalized_stress(X, Y, scale=factor) for Y, factor in zip((mds, tsne), factors, strict=True)
    )
    if of_tsne >= of_mds:
        raise Wrong(f"MDS still wins: t-SNE has a stress of {of_tsne:.2f}, MDS of {of_mds:.2f}.")


# 3. orders


def any_six(rng: np.random.Generator) -> Data:
    X = rng.standard_normal((15, 3))
    n = int(rng.integers(4, 7))
    turns = rng.uniform(0.3, 3, n)
    return {
        "X": X,
        "drawings": np.array([turn * (X[:, :2] + 0.6 * rng.standard_normal((15, 2))) for turn in turns]),
    }


def iris() -> Data:
    from reanalyses.smelser2025 import experiments

    found = experiments.projections("iris", ("mds", "tsne", "umap", "isomap", "pca", "random"))
    return {"X": found.X, "drawings": np.array(list(found.Y.values()))}


def orders(X: Any, drawings: Any) -> tuple[int, int]:
    """Every pair may meet once; a meeting at a factor above 0 adds one order."""
    d = distances(X)
    c = [float(d @ distances(Y)) for Y in drawings]
    s = [float((distances(Y) ** 2).sum()) for Y in drawings]
    pairs = list(combinations(range(len(drawings)), 2))
    meetings = [(c[i] - c[j]) / (s[i] - s[j]) for i, j in pairs]
    return len(pairs) + 1, sum(at > 0 for at in meetings) + 1


def meetings_only(X: Any, drawings: Any) -> tuple[int, int]:
    bound, found = orders(X, drawings)
    return bound - 1, found - 1


def all_orders(X: Any, drawings: Any) -> tuple[int, int]:
    return int(np.prod(np.arange(1, len(drawings) + 1))), orders(X, drawings)[1]


# 4. blind


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

    drawing = answers.rows(answer, "drawing", 2, len(noise))
    if (np.ptp(drawing, axis=0) == 0).all():
        raise Wrong("all points of your drawing are one point.")
    mine, bar = (scale_normalized_stress(noise, Y) for Y in (drawing, square))
    if mine >= bar:
        raise Wrong(
            f"your drawing has an SNS of {mine:.4f}, the random square {bar:.4f}. Which distances vary too much?"
        )


EXERCISES = (
    Exercise(
        name="by-hand",
        number=1,
        level="warm-up",
        minutes=4,
        objectives=(1, 2),
        asks="three numbers: the stress of the faithful drawing, of the exchanged one, and the factor at which they are level",
        parts=("stress of the faithful drawing", "stress of the exchanged drawing", "factor"),
        own=line_of_the_lesson,
        draw=any_line,
        solution=by_hand,
        slips=(
            Slip(without_root, "stress has a square root at the end."),
            Slip(half_the_factor, "set the parabolas equal once more: the linear term has a 2."),
        ),
        praise="As they come, the wrong one wins.",
    ),
    Exercise(
        name="sizes",
        number=2,
        level="practice",
        minutes=6,
        objectives=(2,),
        asks="two numbers: the sizes of MDS and of t-SNE",
        parts=("mds", "tsne"),
        own=penguins,
        draw=any_drawings,
        judge=judge_sizes,
        slips=(
            Slip(
                both_at_their_best,
                "you gave both their best size. Be unfair: at which size is any drawing as bad as a spot?",
            ),
        ),
        praise="Whoever chooses the sizes chooses the winner.",
    ),
    Exercise(
        name="orders",
        number=3,
        level="practice",
        minutes=6,
        objectives=(3,),
        asks="two numbers: how many orders can occur at most, and how many do",
        parts=("number of orders at most", "number of orders that occur"),
        own=iris,
        draw=any_six,
        rtol=0,
        atol=0.5,
        solution=orders,
        slips=(
            Slip(meetings_only, "those are the meetings. There is an order before the first of them, too."),
            Slip(
                all_orders,
                "a pair of parabolas through one point meets once more at most, so most orders cannot occur.",
            ),
        ),
        praise="Each meeting adds one.",
    ),
    Exercise(
        name="blind",
        number=4,
        level="open-ended",
        minutes=10,
        objectives=(4,),
        asks="your drawing, an array with a point to a row",
        own=noise_of_the_lesson,
        draw=any_noise,
        judge=judge_blind,
        slips=(Slip(all_on_a_line, "on a line distances vary most of all."),),
        praise="It scores well, and knows nothing of the data.",
        rubric=(
            Criterion(
                "The drawing",
                (
                    "Made from the data, or worse than the square.",
                    "Better than the square.",
                    "Better, with several shapes compared.",
                ),
            ),
            Criterion(
                "Why it works",
                (
                    "Not said.",
                    "Says that all distances of the data are alike.",
                    "Says which statistic of the drawn distances decides, and computes it.",
                ),
            ),
            Criterion(
                "What follows",
                (
                    "Nothing.",
                    "SNS is misleading here.",
                    "Report the value of a random drawing beside it, and say why that grows with the dimension.",
                ),
            ),
        ),
    ),
)
