"""The stored benchmark results as data frames for the book.

A time alone depends more on the machine than on the code. So the tables of comparisons report our times only
relative to a competitor in the same run; rows without a competitor have only memory.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
_VERDICTS = {True: "met", False: "missed", None: None}
#: Competitors that do not solve the task, but do the minimal work that it requires.
_FLOORS = ("floor", "floor, float32", "memory pass")
#: Packages by the first word of a competitor's name; "peer" is the package published with the score.
_PACKAGES = {"peer": "IsoScore"} | {name: name for name in ("zadu", "faiss", "scikit-learn", "wefe")}


def load(name: str = "results.json") -> dict[str, Any]:
    """Return recorded results by area of the package (default: results of the last benchmarks)."""
    copy = Path(__file__).with_name(Path(name).name)  # in a browser, where there is no repository
    file = copy if copy.is_file() else _FOLDER / name
    results: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return results


def cluster() -> pd.DataFrame:
    """Return the times of report cards and searches on the workers of a cluster (`benchmarks/cluster.py`).

    Sizes are in gigabytes and megabytes, times in seconds. The last row is a search by faiss within the
    memory of one process, with two threads.
    """
    record = load("cluster.json")
    rows = [{"contender": "ours", **run, **run["seconds"]} for run in record["runs"]]
    rows.append({"contender": "faiss", **record["faiss"], **record["faiss"]["seconds"]})
    names = {
        "making the rows": "making",
        "top 10": "top_10",
        "megabytes of a worker": "worker_mb",
        "megabytes of the client": "client_mb",
    }
    table = pd.DataFrame(rows).rename(columns=names)
    table["worker_mb"] = table["worker_mb"].fillna(table["megabytes"])
    table.attrs |= {name: record[name] for name in ("dimensions", "questions")}
    return table.drop(columns=["seconds", "version", "megabytes"])


def machines(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the date and the machine of the measurements in each area."""
    return pd.DataFrame(
        {
            "area": area,
            "date": record["date"],
            **{key: record["machine"].get(key) for key in ("processor", "cores", "load_at_end")},
            "repeats": record["repeats"],
            "versions": _versions(record.get("versions")),
        }
        for area, record in results.items()
    )


def comparisons(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return, for each task, a comparison of our time with the times of all competitors.

    There is one row per task, number of threads, and competitor. A ratio below 1 means that ours is faster;
    the verdict refers to the target, which may be a time or a memory size.
    """
    rows = []
    for area, row in ((area, row) for area, record in results.items() for row in record["rows"]):
        competitors = [
            (row.get("floor"), row.get("ratio_to_floor"), _ratio_target(row.get("target")), None),
            ("peer", row.get("ratio_to_peer"), None, row.get("peer_extra_bytes")),
            (row.get("beside"), row.get("ratio"), _target_text(row), row.get("beside_extra_bytes")),
        ]
        measured = [entry for entry in competitors if entry[1] is not None] or [(None, None, None, None)]
        has_target = any(target is not None for _, _, target, _ in measured)
        for i, (name, ratio, target, extra_bytes) in enumerate(measured):
            shows_verdict = target is not None if has_target else i == 0
            rows.append(
                {
                    "area": area,
                    "task": row["task"],
                    "threads": row.get("threads", 1),
                    "beside": name,
                    "ratio": ratio,
                    "target": target,
                    "extra_mb": _megabytes(row.get("extra_bytes")),
                    "beside_extra_mb": _megabytes(extra_bytes),
                    "verdict": _VERDICTS[row.get("meets_target")] if shows_verdict else None,
                }
            )
    return pd.DataFrame(rows).astype(dict.fromkeys(["ratio", "extra_mb", "beside_extra_mb"], float))


def missed_targets(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the targets that were missed, with the reasons.

    The columns are area, task, threads, measured (the value and the target that it misses), and why.
    """
    rows = []
    for area, row in ((area, row) for area, record in results.items() for row in record["rows"]):
        if row.get("meets_target") is not False:
            continue
        limits = (
            (row["seconds"][row["contender"]], row["target_seconds"], "s"),
            (row["ratio"], row["target_ratio"], f"× {row['beside']}"),
            (_megabytes(row["extra_bytes"]), _megabytes(row["target_bytes"]), "MB"),
        )
        misses = [
            f"{value:.3g} {unit} (target {target:g})"
            for value, target, unit in limits
            if value is not None and target is not None and value > target
        ]
        rows.append((area, row["task"], row["threads"], "; ".join(misses), row["why"]))
    return pd.DataFrame(rows, columns=["area", "task", "threads", "measured", "why"])


def competitor_times(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the times of minimal work, packages, and simple code on one thread, as multiples of ours."""
    table = comparisons(results).query("threads == 1").dropna(subset="ratio")
    packages = table["beside"].str.extract(r"^([\w-]+)")[0].map(_PACKAGES)
    kind = np.where(packages.notna(), "package", "obvious way")
    kind = np.where(table["beside"].isin(_FLOORS), "floor", kind)
    names = packages.fillna(table["beside"])
    times = table[["area", "task"]].assign(kind=kind, name=names, times_ours=1 / table["ratio"])
    return times.reset_index(drop=True)


def _ratio_target(target: float | None) -> str | None:
    return None if target is None else f"ratio ≤ {target:g}"


def _target_text(row: Mapping[str, Any]) -> str | None:
    seconds = row.get("target_seconds")
    if row.get("target_ratio") is not None or seconds is None:
        return _ratio_target(row.get("target_ratio"))
    ours = next(value for name, value in row["seconds"].items() if name.startswith("ours"))
    return f"{ours:.2g} s of {seconds:g} s"


def _megabytes(n_bytes: float | None) -> float | None:
    return None if n_bytes is None else n_bytes / 1e6


def _versions(record: Any) -> str | None:
    pairs = record.items() if isinstance(record, Mapping) else [entry.split("==") for entry in record or ()]
    return ", ".join(" ".join(pair) for pair in pairs) or None
