"""Ranked documents, their similarities, and thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import (
    FloatArray,
    Points,
    as_array,
    as_points,
    describe,
    how_many,
    raise_if_not_finite,
)
from isotropy_lab._checks.options import check_integer, check_real


def as_embeddings(
    questions: Points, documents: Points, names: tuple[str, str] = ("questions", "documents")
) -> tuple[FloatArray, FloatArray]:
    """Return two matrices of embeddings with the same number of dimensions, their values not looked at yet."""
    left, right = as_points(questions, names[0], finite=False), as_points(documents, names[1], finite=False)
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"{names[0]} has {how_many(left.shape[1], 'dimension')} (shape {left.shape}), {names[1]} has "
            f"{right.shape[1]} (shape {right.shape}); expected embeddings by one model"
        )
    return left, right


def as_gold(gold: Any, n_questions: int, n_documents: int, name: str = "gold") -> npt.NDArray[np.int64]:
    """Return the position of the right document of every question."""
    if gold is None:
        raise ValueError(f"{name} is None; expected one document position for each question")
    objects = getattr(getattr(gold, "dtype", None), "kind", "") == "O" and gold.ndim == 1
    if objects or isinstance(gold, (list, tuple)):
        # None beside whole numbers, which as_array would take for any object
        gold = [math.nan if place is None else place for place in gold]
    array = as_array(gold, name, ndim=1, expected="one document position for each question")
    if array.shape[0] != n_questions:
        raise ValueError(
            f"{name} has {how_many(array.shape[0], 'position')} for {how_many(n_questions, 'question')}; "
            "expected one document position for each question"
        )
    if array.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(array))
        if missing.size:
            raise ValueError(
                f"{name} is missing (NaN) for {missing.size} of {how_many(n_questions, 'question')}, first for "
                f"question {missing[0]}; expected one document position for each: drop questions without an answer"
            )
    positions = _as_whole_numbers(array, name, "positions")
    bad = np.flatnonzero((positions < 0) | (positions >= n_documents))
    if bad.size:
        raise ValueError(
            f"{name} is outside the documents for {bad.size} of {how_many(n_questions, 'question')}, first for "
            f"question {bad[0]} ({positions[bad[0]]}); expected positions from 0 to {n_documents - 1}"
        )
    return positions


def _as_whole_numbers(array: npt.NDArray[Any], name: str, what: str) -> npt.NDArray[np.int64]:
    if array.dtype.kind == "b":
        raise TypeError(f"{name} holds truth values; expected {what}, whole numbers")
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~(np.isfinite(array) & (array == np.rint(array))))
        if bad.size:
            raise ValueError(f"{name} has {array[bad[0]]} in entry {bad[0]}; expected {what}, whole numbers")
    if array.dtype.kind in "fu":
        far = np.flatnonzero((array >= 2.0**63) | (array < -(2.0**63)))
        if far.size:
            raise ValueError(
                f"{name} has {array[far[0]]} in entry {far[0]}; expected {what}, whole numbers below 2⁶³"
            )
    return array.astype(np.int64)


def check_n_best(k: Any, n_documents: int) -> int:
    """Return the number of documents that are retrieved, from 1 to all."""
    return check_integer(k, "k", low=1, high=n_documents, why=f"there are {n_documents} documents")


def as_ranks(ranks: Any, name: str = "ranks") -> npt.NDArray[np.int64]:
    """Return 1-based ranks, one for each question, at least one."""
    array = as_array(ranks, name, ndim=1, expected="one rank for each question")
    if array.shape[0] == 0:
        raise ValueError(
            f"{name} is empty; expected the rank of the right document for at least one question"
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise_if_not_finite(array, name, unit="entry")
    numbers = _as_whole_numbers(array, name, "ranks")
    bad = np.flatnonzero(numbers < 1)
    if bad.size:
        raise ValueError(
            f"{name} is below 1 for {bad.size} of {how_many(numbers.size, 'question')}, first for question {bad[0]} "
            f"({numbers[bad[0]]}); expected ranks that count from 1"
        )
    return numbers


def check_same_questions(sizes: Mapping[str, int]) -> None:
    """Raise ValueError unless all arguments are about equally many questions."""
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} is about {size}" for name, size in sizes.items())
        raise ValueError(f"{found} questions; expected the same questions in the same order")


def check_bootstraps(n_bootstraps: Any, confidence: float) -> int:
    """Return the number of bootstrap samples, enough that each end of the interval leaves out at least one."""
    return check_resample_count(n_bootstraps, confidence, "n_bootstraps")


def check_resample_count(number: Any, confidence: float, name: str = "n_resamples") -> int:
    """Return the number of samples, enough that each end of an interval of percentiles leaves out at least one."""
    # 1e-9: 2/(1 − 0.95) is 40.000000000000036.
    low = max(40, math.ceil(2.0 / (1.0 - confidence) - 1e-9))
    return check_integer(
        number,
        name,
        low=low,
        why=f"fewer leave no sample outside the percentiles of a {100 * confidence:g}% interval",
    )


def as_top_similarities(x: Any, name: str = "similarities") -> npt.NDArray[np.float64]:
    """Return the similarities of each question's best documents, in descending order along rows."""
    array = as_array(x, name, ndim=2, expected="a matrix of shape (Q, K): the K best of each question")
    if 0 in array.shape:
        raise ValueError(
            f"{name} is empty (shape {array.shape}); expected at least 1 question and 1 document"
        )
    values: npt.NDArray[np.float64] = np.asarray(array, dtype=np.float64)
    raise_if_not_finite(values, name)
    rising = np.flatnonzero((np.diff(values, axis=1) > 0).any(axis=1))
    if rising.size:
        raise ValueError(
            f"{name} rises along {rising.size} of {len(values)} rows, first in row {rising[0]}; expected the best "
            "document first, as from top_k"
        )
    return values


