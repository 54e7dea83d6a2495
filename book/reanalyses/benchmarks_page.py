"""The committed benchmarks as tables for the book: results in, data frames out.

A time of ours alone says more of the machine than of the code. So no table here has one: every row sets ours against
another contender of the same run, and rows without one show memory only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["cluster", "comparisons", "contenders", "load", "machines", "missed"]

_FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
_VERDICTS = {True: "met", False: "missed", None: None}
#: Contenders that are no program for the task: the least that a machine must do for it.
_FLOORS = ("floor", "floor, float32", "memory pass")
#: Packages by the first word of a contender's name. "peer" is the package that published the score.
_PACKAGES = {"peer": "IsoScore"} | {name: name for name in ("zadu", "faiss", "scikit-learn", "wefe")}


def load() -> dict[str, Any]:
    """Read the results of the last benchmarks, by wing."""
    return _read("results.json")


def cluster() -> pd.DataFrame:
    """List how long cards and searches of vectors on the workers of a cluster took (`benchmarks/cluster.py`).

    Sizes are in gigabytes and megabytes, times in seconds. The last row is a search by faiss in the memory of
    one process with two threads.
    """
    found = _read("cluster.json")
    rows = [{"contender": "ours", **run, **run["seconds"]} for run in found["runs"]]
    rows.append({"contender": "faiss", **found["faiss"], **found["faiss"]["seconds"]})
    names = {
        "making the rows": "making",
        "top 10": "top_10",
        "megabytes of a worker": "worker_mb",
        "megabytes of the client": "client_mb",
    }
    table = pd.DataFrame(rows).rename(columns=names)
    table["worker_mb"] = table["worker_mb"].fillna(table["megabytes"])
    table.attrs |= {name: found[name] for name in ("dimensions", "questions")}
    return table.drop(columns=["seconds", "version", "megabytes"])


def _read(name: str) -> dict[str, Any]:
    beside = Path(__file__).with_name(name)  # in a browser, which has no repository
    file = beside if beside.is_file() else _FOLDER / name
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def machines(results: Mapping[str, Any]) -> pd.DataFrame:
    """List where and when each wing was measured."""
    return pd.DataFrame(
        {
            "wing": wing,
            "date": found["date"],
            **{key: found["machine"].get(key) for key in ("processor", "cores", "load_at_end")},
            "repeats": found["repeats"],
            "versions": _versions(found.get("versions")),
        }
        for wing, found in results.items()
    )


def comparisons(results: Mapping[str, Any]) -> pd.DataFrame:
    """Set ours beside the others for each task.

    A row for each task, number of threads and contender. A ratio below 1 means that ours is faster; the
    verdict is on the target, or on the memory where that was the target.
    """
    rows = []
    for wing, row in ((wing, row) for wing, found in results.items() for row in found["rows"]):
        beside = [
            (row.get("floor"), row.get("ratio_to_floor"), _ratio(row.get("target")), None),
            ("peer", row.get("ratio_to_peer"), None, row.get("peer_extra_bytes")),
            (row.get("beside"), row.get("ratio"), _target(row), row.get("beside_extra_bytes")),
        ]
        found = [entry for entry in beside if entry[1] is not None] or [(None, None, None, None)]
        aimed = any(entry[2] is not None for entry in found)
        for place, (name, ratio, target, extra) in enumerate(found):
            judged = target is not None if aimed else place == 0
            rows.append(
                {
                    "wing": wing,
                    "task": row["task"],
                    "threads": row.get("threads", 1),
                    "beside": name,
                    "ratio": ratio,
                    "target": target,
                    "extra_mb": _mega(row.get("extra_bytes")),
                    "beside_extra_mb": _mega(extra),
                    "verdict": _VERDICTS[row.get("meets_target")] if judged else None,
                }
            )
    return pd.DataFrame(rows).astype(dict.fromkeys(["ratio", "extra_mb", "beside_extra_mb"], float))


def missed(results: Mapping[str, Any]) -> pd.DataFrame:
    """List the targets that were missed, and what stands in the way.

    Columns wing, task, threads, measured (what is beyond its target, and the target), why.
    """
    rows = []
    for wing, row in ((wing, row) for wing, found in results.items() for row in found["rows"]):
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


def contenders(results: Mapping[str, Any]) -> pd.DataFrame:
    """List what each task took beside ours on one thread: the floor, other packages, and the obvious way."""
    table = comparisons(results).query("threads == 1").dropna(subset="ratio")
    packages = table["beside"].str.extract(r"^([\w-]+)")[0].map(_PACKAGES)
    others = np.where(packages.notna(), "package", "obvious way")
    kind = np.where(table["beside"].isin(_FLOORS), "floor", others)
    names = packages.fillna(table["beside"])
    found = table[["wing", "task"]].assign(kind=kind, name=names, times_ours=1 / table["ratio"])
    return found.reset_index(drop=True)


def _ratio(target: float | None) -> str | None:
    return None if target is None else f"ratio ≤ {target:g}"


def _target(row: Mapping[str, Any]) -> str | None:
    seconds = row.get("target_seconds")
    if row.get("target_ratio") is not None or seconds is None:
        return _ratio(row.get("target_ratio"))
    ours = next(value for name, value in row["seconds"].items() if name.startswith("ours"))
    return f"{ours:.2g} s of {seconds:g} s"


def _mega(n_bytes: float | None) -> float | None:
    return None if n_bytes is None else n_bytes / 1e6


def _versions(found: Any) -> str | None:
    pairs = found.items() if isinstance(found, Mapping) else [one.split("==") for one in found or ()]
    return ", ".join(" ".join(pair) for pair in pairs) or None
