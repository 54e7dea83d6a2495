"""Tests of the command compare: its output, gate, row names, and incompatible files."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from isotropy_report import compare
from isotropy_report.comparison.gate import judge
from tests.isotropy_report.command_line import call, call_json
from tests.isotropy_report.io.making import json_lines

A = np.random.default_rng(0).standard_normal((60, 6))
B = A[:, :5] + 0.5 * np.random.default_rng(1).standard_normal((60, 5))
IDS = [f"d{i}" for i in range(60)]
QUERIES = [f"q{i}" for i in range(20)]


QUESTIONS = ["--questions", "qa.npy", "qb.npy", "--gold", "gold.txt"]


def write_lines(path, vectors, names):
    rows = ({"id": name, "v": x.tolist()} for name, x in zip(names, vectors, strict=True))
    Path(path).write_text(json_lines(*rows), encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    arrays = {"a": A, "b": B, "few": B[:50], "other": A[:40] + 1.0, "qa": A[:20] + 0.1, "qb": B[:20] + 0.1}
    for name, array in arrays.items():
        np.save(f"{name}.npy", array)
    Path("gold.txt").write_text("".join(f"{i}\n" for i in range(20)))
    Path("qrels.txt").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(20)))
    order = np.random.default_rng(2).permutation(60)
    write_lines("a.jsonl", A, IDS)
    write_lines("b.jsonl", B[order], [IDS[i] for i in order])
    write_lines("qa.jsonl", A[:20] + 0.1, QUERIES)
    write_lines("qb.jsonl", B[:20] + 0.1, QUERIES)
    Path("ids.txt").write_text("\n".join(IDS) + "\n")


def run(capsys, *words):
    return call(capsys, "compare", *words)


def run_json(capsys, *words):
    return call_json(capsys, "compare", *words)


def test_output_equals_the_result_of_the_function(capsys):
    document = run_json(capsys, "a.npy", "b.npy", *QUESTIONS, "-k", "3", "-o", "page.html")
    questions = {"a.npy": A[:20] + 0.1, "b.npy": B[:20] + 0.1}
    result = compare({"a.npy": A, "b.npy": B}, questions=questions, gold=np.arange(20), k=3, rng=0).to_dict()
    assert document["options"].pop("measured on") == "1970-01-01"
    assert document == json.loads(json.dumps(result))
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, out, err = run(capsys, "a.npy", "b.npy", *QUESTIONS, "-k", "3")
    assert (code, err) == (0, "")
    assert "accuracy@3: " in out
    assert "accuracy@3: " in run(capsys, "a.npy", "b.npy", *QUESTIONS, "-k", "3", "--quiet")[1]
    assert "IsoScore" not in out  # the question is about the search
    assert "IsoScore" in run(capsys, "a.npy", "b.npy", *QUESTIONS, "-k", "3", "--all")[1]
    assert not Path("report.html").exists()


def test_rows_and_judgments_are_matched_by_name(capsys):
    first = run_json(capsys, "a.npy", "b.npy", "--names", "a,b", *QUESTIONS)
    questions = ["--questions", "qa.jsonl", "qb.jsonl", "--qrels", "qrels.txt"]
    second = run_json(capsys, "a.jsonl", "b.jsonl", "--names", "a,b", *questions)
    assert "matched by their ids" in second["summary"][-1]
    assert second["pairs"] == first["pairs"]
    assert second["scores"]["mrr"]["b"] == first["scores"]["mrr"]["b"]
    assert run_json(capsys, "a.npy", "b.npy", "--ids", "ids.txt", "ids.txt")["paired"]


def test_different_items_are_not_paired(capsys):
    assert "numbers of rows differ" in run_json(capsys, "a.npy", "few.npy")["summary"][-1]
    assert not run_json(capsys, "a.npy", "few.npy")["paired"]
    assert not run_json(capsys, "a.npy", "b.npy", "--unpaired")["paired"]
    assert run_json(capsys, "a.npy", "b.npy", "--rows", "30")["paired"]
    sampled = run_json(capsys, "a.npy", "few.npy", "--rows", "30")
    assert not sampled["paired"]
    assert "30 of the 60 rows of a.npy, 30 of the 50 rows of few.npy" in sampled["summary"][0]
    assert "a.npy (30 × 6), few.npy (30 × 5)" in sampled["summary"][-1]


def test_shared_rows_of_unpaired_files_are_counted(capsys):
    np.save("rest.npy", np.vstack([np.load("a.npy")[:35], np.random.default_rng(3).normal(size=(9, 6))]))
    cautions = {c["key"]: c["text"] for c in run_json(capsys, "a.npy", "rest.npy")["cautions"]}
    assert "35 of its 44 rows are also in a.npy" in cautions["shared_rows"]
    without_shared = run_json(capsys, "a.npy", "few.npy")["cautions"]
    assert "shared_rows" not in [c["key"] for c in without_shared]


def test_model_that_is_behind_fails_the_build(capsys):
    np.save("bad.npy", np.random.default_rng(9).standard_normal((20, 5)))
    words = ("a.npy", "b.npy", "--questions", "qa.npy", "bad.npy", "--gold", "gold.txt", "--quiet")
    code, out, err = run(capsys, *words, "--fail-behind", "b.npy")
    assert code == 1
    assert "Intervals are" not in out
    assert err.startswith("isotropy-lab compare: failed: b.npy is behind a.npy in accuracy@10: ")
    assert err.count("is behind") == err.count("\n")
    assert run(capsys, *words, "--fail-behind", "a.npy")[0] == 2  # whatever b.npy does is no standard
    assert run(capsys, "a.npy", "./b.npy", *words[2:], "--fail-behind", "./b.npy") == (code, out, err)


@pytest.mark.parametrize(
    ("n", "gold", "words"), [(5, range(5), "5 questions, at least 6"), (20, range(40, 60), "chance")]
)
def test_gate_without_a_verdict_is_an_error(capsys, n, gold, words):
    for name, rows in (("fewa", A[gold] if n == 5 else A[:n]), ("fewb", -B[:n])):
        np.save(f"{name}.npy", rows + 0.1)
    Path("other.txt").write_text("".join(f"{i}\n" for i in gold))
    command = ("a.npy", "b.npy", "--questions", "fewa.npy", "fewb.npy", "--gold", "other.txt")
    code, _, err = run(capsys, *command, "--fail-behind", "b.npy")
    assert code == 2
    assert all(word in err for word in words.split(", ")), err


def test_gate_judges_one_accuracy_and_corrects_for_the_other_models():
    values = {name: SimpleNamespace(value=0.5) for name in "abc"}
    equal = {"first": "c", "estimate": 0.0, "pvalue": 1.0, "pvalue_holm": 1.0}
    for pvalue, n_reasons in ((0.051, 0), (0.049, 1)):
        pvalues = {"accuracy@1": 0.0, "accuracy@10": pvalue, "mrr": 0.0}
        differences = [
            SimpleNamespace(
                measure=key, first="a", second="b", estimate=0.1, pvalue=p, pvalue_holm=p, low=0.01, high=0.2
            )
            for key, p in pvalues.items()
        ]
        for count in (1, 2):  # the second model doubles the smallest p-value
            differences += [SimpleNamespace(**vars(d) | equal) for d in differences * (count == 2)]
            comparison = SimpleNamespace(
                cautions=(), differences=differences, scores=dict.fromkeys(pvalues, values),
                models=tuple("abc"), tied={key: ("a", "b")[: 1 + (p > 0.05)] for key, p in pvalues.items()},
                options={"questions": 100, "k": 10, "confidence level": 0.95},
            )  # fmt: skip
            reasons, passed = judge(comparison, "b", None)
            assert len(reasons) == n_reasons * (count == 1)
            assert all(text in passed for text in ("0.2", "accuracy@1, mrr"))
            for within, n_found in ((0.19, len(reasons) + 1), (0.2, 0)):  # a fall within is allowed
                found, passed_within = judge(comparison, "b", within)
                assert len(found) == n_found
                assert f"within {within}" in passed_within
            comparison.cautions = (SimpleNamespace(key="found_by_chance", text="b: not above chance"),)
            if not reasons:  # gold that fails only the judged model gets no verdict
                with pytest.raises(ValueError, match="no verdict: b"):
                    judge(comparison, "b", None)
        with pytest.raises(ValueError, match="b: not above chance"):
            judge(comparison, "a", None)
    for within in (3, -0.5, math.nan):
        with pytest.raises(ValueError, match="within"):
            judge(comparison, "a", within)


@pytest.mark.parametrize(("n_questions", "n_failures"), [(124, 1), (125, 0)])
def test_equal_models_need_as_many_questions_as_the_gate_says(n_questions, n_failures):
    """Tango's interval ends at z²/(N + z²) if no question changes, which is below 0.03 from 125 on."""
    X = np.random.default_rng(5).standard_normal((150, 6))
    result = compare(
        X, X, questions=[X[:n_questions] + 0.01] * 2, gold=np.arange(n_questions), pictures=False
    )
    assert ["125" in failure.reason for failure in result.failures("B", within=0.03)] == [True] * n_failures
    assert len(result.failures("B", within=0.0)) == 1


