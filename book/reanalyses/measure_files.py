"""Measurement of files that a reader drops on the page ``report/in-your-browser``.

The page runs `measure` in the worker of its tab and receives a `Message` about each event. Readers, measures,
and error messages are those of ``isotropy-lab report``, ``compare``, ``map``, and ``threshold``.
"""

from __future__ import annotations

import argparse
import io
import json
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from isotropy_report.card.card import Page
from isotropy_report.card.rows import Progress, show_progress_with
from isotropy_report.cli import COMMANDS, parser
from isotropy_report.cli.compare import add_sample_note, comparison_of_files
from isotropy_report.cli.inputs import Vectors, open_vectors, read_labels, with_date
from isotropy_report.cli.map import page_of
from isotropy_report.cli.report import card_of_files
from isotropy_report.cli.threshold import page_of as threshold_of
from isotropy_report.cli.threshold import read_pairs
from isotropy_report.io.arrays import matrix_names
from isotropy_report.io.draws import Draw
from isotropy_report.io.formats import existing_file
from isotropy_report.io.tables import UnclearHeaderError

#: Maximum number of values in all files together (800 MB in float64, since a browser tab has at most 4 GB).
#: Rows of larger files are sampled.
MOST_NUMBERS = 100_000_000
SEED = 0
#: Seconds between two progress reports.
REPORT_SECONDS = 0.2

Send = Callable[["Message"], None]


class Message(dict[str, Any]):
    """Message as JSON-compatible data: progress, a question to the reader, an error, or results."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"application/json": json.dumps(self), "text/plain": ""}


def measure(files: Sequence[dict[str, Any]], send: Send) -> None:
    """Measure files, and write a card for each, a comparison of two, the page of a map, or a threshold.

    Vectors and one or more files of two columns are vectors and maps of them; a ``.txt`` beside them has the
    label or the text of each row. A threshold comes from a table of similarities with yes or no, or from
    vectors of questions and of documents, and a ``.txt`` with the positions of the relevant documents. Each of
    `files` has ``name`` and possibly ``key`` and ``header``, as in `isotropy_report.io.read`. `send` receives
    a `Message` with ``what`` and possibly ``done`` and ``total`` during the computation; then one with ``ask`` if
    the reader has to choose, with ``error``, or with ``cards`` and ``warnings``. The ``command`` of a map or a
    threshold comes before it is measured.
    """
    given = [file for file in files if len(files) < 3 or not file["name"].lower().endswith(".txt")]
    lines = [file["name"] for file in files if file not in given]
    with redirect_stderr(io.StringIO()) as warned:
        try:
            if asked := [question for file in given if (question := _question(file))]:
                send(Message(ask=asked))
                return
            descriptions = _measure_and_write(given, lines, send)
        except _ChoiceNeeded as needed:
            send(Message(ask=[needed.question]))
        except MemoryError:
            send(Message(error="There is not enough memory in this tab.", memory=True))
        except (ValueError, TypeError, OSError, ImportError) as error:
            send(Message(error=str(error)))
        else:
            warnings = [line.partition(": warning: ")[2] or line for line in warned.getvalue().splitlines()]
            send(Message(cards=descriptions, warnings=warnings))


def _measure_and_write(
    files: Sequence[dict[str, Any]], lines: Sequence[str], send: Send
) -> list[dict[str, Any]]:
    """Write the pages, and return their descriptions; `lines` are files with one line per row."""
    if len(files) == 1 and _are_pairs(files[0]["name"]):
        return [_threshold(["--pairs", files[0]["name"]], send)]
    opened = _read(files, send)
    if sum(vectors.array.shape[1] != 2 for vectors in opened) == 1 < len(opened):
        return [_map(files, opened, lines, send)]
    if lines or len(opened) > 2:
        words = _threshold_words(opened, lines)
        del opened  # the command itself reads the files
        return [_threshold(words, send)]
    descriptions = []
    for i, vectors in enumerate(opened, 1):
        page = _card(vectors, send)
        descriptions.append(_write_page(page, f"card-{i}.html", f"Card of {page.name}", vectors))
    if len(opened) == 2:
        descriptions.append(_write_page(_comparison(opened, send), "comparison.html"))
    return descriptions


def _write_page(page: Page, file: str, title: str = "", vectors: Vectors | None = None) -> dict[str, Any]:
    """Write a page, and return its description for the reader's page."""
    page.write(file)
    rows, total = (len(vectors.array), vectors.drawn_from) if vectors else (None, None)
    return {"file": file, "title": title or page.KIND, "name": page.name, "rows": rows, "total": total}


def _are_pairs(name: str) -> bool:
    """Return whether a file is a table of similarities and answers (yes or no)."""
    try:
        return Path(name).suffix.lower() in (".csv", ".tsv") and bool(read_pairs(name))
    except (ValueError, OSError):
        return False


def _threshold_words(opened: Sequence[Vectors], lines: Sequence[str]) -> list[str]:
    """Return the arguments of the threshold command for these files."""
    if (len(opened), len(lines)) != (2, 1):
        raise ValueError(
            f"You opened {len(opened) + len(lines)} files. Open one file; two files to compare; vectors and maps with "
            "two columns; or three files: vectors of questions and of documents, and a .txt file with the positions "
            "of the relevant documents, one line per question."
        )
    # The file of questions is recognized by its name or by its number of rows.
    called = [any(word in Path(one.name).stem.lower() for word in ("quest", "quer")) for one in opened]
    if sum(called) != 1:
        n_lines = len(Path(lines[0]).read_text(encoding="utf-8").splitlines())
        called = [(one.drawn_from or len(one.array)) == n_lines for one in opened]
    names = [one.name for one in opened]
    if sum(called) != 1:
        raise ValueError(
            f"Which of {names[0]} and {names[1]} contains the questions? Add the word 'questions' to its name."
        )
    return [names[called.index(True)], names[called.index(False)], "--gold", lines[0]]


