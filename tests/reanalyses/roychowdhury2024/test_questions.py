"""Tests that the natural questions follow the published rules, and of the template questions."""

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
def templates():
    return template_questions()


def read_rows():
    lines = FILE.read_text(encoding="ascii").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


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


def contains_name(question, node):
    """Return whether words of a question, possibly joined, name a node in the singular or plural."""
    last_name = re.sub(r" \([^)]*\)$", "", node).split("/")[-1]
    forms = number_forms("".join(words(last_name)))
    tokens = words(question)
    return any("".join(tokens[i:j]) in forms for i, j in itertools.combinations(range(len(tokens) + 1), 2))


def ngrams(text, length=4):
    tokens = words(text)
    return {tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1)}


def test_gold_is_the_row_of_the_node(asked, definitions):
    known = {(row.module, row.node): (i, row.sentence) for i, row in enumerate(definitions.itertuples())}
    assert len(asked) == len(read_rows())
    for row in asked.itertuples():
        assert (row.gold, row.sentence) == known[row.module, row.node]
    assert asked["gold"].is_unique
    assert asked["gold"].dtype == "int64"


def test_questions_do_not_name_their_node():
    assert [row for row in read_rows() if contains_name(row["question"], row["node"])] == []


def test_questions_share_no_four_word_run_with_their_answer(asked):
    assert [row.question for row in asked.itertuples() if ngrams(row.question) & ngrams(row.sentence)] == []


def test_questions_have_no_near_duplicates():
    asked = [set(words(row["question"])) for row in read_rows()]
    near_duplicates = [(a, b) for a, b in itertools.combinations(asked, 2) if len(a & b) > 0.7 * len(a | b)]
    assert near_duplicates == []


def test_questions_do_not_depend_on_order_of_definitions(asked, templates, definitions, monkeypatch):
    reversed_definitions = definitions.iloc[::-1].reset_index(drop=True)
    reversed_definitions.attrs = definitions.attrs
    monkeypatch.setattr(module, "yang_definitions", reversed_definitions.copy)
    last = len(definitions) - 1
    reordered = questions()
    pd.testing.assert_frame_equal(reordered.drop(columns="gold"), asked.drop(columns="gold"))
    assert (last - reordered["gold"] == asked["gold"]).all()
    reordered_templates = template_questions().iloc[::-1].reset_index(drop=True)
    reordered_templates["gold"] = last - reordered_templates["gold"]
    pd.testing.assert_frame_equal(reordered_templates, templates)


def test_record_agrees_with_the_file(definitions):
    assert RECORD["questions"] == len(read_rows())
    assert RECORD["modules"] == len({row["module"] for row in read_rows()})
    assert RECORD["license"].startswith("MIT")
    assert RECORD["definitions"] == len(definitions)


def test_ambiguous_definitions_get_no_template_question(definitions, monkeypatch):
    ambiguous = pd.DataFrame(
        [
            ("m", "a/b-c", "leaf", "One."),
            ("m", "a/bC", "leaf", "Two."),
            ("m", "a/d", "leaf", "Three."),
            ("n", "a/d", "list", "Four."),
        ],
        columns=["module", "node", "kind", "sentence"],
    )
    ambiguous.attrs = definitions.attrs
    monkeypatch.setattr(module, "yang_definitions", ambiguous.copy)
    table = template_questions()
    assert table["sentence"].to_list() == ["Three.", "Four."]
    assert "d in m" in table["question"][0]
    assert "d in n" in table["question"][1]
    assert table["gold"].to_list() == [2, 3]
