"""Rankings and judgments in TREC's files and between ids and positions.

A run maps the id of each question to a mapping of ids of documents to scores; qrels map it to a mapping of ids of documents
to grades. So do ir_measures and pytrec_eval. Ids are strings.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from isotropy_lab import _checks
from isotropy_lab._output import replace_file
from isotropy_lab.retrieval._checks import check_kind
from isotropy_lab.retrieval.ranking import TopK
from isotropy_lab.retrieval.relevance import RelevantRanks, as_grade

__all__ = [
    "gold_from_qrels",
    "read_qrels",
    "read_run",
    "run_from_top_k",
    "run_ranks",
    "write_qrels",
    "write_run",
]

Run: TypeAlias = dict[str, dict[str, float]]
Qrels: TypeAlias = dict[str, dict[str, int]]

TIES = ("trec_eval", "listed")

_COMMENT = "#"
"""What comments in judgments begin with."""


# --- files ----------------------------------------------------------------------------------------------------


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a TREC run: for each question the documents that were retrieved, and their scores.

    Parameters
    ----------
    path : path
        Text in UTF-8 of lines ``question Q0 document rank score tag``, separated by spaces or tabs. The second, the
        fourth and the last column are not used, but must be there, the tag without spaces; blank lines are skipped.

    Returns
    -------
    dict of str to dict of str to float
        Questions and documents in the order of the file.

    Raises
    ------
    ValueError
        If a line has another number of columns, a score that is not a finite number (``-inf`` is none), a document that
        the question already has, or is not UTF-8; or if there is none. The message names file and line.
    OSError
        If the file cannot be opened.

    Notes
    -----
    Ranks are not read: the score decides, as in trec_eval. The order of the lines decides among equal scores where
    `run_ranks` is asked for it. O(L) time for L lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_lab.retrieval import read_run, write_run
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ours.run")
    >>> write_run({"q1": {"d7": 0.25, "d2": 0.5}}, path, tag="ours")
    >>> print(path.read_text(encoding="utf-8"), end="")
    q1 Q0 d2 1 0.5 ours
    q1 Q0 d7 2 0.25 ours
    >>> read_run(path)
    {'q1': {'d2': 0.5, 'd7': 0.25}}
    """
    form = "question Q0 document rank score tag"
    return _read(path, form, lambda columns: (columns[0], columns[2], _finite(columns[4])))


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    """Read TREC judgments: for each question the documents that were judged, and their grades.

    Parameters
    ----------
    path : path
        Text in UTF-8 of lines ``question iteration document grade``, separated by spaces or tabs. The second column is
        not used; blank lines are skipped, and lines that begin with ``#``, as in trec_eval. A grade below 1 means not
        relevant.

    Returns
    -------
    dict of str to dict of str to int
        Questions and documents in the order of the file.

    Raises
    ------
    ValueError
        If a line has another number of columns, a grade that is not a whole number, a document that the question already
        has, or is not UTF-8; or if there is none. The message names file and line.
    OSError
        If the file cannot be opened.

    Notes
    -----
    The order of the lines is that of the mapping and means nothing. O(L) time for L lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_lab.retrieval import read_qrels, write_qrels
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.qrels")
    >>> write_qrels({"q1": {"d2": 2, "d5": 0}}, path)
    >>> print(path.read_text(encoding="utf-8"), end="")
    q1 0 d2 2
    q1 0 d5 0
    >>> read_qrels(path)
    {'q1': {'d2': 2, 'd5': 0}}
    """
    form = "question iteration document grade"
    return _read(
        path, form, lambda columns: (columns[0], columns[2], _whole(columns[3])), comment=_COMMENT.encode()
    )


