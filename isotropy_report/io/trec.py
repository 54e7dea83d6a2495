"""Readers of TREC's files: runs and judgments."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from isotropy_lab._core import checks
from isotropy_lab.retrieval.runs import Qrels, Run

__all__ = ["read_qrels", "read_run"]

_COMMENT = "#"
"""What comments in judgments begin with."""


def read_run(path: str | os.PathLike[str]) -> Run:
    r"""Read a TREC run: for each question the documents that were retrieved, and their scores.

    Parameters
    ----------
    path : path
        Text in UTF-8 of lines ``question Q0 document rank score tag``, separated by spaces or tabs. The
        second, the fourth and the last column are not used, but must be there, the tag without spaces; blank
        lines are skipped.

    Returns
    -------
    dict of str to dict of str to float
        Questions and documents in the order of the file.

    Raises
    ------
    ValueError
        If a line has another number of columns, a score that is not a finite number (``-inf`` is none), a
        document that the question already has, or is not UTF-8; or if there is none. The message names file
        and line.
    OSError
        If the file cannot be opened.

    Notes
    -----
    Ranks are not read: the score decides, as in trec_eval. The order of the lines decides among equal scores
    where `run_ranks` is asked for it. O(L) time for L lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_report import read_run
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ours.run")
    >>> _ = path.write_text("q1 Q0 d2 1 0.5 ours\nq1 Q0 d7 2 0.25 ours\n", encoding="utf-8")
    >>> read_run(path)
    {'q1': {'d2': 0.5, 'd7': 0.25}}
    """
    form = "question Q0 document rank score tag"
    return _read(path, form, lambda columns: (columns[0], columns[2], _finite(columns[4])))


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    r"""Read TREC judgments: for each question the documents that were judged, and their grades.

    Parameters
    ----------
    path : path
        Text in UTF-8 of lines ``question iteration document grade``, separated by spaces or tabs. The second
        column is not used; blank lines are skipped, and lines that begin with ``#``, as in trec_eval. A grade
        below 1 means not relevant.

    Returns
    -------
    dict of str to dict of str to int
        Questions and documents in the order of the file.

    Raises
    ------
    ValueError
        If a line has another number of columns, a grade that is not a whole number, a document that the
        question already has, or is not UTF-8; or if there is none. The message names file and line.
    OSError
        If the file cannot be opened.

    Notes
    -----
    The order of the lines is that of the mapping and means nothing. O(L) time for L lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_report import read_qrels
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.qrels")
    >>> _ = path.write_text("q1 0 d2 2\nq1 0 d5 0\n", encoding="utf-8")
    >>> read_qrels(path)
    {'q1': {'d2': 2, 'd5': 0}}
    """
    form = "question iteration document grade"
    return _read(
        path, form, lambda columns: (columns[0], columns[2], _whole(columns[3])), comment=_COMMENT.encode()
    )


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
                    f"{name}, line {number} has {checks.how_many(len(columns), 'column')}; expected "
                    f"{len(expected)}: {form}"
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
                    f"{name}, line {number} has document {document!r} of question {question!r} again; "
                    "expected it once"
                )
            known[document] = value
    if not found:
        raise ValueError(f"{name} has no lines; expected lines of {form}")
    return found


def _checked(path: Any) -> str | os.PathLike[str]:
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise TypeError(f"path is {checks.describe(path)}; expected the path of a file as a str or a Path")
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
