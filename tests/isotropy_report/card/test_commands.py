"""Tests of the commands `report` and `scores`: output, files, standard input, and errors."""

import io
import json
import os
import threading

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.isotropy import isoscore, isoscore_interval
from isotropy_report.io import read
from tests.isotropy_report.command_line import call, call_json


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((300, 6)) * np.linspace(1, 2, 6)).astype(np.float32)
    np.save("x.npy", X)
    np.save("z.npy", X * [5, 1, 1, 1, 1, 1])
    np.savetxt("x.csv", X, delimiter=",")
    (tmp_path / "labels.csv").write_text('a\n"b, c"\n' * 150, encoding="utf-8")
    np.save("groups.npy", np.arange(300) // 3)
    np.save("questions.npy", X[:40] + 0.01)
    (tmp_path / "gold.txt").write_text("\n".join(map(str, range(40))), encoding="utf-8")
    return tmp_path


def test_scores_prints_the_scores(capsys, folder):
    code, out, err = call(capsys, "scores", "x.npy", "--all")
    assert (code, err) == (0, "")
    assert out.startswith("x.npy: 300 rows in 6 dimensions\n\nNot collapsed: ")
    X = np.load("x.npy")
    expected = isoscore_interval(X)
    lines = {line[:30].strip(): line[30:].split() for line in out.splitlines()}
    assert lines["IsoScore"] == [f"{isoscore(X):.4f}"]
    numbers = [f"{x:.4f}" for x in (expected.estimate, expected.low, expected.high)]
    assert lines["IsoScore, corrected"] == [*numbers[:2], "to", numbers[2]]
    assert max(map(len, out.splitlines())) <= 110
    quiet, default, notes = (
        call(capsys, "scores", "x.npy", *options)[1] for options in (["--quiet"], [], ["--notes"])
    )
    assert len(quiet) <= len(default) < len(out)
    assert notes.startswith(default)
    assert "IsoScore, corrected" in quiet
    verdict = call(capsys, "check", "x.npy")[1]
    assert verdict.startswith("Not collapsed: ")
    assert verdict in default
    assert len(verdict.splitlines()) <= 10
    assert call(capsys, "scores", "x.npy", "--all", "-o", "s.txt") == (0, "", "")
    assert (folder / "s.txt").read_text(encoding="utf-8") == out
    assert list(folder.glob("*.html")) == []


def test_scores_prints_json(capsys, folder):
    document = call_json(capsys, "scores", "x.npy", "--groups", "groups.npy", "--confidence-level", 0.9)
    expected = isoscore_interval(np.load("x.npy"), groups=np.load("groups.npy"), confidence_level=0.9)
    number = document["sections"]["isotropy"]["numbers"]["isoscore_corrected"]
    actual = [number[key] for key in ("value", "low", "high")]
    assert actual == pytest.approx([expected.estimate, expected.low, expected.high], rel=1e-6)


def test_report_writes_a_page_and_json(capsys, folder):
    code, out, err = call(capsys, "report", "x.npy")
    assert (code, err) == (0, "")
    assert "report.html" in out
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h1>x.npy</h1>" in text
    code, table, err = call(capsys, "report", "x.npy", "--quiet", "-o", "q.html")
    assert (code, table, err) == (0, call(capsys, "scores", "x.npy", "--quiet")[1], "")
    assert (folder / "q.html").read_text(encoding="utf-8") == text
    assert call(capsys, "report", "x.npy", "-o", "card.json", "--quiet")[0] == 0
    document = call_json(capsys, "report", "x.npy", "-o", "beside.html")
    assert json.loads((folder / "card.json").read_text(encoding="utf-8")) == document
    assert (folder / "beside.html").exists()


def test_report_includes_all_parts(capsys, folder):
    document = call_json(
        capsys, "report", "x.npy", "--labels", "labels.csv", "--groups", "groups.npy",
        "--questions", "questions.npy", "--documents", "x.npy", "--gold", "gold.txt",
    )  # fmt: skip
    sections = document["sections"]
    assert sections["pictures"]["figures"]["plane"]["labels"] == ["a", "b, c"]
    assert sections["retrieval"]["tables"]["accuracy"][0]["accuracy@K"] > 0.9
    assert document["options"]["groups left out"] == 100
    assert list(folder.glob("*.html")) == []  # --json prints, and nothing else unless asked for


@pytest.mark.parametrize(("option", "rows"), [("--header", 300), ("--no-header", 301)])
def test_header_options_apply_to_the_table_only(capsys, folder, option, rows):
    """Questions and documents are in other formats."""
    text = ",".join(map(str, range(6))) + "\n" + (folder / "x.csv").read_text(encoding="utf-8")
    (folder / "pandas.csv").write_text(text, encoding="utf-8")
    document = call_json(capsys, "report", "pandas.csv", option, "--documents", "x.npy",
                         "--questions", "questions.npy", "--gold", "gold.txt")  # fmt: skip
    assert document["sections"]["data"]["numbers"]["n_points"]["value"] == rows


def test_warnings_go_to_standard_error(capsys, folder):
    text = (folder / "x.csv").read_text(encoding="utf-8").rstrip("\n")
    (folder / "x.csv").write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "scores", "x.csv")
    assert code == 0
    assert err.startswith("isotropy-lab scores: warning: ")
    assert call(capsys, "scores", "x.csv", "--quiet")[2] == ""


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_options_select_columns(capsys, folder, name):
    frame = pd.DataFrame(np.load("x.npy"), columns=list("abcdef"))
    frame.insert(0, "doc, id", [f"d{i}" for i in range(300)])
    frame.insert(1, "id", range(300))
    frame.to_csv(name, index=False) if name == "t.csv" else frame.to_parquet(name)
    code, out, err = call(capsys, "scores", name, "--drop", '"doc, id"')
    assert (code, out.split("\n")[0]) == (0, f"{name}: 300 rows in 7 dimensions")
    assert "a column looks like row numbers" in err
    assert "--drop leaves it out" in err
    code, out, err = call(capsys, "scores", name, "--drop", '"doc, id",id')
    assert (code, out.split("\n")[0], err) == (0, f"{name}: 300 rows in 6 dimensions", "")
    assert call(capsys, "scores", name, "--columns", "a,b,c")[1].startswith(f"{name}: 300 rows in 3 dim")


