"""Tests that every notebook gets its rows, whatever it does, and that only answers earn points."""

import csv
import json
import os
import socket
import sys
from pathlib import Path

import pytest

from reanalyses.__main__ import main
from reanalyses.course import grading, handed_in
from reanalyses.course.exercise import Exercise, Wrong
from reanalyses.course.plan import exercises

from .solutions import SOLUTIONS

LESSON = "isotropy/what-isotropy-is"
HALF = 'from reanalyses.course import check, variant\ncheck("half", 2 + 3**0.5)'
USED = "def used(lam):\n    return [one.sum() ** 2 / (one**2).sum() for one in (lam, lam[:-1])]\n"


def notebook(file: Path, *cells: str) -> Path:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    file.write_text(json.dumps({"cells": made, "nbformat": 4}))
    return file


def graded(tmp_path: Path, *cells: str, own: bool = False, seconds: int = 300) -> dict[str, grading.Row]:
    rows = grading.grade(notebook(tmp_path / "Ada.ipynb", *cells), variants_only=own, seconds=seconds)
    return {row.exercise: row for row in rows}


@pytest.mark.parametrize("exercise", exercises(), ids=[one.name for one in exercises()])
def test_right_answers_to_every_exercise_survive_the_notes(exercise: Exercise) -> None:
    note = handed_in._answer_record(exercise, SOLUTIONS[exercise.name][0], "ada", None)
    assert len(note["values"]) == 4
    handed_in._judge(exercise, json.loads(json.dumps(note)), "ada", True)
    with pytest.raises(Wrong):
        handed_in._judge(exercise, {**note, "values": note["values"][:2]}, "ada", True)


def test_a_table_has_a_row_for_each_exercise_and_what_check_says(tmp_path: Path) -> None:
    (tmp_path / "=1+1.ipynb").write_text('{"cells": [')
    own = USED + 'check("used", *used(**variant("used", student="ada")), student="ada")'
    ada = notebook(tmp_path / "Ada.ipynb", HALF, own, 'check("fool", lambda n_clusters, noise: noise)')
    before = ada.read_bytes()
    assert main(["course", "grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 0
    with (tmp_path / "grades.csv").open(newline="") as file:
        broken, half, used, fool = csv.DictReader(file)
    assert (broken["student"], broken["most"]) == ("'=1+1", "0")
    assert [row["points"] for row in (half, used, fool)] == ["1", "1", "0"]
    assert [row["variant"] for row in (half, used, fool)] == ["the lesson", "ada", "ada"]
    assert "round cloud" in fool["comment"]
    assert main(["course", "grade", str(tmp_path), "-o", str(ada)]) == 2, (
        "a notebook is no place for the table"
    )
    assert ada.read_bytes() == before


def test_who_answers_with_other_data_gets_no_point(tmp_path: Path) -> None:
    bob = USED + 'check("used", used(**variant("used", student="bob")), student="bob")'
    rows = graded(tmp_path, HALF, bob, own=True)
    assert [row.points for row in rows.values()] == [0, 0, 0]
    assert rows["used"].variant == "bob"
    assert "no cell" in rows["fool"].comment


def test_the_last_of_two_answers_counts_and_a_line_of_ipython_is_skipped(tmp_path: Path) -> None:
    row = graded(tmp_path, "%matplotlib inline\n" + HALF, 'check("half", 1)', 'check("half", ...)')["half"]
    assert row.points == 0
    assert "2 times" in row.comment


@pytest.mark.parametrize(
    ("code", "told"),
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
def test_code_that_harms_costs_its_own_exercise_only(tmp_path: Path, code: str, told: str) -> None:
    rows = graded(tmp_path, HALF, f'{code}\ncheck("used", 1)')
    assert rows["half"].points == 1
    assert rows["used"].points == 0
    assert told in rows["used"].comment


@pytest.mark.rest
def test_a_loop_without_end_is_stopped(tmp_path: Path) -> None:
    rows = graded(
        tmp_path, 'from reanalyses.course import check\nwhile True: pass\ncheck("half", 1)', seconds=4
    )
    assert "4 seconds" in rows["half"].comment


def test_answers_alone_are_believed() -> None:
    forged = [
        '{"exercise": "used", "right": true}',
        '{"exercise": "fool", "of": null, "value": {}}',
        "[",
        "7",
    ]
    found = handed_in.judge_records(forged, "ada", variants_only=False)
    assert [right for _, right, _ in found["rows"].values()] == [False, False]


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{}", '{"cells": [7]}', '{"cells": []}', "\udcff"])
def test_what_is_no_notebook_has_a_row_that_says_so(tmp_path: Path, text: str) -> None:
    file = tmp_path / "ada.ipynb"
    file.write_bytes(os.fsencode(text))
    (row,) = grading.grade(file)
    assert (row.student, row.points, row.most) == ("ada", 0, 0)
    assert row.comment
    assert [row.most for row in grading.grade(file, LESSON)] == [1, 1, 1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has networks of one's own")
def test_the_network_is_out_of_reach_where_that_can_be_had(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = f"import os, socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}))\n"
        row = graded(tmp_path, f"{reach}{HALF}")["half"]
    may = os.system("unshare --user --net true 2>/dev/null") == 0
    assert row.points == (0 if may else 1)
