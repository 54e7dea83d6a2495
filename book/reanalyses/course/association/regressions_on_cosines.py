"""Exercises of the lesson "Regressions on cosines".

A table has one row per word, where the first half of the rows is one group, and one column per adjective.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


def half_splits(n: int) -> tuple[Any, Any]:
    """Return all splits of an even number n of words into halves: the indices of the first and of the second halves."""
    assert n % 2 == 0
    first_halves = np.array(list(combinations(range(n), n // 2)))
    return first_halves, first_halves[::-1]  # for even n, reversed combinations are complements


def rejection_rate(table: Any, alternative: str = "two-sided") -> float:
    """Return the fraction of splits that the t-test of pairs, treated as independent, rejects at the 0.05 level."""
    from scipy import stats

    table = np.asarray(table)
    first, second = (table[halves].reshape(len(halves), -1) for halves in half_splits(len(table)))
    return float((stats.ttest_ind(first, second, axis=1, alternative=alternative).pvalue < 0.05).mean())


def _lesson_table(attribute: str) -> Any:
    from reanalyses.kindel2023 import experiments

    pairs = experiments.design_pairs("glove-weat", attribute=attribute)
    words = list(dict.fromkeys(pairs["a"]))
    return pairs.pivot(index="a", columns="b", values="cosine").loc[words].to_numpy()


# 1. other-list


def draw_table(rng: np.random.Generator) -> Data:
    row_effects = float(rng.uniform(0.4, 0.9)) * rng.standard_normal((10, 1))
    return {"table": 0.3 + 0.1 * (row_effects + rng.standard_normal((10, 6)))}


def one_sided_rejection_rate(table: Any) -> float:
    return rejection_rate(table, "greater")


def word_mean_rejection_rate(table: Any) -> float:
    return rejection_rate(np.asarray(table).mean(axis=1, keepdims=True))


def rejection_percentage(table: Any) -> float:
    return 100 * rejection_rate(table)


def pvalue_of_real_labels(table: Any) -> float:
    from scipy import stats

    second, first = np.split(np.asarray(table), 2)
    return float(stats.ttest_ind(first.ravel(), second.ravel()).pvalue)


# 2. tiled


def draw_table_and_n_copies(rng: np.random.Generator) -> Data:
    return {
        "table": 0.3 + 0.1 * (0.5 * rng.standard_normal((8, 1)) + rng.standard_normal((8, 5))),
        "n_copies": int(rng.integers(2, 6)),
    }


def statistics_with_copies(table: Any, n_copies: int) -> tuple[float, float]:
    """Return the p-value of the t-test of pairs for copied columns, and the p-value of splits of the words."""
    from scipy import stats

    copied_table = np.tile(table, n_copies)
    half_size = len(copied_table) // 2
    first, second = copied_table[:half_size], copied_table[half_size:]
    word_means = copied_table.mean(axis=1)
    half_means, complement_means = (word_means[rows].mean(axis=1) for rows in half_splits(len(copied_table)))
    difference = second.mean() - first.mean()
    pair_level_p = stats.ttest_ind(second.ravel(), first.ravel()).pvalue
    is_extreme = np.abs(half_means - complement_means) >= abs(difference) - 1e-12
    return float(pair_level_p), float(is_extreme.mean())


def statistics_without_copies(table: Any, n_copies: int) -> tuple[float, float]:
    return statistics_with_copies(table, 1)


def statistics_in_reverse_order(table: Any, n_copies: int) -> tuple[float, float]:
    pair_level_p, word_level_p = statistics_with_copies(table, n_copies)
    return word_level_p, pair_level_p


# 3. claim


def lesson_lists() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    all_vectors = load_word_vectors("glove-pool")
    keyword_lists = keywords.find("gender-sentiment", load_word_vectors("glove-weat"))
    listed = {word for words in keyword_lists.words.values() for word in words}
    male, female, _, unpleasant = keyword_lists.lists
    pool = all_vectors[[word for word in all_vectors if word not in listed]]
    return {"male": male, "female": female, "unpleasant": unpleasant, "pool": pool}


def draw_lists(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(12)
    list_sizes = {"male": 5, "female": 5, "unpleasant": 4, "pool": 60}
    return {
        name: rng.uniform(1, 5, (n_words, 1)) * (rng.standard_normal((n_words, 12)) + 0.5 * common_direction)
        for name, n_words in list_sizes.items()
    }


def claim_statistics(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float]:
    """Return the word-level p-value of the difference in mean cosine, and the null mean for the pool."""
    from isotropy_lab.association import mean_cosine_similarity, relabeling_test

    pvalue = relabeling_test(male, female, unpleasant).pvalue
    return float(pvalue), float(mean_cosine_similarity(pool, unpleasant))


def claim_with_pair_rows(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float]:
    from scipy import stats

    from isotropy_lab.association import cosine_similarities

    _, center = claim_statistics(male, female, unpleasant, pool)
    cosines = (cosine_similarities(words, unpleasant).ravel() for words in (male, female))
    return float(stats.ttest_ind(*cosines).pvalue), center


def claim_with_pool_average(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float]:
    from isotropy_lab.isotropy import average_cosine

    return claim_statistics(male, female, unpleasant, pool)[0], float(average_cosine(pool))


def claim_with_swaps(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float]:
    """Let only row i of the two lists trade places."""
    from isotropy_lab.association import cosine_similarities

    within = (cosine_similarities(male, unpleasant) - cosine_similarities(female, unpleasant)).mean(axis=1)
    signs = np.array(list(product([-1, 1], repeat=len(within))))
    extreme = np.abs(signs @ within) >= abs(within.sum()) - 1e-12
    return float(extreme.mean()), claim_statistics(male, female, unpleasant, pool)[1]


def claim_without_normalization(male: Any, female: Any, unpleasant: Any, pool: Any) -> tuple[float, float]:
    pvalue, _ = claim_statistics(male, female, unpleasant, pool)
    return pvalue, float(np.mean(pool, axis=0) @ np.mean(unpleasant, axis=0))


EXERCISES = (
    Exercise(
        name="other-list",
        number=1,
        objectives=(2,),
        asks="the fraction of the splits with p < 0.05 in the pair test, for the pleasant words",
        parts=("fraction",),
        lesson_data=lambda: {"table": _lesson_table("C")},
        draw=draw_table,
        decimals=(3,),
        solution=rejection_rate,
        slips=(
            Slip(one_sided_rejection_rate, "the test of the lesson is two-sided."),
            Slip(word_mean_rejection_rate, "you tested means of words. Use every cosine instead."),
            Slip(rejection_percentage, "hand in a fraction between 0 and 1, and not a percentage."),
            Slip(pvalue_of_real_labels, "that is the p-value of one test. Count over all splits."),
        ),
        praise="The standard error by pairs is too small for this table, too.",
    ),
    Exercise(
        name="tiled",
        number=2,
        objectives=(1, 2, 3),
        asks="two numbers: p for pairs, and p for words",
        parts=("p for pairs", "p for words"),
        lesson_data=lambda: {"table": _lesson_table("D"), "n_copies": 10},
        draw=draw_table_and_n_copies,
        decimals=(9, 2),
        atol=1e-15,  # below, a p-value has no digits to compare
        solution=statistics_with_copies,
        slips=(
            Slip(statistics_without_copies, "those are the numbers without the copies."),
            Slip(statistics_in_reverse_order, "the order is: p for pairs, then p for words."),
        ),
        praise="The copies lower the p-value for pairs, although they add no word.",
    ),
    Exercise(
        name="claim",
        number=3,
        objectives=(1, 2, 3),
        asks="two numbers: p with words as rows, and the center of the null",
        parts=("p for words", "center of the null"),
        lesson_data=lesson_lists,
        draw=draw_lists,
        decimals=(2, 2),
        atol=1e-6,
        solution=claim_statistics,
        slips=(
            Slip(claim_with_pair_rows, "your p-value uses pairs as rows. Use words as rows."),
            Slip(claim_with_swaps, "that is p over the swaps. For independent words, take all splits."),
            Slip(claim_with_pool_average, "you drew both lists. Keep the unpleasant words."),
            Slip(claim_without_normalization, "normalize the pool and the unpleasant words first."),
        ),
        praise="Now rewrite the sentence.",
    ),
)