def test_column_option_applies_to_questions(capsys, folder):
    for name, rows in (("x", np.load("x.npy")), ("q", np.load("questions.npy"))):
        pd.DataFrame({"a": list(rows), "b": list(rows + 1), "text": "t"}).to_parquet(f"{name}.parquet")
    options = ["--questions", "q.parquet", "--gold", "gold.txt", "--column", "a"]
    document = call_json(capsys, "report", "x.parquet", *options)
    expected = call_json(capsys, "report", "x.npy", "--questions", "questions.npy", "--gold", "gold.txt")
    assert document["sections"] == expected["sections"]


def set_standard_input(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_read(capsys, folder, monkeypatch, name):
    for file in ("x.npy", "x.csv"):
        set_standard_input(monkeypatch, (folder / file).read_bytes())
        code, out, err = call(capsys, "scores", name)
        assert (code, err) == (0, "")
        assert out.startswith("standard input: 300 rows in 6 dimensions")
    for content, words, expected in (
        (
            b"id text\n1 a\n",
            ["scores", name, "--format", "csv"],
            "error: standard input, line 2, column 'id text'",
        ),
        (b"", ["report", "-", "--labels", name], "FILE and --labels are all standard input"),
    ):
        set_standard_input(monkeypatch, content)
        code, _, err = call(capsys, *words)
        assert code == 2
        assert expected in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_named_pipes_are_read(capsys, folder):
    os.mkfifo("pipe.csv")
    content = (folder / "x.csv").read_bytes()
    writer = threading.Thread(target=lambda: (folder / "pipe.csv").write_bytes(content))
    writer.start()
    code, out, _ = call(capsys, "scores", "pipe.csv")
    writer.join()
    assert code == 0
    assert out.startswith("pipe.csv: 300 rows")
    with pytest.raises(OSError, match=r"pipe\.csv is a pipe.*; expected a file"):
        read("pipe.csv")


def test_cards_state_their_date(capsys, folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert call_json(capsys, "scores", "x.npy")["options"]["measured on"] == "2023-11-14"
    call(capsys, "report", "x.npy")
    assert "measured on 2023-11-14" in (folder / "report.html").read_text(encoding="utf-8")
