"""The page of a card, looked at with a browser: it asks for nothing, fits a phone, and can be read in light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isotropy_lab.report import report_card

pytestmark = pytest.mark.browser

LUMINANCE = """
color => {
  const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30)) + 1.0
    X[3] = X[2]
    card = report_card(
        X, name="a_rather_long_name_of_a_file_of_vectors_without_any_place_to_break.npy", projection=X[:, :2],
        labels=np.arange(200) % 3, questions=X[:20], gold=np.arange(20), compare=X * np.linspace(1, 3, 30),
    )  # fmt: skip
    path: Path = tmp_path_factory.mktemp("card") / "card.html"
    card.write(path)
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_can_be_read(browser: Any, address: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.goto(address)
    assert asked == [address]
    assert errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Every text against the ground that it stands on: 4.5 to 1 is what WCAG asks for.
    pairs = page.evaluate(
        """() => [...document.querySelectorAll("h1, p, a, th, td, span, strong, figcaption, caption, svg text")]
        .filter(e => e.textContent.trim()).map(e => {
          const style = getComputedStyle(e), own = e.closest("svg") ? style.fill : style.color;
          let box = e, ground = "rgba(0, 0, 0, 0)";
          while (box && ground === "rgba(0, 0, 0, 0)") { ground = getComputedStyle(box).backgroundColor; box = box.parentElement; }
          return [own, ground];
        })"""
    )
    assert len(pairs) > 100
    for own, ground in {tuple(pair) for pair in pairs}:
        a, b = sorted(page.evaluate(LUMINANCE, color) for color in (own, ground))
        assert (b + 0.05) / (a + 0.05) >= 4.5, (own, ground)
    # A drawing is as wide as its column, and its letters are at least nine pixels high.
    for box in page.locator("svg").all():
        size = box.bounding_box()
        assert size["width"] > 0.85 * min(width, 820)
        assert 14 * size["width"] / 640 >= 9 or 20 * size["width"] / 640 >= 9
    context.close()
