"""Input files of commands on vectors, and progress messages."""

from __future__ import annotations

import argparse
import dataclasses
import os
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
from isotropy_report.card.words import list_first, rename_in_errors
from isotropy_report.cli.streams import with_original_names
from isotropy_report.io import load_word_vectors
from isotropy_report.io.arrays import OPTIONS, read_named, take_sample
from isotropy_report.io.bundled import NAMES
from isotropy_report.io.draws import Draw
from isotropy_report.io.gold import read_gold, read_labels
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
    """Read a file of vectors, memory-mapped if the format allows, or a bundled set of vectors by name."""
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
            f"{'s' * (zero.size > 1)} {list_first(zero.tolist())}, from 0)"
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
    text = "encode these documents again, or drop them for every model, with their lines in files of labels, "
    return f"{text}renumber --gold, and leave out the questions that have no other relevant document"


def read_option(options: argparse.Namespace, name: str) -> Any:
    """Return the labels or positions in the file of an option, or None if the option is not given."""
    path = getattr(options, name)
    reader = read_gold if name in ("gold", "qrels") else read_labels
    with show_warnings(options.command, quiet=options.quiet and options.command != "threshold"):
        return None if path is None else reader(path, f"--{name}")


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
