"""Input files of commands on vectors (vectors, words, labels, and positions), and progress messages."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import re
import shutil
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from isotropy_report._options import use_command_names
from isotropy_report._output import as_json, deliver
from isotropy_report.card.card import Page
from isotropy_report.card.rows import show_progress_with
from isotropy_report.card.words import rename_in_errors
from isotropy_report.cli.streams import with_original_names
from isotropy_report.io import load_word_vectors, read_qrels
from isotropy_report.io.arrays import MMAP_MODE, OPTIONS, read_named, take_sample
from isotropy_report.io.bundled import NAMES
from isotropy_report.io.draws import Draw
from isotropy_report.io.formats import existing_file, text_lines
from isotropy_report.io.growing import NamedVectors
from isotropy_report.io.shards import is_address, without_credentials

Card = TypeVar("Card", bound=Page)

_MIN_SECONDS = 0.1
"""Minimum number of seconds between updates of the progress."""


class Vectors(NamedTuple):
    """Contents of a file: its name without folders, the vectors, and, if requested, a label for each row.

    If rows were drawn from the file, `drawn_from` is the number of rows that it contains. With
    ``with_names``, the words are None unless the file has a unique name for each row.
    """

    name: str
    array: npt.NDArray[Any]
    words: list[str] | None
    drawn_from: int | None = None


def open_vectors(
    path: str,
    *,
    quiet: bool,
    command: str,
    with_names: bool = False,
    draw: Draw | None = None,
    options: Mapping[str, Any],
) -> Vectors:
    """Read a file of vectors, memory-mapped if the format allows, or a bundled set of vectors by name.

    `options` contains a subset of `OPTIONS`.
    """
    with show_warnings(command, quiet=quiet), use_command_names():
        if path in NAMES and not os.path.exists(path):
            loaded = load_word_vectors(path, column=options.get("column"), max_bytes=options.get("max_bytes"))
            vectors, words = take_sample(NamedVectors(loaded.vectors, loaded.index_to_key), draw)
        else:
            vectors, words = read_named(path, **options, with_names=with_names, draw=draw)
    drawn_from = draw.total if draw is not None and draw.total > len(vectors) else None
    return Vectors(name_of(path), vectors, words, drawn_from)


def name_of(path: str) -> str:
    """Return the name of a file without its folders, or an unchanged address; undecodable bytes become �."""
    if is_address(path):
        return without_credentials(path)
    return os.fsencode(Path(path).name).decode("utf-8", "replace")


def read_vectors(
    options: argparse.Namespace, path: str, *, rows: bool = True, with_names: bool = False
) -> Vectors:
    """Read a file of vectors with a command's options; if `rows` is true, read only rows drawn by ``--rows``.

    Options for tables and lists apply to files with the same extension as the first file; the option for the
    array applies to FILE and to models.
    """
    models = getattr(options, "files", None)
    first = models[0] if models else options.file
    extensions = [Path(file).name.lower().removesuffix(".gz").rpartition(".")[2] for file in (first, path)]
    names = OPTIONS if extensions[0] == extensions[1] else ("max_bytes",)
    return open_vectors(
        path,
        quiet=options.quiet,
        command=options.command,
        with_names=with_names,
        draw=Draw(n_rows=options.rows, seed=options.seed) if rows and options.rows is not None else None,
        options={name: getattr(options, name) for name in names if models or path == first or name != "key"},
    )


def check_rows(options: argparse.Namespace) -> None:
    """Raise ValueError if ``--rows`` is combined with a file that contains one line for each row."""
    exempt = {"file", "files", "fail_worse_than"}
    for dest, option in options.inputs.items() if options.rows is not None else ():
        if dest not in exempt and getattr(options, dest) is not None:
            raise ValueError(
                f"{option} is given with --rows, which draws rows at random; expected only one of them"
            )


@contextmanager
def show_warnings(command: str, *, quiet: bool) -> Iterator[None]:
    """Print the warnings of readers to standard error, or suppress them if `quiet` is True."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    if not quiet:
        for warning in caught:
            text = with_original_names(str(warning.message))
            print(f"isotropy-lab {command}: warning: {text}", file=sys.stderr)


@contextmanager
def use_file_names(options: argparse.Namespace, **arrays: Any) -> Iterator[None]:
    """Use file names in errors: ``X`` becomes FILE, and other arguments become the option and the file."""
    names = {"X": options.file, "documents": options.file}  # documents default to X
    for dest, option in options.inputs.items():
        if dest != "file" and getattr(options, dest) is not None:
            names[dest] = f"{option} {getattr(options, dest)}"
    searched = ("documents" if "documents" in arrays else "X", "questions") if "questions" in arrays else ()
    with list_zero_rows({names[name]: arrays[name] for name in searched}), rename_in_errors(names):
        yield


