"""Report in a few lines whether vectors are collapsed, what is unusual about them, and what to do about it.

FILE is any input of `isotropy-lab report`, which writes a page with every number. "Collapsed" means that the
interval of the dimensions used lies below half of the smallest number for any known encoder, or that the mean
accounts for 99.99% of the squared length; "perhaps collapsed", that the interval starts below that number, or
that the mean accounts for 99%; "no verdict", that it takes more different rows. With few columns, the limits
are 1 plus 15%, and 1 plus 7.5%, of the others. An average cosine above that of known encoders is otherwise
"off-center", not collapsed. Unusual are repeated or zero rows, constant or dominating columns, a few huge
rows, and lengths near but not at 1. --json prints what `scores --json` does.

Example: isotropy-lab check vectors.npy
"""

from __future__ import annotations

import argparse
import sys

from isotropy_report._output import as_json, deliver
from isotropy_report.card import ReportCard
from isotropy_report.cli.arguments import add_output_arguments, add_vector_arguments
from isotropy_report.cli.gate import Gate, add_gate_arguments
from isotropy_report.cli.inputs import check_rows, read_vectors, show_progress, with_date
from isotropy_report.cli.report import card_of_files


def configure(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Add the arguments to the parser."""
    add_vector_arguments(parser, nargs=nargs)
    add_gate_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the verdict or write it to a file."""
    check_rows(options)
    gate = Gate(options)
    card = measure_file(options, options.file)
    deliver(as_json(card.to_dict()) if options.json else card.findings(), options.output)
    return gate.judge(card, options.command)


def measure_file(options: argparse.Namespace, path: str) -> ReportCard:
    """Return the card of a file, without its plots."""
    file_options = argparse.Namespace(**vars(options) | {"file": path})
    vectors = read_vectors(file_options, path)
    n_rows, n_columns = vectors.array.shape
    if n_rows < n_columns > 1_000 and not options.quiet:  # say so before it takes half a minute
        hint = f"{vectors.name} has {n_rows:,} rows and {n_columns:,} columns: are rows and columns swapped?"
        print(f"isotropy-lab {options.command}: warning: {hint}", file=sys.stderr, flush=True)
    with show_progress(quiet=options.quiet):
        return with_date(card_of_files(file_options, vectors, {}, brief=True))
