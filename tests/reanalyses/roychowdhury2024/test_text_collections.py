"""Tests that Open vSwitch's questions are read as extracted, and that both collections have one form."""

import pytest

from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import collection, open_vswitch


@pytest.fixture(scope="module")
def tables():
    return open_vswitch()


def test_what_is_there(tables):
    asked, documents = tables
    assert (len(asked), len(documents)) == (105, 309)
    assert asked["id"].is_unique
    assert documents["id"].is_unique
    assert documents["text"].is_unique
    assert asked["file"].nunique() == documents["file"].nunique() == 12
    record = asked.attrs
    assert record["license"] == "Apache-2.0"
    assert [part["rows"] for part in record["variants"].values()] == [105, 309]
    assert len(record["missing"]) == 3


def test_a_collection_has_its_answers_in_order(tables):
    asked, documents = tables
    found = collection("open-vswitch")
    for question, places in zip(asked.itertuples(), found.gold, strict=True):
        assert [documents["id"][place] for place in places] == list(question.answer)
    assert found.placed[0] == f"{documents['section'][0]}: {documents['text'][0]}"


def test_the_yang_collection_is_that_of_the_package():
    found, asked, definitions = collection("yang"), questions(), yang_definitions()
    assert found.questions == tuple(asked["question"])
    assert found.documents == tuple(definitions["sentence"])
    assert found.gold == tuple((row,) for row in asked["gold"])
    row = definitions.index[definitions["node"] == "interfaces/interface/last-change"][0]
    assert found.placed[row].startswith("ietf-interfaces interfaces/interface/last-change: ")
