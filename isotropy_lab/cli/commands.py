"""The subcommands of ``isotropy-lab``, a module each.

A module has a text HELP of one line, ``configure(parser)`` that adds its arguments, and ``run(options)`` that returns
an exit code. Its docstring is its description. Wrong input is a ValueError, TypeError, OSError or ImportError.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol, cast

import isotropy_lab.cli.report as report
import isotropy_lab.cli.scores as scores
import isotropy_lab.cli.weat as weat

__all__ = ["COMMANDS"]


class Command(Protocol):
    """What a module of a subcommand has."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it and return the exit code."""


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "report": cast(Command, report),
        "scores": cast(Command, scores),
        "weat": cast(Command, weat),
    }
)
"""Name → module."""
