"""Readers of files with an entry for each row: labels, small tables, and relevant documents."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_report.io.arrays import MMAP_MODE
from isotropy_report.io.formats import existing_file, text_lines
from isotropy_report.io.trec import read_qrels


def read_labels(path: str, name: str, *, n_axes: int = 1) -> npt.NDArray[Any]:
    """Read labels from a text file, one per line, or from an NPY file with at most `n_axes` axes."""
    file = existing_file(path, name)
    with file.open("rb") as stream:
        magic = stream.read(6)
    if magic == b"\x93NUMPY":
        try:  # NumPy's header parser may raise many kinds of errors
            array: npt.NDArray[Any] = np.load(file, mmap_mode=MMAP_MODE, allow_pickle=False)
        except Exception as error:
            raise ValueError(f"{name} {path} cannot be read as an .npy file: {error}") from error
        if not 1 <= array.ndim <= n_axes:
            raise ValueError(
                f"{name} {path} contains an array of shape {array.shape}; expected one entry for each row"
            )
        return np.asarray(array)
    if magic[:1] == b"\x80" or magic[:2] == b"PK":
        raise ValueError(
            f"{name} {path} is not a text file; expected one entry per line, or an .npy file with one axis"
        )
    if file.suffix.lower() not in (".csv", ".tsv") or n_axes > 1:
        return np.array([line.rstrip("\r\n") for line in _read_lines(file)], dtype=np.str_)
    rows = list(table_rows(path, name))
    for number, row in rows:
        if len(row) != 1:
            raise ValueError(
                f"{name} {path}, line {number}, has {len(row)} cells; expected one per line, and no header"
            )
    return np.array([row[0] for _, row in rows], dtype=np.str_)


def table_rows(path: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line of a CSV or TSV file."""
    file = existing_file(path, name)
    separator = "\t" if file.suffix.lower() == ".tsv" else ","
    if file.suffix.lower() in (".npy", ".npz", ".parquet", ".safetensors"):
        raise ValueError(f"{name} {path} is a {file.suffix} file; expected a CSV or TSV table")
    try:
        yield from enumerate(csv.reader(_read_lines(file), delimiter=separator), 1)
    except csv.Error as error:
        raise ValueError(f"{name} {path} cannot be read as a table: {error}") from error


def _read_lines(file: Path) -> list[str]:
    with warnings.catch_warnings(), file.open("rb") as stream:
        warnings.simplefilter("ignore", UserWarning)  # here, a last line without a newline is complete
        return list(text_lines(file, stream, any_end=True))


def read_gold(path: str, name: str = "gold") -> Any:
    r"""Return the relevant documents of each question in the form that `isotropy_lab.retrieval` accepts.

    Parameters
    ----------
    path : str
        Text with a line for each question: one or several positions of documents, counted from 0, separated
        by spaces or commas. Or TREC judgments whose IDs are positions, or an NPY file with such rows.
    name : str, default "gold"
        Name of the file's role in error messages.

    Returns
    -------
    array of int64 of shape (N,) or (N, R), or dict of int to dict of int to int
        The position of each question's document; several in a row, padded with -1; or grades, if judged.

    Raises
    ------
    ValueError, OSError
        If a line has another form or no position, or the file cannot be read. The message names both.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from isotropy_report import read_gold
    >>> path = pathlib.Path(tempfile.mkdtemp(), "gold.txt")
    >>> _ = path.write_text("4 7\n2\n", encoding="utf-8")
    >>> read_gold(path).tolist()
    [[4, 7], [2, -1]]
    """
    entries = read_labels(path, name, n_axes=2)
    if entries.dtype.kind in "iu":
        return entries.astype(np.int64)
    columns = [words for entry in entries.ravel() if (words := str(entry).split())]
    if columns and all(len(words) == 4 and words[1] in ("0", "Q0") for words in columns):
        return _positions_from_qrels(path, name)
    lines: list[list[int]] = []
    unit = "line" if entries.dtype.kind == "U" else "entry"
    for i, entry in enumerate(entries):
        try:
            lines.append([int(word) for word in str(entry).replace(",", " ").split()])
            np.array(lines[-1], np.int64)
        except (ValueError, OverflowError):
            raise ValueError(
                f"{name} {path}, {unit} {i + 1}, is {str(entry)[:40]!r}, which is not an integer; expected "
                "the positions of documents, counted from 0"
                f"{', without column names and question numbers' * (i == 0)}"
            ) from None
        if not lines[-1] or max(lines[-1]) < 0:
            content = str(entry)[:40] or "empty"
            raise ValueError(
                f"{name} {path}, {unit} {i + 1}, is {content}; expected at least one position (leave the "
                "question out, also of its vectors; if no document answers it: threshold --out-of-scope)"
            )
    width = max(map(len, lines), default=1)
    numbered = len(lines) > 2 and [line[0] for line in lines] == list(range(len(lines)))
    separator = "," if numbered else "\t"
    if width == 2 and all(separator in str(entry) or "\t" in str(entry) for entry in entries):
        raise ValueError(
            f"{name} {path} has two columns{' (the first: question numbers?)' * numbered}; expected only the "
            "positions of documents"
        )
    if width == 2 and numbered:
        hint = "the first numbers are 0, 1, 2 …: are these question numbers? If so, keep only the second ones"
        warnings.warn(f"{name} {path}: {hint}", UserWarning, stacklevel=2)
    positions = np.array([line + [-1] * (width - len(line)) for line in lines], np.int64).reshape(-1, width)
    return positions[:, 0] if width == 1 else positions


def _positions_from_qrels(path: str, name: str) -> dict[int, dict[int, int]]:
    """Return the document grades for each question if the IDs are unambiguously positions.

    A file that includes question 0 has a line that begins with "0 0", which no list of positions contains.
    """
    qrels = read_qrels(path)
    if set(qrels) != set(map(str, range(len(qrels)))) or not all(
        re.fullmatch("[0-9]{1,18}", document) for grades in qrels.values() for document in grades
    ):
        raise ValueError(
            f"{name} {path} contains TREC judgments (question, 0, document, grade) with IDs; expected "
            f"positions, of questions from 0 to {len(qrels) - 1} and of documents from 0 (in Python, "
            "gold_from_qrels(read_qrels(path), question_ids, document_ids) converts IDs). If each line lists "
            "the positions of relevant documents, separate these by commas"
        )
    return {
        int(question): {int(document): grade for document, grade in grades.items()}
        for question, grades in qrels.items()
    }
