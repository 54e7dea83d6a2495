"""Exercises of the lesson "Regressions on cosines".

A table has a word to a row, the first half of the rows being one group, and an adjective to a column.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Criterion, Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]


def divisions(n: int) -> tuple[Any, Any]:
    """Return all ways to divide n words in halves: the rows of one half, and of the other."""
    half = np.array(list(combinations(range(n), n // 2)))
    return half, half[::-1]


def false_share(table: Any) -> float:
    """Return in which share of the divisions the test by pairs rejects at 0.05."""
    from scipy import stats

    half, rest = divisions(len(table))
    one, two = (table[rows].reshape(len(half), -1) for rows in (half, rest))
    return float((stats.ttest_ind(one, two, axis=1).pvalue < 0.05).mean())


def _lesson_table(attribute: str) -> Any:
    from reanalyses.kindel2023 import experiments

    pairs = experiments.design_pairs("glove-weat", attribute=attribute)
    names = list(dict.fromkeys(pairs["a"]))
    return pairs.pivot(index="a", columns="b", values="cosine").loc[names].to_numpy()


# 1. other-list


def any_table(rng: np.random.Generator) -> Data:
    words = float(rng.uniform(0.4, 0.9)) * rng.standard_normal((10, 1))
    return {"table": 0.3 + 0.1 * (words + rng.standard_normal((10, 6)))}


def other_list_by_scipy(table: Any) -> float:
    """SciPy's test for all divisions."""
    return false_share(np.asarray(table))


def one_sided(table: Any) -> float:
    from scipy import stats

    half, rest = divisions(len(table))
    one, two = (table[rows].reshape(len(half), -1) for rows in (half, rest))
    return float((stats.ttest_ind(one, two, axis=1, alternative="greater").pvalue < 0.05).mean())


def by_word_means(table: Any) -> float:
    return false_share(np.asarray(table).mean(axis=1, keepdims=True))


# 2. tiled


def any_tile(rng: np.random.Generator) -> Data:
    return {
        "table": 0.3 + 0.1 * (0.5 * rng.standard_normal((8, 1)) + rng.standard_normal((8, 5))),
        "n_copies": int(rng.integers(2, 6)),
    }


def tiled(table: Any, n_copies: int) -> tuple[float, float, float]:
    """The difference, Student's t on the copies, and the share of the divisions of the words."""
    from scipy import stats

    many = np.tile(table, n_copies)
    n = len(many) // 2
    first, second = many[:n], many[n:]
    means = many.mean(axis=1)
    half = np.array(list(combinations(range(2 * n), n)))
    apart = means[half].mean(axis=1) - means[half[::-1]].mean(axis=1)
    difference = second.mean() - first.mean()
    p_pairs = stats.ttest_ind(second.ravel(), first.ravel()).pvalue
    return float(difference), float(p_pairs), float((np.abs(apart) >= abs(difference) - 1e-12).mean())


def words_tiled_too(table: Any, n_copies: int) -> tuple[float, float, float]:
    return tiled(table, 1)


# 3. stripes


def any_shape(rng: np.random.Generator) -> Data:
    return {"noise": rng.standard_normal((8, int(rng.integers(5, 9))))}


def stripes(noise: Any) -> tuple[Any, Any]:
    """Words that differ and columns that do not, and the other way around."""
    n, m = noise.shape
    striped = 5 * np.arange(n)[:, None] + 0.1 * noise
    columns = 5 * np.arange(m) + 0.1 * noise
    return striped, columns


def no_stripes(noise: Any) -> tuple[Any, Any]:
    return noise, noise


def exchanged(noise: Any) -> tuple[Any, Any]:
    striped, columns = stripes(noise)
    return columns, striped


def judge_stripes(answer: Any, noise: Any) -> None:
    parts = answers.taken_apart(answer, ("striped table", "table without stripes"))
    for name, part in zip(("striped table", "table without stripes"), parts, strict=True):
        table = answers.rows(part, name, noise.shape[1], len(noise))
        if np.ptp(table) == 0:
            raise Wrong(f"all numbers of your {name} are equal: there is nothing to test.")
        with np.errstate(all="ignore"):
            share = false_share(table)
        if name == "striped table" and share < 0.4:
            raise Wrong(
                f"the test rejects in {share:.0%} of the divisions of your first table; make it 40% or more."
            )
        if name != "striped table" and share > 0.01:
            raise Wrong(
                f"the test rejects in {share:.1%} of the divisions of your second table; make it 1% or less."
            )


EXERCISES = (
    Exercise(
        name="other-list",
        number=1,
        level="warm-up",
        minutes=3,
        objectives=(2,),
        asks="the share of the divisions that the test by pairs rejects, for the pleasant words",
        parts=("share",),
        own=lambda: {"table": _lesson_table("C")},
        draw=any_table,
        solution=other_list_by_scipy,
        slips=(
            Slip(one_sided, "the test of the lesson is two-sided."),
            Slip(
                by_word_means,
                "you tested means of words. The test by pairs takes every cosine for an observation.",
            ),
        ),
        praise="The stripes are weaker than in the other table, and are there.",
    ),
    Exercise(
        name="tiled",
        number=2,
        level="practice",
        minutes=6,
        objectives=(1, 2, 3),
        asks="three numbers: the difference (second half of the words less the first), p by pairs, p by words",
        parts=("difference", "p by pairs", "p by words"),
        own=lambda: {"table": _lesson_table("D"), "n_copies": 10},
        draw=any_tile,
        atol=1e-30,
        solution=tiled,
        slips=(Slip(words_tiled_too, "that is what you get without the copies."),),
        praise="Not one new word was looked at.",
    ),
    Exercise(
        name="stripes",
        number=3,
        level="open-ended",
        minutes=10,
        objectives=(2, 3),
        asks="two tables: one that is rejected in half of the divisions, and one that hardly ever is",
        own=lambda: {"noise": np.random.default_rng(0).standard_normal((16, 8))},
        draw=any_shape,
        judge=judge_stripes,
        slips=(
            Slip(no_stripes, "noise has neither stripes of words nor of columns."),
            Slip(exchanged, "your tables are exchanged: the one that is rejected comes first."),
        ),
        praise="Data of the second kind are paired.",
        rubric=(
            Criterion(
                "The two tables",
                (
                    "One of them.",
                    "Both, found by trying.",
                    "Both, made on purpose: rows that differ, and columns that do.",
                ),
            ),
            Criterion(
                "Why the test goes wrong both ways",
                (
                    "Not said.",
                    "The rows are not independent.",
                    "Says which variance the naive standard error leaves out, and which it counts in vain.",
                ),
            ),
            Criterion(
                "Own data of the second kind",
                ("None.", "An example.", "An example, and the paired test that belongs to it."),
            ),
        ),
    ),
)
