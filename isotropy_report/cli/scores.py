"""Print every isotropy score of a file of vectors, with intervals, and what would make them mislead.

FILE is .npy, .npz, .csv, .tsv, .parquet, .safetensors, JSON lines, word2vec text or binary, GloVe or
fastText, a bundled name (glove-weat), or - for standard input. A .npy may be larger than memory. For what
each number means, and for a page with figures, see `isotropy-lab report`.

With --fail-below, --fail-above or --fail-worse-than the exit code is 1 where a number is not as it should be,
with a line on standard error that says which one and why; it is 2 for wrong input.

Example: isotropy-lab scores vectors.npy --json
"""

from __future__ import annotations

import argparse

from isotropy_report._output import as_json, deliver
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
    """Print or write the scores."""
    check_drawn(options)
    gate = Gate(options)
    vectors = read_vectors(options, options.file)
    with shown_progress(quiet=options.quiet):
        card = card_of_files(options, vectors, {}, brief=True)
    deliver(
        as_json(with_date(card).to_dict()) if options.json else card.to_text(remarks=not options.quiet),
        options.output,
    )
    return gate.judge(card, "scores")
