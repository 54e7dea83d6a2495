"""Run the simulations: ``python -m benchmarks.calibration [PART …] [--quick]``."""

from __future__ import annotations

import argparse

from benchmarks.calibration import HERE, calibrate, comparison, isotropy, maps, models, peers, thresholds

MODULES = {
    "isotropy": isotropy, "comparison": comparison, "models": models, "peers": peers,
    "thresholds": thresholds, "maps": maps,
}  # fmt: skip
FILES = {name: HERE / f"{key}.json" for key, module in MODULES.items() for name in module.PARTS}
PARTS = {name: part for module in MODULES.values() for name, part in module.PARTS.items()}


def main(arguments: list[str] | None = None) -> None:
    """Run the parts that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="few simulations, nothing written")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        calibrate(name, PARTS[name], FILES[name], quick=options.quick)


if __name__ == "__main__":
    main()
