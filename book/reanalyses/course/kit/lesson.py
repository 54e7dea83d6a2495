"""Executed lessons with their outputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reanalyses import lessons

#: Titles of the parts of the book by folder, in order.
PART_TITLES = {
    "isotropy": "Part 1: Isotropy",
    "association": "Part 2: Word associations",
    "projection": "Part 3: Projections",
    "retrieval": "Part 4: Retrieval",
    "report": "Part 5: Your own vectors",
}


@dataclass(frozen=True)
class ExecutedLesson:
    """A lesson of the book with the outputs of its cells and the values of its expressions."""

    name: str  #: Name in the contents, such as "isotropy/what-isotropy-is".
    #: Cells of the notebook, each with a text as ``source``; code cells have ``outputs``.
    cells: tuple[Mapping[str, Any], ...]
    #: Values of the expressions in the prose, as texts: by cell index (as text), then by expression.
    expression_values: Mapping[str, Mapping[str, str]]

    @property
    def page(self) -> lessons.Page:
        """Contents of the page, and its expected duration."""
        return lessons.read(self.name)

    def values_in_cell(self, cell_index: int) -> Mapping[str, str]:
        """Return the values of the expressions in a cell, as texts by expression."""
        return self.expression_values.get(str(cell_index), {})


def part_title(name: str) -> str:
    """Return the title of the part of the book that contains a lesson, given the lesson's name."""
    return PART_TITLES[name.partition("/")[0]]
