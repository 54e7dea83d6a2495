"""Tests that errors of retrieval measures name the cause; test_runs tests those of runs."""

import numpy as np
import pandas as pd
import pytest

from isotropy_lab import retrieval as lab
from isotropy_lab.retrieval._checks import as_integers
from tests.isotropy_lab.bad_input import assert_refused, invalid_argument_test, refusal_test

RNG = np.random.default_rng(0)
Q, D = RNG.standard_normal((40, 6)), RNG.standard_normal((60, 6))
GOLD = np.arange(40)
RANKS = lab.answer_ranks(Q + D[:40], D, GOLD)
TOP = lab.top_k(Q, D, 5).similarities
SAMPLES = lab.similarity_samples(Q, D, GOLD, k=5, rng=0)
OBJECTS = np.array([4, None, 2], dtype=object)
ZERO_ROW = np.where(np.arange(60)[:, None] == 8, 0.0, D)
QRELS = {f"q{i}": {f"d{i}": 1} for i in range(40)}
VALID_ARGUMENTS = {
    "questions": Q, "documents": D, "gold": GOLD, "k": 3, "ranks": RANKS, "ranks_a": RANKS, "ranks_b": RANKS,
    "metric": "accuracy", "models": {"a": RANKS, "b": RANKS}, "groups": GOLD % 8, "strata": GOLD % 2,
    "folds": GOLD % 4,
    "qrels": QRELS, "run": QRELS, "question_ids": list(QRELS), "document_ids": [f"d{i}" for i in range(60)],
    "samples": SAMPLES, "psi": 35, "best": lab.top_k(Q, D, 5), "similarities": TOP,
    "threshold": 0.5, "domain": Q, "agnostic": D, "margin": 0.5, "n": 5, "n_resamples": 100,
}  # fmt: skip
test_errors_name_invalid_arguments = invalid_argument_test(lab, VALID_ARGUMENTS)


def with_gold(position, value):
    """Return gold as a list with one entry replaced."""
    return [*GOLD[:position].tolist(), value, *GOLD[position + 1 :].tolist()]


def threshold(**options):
    return lab.similarity_threshold(TOP, RANKS, **{"margin": 0.3, **options})


def graded(**grades):
    """Return ranks of three questions with the given grades for the second one."""
    second_grades = {int(name[1:]): grade for name, grade in grades.items()}
    return lab.relevant_ranks(Q[:3], D, {0: {1: 1}, 1: second_grades, 2: {0: 1}})