def write_run(
    run: Mapping[str, Mapping[str, float]],
    path: str | os.PathLike[str],
    *,
    tag: str = "isotropy-lab",
    overwrite: bool = False,
) -> None:
    """Write a TREC run: documents in descending order of score, equal scores in the order of the mapping.

    Parameters
    ----------
    run : mapping of str to mapping of str to float
        Scores of documents for each question, as from `run_from_top_k`.
    path : path
        The file to write.
    tag : str, default "isotropy-lab"
        Name of the run, the last column.
    overwrite : bool, default False
        Whether a file of this name may be replaced. By default none is, so that no input can be.

    Returns
    -------
    None

    Raises
    ------
    FileExistsError
        If there is a file of this name, and `overwrite` is not True.
    TypeError, ValueError
        If ids or the tag are not strings, are empty or hold white space, or a score is not a finite number; or if there is
        no question, or one without documents.
    OSError
        If the file cannot be written.

    Notes
    -----
    Scores are written with all their digits. trec_eval does not look at the rank, and lists scores that are equal in
    float32 by their ids: see `run_ranks`. The file is put in its place when it is whole. What is read from it again is
    unchanged. O(L log L) time for L lines.

    Examples
    --------
    See `read_run`.

    >>> from isotropy_lab.retrieval import write_run
    >>> write_run({"q 1": {"d7": 0.25}}, "ours.run")
    Traceback (most recent call last):
    ...
    ValueError: run has the question id 'q 1'; expected an id without white space
    """
    name = _word(tag, "tag", "a tag")
    lines = [
        f"{question} Q0 {document} {rank} {score!r} {name}"
        for question, scores in _scores(run).items()
        for rank, (document, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), 1)
    ]
    _write(path, lines, overwrite)


def write_qrels(
    qrels: Mapping[str, Mapping[str, int]], path: str | os.PathLike[str], *, overwrite: bool = False
) -> None:
    """Write TREC judgments, in the order of the mapping.

    Parameters
    ----------
    qrels : mapping of str to mapping of str to int
        Grades of documents for each question, below 1 for those that are not relevant.
    path : path
        The file to write.
    overwrite : bool, default False
        Whether a file of this name may be replaced. By default none is, so that no input can be.

    Returns
    -------
    None

    Raises
    ------
    FileExistsError
        If there is a file of this name, and `overwrite` is not True.
    TypeError, ValueError
        If ids are not strings, are empty or hold white space, that of a question begins with ``#``, or a grade is not a
        whole number; or if there is no question, or one without documents.
    OSError
        If the file cannot be written.

    Notes
    -----
    The file is put in its place when it is whole. What is read from it again is unchanged. O(L) time for L lines.

    Examples
    --------
    See `read_qrels`.

    >>> from isotropy_lab.retrieval import write_qrels
    >>> write_qrels({"q1": {"d7": 0.5}}, "judged.qrels")
    Traceback (most recent call last):
    ...
    TypeError: qrels of 'q1' has a grade for 'd7' that is 0.5 (float); expected a whole number, 0 if it is not relevant
    """
    judged = _grades(qrels)
    if hidden := [question for question in judged if question.startswith(_COMMENT)]:
        raise ValueError(
            f"qrels has the question id {hidden[0]!r}; expected an id that does not begin with {_COMMENT}, as comments do"
        )
    lines = [
        f"{question} 0 {document} {grade}"
        for question, grades in judged.items()
        for document, grade in grades.items()
    ]
    _write(path, lines, overwrite)


def _read(
    path: str | os.PathLike[str],
    form: str,
    parse: Callable[[list[str]], tuple[str, str, Any]],
    *,
    comment: bytes | None = None,
) -> dict[str, dict[str, Any]]:
    name, expected = os.fspath(_checked(path)), form.split()
    found: dict[str, dict[str, Any]] = {}
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            # Bytes are split at ASCII's white space only: other spaces may belong to an id.
            text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            columns = text.split()
            if not columns or (comment is not None and text.startswith(comment)):
                continue
            if len(columns) != len(expected):
                raise ValueError(
                    f"{name}, line {number} has {_checks.how_many(len(columns), 'column')}; expected {len(expected)}: {form}"
                )
            try:
                question, document, value = parse([column.decode("utf-8") for column in columns])
            except UnicodeDecodeError as error:
                raise ValueError(f"{name}, line {number} is not UTF-8 ({error}); expected UTF-8") from None
            except ValueError as error:
                raise ValueError(f"{name}, line {number} has {error}") from None
            known = found.setdefault(question, {})
            if document in known:
                raise ValueError(
                    f"{name}, line {number} has document {document!r} of question {question!r} again; expected it once"
                )
            known[document] = value
    if not found:
        raise ValueError(f"{name} has no lines; expected lines of {form}")
    return found


