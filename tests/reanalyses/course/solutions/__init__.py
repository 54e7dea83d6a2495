"""Correct answers to each exercise by name: two if one answer is correct, and three if many are."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from reanalyses.course.plan import LESSONS

SOLUTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    name: solutions
    for lesson in LESSONS
    for name, solutions in import_module(
        f"{__name__}.{lesson.partition('/')[2].replace('-', '_')}"
    ).SOLUTIONS.items()
}
