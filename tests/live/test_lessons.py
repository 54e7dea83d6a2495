"""Every visible cell of every lesson runs in the reader's tab, and says what it says in CPython.

Lessons that take long there are run with ISOTROPY_LAB_LARGE, and when ``benchmarks/live.json`` is written:
`tests/book/test_run_page.py` asks that it be written anew when their code changes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.book.test_chapters import LESSONS, name

from .harness import compare, python_in, takes_long

pytestmark = [pytest.mark.rest, pytest.mark.browser]


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_runs_as_in_cpython(live: str, browser: Any, path: Path) -> None:
    if takes_long(path) and "ISOTROPY_LAB_LARGE" not in os.environ:
        pytest.skip("takes long; set ISOTROPY_LAB_LARGE to run it")
    page = browser.new_page()
    with python_in(page, live):
        report = compare(page, path)
    page.close()
    assert report["errors"] == []
    assert report["words"] == []
    assert report["stderr"] == []
    assert report["numbers"] == {}
    print(json.dumps({"page": name(path), "tab": report["tab"], "cpython": report["cpython"]}))
