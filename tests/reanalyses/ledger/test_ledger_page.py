"""Tests that the HTML of the ledger is complete and escaped, and marks verdicts with symbols."""

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


def test_claims_have_one_escaped_entry_with_mark_and_link() -> None:
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


def test_entries_link_to_page_source_and_erratum() -> None:
    claims, errata = ledger.load(), ledger.load_errata()
    for claim in claims:
        entry = ledger_page.claims_html([(claim, outcome(claim.id))])
        assert f'href="../{claim.page}.html#shown-{claim.id}"' in entry
        assert (f'href="../appendix/errata.html#{claim.erratum}"' in entry) == bool(claim.erratum)
        assert (f'"../appendix/ledger.html#{claim.same_as}"' in entry) == bool(claim.same_as)
        link = re.search(r'href="https://[^"]+/blob/main/([^"#]+)#L(\d+)-L(\d+)"', entry)
        assert (link is not None) == bool(claim.compute), claim.id
        if link:
            lines = (BOOK.parents[1] / link[1]).read_text(encoding="utf-8").splitlines()
            code = "\n".join(lines[int(link[2]) - 1 : int(link[3])])
            assert f"def {claim.compute.rpartition('.')[2]}(" in code
    assert {claim.erratum for claim in claims if claim.erratum} <= {erratum.id for erratum in errata}


def test_values_have_labels_and_formulas_have_markup() -> None:
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


def test_repeated_claims_are_counted_once() -> None:
    claims = list(ledger.load(paper="Rudman et al. (2022)"))
    total = sum(ledger_page.counts(claims).values())
    assert total == sum(not claim.same_as for claim in claims)
    repeated = dataclasses.replace(claims[0], id="again", same_as=claims[0].id)
    assert sum(ledger_page.counts([*claims, repeated]).values()) == total


def test_errata_have_all_fields_and_are_sorted_by_kind() -> None:
    errata = ledger.load_errata()
    page = ledger_page.errata_html((erratum, outcome(erratum.id)) for erratum in errata)
    assert page.count('class="il-entry ') == len(errata)
    for word in ("Printed", "Right", "Because", "Recomputed", "Consequence", "This package", "Shown in"):
        assert page.count(f"<dt>{word}</dt>") == len(errata)
    kinds = re.findall(r'data-kind="([^"]+)"', page)
    assert kinds == sorted(kinds, key=ledger.ERRATUM_KINDS.index)


def test_coverage_links_to_entries_or_gives_a_reason() -> None:
    for paper, passages in ledger.coverage().items():
        table = ledger_page.coverage_html(paper)
        assert table.count("<tr>") == len(passages) + 1
        for name in (name for passage in passages for name in passage.entries):
            assert f'#{name}"' in table
        assert table.count("No entry: ") == sum(bool(passage.why_none) for passage in passages)


def test_case_shows_entries_of_its_section_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_page, "_FIRST_PLACES", {})  # a new page
    paper = "Rudman et al. (2022)"
    passages = [p for p in ledger.coverage()[paper] if p.section.startswith("Section 5.1, Test 4")]
    expected = list(dict.fromkeys(name for passage in passages for name in passage.entries))
    entries = ledger_page.entries_about(paper, "Section 5.1, Test 4")
    assert [entry.id for entry in entries] == expected
    assert {type(entry) for entry in entries} == {ledger.Claim, ledger.Erratum}
    html = ledger_page.case(paper, "Section 5.1, Test 4")._repr_html_()
    assert html.count('class="il-entry ') == len(entries)
    for entry in entries:
        page = "ledger" if isinstance(entry, ledger.Claim) else "errata"
        assert f'href="../appendix/{page}.html#{entry.id}"' in html
    assert re.findall(r' id="([^"]+)"', html) == [f"shown-{entry.id}" for entry in entries]
    claim = next(entry for entry in entries if isinstance(entry, ledger.Claim) and entry.compute)
    assert ledger_page.MARKS[claim.verdict] in html
    assert ledger.recompute(claim).detail.split()[0] in html


def test_ledger_links_to_the_first_case_with_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_page, "_FIRST_PLACES", {})
    paper, entry = "Rudman et al. (2022)", next(e for e in ledger.load() if e.id == "isoscore-table-2")
    target = f' id="shown-{entry.id}"'
    first, later = (
        ledger_page.case(paper, *places).html for places in ((entry.id,), ("Section 3.2", entry.id))
    )
    assert first.count(target) == 1
    assert target not in later, "an id occurs once on a page"
    assert ledger_page.case(paper, entry.id).html == first, "the first cell, when run again"
    assert f'href="../{entry.page}.html#shown-{entry.id}"' in ledger_page.claims_html(
        [(entry, outcome(entry.id))]
    )


@pytest.mark.parametrize("paper", sorted(ledger.coverage()))
def test_overview_lists_and_links_every_entry_once(paper: str) -> None:
    html = ledger_page.overview(paper).html
    named = re.findall(r'<li><a href="\.\./([\w/-]+)\.html#shown-([\w.-]+)">', html)
    entries = [*ledger.load(paper=paper), *ledger.load_errata(paper=paper)]
    assert sorted(named) == sorted((entry.page, entry.id) for entry in entries)
    assert html.count("<summary>") <= 12
