"""Exercises of the lesson "Comparing models"."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. bonferroni


def any_p(rng: np.random.Generator) -> Data:
    names = np.array(["ada", "bea", "cy", "dan", "eve"])
    # Against the best: one significant, one tied by Bonferroni only, one tied by both corrections, one always tied.
    against = rng.permutation(
        [rng.uniform(1e-6, 1e-5), rng.uniform(0.006, 0.009), rng.uniform(0.02, 0.04), rng.uniform(0.2, 0.9)]
    )
    others = rng.uniform(1e-6, 1e-3, 6)
    return {"names": names, "p": np.concatenate([against, others]), "best": 0}


def five_encoders() -> Data:
    from scipy import stats

    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    names = ["E5", "MiniLM", "USE", "GloVe", "SmolLM2"]
    gold = experiments.collection().gold
    H = np.array([encoders.load(name, "yang").ranks(gold) <= 10 for name in names], dtype=int)
    first, second = np.transpose(list(combinations(range(5), 2)))
    D = H[first] - H[second]
    p = [stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue for d in D]
    return {"names": np.array(names), "p": np.array(p), "best": int(H.mean(axis=1).argmax())}


def bonferroni(names: Any, p: Any, best: int) -> set[str]:
    """Return the models that are tied with the best after Bonferroni's correction."""
    n = len(names)
    B = np.ones((n, n))
    first, second = np.triu_indices(n, 1)
    B[first, second] = B[second, first] = len(p) * p
    return {str(name) for name, q in zip(names, B[best], strict=True) if q > 0.05}


def raw_p(names: Any, p: Any, best: int) -> set[str]:
    return bonferroni(names, np.asarray(p) / len(p), best)


def holm(names: Any, p: Any, best: int) -> set[str]:
    order = np.argsort(p)
    grown = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))[np.argsort(order)]
    return bonferroni(names, grown / len(p), best)


# 2. by-module


def any_hits(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(15), rng.integers(2, 10, 15))
    hard = rng.uniform(0.3, 0.9, 15)[module]
    first, second = ((rng.uniform(size=len(module)) < hard + gain).astype(float) for gain in (0.1, -0.1))
    return {"first": first, "second": second, "module": module, "n_pairs": int(rng.integers(3, 15))}


def two_encoders() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    found = experiments.collection()
    _, module = np.unique(found.questions["module"], return_inverse=True)
    first, second = (
        (encoders.load(name, "yang").ranks(found.gold) <= 10).astype(float) for name in ("E5", "USE")
    )
    return {"first": first, "second": second, "module": module, "n_pairs": 10}


def by_module(first: Any, second: Any, module: Any, n_pairs: int) -> tuple[float, float]:
    """Return the jackknife standard error by module, and the difference that is detected with probability 0.8."""
    from scipy import stats

    d = first - second
    sizes = np.bincount(module)
    without = (d.sum() - np.bincount(module, d)) / (len(d) - sizes)
    error = np.sqrt((len(sizes) - 1) * without.var())
    factor = stats.norm.isf(0.05 / (2 * n_pairs)) + stats.norm.ppf(0.8)
    return float(error), float(factor * error)


def by_question(first: Any, second: Any, module: Any, n_pairs: int) -> tuple[float, float]:
    return by_module(first, second, np.arange(len(module)), n_pairs)


def one_pair_only(first: Any, second: Any, module: Any, n_pairs: int) -> tuple[float, float]:
    return by_module(first, second, module, 1)


def unpaired(first: Any, second: Any, module: Any, n_pairs: int) -> tuple[float, float]:
    one, other = (by_module(hits, 0 * hits, module, n_pairs) for hits in (first, second))
    return float(np.hypot(one[0], other[0])), float(np.hypot(one[1], other[1]))


# 3. bits


def any_documents(rng: np.random.Generator) -> Data:
    return {"D": rng.standard_normal((150, 40)) + 3 * rng.standard_normal(40)}


def e5() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    return {"D": encoders.load("E5", "yang").documents[0]}


def bits(D: Any) -> tuple[float, float]:
    """Return the fraction of dimensions with one sign in 95% of the texts, before and after centering."""
    found = []
    for X in (D, D - D.mean(axis=0)):
        above = (X > 0).mean(axis=0)
        found.append(float(((above < 0.05) | (above > 0.95)).mean()))
    return found[0], found[1]


def one_side_only(D: Any) -> tuple[float, float]:
    return float(((D > 0).mean(axis=0) > 0.95).mean()), bits(D)[1]


def row_means(D: Any) -> tuple[float, float]:
    return bits(D)[0], bits(D - D.mean(axis=1, keepdims=True))[0]


EXERCISES = (
    Exercise(
        name="bonferroni",
        number=1,
        objectives=(2,),
        asks="the names that are tied with the best, the best among them, as a list or a set",
        parts=("set",),
        own=five_encoders,
        draw=any_p,
        solution=bonferroni,
        slips=(
            # Check this case first, since the uncorrected set may be the same.
            Slip(holm, "that is the set by Holm's method. Multiply every p-value by the number of p-values."),
            Slip(raw_p, "you used uncorrected p-values, which are valid for a single pair."),
        ),
        praise="Holm's method is never stricter, and keeps the same promise.",
    ),
    Exercise(
        name="by-module",
        number=2,
        objectives=(1, 3),
        asks="two numbers: the standard error of the difference by modules, and the least difference to be found, as shares",
        parts=("standard error", "least difference"),
        own=two_encoders,
        draw=any_hits,
        decimals=(4, 3),
        solution=by_module,
        slips=(
            Slip(by_question, "you left out questions. Leave out whole modules."),
            Slip(one_pair_only, "your least difference is for one pair. How many pairs are compared?"),
            Slip(
                unpaired,
                "your comparison is unpaired. In a paired one, questions that are hard for both cancel.",
            ),
        ),
        praise="A hard module is hard for both.",
    ),
    Exercise(
        name="bits",
        number=3,
        objectives=(1, 2),
        asks="two shares of E5's dimensions with one sign for more than nineteen texts of twenty: as given, and without the mean",
        parts=("share as given", "share without the mean"),
        own=e5,
        draw=any_documents,
        decimals=(2, 2),
        solution=bits,
        slips=(
            Slip(one_side_only, "a dimension that is nearly always negative also has one sign."),
            Slip(row_means, "you subtracted the mean of each text. Subtract the mean of all texts."),
        ),
        praise="A bit that never changes says nothing.",
    ),
)
