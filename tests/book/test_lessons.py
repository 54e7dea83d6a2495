"""Requirements on the notebook of a lesson, explained in book/README.md, "Writing a lesson"."""

import ast
import builtins
import re
import symtable
from pathlib import Path

import pytest

from reanalyses import ledger, lessons
from reanalyses.ledger import page as ledger_page

from .conftest import inline_expressions
from .test_chapters import CASE_FILES, LESSONS, cells, markdown, name

#: Folded parts, which do not count as words of the main path.
FOLDS = re.compile(r"(?ms)^(:{3,})\{dropdown\}.*?^\1$")
#: What JupyterLab with its MyST extension shows as the site does.
DIRECTIVES = {"admonition", "dropdown", "note", "tip", "warning"} | {
    f"prf:{kind}"
    for kind in ("definition", "theorem", "lemma", "corollary", "proposition", "remark", "proof")
}


def names(code: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell uses, also within functions, and the names that it assigns."""
    top = symtable.symtable(code, "cell", "exec")
    used, given = set(), set()
    scopes = [top]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            of_notebook = scope is top or symbol.is_global()
            if of_notebook and symbol.is_referenced():
                used.add(symbol.get_name())
            if of_notebook and (symbol.is_assigned() or symbol.is_imported()):
                given.add(symbol.get_name())
    return used - set(dir(builtins)), given


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_what_a_reader_sees_runs_without_solutions(path: Path) -> None:
    """Visible cells, and expressions in the prose, use only names that visible cells above have given their value.

    JupyterLab evaluates the prose when all cells have run: what it shows keeps its value to the end.
    """
    known: set[str] = set()
    shown: set[str] = set()
    for cell in cells(path):
        where = cell["text"][:80]
        if cell["cell_type"] == "markdown":
            for expression in inline_expressions.expressions(cell["text"]):
                used, _ = names(expression)
                shown |= used
                assert cell["text"].lstrip().startswith(lessons.RESULT_FOLDS) or used <= known, (
                    where,
                    expression,
                    used - known,
                )
            continue
        used, given = names(cell["text"])
        assert not shown & given, (
            f"{where}: gives {shown & given} another value below the prose that shows it"
        )
        if lessons.is_visible(cell) or "set-up" in cell["metadata"].get("tags", []):
            assert used <= known | given, (
                f"{where}: no visible cell above gives {used - known - given} a value"
            )
            known |= given
        else:
            known -= given


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_is_short(path: Path) -> None:
    """The main path: words but those of exercises, questions and folds; cells before the exercises; lines of code."""
    found, texts = cells(path), []
    at = next(i for i, cell in enumerate(found) if "\n## Exercises" in "\n" + "".join(cell["source"]))
    for i, cell in enumerate(found):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and i <= at:
            texts.append(re.split(r"(?m)^## Exercises", text)[0])
        elif "## To take away" in text:
            texts.append(text)
    main = FOLDS.sub("", "\n".join(texts))
    assert lessons.count_words(main) <= 1_100
    (catch,) = re.findall(r"(?ms)^## The catch\n(.*?)(?=^## |\Z)", main)
    assert lessons.count_words(catch) <= 200
    shown = ["".join(cell["source"]) for cell in found[:at] if lessons.is_visible(cell)]
    assert len(shown) <= 10
    for code in shown:
        lines = code.split("\n")
        assert max(map(len, lines)) <= 72, max(lines, key=len)
        assert sum(map(bool, map(str.strip, lines))) <= 20, code


@pytest.mark.parametrize("path", CASE_FILES, ids=name)
def test_a_case_file_is_short(path: Path) -> None:
    assert lessons.count_words(FOLDS.sub("", markdown(path))) <= 5_000


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_exercises_have_level_hint_starter_and_solution(path: Path) -> None:
    levels = []
    page = cells(path)
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
        assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)), "it asserts its result"
        # JupyterLab unfolds what a folded cell prints or shows.
        assert "print(" not in solution["text"]
        assert not isinstance(tree.body[-1], ast.Expr)
        assert result["text"].startswith(lessons.RESULT_FOLDS)
    assert levels[0] == "warm-up"
    assert set(levels) == {"warm-up", "practice", "open-ended"}


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_jupyterlab_knows_all_markup(path: Path) -> None:
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", "", markdown(path))
    assert set(re.findall(r"\{([\w:-]+)\}`", text)) <= {"eval"}, "JupyterLab shows other roles raw"
    assert set(re.findall(r"(?m)^[:`]{3,}\{([\w:-]+)\}", text)) <= DIRECTIVES
    assert re.findall(r"<(?!https?:)[a-z/][^>]*>", text) == [], "HTML in the prose"
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, label = target.partition("#")
        if "://" not in target and file:
            assert not label, f"{target}: JupyterLab names places otherwise; link to #{label} alone"
            assert (path.parent / file).is_file(), target


def test_case_files_show_every_claim_and_erratum_of_their_paper() -> None:
    """The blocks `ledger_page.case(paper, places)` of the case files show each entry of a paper on the page it names."""
    shown: dict[str, set[tuple[str, str]]] = {}
    for path in CASE_FILES:
        page = "/".join(path.with_suffix("").parts[-2:])
        for cell in cells(path, "code"):
            for node in ast.walk(ast.parse(cell["text"])):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".case"):
                    paper, *places = map(ast.literal_eval, node.args)
                    treated = ledger_page.entries_about(paper, *places)
                    shown.setdefault(paper, set()).update((page, entry.id) for entry in treated)
    assert len(shown) >= 4
    for paper, places_shown in shown.items():
        entries = [*ledger.load(paper=paper), *ledger.load_errata(paper=paper)]
        assert {(entry.page, entry.id) for entry in entries} <= places_shown, paper
