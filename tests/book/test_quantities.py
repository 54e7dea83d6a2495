"""One source for one number: what stands in several places of the site has one value."""

from __future__ import annotations

import html
import importlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reanalyses import ledger
from reanalyses.course.kit import plans

from .conftest import ROOT, SITE
from .test_build import inline_expressions

LISTED = tomllib.loads(Path(__file__).with_name("quantities.toml").read_text(encoding="utf-8"))
QUANTITIES, ROUNDED = LISTED["quantity"], LISTED["rounded"]


@pytest.fixture(scope="module")
def texts(site: str) -> dict[str, str]:
    """Return the words of every page, without markup."""
    found = {}
    for path in SITE.rglob("*.html"):
        if not {"_modules", "_static", "_sources"} & set(path.relative_to(SITE).parts):
            body = re.search(r"(?s)<article.*</article>", path.read_text(encoding="utf-8"))
            if body:
                text = re.sub(r"(?s)<script.*?</script>|<style.*?</style>", "", body[0])
                text = re.sub(r"</?(?:d[dlt]|details|div|h\d|li|p|summary|t[dhr])\b[^>]*>", " ", text)
                bare = re.sub(r"<[^>]+>", "", text)
                found[path.relative_to(SITE).as_posix()] = " ".join(html.unescape(bare).split())
    return found


def value(source: str) -> float:
    """Return what a quantity is: a value of a claim or an erratum ("id 0"), or what a function returns."""
    name, _, index = source.partition(" ")
    for claim in ledger.load():
        if claim.id == name:
            return ledger.recompute(claim).ours[int(index or 0)]
    for erratum in ledger.load_errata():
        if erratum.id == name:
            return ledger.recompute_erratum(erratum).ours[int(index or 0)]
    module, _, function = name.rpartition(".")
    return float(getattr(importlib.import_module(module), function)())


@pytest.mark.browser
@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda q: q["name"])
def test_a_quantity_has_one_value_wherever_it_stands(texts: dict[str, str], quantity: dict[str, Any]) -> None:
    found: list[tuple[str, str]] = []
    for said in quantity["said"]:
        matches = [(page, match[1]) for page, text in texts.items() for match in re.finditer(said, text)]
        assert matches, f"no page says {said!r}"
        found += matches
    assert len(found) > 1, "a quantity that stands in one place only need not be listed"
    # Where no function gives it, the number that is printed with the most digits does.
    right = (
        value(quantity["value"])
        if "value" in quantity
        else max((number_of(text) for _, text in found), key=lambda pair: pair[1])[0]
    )
    for page, text in found:
        number, digits = number_of(text)
        assert abs(number - right) <= 0.5000001 * 10.0**-digits, f"{page} says {text}, which is {right:.6g}"


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("rounded", ROUNDED, ids=lambda r: r["said"])
def test_words_for_a_number_are_right(rounded: dict[str, Any]) -> None:
    """The number is that of the lesson, as the build has kept it."""
    words = " ".join((ROOT / "book" / f"{plans.SESSIONS}.md").read_text(encoding="utf-8").split())
    assert rounded["said"] in words
    sidecar = inline_expressions.sidecar(ROOT / "book", rounded["lesson"])
    texts = json.loads(sidecar.read_text(encoding="utf-8"))["texts"]
    found = {
        text
        for cell in texts.values()
        for expression, text in cell.items()
        if expression == rounded["expression"]
    }
    assert len(found) == 1, f"{rounded['lesson']} has no such number, or several"
    low, high = rounded["between"]
    assert low <= number_of(found.pop().rstrip("%"))[0] <= high


def number_of(text: str) -> tuple[float, int]:
    """Read a number as a page prints it, with its count of decimals."""
    plain = text.replace("−", "-").replace(",", "")
    return float(plain), len(plain.partition(".")[2])
