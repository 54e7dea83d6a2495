"""Tests of searches on both collections: metrics, paired differences, ranks, and judgments."""

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


def random_search(seed, grades):
    rng = np.random.default_rng(seed)
    ranks = np.array([rng.permutation(30) + 1 for _ in range(20)])
    gold = {row: {row: grades[0], row + 1: grades[1]} for row in range(20)}
    return Search(f"s{seed}", "f", ranks, ranks_of_relevant(ranks, gold))


def test_metrics_equal_direct_computations():
    search = {"s0": random_search(0, (3, 1))}
    table = metric_table(search, n_resamples=200).set_index("metric")
    ranks = search["s0"].ranks
    first = ranks[np.arange(20), np.arange(20)]  # the document with grade 3; the other has grade 1
    second = ranks[np.arange(20), np.arange(20) + 1]
    assert table["estimate"]["accuracy_3"] == pytest.approx((first <= 3).mean())
    assert table["estimate"]["mrr"] == pytest.approx((1 / first).mean())
    gains = sum(g / np.log2(1 + r) * (r <= 10) for g, r in ((3, first), (1, second)))
    assert table["estimate"]["ndcg_10"] == pytest.approx((gains / (3 + 1 / np.log2(3))).mean())
    assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all()
    multi_answer_metrics = {"map", "recall_10", "ndcg_10_exponential"}
    assert not multi_answer_metrics & {*table.index}  # one answer for each question


def test_several_answers_give_recall_and_exponential_gains():
    search = {"s0": random_search(0, (3, 2))}
    table = metric_table(search, n_resamples=200).set_index("metric")
    first, second = (search["s0"].ranks[np.arange(20), np.arange(20) + column] for column in (0, 1))
    assert table["estimate"]["recall_10"] == pytest.approx(((first <= 10) / 2 + (second <= 10) / 2).mean())
    gains = sum((2**g - 1) / np.log2(1 + r) * (r <= 10) for g, r in ((3, first), (2, second)))
    assert table["estimate"]["ndcg_10_exponential"] == pytest.approx((gains / (7 + 3 / np.log2(3))).mean())
    assert "map" in table.index


def test_search_differences_are_paired():
    search_by_name = {name: random_search(seed, (1, 1)) for seed, name in enumerate("abc")}
    table = compare_searches(search_by_name, [("a", "b"), ("b", "a"), ("a", "a")], metrics=[("accuracy", 5)])
    hits = [question_scores(search_by_name[name].found, "accuracy", k=5) for name in "ab"]
    difference = (hits[0] - hits[1]).mean()
    assert table["difference"].tolist() == pytest.approx([100 * difference, -100 * difference, 0])
    assert (table["low"] <= table["difference"]).all()


@pytest.mark.rest
def test_search_ranks_equal_encoder_ranks(yang, external):
    gold = [answer for (answer,) in collection("yang").gold]
    for name in ("USE", "FT"):
        assert (yang[name].found.best == load(name, "yang").ranks(gold)).all()
    _, grades, answered = judged_open_vswitch()
    best = [max(row, key=row.get) for row in grades.values()]
    expected = load("MiniLM", "open-vswitch").ranks
    gold_column = np.zeros(105, dtype=int)
    gold_column[answered] = best
    ranks = external["MiniLM"].ranks[np.arange(104), best]
    assert (ranks == expected(gold_column)[answered]).all()


def test_top_10_of_every_search_are_judged(external):
    judged = judged_mask()
    for name, search in external.items():
        assert judged[(search.ranks > 0) & (search.ranks <= 10)].all(), name
    assert (judged_share(external) == 1).all()
    # Lower ranks include unjudged documents, which metrics of all ranks count as not relevant.
    assert judged_share(external, k=100)["MiniLM"] == judged[external["MiniLM"].ranks <= 100].mean() < 0.5


def test_minilm_outscores_e5_on_external_questions(external):
    """The lesson "Comparing models" states this order."""
    accuracy = {name: (external[name].found.best <= 10).mean() for name in ("MiniLM", "E5")}
    assert len(external["E5"].found.best) == 104
    assert accuracy["MiniLM"] > accuracy["E5"]


def test_answer_overlap_is_the_maximum_over_answers():
    texts, grades, question_rows = judged_open_vswitch()
    overlaps = answer_overlap("open-vswitch")
    for row in (0, 17, 103):
        question = texts.questions[question_rows[row]]
        answers = [texts.documents[column] for column, grade in grades[row].items() if grade >= ANSWERS]
        assert overlaps[row] == max(word_overlap([question], [answer])[0] for answer in answers)
    yang = collection("yang")
    answer = yang.documents[yang.gold[5][0]]
    assert answer_overlap("yang")[5] == word_overlap([yang.questions[5]], [answer])[0]


@pytest.mark.rest
def test_accuracy_table_equals_question_scores(yang, external):
    table = accuracy_table(n_resamples=100).set_index("search")
    assert list(table.index) == list(yang) == list(external)
    for title, search_by_name, name, group in (
        ("YANG", yang, "yang", "module"),
        ("Open_vSwitch", external, "open-vswitch", "file"),
    ):
        for search in ("E5", "BM25", "FT + BM25", "MiniLM, with place"):
            answers = search_by_name[search].answers
            assert table[title][search] == pytest.approx(question_scores(answers, "accuracy", k=10).mean())
            for label, groups in (("question", None), (group, question_groups(name))):
                interval = bootstrap_interval(answers, groups=groups, n_resamples=100, rng=0)
                assert table[f"{title}_by_{label}"][search] == f"{interval.low:.2f} to {interval.high:.2f}"
