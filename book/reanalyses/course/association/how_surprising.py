"""Exercises of the lesson "How surprising is an association?"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]

#: Number of pairs of lists drawn to judge a pool, and the minimum number of its words.
DRAWS, SMALLEST = 500, 50


def units(words: Any) -> Any:
    return words / np.linalg.norm(words, axis=1, keepdims=True)


def words_of_the_lesson(name: str, first: int, second: int) -> Data:
    """Return ten thousand words by the given name, and two of the lesson's four lists."""
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors
    from reanalyses.kindel2023 import experiments

    found = keywords.find("gender-sentiment", load_word_vectors("glove-weat"))
    own = [word for words in found.words.values() for word in words]
    vectors = experiments.pool_words("glove-weat", size=10_000, without=own)[1]
    return {name: units(vectors), "first": found.lists[first], "second": found.lists[second]}


# 1. smallest


def any_tests(rng: np.random.Generator) -> Data:
    return {"n_draws": int(rng.integers(5, 50)) * 10 - 1, "n_tests": int(rng.integers(3, 40)), "level": 0.05}


def smallest_by_search(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    """Return the smallest possible p-value, and the number of draws that all tests need, by search."""
    needed = next(n for n in range(1, 100_000) if n_tests / (1 + n) <= level + 1e-12)
    return (1 + 0) / (1 + n_draws), needed


def without_the_pair(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    return 1 / n_draws, round(n_tests / level)


def one_draw_more(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    return 1 / (1 + n_draws), round(n_tests / level)


# 2. keep


def any_pool(rng: np.random.Generator) -> Data:
    common = rng.standard_normal(10)
    pool = rng.standard_normal((80, 10)) + 0.6 * common
    lists = [rng.standard_normal((6, 10)) + tilt * common for tilt in (0.4, 1.0)]
    return {"pool": units(pool), "first": 2 * lists[0], "second": 3 * lists[1]}


def keep(pool: Any, first: Any, second: Any) -> tuple[float, float]:
    """Return the inner product of the pool's mean unit vector with that of each fixed list."""
    arrow = pool.mean(axis=0)
    kept = [(words / np.linalg.norm(words, axis=1, keepdims=True)).mean(axis=0) for words in (first, second)]
    return float(arrow @ kept[0]), float(arrow @ kept[1])


def lengths_left_in(pool: Any, first: Any, second: Any) -> list[float]:
    return [float(pool.mean(axis=0) @ kept.mean(axis=0)) for kept in (first, second)]


def both_drawn(pool: Any, first: Any, second: Any) -> list[float]:
    n, total = len(pool), pool.sum(axis=0)
    return [float((total @ total - n) / (n * (n - 1)))] * 2


def kept_exchanged(pool: Any, first: Any, second: Any) -> tuple[float, float]:
    return keep(pool, second, first)


# 3. pool


def any_space(rng: np.random.Generator) -> Data:
    common = np.zeros(20)
    common[0] = 1
    pull = np.concatenate([rng.uniform(4, 6, 80), rng.uniform(0, 2, 220)])
    space = units(rng.standard_normal((300, 20)) + pull[:, None] * common)
    lists = [units(rng.standard_normal((6, 20)) + 3.6 * common) for _ in range(2)]
    return {"space": space, "first": lists[0], "second": lists[1]}


def pool(space: Any, first: Any, second: Any) -> Any:
    """Return the words most similar to the mean of all words, whose null distribution has a high center."""
    alike = (space * space.mean(axis=0)).sum(axis=1)
    return space[alike > np.quantile(alike, 0.8)]


def whole_space(space: Any, first: Any, second: Any) -> Any:
    return space


def null(rows: Any, k: int, seed: int = 0) -> Any:
    """Return the mean cosines of random pairs of lists with k rows each."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(DRAWS):
        drawn = rng.choice(len(rows), 2 * k, replace=False)
        found.append(rows[drawn[:k]].mean(axis=0) @ rows[drawn[k:]].mean(axis=0))
    return np.array(found)


def judge_pool(answer: Any, space: Any, first: Any, second: Any) -> None:
    from scipy.spatial import cKDTree

    mine = answers.rows(answer, "pool", space.shape[1])
    if len(mine) < SMALLEST:
        raise Wrong(f"your pool has {len(mine)} words. Choose at least {SMALLEST}.")
    # The lesson's rows have fewer digits than the rows of the space, which are at least 0.09 apart.
    apart, rows = cKDTree(space).query(mine, distance_upper_bound=1e-3)
    if not np.isfinite(apart).all():
        raise Wrong("some rows of your pool are not words in the space. Choose rows without changing them.")
    if len({*rows}) < len(mine):
        raise Wrong("your pool contains some words more than once.")
    observed = units(first).mean(axis=0) @ units(second).mean(axis=0)
    draws = null(mine, len(first))
    p = (1 + (draws >= observed).sum()) / (1 + DRAWS)
    if p <= 0.05:
        found = f"the pair still stands out from the {len(mine)} words in your pool (p = {p:.3f})"
        raise Wrong(f"{found}. Which words are more alike?")


EXERCISES = (
    Exercise(
        name="smallest",
        number=1,
        objectives=(1, 3),
        asks="two numbers: the smallest p-value, and the draws that all tests need",
        parts=("smallest p-value", "number of draws"),
        own=lambda: {"n_draws": 99, "n_tests": 10, "level": 0.05},
        draw=any_tests,
        solution=smallest_by_search,
        slips=(
            Slip(
                without_the_pair,
                "the observed pair counts as one of the draws, in the numerator and in the denominator.",
            ),
            Slip(one_draw_more, "the observed pair counts as one of the draws. How many others are needed?"),
        ),
        praise="And then no draw may reach the observed value: take thousands.",
    ),
    Exercise(
        name="keep",
        number=2,
        objectives=(1, 2),
        asks="two numbers: the centers with the unpleasant words kept, and with the female words kept",
        parts=("center with the first list kept", "center with the second list kept"),
        own=lambda: words_of_the_lesson("pool", 3, 1),
        draw=any_pool,
        decimals=(3, 3),
        atol=1e-6,
        solution=keep,
        slips=(
            Slip(lengths_left_in, "normalize the words of the list that is kept as well."),
            Slip(both_drawn, "that is the center if both lists are drawn."),
            Slip(kept_exchanged, "the order is: unpleasant words kept, then female words kept."),
        ),
        praise="Now draw, and see that the draws lie around them.",
    ),
    Exercise(
        name="pool",
        number=3,
        objectives=(3,),
        asks="the rows of your pool, an array with a word to a row",
        own=lambda: words_of_the_lesson("space", 1, 2),
        draw=any_space,
        judge=judge_pool,
        slips=(
            Slip(
                whole_space, "your pool is the whole space, in which the pair stands out. Choose fewer words."
            ),
        ),
        praise="Could you defend it in a paper, and would you have chosen it before you looked?",
    ),
)
