"""The front page and the pages for teachers: they name every lesson in order, and the code on them runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from reanalyses import lessons, teaching

from .conftest import BOOK
from .test_chapters import CASE_FILES, KINDS, NOTEBOOKS, cells, markdown

FRONT = BOOK / "index.ipynb"
#: What is read in order: all pages of the parts but their openers and case files.
TAUGHT = [
    path
    for path in NOTEBOOKS
    if KINDS[path] not in ("part", "case file") and path.parent.name not in ("book", "appendix")
]


def section(heading: str) -> str:
    return re.split(r"(?m)^## ", markdown(FRONT).partition(f"\n## {heading}\n")[2])[0]


def linked(text: str) -> list[Path]:
    return [(BOOK / link).resolve() for link in re.findall(r"\]\(([^)#]+\.ipynb)\)", text)]


def test_the_front_page_leads_to_every_lesson_in_order_and_to_every_case_file() -> None:
    assert [path for path in linked(section("Learn")) if path in TAUGHT] == TAUGHT
    assert set(linked(section("Check a claim"))) >= set(CASE_FILES)


def test_the_code_on_the_front_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"(?s)```python\n(.*?)```", section("Measure my vectors"))
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", np.random.default_rng(0).standard_normal((50, 4)))
    exec(compile(code, "front page", "exec"), {})
    assert "IsoScore" in Path("report.html").read_text(encoding="utf-8")


def test_the_page_lesson_by_lesson_treats_every_lesson_in_order_under_its_name() -> None:
    treated, heading = [], ""
    for cell in cells(BOOK / f"{teaching.NOTES}.ipynb"):
        if found := re.match(r'teaching\.overview\("(.+)"\)', cell["text"]):
            treated.append(BOOK / f"{found[1]}.ipynb")
            assert heading == f"[{lessons.read(found[1]).title}](../{found[1]}.ipynb)"
        heading = (re.findall(r"(?m)^### (.+)$", cell["text"]) or [heading])[-1]
    assert treated == TAUGHT
    for path in TAUGHT:
        page = path.relative_to(BOOK).with_suffix("").as_posix()
        assert {"In class", "Often misunderstood"} <= set(teaching.notes(page))


def test_an_overview_says_what_the_lesson_says_with_links_from_elsewhere() -> None:
    for path in TAUGHT:
        found = teaching.overview(path.relative_to(BOOK).with_suffix("").as_posix())
        assert found.page == lessons.read(path)
        assert len(found.outcomes) >= 3
        assert found.needs.startswith("You need ")
        assert len(found.exercises) == found.page.exercises
        shown = found._repr_markdown_()
        assert f"{found.page.minutes} minutes" in shown
        assert all((BOOK / "appendix" / link).is_file() for link in re.findall(r"\]\(([^)#]+)\)", shown))
    with pytest.raises(ValueError, match="report/index does not say what one will be able to do"):
        teaching.overview("report/index")
