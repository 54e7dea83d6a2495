"""What the lock installs, for the book: licenses, known vulnerabilities, and what bandit was told to pass over.

``scripts/supply_chain.py`` writes the record, ``benchmarks/supply.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["dependencies", "exceptions", "licenses", "load", "reciprocal", "vulnerabilities"]

_RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "supply.json"
#: A browser has no repository; there it lies beside this module.
_BESIDE = Path(__file__).with_name("supply.json")


def load() -> dict[str, Any]:
    """Read the record.

    Examples
    --------
    >>> sorted(load())
    ['bandit', 'dependencies', 'vulnerabilities']
    """
    file = _BESIDE if _BESIDE.is_file() else _RECORD
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def dependencies(record: Mapping[str, Any], purpose: str | None = None) -> pd.DataFrame:
    """List what is installed: all of it, or what the package, an extra or the book leads to.

    Columns name, version, license (as the package states it), direct (whether we name it), serves (what leads to it; an
    extra, the package or the book).

    Examples
    --------
    >>> sorted(dependencies(load(), "package").query("direct")["name"])
    ['numpy', 'pandas', 'scikit-learn', 'scipy']
    """
    known = dict.fromkeys(group for row in record["dependencies"] for group in row["for"])
    if purpose is not None and purpose not in known:
        raise ValueError(f"purpose is {purpose!r}; expected one of {', '.join(sorted(known))}")
    return pd.DataFrame(
        [
            {
                "name": row["name"],
                "version": row["version"],
                "license": row["license"],
                "direct": row["direct"],
                "serves": ", ".join(row["for"]),
            }
            for row in record["dependencies"]
            if purpose is None or purpose in row["for"]
        ]
    )


def licenses(record: Mapping[str, Any]) -> pd.DataFrame:
    """Count packages by what their licenses ask of programs that use them.

    Columns kind ("permissive", "weak copyleft", "copyleft" or "unknown"), packages, of_the_package (those that the package
    leads to without extras), names (but of permissive ones).

    Examples
    --------
    >>> int(licenses(load())["packages"].sum()) == len(load()["dependencies"])
    True
    """
    rows = []
    for kind in ("permissive", "weak copyleft", "copyleft", "unknown"):
        of_kind = [row for row in record["dependencies"] if row["kind"] == kind]
        if of_kind:
            rows.append(
                {
                    "kind": kind,
                    "packages": len(of_kind),
                    "of_the_package": sum("package" in row["for"] for row in of_kind),
                    "names": "" if kind == "permissive" else ", ".join(row["name"] for row in of_kind),
                }
            )
    return pd.DataFrame(rows)


def reciprocal(record: Mapping[str, Any]) -> pd.DataFrame:
    """List the packages whose licenses ask that changes to them, or more, be shared: we use these and ship none.

    Columns name, license, serves, note.

    Examples
    --------
    >>> "gensim" in set(reciprocal(load())["name"])
    True
    """
    return pd.DataFrame(
        [
            {
                "name": row["name"],
                "license": row["license"],
                "serves": ", ".join(row["for"]),
                "note": row["note"],
            }
            for row in record["dependencies"]
            if row["kind"] != "permissive"
        ]
    )


def vulnerabilities(record: Mapping[str, Any]) -> pd.DataFrame:
    """Say what was asked about known vulnerabilities, of which day, and what was found, in one row.

    Columns source, as_of (the day of the data), packages, with_entries (packages that ever had one), entries, found.

    Examples
    --------
    >>> len(vulnerabilities(load()))
    1
    """
    asked = record["vulnerabilities"]
    keys = ("source", "as_of", "packages", "with_entries", "entries")
    return pd.DataFrame([{**{key: asked[key] for key in keys}, "found": len(asked["found"])}])


def exceptions(record: Mapping[str, Any]) -> pd.DataFrame:
    """List what bandit was told to pass over, with the reason.

    Columns test (its number in bandit), file, places, reason.

    Examples
    --------
    >>> bool(exceptions(load())["reason"].str.len().min() > 10)
    True
    """
    table = pd.DataFrame(record["bandit"]["exceptions"])
    counted = table.groupby(["test", "file", "reason"], sort=False).size().rename("places").reset_index()
    return counted[["test", "file", "places", "reason"]].sort_values(["test", "file"], ignore_index=True)
