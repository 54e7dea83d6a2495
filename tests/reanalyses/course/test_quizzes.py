"""Tests of the questions in lessons, and of their Moodle and QTI exports against the rules of the formats."""

import io
import re
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from reanalyses.course import quizzes
from reanalyses.course.quizzes import markup

QUESTIONS = quizzes.questions()
MOODLE = quizzes.moodle_xml(QUESTIONS)
PACKAGE = quizzes.qti(QUESTIONS)

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
MATH = "{http://www.w3.org/1998/Math/MathML}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"

QUESTION_TEXT = """\
::::{admonition} Is a line isotropic?
:class: il-question

1. Yes.
2. No, for
   any line.

:::{dropdown} Answers
1. No. It varies in one direction only.
2. Right. In all others it does not.
:::
::::
"""


def test_every_lesson_has_five_questions_with_distinct_choices() -> None:
    n_questions: dict[str, int] = {}
    for question in QUESTIONS:
        n_questions[question.lesson] = n_questions.get(question.lesson, 0) + 1
        assert 3 <= len(question.choices) == len(question.feedback) <= 4, question.id
        assert len(set(question.choices)) == len(question.choices), question.id
    assert len(n_questions) == 18
    assert min(n_questions.values()) >= 5
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


def test_question_is_parsed_from_markdown() -> None:
    (question,) = quizzes.parse(QUESTION_TEXT, lesson="isotropy/lines", title="Lines", part="Part 1")
    assert question == quizzes.Question(
        "isotropy/lines",
        "Lines",
        "Part 1",
        "lines-1",
        "Is a line isotropic?",
        ("Yes.", "No, for any line."),
        ("No. It varies in one direction only.", "Right. In all others it does not."),
        1,
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2. Right. In all", "2. No. In all", "question 1 of isotropy/lines has 0 comments that begin with 'Right'"),
        ("1. No. It varies", "1. Right. It varies", "has 2 comments that begin"),
        ("2. Right. In all others it does not.\n", "", "has 2 choices and 1 comments"),
        ("2. No, for", "3. No, for", "numbered 1, 3"),
        ("any line", "{eval}`line`", "markup that questions do not support"),
        ("any line", "any <b>line</b>", "'<'"),
        ("any line", "any *line", r"'\*'"),
        ("{dropdown} Answers", "{dropdown} Solutions", "has no dropdown with the title Answers"),
    ],
)  # fmt: skip
def test_malformed_question_is_rejected_with_reason(old: str, new: str, message: str) -> None:
    assert old in QUESTION_TEXT
    with pytest.raises(ValueError, match=message):
        quizzes.parse(QUESTION_TEXT.replace(old, new), lesson="isotropy/lines")


def all_texts() -> list[str]:
    return [text for q in QUESTIONS for text in (q.prompt, *q.choices, *q.feedback)]


def test_markup_agrees_with_a_commonmark_parser() -> None:
    """CommonMark has no formulas: a word replaces each before both parsers read the text."""
    commonmark = MarkdownIt("commonmark")
    assert len(all_texts()) > 600
    for text in all_texts():
        plain = re.sub(r"\s*\(\[[^\]]+\]\([^)]*\)\)", "", re.sub(r"\$[^$]+\$", "formula", text))
        expected = commonmark.renderInline(plain)
        ours, known = (BeautifulSoup(x, "html.parser").text for x in (markup.xhtml(plain), expected))
        assert ours == known
        without_links = re.sub(r"</?a\b[^>]*>", "", expected)
        assert re.findall(r"</?\w+>", markup.xhtml(plain)) == re.findall(r"</?\w+>", without_links)


def test_formulas_get_mathjax_delimiters() -> None:
    assert markup.xhtml(r"*If* $a < b$ & `x<y`") == r"<em>If</em> \(a &lt; b\) &amp; <code>x&lt;y</code>"
    assert markup.plain_text(r"If $a < b$") == "If a < b"
    for text in all_texts():
        assert "$" not in markup.xhtml(text)
        formulas = [
            formula.replace("&lt;", "<").replace("&gt;", ">")
            for formula in re.findall(r"\\\((.*?)\\\)", markup.xhtml(text))
        ]
        without_links = re.sub(r"\s*\(\[[^\]]+\]\([^)]*\)\)", "", text)
        assert formulas == re.findall(r"\$([^$]+)\$", without_links)


