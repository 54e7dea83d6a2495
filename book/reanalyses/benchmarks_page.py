"""The committed benchmarks as tables for the book: results in, data frames out.

A time of ours alone says more of the machine than of the code. So no table here has one: every row sets ours against
another contender of the same run, and rows without one show memory only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab import _checks

__all__ = ["comparisons", "contenders", "device", "load", "machines", "missed"]

_RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results.json"
#: A browser has no repository; there they lie beside this module.
_BESIDE = Path(__file__).with_name("benchmarks.json")
_VERDICTS = {True: "met", False: "missed", None: None}
#: Contenders that are no program for the task: the least that a machine must do for it.
_FLOORS = ("floor", "memory pass")
#: Packages by the first word of a contender's name. "peer" is the package that published the score.
_PACKAGES = {
    "peer": "IsoScore",
    "zadu": "zadu",
    "faiss": "faiss",
    "scikit-learn": "scikit-learn",
    "wefe": "wefe",
}


def load(path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Read the results of the last benchmarks.

    Returns results by wing, and under "device" those of an accelerator if there are any.

    Examples
    --------
    >>> sorted(load())[:2]
    ['association', 'isotropy']
    """
    file = Path(path) if path is not None else _BESIDE if _BESIDE.is_file() else _RESULTS
    if not file.is_file():
        raise FileNotFoundError(
            f"{file}: there are no results of benchmarks; they lie in the repository, and `make bench` writes them"
        )
    found = _read(file)
    beside = file.with_name("device.json")
    return {**found, "device": _read(beside)} if beside.is_file() else found


def machines(results: Mapping[str, Any]) -> pd.DataFrame:
    """List where and when each wing was measured.

    Columns wing, date, processor, cores, load_at_end (of the machine: above the number of cores it had other
    work), repeats, versions.

    Examples
    --------
    >>> list(machines(load()))[:3]
    ['wing', 'date', 'processor']
    """
    _check_results(results)
    rows = []
    for wing, found in results.items():
        machine = found.get("machine", {})
        rows.append(
            {
                "wing": wing,
                "date": found.get("date"),
                "processor": machine.get("processor"),
                "cores": machine.get("cores"),
                "load_at_end": machine.get("load_at_end"),
                "repeats": found.get("repeats"),
                "versions": _versions(found.get("versions")),
            }
        )
    return pd.DataFrame(rows)


def comparisons(results: Mapping[str, Any], wing: str | None = None) -> pd.DataFrame:
    """Set ours beside the others for each task of a wing.

    Returns a table: a row for each task, number of threads and contender beside ours. Columns task, threads,
    beside, ratio (time of ours over theirs: below 1 ours is faster), target (what was aimed at, in words with its
    unit; a target in seconds with what ours took), extra_mb and beside_extra_mb (rise of the resident memory),
    verdict on the target, or on the memory where that was the target.

    Examples
    --------
    >>> table = comparisons(load(), "isotropy")
    >>> set(table["beside"].dropna()) >= {"floor", "peer"}
    True
    """
    _check_results(results)
    if wing is None:
        tables = {name: comparisons(results, name) for name in results if name != "device"}
        return pd.concat(tables, names=["wing"]).reset_index("wing").reset_index(drop=True)
    _checks.check_option(wing, "wing", list(results))
    rows = []
    for row in results[wing]["rows"]:
        common = {"task": row["task"], "threads": row.get("threads", 1)}
        beside = [
            (row.get("floor"), row.get("ratio_to_floor"), row.get("target"), None),
            ("peer", row.get("ratio_to_peer"), None, row.get("peer_extra_bytes")),
            (row.get("beside"), row.get("ratio"), _target(row), row.get("beside_extra_bytes")),
        ]
        found = [entry for entry in beside if entry[1] is not None] or [(None, None, None, None)]
        aimed = any(entry[2] is not None for entry in found)
        for place, (name, ratio, target, extra) in enumerate(found):
            rows.append(
                {
                    **common,
                    "beside": name,
                    "ratio": ratio,
                    "target": target if target is None or isinstance(target, str) else f"ratio ≤ {target:g}",
                    "extra_mb": _mega(row.get("extra_bytes")),
                    "beside_extra_mb": _mega(extra),
                    "verdict": _VERDICTS[row.get("meets_target")]
                    if (target is not None if aimed else place == 0)
                    else None,
                }
            )
    table = pd.DataFrame(rows)
    numbers = ["ratio", "extra_mb", "beside_extra_mb"]
    return table.astype(dict.fromkeys(numbers, float))


