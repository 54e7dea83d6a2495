"""Tests of the questions in lessons, and of the files by the rules of platforms' schemas and importers."""

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

ASKED = """\
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


def test_every_lesson_has_five_questions_of_which_one_choice_is_right() -> None:
    count: dict[str, int] = {}
    for one in QUESTIONS:
        count[one.lesson] = count.get(one.lesson, 0) + 1
        assert 3 <= len(one.choices) == len(one.feedback) <= 4, one.id
        assert len(set(one.choices)) == len(one.choices), one.id
    assert len(count) == 18
    assert min(count.values()) >= 5
    assert len({one.id for one in QUESTIONS}) == len(QUESTIONS)


def test_a_question_is_read_from_markdown() -> None:
    (one,) = quizzes.parse(ASKED, lesson="isotropy/lines", title="Lines", part="Part 1")
    assert one == quizzes.Question(
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
def test_a_question_that_lacks_something_is_refused_in_words(old: str, new: str, message: str) -> None:
    assert old in ASKED
    with pytest.raises(ValueError, match=message):
        quizzes.parse(ASKED.replace(old, new), lesson="isotropy/lines")


def texts() -> list[str]:
    return [text for one in QUESTIONS for text in (one.prompt, *one.choices, *one.feedback)]


def test_the_text_is_what_a_whole_parser_of_markdown_reads() -> None:
    """Formulas apart, which CommonMark does not know: their places are filled with a word before both parse."""
    whole = MarkdownIt("commonmark")
    assert len(texts()) > 600
    for text in texts():
        without = re.sub(r"\s*\(\[[^\]]+\]\([^)]*\)\)", "", re.sub(r"\$[^$]+\$", "formula", text))
        expected = whole.renderInline(without)
        ours, theirs = (BeautifulSoup(one, "html.parser").text for one in (markup.xhtml(without), expected))
        assert ours == theirs
        kept = re.sub(r"</?a\b[^>]*>", "", expected)
        assert re.findall(r"</?\w+>", markup.xhtml(without)) == re.findall(r"</?\w+>", kept)


def test_formulas_stand_between_the_marks_of_mathjax() -> None:
    assert markup.xhtml(r"*If* $a < b$ & `x<y`") == r"<em>If</em> \(a &lt; b\) &amp; <code>x&lt;y</code>"
    assert markup.plain_text(r"If $a < b$") == "If a < b"
    for text in texts():
        assert "$" not in markup.xhtml(text)
        inside = [
            one.replace("&lt;", "<").replace("&gt;", ">")
            for one in re.findall(r"\\\((.*?)\\\)", markup.xhtml(text))
        ]
        shown = re.sub(r"\s*\(\[[^\]]+\]\([^)]*\)\)", "", text)
        assert inside == re.findall(r"\$([^$]+)\$", shown)


def test_moodle_gets_a_category_and_its_questions_for_each_lesson() -> None:
    quiz = ElementTree.fromstring(MOODLE)
    assert quiz.tag == "quiz"
    category, seen = "", []
    for one in quiz:
        assert one.tag == "question"
        if one.get("type") == "category":
            category = one.findtext("category/text", "")
            assert category.startswith("$course$/top/Isotropy Lab/Part ")
            seen.append(one.findtext("idnumber"))
        else:
            assert one.get("type") == "multichoice"
            assert one.findtext("idnumber", "").startswith(f"{seen[-1]}-")
    assert len(seen) == len(set(seen)) == 18
    assert len(quiz) == 18 + len(QUESTIONS)


def test_moodle_questions_have_what_the_importer_reads() -> None:
    quiz = ElementTree.fromstring(MOODLE)
    found = [one for one in quiz if one.get("type") == "multichoice"]
    assert len({one.findtext("name/text") for one in found}) == len(found)
    for one, question in zip(found, QUESTIONS, strict=True):
        assert one.findtext("idnumber") == question.id
        assert len(one.findtext("name/text", "")) <= 255
        assert len(question.id) <= 100
        assert one.findtext("single") == "true"
        assert one.findtext("shuffleanswers") in {"true", "false"}
        assert one.findtext("answernumbering") in {"none", "abc", "123"}
        assert 0 <= float(one.findtext("penalty", "")) <= 1
        assert one.findtext("tags/tag/text") == "isotropy-lab"
        answers = one.findall("answer")
        assert [a.get("fraction") for a in answers] == [
            "100" if i == question.correct_index else "0" for i in range(len(question.choices))
        ]
        for element in (
            one.find("questiontext"),
            one.find("generalfeedback"),
            *answers,
            *one.findall("answer/feedback"),
        ):
            assert element is not None
            assert element.get("format") == "html"
            ElementTree.fromstring(element.findtext("text", ""))  # one well-formed paragraph
        for answer, choice, feedback in zip(answers, question.choices, question.feedback, strict=True):
            assert answer.findtext("text") == f"<p>{markup.xhtml(choice)}</p>"
            assert answer.findtext("feedback/text") == f"<p>{markup.xhtml(feedback)}</p>"
        assert question.lesson in one.findtext("generalfeedback/text", "")
    assert MOODLE.count("<![CDATA[") == MOODLE.count("]]>")


SCHEMA = tomllib.loads(Path(__file__).with_name("qti21.toml").read_text(encoding="utf-8"))
XSI = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


def package() -> dict[str, ElementTree.Element]:
    with zipfile.ZipFile(io.BytesIO(PACKAGE)) as archive:
        assert archive.testzip() is None
        return {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}


def test_qti_elements_have_the_attributes_and_the_order_of_the_schema() -> None:
    for name, root in package().items():
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
                places = [order.index(child.tag.removeprefix(space)) for child in element]
                assert places == sorted(places), f"{name}: {tag}"
        identifiers = [
            element.get("identifier", "") for element in root.iter() if element.tag != f"{QTI}variable"
        ]
        assert all(re.fullmatch(r"[A-Za-z_][\w.-]{0,34}", one) for one in identifiers if one)


def test_a_qti_item_scores_its_right_choice_and_shows_the_word_on_the_chosen_one() -> None:
    files = package()
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
        assert [one.get("identifier") for one in feedback] == names
        assert {one.get("outcomeIdentifier") for one in feedback} == {"FEEDBACK"}
        declared = {one.get("identifier") for one in item.findall(f"{QTI}outcomeDeclaration")}
        assigned = {one.get("identifier") for one in item.iter(f"{QTI}setOutcomeValue")}
        assert declared == assigned == {"SCORE", "FEEDBACK"}
        shown = [item.find(f".//{QTI}prompt"), *choices, *feedback]
        expected = [question.prompt, *question.choices, *question.feedback]
        for element, text in zip(shown, expected, strict=True):
            assert element is not None
            for formula in element.iter(f"{MATH}math"):
                formula[:], formula.text = [], "formula"
            words = " ".join("".join(element.itertext()).split())
            assert words == markup.plain_text(re.sub(r"\$[^$]+\$", "formula", text))


def test_a_qti_item_is_processed_as_it_says() -> None:
    """Answer each choice of each item, and follow its response processing."""
    files = package()
    for question in QUESTIONS:
        item = files[f"items/{question.id}.xml"]
        right = item.findtext(f"{QTI}responseDeclaration/{QTI}correctResponse/{QTI}value")
        processing = item.find(f"{QTI}responseProcessing")
        assert processing is not None
        for i in range(len(question.choices)):
            given, outcome = f"CHOICE_{i + 1}", {}
            for rule in processing:
                if rule.tag == f"{QTI}responseCondition":
                    match = rule.find(f"{QTI}responseIf/{QTI}match")
                    assert match is not None
                    assert [one.tag for one in match] == [f"{QTI}variable", f"{QTI}correct"]
                    branch = rule.find(f"{QTI}responseIf" if given == right else f"{QTI}responseElse")
                    assert branch is not None
                    for value in branch.findall(f"{QTI}setOutcomeValue"):
                        outcome[value.get("identifier")] = value.findtext(f"{QTI}baseValue")
                else:
                    assert rule[0].attrib == {"identifier": "RESPONSE"}
                    outcome[rule.get("identifier")] = given
            assert outcome == {"SCORE": "1" if i == question.correct_index else "0", "FEEDBACK": given}


def test_the_qti_manifest_and_test_name_every_file_once() -> None:
    files = package()
    manifest = files["imsmanifest.xml"]
    resources = {one.get("identifier"): one for one in manifest.iter(f"{CP}resource")}
    assert sorted(one.get("href", "") for one in resources.values()) == sorted(
        set(files) - {"imsmanifest.xml"}
    )
    for one in resources.values():
        assert [file.get("href") for file in one.findall(f"{CP}file")] == [one.get("href")]
    kinds = {name: one.get("type") for name, one in resources.items()}
    assert kinds.pop("RES-test") == "imsqti_test_xmlv2p1"
    assert set(kinds.values()) == {"imsqti_item_xmlv2p1"}
    needed = [one.get("identifierref") for one in resources["RES-test"].findall(f"{CP}dependency")]
    assert needed == list(kinds)
    referred = [
        (one.get("identifier"), one.get("href")) for one in files["test.xml"].iter(f"{QTI}assessmentItemRef")
    ]
    assert referred == [(one.id, f"items/{one.id}.xml") for one in QUESTIONS]
