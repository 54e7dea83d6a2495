"""Tests that every visible cell of every lesson gives the same output in the browser as in the built book.

Lessons that take long there are run with ISOTROPY_LAB_LARGE, and when their code is no longer that of ``benchmarks/live.json``.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.book.test_chapters import LESSONS, name

from .harness import compare, python_in, takes_long

pytestmark = [pytest.mark.rest, pytest.mark.browser]


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_says_in_the_tab_what_the_book_says(live: str, context: Any, path: Path) -> None:
    if takes_long(path) and "ISOTROPY_LAB_LARGE" not in os.environ:
        pytest.skip("takes long; set ISOTROPY_LAB_LARGE to run it")
    page = context.new_page()
    with python_in(page, live):
        report = compare(page, path)
    assert report["errors"] == []
    assert report["words"] == []
    assert report["stderr"] == []
