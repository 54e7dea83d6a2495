"""``python -m reanalyses ledger``: every printed claim with its verdict."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import cast

from isotropy_lab.cli import run
from isotropy_lab.cli.commands import Command

from reanalyses.ledger import command

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``python -m reanalyses`` and return its exit code."""
    return run("python -m reanalyses", {"ledger": cast(Command, command)}, arguments)


if __name__ == "__main__":
    sys.exit(main())
