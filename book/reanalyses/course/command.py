"""Grade the notebooks that students hand in, or write an exam with its answers."""

import argparse
import csv
import io
import secrets
from pathlib import Path

from isotropy_report._output import check_output, deliver, replace_file
from isotropy_report.cli.arguments import StoreOnce, integer
from reanalyses.course import exam, grading

GRADE = """Write a table with one row per student and exercise. Each notebook, STUDENT.ipynb, is executed in a process with
limits on time and memory and, on Linux if possible, without a network. It can still read and change all files that you can;
if you do not trust the class, grade in a container. Example: python -m reanalyses.course grade handed-in -o grades.csv"""
EXAM = """Write an exam for students (student/exam.md and exam.ipynb), and its answers and the files for learning platforms
(instructor/). The numbers come from the seed, and the answers from the package. Whoever knows the seed can compute the answers:
keep it secret. Example: python -m reanalyses.course exam -o exam"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    parser.set_defaults(json=False)
    subparsers = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    exam_parser = subparsers.add_parser("exam", help="write an exam with its answers", description=EXAM)
    exam_parser.register("action", None, StoreOnce)
    exam_parser.set_defaults(output=None)
    exam_parser.add_argument(
        "-o", "--output", dest="folder", metavar="FOLDER", type=Path, required=True, help="folder to write to"
    )
    exam_parser.add_argument(
        "--seed", metavar="N", type=integer(0), help="seed of the numbers (default: a new secret number)"
    )
    parser = subparsers.add_parser("grade", help="grade notebooks", description=GRADE)
    parser.register("action", None, StoreOnce)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the notebooks")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="table file (default: print it)")
    parser.add_argument(
        "--lesson", metavar="NAME", help="lesson to grade (default: all lessons with exercises in a notebook)"
    )
    parser.add_argument(
        "--variants", action="store_true", help="give no points for answers with the lesson's own data"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=integer(1), default=300, help="limit per notebook (default: 300)"
    )


def run(options: argparse.Namespace) -> int:
    """Grade the notebooks and write the table, or write the exam."""
    if options.what == "exam":
        exam_files = dict(exam.files(secrets.randbits(48) if options.seed is None else options.seed))
        if existing := [name for name in exam_files if (options.folder / name).exists()]:
            raise FileExistsError(
                f"--output contains {existing[0]}, which would be overwritten; expected a folder without this file"
            )
        for name, content in exam_files.items():
            (options.folder / name).parent.mkdir(parents=True, exist_ok=True)
            replace_file(options.folder / name, content)
        return 0
    files = grading.notebooks(options.folder)
    if options.output is not None:
        check_output(options.output, {f"notebook {i}": file for i, file in enumerate(files, 1)})
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(grading.Row._fields)
    for file in files:
        for row in grading.grade(
            file, options.lesson, variants_only=options.variants, seconds=options.seconds
        ):
            # A spreadsheet would evaluate text that begins like a formula.
            table.writerow(
                [f"'{cell}" if str(cell).startswith(("=", "+", "-", "@")) else cell for cell in row]
            )
    deliver(text.getvalue(), options.output)
    return 0
