"""Tests that the Open vSwitch questions are parsed correctly, and of the form of both collections."""

import pytest

from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import collection, open_vswitch
from tests.conftest import script_module


@pytest.fixture(scope="module")
def script():
    return script_module("make_open_vswitch_questions")


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


PAGE = """\
..
      Licensed under some license.

=====
Cakes
=====

Q: How do I bake
a cake?

    A: Mix the flour with ``two`` eggs, then, as in `RFC 1 <https://example.org/1>`__, do this::

        $ bake cake
        $ eat cake

    and wait for an hour in front of it.

    There are two ways to do it well:

    - Use an oven that has been heated, which takes some time.

      It is hot, so be careful when you open it.
    - Ask a friend who has an oven to do it.

    See below.

Q: I see this message::

    cake: not found

What now?

   A. ===== =====
   is not how a table begins, but this is one:

   ====  ====
   cake  good
   ====  ====

Q: And then?

    A: See above.

Q: Why is there no letter?

    Because somebody forgot to write it, and nobody saw.
"""


def test_page_is_parsed_into_questions_and_answers(script, tmp_path):
    (tmp_path / "cakes.rst.txt").write_text(PAGE, encoding="utf-8")
    asked, documents, unanswered = script.collection(tmp_path)
    texts = {row["id"]: row["text"] for row in documents}
    assert [row["question"] for row in asked] == [
        "How do I bake a cake?",
        "I see this message:\ncake: not found\nWhat now?",
        "Why is there no letter?",
    ]
    assert [texts[key] for key in asked[0]["answer"]] == [
        "Mix the flour with two eggs, then, as in RFC 1, do this:\n$ bake cake\n$ eat cake\n"
        "and wait for an hour in front of it.",
        "There are two ways to do it well:",
        "Use an oven that has been heated, which takes some time.",
        "It is hot, so be careful when you open it.",
        "Ask a friend who has an oven to do it.",
    ]
    assert [texts[key] for key in asked[1]["answer"]] == [
        "===== ===== is not how a table begins, but this is one:\n====  ====\ncake  good\n====  ===="
    ]
    assert [texts[key] for key in asked[2]["answer"]] == [
        "Because somebody forgot to write it, and nobody saw."
    ]
    assert unanswered == ["cakes-03: And then?"]
    assert asked[0] | {"answer": 0, "question": 0} == {
        "id": "cakes-01",
        "file": "faq/cakes",
        "section": "Cakes",
        "answer": 0,
        "question": 0,
    }


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
