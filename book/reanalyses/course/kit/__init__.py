"""Files that ``make course`` writes: notebooks for students and teachers, slides, quizzes, data, and a manifest.

`markdown` parses the prose of lessons, `notebooks` and `slides` convert it, and `folder` writes all files.
``scripts/make_course.py``, which knows where outputs are stored, provides the executed lessons.
"""

from reanalyses.course.kit.folder import CONTENTS_FILE, generated_files, write
from reanalyses.course.kit.lesson import ExecutedLesson

__all__ = ["CONTENTS_FILE", "ExecutedLesson", "generated_files", "write"]
