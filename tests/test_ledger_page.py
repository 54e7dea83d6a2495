"""The ledger's HTML: complete, escaped, and with a sign beside the colour."""

from __future__ import annotations

import dataclasses

from isotropy_lab import ledger, ledger_page
from isotropy_lab.ledger import Outcome


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
