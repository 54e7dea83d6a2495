"""Selection of the columns that are dimensions, with warnings about columns that number the rows."""

from __future__ import annotations

import dataclasses
import fnmatch
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_report._options import option, setting, short
from isotropy_report.io.lists import similar_names

_ID = re.compile(r"(?i)_?id|index|idx|row|(?:row|doc|item|user|sentence|passage)[ _-]?id|unnamed: ?0|")
_MIN_ROWS = 8
"""By chance, this many numbers increase in only one of 40,000 columns."""


@dataclasses.dataclass(frozen=True)
class Selection:
    """Columns to keep or to drop, as names or patterns with ``*``; all columns are kept if it is empty."""

    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.columns or self.drop)

    def excludes(self, name: str) -> bool:
        """Return whether a column is excluded."""
        return name in self.drop or (bool(self.columns) and name not in self.columns)

    def positions(self, path: object, names: Sequence[str]) -> list[int] | None:
        """Return the positions of the selected columns in file order, or None if all columns are selected."""
        if not self:
            return None
        kept = _matching(path, names, self.columns, "columns") if self.columns else set(range(len(names)))
        kept -= _matching(path, names, self.drop, "drop")
        if not kept:
            raise ValueError(
                f"{path} has no column left after the selection; expected at least one of {_listing(names)}"
            )
        return sorted(kept)


def _matching(path: object, names: Sequence[str], patterns: Sequence[str], argument: str) -> set[int]:
    selected: set[int] = set()
    for pattern in patterns:
        positions = [i for i, name in enumerate(names) if name == pattern]
        if not positions and "*" in pattern:
            positions = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
        if not positions:
            hint = similar_names(pattern, names)
            raise ValueError(
                f"{option(argument)} contains {short(pattern)!r}{hint}; expected columns "
                f"of {path}, which has {_listing(names)}"
            )
        selected.update(positions)
    return selected


def as_selection(columns: Any, drop: Any) -> Selection:
    """Return the `Selection` for the arguments `columns` and `drop` of `read`."""
    return Selection(_check_names(columns, "columns"), _check_names(drop, "drop"))


def _check_names(value: Any, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, (list, tuple)) or not all(isinstance(entry, str) for entry in entries):
        raise TypeError(f"{name} is {checks.describe(value)}; expected names of columns, or None")
    if not entries:
        raise ValueError(f"{name} is empty; expected at least one name of a column, or None")
    return tuple(entries)


def droppable(invalid: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns without numbers and those whose names suggest that they number the rows."""
    return [name for name in names if name in invalid or _ID.fullmatch(name.strip())]


def warn_of_row_numbers(path: object, array: npt.NDArray[Any], names: Sequence[str], *, named: bool) -> None:
    """Warn about columns that look like row numbers rather than dimensions."""
    suspects = []
    for i in range(array.shape[1]):
        if named and _ID.fullmatch(names[i].strip()):
            suspects.append(f"{short(names[i], 40)!r}, by its name")
        elif _counts_upward(array[:, i]):
            suspects.append(f"{short(names[i], 40)!r}, whose whole numbers increase from row to row")
    if suspects:
        more = f" and {len(suspects) - 5} more" if len(suspects) > 5 else ""
        subject, pronoun = ("a column looks", "it") if len(suspects) == 1 else ("some columns look", "them")
        warnings.warn(
            f"{path}: {subject} like row numbers rather than dimensions: {'; '.join(suspects[:5])}{more}. "
            f"{setting('drop')} leaves {pronoun} out",
            UserWarning,
            stacklevel=2,
        )


def _counts_upward(column: npt.NDArray[Any]) -> bool:
    if len(column) < _MIN_ROWS or not column[0] < column[-1]:
        return False
    first_rows = column[:_MIN_ROWS]  # enough rows to rule out nearly all columns
    if not (np.diff(first_rows) > 0).all() or (first_rows != np.floor(first_rows)).any():
        return False
    return bool((column[1:] > column[:-1]).all() and (column == np.floor(column)).all())


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(repr(short(name, 40)) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown
