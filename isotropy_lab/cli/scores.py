"""Print every isotropy score of a file of vectors, with intervals, and what would make them mislead.

FILE is .npy, .npz, .csv, .tsv, .parquet, .safetensors, word2vec text or binary, GloVe or fastText, or a bundled name
(googlenews-weat, glove-weat). A .npy may be larger than memory. For what each number means, and for a page with pictures,
see `isotropy-lab report`.
"""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from isotropy_lab._output import add_output_arguments, aligned, as_json, check_place, deliver
from isotropy_lab.cli.inputs import add_vector_arguments, open_vectors, read_labels, shown_progress
from isotropy_lab.report import ReportCard, report_card
from isotropy_lab.report.drawing import number
from isotropy_lab.report.meanings import MEANINGS

HELP = "print every isotropy score of a file of vectors"

_WIDTH = 110


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_vector_arguments(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print or write the scores."""
    if options.output is not None:
        check_place(options.output)
    vectors = open_vectors(
        options.file, key=options.key, header=options.header, quiet=options.quiet, command="scores"
    )
    with shown_progress(quiet=options.quiet) as progress:
        card = report_card(
            vectors.array,
            name=vectors.name,
            groups=None if options.groups is None else read_labels(options.groups, "--groups"),
            sample_size=options.sample,
            confidence=options.confidence,
            expect_unit=options.unit,
            seed=options.seed,
            transformations=False,
            progress=progress,
        )
    deliver(as_json(card.to_dict()) if options.json else text_of(card, quiet=options.quiet), options.output)
    return 0


def text_of(card: ReportCard, *, quiet: bool) -> str:
    """Return scores and cautions as text."""
    isotropy = card.section("isotropy")
    rows = []
    for line in isotropy.lines:
        interval = (
            "" if line.low is None or line.high is None else f"{number(line.low)} to {number(line.high)}"
        )
        rows.append([MEANINGS[line.key].label, _shown(line.value), interval])
    lines = [
        f"{card.name}: {_shown(card.value('n_points'))} rows in {_shown(card.value('n_dimensions'))} dimensions",
        "",
    ]
    lines += aligned(["", "value", f"{card.options['confidence']:.0%} interval"], rows)
    if quiet:
        return "\n".join(lines) + "\n"
    said = [
        *card.summary,
        *(f"Beware: {caution.text}" for caution in card.cautions),
        *(f"{MEANINGS[line.key].label}: {line.note}" for line in isotropy.lines if line.note),
        *isotropy.notes,
    ]
    lines.append("")
    for sentence in said:
        lines += textwrap.wrap(sentence, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return "undefined" if value is None else number(value)