def check_percentiles(psi: Any, name: str = "psi") -> npt.NDArray[np.float64]:
    """Return percentages from 0 to 100; a number between 0 and 1 is taken for a share and refused."""
    given = as_array(np.atleast_1d(psi), name, ndim=1, expected="percentages")
    if given.dtype.kind == "b":
        raise TypeError(f"{name} is {describe(psi)}; expected a percentage from 0 to 100")
    array = np.asarray(given, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} is empty; expected at least one percentage")
    for value in array:
        if 0.01 <= value < 1.0:
            raise ValueError(
                f"{name} is {value:g}; expected a percentage from 0 to 100: for a share of {value:g} pass {100 * value:g}"
            )
        if 0.0 < value < 0.01:
            raise ValueError(
                f"{name} is {value:g}; expected 0 or a percentage from 1 to 100: what lies between may be meant as a share"
            )
        check_real(value, name, low=0.0, high=100.0)
    return array


def as_question_set(x: Any, name: str, n_questions: int) -> npt.NDArray[np.intp]:
    """Return the positions of some questions, given as positions or as a truth value for each question."""
    array = as_array(x, name, ndim=1, expected="positions of questions, or a truth value for each")
    if array.dtype.kind == "b":
        if array.size != n_questions:
            raise ValueError(
                f"{name} has {array.size} truth values for {how_many(n_questions, 'question')}; expected one for each"
            )
        positions = np.flatnonzero(array)
    else:
        positions = _as_whole_numbers(array, name, "positions of questions").astype(np.intp)
    if positions.size == 0:
        raise ValueError(f"{name} has no questions; expected at least one")
    bad = positions[(positions < 0) | (positions >= n_questions)]
    if bad.size:
        raise ValueError(f"{name} has position {bad[0]}; expected positions from 0 to {n_questions - 1}")
    if np.unique(positions).size < positions.size:
        raise ValueError(f"{name} names a question twice; expected each at most once")
    return positions


