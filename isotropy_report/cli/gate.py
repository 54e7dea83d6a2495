"""Options that make a command fail a build: bounds on numbers, and an earlier card for comparison."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from isotropy_report._options import use_command_names
from isotropy_report.cli.arguments import add_input

FAILED = 1
"""Exit code if a number fails its check."""

_NO_COLLAPSE = "The verdict is not worse: --tolerance dimensions_used_corrected=inf leaves this number out."


def add_gate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser."""
    bounds: dict[str, Any] = {"action": "append", "type": _parse_bound, "default": []}
    parser.add_argument("--fail-collapsed", action="store_true")
    parser.add_argument("--fail-below", metavar="KEY=NUMBER", **bounds)
    parser.add_argument("--fail-above", metavar="KEY=NUMBER", **bounds)
    add_input(parser, "--fail-worse-than", metavar="CARD.json")
    parser.add_argument("--tolerance", metavar="KEY=AMOUNT", **bounds)


class Gate:
    """The requested bounds and the earlier card, which are read and checked before any computation."""

    def __init__(self, options: argparse.Namespace) -> None:
        from isotropy_report.card.gate import check_keys, read_card

        self.quiet, self.fail_collapsed = options.quiet, options.fail_collapsed
        self.bounds: dict[str, dict[str, float]] = {}
        for dest in ("fail_below", "fail_above", "tolerance"):
            name = f"--{dest.replace('_', '-')}"
            self.bounds[dest.removeprefix("fail_")] = limits = _check_distinct(getattr(options, dest), name)
            check_keys(limits, name)
        self.earlier: Mapping[str, Any] | None = None
        if options.fail_worse_than is not None:
            self.earlier = read_card(options.fail_worse_than, "--fail-worse-than")
        elif self.bounds["tolerance"]:
            raise ValueError("--tolerance is given without --fail-worse-than; expected an earlier card")

    def judge(self, card: Any, command: str) -> int:
        """Return the exit code, and print the failures, or what has passed, to standard error."""
        from isotropy_report.card.gate import failures, passed

        with use_command_names():
            given = self.earlier or any(self.bounds.values())
            failed_numbers = failures(card, worse_than=self.earlier, **self.bounds) if given else ()
        messages = [str(failure) for failure in failed_numbers]
        if self.fail_collapsed and card.verdict in ("collapsed", "no verdict"):
            messages.insert(0, f"the verdict is {card.verdict!r}")
        if not messages and self.earlier is None and not self.quiet and (given or self.fail_collapsed):
            bounds = "no number is out of bounds"
            return failed(command, [], f"the verdict is {card.verdict!r}" if self.fail_collapsed else bounds)
        if messages or self.earlier is None or self.quiet:
            (note,) = {text[text.index(" (") :] for text in messages if text.endswith(" compared)")} or {""}
            only_dimensions = {failure.key for failure in failed_numbers} == {"dimensions_used_corrected"}
            notes = [note.strip(), *[_NO_COLLAPSE] * only_dimensions] if note else []
            return failed(command, [text.removesuffix(note) for text in messages] + notes)
        return failed(command, [], passed(card, self.earlier, self.bounds["tolerance"]))


def failed(command: str, reasons: Sequence[str], passed: str = "") -> int:
    """Return the exit code of a check; print the reasons for a failure, or what has passed, to stderr."""
    sys.stdout.flush()
    if reasons or passed:
        message = "\n  ".join(["failed: " + reasons[0], *reasons[1:]]) if reasons else f"passed: {passed}"
        with contextlib.suppress(BrokenPipeError):  # the exit code reports the failure, too
            print(f"isotropy-lab {command}: {message}", file=sys.stderr, flush=True)
    return FAILED if reasons else 0


def _check_distinct(bounds: list[tuple[str, float]], name: str) -> dict[str, float]:
    limits = dict(bounds)
    if len(limits) < len(bounds):
        repeated = next(key for key in limits if sum(key == other for other, _ in bounds) > 1)
        raise ValueError(f"{name} contains {repeated!r} more than once; expected one bound for each number")
    return limits


def _parse_bound(text: str) -> tuple[str, float]:
    key, equals, value = text.partition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not equals or not key.strip() or math.isnan(limit):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a bound; expected a key and a number, such as isoscore=0.3"
        )
    return key.strip(), limit
