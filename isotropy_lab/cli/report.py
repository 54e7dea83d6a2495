"""Write a report card of a file of vectors: one HTML page that needs nothing else, and a JSON of the same numbers.

FILE is .npy, .npz, .csv, .tsv, .parquet, .safetensors, word2vec text or binary, GloVe or fastText, or a bundled name
(googlenews-weat, glove-weat). A .npy is read in blocks and may be larger than memory. Pickles and torch checkpoints are
never opened: save the array with numpy.save or safetensors.

The page says what each number means, warns where one would mislead, and shows what standard transformations would
change. Labels, groups and the positions of right documents are files with one entry a line, or .npy. The page goes to
report.html unless -o says otherwise; -o report.json writes the JSON, and --json prints it. The scores are also printed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from isotropy_lab import _checks
from isotropy_lab._output import as_json, check_place, deliver
from isotropy_lab.cli.inputs import (
    add_vector_arguments,
    open_vectors,
    read_labels,
    read_positions,
    shown_progress,
)
from isotropy_lab.cli.scores import text_of
from isotropy_lab.cli.weat import word_test
from isotropy_lab.report import report_card

HELP = "write a report card of a file of vectors as one HTML page"

DEFAULT = Path("report.html")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_vector_arguments(parser)
    parser.add_argument(
        "--labels", metavar="FILE", help="a label for each row: adds the scores of each label"
    )
    parser.add_argument(
        "--projection", metavar="FILE", help="a picture of the same rows: adds how faithful it is"
    )
    parser.add_argument("--questions", metavar="FILE", help="vectors of questions: adds a card of retrieval")
    parser.add_argument("--documents", metavar="FILE", help="vectors of documents (default: those of FILE)")
    parser.add_argument("--gold", metavar="FILE", help="position of each question's right document, from 0")
    parser.add_argument(
        "--weat",
        metavar="TEST",
        help="a word association test, as for isotropy-lab weat; FILE must have words",
    )
    parser.add_argument(
        "--compare", metavar="FILE", help="other vectors, set side by side; of as many rows, row by row"
    )
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON instead of the scores")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="where the card goes, .html or .json (default report.html; with --json none unless given); an old file is "
        "replaced only by a whole one",
    )


def run(options: argparse.Namespace) -> int:
    """Measure, write the card and print the scores."""
    output = DEFAULT if options.output is None and not options.json else options.output
    if output is not None:
        _checks.check_report_path(output)
        check_place(output)
    test = None if options.weat is None else word_test(options.weat)
    vectors = _open(
        options, options.file, key=options.key, header=options.header, with_words=test is not None
    )
    projection, questions, documents, compared = (
        None if path is None else _open(options, path, header=_for_tables(path, options.header))
        for path in (options.projection, options.questions, options.documents, options.compare)
    )
    with shown_progress(quiet=options.quiet) as progress:
        card = report_card(
            vectors.array,
            projection=None if projection is None else projection.array,
            questions=None if questions is None else questions.array,
            documents=None if documents is None else documents.array,
            compare=None if compared is None else compared.array,
            labels=None if options.labels is None else read_labels(options.labels, "--labels"),
            groups=None if options.groups is None else read_labels(options.groups, "--groups"),
            gold=None if options.gold is None else read_positions(options.gold, "--gold"),
            words=vectors.words,
            weat=test,
            name=vectors.name,
            compare_name="the other file" if compared is None else compared.name,
            sample_size=options.sample,
            confidence=options.confidence,
            expect_unit=options.unit,
            seed=options.seed,
            progress=progress,
        )
    if output is not None:
        card.write(output)
    if options.json:
        deliver(as_json(card.to_dict()), None)
    elif not options.quiet:
        deliver(text_of(card, quiet=False) + f"\nThe card is in {output}.\n", None)
    return 0


def _for_tables(path: str, header: bool | None) -> bool | None:
    """Return what was said of the first line, for files that have one."""
    return header if Path(path).suffix.lower() in {".csv", ".tsv"} else None


def _open(
    options: argparse.Namespace,
    path: str,
    *,
    key: str | None = None,
    header: bool | None,
    with_words: bool = False,
) -> Any:
    return open_vectors(
        path, key=key, header=header, quiet=options.quiet, command="report", with_words=with_words
    )
