"""Text tables of numbers, with errors that name the cell.

pandas reads the same tables, but less strictly: it treats a first line with one typo as column names, and it
skips blank lines and comments when it counts lines for an error.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from isotropy_report._options import setting, short
from isotropy_report.io.columns import Selection, droppable, warn_of_row_numbers
from isotropy_report.io.formats import is_number, open_binary, text_lines
from isotropy_report.io.lists import ListRows, only_list, parse_list

# Spellings of missing values in tables, besides those that float() parses as NaN.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "null", "none", "missing"}
# A cell that begins like a number is more likely a mistyped number than a column name.
_BEGINS_LIKE_A_NUMBER = re.compile(r"[+-]?[.,]?\d")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+$")
_PANDAS_SEPARATORS = {",": "", ";": ", sep=';'", "\t": ", sep='\\t'", None: ", sep=r'\\s+'"}

Row = tuple[int, list[str]]
Source = tuple[Path, str | None]


class UnclearHeaderError(ValueError):
    """Error for a first line that may be column names or a point, so that the option `header` is needed."""


def read_table(
    path: Path,
    separator: str | None,
    *,
    header: bool | None,
    column: str | None = None,
    selection: Selection | None = None,
) -> npt.NDArray[np.float64]:
    """Read text with one point per line; numbers are separated by `separator` (None: spaces and tabs).

    With ``header=None``, the first line contains names if it cannot be a point; a line that could be either
    is rejected. With `column`, the points are JSON lists of numbers in the cells of that column.
    """
    with open_binary(path) as stream:
        lines: Iterator[tuple[int, str]] = enumerate(text_lines(path, stream, any_end=True), start=1)
        lines = itertools.dropwhile(lambda line: line[1].startswith("#"), lines)
        rows = _split_lines(path, lines, separator)
        try:
            return _parse_rows(path, rows, separator, header, column, selection or Selection())
        except csv.Error as error:
            raise ValueError(f"{path} is not a table with rows of equal length: {error}") from error


def _split_lines(path: Path, lines: Iterator[tuple[int, str]], separator: str | None) -> Iterator[Row]:
    """Split numbered lines into cells, skipping blank lines."""
    if separator is None:
        for last_line, line in lines:
            if cells := line.split():
                yield last_line, cells
        return
    last_line = 0

    def numbered_lines() -> Iterator[str]:
        nonlocal last_line
        for line_number, line in lines:
            last_line = line_number
            yield line

    reader = csv.reader(numbered_lines(), delimiter=separator, strict=True)
    for n_rows, cells in enumerate(reader, start=1):
        if (first_line := last_line - reader.line_num + n_rows) < last_line:
            raise ValueError(
                f"{path}, line {first_line}, has a quoted cell that continues on the next line; expected one "
                "point per line"
            )
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield last_line, [cell.strip() for cell in cells]


def _parse_rows(
    path: Path,
    rows: Iterator[Row],
    separator: str | None,
    header: bool | None,
    column: str | None,
    selection: Selection,
) -> npt.NDArray[np.float64]:
    first = next(rows, None)
    if first is None:
        raise ValueError(f"{path} contains no line with numbers; expected at least one line of numbers")
    names: list[str] | None = None
    _check_separator(path, *first, separator, named=False)
    if column is not None or _has_header(path, *first, separator, header, selection):
        names = first[1]
    else:
        rows = itertools.chain([first], rows)
    columns = [str(i + 1) for i in range(len(first[1]))] if names is None else names
    index = -1 if column is None else columns.index(only_list(path, (), column, columns, noun="column"))
    chosen = selection.positions(path, columns)
    lists = ListRows(path)
    for number, cells in rows:
        if lists.rows.n is None and column is None:
            _check_separator(path, number, cells, separator, named=names is not None)
        if len(cells) != len(columns):
            raise ValueError(
                f"{path} is not a table with rows of equal length: line {number} has {len(cells)} cells; "
                f"expected {len(columns)} cells, as in line {first[0]}"
            )
        if column is None:
            lists.rows.add(_row((path, separator), number, cells, names, chosen)[None])
        else:
            location = f"line {number}, column {short(column, 80)!r}"
            lists.add(location, parse_list(path, location, cells[index]))
    if lists.rows.n is None:
        raise ValueError(f"{path} contains only column names; expected at least one line of numbers")
    array = lists.rows.result().vectors
    if column is None:
        kept_names = columns if chosen is None else [columns[i] for i in chosen]
        warn_of_row_numbers(path, array, kept_names, named=names is not None)
    return array


def _pandas_advice(separator: str | None, *, named: bool, decimal: bool = True) -> str:
    """Return the call of pandas that writes a table as a CSV file, with decimal points."""
    header, decimal_option = "" if named else ", header=None", ", decimal=','" * decimal
    call = f"pandas.read_csv(path{_PANDAS_SEPARATORS[separator]}{decimal_option}{header})"
    return f"{call}.to_csv(new, index=False{header}) writes a CSV file{' with decimal points' * decimal}"


def _check_separator(path: Path, number: int, cells: list[str], separator: str | None, named: bool) -> None:
    """Reject a first line whose cells are separated by a different character, naming that character."""
    if separator == "," and len(cells) > 1 and any(";" in cell or "\t" in cell for cell in cells):
        cells = [",".join(cells)]  # numbers with decimal commas
    if separator is None or len(cells) > 1:
        return
    for other, name in ((";", "semicolons"), ("\t", "tabs"), (",", "commas"), (None, "spaces")):
        fields = cells[0].split(other)
        if other != separator and len(fields) > 1 and all(_maybe_number(field.strip()) for field in fields):
            expected = {",": "commas", "\t": "tabs"}[separator]
            formats = {"\t": "tsv", ",": "csv", None: "numbers"}
            advice = f"use {setting('format', formats.get(other))}"
            has_decimal_commas = any(_DECIMAL_COMMA.match(field.strip()) for field in fields)
            if other == ";" or (other != "," and has_decimal_commas):
                advice = _pandas_advice(other, named=named, decimal=has_decimal_commas)
                name += ", with decimal commas" * has_decimal_commas
            raise ValueError(
                f"{path}, line {number}: the cells are separated by {name}; expected {expected} ({advice})"
            )


def _has_header(
    path: Path,
    number: int,
    cells: list[str],
    separator: str | None,
    header: bool | None,
    selection: Selection,
) -> bool:
    if header is False:
        return False
    numbers = [str(i) for i in range(len(cells))]
    has_names = any(not _maybe_number(cell) for cell in cells[1:])
    if cells[0] == "" and (has_names or (len(cells) > 1 and cells[1:] == numbers[:-1])):
        if selection.excludes(""):
            return True
        raise ValueError(
            f"{path}, line {number}: column 1 has no name, like the row numbers that pandas writes; expected "
            "only the points (write them with to_csv(path, index=False), or exclude the column with "
            f"{setting('drop')}, which accepts '' as a name)"
        )
    if header or (cells[1:] == numbers[:-1] and not _maybe_number(cells[0])):  # names written by pandas
        return True
    if cells == numbers:
        raise UnclearHeaderError(
            f"{path}, line {number}, is {(separator or ' ').join(cells)[:40]!r}, which may be a point or the "
            f"column names that pandas numbers; expected {setting('header', True)} if they are names, or "
            f"{setting('header', False)} if they are a point"
        )
    kept = [i for i in range(len(cells)) if str(i + 1) not in selection.drop]
    bad = next((i for i in kept if not _is_finite_number(cells[i])), None)
    if bad is None:
        return False
    if separator is not None and not any(map(_maybe_number, cells)):
        return True
    advice = f"if the line contains column names, use {setting('header', True)}"
    if _DECIMAL_COMMA.match(cells[bad]):
        advice = _pandas_advice(separator, named=False)
    elif not has_names and len(cells) > 1:
        advice += f"; if column {bad + 1} contains row names, use {setting('drop', [str(bad + 1)])}"
    raise UnclearHeaderError(
        f"{path}, line {number}, column {bad + 1}: {cells[bad][:40]!r} is not a finite number; expected "
        f"only numbers ({advice})"
    )


def _row(
    source: Source, number: int, cells: list[str], names: Sequence[str] | None, chosen: Sequence[int] | None
) -> npt.NDArray[np.float64]:
    if chosen is not None:
        cells = [cells[i] for i in chosen]
        names = [names[i] if names is not None else f"{i + 1}" for i in chosen]
    try:
        row = np.array(cells, dtype=np.float64)
    except ValueError:
        _raise_wrong_cell(source, number, cells, names)
    if not np.isfinite(row).all() or "_" in "".join(cells):
        _raise_wrong_cell(source, number, cells, names)
    return row


def _raise_wrong_cell(source: Source, number: int, cells: list[str], names: Sequence[str] | None) -> NoReturn:
    path, separator = source
    bad = [i for i, cell in enumerate(cells) if not _is_finite_number(cell)] or [0]
    with_lists = [i for i in bad if names is not None and re.match(r"\[.*\]$", cells[i])]
    i = (with_lists or bad)[0]
    column = f"column {i + 1}" if names is None else f"column {short(names[i], 80)!r}"
    if with_lists and names is not None:
        advice = f"{setting('column', short(names[i], 80))} reads the lists in this column"
    elif _DECIMAL_COMMA.match(cells[i]):
        advice = _pandas_advice(separator, named=names is not None)
    elif all(cells[i].lower() in _MISSING for i in bad):
        advice = "fill in the missing values, or leave out this line"
    else:
        bad = [i for i in bad if cells[i].lower() not in _MISSING]
        drop = [str(j + 1) for j in bad] if names is None else droppable([names[j] for j in bad], names)
        advice = f"{setting('drop', drop)} leaves out columns of text"
    raise ValueError(
        f"{path}, line {number}, {column}: {cells[i][:40]!r} is not a finite number; expected only numbers "
        f"({advice})"
    )


def _is_finite_number(cell: str) -> bool:
    return is_number(cell) and math.isfinite(float(cell))


def _maybe_number(cell: str) -> bool:
    """Return whether a cell is a number, represents a missing number, or begins like a number."""
    return cell.lower() in _MISSING or bool(_BEGINS_LIKE_A_NUMBER.match(cell)) or is_number(cell)
