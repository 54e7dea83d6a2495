"""Tests that every visible cell of every lesson gives the same output in the browser as in the built book.

Lessons that take long are tested only with ISOTROPY_LAB_LARGE, or if ``benchmarks/live.json`` has older code.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.book.test_chapters import LESSONS, name

from .harness import compare, python_in, takes_long

pytestmark = [pytest.mark.rest, pytest.mark.browser]


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_output_in_the_browser_equals_the_build(live: str, context: Any, path: Path) -> None:
    if takes_long(path) and "ISOTROPY_LAB_LARGE" not in os.environ:
        pytest.skip("takes long; set ISOTROPY_LAB_LARGE to run it")
    page = context.new_page()
    with python_in(page, live):
        report = compare(page, path)
    assert report["errors"] == []
    assert report["words"] == []
    assert report["stderr"] == []
