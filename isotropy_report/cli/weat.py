"""Run a word association test on word vectors.

VECTORS is the bundled glove-weat or a file: word2vec text or binary, GloVe text, fastText, or NPZ with words
and vectors. TEST is weat-1 … weat-10, gender-sentiment, all, or a TOML or JSON file of your own lists, with
the keys A and B (targets) and C and D (attributes), each a list of words, and optionally name, title, and
labels (a table that maps A, B, C, and D to their meanings):

    A = ["rose", "tulip"]
    B = ["ant", "wasp"]
    C = ["love", "peace"]
    D = ["filth", "poison"]

The output contains the four similarities of the lists and the score (A:C + B:D) - (B:C + A:D), by mean cosine
and by other similarities with their chance levels; the effect size and a permutation test; and how missing
words were handled.

Example: isotropy-lab weat vectors.txt my-lists.toml
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from isotropy_lab._core import checks
from isotropy_lab.association import keywords
from isotropy_lab.association._weat import SIMILARITIES, weat, weat_effect_size
from isotropy_lab.association.canonical import random_baseline, row_basis, scaled_trace
from isotropy_lab.association.keywords.lookup import find
from isotropy_lab.association.permutation import SCALES, weat_permutation_test
from isotropy_lab.results import WordTest
from isotropy_report._output import aligned, as_json, deliver, program
from isotropy_report.card.card import wrapped
from isotropy_report.cli.arguments import add_input, add_output_arguments, add_seed_and_quiet, integer
from isotropy_report.cli.inputs import shown_warnings
from isotropy_report.io import load_word_vectors
from isotropy_report.io.lists import similar_names

T = TypeVar("T")

PAIRS = {"ac": ("A", "C"), "ad": ("A", "D"), "bd": ("B", "D"), "bc": ("B", "C")}
"""Four comparisons of a test, in the order of Table 1 of Kindel (2023)."""

SIDE_BY_SIDE = ("mean-cosine", "normalized", "canonical", "canonical-corrected")
"""Similarities that are reported together."""

CAUTION = (
    "These numbers describe word vectors: the texts they were trained on, and the words chosen. They measure "
    "no person and no group. A small p says that this division of the target words is unusual among all "
    "divisions, not why."
)
"""Last paragraph of every report."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    add_input(parser, "vectors", metavar="VECTORS", help="a bundled name or a file of word vectors")
    add_input(parser, "test", metavar="TEST", help="a test's name, all, or a .toml or .json file of lists")
    said = f"similarity of lists: {', '.join(SIMILARITIES)}, or all: {', '.join(SIDE_BY_SIDE)} (default: all)"
    choices = ("all", *SIMILARITIES)
    parser.add_argument("--similarity", metavar="NAME", choices=choices, default="all", help=said)
    said = "spelling of the words of a published test (default: adjusted)"
    parser.add_argument("--spelling", choices=keywords.SPELLINGS, default="adjusted", help=said)
    said = "omit and report words without vectors, or raise an error (default: drop)"
    parser.add_argument("--missing", choices=("drop", "raise"), default="drop", help=said)
    parser.add_argument(
        "--resamples",
        metavar="N|exact|exact-if-feasible",
        type=integer(1, "exact", "exact-if-feasible"),
        default="exact-if-feasible",
        help="number of random relabelings in the permutation test, or all (default: all if feasible)",
    )
    add_seed_and_quiet(parser)
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run the tests and print or write the report."""
    tests = [word_test(name) for name in (keywords.names() if options.test == "all" else (options.test,))]
    with shown_warnings("weat", quiet=options.quiet):
        vectors = load_word_vectors(options.vectors)
    n_words, n = vectors.vectors.shape
    chosen = ("similarity", "spelling", "missing", "resamples", "seed")
    document: dict[str, Any] = {
        "program": program(),
        "vectors": {"name": Path(options.vectors).name, "words": n_words, "dimensions": n},
        "options": {name: getattr(options, name) for name in chosen},
        "tests": [],
        "skipped": [],
        "caution": CAUTION,
    }
    for test in tests:
        try:
            document["tests"].append(_tested(test, vectors, options))
        except ValueError as error:
            # All words of one test may be missing from vectors that contain the words of other tests.
            if len(tests) == 1 or options.missing == "raise":
                raise
            document["skipped"].append({"test": test.name, "reason": str(error)})
    if not document["tests"]:
        raise ValueError("; ".join(skipped["reason"] for skipped in document["skipped"]))
    deliver(as_json(document) if options.json else _text(document, quiet=options.quiet), options.output)
    return 0


def _tested(test: WordTest, vectors: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Return the results of a test as plain data that JSON can represent, without NaN or arrays.

    If some of several similarities are undefined for these lists, a note says so; if all of them are, or the
    only requested one is, ValueError is raised. The permutation test uses the first similarity.
    """
    similarities = SIDE_BY_SIDE if options.similarity == "all" else (options.similarity,)
    found = find(test, vectors, spelling=options.spelling, missing=options.missing)
    notes = list(found.notes)

    def attempt(what: str, needed: bool, compute: Callable[..., T], **given: Any) -> T | None:
        """Run a computation on the lists; an error becomes a note unless the result is required."""
        result = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                result = compute(*found.lists, **given)
            except ValueError as error:
                if needed:
                    raise
                notes.append(f"{what} is undefined: {error}")
        notes.extend(message for w in caught if (message := str(w.message)) not in notes)
        return result

    ranks = {role: row_basis(rows).shape[1] for role, rows in zip("ABCD", found.lists, strict=True)}
    rows: list[dict[str, Any]] = []
    for name in similarities:
        score = attempt(name, len(similarities) == 1, weat, similarity=name)
        numbers = {key: None if score is None else float(getattr(score, key)) for key in (*PAIRS, "score")}
        rows.append({"similarity": name, **numbers, "chance": _chance(name, ranks, found.A.shape[1])})
    if all(row["score"] is None for row in rows):
        raise ValueError(f"{found.name}: {notes[-1]}")
    effect = attempt("effect size", False, weat_effect_size) if "mean-cosine" in similarities else None
    outcome = attempt(
        "permutation test",
        options.resamples == "exact",
        weat_permutation_test,
        similarity=similarities[0],
        n_resamples=options.resamples,
        rng=checks.as_generator(options.seed),
    )
    return {
        "test": found.name,
        "title": found.title,
        "note": test.note,
        "spelling": options.spelling,
        "dimensions": int(found.A.shape[1]),
        "lists": {
            role: {
                "label": found.labels[role],
                "asked": int((found.report["role"] == role).sum()),
                "found": len(found.words[role]),
                "words": list(found.words[role]),
            }
            for role in "ABCD"
        },
        "words": [{str(k): str(v) for k, v in row.items()} for row in found.report.to_dict("records")],
        "similarities": rows,
        "effect_size": None if effect is None else float(effect),
        "permutation": None
        if outcome is None
        else {
            "similarity": similarities[0],
            "pvalue": float(outcome.pvalue),
            "method": outcome.method,
            "count": int(outcome.count),
            "n_at_least": int(outcome.n_at_least),
            "low": float(outcome.pvalue_low),
            "high": float(outcome.pvalue_high),
        },
        "notes": notes,
    }


