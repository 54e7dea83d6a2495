"""Test whether texts have drifted, from two files with one model's vectors of different texts.

The test permutes the rows of both files, so its level is exact for independent rows. The output says where
and by how much the files differ, and what shift the test can detect. A text that appears in both files, or
several times in one, is not independent. FILE is any input of `isotropy-lab report`.

Example: isotropy-lab drift before.npy after.npy -o drift.html
"""

from __future__ import annotations

import argparse

from isotropy_lab._core import checks
from isotropy_report.card.words import errors_rename
from isotropy_report.cli.arguments import (
    add_input,
    add_output_arguments,
    add_reading_arguments,
    integer,
)
from isotropy_report.cli.compare import names_of_files
from isotropy_report.cli.inputs import deliver_page, read_vectors, shown_progress
from isotropy_report.comparison import drift_report


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    add_input(parser, "files", nargs="+", help="the older file, and the newer one")
    add_reading_arguments(parser)
    said = "rows of a file that are tested, drawn at random from more (default 2000)"
    parser.add_argument("--sample", metavar="N", type=integer(10), default=2_000, help=said)
    parser.add_argument("--seed", metavar="N", type=integer(0), default=0, help="of the draws (default 0)")
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings, no remarks")
    parser.set_defaults(rows=None)
    add_output_arguments(parser, output="write a page there, .html or .json")


def run(options: argparse.Namespace) -> int:
    """Run the test, write the page, and print the text."""
    if options.output is not None:
        checks.check_report_path(options.output)
    if len(options.files) != 2:
        raise ValueError(f"FILE is given {len(options.files)} times; expected two files of other texts")
    called = names_of_files(options.files)
    files = [read_vectors(options, path) for path in options.files]
    with shown_progress(quiet=options.quiet), errors_rename(dict(zip("AB", options.files, strict=True))):
        found = drift_report(
            *(file.array for file in files),
            names=(called[0], called[1]),
            max_rows=options.sample,
            rng=options.seed,
        )
    deliver_page(found, options)
    return 0