def test_questions_and_documents_are_matched_by_name(capsys):
    """Without matching, shuffled questions are scored with the wrong gold."""
    order = np.random.default_rng(3).permutation(20)
    write_lines("qb-turned.jsonl", (B[:20] + 0.1)[order], [QUERIES[i] for i in order])
    write_lines("b-ordered.jsonl", B, IDS)

    def scores(questions, *words):
        options = ("--questions", "qa.jsonl", questions, *words, "-k", "3")
        return run_json(capsys, "a.jsonl", "b.jsonl", *options)["scores"]

    for relevant in (("--qrels", "qrels.txt"), ("--gold", "gold.txt")):
        ordered = scores("qb.jsonl", *relevant)
        assert scores("qb-turned.jsonl", *relevant) == ordered
        for documents in ("b.jsonl", "b-ordered.jsonl"):
            options = ("--documents", "a.jsonl", documents)
            assert scores("qb-turned.jsonl", *relevant, *options)["mrr"] == ordered["mrr"]


def test_shuffled_rows_cause_a_warning(capsys):
    np.save("b-turned.npy", B[np.random.default_rng(4).permutation(60)])
    summary = run_json(capsys, "a.npy", "b-turned.npy", "-k", "3")["summary"][0]
    assert summary.startswith("Beware: a.npy and b-turned.npy have no more nearest neighbors in common")
    assert "The rows of both are the same" not in summary
    assert (
        "The rows of both are the same" in run_json(capsys, "b.npy", "b-turned.npy", "-k", "3")["summary"][0]
    )
    assert not run_json(capsys, "a.npy", "b.npy", "-k", "3")["summary"][0].startswith("Beware")