def test_moodle_export_has_one_category_per_lesson() -> None:
    quiz = ElementTree.fromstring(MOODLE)
    assert quiz.tag == "quiz"
    category, category_ids = "", []
    for element in quiz:
        assert element.tag == "question"
        if element.get("type") == "category":
            category = element.findtext("category/text", "")
            assert category.startswith("$course$/top/Isotropy Lab/Part ")
            category_ids.append(element.findtext("idnumber"))
        else:
            assert element.get("type") == "multichoice"
            assert element.findtext("idnumber", "").startswith(f"{category_ids[-1]}-")
    assert len(category_ids) == len(set(category_ids)) == 18
    assert len(quiz) == 18 + len(QUESTIONS)


def test_moodle_questions_have_the_imported_fields() -> None:
    quiz = ElementTree.fromstring(MOODLE)
    exported = [item for item in quiz if item.get("type") == "multichoice"]
    assert len({item.findtext("name/text") for item in exported}) == len(exported)
    for item, question in zip(exported, QUESTIONS, strict=True):
        assert item.findtext("idnumber") == question.id
        assert len(item.findtext("name/text", "")) <= 255
        assert len(question.id) <= 100
        assert item.findtext("single") == "true"
        assert item.findtext("shuffleanswers") in {"true", "false"}
        assert item.findtext("answernumbering") in {"none", "abc", "123"}
        assert 0 <= float(item.findtext("penalty", "")) <= 1
        assert item.findtext("tags/tag/text") == "isotropy-lab"
        answers = item.findall("answer")
        assert [a.get("fraction") for a in answers] == [
            "100" if i == question.correct_index else "0" for i in range(len(question.choices))
        ]
        for element in (
            item.find("questiontext"),
            item.find("generalfeedback"),
            *answers,
            *item.findall("answer/feedback"),
        ):
            assert element is not None
            assert element.get("format") == "html"
            ElementTree.fromstring(element.findtext("text", ""))  # one well-formed paragraph
        for answer, choice, feedback in zip(answers, question.choices, question.feedback, strict=True):
            assert answer.findtext("text") == f"<p>{markup.xhtml(choice)}</p>"
            assert answer.findtext("feedback/text") == f"<p>{markup.xhtml(feedback)}</p>"
        assert question.lesson in item.findtext("generalfeedback/text", "")
    assert MOODLE.count("<![CDATA[") == MOODLE.count("]]>")


SCHEMA = tomllib.loads(Path(__file__).with_name("qti21.toml").read_text(encoding="utf-8"))
XSI = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


def read_package() -> dict[str, ElementTree.Element]:
    with zipfile.ZipFile(io.BytesIO(PACKAGE)) as archive:
        assert archive.testzip() is None
        return {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}


def test_qti_elements_follow_the_schema() -> None:
    for name, root in read_package().items():
        space = CP if name == "imsmanifest.xml" else QTI
        assert root.get(XSI, "").startswith(space.strip("{}") + " ")
        for element in root.iter():
            if element.tag.startswith(MATH):
                assert element.tag.removeprefix(MATH) in SCHEMA["presented"]
                continue
            assert element.tag.startswith(space), f"{name}: {element.tag}"
            tag = element.tag.removeprefix(space)
            assert {*element.attrib} - {XSI} == {*SCHEMA[tag]["attributes"]}, f"{name}: {tag}"
            if order := SCHEMA[tag].get("order"):
                positions = [order.index(child.tag.removeprefix(space)) for child in element]
                assert positions == sorted(positions), f"{name}: {tag}"
        identifiers = [
            element.get("identifier", "") for element in root.iter() if element.tag != f"{QTI}variable"
        ]
        assert all(re.fullmatch(r"[A-Za-z_][\w.-]{0,34}", value) for value in identifiers if value)