@contextmanager
def list_zero_rows(arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[None]:
    """Extend an error about zero rows: list those of every file, and advise what to do."""
    try:
        yield
    except ValueError as error:
        if arrays and str(error).endswith("; expected finite numbers"):
            raise ValueError(f"{error}: {_advice(str(error))}") from error
        if not arrays or " contains zero vectors in " not in str(error):
            raise
        zeros = {name: np.flatnonzero(~np.asarray(rows).any(axis=1)) for name, rows in arrays.items()}
        messages = "; ".join(
            f"{name} contains zero vectors in {zero.size} of {len(arrays[name])} rows (row"
            f"{'s' * (zero.size > 1)} {', '.join(map(str, zero[:10]))}{' and others' * (zero.size > 10)})"
            for name, zero in zeros.items()
            if zero.size
        )
        advice = dict.fromkeys(_advice(name) for name, zero in zeros.items() if zero.size)
        raise ValueError(f"{messages}; expected vectors with a direction: {'; '.join(advice)}") from error


def _advice(name: str) -> str:
    """Return advice about the zero rows of a file; `name` begins with its option."""
    if name.startswith("--out-of-scope "):
        return "drop these out-of-scope questions, and count them as rejected, since no document is found"
    if name.startswith(("--questions ", "QUESTIONS ")):
        return "drop these questions for every model, with their lines in --gold, and report their number"
    return "drop these documents for every model, with their lines in files of labels, and renumber --gold"


def read_option(options: argparse.Namespace, name: str) -> Any:
    """Return the labels or positions in the file of an option, or None if the option is not given."""
    path = getattr(options, name)
    reader = read_gold if name in ("gold", "qrels") else read_labels
    with show_warnings(options.command, quiet=options.quiet and options.command != "threshold"):
        return None if path is None else reader(path, f"--{name}")


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
    for i, entry in enumerate(entries):
        try:
            lines.append([int(word) for word in str(entry).replace(",", " ").split()])
            np.array(lines[-1], np.int64)
        except (ValueError, OverflowError):
            raise ValueError(
                f"{name} {path}, entry {i + 1}, is {str(entry)[:40]!r}, which is not an integer; expected "
                f"the positions of documents, counted from 0{', without column names' * (i == 0)}"
            ) from None
        if not lines[-1] or max(lines[-1]) < 0:
            content = str(entry)[:40] or "empty"
            raise ValueError(
                f"{name} {path}, entry {i + 1}, is {content}; expected at least one position (questions "
                "without a document belong in a file of their own: threshold --out-of-scope)"
            )
    width = max(map(len, lines), default=1)
    if width == 2 and all("\t" in str(entry) for entry in entries):
        raise ValueError(f"{name} {path} has two columns; expected only the positions of documents")
    if width == 2 and len(lines) > 2 and [line[0] for line in lines] == list(range(len(lines))):
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


def with_date(card: Card) -> Card:
    """Return a card that states its date: today, or the date of SOURCE_DATE_EPOCH."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdigit() else time.time()
    day = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    return dataclasses.replace(card, options={**card.options, "measured on": day})


def deliver_page(page: Page, options: argparse.Namespace, note: str = "", **text_options: bool) -> None:
    """Write a page with today's date to ``--output`` and print its text and location, or its JSON."""
    page = with_date(page)
    if options.output is not None:
        page.write(options.output)
    if options.json:
        deliver(as_json(page.to_dict()), None)
    else:
        note = note or f"{options.output} has every number and what it means." * (options.output is not None)
        ending = "" if options.quiet or not note else f"\n{note}\n"
        deliver(page.to_text(remarks=not options.quiet, **text_options) + ending, None)


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[None]:
    """Show the progress of long computations on standard error if it is a terminal."""
    stream = sys.stderr
    if quiet or stream is None or not stream.isatty():
        yield
        return
    last, line_length = time.monotonic(), 0  # short computations do not report progress

    def show(task: str, done: int, total: int) -> None:
        nonlocal last, line_length
        if time.monotonic() - last < _MIN_SECONDS:
            return
        last = time.monotonic()
        text = f"{task}  {done / max(total, 1):4.0%}"[: shutil.get_terminal_size().columns - 1]
        stream.write(f"\r{text.ljust(line_length)}")
        stream.flush()
        line_length = len(text)

    try:
        with show_progress_with(show):
            yield
    finally:
        stream.write(f"\r{' ' * line_length}\r" if line_length else "")
        stream.flush()
