"""Tests that the output of a notebook does not depend on timing."""

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


def execute_page(notebook: Any, page: str, folder: Path) -> dict[str, Any]:
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
    executed_pages.write_outputs(folder, page, notebook, texts)
    stored: dict[str, Any] = executed_pages.read_outputs(folder, page, notebook)
    return stored


def test_flushed_output_keeps_its_lines(tmp_path: Path) -> None:
    """The kernel sends output in parts, and myst-nb ends a line after each part."""
    code = """
import sys
for part in ("pca as it comes 0.73", "SNS 0.422 at ×", "2\\n"):
    print(part, end="   ")
    sys.stdout.flush()
display("between")
print("last")"""
    stored = execute_page(new_notebook(cells=[new_code_cell(code)]), "flushed", tmp_path)
    streams = [
        output["text"]
        for output in coalesce_streams(stored["cells"]["0"]["outputs"])
        if output["output_type"] == "stream"
    ]
    assert streams == ["pca as it comes 0.73   SNS 0.422 at ×   2\n   last\n"]


@pytest.mark.rest
@pytest.mark.parametrize("page", ["projection/kl-and-scale", "retrieval/accuracy-with-intervals"])
def test_repeated_execution_gives_the_same_output(page: str, tmp_path: Path) -> None:
    """The first execution may be that of the build."""
    notebook = nbformat.read(BOOK / f"{page}.ipynb", as_version=4)
    folder = executed_pages.outputs_folder(BOOK)
    if execution.is_current(ROOT, folder, page, notebook):
        first = executed_pages.read_outputs(folder, page, notebook)
    else:
        first = execute_page(nbformat.read(BOOK / f"{page}.ipynb", as_version=4), page, tmp_path)
    second = execute_page(notebook, page, tmp_path)
    assert executed_pages.outputs_text(second) == executed_pages.outputs_text(first)
    assert second["texts"] == first["texts"]
