"""Python in the browser: its files, cells that do not run there, and times.

The files are those of the lock file, ``book/_live/lock.json``, and the times those of
``benchmarks/live.json``, which ``python -m benchmarks.live`` writes.
"""

from __future__ import annotations

import functools
import hashlib
import json
import statistics
from pathlib import Path
from typing import Any

import pandas as pd

_BOOK = Path(__file__).resolve().parents[1]
_RESULTS = _BOOK.parent / "benchmarks" / "live.json"


def load() -> dict[str, Any]:
    """Return the most recently measured times."""
    return dict(json.loads(_RESULTS.read_text(encoding="utf-8")))


def digest(source: str) -> str:
    """Return the key of a cell in the table of measured times, given its code."""
    return hashlib.sha256(source.encode()).hexdigest()[:8]


@functools.cache
def seconds() -> dict[str, float]:
    """Return the seconds that cells of lessons took in the browser, keyed by the digest of their code."""
    return {key: value for row in load()["lessons"] for key, value in row.get("cells", {}).items()}


def median_seconds(results: dict[str, Any], cache: str) -> float:
    """Return the median seconds from the click to the first result, for a "cold" or "warm" cache or "prepared"."""
    return float(statistics.median(results["first_result"][cache]))


def times(results: dict[str, Any]) -> pd.DataFrame:
    """Return the time that each lesson takes in the browser and in CPython.

    The columns are page (its title), tab (seconds in the browser), cpython (seconds), and ratio.
    """
    rows = pd.DataFrame(results["lessons"])[["page", "tab", "cpython"]]
    return rows.assign(page=rows["page"].map(page_title), ratio=rows["tab"] / rows["cpython"])


def files() -> pd.DataFrame:
    """Return the packages that the browser loads, with version, license, and megabytes, from the lock file."""
    lock = json.loads((_BOOK / "_live" / "lock.json").read_text(encoding="utf-8"))
    frame = pd.DataFrame(lock["files"]).assign(megabytes=lambda rows: rows["size"] / 1e6)
    sums = frame.groupby(["package", "version", "license"], as_index=False)["megabytes"].sum()
    return sums.sort_values("megabytes", ascending=False, ignore_index=True)


def excluded_cells() -> pd.DataFrame:
    """Count the cells that do not run in the browser, by page and reason (column why)."""
    rows = []
    for path in sorted(_BOOK.glob("*/*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if reason := cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab"):
                rows.append({"page": page_title(f"{path.parent.name}/{path.stem}"), "why": reason})
    frame = pd.DataFrame(rows, columns=["page", "why"])
    return frame.groupby(["page", "why"], sort=False).size().rename("cells").reset_index()


@functools.cache
def page_title(page: str) -> str:
    """Return the heading of a page, given its name, such as ``report/scaling-up``."""
    cells = json.loads((_BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = "".join(cells[0]["source"]).splitlines()
    return next(line[2:].strip() for line in lines if line.startswith("# "))
