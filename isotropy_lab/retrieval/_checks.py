"""Argument checks shared by several modules of this subpackage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks


def as_embeddings(
    questions: checks.Points, documents: checks.Points, names: tuple[str, str] = ("questions", "documents")
) -> tuple[checks.FloatArray, checks.FloatArray]:
    """Return two matrices with the same number of dimensions, without checking their values."""
    left, right = (
        checks.as_points(rows, name, finite=False)
        for rows, name in zip((questions, documents), names, strict=True)
    )
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"{names[0]} has {checks.how_many(left.shape[1], 'dimension')} (shape {left.shape}), "
            f"{names[1]} has {right.shape[1]} (shape {right.shape}); expected embeddings from the same model"
        )
    return left, right


def as_gold(gold: Any, n_questions: int, n_documents: int) -> npt.NDArray[np.int64]:
    """Return the position of each question's relevant document."""
    if gold is None:
        raise ValueError("gold is None; expected one document position for each question")
    is_object_vector = getattr(getattr(gold, "dtype", None), "kind", "") == "O" and gold.ndim == 1
    if is_object_vector or isinstance(gold, (list, tuple)):
        # Otherwise, checks.as_array would reject None among the integers without naming the question.
        gold = [math.nan if position is None else position for position in gold]
        if any(isinstance(position, str) for position in gold):
            raise TypeError(
                "gold contains names of documents; expected their positions (see gold_from_qrels)"
            )
    array = checks.as_array(gold, "gold", ndim=1, expected="one document position for each question")
    questions = checks.how_many(n_questions, "question")
    if array.shape[0] != n_questions:
        swapped = " (questions and documents may be swapped)" * (array.shape[0] == n_documents)
        raise ValueError(
            f"gold has {checks.how_many(array.shape[0], 'position')} for {questions}; "
            f"expected one document position for each question{swapped}"
        )
    if array.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(array))
        if missing.size:
            raise ValueError(
                f"gold is missing (NaN) for {missing.size} of {questions}, first for question {missing[0]}; "
                "expected one position for each question (drop questions without an answer)"
            )
    positions = as_integers(array, "gold", "positions")
    bad = np.flatnonzero((positions < 0) | (positions >= n_documents))
    if bad.size:
        advice = (
            "drop questions without an answer" if (positions < 0).any() else "if yours begin at 1, subtract 1"
        )
        raise ValueError(
            f"gold is outside the documents for {bad.size} of {questions}, first for question {bad[0]}, "
            f"from 0 ({positions[bad[0]]}); expected 0 to {n_documents - 1} ({advice})"
        )
    return positions


def as_integers(array: npt.NDArray[Any], name: str, noun: str) -> npt.NDArray[np.int64]:
    """Return whole numbers below 2⁶³ as int64; errors call them by `noun`, such as "ranks"."""
    if array.dtype.kind == "b":
        raise TypeError(f"{name} contains Booleans; expected integer {noun}")
    if array.dtype.kind in "fu":
        # Half precision cannot represent the limit.
        values = array.astype(np.float64) if array.dtype.itemsize < 8 else array
        with np.errstate(invalid="ignore"):
            bad = np.flatnonzero(~((values == np.rint(values)) & (np.abs(values) < 2.0**63)))
        if bad.size:
            raise ValueError(
                f"{name} has {array[bad[0]]} in entry {bad[0]}; expected integer {noun} below 2⁶³"
            )
    return array.astype(np.int64)


def check_n_best(k: Any, n_documents: int) -> int:
    """Return the number of retrieved documents, from 1 to `n_documents`."""
    return checks.check_integer(k, "k", low=1, high=n_documents, why=f"there are {n_documents} documents")


