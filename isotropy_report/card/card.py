"""The report card as an object, and the files that it is written to."""

from __future__ import annotations

import dataclasses
import os
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_report._output import aligned, as_json, replace_file, same_file
from isotropy_report.card.meanings import ADVICE, MEANINGS, WARNINGS
from isotropy_report.card.page import page
from isotropy_report.card.parts import Content, Line, Section, Value
from isotropy_report.card.words import number, value_of

__all__ = ["Page", "ReportCard"]

_WIDTH = 110
_MAIN = ("isoscore_corrected", "dimensions_used_corrected", "average_cosine", "average_cosine_centered",
         "intrinsic_dimension")  # fmt: skip


@dataclasses.dataclass(frozen=True, repr=False)
class Page(Content):
    """Content that is written to a file: a page, or JSON."""

    sources: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.name}>"

    def to_json(self) -> str:
        """Return everything as JSON, without NaN or infinity, ending with a line break."""
        return as_json(self.to_dict())

    def to_html(self) -> str:
        """Return a page that holds everything, the JSON included: no other file, no request to anywhere."""
        return page(self)

    def _repr_html_(self) -> str:
        from html import escape

        # Without a base its contents would lead to sections of the page around it.
        html = self.to_html().replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe title="{self.KIND}: {escape(self.name)}" srcdoc="{escape(html)}" loading="lazy" '
            'style="width:100%;height:46rem;border:1px solid #8886;border-radius:6px"></iframe>'
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the card to ``*.html`` or ``*.json``; an old file is replaced only by a whole one.

        Raises
        ------
        TypeError, ValueError
            If `path` is not a path, has another ending, or is a file that the card was read from as a memory
            map.
        FileNotFoundError, IsADirectoryError
            If it is a folder, or its folder does not exist.
        """
        suffix = checks.check_report_path(path)
        for source in self.sources:
            if same_file(path, source):
                raise ValueError(
                    f"path is {os.fspath(path)!r}, the file {source} that was measured; expected another file"
                )
        replace_file(Path(path), self.to_html() if suffix == ".html" else self.to_json())

    def section(self, key: str) -> Section:
        """Return a section; ValueError, which lists the keys, if there is none of that key."""
        checks.check_option(key, "key", [section.key for section in self.sections])
        return next(section for section in self.sections if section.key == key)

    def table(self, key: str) -> pd.DataFrame:
        """Return a table by its key, such as ``lengths``, ``labels`` or ``accuracy``."""
        tables = {table.key: table for section in self.sections for table in section.tables}
        checks.check_option(key, "key", list(tables))
        return pd.DataFrame(tables[key].rows, columns=list(tables[key].columns))

    def __str__(self) -> str:
        """Return the findings as text."""
        return self.to_text()

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the summary and the notes as text."""
        notes = [note for section in self.sections for note in section.notes if remarks]
        return "\n".join([self.name, "", *wrapped(*self.summary, *notes)]) + "\n"


