"""What a page's source must have, checked without building it; `test_lessons` has what lessons must have besides."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from reanalyses import lessons

ROOT = Path(__file__).resolve().parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [ROOT / "book" / TOC["root"]]
PAGES += [ROOT / "book" / chapter["file"] for part in TOC["parts"] for chapter in part["chapters"]]
NOTEBOOKS = [page.with_suffix(".ipynb") for page in PAGES if page.with_suffix(".ipynb").exists()]
KINDS = {notebook: lessons.read(notebook).kind for notebook in NOTEBOOKS}
LESSONS = [notebook for notebook in NOTEBOOKS if KINDS[notebook] == "lesson"]
CASE_FILES = [notebook for notebook in NOTEBOOKS if KINDS[notebook] == "case file"]


def name(path: Path) -> str:
    return path.stem


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [
        {**cell, "text": "".join(cell["source"])} for cell in notebook["cells"] if cell["cell_type"] == kind
    ]


def prose(text: str) -> str:
    """Return the text without code, mathematics, roles, addresses and directive options."""
    text = re.sub(r"(?ms)^(`{3,})(?!\{).*?^\1", "", text)
    text = re.sub(r"(?s)\$\$.*?\$\$", "", text)
    text = re.sub(r"\$[^$]*\$", "", text)
    text = re.sub(r"(?s)<[^>]+>", "", text)
    text = re.sub(r"\{[\w:]+\}`[^`]*`", "", text)
    text = re.sub(r"`[^`]*`", "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(
        r"(?:Section|Heuristic|Proposition|[Ee]quation|Appendix)s? \(?[A-Z]?\.?\d+(?:\.\d+)*", "", text
    )
    return re.sub(r"(?m)^:\w+:.*$", "", text)


def test_every_page_of_the_contents_exists() -> None:
    missing = [page for page in PAGES if not any(page.with_suffix(end).exists() for end in (".ipynb", ".md"))]
    assert not missing
    assert set(KINDS.values()) <= {"", "lesson", "case file", "part"}
    assert len(LESSONS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_no_result_is_typed_into_prose(path: Path) -> None:
    found = [
        match
        for cell in cells(path, "markdown")
        for match in re.findall(r"(?<![\w.])-?\d*\.\d+\b|\b\d+(?:\.\d+)?\s?%", prose(cell["text"]))
    ]
    # The usual levels of confidence and significance are conventions, not results.
    assert [match for match in found if match not in {"95%", "5%", "0.05"}] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_every_figure_has_alt_text_and_caption(path: Path) -> None:
    labels = []
    for cell in cells(path, "code"):
        draws = re.search(r"(?m)^\s*(?:return )?figures\.\w+\(", cell["text"])
        if not draws or {"remove-output", "remove-cell"} & set(cell["metadata"].get("tags", [])):
            continue
        about = cell["metadata"].get("mystnb", {})
        alt = about.get("image", {}).get("alt", "")
        assert len(alt.split()) >= 8, f"no alt text in words: {cell['text'][:80]!r}"
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
