"""Information for teachers about a lesson, read from the lesson and from the page "Lesson by lesson"."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise

from reanalyses import lessons

#: Page with notes for teachers, in a cell below the overview of each lesson.
NOTES = "appendix/teaching-lessons"

_OBJECTIVES = re.compile(
    r"(?ms)^:::\{admonition\} What you will be able to do\n(?:^:[^\n]*\n)*(?P<body>.*?)^:::$"
)


@dataclass(frozen=True)
class Overview:
    """The objectives, prerequisites, and exercises of a lesson."""

    page: lessons.Page
    outcomes: tuple[str, ...]  #: Learning objectives of the lesson, in Markdown.
    needs: str  #: Prerequisites stated in the lesson, or "" if there are none.
    exercises: tuple[tuple[str, str, int], ...]  #: Level, title, and minutes of each exercise.

    def _repr_markdown_(self) -> str:
        """Return the overview as Markdown for display in notebooks."""
        lines = [f"{self.page.minutes_with_code} minutes to read with the code. {self.needs}".strip(), ""]
        lines += ["Afterwards a student can", "", *(f"- {outcome}" for outcome in self.outcomes), ""]
        if self.exercises:
            exercise_list = ", ".join(f"“{title}” ({level})" for level, title, _ in self.exercises)
            lines += [f"**Exercises:** {exercise_list}."]
        return "\n".join(lines)


def overview(page: str) -> Overview:
    """Return the overview of a lesson, given its name in the contents; links are relative to a sibling folder."""
    notebook = json.loads((lessons.BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))
    text = "\n\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    )
    objectives = _OBJECTIVES.search(text)
    if objectives is None:
        raise ValueError(f"{page} has no learning objectives")
    folder = page.rpartition("/")[0]
    body = re.sub(r"\]\((?!#|\.\./|https?:)", f"](../{folder}/", objectives["body"])
    items = re.findall(r"(?m)^- (.+(?:\n  .+)*)", body)
    return Overview(
        page=lessons.read(page),
        outcomes=tuple(" ".join(item.split()) for item in items),
        needs=" ".join(body[body.rindex(items[-1]) + len(items[-1]) :].split()),
        exercises=tuple(
            (level, title.strip(), int(minutes))
            for _, level, minutes, title in lessons.EXERCISE.findall(text)
        ),
    )


def notes(page: str) -> dict[str, str]:
    """Return the notes for teachers on a lesson, given its name, as Markdown by bold heading."""
    notebook = json.loads((lessons.BOOK / f"{NOTES}.ipynb").read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    for code, text in pairwise(sources):
        if code == f'teaching.overview("{page}")':
            paragraphs = re.findall(r"(?ms)^\*\*([^*:]+):\*\* (.+?)(?=\n\n|\Z)", text)
            return {name: " ".join(note.split()) for name, note in paragraphs}
    raise ValueError(f"{NOTES} has no notes on {page}; expected a section of this name")
