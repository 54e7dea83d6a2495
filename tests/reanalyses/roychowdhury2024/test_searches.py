"""Tests of all searches on both collections: metrics, paired differences, locations, and judgments."""

import numpy as np
import pytest

from isotropy_lab.retrieval import bootstrap_interval, question_scores
from reanalyses.roychowdhury2024.datasets.encoders import load
from reanalyses.roychowdhury2024.datasets.judgments import ANSWERS, judged_mask, judged_open_vswitch
from reanalyses.roychowdhury2024.datasets.text_collections import collection
from reanalyses.roychowdhury2024.experiments.lexical import ranks_of_relevant, word_overlap
from reanalyses.roychowdhury2024.experiments.searches import (
    Search,
    accuracy_table,
    answer_overlap,
    compare_searches,
    judged_share,
    metric_table,
    question_groups,
    searches,
)


@pytest.fixture(scope="module")
def external():
    return searches("open-vswitch")


@pytest.fixture(scope="module")
def yang():
    return searches("yang")


def small(seed, grades):
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(30) + 1 for _ in range(20)])
    gold = {row: {row: grades[0], row + 1: grades[1]} for row in range(20)}
    return Search(f"s{seed}", "f", ranks, ranks_of_relevant(ranks, gold))


def test_metrics_are_means_over_questions_of_the_right_documents():
    of = {"s0": small(0, (3, 1))}
    table = metric_table(of, n_resamples=200).set_index("metric")
    ranks = of["s0"].ranks
    first = ranks[np.arange(20), np.arange(20)]  # the document with grade 3; the other only helps
    second = ranks[np.arange(20), np.arange(20) + 1]
    assert table["estimate"]["accuracy_3"] == pytest.approx((first <= 3).mean())
    assert table["estimate"]["mrr"] == pytest.approx((1 / first).mean())
    gains = sum(g / np.log2(1 + r) * (r <= 10) for g, r in ((3, first), (1, second)))
    assert table["estimate"]["ndcg_10"] == pytest.approx((gains / (3 + 1 / np.log2(3))).mean())
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
    several = {"map", "recall_10", "ndcg_10_exponential"}
    assert not several & {*table.index}  # one answer for each question


def test_questions_with_several_answers_have_recall_and_exponential_gains():
    of = {"s0": small(0, (3, 2))}
    table = metric_table(of, n_resamples=200).set_index("metric")
    first, second = (of["s0"].ranks[np.arange(20), np.arange(20) + column] for column in (0, 1))
    assert table["estimate"]["recall_10"] == pytest.approx(((first <= 10) / 2 + (second <= 10) / 2).mean())
    gains = sum((2**g - 1) / np.log2(1 + r) * (r <= 10) for g, r in ((3, first), (2, second)))
    assert table["estimate"]["ndcg_10_exponential"] == pytest.approx((gains / (7 + 3 / np.log2(3))).mean())
    assert "map" in table.index


def test_differences_are_paired():
    of = {name: small(seed, (1, 1)) for seed, name in enumerate("abc")}
    table = compare_searches(of, [("a", "b"), ("b", "a"), ("a", "a")], metrics=[("accuracy", 5)])
    hits = [question_scores(of[name].found, "accuracy", k=5) for name in "ab"]
    difference = (hits[0] - hits[1]).mean()
    assert table["difference"].tolist() == pytest.approx([100 * difference, -100 * difference, 0])
    assert (table["low"] <= table["difference"]).all()


@pytest.mark.rest
def test_ranks_are_those_of_the_encoders(yang, external):
    gold = [answer for (answer,) in collection("yang").gold]
    for name in ("USE", "FT"):
        assert (yang[name].found.best == load(name, "yang").ranks(gold)).all()
    _, grades, answered = judged_open_vswitch()
    best = [max(row, key=row.get) for row in grades.values()]
    expected = load("MiniLM", "open-vswitch").ranks
    full = np.zeros(105, dtype=int)
    full[answered] = best
    found = external["MiniLM"].ranks[np.arange(104), best]
    assert (found == expected(full)[answered]).all()


def test_every_document_that_a_search_ranks_among_its_ten_was_judged(external):
    judged = judged_mask()
    for name, one in external.items():
        assert judged[(one.ranks > 0) & (one.ranks <= 10)].all(), name
    assert (judged_share(external) == 1).all()
    # Below, it is not so, and metrics of all ranks count the others as wrong.
    assert judged_share(external, k=100)["MiniLM"] == judged[external["MiniLM"].ranks <= 100].mean() < 0.5


def test_minilm_finds_more_of_other_peoples_answers_than_e5(external):
    """As *Comparing models* says."""
    found = {name: (external[name].found.best <= 10).mean() for name in ("MiniLM", "E5")}
    assert len(external["E5"].found.best) == 104
    assert found["MiniLM"] > found["E5"]


def test_overlap_is_that_with_the_closest_answer():
    texts, grades, asked = judged_open_vswitch()
    found = answer_overlap("open-vswitch")
    for row in (0, 17, 103):
        question = texts.questions[asked[row]]
        answers = [texts.documents[column] for column, grade in grades[row].items() if grade >= ANSWERS]
        assert found[row] == max(word_overlap([question], [answer])[0] for answer in answers)
    own = collection("yang")
    assert answer_overlap("yang")[5] == word_overlap([own.questions[5]], [own.documents[own.gold[5][0]]])[0]


@pytest.mark.rest
def test_one_table_has_the_accuracy_of_every_search_on_both_collections(yang, external):
    table = accuracy_table(n_resamples=100).set_index("search")
    assert list(table.index) == list(yang) == list(external)
    for title, of, name, group in (
        ("YANG", yang, "yang", "module"),
        ("Open_vSwitch", external, "open-vswitch", "file"),
    ):
        for search in ("E5", "BM25", "FT + BM25", "MiniLM, with place"):
            answers = of[search].answers
            assert table[title][search] == pytest.approx(question_scores(answers, "accuracy", k=10).mean())
            for label, groups in (("question", None), (group, question_groups(name))):
                one = bootstrap_interval(answers, groups=groups, n_resamples=100, rng=0)
                assert table[f"{title}_by_{label}"][search] == f"{one.low:.2f} to {one.high:.2f}"
