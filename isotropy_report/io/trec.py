"""Relevance judgments in the TREC format."""

from __future__ import annotations

import os
import re

from isotropy_lab._core import checks
from isotropy_lab.retrieval.runs import Qrels
from isotropy_report.io.formats import existing_file

__all__ = ["read_qrels"]

_LINE_FORMAT = "question iteration document grade"


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
        The grade of each judged document of each question, in file order.

    Raises
    ------
    ValueError
        If a line is not UTF-8, does not have four columns, has a grade that is not an integer, or repeats a
        document of the same question; or if the file has no judgments. The message names the file and line.
    TypeError, FileNotFoundError, IsADirectoryError, OSError
        If `path` is not a path, does not exist, is a folder, or cannot be opened, respectively.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_report import read_qrels
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.qrels")
    >>> _ = path.write_text("q1 0 d2 2\nq1 0 d5 0\n", encoding="utf-8")
    >>> read_qrels(path)
    {'q1': {'d2': 2, 'd5': 0}}
    """
    file = existing_file(path)
    qrels: Qrels = {}
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            # Split bytes only at ASCII whitespace, because other spaces may belong to an ID.
            content = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            fields = content.split()
            if not fields or content.startswith(b"#"):
                continue
            if len(fields) != 4:
                n_fields = checks.how_many(len(fields), "column")
                raise ValueError(f"{file}, line {number}, has {n_fields}; expected 4 columns: {_LINE_FORMAT}")
            try:
                question, _, document, grade = (field.decode("utf-8") for field in fields)
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{file}, line {number}, is not UTF-8 ({error}); expected UTF-8 text"
                ) from None
            grades = qrels.setdefault(question, {})
            if document in grades:
                raise ValueError(
                    f"{file}, line {number}, repeats document {document!r} of question {question!r}; "
                    "expected one judgment of each document"
                )
            if not re.fullmatch("[-+]?[0-9]{1,9}", grade):
                raise ValueError(
                    f"{file}, line {number}, has the grade {grade!r}; expected an integer of at most 9 digits"
                )
            grades[document] = int(grade)
    if not qrels:
        raise ValueError(f"{file} has no lines with judgments; expected lines with {_LINE_FORMAT}")
    return qrels
