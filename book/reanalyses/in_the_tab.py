"""What the book says of Python in the reader's tab: its files, what does not run there or differs, and times.

The files are those of the lock, ``book/_live/lock.json``; the times those of ``benchmarks/live.json``, which
``python -m benchmarks.live`` writes.
"""

from __future__ import annotations

import functools
import hashlib
import json
import statistics
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["differences", "digest", "files", "left_out", "load", "median", "seconds", "times"]

_BOOK = Path(__file__).resolve().parents[1]
_RESULTS = _BOOK.parent / "benchmarks" / "live.json"


def load() -> dict[str, Any]:
    """Read the times that were measured last."""
    found: dict[str, Any] = json.loads(_RESULTS.read_text(encoding="utf-8"))
    return found


def digest(source: str) -> str:
    """Name the code of a cell in the table of measured seconds."""
    return hashlib.sha256(source.encode()).hexdigest()[:8]


@functools.cache
def seconds() -> dict[str, float]:
    """Return the seconds that cells of lessons took in the tab, by the digest of their code."""
    return {key: value for row in load()["lessons"] for key, value in row.get("cells", {}).items()}


def median(results: dict[str, Any], kind: str) -> float:
    """Return the median time from the click to the first result, from a "cold" or "warm" cache or "prepared", in seconds."""
    return float(statistics.median(results["first_result"][kind]))


def times(results: dict[str, Any]) -> pd.DataFrame:
    """Return what each lesson takes in the tab and in CPython.

    Columns page (its title), tab, cpython (seconds), ratio.
    """
    rows = pd.DataFrame(results["lessons"])[["page", "tab", "cpython"]]
    return rows.assign(page=rows["page"].map(_title), ratio=rows["tab"] / rows["cpython"])


def files() -> pd.DataFrame:
    """List the packages that a tab loads, from the lock: package, version, license, megabytes."""
    lock = json.loads((_BOOK / "_live" / "lock.json").read_text(encoding="utf-8"))
    frame = pd.DataFrame(lock["files"]).assign(megabytes=lambda rows: rows["size"] / 1e6)
    sums = frame.groupby(["package", "version", "license"], as_index=False)["megabytes"].sum()
    return sums.sort_values("megabytes", ascending=False, ignore_index=True)


def left_out() -> pd.DataFrame:
    """List the cells of lessons that do not run in the tab: page, cells, why."""
    rows = []
    for path in sorted(_BOOK.glob("*/*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if reason := cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab"):
                rows.append({"page": _title(f"{path.parent.name}/{path.stem}"), "why": reason})
    frame = pd.DataFrame(rows, columns=["page", "why"])
    return frame.groupby(["page", "why"], sort=False).size().rename("cells").reset_index()


def differences() -> pd.DataFrame:
    """List the pages on which something may differ from CPython, and why."""
    found = tomllib.loads((_BOOK / "_live" / "differences.toml").read_text(encoding="utf-8"))
    pages = {path.stem: f"{path.parent.name}/{path.stem}" for path in _BOOK.glob("*/*.ipynb")}
    return pd.DataFrame([{"page": _title(pages[name]), "why": entry["why"]} for name, entry in found.items()])


def _title(page: str) -> str:
    """Return the heading of a page."""
    cells = json.loads((_BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = "".join(cells[0]["source"]).splitlines()
    return next(line[2:].strip() for line in lines if line.startswith("# "))
