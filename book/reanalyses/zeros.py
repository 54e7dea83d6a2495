"""Zeros of the book have no sign."""

from __future__ import annotations

import re

__all__ = ["unsigned_zeros"]


def unsigned_zeros(text: str) -> str:
    """Return a text in which no zero has a sign: what is zero but for rounding is above it on one processor, below on another.

    Examples
    --------
    >>> unsigned_zeros("I_A +0.0000 (-0.0 to -0.05), 10-0.5, 1e-0, −0 %")
    'I_A 0.0000 (0.0 to -0.05), 10-0.5, 1e-0, 0 %'
    """
    return re.sub(r"(?<![\w.)])[-+−](?=0(\.0+)?(?!\w|\.\d))", "", text)
