"""Print the verdict and isotropy scores with intervals for a file of vectors, or a table for several files.

FILE is any input of `isotropy-lab report`, which writes a page. Without --all, only the main scores are
printed; --notes explains how each was computed.

With --fail-collapsed, --fail-below, --fail-above, or --fail-worse-than, the exit code is 1 if a check fails,
with a line on standard error for each reason; it is 2 for invalid input, even in one file only.

Example: isotropy-lab scores old.npy new.npy --table markdown
"""

from __future__ import annotations

import argparse
import sys

import pandas as pd

from isotropy_report._output import align, as_json, deliver
from isotropy_report.card.cautions import verdict_in
from isotropy_report.card.words import label_of, text_of
from isotropy_report.cli import USAGE, check
from isotropy_report.cli.gate import Gate
from isotropy_report.cli.inputs import check_rows
from isotropy_report.cli.streams import with_original_names


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    check.configure(parser, nargs="+")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--table", choices=("csv", "markdown"))


def run(options: argparse.Namespace) -> int:
    """Print the scores or write them to a file."""
    check_rows(options)
    gate = Gate(options)
    has_several = len(options.file) > 1
    cards = []
    for path in options.file:
        try:
            cards.append(check.measure_file(options, path))
        except (ValueError, TypeError, OSError, ImportError) as error:
            if not has_several:
                raise
            print(f"isotropy-lab scores: error: {with_original_names(str(error))}", file=sys.stderr)
    if not cards:
        return USAGE
    suffix = "" if options.output is None else options.output.suffix.lower()
    table = options.table or {".csv": "csv", ".md": "markdown"}.get(suffix)
    if options.json:
        documents = [card.to_dict() for card in cards]
        text = as_json(documents if has_several else documents[0])
    elif table == "csv":
        text = pd.concat([card.to_frame().assign(file=card.name) for card in cards]).to_csv(index=False)
    elif has_several or table:
        lines = [{line.key: text_of(line) for line in card.main_lines(every=options.all)} for card in cards]
        header = ["", *(card.name for card in cards)]
        keys = dict.fromkeys(key for texts in lines for key in texts)
        rows = [[label_of(key), *(texts.get(key, "–") for texts in lines)] for key in keys]
        shapes = [f"{card.value('n_points'):,} × {card.value('n_dimensions'):,}" for card in cards]
        verdicts = [verdict_in(card.summary[bool(card.options.get("rows drawn from"))]) for card in cards]
        rows = [["Verdict", *verdicts], ["Rows × columns", *shapes], *rows]
        if table:
            rows = [["---"] * len(header), *rows]
            text = "".join(f"| {' | '.join(row)} |\n" for row in (header, *rows))
        else:
            text = "\n".join(align(header, rows)) + "\n"
    else:
        text = cards[0].to_text(every=options.all, remarks=not options.quiet, notes=options.notes)
    deliver(text, options.output)
    codes = [gate.judge(card, options.command) for card in cards]
    return max(codes) if len(cards) == len(options.file) else USAGE
