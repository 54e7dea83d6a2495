"""Executed lessons with their outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reanalyses import lessons

__all__ = ["PARTS", "Lesson", "part"]

#: The parts of the book by folder, in order.
PARTS = {
    "isotropy": "Part 1: Isotropy",
    "association": "Part 2: Word associations",
    "projection": "Part 3: Projections",
    "retrieval": "Part 4: Retrieval",
    "report": "Part 5: Your own vectors",
}


@dataclass(frozen=True)
class Lesson:
    """A lesson after execution."""

    name: str  #: Name in the contents, such as "isotropy/what-isotropy-is".
    #: Cells of the notebook, each with a text as ``source``; code cells have ``outputs``.
    cells: tuple[Mapping[str, Any], ...]
    #: Values of the expressions in the prose: number of the cell (as text), expression, text.
    texts: Mapping[str, Mapping[str, str]]

    @property
    def page(self) -> lessons.Page:
        """Contents of the page, and its expected duration."""
        return lessons.read(self.name)

    def values(self, place: int) -> Mapping[str, str]:
        """Return the values of the expressions in a cell as texts."""
        return self.texts.get(str(place), {})


def part(name: str) -> str:
    """Return the part of the book that contains a lesson."""
    return PARTS[name.partition("/")[0]]
