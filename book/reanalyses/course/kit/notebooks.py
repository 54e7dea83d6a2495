"""Notebooks without solutions for students, and with solutions for teachers."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course.kit.lesson import ExecutedLesson, part_title
from reanalyses.course.kit.markdown import Block, adapt_links, blocks, insert_values, quote, remove_links
from reanalyses.course.kit.slides import read_asset

#: Function that says whether the course contains a page.
PageTest = Callable[[str], bool]
#: Line of a starter cell that hands in an answer.
_STARTER = re.compile(r'(?m)^check\("(?P<name>[^"]+)", \.\.\.\).*\n?')
_EXERCISE = re.compile(r"Exercise (\d+) \(")
#: Title of the folded sections that describe a figure, which readers open after looking at it.
_OBSERVATIONS = "What you may have found"


@dataclass
class _Converter:
    """Converter of the Markdown in one notebook, which collects the hints for the end of the notebook."""

    lesson: ExecutedLesson
    has_page: PageTest
    for_teacher: bool
    n_questions: int = 0  #: Number of questions so far.
    exercise: str = ""  #: Title of the current exercise.
    hints: list[tuple[str, str]] = field(default_factory=list)  #: Titles and texts.

    def convert_cell(self, cell_index: int) -> str:
        """Return a Markdown cell in the syntax that all notebook programs support."""
        text = insert_values(self.lesson.cells[cell_index]["source"], self.lesson.values_in_cell(cell_index))
        return self.convert_text(adapt_links(text, self.lesson.name, self.has_page))

    def convert_text(self, text: str) -> str:
        """Convert the directives of a text to headings and quotations."""
        return "\n\n".join(filter(None, map(self.convert_block, blocks(text))))

    def convert_block(self, block: Block) -> str:
        """Convert one block to plain Markdown, or to "" if it does not belong in the notebook."""
        if block.kind == "":
            return block.text
        if block.kind == "dropdown":
            return self.convert_dropdown(block)
        if block.style == "il-exercise":
            self.exercise = block.title
            return f"### {block.title}\n\n{self.convert_text(block.text)}"
        if block.style == "il-question":
            self.n_questions += 1
            return f"**{self.n_questions}. {block.title}**\n\n{self.convert_text(block.text)}"
        if block.kind == "prf:proof":
            return f"**Proof.** {self.convert_text(block.text)}"
        if block.kind.startswith("prf:"):
            name = block.kind.removeprefix("prf:").capitalize()
            title = f"**{name}: {block.title}.** " if block.title else f"**{name}.** "
            return quote(title + self.convert_text(block.text))
        return quote(f"**{block.title or block.kind.capitalize()}**\n\n{self.convert_text(block.text)}")

    def convert_dropdown(self, block: Block) -> str:
        """Convert a folded section: answers are for teachers, and hints go to the end of students' notebooks."""
        text = self.convert_text(block.text)
        if self.for_teacher:
            return f"**{block.title}.** {text}" if "\n" not in text else f"**{block.title}**\n\n{text}"
        if block.title == "Answers":
            return ""
        if "hint" in block.title.lower():
            self.hints.append((f"{block.title}: {self.exercise.partition(':')[0]}", text))
            return "*The end of this notebook contains a hint.*"
        if block.title == _OBSERVATIONS:
            self.hints.append((_OBSERVATIONS, text))
            return "*The end of this notebook says what others found.*"
        return f"**{block.title}**\n\n{text}"


