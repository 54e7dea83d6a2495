"""Tests that the output of a notebook does not depend on the load of the machine."""

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from myst_nb.core.utils import coalesce_streams
from nbformat.v4 import new_code_cell, new_notebook

from tests.conftest import script_module

from .conftest import BOOK, ROOT

execution = script_module("execution")
executed_pages = execution.executed_pages


def executed(notebook: Any, page: str, folder: Path) -> dict[str, Any]:
    """Execute a notebook, and return its output."""
    variables = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ISOTROPY_LAB_FINDINGS": str(folder / "findings"),
        "ISOTROPY_LAB_FRAMES": "1",
    }
    (folder / "findings").mkdir(exist_ok=True)
    with open(folder / "kernel.log", "w", encoding="utf-8") as log:
        error, texts, _ = execution.execute(notebook, (BOOK / page).parent, ROOT, 600, log, variables)
    assert error == ""
    executed_pages.keep(folder, page, notebook, texts)
    shown: dict[str, Any] = executed_pages.kept(folder, page, notebook)
    return shown


def test_a_line_is_one_line_wherever_the_kernel_sends_what_is_printed(tmp_path: Path) -> None:
    """The kernel sends what it has now and then, and myst-nb takes the end of each part for the end of a line."""
    code = """
import sys
for part in ("pca as it comes 0.73", "SNS 0.422 at ×", "2\\n"):
    print(part, end="   ")
    sys.stdout.flush()
display("between")
print("last")"""
    shown = executed(new_notebook(cells=[new_code_cell(code)]), "flushed", tmp_path)
    streams = [
        output["text"]
        for output in coalesce_streams(shown["cells"]["0"]["outputs"])
        if output["output_type"] == "stream"
    ]
    assert streams == ["pca as it comes 0.73   SNS 0.422 at ×   2\n   last\n"]


@pytest.mark.rest
@pytest.mark.parametrize("page", ["projection/choosing-a-projection", "retrieval/accuracy-with-intervals"])
def test_a_lesson_executed_twice_shows_the_same(page: str, tmp_path: Path) -> None:
    """The first time may be that of the build."""
    notebook = nbformat.read(BOOK / f"{page}.ipynb", as_version=4)
    folder = executed_pages.store(BOOK)
    if execution.is_current(ROOT, folder, page, notebook):
        first = executed_pages.kept(folder, page, notebook)
    else:
        first = executed(nbformat.read(BOOK / f"{page}.ipynb", as_version=4), page, tmp_path)
    second = executed(notebook, page, tmp_path)
    assert executed_pages.text(second) == executed_pages.text(first)
    assert second["texts"] == first["texts"]