def _checked(path: Any) -> str | os.PathLike[str]:
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise TypeError(f"path is {_checks.describe(path)}; expected the path of a file as a str or a Path")
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise ValueError(
            f"path is {os.fspath(path)!r}, which no file can be called; expected the path of a file"
        )
    return path


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if "_" in text or not math.isfinite(value):
        raise ValueError(f"the score {text!r}; expected a finite number")
    return value


def _whole(text: str) -> int:
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(text) - len(digits) <= 1 and len(digits) <= 9):
        raise ValueError(f"the grade {text!r}; expected a whole number of at most 9 digits")
    return int(text)


def _write(path: str | os.PathLike[str], lines: Iterable[str], overwrite: bool) -> None:
    target = Path(_checked(path))
    if os.path.lexists(target) and overwrite is not True:
        raise FileExistsError(
            f"path {target} exists and would be overwritten; expected a new file, or overwrite=True"
        )
    replace_file(target, "".join(f"{line}\n" for line in lines), name="path")


# --- mappings -------------------------------------------------------------------------------------------------


def _scores(run: Any, *, empty: bool = False) -> Run:
    return {
        question: {
            # Nearly all are in order, and no message is made up for these.
            document: score
            if type(score) is float and math.isfinite(score)
            else _score(score, f"run of {question!r} has a score for {document!r} that")
            for document, score in row
        }
        for question, row in _documents(run, "run", "scores", empty=empty)
    }


def _grades(qrels: Any) -> Qrels:
    return {
        question: {
            document: as_grade(grade, f"qrels of {question!r} has a grade for {document!r} that")
            for document, grade in row
        }
        for question, row in _documents(qrels, "qrels", "grades")
    }


def _documents(
    given: Any, name: str, values: str, *, empty: bool = False
) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each question's id, and the ids of its documents with their values; `empty` allows questions without any."""
    expected = f"a mapping of question ids to mappings of document ids to {values}"
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} is {_checks.describe(given)}; expected {expected}")
    if not given:
        raise ValueError(f"{name} has no questions; expected {expected}")
    for question, row in given.items():
        _word(question, f"{name} has the question id", "an id")
        if not isinstance(row, Mapping):
            raise TypeError(f"{name} of {question!r} is {_checks.describe(row)}; expected {expected}")
        if not row and not empty:
            raise ValueError(f"{name} of {question!r} has no documents; expected {expected}")
        has = f"{name} of {question!r} has the document id"
        for document in row:
            _word(document, has, "an id")
        yield question, list(row.items())


def _word(text: Any, what: str, kind: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} {text!r} ({type(text).__name__}); expected {kind} as a string")
    code = text.encode("utf-8", "replace")
    if code.decode() != text:
        raise ValueError(f"{what} {text!r}; expected {kind} that can be written as UTF-8")
    if code.split() != [code]:
        raise ValueError(f"{what} {text!r}; expected {kind} without white space")
    return text


def _score(value: Any, what: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number)):
        raise TypeError(f"{what} is {value!r} ({type(value).__name__}); expected a finite number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{what} is {number}; expected a finite number")
    return number


# --- ranks ----------------------------------------------------------------------------------------------------


