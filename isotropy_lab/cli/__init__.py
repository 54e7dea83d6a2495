"""The command ``isotropy-lab``: one subcommand for each module of `isotropy_lab.cli.commands`."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Mapping, Sequence

import isotropy_lab
from isotropy_lab.cli.commands import COMMANDS, Command

__all__ = ["main", "run"]

OK, INTERNAL, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the command's name; default those of the process.

    Returns
    -------
    int
        0 if all went well; 2 for wrong usage or input, with one line on standard error; 1 for a fault of the program,
        with its traceback; 130 if interrupted.

    Examples
    --------
    >>> main(["--version"])
    isotropy-lab ...
    0
    """
    return run("isotropy-lab", COMMANDS, arguments)


def run(program: str, commands: Mapping[str, Command], arguments: Sequence[str] | None = None) -> int:
    """Run a program made of subcommands: parse, call, and turn every outcome into an exit code."""
    try:
        options = _parser(program, commands).parse_args(arguments)
    except SystemExit as stop:  # argparse has printed its message, its help or the version
        return stop.code if isinstance(stop.code, int) else OK
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader, `head` perhaps, has seen enough. Python would complain when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"{program} {options.command}: error: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"{program} {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception:
        traceback.print_exc()
        print(
            f"{program} {options.command}: this is a fault of the program, please report it", file=sys.stderr
        )
        return INTERNAL


def _parser(program: str, subcommands: Mapping[str, Command]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program, description="Measures of the geometry of embeddings.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"{program} {isotropy_lab.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in subcommands.items():
        part = commands.add_parser(
            name,
            help=command.HELP,
            description=command.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.configure(part)
        part.set_defaults(run=command.run)
    return parser
