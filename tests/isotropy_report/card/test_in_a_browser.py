"""Tests of a card's page in a browser: requests, phone layout, light and dark themes, and print."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isotropy_report.card import report_card

pytestmark = [pytest.mark.browser, pytest.mark.rest]

AXE = Path(__file__).parents[2] / "book" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30)) + 1.0
    X[3] = X[2]
    card = report_card(
        X, name="a_rather_long_name_of_a_file_of_vectors_without_any_place_to_break.npy",
        labels=np.arange(200) % 3, questions=X[:20], gold=np.arange(20),
    )  # fmt: skip
    path: Path = tmp_path_factory.mktemp("card") / "card.html"
    card.write(path)
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_page_is_accessible_and_self_contained(browser: Any, address: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.goto(address)
    assert requests == [address]
    assert errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("async () => (await axe.run()).violations.map(v => [v.id, v.nodes[0].html])")
    assert violations == []
    context.close()


def test_folded_sections_open_and_are_printed(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    visible_tables = "() => [...document.querySelectorAll('table')].map(e => e.checkVisibility())"
    assert {True, False} == set(page.evaluate(visible_tables))  # open where it was asked for
    page.locator("nav a[href='#isotropy']").click()
    assert page.locator("#isotropy table").is_visible()
    page.locator("nav a[href='#warnings']").click()
    assert page.locator(".cautions").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert set(page.evaluate(visible_tables)) == {True}
    background = page.evaluate("getComputedStyle(document.querySelector('svg')).backgroundColor")
    assert min(map(int, re.findall(r"\d+", background))) > 240  # on white paper, whatever the screen
    context.close()
