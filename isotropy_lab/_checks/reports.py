"""Report cards, costs on paper, estimates from samples, results of benchmarks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import describe


def check_finite_rows(array: npt.NDArray[Any], block: npt.NDArray[Any], start: int) -> None:
    """Raise ValueError if a block of X has a NaN or inf, naming the first row of X that has one."""
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if not bad.size:
        return
    value = block[bad[0]][~np.isfinite(block[bad[0]])][0]
    hint = ""
    if array.dtype == np.float16 and np.isinf(value):
        hint = "; float16 ends at 65504, and what was larger became inf when it was saved: save it as float32"
    raise ValueError(
        f"X has NaN or inf, first in row {start + int(bad[0])} ({value}), one of {bad.size} such rows in a block of "
        f"{len(block)}; expected finite numbers{hint}"
    )


def check_report_path(path: Any) -> str:
    """Return the ending of the path that a report is to be written to, .html or .json."""
    try:
        suffix = os.path.splitext(os.fspath(path))[1].lower()
    except TypeError:
        raise TypeError(
            f"path is {describe(path)}; expected the path of a file that ends in .html or .json"
        ) from None
    if suffix not in (".html", ".json"):
        raise ValueError(f"path is {os.fspath(path)!r}; expected a file that ends in .html or .json")
    return str(suffix)


def as_real_dtype(dtype: Any, name: str = "dtype") -> np.dtype[Any]:
    """Return a dtype of real numbers."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{name} is {describe(dtype)}; expected a dtype of real numbers") from None
    if found.kind not in "biuf":
        raise TypeError(f"{name} is {found}; expected a dtype of real numbers")
    return found


def check_workers(workers: int, score: str, shared: Sequence[str]) -> None:
    """Refuse several processes for a score that one process takes."""
    if workers > 1 and score not in shared:
        raise ValueError(f"workers is {workers}, and {score!r} is computed by one; expected workers=1")


def check_inverse_dimension(mean: float, k: int) -> None:
    """Refuse a cloud whose neighbors are all equally far."""
    if not mean > 0:
        raise ValueError(
            f"X has all {k} nearest neighbors at one distance for every query, where the intrinsic dimension is "
            "infinite; expected points off a regular grid, or another n_neighbors"
        )


def check_results(results: Any) -> None:
    """Refuse what is no mapping from wings to their results."""
    if not isinstance(results, Mapping) or not results:
        raise ValueError(f"results is {describe(results)}; expected what benchmarks_page.load returns")
    for wing, found in results.items():
        if not isinstance(found, Mapping) or "rows" not in found:
            raise ValueError(f"results has no rows for {wing!r}; expected what benchmarks_page.load returns")
