"""The ledger's HTML: complete, escaped, and with a sign beside the color."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

from reanalyses import ledger
from reanalyses.ledger import Outcome
from reanalyses.ledger import page as ledger_page

BOOK = Path(__file__).resolve().parents[3] / "book" / "appendix"


def outcome(name: str) -> Outcome:
    return Outcome(name, (1.0,), True, True, "1 < 2 & so on")


def test_every_claim_has_one_entry_with_mark_place_and_escaped_text() -> None:
    claims = ledger.load()
    page = ledger_page.claims_html((claim, outcome(claim.id)) for claim in claims)
    assert page.count("<details") == len(claims) == sum(ledger_page.counts(claims).values())
    for claim in claims:
        assert f'id="{claim.id}"' in page
    assert "1 &lt; 2 &amp; so on" in page
    assert "1 < 2" not in page
    for verdict, mark in ledger_page.MARKS.items():
        assert f"{mark} {verdict}" in page


def test_markup_in_a_text_is_not_markup_on_the_page() -> None:
    claim = dataclasses.replace(ledger.load()[0], claim="<script>alert(1)</script>")
    page = ledger_page.claims_html([(claim, outcome(claim.id))])
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_every_erratum_says_all_five_things() -> None:
    errata = ledger.load_errata()
    page = ledger_page.errata_html((erratum, outcome(erratum.id)) for erratum in errata)
    assert page.count("<section") == len(errata)
    for word in ("Printed", "Right", "Because", "Recomputed", "This package"):
        assert page.count(f"<dt>{word}</dt>") == len(errata)


def test_counts_stand_for_each_paper_and_in_all() -> None:
    claims = ledger.load(paper="Rudman et al. (2022)")
    (row,) = ledger_page.counts_by_paper(claims).to_dict("records")
    assert row["paper"] == "Rudman et al. (2022)"
    assert row["claims"] == len(claims)
    assert row["✗ contradicted"] == ledger_page.counts(claims)["contradicted"]
    other = dataclasses.replace(claims[0], id="other", paper="Another (2000)")
    table = ledger_page.counts_by_paper([*claims, other]).set_index("paper")
    assert list(table.index) == ["Rudman et al. (2022)", "Another (2000)", "all"]
    assert (table.iloc[:2].sum() == table.loc["all"]).all()
    assert table.loc["Another (2000)", "claims"] == 1


def test_the_book_has_a_section_for_every_paper_in_the_order_of_the_ledger() -> None:
    for page, entries in (("ledger", ledger.load()), ("errata", ledger.load_errata())):
        cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
        heads = [
            line.removeprefix("## ").split("), ")[0] + ")"
            for cell in cells
            if cell["cell_type"] == "markdown"
            for line in "".join(cell["source"]).splitlines()
            if line.startswith("## ") and "), " in line
        ]
        calls = re.findall(
            r'paper="([^"]+)"', "".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        )
        assert heads == calls == list(ledger.papers(entries)), page
