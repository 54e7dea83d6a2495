"""Data files of the four papers, each with a record of its source, version, license, hash, and script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def data_file(paper: str, name: str) -> Path:
    """Return the path of a data file of a paper, such as "kindel2023"."""
    return Path(__file__).parent / paper / "data" / name


def record(paper: str, name: str) -> dict[str, Any]:
    """Return the record of a data file, named without suffix; raise ValueError with all names if there is none."""
    known = sorted(path.stem for path in data_file(paper, "").glob("*.json"))
    if name not in known:
        raise ValueError(f"name is {name!r}; expected one of {', '.join(known)}")
    facts: dict[str, Any] = json.loads(data_file(paper, f"{name}.json").read_text(encoding="utf-8"))
    return facts
