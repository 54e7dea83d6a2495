"""Vectors as lists of numbers in JSON Lines or in the cells of a table."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from isotropy_report._options import option, setting
from isotropy_report.io._refusals import short
from isotropy_report.io.formats import is_gzipped, open_binary, text_lines
from isotropy_report.io.limits import Allowance, most_cells

ID_NAMES = ("id", "_id", "key", "word", "name")
"""Keys that may contain the names of rows; the first one present is used."""

_MOST_BRACKETS = 100_000
"""Maximum number of objects and lists in a line of JSON; each takes at least 60 bytes once parsed."""


class NamedVectors(NamedTuple):
    """Vectors, with a name for each of them if the file contains names."""

    vectors: npt.NDArray[Any]
    names: list[str] | None


class ListRows:
    """Rows as they come, each with the same number of values."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n = -1
        self.first = ""
        self.names: list[str] = []
        self.letters = 0
        self.content = bytearray()
        self.allowance = Allowance(path, compressed=is_gzipped(path))

    def add(self, place: str, values: Any, name: Any = None) -> None:
        """Add a list of numbers with an optional name; `place` is the position of the list in errors."""
        if not isinstance(values, list) or not values:
            self._refuse(place, f"{_shown(values)} is not a list of numbers")
        if not set(map(type, values)) <= {int, float}:
            wrong = next(i for i, value in enumerate(values) if type(value) not in (int, float))
            hint = "a list in each line, as jq -c '.[]' writes them"
            expected = hint if isinstance(values[wrong], list) else "finite numbers"
            self._refuse(place, f"entry {wrong} of the list is {_shown(values[wrong])}", expected)
        if self.n < 0:
            self.n, self.first = len(values), place
        if len(values) != self.n:
            self._refuse(
                place, f"the list has {len(values)} numbers, and that of {self.first} has {self.n}", "as many"
            )
        if len(values) > most_cells():
            self._refuse(place, f"more than {most_cells():,} numbers", "one point (a .npy has no such limit)")
        try:
            row = np.array(values, dtype=np.float64)
        except OverflowError:
            self._refuse(place, "a number is beyond float64")
        if not np.isfinite(row).all():
            wrong = int(np.flatnonzero(~np.isfinite(row))[0])
            self._refuse(place, f"entry {wrong} of the list is {row[wrong]}")
        self.content += row.tobytes()
        if name is not None:
            self.names.append(str(name))
            self.letters += len(str(name))
        self.allowance.check(len(self.content) + self.letters, n_words=len(self.names))

    def _refuse(self, place: str, found: str, expected: str = "finite numbers") -> NoReturn:
        raise ValueError(f"{self.path}, {place}: {found}; expected {expected}")

    def result(self) -> NamedVectors:
        """Return all rows, with their names if each row has a unique name."""
        vectors = np.frombuffer(self.content).reshape(-1, self.n)
        different = len(self.names) == len(vectors) == len(set(self.names))
        return NamedVectors(vectors, self.names if different else None)


def read_json_lines(path: Path, *, column: str | None = None, with_names: bool = False) -> NamedVectors:
    """Read a vector from each line, which is a list of numbers or an object with a list at key `column`.

    By default, `column` is the only key of the first line whose value is a list of numbers.
    """
    key, id_key, started = column, None, False
    with open_binary(path) as stream:
        rows = ListRows(path)
        for number, line in enumerate(text_lines(path, stream), start=1):
            if not line.strip():
                continue
            place = f"line {number}"
            record = _parsed(path, place, line)
            if not started and isinstance(record, dict):
                key = only_list(path, _lists(record), column, list(record), what="key")
                if with_names:
                    id_key = next((name for name in ID_NAMES if name in record and name != key), None)
            started = True
            if isinstance(record, list) and key is None:
                rows.add(place, record)
                continue
            if not isinstance(record, dict) or key is None:
                raise ValueError(
                    f"{path}, {place}: {_shown(record)}; expected "
                    + ("a list of numbers, as above" if key is None else f"an object with the key {key!r}")
                )
            if key not in record:
                raise ValueError(f"{path}, {place}: the key {key!r} is missing; expected it in every line")
            rows.add(f"{place}, {key!r}", record[key], None if id_key is None else record.get(id_key))
    if not started:
        raise ValueError(f"{path} holds blank lines only: there is nothing in it")
    return rows.result()


def parse_list(path: Path, place: str, text: str) -> Any:
    """Return the list that a table cell contains as JSON."""
    if "..." in text:
        raise ValueError(
            f"{path}, {place}: {text[:40]!r} leaves out numbers, as NumPy prints long arrays; they are lost, "
            "expected all of them"
        )
    return _parsed(path, place, text)


def only_list(
    path: object, lists: Sequence[str], column: str | None, present: Sequence[str], *, what: str
) -> str:
    """Return the name of the vectors: `column`, or the only entry of `lists`; errors name the entries."""
    listed = short(", ".join(map(repr, present)) or "nothing")
    if column is not None:
        if column not in present:
            raise ValueError(
                f"{option('column')} is {short(column)!r}{similar_names(column, present)}; "
                f"{path} has {listed}"
            )
        return column
    if len(lists) == 1:
        return lists[0]
    if lists:
        choices = short(", ".join(map(repr, lists)))
        raise ValueError(
            f"{path} has {len(lists)} {what}s that hold lists of numbers: {choices}; expected one, or "
            f"{setting('column')} to choose"
        )
    raise ValueError(f"{path} has no {what} that holds a list of numbers; it has {listed}")


def similar_names(name: str, known: Iterable[str]) -> str:
    """Return a hint that lists similar names, or an empty string."""
    found = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    return f" (near it: {', '.join(map(repr, found))})" if found else ""


def _parsed(path: Path, place: str, text: str) -> Any:
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise ValueError(f"{path}, {place}: more than {_MOST_BRACKETS:,} brackets; expected one vector")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise ValueError(
            f"{path}, {place}: {short(text.strip(), 40)!r} is not JSON ({reason}); expected JSON lines: a "
            "whole object or list of numbers in each line"
        ) from error


def _lists(record: dict[str, Any]) -> list[str]:
    return [
        key
        for key, value in record.items()
        if isinstance(value, list) and value and all(type(entry) in (int, float) for entry in value)
    ]


def _shown(value: Any) -> str:
    if isinstance(value, (list, dict)):
        kind = "list" if isinstance(value, list) else "object"
        return f"an {kind} of {len(value)} entries" if kind == "object" else f"a list of {len(value)} entries"
    return "null" if value is None else short(repr(value), 40)