def _chance(similarity: str, ranks: dict[str, int], p: int) -> dict[str, float] | None:
    """Return the mean similarity of random subspaces with the lists' ranks, or None if it is unknown."""
    if similarity not in SCALES:
        return None
    found = {}
    for pair, roles in PAIRS.items():
        a, b = (ranks[role] for role in roles)
        found[pair] = float(scaled_trace(random_baseline(a, b, p).mean, a, b, SCALES[similarity]))
    return found


def word_test(name: str) -> WordTest:
    """Return a word association test by name, or from a file of lists."""
    if name in keywords.names() or Path(name).suffix.lower() in (".toml", ".json"):
        return keywords.load(name)
    if os.path.exists(name) or os.sep in name:
        return keywords.read(name)  # its error messages say what is expected
    hint = similar_names(name.replace(" ", "-"), keywords.names())
    raise ValueError(
        f"TEST is {name!r}{hint}; expected {', '.join(keywords.names())}, all, or a .toml or .json file"
    )


def _text(document: dict[str, Any], *, quiet: bool) -> str:
    vectors = document["vectors"]
    lines = [f"{vectors['name']}: {vectors['words']:,} words in {vectors['dimensions']} dimensions", ""]
    for result in document["tests"]:
        lines += [*_result(result, quiet=quiet), ""]
    for skipped in document["skipped"]:
        lines += [*wrapped(f"{skipped['test']} was skipped: {skipped['reason']}", indent="  "), ""]
    if not quiet:
        lines += wrapped(document["caution"], indent="  ")
    return "\n".join(lines).rstrip("\n") + "\n"


