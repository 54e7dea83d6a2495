"""Grade the notebooks that students hand in: a table with one row per student and exercise.

Each notebook, STUDENT.ipynb, is executed in a process with limits on time and memory and, on Linux if possible,
without a network. It can still read and change all files that you can: if you do not trust the class, grade in a
container.

Example: python -m reanalyses.course grade handed-in -o grades.csv
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from isotropy_report._output import check_output, deliver
from isotropy_report.cli.arguments import integer
from reanalyses.course import grading

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    parser.set_defaults(json=False)
    parser.add_argument("what", choices=("grade",), help="what to do")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the notebooks are")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the table (default: print it)")
    parser.add_argument(
        "--lesson", metavar="NAME", help="the lesson (default: all that a notebook has an exercise of)"
    )
    parser.add_argument(
        "--variants", action="store_true", help="no points for answers with the lesson's own data"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=integer(1), default=300, help="limit of a notebook (default: 300)"
    )


def run(options: argparse.Namespace) -> int:
    """Grade the notebooks and write the table."""
    files = grading.notebooks(options.folder)
    if options.output is not None:
        check_output(options.output, {f"notebook {i}": file for i, file in enumerate(files, 1)})
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(grading.Row._fields)
    for file in files:
        for row in grading.grade(file, options.lesson, own=options.variants, seconds=options.seconds):
            # A spreadsheet would evaluate a text that begins like a formula.
            table.writerow([f"'{one}" if str(one).startswith(("=", "+", "-", "@")) else one for one in row])
    deliver(text.getvalue(), options.output)
    return 0