def run_ranks(
    run: Mapping[str, Mapping[str, float]],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    ties: str = "trec_eval",
) -> RelevantRanks:
    """Return the ranks of all relevant documents in a run.

    Parameters
    ----------
    run : mapping of str to mapping of str to float
        Scores of the documents that were retrieved for each question, from `read_run` or another library.
    qrels : mapping of str to mapping of str to int
        Grades of the documents that were judged for each question, from `read_qrels`; those below 1, and documents
        without one, are not relevant.
    ties : {"trec_eval", "listed"}, default "trec_eval"
        "trec_eval": scores are rounded to float32, in which trec_eval holds them, and documents with equal ones are ranked
        by their ids, descending. "listed": scores stay as they are, and equal ones keep the order of the run.

    Returns
    -------
    RelevantRanks
        A row for each question of the qrels, in their order. Relevant documents that were not retrieved have rank 0, and
        score 0; so do all of a question for which the run has no document.

    Raises
    ------
    TypeError, ValueError
        If `run` or `qrels` are not as described, a question has no relevant document, no question is in both, or an
        option does not exist.

    Notes
    -----
    Ranks in the run's file do not matter. Questions that only the run has are left out. Metrics of the result are those
    of trec_eval with its option ``-c`` and of ir_measures, but for questions without a relevant document: these score 0
    there and are refused here. Drop them first; means are then larger than theirs. With "listed" unchanged by any increasing map of the scores; with "trec_eval"
    only by one after which the same scores are equal in float32: cosines that differ in the eighth digit are ties there.
    O(L log L) time for L documents.

    Examples
    --------
    >>> from isotropy_lab.retrieval import bootstrap_recall, run_ranks
    >>> run = {"q1": {"a": 0.5, "b": 0.5, "c": 0.1}, "q2": {"a": 0.9}}
    >>> found = run_ranks(run, {"q1": {"a": 1, "c": 2}, "q2": {"b": 1, "a": 0}})
    >>> found.ranks.tolist(), found.documents.tolist()
    ([[2, 3], [0, 0]], [['a', 'c'], ['b', '']])
    >>> bootstrap_recall(found, k=2, rng=0).estimate
    0.25
    """
    _checks.check_option(ties, "ties", TIES)
    scores, judged = _scores(run, empty=True), _grades(qrels)
    if not scores.keys() & judged.keys():
        raise ValueError(
            f"run has no question of qrels (its first is {next(iter(scores))!r}, that of qrels {next(iter(judged))!r}); "
            "expected the same ids"
        )
    rows = []
    for question, given in judged.items():
        places = _places(scores.get(question, {}), ties)
        row = [(places.get(document, 0), document, grade) for document, grade in given.items() if grade > 0]
        rows.append(sorted(row, key=lambda entry: (entry[0] == 0, entry[0], entry[1])))
    none = [question for question, row in zip(judged, rows, strict=True) if not row]
    if none:
        raise ValueError(
            f"qrels has no document with a grade above 0 for {len(none)} of {_checks.how_many(len(rows), 'question')}, "
            f"first for {none[0]!r}; expected at least one: drop questions without an answer"
        )
    width = max(map(len, rows))
    ranks, documents, grades = (
        [[*(entry[part] for entry in row), *[rest] * (width - len(row))] for row in rows]
        for part, rest in enumerate((0, "", 0))
    )
    return RelevantRanks(
        ranks=np.array(ranks, dtype=np.int64),
        grades=np.array(grades, dtype=np.int64),
        documents=np.array(documents, dtype=np.str_),
        questions=tuple(judged),
    )


def _places(scores: Mapping[str, float], ties: str) -> dict[str, int]:
    listed, values = list(scores), np.array(list(scores.values()), dtype=np.float64)
    if ties == "trec_eval":
        listed.sort(reverse=True)
        values = np.array([scores[document] for document in listed], dtype=np.float64)
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there, too
            values = values.astype(np.float32)
    order = np.argsort(-values, kind="stable")
    return {listed[row]: place for place, row in enumerate(order.tolist(), 1)}


# --- ids and positions ----------------------------------------------------------------------------------------


