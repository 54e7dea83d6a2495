"""Write a report card of a file of vectors as one HTML page or as JSON with the same numbers.

FILE is an NPY, NPZ, CSV, TSV, Parquet, safetensors, JSON Lines, word2vec (text or binary), GloVe, or fastText
file, a bundled name (glove-weat), or - for standard input. NPY files are read in blocks and may exceed
memory. Pickles and torch checkpoints are never opened: save the array with numpy.save or safetensors.

The page opens with a description of the vectors in three sentences, plots, and each score next to the scores
of known encoders; it explains each number and warns about misleading ones. Labels, groups, and the positions
of relevant documents are text files with one line per row, or NPY files. Several relevant documents of a
question go on one line, or in TREC judgments (question, 0, document, grade) with positions instead of IDs.
The page is written to report.html by default; -o report.json writes the JSON, and --json prints it. The
scores are also printed.

With --fail-collapsed, --fail-below, --fail-above, or --fail-worse-than, the exit code is 1 if a check fails,
with a line on standard error for each reason; it is 2 for invalid input.

Example: isotropy-lab report vectors.npy --labels labels.txt -o card.html
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isotropy_report.card import ReportCard, report_card
from isotropy_report.card.meanings import TEXTS
from isotropy_report.cli import inputs
from isotropy_report.cli.arguments import add_input, add_output_arguments, add_vector_arguments
from isotropy_report.cli.gate import Gate, add_gate_arguments


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    add_vector_arguments(parser)
    add_input(parser, "--labels")
    add_input(parser, "--questions")
    add_input(parser, "--documents")
    add_input(parser, "--gold")
    add_gate_arguments(parser)
    add_output_arguments(parser, page=True, default=Path("report.html"))


def run(options: argparse.Namespace) -> int:
    """Measure the vectors, write the card, and print the scores."""
    inputs.check_rows(options)
    gate = Gate(options)
    vectors = inputs.read_vectors(options, options.file)
    searched = {
        name: inputs.read_vectors(options, path, rows=False)
        for name in ("questions", "documents")
        if (path := getattr(options, name)) is not None
    }
    with inputs.show_progress(quiet=options.quiet):
        card = card_of_files(options, vectors, searched)
    inputs.deliver_page(card, options)
    return gate.judge(card, "report")


def card_of_files(
    options: argparse.Namespace, vectors: inputs.Vectors, searched: Mapping[str, Any], *, brief: bool = False
) -> ReportCard:
    """Return the card of files that have been read; error messages use the names of the files."""
    arrays: dict[str, Any] = {name: file.array for name, file in searched.items()}
    with inputs.use_file_names(options, X=vectors.array, **arrays):
        names = (name for name in ("labels", "groups", "gold") if name in options)
        files = {name: inputs.read_option(options, name) for name in names}
        card = report_card(
            vectors.array,
            **arrays,
            **files,
            name=vectors.name,
            sample_size=options.sample,
            confidence_level=options.confidence_level,
            pictures=not brief,
            rng=options.seed,
        )
    if vectors.drawn_from is None:
        return card
    values = {"rows": len(vectors.array), "total": vectors.drawn_from, "seed": card.options["seed"]}
    sentence = TEXTS["drawn_rows"].format(**values)
    sampling = {"rows drawn from": vectors.drawn_from}
    return dataclasses.replace(card, options=card.options | sampling, summary=(sentence, *card.summary))
