"""Conversion of students' answers to numbers and arrays, with messages that explain what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reanalyses.course.exercise import Exercise, Wrong

__all__ = ["array", "compare", "number", "rounded", "rows", "same", "taken_apart"]

Array = NDArray[np.float64]

#: Within this relative difference, a whole number may be a rounded answer.
LARGE = 5
#: Within this relative difference of the solution, an answer is not printed, since it would reveal the solution.
NEAR = 0.05


def array(answer: Any, what: str) -> Array:
    """Return an answer as a float64 array; raise `Wrong` with an explanation if it is not numeric."""
    if answer is None:
        raise Wrong(f"your {what} is None. Is a `return` missing from a function?")
    if isinstance(answer, (str, bytes)):
        raise Wrong(f"your {what} is text. Hand in numbers, without quotation marks.")
    if callable(answer):
        raise Wrong(f"your {what} is a function. Call it, and hand in what it returns.")
    try:
        raw = np.asarray(answer)
        found = raw.astype(np.float64) if raw.dtype.kind in "buif" else np.asarray(raw.tolist(), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Wrong(f"your {what} has the type {type(answer).__name__}; expected real numbers.") from None
    if found.size == 0:
        raise Wrong(f"your {what} is empty.")
    if np.isnan(found).any():
        raise Wrong(f"your {what} contains NaN (not a number). Was something divided by zero, or left empty?")
    if np.isinf(found).any():
        raise Wrong(f"your {what} contains an infinite value. Was something divided by zero?")
    return found


def number(answer: Any, what: str) -> float:
    """Return an answer as a single number."""
    found = array(answer, what)
    if found.size != 1:
        raise Wrong(f"your {what} has {found.size} numbers. Hand in a single number.")
    return float(found.reshape(-1)[0])


def rows(answer: Any, what: str, n_columns: int, n_rows: int | None = None) -> Array:
    """Return an answer as a matrix with the given number of columns and one point per row."""
    found = array(answer, what)
    if found.ndim != 2 or found.shape[1] != n_columns or (n_rows is not None and len(found) != n_rows):
        wanted = f"({'N' if n_rows is None else n_rows}, {n_columns})"
        raise Wrong(f"your {what} has the shape {found.shape}; expected the shape {wanted}.")
    return found


def taken_apart(answer: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the parts of an answer given as a sequence or as a mapping."""
    wanted = ", ".join(names)
    if answer is None or isinstance(answer, (str, bytes)) or callable(answer):
        raise Wrong(f"the answer has {len(names)} parts. Hand them in, in this order: {wanted}.")
    if isinstance(answer, Mapping):
        missing = [name for name in names if name not in answer]
        if missing:
            raise Wrong(f"your answer has no {missing[0]!r}. Hand in {wanted}.")
        return tuple(answer[name] for name in names)
    try:
        parts = tuple(answer)
    except TypeError:
        parts = (answer,)
    if len(parts) != len(names):
        parts_given = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        raise Wrong(f"your answer has {parts_given}. Hand in {len(names)} parts, in this order: {wanted}.")
    return parts


def compare(exercise: Exercise, answer: Any, right: Any) -> None:
    """Raise `Wrong` if an answer differs from the solution, naming the part and the direction of the error."""
    many = len(exercise.parts) > 1
    given = taken_apart(answer, exercise.parts) if many else (answer,)
    expected = tuple(right) if many else (right,)
    decimals = exercise.decimals or (9,) * len(expected)  # none: no rounded answer is accepted
    for name, one, other, n in zip(exercise.parts, given, expected, decimals, strict=True):
        if isinstance(other, (set, frozenset)):
            _compare_words(name, one, other)
        else:
            _compare_numbers(exercise, name, array(one, name), np.asarray(other, np.float64), n)


def rounded(found: Any, right: Any, decimals: int) -> Any:
    """Return where numbers equal the solution rounded to the given number of decimals, or to more, up to eight."""
    close = [np.isclose(found, np.round(right, d), rtol=0, atol=1e-9) for d in range(decimals, 9)]
    return np.any(close, axis=0)


def same(exercise: Exercise, answer: Any, right: Any) -> bool:
    """Return whether two answers are equal within the tolerance of the exercise."""
    try:
        compare(exercise, answer, right)
    except Wrong:
        return False
    return True


def _compare_words(name: str, answer: Any, right: set[str] | frozenset[str]) -> None:
    if answer is None or isinstance(answer, (str, bytes)) or not np.iterable(answer):
        raise Wrong(f"your {name} is not a list of names. Hand in a list or a set, even for a single name.")
    found = {str(item) for item in answer}
    if extra := found - right:
        raise Wrong(f"{len(extra)} of the {len(found)} names in your {name} should not be in it.")
    if right - found:
        raise Wrong(f"every name in your {name} is correct, but your {name} is not complete.")


def _compare_numbers(exercise: Exercise, name: str, found: Array, right: Array, decimals: int) -> None:
    if right.ndim == 0 and found.size == 1:
        found = found.reshape(())
    if found.shape != right.shape:
        wanted = "one number" if right.ndim == 0 else f"the shape {right.shape}"
        raise Wrong(f"your {name} has the shape {found.shape}; expected {wanted}.")
    allowed = exercise.atol + exercise.rtol * np.abs(right)
    off = (np.abs(found - right) > allowed) & ~rounded(found, right, decimals)
    if not off.any():
        return
    if right.ndim:
        place = tuple(int(i) for i in np.argwhere(off)[0])
        where = str(place[0]) if len(place) == 1 else str(place)
        wrong = f"{off.sum()} of the {off.size} numbers"
        raise Wrong(f"{wrong} in your {name} are wrong; the first one is at index {where}.")
    if np.abs(right) > LARGE and found == np.rint(right):
        raise Wrong(f"your {name} is right as a whole number. Hand in the number before rounding.")
    if np.abs(found - right) <= NEAR * np.abs(right):
        hint = "Did you round it, approximate a step, or miscount by one?"
        raise Wrong(f"your {name} is close, but not close enough. {hint}")
    if right != 0 and np.abs(found + right) <= allowed:
        raise Wrong(f"your {name} has the wrong sign.")
    raise Wrong(f"your {name}, {float(found):.4g}, is too {'large' if found > right else 'small'}.")
