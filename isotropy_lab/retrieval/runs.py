"""Ranks of relevant documents in runs, and conversion of judgments from IDs to positions.

A run maps the ID of each question to a mapping from document IDs to scores; qrels map it to a mapping from
document IDs to grades, as in ir_measures and pytrec_eval. IDs are strings. `isotropy_report` reads runs and
qrels from TREC files.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.retrieval.relevance import RelevantRanks, as_grade

__all__ = ["gold_from_qrels", "run_ranks"]

Run: TypeAlias = dict[str, dict[str, float]]
Qrels: TypeAlias = dict[str, dict[str, int]]

TIES = ("trec_eval", "listed")


def run_ranks(
    run: Mapping[str, Mapping[str, float]], qrels: Mapping[str, Mapping[str, int]], *, ties: str = "trec_eval"
) -> RelevantRanks:
    """Return the ranks of all relevant documents in a run.

    Parameters
    ----------
    run : mapping of str to mapping of str to float
        Scores of the documents retrieved for each question, from `read_run` or another library.
    qrels : mapping of str to mapping of str to int
        Grades of the documents judged for each question, from `read_qrels`; documents with a grade below 1 or
        without a grade are not relevant.
    ties : {"trec_eval", "listed"}, default "trec_eval"
        "trec_eval": scores are rounded to float32, as in trec_eval, and documents with equal scores are
        sorted by ID in descending order. "listed": scores are not rounded, and documents with equal scores
        keep the order of the run.

    Returns
    -------
    RelevantRanks
        One row per question, in the order of the qrels. Relevant documents that were not retrieved, including
        those of questions missing from the run, have rank 0 and score 0.

    Raises
    ------
    TypeError, ValueError
        If `run` or `qrels` is not as described, if a question has no relevant document, if no question is in
        both, or if an option does not exist.

    Notes
    -----
    The ranks given in a run file are ignored, and so are questions that are only in the run. Metrics of the
    result equal those of trec_eval with option ``-c`` and of ir_measures, except for questions without a
    relevant document, which score 0 there and are rejected here. Drop them first; the means are then larger.
    With "listed", ranks are invariant under any increasing map of the scores. With "trec_eval", the map must
    also preserve which scores are equal in float32; cosines that differ in the eighth digit are ties. Cost:
    O(L log L) time for L documents.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_interval, run_ranks
    >>> run = {"q1": {"a": 0.5, "b": 0.5, "c": 0.1}, "q2": {"a": 0.9}}
    >>> result = run_ranks(run, {"q1": {"a": 1, "c": 2}, "q2": {"b": 1, "a": 0}})
    >>> result.ranks.tolist(), result.documents.tolist()
    ([[2, 3], [0, 0]], [['a', 'c'], ['b', '']])
    >>> bootstrap_interval(result, metric="recall", k=2, rng=0).estimate
    0.25
    """
    checks.check_option(ties, "ties", TIES)
    scores, judged = _check_run(run), _check_qrels(qrels)
    if not scores.keys() & judged.keys():
        raise ValueError(
            f"run and qrels have no question in common (first questions: {next(iter(scores))!r} and "
            f"{next(iter(judged))!r}); expected the same IDs in both"
        )
    rows = []
    for question, grades_of in judged.items():
        ranks_of = _ranks_of_documents(scores.get(question, {}), ties)
        row = [(ranks_of.get(id_, 0), id_, grade) for id_, grade in grades_of.items() if grade > 0]
        rows.append(sorted(row, key=lambda entry: (entry[0] == 0, entry[0], entry[1])))
    empty = [question for question, row in zip(judged, rows, strict=True) if not row]
    if empty:
        raise ValueError(
            f"qrels has no grade above 0 for {len(empty)} of {checks.how_many(len(rows), 'question')}, first "
            f"for {empty[0]!r}; expected at least one (drop questions without an answer)"
        )
    width = max(map(len, rows))
    ranks, documents, grades = (
        [[*(entry[field] for entry in row), *[padding] * (width - len(row))] for row in rows]
        for field, padding in enumerate((0, "", 0))
    )
    return RelevantRanks(
        ranks=np.array(ranks, dtype=np.int64),
        grades=np.array(grades, dtype=np.int64),
        documents=np.array(documents, dtype=np.str_),
        questions=tuple(judged),
    )


def gold_from_qrels(
    qrels: Mapping[str, Mapping[str, int]], question_ids: Iterable[str], document_ids: Iterable[str]
) -> dict[int, dict[int, int]]:
    """Convert judgments from IDs to positions, for the argument `gold` of `answer_ranks`.

    Parameters
    ----------
    qrels : mapping of str to mapping of str to int
        Grades of documents for each question, for example from `read_qrels`.
    question_ids, document_ids : iterable of str
        Distinct IDs of the rows of the embeddings.

    Returns
    -------
    dict of int to dict of int to int
        Grades of the documents for each question, by position.

    Raises
    ------
    TypeError, ValueError
        If `qrels` is not as described, if IDs are not strings or occur twice, if a question is not judged, or
        if a relevant document is not among the IDs.

    Notes
    -----
    Judgments of other questions are omitted, and so are documents that are neither relevant nor among the
    IDs. The order of the judgments does not affect ranks. Cost: O(Q + N + L) time for L judgments.

    Examples
    --------
    >>> from isotropy_lab.retrieval import answer_ranks, gold_from_qrels
    >>> gold = gold_from_qrels({"q1": {"d7": 2, "d2": 1}}, ["q1"], ["d2", "d5", "d7"])
    >>> gold
    {0: {2: 2, 0: 1}}
    >>> answer_ranks([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.1], [0.8, 0.6]], gold).tolist()
    [2]
    """
    judged = _check_qrels(qrels)
    rows, columns = _as_positions(question_ids, "question_ids"), _as_positions(document_ids, "document_ids")
    missing = [question for question in rows if question not in judged]
    if missing:
        raise ValueError(
            f"qrels is missing {len(missing)} of {checks.how_many(len(rows), 'question')} (first: "
            f"{missing[0]!r}); expected judgments for each (drop questions without an answer)"
        )
    unknown = [
        (question, document)
        for question in rows
        for document, grade in judged[question].items()
        if grade > 0 and document not in columns
    ]
    if unknown:
        raise ValueError(
            f"document_ids is missing relevant documents of {checks.how_many(len(unknown), 'judgment')} "
            f"(first: {unknown[0][1]!r} of question {unknown[0][0]!r}); expected every relevant document, or "
            "qrels without these judgments"
        )
    return {
        row: {columns[document]: grade for document, grade in judged[question].items() if document in columns}
        for question, row in rows.items()
    }


def _check_run(run: Any) -> Run:
    return {
        question: {
            # Nearly all scores are valid, so do not build error messages in advance.
            document: score
            if type(score) is float and math.isfinite(score)
            else _check_score(score, f"run of {question!r} has a score for {document!r} that")
            for document, score in row
        }
        for question, row in _documents_of_questions(run, "run", "scores", allow_empty=True)
    }


def _check_qrels(qrels: Any) -> Qrels:
    return {
        question: {
            document: as_grade(grade, f"qrels of {question!r} has a grade for {document!r} that")
            for document, grade in row
        }
        for question, row in _documents_of_questions(qrels, "qrels", "grades")
    }


def _documents_of_questions(
    mapping: Any, name: str, values: str, *, allow_empty: bool = False
) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each question's ID with its document IDs and values; `allow_empty` allows there to be none."""
    expected = f"a mapping from question ids to mappings from document ids to {values}"
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} is {checks.describe(mapping)}; expected {expected}")
    if not mapping:
        raise ValueError(f"{name} has no questions; expected {expected}")
    for question, row in mapping.items():
        _check_id(question, f"{name} has the question id")
        if not isinstance(row, Mapping):
            raise TypeError(f"{name} of {question!r} is {checks.describe(row)}; expected {expected}")
        if not row and not allow_empty:
            raise ValueError(f"{name} of {question!r} has no documents; expected {expected}")
        subject = f"{name} of {question!r} has the document id"
        for document in row:
            _check_id(document, subject)
        yield question, list(row.items())


