"""The natural questions keep the rules by which they are published, and the templates are told from them."""

import csv
import hashlib
import importlib
import itertools
import json
import re
from collections import Counter
from importlib import metadata, resources

import pandas as pd
import pytest

from isotropy_lab.vectors import yang, yang_definitions
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions

module = importlib.import_module("reanalyses.roychowdhury2024.datasets.questions")

FILE = resources.files("reanalyses.roychowdhury2024").joinpath("data", "questions.tsv")
RECORD = json.loads(FILE.parent.joinpath("questions.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def definitions():
    pytest.importorskip("pyang")
    return yang_definitions()


@pytest.fixture(scope="module")
def asked():
    pytest.importorskip("pyang")
    return questions()


@pytest.fixture(scope="module")
def made():
    pytest.importorskip("pyang")
    return template_questions()


def rows():
    lines = FILE.read_text(encoding="ascii").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def last_name(node):
    return re.sub(r" \([^)]*\)$", "", node).split("/")[-1]


def number_forms(name):
    """A name, its plurals, and what it may be the plural of."""
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
    """Whether the words of a question, some in a row joined, are the name of a node in any spelling or number."""
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


@pytest.mark.parametrize(
    ("question", "node", "says"),
    [
        ("What is the mtu of a link?", "interfaces/mtu", True),
        ("How large are the MTUs?", "interfaces/mtu", True),
        ("How large is the packet?", "interfaces/mtu", False),
        ("Which if index has it?", "interfaces/if-index", True),
        ("Which IfIndex has it?", "interfaces/if-index", True),
        ("Which if-indexes are there?", "interfaces/if-index", True),
        ("Which host name has it?", "hostname", True),
        ("What did the link down trap tell?", "linkDown-trap", True),
        ("Which index is meant if it fails?", "interfaces/if-index", False),
        ("Which policies apply?", "a/policy", True),
        ("Which policy applies?", "a/policies (container)", True),
        ("Which area is it?", "areas (list 2)", True),
        ("Why is it hostile?", "host", False),
    ],
)
def test_the_check_for_names_finds_them(question, node, says):
    assert says_name(question, node) is says


def test_there_are_enough_questions_on_enough_modules():
    table = rows()
    assert len(table) >= 600
    assert len({row["module"] for row in table}) >= 40
    assert max(Counter(row["module"] for row in table).values()) <= 20


def test_the_file_is_a_plain_sorted_table():
    raw = FILE.read_bytes()
    assert raw.isascii()
    lines = raw.decode("ascii").split("\n")
    assert lines[0] == "question\tmodule\tnode"
    assert lines[-1] == ""
    cells = [line.split("\t") for line in lines[1:-1]]
    assert all(
        len(row) == 3 and all(cell and cell == " ".join(cell.split()) for cell in row) for row in cells
    )
    keys = [(row[1], row[2]) for row in cells]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


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


def test_every_question_is_one_sentence_of_6_to_30_words():
    for row in rows():
        question = row["question"]
        assert 6 <= len(question.split()) <= 30, question
        assert re.fullmatch(r"[A-Z0-9][^?!\t\"]*\?", question), question
        assert not re.search(r"(?<!\b[ei])[a-z0-9]\. [A-Z]", question), question


def test_no_question_stands_twice_nor_nearly():
    asked = [row["question"] for row in rows()]
    near = [pair for pair in itertools.combinations(asked, 2) if jaccard(*pair) > 0.7]
    assert near == []


def test_questions_are_varied_in_form():
    beginnings = Counter(" ".join(words(row["question"])[:3]) for row in rows())
    assert len(beginnings) >= 200
    assert beginnings.most_common(1)[0][1] <= 0.1 * len(rows())  # "How do I"


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


def test_a_call_gives_a_copy(asked):
    changed = questions()
    changed.loc[:, "question"] = ""
    changed.attrs["rules"].clear()
    pd.testing.assert_frame_equal(questions(), asked)
    assert questions().attrs == asked.attrs


def test_the_record_describes_the_file(asked, definitions):
    assert RECORD["sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert RECORD["questions"] == len(rows())
    assert RECORD["modules"] == len({row["module"] for row in rows()})
    text = re.sub(r"\s+", " ", questions.__doc__)
    assert f"There are {RECORD['questions']} questions on {RECORD['modules']} modules." in text
    assert asked.attrs["rules"] == RECORD["rules"]
    assert asked.attrs["license"].startswith("MIT")
    assert asked.attrs["written_for"] == RECORD["pyang"]
    assert asked.attrs["pyang"] == metadata.version("pyang")
    if asked.attrs["pyang"] == RECORD["pyang"]:
        assert RECORD["definitions"] == len(definitions)


@pytest.mark.parametrize("lost", [1, 12])
def test_definitions_that_pyang_lacks_are_named(lost, asked, definitions, monkeypatch):
    gone = asked["gold"].to_numpy()[:lost]
    fewer = definitions.drop(index=gone).reset_index(drop=True)
    fewer.attrs = {**definitions.attrs, "pyang": "9.9"}
    monkeypatch.setattr(module, "yang_definitions", fewer.copy)
    first = f"{asked['module'][0]}: {asked['node'][0]}"
    named = min(lost, 10)
    with pytest.raises(ValueError) as caught:
        questions()
    message = str(caught.value)
    assert f"pyang 9.9 lacks {lost} of the {len(asked)} definitions" in message
    assert f"({first}" in message
    assert f"written for pyang {RECORD['pyang']}" in message
    assert f'"pyang=={RECORD["pyang"]}"' in message
    assert message.count("; ") == named + (lost > named)
    assert ("and 2 more" in message) == (lost == 12)


def test_templates_are_labeled_and_lead_to_their_definition(made, definitions):
    assert made.columns.to_list() == ["question", "module", "node", "sentence", "gold", "source"]
    assert set(made["source"]) == {"template"}
    assert made["gold"].is_unique
    gold = definitions.iloc[made["gold"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(made[["module", "node", "sentence"]], gold[["module", "node", "sentence"]])
    assert made.attrs["left_out"] == len(definitions) - len(made)
    assert made.attrs["left_out"] <= 0.01 * len(definitions)


def test_templates_name_what_they_ask_for(made):
    assert all(says_name(row.question, row.node) for row in made.itertuples())
    assert made["question"].str.fullmatch(r"(?:What|When|Which) [^?]+\?").all()


def test_no_template_is_ambiguous_or_a_natural_question(made, asked):
    keys = [" ".join(words(question)) for question in made["question"]]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {" ".join(words(question)) for question in asked["question"]}


def test_templates_that_equal_a_natural_question_are_left_out(made, monkeypatch):
    taken = made["question"][7]
    monkeypatch.setattr(module, "_natural", lambda: [(taken.upper(), "", "")])
    fewer = template_questions()
    assert len(fewer) == len(made) - 1
    assert taken not in set(fewer["question"])


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
    assert table.attrs["left_out"] == 2


def test_a_template_is_the_same_every_time(made):
    pd.testing.assert_frame_equal(template_questions(), made)


def test_every_kind_has_templates(definitions):
    assert set(definitions["kind"]) <= set(module._TEMPLATES)
    assert set(module._TEMPLATES) == yang._KINDS
