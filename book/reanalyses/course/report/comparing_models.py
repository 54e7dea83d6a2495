"""Exercises of the lesson "Comparing models"."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.exercise import Data, Exercise, Slip

__all__ = ["EXERCISES"]


# 1. bonferroni


def draw_pvalues(rng: np.random.Generator) -> Data:
    names = np.array(["ada", "bea", "cy", "dan", "eve"])
    # Compared with the best, one model differs, one ties by Bonferroni only, one by both corrections, one always.
    with_best = rng.permutation(
        [rng.uniform(1e-6, 1e-5), rng.uniform(0.006, 0.009), rng.uniform(0.02, 0.04), rng.uniform(0.2, 0.9)]
    )
    others = rng.uniform(1e-6, 1e-3, 6)
    return {"names": names, "p": np.concatenate([with_best, others]), "best": 0}


def lesson_pvalues() -> Data:
    from scipy import stats

    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    names = ["E5", "MiniLM", "USE", "GloVe", "SmolLM2"]
    gold = experiments.collection().gold
    hits = np.array([encoders.load(name, "yang").ranks(gold) <= 10 for name in names], dtype=int)
    first, second = np.transpose(list(combinations(range(5), 2)))
    differences = hits[first] - hits[second]
    p = [stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue for d in differences]
    return {"names": np.array(names), "p": np.array(p), "best": int(hits.mean(axis=1).argmax())}


def tied_by_bonferroni(names: Any, p: Any, best: int) -> set[str]:
    """Return the names of the best model and of the models that do not differ from it after Bonferroni's correction."""
    n_models = len(names)
    corrected = np.ones((n_models, n_models))
    first, second = np.triu_indices(n_models, 1)
    corrected[first, second] = corrected[second, first] = len(p) * p
    return {str(name) for name, pvalue in zip(names, corrected[best], strict=True) if pvalue > 0.05}


def tied_without_correction(names: Any, p: Any, best: int) -> set[str]:
    return tied_by_bonferroni(names, np.asarray(p) / len(p), best)


def tied_by_holm(names: Any, p: Any, best: int) -> set[str]:
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))[np.argsort(order)]
    return tied_by_bonferroni(names, adjusted / len(p), best)


# 2. by-module


def draw_hits(rng: np.random.Generator) -> Data:
    module = np.repeat(np.arange(15), rng.integers(2, 10, 15))
    hit_rate = rng.uniform(0.3, 0.9, 15)[module]
    first, second = ((rng.uniform(size=len(module)) < hit_rate + gain).astype(float) for gain in (0.1, -0.1))
    return {"first": first, "second": second, "module": module}


def lesson_hits() -> Data:
    from reanalyses.roychowdhury2024 import experiments
    from reanalyses.roychowdhury2024.datasets import encoders

    dataset = experiments.collection()
    _, module = np.unique(dataset.questions["module"], return_inverse=True)
    first, second = (
        (encoders.load(name, "yang").ranks(dataset.gold) <= 10).astype(float) for name in ("E5", "USE")
    )
    return {"first": first, "second": second, "module": module}


def error_and_least_difference(first: Any, second: Any, module: Any) -> tuple[float, float]:
    """Return the jackknife standard error of the difference by module, and the difference detectable with power 0.8."""
    from scipy import stats

    d = first - second
    sizes = np.bincount(module)
    leave_one_out = (d.sum() - np.bincount(module, d)) / (len(d) - sizes)
    standard_error = np.sqrt((len(sizes) - 1) * leave_one_out.var())
    factor = stats.norm.isf(0.025) + stats.norm.ppf(0.8)
    return float(standard_error), float(factor * standard_error)


def error_by_question(first: Any, second: Any, module: Any) -> tuple[float, float]:
    return error_and_least_difference(first, second, np.arange(len(module)))


def difference_found_by_half(first: Any, second: Any, module: Any) -> tuple[float, float]:
    standard_error = error_and_least_difference(first, second, module)[0]
    return standard_error, 1.959964 * standard_error


def errors_without_pairing(first: Any, second: Any, module: Any) -> tuple[float, float]:
    models = (first, second)
    results = np.array([error_and_least_difference(hits, 0 * hits, module) for hits in models])
    error, detectable = np.hypot(results[0], results[1])
    return float(error), float(detectable)


# 3. bits


def draw_documents(rng: np.random.Generator) -> Data:
    return {"D": rng.standard_normal((150, 40)) + 3 * rng.standard_normal(40)}


def lesson_documents() -> Data:
    from reanalyses.roychowdhury2024.datasets import encoders

    return {"D": encoders.load("E5", "yang").documents[0]}


def one_signed_fractions(D: Any) -> tuple[float, float]:
    """Return the fraction of dimensions that have one sign in over 95% of the texts, before and after centering."""
    fractions = []
    for X in (D, D - D.mean(axis=0)):
        positive_rate = (X > 0).mean(axis=0)
        fractions.append(float(((positive_rate < 0.05) | (positive_rate > 0.95)).mean()))
    return fractions[0], fractions[1]


def positive_fraction_only(D: Any) -> tuple[float, float]:
    return float(((D > 0).mean(axis=0) > 0.95).mean()), one_signed_fractions(D)[1]


def fractions_without_row_means(D: Any) -> tuple[float, float]:
    return one_signed_fractions(D)[0], one_signed_fractions(D - D.mean(axis=1, keepdims=True))[0]


EXERCISES = (
    Exercise(
        name="bonferroni",
        number=1,
        objectives=(2,),
        asks="the names of the best model and of all models tied with it, as a list or a set",
        parts=("set",),
        lesson_data=lesson_pvalues,
        draw=draw_pvalues,
        solution=tied_by_bonferroni,
        slips=(
            # Check this case first, since the uncorrected set may be the same.
            Slip(tied_by_holm, "that is the set by Holm's method, not by Bonferroni's."),
            Slip(tied_without_correction, "uncorrected p-values are valid for a single pair."),
        ),
        praise="Holm's method is never stricter, and has the same nominal level.",
    ),
    Exercise(
        name="by-module",
        number=2,
        objectives=(1, 3),
        asks="two numbers, as fractions: the standard error of the difference by modules, and the least detectable difference",
        parts=("standard error", "least difference"),
        lesson_data=lesson_hits,
        draw=draw_hits,
        decimals=(4, 3),
        solution=error_and_least_difference,
        slips=(
            Slip(error_by_question, "you left out questions. Leave out whole modules."),
            Slip(
                difference_found_by_half,
                "half of the tests miss your least difference. It must be larger for 80% of them to find it.",
            ),
            Slip(errors_without_pairing, "use paired differences, in which hard questions cancel."),
        ),
        praise="A module that is hard for one model is hard for both.",
    ),
    Exercise(
        name="bits",
        number=3,
        objectives=(1,),
        asks="two fractions of E5's dimensions that have one sign in over 95% of the texts: as given, and without the mean",
        parts=("share as given", "share without the mean"),
        lesson_data=lesson_documents,
        draw=draw_documents,
        decimals=(2, 2),
        solution=one_signed_fractions,
        slips=(
            Slip(positive_fraction_only, "a dimension that is nearly always negative also has one sign."),
            Slip(fractions_without_row_means, "subtract the mean of all texts, not of each text."),
        ),
        praise="A bit that never changes carries no information.",
    ),
)