def as_ranks(ranks: Any, name: str = "ranks") -> npt.NDArray[np.int64]:
    """Return 1-based ranks, one per question; at least one question is required."""
    array = checks.as_array(ranks, name, ndim=1, expected="one rank for each question")
    if array.shape[0] == 0:
        raise ValueError(
            f"{name} is empty; expected the rank of the relevant document of at least one question"
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        checks.raise_if_not_finite(array, name, unit="entry")
    integers = as_integers(array, name, "ranks")
    bad = np.flatnonzero(integers < 1)
    if bad.size:
        hint = "" if integers.min() < 0 else ", or the RelevantRanks of a run, in which 0 means not listed"
        raise ValueError(
            f"{name} is below 1 for {bad.size} of {checks.how_many(integers.size, 'question')}, first for "
            f"question {bad[0]} ({integers[bad[0]]}); expected ranks that count from 1{hint}"
        )
    return integers


def check_same_questions(sizes: Mapping[str, int]) -> None:
    """Raise ValueError unless all arguments have the same number of questions."""
    if len(set(sizes.values())) > 1:
        sizes_text = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"{sizes_text} questions; expected results for the same questions in the same order")


def as_groups(groups: Any, n_questions: int) -> npt.NDArray[np.intp]:
    """Return the group of each question as an integer from 0 to G − 1; at least two are required."""
    labels = checks.as_labels(groups, "groups", length=n_questions, per="ranks")
    if labels.max() < 1:
        raise ValueError(
            f"groups has one group for all {n_questions} questions; expected at least 2 groups to resample"
        )
    return labels


def check_n_resamples(n_resamples: Any, confidence_level: float = 0.95) -> int:
    """Return a number of bootstrap samples that is large enough for the confidence level."""
    # The tolerance of 1e-9 is needed because 2/(1 − 0.95) is 40.000000000000036.
    minimum = max(40, math.ceil(2.0 / (1.0 - confidence_level) - 1e-9))
    why = f"fewer leave no sample outside the percentiles of a {100 * confidence_level:g}% interval"
    return checks.check_integer(n_resamples, "n_resamples", low=minimum, why=why)


def check_percentiles(psi: Any) -> npt.NDArray[np.float64]:
    """Return percentages from 0 to 100; reject numbers between 0 and 1, which look like fractions."""
    percentages = checks.as_array(np.atleast_1d(psi), "psi", ndim=1, expected="percentages")
    if percentages.dtype.kind == "b":
        raise TypeError(f"psi is {checks.describe(psi)}; expected a percentage from 0 to 100")
    if percentages.size == 0:
        raise ValueError("psi is empty; expected at least one percentage")
    array = np.asarray(percentages, dtype=np.float64)
    for value in array:
        if 0.0 < value < 1.0:
            raise ValueError(
                f"psi is {value:g}; expected 0 or a percentage from 1 to 100, such as 35 for 0.35"
            )
        checks.check_real(value, "psi", low=0.0, high=100.0)
    return array


def check_percentile(psi: Any) -> float:
    """Return one percentage from 0 to 100; reject numbers between 0 and 1, which look like fractions."""
    checks.check_real(psi, "psi", low=0.0, high=100.0)
    return float(check_percentiles(psi)[0])


def check_type(x: Any, name: str, expected_type: type) -> None:
    """Raise TypeError unless `x` is an instance of `expected_type`."""
    if not isinstance(x, expected_type):
        raise TypeError(f"{name} is {checks.describe(x)}; expected {expected_type.__name__}")


def check_models(models: Any, baseline: Any) -> list[str]:
    """Return the names of at least two models, including the baseline, if any."""
    if not isinstance(models, Mapping):
        raise TypeError(f"models is {checks.describe(models)}; expected a mapping from names to ranks")
    names = list(models)
    if len(names) < 2:
        raise ValueError(f"models has {checks.how_many(len(names), 'model')}; expected at least 2 to compare")
    for name in names:
        # A file name may contain lone surrogates.
        if isinstance(name, str) and name.encode("utf-8", "replace").decode() != name:
            raise ValueError(f"models has the name {name!r}; expected text that can be written as UTF-8")
    if baseline is not None and baseline not in names:
        raise ValueError(
            f"baseline is {baseline!r}; expected one of {', '.join(repr(name) for name in names)}"
        )
    return names
