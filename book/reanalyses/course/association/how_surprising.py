"""Exercises of the lesson "How surprising is an association?"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, normalize

__all__ = ["EXERCISES"]

#: Number of pairs of lists drawn to judge a pool, and the minimum number of words in a pool.
N_DRAWS, MIN_POOL_SIZE = 500, 50


def lesson_vectors(key: str, first: int, second: int) -> Data:
    """Return 10,000 unit-norm word vectors under a key, and two of the lesson's four lists, given their indices."""
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors
    from reanalyses.kindel2023 import experiments

    keyword_lists = keywords.find("gender-sentiment", load_word_vectors("glove-weat"))
    list_words = [word for words in keyword_lists.words.values() for word in words]
    vectors = experiments.pool_words("glove-weat", size=10_000, without=list_words)[1]
    return {
        key: normalize(vectors),
        "first": keyword_lists.lists[first],
        "second": keyword_lists.lists[second],
    }


# 1. smallest


def draw_test_settings(rng: np.random.Generator) -> Data:
    return {"n_draws": int(rng.integers(5, 50)) * 10 - 1, "n_tests": int(rng.integers(3, 40)), "level": 0.05}


def smallest_pvalue_by_search(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    """Return the smallest possible p-value of a test, and the number of draws that a Bonferroni correction requires."""
    n_needed = next(n for n in range(1, 100_000) if n_tests / (1 + n) <= level + 1e-12)
    return (1 + 0) / (1 + n_draws), n_needed


def pvalue_without_observed(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    return 1 / n_draws, round(n_tests / level)


def pvalue_with_extra_draw(n_draws: int, n_tests: int, level: float) -> tuple[float, int]:
    return 1 / (1 + n_draws), round(n_tests / level)


# 2. keep


def draw_pool(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(10)
    pool = rng.standard_normal((80, 10)) + 0.6 * common_direction
    lists = [rng.standard_normal((6, 10)) + scale * common_direction for scale in (0.4, 1.0)]
    return {"pool": normalize(pool), "first": 2 * lists[0], "second": 3 * lists[1]}


def centers_with_fixed_list(pool: Any, first: Any, second: Any) -> tuple[float, float]:
    """Return the mean cosine of the pool with each fixed list, at which the null distribution is centered."""
    mean_unit_vector = pool.mean(axis=0)
    list_means = [normalize(words).mean(axis=0) for words in (first, second)]
    return float(mean_unit_vector @ list_means[0]), float(mean_unit_vector @ list_means[1])


def centers_without_normalization(pool: Any, first: Any, second: Any) -> list[float]:
    return [float(pool.mean(axis=0) @ words.mean(axis=0)) for words in (first, second)]


def center_with_both_lists_drawn(pool: Any, first: Any, second: Any) -> list[float]:
    n_words, total = len(pool), pool.sum(axis=0)
    return [float((total @ total - n_words) / (n_words * (n_words - 1)))] * 2


def centers_swapped(pool: Any, first: Any, second: Any) -> tuple[float, float]:
    return centers_with_fixed_list(pool, second, first)


# 3. pool


def draw_space(rng: np.random.Generator) -> Data:
    common_direction = np.zeros(20)
    common_direction[0] = 1
    scale = np.concatenate([rng.uniform(4, 6, 80), rng.uniform(0, 2, 220)])
    space = normalize(rng.standard_normal((300, 20)) + scale[:, None] * common_direction)
    lists = [normalize(rng.standard_normal((6, 20)) + 3.6 * common_direction) for _ in range(2)]
    return {"space": space, "first": lists[0], "second": lists[1]}


def choose_pool(space: Any, first: Any, second: Any) -> Any:
    """Return the 20% of the words that are most similar to the mean word; their null distribution has a high center."""
    similarities = (space * space.mean(axis=0)).sum(axis=1)
    return space[similarities > np.quantile(similarities, 0.8)]


def choose_whole_space(space: Any, first: Any, second: Any) -> Any:
    return space


def null_distribution(rows: Any, k: int, seed: int = 0) -> Any:
    """Return the mean cosines between random, disjoint lists of k words each, one for each of `N_DRAWS` draws."""
    rng, cosines = np.random.default_rng(seed), []
    for _ in range(N_DRAWS):
        sample = rng.choice(len(rows), 2 * k, replace=False)
        cosines.append(rows[sample[:k]].mean(axis=0) @ rows[sample[k:]].mean(axis=0))
    return np.array(cosines)


def judge_pool(answer: Any, space: Any, first: Any, second: Any) -> None:
    from scipy.spatial import cKDTree

    pool = answers.rows(answer, "pool", space.shape[1])
    if len(pool) < MIN_POOL_SIZE:
        raise Wrong(f"your pool has {len(pool)} words. Choose at least {MIN_POOL_SIZE}.")
    # The lesson's rows have fewer digits than the rows of the space, which are at least 0.09 apart.
    distances, row_indices = cKDTree(space).query(pool, distance_upper_bound=1e-3)
    if not np.isfinite(distances).all():
        raise Wrong("some rows of your pool are not words in the space. Choose rows without changing them.")
    if len({*row_indices}) < len(pool):
        raise Wrong("your pool contains some words more than once.")
    observed = normalize(first).mean(axis=0) @ normalize(second).mean(axis=0)
    null_cosines = null_distribution(pool, len(first))
    pvalue = (1 + (null_cosines >= observed).sum()) / (1 + N_DRAWS)
    if pvalue <= 0.05:
        finding = f"the pair still stands out from the {len(pool)} words in your pool (p = {pvalue:.3f})"
        raise Wrong(f"{finding}. Which words are more alike?")


EXERCISES = (
    Exercise(
        name="smallest",
        number=1,
        objectives=(1,),
        asks="two numbers: the smallest p-value, and the number of draws that all tests need",
        parts=("smallest p-value", "number of draws"),
        lesson_data=lambda: {"n_draws": 99, "n_tests": 10, "level": 0.05},
        draw=draw_test_settings,
        solution=smallest_pvalue_by_search,
        slips=(
            Slip(
                pvalue_without_observed,
                "the observed pair counts as one of the draws, in the numerator and in the denominator.",
            ),
            Slip(pvalue_with_extra_draw, "the observed pair counts as a draw. How many others are needed?"),
        ),
        praise="At the smallest p-value, no draw reaches the observed value. Take thousands of draws.",
    ),
    Exercise(
        name="keep",
        number=2,
        objectives=(1, 2),
        asks="two numbers: the center with the unpleasant words kept, and the center with the female words kept",
        parts=("center with the first list kept", "center with the second list kept"),
        lesson_data=lambda: lesson_vectors("pool", 3, 1),
        draw=draw_pool,
        decimals=(3, 3),
        atol=1e-6,
        solution=centers_with_fixed_list,
        slips=(
            Slip(centers_without_normalization, "normalize the words of the list that is kept as well."),
            Slip(center_with_both_lists_drawn, "that is the center if both lists are drawn."),
            Slip(centers_swapped, "the order is: unpleasant words kept, then female words kept."),
        ),
        praise="Now draw lists, and check that the mean cosines lie around these centers.",
    ),
    Exercise(
        name="pool",
        number=3,
        objectives=(3,),
        asks="the rows of your pool, an array with one word per row",
        lesson_data=lambda: lesson_vectors("space", 1, 2),
        draw=draw_space,
        judge=judge_pool,
        slips=(Slip(choose_whole_space, "in the whole space, the pair stands out. Choose fewer words."),),
        praise="Could you defend this pool in a paper, and would you have chosen it before you saw the result?",
    ),
)
