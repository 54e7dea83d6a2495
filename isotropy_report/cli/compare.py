"""Compare the vectors of two or more models for the same items: which model is best in each measure, which
models are tied, and how far they agree.

FILE is any input of isotropy-lab report. If all files have the same number of rows, row i is taken to be the
same item in all of them; row names in the files, or --ids, put rows into one order, and different items are
rejected. Files with different items are compared unpaired, and their neighborhoods are not compared.

Every score comes with intervals of all differences, corrected tests, the set of models not significantly
worse than the best, and the smallest difference that these rows can detect. With --questions, one file for
each FILE in the same order, and --gold or --qrels, retrieval is compared on the same questions; questions and
documents that have names in all files are matched by name.

With --fail-behind NAME, the exit code is 1 if this model is significantly behind another on the questions; it
is 2 for invalid input.

Example: isotropy-lab compare old.npy new.npy --questions old-q.npy new-q.npy --gold gold.txt -o
comparison.html
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.retrieval import gold_from_qrels
from isotropy_report.card.words import errors_rename
from isotropy_report.cli.arguments import (
    add_input,
    add_measure_arguments,
    add_output_arguments,
    add_reading_arguments,
    integer,
    names,
)
from isotropy_report.cli.gate import FAILED
from isotropy_report.cli.inputs import (
    Card,
    Vectors,
    check_drawn,
    deliver_page,
    name_of,
    read_gold,
    read_labels,
    read_vectors,
    shown_progress,
)
from isotropy_report.comparison import ModelComparison, compare
from isotropy_report.comparison.paired import SCORES
from isotropy_report.io import read_qrels
from isotropy_report.measures._checks import matching_rows


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    add_input(
        parser, "files", nargs="+", help="vectors of each model, or a bundled name; - for standard input"
    )
    parser.add_argument("--names", metavar="NAMES", type=names, help="of the models, separated by commas")
    add_reading_arguments(parser)
    add_input(parser, "--questions", nargs="+", help="vectors of the same questions, by each model")
    add_input(parser, "--documents", nargs="+", help="what they search, by each model (default: FILE)")
    add_input(parser, "--gold", help="positions of relevant documents, from 0: a line for each question")
    add_input(parser, "--qrels", help="TREC judgments (question, 0, document, grade), by names or positions")
    add_input(parser, "--ids", nargs="+", help="names of the rows of each file (default: those in the files)")
    add_input(parser, "--groups", help="what each row depends on, such as its page: left out as a whole")
    said = "row i of one file is not the item of row i of another"
    parser.add_argument("--unpaired", action="store_true", help=said)
    said = "neighbors, and the last rank that counts (default 10)"
    parser.add_argument("-k", metavar="K", type=integer(1), default=10, help=said)
    said = "exit with 1 if this model is shown to be behind another on the questions"
    parser.add_argument("--fail-behind", metavar="NAME", help=said)
    said = "rows that are compared with one another; of more, as many are drawn (default 5000)"
    add_measure_arguments(parser, sample=5_000, sample_help=said)
    add_output_arguments(parser, output="write a page there, .html or .json")


def run(options: argparse.Namespace) -> int:
    """Compare the models, write the page, and print the text."""
    if options.output is not None:
        checks.check_report_path(options.output)
    called = list(options.names or names_of_files(options.files))
    _check(options, called)
    models = [read_vectors(options, path, with_names=True) for path in options.files]
    with shown_progress(quiet=options.quiet):
        found = comparison_of_files(options, called, models)
    deliver_page(with_draws(found, called, models), options, f"The page is in {options.output}.")
    return 0 if options.fail_behind is None else _judged(found, options.fail_behind)


def _judged(found: ModelComparison, name: str) -> int:
    """Return the exit code and print on standard error one line about where the model is behind."""
    behind = []
    for key, names_of_best in found.tied.items():
        if key in SCORES or name in names_of_best:
            continue
        best = names_of_best[0]
        one = next(
            one for one in found.differences if one.measure == key and {one.first, one.second} == {best, name}
        )
        values = [found.scores[key][each].value for each in (name, best)]
        behind.append(
            f"{name} is behind {best} in {key}: {values[0]:.3f} and {values[1]:.3f}, p = "
            f"{one.pvalue_holm:.2g} for all pairs"
        )
    if not behind:
        return 0
    sys.stdout.flush()
    print(f"isotropy-lab compare: failed: {'; '.join(behind)}", file=sys.stderr)
    return FAILED


def comparison_of_files(
    options: argparse.Namespace, called: list[str], models: list[Vectors]
) -> ModelComparison:
    """Return the comparison of models that have been read."""
    questions, documents = (
        None
        if paths is None
        else _in_one_order(
            option, paths, [read_vectors(options, path, rows=False, with_names=True) for path in paths]
        )
        for option, paths in (("--questions", options.questions), ("--documents", options.documents))
    )
    ids = _ids(options, called, models)
    gold = _gold(options, called, ids, questions, documents)
    totals = {vectors.drawn_from or len(vectors.array) for vectors in models}
    # Equal numbers of rows drawn from files of different lengths are not the same items.
    apart = options.unpaired or (ids is None and len(totals) > 1)
    with _named(options, called):
        return compare(
            _arrays(called, models),
            questions=None if questions is None else _arrays(called, questions),
            documents=None if documents is None else _arrays(called, documents),
            gold=gold,
            groups=None if options.groups is None else read_labels(options.groups, "--groups"),
            ids="unrelated" if apart else ids,
            k=options.k,
            sample_size=options.sample,
            confidence_level=options.confidence_level,
            rng=options.seed,
        )


def with_draws(found: Card, called: list[str], models: list[Vectors]) -> Card:
    """Add a sentence that lists the files from which rows were drawn."""
    drawn_rows = [
        f"{len(vectors.array):,} of the {vectors.drawn_from:,} rows of {name}"
        for name, vectors in zip(called, models, strict=True)
        if vectors.drawn_from is not None
    ]
    if not drawn_rows:
        return found
    said = f"Measured are {', '.join(drawn_rows)}, drawn at random; of files with as many rows the same ones."
    return dataclasses.replace(found, summary=(said, *found.summary))


def _check(options: argparse.Namespace, called: list[str]) -> None:
    """Reject invalid combinations of options before any file is read."""
    count = len(options.files)
    if count < 2:
        raise ValueError(f"FILE is given once ({options.files[0]}); expected two or more, to compare")
    if len(called) != count or len(set(called)) != count or "" in called:
        raise ValueError(
            f"--names has {', '.join(called)}, and there are {count} files; expected a different name "
            "for each"
        )
    if options.ids is not None and options.unpaired:
        raise ValueError("--ids is given with --unpaired; expected one of the two")
    if options.fail_behind is not None:
        if options.questions is None:
            raise ValueError(
                "--fail-behind is given without --questions; expected both: more isotropic is no better"
            )
        if options.fail_behind not in called:
            raise ValueError(f"--fail-behind is {options.fail_behind}; expected one of {', '.join(called)}")
    check_drawn(options)
    for option in ("questions", "documents", "ids"):
        files = getattr(options, option)
        if files is not None and len(files) != count:
            raise ValueError(
                f"--{option} has {checks.how_many(len(files), 'file')} and there are {count} models; "
                "expected one for each"
            )
    if options.gold is not None and options.qrels is not None:
        raise ValueError("--gold and --qrels are given; expected one of the two")
    right = options.gold is not None or options.qrels is not None
    if (options.questions is not None) != right:
        raise ValueError("--questions goes with --gold or --qrels; expected both, or neither")
    if options.documents is not None and options.questions is None:
        raise ValueError("--documents is given without --questions; expected both, or neither")


def names_of_files(files: list[str]) -> list[str]:
    """Return the file names without folders if these are all different, or else the paths."""
    short = [name_of(path) for path in files]
    called = short if len(set(short)) == len(files) else files
    if len(set(called)) < len(called):
        twice = next(path for path in files if files.count(path) > 1)
        raise ValueError(f"FILE has {twice} twice; expected different files")
    return list(called)


def _arrays(called: list[str], inputs: list[Vectors]) -> dict[str, Any]:
    return {name: vectors.array for name, vectors in zip(called, inputs, strict=True)}


def _ids(options: argparse.Namespace, called: list[str], inputs: list[Vectors]) -> dict[str, Any] | None:
    """Return the row names from ``--ids``, or from the files if all of them have names."""
    if options.ids is not None:
        return {name: read_labels(path, "--ids") for name, path in zip(called, options.ids, strict=True)}
    listed = {name: vectors.words for name, vectors in zip(called, inputs, strict=True)}
    return None if any(words is None for words in listed.values()) else listed


def _in_one_order(option: str, paths: list[str], inputs: list[Vectors]) -> list[Vectors]:
    """Match the rows to the order of the first file by name, if all files have row names."""
    first = inputs[0]
    if first.words is None or any(vectors.words is None for vectors in inputs):
        return inputs
    found = [first]
    for path, vectors in zip(paths[1:], inputs[1:], strict=True):
        places = matching_rows(
            (first.words, vectors.words),
            (len(first.array), len(vectors.array)),
            names=(f"{option} {paths[0]}", f"{option} {path}"),
            argument=option,
        )
        moved = (places != np.arange(places.size)).any()
        found.append(vectors._replace(array=vectors.array[places], words=first.words) if moved else vectors)
    return found


def _gold(
    options: argparse.Namespace,
    called: list[str],
    ids: dict[str, Any] | None,
    questions: list[Vectors] | None,
    documents: list[Vectors] | None,
) -> Any:
    if options.gold is not None:
        return read_gold(options.gold, "--gold")
    if options.qrels is None or questions is None:
        return None
    asked = questions[0].words
    listed = documents[0].words if documents is not None else None if ids is None else ids[called[0]]
    if asked is None or listed is None:
        return read_gold(options.qrels, "--qrels")  # without names, read positions
    return gold_from_qrels(read_qrels(options.qrels), asked, [str(name) for name in listed])


def _named(options: argparse.Namespace, called: list[str]) -> AbstractContextManager[None]:
    """Name the files in errors about models, questions, and documents."""
    words = {}
    for argument, option, files in (
        ("models", "", options.files),
        ("questions", "--questions ", options.questions),
        ("documents", "--documents " * bool(options.documents), options.documents or options.files),
    ):
        for name, path in zip(called, files or (), strict=False):
            words[f"{argument}[{name!r}]"] = option + path
    for argument in ("gold", "groups", "ids", "questions", "documents"):
        words[argument] = f"--{argument}"
    if options.ids is None:
        words["ids"] = "names of rows in the files (--unpaired compares other items)"
    return errors_rename(words)
