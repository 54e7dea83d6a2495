"""Questions of the lessons; their form is described in book/README.md, "Writing a lesson"."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reanalyses import lessons
from reanalyses.course.kit.lesson import part_title
from reanalyses.course.plan import LESSONS
from reanalyses.course.quizzes import markup

_QUESTION = re.compile(
    r"(?ms)^(?P<fence>:{4,})\{admonition\} (?P<prompt>[^\n]+)\n:class: il-question\n(?P<body>.*?)^(?P=fence)$"
)
_ITEM = re.compile(r"(?ms)^(\d+)\. (.*?)(?=^\d+\. |^:{3,}$|\Z)")


@dataclass(frozen=True)
class Question:
    """A question with choices, one of which is correct. All texts are Markdown."""

    lesson: str  #: Page in the contents, such as "isotropy/what-isotropy-is".
    title: str  #: Title of the lesson.
    part: str  #: Part of the book, such as "Part 1: Isotropy".
    #: Name of the lesson and number of the question in it. New questions are added at the end, so that existing
    #: questions keep their IDs.
    id: str
    prompt: str  #: The question without its choices.
    #: choices, feedback: the choices, and the feedback on each choice.
    choices: tuple[str, ...]
    feedback: tuple[str, ...]
    correct_index: int  #: Index of the correct choice.


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
            _markdown_of(lessons.BOOK / f"{name}.ipynb"),
            lesson=name,
            title=lessons.read(name).title,
            part=part_title(name),
        )
    )


def parse(markdown: str, *, lesson: str, title: str = "", part: str = "") -> tuple[Question, ...]:
    """Return the questions in the Markdown of a lesson; raise ValueError if a question is incomplete."""
    return tuple(
        _parse_question(match["prompt"], match["body"], lesson, title, part, number)
        for number, match in enumerate(_QUESTION.finditer(markdown), 1)
    )


def _parse_question(prompt: str, body: str, lesson: str, title: str, part: str, number: int) -> Question:
    location = f"question {number} of {lesson}"
    before, separator, after = body.partition("{dropdown} Answers\n")
    if not separator:
        raise ValueError(f"{location} has no dropdown with the title Answers")
    choices, feedback = _numbered_items(before), _numbered_items(after)
    if not len(choices) == len(feedback) >= 2:
        raise ValueError(
            f"{location} has {len(choices)} choices and {len(feedback)} comments; expected at least two choices, with one comment each"
        )
    correct = [i for i, text in enumerate(feedback) if re.match(r"Right\b", text)]
    if len(correct) != 1:
        raise ValueError(f"{location} has {len(correct)} comments that begin with 'Right'; expected one")
    for text in (prompt, *choices, *feedback):
        try:
            markup.xhtml(text)
        except ValueError as error:
            raise ValueError(f"{location}: {error}") from None
    slug = lesson.rpartition("/")[2]
    return Question(
        lesson=lesson,
        title=title,
        part=part,
        id=f"{slug}-{number}",
        prompt=prompt.strip(),
        choices=choices,
        feedback=feedback,
        correct_index=correct[0],
    )


def _numbered_items(text: str) -> tuple[str, ...]:
    """Return the items of a numbered list, one line per item."""
    items = _ITEM.findall(text)
    if [int(number) for number, _ in items] != list(range(1, len(items) + 1)):
        raise ValueError(f"a list is numbered {', '.join(number for number, _ in items)}; expected 1, 2, …")
    return tuple(" ".join(item.split()) for _, item in items)


def _markdown_of(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
