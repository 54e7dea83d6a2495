"""isotropy-lab compare: what it prints and writes, files that do not go together, names of rows, and drift."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab import compare
from isotropy_lab.cli import main

A = np.random.default_rng(0).standard_normal((60, 6))
B = A[:, :5] + 0.5 * np.random.default_rng(1).standard_normal((60, 5))
IDS = [f"d{i}" for i in range(60)]


def lines(path, vectors, names):
    rows = (json.dumps({"id": name, "v": x.tolist()}) + "\n" for name, x in zip(names, vectors, strict=True))
    Path(path).write_text("".join(rows), encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    np.save("a.npy", A)
    np.save("b.npy", B)
    np.save("few.npy", B[:50])
    np.save("other.npy", A[:40] + 1.0)
    np.save("qa.npy", A[:20] + 0.1)
    np.save("qb.npy", B[:20] + 0.1)
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(20)))
    Path("qrels.txt").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(20)))
    order = np.random.default_rng(2).permutation(60)
    lines("a.jsonl", A, IDS)
    lines("b.jsonl", B[order], [IDS[i] for i in order])
    lines("qa.jsonl", A[:20] + 0.1, [f"q{i}" for i in range(20)])
    lines("qb.jsonl", B[:20] + 0.1, [f"q{i}" for i in range(20)])
    Path("ids.txt").write_text("\n".join(IDS) + "\n")
    Path("ids-b.txt").write_text("\n".join(["x", *IDS[1:]]) + "\n")
    return tmp_path


def called(capsys, *words):
    code = main(["compare", *words])
    found = capsys.readouterr()
    return code, found.out, found.err


def test_what_it_prints_is_what_python_returns(capsys):
    files = ("a.npy", "b.npy", "--questions", "qa.npy", "qb.npy", "--gold", "gold.txt", "-k", "3")
    code, out, err = called(capsys, *files, "--json", "-o", "page.html")
    assert (code, err) == (0, "")
    found = json.loads(out)
    own = compare(
        {"a.npy": A, "b.npy": B},
        questions={"a.npy": A[:20] + 0.1, "b.npy": B[:20] + 0.1},
        gold=np.arange(20),
        k=3,
        rng=0,
    ).to_dict()
    assert found["options"].pop("measured on") == "1970-01-01"
    assert found == json.loads(json.dumps(own))
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, out, _ = called(capsys, *files)
    assert code == 0
    assert "accuracy@3: " in out
    assert not Path("report.html").exists()


def test_names_of_rows_put_them_in_order_and_find_the_judged(capsys):
    _, by_place, _ = called(
        capsys, "a.npy", "b.npy", "--names", "a,b", "--questions", "qa.npy", "qb.npy", "--gold", "gold.txt", "--json"
    )  # fmt: skip
    code, by_name, _ = called(
        capsys, "a.jsonl", "b.jsonl", "--names", "a,b", "--questions", "qa.jsonl", "qb.jsonl", "--qrels", "qrels.txt", "--json"
    )  # fmt: skip
    assert code == 0
    first, second = json.loads(by_place), json.loads(by_name)
    assert "matched by their ids" in second["summary"][0]
    assert second["pairs"] == first["pairs"]
    assert second["scores"]["mrr"]["b"] == first["scores"]["mrr"]["b"]
    code, out, _ = called(capsys, "a.npy", "b.npy", "--ids", "ids.txt", "ids.txt", "--json")
    assert json.loads(out)["paired"]


def test_names_in_files_that_do_not_match_are_refused_unless_other_items_are_meant(capsys):
    lines("c.jsonl", A[:30], IDS[:30])
    code, _, err = called(capsys, "a.jsonl", "c.jsonl")
    assert code == 2
    assert (
        "names of rows in the files (--unpaired compares other items): 30 of the 60 items of a.jsonl" in err
    )
    assert "not paired" in called(capsys, "a.jsonl", "c.jsonl", "--unpaired")[1]


def test_other_items_are_not_paired(capsys):
    assert "not paired" in called(capsys, "a.npy", "few.npy")[1]
    assert not json.loads(called(capsys, "a.npy", "b.npy", "--unpaired", "--json")[1])["paired"]
    assert json.loads(called(capsys, "a.npy", "b.npy", "--rows", "30", "--json")[1])["paired"]
    drawn = json.loads(called(capsys, "a.npy", "few.npy", "--rows", "30", "--json")[1])
    assert not drawn["paired"]
    assert drawn["summary"][0].startswith(
        "Measured are 30 of the 60 rows of a.npy, 30 of the 50 rows of few.npy"
    )
    assert "a.npy (30 × 6), few.npy (30 × 5)" in drawn["summary"][1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.npy"], "FILE is given once (a.npy)"),
        (["a.npy", "a.npy"], "FILE has a.npy twice"),
        (["a.npy", "b.npy", "--names", "a"], "--names has a, and there are 2 files"),
        (["a.npy", "b.npy", "-o", "b.npy"], "--output b.npy is the same file as FILE 2 b.npy"),
        (["a.npy", "b.npy", "-o", "x.txt"], "x.txt"),
        (["a.npy", "none.npy"], "none.npy: there is no such file"),
        (["a.npy", "b.npy", "--gold", "gold.txt"], "--questions goes with --gold or --qrels"),
        (
            ["a.npy", "b.npy", "--questions", "qa.npy", "--gold", "gold.txt"],
            "--questions has 1 file and there are 2",
        ),
        (
            ["a.npy", "b.npy", "--questions", "qb.npy", "qa.npy", "--gold", "gold.txt"],
            "--questions qb.npy has 5 dimensions",
        ),
        (
            ["a.npy", "b.npy", "--ids", "ids.txt", "ids-b.txt"],
            "--ids: 1 of the 60 items of a.npy are not in b.npy",
        ),
        (["a.npy", "b.npy", "--rows", "20", "--groups", "ids.txt"], "--groups is given with --rows"),
        (["a.npy", "b.npy", "--drift"], "a.npy has 6 dimensions and b.npy has 5"),
        (["a.npy", "b.npy", "other.npy", "--drift"], "--drift is given with 3 files"),
        (["a.npy", "other.npy", "--drift", "--costs"], "--drift is given with --costs"),
        (["a.npy", "other.npy", "--drift", "--confidence-level", "0.9"], "given with --confidence-level"),
        (["a.npy", "other.npy", "--drift", "-k", "3"], "--drift is given with -k"),
        (["a.npy", "b.npy", "--ids", "ids.txt", "ids.txt", "--unpaired"], "--ids is given with --unpaired"),
        (["a.npy", "b.npy", "--documents", "a.npy", "b.npy"], "--documents is given without --questions"),
    ],
)
def test_what_does_not_go_together(capsys, words, message):
    code, out, err = called(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert np.array_equal(np.load("b.npy"), B)


def test_a_model_that_is_behind_fails_a_build(capsys):
    np.save("bad.npy", np.random.default_rng(9).standard_normal((20, 5)))
    words = ("a.npy", "b.npy", "--questions", "qa.npy", "bad.npy", "--gold", "gold.txt", "--quiet")
    code, out, err = called(capsys, *words, "--fail-behind", "b.npy")
    assert (code, out) == (1, "")
    assert err.startswith("isotropy-lab compare: failed: b.npy is behind a.npy in accuracy@1: ")
    assert err.count("\n") == 1
    assert called(capsys, *words, "--fail-behind", "a.npy") == (0, "", "")
    assert called(capsys, *words)[0] == 0
    for wrong, message in (
        ([*words, "--fail-behind", "c"], "expected one of a.npy, b.npy"),
        (["a.npy", "b.npy", "--fail-behind", "a.npy"], "--fail-behind is given without --questions"),
    ):
        code, _, err = called(capsys, *wrong)
        assert code == 2
        assert message in err


def test_drift(capsys):
    code, out, err = called(capsys, "a.npy", "other.npy", "--drift", "-o", "drift.html")
    assert (code, err) == (0, "")
    assert "The texts differ under this model: p = 0.001" in out
    assert "A shift of the mean by" in out
    assert "Drift of one model" in Path("drift.html").read_text(encoding="utf-8")
    found = json.loads(called(capsys, "a.npy", "other.npy", "--drift", "--json")[1])
    assert (found["schema"], found["kind"], found["test"]["pvalue"]) == (1, "drift", 0.001)
    assert found["power"]["least_shift"] > 0
    np.save("half.npy", A[:30])
    np.save("rest.npy", A[30:])
    assert "No drift was shown" in called(capsys, "half.npy", "rest.npy", "--drift")[1]
    np.save("five.npy", A[:5])
    assert "fewer than 10 rows" in called(capsys, "a.npy", "five.npy", "--drift")[1]


def test_standard_input(capsys, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(Path("a.npy").read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    code, out, _ = called(capsys, "-", "b.npy")
    assert code == 0
    assert out.startswith("standard input and b.npy")
    assert called(capsys, "-", "-")[0] == 2


def test_errors_of_drift_name_the_right_file(capsys):
    np.save("B.npy", np.where(A > 2, np.nan, A))
    np.save("A.npy", A)
    code, _, err = called(capsys, "--drift", "B.npy", "A.npy")
    assert code == 2
    assert "B.npy has NaN or inf" in err
    code, _, err = called(capsys, "--drift", "A.npy", "B.npy")
    assert code == 2
    assert "error: B.npy has NaN or inf" in err


def test_questions_and_documents_are_put_in_one_order_by_their_names(capsys):
    """In another order they once went to the wrong gold, and the better model was shown to be behind."""
    again = np.random.default_rng(3).permutation(20)
    names = [f"q{i}" for i in range(20)]
    lines("qb-turned.jsonl", (B[:20] + 0.1)[again], [names[i] for i in again])
    lines("qb-others.jsonl", B[:20] + 0.1, ["other", *names[1:]])
    lines("b-ordered.jsonl", B, IDS)

    def scores(questions, *words):
        files = ("--questions", "qa.jsonl", questions, *words, "--json", "-k", "3")
        code, out, err = called(capsys, "a.jsonl", "b.jsonl", *files)
        assert (code, err) == (0, "")
        return json.loads(out)["scores"]

    for right in (("--qrels", "qrels.txt"), ("--gold", "gold.txt")):
        ordered = scores("qb.jsonl", *right)
        assert scores("qb-turned.jsonl", *right) == ordered
        documents = ("--documents", "a.jsonl", "b.jsonl")
        assert scores("qb-turned.jsonl", *right, *documents)["mrr"] == ordered["mrr"]
        documents = ("--documents", "a.jsonl", "b-ordered.jsonl")
        assert scores("qb.jsonl", *right, *documents)["mrr"] == ordered["mrr"]
    code, _, err = called(
        capsys, "a.jsonl", "b.jsonl", "--questions", "qa.jsonl", "qb-others.jsonl", "--qrels", "qrels.txt"
    )
    assert code == 2
    assert "of --questions qa.jsonl are not in --questions qb-others.jsonl, first 'q0'" in err


def test_rows_in_another_order_are_warned_of(capsys):
    order = np.random.default_rng(4).permutation(60)
    np.save("b-turned.npy", B[order])
    code, out, _ = called(capsys, "a.npy", "b-turned.npy", "-k", "3")
    assert code == 0
    assert "as if by chance" in out
    assert "as if by chance" not in called(capsys, "a.npy", "b.npy", "-k", "3")[1]
    files = ("--questions", "qa.npy", "qb.npy", "--gold", "gold.txt", "-k", "3")
    out = called(capsys, "a.npy", "b-turned.npy", *files)[1]
    assert "b-turned.npy: for " in out
    assert "a.npy: for " not in out


def test_the_text_has_the_lead_of_the_best_and_no_notes_on_tables_that_it_lacks(capsys):
    files = ("a.npy", "b.npy", "--questions", "qa.npy", "qb.npy", "--gold", "gold.txt", "-k", "3")
    one = next(
        one
        for one in json.loads(called(capsys, *files, "--json")[1])["differences"]
        if one["measure"] == "ndcg@3"
    )
    out = called(capsys, *files)[1]
    (line,) = [line for line in out.splitlines() if line.startswith("ndcg@3") and "a.npy − b.npy" in line]
    assert f"{one['estimate']:.4g}".replace("-", "−") in line
    assert "last column" not in out
    same = called(capsys, "a.npy", "b.npy", "--names", "b,a")[1]
    assert "More isotropic is not better" in same.replace("\n", " ")
    np.save("copy.npy", A)
    assert "a ratio of 1 or more" not in called(capsys, "a.npy", "copy.npy")[1].replace("\n", " ")
