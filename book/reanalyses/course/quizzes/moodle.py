"""Questions as Moodle XML, the format that Moodle imports and several other platforms read.

Moodle publishes no schema for this format. Elements, their order, and their values are those that Moodle's exporter
writes for questions of type "multichoice", all of which its importer (``question/format/xml/format.php``) reads.
"""

import re
from collections.abc import Iterable
from html import escape
from itertools import groupby

from isotropy_report.card.meanings import chapter_address
from reanalyses.course.quizzes import markup
from reanalyses.course.quizzes.questions import Question

#: Marks the file as generated, so that it may be overwritten.
GENERATED_NOTICE = "Made from the lessons of the book Isotropy Lab. Change the lessons, not this file."


def moodle_xml(questions: Iterable[Question]) -> str:
    """Return questions as Moodle XML, in a category for each lesson."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', f"<!-- {GENERATED_NOTICE} -->", "<quiz>"]
    for _, group in groupby(questions, lambda question: question.lesson):
        lesson_questions = list(group)
        parts += [_category_xml(lesson_questions[0]), *map(_question_xml, lesson_questions)]
    return "\n".join([*parts, "</quiz>", ""])


def may_shuffle(question: Question) -> bool:
    """Return whether choices may be shuffled: none refers to others, and not all of them are numbers.

    >>> from reanalyses.course.quizzes import questions
    >>> [may_shuffle(question) for question in questions(["isotropy/what-isotropy-is"])]
    [False, True, False, True, True, True]
    """
    are_numeric = all(re.match(r"[$−-]*\d", choice) for choice in question.choices)
    refer_to_others = any(re.match(r"(Both|Neither|All|None)\b", choice) for choice in question.choices)
    return not are_numeric and not refer_to_others


def _category_xml(question: Question) -> str:
    # Moodle separates categories with slashes, and a slash within a name is doubled.
    names = [name.replace("/", "//") for name in ("Isotropy Lab", question.part, question.title)]
    path = "/".join(["$course$", "top", *names])
    return f"""\
  <question type="category">
    <category>
      <text>{escape(path)}</text>
    </category>
    <info format="html">
      <text>{_cdata(_origin_html(question))}</text>
    </info>
    <idnumber>{escape(question.lesson.rpartition("/")[2])}</idnumber>
  </question>"""


def _question_xml(question: Question) -> str:
    name = f"{question.title} {question.id.rpartition('-')[2]}"
    answers = "\n".join(
        f"""\
    <answer fraction="{100 if i == question.correct_index else 0}" format="html">
      <text>{_cdata(_paragraph_html(choice))}</text>
      <feedback format="html">
        <text>{_cdata(_paragraph_html(feedback))}</text>
      </feedback>
    </answer>"""
        for i, (choice, feedback) in enumerate(zip(question.choices, question.feedback, strict=True))
    )
    return f"""\
  <question type="multichoice">
    <name>
      <text>{escape(name)}</text>
    </name>
    <questiontext format="html">
      <text>{_cdata(_paragraph_html(question.prompt))}</text>
    </questiontext>
    <generalfeedback format="html">
      <text>{_cdata(_origin_html(question))}</text>
    </generalfeedback>
    <defaultgrade>1</defaultgrade>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>{escape(question.id)}</idnumber>
    <single>true</single>
    <shuffleanswers>{str(may_shuffle(question)).lower()}</shuffleanswers>
    <answernumbering>none</answernumbering>
    <showstandardinstruction>0</showstandardinstruction>
    <correctfeedback format="html">
      <text></text>
    </correctfeedback>
    <partiallycorrectfeedback format="html">
      <text></text>
    </partiallycorrectfeedback>
    <incorrectfeedback format="html">
      <text></text>
    </incorrectfeedback>
{answers}
    <tags>
      <tag>
        <text>isotropy-lab</text>
      </tag>
      <tag>
        <text>{escape(question.lesson.partition("/")[0])}</text>
      </tag>
    </tags>
  </question>"""


def _origin_html(question: Question) -> str:
    """Return the lesson of a question, with a link if the book has an address."""
    title, address = escape(question.title), chapter_address(question.lesson)
    link = f'<a href="{escape(address)}">{title}</a>' if address else title
    return f"<p>From the lesson {link} of the book Isotropy Lab.</p>"


def _paragraph_html(markdown: str) -> str:
    return f"<p>{markup.xhtml(markdown)}</p>"


def _cdata(html: str) -> str:
    # XHTML has no "]]>", since markup escapes each ">".
    return f"<![CDATA[{html}]]>"
