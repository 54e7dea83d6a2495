"""Parts of a report card: lines, tables, figures, sections, and cautions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, TypeAlias

from isotropy_report.card.meanings import MEANINGS

__all__ = ["GOLD_DOUBTS", "Caution", "Figure", "Line", "Section", "Table", "Value"]

GOLD_DOUBTS = ("gold_from_one", "found_by_chance", "documents_asked", "shifted_gold", "indistinct")
"""Warnings that invalidate everything that depends on the relevant documents."""

_GRAVE = ("repeated_questions", "repeated_documents", "unrelated", "no_separation", "other_scale")

Value: TypeAlias = float | int | str | bool | None


@dataclasses.dataclass(frozen=True)
class Line:
    """One number (None if undefined), with a key of `meanings.MEANINGS` and an optional interval.

    The note states how the number was computed or why it is undefined; it may be empty.
    """

    key: str
    value: Value
    low: float | None = None
    high: float | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Value]:
        """Return the line as plain data, with its label and meaning."""
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
    """Rows of values in named columns; the first column names the row, and None is a missing value.

    `reference_rows` are not data; a table that has them is displayed transposed, with two decimals.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    reference_rows: tuple[tuple[Value, ...], ...] = ()

    def displayed_rows(self) -> list[tuple[Value, ...]]:
        """Return the column names and the rows as they are displayed."""
        if not self.reference_rows:
            return [self.columns, *self.rows]
        return [tuple(f"{cell:z.2f}".replace("-", "−") if isinstance(cell, float) else cell for cell in row)
                for row in zip(self.columns, *self.rows, *self.reference_rows, strict=True)]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Figure:
    """A plot (`svg`), its description (`alt`), and the numbers it shows (`data`).

    The caption is `alt` unless a shorter one is given.
    """

    key: str
    title: str
    alt: str
    svg: str
    data: dict[str, Any]
    caption: str = ""


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the card: its numbers, tables, and figures, with notes and a finding for the summary.

    The notes say what was done and what could not be done. A `folded` section is initially closed; figures of
    a `gallery` appear side by side at the top of the page.
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
        """Return the section as plain data, including the numbers of the figures but not the plots."""
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
    """A warning about a misleading number: the reason, the chapter with an explanation, and rows or columns.

    The chapter and the rows or columns may be empty.
    """

    key: str
    text: str
    chapter: str = ""
    where: str = ""

    @property
    def grave(self) -> bool:
        """Whether the warning comes first, because the other findings are invalid if it applies."""
        return self.key in (*GOLD_DOUBTS, *_GRAVE)


def grave(cautions: Sequence[Caution]) -> tuple[str, ...]:
    """Return the grave warnings as the first sentences of a summary."""
    return tuple(f"Beware: {caution.text}" for caution in cautions if caution.grave)
