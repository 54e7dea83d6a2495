"""Test whether texts have drifted, from two files with one model's vectors of different texts.

The test permutes the rows of both files, so its level is exact for independent rows of a model that was
fitted to neither file. (TF-IDF, SVD, PCA, or word2vec of one file represent it better, and the test finds
this.) The output says where and by how much the files differ, and what shift the test can detect. A text that
appears in both files, or several times in one, is not independent. The test does not support groups: if rows
depend on one another, as the tokens of a sentence do, give one row per sentence. FILE is any input of
`isotropy-lab report`.

Example: isotropy-lab drift before.npy after.npy -o drift.html
"""

from __future__ import annotations

import argparse

from isotropy_report.card.words import count_text, rename_in_errors
from isotropy_report.cli import arguments
from isotropy_report.cli.compare import names_of_files
from isotropy_report.cli.gate import failed
from isotropy_report.cli.inputs import deliver_page, read_vectors, show_progress
from isotropy_report.comparison import drift_report


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    arguments.add_input(parser, "files", nargs="*")
    arguments.add_query(parser, "files")
    arguments.add_reading_arguments(parser)
    arguments.add_integer(parser, "--sample", low=10, default=2_000)
    parser.add_argument("--fail-drifted", action="store_true")
    arguments.add_seed_and_quiet(parser)
    arguments.add_output_arguments(parser, page=True)


def run(options: argparse.Namespace) -> int:
    """Run the test, write the page, and print the text."""
    if len(options.files) != 2:
        times = count_text(len(options.files), "time")
        raise ValueError(f"FILE is given {times}; expected two files with different texts")
    names = names_of_files(options.files)
    files = [read_vectors(options, path, rows=False) for path in options.files]
    with show_progress(quiet=options.quiet), rename_in_errors(dict(zip("AB", options.files, strict=True))):
        report = drift_report(
            *(file.array for file in files),
            names=(names[0], names[1]),
            max_rows=options.sample,
            rng=options.seed,
        )
    deliver_page(report, options)
    if not options.fail_drifted:
        return 0
    if report.verdict == "no verdict":
        raise ValueError(f"--fail-drifted gets no verdict: {report.summary[0]}")
    reasons = [report.summary[0]] * (report.verdict == "drift")
    return failed("drift", reasons, report.verdict * (not options.quiet))
