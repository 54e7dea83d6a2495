"""Report what published accuracies show: their intervals, and which differ regardless of the answers.

--accuracy is a number with its published decimals, such as 0.70 or 70.4%, because they show how it was
rounded; --against is the accuracy of another model on the same questions. --table is a CSV file with a model
and its accuracy in each line.

Example: isotropy-lab audit --accuracy 0.70 --against 0.74 --questions 120
"""

from __future__ import annotations

import argparse

from isotropy_report._output import deliver
from isotropy_report.card.words import rename_in_errors
from isotropy_report.cli.arguments import add_input, add_integer, add_level, add_output_arguments
from isotropy_report.io.gold import table_rows
from isotropy_report.measures import audit_accuracies


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    parser.add_argument("--accuracy", metavar="A")
    parser.add_argument("--against", metavar="B")
    add_input(parser, "--table")
    add_integer(parser, "--questions")
    add_level(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print or write the conclusions from the accuracies."""
    options_given = {"A": options.accuracy, "B": options.against}
    accuracies = {name: text for name, text in options_given.items() if text is not None}
    if options.table is not None and accuracies:
        raise ValueError(
            "--table is given with --accuracy or --against; expected either a table or accuracies"
        )
    if options.table is None and options.accuracy is None:
        raise ValueError("--accuracy is missing; expected --accuracy or --table")
    if options.questions is None:
        raise ValueError("--questions is missing; expected the number of questions that were answered")
    with rename_in_errors({"accuracies['A']": "--accuracy", "accuracies['B']": "--against"}):
        audit = audit_accuracies(
            read_accuracies(options.table) if options.table is not None else accuracies,
            options.questions,
            confidence_level=options.confidence_level,
        )
    deliver(audit.to_json() if options.json else f"{audit}\n", options.output)
    return 0


def read_accuracies(path: str) -> dict[str, str]:
    """Return the accuracies in a table by model, as strings, skipping a header line."""
    accuracies: dict[str, str] = {}
    for number, row in table_rows(path, "--table"):
        name, text = (cell.strip() for cell in row) if len(row) == 2 else ("", "")
        if not name or name in accuracies or ";" in name:
            raise ValueError(
                f"--table {path}, line {number}, is {','.join(row)[:40]!r}; expected name,accuracy with a "
                "decimal point, and different names without semicolons"
            )
        if number > 1 or text[:1].isdigit() or text[:1] == ".":
            accuracies[name] = text
    return accuracies
