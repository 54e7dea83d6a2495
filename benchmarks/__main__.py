"""Run benchmarks by area: ``python -m benchmarks [AREA …] [--tasks TEXT] [--quick] [--no-write]``."""

import argparse
import json
import pathlib
import sys
from types import ModuleType
from typing import Any

from benchmarks import association, isotropy, processes, projection, retrieval

RESULTS = pathlib.Path(__file__).parent / "results.json"
AREAS: dict[str, ModuleType] = {
    "isotropy": isotropy,
    "association": association,
    "projection": projection,
    "retrieval": retrieval,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print a table for each area, and write the results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=f"of {', '.join(AREAS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="small inputs, to check that everything runs")
    parser.add_argument("--tasks", default="", help="text in the names of projection tasks to run")
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    options = parser.parse_args(arguments)
    if unknown := set(options.areas) - set(AREAS):
        parser.error(f"unknown area {', '.join(sorted(unknown))}; expected {', '.join(AREAS)}")
    recorded: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    all_met = True
    for name in options.areas or AREAS:
        selection = {"only": options.tasks} if name == "projection" else {}
        results = AREAS[name].run(quick=options.quick, **selection)
        print(getattr(AREAS[name], "table", processes.table)(results))
        all_met = all_met and all(row["meets_target"] is not False for row in results["rows"])
        if options.tasks and name in recorded:  # the other tasks remain unchanged
            measured = {(row["task"], row["threads"]) for row in results["rows"]}
            others = [row for row in recorded[name]["rows"] if (row["task"], row["threads"]) not in measured]
            results = recorded[name] | {"rows": others + results["rows"]}
        recorded[name] = results
    if not options.no_write and not options.quick:
        RESULTS.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main())
