"""Tests that every notebook gets its rows, even one that fails, and that only correct answers earn points."""

import csv
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from reanalyses.__main__ import main
from reanalyses.course import grading, handed_in
from reanalyses.course.exercise import Exercise, Wrong
from reanalyses.course.plan import exercises

from .solutions import SOLUTIONS

LESSON = "isotropy/what-isotropy-is"
HALF = 'from reanalyses.course import check, variant\ncheck("half", 2 + 3**0.5)'
USED = "def used(lam):\n    return [one.sum() ** 2 / (one**2).sum() for one in (lam, lam[:-1])]\n"


def write_notebook(file: Path, *cells: str) -> Path:
    code_cells = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    file.write_text(json.dumps({"cells": code_cells, "nbformat": 4}))
    return file


def grade(tmp_path: Path, *cells: str, **options: Any) -> dict[str, grading.Row]:
    rows = grading.grade(write_notebook(tmp_path / "Ada.ipynb", *cells), **options)
    return {row.exercise: row for row in rows}


@pytest.mark.parametrize("exercise", exercises(), ids=[exercise.name for exercise in exercises()])
def test_answer_records_survive_json(exercise: Exercise) -> None:
    record = handed_in._answer_record(exercise, SOLUTIONS[exercise.name][0], "ada", None)
    assert len(record["values"]) == 4
    handed_in._judge(exercise, json.loads(json.dumps(record)), "ada", True)
    with pytest.raises(Wrong):
        handed_in._judge(exercise, {**record, "values": record["values"][:2]}, "ada", True)


def test_table_has_a_row_and_comment_per_exercise(tmp_path: Path) -> None:
    (tmp_path / "=1+1.ipynb").write_text('{"cells": [')
    cell = USED + 'check("used", *used(**variant("used", student="ada")), student="ada")'
    ada = write_notebook(tmp_path / "Ada.ipynb", HALF, cell, 'check("fool", lambda n_clusters, noise: noise)')
    before = ada.read_bytes()
    assert main(["course", "grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 0
    with (tmp_path / "grades.csv").open(newline="") as file:
        broken, half, used, fool = csv.DictReader(file)
    assert (broken["student"], broken["most"]) == ("'=1+1", "0")
    assert [row["points"] for row in (half, used, fool)] == ["1", "1", "0"]
    assert [row["variant"] for row in (half, used, fool)] == ["the lesson", "ada", "ada"]
    assert "round cloud" in fool["comment"]
    assert main(["course", "grade", str(tmp_path), "-o", str(ada)]) == 2, "a notebook is not overwritten"
    assert ada.read_bytes() == before


def test_answers_for_other_data_earn_no_points(tmp_path: Path) -> None:
    bob = USED + 'check("used", used(**variant("used", student="bob")), student="bob")'
    rows = grade(tmp_path, HALF, bob, variants_only=True)
    assert [row.points for row in rows.values()] == [0, 0, 0]
    assert rows["used"].variant == "bob"
    assert "no cell" in rows["fool"].comment


def test_last_answer_counts_and_magics_are_skipped(tmp_path: Path) -> None:
    row = grade(tmp_path, "%matplotlib inline\n" + HALF, 'check("half", 1)', 'check("half", ...)')["half"]
    assert row.points == 0
    assert "2 times" in row.comment


@pytest.mark.parametrize(
    ("code", "comment"),
    [
        ("exit()", "SystemExit"),
        ("import os; os._exit(0)", "cell 2"),
        ("class Odd(Exception):\n    def __str__(self): exit()\nraise Odd", "Odd"),
        ("import os\nfor n in range(3, 30):\n    os.write(n, b'[[')", "Not handed in"),
        pytest.param(
            "ones = bytearray(4 << 30)",
            "MemoryError",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux"),
        ),
    ],
)
def test_harmful_code_affects_only_its_own_exercise(tmp_path: Path, code: str, comment: str) -> None:
    rows = grade(tmp_path, HALF, f'{code}\ncheck("used", 1)')
    assert rows["half"].points == 1
    assert rows["used"].points == 0
    assert comment in rows["used"].comment


@pytest.mark.rest
def test_endless_loop_is_stopped(tmp_path: Path) -> None:
    rows = grade(
        tmp_path, 'from reanalyses.course import check\nwhile True: pass\ncheck("half", 1)', seconds=4
    )
    assert "4 seconds" in rows["half"].comment


def test_forged_records_earn_no_points() -> None:
    forged = [
        '{"exercise": "used", "right": true}',
        '{"exercise": "fool", "of": null, "value": {}}',
        "[",
        "7",
    ]
    judged = handed_in.judge_records(forged, "ada", variants_only=False)
    assert [is_right for _, is_right, _ in judged["rows"].values()] == [False, False]


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{}", '{"cells": [7]}', '{"cells": []}', "\udcff"])
def test_invalid_notebook_gets_a_row_with_a_comment(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ada.ipynb"
    file.write_bytes(os.fsencode(text))
    (row,) = grading.grade(file)
    assert (row.student, row.points, row.most) == ("ada", 0, 0)
    assert row.comment
    assert [row.most for row in grading.grade(file, LESSON)] == [1, 1, 1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has networks of one's own")
def test_network_is_blocked_where_namespaces_work(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"import os, socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}))\n"
        row = grade(tmp_path, f"{connect}{HALF}")["half"]
    can_isolate = os.system("unshare --user --net true 2>/dev/null") == 0
    assert row.points == (0 if can_isolate else 1)