def _threshold(words: list[str], send: Send) -> dict[str, Any]:
    """Write the page of a threshold, and return its description."""
    options = _announce("Finding a threshold", ["threshold", *words, "-o", "threshold.html"], send)
    return _write_page(with_date(threshold_of(options)), "threshold.html")


def _map(
    files: Sequence[dict[str, Any]], opened: Sequence[Vectors], lines: Sequence[str], send: Send
) -> dict[str, Any]:
    """Write the page of maps, which have two columns, and return its description."""
    ordered = sorted(opened, key=lambda vectors: vectors.array.shape[1] == 2)
    names = [vectors.name for vectors in ordered]
    words = ["map", *names]
    if lines and any(vectors.drawn_from for vectors in ordered):
        raise ValueError(
            f"{names[0]} is too large for a browser tab. Without {' and '.join(lines)}, a sample of rows is used."
        )
    of_vectors = next(file for file in files if file["name"] == names[0])
    if of_vectors.get("key") is not None:
        words += ["--key", of_vectors["key"]]
    words += {None: [], True: ["--header"], False: ["--no-header"]}[of_vectors.get("header")]
    for name in lines:
        entries = read_labels(name, name)
        words += ["--labels" if 2 * len(set(entries)) <= len(entries) else "--texts", name]
    if len(lines) > len({"--labels", "--texts"} & set(words)):
        raise ValueError(
            f"The files {' and '.join(lines)} look alike; expected a few different topics in one file, and a text for "
            "each row in the other."
        )
    options = _announce("Measuring the map", [*words, "-o", "map.html"], send)
    page = add_sample_note(page_of(options, [vectors.array for vectors in ordered]), names, ordered)
    return _write_page(with_date(page), "map.html")


def _announce(what: str, command: list[str], send: Send) -> argparse.Namespace:
    """Send the equivalent command, and return its options."""
    send(Message(what=what, command=shlex.join(["isotropy-lab", *command])))
    return parser("isotropy-lab", COMMANDS, command[0]).parse_args(command)


class _ChoiceNeeded(Exception):
    """Error that asks the reader whether a first line contains column names."""

    def __init__(self, question: dict[str, Any]) -> None:
        super().__init__(question["why"])
        self.question = question


def _question(file: dict[str, Any]) -> dict[str, Any] | None:
    """Ask which array to use if a file contains several."""
    if file.get("key") is not None or len(names := matrix_names(existing_file(file["name"], "FILE"))) < 2:
        return None
    return {"file": file["name"], "option": "key", "choices": names[:1000], "why": "It holds several arrays."}


def _read(files: Sequence[dict[str, Any]], send: Send) -> list[Vectors]:
    draws = [Draw(n_numbers=MOST_NUMBERS // len(files), seed=SEED) for _ in files]
    opened = [_open(file, draw, send) for file, draw in zip(files, draws, strict=True)]
    fewest = min(len(vectors.array) for vectors in opened)
    for i, file in enumerate(files):
        if len({draw.total for draw in draws}) == 1 and len(opened[i].array) > fewest:
            # Draw the same rows from files of equal length, so that they can be compared row by row.
            del opened[i]  # free the memory
            opened.insert(i, _open(file, Draw(n_rows=fewest, seed=SEED), send))
    return opened


def _open(file: dict[str, Any], draw: Draw, send: Send) -> Vectors:
    name, header = file["name"], file.get("header")
    send(Message(what=f"Reading {name}"))
    try:
        options = {"key": file.get("key"), "header": header}
        return open_vectors(name, quiet=False, command="report", draw=draw, options=options, with_names=True)
    except UnclearHeaderError as error:
        if header is not None:
            raise
        raise _ChoiceNeeded({"file": name, "option": "header", "choices": [], "why": str(error)}) from error


def _card(vectors: Vectors, send: Send) -> Page:
    """Return the report card of a file."""
    options = parser("isotropy-lab", COMMANDS, "report").parse_args(["report", vectors.name])
    options.seed = SEED
    send(Message(what=f"Measuring {vectors.name}"))
    unnamed = vectors._replace(words=None)
    with show_progress_with(_progress(f"{vectors.name}: ", send)):
        return with_date(card_of_files(options, unnamed, {}))


def _comparison(opened: list[Vectors], send: Send) -> Page:
    """Return the comparison of two files."""
    names = [vectors.name for vectors in opened]
    options = parser("isotropy-lab", COMMANDS, "compare").parse_args(["compare", *names])
    options.seed = SEED
    with show_progress_with(_progress("", send)):
        return with_date(add_sample_note(comparison_of_files(options, names, opened), names, opened))


def _progress(before: str, send: Send) -> Progress:
    """Return a function that reports each new step at once, and progress within a step at intervals."""
    last = ("", 0.0)

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if what != last[0] or time.monotonic() - last[1] >= REPORT_SECONDS:
            last = what, time.monotonic()
            send(Message(what=f"{before}{what}", done=done, total=total))

    return progress
