"""Scaling of rows by powers of two or to unit length, and release of the pages of memory maps."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

Floats = npt.NDArray[np.float64]


def scaled_rows(rows: checks.Points) -> Floats:
    """Divide each row by a power of two, which prevents overflow of squares without loss of precision."""
    x = np.asarray(rows, dtype=np.float64)
    return np.asarray(np.ldexp(x, -np.frexp(np.abs(x).max(axis=1))[1][:, None]))


def unit_rows(rows: checks.Points, name: str | None = None) -> Floats:
    """Return unit-norm rows in float64; if `name` is given, reject NaN, inf, and zero rows."""
    if name is not None:
        rows = checks.as_points(rows, name)
        checks.check_no_zero_rows(np.abs(rows).max(axis=1), name)
    x = scaled_rows(rows)
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))


def release(array: Any) -> None:
    """Release the pages read from a memory map, which would otherwise remain resident.

    Skip copy-on-write maps, whose changes would be lost, and maps that NumPy did not create.
    """
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    mapping = getattr(array, "_mmap", None)
    if mapping is not None and getattr(array, "mode", "c") != "c" and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)
