"""Argument checks shared by several measures: two sets of vectors of the same items."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks


def as_pair(
    A: checks.Points, B: checks.Points, *, min_points: int
) -> tuple[checks.FloatArray, checks.FloatArray]:
    """Return two models' vectors of the same items, after checking that the numbers of rows are equal."""
    a = checks.as_points(A, "A", min_points=min_points)
    b = checks.as_points(B, "B", min_points=min_points)
    if len(a) != len(b):
        raise ValueError(
            f"A has {len(a)} rows, and B has {len(b)}; expected vectors of the same items in the same order"
        )
    return a, b


def matching_rows(
    ids: tuple[Any, Any], sizes: tuple[int, int], *, names: tuple[str, str], argument: str = "ids"
) -> NDArray[np.intp]:
    """Return the row of the second set for each row of the first; `names` are used in error messages."""
    places: list[dict[Any, int]] = []
    for side, name, length in zip(ids, names, sizes, strict=True):
        listed = side.tolist() if hasattr(side, "tolist") else side
        if isinstance(listed, str) or not checks.is_iterable(listed):
            raise TypeError(
                f"{argument} of {name} is {checks.describe(side)}; expected a sequence with one ID per row"
            )
        listed = list(listed)
        if not all(isinstance(item, Hashable) for item in listed):
            raise TypeError(
                f"{argument} of {name} contains a mutable value, such as a list; expected numbers or strings"
            )
        if len(listed) != length:
            raise ValueError(
                f"{argument} of {name} has {len(listed)} entries for {length} rows; expected one ID per row"
            )
        found: dict[Any, int] = {}
        for row, item in enumerate(listed):
            if found.setdefault(item, row) != row:
                raise ValueError(
                    f"{argument} of {name} has {item!r} twice, in rows {found[item]} and {row}; expected "
                    "unique IDs"
                )
        places.append(found)
    for first, second in ((0, 1), (1, 0)):
        missing = [item for item in places[first] if item not in places[second]]
        if missing:
            raise ValueError(
                f"{argument}: {len(missing)} of the {len(places[first])} items of {names[first]} are not in "
                f"{names[second]} (first: {missing[0]!r}); expected the same items (keep only common items)"
            )
    return np.fromiter((places[1][item] for item in places[0]), dtype=np.intp, count=sizes[0])
