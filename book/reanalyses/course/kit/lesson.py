"""A lesson with all that its run gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reanalyses import lessons

__all__ = ["PARTS", "Lesson", "part"]

#: The parts of the book by their folder, in order.
PARTS = {
    "isotropy": "Part 1: Isotropy",
    "association": "Part 2: Word associations",
    "projection": "Part 3: Projections",
    "retrieval": "Part 4: Retrieval",
    "report": "Part 5: Your own vectors",
}


@dataclass(frozen=True)
class Lesson:
    """A lesson, executed."""

    name: str  #: In the contents, such as "isotropy/what-isotropy-is".
    #: The cells of its notebook, with a text each as ``source``; code cells have their ``outputs``.
    cells: tuple[Mapping[str, Any], ...]
    #: What the expressions in the prose came to: number of the cell (as text), expression, text.
    texts: Mapping[str, Mapping[str, str]]

    @property
    def page(self) -> lessons.Page:
        """What the page has, and how long it takes."""
        return lessons.read(self.name)

    def values(self, place: int) -> Mapping[str, str]:
        """Return the texts of the expressions of a cell."""
        return self.texts.get(str(place), {})


def part(name: str) -> str:
    """Return the part that a lesson belongs to."""
    return PARTS[name.partition("/")[0]]
