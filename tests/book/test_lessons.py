"""What a lesson must have, from its notebook alone; CONTRIBUTING.md, "Writing a lesson", says why."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reanalyses import ledger, lessons
from reanalyses.course import quizzes
from reanalyses.ledger import page as ledger_page

from .test_build import inline_expressions
from .test_chapters import CASE_FILES, LESSONS, name

#: What JupyterLab with its MyST extension shows as the site does.
DIRECTIVES = {
    "admonition",
    "dropdown",
    "note",
    "tip",
    "warning",
    "prf:definition",
    "prf:theorem",
    "prf:lemma",
}
DIRECTIVES |= {"prf:corollary", "prf:proposition", "prf:remark", "prf:proof"}

LEVELS = ("warm-up", "practice", "open-ended")

#: Begins the cell below a solution, whose expressions have that solution's names.
RESULT = ":::{dropdown} What comes out\n"


def cells(path: Path) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [{**cell, "text": "".join(cell["source"])} for cell in notebook["cells"]]


def markdown(path: Path) -> str:
    return "\n\n".join(cell["text"] for cell in cells(path) if cell["cell_type"] == "markdown")


def without_code(text: str) -> str:
    return re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", "", text)


def visible_program(path: Path) -> str:
    """Return what a reader sees as one program: visible cells, and where they stand, the expressions of the prose."""
    parts = []
    for cell in cells(path):
        if lessons.is_visible(cell):
            parts.append(cell["text"])
        elif cell["cell_type"] == "markdown" and RESULT not in cell["text"]:
            for expression in inline_expressions.expressions(cell["text"]):
                parts.append(f"assert isinstance({expression}, (str, int)), {expression!r}")
    return "\n\n".join(parts)


def test_some_page_is_a_lesson() -> None:
    assert LESSONS


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_what_a_reader_sees_runs_by_itself(path: Path, tmp_path: Path) -> None:
    program = tmp_path / "visible.py"
    program.write_text(visible_program(path), encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, str(program)], cwd=path.parent, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_sections_stand_in_order(path: Path) -> None:
    text = markdown(path)
    marks = ["# ", "{admonition} What you will be able to do", "\n## Predict\n"]
    marks += ["\n## The catch\n", "\n## Exercises\n", "\n## Questions\n", "\n## To take away\n"]
    places = [text.find(mark) for mark in marks]
    missing = [mark.strip() for mark, place in zip(marks, places, strict=True) if place < 0]
    assert missing == []
    assert places == sorted(places)


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_prediction_has_choices_and_is_told_which_was_right(path: Path) -> None:
    page = cells(path)
    found = [i for i, cell in enumerate(page) if ":class: il-predict" in cell["text"]]
    assert found
    for i in found:
        choices = len(re.findall(r"(?m)^\d+\. ", page[i]["text"]))
        following = "\n".join(cell["text"] for cell in page[i + 1 :] if cell["cell_type"] == "markdown")
        told = re.search(
            r"(?i)\bchoices? \d|\b(first|second|third|last|all|both|none|two|three) (of the )?(choices?|answers?)\b",
            following,
        )
        assert choices == 0 or (choices >= 2 and told), "which choice was right?"


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_the_reader_builds_it_and_the_package_agrees(path: Path) -> None:
    """Between the prediction and the catch a visible cell of few lines is checked against the package."""
    heading, built = "", False
    for cell in cells(path):
        for found in re.findall(r"(?m)^## (.+)$", cell["text"] if cell["cell_type"] == "markdown" else ""):
            heading = found
        if not lessons.is_visible(cell):
            continue
        lines = [line for line in cell["text"].splitlines() if line.strip()]
        assert len(lines) <= 15, f"a cell of {len(lines)} lines: {lines[0]}"
        checks = re.search(r"(?m)^assert .*(isclose|allclose|array_equal|==)", cell["text"])
        built |= bool(checks) and heading not in ("", "The catch", "Exercises")
    assert built


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_size(path: Path) -> None:
    page = lessons.read(path)
    assert page.words <= 2_200
    assert 3 <= page.figures <= 6
    assert page.tables <= 3
    assert page.exercises >= 3
    assert page.minutes <= 30


def test_what_is_said_to_choices_is_not_counted_among_the_words_to_read(tmp_path: Path) -> None:
    question = """:::::{admonition} Is it?
:class: il-question

1. Yes.
2. No.

::::{dropdown} Answers
1. No. Because it is not.
2. Right. It is not.
::::
:::::

