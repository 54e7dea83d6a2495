"""Test whether texts have drifted: two files hold vectors of other texts by one model.

The test permutes the rows of both files, so that its level is exact for independent rows. The text says where
the files differ, how much, and what shift would have been found. A text that is in both files, or several
times in one, is not independent. FILE is what `isotropy-lab report` takes.

Example: isotropy-lab drift before.npy after.npy -o drift.html
"""

from __future__ import annotations

import argparse

from isotropy_lab._core import checks
from isotropy_report._output import as_json, deliver
from isotropy_report.card.words import errors_rename
from isotropy_report.cli.arguments import (
    add_input,
    add_output_arguments,
    add_reading_arguments,
    integer,
)
from isotropy_report.cli.compare import names_of_files
from isotropy_report.cli.inputs import read_vectors, shown_progress, with_date
from isotropy_report.comparison import drift_report


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_input(parser, "files", nargs="+", help="the older file, and the newer one")
    add_reading_arguments(parser)
    said = "rows of a file that are tested, drawn at random from more (default 2000)"
    parser.add_argument("--sample", metavar="N", type=integer(10), default=2_000, help=said)
    parser.add_argument("--seed", metavar="N", type=integer(0), default=0, help="of the draws (default 0)")
    parser.add_argument("--quiet", action="store_true", help="no progress, no warnings, no remarks")
    parser.set_defaults(rows=None)
    add_output_arguments(parser, output="write a page there, .html or .json")


def run(options: argparse.Namespace) -> int:
    """Test, write the page and print the text."""
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
    page = with_date(found)
    if options.output is not None:
        page.write(options.output)
    if options.json:
        deliver(as_json(page.to_dict()), None)
    else:
        deliver(page.to_text(remarks=not options.quiet), None)
    return 0
