"""Checks of arguments that several modules here share."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from isotropy_lab._core import checks


def check_name(value: Any, name: str, known: Sequence[str], *, what: str) -> str:
    """Return `value` if it is one of the names known, else raise with those that are spelled like it, or all."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {checks.describe(value)}; expected the name of a {what}")
    if value not in known:
        near = difflib.get_close_matches(value.lower().replace("_", "-").replace(" ", "-"), known, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}? expected" if near else "expected"
        raise ValueError(f"{name} is {value!r}; {hint} one of {', '.join(known)}")
    return value
