"""Tests that the ledger's HTML is complete and escaped, and uses symbols in addition to colors."""

import dataclasses
import re
from pathlib import Path

import pytest

from reanalyses import ledger
from reanalyses.ledger import Outcome
from reanalyses.ledger import page as ledger_page

BOOK = Path(__file__).resolve().parents[3] / "book" / "appendix"


def outcome(name: str) -> Outcome:
    return Outcome(name, (1.0,), True, True, "1 < 2 & so on")


def test_every_claim_has_one_entry_with_mark_link_and_escaped_text() -> None:
    claims = ledger.load()
    page = ledger_page.claims_html((claim, outcome(claim.id)) for claim in claims)
    assert page.count('class="il-entry ') == len(claims)
    for claim in claims:
        assert page.count(f' id="{claim.id}"') == 1
        assert f'<a class="il-permalink" href="../appendix/ledger.html#{claim.id}"' in page
    assert "1 &lt; 2 &amp; so on" in page
    assert "1 < 2" not in page
    for verdict, mark in ledger_page.MARKS.items():
        assert f"{mark} {verdict}" in page


def test_every_entry_links_to_its_page_its_source_and_its_erratum() -> None:
    claims, errata = ledger.load(), ledger.load_errata()
    for claim in claims:
        entry = ledger_page.claims_html([(claim, outcome(claim.id))])
        assert f'href="../{claim.page}.html#shown-{claim.id}"' in entry
        assert (f'href="../appendix/errata.html#{claim.erratum}"' in entry) == bool(claim.erratum)
        assert (f'"../appendix/ledger.html#{claim.same_as}"' in entry) == bool(claim.same_as)
        found = re.search(r'href="https://[^"]+/blob/main/([^"#]+)#L(\d+)-L(\d+)"', entry)
        assert (found is not None) == bool(claim.compute), claim.id
        if found:
            lines = (BOOK.parents[1] / found[1]).read_text(encoding="utf-8").splitlines()
            shown = "\n".join(lines[int(found[2]) - 1 : int(found[3])])
            assert f"def {claim.compute.rpartition('.')[2]}(" in shown
    assert {claim.erratum for claim in claims if claim.erratum} <= {erratum.id for erratum in errata}


def test_values_carry_labels_and_formulas_are_marked_up() -> None:
    claim = dataclasses.replace(
        ledger.load()[0],
        claim=r"It is $k < n$, by `f(x)`.",
        printed_values=(0.5, -1.0),
        labels=("at $x$", "at y"),
    )
    entry = ledger_page.claims_html([(claim, Outcome(claim.id, (0.25, -1.5), False, False, "d"))])
    assert r'<span class="math notranslate nohighlight">\(k &lt; n\)</span>, by <code>f(x)</code>.' in entry
    assert "<td>at y</td><td>−1</td><td>−1.5</td>" in entry
    for entry_ in (*ledger.load(), *ledger.load_errata()):
        for text in dataclasses.asdict(entry_).values():
            assert not isinstance(text, str) or text.count("$") % 2 == 0, entry_.id


def test_a_claim_made_twice_is_counted_once() -> None:
    claims = list(ledger.load(paper="Rudman et al. (2022)"))
    once = sum(ledger_page.counts(claims).values())
    assert once == sum(not claim.same_as for claim in claims)
    again = dataclasses.replace(claims[0], id="again", same_as=claims[0].id)
    assert sum(ledger_page.counts([*claims, again]).values()) == once


def test_every_erratum_says_all_things_and_the_gravest_come_first() -> None:
    errata = ledger.load_errata()
    page = ledger_page.errata_html((erratum, outcome(erratum.id)) for erratum in errata)
    assert page.count('class="il-entry ') == len(errata)
    for word in ("Printed", "Right", "Because", "Recomputed", "Consequence", "This package", "Shown in"):
        assert page.count(f"<dt>{word}</dt>") == len(errata)
    kinds = re.findall(r'data-kind="([^"]+)"', page)
    assert kinds == sorted(kinds, key=ledger.ERRATUM_KINDS.index)


def test_coverage_links_to_entries_or_says_why_there_is_none() -> None:
    for paper, passages in ledger.coverage().items():
        table = ledger_page.coverage_html(paper)
        assert table.count("<tr>") == len(passages) + 1
        for name in (name for passage in passages for name in passage.entries):
            assert f'#{name}"' in table
        assert table.count("No entry: ") == sum(bool(passage.why_none) for passage in passages)


def test_a_case_has_claims_and_errata_of_its_places_in_the_order_of_the_paper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ledger_page, "_FIRST_PLACES", {})  # a new page
    paper = "Rudman et al. (2022)"
    passages = [p for p in ledger.coverage()[paper] if p.section.startswith("Section 5.1, Test 4")]
    expected = list(dict.fromkeys(name for passage in passages for name in passage.entries))
    found = ledger_page.entries_about(paper, "Section 5.1, Test 4")
    assert [entry.id for entry in found] == expected
    assert {type(entry) for entry in found} == {ledger.Claim, ledger.Erratum}
    html = ledger_page.case(paper, "Section 5.1, Test 4")._repr_html_()
    assert html.count('class="il-entry ') == len(found)
    for entry in found:
        page = "ledger" if isinstance(entry, ledger.Claim) else "errata"
        assert f'href="../appendix/{page}.html#{entry.id}"' in html
    assert re.findall(r' id="([^"]+)"', html) == [f"shown-{entry.id}" for entry in found]
    claim = next(entry for entry in found if isinstance(entry, ledger.Claim) and entry.compute)
    assert ledger_page.MARKS[claim.verdict] in html
    assert ledger.recompute(claim).detail.split()[0] in html


def test_the_ledger_leads_to_where_a_case_shows_an_entry_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_page, "_FIRST_PLACES", {})
    paper, entry = "Rudman et al. (2022)", next(e for e in ledger.load() if e.id == "isoscore-table-2")
    target = f' id="shown-{entry.id}"'
    first, again = (
        ledger_page.case(paper, *places).html for places in ((entry.id,), ("Section 3.2", entry.id))
    )
    assert first.count(target) == 1
    assert target not in again, "a name stands on a page once"
    assert ledger_page.case(paper, entry.id).html == first, "the first cell, run again"
    assert f'href="../{entry.page}.html#shown-{entry.id}"' in ledger_page.claims_html(
        [(entry, outcome(entry.id))]
    )


@pytest.mark.parametrize("paper", sorted(ledger.coverage()))
def test_an_overview_names_every_entry_once_and_leads_to_its_place(paper: str) -> None:
    html = ledger_page.overview(paper).html
    named = re.findall(r'<li><a href="\.\./([\w/-]+)\.html#shown-([\w.-]+)">', html)
    entries = [*ledger.load(paper=paper), *ledger.load_errata(paper=paper)]
    assert sorted(named) == sorted((entry.page, entry.id) for entry in entries)
    assert html.count("<summary>") <= 12
