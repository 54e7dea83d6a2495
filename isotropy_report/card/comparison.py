"""The section that sets two files side by side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isotropy_lab.isotropy.jackknife import score_of_log
from isotropy_report.card.leaving_out import log_ratio
from isotropy_report.card.measures import variance_fractions
from isotropy_report.card.paired import Model, compare_scores
from isotropy_report.card.parts import Line, Section, Table, Value
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import Survey
from isotropy_report.card.words import reworded

_RATIOS = {"isoscore_ratio": "isoscore_corrected", "dimensions_ratio": "dimensions_used_corrected"}
"""Number of the section → the score whose ratio it is."""


def comparison_section(
    first: Model,
    name: str,
    second: Rows,
    other: Survey,
    *,
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
    drawn_from: int | None = None,
) -> Section:
    """Return the section that sets two files side by side."""
    names, found = (first.name, name), first.found
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, a, b) for (name, a), (_, b) in zip(_column(found), _column(other), strict=True)
    )
    table = Table("side_by_side", "Side by side", ("measure", *_distinct(names)), rows)
    notes = []
    if same_numbers(first.rows, second):
        notes.append(
            f"{names[0]} and {names[1]} hold the same numbers, row by row: there is nothing to compare."
        )
    paired = found.n_points == other.n_points
    try:
        with reworded({r"^X\b": name}):
            against = Model(name, second, other, variance_fractions(other.moments))
        compared = compare_scores(
            [first, against], paired=paired, groups=groups, confidence_level=confidence_level
        )
        ratios = {one.measure: one for one in compared.within_bounds().differences}
        why = (
            compared.cut_off_text
            or "the corrected IsoScore of one of the two is 0, or becomes 0 with a row left out"
        )
        if compared.cut_off:
            notes.append(f"There are no ratios: {why}.")
    except ValueError as error:
        ratios, why = {}, str(error)
    lines = tuple(
        Line(key, one.estimate, one.low, one.high)
        if (one := ratios.get(score))
        else Line(key, None, note=f"Undefined here: {why}.")
        for key, score in _RATIOS.items()
    )
    if ratio := ratios.get("isoscore_corrected"):
        unit = "rows" if groups is None else "groups"
        notes.append(
            f"Intervals of {confidence_level:.0%}, paired: row i of one file goes with row i of the other, and {unit} are left out of "
            "both at once. If that is not so, the intervals are wrong."
            if paired
            else f"Intervals of {confidence_level:.0%}, not paired, since the files have different numbers of rows."
        )
        if ratio.low <= 1.0 <= ratio.high:
            notes.append("The interval holds 1: these rows do not show which of the two is more isotropic.")
    if drawn_from is not None:
        notes.append(
            f"Of {names[1]}, {other.n_points:,} of {drawn_from:,} rows are measured here, drawn at random. Of two files with as "
            "many rows the same ones are drawn."
        )
    if found.n_dimensions != other.n_dimensions:
        notes.append(
            "The files have different numbers of dimensions: IsoScore compares fractions of the dimensions, the dimensions used their "
            "number."
        )
    return Section("comparison", f"Compared with {names[1]}", lines, (table,), notes=tuple(notes))


def same_numbers(first: Rows, second: Rows) -> bool:
    """Return whether all numbers are equal; read as far as the first difference."""
    if first.n_rows != second.n_rows or first.n_dimensions != second.n_dimensions:
        return False
    blocks = zip(first.blocks("comparing"), second.blocks("comparing"), strict=True)
    return all(bool((a == b).all()) for (_, a), (_, b) in blocks)


def _distinct(names: tuple[str, str]) -> tuple[str, str]:
    if names[0] != names[1] and "measure" not in names:
        return names
    return f"{names[0]} (first)", f"{names[1]} (second)"


def _column(own: Survey) -> list[tuple[str, Value]]:
    n = own.n_dimensions
    try:
        log: float | None = log_ratio(own.moments)
    except ValueError:
        log = None
    score = None if log is None else score_of_log(log, n)
    return [
        ("rows", own.n_points),
        ("dimensions", n),
        ("IsoScore, corrected", score),
        ("dimensions used, corrected", None if score is None else 1.0 + score * (n - 1)),
        ("average cosine", own.average_cosine),
        ("fraction in the mean vector", own.mean_fraction),
        ("mean length", own.mean_length),
        ("repeated rows", own.duplicates.estimate),
    ]
