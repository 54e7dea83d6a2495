"""Compare the vectors of two or more models for the same items: which model is best in each measure, which
models are tied, and how far they agree.

FILE is any input of isotropy-lab report. If all files have the same number of rows, row i is taken to be the
same item in all of them; row names in the files, or --ids, put rows into one order, and different items are
rejected. Files with different items are compared unpaired, and their neighborhoods are not compared.

Every score comes with intervals of all differences, corrected tests (for accuracy, McNemar's exact test),
the set of models not significantly worse than the best, and the smallest difference that these rows can
detect. With --questions, one file for each FILE in the same order, and --gold or --qrels, retrieval is
compared on the same questions, and only retrieval is printed without --all; questions and documents that
have names in all files are matched by name.

With --fail-behind NAME, the exit code is 1 if this model is significantly behind another in accuracy@K, by
McNemar's exact test, corrected for all other models (Holm): of two equally good models, NAME fails for at
most 1 set of independent questions in 40. It takes 6 or 7 questions to fail at all, and a few hundred to
find a fall of a few points. With --within 0.03, it is 1 instead if the interval does not exclude a fall of
more than 0.03; a smaller one is allowed, even if it is significant. Ask each question once: it is 1, too, if
over 1% of them repeat earlier ones. Without --quiet, the last line on standard error says passed or failed,
and how large a fall the questions do not exclude. The exit code is 2 for invalid input.

Example: isotropy-lab compare old.npy new.npy -o comparison.html
Example: isotropy-lab compare old.npy new.npy --questions old-q.npy new-q.npy --gold gold.txt
Example: isotropy-lab compare o.npy n.npy --questions oq.npy nq.npy --gold gold.txt --fail-behind n.npy
"""

from __future__ import annotations

import argparse
import dataclasses
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.retrieval import gold_from_qrels
from isotropy_report._options import use_command_names
from isotropy_report.card.words import rename_in_errors
from isotropy_report.cli import arguments, inputs
from isotropy_report.cli.gate import failed
from isotropy_report.comparison import ModelComparison, compare
from isotropy_report.comparison.gate import judge
from isotropy_report.io import read_qrels
from isotropy_report.io.gold import read_labels
from isotropy_report.measures._checks import matching_rows


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    arguments.add_input(parser, "files", nargs="*")
    arguments.add_query(parser, "files")
    parser.add_argument("--names", metavar="NAMES", type=arguments.split_names)
    arguments.add_reading_arguments(parser)
    arguments.add_input(parser, "--questions", nargs="+")
    arguments.add_input(parser, "--documents", nargs="+")
    arguments.add_input(parser, "--gold")
    arguments.add_input(parser, "--qrels")
    arguments.add_input(parser, "--ids", nargs="+")
    arguments.add_input(parser, "--groups")
    parser.add_argument("--unpaired", action="store_true")
    arguments.add_integer(parser, "-k", default=10)
    parser.add_argument("--fail-behind", metavar="NAME")
    parser.add_argument("--within", metavar="M", type=arguments.proportion)
    parser.add_argument("--all", action="store_true")
    arguments.add_measure_arguments(parser, 5_000)
    arguments.add_output_arguments(parser, page=True)


def run(options: argparse.Namespace) -> int:
    """Compare the models, write the page, and print the text."""
    names = list(options.names or names_of_files(options.files))
    _check_options(options, names)
    models = [inputs.read_vectors(options, path, with_names=True) for path in options.files]
    with inputs.show_progress(quiet=options.quiet):
        comparison = comparison_of_files(options, names, models)
    comparison = add_sample_note(comparison, names, models)
    reasons: list[str] = []
    passed, model = "", options.fail_behind
    if model is not None:
        with use_command_names():
            found, passed = judge(comparison, model, options.within)
            reasons = [str(failure) for failure in found]
        outcome = {"fail behind": model, "passed": not reasons}
        comparison = dataclasses.replace(comparison, options=comparison.options | outcome)
    inputs.deliver_page(comparison, options, every=options.all)
    return failed("compare", reasons, passed * (not options.quiet))


def comparison_of_files(
    options: argparse.Namespace, names: list[str], models: list[inputs.Vectors]
) -> ModelComparison:
    """Return the comparison of models that have been read."""
    questions, documents = (_read_aligned(options, name) for name in ("questions", "documents"))
    ids = _row_ids(options, names, models)
    gold = _read_gold(options, names, ids, questions, documents)
    totals = {vectors.drawn_from or len(vectors.array) for vectors in models}
    # Rows drawn from files of different lengths are different items, even if their numbers are equal.
    unrelated = options.unpaired or (ids is None and len(totals) > 1)
    input_names = [*(options.documents or options.files)]
    input_names += [f"--questions {path}" for path in options.questions or ()]
    files = [*(documents or models), *(questions or ())]
    arrays = {name: v.array for name, v in zip(input_names, files, strict=True)} if questions else {}
    with inputs.list_zero_rows(arrays), _rename_models_in_errors(options, names), use_command_names():
        return compare(
            _arrays_by_model(names, models),
            questions=None if questions is None else _arrays_by_model(names, questions),
            documents=None if documents is None else _arrays_by_model(names, documents),
            gold=gold,
            groups=inputs.read_option(options, "groups"),
            ids="unrelated" if unrelated else ids,
            k=options.k,
            sample_size=options.sample,
            confidence_level=options.confidence_level,
            rng=options.seed,
        )


