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
SUBPACKAGES = ("isotropy", "association", "association.keywords", "projection", "retrieval", "transforms")
PUBLIC = (*(f"isotropy_lab.{name}" for name in SUBPACKAGES), "isotropy_report", "isotropy_report.measures")


def pages() -> dict[str, dict[str, Any]]:
    """Return the lessons and case files."""
    notebooks = {}
    for path in sorted((ROOT / "book").glob("*/*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if notebook["metadata"].get("isotropy_lab", {}).get("kind") in ("lesson", "case file"):
            notebooks[path.relative_to(ROOT / "book").as_posix()] = notebook
    return notebooks


@pytest.mark.parametrize("name", pages())
def test_visible_cell_imports_the_package(name: str) -> None:
    visible = [
        "".join(cell["source"])
        for cell in pages()[name]["cells"]
        if cell["cell_type"] == "code" and not HIDDEN & set(cell["metadata"].get("tags", ()))
    ]
    package = "isotropy_(lab|report)" if name.startswith("report/") else "isotropy_lab"
    assert any(re.search(rf"^from {package}[. ]", source, re.MULTILINE) for source in visible)


def count_calls(texts: Iterable[str]) -> Counter[str]:
    """Count the calls of each name, without definitions."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(re.findall(r"\b(\w+)\(", text))
        counts.subtract(re.findall(r"\bdef (\w+)\(", text))
    return counts


def test_every_public_function_is_used() -> None:
    """By a page, the README, `isotropy_report`, or `reanalyses`; calls in its own module do not count."""
    files = [
        ROOT / "README.md",
        *(ROOT / "book").glob("*/*.ipynb"),
        *(ROOT / "book").glob("*/*.md"),
        *(ROOT / "book" / "reanalyses").rglob("*.py"),
        *(ROOT / "isotropy_report").rglob("*.py"),
    ]
    n_calls = count_calls(path.read_text(encoding="utf-8") for path in files)
    unused = []
    for module_name in PUBLIC:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function):
                in_report = module_name.startswith("isotropy_report")
                own_source = inspect.getsource(inspect.getmodule(function)) if in_report else ""
                if n_calls[name] - count_calls([own_source])[name] < 1:
                    unused.append(f"{module_name}.{name}")
    assert not unused, f"public functions that no page, README, or application uses: {unused}"
