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


def any_lists(rng: np.random.Generator) -> Data:
    pull = rng.standard_normal(12)
    tilts = (0.3, -0.1, 0.8, -0.8)
    lists = [rng.standard_normal((5, 12)) + tilt * pull for tilt in tilts]
    return dict(zip("ABCD", lists, strict=True))


def math_and_arts() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    return dict(zip("ABCD", keywords.find("weat-7", load_word_vectors("glove-weat")).lists, strict=True))


def exchange(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    """Return score, effect size, and p-value with A and B exchanged, computed in NumPy."""
    length = [np.linalg.norm(words, axis=1, keepdims=True) for words in (A, B, C, D)]
    targets = np.vstack([B / length[1], A / length[0]])
    s = (targets @ (C / length[2]).T).mean(axis=1) - (targets @ (D / length[3]).T).mean(axis=1)
    n = len(B)
    score = s[:n].mean() - s[n:].mean()
    sums = np.array([s[list(first)].sum() for first in combinations(range(len(s)), n)])
    return score, score / s.std(ddof=1), float((sums >= s[:n].sum() - 1e-12).mean())


def not_exchanged(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    return exchange(B, A, C, D)


def one_minus_p(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    score, size, _ = exchange(A, B, C, D)
    return score, size, 1 - exchange(B, A, C, D)[2]


def divided_by_n(A: Any, B: Any, C: Any, D: Any) -> tuple[float, float, float]:
    score, size, p = exchange(A, B, C, D)
    return score, size * np.sqrt(2 * len(A) / (2 * len(A) - 1)), p


# 2. three


def three_by_counting(n_words: int) -> float:
    """Return the smallest possible p-value, by counting the relabelings."""
    return 1 / sum(1 for _ in combinations(range(2 * n_words), n_words))


# 3. turned


def any_words(rng: np.random.Generator) -> Data:
    pull = rng.standard_normal(15)
    flowers, insects = (rng.standard_normal((14, 15)) + tilt * pull for tilt in (0.1, -0.1))
    pleasant, unpleasant = (rng.standard_normal((6, 15)) + tilt * pull for tilt in (1.0, -1.0))
    return {
        "flowers": flowers,
        "insects": insects,
        "pleasant": pleasant,
        "unpleasant": unpleasant,
        "n": int(rng.integers(4, 7)),
    }


def flowers_and_insects() -> Data:
    from isotropy_lab.association import keywords
    from isotropy_report import load_word_vectors

    names = ("flowers", "insects", "pleasant", "unpleasant")
    return {
        **dict(zip(names, keywords.find("weat-1", load_word_vectors("glove-weat")).lists, strict=True)),
        "n": 8,
    }


PARTS = ("rows of insects", "rows of flowers", "effect size", "four similarities")


def first_rows(
    flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int
) -> tuple[Any, Any, float, list[float]]:
    return np.arange(n), np.arange(n), 1.0, [0.0] * 4


def judge_turned(answer: Any, flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> None:
    parts = answers.taken_apart(answer, PARTS)
    picked = []
    for name, part, words in zip(PARTS, parts, (insects, flowers), strict=False):
        rows = answers.array(part, f"list of {name}").reshape(-1)
        whole = (rows == np.round(rows)).all() and (-len(words) <= rows).all() and (rows < len(words)).all()
        if not whole or len(set(rows % len(words))) != n or len(rows) != n:
            raise Wrong(f"your {name} have to be {n} distinct row indices, each below {len(words)}.")
        picked.append(words[rows.astype(int)])
    from isotropy_lab.association import weat, weat_effect_size

    size = weat_effect_size(picked[0], picked[1], pleasant, unpleasant)
    if size < 1:
        raise Wrong(f"the effect size of your insects against your flowers is {size:.2f}; expected above 1.")
    given = answers.number(parts[2], "effect size")
    if abs(given - size) > 1e-3 and not answers.rounded(given, size, 2):
        raise Wrong("your lists are correct, but their effect size differs from the one that you handed in.")
    found = weat(picked[0], picked[1], pleasant, unpleasant)
    four, right = answers.array(parts[3], "list of similarities"), (found.ac, found.ad, found.bc, found.bd)
    if (
        four.size != 4
        or not (np.isclose(four.ravel(), right, atol=1e-4) | answers.rounded(four.ravel(), right, 2)).all()
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
        asks="three numbers after the exchange: score, effect size and p",
        parts=("score", "effect size", "p"),
        own=math_and_arts,
        draw=any_lists,
        solution=exchange,
        slips=(
            Slip(not_exchanged, "those are the numbers before the exchange."),
            Slip(one_minus_p, "nearly: the observed labels are at least as high in both tests."),
            Slip(divided_by_n, "the standard deviation divides by the number of words minus 1."),
        ),
        decimals=(4, 2, 4),
        rtol=2e-5,  # one relabeling of 12,870 may differ
        praise="A one-sided test that is reversed after a look is not the test that was planned.",
    ),
    Exercise(
        name="three",
        number=2,
        objectives=(1,),
        asks="the smallest p-value that two lists of so many words can have",
        parts=("smallest p-value",),
        own=lambda: {"n_words": 3},
        draw=lambda rng: {"n_words": int(rng.integers(2, 9))},
        atol=1e-16,
        solution=three_by_counting,
        slips=(
            Slip(lambda n_words: 1 / factorial(2 * n_words), "the order within a list does not matter."),
            Slip(lambda n_words: 2 / comb(2 * n_words, n_words), "the test is one-sided."),
            Slip(lambda n_words: 0.0, "the observed labels are one of the relabelings that are counted."),
        ),
        praise="Which three of each reach it?",
    ),
    Exercise(
        name="turned",
        number=3,
        objectives=(2, 3),
        asks="four things: the rows of your insects, the rows of your flowers, the effect size of the insects against the "
        "flowers, and the four similarities of its score",
        parts=PARTS,
        own=flowers_and_insects,
        draw=any_words,
        judge=judge_turned,
        slips=(
            Slip(first_rows, "those are the first words of each list. Look at the vectors, then choose."),
        ),
        praise="Both lists contain nothing but flowers and insects.",
    ),
)