def student_notebook(lesson: ExecutedLesson, has_page: PageTest = lambda page: True) -> dict[str, Any]:
    """Return a lesson's notebook without solutions and answers, ready to run, with its hints at the end."""
    converter = _Converter(lesson, has_page, for_teacher=False)
    cells = []
    answer_indices = set(_indices_after_predictions(lesson.cells))
    for cell_index, cell in enumerate(lesson.cells):
        if lessons.is_solution(dict(cell)) or cell["source"].startswith(lessons.RESULT_FOLD):
            continue
        if cell["cell_type"] == "code":
            cells.append(_code_cell(f"c{cell_index}", cell["source"]))
            if _is_starter(lesson.cells, cell_index):
                cells.append(_text_cell(f"c{cell_index}-words", "*Your answer in words:*"))
        else:
            text = converter.convert_cell(cell_index)
            text = _fold_prose(text) if cell_index in answer_indices else text
            cells.append(_text_cell(f"c{cell_index}", text))
    notice = f"{_duration_text(lesson)} Run each cell with Shift + Enter, from top to bottom."
    cells[0] = _text_cell("c0", _add_notice(lesson, cells[0]["source"], notice))
    if converter.hints:
        hints = "\n\n".join(f"### {title}\n\n{text}" for title, text in converter.hints)
        cells.append(_text_cell("hints", f"## Hints\n\n{hints}"))
    return _notebook(cells)


def teacher_notebook(
    lesson: ExecutedLesson, exercises: Sequence[Any] = (), has_page: PageTest = lambda page: True
) -> dict[str, Any]:
    """Return an executed notebook with solutions, rubrics, common mistakes, and notes for the class."""
    converter = _Converter(lesson, has_page, for_teacher=True)
    by_number = {exercise.number: exercise for exercise in exercises}
    cells: list[dict[str, Any]] = []
    exercise_number = n_executed = 0
    for cell_index, cell in enumerate(lesson.cells):
        if cell["cell_type"] == "code":
            n_executed += 1
            executed = {"execution_count": n_executed, "outputs": cell.get("outputs", [])}
            cells.append(_code_cell(f"c{cell_index}", cell["source"]) | executed)
            continue
        if exercise_title := _EXERCISE.search(cell["source"]):
            exercise_number = int(exercise_title[1])
        cells.append(_text_cell(f"c{cell_index}", converter.convert_cell(cell_index)))
        if cell["source"].startswith(lessons.RESULT_FOLD) and exercise_number in by_number:
            notes = "\n\n".join(_grading_notes(by_number[exercise_number]))
            cells.append(_text_cell(f"c{cell_index}-grading", notes))
    notice = "**For the teacher: with all solutions.** Please do not hand it out."
    cells[0] = _text_cell("c0", _add_notice(lesson, cells[0]["source"], notice))
    cells.insert(1, _text_cell("teacher", "\n\n".join(_class_notes(lesson, exercises))))
    return _notebook(cells)


def nbgrader_notebook(
    lesson: ExecutedLesson, exercises: Sequence[Any], has_page: PageTest = lambda page: True
) -> dict[str, Any]:
    """Return the source version of an assignment, from which nbgrader creates the version for students.

    The cells have the metadata of nbgrader's schema version 3. Each exercise has a cell with the solution,
    which nbgrader removes, and a locked cell that `check` grades; teachers grade open-ended answers in words.
    """
    answers = tomllib.loads(read_asset("nbgrader.toml"))
    notebook = student_notebook(lesson, has_page)
    by_name = {exercise.name: exercise for exercise in exercises}
    solutions = {
        starter["name"]: following["source"].strip()
        for cell, following in pairwise(lesson.cells)
        if (starter := _STARTER.search(cell["source"]))
    }
    cells: list[dict[str, Any]] = []
    exercise, grade_id = None, ""
    for cell in notebook["cells"]:
        cells.append(cell)
        if cell["id"].endswith("-words") and exercise is not None and exercise.rubric:
            _mark_graded(cell, f"{grade_id}-words", points=2 * len(exercise.rubric), solution=True)
        if cell["cell_type"] != "code" or not (starter := _STARTER.search(cell["source"])):
            continue
        exercise = by_name[starter["name"]]
        grade_id = re.sub(r"\W", "-", exercise.name)
        variable = "answer_" + re.sub(r"\W", "_", exercise.name)
        solution = solutions[exercise.name]
        answer = answers.get(exercise.name)
        if answer is None:
            solution = f"from reanalyses.course.plan import by_name\n\n{solution}"
            answer = f'by_name("{exercise.name}").solution'
        instruction = f"# Put your answer into {variable}:\n# {exercise.asks}.\n"
        region = f"### BEGIN SOLUTION\n{solution}\n\n{variable} = {answer.strip()}\n### END SOLUTION\n"
        start, end = starter.span()
        cell["source"] = (cell["source"][:start] + instruction + region + cell["source"][end:]).rstrip()
        _mark_graded(cell, grade_id, solution=True)
        test = f'from reanalyses.course import check\n\nassert check("{exercise.name}", {variable})'
        cells.append(_code_cell(f"{cell['id']}-test", test))
        _mark_graded(cells[-1], f"{grade_id}-test", points=1, solution=False)
    return notebook | {"cells": cells}


