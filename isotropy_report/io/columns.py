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
_LEAST_ROWS = 8
"""By chance, this many numbers increase in only one of 40,000 columns."""


@dataclasses.dataclass(frozen=True)
class Selection:
    """Columns to keep or to drop, as names or patterns with ``*``; all columns are kept if it is empty."""

    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.columns or self.drop)

    def leaves_out(self, name: str) -> bool:
        """Return whether a column is excluded."""
        return name in self.drop or (bool(self.columns) and name not in self.columns)

    def places(self, path: object, names: Sequence[str]) -> list[int] | None:
        """Return the positions of the selected columns in file order, or None if all columns are selected."""
        if not self:
            return None
        taken = _found(path, names, self.columns, "columns") if self.columns else set(range(len(names)))
        taken -= _found(path, names, self.drop, "drop")
        if not taken:
            raise ValueError(
                f"{path} has no column left after the selection; expected at least one of {_listed(names)}"
            )
        return sorted(taken)


def _found(path: object, names: Sequence[str], wanted: Sequence[str], chosen_by: str) -> set[int]:
    found: set[int] = set()
    for name in wanted:
        places = [i for i, present in enumerate(names) if present == name]
        if not places and "*" in name:
            places = [i for i, present in enumerate(names) if fnmatch.fnmatchcase(present, name)]
        if not places:
            raise ValueError(
                f"{option(chosen_by)} contains {short(name)!r}{similar_names(name, names)}; expected columns "
                f"of {path}, which has {_listed(names)}"
            )
        found.update(places)
    return found


def as_selection(columns: Any, drop: Any) -> Selection:
    """Return the `Selection` for the arguments `columns` and `drop` of `read`."""
    return Selection(_names(columns, "columns"), _names(drop, "drop"))


def _names(value: Any, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)) or not all(isinstance(entry, str) for entry in given):
        raise TypeError(f"{name} is {checks.describe(value)}; expected names of columns, or None")
    if not given:
        raise ValueError(f"{name} is empty; expected at least one name of a column, or None")
    return tuple(given)


def with_ids(wrong: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns without numbers and those whose names suggest that they number the rows."""
    return [name for name in names if name in wrong or _ID.fullmatch(name.strip())]


def warn_of_ids(path: object, array: npt.NDArray[Any], names: Sequence[str], *, named: bool) -> None:
    """Warn about columns that look like row numbers rather than dimensions."""
    odd = []
    for i in range(array.shape[1]):
        if named and _ID.fullmatch(names[i].strip()):
            odd.append(f"{short(names[i], 40)!r}, by its name")
        elif _increases(array[:, i]):
            odd.append(f"{short(names[i], 40)!r}, whose whole numbers increase from row to row")
    if odd:
        more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
        what, it = ("a column looks", "it") if len(odd) == 1 else ("some columns look", "them")
        warnings.warn(
            f"{path}: {what} like row numbers rather than dimensions: {'; '.join(odd[:5])}{more}. "
            f"{setting('drop')} leaves {it} out",
            UserWarning,
            stacklevel=2,
        )


def _increases(column: npt.NDArray[Any]) -> bool:
    if len(column) < _LEAST_ROWS or not column[0] < column[-1]:
        return False
    few = column[:_LEAST_ROWS]  # enough rows to rule out nearly all columns
    if not (np.diff(few) > 0).all() or (few != np.floor(few)).any():
        return False
    return bool((column[1:] > column[:-1]).all() and (column == np.floor(column)).all())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(short(name, 40)) for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown
