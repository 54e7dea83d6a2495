"""Entry point of ``python -m reanalyses``: the ledger, and the grades and exams of a course."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from isotropy_report.cli import Command, run

COMMANDS = {
    "course": Command("grade notebooks that students hand in, or write an exam", "reanalyses.course.command"),
    "ledger": Command(
        "print every printed claim of the papers with its verdict", "reanalyses.ledger.command"
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``python -m reanalyses`` and return its exit code."""
    return run("python -m reanalyses", COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
