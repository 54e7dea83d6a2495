"""Arguments shared by subcommands and their types, using only the standard library."""

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
    """Store a value, rejecting an option that is given twice, since the first value would be lost."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value."""
        given: frozenset[str] = getattr(namespace, "given", frozenset())
        if self.dest in given:
            raise argparse.ArgumentError(
                self, f"given more than once; expected one {self.metavar or 'value'}"
            )
        namespace.given = given | {self.dest}
        setattr(namespace, self.dest, values)


def add_input(
    parser: argparse.ArgumentParser, name: str, *, metavar: str = "FILE", nargs: str | None = None, help: str
) -> None:
    """Add an argument that names one or more input files, which ``--output`` then never overwrites."""
    action = parser.add_argument(name, metavar=metavar, nargs=nargs, help=help)
    shown = name if action.option_strings else metavar
    parser.set_defaults(inputs={**parser.get_default("inputs"), action.dest: shown})


def add_output_arguments(
    parser: argparse.ArgumentParser,
    *,
    json: str = "print everything as JSON",
    output: str | None = None,
    default: Path | None = None,
) -> None:
    """Add ``--json`` and ``--output``; output goes to `default` unless JSON is printed.

    Without a help text for `output`, the file gets what would be printed, or JSON if it ends in ``.json``.
    """
    said = "write to this file instead of standard output, JSON if it ends in .json"
    parser.add_argument("--json", action="store_true", help=json)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help=output or said)
    parser.set_defaults(default_output=default, prints=output is None)


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading files of vectors."""
    parser.add_argument("--key", metavar="NAME", help="which array of an .npz or .safetensors with several")
    parser.add_argument("--column", metavar="NAME", help="which column or key holds the lists of numbers")
    said = "the first line of a table holds names, or a point (default: told from what it holds)"
    parser.add_argument("--header", action=argparse.BooleanOptionalAction, help=said)
    said = "columns to take, separated by commas; * stands for anything; places from 1 if they have no names"
    parser.add_argument("--columns", metavar="NAMES", type=names, help=said)
    said = "columns to leave out, such as id,text"
    parser.add_argument("--drop", metavar="NAMES", type=names, help=said)
    said = f"what FILE is, if its content leaves that open: {', '.join(FORMATS)}"
    parser.add_argument("--format", metavar="NAME", choices=FORMATS, help=said)
    said = "what a compressed file that can be trusted may take when it is unpacked, such as 4G"
    parser.add_argument("--max-bytes", metavar="SIZE", type=_size, help=said)


def add_source(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add one or more FILE arguments and the database query that may replace them."""
    said = "vectors, a folder or pattern of files, an address, a bundled name, or - for standard input"
    add_input(parser, "file", nargs={"+": "*", None: "?"}[nargs], help=said)
    said = "read a database instead of FILE: postgresql://…, duckdb://FILE or sqlite://FILE"
    parser.add_argument("--database", metavar="URL", help=said)
    parser.add_argument("--query", metavar="SQL", help="the query that gives the vectors")


def add_vector_arguments(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add one or more FILE arguments and the options that commands on vectors share."""
    add_source(parser, nargs=nargs)
    add_reading_arguments(parser)
    add_input(
        parser,
        "--groups",
        help="what each row depends on, such as the sentence of a token: intervals leave out whole groups",
    )
    add_measure_arguments(
        parser,
        sample=10_000,
        sample_help="rows that are compared with one another; if there are more, a sample is drawn (default "
        "10000)",
    )
    parser.add_argument("--unit", action="store_true", help="warn about rows whose length is not 1")


def add_measure_arguments(parser: argparse.ArgumentParser, *, sample: int | None, sample_help: str) -> None:
    """Add the options shared by commands that measure vectors: sampled rows, intervals, and the seed."""
    parser.add_argument(
        "--rows",
        metavar="N",
        type=integer(10),
        help="measure N rows that are drawn at random, if there are more (default: all)",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=integer(10),
        default=sample,
        help=sample_help,
    )
    parser.add_argument(
        "--confidence-level",
        metavar="C",
        type=proportion,
        default=0.95,
        help="coverage of the intervals (default 0.95)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=integer(0), default=0, help="of everything random (default 0)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings, no remarks")


def names(text: str) -> list[str]:
    """Split names at commas; a name that contains a comma is quoted."""
    try:
        return [name.strip() for name in next(csv.reader([text], skipinitialspace=True)) or [""]]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"{text!r} ({error}); expected names between commas") from None


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?) *([kmgt]?)i?b?", text.strip().lower())
    size = float(found[1]) * 1000.0 ** " kmgt".index(found[2] or " ") if found else 0.0
    if not 1 <= size < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a size such as 500M or 4G")
    return int(size)


def integer(low: int, *words: str) -> Callable[[str], int | str]:
    """Return an argparse type that accepts an integer from `low` or one of the given words."""

    def parse(text: str) -> int | str:
        if text in words:
            return text
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            expected = " or ".join([f"an integer from {low}", *words])
            raise argparse.ArgumentTypeError(f"{text!r}; expected {expected}")
        return number

    return parse


def proportion(text: str) -> float:
    """Parse a number between 0 and 1 or a percentage."""
    try:
        number = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        number = 0.0
    if not 0.0 < number < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number between 0 and 1")
    return number
