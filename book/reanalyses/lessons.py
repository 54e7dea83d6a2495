"""What a page of the book is, and how long it takes: read from the notebook itself."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "BOOK",
    "EXERCISE",
    "Page",
    "is_runnable",
    "is_solution",
    "is_visible",
    "minutes",
    "minutes_of_part",
    "read",
    "words",
]

BOOK = Path(__file__).resolve().parents[1]

#: A reader of mathematics takes in so many words a minute, and needs so many minutes for other things.
WORDS_A_MINUTE = 130
MINUTES = {"figures": 1.0, "tables": 1.0, "code": 0.5}

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
    #: In the prose, formulas counting as one word each; questions and exercises included. What a question
    #: says to each of its choices is left out: on the site a reader sees a sentence or two of it, after a
    #: click.
    words: int
    #: figures, tables, exercises: how many of them.
    figures: int
    tables: int
    exercises: int
    minutes: int  #: To read it, rounded to five, without the exercises.
    exercise_minutes: int  #: For the exercises, rounded to five.


def read(file: str | Path) -> Page:
    """Read what a notebook is from its file, or from its name in the contents, such as ``isotropy/what-isotropy-is``."""
    path = Path(file) if str(file).endswith(".ipynb") else BOOK / f"{file}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and not is_solution(cell)]
    markdown = [_source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    title = re.search(r"(?m)^# (.+)$", "\n".join(markdown))
    count = {
        "figures": sum(
            "figure" in cell["metadata"].get("mystnb", {})
            or bool(re.search(r"\b(moving\.\w+|explore)\(", _source(cell)))
            for cell in code
        ),
        "tables": sum(bool(re.search(r"\btables\.\w+\(", _source(cell))) for cell in code),
        "code": sum(is_visible(cell) for cell in code),
    }
    exercises = EXERCISE.findall("\n".join(markdown))
    n = sum(words(ANSWERS.sub("", text)) for text in markdown)
    time = n / WORDS_A_MINUTE + sum(MINUTES[what] * number for what, number in count.items())
    return Page(
        kind=notebook["metadata"].get("isotropy_lab", {}).get("kind", ""),
        title=title[1] if title else "",
        words=n,
        figures=count["figures"],
        tables=count["tables"],
        exercises=len(exercises),
        minutes=max(5, 5 * round(time / 5)),
        exercise_minutes=5 * round(sum(int(minutes) for _, _, minutes, _ in exercises) / 5),
    )


def minutes(file: str | Path) -> int:
    """Return the minutes that it takes to read a page, for a page that lists others."""
    return read(file).minutes


def minutes_of_part(folder: str) -> int:
    """Return the minutes that all lessons of a part take together.

    >>> minutes_of_part("isotropy") > minutes("isotropy/what-isotropy-is")
    True
    """
    pages = map(read, sorted((BOOK / folder).glob("*.ipynb")))
    return sum(page.minutes for page in pages if page.kind == "lesson")


def words(markdown: str) -> int:
    """Count the words of Markdown as a reader counts them: no markup, no addresses, and a formula is one word."""
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", " ", markdown)  # code to copy
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$", " formula ", text)
    text = re.sub(r"(?s)\{[\w:-]+\}(`+)(?!`).+?\1", " value ", text)
    text = re.sub(
        r"(?m)^[:`]{3,}(\{[^}]+\})?|^:[\w-]+:.*$|^\(\S+\)=$", " ", text
    )  # directives, options, labels
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
    return cell["cell_type"] == "code" and not {"remove-input", "remove-cell"} & set(
        cell["metadata"].get("tags", [])
    )


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])
