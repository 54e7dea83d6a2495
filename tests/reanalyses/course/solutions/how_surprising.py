"""Correct answers to the exercises of the lesson "How surprising is an association?"."""

from math import ceil
from typing import Any

import numpy as np

from reanalyses.course.association import how_surprising as lesson


def smallest_pvalue(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    """Count the observed pair among the draws, in numerator and denominator."""
    return 1 / (1 + n_draws), ceil(n_tests / level - 1e-9) - 1


def centers_by_all_pairs(pool: Any, first: Any, second: Any) -> list[float]:
    """Return the mean of the cosines of all pairs."""
    return [float((pool @ lesson.normalize(words).T).mean()) for words in (first, second)]


def pool_near_the_lists(space: Any, first: Any, second: Any) -> Any:
    """Return the words most similar to the words of both lists."""
    similarities = space @ (lesson.normalize(first).mean(axis=0) + lesson.normalize(second).mean(axis=0))
    return space[np.argsort(-similarities)[: max(60, len(space) // 25)]]


def pool_around_one_word(space: Any, first: Any, second: Any) -> Any:
    """Return the neighbors of the most central word, including itself."""
    center = np.argmax(space @ space.sum(axis=0))
    return space[np.argsort(-(space @ space[center]))[: max(60, len(space) // 25)]]


SOLUTIONS = {
    "smallest": (smallest_pvalue, lesson.smallest_pvalue_by_search),
    "keep": (lesson.centers_with_fixed_list, centers_by_all_pairs),
    "pool": (lesson.choose_pool, pool_near_the_lists, pool_around_one_word),
}
