"""Tests of ranks in runs, and of their metrics against ir_measures."""

import json
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab.retrieval import (
    bootstrap_interval,
    compare_models,
    gold_from_qrels,
    question_scores,
    relevant_ranks,
    run_ranks,
    top_k,
)
from tests.isotropy_lab.bad_input import refusal_test

# Ties, grades below 1, documents without a judgment, a question without a run and the reverse.
QRELS = {str(i): {f"d{j}": (i * 5 + j * 7) % 9 - 4 for j in range(0, 30, i)} for i in (1, 2, 3, 5)}
RUN = {str(i): {f"d{j}": ((i * 11 + j * 13) % 17) // 3 / 8 for j in range(i, 30)} for i in (1, 2, 3, 4)}


def random_judgments(seed):
    rng = np.random.default_rng(seed)
    ids = [f"d{i}" for i in range(30)]
    run, qrels = {}, {}
    for question in map(str, range(1, 8)):
        listed = rng.permutation(ids)[: rng.integers(1, 30)]
        # Many scores are equal, exactly or in float32.
        run[question] = {
            str(d): float(rng.integers(0, 6)) / 4 + float(rng.choice([0.0, 1e-10])) for d in listed
        }
        judged = rng.permutation(ids)[: rng.integers(1, 12)]
        qrels[question] = {
            str(d): int(g) for d, g in zip(judged, rng.integers(0, 5, judged.size), strict=True)
        }
        qrels[question][str(rng.choice(ids))] = 1
    del run["3"]
    return run, qrels


def test_metrics_of_a_run_with_ties_agree_with_ir_measures():
    """ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11; exponential gains by gdeval, with five digits."""
    expected = {
        ("accuracy", 2): [1.0, 1.0, 0.0, 0.0],
        ("recall", 5): [0.23076923076923078, 0.42857142857142855, 0.25, 0.0],
        ("ndcg", 5): [0.5526207701538531, 0.6214525853378273, 0.19519002499605084, 0.0],
        ("map", None): [0.5926969398123245, 0.5921245421245421, 0.23809523809523808, 0.0],
        ("map", 5): [0.16153846153846155, 0.3, 0.08333333333333333, 0.0],
        ("mrr", None): [1.0, 1.0, 0.3333333333333333, 0.0],
    }
    ranks = run_ranks(RUN, QRELS)
    assert ranks.questions == ("1", "2", "3", "5")
    for (metric, k), values in expected.items():
        assert question_scores(ranks, metric, k=k) == pytest.approx(values, abs=1e-12), metric
    exponential = question_scores(ranks, "ndcg-exponential", k=5)
    assert exponential == pytest.approx([0.50881, 0.59936, 0.19519, 0.0], abs=1e-5)


def test_scores_equal_in_float32_are_ties_as_in_trec_eval():
    """Reciprocal ranks by ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11, which hold scores in float32."""
    single = np.float32(0.7)
    middle = (float(single) + float(np.nextafter(single, np.float32(1)))) / 2
    expected = [
        ({"a": 0.7123456789, "b": 0.7123456781}, 1.0),
        ({"a": 0.7123456, "b": 0.7123457}, 1.0),
        ({"a": 0.7123457, "b": 0.7123456}, 0.5),
        ({"a": middle - 1e-12, "b": float(single)}, 1.0),  # rounded to the nearest, and at the middle to even
        ({"a": middle, "b": float(single)}, 0.5),
        ({"a": middle + 1e-12, "b": float(single)}, 0.5),
        ({"a": 1e-46, "b": 0.0}, 1.0),
        ({"a": 1e300, "b": 1e299}, 1.0),
        ({"a": -1e39, "b": -1e300}, 1.0),
    ]
    for run, value in expected:
        ranks = run_ranks({"q": run}, {"q": {"b": 1}})
        assert question_scores(ranks, "mrr", k=None).tolist() == [value], run
        listed = run_ranks({"q": run}, {"q": {"b": 1}}, ties="listed")
        assert listed.best.tolist() == [1 if run["b"] > run["a"] else 2]


#: Metrics of `random_judgments` by seed, metric, and question.
REFERENCE = Path(__file__).with_name("ir_measures.json")


def test_metrics_of_random_runs_agree_with_ir_measures():
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    assert (reference["ir_measures"], reference["pytrec_eval-terrier"]) == ("0.4.3", "0.5.11")
    assert len(reference["values"]) == 6
    names = [(metric, k) for metric in ("accuracy", "recall", "ndcg", "map") for k in (1, 3, 10)]
    names += [("mrr", None), ("map", None)]
    for seed, expected in enumerate(reference["values"]):
        ranks = run_ranks(*random_judgments(seed))
        scores = np.array([question_scores(ranks, metric, k=k) for metric, k in names])
        assert scores == pytest.approx(np.array(expected), abs=1e-12), seed


def as_run(best, question_ids, document_ids):
    return {
        question: {document_ids[index]: value for index, value in zip(indices, values, strict=True)}
        for question, indices, values in zip(question_ids, best.indices, best.similarities, strict=True)
    }


def test_runs_have_the_ranks_of_their_embeddings():
    rng = np.random.default_rng(0)
    questions, documents = rng.integers(0, 3, (9, 3)) + 0.5, rng.integers(0, 3, (25, 3)) + 0.5  # ties
    question_ids, document_ids = [f"q{i}" for i in range(9)], [f"d{i}" for i in range(25)]
    qrels = {q: {d: int(rng.integers(-1, 3)) for d in document_ids[i:]} for i, q in enumerate(question_ids)}
    gold = gold_from_qrels(qrels, question_ids, iter(document_ids))
    run = as_run(top_k(questions, documents, 25), question_ids, document_ids)
    expected, actual = relevant_ranks(questions, documents, gold), run_ranks(run, qrels, ties="listed")
    assert (expected.ranks == actual.ranks).all()
    assert (expected.grades == actual.grades).all()
    document_names = np.where(expected.documents < 0, "", np.array(document_ids)[expected.documents])
    assert (document_names == actual.documents).all()
    assert (run_ranks(run, qrels).ranks != actual.ranks).any()  # so the rule for ties matters
    first = as_run(top_k(questions, documents, 4), question_ids, document_ids)
    partial = run_ranks(first, qrels, ties="listed")
    for metric in ("accuracy", "recall", "ndcg", "mrr", "map"):
        assert (question_scores(partial, metric, k=4) == question_scores(expected, metric, k=4)).all()
    assert bootstrap_interval(partial, k=4, rng=0) == bootstrap_interval(expected, k=4, rng=0)
    assert compare_models(partial, expected, k=4).estimate == 0


test_errors_of_runs_and_judgments_name_the_cause = refusal_test(
    [
        (TypeError, "run list", lambda: run_ranks([("q", "d")], QRELS)),
        (ValueError, "run no questions", lambda: run_ranks({}, QRELS)),
        (TypeError, "run 'q' list", lambda: run_ranks({"q": ["d"]}, QRELS)),
        (ValueError, "run id UTF-8", lambda: run_ranks({"q\ud800": {"d": 1.0}}, QRELS)),
        (ValueError, "qrels 'q' documents", lambda: gold_from_qrels({"q": {}}, ["q"], ["d"])),
        (ValueError, "document_ids 'd' 'q'", lambda: gold_from_qrels({"q": {"d": 1}}, ["q"], ["e"])),
        (TypeError, "run question 1 int", lambda: run_ranks({1: {"d": 1.0}}, QRELS)),
        (TypeError, "run 'q' document 2 int", lambda: run_ranks({"q": {2: 1.0}}, QRELS)),
        (ValueError, "run 'q' document 'a b' white space", lambda: run_ranks({"q": {"a b": 1.0}}, QRELS)),
        (ValueError, "run 'q' score 'd' nan", lambda: run_ranks({"q": {"d": float("nan")}}, QRELS)),
        (TypeError, "run 'q' score 'd' '1'", lambda: run_ranks({"q": {"d": "1"}}, QRELS)),
        (TypeError, "qrels 'q' grade 'd' 0.5", lambda: run_ranks(RUN, {"q": {"d": 0.5}})),
        (ValueError, "qrels grade 1 of 2 'r'",
         lambda: run_ranks({"q": {"d": 1.0}}, {"q": {"d": 1}, "r": {"d": 0}})),
        (ValueError, "run qrels '1' 'q1'", lambda: run_ranks(RUN, {"q1": {"d": 1}})),
        (ValueError, "different questions",
         lambda: compare_models(run_ranks(RUN, QRELS), run_ranks(RUN, dict(reversed(QRELS.items()))))),
    ]
)  # fmt: skip


def test_empty_and_missing_lists_score_0():
    """As in pytrec_eval and ranx."""
    qrels = {"a": {"d": 1}, "b": {"d": 1, "e": 2}}
    empty, missing = (run_ranks(run, qrels) for run in ({"a": {"d": 1.0}, "b": {}}, {"a": {"d": 1.0}}))
    assert empty.ranks.tolist() == missing.ranks.tolist() == [[1, 0], [0, 0]]
    assert question_scores(empty, "mrr").tolist() == [1.0, 0.0]
    ranks = run_ranks({"a": {}}, {"a": {"y": 1, "x": 2}, "b": {"z": 3}})
    assert (ranks.ranks.tolist(), ranks.documents.tolist()) == ([[0, 0], [0, 0]], [["x", "y"], ["z", ""]])
    assert gold_from_qrels({"a": {"d": 1, "e": 0}}, ["a"], ["d"]) == {0: {0: 1}}