def _mark_graded(cell: dict[str, Any], grade_id: str, *, solution: bool, points: int | None = None) -> None:
    """Add the metadata of nbgrader to a cell: a solution, or a locked test; a cell with points is graded."""
    entry = {"grade": points is not None, "grade_id": grade_id, "locked": not solution, "solution": solution}
    entry |= {"schema_version": 3, "task": False} | ({} if points is None else {"points": points})
    cell["metadata"] = {"nbgrader": entry}


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """Return the text of a notebook file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _grading_notes(exercise: Any) -> Iterator[str]:
    """Yield the check, the common mistakes, and the rubric of an exercise as Markdown."""
    yield f'**Check:** `check("{exercise.name}", …)`, which asks for {exercise.asks}.'
    if exercise.slips:
        yield "**Messages of the check for common mistakes:**"
        yield "\n".join(f"- {slip.message}" for slip in exercise.slips)
    if exercise.rubric:
        rows = [f"| {criterion} | {' | '.join(levels)} |" for criterion, levels in exercise.rubric.items()]
        yield "\n".join(["| Criterion | 0 points | 1 point | 2 points |", "|---|---|---|---|", *rows])


def _class_notes(lesson: ExecutedLesson, exercises: Sequence[Any]) -> Iterator[str]:
    """Yield the notes for teachers to read before the lesson."""
    overview = teaching.overview(lesson.name)
    yield "## For the teacher"
    yield f"{_duration_text(lesson)} {remove_links(overview.needs)}"
    rows = []
    for number, outcome in enumerate(overview.outcomes, 1):
        numbers = [str(exercise.number) for exercise in exercises if number in exercise.objectives]
        rows.append(f"| {remove_links(outcome)} | {', '.join(numbers) or '–'} |")
    yield "\n".join(["| Students will be able to | exercise |", "|---|---|", *rows])
    for name, text in teaching.notes(lesson.name).items():
        yield f"**{name}:** {remove_links(text)}"


def _duration_text(lesson: ExecutedLesson) -> str:
    return f"{lesson.page.minutes} minutes to read, {lesson.page.exercise_minutes} for the exercises."


def _add_notice(lesson: ExecutedLesson, source: str, notice: str) -> str:
    """Insert the name of the part and a notice below the title of a notebook."""
    title, _, rest = source.partition("\n")
    return f"{title}\n\n*Isotropy Lab, {part_title(lesson.name)}.* {notice}\n{rest}"


def _indices_after_predictions(cells: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Yield the indices of the cells that say which choice of a prediction was correct."""
    is_pending = False
    for cell_index, cell in enumerate(cells):
        if ":class: il-predict" in cell["source"]:
            is_pending = True
        elif is_pending and cell["cell_type"] == "markdown":
            is_pending = False
            yield cell_index


def _fold_prose(text: str) -> str:
    """Fold the prose above the first heading except formulas, which not every program renders in a fold."""
    prose, heading, rest = re.split(r"(?m)(^#|\Z)", text, maxsplit=1)
    if "$" in prose or not prose.strip():
        return text
    summary = "<summary>Which choice was right? Open this when you have run the cell.</summary>"
    return f"<details>\n{summary}\n\n{prose.strip()}\n\n</details>\n\n{heading}{rest}".rstrip()


def _is_starter(cells: Sequence[Mapping[str, Any]], cell_index: int) -> bool:
    """Return whether a cell contains the starter code of an exercise."""
    return cell_index + 1 < len(cells) and lessons.is_solution(dict(cells[cell_index + 1]))


def _text_cell(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _code_cell(name: str, code: str) -> dict[str, Any]:
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
