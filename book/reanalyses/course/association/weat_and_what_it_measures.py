"""Exercises of the lesson "WEAT and what it measures"."""

from __future__ import annotations

from itertools import combinations
from math import comb, factorial
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


# 1. exchange


def draw_lists(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(12)
    scales = (0.3, -0.1, 0.8, -0.8)
    lists = [rng.standard_normal((5, 12)) + scale * common_direction for scale in scales]
    return dict(zip("ABCD", lists, strict=True))


def lesson_lists() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    return dict(zip("ABCD", keywords.find("weat-7", load_word_vectors("glove-weat")).lists, strict=True))


def exchanged_statistics(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    """Return the WEAT score, its effect size, and its one-sided p-value, with lists A and B exchanged."""
    norms = [np.linalg.norm(words, axis=1, keepdims=True) for words in (A, B, C, D)]
    targets = np.vstack([B / norms[1], A / norms[0]])
    s = (targets @ (C / norms[2]).T).mean(axis=1) - (targets @ (D / norms[3]).T).mean(axis=1)
    n = len(B)
    score = s[:n].mean() - s[n:].mean()
    relabeled_sums = np.array([s[list(group)].sum() for group in combinations(range(len(s)), n)])
    return score, score / s.std(ddof=1), float((relabeled_sums >= s[:n].sum() - 1e-12).mean())


def original_statistics(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    return exchanged_statistics(B, A, C, D)


def statistics_with_one_minus_p(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    score, effect_size, _ = exchanged_statistics(A, B, C, D)
    return score, effect_size, 1 - exchanged_statistics(B, A, C, D)[2]


def statistics_with_population_std(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    score, effect_size, pvalue = exchanged_statistics(A, B, C, D)
    return score, effect_size * np.sqrt(2 * len(A) / (2 * len(A) - 1)), pvalue


# 2. three


def smallest_pvalue_by_counting(n_words: int) -> float:
    """Return the smallest possible one-sided p-value, which is 1 over the number of relabelings."""
    return 1 / sum(1 for _ in combinations(range(2 * n_words), n_words))


# 3. turned


def draw_words(rng: np.random.Generator) -> Data:
    common_direction = rng.standard_normal(15)
    flowers, insects = (rng.standard_normal((14, 15)) + scale * common_direction for scale in (0.1, -0.1))
    pleasant, unpleasant = (rng.standard_normal((6, 15)) + scale * common_direction for scale in (1.0, -1.0))
    return {
        "flowers": flowers,
        "insects": insects,
        "pleasant": pleasant,
        "unpleasant": unpleasant,
        "n": int(rng.integers(4, 7)),
    }


def lesson_words() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    names = ("flowers", "insects", "pleasant", "unpleasant")
    return {
        **dict(zip(names, keywords.find("weat-1", load_word_vectors("glove-weat")).lists, strict=True)),
        "n": 8,
    }


PART_NAMES = ("rows of insects", "rows of flowers", "four similarities")


def first_rows(
    flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int
) -> tuple[Any, Any, list[float]]:
    return np.arange(n), np.arange(n), [0.0] * 4


def judge_choice(answer: Any, flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> None:
    parts = answers.split_parts(answer, PART_NAMES)
    chosen = []
    for part_name, part, words in zip(PART_NAMES, parts, (insects, flowers), strict=False):
        rows = answers.array(part, f"list of {part_name}").reshape(-1)
        valid = (rows == np.round(rows)).all() and (-len(words) <= rows).all() and (rows < len(words)).all()
        if not valid or len(set(rows % len(words))) != n or len(rows) != n:
            raise Wrong(f"your {part_name} have to be {n} distinct row indices, each below {len(words)}.")
        chosen.append(words[rows.astype(int)])
    from isotropy_lab.association import weat, weat_effect_size

    effect_size = weat_effect_size(chosen[0], chosen[1], pleasant, unpleasant)
    if effect_size < 1:
        raise Wrong(f"the effect size of your insects and flowers is {effect_size:.2f}; it must exceed 1.")
    measured = weat(chosen[0], chosen[1], pleasant, unpleasant)
    reported = answers.array(parts[2], "list of similarities").ravel()
    correct = (measured.ac, measured.ad, measured.bc, measured.bd)
    if (
        reported.size != 4
        or not (np.isclose(reported, correct, atol=1e-4) | answers.equals_rounded(reported, correct, 2)).all()
    ):
        raise Wrong(
            "your lists are correct, but these are not their four similarities. The order is: insects with pleasant "
            "and with unpleasant words, then flowers with both."
        )


EXERCISES = (
    Exercise(
        name="exchange",
        number=1,
        objectives=(1,),
        asks="three numbers after the exchange: the score, the effect size, and p",
        parts=("score", "effect size", "p"),
        lesson_data=lesson_lists,
        draw=draw_lists,
        solution=exchanged_statistics,
        slips=(
            Slip(original_statistics, "those are the numbers before the exchange."),
            Slip(statistics_with_one_minus_p, "the observed labels count as extreme in both tests."),
            Slip(statistics_with_population_std, "the standard deviation divides by n - 1 for n words."),
        ),
        decimals=(4, 2, 4),
        rtol=2e-5,  # one relabeling of 12,870 may differ
        praise="A one-sided test that is reversed after seeing the data is not the planned test.",
    ),
    Exercise(
        name="three",
        number=2,
        objectives=(1,),
        asks="the smallest p-value that two lists of that many words each can have",
        parts=("smallest p-value",),
        lesson_data=lambda: {"n_words": 3},
        draw=lambda rng: {"n_words": int(rng.integers(2, 9))},
        atol=1e-16,
        solution=smallest_pvalue_by_counting,
        slips=(
            Slip(lambda n_words: 1 / factorial(2 * n_words), "the order within a list does not matter."),
            Slip(lambda n_words: 2 / comb(2 * n_words, n_words), "the test is one-sided."),
            Slip(lambda n_words: 0.0, "the observed labels are one of the relabelings that are counted."),
        ),
        praise="Which three words of each list reach this p-value?",
    ),
    Exercise(
        name="turned",
        number=3,
        objectives=(2, 3),
        asks="three things: the rows of your insects, the rows of your flowers, and the four similarities of the score of the "
        "insects against the flowers",
        parts=PART_NAMES,
        lesson_data=lesson_words,
        draw=draw_words,
        judge=judge_choice,
        slips=(Slip(first_rows, "those are the first words of each list. Choose by the vectors instead."),),
        praise="Your lists contain only flowers and insects, but they reverse the result.",
    ),
)
