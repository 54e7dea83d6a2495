"""Judgments in TREC's format."""

from __future__ import annotations

import os
import re
from typing import Any

from isotropy_lab._core import checks
from isotropy_lab.retrieval.runs import Qrels

__all__ = ["read_qrels"]

_FORM = "question iteration document grade"


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
    name = os.fspath(_checked(path))
    found: Qrels = {}
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            # Bytes are split at ASCII's white space only: other spaces may belong to an id.
            text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            columns = text.split()
            if not columns or text.startswith(b"#"):
                continue
            if len(columns) != 4:
                found_columns = checks.how_many(len(columns), "column")
                raise ValueError(f"{name}, line {number} has {found_columns}; expected 4: {_FORM}")
            try:
                question, _, document, grade = (column.decode("utf-8") for column in columns)
            except UnicodeDecodeError as error:
                raise ValueError(f"{name}, line {number} is not UTF-8 ({error}); expected UTF-8") from None
            known = found.setdefault(question, {})
            if document in known:
                raise ValueError(
                    f"{name}, line {number} has document {document!r} of question {question!r} again; "
                    "expected it once"
                )
            if not re.fullmatch("[-+]?[0-9]{1,9}", grade):
                raise ValueError(
                    f"{name}, line {number} has the grade {grade!r}; expected a whole number of at most 9 "
                    "digits"
                )
            known[document] = int(grade)
    if not found:
        raise ValueError(f"{name} has no lines; expected lines of {_FORM}")
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
