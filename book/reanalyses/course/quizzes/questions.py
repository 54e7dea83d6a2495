"""Questions of the lessons; their form is described in book/README.md, "Writing a lesson"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reanalyses import lessons
from reanalyses.course.kit.lesson import part
from reanalyses.course.plan import LESSONS
from reanalyses.course.quizzes import markup

__all__ = ["Question", "parse", "questions"]

_QUESTION = re.compile(
    r"(?ms)^(?P<fence>:{4,})\{admonition\} (?P<asked>[^\n]+)\n:class: il-question\n(?P<body>.*?)^(?P=fence)$"
)
_ITEM = re.compile(r"(?ms)^(\d+)\. (.*?)(?=^\d+\. |^:{3,}$|\Z)")


@dataclass(frozen=True)
class Question:
    """A question with choices, one of which is correct. All texts are Markdown."""

    lesson: str  #: Page in the contents, such as "isotropy/what-isotropy-is".
    title: str  #: Title of the lesson.
    part: str  #: Part of the book, such as "Part 1: Isotropy".
    #: Name of the lesson and position of the question in it. New questions are added at the end, so that a
    #: platform recognizes the existing ones.
    id: str
    asked: str  #: The question itself.
    #: choices, feedback: the choices, and the feedback on each of them.
    choices: tuple[str, ...]
    feedback: tuple[str, ...]
    right: int  #: Index of the correct choice.


def questions(names: Iterable[str] | None = None) -> tuple[Question, ...]:
    """Return the questions of lessons (default: all lessons) in the order of the book."""
    names = LESSONS if names is None else tuple(names)
    unknown = [name for name in names if name not in LESSONS]
    if unknown:
        raise ValueError(
            f"names contains {unknown[0]!r}, which is not a lesson; expected one of {', '.join(LESSONS)}"
        )
    return tuple(
        question
        for name in names
        for question in parse(
            _markdown(lessons.BOOK / f"{name}.ipynb"),
            lesson=name,
            title=lessons.read(name).title,
            part=part(name),
        )
    )


def parse(markdown: str, *, lesson: str, title: str = "", part: str = "") -> tuple[Question, ...]:
    """Return the questions in the Markdown of a lesson; raise ValueError if a question is incomplete."""
    return tuple(
        _question(found["asked"], found["body"], lesson, title, part, place)
        for place, found in enumerate(_QUESTION.finditer(markdown), 1)
    )


def _question(asked: str, body: str, lesson: str, title: str, part: str, place: int) -> Question:
    where = f"question {place} of {lesson}"
    before, fold, after = body.partition("{dropdown} Answers\n")
    if not fold:
        raise ValueError(f"{where} has no dropdown with the title Answers")
    choices, feedback = _items(before), _items(after)
    if not len(choices) == len(feedback) >= 2:
        raise ValueError(
            f"{where} has {len(choices)} choices and {len(feedback)} answers; expected at least two choices, with one answer each"
        )
    right = [i for i, text in enumerate(feedback) if re.match(r"Right\b", text)]
    if len(right) != 1:
        raise ValueError(f"{where} has {len(right)} answers that begin with 'Right'; expected exactly one")
    for text in (asked, *choices, *feedback):
        try:
            markup.xhtml(text)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    stem = lesson.rpartition("/")[2]
    return Question(lesson, title, part, f"{stem}-{place}", asked.strip(), choices, feedback, right[0])


def _items(text: str) -> tuple[str, ...]:
    """Return the items of a numbered list, one line per item."""
    found = _ITEM.findall(text)
    if [int(number) for number, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"a list is numbered {', '.join(number for number, _ in found)}; expected 1, 2, …")
    return tuple(" ".join(item.split()) for _, item in found)


def _markdown(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
