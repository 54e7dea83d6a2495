"""What the book says of Python in the reader's tab is what the lock, the notebooks and the last measurement say."""

from __future__ import annotations

import json

from reanalyses import in_the_tab
from tests.book.conftest import ROOT
from tests.book.test_chapters import LESSONS, NOTEBOOKS


def test_every_lesson_has_its_times() -> None:
    found = in_the_tab.load()
    pages = [path.relative_to(ROOT / "book").with_suffix("").as_posix() for path in LESSONS]
    assert sorted(row["page"] for row in found["lessons"]) == sorted(pages)
    times = in_the_tab.times(found)
    assert times["page"].is_unique
    assert (times["ratio"] > 0).all()
    assert 0 < in_the_tab.median(found, "warm") < in_the_tab.median(found, "cold")


def test_every_file_of_the_lock_is_listed_with_its_license() -> None:
    lock = json.loads((ROOT / "book" / "_live" / "lock.json").read_text(encoding="utf-8"))
    files = in_the_tab.files()
    assert set(files["package"]) == {file["package"] for file in lock["files"]}
    assert (files["license"] != "").all()
    assert abs(files["megabytes"].sum() - sum(file["size"] for file in lock["files"]) / 1e6) < 1e-9


def test_cells_left_out_are_those_that_say_so() -> None:
    left_out = in_the_tab.left_out()
    texts = "".join(path.read_text(encoding="utf-8") for path in NOTEBOOKS)
    assert left_out["cells"].sum() == texts.count('"not_in_the_tab"')
    assert left_out["why"].str.len().min() > 20


def test_pages_that_differ_are_lessons_and_say_why() -> None:
    assert (in_the_tab.differences()["why"].str.len() > 20).all()
