"""The report card: what was measured, in words and numbers, and how it is written down."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from isotropy_lab import _checks
from isotropy_lab.report.meanings import MEANINGS

__all__ = ["Caution", "Figure", "Line", "ReportCard", "Section", "Table", "Value"]

Value: TypeAlias = float | int | str | bool | None


@dataclasses.dataclass(frozen=True)
class Line:
    """One number.

    Attributes
    ----------
    key : str
        What it is: a key of `isotropy_lab.report.meanings.MEANINGS`.
    value : float, int, str or None
        None where it is undefined; the note then says why.
    low, high : float or None
        Ends of its interval, where there is one.
    note : str
        How it was had, or why it could not be; may be empty.
    """

    key: str
    value: Value
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of values under named columns; the first column names the row.

    Attributes
    ----------
    key, title : str
        Its key, and what it shows.
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuples
        Values, None where there is none.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A drawing with what it shows in words.

    Attributes
    ----------
    key, title : str
        Its key, and its heading.
    alt : str
        What it shows, for those who do not see it.
    svg : str
        The drawing.
    data : dict
        The numbers in it.
    """

    key: str
    title: str
    alt: str
    svg: str
    data: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the card.

    Attributes
    ----------
    key, title : str
        Its key, and its heading.
    lines : tuple of Line
        Single numbers.
    tables : tuple of Table
        Tables.
    figures : tuple of Figure
        Drawings.
    notes : tuple of str
        Sentences: what was done, and what could not be.
    """

    key: str
    title: str
    lines: tuple[Line, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Caution:
    """A warning: a number that would mislead here, and why.

    Attributes
    ----------
    key : str
        Its kind.
    text : str
        What to beware of.
    chapter : str
        The chapter that explains it; may be empty.
    """

    key: str
    text: str
    chapter: str = ""


@dataclasses.dataclass(frozen=True)
class ReportCard:
    """Everything that `report_card` found.

    Attributes
    ----------
    name : str
        What was measured, usually the name of a file.
    program : str
        Name and version of the program.
    options : dict
        How it was measured.
    summary : tuple of str
        The judgment in a few sentences.
    cautions : tuple of Caution
        What would mislead.
    sections : tuple of Section
        The parts: ``data``, ``isotropy``, ``transformations`` and what else was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import report_card
    >>> card = report_card(np.random.default_rng(0).standard_normal((500, 5)))
    >>> card.value("n_points"), card.value("isoscore") > 0.9
    (500, True)
    """

    name: str
    program: str
    options: dict[str, Value]
    summary: tuple[str, ...]
    cautions: tuple[Caution, ...]
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section:
        """Return a section.

        Parameters
        ----------
        key : str
            Its key.

        Returns
        -------
        Section

        Raises
        ------
        ValueError
            If the card has no such section; the message lists those that it has.
        """
        _checks.check_option(key, "key", [section.key for section in self.sections])
        return next(section for section in self.sections if section.key == key)

    def line(self, key: str) -> Line:
        """Return the line of a number.

        Parameters
        ----------
        key : str
            Its key.

        Returns
        -------
        Line

        Raises
        ------
        ValueError
            If the card has no such number; the message lists those that it has.
        """
        lines = {line.key: line for section in self.sections for line in section.lines}
        _checks.check_option(key, "key", list(lines))
        return lines[key]

    def value(self, key: str) -> Value:
        """Return a number.

        Parameters
        ----------
        key : str
            Its key.

        Returns
        -------
        float, int, str or None
            None where it is undefined; `line` says why.

        Raises
        ------
        ValueError
            If the card has no such number.
        """
        return self.line(key).value

    def numbers(self, *keys: str) -> pd.DataFrame:
        """Return numbers as a table, for a notebook.

        Parameters
        ----------
        *keys : str
            Keys of a section, for all its numbers, or of single numbers; by default every number.

        Returns
        -------
        pandas.DataFrame
            measure, value, low, high; a row for each number, in the order of the card.

        Raises
        ------
        ValueError
            If the card has none of that name.
        """
        known = {line.key: section.key for section in self.sections for line in section.lines}
        for key in keys:
            _checks.check_option(key, "key", [*dict.fromkeys(known.values()), *known])
        lines = [self.line(key) for key, section in known.items() if not keys or {key, section} & set(keys)]
        return pd.DataFrame(
            {
                "measure": [MEANINGS[line.key].label for line in lines],
                "value": [line.value for line in lines],
                "low": [line.low for line in lines],
                "high": [line.high for line in lines],
            }
        )

    def table(self, key: str) -> pd.DataFrame:
        """Return a table of the card.

        Parameters
        ----------
        key : str
            Its key, such as ``lengths``, ``changes``, ``labels`` or ``accuracy``.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        ValueError
            If the card has no such table; the message lists those that it has.
        """
        tables = {table.key: table for section in self.sections for table in section.tables}
        _checks.check_option(key, "key", list(tables))
        return pd.DataFrame(tables[key].rows, columns=list(tables[key].columns))

    def warnings(self) -> pd.DataFrame:
        """Return the warnings as a table.

        Returns
        -------
        pandas.DataFrame
            kind and text.
        """
        return pd.DataFrame([(c.key, c.text) for c in self.cautions], columns=["kind", "text"])

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f'<iframe title="Report card: {escape(self.name)}" srcdoc="{escape(self.to_html())}" loading="lazy" '
            'style="width:100%;height:34rem;border:1px solid #8886;border-radius:6px"></iframe>'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON.

        Returns
        -------
        dict
            name, program, options, summary, cautions, and sections: key → title, numbers (key → label, value, low, high,
            note, meaning), tables (key → list of rows), figures (key → the numbers drawn), notes.
        """
        return {
            "name": self.name,
            "program": self.program,
            "options": dict(self.options),
            "summary": list(self.summary),
            "cautions": [dataclasses.asdict(caution) for caution in self.cautions],
            "sections": {section.key: _section(section) for section in self.sections},
        }

    def to_json(self) -> str:
        """Return everything as JSON.

        Returns
        -------
        str
            Ends with a line break; holds no NaN and no infinity.
        """
        from isotropy_lab._output import as_json

        return as_json(self.to_dict())

    def to_html(self) -> str:
        """Return a page that holds everything: no other file, no request to anywhere.

        Returns
        -------
        str
            HTML, for light and dark, wide and narrow screens; the JSON is inside it.
        """
        from isotropy_lab.report.page import page

        return page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the card to a file; an old one is replaced only by a whole one.

        Parameters
        ----------
        path : str or path
            Its ending says which: ``.html`` or ``.json``.

        Raises
        ------
        TypeError
            If `path` is no path.
        ValueError
            If it ends otherwise.
        FileNotFoundError, IsADirectoryError
            If it is a folder, or there is none for it.
        """
        from isotropy_lab._output import replace_file

        suffix = _checks.check_report_path(path)
        replace_file(Path(path), self.to_html() if suffix == ".html" else self.to_json())


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "numbers": {
            line.key: {
                "label": MEANINGS[line.key].label,
                "value": line.value,
                "low": line.low,
                "high": line.high,
                "note": line.note,
                "meaning": MEANINGS[line.key].sentence,
            }
            for line in section.lines
        },
        "tables": {
            table.key: [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            for table in section.tables
        },
        "figures": {figure.key: figure.data for figure in section.figures},
        "notes": list(section.notes),
    }
