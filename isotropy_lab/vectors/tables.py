"""Tables of numbers in text, with errors that name the cell.

pandas reads the same tables, but not as strictly: it takes a first line with one typo for column names, and it counts
neither blank lines nor comments when it says where an error stands.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab.vectors._refusals import short
from isotropy_lab.vectors.draws import Content, Draw
from isotropy_lab.vectors.formats import is_gzipped, is_number, open_binary, text_lines
from isotropy_lab.vectors.limits import MOST_CELLS, Allowance

# How tables spell "missing", besides what float() takes for a NaN.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "null", "none", "missing"}
# What begins like a number is rather a mistyped number than a column's name.
_BEGINS_LIKE_A_NUMBER = re.compile(r"[+-]?[.,]?\d")

Row = tuple[int, list[str]]


def read_table(
    path: Path, separator: str | None, *, header: bool | None, draw: Draw | None = None
) -> npt.NDArray[np.float64]:
    """Read text with one point per line, its numbers separated by `separator` (None: spaces and tabs).

    With ``header=None`` the first line holds names if it cannot be a point; a line that could be either is refused.
    """
    with open_binary(path) as stream:
        lines = text_lines(path, stream, any_end=True)
        skipped = 0
        first = ""
        for first in lines:
            if not first.startswith("#"):
                break
            skipped += 1
        else:
            raise ValueError(f"{path} holds comments only: there is nothing in it")
        lines = itertools.chain([first], lines)
        rows = _split(path, lines, separator, skipped)
        try:
            return _parse(path, rows, separator, header, draw)
        except csv.Error as error:
            raise ValueError(f"{path} is not a regular table: {error}") from error


def _split(path: Path, lines: Iterable[str], separator: str | None, skipped: int) -> Iterator[Row]:
    """Number the lines and split them into cells, leaving out blank lines."""
    if separator is None:
        for number, line in enumerate(lines, start=skipped + 1):
            cells = line.split(None, MOST_CELLS)
            if len(cells) > MOST_CELLS:
                _raise_wide(path, number)
            if cells:
                yield number, cells
        return
    read = 0

    def one_by_one() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += 1
            if read > given + 1:  # the reader asks for more before it has given a row
                raise ValueError(
                    f"{path}, line {skipped + given + 1}: a quoted cell goes on in the next line; expected one point in "
                    "a line"
                )
            if line.count(separator) >= MOST_CELLS:
                _raise_wide(path, skipped + read)
            yield line

    given = 0
    for given, cells in enumerate(csv.reader(one_by_one(), delimiter=separator, strict=True), start=1):
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield skipped + given, [cell.strip() for cell in cells]


def _raise_wide(path: Path, number: int) -> NoReturn:
    raise ValueError(
        f"{path}, line {number}: more than {MOST_CELLS:,} numbers; expected one point in a line (a .npy has no such limit)"
    )


def _parse(
    path: Path, rows: Iterator[Row], separator: str | None, header: bool | None, draw: Draw | None
) -> npt.NDArray[np.float64]:
    first = next(rows, None)
    if first is None:
        raise ValueError(f"{path} holds no line with numbers: there is nothing in it")
    names: list[str] | None = None
    if _first_line_is_names(path, *first, separator, header):
        names = first[1]
    else:
        rows = itertools.chain([first], rows)
    n = len(first[1])
    allowance = Allowance(path, compressed=is_gzipped(path))
    content = Content(np.float64, n, draw)
    for number, cells in rows:
        if len(cells) != n:
            raise ValueError(
                f"{path} is not a regular table: line {number} has {len(cells)} cells, and line {first[0]} has {n}; "
                "expected as many in every line"
            )
        if content.wants():
            content.add(_row(path, number, cells, names))
        allowance.check(len(content.bytes))
    if not content.n_rows:
        raise ValueError(f"{path} holds column names only: there is nothing in it")
    return content.array()


def _first_line_is_names(
    path: Path, number: int, cells: list[str], separator: str | None, header: bool | None
) -> bool:
    if header is False:
        return False
    counted = [str(i) for i in range(len(cells))]
    has_names = any(not _could_be_a_number(cell) for cell in cells[1:])
    if cells[0] == "" and (has_names or (len(cells) > 1 and cells[1:] == counted[:-1])):
        raise ValueError(
            f"{path}, line {number}: column 1 has no name, as where pandas writes the numbers of the rows; expected the "
            "points alone: write them with to_csv(path, index=False)"
        )
    if header:
        return True
    if cells == counted:
        raise ValueError(
            f"{path}, line {number}: {(separator or ' ').join(cells)[:40]!r} may be a point or the names that pandas "
            "gives to columns without one; say header=True if they are names, header=False if they are a point"
        )
    wrong = next((i for i, cell in enumerate(cells) if not _is_finite_number(cell)), None)
    if wrong is None:
        return False
    if separator is not None and not any(map(_could_be_a_number, cells)):
        return True
    raise ValueError(
        f"{path}, line {number}, column {wrong + 1}: {cells[wrong][:40]!r} is not a finite number; expected a line of "
        "numbers only (or, if the line holds the names of the columns, header=True)"
    )


def _row(path: Path, number: int, cells: list[str], names: Sequence[str] | None) -> npt.NDArray[np.float64]:
    try:
        row = np.array(cells, dtype=np.float64)
    except ValueError:
        _raise_wrong_cell(path, number, cells, names)
    if not np.isfinite(row).all() or "_" in "".join(cells):
        _raise_wrong_cell(path, number, cells, names)
    return row


def _raise_wrong_cell(path: Path, number: int, cells: list[str], names: Sequence[str] | None) -> NoReturn:
    i = next((i for i, cell in enumerate(cells) if not _is_finite_number(cell)), 0)
    column = f"column {i + 1}" if names is None else f"column {short(names[i], 80)!r}"
    raise ValueError(
        f"{path}, line {number}, {column}: {cells[i][:40]!r} is not a finite number; expected numbers only: drop columns of "
        "text first"
    )


def _is_finite_number(cell: str) -> bool:
    return is_number(cell) and math.isfinite(float(cell))


def _could_be_a_number(cell: str) -> bool:
    """Whether a cell is a number, a missing one, or begins like one."""
    return cell.lower() in _MISSING or bool(_BEGINS_LIKE_A_NUMBER.match(cell)) or is_number(cell)


def frame_numbers(path: Path, table: pd.DataFrame, *, first_row: int = 0) -> npt.NDArray[np.float64]:
    """Return the columns of a data frame read from `path`, from `first_row` on, as numbers, all finite."""
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise ValueError(f"{path} holds a table of shape {table.shape}: there is nothing in it")
    columns = []
    for i, name in enumerate(table.columns):
        column = table.iloc[:, i]
        try:
            numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, column {name!r} holds no real numbers: {error}") from error
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise ValueError(
                f"{path}, row {first_row + wrong[0]}, column {name!r}: {column.iloc[wrong[0]]!r} is not a finite number ({len(wrong)} "
                "such in this column); expected numbers only: drop columns of text first"
            )
        columns.append(numbers)
    return np.stack(columns, axis=1)
