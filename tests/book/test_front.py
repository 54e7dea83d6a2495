"""The front page and the page for instructors: they name every lesson, and what they say of it is the lesson's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reanalyses import lessons, teaching

from .test_chapters import CASE_FILES, KINDS, LESSONS, NOTEBOOKS, ROOT
from .test_lessons import LEVELS, cells, markdown

BOOK = ROOT / "book"
FRONT = BOOK / "index.ipynb"
INSTRUCTORS = BOOK / "appendix" / "instructors.ipynb"
NOTES = BOOK / f"{teaching.NOTES}.ipynb"
#: What is read in order: all pages of the parts but their openers and case files.
TAUGHT = [
    path
    for path in NOTEBOOKS
    if KINDS[path] not in ("part", "case file") and path.parent.name not in ("book", "appendix")
]


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)#]+\.ipynb)\)", text)


def section(heading: str) -> str:
    return re.split(r"(?m)^## ", markdown(FRONT).partition(f"\n## {heading}\n")[2])[0]


def test_the_front_page_leads_to_every_lesson_in_order_and_to_every_case_file() -> None:
    learn = [(BOOK / link).resolve() for link in links(section("Learn"))]
    assert [path for path in learn if path in TAUGHT] == TAUGHT
    assert {(BOOK / link).resolve() for link in links(section("Check a claim"))} >= set(CASE_FILES)


def test_the_front_page_names_the_four_papers_as_the_bibliography_does() -> None:
    source = (BOOK / "references.bib").read_text(encoding="utf-8")
    text = " ".join(section("Check a claim").split()).casefold().replace("“", "").replace("”", "")
    papers = dict(re.findall(r"(?s)\n- ([^(]+?)\s\(\[\d{4}\]\(#(\w+)\)\)", section("Check a claim")))
    assert len(papers) == 4
    for authors, label in papers.items():
        (entry,) = re.findall(rf"(?s)@\w+\{{{label}\w*,\n(.*?)\n\}}", source)
        fields = {
            name: value.replace("{", "").replace("}", "").replace("``", "").replace("''", "")
            for name, value in re.findall(r"(?m)^ +(\w+) += \{(.*)\},?$", entry)
        }
        listed = [" ".join(reversed(name.split(", "))) for name in fields["author"].split(" and ")]
        assert re.split(r", | and ", " ".join(authors.split())) == listed
        assert fields["title"].casefold() in text
        assert f"([{fields['year']}](#{label}))" in section("Check a claim")


def test_the_code_on_the_front_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"(?s)```python\n(.*?)```", section("Measure my vectors"))
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", np.random.default_rng(0).standard_normal((50, 4)))
    exec(compile(code, "front page", "exec"), {})
    assert "IsoScore" in Path("report.html").read_text(encoding="utf-8")


def test_the_page_for_instructors_is_short_and_leads_to_all_pages_for_teachers() -> None:
    text = markdown(INSTRUCTORS)
    assert lessons.words(text) <= 300
    pages = {path.name for path in INSTRUCTORS.parent.glob("teaching-*.*")}
    assert len(pages) >= 3
    assert pages <= set(re.findall(r"\]\(([^)#]+)\)", text))


def test_the_page_lesson_by_lesson_treats_every_lesson_in_order_under_its_name() -> None:
    treated, heading = [], ""
    for cell in cells(NOTES):
        if found := re.match(r'teaching\.overview\("(.+)"\)', cell["text"]):
            path = BOOK / f"{found[1]}.ipynb"
            treated.append(path)
            assert heading == f"[{lessons.read(path).title}](../{found[1]}.ipynb)"
        heading = (re.findall(r"(?m)^### (.+)$", cell["text"]) or [heading])[-1]
    assert treated == TAUGHT


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_an_overview_says_what_the_lesson_says(path: Path) -> None:
    found = teaching.overview(path.relative_to(BOOK).with_suffix("").as_posix())
    page = lessons.read(path)
    assert found.page == page
    assert len(found.outcomes) >= 3
    assert found.needs.startswith("You need ")
    assert found.needs.endswith(".")
    assert len(found.exercises) == page.exercises
    assert {level for level, _ in found.exercises} == set(LEVELS)
    shown = found._repr_markdown_()
    assert f"{page.minutes} minutes" in shown
    assert all((INSTRUCTORS.parent / link).is_file() for link in links(shown))


def test_an_overview_joins_lines_and_leads_links_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str, text: str) -> None:
        cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": text}
        page = {"cells": [cell], "metadata": {"isotropy_lab": {"kind": "lesson"}}}
        file = tmp_path / f"{name}.ipynb"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(page), encoding="utf-8")

    monkeypatch.setattr(lessons, "BOOK", tmp_path)
    write(
        "part/one",
        "# One\n\n:::{admonition} What you will be able to do\n:class: tip\nAfter this lesson you can\n\n"
        "- count [points](#term-point);\n- find a\n  [line](two.ipynb).\n\nYou need [two](two.ipynb)\nand more.\n:::\n\n"
        "::::{admonition} Exercise 1 (warm-up, 3 minutes): one\n:class: il-exercise\nDo it.\n::::\n",
    )
    write("part/two", "# Two\n")
    found = teaching.overview("part/one")
    assert found.outcomes == ("count [points](#term-point);", "find a [line](../part/two.ipynb).")
    assert found.needs == "You need [two](../part/two.ipynb) and more."
    assert found.exercises == (("warm-up", "one"),)
    assert "“one” (warm-up)" in found._repr_markdown_()
    with pytest.raises(ValueError, match="part/two does not say what one will be able to do"):
        teaching.overview("part/two")
    assert lessons.minutes_of_part("part") == lessons.minutes("part/one") + lessons.minutes("part/two")


@pytest.mark.browser
def test_a_stranger_sees_headline_and_figure_first(site: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(site + "index.html")
    page.wait_for_selector(".il-moving[data-state]")
    bottoms = page.evaluate(
        """() => ["h1 + p", ".il-moving", "a[href='#measure-my-vectors']"].map(
            (name) => document.querySelector(`article ${name}`).getBoundingClientRect().bottom)"""
    )
    assert bottoms == sorted(bottoms)
    assert bottoms[-1] <= 800
    page.close()
