"""Number formats that do not depend on the processor: zeros without a sign, and rounding errors as 0."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import SupportsFloat

#: Smaller values are rounding errors of computations with numbers near 1, and depend on the processor.
ROUNDING = 1e-12


def or_zero(value: float, spec: str = ".1e") -> str:
    """Return a formatted number, or "0" if it is only a rounding error of numbers near 1."""
    return "0" if abs(value) < ROUNDING else f"{value:{spec}}"


def listed(values: Iterable[SupportsFloat], digits: int = 3) -> str:
    """Return numbers as text, rounded to a number of significant digits and separated by commas."""
    return ", ".join(or_zero(float(value), f".{digits}g") for value in values)


def unsigned_zeros(text: str) -> str:
    """Remove the signs of zeros from a text, since the sign of a rounding error depends on the processor."""
    return re.sub(r"(?<![\w.)])[-+−](?=0(\.0+)?(?!\w|\.\d))", "", text)
