"""Find a similarity threshold that costs at most a given margin, with 95% confidence.

QUESTIONS and DOCUMENTS are vectors from one model, in any format that `isotropy-lab report` reads, and --gold
lists the positions of the relevant documents for each question. Documents below the threshold may be hidden:
with 95% confidence, accuracy@10 falls by at most --margin for all questions like these, if the questions are
independent; with --groups, the groups must be independent, and each group counts once. With --out-of-scope,
vectors of questions that no document answers, a lower bound on the fraction of these that get no document is
reported. If there are too few questions for any threshold, the error gives the number needed (exit code 2).

With --pairs, there are no vectors: TABLE is a CSV or TSV file with two columns, a similarity and whether the
pair belongs together (1 or 0, yes or no, true or false). With 95% confidence, at most a fraction --margin of
all pairs that belong together is lost.

Example: isotropy-lab threshold questions.npy documents.npy --gold gold.txt --margin 0.02
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

from isotropy_lab import retrieval
from isotropy_lab.retrieval.relevance import METRICS, RelevantRanks
from isotropy_lab.retrieval.thresholds import HIDES
from isotropy_report.card.threshold import ThresholdPage, threshold_page
from isotropy_report.card.words import errors_rename
from isotropy_report.cli.arguments import (
    add_input,
    add_output_arguments,
    add_reading_arguments,
    integer,
    proportion,
)
from isotropy_report.cli.inputs import OPTIONS, deliver_page, name_of, open_vectors, read_gold, read_labels
from isotropy_report.io.formats import existing_file
from isotropy_report.measures.equal_rows import count_duplicates, row_hashes

_ANSWERS = {"1": True, "0": False, "yes": True, "no": False, "true": True, "false": False}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    add_input(parser, "questions", metavar="QUESTIONS", nargs="?", help="vectors of questions")
    add_input(parser, "documents", metavar="DOCUMENTS", nargs="?", help="vectors of documents")
    add_input(parser, "--gold", help="positions of relevant documents, from 0: a line for each question")
    add_input(parser, "--out-of-scope", help="vectors of questions that no document answers")
    add_input(parser, "--groups", help="a line for each question: what it depends on, such as its author")
    add_input(parser, "--pairs", metavar="TABLE", help="similarities and yes or no, instead of vectors")
    parser.add_argument(
        "--margin", metavar="M", type=proportion, default=0.02, help="how far it may fall (default 0.02)"
    )
    parser.add_argument("--at", metavar="T", type=float, help="also say what this threshold would cost")
    said = f"what may fall: {', '.join(METRICS)} (default accuracy)"
    parser.add_argument("--metric", metavar="NAME", choices=METRICS, default="accuracy", help=said)
    parser.add_argument(
        "-k", metavar="K", type=integer(1), default=10, help="documents for each question (default 10)"
    )
    parser.add_argument(
        "--hide", choices=HIDES, default="documents",
        help="each document below the threshold, or the whole list if its best document is",
    )  # fmt: skip
    parser.add_argument(
        "--confidence-level", metavar="C", type=proportion, default=0.95, help="(default 0.95)"
    )
    parser.add_argument("--quiet", action="store_true", help="the threshold alone, without warnings")
    add_reading_arguments(parser)
    add_output_arguments(parser, output="write a page (.html) or its numbers (.json)")


def run(options: argparse.Namespace) -> int:
    """Print the threshold or write its page to a file."""
    deliver_page(page_of(options), options)
    return 0


def page_of(options: argparse.Namespace) -> ThresholdPage:
    """Return the threshold page for the files given to the command."""
    if options.at is not None and options.pairs is None and not -1.0 <= options.at <= 1.0:
        raise ValueError(f"--at is {options.at:g}; expected a cosine from -1 to 1")
    shared = {name: getattr(options, name) for name in ("margin", "metric", "hide", "confidence_level", "at")}
    if options.pairs is not None:
        given = [name for name in options.inputs if name != "pairs" and getattr(options, name) is not None]
        if given:
            raise ValueError(f"--pairs is given with {options.inputs[given[0]]}; expected one of the two")
        yes, no = read_pairs(options.pairs)
        numbers = np.ones((yes.size, 1), dtype=np.int64)
        return threshold_page(
            yes[:, None], RelevantRanks(numbers, numbers, numbers - 1), name=Path(options.pairs).name,
            out_of_scope=no if no.size else None, pairs=True,
            files={"pairs": Path(options.pairs).name}, **shared,
        )  # fmt: skip
    missing = [name for name in ("questions", "documents", "gold") if getattr(options, name) is None]
    if missing:
        raise ValueError(
            f"{options.inputs[missing[0]]} is missing; expected QUESTIONS, DOCUMENTS and --gold, or --pairs"
        )
    return _page_of_vectors(options, shared)


def _page_of_vectors(options: argparse.Namespace, shared: dict[str, Any]) -> ThresholdPage:
    reading = {name: getattr(options, name) for name in OPTIONS}
    arrays = {
        name: open_vectors(path, quiet=options.quiet, command="threshold", options=reading).array
        for name in ("questions", "documents", "out_of_scope")
        if (path := getattr(options, name)) is not None
    }
    inputs = options.inputs.items()
    names = {key: f"{shown} {path}" for key, shown in inputs if (path := getattr(options, key))}
    with errors_rename(names | {"ranks": names["questions"]}):
        gold = read_gold(options.gold, "--gold")
        groups = None if options.groups is None else read_labels(options.groups, "--groups")
        ranks = retrieval.relevant_ranks(arrays["questions"], arrays["documents"], gold)
        k = min(options.k, len(arrays["documents"]))
        if k < options.k:
            raise ValueError(f"-k is {options.k}, and there are {k:,} documents; expected at most as many")
        best = retrieval.top_k(arrays["questions"], arrays["documents"], k)
        outside = None
    if "out_of_scope" in arrays:
        with errors_rename(names | {"questions": names["out_of_scope"]}):
            outside = retrieval.top_k(arrays["out_of_scope"], arrays["documents"], 1).similarities[:, 0]
    with errors_rename(names):
        return threshold_page(
            best.similarities, ranks, name=Path(options.questions).name, groups=groups,
            out_of_scope=outside, doubts=_doubts(arrays, groups), files=_files(options), **shared,
        )  # fmt: skip


def _files(options: argparse.Namespace) -> dict[str, str]:
    """Return the file names that the page lists among its settings."""
    names = ("questions", "documents", "gold", "out_of_scope", "groups")
    return {name.replace("_", " "): name_of(path) for name in names if (path := getattr(options, name))}


def _doubts(arrays: dict[str, Any], groups: Any) -> list[str]:
    """Return warnings about questions that repeat across groups or are identical to the documents."""
    said = []
    for name in (name for name in arrays if name != "documents"):
        hashes = row_hashes(arrays[name])
        if name == "questions" and groups is not None and len(groups) == len(hashes):
            labels = np.unique(groups, return_inverse=True)[1].astype(np.uint64)
            hashes = np.unique(np.stack([hashes, labels]), axis=1)[0]  # repeats within a group count once
        shown = name.replace("_", " ")
        if count := count_duplicates(hashes).n_duplicates:
            said.append(f"{count:,} rows of {shown} repeat earlier ones, so they are not independent.")
    for name, other in (("questions", "documents"), ("out_of_scope", "questions")):
        if name in arrays and np.array_equal(arrays[name], arrays[other]):
            said.append(f"{name.replace('_', ' ')} are the {other}: the threshold says nothing of a search.")
    return said


def read_pairs(path: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the similarities of the pairs that belong together, and of those that do not."""
    file = existing_file(path, "--pairs")
    found: dict[bool, list[float]] = {True: [], False: []}
    with file.open(encoding="utf-8-sig", newline="") as stream:
        separator = "\t" if file.suffix.lower() == ".tsv" else ","
        for number, row in enumerate(csv.reader(stream, delimiter=separator), 1):
            try:
                similarity, answer = float(row[0]), _ANSWERS[row[1].strip().lower()]
            except (ValueError, KeyError, IndexError):
                if number == 1:  # a header line
                    continue
                raise ValueError(
                    f"--pairs {path}, line {number} is {separator.join(row)[:40]!r}; expected a similarity, "
                    f"{separator!r}, and 1 or 0, yes or no, true or false"
                ) from None
            if not np.isfinite(similarity):
                raise ValueError(f"--pairs {path}, line {number}: {row[0]} is not a finite number")
            found[answer].append(similarity)
    if not found[True]:
        raise ValueError(f"--pairs {path} has no pair that belongs together; expected at least one")
    return np.array(found[True]), np.array(found[False])
