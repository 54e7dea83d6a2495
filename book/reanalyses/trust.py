"""Results of mutation and processor tests, read from stored records for the page on trust.

The records are stored in ``benchmarks``, each by the command that its function names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

_RECORDS = Path(__file__).resolve().parents[2] / "benchmarks"


def load(name: str) -> dict[str, Any]:
    """Return a stored record: "mutants" or "processors"."""
    record: dict[str, Any] = json.loads((_RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    return record


def detected_fraction(record: Mapping[str, Any]) -> float:
    """Return the fraction of nonequivalent mutants that a test detected (``make mutants``)."""
    return float(record["noticed"] / (record["mutants"] - record["equivalent"]))


def processors(record: Mapping[str, Any]) -> pd.DataFrame:
    """Return the kernels of OpenBLAS under which the numerical tests ran (``scripts/test_kernels.py --write``)."""
    instructions = {"Nehalem": "SSE 4.2", "Haswell": "AVX2", "SkylakeX": "AVX-512"}
    rows = [
        {
            "kernel": row["kernel"],
            "instructions": instructions.get(row["kernel"], ""),
            "threads": row["threads"],
            **{key: row.get(key, pd.NA if "why" in row else 0) for key in ("passed", "failed", "skipped")},
            "left out": row.get("why", ""),
        }
        for row in [*record["rows"], *record["left out"]]
    ]
    return pd.DataFrame(rows)
