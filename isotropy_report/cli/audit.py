"""Report what printed accuracies can show: their intervals, and which differ whatever the answers were.

--accuracy is a number as printed, such as 0.70 or 70.4%, because its decimals show how it was rounded;
--against is another one on the same questions. --table is a CSV file with a model and its accuracy per line.

Example: isotropy-lab audit --accuracy 0.70 --against 0.74 --questions 120
"""

from __future__ import annotations

import argparse
import csv

from isotropy_report._output import as_json, deliver
from isotropy_report.card.card import wrapped
from isotropy_report.card.words import errors_rename
from isotropy_report.cli.arguments import add_input, add_output_arguments, integer, proportion
from isotropy_report.io.formats import existing_file
from isotropy_report.measures import audit_accuracies


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    parser.add_argument("--accuracy", metavar="A", help="an accuracy, as printed")
    parser.add_argument("--against", metavar="B", help="another one on the same questions")
    add_input(parser, "--table", help="models and their accuracies, as name,accuracy in each line")
    parser.add_argument(
        "--questions", metavar="N", type=integer(1), help="how many questions there were; needed"
    )
    parser.add_argument(
        "--confidence-level", metavar="C", type=proportion, default=0.95, help="(default 0.95)"
    )
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print or write the conclusions from the accuracies."""
    pair = {"A": options.accuracy, "B": options.against}
    given = {name: text for name, text in pair.items() if text is not None}
    if options.table is not None and given:
        raise ValueError("--table is given with an accuracy; expected one of the two")
    if options.table is None and options.accuracy is None:
        raise ValueError("--accuracy is missing; expected it, or --table")
    if options.questions is None:
        raise ValueError("--questions is missing; expected how many questions the accuracies are of")
    with errors_rename({"accuracies['A']": "--accuracy", "accuracies['B']": "--against"}):
        found = audit_accuracies(
            read_accuracies(options.table) if options.table is not None else given,
            options.questions,
            confidence_level=options.confidence_level,
        )
    text = "\n".join(wrapped(*str(found).splitlines(), indent="  ")) + "\n"
    deliver(as_json(found.to_dict()) if options.json else text, options.output)
    return 0


def read_accuracies(path: str) -> dict[str, str]:
    """Return the accuracies of a table by model, as strings, skipping a header line."""
    found: dict[str, str] = {}
    with existing_file(path, "--table").open(encoding="utf-8-sig", newline="") as stream:
        for number, row in enumerate(csv.reader(stream), 1):
            name, text = (cell.strip() for cell in row) if len(row) == 2 else ("", "")
            if not name or name in found:
                raise ValueError(f"--table {path}, line {number} is {row}; expected another name,accuracy")
            if number > 1 or text[:1].isdigit() or text[:1] == ".":
                found[name] = text
    return found
