"""The files that ``make course`` writes: notebooks for students and teachers, slides, quizzes, data, and a list.

`markdown` reads the prose of lessons, `notebooks` and `slides` make them anew, `folder` writes everything. The lessons
come executed from ``scripts/make_course.py``, since only that knows where the outputs are kept.
"""

from reanalyses.course.kit.folder import MARK, made_before, write
from reanalyses.course.kit.lesson import Lesson

__all__ = ["MARK", "Lesson", "made_before", "write"]
