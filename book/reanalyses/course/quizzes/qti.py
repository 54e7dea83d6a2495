"""Questions as an IMS QTI 2.1 package: a manifest, a test with one section per lesson, and one item per question.

After a change of this module, validate its output again. The schemas are not in the repository but in the QTI SDK of
Open Assessment Technologies (oat-sa/qti-sdk, ``src/qtism/data/storage/xml/schemes``), with all schemas that they
import. With lxml, ``etree.XMLSchema(etree.parse("qtiv2p1/imsqti_v2p1.xsd"))`` validates the test and the items, and
``imscp_v1p1.xsd`` the manifest. The tests contain the rules of these schemas for the elements that occur.
"""

import io
import re
import zipfile
from collections.abc import Iterable
from itertools import groupby
from xml.etree import ElementTree

from reanalyses.course.kit.slides import mathml
from reanalyses.course.quizzes import markup
from reanalyses.course.quizzes.moodle import GENERATED_NOTICE, may_shuffle
from reanalyses.course.quizzes.questions import Question

_QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"

#: Addresses at which programs look for the schemas.
_SCHEMAS = {
    _QTI: "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
    _PACKAGE: "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd",
}

Element = ElementTree.Element


def qti(questions: Iterable[Question]) -> bytes:
    """Return questions as the bytes of a QTI 2.1 package; the same questions give the same bytes.

    Raises ValueError if there are no questions, since a test has at least one section.
    """
    items = list(questions)
    if not items:
        raise ValueError("questions is empty; expected at least one question")
    titles = [{item.title for item in items}, {item.part for item in items}, {"Isotropy Lab"}]
    title = next(names.pop() for names in titles if len(names) == 1)
    files = {"imsmanifest.xml": _manifest(items, title), "test.xml": _test(items, title)}
    files |= {_item_path(item): _item(item) for item in items}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        package.comment = GENERATED_NOTICE.encode()
        for name, root in files.items():
            entry = zipfile.ZipInfo(name)  # always dated 1980, for reproducibility
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            package.writestr(entry, _document(root))
    return stream.getvalue()


def _item_path(question: Question) -> str:
    return f"items/{question.id}.xml"


def _item(question: Question) -> Element:
    names = [f"CHOICE_{i}" for i, _ in enumerate(question.choices, 1)]
    item = _root(
        "assessmentItem",
        _QTI,
        identifier=question.id,
        title=f"{question.title} {question.id.rpartition('-')[2]}",
        adaptive="false",
        timeDependent="false",
    )
    response = _add(
        item, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType="identifier"
    )
    _add(_add(response, "correctResponse"), "value").text = names[question.correct_index]
    score = _add(item, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    _add(_add(score, "defaultValue"), "value").text = "0"
    _add(item, "outcomeDeclaration", identifier="FEEDBACK", cardinality="single", baseType="identifier")

    interaction = _add(
        _add(item, "itemBody"),
        "choiceInteraction",
        responseIdentifier="RESPONSE",
        shuffle=str(may_shuffle(question)).lower(),
        maxChoices="1",
    )
    interaction.append(_text("prompt", question.prompt))
    for name, choice in zip(names, question.choices, strict=True):
        interaction.append(_text("simpleChoice", choice, identifier=name))

    # The standard template for a correct response has no feedback, so this one adds it and names the choice.
    processing = _add(item, "responseProcessing")
    condition = _add(processing, "responseCondition")
    if_correct = _add(condition, "responseIf")
    match = _add(if_correct, "match")
    _add(match, "variable", identifier="RESPONSE")
    _add(match, "correct", identifier="RESPONSE")
    for branch, points in ((if_correct, "1"), (_add(condition, "responseElse"), "0")):
        outcome = _add(branch, "setOutcomeValue", identifier="SCORE")
        _add(outcome, "baseValue", baseType="float").text = points
    feedback_outcome = _add(processing, "setOutcomeValue", identifier="FEEDBACK")
    _add(feedback_outcome, "variable", identifier="RESPONSE")

    for name, feedback in zip(names, question.feedback, strict=True):
        modal = _add(item, "modalFeedback", outcomeIdentifier="FEEDBACK", identifier=name, showHide="show")
        modal.append(_text("p", feedback))
    return item


def _test(questions: list[Question], title: str) -> Element:
    test = _root("assessmentTest", _QTI, identifier=_identifier(title), title=title)
    score = _add(test, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float")
    _add(_add(score, "defaultValue"), "value").text = "0"
    # Each question is submitted by itself and may be repeated, so that its feedback appears at once.
    part = _add(
        test, "testPart", identifier="questions", navigationMode="nonlinear", submissionMode="individual"
    )
    _add(part, "itemSessionControl", maxAttempts="0", showFeedback="true")
    for lesson, group in groupby(questions, lambda question: question.lesson):
        lesson_questions = list(group)
        section = _add(
            part,
            "assessmentSection",
            identifier=lesson.rpartition("/")[2],
            title=lesson_questions[0].title,
            visible="true",
        )
        for question in lesson_questions:
            _add(section, "assessmentItemRef", identifier=question.id, href=_item_path(question))
    total = _add(_add(test, "outcomeProcessing"), "setOutcomeValue", identifier="SCORE")
    _add(_add(total, "sum"), "testVariables", variableIdentifier="SCORE")
    return test


def _manifest(questions: list[Question], title: str) -> Element:
    manifest = _root("manifest", _PACKAGE, identifier=f"{_identifier(title)}-package")
    metadata = _add(manifest, "metadata")
    _add(metadata, "schema").text = "QTIv2.1 Package"
    _add(metadata, "schemaversion").text = "1.0.0"
    _add(manifest, "organizations")
    resources = _add(manifest, "resources")
    test = _add(resources, "resource", identifier="RES-test", type="imsqti_test_xmlv2p1", href="test.xml")
    _add(test, "file", href="test.xml")
    for question in questions:
        _add(test, "dependency", identifierref=f"RES-{question.id}")
    for question in questions:
        item = _add(
            resources,
            "resource",
            identifier=f"RES-{question.id}",
            type="imsqti_item_xmlv2p1",
            href=_item_path(question),
        )
        _add(item, "file", href=_item_path(question))
    return manifest


def _identifier(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")[:27]


def _root(tag: str, uri: str, **attributes: str) -> Element:
    schema = {"xmlns": uri, "xmlns:xsi": _XSI, "xsi:schemaLocation": f"{uri} {_SCHEMAS[uri]}"}
    return Element(tag, schema | attributes)


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _text(tag: str, markdown: str, **attributes: str) -> Element:
    """Return an element that contains a line of Markdown, with formulas in MathML."""
    text = f"<{tag}>{markup.xhtml(markdown, mathml)}</{tag}>"
    element = ElementTree.fromstring(text)  # noqa: S314 our own questions
    for inner in element.iter():  # the element "math" declares its namespace itself
        namespace, _, inner.tag = inner.tag.rpartition("}")
        inner.attrib |= {"xmlns": namespace[1:]} if inner.tag == "math" else {}
    element.attrib.update(attributes)
    return element


def _document(root: Element) -> bytes:
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return document + b"\n"
