"""Numbers, names and other options."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from isotropy_lab._checks.arrays import RandomState, describe


def check_option(value: Any, name: str, options: Sequence[str]) -> str:
    """Return `value` if it is one of `options`, else raise ValueError listing them."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} is {value!r}; expected one of {listed}")
    return value


def check_integer(value: Any, name: str, *, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int within [low, high]."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); expected a whole number") from None
    if number < low or (high is not None and number > high):
        expected = f"at least {low}" if high is None else f"a whole number from {low} to {high}"
        raise ValueError(f"{name} is {number}; expected {expected}{f' ({why})' if why else ''}")
    return number


def check_real(
    value: Any, name: str, *, low: float, high: float, open_low: bool = False, open_high: bool = False
) -> float:
    """Return `value` as a float within the stated interval."""
    left, right = "(" if open_low else "[", ")" if open_high else "]"
    try:
        if isinstance(value, (str, bytes)):  # which float would read
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}); expected a number in {left}{low:g}, {high:g}{right}"
        ) from None
    inside = (number > low if open_low else number >= low) and (
        number < high if open_high else number <= high
    )
    if math.isnan(number) or not inside:
        raise ValueError(f"{name} is {number:g}; expected a number in {left}{low:g}, {high:g}{right}")
    return number


def check_confidence_level(value: Any, name: str = "confidence_level") -> float:
    """Return `value` as a float strictly between 0 and 1."""
    return check_real(value, name, low=0.0, high=1.0, open_low=True, open_high=True)


def as_generator(rng: RandomState, name: str = "rng") -> np.random.Generator:
    """Return a generator: the one given, one made from a seed, or one with fresh entropy for None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)):
        raise TypeError(f"{name} is {describe(rng)}; expected a numpy.random.Generator, an integer or None")
    if rng < 0:
        raise ValueError(f"{name} is {rng}; expected a seed of at least 0")
    return np.random.default_rng(int(rng))


def check_several(values: Any, name: str, what: str) -> tuple[Any, ...]:
    """Return one or more things as a tuple; a text is one thing, not its letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {describe(values)}; expected a sequence of {what}, as in [{values!r}]")
    found = tuple(values)
    if not found:
        raise ValueError(f"{name} is empty; expected at least one of {what}")
    return found


def check_range_pair(values: Any, name: str) -> tuple[Any, Any]:
    """Return the two ends of a range."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or len(values) != 2:
        raise ValueError(f"{name} is {values!r}; expected two numbers, the least and the largest")
    return values[0], values[1]


def check_flag(value: Any, name: str) -> bool:
    """Return True or False if `value` is one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {describe(value)}; expected True or False")
    return bool(value)
