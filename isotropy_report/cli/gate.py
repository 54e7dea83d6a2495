"""Options that let a command fail a build: bounds on numbers and an earlier card to compare with."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from typing import Any

from isotropy_report._options import named_for_command
from isotropy_report.cli.arguments import add_input

FAILED = 1
"""The exit code if a number fails its check."""


def add_gate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser."""
    for side, relation in (("below", "less"), ("above", "more")):
        parser.add_argument(
            f"--fail-{side}",
            metavar="KEY=NUMBER",
            action="append",
            type=_bound,
            default=[],
            help=f"exit with 1 if a number of the JSON is {relation} than this, such as "
            f"{'isoscore=0.3 or accuracy@10=0.8' if side == 'below' else 'average_cosine=0.2'}; may be "
            "repeated",
        )
    add_input(
        parser,
        "--fail-worse-than",
        metavar="CARD.json",
        help="exit with 1 if the intervals show that a number is worse than in this earlier card",
    )
    parser.add_argument(
        "--tolerance",
        metavar="KEY=AMOUNT",
        action="append",
        type=_bound,
        default=[],
        help="by how much a number may be worse, whatever the intervals, or inf; may be repeated",
    )


class Gate:
    """The requested bounds and the earlier card, read and checked before any computation."""

    def __init__(self, options: argparse.Namespace) -> None:
        from isotropy_report.card.gate import check_keys, read_card

        self.below = _distinct(options.fail_below, "--fail-below")
        self.above = _distinct(options.fail_above, "--fail-above")
        self.tolerance = _distinct(options.tolerance, "--tolerance")
        for keys, name in (
            (self.below, "--fail-below"),
            (self.above, "--fail-above"),
            (self.tolerance, "--tolerance"),
        ):
            check_keys(keys, name)
        self.earlier: Mapping[str, Any] | None = None
        if options.fail_worse_than is not None:
            self.earlier = read_card(options.fail_worse_than, "--fail-worse-than")
        elif self.tolerance:
            raise ValueError("--tolerance given without --fail-worse-than; expected both")

    def judge(self, card: Any, command: str) -> int:
        """Return the exit code and print the failures on standard error in one line."""
        from isotropy_report.card.gate import failures

        if not (self.below or self.above or self.earlier):
            return 0
        with named_for_command():
            found = failures(
                card,
                below=self.below,
                above=self.above,
                worse_than=self.earlier,
                tolerance=self.tolerance,
            )
        if not found:
            return 0
        sys.stdout.flush()
        print(f"isotropy-lab {command}: failed: {'; '.join(map(str, found))}", file=sys.stderr)
        return FAILED


def _distinct(bounds: list[tuple[str, float]], name: str) -> dict[str, float]:
    found = dict(bounds)
    if len(found) < len(bounds):
        twice = next(key for key in found if sum(key == other for other, _ in bounds) > 1)
        raise ValueError(f"{name} has {twice!r} more than once; expected each number once")
    return found


def _bound(text: str) -> tuple[str, float]:
    key, equals, value = text.partition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not equals or not key.strip() or math.isnan(limit):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a key and a number, such as isoscore=0.3")
    return key.strip(), limit