def wrapped(*sentences: str, indent: str = "") -> list[str]:
    """Return sentences as lines, each sentence on a new line; `indent` begins continued lines."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, _WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    ]


def seeded(rng: checks.RandomState) -> tuple[int, Callable[[int], np.random.Generator]]:
    """Return a seed, and a function that returns the generator of each part by its number."""
    # A part more or less does not change the numbers of the others.
    if rng is None or isinstance(rng, np.random.Generator):
        seed = int(checks.as_generator(rng).integers(2**32))
    else:
        seed = checks.check_integer(rng, "rng", low=0)
    return seed, lambda part: np.random.default_rng([seed, part])


def files_of(*arrays: Any) -> tuple[str, ...]:
    """Return the files of memory maps, also of arrays that look into one."""
    found = []
    for array in arrays:
        while array is not None and not isinstance(array, np.memmap):
            array = getattr(array, "base", None)
        if array is not None and array.filename is not None:
            found.append(str(array.filename))
    return tuple(dict.fromkeys(found))


@dataclasses.dataclass(frozen=True, repr=False)
class ReportCard(Page):
    """Everything that `report_card` found.

    Attributes
    ----------
    name, program : str
        What was measured, usually the name of a file, and by which version of the program.
    options : dict
        How it was measured.
    summary : tuple of str
        The findings in a few sentences.
    cautions : tuple of Caution
        What would mislead.
    sections : tuple of Section
        The parts: ``data``, ``isotropy`` and what else was asked for.
    sources : tuple of str
        Files that memory-mapped input was read from: `write` does not overwrite them.
    """

    def line(self, key: str) -> Line:
        """Return a number with its interval; ValueError lists the known keys."""
        lines = {line.key: line for section in self.sections for line in section.lines}
        checks.check_option(key, "key", list(lines))
        return lines[key]

    def value(self, key: str) -> Value:
        """Return a number, or None where it is undefined (`line` says why); ValueError for an unknown key."""
        return self.line(key).value

    def numbers(self, *keys: str) -> pd.DataFrame:
        """Return numbers as a table with columns measure, value, low and high, in the order of the card.

        A key is that of a section, for all its numbers, or of a single number; without keys every number is
        returned. An unknown key is a ValueError.
        """
        known = {line.key: section.key for section in self.sections for line in section.lines}
        for key in keys:
            checks.check_option(key, "key", [*dict.fromkeys(known.values()), *known])
        lines = [self.line(key) for key, section in known.items() if not keys or {key, section} & set(keys)]
        rows = [(MEANINGS[line.key].label, line.value, line.low, line.high) for line in lines]
        return pd.DataFrame(rows, columns=["measure", "value", "low", "high"])

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers as a table with columns section, key, measure, value, low and high."""
        rows = [
            (section.key, line.key, MEANINGS[line.key].label, line.value, line.low, line.high)
            for section in self.sections
            for line in section.lines
        ]
        return pd.DataFrame(rows, columns=["section", "key", "measure", "value", "low", "high"])

    def warnings(self) -> pd.DataFrame:
        """Return the warnings as a table with columns kind and text."""
        return pd.DataFrame([(c.key, c.text) for c in self.cautions], columns=["kind", "text"])

    def verdict(self) -> str:
        """Return whether the vectors are collapsed, what they are, and what is unusual with what to do."""
        unusual = (
            f"Beware of {WARNINGS[c.key]}{f' ({c.where})' if c.where else ''}: {ADVICE[c.key]}."
            for c in self.cautions
        )
        return "\n".join(wrapped(*self.summary, *unusual, indent="  ")) + "\n"

    def main_lines(self, *, every: bool = False) -> list[Line]:
        """Return the lines of the main scores, or of every one."""
        return [line for line in self.section("isotropy").lines if every or line.key in _MAIN]

    def to_text(self, *, every: bool = False, remarks: bool = True, notes: bool = False) -> str:
        """Return the verdict and the main scores, or every one; with `notes`, all that is said of them."""
        isotropy = self.section("isotropy")
        n_points, n_dimensions = (_shown(self.value(key)) for key in ("n_points", "n_dimensions"))
        rows = _rows(self.main_lines(every=every))
        header = ["", "value", f"{self.options['confidence level']:.0%} interval"]
        lines = [f"{self.name}: {n_points} rows in {n_dimensions} dimensions", ""]
        lines += [*self.verdict().splitlines(), ""] if remarks else []
        lines += aligned(header, rows)
        others = [section for section in self.sections if section.key in ("projection", "retrieval")]
        for section in others:
            lines += ["", section.title, "", *aligned(header, _rows(section.lines))]
        if notes:
            lines.append("")
            lines += wrapped(
                *(f"Beware: {caution.text}" for caution in self.cautions),
                *(f"{MEANINGS[line.key].label}: {line.note}" for line in isotropy.lines if line.note),
                *isotropy.notes,
                *(f"{section.title}: {note}" for section in others for note in section.notes),
                indent="  ",
            )
        return "\n".join(lines) + "\n"


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    return [
        [
            MEANINGS[line.key].label,
            value_of(line),
            "" if line.low is None or line.high is None else f"{number(line.low)} to {number(line.high)}",
        ]
        for line in lines
    ]


def _shown(value: Value) -> str:
    return "undefined" if value is None else value if isinstance(value, str) else number(value)
