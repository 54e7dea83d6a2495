"""Tests of the commands scores, report, audit, costs, and drift: numbers, sentences, and quiet output."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isotropy_report import report_card
from isotropy_report._output import program
from isotropy_report.card.words import number
from isotropy_report.measures import audit_accuracies, compression_costs, drift_test
from tests.isotropy_report.command_line import call, call_json

RNG = np.random.default_rng(0)
X = RNG.standard_normal((90, 12)).astype(np.float32)
DRIFTED = X[:60] + np.where(np.arange(12) == 5, 1.5, 0.0).astype(np.float32)
DRIFTED[7] += 9.0


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("questions.npy", X[:20] + 0.1)
    np.save("moved.npy", DRIFTED)
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(20)), encoding="utf-8")
    Path("models.csv").write_text("model,accuracy\nold,0.70\nnew,0.95\n", encoding="utf-8")


def test_scores_of_several_files_share_a_table(capsys):
    cards = [
        report_card(rows, name=name, pictures=False) for name, rows in (("x.npy", X), ("moved.npy", DRIFTED))
    ]
    keys = ("isoscore_corrected", "average_cosine", "isoscore")
    documents = call_json(capsys, "scores", "x.npy", "moved.npy")
    for document, card in zip(documents, cards, strict=True):
        values = {key: line["value"] for key, line in document["sections"]["isotropy"]["numbers"].items()}
        assert [values[key] for key in keys] == [card.value(key) for key in keys]
    table = pd.read_csv(io.StringIO(call(capsys, "scores", "x.npy", "moved.npy", "--table", "csv")[1]))
    call(capsys, "scores", "x.npy", "moved.npy", "-o", "both.csv")
    pd.testing.assert_frame_equal(pd.read_csv("both.csv"), table)
    corrected = table[table["key"] == "isoscore_corrected"].set_index("file")
    for card in cards:
        line = card.line("isoscore_corrected")
        assert corrected.loc[card.name, ["low", "high"]].tolist() == pytest.approx([line.low, line.high])
    header, rule, *rows = call(capsys, "scores", "x.npy", "moved.npy", "--table", "markdown")[1].splitlines()
    assert (header, rule) == ("|  | x.npy | moved.npy |", "| --- | --- | --- |")
    all_rows = call(capsys, "scores", "x.npy", "moved.npy", "--table", "markdown", "--all")[1].splitlines()
    assert 2 < len(rows) < len(all_rows) - 2
    plain = call(capsys, "scores", "x.npy", "moved.npy")[1].splitlines()
    assert len(plain) == 1 + len(rows)
    assert call(capsys, "scores", "x.npy", "moved.npy", "--fail-below", "isoscore=1.1")[0] == 1
    for sample in ((), ("--rows", "50")):
        lines = call(capsys, "scores", "x.npy", "moved.npy", "--table", "markdown", *sample)[1].splitlines()
        verdicts = next(line for line in lines if line.startswith("| Verdict"))
        assert all("ollapsed" in cell or "No verdict" in cell for cell in verdicts.split("|")[2:-1])


@pytest.mark.parametrize("words", [(), ("--json",), ("--table", "csv"), ("--table", "markdown")])
def test_unreadable_files_do_not_stop_the_others(capsys, words):
    np.save("bad.npy", np.where(np.arange(12) == 3, np.nan, X))
    code, out, err = call(capsys, "scores", "bad.npy", "x.npy", "none.npy", "moved.npy", *words)
    assert (code, out) == (2, call(capsys, "scores", "x.npy", "moved.npy", *words)[1])
    first, second = err.splitlines()
    assert ("bad.npy" in first, "none.npy" in second) == (True, True)
    _, out, err = call(capsys, "scores", "bad.npy", "x.npy", *words)
    assert ("x.npy" in out, "bad.npy" in out, "bad.npy" in err) == (True, False, True)
    code, out, err = call(capsys, "scores", "bad.npy", "none.npy", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 2)


def test_repeated_and_long_rows_are_named(capsys):
    rows = X.copy()
    rows[[40, 60]] = rows[5]
    rows[77] *= 40
    np.save("odd.npy", rows)
    checked = " ".join(call(capsys, "check", "odd.npy")[1].split())
    assert "2 rows repeat earlier rows: 40, 60" in checked
    notes = " ".join(call(capsys, "scores", "odd.npy", "--notes")[1].split())
    assert "longest rows (77)" in notes
    assert "row 77, " in checked


def test_swapped_rows_and_columns_cause_a_warning_before_the_wait(capsys):
    np.save("wide.npy", np.random.default_rng(0).standard_normal((20, 1_001)))
    code, out, err = call(capsys, "check", "wide.npy")
    assert (code, "1,001 columns" in err) == (0, True)
    assert call(capsys, "check", "wide.npy", "--quiet") == (0, out, "")


def test_report_states_the_accuracy_of_a_search(capsys):
    options = ("--questions", "questions.npy", "--gold", "gold.txt")
    card = call_json(capsys, "report", "x.npy", *options)
    out = call(capsys, "report", "x.npy", *options)[1]
    text = " ".join(out.split())
    search = card["sections"]["retrieval"]
    assert f"first for {search['tables']['accuracy'][0]['accuracy@K']:.1%} of the questions" in text
    omitted = {line["label"] for line in search["numbers"].values() if line["label"] not in out}
    assert omitted <= {"Repeated documents"}
    quiet = call(capsys, "report", "x.npy", *options, "--quiet")[1].splitlines()
    (row,) = (line.split() for line in quiet if line.startswith("accuracy@10"))
    last = search["tables"]["accuracy"][-1]
    assert row[1:] == [number(last["accuracy@K"]), number(last["low"]), "to", number(last["high"])]
    assert quiet[2] == out.splitlines()[2]  # the verdict


QUESTIONS = "--questions questions.npy"


@pytest.mark.parametrize(
    "command",
    [f"report x.npy {QUESTIONS}", f"compare x.npy moved.npy {QUESTIONS} questions.npy --quiet",
     f"costs x.npy {QUESTIONS}", "threshold questions.npy x.npy --margin 0.5 --quiet"],
)  # fmt: skip
def test_shifted_or_mismatched_gold_is_reported(capsys, command):
    np.save("moved.npy", X)
    for first in (0, 1, 40):
        Path("gold.txt").write_text("".join(f"{i + first}\n" for i in range(20)), encoding="utf-8")
        _, out, err = call(capsys, *command.split(), "--gold", "gold.txt")
        assert ("counted from 1" in f"{out}{err}".replace("\n", " ")) == (first == 1)
        assert ("chance" in out + err) == (first == 40)
        if command.startswith("costs"):  # nothing is recommended by wrong gold
            assert ("smaller way" in out) == (first == 0)


def test_database_queries_replace_files(capsys):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("x.duckdb") as database:
        for name, rows in (("x", X), ("moved", DRIFTED), ("asked", X[:20] + 0.1)):
            database.register("frame", pd.DataFrame(rows).add_prefix("e"))
            database.execute(f"create table {name} as select * from frame")
    np.save("asked.npy", X[:20] + 0.1)
    for command, names, key, options in (
        ("drift", ("x", "moved"), "test", ()),
        ("compare", ("x", "moved"), "scores", ("--names", "a,b")),
        ("threshold", ("asked", "x"), "best", ("--gold", "gold.txt", "--margin", 0.3)),
    ):
        queries = (word for name in names for word in ("--query", f"select * from {name}"))
        result = call_json(capsys, command, "--database", "duckdb://x.duckdb", *queries, *options)
        assert result[key] == call_json(capsys, command, *(f"{name}.npy" for name in names), *options)[key]
    words = ("drift", "--database", "duckdb://x.duckdb", "--query", "select * from x", "--query")
    assert "query 2 of duckdb://x.duckdb" in call(capsys, *words, "select 1 e")[2]


def test_costs_prints_the_result_of_the_function(capsys):
    words = ("costs", "x.npy", "--questions", "questions.npy", "--gold", "gold.txt")
    words += ("--dimensions", 4, 2, "-k", 3)
    expected = compression_costs(X, dimensions=[4, 2], questions=X[:20] + 0.1, gold=np.arange(20), k=3, rng=0)
    result = call_json(capsys, *words)
    assert (result.pop("schema"), result.pop("kind"), result.pop("program")) == (1, "costs", program())
    assert tuple(result.pop("summary")) == expected.summary
    assert result == expected.to_dict()
    assert call(capsys, *words) == (0, f"{expected}\n", "")
    assert call(capsys, *words, "--quiet") == (0, f"{expected}\n", "")  # the first sentence is the answer


def test_audit_prints_the_result_of_the_function(capsys):
    expected = audit_accuracies({"A": "0.70", "B": "74%"}, 120, confidence_level=0.9)
    words = ("audit", "--accuracy", "0.70", "--against", "74%", "--questions", 120, "--confidence-level", 0.9)
    assert call_json(capsys, *words).items() >= expected.to_dict().items()
    code, out, _ = call(capsys, *words)
    assert (code, " ".join(out.split())) == (0, " ".join(str(expected).split()))
    result = call_json(capsys, "audit", "--table", "models.csv", "--questions", 100)
    assert result.items() >= audit_accuracies({"old": "0.70", "new": "0.95"}, 100).to_dict().items()
    assert result["kind"] == "audit"
    assert result["pairs"][0]["verdict"] == "always"
    Path("models.csv").write_text("old,0.7\nold,0.8\n", encoding="utf-8")
    assert "line 2" in call(capsys, "audit", "--table", "models.csv", "--questions", 100)[2]


def test_drift_is_detected_and_located(capsys):
    report = call_json(capsys, "drift", "x.npy", "moved.npy", "-o", "drift.html")
    assert (report["schema"], report["kind"]) == (1, "drift")
    assert report["test"]["statistic"] == pytest.approx(drift_test(X, DRIFTED).statistic, rel=1e-9)
    assert report["power"]["least_shift"] > 0
    coordinates = report["sections"]["drift"]["tables"]["coordinates"]
    a, b = X.astype(float), DRIFTED.astype(float)
    shift = (b.mean(axis=0) - a.mean(axis=0)) / np.sqrt((a.var(axis=0) + b.var(axis=0)) / 2)
    assert coordinates[0]["coordinate"] == "5"
    assert coordinates[0]["shift in standard deviations"] == pytest.approx(shift[5], rel=1e-6)
    assert coordinates[0]["p, corrected"] < 0.05
    code, out, _ = call(capsys, "drift", "x.npy", "moved.npy")
    np.save("even.npy", X[::2])
    np.save("odd.npy", X[1::2])
    for names, exit_code in (("x moved", 1), ("even odd", 0), ("x even", 2)):
        files = [f"{name}.npy" for name in names.split()]
        assert call(capsys, "drift", *files, "--fail-drifted")[0] == exit_code
        assert call(capsys, "drift", *files)[0] == 0
    none = call(capsys, "drift", "even.npy", "odd.npy")[1]  # nothing is located
    assert ("No significant drift" in none, "coordinate" in none) == (True, False)
    assert code == 0
    assert "most in coordinate 5" in " ".join(out.split())
    assert "moved.npy, rows 7," in " ".join(out.split())
    assert "<h1" in Path("drift.html").read_text(encoding="utf-8")
    quiet = call(capsys, "drift", "x.npy", "moved.npy", "--quiet")[1]
    assert "same version of the model" not in out
    np.save("turned.npy", X @ np.linalg.qr(np.random.default_rng(1).standard_normal((12, 12)))[0] + 1.0)
    assert "same version of the model" in " ".join(call(capsys, "drift", "x.npy", "turned.npy")[1].split())
    assert "Rows must be independent" in out
    assert "Rows must be independent" not in quiet
