"""The pieces of a report card: lines, tables, figures, sections, cautions."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypeAlias

from isotropy_lab._core.results import Result
from isotropy_report.card.meanings import MEANINGS

__all__ = ["SCHEMA", "Caution", "Figure", "Line", "Section", "Table", "Value"]

SCHEMA = 1
"""Version of the JSON of a card, described in data/card.schema.json; it changes when a key goes or means
something else."""

Value: TypeAlias = float | int | str | bool | None


@dataclasses.dataclass(frozen=True)
class Line:
    """One number (None if undefined) under a key of `meanings.MEANINGS`, perhaps with an interval.

    The note says how it was computed, or why it could not be; it may be empty.
    """

    key: str
    value: Value
    low: float | None = None
    high: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Value]:
        """Return it with its label and meaning."""
        meaning = MEANINGS[self.key]
        return {
            "label": meaning.label,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "note": self.note,
            "meaning": meaning.sentence,
        }


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of values under named columns; the first column names the row, None is a missing value."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A drawing (`svg`), its description (`alt`), and the numbers in it (`data`).

    The caption is `alt` unless there is a shorter one.
    """

    key: str
    title: str
    alt: str
    svg: str
    data: dict[str, Any]
    caption: str = ""


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the card; its notes say what was done, and what could not be, its finding is for the summary.

    One that is `folded` is closed at first; the figures of a `gallery` stand side by side at the top of the
    page.
    """

    key: str
    title: str
    lines: tuple[Line, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    folded: bool = False
    gallery: bool = False
    finding: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; figures without their drawings."""
        return {
            "title": self.title,
            "numbers": {line.key: line.to_dict() for line in self.lines},
            "tables": {
                table.key: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
                for table in self.tables
            },
            "figures": {figure.key: figure.data for figure in self.figures},
            "notes": list(self.notes),
        }


@dataclasses.dataclass(frozen=True)
class Caution:
    """A warning: a number that would mislead here, why, the chapter that explains it, and rows or columns.

    The last two may be empty.
    """

    key: str
    text: str
    chapter: str = ""
    where: str = ""


@dataclasses.dataclass(frozen=True)
class Content(Result):
    """Content of a card and its page: `KIND` is what it is, `LOOKED` whether cautions were looked for."""

    KIND: ClassVar[str] = "Report card"
    LOOKED: ClassVar[bool] = True

    name: str
    program: str
    options: dict[str, Value]
    summary: tuple[str, ...]
    cautions: tuple[Caution, ...]
    sections: tuple[Section, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON.

        schema, name, program, options, summary, cautions, and sections: key → title, numbers (key → label,
        value, low, high, note, meaning), tables (key → list of rows), figures (key → the numbers drawn),
        notes.
        """
        return {
            "schema": SCHEMA,
            "name": self.name,
            "program": self.program,
            "options": dict(self.options),
            "summary": list(self.summary),
            "cautions": [dataclasses.asdict(caution) for caution in self.cautions],
            "sections": {section.key: section.to_dict() for section in self.sections},
        }
