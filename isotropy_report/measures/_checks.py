"""Checks of arguments that several modules of this wing share: two sets of vectors of the same items."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks


def as_pair(
    A: checks.Points, B: checks.Points, *, min_points: int
) -> tuple[checks.FloatArray, checks.FloatArray]:
    """Return the vectors of the same items by two models, row beside row."""
    a = checks.as_points(A, "A", min_points=min_points)
    b = checks.as_points(B, "B", min_points=min_points)
    if len(a) != len(b):
        raise ValueError(
            f"A has {len(a)} rows and B has {len(b)}; expected the same items in the same order, one row each: "
            "otherwise there is no telling which row of one is which of the other"
        )
    return a, b


def matching_rows(ids: Any, n_a: int, n_b: int) -> NDArray[np.intp]:
    """Return the row of B for each row of A."""
    if not isinstance(ids, (tuple, list)) or len(ids) != 2:
        raise TypeError(f"ids is {checks.describe(ids)}; expected a pair: the ids of A's rows, those of B's")
    places: list[dict[Any, int]] = []
    for side, name, length in zip(ids, "AB", (n_a, n_b), strict=True):
        listed = side.tolist() if hasattr(side, "tolist") else side
        if isinstance(listed, str) or not checks.is_iterable(listed):
            raise TypeError(f"ids has {checks.describe(side)} for {name}; expected one for each of its rows")
        listed = list(listed)
        if not all(isinstance(item, Hashable) for item in listed):
            raise TypeError(
                f"ids of {name} has a list or another thing that changes; expected numbers or text"
            )
        if len(listed) != length:
            raise ValueError(
                f"ids has {len(listed)} for {name}, which has {length} rows; expected one for each row"
            )
        found: dict[Any, int] = {}
        for row, item in enumerate(listed):
            if found.setdefault(item, row) != row:
                raise ValueError(
                    f"ids of {name} has {item!r} twice, in rows {found[item]} and {row}; expected each id once"
                )
        places.append(found)
    for (first, one), (second, other) in (
        (("A", places[0]), ("B", places[1])),
        (("B", places[1]), ("A", places[0])),
    ):
        missing = [item for item in one if item not in other]
        if missing:
            raise ValueError(
                f"ids: {len(missing)} of the {len(one)} items of {first} are not in {second}, first {missing[0]!r}; "
                "expected the same items: keep those that both have"
            )
    return np.fromiter((places[1][item] for item in places[0]), dtype=np.intp, count=n_a)


def check_n_resamples(value: Any) -> int:
    """Return the number of permutations; 0 leaves the test out."""
    number = checks.check_integer(value, "n_resamples", low=0)
    if 0 < number < 19:
        raise ValueError(
            f"n_resamples is {number}; expected 0, for no test, or at least 19: below, no p-value reaches .05"
        )
    return number
