"""The page of a card, looked at with a browser: it asks for nothing, fits a phone, can be read in light and dark, and printed."""

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


MIXED = """
([top, below, opacity]) => {
  const parts = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number), ground = parts(below);
  return `rgb(${parts(top).map((v, i) => v * opacity + ground[i] * (1 - opacity)).join(",")})`;
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
        """() => [...document.querySelectorAll("h1, h3, p, a, th, td, span, strong, figcaption, caption, svg text")]
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
    # What a drawing draws stands out from its panel by 3 to 1, but for the lines of the grid; bars do so by their outline.
    shapes = page.evaluate(
        """() => [...document.querySelectorAll("svg path, svg line:not(.rule), svg rect")].map(e => {
          const style = getComputedStyle(e), panel = getComputedStyle(e.closest("svg")).backgroundColor;
          const ink = style.stroke !== "none" && !e.matches(".value") ? style.stroke : style.fill;
          const opacity = style.stroke !== "none" ? 1 : parseFloat(style.fillOpacity);
          return [e.getAttribute("class"), ink, panel, opacity];
        })"""
    )
    kinds = {tuple(shape) for shape in shapes}
    assert {"curve", "bar", "second", "even", "needle", "value", "known", "reach", "k1", "cell"} <= {
        kind[0] for kind in kinds
    }
    for kind, ink, panel, opacity in kinds:
        if kind == "cell" and opacity < 0.5:
            continue  # the palest of the five shades of a Shepard diagram
        mixed = page.evaluate(MIXED, [ink, panel, opacity])
        a, b = sorted(page.evaluate(LUMINANCE, color) for color in (mixed, panel))
        assert (b + 0.05) / (a + 0.05) >= 3.0, (kind, ink, panel, opacity)
    # Pictures stand three in a row, or one on a phone, as wide as they can be; letters are at least nine pixels high.
    boxes = [box for svg in page.locator(".gallery svg").all() if (box := svg.bounding_box())]
    assert len(boxes) == 14
    assert sum(abs(box["y"] - boxes[0]["y"]) < 1 for box in boxes) == (3 if width > 1000 else 1)
    for box in boxes:
        assert box["width"] > 0.85 * min(width, 400)
        assert 13 * box["width"] / 400 >= 9
    # Pictures begin on the first screen.
    assert boxes[0]["y"] < 500 if width > 1000 else boxes[0]["y"] < 800
    context.close()


def test_what_is_folded_opens_and_is_printed(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    seen = "() => [...document.querySelectorAll('table')].map(e => e.checkVisibility())"
    assert {True, False} == set(page.evaluate(seen))  # open where it was asked for
    page.locator("summary", has=page.locator("#isotropy")).click()
    assert page.locator("section[aria-labelledby=isotropy] table").is_visible()
    page.locator("nav a[href='#warnings']").click()
    assert page.locator(".cautions").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert set(page.evaluate(seen)) == {True}
    panel = page.evaluate("getComputedStyle(document.querySelector('svg')).backgroundColor")
    assert page.evaluate(LUMINANCE, panel) > 0.9  # on white paper, whatever the screen
    context.close()
