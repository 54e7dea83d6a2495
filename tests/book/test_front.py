"""Tests that the front page links to every lesson and case file, and that its code runs."""

import re
from pathlib import Path

import numpy as np
import pytest

from .conftest import BOOK
from .test_chapters import CASE_FILES, LESSONS, cells, markdown

FRONT = markdown(BOOK / "index.ipynb")


def test_the_front_page_leads_to_every_lesson_and_case_file() -> None:
    linked = {(BOOK / link).resolve() for link in re.findall(r"\]\(([^)#]+\.ipynb)\)", FRONT)}
    assert linked >= {*LESSONS, *CASE_FILES}


def test_a_lesson_has_one_picture_and_one_sentence_for_its_cards() -> None:
    for path in LESSONS:
        about = [cell["metadata"].get("isotropy_lab", {}) for cell in cells(path, "code")]
        assert sum("card" in one for one in about) == 1, path.name
        gallery = FRONT + markdown(path.with_name("index.ipynb"))
        on_front, in_part = re.findall(rf"(?m)^:::\{{grid-item-card\}} .*{path.name}\)\n(.+)", gallery)
        assert on_front == in_part


def test_the_code_on_the_front_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"(?s)```python\n(.*?)```", FRONT)
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", np.random.default_rng(0).standard_normal((50, 4)))
    exec(compile(code, "front page", "exec"), {})
    assert "IsoScore" in Path("report.html").read_text(encoding="utf-8")
