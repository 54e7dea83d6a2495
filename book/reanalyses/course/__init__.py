"""Exercises that check answers (`check`) and provide individual data (`variant`).

A lesson says ``from reanalyses.course import check`` and nothing more. Loading it takes NumPy alone; the exercises are
read when the first of them is asked for, and what a check needs of the package when it runs. There is a module for each
lesson, with the exercises as data and plain functions: `exercise.py` says what an exercise has.
"""

from reanalyses.course.checking import Result, Variant, check, variant
from reanalyses.course.plan import exercises, objectives, rubric

__all__ = ["Result", "Variant", "check", "exercises", "objectives", "rubric", "variant"]
