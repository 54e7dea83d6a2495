"""Measurement of files that a reader drops on the page ``report/in-your-browser``.

The page runs `measure` in the worker of its tab and receives a `Message` about each event. Readers, measures,
and error messages are those of ``isotropy-lab report``, ``compare``, and ``threshold``.
"""

from __future__ import annotations

import io
import json
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from isotropy_report.card.card import Page
from isotropy_report.card.rows import Progress, progress_shown_by
from isotropy_report.cli import COMMANDS, parser
from isotropy_report.cli.compare import comparison_of_files, with_draws
from isotropy_report.cli.inputs import Vectors, open_vectors, with_date
from isotropy_report.cli.report import card_of_files
from isotropy_report.cli.threshold import page_of, read_pairs
from isotropy_report.io.arrays import matrices
from isotropy_report.io.draws import Draw
from isotropy_report.io.formats import existing_file
from isotropy_report.io.tables import UnclearHeaderError

__all__ = ["MOST_NUMBERS", "Message", "measure"]

#: Maximum number of values in all files together (800 MB in float64, since a browser tab has at most 4 GB).
#: Rows of larger files are sampled.
MOST_NUMBERS = 100_000_000
SEED = 0
#: Seconds between two progress reports.
REPORT_SECONDS = 0.2

Send = Callable[["Message"], None]


class Message(dict[str, Any]):
    """A message that is shown as JSON: progress, a question to the reader, an error, or results."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"application/json": json.dumps(self), "text/plain": ""}


def measure(files: Sequence[dict[str, Any]], send: Send) -> None:
    """Measure files: write the card of each of one or two, the comparison of two, or a threshold.

    A threshold comes from a table of similarities with yes or no, or from three files: vectors of questions
    and of documents, and a ``.txt`` with the positions of the relevant documents. Each of `files` has
    ``name`` and possibly ``key`` and ``header``, as in `isotropy_report.io.read`. `send` receives a `Message`
    with ``what`` and possibly ``done`` and ``total`` during the computation; then one with ``ask`` if the
    reader has to choose, with ``error``, or with ``cards``, ``warnings``, and, for a threshold, the
    ``command``.
    """
    with redirect_stderr(io.StringIO()) as warned:
        try:
            if words := _threshold_words([file["name"] for file in files]):
                send(Message(_threshold(words, send), warnings=_lines(warned.getvalue())))
                return
            if asked := [question for file in files if (question := _question(file))]:
                send(Message(ask=asked))
                return
            opened = _read(files, send)
            pages = [_card(vectors, send) for vectors in opened]
            if len(opened) == 2:
                pages.append(_comparison(opened, send))
        except _ChoiceNeeded as needed:
            send(Message(ask=[needed.question]))
            return
        except MemoryError:
            send(Message(error="There is not enough memory in this tab.", memory=True))
            return
        except (ValueError, TypeError, OSError, ImportError) as error:
            send(Message(error=str(error)))
            return
    said = []
    for i, page in enumerate(pages):
        own = opened[i] if i < len(opened) else None
        file = f"card-{i + 1}.html" if own else "comparison.html"
        page.write(file)
        said.append(
            {
                "file": file,
                "title": f"Card of {page.name}" if own else page.KIND,
                "name": page.name,
                "rows": len(own.array) if own else None,
                "total": own.drawn_from if own else None,
            }
        )
    send(Message(cards=said, warnings=_lines(warned.getvalue())))


def _lines(warned: str) -> list[str]:
    """Return warnings without the prefix that the command adds."""
    return [line.partition(": warning: ")[2] or line for line in warned.splitlines()]


def _threshold_words(names: Sequence[str]) -> list[str]:
    """Return the arguments of the threshold command for these files, or an empty list if it does not apply."""
    if len(names) == 1 and Path(names[0]).suffix.lower() in (".csv", ".tsv"):
        try:
            read_pairs(names[0])
        except (ValueError, OSError):
            return []
        return ["--pairs", names[0]]
    if len(names) < 3:
        return []
    gold = [name for name in names if name.lower().endswith(".txt")]
    if len(names) != 3 or len(gold) != 1:
        raise ValueError(
            f"These are {len(names)} files; expected one, two to compare, or three: vectors of questions and of "
            "documents, and a .txt with the positions of the relevant documents, a line for each question"
        )
    # The file of questions is recognized by its name or by its number of rows.
    others = [name for name in names if name != gold[0]]
    called = [any(word in Path(name).stem.lower() for word in ("quest", "quer")) for name in others]
    if sum(called) != 1:
        n_lines = len(Path(gold[0]).read_text(encoding="utf-8").splitlines())
        read = [open_vectors(name, quiet=True, command="threshold").array for name in others]
        called = [len(rows) == n_lines for rows in read]
    if sum(called) != 1:
        raise ValueError(
            f"Which of {others[0]} and {others[1]} holds the questions? Put it into the name of the file"
        )
    return [others[called.index(True)], others[called.index(False)], "--gold", gold[0]]


def _threshold(words: list[str], send: Send) -> Message:
    """Return the result to send when the page of a threshold has been written."""
    send(Message(what="Finding a threshold"))
    command = ["threshold", *words, "-o", "threshold.html"]
    options = parser("isotropy-lab", COMMANDS, "threshold").parse_args(command)
    page = with_date(page_of(options))
    page.write("threshold.html")
    card = {"file": "threshold.html", "title": page.KIND, "name": page.name, "rows": None, "total": None}
    return Message(cards=[card], command=shlex.join(["isotropy-lab", *command]))


class _ChoiceNeeded(Exception):
    """Error that asks the reader whether a first line contains column names."""

    def __init__(self, question: dict[str, Any]) -> None:
        super().__init__(question["why"])
        self.question = question


def _question(file: dict[str, Any]) -> dict[str, Any] | None:
    """Ask which array to use if a file contains several."""
    if file.get("key") is not None or len(names := matrices(existing_file(file["name"], "FILE"))) < 2:
        return None
    return {"file": file["name"], "option": "key", "choices": names[:1000], "why": "It holds several arrays."}


def _read(files: Sequence[dict[str, Any]], send: Send) -> list[Vectors]:
    draws = [Draw(n_numbers=MOST_NUMBERS // len(files), seed=SEED) for _ in files]
    opened = [_open(file, draw, send) for file, draw in zip(files, draws, strict=True)]
    sizes = [len(vectors.array) for vectors in opened]
    if len({draw.total for draw in draws}) == 1 and len(set(sizes)) > 1:
        # The files have equal numbers of rows but different dimensions: draw the same rows from both, so that
        # they can be compared row by row.
        larger = sizes.index(max(sizes))
        del opened[larger]  # free the memory
        opened.insert(larger, _open(files[larger], Draw(n_rows=min(sizes), seed=SEED), send))
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
    with progress_shown_by(_progress(f"{vectors.name}: ", send)):
        return with_date(card_of_files(options, unnamed, {}))


def _comparison(opened: list[Vectors], send: Send) -> Page:
    """Return the comparison of two files."""
    names = [vectors.name for vectors in opened]
    options = parser("isotropy-lab", COMMANDS, "compare").parse_args(["compare", *names])
    options.seed = SEED
    with progress_shown_by(_progress("", send)):
        return with_date(with_draws(comparison_of_files(options, names, opened), names, opened))


def _progress(before: str, send: Send) -> Progress:
    """Return a function that reports each new step at once, and progress within a step at intervals."""
    last = ("", 0.0)

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if what != last[0] or time.monotonic() - last[1] >= REPORT_SECONDS:
            last = what, time.monotonic()
            send(Message(what=f"{before}{what}", done=done, total=total))

    return progress
