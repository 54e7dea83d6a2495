"""Zeros of the book have no sign, and what is zero but for rounding is 0."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import SupportsFloat

__all__ = ["listed", "or_zero", "unsigned_zeros"]

#: Beside numbers near 1, less than this is rounding, and another processor rounds otherwise.
ROUNDING = 1e-12


def or_zero(value: float, form: str = ".1e") -> str:
    """Return a number in some form, or "0" where it is only rounding of numbers near 1."""
    return "0" if abs(value) < ROUNDING else f"{value:{form}}"


def listed(values: Iterable[SupportsFloat], digits: int = 3) -> str:
    """Return numbers with some significant digits, and commas between them."""
    return ", ".join(or_zero(float(value), f".{digits}g") for value in values)


def unsigned_zeros(text: str) -> str:
    """Return a text in which no zero has a sign: what is zero but for rounding is above it on one processor, below on another."""
    return re.sub(r"(?<![\w.)])[-+−](?=0(\.0+)?(?!\w|\.\d))", "", text)