:::{dropdown} What comes out
Counted.
:::
"""
    page = tmp_path / "page.ipynb"
    cell = {"cell_type": "markdown", "metadata": {}, "source": question}
    page.write_text(json.dumps({"cells": [cell], "metadata": {}}), encoding="utf-8")
    # Is it, 1 Yes, 2 No, and what stands below.
    assert lessons.read(page).words == 2 + 4 + 4
    assert lessons.words(question) > 20


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_exercises_have_level_hint_starter_and_solution(path: Path) -> None:
    levels = []
    page = cells(path)
    for cell, starter, solution, result in zip(page, page[1:], page[2:], page[3:], strict=False):
        if cell["cell_type"] != "markdown" or "il-exercise" not in cell["text"]:
            continue
        number = len(levels) + 1
        title = lessons.EXERCISE.search(cell["text"])
        assert title, f"exercise {number} has no title such as 'Exercise 1 (warm-up, 3 minutes): count them'"
        assert int(title[1]) == number
        levels.append(title[2])
        assert "{dropdown} Hint" in cell["text"], f"exercise {number} has no hint"
        assert lessons.is_visible(starter), f"exercise {number} has no starter cell below it"
        assert lessons.is_solution(solution), f"exercise {number} has no solution below its starter cell"
        assert "hide-cell" in solution["metadata"]["tags"]
        assert solution["metadata"]["jupyter"] == {"source_hidden": True}, "run `make format`"
        assert solution["text"].startswith(f"# Solution {number}. ")
        tree = ast.parse(solution["text"])
        assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), (
            f"solution {number} asserts nothing"
        )
        # JupyterLab unfolds what a folded cell prints or shows.
        assert "print(" not in solution["text"], f"solution {number} prints"
        assert not isinstance(tree.body[-1], ast.Expr), f"solution {number} ends with a value that is shown"
        assert result["text"].startswith(RESULT), f"nothing below solution {number} says what comes out"
    assert levels[0] == "warm-up"
    assert set(levels) == set(LEVELS)


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_questions_have_one_right_choice_and_a_word_on_each(path: Path) -> None:
    """The parser refuses what lacks something; `test_quizzes` has what is asked of all questions together."""
    assert (
        len(quizzes.parse(markdown(path), lesson=path.stem))
        == markdown(path).count(":class: il-question")
        >= 5
    )


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_jupyterlab_knows_all_markup(path: Path) -> None:
    text = without_code(markdown(path))
    roles = set(re.findall(r"\{([\w:-]+)\}`", text))
    assert roles <= {"eval"}, f"JupyterLab shows these roles raw: {roles - {'eval'}}"
    directives = set(re.findall(r"(?m)^[:`]{3,}\{([\w:-]+)\}", text))
    assert directives <= DIRECTIVES, directives - DIRECTIVES
    assert re.findall(r"<(?!https?:)[a-z/][^>]*>", text) == [], "HTML in the prose"
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, label = target.partition("#")
        if "://" not in target and file:
            assert not label, (
                f"{target}: JupyterLab and Sphinx name places differently; link to #{label} alone"
            )
            assert (path.parent / file).is_file(), f"{target} is no file; links to pages have their ending"


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_headings_say_what_is_learned(path: Path) -> None:
    for heading in re.findall(r"(?m)^#+ (.+)$", without_code(markdown(path))):
        assert not re.search(r"\b(Table|Figure|Fig\.|Section|Test|Appendix|Equation)s? [IVX\d]", heading), (
            heading
        )
        assert "{eval}" not in heading, "headings stand in the contents, too"


@pytest.mark.parametrize("path", LESSONS + CASE_FILES, ids=name)
def test_no_cell_is_plumbing(path: Path) -> None:
    for cell in cells(path):
        assert "glue" not in cell["text"], cell["text"]
        assert "remove-cell" not in cell["metadata"].get("tags", []), cell["text"]
        if cell["cell_type"] == "code":
            assert "ipywidgets" not in cell["text"]


def test_case_files_show_every_claim_and_erratum_of_their_paper() -> None:
    """The blocks `ledger_page.case(paper, places)` of the case files show each entry of a paper on the page it names."""
    shown: dict[str, set[tuple[str, str]]] = {}
    for path in CASE_FILES:
        page = "/".join(path.with_suffix("").parts[-2:])
        for cell in cells(path):
            for node in ast.walk(ast.parse(cell["text"] if cell["cell_type"] == "code" else "")):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "case"
                ):
                    paper, *places = map(ast.literal_eval, node.args)
                    shown.setdefault(paper, set()).update(
                        (page, entry.id) for entry in ledger_page.treated(paper, *places)
                    )
    for paper, places_shown in shown.items():
        entries = [*ledger.load(paper=paper), *ledger.load_errata(paper=paper)]
        assert {(entry.page, entry.id) for entry in entries} - places_shown == set(), paper


class Assigned(ast.NodeVisitor):
    """The names that a cell gives a value, those inside functions and comprehensions left out."""

    def __init__(self, text: str) -> None:
        self.names: set[str] = set()
        self.visit(ast.parse(text))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.names.add(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names.add(node.name)

    def skip(self, node: ast.AST) -> None:
        """Names inside are not those of the notebook."""

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = skip


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_what_the_prose_shows_keeps_its_value(path: Path) -> None:
    """JupyterLab evaluates the prose when all cells have run: a name that a later cell changes shows that value."""
    lost = []
    shown: set[str] = set()
    for cell in cells(path):
        if cell["cell_type"] == "markdown":
            for expression in inline_expressions.expressions(cell["text"]):
                names = [node for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)]
                own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
                shown |= {node.id for node in names} - own
        else:
            lost += sorted(shown & Assigned(cell["text"]).names)
    assert lost == []
