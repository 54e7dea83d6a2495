"""Tests that statements about Python in the browser agree with lock file, notebooks, and measurements."""

import json

from reanalyses import in_the_tab
from tests.book.conftest import ROOT
from tests.book.test_chapters import LESSONS
from tests.conftest import script_module


def test_every_lesson_has_measured_times() -> None:
    measurements = in_the_tab.load()
    pages = [path.relative_to(ROOT / "book").with_suffix("").as_posix() for path in LESSONS]
    assert sorted(row["page"] for row in measurements["lessons"]) == sorted(pages)
    times = in_the_tab.times(measurements)
    assert times["page"].is_unique
    assert (times["ratio"] > 0).all()
    assert (
        0 < in_the_tab.median_seconds(measurements, "warm") < in_the_tab.median_seconds(measurements, "cold")
    )


def test_cells_and_exercises_run_quickly_in_the_browser() -> None:
    seconds = in_the_tab.seconds()
    extension = script_module("isotropy_lab_live", "book/_ext")
    assert len(seconds) > 200
    for path in LESSONS:
        cells = extension.runnable_cells(json.loads(path.read_text(encoding="utf-8")))
        times = [seconds.get(in_the_tab.digest(cell["source"]), 0.0) for cell in cells]
        for cell, time in zip(cells, times, strict=True):
            needed_time = 0.0 if cell["solution"] else sum(times[index] for index in cell["needs"])
            assert time <= (15 if cell["solution"] else 8), (path.stem, cell["source"])
            assert needed_time + time <= 15, (path.stem, cell["source"])


def test_locked_files_are_listed_with_licenses() -> None:
    lock = json.loads((ROOT / "book" / "_live" / "lock.json").read_text(encoding="utf-8"))
    files = in_the_tab.files()
    assert set(files["package"]) == {file["package"] for file in lock["files"]}
    assert (files["license"] != "").all()
    assert abs(files["megabytes"].sum() - sum(file["size"] for file in lock["files"]) / 1e6) < 1e-9
