"""Arguments shared by subcommands, and types of arguments, using only the standard library."""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

FORMATS = ("csv", "tsv", "numbers", "jsonl", "glove", "word2vec-text")
"""Text formats that content alone may not identify; `isotropy_report.io.read` accepts more formats."""


class StoreOnce(argparse.Action):
    """Action that stores a value and rejects repeated options, whose first value would be lost."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """Store the value."""
        dests: frozenset[str] = getattr(namespace, "given", frozenset())
        if self.dest in dests:
            raise argparse.ArgumentError(
                self, f"given more than once; expected one {self.metavar or 'value'}"
            )
        namespace.given = dests | {self.dest}
        setattr(namespace, self.dest, values)


def group_titled(parser: argparse.ArgumentParser, title: str) -> Any:
    """Return the group of options with this title, or the parser if it has no groups."""
    return (parser.get_default("titled") or {}).get(title, parser)


# The file help.toml has the help of all arguments.
def add_input(
    parser: argparse.ArgumentParser, name: str, *, metavar: str = "FILE", nargs: str | None = None
) -> None:
    """Add an argument for one or more input files, which ``--output`` cannot overwrite."""
    action = parser.add_argument(name, metavar=metavar, nargs=nargs)
    shown = name if action.option_strings else metavar
    parser.set_defaults(inputs={**parser.get_default("inputs"), action.dest: shown})


def add_integer(
    parser: argparse.ArgumentParser, name: str, *, low: int = 1, default: int | None = None
) -> None:
    """Add an option for an integer from `low`."""
    metavar = "K" if name == "-k" else "N"
    parser.add_argument(name, metavar=metavar, type=integer(low), default=default)


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add ``--confidence-level``."""
    parser.add_argument("--confidence-level", metavar="C", type=proportion, default=0.95)


def add_output_arguments(
    parser: argparse.ArgumentParser, *, page: bool = False, default: Path | None = None
) -> None:
    """Add ``--json`` and ``--output``; the output is written to `default` unless JSON is printed.

    With `page`, the file is a page, .html or .json. Otherwise, it gets what would be printed, or JSON if its
    name ends in ``.json``.
    """
    group = group_titled(parser, "output")
    group.add_argument("--json", action="store_true")
    group.add_argument("-o", "--output", metavar="FILE", type=Path)
    parser.set_defaults(default_output=default, prints=not page)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading files of vectors."""
    group = group_titled(parser, "reading files")
    group.add_argument("--key", metavar="NAME")
    group.add_argument("--column", metavar="NAME")
    group.add_argument("--header", action=argparse.BooleanOptionalAction)
    group.add_argument("--columns", metavar="NAMES", type=split_names)
    group.add_argument("--drop", metavar="NAMES", type=split_names)
    group.add_argument("--format", metavar="NAME", choices=FORMATS)
    group.add_argument("--max-bytes", metavar="SIZE", type=_parse_size)


def add_query(parser: argparse.ArgumentParser, *replaced: str) -> None:
    """Add ``--database`` and ``--query``, whose results replace the positional arguments `replaced`."""
    group = group_titled(parser, "reading files")
    group.add_argument("--database", metavar="URL")
    group.add_argument("--query", metavar="SQL", action="append")
    parser.set_defaults(queried=replaced)


def add_source(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add one or more FILE arguments and the database query that may replace them."""
    add_input(parser, "file", nargs={"+": "*", None: "?"}[nargs])
    add_query(parser, "file")


def add_vector_arguments(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add one or more FILE arguments and the options that commands on vectors share."""
    add_source(parser, nargs=nargs)
    add_reading_arguments(parser)
    add_input(parser, "--groups")
    add_measure_arguments(parser, 10_000)


def add_measure_arguments(parser: argparse.ArgumentParser, sample: int) -> None:
    """Add the options shared by commands that measure vectors: sampled rows, intervals, and the seed."""
    add_integer(parser, "--rows", low=10)
    add_integer(parser, "--sample", low=10, default=sample)
    add_level(parser)
    add_seed_and_quiet(parser)


def add_seed_and_quiet(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed`` and ``--quiet``."""
    add_integer(parser, "--seed", low=0, default=0)
    group_titled(parser, "output").add_argument("--quiet", action="store_true")


def check_requires(options: argparse.Namespace, option: str, required: str, expected: str) -> None:
    """Raise ValueError if an option is given without another that it requires."""
    if getattr(options, option) is not None and getattr(options, required) is None:
        name, missing = (f"--{dest.replace('_', '-')}" for dest in (option, required))
        raise ValueError(f"{name} is given without {missing}; expected {expected} (add {missing})")


def split_names(text: str) -> list[str]:
    """Split names at commas; a name that contains a comma must be quoted."""
    try:
        return [name.strip() for name in next(csv.reader([text], skipinitialspace=True)) or [""]]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} cannot be split into names ({error}); expected names separated by commas"
        ) from None


def _parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([kmgt]?)i?b?", text.strip().lower())
    size = float(match[1]) * 1000.0 ** " kmgt".index(match[2] or " ") if match else 0.0
    if not 1 <= size < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; expected a size such as 500M or 4G")
    return int(size)


def integer(low: int) -> Callable[[str], int]:
    """Return an argparse type that accepts an integer from `low`."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not an allowed value; expected an integer of at least {low}"
            )
        return number

    return parse


def fraction(text: str) -> float:
    """Parse a number or a percentage."""
    try:
        return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; expected one such as 0.7") from None


def proportion(text: str) -> float:
    """Parse a number between 0 and 1 or a percentage."""
    number = fraction(text)
    if not 0.0 < number < 1.0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an allowed value; expected a number between 0 and 1, or a percentage"
        )
    return number
