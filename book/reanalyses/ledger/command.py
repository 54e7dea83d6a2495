"""Print the ledger: every printed claim of the papers with its verdict, or every erratum.

Filters narrow it by paper (a part of its name) and by verdict. With --recompute every claim shown is computed anew,
which takes a while, and the exit code is 1 if a verdict does not follow from the numbers.
"""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from isotropy_lab._output import aligned, as_json, deliver
from isotropy_lab.cli.arguments import add_output_arguments
from reanalyses import ledger

_WIDTH = 110


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--paper", metavar="NAME", help="only papers whose name contains this")
    parser.add_argument("--verdict", choices=get_args(ledger.Verdict), help="only claims with this verdict")
    parser.add_argument("--errata", action="store_true", help="the errata instead of the claims")
    parser.add_argument("--recompute", action="store_true", help="compute every entry shown anew")
    parser.add_argument("--long", action="store_true", help="whole texts instead of a line for each entry")
    add_output_arguments(parser)
    folder = Path(ledger.__file__).parent
    parser.set_defaults(
        always_read={"the ledger": folder / "ledger.toml", "the errata": folder / "errata.toml"}
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the entries that the filters leave."""
    if options.errata and options.verdict:
        raise ValueError(
            f"--verdict is {options.verdict!r}, but errata have no verdict; leave one of the two out"
        )
    entries: Sequence[Any] = ledger.load_errata() if options.errata else ledger.load()
    entries = _of_paper(entries, options.paper)
    if options.verdict:
        entries = [entry for entry in entries if entry.verdict == options.verdict]
    rows = [dataclasses.asdict(entry) for entry in entries]
    outcomes: list[ledger.Outcome] = []
    if options.recompute:
        outcomes = [
            ledger.recompute_erratum(entry) if options.errata else ledger.recompute(entry)
            for entry in entries
        ]
        rows = [
            row
            | {
                "ours": outcome.ours,
                "agrees": outcome.agrees,
                "follows": outcome.follows,
                "detail": outcome.detail,
            }
            for row, outcome in zip(rows, outcomes, strict=True)
        ]
    text = as_json(rows) if options.json else _text(rows, errata=options.errata, long=options.long)
    deliver(text, options.output)
    return 0 if all(outcome.follows for outcome in outcomes) else 1


def _of_paper(entries: Sequence[Any], part: str | None) -> Sequence[Any]:
    if part is None:
        return entries
    known = tuple(dict.fromkeys(entry.paper for entry in entries))
    chosen = [paper for paper in known if part.casefold() in paper.casefold()]
    if not chosen:
        raise ValueError(
            f"--paper is {part!r}, which no paper's name contains; there are: {', '.join(known)}"
        )
    return [entry for entry in entries if entry.paper in chosen]


def _text(rows: Sequence[dict[str, Any]], *, errata: bool, long: bool) -> str:
    noun = (
        ("erratum" if len(rows) == 1 else "errata") if errata else ("claim" if len(rows) == 1 else "claims")
    )
    lines: list[str] = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        of_paper = [row for row in rows if row["paper"] == paper]
        lines += [paper, "", *(_long(of_paper) if long else _short(of_paper, errata=errata)), ""]
    counts: dict[str, int] = {}
    for row in rows:
        if not errata:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return "\n".join([*lines, f"{len(rows)} {noun}" + (f": {listed}" if listed else "")]) + "\n"


def _short(rows: Sequence[dict[str, Any]], *, errata: bool) -> list[str]:
    computed = bool(rows) and "follows" in rows[0]
    header = ["id", *([] if errata else ["verdict"]), *(["follows"] if computed else [])]
    cells = [
        [
            row["id"],
            *([] if errata else [row["verdict"]]),
            *(["yes" if row["follows"] else "NO"] if computed else []),
        ]
        for row in rows
    ]
    table = aligned([*header, "what"], [[*cell, ""] for cell in cells], left=len(header))
    room = max(30, _WIDTH - max(map(len, table)) - 2)
    width = max(map(len, table)) - len("what")
    what = [textwrap.shorten(row["right" if errata else "claim"], room, placeholder=" …") for row in rows]
    return [table[0], *(f"{line.ljust(width)}{text}" for line, text in zip(table[1:], what, strict=True))]


def _long(rows: Iterable[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        lines.append(row["id"])
        for key, value in row.items():
            if key in ("id", "paper", "compute", "printed_values", "tolerance", "deciding") or value in (
                "",
                None,
            ):
                continue
            if isinstance(value, bool):
                value = "yes" if value else "NO"
            elif isinstance(value, tuple):
                value = ", ".join(f"{number:.6g}" for number in value)
            lines += textwrap.wrap(f"{key}: {value}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
        lines.append("")
    return lines[:-1]
