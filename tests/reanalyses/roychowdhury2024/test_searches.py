"""All searches on both collections: metrics, paired differences, places; what was judged."""

import numpy as np
import pytest

from isotropy_lab.retrieval import question_scores
from reanalyses.roychowdhury2024.datasets.encoders import ENCODERS, PLACED, load
from reanalyses.roychowdhury2024.datasets.judgments import judged_open_vswitch, relevance
from reanalyses.roychowdhury2024.datasets.text_collections import collection, open_vswitch
from reanalyses.roychowdhury2024.experiments.lexical import fused_ranks, ranks_of_relevant
from reanalyses.roychowdhury2024.experiments.searches import (
    NEED_THEIR_PLACE,
    Search,
    compare_searches,
    documents_that_need_their_place,
    encoder_table,
    judged_share,
    metric_table,
    place_table,
    searches,
)

pytest.importorskip("pyang")


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
    assert "map" not in table.index  # one answer for each question
    assert "map" in metric_table({"s0": small(0, (3, 2))}, n_resamples=200)["metric"].to_numpy()


def test_differences_are_paired():
    of = {name: small(seed, (1, 1)) for seed, name in enumerate("abc")}
    table = compare_searches(
        of, [("a", "b"), ("b", "a"), ("a", "a")], metrics=[("accuracy", 5)], n_resamples=500
    )
    hits = [question_scores(of[name].found, "accuracy", k=5) for name in "ab"]
    difference = (hits[0] - hits[1]).mean()
    assert table["difference"].tolist() == pytest.approx([100 * difference, -100 * difference, 0])
    assert table["n_better"][0] == (hits[0] > hits[1]).sum() == table["n_worse"][1]
    assert (table["low"] <= table["difference"]).all()


@pytest.mark.parametrize("name", ["yang", "open-vswitch"])
def test_there_are_all_searches_of_a_collection(name, yang, external):
    of = {"yang": yang, "open-vswitch": external}[name]
    assert list(of) == [
        *ENCODERS,
        "BM25",
        *(f"{encoder} + BM25" for encoder in ENCODERS),
        *(f"{encoder}, with place" for encoder in (*PLACED, "BM25")),
    ]
    shape = {one.ranks.shape for one in of.values()}
    assert shape == {(104, 309) if name == "open-vswitch" else (736, 2288)}
    assert (of["E5 + BM25"].ranks == fused_ranks(of["E5"].ranks, of["BM25"].ranks)).all()


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


def test_what_searches_find_first_was_judged(external):
    asked, paragraphs = open_vswitch()
    pairs = relevance()
    rows = {key: row for row, key in enumerate(asked["id"])}
    columns = {key: column for column, key in enumerate(paragraphs["id"])}
    judged = np.zeros((105, 309), dtype=bool)
    judged[pairs["question"].map(rows), pairs["document"].map(columns)] = True
    judged = judged[judged_open_vswitch()[2]]
    ten = judged_share(external, judged)
    few = ["GloVe", "word2vec", "SmolLM2"]  # of these only the first three were pooled
    whole = [name for name in (*ENCODERS, "BM25", "MiniLM, with place", "E5, with place") if name not in few]
    assert ten[whole].min() > 0.99
    assert judged_share(external, judged, k=3)[few].min() > 0.99


def test_the_place_helps_where_documents_are_bare_sentences():
    table = place_table("yang", n_resamples=500).set_index("search")
    assert list(table.index) == ["MiniLM", "E5", "BM25"]
    np.testing.assert_allclose(table["with_place"] - table["without"], table["difference"])
    assert table["low"]["MiniLM"] > 3


def test_answers_that_need_their_place_are_named():
    table = documents_that_need_their_place()
    assert sorted(table["document"]) == sorted(NEED_THEIR_PLACE)
    assert all(len(text.split()) <= 10 for text in NEED_THEIR_PLACE)
    assert (table["rank_with_place"] <= table["rank"]).mean() > 0.5


def test_an_unknown_collection_is_refused():
    with pytest.raises(ValueError, match="collection_name"):
        searches("news")


def test_the_table_of_encoders_has_their_metrics(external):
    table = encoder_table("open-vswitch", n_resamples=200).set_index("search")
    assert list(table.index) == [*ENCODERS, "BM25"]
    for name in ("E5", "BM25"):
        one = external[name]
        assert table["accuracy_3"][name] == question_scores(one.answers, "accuracy", k=3).mean()
        assert table["ndcg_10"][name] == pytest.approx(question_scores(one.found, "ndcg").mean())
        assert table["map"][name] == pytest.approx(question_scores(one.answers, "map", k=None).mean())
    assert ((table["low"] <= table["accuracy_10"]) & (table["accuracy_10"] <= table["high"])).all()
    assert "map" not in encoder_table("yang", n_resamples=200)
