"""Print the isotropy scores of a file of vectors with their intervals, under the verdict about them.

FILE is .npy, .npz, .csv, .tsv, .parquet, .safetensors, JSON lines, word2vec text or binary, GloVe or
fastText, a bundled name (glove-weat), or - for standard input. A .npy may be larger than memory. Without
--all the main scores are printed; --notes says how each was computed. `isotropy-lab report` writes a page.

With --fail-below, --fail-above or --fail-worse-than the exit code is 1 where a number is not as it should be,
with a line on standard error that says which one and why; it is 2 for wrong input.

Example: isotropy-lab scores vectors.npy --all
"""

from __future__ import annotations

import argparse

from isotropy_report.cli import check


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    check.configure(parser)
    parser.add_argument("--all", action="store_true", help="every score")
    parser.add_argument("--notes", action="store_true", help="all that is to be said about the scores")


def run(options: argparse.Namespace) -> int:
    """Print or write the scores."""
    return check.measure(
        options,
        lambda card: card.to_text(every=options.all, remarks=not options.quiet, notes=options.notes),
    )
