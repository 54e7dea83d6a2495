"""Report cards, costs on paper, estimates from samples, results of benchmarks."""

from __future__ import annotations

import os
from typing import Any

from isotropy_lab._checks.arrays import describe


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
