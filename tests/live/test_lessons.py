"""Every visible cell of every lesson runs in the reader's tab, and says what it says in CPython."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.book.test_chapters import LESSONS, name

from .harness import compare, python_in

pytestmark = [pytest.mark.live, pytest.mark.browser]


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_runs_as_in_cpython(live: str, browser: Any, path: Path) -> None:
    page = browser.new_page()
    with python_in(page, live):
        report = compare(page, path)
    page.close()
    assert report["errors"] == []
    assert report["words"] == []
    assert report["stderr"] == []
    assert report["numbers"] == {}
    print(json.dumps({"page": name(path), "tab": report["tab"], "cpython": report["cpython"]}))
