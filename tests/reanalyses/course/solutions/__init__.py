"""Right answers to each exercise, by its name: two where one answer is right, three where many are."""

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
