"""Exercises of the lesson "Regressions on cosines".

A table has one row per word, where the first half of the rows is one group, and one column per adjective.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def splits(n: int) -> tuple[Any, Any]:
    """Return all ways to divide an even number n of words into halves, as the indices of each half."""
    assert n % 2 == 0
    half = np.array(list(combinations(range(n), n // 2)))
    return half, half[::-1]  # for even n, the reversed list of combinations is the list of complements


def rejection_rate(table: Any, alternative: str = "two-sided") -> float:
    """Return the fraction of splits for which the t-test that treats pairs as independent rejects at 0.05."""
    from scipy import stats

    table = np.asarray(table)
    one, two = (table[rows].reshape(len(rows), -1) for rows in splits(len(table)))
    return float((stats.ttest_ind(one, two, axis=1, alternative=alternative).pvalue < 0.05).mean())


def _lesson_table(attribute: str) -> Any:
    from reanalyses.kindel2023 import experiments

    pairs = experiments.design_pairs("glove-weat", attribute=attribute)
    names = list(dict.fromkeys(pairs["a"]))
    return pairs.pivot(index="a", columns="b", values="cosine").loc[names].to_numpy()


# 1. other-list


def any_table(rng: np.random.Generator) -> Data:
    words = float(rng.uniform(0.4, 0.9)) * rng.standard_normal((10, 1))
    return {"table": 0.3 + 0.1 * (words + rng.standard_normal((10, 6)))}


def one_sided(table: Any) -> float:
    return rejection_rate(table, "greater")


def by_word_means(table: Any) -> float:
    return rejection_rate(np.asarray(table).mean(axis=1, keepdims=True))


# 2. tiled


def any_tile(rng: np.random.Generator) -> Data:
    return {
        "table": 0.3 + 0.1 * (0.5 * rng.standard_normal((8, 1)) + rng.standard_normal((8, 5))),
        "n_copies": int(rng.integers(2, 6)),
    }


def tiled(table: Any, n_copies: int) -> tuple[float, float, float]:
    """Return the difference of means of copied columns, the p-value of the t-test of pairs, and that of all splits."""
    from scipy import stats

    many = np.tile(table, n_copies)
    n = len(many) // 2
    first, second = many[:n], many[n:]
    means = many.mean(axis=1)
    one, two = (means[rows].mean(axis=1) for rows in splits(len(many)))
    difference = second.mean() - first.mean()
    p_pairs = stats.ttest_ind(second.ravel(), first.ravel()).pvalue
    return float(difference), float(p_pairs), float((np.abs(one - two) >= abs(difference) - 1e-12).mean())


def without_copies(table: Any, n_copies: int) -> tuple[float, float, float]:
    return tiled(table, 1)


# 3. claim


def words_and_a_pool() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    general = load_word_vectors("glove-pool")
    found = keywords.find("gender-sentiment", load_word_vectors("glove-weat"))
    own = {word for words in found.words.values() for word in words}
    male, female, _, unpleasant = found.lists
    pool = general[[word for word in general if word not in own]]
    return {"male": male, "female": female, "unpleasant": unpleasant, "pool": pool}


def any_lists(rng: np.random.Generator) -> Data:
    common = rng.standard_normal(12)
    sizes = {"male": 5, "female": 5, "unpleasant": 4, "pool": 60}
    return {
        name: rng.uniform(1, 5, (n, 1)) * (rng.standard_normal((n, 12)) + 0.5 * common)
        for name, n in sizes.items()
    }


def claim(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float, float]:
    from isotropy_lab.association import mean_cosine_similarity, relabeling_test

    difference = mean_cosine_similarity(male, unpleasant) - mean_cosine_similarity(female, unpleasant)
    p = relabeling_test(male, female, unpleasant).pvalue
    return float(difference), float(p), float(mean_cosine_similarity(pool, unpleasant))


def pairs_as_rows(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float, float]:
    from scipy import stats

    from isotropy_lab.association import cosine_similarities

    difference, _, center = claim(male, female, unpleasant, pool)
    one, two = (cosine_similarities(words, unpleasant).ravel() for words in (male, female))
    return difference, float(stats.ttest_ind(one, two).pvalue), center


def both_lists_drawn(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float, float]:
    from isotropy_lab.isotropy import average_cosine

    return *claim(male, female, unpleasant, pool)[:2], float(average_cosine(pool))


EXERCISES = (
    Exercise(
        name="other-list",
        number=1,
        objectives=(2,),
        asks="the fraction of the splits in which the test of pairs rejects, for the pleasant words",
        parts=("fraction",),
        own=lambda: {"table": _lesson_table("C")},
        draw=any_table,
        decimals=(3,),
        solution=rejection_rate,
        slips=(
            Slip(one_sided, "the test of the lesson is two-sided."),
            Slip(by_word_means, "you tested means of words. In the pair-level test, use every cosine."),
        ),
        praise="The stripes are weaker than in the other table, but they exist.",
    ),
    Exercise(
        name="tiled",
        number=2,
        objectives=(1, 2, 3),
        asks="three numbers: the difference (second half of the words minus the first), p of pairs, p of words",
        parts=("difference", "p of pairs", "p of words"),
        own=lambda: {"table": _lesson_table("D"), "n_copies": 10},
        draw=any_tile,
        decimals=(3, 9, 2),
        atol=1e-30,
        solution=tiled,
        slips=(Slip(without_copies, "those are the numbers without the copies."),),
        praise="And no new word was used.",
    ),
    Exercise(
        name="claim",
        number=3,
        objectives=(1, 2, 3),
        asks="three numbers: the difference (male minus female), p with words as rows, and the center of the null",
        parts=("difference", "p of words", "center of the null"),
        own=words_and_a_pool,
        draw=any_lists,
        decimals=(3, 2, 2),
        atol=1e-6,
        solution=claim,
        slips=(
            Slip(pairs_as_rows, "you used pairs as rows for the p-value. Use words as rows."),
            Slip(both_lists_drawn, "that is the center if both lists are drawn. Keep the unpleasant words."),
        ),
        praise="Now rewrite the sentence.",
    ),
)
