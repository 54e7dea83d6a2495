"""Read tables of numbers, and say exactly which cell is none.

pandas reads the same tables, but not as strictly: it takes a first line with one typo for column names, and it counts
neither blank lines nor comments when it says where an error stands.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab.vectors.formats import open_binary, text_lines

# How tables spell "missing", besides what float() takes for a NaN.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "null", "none", "missing"}
# What begins like a number is rather a mistyped number than a column's name.
_BEGINS_LIKE_A_NUMBER = re.compile(r"[+-]?[.,]?\d")

Row = tuple[int, list[str]]


def read_table(path: Path, separator: str | None, *, header: bool | None) -> npt.NDArray[np.float64]:
    """Read text with one point per line, its numbers parted by `separator` (None: by spaces and tabs).

    With ``header=None`` the first line holds names if it can be nothing else; a line that could be either is refused.
    """
    with open_binary(path) as stream:
        lines = text_lines(path, stream)
        skipped = 0
        first = ""
        for first in lines:
            if not first.startswith("#"):
                break
            skipped += 1
        else:
            raise ValueError(f"{path} holds comments only: there is nothing in it")
        lines = itertools.chain([first], lines)
        rows = _split(lines, separator)
        try:
            return _parse(path, ((number + skipped, cells) for number, cells in rows), separator, header)
        except csv.Error as error:
            raise ValueError(f"{path} is no regular table: {error}") from error


def _split(lines: Iterable[str], separator: str | None) -> Iterator[Row]:
    """Number the lines and split them into cells, leaving out blank lines."""
    if separator is None:
        for number, line in enumerate(lines, start=1):
            cells = line.split()
            if cells:
                yield number, cells
        return
    reader = csv.reader(lines, delimiter=separator)
    for cells in reader:
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield reader.line_num, [cell.strip() for cell in cells]


def _parse(
    path: Path, rows: Iterator[Row], separator: str | None, header: bool | None
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
    content = bytearray()  # grows without a copy at the end
    for number, cells in rows:
        if len(cells) != n:
            raise ValueError(
                f"{path} is no regular table: line {number} has {len(cells)} cells, and line {first[0]} has {n}; "
                "wanted as many in every line"
            )
        content += _row(path, number, cells, names).tobytes()
    if not content:
        raise ValueError(f"{path} holds column names only: there is nothing in it")
    return np.frombuffer(content, dtype=np.float64).reshape(-1, n)


def _first_line_is_names(
    path: Path, number: int, cells: list[str], separator: str | None, header: bool | None
) -> bool:
    if header is False:
        return False
    counted = [str(i) for i in range(len(cells))]
    has_names = any(not _could_be_a_number(cell) for cell in cells[1:])
    if cells[0] == "" and (has_names or (len(cells) > 1 and cells[1:] == counted[:-1])):
        raise ValueError(
            f"{path}, line {number}: column 1 has no name, as where pandas writes the numbers of the rows; wanted the "
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
        f"{path}, line {number}, column {wrong + 1}: {cells[wrong][:40]!r} is no finite number; wanted a line of "
        "numbers only (or, if the line holds the names of the columns, header=True)"
    )


def _row(path: Path, number: int, cells: list[str], names: Sequence[str] | None) -> npt.NDArray[np.float64]:
    try:
        row = np.array(cells, dtype=np.float64)
    except ValueError:
        _raise_wrong_cell(path, number, cells, names)
    # float() takes 1_000 for a thousand; in a table it is rather two numbers run together.
    if not np.isfinite(row).all() or any("_" in cell for cell in cells):
        _raise_wrong_cell(path, number, cells, names)
    return row


def _raise_wrong_cell(path: Path, number: int, cells: list[str], names: Sequence[str] | None) -> NoReturn:
    i = next((i for i, cell in enumerate(cells) if not _is_finite_number(cell)), 0)
    column = f"column {i + 1}" if names is None else f"column {names[i]!r}"
    raise ValueError(
        f"{path}, line {number}, {column}: {cells[i][:40]!r} is no finite number; wanted numbers only: drop columns of "
        "text first"
    )


def _is_finite_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell))) and "_" not in cell
    except ValueError:
        return False


def _could_be_a_number(cell: str) -> bool:
    """Whether a cell is a number, a missing one, or begins like one."""
    if cell.lower() in _MISSING or _BEGINS_LIKE_A_NUMBER.match(cell):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def frame_numbers(path: Path, table: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return the columns of a data frame read from `path` as numbers, all finite."""
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
                f"{path}, row {wrong[0]}, column {name!r}: {column.iloc[wrong[0]]!r} is no finite number ({len(wrong)} "
                "such in this column); wanted numbers only: drop columns of text first"
            )
        columns.append(numbers)
    return np.stack(columns, axis=1)