def _result(result: dict[str, Any], *, quiet: bool) -> list[str]:
    lists = result["lists"]
    lines = [f"{result['test']}  {result['title']}", ""]
    lines += aligned(
        ["", "list", "found", "of"],
        [[role, part["label"], str(part["found"]), str(part["asked"])] for role, part in lists.items()],
        left=2,
    )
    rows = []
    for row in result["similarities"]:
        rows.append([row["similarity"], *(_number(row[pair]) for pair in PAIRS), _number(row["score"])])
        if row["chance"]:
            rows.append(["  by chance", *(_number(row["chance"][pair]) for pair in PAIRS), ""])
    header = ["similarity", *(f"{x}:{y}" for x, y in PAIRS.values()), "score"]
    lines += ["", *aligned(header, rows), ""]
    if result["effect_size"] is not None:
        lines.append(
            f"effect size {result['effect_size']:.3f} (standard deviations of the target words' associations)"
        )
    if result["permutation"] is not None:
        lines.append(_permutation(result["permutation"]))
    if quiet:
        return lines
    remarks = []
    if any(row["chance"] for row in result["similarities"]):
        remarks.append(
            "By chance: mean for uniformly random subspaces of the same ranks in as many dimensions "
            "(unscaled k_a k_b/p)."
        )
    remarks += _words(result["words"])
    remarks += [f"{note}." if not note.endswith(".") else note for note in result["notes"]]
    remarks += [result["note"]] if result["note"] else []
    return [*lines, "", *wrapped(*remarks, indent="  ")]


def _permutation(outcome: dict[str, Any]) -> str:
    kind = f"permutation test of {outcome['similarity']}: p = {outcome['pvalue']:.4g}"
    divisions = f"{outcome['n_at_least']:,} of {outcome['count']:,}"
    if outcome["method"] == "exact":
        return f"{kind} (one-sided, exact: {divisions} divisions score as high)"
    return (
        f"{kind} (one-sided, {divisions} random divisions score as high; 95 % interval "
        f"{outcome['low']:.3g} to {outcome['high']:.3g})"
    )


def _words(rows: Sequence[dict[str, str]]) -> list[str]:
    """Return sentences about words that were not found in the given spelling."""

    def having(*outcomes: str) -> list[dict[str, str]]:
        return [row for row in rows if row["outcome"].startswith(outcomes)]

    doubtful = ", ".join(row["word"] for row in having("lower-cased,"))
    n_lowered = len(having("lower-cased")) - len(having("lower-cased,"))
    others = ", ".join(f"{row['word']} {row['outcome']}" for row in having("spelled", "same row"))
    near = ", ".join(
        row["word"] + f" (near it: {row['near']})" * bool(row["near"]) for row in having("missing")
    )
    said = []
    if n_lowered:
        said.append(f"The vectors have no capitals: {n_lowered} words were lower-cased.")
    if doubtful:
        said.append(f"Lower-cased, in a space with capitals: {doubtful}. They may be other words there.")
    said += [f"Words: {others}."] if others else []
    said += [f"Missing, dropped: {near}."] if near else []
    return said or ["Words: all found as spelled."]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 4) + 0.0:.4f}"  # adding 0 converts −0 to 0