def test_qti_item_has_correct_choice_and_feedback() -> None:
    files = read_package()
    for question in QUESTIONS:
        item = files[f"items/{question.id}.xml"]
        assert item.get("identifier") == question.id
        assert len(question.id) <= 32  # what the specification advises
        choices = item.findall(f"{QTI}itemBody/{QTI}choiceInteraction/{QTI}simpleChoice")
        names = [choice.get("identifier") for choice in choices]
        assert len(set(names)) == len(names)
        correct = item.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value")
        assert correct == names[question.correct_index]
        interaction = item.find(f"{QTI}itemBody/{QTI}choiceInteraction")
        assert interaction is not None
        assert interaction.get("responseIdentifier") == "RESPONSE"
        assert interaction.get("maxChoices") == "1"
        feedback = item.findall(f"{QTI}modalFeedback")
        assert [element.get("identifier") for element in feedback] == names
        assert {element.get("outcomeIdentifier") for element in feedback} == {"FEEDBACK"}
        declared = {element.get("identifier") for element in item.findall(f"{QTI}outcomeDeclaration")}
        assigned = {element.get("identifier") for element in item.iter(f"{QTI}setOutcomeValue")}
        assert declared == assigned == {"SCORE", "FEEDBACK"}
        shown = [item.find(f".//{QTI}prompt"), *choices, *feedback]
        expected = [question.prompt, *question.choices, *question.feedback]
        for element, text in zip(shown, expected, strict=True):
            assert element is not None
            for formula in element.iter(f"{MATH}math"):
                formula[:], formula.text = [], "formula"
            words = " ".join("".join(element.itertext()).split())
            assert words == markup.plain_text(re.sub(r"\$[^$]+\$", "formula", text))


def test_qti_response_processing_scores_each_choice() -> None:
    """Answer each choice of each item, and follow its response processing."""
    files = read_package()
    for question in QUESTIONS:
        item = files[f"items/{question.id}.xml"]
        correct = item.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value")
        processing = item.find(f"{QTI}responseProcessing")
        assert processing is not None
        for i in range(len(question.choices)):
            chosen, outcome = f"CHOICE_{i + 1}", {}
            for rule in processing:
                if rule.tag == f"{QTI}responseCondition":
                    match = rule.find(f"{QTI}responseIf/{QTI}match")
                    assert match is not None
                    assert [operand.tag for operand in match] == [f"{QTI}variable", f"{QTI}correct"]
                    branch = rule.find(f"{QTI}responseIf" if chosen == correct else f"{QTI}responseElse")
                    assert branch is not None
                    for value in branch.findall(f"{QTI}setOutcomeValue"):
                        outcome[value.get("identifier")] = value.findtext(f"{QTI}baseValue")
                else:
                    assert rule[0].attrib == {"identifier": "RESPONSE"}
                    outcome[rule.get("identifier")] = chosen
            assert outcome == {"SCORE": "1" if i == question.correct_index else "0", "FEEDBACK": chosen}


def test_qti_manifest_lists_every_file_once() -> None:
    files = read_package()
    manifest = files["imsmanifest.xml"]
    resources = {item.get("identifier"): item for item in manifest.iter(f"{CP}resource")}
    assert sorted(item.get("href", "") for item in resources.values()) == sorted(
        set(files) - {"imsmanifest.xml"}
    )
    for item in resources.values():
        assert [file.get("href") for file in item.findall(f"{CP}file")] == [item.get("href")]
    kinds = {name: item.get("type") for name, item in resources.items()}
    assert kinds.pop("RES-test") == "imsqti_test_xmlv2p1"
    assert set(kinds.values()) == {"imsqti_item_xmlv2p1"}
    dependencies = [item.get("identifierref") for item in resources["RES-test"].findall(f"{CP}dependency")]
    assert dependencies == list(kinds)
    item_refs = [
        (ref.get("identifier"), ref.get("href")) for ref in files["test.xml"].iter(f"{QTI}assessmentItemRef")
    ]
    assert item_refs == [(question.id, f"items/{question.id}.xml") for question in QUESTIONS]
