"""Graded relevance: judgments, ranks of several relevant documents, and scores of questions."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_gold, as_integers, as_ranks

__all__ = ["RelevantRanks", "question_scores"]

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

METRICS = ("accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map")
WITHOUT_K = ("mrr", "map")  # metrics that may count all ranks
_EXPECTED = "one document position for each question, a row of positions, or a mapping with grades"


@dataclass(frozen=True, eq=False, repr=False)
class RelevantRanks(Result):
    """Ranks of all relevant documents of Q questions, with at most k documents per question.

    Attributes
    ----------
    ranks : numpy.ndarray of shape (Q, k), int64
        Ranks from 1, ascending along rows. Relevant documents that a run does not list come last, with rank
        0; rows with fewer than k documents are padded with 0.
    grades : numpy.ndarray of shape (Q, k), int64
        Grades of these documents, from 1, padded with 0.
    documents : numpy.ndarray of shape (Q, k), int64 or str
        Positions of these documents, padded with −1; or their IDs in a run, padded with empty strings.
    questions : tuple of str, or None
        IDs of the questions of a run, in the order of the rows.
    """

    ranks: Integers
    grades: Integers
    documents: NDArray[Any]
    questions: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        first, ten = (judged_scores(self.ranks, self.grades, "accuracy", k).mean() for k in (1, 10))
        text = f"first for {first:.1%}, in the top 10 for {ten:.1%}"
        return f"<RelevantRanks of {checks.how_many(len(self.ranks), 'question')}: {text}>"

    @property
    def best(self) -> Integers:
        """Rank of each question's highest-ranked relevant document, of shape (Q,); 0 if a run lists none."""
        return self.ranks[:, 0].copy()

    @property
    def n_relevant(self) -> Integers:
        """Number of relevant documents of each question, of shape (Q,)."""
        return np.asarray((self.grades > 0).sum(axis=1), dtype=np.int64)

    def at_least(self, grade: int) -> RelevantRanks:
        """Return a copy in which only documents with this grade or higher are relevant.

        Raises
        ------
        TypeError, ValueError
            If `grade` is not a positive integer, or if a question has no document with such a grade.
        """
        minimum = checks.check_integer(grade, "grade", low=1)
        keep = self.grades >= minimum
        empty = np.flatnonzero(~keep.any(axis=1))
        if empty.size:
            first = empty[0] if self.questions is None else repr(self.questions[empty[0]])
            raise ValueError(
                f"grade is {minimum}, but {empty.size} of {checks.how_many(len(keep), 'question')} have no "
                f"document of that grade or higher (first: question {first}); expected at least one per "
                "question"
            )
        order = np.argsort(~keep, axis=1, kind="stable")[:, : keep.sum(axis=1).max()]
        keep = np.take_along_axis(keep, order, axis=1)
        no_document = "" if self.documents.dtype.kind == "U" else -1
        arrays = {
            name: np.where(keep, np.take_along_axis(getattr(self, name), order, axis=1), padding)
            for name, padding in (("ranks", 0), ("grades", 0), ("documents", no_document))
        }
        return RelevantRanks(**arrays, questions=self.questions)


# --- judgments ----------------------------------------------------------------------------------------------


def as_judgments(gold: Any, n_questions: int, n_documents: int) -> tuple[Integers, Integers]:
    """Return the ascending positions and the grades of relevant documents, padded with −1 and 0."""
    if isinstance(gold, Mapping):
        return _from_mapping(gold, n_questions, n_documents)
    rows, sizes = _padded_rows(gold), (n_questions, n_documents)
    positions = as_gold(gold, *sizes)[:, None] if rows is None else _positions_of_rows(rows, *sizes)
    return positions, np.asarray(positions >= 0, dtype=np.int64)


def _padded_rows(gold: Any) -> Any:
    """Return rows of positions, padded to equal length, or None if `gold` is a vector of positions."""
    if not isinstance(gold, (list, tuple)):
        if len(getattr(gold, "shape", ())) == 2:
            return gold
        if getattr(getattr(gold, "dtype", None), "kind", "") != "O" or gold.ndim != 1:
            return None
    if not any(map(_is_row, gold)):
        return None
    rows = [list(row) if _is_row(row) else [row] for row in gold]
    width = max(map(len, rows))
    return [
        [*(math.nan if entry is None else entry for entry in row), *[-1] * (width - len(row))] for row in rows
    ]


def _is_row(entry: Any) -> bool:
    return isinstance(entry, (set, frozenset)) or (
        isinstance(entry, (list, tuple, np.ndarray)) and np.ndim(entry) == 1
    )