def gold_from_qrels(
    qrels: Mapping[str, Mapping[str, int]], question_ids: Iterable[str], document_ids: Iterable[str]
) -> dict[int, dict[int, int]]:
    """Return judgments by ids as the `gold` that `answer_ranks` takes: positions of documents for positions of questions.

    Parameters
    ----------
    qrels : mapping of str to mapping of str to int
        Grades of documents for each question, as from `read_qrels`.
    question_ids, document_ids : iterable of str
        Ids of the rows of the embeddings, all different.

    Returns
    -------
    dict of int to dict of int to int
        For each question the grades of its documents.

    Raises
    ------
    TypeError, ValueError
        If `qrels` are not as described, ids are not strings or occur twice, a question is not judged, or a relevant
        document is not among the ids.

    Notes
    -----
    Judgments of other questions are left out, and so are documents that are neither relevant nor among the ids. The order
    of the judgments does not matter: ranks are unchanged. O(Q + N + L) time for L judgments.

    Examples
    --------
    >>> from isotropy_lab.retrieval import answer_ranks, gold_from_qrels
    >>> gold = gold_from_qrels({"q1": {"d7": 2, "d2": 1}}, ["q1"], ["d2", "d5", "d7"])
    >>> gold
    {0: {2: 2, 0: 1}}
    >>> answer_ranks([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.1], [0.8, 0.6]], gold).tolist()
    [2]
    """
    judged = _grades(qrels)
    rows, columns = _positions(question_ids, "question_ids"), _positions(document_ids, "document_ids")
    missing = [question for question in rows if question not in judged]
    if missing:
        raise ValueError(
            f"qrels does not have {len(missing)} of {_checks.how_many(len(rows), 'question')}, first {missing[0]!r}; "
            "expected judgments of each: drop questions without an answer"
        )
    unknown = [
        (question, document)
        for question in rows
        for document, grade in judged[question].items()
        if grade > 0 and document not in columns
    ]
    if unknown:
        raise ValueError(
            f"document_ids lacks relevant documents in {_checks.how_many(len(unknown), 'judgment')}, first "
            f"{unknown[0][1]!r} of question {unknown[0][0]!r}; expected all of them, or qrels without these"
        )
    return {
        row: {columns[document]: grade for document, grade in judged[question].items() if document in columns}
        for question, row in rows.items()
    }


def run_from_top_k(best: TopK, question_ids: Iterable[str], document_ids: Iterable[str]) -> Run:
    """Return the best documents of every question as a run.

    Parameters
    ----------
    best : TopK
        From `top_k`.
    question_ids, document_ids : iterable of str
        Ids of the rows of the embeddings, all different.

    Returns
    -------
    dict of str to dict of str to float
        For each question its best documents, the most similar first, with their similarities.

    Raises
    ------
    TypeError, ValueError
        If `best` is not from `top_k`, ids are not strings or occur twice, or there are not as many as questions, or
        fewer than documents.

    Notes
    -----
    Documents as similar as others stand in the order of their positions, which ``run_ranks(…, ties="listed")`` keeps;
    trec_eval goes by their ids. Unchanged by what leaves `top_k` unchanged. O(Q k + N) time.

    Examples
    --------
    >>> from isotropy_lab.retrieval import run_from_top_k, top_k
    >>> best = top_k([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], 2)
    >>> run_from_top_k(best, ["q1"], ["d2", "d5"])
    {'q1': {'d5': 1.0, 'd2': 0.0}}
    """
    check_kind(best, "best", TopK)
    questions, documents = (
        list(_positions(ids, name))
        for ids, name in ((question_ids, "question_ids"), (document_ids, "document_ids"))
    )
    if len(questions) != len(best.indices):
        raise ValueError(
            f"question_ids has {_checks.how_many(len(questions), 'id')}, best {len(best.indices)} questions; expected one for each"
        )
    if len(documents) <= best.indices.max():
        raise ValueError(
            f"document_ids has {_checks.how_many(len(documents), 'id')}, best has document {best.indices.max()}; expected one "
            "for each document"
        )
    return {
        question: {
            documents[place]: value for place, value in zip(places.tolist(), values.tolist(), strict=True)
        }
        for question, places, values in zip(questions, best.indices, best.similarities, strict=True)
    }


def _positions(ids: Any, name: str) -> dict[str, int]:
    if isinstance(ids, (str, bytes)) or not _checks.is_iterable(ids):
        raise TypeError(f"{name} is {_checks.describe(ids)}; expected the ids of all rows, strings")
    places: dict[str, int] = {}
    for place, name_of_row in enumerate(ids):
        _word(name_of_row, f"{name} has", "an id")
        if name_of_row in places:
            raise ValueError(
                f"{name} has {name_of_row!r} twice, in places {places[name_of_row]} and {place}; expected different ids"
            )
        places[str(name_of_row)] = place
    return places
