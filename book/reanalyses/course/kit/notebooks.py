"""Notebooks without solutions for students, and with solutions for teachers."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course.kit.lesson import Lesson, part
from reanalyses.course.kit.markdown import Block, blocks, quoted, with_links, with_values, without_links

__all__ = ["for_nbgrader", "for_students", "for_teachers", "written"]

#: Line of a starter cell that hands in an answer.
_STARTER = re.compile(r'(?m)^check\("(?P<name>[^"]+)", \.\.\.\).*\n?')
_EXERCISE = re.compile(r"Exercise (\d+) \(")
#: Folded sections that describe a figure and are opened after looking at it.
_FOUND = "What you may have found"


@dataclass
class _Maker:
    """Converter of the Markdown in one notebook, which collects the hints to place at the end."""

    lesson: Lesson
    known: Callable[[str], bool]
    teacher: bool
    n_questions: int = 0
    exercise: str = ""
    at_the_end: list[tuple[str, str]] = field(default_factory=list)

    def markdown(self, place: int) -> str:
        """Return a Markdown cell in the syntax that all notebook programs support."""
        text = with_values(self.lesson.cells[place]["source"], self.lesson.values(place))
        return self.plain(with_links(text, self.lesson.name, self.known))

    def plain(self, text: str) -> str:
        """Convert the directives of a text to headings and quotations."""
        return "\n\n".join(filter(None, map(self.block, blocks(text))))

    def block(self, block: Block) -> str:
        """Convert one block to plain Markdown, or to "" if it does not belong in the notebook."""
        if block.kind == "":
            return block.text
        if block.kind == "dropdown":
            return self.fold(block)
        if block.style == "il-exercise":
            self.exercise = block.title
            return f"### {block.title}\n\n{self.plain(block.text)}"
        if block.style == "il-question":
            self.n_questions += 1
            return f"**{self.n_questions}. {block.title}**\n\n{self.plain(block.text)}"
        if block.kind == "prf:proof":
            return f"**Proof.** {self.plain(block.text)}"
        if block.kind.startswith("prf:"):
            name = block.kind.removeprefix("prf:").capitalize()
            title = f"**{name}: {block.title}.** " if block.title else f"**{name}.** "
            return quoted(title + self.plain(block.text))
        return quoted(f"**{block.title or block.kind.capitalize()}**\n\n{self.plain(block.text)}")

    def fold(self, block: Block) -> str:
        """Convert a folded section: answers are for teachers, and hints go to the end of students' notebooks."""
        text = self.plain(block.text)
        if self.teacher:
            return f"**{block.title}.** {text}" if "\n" not in text else f"**{block.title}**\n\n{text}"
        if block.title == "Answers":
            return ""
        if "hint" in block.title.lower():
            self.at_the_end.append((f"{block.title}: {self.exercise.partition(':')[0]}", text))
            return "*A hint stands at the end of this notebook.*"
        if block.title == _FOUND:
            self.at_the_end.append((_FOUND, text))
            return "*What others found stands at the end of this notebook.*"
        return f"**{block.title}**\n\n{text}"


def for_students(lesson: Lesson, known: Callable[[str], bool] = lambda page: True) -> dict[str, Any]:
    """Return a lesson's notebook without solutions and answers, ready to run, with its hints at the end."""
    maker = _Maker(lesson, known, teacher=False)
    cells, told = [], set(_after_predictions(lesson.cells))
    for place, cell in enumerate(lesson.cells):
        if lessons.is_solution(dict(cell)) or cell["source"].startswith(lessons.RESULTS):
            continue
        if cell["cell_type"] == "code":
            cells.append(_code(f"c{place}", cell["source"]))
            if _after_starter(lesson.cells, place):
                cells.append(_text(f"c{place}-words", "*Your answer in words:*"))
        else:
            text = maker.markdown(place)
            cells.append(_text(f"c{place}", _behind_a_click(text) if place in told else text))
    cells[0] = _text("c0", _opened(lesson, cells[0]["source"], "student"))
    if maker.at_the_end:
        folds = "\n\n".join(f"### {title}\n\n{text}" for title, text in maker.at_the_end)
        cells.append(_text("hints", f"## Hints\n\n{folds}"))
    return _notebook(cells)


def for_teachers(
    lesson: Lesson, exercises: Sequence[Any] = (), known: Callable[[str], bool] = lambda page: True
) -> dict[str, Any]:
    """Return an executed notebook with solutions, rubrics, common mistakes, and notes for the class."""
    maker = _Maker(lesson, known, teacher=True)
    by_number = {exercise.number: exercise for exercise in exercises}
    cells, number, n_run = [], 0, 0
    for place, cell in enumerate(lesson.cells):
        if cell["cell_type"] == "code":
            n_run += 1
            run = {"execution_count": n_run, "outputs": cell.get("outputs", [])}
            cells.append(_code(f"c{place}", cell["source"]) | run)
            continue
        if found := _EXERCISE.search(cell["source"]):
            number = int(found[1])
        cells.append(_text(f"c{place}", maker.markdown(place)))
        if cell["source"].startswith(lessons.RESULTS) and number in by_number:
            cells.append(_text(f"c{place}-grading", "\n\n".join(_grading(by_number[number]))))
    cells[0] = _text("c0", _opened(lesson, cells[0]["source"], "teacher"))
    cells.insert(1, _text("teacher", "\n\n".join(_for_class(lesson, exercises))))
    return _notebook(cells)