def add_sample_note(comparison: inputs.Card, names: list[str], models: list[inputs.Vectors]) -> inputs.Card:
    """Add a sentence that lists the files from which rows were drawn."""
    drawn_rows = [
        f"{len(vectors.array):,} of the {vectors.drawn_from:,} rows of {name}"
        for name, vectors in zip(names, models, strict=True)
        if vectors.drawn_from is not None
    ]
    if not drawn_rows:
        return comparison
    text = f"Measured are {', '.join(drawn_rows)}, drawn at random; of files with as many rows the same ones."
    return dataclasses.replace(comparison, summary=(text, *comparison.summary))


def _check_options(options: argparse.Namespace, names: list[str]) -> None:
    """Raise ValueError for invalid combinations of options before any file is read."""
    count = len(options.files)
    if count < 2:
        raise ValueError(f"FILE is given once ({options.files[0]}); expected at least two files")
    if len(names) != count or len(set(names)) != count or "" in names:
        raise ValueError(
            f"--names is {','.join(names)} for {count} files; expected a unique name for each file"
        )
    inputs.check_rows(options)
    present = {name for name in (*options.inputs, "fail_behind", "unpaired") if getattr(options, name)}
    for first, second in (("ids", "unpaired"), ("gold", "qrels")):
        if {first, second} <= present:
            raise ValueError(f"--{first} is given with --{second}; expected either --{first} or --{second}")
    if "questions" in present and not present & {"gold", "qrels"}:
        raise ValueError("--questions is given without --gold or --qrels; expected the relevant documents")
    for name in ("gold", "qrels", "documents", "fail_behind"):
        arguments.check_requires(options, name, "questions", "the vectors of the questions")
    arguments.check_requires(options, "within", "fail_behind", "the model that may not be behind")
    by_file = dict(zip(options.files, names, strict=True))
    options.fail_behind = by_file.get(options.fail_behind, options.fail_behind)
    if "fail_behind" in present and options.fail_behind not in names:
        raise ValueError(f"--fail-behind is {options.fail_behind}; expected one of {', '.join(names)}")
    for name in ("questions", "documents", "ids"):
        if name in present and len(getattr(options, name)) != count:
            files = checks.how_many(len(getattr(options, name)), "file")
            raise ValueError(f"--{name} has {files} for {count} models; expected one file for each model")


def names_of_files(files: list[str]) -> list[str]:
    """Return the file names without folders if these are all different, or else the paths."""
    file_names = [inputs.name_of(path) for path in files]
    for path in files:
        if files.count(path) > 1:
            raise ValueError(f"FILE names {path} twice; expected different files")
    return file_names if len(set(file_names)) == len(files) else files


def _arrays_by_model(names: list[str], files: list[inputs.Vectors]) -> dict[str, Any]:
    return {name: vectors.array for name, vectors in zip(names, files, strict=True)}


def _row_ids(
    options: argparse.Namespace, names: list[str], files: list[inputs.Vectors]
) -> dict[str, Any] | None:
    """Return the row names from ``--ids``, or from the files if all of them have names."""
    if options.ids is not None:
        return {name: read_labels(path, "--ids") for name, path in zip(names, options.ids, strict=True)}
    row_names = {name: vectors.words for name, vectors in zip(names, files, strict=True)}
    return None if any(words is None for words in row_names.values()) else row_names


def _read_aligned(options: argparse.Namespace, name: str) -> list[inputs.Vectors] | None:
    """Read the files of an option; if all have row names, reorder the rows as in the first file."""
    option, paths = f"--{name}", getattr(options, name)
    if paths is None:
        return None
    files = [inputs.read_vectors(options, path, rows=False, with_names=True) for path in paths]
    first = files[0]
    if first.words is None or any(vectors.words is None for vectors in files):
        return files
    aligned = [first]
    for path, vectors in zip(paths[1:], files[1:], strict=True):
        positions = matching_rows(
            (first.words, vectors.words),
            (len(first.array), len(vectors.array)),
            names=(f"{option} {paths[0]}", f"{option} {path}"),
            argument=option,
        )
        if (positions != np.arange(positions.size)).any():
            vectors = vectors._replace(array=vectors.array[positions], words=first.words)
        aligned.append(vectors)
    return aligned


def _read_gold(
    options: argparse.Namespace,
    names: list[str],
    ids: dict[str, Any] | None,
    questions: list[inputs.Vectors] | None,
    documents: list[inputs.Vectors] | None,
) -> Any:
    if options.qrels is None or questions is None:
        return inputs.read_option(options, "gold")
    question_names = questions[0].words
    document_names = documents[0].words if documents is not None else None if ids is None else ids[names[0]]
    if question_names is None or document_names is None:
        return inputs.read_option(options, "qrels")  # without names, positions are read
    return gold_from_qrels(read_qrels(options.qrels), question_names, [str(name) for name in document_names])


def _rename_models_in_errors(options: argparse.Namespace, names: list[str]) -> AbstractContextManager[None]:
    """Use the names of the files in errors about models, questions, and documents."""
    replacements = {}
    for argument, option, files in (
        ("models", "", options.files),
        ("questions", "--questions ", options.questions),
        ("documents", "--documents " * bool(options.documents), options.documents or options.files),
    ):
        for name, path in zip(names, files or (), strict=False):
            replacements[f"{argument}[{name!r}]"] = option + path
    replacements["X"] = options.files[0]
    for argument in ("gold", "groups", "ids", "questions", "documents"):
        replacements[argument] = f"--{argument}"
    if options.ids is None:
        replacements["ids"] = "row names in the files (use --unpaired for different items)"
    return rename_in_errors(replacements)
