"""Measure how time and memory of every public measure grow: ``python -m benchmarks.growth [NAME …] [--quick]``."""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib.metadata
import json
import math
import os
import sys
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import processes
from benchmarks.growth import costs
from benchmarks.growth.cases import CASES, MODULES, Case, measures, wing

RESULTS = Path(__file__).parents[1] / "growth.json"

LONG = 0.06
"""Seconds of processor time after which sizes grow no more."""

FITTED = 5
"""Largest sizes that exponents are fitted to, each twice the one before."""

TURNS = 3
"""Turns of all sizes, of which the fastest counts."""

LEAST = 0.004
"""Seconds that a turn takes at least; a quicker call is repeated in it."""

MARGIN = 0.1
"""What an exponent may lie above the stated one beside two standard errors: caches and blocks bend the lines."""

CHILD = "import json, sys; from benchmarks.growth.__main__ import task; print(json.dumps(task(json.loads(sys.argv[1]))))"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a line for each exponent, write the results; return 1 if one is worse than its docstring says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="wings or measures (default: all)")
    parser.add_argument("--quick", action="store_true", help="two sizes, to see that everything runs")
    parser.add_argument(
        "--turns", type=int, default=TURNS, help="of all sizes, of which the fastest counts (%(default)s)"
    )
    parser.add_argument(
        "--long", type=float, default=LONG, help="seconds after which sizes grow no more (%(default)s)"
    )
    parser.add_argument(
        "--again", action="store_true", help="measure nothing, judge the record by the docstrings of now"
    )
    options = parser.parse_args(arguments)
    known = {case.name for case in CASES} | set(MODULES)
    if unknown := set(options.names) - known:
        parser.error(f"no measure {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    if options.again:
        return again()
    met = True
    # Pages that the allocator gives back and asks for again would be a part of the exponents, and are not ours.
    os.environ |= {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"}
    for name in MODULES:
        asked = {name, *[case.name for case in CASES if wing(case.name) == name]} & set(
            options.names or MODULES
        )
        whole = name in asked
        places = [
            i for i, case in enumerate(CASES) if wing(case.name) == name and (whole or case.name in asked)
        ]
        if not places:
            continue
        given = {
            "threads": 1,
            "places": places,
            "quick": options.quick,
            "turns": options.turns,
            "long": options.long,
        }
        found = processes.child(sys.executable, CHILD, given, show=True)
        rows = found["rows"]
        met = met and not found["failed"] and all(row["no_worse"] and row["memory_no_worse"] for row in rows)
        if not options.quick:
            _keep(rows, options.turns)
    return int(not met)


def _keep(rows: Sequence[dict[str, Any]], turns: int) -> None:
    """Put new rows into the place of those of the same measures."""
    old = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    order = {name: i for i, name in enumerate(dict.fromkeys(case.name for case in CASES))}
    new = {row["measure"] for row in rows}
    kept = [row for row in old if row["measure"] not in new and row["measure"] in order]
    about = head(turns)
    # Rows of several runs stand together, so that each says how it was measured.
    how = {"date": about["date"], "turns": turns, "load": about["machine"]["load_at_end"]}
    rows = [row | how for row in rows]
    write(sorted([*kept, *rows], key=lambda row: order[row["measure"]]), about)


def task(given: dict[str, Any]) -> dict[str, Any]:
    """Measure cases in this process, and say each as soon as it is known; one that fails does not stop the others."""
    rows, failed = [], []
    for case in (CASES[i] for i in given["places"]):
        try:
            found = grown(case, quick=given["quick"], turns=given["turns"], long=given["long"])
        except Exception as error:
            failed.append(case.name)
            print(f"{case.name} FAILED: {error!r}", file=sys.stderr, flush=True)
        else:
            rows += found
            print("\n".join(map(line, found)), file=sys.stderr, flush=True)
    return {"rows": rows, "failed": failed}


def grown(case: Case, *, quick: bool = False, turns: int = TURNS, long: float = LONG) -> list[dict[str, Any]]:
    """Let every size of a case grow, and fit what time and memory do."""
    rows = []
    for axis, ends in case.axes.items():
        found = series(case, axis, ends, turns=0 if quick else turns, long=long, most=2 if quick else 99)
        rows.append(
            {"wing": wing(case.name), "measure": case.name, "option": case.option, "axis": axis}
            | {"fixed": {name: size for name, size in case.sizes.items() if name != axis}}
            | found
            | {"tiles": case.tiles, "fitted_sizes": min(len(found["sizes"]), FITTED)}
            | verdict(case, axis, found)
        )
    return rows


def verdict(case: Case, axis: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Set measured times and peaks beside what the docstring states now."""
    formulas = [text for text in costs.formulas(case.name, measures()) if text not in case.without]
    sizes, seconds, peaks = (found[key][-FITTED:] for key in ("sizes", "seconds", "bytes"))
    along = [case.at(axis, size) for size in sizes]
    return judged(
        sizes, seconds, peaks,
        stated=costs.exponent(formulas, along, axis),
        memory_stated=costs.exponent([case.memory], along, axis),
        tiles=case.tiles,
    )  # fmt: skip


def again() -> int:
    """Judge the record by the docstrings of now; drop what no case has any more."""
    record = json.loads(RESULTS.read_text(encoding="utf-8"))
    cases = {(case.name, case.option, axis): case for case in CASES for axis in case.axes}
    rows = []
    for row in record["rows"]:
        case = cases.get((row["measure"], row["option"], row["axis"]))
        if case is not None:
            rows.append(row | {"tiles": case.tiles} | verdict(case, row["axis"], row))
    for place in set(cases) - {(row["measure"], row["option"], row["axis"]) for row in rows}:
        print("not measured:", *place)
    write(rows, record)
    worse = [row for row in rows if not (row["no_worse"] and row["memory_no_worse"])]
    print("\n".join(map(line, worse)))
    return int(bool(worse))


def judged(
    sizes: Sequence[int],
    seconds: Sequence[float],
    peaks: Sequence[int],
    *,
    stated: float,
    memory_stated: float,
    tiles: float,
) -> dict[str, Any]:
    """Fit exponents, and say whether they are no worse than stated.

    Memory that stays below what is granted whatever the sizes, in megabytes, is no worse however it grows.
    """
    fitted, error = costs.fitted(sizes, seconds)
    memory, memory_error = costs.fitted(sizes, [max(peak, 1) for peak in peaks])
    return {
        "stated": stated,
        "fitted": fitted,
        "error": error,
        "no_worse": fitted <= stated + 2 * error + MARGIN,
        "memory_stated": memory_stated,
        "memory_fitted": memory,
        "memory_error": memory_error,
        "memory_no_worse": max(peaks) <= tiles * 1e6 or memory <= memory_stated + 2 * memory_error + MARGIN,
    }


def series(
    case: Case, axis: str, ends: tuple[int, int], *, turns: int, long: float, most: int
) -> dict[str, Any]:
    """Double a size until a call takes long enough; return sizes, seconds and peaks of memory."""
    sizes: list[int] = []
    calls, seconds, repeats, peaks = [], [], [], []
    size, last = ends
    while size <= last and len(sizes) < most:
        call = case.make(case.at(axis, size))
        if not sizes:
            call()  # compiles and imports what it needs
        took = _took(call, 1)
        sizes.append(size)
        calls.append(call)
        seconds.append(took)
        repeats.append(max(math.ceil(LEAST / max(took, 1e-7)), 1))
        if took > long and len(sizes) >= FITTED:
            break
        size *= 2
    for _ in range(turns):
        for i, call in enumerate(calls):
            seconds[i] = min(seconds[i], _took(call, repeats[i]))
    for call in calls:
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        kept = call()
        peaks.append(tracemalloc.get_traced_memory()[1] - before)
        tracemalloc.stop()
        del kept
    return {"sizes": sizes, "seconds": [float(f"{s:.4g}") for s in seconds], "bytes": peaks}


def _took(call: Any, repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def line(row: dict[str, Any]) -> str:
    """Return a row in words."""
    name = f"{row['measure']} ({row['option']})" if row["option"] else row["measure"]
    verdicts = [
        "" if row["no_worse"] else "  TIME IS WORSE",
        "" if row["memory_no_worse"] else "  MEMORY IS WORSE",
    ]
    return (
        f"{row['wing']:<12}{name:<48}{row['axis']:<12}{row['sizes'][0]:>7} to {row['sizes'][-1]:<9}"
        f"{row['seconds'][-1]:8.3f} s  stated {row['stated']:4.2f}  fitted {row['fitted']:5.2f} ± {row['error']:.2f}"
        f"  memory {row['bytes'][-1] / 1e6:8.1f} MB  stated {row['memory_stated']:4.2f}  fitted "
        f"{row['memory_fitted']:5.2f}{''.join(verdicts)}"
    )


def head(turns: int) -> dict[str, Any]:
    """Say where, when and how it was measured."""
    versions = {
        name: importlib.metadata.version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")
    }
    return {
        "date": datetime.date.today().isoformat(),
        "machine": processes.machine(),
        "versions": versions,
        "turns": turns,
        "margin": MARGIN,
    }


def write(rows: Sequence[dict[str, Any]], about: Mapping[str, Any]) -> None:
    """Write the results, a line for each row."""
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    start = json.dumps({key: about[key] for key in head(0)}, indent=1, ensure_ascii=False).removesuffix("\n}")
    RESULTS.write_text(f'{start},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
