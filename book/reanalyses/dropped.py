"""Files that a reader drops on the page ``report/in-your-browser``: measured as ``isotropy-lab report``
and ``compare`` do.

The page runs `measure` in the worker of its tab and hears through `Said` what happens. Readers, measures and
the texts of errors are those of the command line.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from typing import Any

from isotropy_report.card.card import Page
from isotropy_report.card.rows import Progress, progress_shown_by
from isotropy_report.cli import COMMANDS, parser
from isotropy_report.cli.compare import compared, with_draws
from isotropy_report.cli.inputs import Vectors, dated, open_vectors
from isotropy_report.cli.report import measured
from isotropy_report.io.arrays import matrices
from isotropy_report.io.draws import Draw
from isotropy_report.io.formats import existing_file
from isotropy_report.io.tables import UnclearHeaderError

__all__ = ["MOST_NUMBERS", "Said", "measure"]

#: Numbers that are measured, of all files together: 800 MB of float64. Of more, rows are drawn; a tab has 4
#: GB at most.
MOST_NUMBERS = 100_000_000
SEED = 0
#: Seconds between two words about progress.
BETWEEN = 0.2

Tell = Callable[["Said"], None]


class Said(dict[str, Any]):
    """What happens, shown as JSON: progress, a question to the reader, an error, or the cards."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"application/json": json.dumps(self), "text/plain": ""}


def measure(files: Sequence[dict[str, Any]], tell: Tell) -> None:
    """Measure one or two files: write the card of each, and the comparison of two.

    Parameters
    ----------
    files : sequence of dict
        With ``name`` and perhaps ``key`` and ``header``, as `isotropy_report.io.read` takes them.
    tell : callable
        Told a `Said` with ``what`` and perhaps ``done`` and ``total`` while it runs. Then with ``ask`` (a
        list of ``file``, ``option``, ``choices`` and ``why``) if the reader has to choose, with ``error``
        (the text), or with ``cards`` (a list of ``file``, ``title``, ``name``, ``rows``, ``total``) and
        ``warnings``.
    """
    with redirect_stderr(io.StringIO()) as warned:
        try:
            if asked := [question for file in files if (question := _question(file))]:
                tell(Said(ask=asked))
                return
            opened = _read(files, tell)
            pages = [_card(vectors, tell) for vectors in opened]
            if len(opened) == 2:
                pages.append(_comparison(opened, tell))
        except _Unclear as unclear:
            tell(Said(ask=[unclear.question]))
            return
        except MemoryError:
            tell(Said(error="There is not enough memory in this tab.", memory=True))
            return
        except (ValueError, TypeError, OSError, ImportError) as error:
            tell(Said(error=str(error)))
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
    tell(Said(cards=said, warnings=_lines(warned.getvalue())))


def _lines(warned: str) -> list[str]:
    """Return warnings without what the command puts before them."""
    return [line.removeprefix("isotropy-lab report: warning: ") for line in warned.splitlines()]


class _Unclear(Exception):
    """A first line that the reader has to explain."""

    def __init__(self, question: dict[str, Any]) -> None:
        super().__init__(question["why"])
        self.question = question


def _question(file: dict[str, Any]) -> dict[str, Any] | None:
    """Ask which array is meant, if a file holds several."""
    if file.get("key") is not None or len(names := matrices(existing_file(file["name"], "FILE"))) < 2:
        return None
    return {"file": file["name"], "option": "key", "choices": names[:1000], "why": "It holds several arrays."}


def _read(files: Sequence[dict[str, Any]], tell: Tell) -> list[Vectors]:
    draws = [Draw(n_numbers=MOST_NUMBERS // len(files), seed=SEED) for _ in files]
    opened = [_open(file, draw, tell) for file, draw in zip(files, draws, strict=True)]
    sizes = [len(vectors.array) for vectors in opened]
    if len({draw.total for draw in draws}) == 1 and len(set(sizes)) > 1:
        # As many rows, of different lengths: the same ones are drawn, so that they can be compared one by
        # one.
        larger = sizes.index(max(sizes))
        del opened[larger]  # its memory is needed
        opened.insert(larger, _open(files[larger], Draw(n_rows=min(sizes), seed=SEED), tell))
    return opened


def _open(file: dict[str, Any], draw: Draw, tell: Tell) -> Vectors:
    name, header = file["name"], file.get("header")
    tell(Said(what=f"Reading {name}"))
    try:
        options = {"key": file.get("key"), "header": header}
        return open_vectors(name, quiet=False, command="report", draw=draw, options=options, with_names=True)
    except UnclearHeaderError as error:
        if header is not None:
            raise
        raise _Unclear({"file": name, "option": "header", "choices": [], "why": str(error)}) from error


def _card(vectors: Vectors, tell: Tell) -> Page:
    """Return the card of a file."""
    options = parser("isotropy-lab", COMMANDS, "report").parse_args(["report", vectors.name])
    options.seed = SEED
    tell(Said(what=f"Measuring {vectors.name}"))
    unnamed = vectors._replace(words=None)
    with progress_shown_by(_progress(f"{vectors.name}: ", tell)):
        return dated(measured(options, unnamed, {}))


def _comparison(opened: list[Vectors], tell: Tell) -> Page:
    """Return the comparison of two files."""
    names = [vectors.name for vectors in opened]
    options = parser("isotropy-lab", COMMANDS, "compare").parse_args(["compare", *names])
    options.seed = SEED
    with progress_shown_by(_progress("", tell)):
        return dated(with_draws(compared(options, names, opened), names, opened))


def _progress(before: str, tell: Tell) -> Progress:
    """Return what passes progress on, each new step at once and others now and then."""
    last = ("", 0.0)

    def progress(what: str, done: int, total: int) -> None:
        nonlocal last
        if what != last[0] or time.monotonic() - last[1] >= BETWEEN:
            last = what, time.monotonic()
            tell(Said(what=f"{before}{what}", done=done, total=total))

    return progress
