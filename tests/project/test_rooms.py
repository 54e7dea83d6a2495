"""Tests that every chapter visibly imports the package, and that every public function is used."""

import importlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
LAB = ("isotropy", "association", "association.keywords", "projection", "retrieval", "transforms")
WINGS = (*(f"isotropy_lab.{name}" for name in LAB), "isotropy_report", "isotropy_report.measures")


def pages() -> dict[str, dict[str, Any]]:
    """Return the lessons and case files."""
    found = {}
    for path in sorted((ROOT / "book").glob("*/*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if notebook["metadata"].get("isotropy_lab", {}).get("kind") in ("lesson", "case file"):
            found[path.relative_to(ROOT / "book").as_posix()] = notebook
    return found


@pytest.mark.parametrize("name", pages())
def test_a_chapter_imports_the_helper_in_a_cell_that_a_reader_sees(name: str) -> None:
    visible = [
        "".join(cell["source"])
        for cell in pages()[name]["cells"]
        if cell["cell_type"] == "code" and not HIDDEN & set(cell["metadata"].get("tags", ()))
    ]
    package = "isotropy_(lab|report)" if name.startswith("report/") else "isotropy_lab"
    assert any(re.search(rf"^from {package}[. ]", source, re.MULTILINE) for source in visible)


def calls(texts: Iterable[str]) -> Counter[str]:
    """Count the calls of each name, without definitions."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(re.findall(r"\b(\w+)\(", text))
        found.subtract(re.findall(r"\bdef (\w+)\(", text))
    return found


def test_every_public_function_is_used() -> None:
    """By a page, the README, the application, or what the pages call; its own docstrings do not count."""
    files = [
        ROOT / "README.md",
        *(ROOT / "book").glob("*/*.ipynb"),
        *(ROOT / "book").glob("*/*.md"),
        *(ROOT / "book" / "reanalyses").rglob("*.py"),
        *(ROOT / "isotropy_report").rglob("*.py"),
    ]
    everywhere = calls(path.read_text(encoding="utf-8") for path in files)
    unused = []
    for wing in WINGS:
        module = importlib.import_module(wing)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                own = (
                    inspect.getsource(inspect.getmodule(thing)) if wing.startswith("isotropy_report") else ""
                )
                if everywhere[name] - calls([own])[name] < 1:
                    unused.append(f"{wing}.{name}")
    assert not unused, (
        f"a lesson, a case file, the card, the command line or README uses them, or they go: {unused}"
    )
