"""Tests that the Open vSwitch questions are parsed correctly, and of the form of both collections."""

import pytest

from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import collection, open_vswitch


@pytest.fixture(scope="module")
def tables():
    return open_vswitch()


def test_open_vswitch_tables_are_complete(tables):
    asked, documents = tables
    assert (len(asked), len(documents)) == (105, 309)
    assert asked["id"].is_unique
    assert documents["id"].is_unique
    assert documents["text"].is_unique
    assert asked["file"].nunique() == documents["file"].nunique() == 12
    record = asked.attrs
    assert record["license"] == "Apache-2.0"
    assert [variant["rows"] for variant in record["variants"].values()] == [105, 309]
    assert len(record["missing"]) == 3


def test_open_vswitch_collection_keeps_answer_order(tables):
    asked, documents = tables
    texts = collection("open-vswitch")
    for question, gold in zip(asked.itertuples(), texts.gold, strict=True):
        assert [documents["id"][row] for row in gold] == list(question.answer)
    assert texts.placed[0] == f"{documents['section'][0]}: {documents['text'][0]}"


def test_yang_collection_equals_its_tables():
    texts, asked, definitions = collection("yang"), questions(), yang_definitions()
    assert texts.questions == tuple(asked["question"])
    assert texts.documents == tuple(definitions["sentence"])
    assert texts.gold == tuple((row,) for row in asked["gold"])
    row = definitions.index[definitions["node"] == "interfaces/interface/last-change"][0]
    assert texts.placed[row].startswith("ietf-interfaces interfaces/interface/last-change: ")
