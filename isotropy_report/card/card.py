"""The report card as an object, and the files to which it can be written."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_report._output import SCHEMA, align, as_json, replace_file, same_file, wrap
from isotropy_report.card.cautions import IN_SUMMARY
from isotropy_report.card.meanings import ADVICE, MEANINGS, WARNINGS
from isotropy_report.card.page import page
from isotropy_report.card.parts import Caution, Line, Section, Value
from isotropy_report.card.words import range_of, value_of

__all__ = ["Page", "ReportCard"]

_MAIN_KEYS = ("dimensions_used_corrected", "isoscore_corrected", "average_cosine", "average_cosine_centered")

VERDICTS = ("not collapsed", "perhaps collapsed", "collapsed")
"""The verdicts, from good to bad."""


@dataclasses.dataclass(frozen=True, repr=False)
class Page(Result):
    """Content that can be written to a file as an HTML page or as JSON."""

    KIND: ClassVar[str] = "Report card"
    JSON_KIND: ClassVar[str] = ""  # empty for a card
    CHECKS_WARNINGS: ClassVar[bool] = True

    name: str
    program: str
    options: dict[str, Value]
    summary: tuple[str, ...]
    cautions: tuple[Caution, ...]
    sections: tuple[Section, ...]
    sources: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.name}: {' '.join(self.summary[:1])}>"

    def to_dict(self) -> dict[str, Any]:
        """Return all content as plain data, ready for JSON.

        The keys are schema, name, program, options, summary, cautions, and sections: key → title, numbers
        (key → label, value, low, high, note, meaning), tables (key → list of rows), figures (key → the
        numbers drawn), and notes; for other pages than a card, also kind and the fields of the page.
        """
        return {
            "schema": SCHEMA,
            **({"kind": self.JSON_KIND} if self.JSON_KIND else {}),
            **{key: value for key, value in super().to_dict().items() if key != "sources"},
            "sections": {section.key: section.to_dict() for section in self.sections},
        }

    def to_json(self) -> str:
        """Return all content as JSON without NaN or infinity, ending with a newline."""
        return as_json(self.to_dict())

    def to_html(self) -> str:
        """Return a self-contained page with all content, including the JSON; it makes no network requests."""
        return page(self)

    def _repr_html_(self) -> str:
        from html import escape

        # Without a base address, links to sections would lead to the page that contains the card.
        html = self.to_html().replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe title="{self.KIND}: {escape(self.name)}" srcdoc="{escape(html)}" loading="lazy" '
            'style="width:100%;height:46rem;border:1px solid #8886;border-radius:6px"></iframe>'
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the card to ``*.html`` or ``*.json``; an existing file is replaced only by a complete file.

        Raises
        ------
        TypeError, ValueError
            If `path` is not a path, has another extension, or is a memory-mapped file that the card was
            computed from.
        FileNotFoundError, IsADirectoryError
            If `path` is a folder, or its parent folder does not exist.
        """
        suffix = checks.check_report_path(path)
        for source in self.sources:
            if same_file(path, source):
                raise ValueError(
                    f"path is {os.fspath(path)!r}, the input {source} of the card; expected another file"
                )
        replace_file(Path(path), self.to_html() if suffix == ".html" else self.to_json(), name="path")

    def section(self, key: str) -> Section:
        """Return a section by its key; raise a ValueError that lists the known keys if there is none."""
        checks.check_option(key, "key", [section.key for section in self.sections])
        return next(section for section in self.sections if section.key == key)

    def table(self, key: str) -> pd.DataFrame:
        """Return a table by its key, such as ``lengths`` or ``accuracy``."""
        tables = {table.key: table for section in self.sections for table in section.tables}
        checks.check_option(key, "key", list(tables))
        return pd.DataFrame(tables[key].rows, columns=list(tables[key].columns))

    def warnings(self) -> pd.DataFrame:
        """Return the warnings as a table with the columns kind and text."""
        return pd.DataFrame([(c.key, c.text) for c in self.cautions], columns=["kind", "text"])

    def __str__(self) -> str:
        """Return the findings as text."""
        return self.to_text()

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the summary, the warnings, and the notes as text."""
        notes = [f"Beware: {caution.text}" for caution in self.cautions]
        notes += [note for section in self.sections for note in section.notes]
        return "\n".join([self.name, "", *wrap(*self.summary, *(notes if remarks else ()))]) + "\n"


def split_seed(rng: checks.RandomState) -> tuple[int, Callable[[int], np.random.Generator]]:
    """Return a seed and a function that maps the number of a part to its random generator."""
    # Adding or removing a part does not change the random numbers of the other parts.
    if rng is None or isinstance(rng, np.random.Generator):
        seed = int(checks.as_generator(rng).integers(2**32))
    else:
        seed = checks.check_integer(rng, "rng", low=0)
    return seed, lambda part: np.random.default_rng([seed, part])


def mapped_files(*arrays: Any) -> tuple[str, ...]:
    """Return the files of memory maps, including those of arrays that are views of a memory map."""
    paths = []
    for array in arrays:
        while array is not None and not isinstance(array, np.memmap):
            array = getattr(array, "base", None)
        if array is not None and array.filename is not None:
            paths.append(str(array.filename))
    return tuple(dict.fromkeys(paths))


@dataclasses.dataclass(frozen=True, repr=False)
class ReportCard(Page):
    """The results of `report_card`.

    Attributes
    ----------
    name, program : str
        What was measured, usually a file name, and the program version that measured it.
    options : dict
        How it was measured.
    summary : tuple of str
        The findings, in a few sentences.
    cautions : tuple of Caution
        Warnings about misleading numbers.
    sections : tuple of Section
        The parts: ``data``, ``isotropy``, and any other requested parts.
    sources : tuple of str
        Files from which memory-mapped input was read; `write` does not overwrite them.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return all content as plain data, with the verdict."""
        return {"schema": SCHEMA, "verdict": self.verdict} | super().to_dict()

    @property
    def verdict(self) -> str:
        """One of "not collapsed", "perhaps collapsed", "collapsed", and "no verdict"."""
        words = (word for text in self.summary for word in VERDICTS if text.lower().startswith(word))
        return next(words, "no verdict")

    def line(self, key: str) -> Line:
        """Return a number with its interval; for an unknown key, raise ValueError with the known keys."""
        lines = {line.key: line for section in self.sections for line in section.lines}
        checks.check_option(key, "key", list(lines))
        return lines[key]

    def value(self, key: str) -> Value:
        """Return a number, or None if it is undefined; raise a ValueError for an unknown key (see `line`)."""
        return self.line(key).value

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers as a table with columns section, key, measure, value, low, and high."""
        rows = [
            (section.key, line.key, MEANINGS[line.key].label, line.value, line.low, line.high)
            for section in self.sections
            for line in section.lines
        ]
        return pd.DataFrame(rows, columns=["section", "key", "measure", "value", "low", "high"])

    def findings(self) -> str:
        """Return the verdict in a sentence, what the vectors are like, and what is unusual, with advice."""
        summary = " ".join(self.summary)
        unusual = (
            f"Beware of {WARNINGS[c.key]}{f' ({c.where})' * (c.where not in summary)}: {ADVICE[c.key]}."
            for c in self.cautions
            if c.key not in IN_SUMMARY or IN_SUMMARY[c.key] not in summary
        )
        return "\n".join(wrap(*self.summary, *unusual, indent="  ")) + "\n"

    def main_lines(self, *, every: bool = False) -> list[Line]:
        """Return the lines of the main scores, or of all scores if `every` is true."""
        return [line for line in self.section("isotropy").lines if every or line.key in _MAIN_KEYS]

    def to_text(self, *, every: bool = False, remarks: bool = True, notes: bool = False) -> str:
        """Return the verdict and the main scores (all scores if `every` is true), and notes on request."""
        isotropy = self.section("isotropy")
        n_points, n_dimensions = (value_of(self.line(key)) for key in ("n_points", "n_dimensions"))
        rows = _rows(self.main_lines(every=every))
        header = ["", "value", f"{self.options['confidence level']:.0%} interval"]
        findings = self.findings().splitlines() if remarks else wrap(*self.summary, indent="  ")
        lines = [f"{self.name}: {n_points} rows in {n_dimensions} dimensions", "", *findings, ""]
        lines += align(header, rows)
        searches = [section for section in self.sections if section.key == "retrieval"]
        for section in searches:
            rows = _rows([line for line in section.lines if line.key != "n_equal_documents"])
            for table in section.tables:
                deepest: Any = table.rows[-1]
                rows.append(_row(f"accuracy@{deepest[0]}", Line("accuracy", *deepest[1:4])))
            lines += ["", section.title, "", *align(header, rows)]
        if notes:
            lines.append("")
            lines += wrap(
                *(f"Beware: {caution.text}" for caution in self.cautions),
                *(f"{MEANINGS[line.key].label}: {line.note}" for line in isotropy.lines if line.note),
                *isotropy.notes,
                *(f"{section.title}: {note}" for section in searches for note in section.notes),
                indent="  ",
            )
        return "\n".join(lines) + "\n"


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    return [_row(MEANINGS[line.key].label, line) for line in lines]


def _row(label: str, line: Line) -> list[str]:
    return [label, value_of(line), range_of(line)]