def _positions_of_rows(gold: Any, n_questions: int, n_documents: int) -> Integers:
    array = checks.as_array(gold, "gold", ndim=2, expected=_EXPECTED)
    if len(array) != n_questions:
        raise ValueError(
            f"gold has {checks.how_many(len(array), 'row')} for {checks.how_many(n_questions, 'question')}; "
            f"expected {_EXPECTED}"
        )
    if array.dtype.kind == "f":
        _raise_if_any(
            (array != np.rint(array)).any(axis=1),
            "has no whole number for {}; expected positions, and −1 as padding",
        )
    positions = as_integers(array.ravel(), "gold", "positions").reshape(array.shape)
    _raise_if_any(
        ((positions < -1) | (positions >= n_documents)).any(axis=1),
        f"is outside the documents for {{}}; expected positions from 0 to {n_documents - 1}, and −1 as "
        "padding",
    )
    _raise_if_any(
        (positions < 0).all(axis=1),
        "has no document for {}; expected at least one (drop questions without an answer)",
    )
    positions = np.sort(np.where(positions < 0, n_documents, positions), axis=1)
    is_repeated = (positions[:, 1:] == positions[:, :-1]) & (positions[:, 1:] < n_documents)
    _raise_if_any(is_repeated.any(axis=1), "has a document twice for {}; expected each document once")
    positions[positions == n_documents] = -1
    return np.ascontiguousarray(positions[:, : (positions >= 0).sum(axis=1).max()])


def _raise_if_any(is_invalid: Any, message: str) -> None:
    """Raise ValueError if any questions are invalid, reporting their number and the first one."""
    if is_invalid.any():
        total = checks.how_many(is_invalid.size, "question")
        questions = f"{is_invalid.sum()} of {total}, first for question {is_invalid.argmax()} (from 0)"
        raise ValueError("gold " + message.format(questions))


def _from_mapping(gold: Mapping[Any, Any], n_questions: int, n_documents: int) -> tuple[Integers, Integers]:
    judged: list[list[tuple[int, int]]] = [[] for _ in range(n_questions)]
    for question, grades in gold.items():
        row = _check_position(question, "question", n_questions)
        for document, value in _entries(grades, row):
            position = _check_position(document, "document", n_documents)
            grade = as_grade(value, f"gold of question {row} has a grade for document {position} that")
            if grade > 0:
                judged[row].append((position, grade))
    _raise_if_any(
        np.array([not row for row in judged], dtype=bool),
        "has no grade above 0 for {}; expected at least one (drop questions without an answer)",
    )
    positions = np.full((n_questions, max(map(len, judged))), -1, dtype=np.int64)
    grade_rows = np.zeros(positions.shape, dtype=np.int64)
    for row, entries in enumerate(judged):
        positions[row, : len(entries)], grade_rows[row, : len(entries)] = zip(*sorted(entries), strict=True)
    return positions, grade_rows


def _entries(grades: Any, row: int) -> list[tuple[Any, Any]]:
    """Return a question's documents with their grades, which are 1 if only positions are given."""
    if isinstance(grades, Mapping):
        return list(grades.items())
    grades = [grades] if isinstance(grades, (int, np.integer)) else grades
    if not _is_row(grades):
        raise TypeError(
            f"gold of question {row} is {checks.describe(grades)}; expected a mapping of document positions "
            "to grades, or a list of positions"
        )
    if len(set(grades)) < len(grades):
        raise ValueError(f"gold lists a document twice for question {row}; expected each document once")
    return [(document, 1) for document in grades]


def _check_position(key: Any, noun: str, size: int) -> int:
    if isinstance(key, str):
        raise TypeError(
            f"gold contains {noun} {key!r}; expected positions (gold_from_qrels converts IDs of a qrels file)"
        )
    try:
        position = operator.index(key)
    except TypeError:
        raise TypeError(f"gold contains {noun} {key!r}; expected integer positions") from None
    if not 0 <= position < size:
        raise ValueError(f"gold contains {noun} {position}; expected positions from 0 to {size - 1}")
    return position


