"""Find a similarity threshold that costs at most a given margin, with 95% confidence.

QUESTIONS and DOCUMENTS are vectors from one model, in any format that `isotropy-lab report` reads, and --gold
lists the positions of the relevant documents for each question. Documents below the threshold may be hidden:
with 95% confidence, accuracy@10 falls by at most --margin for all questions like these, if the questions are
independent; with --groups, the groups must be independent, and each group counts once. With --out-of-scope,
vectors of questions that no document answers, a lower bound on the fraction of these that get no document is
reported. If there are too few questions for any threshold, the error gives the number needed (exit code 2);
repeated questions are refused, too, unless they share a group.

With --pairs, there are no vectors, and TABLE is a CSV or TSV file with two columns: a similarity, and whether
the pair belongs together (1 or 0, yes or no, true or false); of a table with more columns, name these two,
such as --columns similarity,label. With 95% confidence, at most a fraction --margin of all pairs that belong
together is lost.

Example: isotropy-lab threshold questions.npy documents.npy --gold gold.txt --at 0.7 --out-of-scope others.npy
Example: isotropy-lab threshold --pairs scored.csv --margin 0.05
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from isotropy_lab._core.rows import Floats
from isotropy_lab.retrieval.relevance import METRICS
from isotropy_lab.retrieval.thresholds import HIDES
from isotropy_report._options import use_command_names
from isotropy_report.card.threshold import LABELS, ThresholdPage, page_of_pairs, page_of_search
from isotropy_report.card.words import rename_in_errors
from isotropy_report.cli import arguments, inputs
from isotropy_report.cli.gate import failed
from isotropy_report.io.arrays import OPTIONS
from isotropy_report.io.formats import is_number
from isotropy_report.io.gold import table_rows


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    arguments.add_input(parser, "questions", metavar="QUESTIONS", nargs="?")
    arguments.add_input(parser, "documents", metavar="DOCUMENTS", nargs="?")
    arguments.add_query(parser, "questions", "documents")
    arguments.add_input(parser, "--gold")
    arguments.add_input(parser, "--out-of-scope")
    arguments.add_input(parser, "--groups")
    arguments.add_input(parser, "--pairs", metavar="TABLE")
    parser.add_argument("--margin", metavar="M", type=arguments.proportion, default=0.02)
    parser.add_argument("--at", metavar="T", type=arguments.fraction)
    parser.add_argument("--fail-over-margin", action="store_true")
    parser.add_argument("--metric", metavar="NAME", choices=METRICS, default="accuracy")
    arguments.add_integer(parser, "-k", default=10)
    parser.add_argument("--hide", choices=HIDES, default="documents")
    arguments.add_level(parser)
    parser.add_argument("--quiet", action="store_true")
    arguments.add_reading_arguments(parser)
    arguments.add_output_arguments(parser, page=True)


def run(options: argparse.Namespace) -> int:
    """Print the threshold or write its page to a file."""
    page = page_of(options)
    for text in page.summary if options.quiet else ():
        if text.startswith("Beware: "):
            print(f"isotropy-lab threshold: warning: {text.removeprefix('Beware: ')}", file=sys.stderr)
    inputs.deliver_page(page, options)
    if not options.fail_over_margin or page.at is None:
        return 0
    found = f"{page.at.threshold:g} may lose {page.at.loss_bound:.4f}, with a margin of {options.margin:g}"
    return failed("threshold", [] if page.at.is_within_margin else [found], found * (not options.quiet))


def page_of(options: argparse.Namespace) -> ThresholdPage:
    """Return the threshold page for the files given to the command."""
    if options.fail_over_margin and options.at is None:
        raise ValueError("--fail-over-margin is given without --at; expected the cosine to check")
    if options.at is not None and options.pairs is None and not -1.0 <= options.at <= 1.0:
        raise ValueError(f"--at is {options.at:g}, which is not a cosine; expected a number from -1 to 1")
    shared = {name: getattr(options, name) for name in ("margin", "metric", "hide", "confidence_level", "at")}
    paths = {key: path for key in options.inputs if (path := getattr(options, key)) is not None}
    if options.pairs is not None:
        conflicting = [options.inputs[key] for key in paths if key != "pairs"]
        conflicting += [
            f"--{name.replace('_', '-')}"
            for name in OPTIONS
            if name != "columns" and getattr(options, name) is not None
        ]
        of_search = {"--metric": "metric", "-k": "k", "--hide": "hide"}
        conflicting += [name for name, dest in of_search.items() if dest in options.given]
        if conflicting:
            raise ValueError(
                f"--pairs is given with {conflicting[0]}, which belongs to vectors; expected one of them"
            )
        yes, no = read_pairs(options.pairs, options.columns)
        name = Path(options.pairs).name
        given = {key: shared[key] for key in ("margin", "confidence_level", "at")}
        return page_of_pairs(yes, no, name=name, files={"pairs": name}, **given)
    missing = [options.inputs[key] for key in ("questions", "documents", "gold") if key not in paths]
    if missing:
        raise ValueError(f"{missing[0]} is missing; expected QUESTIONS, DOCUMENTS, and --gold, or --pairs")
    return _page_of_vectors(options, paths, shared)


def _page_of_vectors(
    options: argparse.Namespace, paths: dict[str, str], shared: dict[str, Any]
) -> ThresholdPage:
    reading = {name: getattr(options, name) for name in OPTIONS}
    arrays: dict[str, Any] = {
        name: inputs.open_vectors(
            paths[name], quiet=options.quiet, command="threshold", options=reading
        ).array
        for name in ("questions", "documents", "out_of_scope")
        if name in paths
    }
    names = {key: f"{options.inputs[key]} {path}" for key, path in paths.items()}
    files = {key.replace("_", " "): inputs.name_of(path) for key, path in paths.items()}
    searched = {names[name]: array for name, array in arrays.items()}
    with (
        use_command_names(),
        inputs.list_zero_rows(searched),
        rename_in_errors(names | {"ranks": names["questions"], "k": "-k"}),
    ):
        gold, groups = inputs.read_option(options, "gold"), inputs.read_option(options, "groups")
        return page_of_search(
            arrays, gold, groups, name=Path(options.questions).name, files=files, k=options.k, **shared
        )


def read_pairs(path: str, columns: list[str] | None = None) -> tuple[Floats, Floats]:
    """Return the similarities of the pairs that belong together, and the similarities of all other pairs."""
    similarities: dict[bool, list[float]] = {True: [], False: []}
    rows, positions = list(table_rows(path, "--pairs")), [0, 1]
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    if columns is None and len(header) > 2:
        raise ValueError(
            f"--pairs {path} has {len(header)} columns ({','.join(header)[:60]}); expected a similarity and "
            "a label, or --columns with the names of these two"
        )
    if columns is not None:
        rows = rows[1:]
        if len(columns) != 2 or not set(columns) <= set(header):
            raise ValueError(
                f"--columns is {','.join(columns)}; expected the similarity and the label of --pairs {path}, "
                f"two of {','.join(header)[:200]}"
            )
        positions = [header.index(name) for name in columns]
    for number, row in rows:
        try:
            similarity, label = float(row[positions[0]]), LABELS[row[positions[1]].strip().lower()]
        except (ValueError, KeyError, IndexError):
            is_header = number == 1 and not is_number("".join(row[:1]))
            if is_header and "".join(row[1:2]).strip().lower() not in LABELS:
                continue
            hint = ", with a comma between cells and decimal points" * (";" in "".join(row))
            hint = f"; --columns names {columns[0]!r} as the similarity" if columns is not None else hint
            raise ValueError(
                f"--pairs {path}, line {number}, contains {str(row)[:60]}; expected a similarity "
                f"and a label (1 or 0, yes or no, true or false){hint}"
            ) from None
        if not np.isfinite(similarity):
            raise ValueError(
                f"--pairs {path}, line {number}, has the number {row[positions[0]]}; expected a finite one"
            )
        similarities[label].append(similarity)
    return np.array(similarities[True]), np.array(similarities[False])
