"""Tests that zeros on the pages of the book have no sign."""

import html
import re
from pathlib import Path

import pytest

from reanalyses import live
from reanalyses.ledger import Finding
from reanalyses.zeros import unsigned_zeros

from .conftest import inline_expressions


@pytest.mark.parametrize(
    "text", ["-0.0001", "+0.10", "-10.0", "1e-0", "x-0", "2024-0", "-0.5 to -0.25", "(1)-0.0", "-0x"]
)
def test_nonzero_numbers_keep_their_signs(text):
    assert unsigned_zeros(text) == text


@pytest.mark.parametrize("change", [1e-17, -1e-17, 0.0, -0.0])
def test_rounded_zeros_are_unsigned_in_ledger_prose_and_browser(change):
    text = f"I_A {change:+.4f}, accuracy {change:.1f} ({change:+.0f} to {-change:+.2f}%)."
    expected = "I_A 0.0000, accuracy 0.0 (0 to 0.00%)."
    assert Finding((change,), True, text).detail == expected
    assert inline_expressions.display_text(repr(text)) == expected
    assert live.Session(lambda *_, **__: None).evaluate(repr(text)) == expected


def test_pages_contain_no_signed_zeros(built: Path) -> None:
    pages = {file for file in built.rglob("*.html") if file.relative_to(built).parts[0] != "_modules"}
    pages.discard(built / "reference" / "reanalyses.html")  # shows these functions themselves
    for file in sorted(pages):
        article = re.search(r"(?s)<article.*</article>", file.read_text(encoding="utf-8"))
        text = re.sub(r"(?s)<(script|style).*?</\1>|<.*?>", " ", article[0] if article else "")
        signed = [line for line in html.unescape(text).splitlines() if unsigned_zeros(line) != line]
        assert not signed, (file.relative_to(built), signed[0][:200])
