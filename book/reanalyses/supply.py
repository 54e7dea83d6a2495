"""What the lock installs, for the book: licenses, known vulnerabilities, and what bandit was told to pass over.

``scripts/supply_chain.py`` writes the record, ``benchmarks/supply.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

__all__ = ["dependencies", "exceptions", "licenses", "vulnerabilities"]


def dependencies(record: Mapping[str, Any], purpose: str | None = None) -> pd.DataFrame:
    """List what is installed: all of it, or what the package, an extra or the book leads to.

    Columns name, version, license (as the package states it), direct (whether we name it), serves (what leads to it; an
    extra, the package or the book).

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> sorted(dependencies(load("supply"), "package").query("direct")["name"])
    ['numpy', 'pandas', 'scikit-learn', 'scipy', 'threadpoolctl']
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
    >>> from reanalyses.trust import load
    >>> int(licenses(load("supply"))["packages"].sum()) == len(load("supply")["dependencies"])
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


def vulnerabilities(record: Mapping[str, Any]) -> pd.DataFrame:
    """Say what was asked about known vulnerabilities, of which day, and what was found, in one row.

    Columns source, as_of (the day of the data), packages, with_entries (packages that ever had one), entries, found.

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> len(vulnerabilities(load("supply")))
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
    >>> from reanalyses.trust import load
    >>> bool(exceptions(load("supply"))["reason"].str.len().min() > 10)
    True
    """
    table = pd.DataFrame(record["bandit"]["exceptions"])
    counted = table.groupby(["test", "file", "reason"], sort=False).size().rename("places").reset_index()
    return counted[["test", "file", "places", "reason"]].sort_values(["test", "file"], ignore_index=True)
