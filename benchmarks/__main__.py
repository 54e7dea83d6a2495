"""Run the benchmarks: ``python -m benchmarks [--quick] [--threads 1 2] [--no-write]``."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from benchmarks import isotropy

RESULTS = pathlib.Path(__file__).parent / "results.json"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print a table, write the results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="small inputs, to see that everything runs")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="BLAS threads to measure with")
    parser.add_argument("--repeats", type=int, default=7, help="interleaved runs of each contender")
    parser.add_argument("--no-write", action="store_true", help=f"do not write {RESULTS.name}")
    options = parser.parse_args(arguments)
    results = isotropy.run(quick=options.quick, threads=options.threads, repeats=options.repeats)
    print(isotropy.table(results))
    if not options.no_write and not options.quick:
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    return 0 if all(row["meets_target"] is not False for row in results["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
