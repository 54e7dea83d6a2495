"""Contents and reading time of a page of the book, determined from its notebook."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reanalyses import in_the_tab

BOOK = Path(__file__).resolve().parents[1]

#: Estimated reading speed.
WORDS_PER_MINUTE = 200

#: Pattern of the title of an exercise: number, level, minutes, and topic.
EXERCISE = re.compile(r"\{admonition\} Exercise (\d+) \(([\w-]+), (\d+) minutes\): (.+)")

#: Pattern of the folded answers to a question, which do not count as text to read.
ANSWER_FOLD = re.compile(r"(?ms)^(?P<fence>:{4,})\{dropdown\} Answers\n.*?^(?P=fence)$")

#: First line of the cell that begins the optional end of a lesson.
GOING_FURTHER = "## Going further"

#: First line of the fold below a solution.
RESULT_FOLD = ":::{dropdown} Result\n"

#: Tags of cells that are absent from the page or hidden until a click.
HIDING_TAGS = {"remove-cell", "remove-input", "hide-cell", "hide-input"}


@dataclass(frozen=True)
class Page:
    """The kind, the title, and the estimated times of a page."""

    kind: str  #: "lesson", "case file", or "" for a page that is not marked as one.
    title: str  #: First heading.
    exercises: int  #: Number of exercises.
    minutes: int  #: Estimated time to read the page and to run its cells in the browser, without exercises.
    #: The same, plus a minute and a half for each visible cell before the exercises and what it shows.
    minutes_with_code: int
    exercise_minutes: int  #: Time for the exercises, rounded to five minutes.


def read(file: str | Path) -> Page:
    """Return the contents and times of a page, given its notebook file or its name, such as ``report/scaling-up``."""
    path = Path(file) if str(file).endswith(".ipynb") else BOOK / f"{file}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    markdown = [_source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    title = re.search(r"(?m)^# (.+)$", "\n".join(markdown))
    exercises = EXERCISE.findall("\n".join(markdown))
    before_exercises = itertools.takewhile(lambda cell: not EXERCISE.search(_source(cell)), notebook["cells"])
    main = [_source(cell) for cell in main_cells(notebook["cells"]) if cell["cell_type"] == "markdown"]
    prose = (text for text in main if not (EXERCISE.search(text) or text.startswith(RESULT_FOLD)))
    reading = sum(count_words(ANSWER_FOLD.sub("", text)) for text in prose) / WORDS_PER_MINUTE
    n_minutes = math.ceil(reading + _running_seconds(notebook) / 60)
    return Page(
        kind=notebook["metadata"].get("isotropy_lab", {}).get("kind", ""),
        title=title[1] if title else "",
        exercises=len(exercises),
        minutes=n_minutes,
        minutes_with_code=n_minutes + math.ceil(1.5 * sum(map(is_visible, before_exercises))),
        exercise_minutes=5 * round(sum(int(minutes) for _, _, minutes, _ in exercises) / 5),
    )


def main_cells(cells: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the cells of a lesson without those of its optional end."""
    return itertools.takewhile(lambda cell: not _source(cell).startswith(GOING_FURTHER), cells)


def _running_seconds(notebook: dict[str, Any]) -> float:
    """Return the measured seconds that the cells before the exercises run in the browser."""
    seconds_by_digest, total_seconds = in_the_tab.seconds(), 0.0
    for cell in notebook["cells"]:
        if EXERCISE.search(_source(cell)):
            break
        if is_runnable(cell):
            total_seconds += seconds_by_digest.get(in_the_tab.digest(_source(cell)), 0.0)
    return total_seconds


def minutes(file: str | Path) -> int:
    """Return the estimated minutes needed to read a page with its code, for use in lists of pages."""
    return read(file).minutes_with_code


def of_part(folder: str) -> list[Page]:
    """Return the pages of the lessons of a part, given the folder of the part."""
    pages = map(read, sorted((BOOK / folder).glob("*.ipynb")))
    return [page for page in pages if page.kind == "lesson"]


def count_words(markdown: str) -> int:
    """Return the number of words in Markdown, without markup and addresses; a formula counts as one word."""
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", " ", markdown)  # code to be copied
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$", " formula ", text)
    text = re.sub(r"(?s)\{[\w:-]+\}(`+)(?!`).+?\1", " value ", text)
    # Directives, options, and labels.
    text = re.sub(r"(?m)^[:`]{3,}(\{[^}]+\})?|^:[\w-]+:.*$|^\(\S+\)=$", " ", text)
    text = re.sub(r"(?m)^( *Exercise \d+ \([\w-]+), \d+ minutes\)", r"\1)", text)  # the title of an exercise
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"<[^>]+>", " ", text)
    return len(re.findall(r"[^\W_]+(?:['’.,–-][^\W_]+)*", text))


def is_solution(cell: dict[str, Any]) -> bool:
    """Return whether a cell is the solution of an exercise."""
    return "solution" in cell["metadata"].get("tags", [])


def is_visible(cell: dict[str, Any]) -> bool:
    """Return whether the code of a cell is visible without a click."""
    return cell["cell_type"] == "code" and not HIDING_TAGS & set(cell["metadata"].get("tags", []))


def is_runnable(cell: dict[str, Any]) -> bool:
    """Return whether readers can see and run the code of a cell, possibly after a click."""
    tags = cell["metadata"].get("tags", [])
    return cell["cell_type"] == "code" and not {"remove-input", "remove-cell"} & set(tags)


def _source(cell: Mapping[str, Any]) -> str:
    return "".join(cell["source"])