test_errors_name_the_cause = refusal_test(
    [
        (ValueError, "gold None", lambda: lab.answer_ranks(Q, D, None)),
        (ValueError, "gold missing 1 of 3 question 1", lambda: lab.answer_ranks(Q[:3], D, [4, None, 2])),
        (ValueError, "gold missing 1 of 3 question 1", lambda: lab.answer_ranks(Q[:3], D, OBJECTS)),
        (ValueError, "gold 39 40", lambda: lab.answer_ranks(Q, D, GOLD[1:])),
        (TypeError, "gold names gold_from_qrels", lambda: lab.answer_ranks(Q[:2], D, ["d1", "d2"])),
        (ValueError, "gold 1 of 40 question 4 60 0 to 59", lambda: lab.answer_ranks(Q, D, with_gold(4, 60))),
        (ValueError, "gold question 1 -1", lambda: lab.answer_ranks(Q, D, with_gold(1, -1))),
        (ValueError, "gold missing 1 of 40 question 2", lambda: lab.answer_ranks(Q, D, with_gold(2, np.nan))),
        (ValueError, "gold 2.5 entry 2", lambda: lab.answer_ranks(Q, D, with_gold(2, 2.5))),
        (ValueError, "gold entry 2 positions", lambda: lab.answer_ranks(Q, D, with_gold(2, 1e300))),
        (TypeError, "gold Booleans", lambda: lab.answer_ranks(Q, D, [True] * 40)),
        (ValueError, "questions 6 dimensions documents 2", lambda: lab.answer_ranks(Q, D[:, :2], GOLD)),
        (ValueError, "documents zero 1 of 60 rows row 8", lambda: lab.answer_ranks(Q, ZERO_ROW, GOLD)),
        (ValueError, "questions zero 1 of 40 rows row 8", lambda: lab.answer_ranks(ZERO_ROW[:40], D, GOLD)),
        (ValueError, "documents 0 points", lambda: lab.answer_ranks(Q, D[:0], GOLD)),
        (ValueError, "k 0 1 60", lambda: lab.top_k(Q, D, 0)),
        (ValueError, "k 61 1 60 documents", lambda: lab.top_k(Q, D, 61)),
        (ValueError, "questions zero rows", lambda: lab.top_k(0 * Q, D, 1, similarity="dot")),
        (ValueError, "documents lengths",
         lambda: lab.top_k([[1.0, 2.0]], [[1e-120, 0.0], [1.0, 0.0]], 1, similarity="dot")),
        (ValueError, "questions zero 1 of 7 row 5",
         lambda: lab.top_k(np.outer([1, 1, 1, 1, 1, 0, 1], [0.6, 0.8]), Q[:, :2], 1, similarity="dot")),
        (ValueError, "documents lengths", lambda: lab.top_k([[1.0, 2.0]], [[1e170, 0]], 1, similarity="dot")),
        (ValueError, "ranks empty", lambda: lab.bootstrap_interval([])),
        (ValueError, "ranks below 1 of 3 question 1 0", lambda: lab.bootstrap_interval([1, 0, 3])),
        (ValueError, "ranks 2.5 entry 1", lambda: lab.bootstrap_interval([1, 2.5])),
        (TypeError, "ranks Booleans", lambda: lab.bootstrap_interval([True, False])),
        (ValueError, "ranks 2 axes", lambda: lab.bootstrap_interval([[1, 2]])),
        (ValueError, "ranks 1 of 2 RelevantRanks",
         lambda: lab.bootstrap_interval(lab.run_ranks({"q": {"a": 1}}, {"q": {"a": 1}, "r": {"b": 1}}).best)),
        (ValueError, "k 0 1", lambda: lab.bootstrap_interval(RANKS, k=0)),
        (ValueError, "groups 2 ranks 40", lambda: lab.bootstrap_interval(RANKS, groups=[0, 1])),
        (ValueError, "groups 40 one group 2", lambda: lab.bootstrap_interval(RANKS, groups=["a"] * 40)),
        (ValueError, "metric 'ndcg-exponential' 51 50",
         lambda: lab.bootstrap_interval(graded(d2=51), metric="ndcg-exponential")),
        (ValueError, "metric 'precision' 'recall'", lambda: lab.question_scores(RANKS, "precision")),
        (ValueError, "k None metric 'recall'", lambda: lab.question_scores(RANKS, "recall", k=None)),
        (ValueError, "ranks_a 40 ranks_b 39", lambda: lab.compare_models(RANKS, RANKS[1:])),
        (ValueError, "1 of 3 question 1", lambda: lab.compare_models(graded(d2=1), graded(d3=1))),
        (ValueError, "1 of 3 question 1", lambda: lab.compare_models(graded(d2=1), graded(d2=2))),
        (ValueError, "1 of 3 question 1", lambda: lab.compare_models(graded(d2=1, d3=2), graded(d2=2, d3=1))),
        (ValueError, "ranks_a ranks_b", lambda: lab.compare_models(graded(d2=1, d3=1), graded(d2=1).best)),
        (ValueError, "models 1 model", lambda: lab.compare_all_models({"a": RANKS})),
        (ValueError, "models name UTF-8", lambda: lab.compare_all_models({"a": RANKS, "b\ud800": RANKS})),
        (ValueError, "baseline 'c' 'a' 'b'",
         lambda: lab.compare_all_models({"a": RANKS, "b": RANKS}, baseline="c")),
        (ValueError, "'a' 40 'b' 39", lambda: lab.compare_all_models({"a": RANKS, "b": RANKS[1:]})),
        (ValueError, "grade 2 2 of 3 question 0", lambda: graded(d2=2).at_least(2)),
        (ValueError, "grade 3 1 of 2 'r'",
         lambda: lab.run_ranks({"q": {"a": 1.0}}, {"q": {"a": 3}, "r": {"b": 1}}).at_least(3)),
        (ValueError, "grade 0", lambda: graded(d2=2).at_least(0)),
        (ValueError, "psi 0.35 35", lambda: lab.overlap(SAMPLES, 0.35)),
        (ValueError, "psi 101", lambda: lab.overlap(SAMPLES, 101)),
        (TypeError, "samples SimilaritySamples", lambda: lab.overlap(SAMPLES.S_corr, 35)),
        (ValueError, "domain 5 agnostic 6", lambda: lab.separation(Q[:, :5], D)),
        (ValueError, "domain 1 point 2", lambda: lab.separation(Q[:1], D)),
        (ValueError, "n 0 1 39", lambda: lab.separation(Q, D, n=0)),
        (ValueError, "domain duplicate every", lambda: lab.separation(np.repeat(Q, 2, axis=0), D)),
        (ValueError, "psi 0.005 0 1 100", lambda: lab.threshold_percentile(TOP, 0.005)),
        (ValueError, "n_questions 0 1",
         lambda: lab.threshold_percentile(TOP, 5, method="gamma", n_questions=0)),
        (TypeError, "psi bool True", lambda: lab.threshold_percentile(TOP, True)),
        (ValueError, "psi 0.5", lambda: lab.threshold_percentile(TOP, [5, 0.5])),
        (ValueError, "psi 100.5", lambda: lab.threshold_percentile(TOP, [5, 100.5])),
        (ValueError, "psi empty", lambda: lab.threshold_percentile(TOP, [])),
        (ValueError, "similarities 40 ranks 39", lambda: lab.score_at_threshold(TOP, RANKS[1:], 0.5)),
        (ValueError, "similarities 40 of 40 rows", lambda: lab.score_at_threshold(TOP[:, ::-1], RANKS, 0.5)),
        (ValueError, "similarities empty", lambda: lab.score_at_threshold(TOP[:0], [], 0.5)),
        (ValueError, "metric 'precision' 'recall'",
         lambda: lab.score_at_threshold(TOP, RANKS, 0.5, metric="precision")),
        (ValueError, "threshold nan", lambda: lab.score_at_threshold(TOP, RANKS, float("nan"))),
        (ValueError, "margin 0 (0, 1)", lambda: threshold(margin=0)),
        (ValueError, "margin 1 (0, 1)", lambda: threshold(margin=1.0)),
        (ValueError, "margin 0.999 hidden", lambda: threshold(margin=0.999)),
        (ValueError, "margin 0.25 0.225 hidden",
         lambda: lab.similarity_threshold(TOP, np.where(np.arange(40) < 9, 1, 9), margin=0.25)),
        (ValueError, "hide 'rows' 'lists'", lambda: threshold(hide="rows")),
        (ValueError, "groups 39 40", lambda: threshold(groups=range(39))),
        (ValueError, "out_of_scope empty", lambda: threshold(out_of_scope=[])),
        (ValueError, "out_of_scope row 1", lambda: threshold(out_of_scope=[0.5, np.nan])),
        (ValueError, "question relevant 5", lambda: lab.similarity_threshold(TOP, np.full(40, 9))),
        (ValueError, "similarities 40 ranks 39", lambda: lab.similarity_threshold(TOP, np.full(39, 1))),
        (TypeError, "similarities top_k",
         lambda: lab.similarity_threshold(lab.relevant_ranks(Q, D, GOLD), TOP)),
        (ValueError, "scale 0", lambda: lab.LinearAdapter(scale=0).fit(Q, D, GOLD)),
        (ValueError, "scale 1e+40", lambda: lab.LinearAdapter(scale=1e40).fit(Q, D, GOLD)),
        (ValueError, "strength 0", lambda: lab.LinearAdapter(strength=0).fit(Q, D, GOLD)),
        (ValueError, "strength inf", lambda: lab.LinearAdapter(strength=float("inf")).fit(Q, D, GOLD)),
        (ValueError, "documents 1 point", lambda: lab.LinearAdapter().fit(Q, D[:1], 0 * GOLD)),
        (ValueError, "questions 5 6 fit", lambda: lab.LinearAdapter().fit(Q, D, GOLD).transform(Q[:, :5])),
        (ValueError, "folds 2", lambda: lab.cross_fitted(Q, D, GOLD, 0 * GOLD)),
        (ValueError, "folds 39", lambda: lab.cross_fitted(Q, D, GOLD, GOLD[1:] % 4)),
        (ValueError, "1 document document 3", lambda: lab.cross_fitted(Q, D, with_gold(4, 3), GOLD % 5)),
        (ValueError, "n_folds 1 2", lambda: lab.folds(GOLD, n_folds=1)),
        (ValueError, "groups 0 axes", lambda: lab.folds(np.array(3))),
        (ValueError, "strata 39", lambda: lab.folds(GOLD, strata=GOLD[1:])),
        (ValueError, "qrels 1 of 2 'c'", lambda: lab.gold_from_qrels({"a": {"x": 1}}, ["a", "c"], ["x"])),
        (ValueError, "document_ids 1 judgment 'z' 'b'",
         lambda: lab.gold_from_qrels({"b": {"y": 0, "z": 2}}, ["b"], ["x", "y"])),
        (ValueError, "document_ids 'x' 0 2",
         lambda: lab.gold_from_qrels({"a": {"x": 1}}, ["a"], ["x", "y", "x"])),
        (TypeError, "question_ids 0 int", lambda: lab.gold_from_qrels({"a": {"x": 1}}, range(2), ["x"])),
    ]
)  # fmt: skip


