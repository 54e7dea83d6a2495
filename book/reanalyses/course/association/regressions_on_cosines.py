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


def other_list(table: Any) -> float:
    """Student's t for all divisions at once, from means and variances."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1]
    half = np.array(list(combinations(range(2 * n), n)))
    one, two = table[half].reshape(len(half), -1), table[half[::-1]].reshape(len(half), -1)
    pooled = (one.var(axis=1, ddof=1) + two.var(axis=1, ddof=1)) / 2
    t = (one.mean(axis=1) - two.mean(axis=1)) / np.sqrt(2 * pooled / (n * m))
    return float((2 * stats.t.sf(np.abs(t), 2 * n * m - 2) < 0.05).mean())


def other_list_by_scipy(table: Any) -> float:
    """SciPy's test for all divisions."""
    return false_share(np.asarray(table))


def other_list_by_regression(table: Any) -> float:
    """The correlation of the cosines with the group, which has the same p-value as the regression."""
    from scipy import stats

    n, m = table.shape
    y = table.ravel() - table.mean()
    significant = []
    for half in combinations(range(n), n // 2):
        x = np.full(n, -1.0)
        x[list(half)] = 1
        r = np.repeat(x, m) @ y / np.sqrt(n * m * (y @ y))
        t = r * np.sqrt((n * m - 2) / (1 - r**2))
        significant.append(2 * stats.t.sf(abs(t), n * m - 2) < 0.05)
    return float(np.mean(significant))


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


def tiled_without_copies(table: Any, n_copies: int) -> list[float]:
    """Copies leave means and sums of squares in proportion, so that none is needed."""
    from scipy import stats

    n, m = len(table) // 2, table.shape[1] * n_copies
    first, second = table[:n], table[n:]
    difference = second.mean() - first.mean()
    squares = n_copies * (((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())
    t = difference / np.sqrt(squares / (2 * n * m - 2) * 2 / (n * m))
    total, sums = table.mean(axis=1).sum(), table.mean(axis=1)
    apart = [abs(2 * sums[list(half)].sum() - total) / n for half in combinations(range(2 * n), n)]
    p_words = np.mean(np.array(apart) >= abs(difference) - 1e-12)
    return [float(difference), float(2 * stats.t.sf(abs(t), 2 * n * m - 2)), float(p_words)]


def tiled_by_regression(table: Any, n_copies: int) -> dict[str, float]:
    """The slope on the group with its naive error, and SciPy's permutation test of the words."""
    from scipy import stats

    many = np.tile(np.asarray(table, float), n_copies)
    group = np.repeat([0.0, 1.0], many.size // 2)
    fit = stats.linregress(group, many.ravel())
    means, n = many.mean(axis=1), len(many) // 2
    test = stats.permutation_test(
        (means[n:], means[:n]),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        n_resamples=np.inf,
        vectorized=True,
    )
    return {"difference": fit.slope, "p by pairs": fit.pvalue, "p by words": test.pvalue}


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


def stripes_by_repeats(noise: Any) -> list[Any]:
    """One column for all columns, and one row for all rows, with a little noise."""
    n, m = noise.shape
    return [np.tile(noise[:, :1], m) + 0.01 * noise, np.tile(noise[:1], (n, 1)) + 0.01 * noise]


def stripes_by_means(noise: Any) -> tuple[Any, Any]:
    """Blow up the means of the rows; take them away, and add a column of large numbers."""
    rows = noise.mean(axis=1, keepdims=True)
    flat = noise - rows
    flat[:, 0] += 20
    return noise + 20 * rows, flat


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
        solutions=(other_list, other_list_by_scipy, other_list_by_regression),
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
        solutions=(tiled, tiled_without_copies, tiled_by_regression),
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
        many=True,
        solutions=(stripes, stripes_by_repeats, stripes_by_means),
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
