"""Tests that the site's search finds the right page for typical queries."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from .conftest import BOOK

PHRASES = {
    phrase: page
    for page, entry in tomllib.loads((BOOK / "search.toml").read_text(encoding="utf-8")).items()
    for phrase in entry["phrases"]
}
#: Pages that the search finds for each query, best first.
SEARCH = """async (queries) => {
  while (!Search.hasIndex()) await new Promise((done) => setTimeout(done, 50));
  return queries.map((query) => Search._performSearch(...Search._parseQuery(query)).reverse().map(([page]) => page));
}"""


def test_phrases_are_unique_and_have_pages() -> None:
    pages = tomllib.loads((BOOK / "search.toml").read_text(encoding="utf-8"))
    assert all(any(BOOK.glob(f"{page}.*")) for page in pages)
    assert len(PHRASES) == sum(len(entry["phrases"]) for entry in pages.values()), "a phrase has two pages"
    assert all(phrase == phrase.lower() for phrase in PHRASES)


@pytest.mark.rest
@pytest.mark.browser
def test_expected_page_is_the_first_result(site: str, context: Any) -> None:
    page = context.new_page()
    page.goto(f"{site}search.html?q=isotropy")
    results = dict(zip(PHRASES, page.evaluate(SEARCH, list(PHRASES)), strict=True))
    wrong = {
        query: (PHRASES[query], pages[:2])
        for query, pages in results.items()
        if pages[:1] != [PHRASES[query]]
    }
    assert not wrong
    for pages in page.evaluate(SEARCH, ["bootstrap interval", "eigenvalues", "covariance matrix", "cosines"]):
        kinds = [
            2 if page.startswith("reference/") else 1 if Path(page).name.startswith("case-") else 0
            for page in pages if "/" in page and not page.startswith("appendix/")
        ]  # fmt: skip
        assert kinds == sorted(kinds), "lessons, then case files, then the reference"
        assert kinds[0] == 0