def _check_id(text: Any, subject: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{subject} {text!r} ({type(text).__name__}); expected an id as a string")
    encoded = text.encode("utf-8", "replace")
    if encoded.decode() != text:
        raise ValueError(f"{subject} {text!r}; expected an id that can be written as UTF-8")
    if encoded.split() != [encoded]:
        raise ValueError(f"{subject} {text!r}; expected an id without white space")


def _check_score(value: Any, subject: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number)):
        raise TypeError(f"{subject} is {value!r} ({type(value).__name__}); expected a finite number")
    score = float(value)
    if not math.isfinite(score):
        raise ValueError(f"{subject} is {score}; expected a finite number")
    return score


def _ranks_of_documents(scores: Mapping[str, float], ties: str) -> dict[str, int]:
    ids, values = list(scores), np.array(list(scores.values()), dtype=np.float64)
    if ties == "trec_eval":
        ids.sort(reverse=True)
        values = np.array([scores[document] for document in ids], dtype=np.float64)
        with np.errstate(over="ignore"):  # trec_eval, too, treats scores that overflow float32 as infinite
            values = values.astype(np.float32)
    order = np.argsort(-values, kind="stable")
    return {ids[row]: rank for rank, row in enumerate(order.tolist(), 1)}


def _as_positions(ids: Any, name: str) -> dict[str, int]:
    if isinstance(ids, (str, bytes)) or not checks.is_iterable(ids):
        raise TypeError(f"{name} is {checks.describe(ids)}; expected the IDs of all rows as strings")
    positions: dict[str, int] = {}
    for row, id_ in enumerate(ids):
        _check_id(id_, f"{name} has")
        if id_ in positions:
            raise ValueError(
                f"{name} has {id_!r} twice, in rows {positions[id_]} and {row}; expected distinct IDs"
            )
        positions[str(id_)] = row
    return positions
