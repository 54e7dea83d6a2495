"""Write what a course needs and the book does not show.

quizzes: the questions of all lessons, as Moodle XML and as an IMS QTI 2.1 package. Files of the same names that were not
written by this command are left alone, with an error.

Example: python -m reanalyses course quizzes --to course
"""

from __future__ import annotations

import argparse
from pathlib import Path

from reanalyses.course import quizzes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("what", choices=("quizzes",), help="what to write")
    parser.add_argument(
        "--to", metavar="FOLDER", type=Path, required=True, help="where to; made where it is missing"
    )
    parser.set_defaults(output=None, json=False)


def run(options: argparse.Namespace) -> int:
    """Write the files, and print where they are."""
    for file in quizzes.write(options.to):
        print(file)
    return 0
