"""Tests that statements on the browser's Python agree with lock file, notebooks, and measurements."""

import json

from reanalyses import in_the_tab
from tests.book.conftest import ROOT
from tests.book.test_chapters import LESSONS
from tests.conftest import script_module


def test_every_lesson_has_its_times() -> None:
    found = in_the_tab.load()
    pages = [path.relative_to(ROOT / "book").with_suffix("").as_posix() for path in LESSONS]
    assert sorted(row["page"] for row in found["lessons"]) == sorted(pages)
    times = in_the_tab.times(found)
    assert times["page"].is_unique
    assert (times["ratio"] > 0).all()
    assert 0 < in_the_tab.median_seconds(found, "warm") < in_the_tab.median_seconds(found, "cold")


def test_nobody_waits_long_for_a_cell_or_an_exercise() -> None:
    seconds = in_the_tab.seconds()
    tab = script_module("isotropy_lab_live", "book/_ext")
    assert len(seconds) > 200
    for path in LESSONS:
        cells = tab.cells(json.loads(path.read_text(encoding="utf-8")))
        waits = [seconds.get(in_the_tab.digest(cell["source"]), 0.0) for cell in cells]
        for cell, wait in zip(cells, waits, strict=True):
            first = 0.0 if cell["solution"] else sum(waits[place] for place in cell["needs"])
            assert wait <= (15 if cell["solution"] else 8), (path.stem, cell["source"])
            assert first + wait <= 15, (path.stem, cell["source"])


def test_every_file_of_the_lock_is_listed_with_its_license() -> None:
    lock = json.loads((ROOT / "book" / "_live" / "lock.json").read_text(encoding="utf-8"))
    files = in_the_tab.files()
    assert set(files["package"]) == {file["package"] for file in lock["files"]}
    assert (files["license"] != "").all()
    assert abs(files["megabytes"].sum() - sum(file["size"] for file in lock["files"]) / 1e6) < 1e-9