def for_nbgrader(
    lesson: Lesson, exercises: Sequence[Any], known: Callable[[str], bool] = lambda page: True
) -> dict[str, Any]:
    """Return the source version of an assignment, from which nbgrader creates the version for students.

    The cells have the metadata of nbgrader's schema version 3. For each exercise there is a cell with the solution, which
    nbgrader takes out, and a locked cell that `check` grades; for an open-ended one also a cell that a person grades.
    """
    answers = tomllib.loads(
        resources.files(__package__).joinpath("nbgrader.toml").read_text(encoding="utf-8")
    )
    made = for_students(lesson, known)
    named, cells = {exercise.name: exercise for exercise in exercises}, []
    exercise, grade_id = None, ""
    for cell in made["cells"]:
        cells.append(cell)
        if cell["id"].endswith("-words") and exercise is not None and exercise.rubric:
            _graded(cell, f"{grade_id}-words", points=2 * len(exercise.rubric), solution=True)
        if cell["cell_type"] != "code" or not (found := _STARTER.search(cell["source"])):
            continue
        exercise = named[found["name"]]
        grade_id = re.sub(r"\W", "-", exercise.name)
        variable = "answer_" + re.sub(r"\W", "_", exercise.name)
        solution = lesson.cells[int(cell["id"][1:]) + 1]["source"].strip()
        imported, answer = "", answers.get(exercise.name)
        if answer is None:
            imported, answer = (
                "from reanalyses.course.plan import by_name\n\n",
                f'by_name("{exercise.name}").solution',
            )
        asked = f"# Put your answer into {variable}:\n# {exercise.asks}.\n"
        region = (
            f"### BEGIN SOLUTION\n{imported}{solution}\n\n{variable} = {answer.strip()}\n### END SOLUTION\n"
        )
        start, end = found.span()
        cell["source"] = (cell["source"][:start] + asked + region + cell["source"][end:]).rstrip()
        _graded(cell, grade_id, solution=True)
        test = f'from reanalyses.course import check\n\nassert check("{exercise.name}", {variable})'
        cells.append(_code(f"{cell['id']}-test", test))
        _graded(cells[-1], f"{grade_id}-test", points=1, solution=False)
    return made | {"cells": cells}


def _graded(cell: dict[str, Any], grade_id: str, *, solution: bool, points: int | None = None) -> None:
    """Add the metadata of nbgrader to a cell: a solution, or a locked test; a cell with points is graded."""
    about = {"grade": points is not None, "grade_id": grade_id, "locked": not solution, "solution": solution}
    about |= {"schema_version": 3, "task": False} | ({} if points is None else {"points": points})
    cell["metadata"] = {"nbgrader": about}


def written(notebook: Mapping[str, Any]) -> str:
    """Return the text of a notebook file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _grading(exercise: Any) -> Iterator[str]:
    """Return rubric and common mistakes of an exercise as Markdown."""
    yield f'**Check:** `check("{exercise.name}", …)`, which asks for {exercise.asks}.'
    if exercise.slips:
        yield "**Usual mistakes, and what the check says to them:**"
        yield "\n".join(f"- {slip.message}" for slip in exercise.slips)
    if exercise.rubric:
        rows = [f"| {what} | {' | '.join(levels)} |" for what, levels in exercise.rubric.items()]
        yield "\n".join(["| Looked at | 0 points | 1 point | 2 points |", "|---|---|---|---|", *rows])


def _for_class(lesson: Lesson, exercises: Sequence[Any]) -> Iterator[str]:
    """Return the notes for teachers to read before the lesson."""
    page, overview = lesson.page, teaching.overview(lesson.name)
    yield "## For the teacher"
    yield f"{page.minutes} minutes to read, {page.exercise_minutes} for the exercises. {without_links(overview.needs)}"
    rows = []
    for place, outcome in enumerate(overview.outcomes, 1):
        using = [str(one.number) for one in exercises if place in one.objectives]
        rows.append(f"| {without_links(outcome)} | {', '.join(using) or '–'} |")
    yield "\n".join(["| Students will be able to | exercise |", "|---|---|", *rows])
    for name, text in teaching.notes(lesson.name).items():
        yield f"**{name}:** {without_links(text)}"


def _opened(lesson: Lesson, first: str, reader: str) -> str:
    """Insert a note below the title that says which notebook this is."""
    page = lesson.page
    about = {
        "student": f"{page.minutes} minutes to read, {page.exercise_minutes} for the exercises. "
        "Run each cell with Shift + Enter, from top to bottom.",
        "teacher": "**For the teacher: with all solutions.** Please do not hand it out.",
    }
    title, _, rest = first.partition("\n")
    return f"{title}\n\n*Isotropy Lab, {part(lesson.name)}.* {about[reader]}\n{rest}"


def _after_predictions(cells: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Yield the positions of the prose that says which choice of a prediction was correct."""
    waiting = False
    for place, cell in enumerate(cells):
        if ":class: il-predict" in cell["source"]:
            waiting = True
        elif waiting and cell["cell_type"] == "markdown":
            waiting = False
            yield place


def _behind_a_click(text: str) -> str:
    """Fold the prose above the first heading except formulas, which not every program renders in a fold."""
    told, heading, rest = re.split(r"(?m)(^#|\Z)", text, maxsplit=1)
    if "$" in told or not told.strip():
        return text
    summary = "<summary>Which choice was right? Open this when you have run the cell.</summary>"
    return f"<details>\n{summary}\n\n{told.strip()}\n\n</details>\n\n{heading}{rest}".rstrip()


def _after_starter(cells: Sequence[Mapping[str, Any]], place: int) -> bool:
    """Return whether a cell contains the starter code of an exercise."""
    return place + 1 < len(cells) and lessons.is_solution(dict(cells[place + 1]))


def _text(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code(name: str, code: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": code,
    }


def _notebook(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "cells": [*cells],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
