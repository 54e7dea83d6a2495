"""Measurement of files that a reader drops on the page ``report/in-your-browser``.

The page runs `measure` in its web worker and receives a `Message` about each event. Readers, measures,
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
from isotropy_report.cli.inputs import Vectors, open_vectors, with_date
from isotropy_report.cli.map import page_of
from isotropy_report.cli.report import card_of_files
from isotropy_report.cli.threshold import page_of as threshold_of
from isotropy_report.cli.threshold import read_pairs
from isotropy_report.io.arrays import matrix_names
from isotropy_report.io.draws import Draw
from isotropy_report.io.formats import existing_file
from isotropy_report.io.gold import read_labels
from isotropy_report.io.tables import UnclearHeaderError

#: Maximum number of values in all files together (800 MB in float64, since a browser tab has at most 4 GB).
#: Rows of larger files are sampled.
MAX_NUMBERS = 100_000_000
SEED = 0
#: Seconds between two progress reports.
REPORT_SECONDS = 0.2

Send = Callable[["Message"], None]


class Message(dict[str, Any]):
    """A message as JSON-compatible data: progress, a question to the reader, an error, or results."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"application/json": json.dumps(self), "text/plain": ""}


def measure(files: Sequence[dict[str, Any]], send: Send) -> None:
    """Measure files, and write a report card for each, a comparison of two, the page of a map, or a threshold.

    A file with more than two columns and one or more files with two are taken as vectors and maps of them; an
    additional ``.txt`` file contains the label or the text of each row. A threshold requires a table of
    similarities with answers (yes or no), or vectors of questions and of documents, and a ``.txt`` file with
    the positions of the relevant documents. Each of `files` has ``name`` and possibly ``key`` and ``header``,
    as in `isotropy_report.io.read`. `send` receives a `Message` with ``what`` and possibly ``done`` and
    ``total`` during the computation, for maps and thresholds also with ``command``; then one with ``ask`` if
    the reader has to choose, with ``error``, or with ``cards`` and ``warnings``.
    """
    data_files = [file for file in files if len(files) < 3 or not file["name"].lower().endswith(".txt")]
    line_files = [file["name"] for file in files if file not in data_files]
    with redirect_stderr(io.StringIO()) as stderr:
        try:
            if questions := [question for file in data_files if (question := _question(file))]:
                send(Message(ask=questions))
                return
            descriptions = _measure_and_write(data_files, line_files, send)
        except _HeaderQuestionError as error:
            send(Message(ask=[error.question]))
        except MemoryError:
            send(Message(error="There is not enough memory in this tab.", memory=True))
        except (ValueError, TypeError, OSError, ImportError) as error:
            send(Message(error=str(error)))
        else:
            warnings = [line.partition(": warning: ")[2] or line for line in stderr.getvalue().splitlines()]
            send(Message(cards=descriptions, warnings=warnings))


def _measure_and_write(
    files: Sequence[dict[str, Any]], line_files: Sequence[str], send: Send
) -> list[dict[str, Any]]:
    """Write the pages, and return their descriptions; `line_files` have one line per row of the vectors."""
    if len(files) == 1 and _are_pairs(files[0]["name"]):
        return [_threshold(["--pairs", files[0]["name"]], send)]
    opened = _open_all(files, send)
    if sum(vectors.array.shape[1] != 2 for vectors in opened) == 1 < len(opened):
        return [_map(files, opened, line_files, send)]
    if line_files or len(opened) > 2:
        arguments = _threshold_arguments(opened, line_files)
        del opened  # the command itself reads the files
        return [_threshold(arguments, send)]
    descriptions = []
    for i, vectors in enumerate(opened, 1):
        page = _report_card(vectors, send)
        descriptions.append(_write_page(page, f"card-{i}.html", f"Card of {page.name}", vectors))
    if len(opened) == 2:
        descriptions.append(_write_page(_comparison(opened, send), "comparison.html"))
    return descriptions


def _write_page(page: Page, file: str, title: str = "", vectors: Vectors | None = None) -> dict[str, Any]:
    """Write a page, and return its description: file, title, name, and numbers of rows used and in total."""
    page.write(file)
    rows, total = (len(vectors.array), vectors.drawn_from) if vectors else (None, None)
    return {"file": file, "title": title or page.KIND, "name": page.name, "rows": rows, "total": total}


def _are_pairs(name: str) -> bool:
    """Return whether a file is a table of similarities and answers (yes or no)."""
    try:
        return Path(name).suffix.lower() in (".csv", ".tsv") and bool(read_pairs(name))
    except (ValueError, OSError):
        return False


