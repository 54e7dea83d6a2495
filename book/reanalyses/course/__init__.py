"""Exercises that check answers (`check`) and provide individual data (`variant`).

A lesson only needs ``from reanalyses.course import check``, which imports nothing but NumPy; the exercises are
imported when the first one is requested, and other parts of the package when a check needs them. Each lesson has a
module with its exercises as data and plain functions; `exercise.py` describes their fields.
"""

from reanalyses.course.checking import Result, Variant, check, variant
from reanalyses.course.plan import exercises, objectives, rubric

__all__ = ["Result", "Variant", "check", "exercises", "objectives", "rubric", "variant"]
