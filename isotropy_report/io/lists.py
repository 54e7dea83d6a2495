"""Vectors as lists of numbers in JSON or in the cells of a table."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from isotropy_report._options import option, setting, short
from isotropy_report.io.formats import is_gzipped, open_binary, text_lines
from isotropy_report.io.growing import Growing, NamedVectors
from isotropy_report.io.limits import Allowance

ID_NAMES = ("id", "_id", "key", "word", "name")
"""Keys that may contain the names of rows; the first one present is used."""

_IN_LINES = (
    "a list of numbers, or an object with such a list, in each line: jq -c . writes a document in one line, "
    "and jq -c '.[]' each entry in its own line"
)


class ListRows:
    """Rows that are collected from lists of numbers of equal length."""

    def __init__(self, path: Path) -> None:
        self.path, self.first = path, ""
        self.rows = Growing(path, Allowance(path, compressed=is_gzipped(path)))

    def add(self, where: str, values: Any, name: Any = None) -> None:
        """Add a list of numbers with an optional name; `where` is the list's position for error messages."""
        if not isinstance(values, list) or not values:
            self._refuse(where, f"is {_describe(values)}", "a list of numbers")
        if not set(map(type, values)) <= {int, float}:
            bad = next(i for i, value in enumerate(values) if type(value) not in (int, float))
            expected = _IN_LINES if isinstance(values[bad], list) else "finite numbers"
            self._refuse(where, f"has {_describe(values[bad])} as entry {bad} of the list", expected)
        n, self.first = self.rows.n or len(values), self.first or where
        if len(values) != n:
            self._refuse(where, f"has {len(values)} numbers", f"{n} numbers, as in {self.first}")
        try:
            row = np.array([values], dtype=np.float64)
        except OverflowError:
            self._refuse(where, "has a number beyond float64", "finite numbers")
        if not np.isfinite(row).all():
            bad = int(np.flatnonzero(~np.isfinite(row[0]))[0])
            self._refuse(where, f"has {row[0, bad]} as entry {bad} of the list", "finite numbers")
        self.rows.add(row, () if name is None else (str(name),))

    def _refuse(self, where: str, problem: str, expected: str) -> NoReturn:
        raise ValueError(f"{self.path}, {where}, {problem}; expected {expected}")


def read_json_lines(path: Path, *, column: str | None = None, with_names: bool = False) -> NamedVectors:
    """Read a vector from each line, which is a list of numbers or an object with a list at key `column`.

    By default, `column` is the only key of the first record whose value is a list of numbers. If the file is
    one line with a list of such records, alone or at the key "data" or "embeddings" of an object, each record
    is a vector.
    """
    key, id_key = column, None
    with open_binary(path) as stream:
        rows = ListRows(path)
        for where, record in _records(path, text_lines(path, stream)):
            if rows.rows.n is None and isinstance(record, dict):
                kinds = {name: set(map(type, x)) for name, x in record.items() if isinstance(x, list)}
                lists = [name for name, kind in kinds.items() if kind and kind <= {int, float}]
                key = only_list(path, lists, column, list(record), noun="key")
                if with_names:
                    id_key = next((name for name in ID_NAMES if name in record and name != key), None)
            if isinstance(record, list) and key is None:
                rows.add(where, record)
                continue
            if not isinstance(record, dict) or key is None:
                expected = "a list of numbers" if key is None else f"an object with the key {key!r}"
                raise ValueError(f"{path}, {where}, is {_describe(record)}; expected {expected}, as before")
            if key not in record:
                raise ValueError(f"{path}, {where}, has no key {key!r}; expected this key in every record")
            rows.add(f"{where}, {key!r}", record[key], None if id_key is None else record.get(id_key))
    if rows.rows.n is None:
        raise ValueError(f"{path} contains only blank lines; expected at least one vector")
    return rows.rows.result()


def _records(path: Path, lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield the position and value of each line, or of each record of a document on one line."""
    is_batch = False
    nonblank = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    for n_read, (number, line) in enumerate(nonblank):
        where = f"line {number}"
        if is_batch:
            raise ValueError(f"{path}, {where}, follows a list of vectors in one line; expected {_IN_LINES}")
        record = entries = _parse_json(path, where, line, _IN_LINES)
        for key in ("data", "embeddings"):
            entries = record.get(key, entries) if isinstance(record, dict) else entries
        is_batch = n_read == 0 and isinstance(entries, list) and set(map(type, entries)) in ({list}, {dict})
        if is_batch:
            yield from ((f"{where}, entry {i}", entry) for i, entry in enumerate(entries))
        else:
            yield where, record


def parse_list(path: Path, where: str, text: str) -> Any:
    """Return the list that a table cell contains as JSON."""
    if "..." in text:
        raise ValueError(
            f"{path}, {where}, is {text[:40]!r}, in which NumPy left out numbers; expected all numbers "
            "(write the table again, with lists instead of arrays)"
        )
    return _parse_json(path, where, text, "a list of numbers")


def only_list(
    path: object, lists: Sequence[str], column: str | None, names: Sequence[str], *, noun: str
) -> str:
    """Return the name of the vectors: `column`, or the only entry of `lists`; errors list all `names`."""
    names_text = short(", ".join(map(repr, names)) or "none")
    if column is not None:
        if column not in names:
            raise ValueError(
                f"{option('column')} is {short(column)!r}{similar_names(column, names)}; expected a {noun} "
                f"of {path}, one of {names_text}"
            )
        return column
    if len(lists) == 1:
        return lists[0]
    if lists:
        choices = short(", ".join(map(repr, lists)))
        raise ValueError(
            f"{path} has {len(lists)} {noun}s with lists of numbers; expected exactly one, or "
            f"{setting('column')} with one of {choices}"
        )
    raise ValueError(f"{path} has no {noun} with lists of numbers; expected lists in one of {names_text}")


def similar_names(name: str, known: Iterable[str]) -> str:
    """Return a hint that lists similar names, or an empty string."""
    matches = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return f" (near it: {', '.join(matches)})" if matches else ""


def _parse_json(path: Path, where: str, text: str, expected: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        shown = short(text.strip(), 40)
        raise ValueError(f"{path}, {where}, is {shown!r}, not JSON: {reason}; expected {expected}") from error


def _describe(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)} entries"
    return "null" if value is None else short(repr(value), 40)
