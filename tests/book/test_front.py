"""Tests that the front page links to every lesson and case file, and that its code runs."""

import re
from pathlib import Path

import numpy as np
import pytest

from .conftest import BOOK
from .test_chapters import CASE_FILES, LESSONS, read_cells, read_markdown

FRONT = read_markdown(BOOK / "index.ipynb")


def test_front_page_links_to_every_lesson_and_case_file() -> None:
    linked = {(BOOK / link).resolve() for link in re.findall(r"\]\(([^)#]+\.ipynb)\)", FRONT)}
    assert linked >= {*LESSONS, *CASE_FILES}


def test_lesson_cards_have_one_picture_and_one_sentence() -> None:
    for path in LESSONS:
        metadata = [cell["metadata"].get("isotropy_lab", {}) for cell in read_cells(path, "code")]
        assert sum("card" in entry for entry in metadata) == 1, path.name
        gallery = FRONT + read_markdown(path.with_name("index.ipynb"))
        on_front, in_part = re.findall(rf"(?m)^:::\{{grid-item-card\}} .*{path.name}\)\n(.+)", gallery)
        assert on_front == in_part


def test_front_page_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"(?s)```python\n(.*?)```", FRONT)
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", np.random.default_rng(0).standard_normal((50, 4)))
    exec(compile(code, "front page", "exec"), {})
    assert "IsoScore" in Path("report.html").read_text(encoding="utf-8")