def _threshold_arguments(opened: Sequence[Vectors], line_files: Sequence[str]) -> list[str]:
    """Return the arguments of the threshold command for these files."""
    if (len(opened), len(line_files)) != (2, 1):
        raise ValueError(
            f"You opened {len(opened) + len(line_files)} files. Open one file; two files to compare; vectors and maps with "
            "two columns; or three files: vectors of questions and of documents, and a .txt file with the positions "
            "of the relevant documents, one line per question."
        )
    # The file of questions is recognized by its name or by its number of rows.
    names = [vectors.name for vectors in opened]
    is_questions = [any(word in Path(name).stem.lower() for word in ("quest", "quer")) for name in names]
    if sum(is_questions) != 1:
        n_lines = len(Path(line_files[0]).read_text(encoding="utf-8").splitlines())
        is_questions = [(vectors.drawn_from or len(vectors.array)) == n_lines for vectors in opened]
    if sum(is_questions) != 1:
        raise ValueError(
            f"Which of {names[0]} and {names[1]} contains the questions? Add the word 'questions' to its name."
        )
    return [names[is_questions.index(True)], names[is_questions.index(False)], "--gold", line_files[0]]


def _threshold(arguments: list[str], send: Send) -> dict[str, Any]:
    """Write the page of a threshold, and return its description."""
    options = _announce("Finding a threshold", ["threshold", *arguments, "-o", "threshold.html"], send)
    return _write_page(with_date(threshold_of(options)), "threshold.html")


def _map(
    files: Sequence[dict[str, Any]], opened: Sequence[Vectors], line_files: Sequence[str], send: Send
) -> dict[str, Any]:
    """Write the page of maps, which have two columns, and return its description."""
    ordered = sorted(opened, key=lambda vectors: vectors.array.shape[1] == 2)
    names = [vectors.name for vectors in ordered]
    command = ["map", *names]
    if line_files and any(vectors.drawn_from for vectors in ordered):
        raise ValueError(
            f"{names[0]} is too large for a browser tab. Without {' and '.join(line_files)}, a sample of rows is used."
        )
    vectors_file = next(file for file in files if file["name"] == names[0])
    if vectors_file.get("key") is not None:
        command += ["--key", vectors_file["key"]]
    command += {None: [], True: ["--header"], False: ["--no-header"]}[vectors_file.get("header")]
    for name in line_files:
        entries = read_labels(name, name)
        command += ["--labels" if 2 * len(set(entries)) <= len(entries) else "--texts", name]
    if len(line_files) > len({"--labels", "--texts"} & set(command)):
        raise ValueError(
            f"The files {' and '.join(line_files)} look alike; expected a few different topics in one file, and a text for "
            "each row in the other."
        )
    options = _announce("Measuring the map", [*command, "-o", "map.html"], send)
    page = add_sample_note(page_of(options, [vectors.array for vectors in ordered]), names, ordered)
    return _write_page(with_date(page), "map.html")


def _announce(what: str, command: list[str], send: Send) -> argparse.Namespace:
    """Send the equivalent command, and return its options."""
    send(Message(what=what, command=shlex.join(["isotropy-lab", *command])))
    return parser("isotropy-lab", COMMANDS, command[0]).parse_args(command)


class _HeaderQuestionError(Exception):
    """Error that asks the reader whether a first line contains column names."""

    def __init__(self, question: dict[str, Any]) -> None:
        super().__init__(question["why"])
        self.question = question


def _question(file: dict[str, Any]) -> dict[str, Any] | None:
    """Return the question which array to use, or None if it has been answered or there is only one."""
    if file.get("key") is not None or len(names := matrix_names(existing_file(file["name"], "FILE"))) < 2:
        return None
    return {"file": file["name"], "option": "key", "choices": names[:1000], "why": "It has several arrays."}


def _open_all(files: Sequence[dict[str, Any]], send: Send) -> list[Vectors]:
    draws = [Draw(n_numbers=MAX_NUMBERS // len(files), seed=SEED) for _ in files]
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
        raise _HeaderQuestionError(
            {"file": name, "option": "header", "choices": [], "why": str(error)}
        ) from error


def _report_card(vectors: Vectors, send: Send) -> Page:
    """Return the report card of a file."""
    options = parser("isotropy-lab", COMMANDS, "report").parse_args(["report", vectors.name])
    options.seed = SEED
    send(Message(what=f"Measuring {vectors.name}"))
    without_words = vectors._replace(words=None)
    with show_progress_with(_progress(f"{vectors.name}: ", send)):
        return with_date(card_of_files(options, without_words, {}))


def _comparison(opened: list[Vectors], send: Send) -> Page:
    """Return the comparison of two files."""
    names = [vectors.name for vectors in opened]
    options = parser("isotropy-lab", COMMANDS, "compare").parse_args(["compare", *names])
    options.seed = SEED
    with show_progress_with(_progress("", send)):
        return with_date(add_sample_note(comparison_of_files(options, names, opened), names, opened))


def _progress(prefix: str, send: Send) -> Progress:
    """Return a function that reports each new step immediately, and progress within a step at intervals."""
    last = ("", 0.0)

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if what != last[0] or time.monotonic() - last[1] >= REPORT_SECONDS:
            last = what, time.monotonic()
            send(Message(what=f"{prefix}{what}", done=done, total=total))

    return progress
