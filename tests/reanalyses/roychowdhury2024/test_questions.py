"""Tests that natural questions follow the published rules, and differ from templates."""

import csv
import importlib
import itertools
import json
import re
from importlib import resources

import pandas as pd
import pytest

from reanalyses.corpora import yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions

module = importlib.import_module("reanalyses.roychowdhury2024.datasets.questions")

FILE = resources.files("reanalyses.roychowdhury2024").joinpath("data", "questions.tsv")
RECORD = json.loads(FILE.parent.joinpath("questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def definitions():
    return yang_definitions()


@pytest.fixture(scope="module")
def asked():
    return questions()


@pytest.fixture(scope="module")
def made():
    return template_questions()


def rows():
    lines = FILE.read_text(encoding="ascii").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def last_name(node):
    return re.sub(r" \([^)]*\)$", "", node).split("/")[-1]


def number_forms(name):
    """Return a name, its plurals, and the singulars of which it may be the plural."""
    forms = {name, f"{name}s", f"{name}es"}
    if name.endswith("y"):
        forms.add(f"{name[:-1]}ies")
    if name.endswith("ies"):
        forms.add(f"{name[:-3]}y")
    for ending in ("s", "es"):
        if name.endswith(ending):
            forms.add(name.removesuffix(ending))
    return forms


def says_name(question, node):
    """Return whether words of a question, possibly joined, name a node in any spelling or number."""
    forms = number_forms("".join(words(last_name(node))))
    said = words(question)
    return any(
        "".join(said[start:end]) in forms for start, end in itertools.combinations(range(len(said) + 1), 2)
    )


def runs(text, length=4):
    said = words(text)
    return {tuple(said[i : i + length]) for i in range(len(said) - length + 1)}


def jaccard(a, b):
    a, b = set(words(a)), set(words(b))
    return len(a & b) / len(a | b)


def test_every_node_exists_and_gold_is_its_row(asked, definitions):
    known = {(row.module, row.node): (i, row.sentence) for i, row in enumerate(definitions.itertuples())}
    assert len(asked) == len(rows())
    for row in asked.itertuples():
        assert (row.gold, row.sentence) == known[row.module, row.node]
    assert asked["gold"].is_unique
    assert asked["gold"].dtype == "int64"


def test_no_question_says_the_name_of_its_node():
    assert [row for row in rows() if says_name(row["question"], row["node"])] == []


def test_no_question_quotes_four_words_of_its_answer(asked):
    assert [row.question for row in asked.itertuples() if runs(row.question) & runs(row.sentence)] == []


def test_no_question_stands_twice_nor_nearly():
    asked = [row["question"] for row in rows()]
    near = [pair for pair in itertools.combinations(asked, 2) if jaccard(*pair) > 0.7]
    assert near == []


def test_nothing_depends_on_the_order_of_the_definitions(asked, made, definitions, monkeypatch):
    turned = definitions.iloc[::-1].reset_index(drop=True)
    turned.attrs = definitions.attrs
    monkeypatch.setattr(module, "yang_definitions", turned.copy)
    last = len(definitions) - 1
    other = questions()
    pd.testing.assert_frame_equal(other.drop(columns="gold"), asked.drop(columns="gold"))
    assert (last - other["gold"] == asked["gold"]).all()
    backwards = template_questions().iloc[::-1].reset_index(drop=True)
    backwards["gold"] = last - backwards["gold"]
    pd.testing.assert_frame_equal(backwards, made)


def test_the_record_describes_the_file(definitions):
    assert RECORD["questions"] == len(rows())
    assert RECORD["modules"] == len({row["module"] for row in rows()})
    assert RECORD["license"].startswith("MIT")
    assert RECORD["definitions"] == len(definitions)


def test_definitions_that_cannot_be_told_apart_get_no_template(definitions, monkeypatch):
    twins = pd.DataFrame(
        [
            ("m", "a/b-c", "leaf", "One."),
            ("m", "a/bC", "leaf", "Two."),
            ("m", "a/d", "leaf", "Three."),
            ("n", "a/d", "list", "Four."),
        ],
        columns=["module", "node", "kind", "sentence"],
    )
    twins.attrs = definitions.attrs
    monkeypatch.setattr(module, "yang_definitions", twins.copy)
    table = template_questions()
    assert table["sentence"].to_list() == ["Three.", "Four."]
    assert "d in m" in table["question"][0]
    assert "d in n" in table["question"][1]
    assert table["gold"].to_list() == [2, 3]
