"""Say in a few lines whether vectors are collapsed, what is unusual about them, and what to do about it.

FILE is what `isotropy-lab report` takes, which writes a page with every number. "Collapsed" means that the
corrected IsoScore, with its interval, is below half of the least among known encoders, or that the mean
vector holds nearly all of the length. --json prints what `isotropy-lab scores` prints.

Example: isotropy-lab check vectors.npy
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from isotropy_report._output import as_json, deliver
from isotropy_report.card import ReportCard
from isotropy_report.cli.arguments import add_output_arguments, add_vector_arguments
from isotropy_report.cli.gate import Gate, add_gate_arguments
from isotropy_report.cli.inputs import check_drawn, read_vectors, shown_progress, with_date
from isotropy_report.cli.report import card_of_files


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_vector_arguments(parser)
    add_gate_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print or write the verdict."""
    return measure(options, lambda card: card.verdict())


def measure(options: argparse.Namespace, text: Callable[[ReportCard], str]) -> int:
    """Measure a file, print or write its JSON or a text, and return the exit code."""
    check_drawn(options)
    gate = Gate(options)
    vectors = read_vectors(options, options.file)
    with shown_progress(quiet=options.quiet):
        card = card_of_files(options, vectors, {}, brief=True)
    deliver(as_json(with_date(card).to_dict()) if options.json else text(card), options.output)
    return gate.judge(card, options.command)
