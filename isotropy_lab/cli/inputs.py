"""What the commands on vectors share: their arguments, vectors with or without words, labels, and a bar of progress."""

from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab.report.rows import Progress, silent
from isotropy_lab.vectors import available, load_word_vectors, read
from isotropy_lab.vectors.formats import detect, existing_file, text_lines

__all__ = [
    "Vectors",
    "add_vector_arguments",
    "open_vectors",
    "read_labels",
    "read_positions",
    "shown_progress",
]

_BETWEEN = 0.1
"""Seconds between two states of the bar."""


@dataclasses.dataclass(frozen=True, eq=False)
class Vectors:
    """What a file holds.

    Attributes
    ----------
    name : str
        Of the file, without folders, or the bundled name.
    array : ndarray of shape (N, n)
        The vectors, memory-mapped where the format allows.
    words : list of str or None
        A word for each row, where they were asked for.
    """

    name: str
    array: npt.NDArray[Any]
    words: list[str] | None


def add_vector_arguments(parser: argparse.ArgumentParser) -> None:
    """Add FILE and what commands on vectors have in common.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the command.

    Returns
    -------
    None
    """
    parser.add_argument("file", metavar="FILE", help="a file of vectors, or a bundled name")
    parser.add_argument("--key", metavar="NAME", help="which array of an .npz or .safetensors with several")
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="the first line of a .csv or .tsv holds names of columns, or a point (default: told from what it holds)",
    )
    parser.add_argument(
        "--groups",
        metavar="FILE",
        help="what each row depends on, such as the sentence of a token: intervals leave out whole groups",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=_whole(10),
        default=10_000,
        help="rows that are compared with one another; of more a sample is drawn (default 10000)",
    )
    parser.add_argument(
        "--confidence",
        metavar="C",
        type=_share,
        default=0.95,
        help="coverage of the intervals (default 0.95)",
    )
    parser.add_argument("--unit", action="store_true", help="warn of rows whose length is not 1")
    parser.add_argument(
        "--seed", metavar="N", type=_whole(0), default=0, help="of everything random (default 0)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings, no remarks")


def _whole(low: int) -> Any:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low}")
        return number

    return parse


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number between 0 and 1")
    return number


def open_vectors(
    path: str,
    *,
    key: str | None = None,
    header: bool | None = None,
    quiet: bool,
    command: str,
    with_words: bool = False,
) -> Vectors:
    """Read a file of vectors, or a bundled name.

    Parameters
    ----------
    path : str
        The file.
    key : str, optional
        Which array of several.
    header : bool, optional
        Whether the first line of a table in text holds names.
    quiet : bool
        Whether warnings of the readers are kept back.
    command : str
        Who warns.
    with_words : bool
        Whether the words are expected, too.

    Returns
    -------
    Vectors

    Raises
    ------
    TypeError, ValueError, OSError, ImportError
        As `isotropy_lab.vectors.read` and `load_word_vectors`.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        bundled = path in available().index and not os.path.exists(path)
        if bundled or with_words or detect(existing_file(path, "FILE")) == "fasttext-binary":
            loaded = load_word_vectors(path)
            vectors = Vectors(Path(path).name, loaded.vectors, list(loaded.index_to_key))
        else:
            vectors = Vectors(Path(path).name, _array(path, key, header), None)
    if not quiet:
        for warning in caught:
            print(f"isotropy-lab {command}: warning: {warning.message}", file=sys.stderr)
    return vectors


_SPELLED = {"key=…": "--key", "header=True": "--header", "header=False": "--no-header"}
"""Arguments of `read` as options of the command line."""


def _array(path: str, key: str | None, header: bool | None) -> npt.NDArray[Any]:
    try:
        return read(path, key=key, header=header)
    except ValueError as error:
        text = str(error)
        for argument, option in _SPELLED.items():
            text = text.replace(argument, option)
        if text == str(error):
            raise
        raise ValueError(text) from error


def read_labels(path: str, name: str) -> npt.NDArray[Any]:
    """Read one label a line of a text, or a vector of numbers or text from an .npy.

    Parameters
    ----------
    path : str
        The file.
    name : str
        The option, for messages.

    Returns
    -------
    ndarray of shape (N,)

    Raises
    ------
    ValueError
        If the file is damaged, holds a pickle, or has more than one column.
    FileNotFoundError, IsADirectoryError
        For a path without a file.
    """
    file = existing_file(path, name)
    with file.open("rb") as stream:
        start = stream.read(6)
    if start == b"\x93NUMPY":
        try:
            array: npt.NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ValueError(f"{name} {path} cannot be read: {error}") from error
        if array.ndim != 1:
            raise ValueError(
                f"{name} {path} holds an array of shape {array.shape}; expected one entry for each row"
            )
        return np.asarray(array)
    if start[:1] == b"\x80" or start[:2] == b"PK":
        raise ValueError(f"{name} {path} is no text; expected one entry a line, or an .npy with one axis")
    with warnings.catch_warnings(), file.open("rb") as stream:
        warnings.simplefilter("ignore", UserWarning)  # a last line without an end is whole here
        return np.array([line.rstrip("\r\n") for line in text_lines(file, stream)], dtype=np.str_)


def read_positions(path: str, name: str) -> npt.NDArray[np.int64]:
    """Read whole numbers, one a line of a text, or from an .npy.

    Parameters
    ----------
    path : str
        The file.
    name : str
        The option, for messages.

    Returns
    -------
    ndarray of int

    Raises
    ------
    ValueError
        If an entry is no whole number.
    FileNotFoundError, IsADirectoryError
        For a path without a file.
    """
    entries = read_labels(path, name)
    if entries.dtype.kind in "iu":
        return entries.astype(np.int64)
    return np.array(
        [_as_position(entry, name, line) for line, entry in enumerate(entries, start=1)], np.int64
    )


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Progress]:
    """Show a bar on standard error while something long is done, if that is a terminal.

    Parameters
    ----------
    quiet : bool
        Whether not to.

    Yields
    ------
    callable
        To be told what is done: name, rows done, rows in all.
    """
    stream = sys.stderr
    if quiet or stream is None or not stream.isatty():
        yield silent
        return
    bar = _Bar(stream)
    try:
        yield bar.show
    finally:
        bar.clear()


class _Bar:
    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.last = time.monotonic()  # what takes less than a moment shows no bar
        self.length = 0

    def show(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last < _BETWEEN:
            return
        self.last = now
        share = done / max(total, 1)
        filled = round(24 * share)
        text = f"{what}  [{'█' * filled}{'·' * (24 - filled)}] {share:4.0%}"[
            : shutil.get_terminal_size().columns - 1
        ]
        self.stream.write(f"\r{text.ljust(self.length)}")
        self.stream.flush()
        self.length = len(text)

    def clear(self) -> None:
        if self.length:
            self.stream.write(f"\r{' ' * self.length}\r")
            self.stream.flush()


def _as_position(entry: Any, name: str, line: int) -> int:
    """Return a whole number that stands in a file."""
    try:
        return int(str(entry).strip())
    except ValueError:
        raise ValueError(
            f"{name}, entry {line}: {str(entry)[:40]!r} is no whole number; expected positions from 0"
        ) from None
