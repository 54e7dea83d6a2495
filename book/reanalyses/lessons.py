"""What a page of the book is, and how long it takes: read from the notebook itself."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reanalyses import in_the_tab

__all__ = [
    "BOOK",
    "EXERCISE",
    "Page",
    "is_runnable",
    "is_solution",
    "is_visible",
    "minutes",
    "of_part",
    "read",
    "words",
]

BOOK = Path(__file__).resolve().parents[1]

#: An estimate of how fast a page is read.
WORDS_A_MINUTE = 200

#: The title of an exercise: its number, level and minutes, and what it is about.
EXERCISE = re.compile(r"\{admonition\} Exercise (\d+) \(([\w-]+), (\d+) minutes\): (.+)")

#: What a question has to say to its choices: folded, and one of them is read at a time.
ANSWERS = re.compile(r"(?ms)^(?P<fence>:{4,})\{dropdown\} Answers\n.*?^(?P=fence)$")

#: The fold below a solution; the second title is that of lessons that are not yet rewritten.
RESULTS = tuple(f":::{{dropdown}} {title}\n" for title in ("Result", "What comes out"))


#: What has no place on the page, or waits behind a click.
HIDDEN = {"remove-cell", "remove-input", "hide-cell", "hide-input"}


@dataclass(frozen=True)
class Page:
    """What a page has, and how long it takes."""

    kind: str  #: "lesson", "case file", or "" for a page that is not marked as one.
    title: str  #: The first heading.
    exercises: int  #: How many.
    minutes: int  #: To read it and to run its cells in the tab, without the exercises: an estimate.
    exercise_minutes: int  #: For the exercises, rounded to five.


def read(file: str | Path) -> Page:
    """Read what a notebook is from its file, or from its name in the contents, such as ``isotropy/what-isotropy-is``."""
    path = Path(file) if str(file).endswith(".ipynb") else BOOK / f"{file}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    markdown = [_source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    title = re.search(r"(?m)^# (.+)$", "\n".join(markdown))
    exercises = EXERCISE.findall("\n".join(markdown))
    read_alone = (text for text in markdown if not (EXERCISE.search(text) or text.startswith(RESULTS)))
    time = sum(words(ANSWERS.sub("", text)) for text in read_alone) / WORDS_A_MINUTE + _waits(notebook) / 60
    return Page(
        kind=notebook["metadata"].get("isotropy_lab", {}).get("kind", ""),
        title=title[1] if title else "",
        exercises=len(exercises),
        minutes=math.ceil(time),
        exercise_minutes=5 * round(sum(int(minutes) for _, _, minutes, _ in exercises) / 5),
    )


def _waits(notebook: dict[str, Any]) -> float:
    """Return the seconds that the cells before the exercises were measured to take in the tab."""
    measured, total = in_the_tab.seconds(), 0.0
    for cell in notebook["cells"]:
        if EXERCISE.search(_source(cell)):
            break
        if is_runnable(cell):
            total += measured.get(in_the_tab.digest(_source(cell)), 0.0)
    return total


def minutes(file: str | Path) -> int:
    """Return the minutes that it takes to read a page, for a page that lists others."""
    return read(file).minutes


def of_part(folder: str) -> list[Page]:
    """Return the lessons of a part."""
    pages = map(read, sorted((BOOK / folder).glob("*.ipynb")))
    return [page for page in pages if page.kind == "lesson"]


def words(markdown: str) -> int:
    """Count the words of Markdown as a reader counts them: no markup, no addresses, and a formula is one word."""
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", " ", markdown)  # code to copy
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$", " formula ", text)
    text = re.sub(r"(?s)\{[\w:-]+\}(`+)(?!`).+?\1", " value ", text)
    # Directives, options, and labels.
    text = re.sub(r"(?m)^[:`]{3,}(\{[^}]+\})?|^:[\w-]+:.*$|^\(\S+\)=$", " ", text)
    text = re.sub(r"(?m)^( *Exercise \d+ \([\w-]+), \d+ minutes\)", r"\1)", text)  # a label
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"<[^>]+>", " ", text)
    return len(re.findall(r"[^\W_]+(?:['’.,–-][^\W_]+)*", text))


def is_solution(cell: dict[str, Any]) -> bool:
    """Say whether a cell is the solution of an exercise."""
    return "solution" in cell["metadata"].get("tags", [])


def is_visible(cell: dict[str, Any]) -> bool:
    """Say whether a reader sees the code of a cell without a click."""
    return cell["cell_type"] == "code" and not HIDDEN & set(cell["metadata"].get("tags", []))


def is_runnable(cell: dict[str, Any]) -> bool:
    """Say whether a reader can see, and run, the code of a cell, perhaps after a click."""
    tags = cell["metadata"].get("tags", [])
    return cell["cell_type"] == "code" and not {"remove-input", "remove-cell"} & set(tags)


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])
