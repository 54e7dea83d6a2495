"""Run the simulations: ``python -m benchmarks.calibration [PART …] [--quick]``."""

import argparse
import pathlib

from benchmarks.calibration import alike, calibrate, comparison, isotropy, maps, models, peers, thresholds

MODULES = (isotropy, comparison, models, peers, thresholds, maps, alike)
FILES = {name: pathlib.Path(m.__file__).with_suffix(".json") for m in MODULES for name in m.PARTS}
PARTS = {name: part for module in MODULES for name, part in module.PARTS.items()}


def main(arguments: list[str] | None = None) -> None:
    """Run the named parts, or all parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="few simulations; write nothing")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}; expected {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        calibrate(name, PARTS[name], FILES[name], quick=options.quick)


if __name__ == "__main__":
    main()
