"""Conversion of students' answers to numbers and arrays, with messages that explain what is wrong."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reanalyses.course.exercise import Exercise, Wrong

Array = NDArray[np.float64]

#: If the solution exceeds this number, a whole number that rounds it is reported as rounded.
MIN_WHOLE_NUMBER = 5
#: Relative difference below which an answer is not printed, because it would reveal the solution.
REVEALING_DIFFERENCE = 0.05


def array(answer: Any, name: str) -> Array:
    """Return an answer as a float64 array; raise `Wrong` with an explanation if it is not numeric."""
    if answer is None:
        raise Wrong(f"your {name} is None. Is a `return` missing from a function?")
    if isinstance(answer, (str, bytes)):
        raise Wrong(f"your {name} is text. Hand in numbers, without quotation marks.")
    if callable(answer):
        raise Wrong(f"your {name} is a function. Call it, and hand in what it returns.")
    try:
        raw = np.asarray(answer)
        values = raw.astype(np.float64) if raw.dtype.kind in "buif" else np.asarray(raw.tolist(), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Wrong(f"your {name} has the type {type(answer).__name__}; expected real numbers.") from None
    if values.size == 0:
        raise Wrong(f"your {name} is empty.")
    if np.isnan(values).any():
        raise Wrong(f"your {name} contains NaN (not a number). Was something divided by zero, or left empty?")
    if np.isinf(values).any():
        raise Wrong(f"your {name} contains an infinite value. Was something divided by zero?")
    return values


def number(answer: Any, name: str) -> float:
    """Return an answer as a single number; raise `Wrong` if it is not one number."""
    values = array(answer, name)
    if values.size != 1:
        raise Wrong(f"your {name} has {values.size} numbers. Hand in a single number.")
    return float(values.reshape(-1)[0])


def rows(answer: Any, name: str, n_columns: int, n_rows: int | None = None) -> Array:
    """Return an answer as a matrix with the given number of columns and one point per row."""
    values = array(answer, name)
    if values.ndim != 2 or values.shape[1] != n_columns or (n_rows is not None and len(values) != n_rows):
        expected = f"({'N' if n_rows is None else n_rows}, {n_columns})"
        raise Wrong(f"your {name} has the shape {values.shape}; expected the shape {expected}.")
    return values


def split_parts(answer: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the parts of an answer, which is a sequence in the order of `names` or a mapping with these keys."""
    order = ", ".join(names)
    if answer is None or isinstance(answer, (str, bytes)) or callable(answer):
        raise Wrong(f"the answer has {len(names)} parts. Hand them in, in this order: {order}.")
    if isinstance(answer, Mapping):
        missing = [name for name in names if name not in answer]
        if missing:
            raise Wrong(f"your answer has no {missing[0]!r}. Hand in {order}.")
        return tuple(answer[name] for name in names)
    try:
        parts = tuple(answer)
    except TypeError:
        parts = (answer,)
    if len(parts) != len(names):
        n_parts = "1 part" if len(parts) == 1 else f"{len(parts)} parts"
        raise Wrong(f"your answer has {n_parts}. Hand in {len(names)} parts, in this order: {order}.")
    return parts


def compare(exercise: Exercise, answer: Any, solution: Any) -> None:
    """Raise `Wrong` if an answer differs from the solution, naming the part and the direction of the error."""
    has_parts = len(exercise.parts) > 1
    parts = split_parts(answer, exercise.parts) if has_parts else (answer,)
    targets = tuple(solution) if has_parts else (solution,)
    decimals = exercise.decimals or (9,) * len(targets)  # none: no rounded answer is accepted
    for name, part, target, n in zip(exercise.parts, parts, targets, decimals, strict=True):
        if isinstance(target, (set, frozenset)):
            _compare_words(name, part, target)
        else:
            _compare_numbers(exercise, name, array(part, name), np.asarray(target, np.float64), n)


def equals_rounded(values: Any, solution: Any, decimals: int) -> Any:
    """Return a mask of the values that equal the solution rounded to the given number of decimals, or to more (up to 8)."""
    matches = [np.isclose(values, np.round(solution, d), rtol=0, atol=1e-9) for d in range(decimals, 9)]
    return np.any(matches, axis=0)


def is_equal(exercise: Exercise, answer: Any, solution: Any) -> bool:
    """Return whether an answer equals the solution within the tolerances of the exercise."""
    try:
        compare(exercise, answer, solution)
    except Wrong:
        return False
    return True


def _compare_words(name: str, answer: Any, solution: set[str] | frozenset[str]) -> None:
    if answer is None or isinstance(answer, (str, bytes)) or not np.iterable(answer):
        raise Wrong(f"your {name} is not a list of names. Hand in a list or a set, even for a single name.")
    given_names = {str(item) for item in answer}
    if extra := given_names - solution:
        raise Wrong(f"{len(extra)} of the {len(given_names)} names in your {name} should not be in it.")
    if solution - given_names:
        raise Wrong(f"every name in your {name} is correct, but your {name} is not complete.")


def _compare_numbers(exercise: Exercise, name: str, values: Array, solution: Array, decimals: int) -> None:
    if solution.ndim == 0 and values.size == 1:
        values = values.reshape(())
    if values.shape != solution.shape:
        expected = "one number" if solution.ndim == 0 else f"the shape {solution.shape}"
        raise Wrong(f"your {name} has the shape {values.shape}; expected {expected}.")
    tolerance = exercise.atol + exercise.rtol * np.abs(solution)
    is_wrong = (np.abs(values - solution) > tolerance) & ~equals_rounded(values, solution, decimals)
    if not is_wrong.any():
        return
    if solution.ndim:
        position = tuple(int(i) for i in np.argwhere(is_wrong)[0])
        index = str(position[0]) if len(position) == 1 else str(position)
        n_wrong = f"{is_wrong.sum()} of the {is_wrong.size} numbers"
        raise Wrong(f"{n_wrong} in your {name} are wrong; the first is at index {index}.")
    if np.abs(solution) > MIN_WHOLE_NUMBER and values == np.rint(solution):
        raise Wrong(f"your {name} is right as a whole number. Hand in the number before rounding.")
    if np.abs(values - solution) <= REVEALING_DIFFERENCE * np.abs(solution):
        hint = "Did you round it, approximate a step, or miscount by one?"
        raise Wrong(f"your {name} is close, but not close enough. {hint}")
    if solution != 0 and np.abs(values + solution) <= tolerance:
        raise Wrong(f"your {name} has the wrong sign.")
    raise Wrong(f"your {name}, {float(values):.4g}, is too {'large' if values > solution else 'small'}.")
