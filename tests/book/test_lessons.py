"""Tests of the form of lessons and case files, which book/README.md explains in "Writing a lesson"."""

import ast
import builtins
import re
import symtable
from pathlib import Path

import pytest

from reanalyses import ledger, lessons
from reanalyses.ledger import page as ledger_page

from .conftest import inline_expressions
from .test_chapters import CASE_FILES, LESSONS, name, read_cells, read_markdown

#: Folded parts, which do not count as words of the main path.
FOLDS = re.compile(r"(?ms)^(:{3,})\{dropdown\}.*?^\1$")
#: Directives that JupyterLab with its MyST extension shows in the same way as the site.
DIRECTIVES = {"admonition", "dropdown", "note", "tip", "warning"} | {
    f"prf:{kind}"
    for kind in ("definition", "theorem", "lemma", "corollary", "proposition", "remark", "proof")
}


def used_and_assigned_names(code: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell uses, also within functions, and the names that it assigns."""
    top = symtable.symtable(code, "cell", "exec")
    used, assigned = set(), set()
    scopes = [top]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            is_global = scope is top or symbol.is_global()
            if is_global and symbol.is_referenced():
                used.add(symbol.get_name())
            if is_global and (symbol.is_assigned() or symbol.is_imported()):
                assigned.add(symbol.get_name())
    return used - set(dir(builtins)), assigned


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_visible_code_runs_without_solutions(path: Path) -> None:
    """Visible cells, and expressions in the prose, use only names that visible cells above assign.

    JupyterLab evaluates the prose after all cells, so names in the prose must keep their values to the end.
    """
    known: set[str] = set()
    in_prose: set[str] = set()
    for cell in read_cells(path):
        where = cell["text"][:80]
        if cell["cell_type"] == "markdown":
            for expression in inline_expressions.expressions(cell["text"]):
                used, _ = used_and_assigned_names(expression)
                in_prose |= used
                is_result = cell["text"].lstrip().startswith(lessons.RESULT_FOLD)
                assert is_result or used <= known, f"{where}: {expression} uses {used - known}"
            continue
        used, assigned = used_and_assigned_names(cell["text"])
        reassigned = in_prose & assigned
        assert not reassigned, f"{where}: assigns {reassigned} again below the prose that shows them"
        if lessons.is_visible(cell) or "set-up" in cell["metadata"].get("tags", []):
            known |= assigned
            assert used <= known, f"{where}: no visible cell above assigns {used - known}"
        else:
            known -= assigned


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lessons_are_short(path: Path) -> None:
    """Limit the words and visible cells before the exercises (without folded parts), and the lines of code."""
    page, texts = read_cells(path), []
    end = next(i for i, cell in enumerate(page) if "\n## Exercises" in "\n" + "".join(cell["source"]))
    for i, cell in enumerate(page):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and i <= end:
            texts.append(re.split(r"(?m)^## Exercises", text)[0])
        elif "## To take away" in text:
            texts.append(text)
    main = FOLDS.sub("", "\n".join(texts))
    assert lessons.count_words(main) <= 1_000
    (catch,) = re.findall(r"(?ms)^## The catch\n(.*?)(?=^## |\Z)", main)
    assert lessons.count_words(catch) <= 120
    visible = ["".join(cell["source"]) for cell in page[:end] if lessons.is_visible(cell)]
    assert len(visible) <= 8
    for code in visible:
        lines = code.split("\n")
        assert max(map(len, lines)) <= 72, max(lines, key=len)
        assert sum(map(bool, map(str.strip, lines))) <= 16, code


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_optional_ends_are_short_and_last(path: Path) -> None:
    page = read_cells(path)
    optional = page[len(list(lessons.main_cells(page))) :]
    assert read_markdown(path).count(lessons.GOING_FURTHER) == bool(optional)
    text = "\n".join(cell["text"] for cell in optional if cell["cell_type"] == "markdown")
    assert lessons.count_words(FOLDS.sub("", text)) <= 450
    assert sum(map(lessons.is_visible, optional)) <= 4
    assert not re.search(r"(?m)^## (?!Going further$)|il-exercise|il-question", text)


@pytest.mark.parametrize("path", CASE_FILES, ids=name)
def test_case_files_are_short(path: Path) -> None:
    assert lessons.count_words(FOLDS.sub("", read_markdown(path))) <= 5_000


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_exercises_have_level_hint_starter_and_solution(path: Path) -> None:
    levels = []
    page = read_cells(path)
    for cell, starter, solution, result in zip(page, page[1:], page[2:], page[3:], strict=False):
        if "il-exercise" not in cell["text"]:
            continue
        title = lessons.EXERCISE.search(cell["text"])
        assert title, f"{cell['text'][:80]}: no title such as 'Exercise 1 (warm-up, 3 minutes): count them'"
        levels.append(title[2])
        assert int(title[1]) == len(levels)
        assert "{dropdown} Hint" in cell["text"]
        assert lessons.is_visible(starter)
        assert lessons.is_solution(solution)
        assert solution["text"].startswith(f"# Solution {title[1]}. ")
        tree = ast.parse(solution["text"])
        assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), "a solution asserts its result"
        # JupyterLab shows the output of a folded cell.
        assert "print(" not in solution["text"]
        assert not isinstance(tree.body[-1], ast.Expr)
        assert result["text"].startswith(lessons.RESULT_FOLD)
    assert levels[0] == "warm-up"
    assert set(levels) == {"warm-up", "practice", "open-ended"}


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_jupyterlab_supports_all_markup(path: Path) -> None:
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", "", read_markdown(path))
    assert set(re.findall(r"\{([\w:-]+)\}`", text)) <= {"eval"}, "JupyterLab shows other roles raw"
    assert set(re.findall(r"(?m)^[:`]{3,}\{([\w:-]+)\}", text)) <= DIRECTIVES
    assert re.findall(r"<(?!https?:)[a-z/][^>]*>", text) == [], "HTML in the prose"
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, label = target.partition("#")
        if "://" not in target and file:
            assert not label, f"{target}: JupyterLab has other labels; link to #{label} alone"
            assert (path.parent / file).is_file(), target


def test_case_files_show_every_claim_and_erratum_of_their_paper() -> None:
    """Calls of `ledger_page.case` show each entry of a paper on the page that the entry names."""
    shown: dict[str, set[tuple[str, str]]] = {}
    for path in CASE_FILES:
        page = "/".join(path.with_suffix("").parts[-2:])
        for cell in read_cells(path, "code"):
            for node in ast.walk(ast.parse(cell["text"])):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".case"):
                    paper, *places = map(ast.literal_eval, node.args)
                    selected = ledger_page.entries_about(paper, *places)
                    shown.setdefault(paper, set()).update((page, entry.id) for entry in selected)
    assert len(shown) >= 4
    for paper, places_shown in shown.items():
        entries = [*ledger.load(paper=paper), *ledger.load_errata(paper=paper)]
        assert {(entry.page, entry.id) for entry in entries} <= places_shown, paper
