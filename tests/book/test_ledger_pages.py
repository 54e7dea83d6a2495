"""Tests of filters, search, and links on the ledger and errata pages, also by keyboard and without scripts."""

from typing import Any

import pytest

from reanalyses import ledger
from reanalyses.ledger import page as ledger_page

pytestmark = [pytest.mark.rest, pytest.mark.browser]

ENTRIES = {"ledger": ledger.load(), "errata": ledger.load_errata()}


def visible_entries(page: Any) -> list[str]:
    ids: list[str] = page.eval_on_selector_all(
        ".il-entry", "all => all.filter(e => e.checkVisibility()).map(e => e.id)"
    )
    return ids


@pytest.mark.parametrize("name", list(ENTRIES))
def test_filters_select_entries_and_update_the_count(site: str, context: Any, name: str) -> None:
    page = context.new_page()
    page.goto(f"{site}appendix/{name}.html")
    status = page.get_by_role("status")
    total = len(ENTRIES[name])
    assert sorted(visible_entries(page)) == sorted(entry.id for entry in ENTRIES[name])
    fields = [("Paper", "paper"), ("Kind", "kind"), ("Page of the book", "page")]
    for label, field in fields + ([("Verdict", "verdict")] if name == "ledger" else []):
        for value in dict.fromkeys(getattr(entry, field) for entry in ENTRIES[name]):
            page.get_by_label(label, exact=True).select_option(value)
            expected = [entry for entry in ENTRIES[name] if getattr(entry, field) == value]
            assert sorted(visible_entries(page)) == sorted(entry.id for entry in expected), value
            text = status.inner_text()
            assert f"{len(expected)} of {total} {'entries' if name == 'ledger' else name} shown" in text
            headings = page.locator("section:not([hidden]):has(.il-entry) > h2")
            assert headings.count() == len({entry.paper for entry in expected})
            if name == "ledger":
                for verdict, count in ledger_page.counts(expected).items():
                    assert (f"{count} {ledger_page.MARKS[verdict]} {verdict}" in text) == (count > 0)
        page.get_by_role("button", name="Show all").click()
        assert len(visible_entries(page)) == total


def test_search_works_by_keyboard_and_sets_the_url(site: str, context: Any) -> None:
    page = context.new_page()
    page.goto(f"{site}appendix/ledger.html")
    page.get_by_label("Paper", exact=True).focus()
    page.keyboard.press("ArrowDown")
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.type("PARTITION")
    page.keyboard.press("Enter")
    matches = visible_entries(page)
    assert matches
    paper = ledger.papers()[0]
    assert {e.paper for e in ENTRIES["ledger"] if e.id in matches} == {paper}
    address = page.url
    assert "paper=Rudman" in address
    assert "q=PARTITION" in address
    page.goto("about:blank")
    page.goto(address)
    assert visible_entries(page) == matches


def test_link_opens_an_entry_hidden_by_filters(site: str, context: Any) -> None:
    page = context.new_page()
    first, last = ENTRIES["ledger"][0], ENTRIES["ledger"][-1]
    page.goto(f"{site}appendix/ledger.html#{last.id}")
    details = page.locator(f"[id='{last.id}'] > details")
    assert details.get_attribute("open") is not None
    assert page.locator(f"[id='{last.id}']").evaluate(
        "e => e.getBoundingClientRect().top < innerHeight && e.getBoundingClientRect().top > -1"
    )
    page.get_by_label("Paper", exact=True).select_option(last.paper)
    assert first.id not in visible_entries(page)
    page.evaluate("id => { location.hash = id; }", first.id)
    page.wait_for_function("id => document.getElementById(id).checkVisibility()", arg=first.id)
    assert page.locator(f"[id='{first.id}'] > details").get_attribute("open") is not None
    page.locator(f"[id='{last.id}'] .il-permalink").click()
    assert page.url.endswith(f"#{last.id}")


@pytest.mark.parametrize("name", list(ENTRIES))
def test_pages_are_readable_without_scripts(site: str, browser: Any, name: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}appendix/{name}.html")
    assert page.locator(".il-entry").count() == len(ENTRIES[name])
    entry = page.locator(".il-entry").first
    entry.locator("summary").first.click()
    assert "Printed" in entry.inner_text()
    assert page.locator(".il-filter form").count() == 0
    context.close()