def test_integers_beyond_int64_are_refused():
    extreme_values = np.array([2.0**63 - 1024, 1.0 - 2.0**62])
    assert as_integers(extreme_values, "x", "ranks").tolist() == extreme_values.tolist()
    assert as_integers(np.array([3.0], dtype=np.float16), "x", "ranks").tolist() == [3]
    for values in (np.array([2.0**63]), np.array([2**63], dtype=np.uint64)):
        assert_refused(ValueError, "x entry 0", lambda values=values: as_integers(values, "x", "ranks"))


@pytest.mark.parametrize(
    "function", [lab.answer_ranks, lab.relevant_ranks, lab.pair_similarities, lab.similarity_samples]
)
@pytest.mark.parametrize(
    ("error", "expected_words", "gold"),
    [
        (ValueError, "gold 2 3", [[0, 1], [2, -1]]),
        (ValueError, "gold 1 of 3 question 2 0 to 7", [[0, 1], [2, -1], [8, 1]]),
        (ValueError, "gold 1 of 3 question 1", [[0, 1], [2, -2], [3, 1]]),
        (ValueError, "gold no document 1 of 3 question 1", [[0, 1], [-1, -1], [3, 1]]),
        (ValueError, "gold twice 1 of 3 question 2", [[0, 1], [2, 3], [4, 4]]),
        (ValueError, "gold twice 1 of 3 question 1", pd.Series([[0, 1], [2, 2], [4]])),
        (ValueError, "gold whole number 2 of 3 question 1", np.array([[0, 1], [2, np.nan], [4, 0.5]])),
        (ValueError, "gold whole number 1 of 3 question 1", [[0, 1], [2, None], 4]),
        (ValueError, "gold array", [0, [1, 2], [[1]]]),
        (TypeError, "gold Booleans", np.zeros((3, 2), dtype=bool)),
        (ValueError, "gold 3 axes", np.zeros((3, 2, 2), dtype=int)),
        (ValueError, "gold grade 2 of 3 question 1", {0: {1: 1}, 1: {2: 0}}),
        (ValueError, "gold question 3 0 to 2", {0: {1: 1}, 1: {2: 1}, 3: {1: 1}}),
        (ValueError, "gold document 8 0 to 7", {0: {1: 1}, 1: {2: 1}, 2: {8: 1}}),
        (ValueError, "gold document -1 0 to 7", {0: {-1: 1}, 1: {2: 1}, 2: {7: 1}}),
        (TypeError, "grade True", {0: {1: True}, 1: {2: 1}, 2: {7: 1}}),
        (TypeError, "gold 'q0' gold_from_qrels", {"q0": {"d1": 1}}),
        (TypeError, "gold question 0.5", {0.5: {1: 1}}),
        (TypeError, "gold question 0 str", {0: "12"}),
        (ValueError, "gold twice question 0", {0: [1, 2, 1]}),
        (TypeError, "gold document 'd2'", {0: [1, "d2"]}),
        (TypeError, "gold question 0 grade document 1 0.5", {0: {1: 0.5}}),
        (TypeError, "grade nan", {0: {1: np.nan}}),
        (ValueError, "grade 9 digits", {0: {1: 10**9}}),
    ],
)
def test_errors_of_relevant_documents_name_the_cause(function, error, expected_words, gold):
    assert_refused(error, expected_words, lambda: function(Q[:3], D[:8], gold))
