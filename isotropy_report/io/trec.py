"""Relevance judgments in the TREC format."""

from __future__ import annotations

import os
import re

from isotropy_lab._core import checks
from isotropy_lab.retrieval.runs import Qrels
from isotropy_report.io.formats import existing_file

__all__ = ["read_qrels"]

_FORM = "question iteration document grade"


def read_qrels(path: str | os.PathLike[str]) -> Qrels:
    r"""Read TREC judgments: the judged documents of each question, with their grades.

    Parameters
    ----------
    path : path
        UTF-8 text with lines ``question iteration document grade``, separated by spaces or tabs. The second
        column is ignored; blank lines and lines that begin with ``#`` are skipped, as in trec_eval. A grade
        below 1 means not relevant.

    Returns
    -------
    dict of str to dict of str to int
        The questions and documents, in file order.

    Raises
    ------
    ValueError
        If a line has the wrong number of columns, a grade that is not an integer, or a repeated document for
        its question, or is not UTF-8; or if there are no lines. The message names the file and line.
    OSError
        If the file cannot be opened.

    Notes
    -----
    The mapping keeps the order of the lines, which has no meaning. Cost: O(L) time for L lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_report import read_qrels
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.qrels")
    >>> _ = path.write_text("q1 0 d2 2\nq1 0 d5 0\n", encoding="utf-8")
    >>> read_qrels(path)
    {'q1': {'d2': 2, 'd5': 0}}
    """
    name = existing_file(path)
    found: Qrels = {}
    with name.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            # Split bytes only at ASCII whitespace, because other spaces may belong to an ID.
            text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            columns = text.split()
            if not columns or text.startswith(b"#"):
                continue
            if len(columns) != 4:
                found_columns = checks.how_many(len(columns), "column")
                raise ValueError(f"{name}, line {number}, has {found_columns}; expected 4 columns: {_FORM}")
            try:
                question, _, document, grade = (column.decode("utf-8") for column in columns)
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{name}, line {number}, is not UTF-8 ({error}); expected UTF-8 text"
                ) from None
            known = found.setdefault(question, {})
            if document in known:
                raise ValueError(
                    f"{name}, line {number}, repeats document {document!r} of question {question!r}; "
                    "expected one judgment of each document"
                )
            if not re.fullmatch("[-+]?[0-9]{1,9}", grade):
                raise ValueError(
                    f"{name}, line {number}, has the grade {grade!r}; expected an integer of at most 9 digits"
                )
            known[document] = int(grade)
    if not found:
        raise ValueError(f"{name} has no lines with judgments; expected lines of {_FORM}")
    return found
