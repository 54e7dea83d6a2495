"""Requirements on the source of a page that can be checked without a build; see also `test_lessons`."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from sphinx_external_toc.parsing import parse_toc_yaml

from reanalyses import lessons

from .conftest import BOOK, ROOT

PAGES = [BOOK / page for page in parse_toc_yaml(ROOT / "_toc.yml")]
NOTEBOOKS = [page.with_suffix(".ipynb") for page in PAGES if page.with_suffix(".ipynb").exists()]
KINDS = {notebook: lessons.read(notebook).kind for notebook in NOTEBOOKS}
LESSONS = [notebook for notebook in NOTEBOOKS if KINDS[notebook] == "lesson"]
CASE_FILES = [notebook for notebook in NOTEBOOKS if KINDS[notebook] == "case file"]


def name(path: Path) -> str:
    return path.stem


def page_of(path: Path) -> str:
    """Return the name of a page in the contents, such as report/comparing-models."""
    return path.relative_to(BOOK).with_suffix("").as_posix()


def cells(path: Path, kind: str = "") -> list[dict[str, Any]]:
    """Return the cells of a notebook, or those of one kind, each with its text."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [
        {**cell, "text": "".join(cell["source"])}
        for cell in notebook["cells"]
        if kind in ("", cell["cell_type"])
    ]


def markdown(path: Path) -> str:
    return "\n\n".join(cell["text"] for cell in cells(path, "markdown"))


def test_every_page_of_the_contents_exists() -> None:
    missing = [page for page in PAGES if not any(page.with_suffix(end).exists() for end in (".ipynb", ".md"))]
    assert not missing
    assert set(KINDS.values()) == {"", "lesson", "case file", "part"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_well_formed(path: Path) -> None:
    nbformat.validate(nbformat.read(path, as_version=4))
    labels = []
    for cell in cells(path, "code"):
        about = cell["metadata"].get("mystnb", {})
        if "figure" in about or re.search(r"(?m)^\s*(?:return )?figures\.\w+\(", cell["text"]):
            assert len(about["image"]["alt"].split()) >= 8, f"no alt text in words: {cell['text'][:80]!r}"
            assert about["figure"]["caption"].endswith(".")
            labels.append(about["figure"]["name"])
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_what_is_made_is_shown(path: Path) -> None:
    """A notebook shows the last expression of a cell; a figure that is drawn on a line before it is lost."""
    lost = [
        ast.unparse(statement)
        for cell in cells(path, "code")
        for statement in ast.parse(cell["text"]).body[:-1]
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func).split(".")[0]
        in {"figures", "moving", "tables", "plots", "ledger_page"}
    ]
    assert not lost
