"""What was tried against the package, for the page on how far to trust it: the committed records in, tables out.

The records lie in ``benchmarks``; each is written by the command that its function names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["faults", "fuzzed", "killed", "load", "processors", "survivors"]

_RECORDS = Path(__file__).resolve().parents[2] / "benchmarks"
_FILES = {
    "mutants": "mutants/results.json",
    "processors": "processors.json",
    "faults": "faults.json",
    "fuzz": "fuzz.json",
    "growth": "growth.json",
    "supply": "supply.json",
}


def load(name: str) -> dict[str, Any]:
    """Read a record: "mutants", "processors", "faults", "fuzz", "growth" or "supply".

    Examples
    --------
    >>> load("mutants")["share_killed"] > 0.95
    True
    """
    if name not in _FILES:
        raise ValueError(f"name is {name!r}; expected one of {', '.join(_FILES)}")
    found: dict[str, Any] = json.loads((_RECORDS / _FILES[name]).read_text(encoding="utf-8"))
    return found


def killed(record: Mapping[str, Any]) -> pd.DataFrame:
    """Count, for each wing, the mutants that the tests notice (``python -m benchmarks.mutants``).

    Columns wing, mutants, noticed (a test fails, or never ends), equivalent (no test can), unnoticed, share noticed of those
    that are not equivalent. The last row has all.
    """
    rows = []
    for wing, counts in [*record["wings"].items(), ("all", record["total"])]:
        noticed = counts["killed"] + counts["timed out"]
        possible = sum(counts.values()) - counts["equivalent"]
        rows.append(
            {
                "wing": wing,
                "mutants": sum(counts.values()),
                "noticed": noticed,
                "equivalent": counts["equivalent"],
                "unnoticed": possible - noticed,
                "share": noticed / possible,
            }
        )
    return pd.DataFrame(rows)


def survivors(record: Mapping[str, Any]) -> pd.DataFrame:
    """List the mutants that no test notices.

    Columns module, line, change, equivalent (whether no test can notice it), why (or why none does; None if one should).
    """
    return pd.DataFrame(record["survivors"], columns=["module", "line", "change", "equivalent", "why"])


def processors(record: Mapping[str, Any]) -> pd.DataFrame:
    """List under which kernels of OpenBLAS the tests of numbers ran (``python scripts/test_kernels.py --write``).

    Columns kernel, instructions (the newest that it uses), threads, passed, failed, skipped; NA, and why, where the processor
    of the record cannot run a kernel.
    """
    known = {"Nehalem": "SSE 4.2", "Haswell": "AVX2", "SkylakeX": "AVX-512"}
    rows = [
        {
            "kernel": row["kernel"],
            "instructions": known.get(row["kernel"], ""),
            "threads": row["threads"],
            **{key: row.get(key, pd.NA if "why" in row else 0) for key in ("passed", "failed", "skipped")},
            "left out": row.get("why", ""),
        }
        for row in [*record["rows"], *record["left out"]]
    ]
    return pd.DataFrame(rows)


def faults(record: Mapping[str, Any]) -> pd.DataFrame:
    """List the faults that were brought about (``python -m benchmarks.faults``).

    Columns fault, touches (what was being written, read or computed), runs, kept (runs after which everything that was there
    before was whole), says (the sentences that the program ended with, or why the fault was left out).
    """
    rows = [
        {
            "fault": row["fault"],
            "touches": row["to"],
            "runs": row["runs"],
            "kept": row["kept"],
            "says": row.get("left_out") or " / ".join(row["said"]),
        }
        for row in record["rows"]
    ]
    return pd.DataFrame(rows)


def fuzzed(record: Mapping[str, Any]) -> pd.DataFrame:
    """Count what became of damaged files and odd calls (``python -m benchmarks.fuzz``).

    Columns input ("files" or "arguments"), kinds (of files, or functions), cases, result, refused (in words), other.
    """
    rows = []
    for part in ("files", "arguments"):
        found = record[part]
        result, refused = (found["outcomes"].get(name, 0) for name in ("result", "refused"))
        rows.append(
            {
                "input": part,
                "kinds": len(found["by"]),
                "cases": found["cases"],
                "result": result,
                "refused": refused,
                "other": found["cases"] - result - refused,
            }
        )
    return pd.DataFrame(rows)
