"""Tests that Open vSwitch's questions are read as extracted, and that both collections have one form."""

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


def test_a_page_is_taken_apart(script, tmp_path):
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
