"""The ledger and the errata as HTML for the book: claims and outcomes in, markup out."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import pandas as pd

from reanalyses.ledger import Claim, Erratum, Outcome, papers

__all__ = ["MARKS", "claims_html", "counts", "counts_by_paper", "errata_html"]

#: A sign for each verdict, so that color is not the only one.
MARKS = {"reproduced": "✓", "holds on other data": "≈", "contradicted": "✗", "cannot be tested here": "–"}


def counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Count the claims by verdict, in the order of `MARKS`.

    Examples
    --------
    >>> from reanalyses.ledger import load
    >>> list(counts(load()))[0]
    'reproduced'
    """
    verdicts: list[str] = [claim.verdict for claim in claims]
    return {verdict: verdicts.count(verdict) for verdict in MARKS}


def counts_by_paper(claims: Iterable[Claim]) -> pd.DataFrame:
    """Count the claims of each paper by verdict, with their sums below when there are several papers.

    Columns paper, the verdicts with their signs in the order of `MARKS`, and claims, their sum.

    Examples
    --------
    >>> from reanalyses.ledger import load
    >>> table = counts_by_paper(load())
    >>> int(table["claims"].iloc[-1]) == len(load())
    True
    """
    claims = list(claims)
    rows = [
        {"paper": paper, **counts(claim for claim in claims if claim.paper == paper)}
        for paper in papers(claims)
    ]
    if len(rows) > 1:
        rows.append({"paper": "all", **counts(claims)})
    table = pd.DataFrame(rows, columns=["paper", *MARKS]).rename(
        columns={verdict: f"{mark} {verdict}" for verdict, mark in MARKS.items()}
    )
    return table.assign(claims=table.drop(columns="paper").sum(axis=1))


def claims_html(pairs: Iterable[tuple[Claim, Outcome | None]]) -> str:
    """Return one foldable entry for each claim: verdict, place and claim outside, numbers and reason inside.

    Returns HTML, every text escaped.

    Examples
    --------
    >>> claims_html([])
    '<div class="il-ledger"></div>'
    """
    entries = []
    for claim, outcome in pairs:
        kind = claim.verdict.split()[0]
        rows = [("Printed", escape(claim.printed)), ("Reason", escape(claim.reason))]
        if outcome is not None and claim.compute:
            rows.insert(1, ("Ours", escape(outcome.detail)))
        if claim.compute:
            rows.append(("Computed by", f"<code>{escape(claim.compute.removeprefix('reanalyses.'))}</code>"))
        entries.append(
            f'<details class="il-claim il-{kind}" id="{escape(claim.id)}"><summary>'
            f'<span class="il-verdict">{MARKS[claim.verdict]} {escape(claim.verdict)}</span> '
            f"<b>{escape(claim.place)}.</b> {escape(claim.claim)}</summary>{_list(rows)}</details>"
        )
    return f'<div class="il-ledger">{"".join(entries)}</div>'


def errata_html(pairs: Iterable[tuple[Erratum, Outcome]]) -> str:
    """Return one entry for each erratum: what is printed, what is right, why, and the recomputed numbers.

    Returns HTML, every text escaped.

    Examples
    --------
    >>> errata_html([])
    '<div class="il-ledger"></div>'
    """
    entries = []
    for number, (erratum, outcome) in enumerate(pairs, 1):
        rows = [
            ("Printed", escape(erratum.printed)),
            ("Right", escape(erratum.right)),
            ("Because", escape(erratum.proof)),
            ("Recomputed", escape(outcome.detail)),
            ("This package", escape(erratum.computes)),
        ]
        entries.append(
            f'<section class="il-erratum" id="{escape(erratum.id)}">'
            f"<p><b>{number}. {escape(erratum.place)}</b></p>{_list(rows)}</section>"
        )
    return f'<div class="il-ledger">{"".join(entries)}</div>'


def _list(rows: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows) + "</dl>"
