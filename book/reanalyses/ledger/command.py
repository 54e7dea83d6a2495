"""Print the ledger: every reported claim of the papers with its verdict, or every erratum.

The filters are those of the book's page: paper (part of its name), verdict, kind, page, and words. With
--recompute, all selected entries are recomputed, which takes a while, unless a result from the same sources
is stored; entries that need a missing package are reported. The exit code is 1 if a verdict does not follow.

Example: python -m reanalyses ledger --paper kindel --verdict contradicted --long
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from isotropy_report._output import align, as_json, deliver
from isotropy_report.cli.arguments import add_output_arguments
from reanalyses import ledger

_WIDTH = 110
_YES_NO = {True: "yes", False: "NO", None: "not computed"}
_NOT_SHOWN = ("id", "paper", "compute", "printed_values", "labels", "tolerance", "deciding", "agrees")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    parser.add_argument("--paper", metavar="NAME", help="only papers whose names contain this")
    parser.add_argument("--verdict", choices=get_args(ledger.Verdict), help="only claims with this verdict")
    parser.add_argument(
        "--kind", choices=(*ledger.KINDS, *ledger.ERRATUM_KINDS), help="only entries of this kind"
    )
    parser.add_argument("--page", metavar="NAME", help="only entries on pages whose names contain this")
    parser.add_argument("--search", metavar="WORDS", help="only entries whose texts contain all these words")
    parser.add_argument("--errata", action="store_true", help="print errata instead of claims")
    parser.add_argument(
        "--recompute",
        action="store_true",
        help="recompute every entry shown, unless a result from the same sources is stored",
    )
    parser.add_argument("--long", action="store_true", help="print full texts instead of one line per entry")
    add_output_arguments(parser)
    folder = Path(ledger.__file__).parent
    files = {"the ledger": folder / "ledger.toml", "the errata": folder / "errata.toml"}
    parser.set_defaults(always_read=files | {"the example": folder.parent / "weller2025" / "ledger.toml"})


def run(options: argparse.Namespace) -> int:
    """Print or write the entries that match the filters."""
    entries = _select_entries(options)
    rows = [dataclasses.asdict(entry) for entry in entries]
    follows = True
    if options.recompute:
        not_computed: dict[str, str] = {}
        for row, entry in zip(rows, entries, strict=True):
            try:
                outcome = ledger.recompute_erratum(entry) if options.errata else ledger.recompute(entry)
            except ImportError as error:
                not_computed[entry.id] = str(error)
                row |= {"ours": (), "agrees": None, "follows": None, "detail": f"not computed: {error}"}
                continue
            follows &= outcome.follows
            row |= {name: getattr(outcome, name) for name in ("ours", "agrees", "follows", "detail")}
        if not_computed:
            print(f"not computed, {len(not_computed)} of {len(rows)}:", file=sys.stderr)
            for name, reason in not_computed.items():
                print(f"  {name}: {reason}", file=sys.stderr)
    text = as_json(rows) if options.json else _format_rows(rows, errata=options.errata, long=options.long)
    deliver(text, options.output)
    return 0 if follows else 1


def _select_entries(options: argparse.Namespace) -> Sequence[Any]:
    if options.errata and options.verdict:
        raise ValueError(
            f"--verdict is {options.verdict!r}, but errata have no verdict; expected --errata or --verdict, not both"
        )
    kinds = ledger.ERRATUM_KINDS if options.errata else ledger.KINDS
    if options.kind and options.kind not in kinds:
        raise ValueError(
            f"--kind is {options.kind!r}; expected one of the kinds of "
            f"{'errata' if options.errata else 'claims'}: {', '.join(kinds)}"
        )
    entries: Sequence[Any] = ledger.load_errata() if options.errata else ledger.load()
    entries = _select_paper(entries, options.paper)
    if options.page:
        pages = tuple(dict.fromkeys(entry.page for entry in entries))
        if not any(options.page.casefold() in page for page in pages):
            raise ValueError(
                f"--page is {options.page!r}, which no page's name contains; expected part of one of {', '.join(pages)}"
            )
    return [
        entry
        for entry in entries
        if (not options.verdict or entry.verdict == options.verdict)
        and (not options.kind or entry.kind == options.kind)
        and (not options.page or options.page.casefold() in entry.page)
        and _contains(entry, options.search or "")
    ]


def _contains(entry: Any, words: str) -> bool:
    text = " ".join(
        value for value in dataclasses.asdict(entry).values() if isinstance(value, str)
    ).casefold()
    return all(word in text for word in words.casefold().split())


def _select_paper(entries: Sequence[Any], text: str | None) -> Sequence[Any]:
    if text is None:
        return entries
    names = tuple(dict.fromkeys(entry.paper for entry in entries))
    selected = [paper for paper in names if text.casefold() in paper.casefold()]
    if not selected:
        raise ValueError(
            f"--paper is {text!r}, which no paper's name contains; expected part of one of {', '.join(names)}"
        )
    return [entry for entry in entries if entry.paper in selected]


def _format_rows(rows: Sequence[dict[str, Any]], *, errata: bool, long: bool) -> str:
    noun = (
        ("erratum" if len(rows) == 1 else "errata") if errata else ("claim" if len(rows) == 1 else "claims")
    )
    lines: list[str] = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        group = [row for row in rows if row["paper"] == paper]
        lines += [paper, "", *(_long_lines(group) if long else _short_lines(group, errata=errata)), ""]
    counts = Counter(row["verdict"] for row in rows if not errata and not row["same_as"])
    counts_text = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    n_equal = sum(bool(row.get("same_as")) for row in rows)
    repeats = f"; {n_equal} state{'s' * (n_equal == 1)} a claim that is counted elsewhere" if n_equal else ""
    summary = f"{len(rows)} {noun}" + (f": {counts_text}" if counts_text else "") + repeats
    return "\n".join([*lines, summary]) + "\n"


def _short_lines(rows: Sequence[dict[str, Any]], *, errata: bool) -> list[str]:
    computed = bool(rows) and "follows" in rows[0]
    header = ["id", *([] if errata else ["verdict"]), *(["follows"] if computed else [])]
    cells = [
        [row["id"], *([] if errata else [row["verdict"]]), *([_YES_NO[row["follows"]]] if computed else [])]
        for row in rows
    ]
    table = align([*header, "what"], [[*cell, ""] for cell in cells], left=len(header))
    columns = max(_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns)  # use the width of a wide terminal
    space = max(30, columns - max(map(len, table)) - 2)
    width = max(map(len, table)) - len("what")
    texts = [textwrap.shorten(row["right" if errata else "claim"], space, placeholder=" …") for row in rows]
    return [table[0], *(f"{line.ljust(width)}{text}" for line, text in zip(table[1:], texts, strict=True))]


def _long_lines(rows: Iterable[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        lines.append(row["id"])
        labels = row["labels"] or ()
        for key, value in row.items():
            if key in _NOT_SHOWN or value in ("", None, ()) or (key == "ours" and not labels):
                continue
            if key == "ours" and len(value) == len(labels):
                value = "; ".join(
                    f"{label}: {number:.6g}" for label, number in zip(labels, value, strict=True)
                )
            elif isinstance(value, bool):
                value = _YES_NO[value]
            name = {"follows": "verdict follows", "same_as": "same as", "detail": "found"}.get(key, key)
            lines += textwrap.wrap(f"{name}: {value}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
        lines.append("")
    return lines[:-1]
