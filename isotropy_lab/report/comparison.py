"""The section that sets two files side by side."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab.isotropy.jackknife import Jackknife
from isotropy_lab.report.leaving_out import left_out, log_ratio
from isotropy_lab.report.measures import score_of_log
from isotropy_lab.report.parts import Line, Section, Table, Value
from isotropy_lab.report.rows import Rows
from isotropy_lab.report.survey import Survey

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The corrected score of one cloud over that of another, and the same for the dimensions used, with intervals."""

    estimate: float
    low: float
    high: float
    dimensions: float
    dimensions_low: float
    dimensions_high: float
    paired: bool  # whether row i of one goes with row i of the other


def compare(
    first: Rows,
    found: Survey,
    second: Rows,
    other: Survey,
    *,
    groups: npt.NDArray[np.intp] | None = None,
    confidence_level: float = 0.95,
) -> Ratio:
    """Return the ratio of two corrected IsoScores with a jackknife interval, on the logarithm, with Student's quantiles.

    With as many rows in both, row i of one goes with row i of the other and both are left out at once, so that what both
    have in common cancels; else the two variances are added. Scores are not clipped at 1 before they are divided, so that
    the ratio of two isotropic clouds is about 1 on average.
    """
    n_a, n_b = found.n_dimensions, other.n_dimensions
    paired = found.n_points == other.n_points
    full_a, full_b = log_ratio(found.moments), log_ratio(other.moments)
    score_a, score_b = (
        _log_score(full, n, "X or the other file") for full, n in ((full_a, n_a), (full_b, n_b))
    )
    scores = Jackknife(float(score_a - score_b), found.n_points)
    ratios = Jackknife(full_a - full_b, found.n_points)
    if paired:
        for sizes, log_a, log_b in _both(first, found, second, other, groups):
            scores.add(sizes, _log_score(log_a, n_a, "X") - _log_score(log_b, n_b, "the other file"))
            ratios.add(sizes, log_a - log_b)
        reaches = scores.reach(confidence_level), ratios.reach(confidence_level)
    else:
        reaches = _unpaired(first, found, second, other, groups, confidence_level)
    center, ratio = scores.full, ratios.full
    return Ratio(
        math.exp(center), math.exp(center - reaches[0]), math.exp(center + reaches[0]),
        math.exp(ratio), math.exp(ratio - reaches[1]), math.exp(ratio + reaches[1]),
        paired,
    )  # fmt: skip


def _log_score(log: npt.ArrayLike, n: int, which: str) -> Floats:
    """Return the logarithm of (PR − 1)/(n − 1); ValueError unless PR is above 1."""
    above = np.expm1(np.asarray(log, dtype=np.float64))
    if not (above > 0).all():
        raise ValueError(
            f"{which} has so few rows, or lies so near a line, that its corrected IsoScore is 0 with a row left out: the ratio "
            "has no interval"
        )
    return np.asarray(np.log(above) - math.log(n - 1))


def _both(
    first: Rows, found: Survey, second: Rows, other: Survey, groups: npt.NDArray[np.intp] | None
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield sizes and the logarithms of both ratios; the blocks of the two files may differ in their rows."""
    streams = [
        left_out(first, found, groups, what="comparing"),
        left_out(second, other, groups, what="comparing"),
    ]
    rest = [(np.empty(0), np.empty(0))] * 2
    done = 0
    total = found.n_points if groups is None else int(groups.max()) + 1
    while done < total:
        for side in (0, 1):
            if not rest[side][0].size:
                part = next(streams[side])
                rest[side] = part.sizes, part.log_ratio
        size = min(part[0].size for part in rest)
        yield rest[0][0][:size], rest[0][1][:size], rest[1][1][:size]
        rest = [(sizes[size:], logs[size:]) for sizes, logs in rest]
        done += size


def _unpaired(
    first: Rows,
    found: Survey,
    second: Rows,
    other: Survey,
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
) -> tuple[float, float]:
    from scipy import stats

    errors, n_groups = [], []
    for rows, own, labels, which in ((first, found, groups, "X"), (second, other, None, "the other file")):
        full, n = log_ratio(own.moments), own.n_dimensions
        score = Jackknife(float(_log_score(full, n, which)), own.n_points)
        ratio = Jackknife(full, own.n_points)
        for part in left_out(rows, own, labels, what="comparing"):
            score.add(part.sizes, _log_score(part.log_ratio, n, which))
            ratio.add(part.sizes, part.log_ratio)
        errors.append((score.error(), ratio.error()))
        n_groups.append(score.n_groups)
    quantile = float(stats.t.ppf(0.5 + confidence_level / 2, min(n_groups) - 1))
    score_reach, ratio_reach = (quantile * math.hypot(a, b) for a, b in zip(*errors, strict=True))
    return score_reach, ratio_reach


def comparison_section(
    first: Rows,
    found: Survey,
    second: Rows,
    other: Survey,
    *,
    names: tuple[str, str],
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
    drawn_from: int | None = None,
) -> Section:
    """Return the section that sets two files side by side."""
    columns = tuple(_column(own) for own in (found, other))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, a, b) for (name, a), (_, b) in zip(columns[0], columns[1], strict=True)
    )
    table = Table("side_by_side", "Side by side", ("measure", *_distinct(names)), rows)
    notes = []
    lines: tuple[Line, ...] = ()
    if same_numbers(first, second):
        notes.append(
            f"{names[0]} and {names[1]} hold the same numbers, row by row: there is nothing to compare."
        )
    try:
        ratio = compare(first, found, second, other, groups=groups, confidence_level=confidence_level)
        lines = (
            Line("isoscore_ratio", ratio.estimate, ratio.low, ratio.high),
            Line("dimensions_ratio", ratio.dimensions, ratio.dimensions_low, ratio.dimensions_high),
        )
        unit = "rows" if groups is None else "groups"
        notes.append(
            f"Intervals of {confidence_level:.0%}, paired: row i of one file goes with row i of the other, and {unit} are left out of "
            "both at once. If that is not so, the intervals are wrong."
            if ratio.paired
            else f"Intervals of {confidence_level:.0%}, not paired, since the files have different numbers of rows."
        )
        if ratio.low <= 1.0 <= ratio.high:
            notes.append("The interval holds 1: these rows do not show which of the two is more isotropic.")
    except ValueError as error:
        lines = (Line("isoscore_ratio", None, note=f"Undefined here: {error}."),)
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
