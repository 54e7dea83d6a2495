"""The command ``isotropy-lab``, whose subcommands are modules that are imported only when called."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from isotropy_report import _output
from isotropy_report._options import read_texts
from isotropy_report.cli.arguments import StoreOnce

__all__ = ["COMMANDS", "Command", "main"]

OK, USAGE, INTERNAL, INTERRUPTED = 0, 2, 70, 130


class Command(NamedTuple):
    """A subcommand: its one-line help and the module that implements it.

    The module provides ``configure(parser)``, which adds the arguments, and ``run(options)``, which returns
    an exit code. The module's docstring is the description of the subcommand. Invalid input raises
    ValueError, TypeError, OSError, or ImportError.
    """

    help: str
    module: str

    def load(self) -> Any:
        """Import and return the module."""
        return importlib.import_module(self.module)


_TEXTS = read_texts(__name__, "help.toml")
COMMANDS: Mapping[str, Command] = MappingProxyType(
    {name: Command(text, f"{__name__}.{name}") for name, text in _TEXTS["commands"].items()}
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after the command's name; by default, the arguments of the process.

    Returns
    -------
    int
        0 on success; 1 if a number is outside a given bound, and 2 for invalid usage or input, both with the
        reason on standard error; 70 for an internal error, with a traceback; 130 if interrupted.

    Examples
    --------
    >>> main(["--version"])
    isotropy-lab ...
    0
    """
    return run("isotropy-lab", COMMANDS, arguments)


def run(program: str, commands: Mapping[str, Command], arguments: Sequence[str] | None = None) -> int:
    """Run a program with subcommands and return an exit code for every outcome, as `main` does."""
    words = sys.argv[1:] if arguments is None else arguments
    # No top-level option takes a value, so the first word that is not an option is the subcommand.
    name = next((word for word in words if not word.startswith("-")), None)
    try:
        return _run(program, commands, words, name)
    except KeyboardInterrupt:  # may also occur during imports
        print(f"{program}{'' if name is None else f' {name}'}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(program: str, commands: Mapping[str, Command], words: Sequence[str], chosen: str | None) -> int:
    try:
        command_parser = parser(program, commands, chosen)
        options, extra = command_parser.parse_known_args(words)
        if extra:
            command_parser.prog += f" {options.command}"
            takes_one_file = isinstance(getattr(options, "file", None), str) and not extra[0].startswith("-")
            hint = "; expected one FILE (isotropy-lab scores accepts several files)" * takes_one_file
            hint += _did_you_mean(extra[0].partition("=")[0].replace("_", "-"), options.known)
            command_parser.error(f"unrecognized arguments: {' '.join(extra)}{hint}")
    except SystemExit as stop:  # argparse has already printed its message, the help, or the version
        return stop.code if isinstance(stop.code, int) else OK
    try:
        if options.output is None and not options.json:
            options.output = options.default_output
        if options.output is not None:
            _output.check_output(options.output, inputs_of(options))
        suffix = "" if options.output is None or not options.prints else options.output.suffix.lower()
        if suffix in (".html", ".htm"):
            raise ValueError(
                f"--output is {options.output}, an HTML page, but {options.command} writes text or JSON; "
                "expected a name such as numbers.txt or numbers.json (isotropy-lab report writes a page)"
            )
        options.json = options.json or suffix == ".json"
        from isotropy_lab._core import checks  # imported late, because it needs NumPy
        from isotropy_report.cli.streams import copy_streams

        if options.output is not None and options.prints is False:
            checks.check_report_path(options.output)
        with copy_streams(options):
            code: int = commands[options.command].load().run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe; otherwise, Python would report an error at exit.
        _output.discard(sys.stdout)
        return OK
    except (ValueError, TypeError, OSError, ImportError) as error:
        from isotropy_report.cli.streams import with_original_names

        text = with_original_names(str(error))
        text = f"--output{text[4:]}" if text.startswith("path is ") else text
        # Equal rows have no numbers, but they are the clearest collapse.
        fails = getattr(options, "fail_collapsed", False) and "collapsed: all " in text
        print(f"{program} {options.command}: {'failed' if fails else 'error'}: {text}", file=sys.stderr)
        return 1 if fails else USAGE
    except Exception:
        traceback.print_exc()
        print(f"{program} {options.command}: internal error: please report it", file=sys.stderr)
        return INTERNAL


def _matching_files(path: str) -> list[str]:
    """Return the files that match a folder or a pattern; otherwise, return the path itself."""
    from isotropy_report.io.shards import shards

    try:
        return shards(path) or [path]
    except (ValueError, OSError):  # the reader of the file reports the error
        return [path]


def inputs_of(options: argparse.Namespace) -> dict[str, str]:
    """Return the files that a command reads, keyed by the option that names each file."""
    files_by_option: dict[str, str] = {}
    for dest, name in options.inputs.items():
        value = getattr(options, dest)
        paths = value if isinstance(value, list) else [value]
        files = [file for path in paths if path for file in _matching_files(path)]
        files_by_option |= {name if i == 0 else f"{name} {i + 1}": file for i, file in enumerate(files)}
    scheme, _, database = (getattr(options, "database", None) or "").partition("://")
    if scheme in ("sqlite", "duckdb"):
        files_by_option["--database"] = database
    files_by_option |= options.always_read
    return files_by_option


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line that refers to the help instead of the usage of every option."""

    def error(self, message: str) -> NoReturn:
        """Print the message, with a similar command if one was mistyped, and exit."""
        if found := re.search(r"COMMAND: invalid choice: '(.*?)'", message):
            message += _did_you_mean(found[1], COMMANDS)
        self.exit(USAGE, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    return "".join(f"; did you mean {name}?" for name in get_close_matches(word, known, 1, cutoff=0.7))


def parser(
    program: str, commands: Mapping[str, Command], chosen: str | None = None
) -> argparse.ArgumentParser:
    """Return the parser of a program, importing only the chosen subcommand."""
    top = _Parser(prog=program, description="Measures of the geometry of embeddings.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=_output.program())
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in commands.items():
        subparser = subparsers.add_parser(
            name, help=command.help, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        if name == chosen:
            subparser.register("action", None, StoreOnce)
            titles = ("output", "reading files")
            subparser.set_defaults(titled={title: subparser.add_argument_group(title) for title in titles})
            subparser.set_defaults(inputs={}, queried=(), always_read={}, default_output=None, prints=None)
            module = command.load()
            subparser.description = module.__doc__
            module.configure(subparser)
            texts = _TEXTS["every command"] | _TEXTS.get(name, {})
            for action in subparser._actions:
                action.help = action.help or texts.get(action.dest)
            _shorten_help(subparser, name)
    return top


def _shorten_help(subparser: argparse.ArgumentParser, name: str) -> None:
    """Keep the help of a subcommand short: `report` explains the options for reading files."""
    options = [action for action in subparser._actions if action.option_strings]
    subparser.set_defaults(known=[string for action in options for string in action.option_strings])
    positional = [action for action in subparser._actions if not action.option_strings]
    files = [f"{action.metavar}{' ...' * (action.nargs == '*')}" for action in positional]
    subparser.usage = " ".join([subparser.prog, *files, "[options]"])
    group = subparser.get_default("titled")["reading files"]
    if name != "report" and group._group_actions:
        shown = [action.option_strings[0] for action in group._group_actions]
        group.description = f"{', '.join(shown)}\n(isotropy-lab report --help explains them)"
        for action in group._group_actions:
            action.help = argparse.SUPPRESS