def missed(results: Mapping[str, Any]) -> pd.DataFrame:
    """List the targets that were missed, and what stands in the way.

    Columns wing, task, threads, measured (what is beyond its target, and the target), why.

    Examples
    --------
    >>> list(missed({"isotropy": {"rows": []}}))
    ['wing', 'task', 'threads', 'measured', 'why']
    """
    _check_results(results)
    rows = []
    for wing, found in results.items():
        for row in found["rows"]:
            if row.get("meets_target") is not False:
                continue
            limits = (
                (row["seconds"][row["contender"]], row["target_seconds"], "s"),
                (row["ratio"], row["target_ratio"], f"× {row['beside']}"),
                (_mega(row["extra_bytes"]), _mega(row["target_bytes"]), "MB"),
            )
            beyond = [
                f"{value:.3g} {unit} (target {target:g})"
                for value, target, unit in limits
                if value is not None and target is not None and value > target
            ]
            rows.append((wing, row["task"], row["threads"], "; ".join(beyond), row["why"]))
    return pd.DataFrame(rows, columns=["wing", "task", "threads", "measured", "why"])


def contenders(results: Mapping[str, Any], *, threads: int = 1) -> pd.DataFrame:
    """List what each task took beside ours: the floor, other packages, and the obvious way.

    Returns a row for each task and contender. Columns wing, task, kind ("floor", "package", "obvious way"), name,
    times_ours (time of the contender over that of ours: above 1 ours is faster).

    Examples
    --------
    >>> sorted(contenders(load())["kind"].unique())
    ['floor', 'obvious way', 'package']
    """
    table = comparisons(results)
    table = table[(table["threads"] == threads) & table["ratio"].notna()]
    packages = table["beside"].str.extract(r"^([\w-]+)")[0].map(_PACKAGES)
    floor = table["beside"].isin(_FLOORS)
    return pd.DataFrame(
        {
            "wing": table["wing"],
            "task": table["task"],
            "kind": np.where(floor, "floor", np.where(packages.notna(), "package", "obvious way")),
            "name": packages.fillna(table["beside"]),
            "times_ours": 1 / table["ratio"],
        }
    ).reset_index(drop=True)


def device(results: Mapping[str, Any]) -> pd.DataFrame | None:
    """Return what an accelerator took, in units of its own ceilings, or None if none has been measured.

    Columns device, date, task, gemm_share (time of the matrix products alone, at the rate of the device's own
    gemm, over the time of the score), copy_share (time of one pass over the data at the rate of a copy, over
    the time of the score), isoscore and isoscore_in_float64 of a part.

    Examples
    --------
    >>> device({"isotropy": {"rows": []}}) is None
    True
    """
    _check_results(results)
    if "device" not in results:
        return None
    found = results["device"]
    columns = ["task", "gemm_share", "copy_share", "isoscore", "isoscore_in_float64"]
    table = pd.DataFrame(found["rows"], columns=columns)
    table.insert(0, "date", found["date"])
    table.insert(0, "device", found["machine"]["device"])
    return table


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} holds no results of benchmarks: {error}") from error
    if not isinstance(found, dict) or not found:
        raise ValueError(f"{file} holds no results of benchmarks")
    return found


def _target(row: Mapping[str, Any]) -> float | str | None:
    if row.get("target_ratio") is not None:
        return float(row["target_ratio"])
    seconds = row.get("target_seconds")
    if seconds is None:
        return None
    ours = next(value for name, value in row["seconds"].items() if name.startswith("ours"))
    return f"{ours:.2g} s of {seconds:g} s"


def _mega(n_bytes: float | None) -> float | None:
    return None if n_bytes is None else n_bytes / 1e6


def _versions(found: Any) -> str | None:
    if not found:
        return None
    if isinstance(found, Mapping):
        return ", ".join(f"{name} {version}" for name, version in found.items())
    return ", ".join(str(entry).replace("==", " ") for entry in found)


def _check_results(results: Any) -> None:
    """Refuse what is no mapping from wings to their results."""
    if not isinstance(results, Mapping) or not results:
        raise ValueError(
            f"results is {_checks.describe(results)}; expected what benchmarks_page.load returns"
        )
    for wing, found in results.items():
        if not isinstance(found, Mapping) or "rows" not in found:
            raise ValueError(f"results has no rows for {wing!r}; expected what benchmarks_page.load returns")