def check_halves(calibration: npt.NDArray[np.intp], report: npt.NDArray[np.intp]) -> None:
    """Raise ValueError if a threshold would be reported on questions that it was chosen with."""
    if report.size == 0:
        raise ValueError(
            "calibration takes all questions and leaves none to report on; expected other questions for the report"
        )
    shared = np.intersect1d(calibration, report)
    if shared.size:
        raise ValueError(
            f"calibration and report share {how_many(int(shared.size), 'question')}, first {shared[0]}; expected other "
            "questions for the report, since a threshold looks harmless on those that it was chosen with"
        )


def check_halves_possible(n_left: int, n_questions: int, *, whole: bool) -> None:
    """Raise ValueError unless questions are left to choose a threshold with, and two to be divided."""
    if whole and n_questions < 2:
        raise ValueError(
            f"ranks has {how_many(n_questions, 'question')}; expected at least 2, some to choose the threshold with and "
            "others to report on"
        )
    if n_left == 0:
        raise ValueError(
            "report takes all questions and leaves none to choose the threshold with; expected other questions for the "
            "calibration"
        )


def check_margin_reachable(
    bound: float, margin: float, n_questions: int, z: float, *, nothing_lost: bool
) -> None:
    """Raise ValueError if not even the lowest threshold can be shown to lose no more than the margin."""
    if bound > margin:
        cause = (
            f"a threshold that loses nothing needs {math.ceil(z**2 * (1.0 - margin) / margin)}"
            if nothing_lost
            else "lower percentages may help, too"
        )
        raise ValueError(
            f"margin is {margin:g}, but with {how_many(n_questions, 'calibration question')} even the lowest threshold "
            f"may lose up to {bound:.3g}; expected a larger margin, or more questions ({cause})"
        )


def check_kind(x: Any, name: str, kind: type) -> None:
    """Raise TypeError unless `x` is of this kind."""
    if not isinstance(x, kind):
        raise TypeError(f"{name} is {describe(x)}; expected {kind.__name__}")


def check_other_documents(n_documents: int) -> None:
    """Raise ValueError if there is no document beside the right one."""
    if n_documents < 2:
        raise ValueError("documents has 1 point; expected at least 2, so that one is not the right document")


def check_bandwidth_used(method: str) -> None:
    """Raise ValueError if a bandwidth is given where there is no kernel."""
    if method != "kde":
        raise ValueError(f"bandwidth is given with method={method!r}; expected method='kde', or no bandwidth")


def check_density_spread(spread: float, name: str) -> None:
    """Raise ValueError for values that are all equal, which have no density."""
    if not spread > 0:
        raise ValueError(
            f"{name} has equal values only, which have no density; expected values that differ, or a bandwidth"
        )


def check_percentile(psi: Any, name: str = "psi") -> float:
    """Return one percentage from 0 to 100; a number between 0 and 1 is taken for a share and refused."""
    check_real(psi, name, low=0.0, high=100.0)
    return float(check_percentiles(psi, name)[0])


def check_some_sizes(number: int, name: str) -> None:
    """Raise ValueError if no size is given."""
    if number == 0:
        raise ValueError(f"{name} is empty; expected at least one number of questions")


def check_width_possible(root: float, width: float, deviation: float) -> None:
    """Raise ValueError if an interval is so narrow that no number of questions gives it."""
    if not root < 1e150:
        raise ValueError(
            f"width is {width:g} at a deviation of {deviation:g}, for which no number of questions will do; expected a "
            "wider interval"
        )


def check_correction_possible(product: float, size: int, n_questions: int) -> None:
    """Raise ValueError beyond the pole of the correction for skewness, where acceleration times z reaches 1."""
    if not product < 1.0:
        raise ValueError(
            f"method is 'bca' with samples of {size} from {n_questions} questions, whose values are too skewed for that "
            "correction; expected method='percentile', or samples of all questions"
        )


def check_metric_varies(spread: float, metric: str, n_questions: int) -> None:
    """Raise ValueError if all questions score alike, where no sample varies."""
    if not spread > 0:
        raise ValueError(
            f"ranks have the same {metric} for all {n_questions} questions; expected some hits and some misses, or no "
            "sample varies: bootstrap_accuracy gives Wilson's interval"
        )
