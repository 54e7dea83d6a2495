"""The questions of the lessons, and files that learning platforms can import.

The lessons are the only source: `questions` parses them, and `moodle_xml` and `qti` convert them.
"""

from reanalyses.course.quizzes.moodle import moodle_xml
from reanalyses.course.quizzes.qti import qti
from reanalyses.course.quizzes.questions import Question, parse, questions

__all__ = ["MOODLE_FILE", "QTI_FILE", "Question", "moodle_xml", "parse", "qti", "questions"]

#: Names of the files of all questions.
MOODLE_FILE, QTI_FILE = "isotropy-lab-moodle.xml", "isotropy-lab-qti21.zip"