def as_grade(value: Any, subject: str) -> int:
    """Return a grade as an integer, below 1 if not relevant; `subject` is the start of an error message."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        if isinstance(value, (float, np.floating)) and float(value).is_integer():  # a float from a data frame
            value = int(value)
        grade = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{subject} is {value!r} ({type(value).__name__}); expected a whole number (0 if not relevant)"
        ) from None
    if abs(grade) >= 10**9:
        raise ValueError(f"{subject} is {grade}; expected a whole number of at most 9 digits")
    return grade


def judged_ranks(ranks: Any, name: str = "ranks") -> tuple[Integers, Integers]:
    """Return ranks and grades of shape (Q, k); for a vector of ranks, k is 1 and all grades are 1."""
    if isinstance(ranks, RelevantRanks):
        return ranks.ranks, ranks.grades
    column = as_ranks(ranks, name)[:, None]
    return column, np.ones(column.shape, dtype=np.int64)


# --- scores -------------------------------------------------------------------------------------------------


def check_metric(metric: Any, k: Any) -> int | None:
    """Return the last rank that counts, or None if all ranks count."""
    checks.check_option(metric, "metric", METRICS)
    if k is None and metric not in WITHOUT_K:
        raise ValueError(f"k is None with metric {metric!r}; expected the number of documents retrieved")
    return None if k is None else checks.check_integer(k, "k", low=1)


def question_scores(ranks: Any, metric: str, *, k: int | None = 10) -> NDArray[np.float64]:
    """Return the score of each question, from 0 to 1; the mean of the scores is the metric.

    Parameters
    ----------
    ranks : RelevantRanks, or array-like of shape (Q,)
        Result of `relevant_ranks` or `run_ranks`; or the rank of each question's only relevant document.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}
        "accuracy": 1 if a relevant document is among the first k, else 0. "recall": the fraction of the
        relevant documents that are among the first k. "ndcg": the discounted gain Σ g/log₂(1 + rank) over the
        relevant documents among the first k, divided by its maximum over all rankings; the gain g is the
        grade. "ndcg-exponential": the same with g = 2^grade − 1. The other metrics count grades from 1 as
        relevant; `RelevantRanks.at_least` sets another limit. "mrr": 1/rank of the first relevant document.
        "map": the average precision, Σ (relevant documents up to this rank)/rank over the relevant documents
        among the first k, divided by the number of all relevant documents.
    k : int or None, default 10
        Last rank that counts; None for all ranks, allowed only with "mrr" and "map".

    Returns
    -------
    numpy.ndarray of shape (Q,), float64
        Scores in [0, 1]; 1 is best.

    Raises
    ------
    TypeError, ValueError
        If ranks are not positive integers or are empty; if `k` is 0, or None for a metric that needs it; if
        an option does not exist; or if a grade is above 50 with "ndcg-exponential".

    Notes
    -----
    Relevant documents that a run does not list score 0. With one relevant document per question, recall
    equals accuracy, and average precision is 1/rank. Linear gains ignore a factor on all grades. Cost: O(Q k)
    time. Equals trec_eval's ``success``, ``recall``, ``ndcg_cut``, ``recip_rank``, ``map``, and ``map_cut``.
    Järvelin and Kekäläinen (2002); Burges et al. (2005) for exponential gains.

    Examples
    --------
    >>> from isotropy_lab.retrieval import question_scores, relevant_ranks
    >>> documents = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]
    >>> result = relevant_ranks([[1.0, 0.1]], documents, {0: {0: 1, 2: 3}})
    >>> result.ranks.tolist(), result.grades.tolist()
    ([[1, 3]], [[1, 3]])
    >>> [round(float(question_scores(result, metric, k=3)[0]), 4) for metric in ("recall", "ndcg", "map")]
    [1.0, 0.6885, 0.8333]
    """
    return judged_scores(*judged_ranks(ranks), metric, check_metric(metric, k))


def judged_scores(ranks: Integers, grades: Integers, metric: str, k: int | None) -> Floats:
    """Return the scores of questions from their grades and ranks, ascending and padded with 0."""
    is_hit = (ranks > 0) & (grades > 0)
    if k is not None:
        is_hit &= ranks <= k
    divisors = np.where(is_hit, ranks, 1).astype(np.float64)
    if metric == "accuracy":
        return np.asarray(is_hit.any(axis=1), dtype=np.float64)
    if metric == "mrr":
        return np.asarray(np.where(is_hit[:, 0], 1.0 / divisors[:, 0], 0.0))
    if metric.startswith("ndcg"):
        gains = _exponential_gains(grades) if metric == "ndcg-exponential" else grades.astype(np.float64)
        dcg = np.where(is_hit, gains / np.log2(1.0 + divisors), 0.0).sum(axis=1)
        ideal = -np.sort(-gains, axis=1)[:, :k]
        return np.asarray(dcg / (ideal / np.log2(2.0 + np.arange(ideal.shape[1]))).sum(axis=1))
    n_relevant = (grades > 0).sum(axis=1)
    if metric == "recall":
        return np.asarray(is_hit.sum(axis=1) / n_relevant)
    precisions = np.arange(1, ranks.shape[1] + 1) / divisors
    return np.asarray(np.where(is_hit, precisions, 0.0).sum(axis=1) / n_relevant)


def _exponential_gains(grades: Integers) -> Floats:
    highest = int(grades.max())
    if highest > 50:  # sums with larger powers of two would lose the digits of smaller gains
        raise ValueError(f"metric is 'ndcg-exponential' with a grade of {highest}; expected grades up to 50")
    return np.asarray(np.exp2(grades) - 1.0)
