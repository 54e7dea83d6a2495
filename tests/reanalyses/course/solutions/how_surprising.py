"""Correct answers to the exercises of the lesson "How surprising is an association?"."""

from math import ceil
from typing import Any

import numpy as np

from reanalyses.course.association.how_surprising import keep, pool, smallest_by_search, units


def smallest(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    """Count the observed pair among the draws, in numerator and denominator."""
    return 1 / (1 + n_draws), ceil(n_tests / level - 1e-9) - 1


def keep_by_all_pairs(pool: Any, first: Any, second: Any) -> list[float]:
    """Return the mean of the cosines of all pairs."""
    return [float((pool @ units(kept).T).mean()) for kept in (first, second)]


def pool_near_the_lists(space: Any, first: Any, second: Any) -> Any:
    """Return the words most similar to the words of both lists."""
    near = space @ (units(first).mean(axis=0) + units(second).mean(axis=0))
    return space[np.argsort(-near)[: max(60, len(space) // 25)]]


def pool_around_one_word(space: Any, first: Any, second: Any) -> Any:
    """Return the neighbors of the most central word, including itself."""
    center = np.argmax(space @ space.sum(axis=0))
    return space[np.argsort(-(space @ space[center]))[: max(60, len(space) // 25)]]


SOLUTIONS = {
    "smallest": (smallest, smallest_by_search),
    "keep": (keep, keep_by_all_pairs),
    "pool": (pool, pool_near_the_lists, pool_around_one_word),
}
