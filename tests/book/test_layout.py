"""Every page of the built site on a wide screen, a tablet and a phone: nothing cut off, nothing faint, no picture mute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .test_site import GENERATED, visited

pytestmark = pytest.mark.browser

WIDTHS = (1280, 1024, 390)
HERE = Path(__file__).parent
PREPARE = """async () => {
  if (window.MathJax) await MathJax.startup.promise;
  document.querySelectorAll("main details").forEach((folded) => { folded.open = true; });
  document.querySelectorAll(".il-reveal").forEach((button) => button.click());
}"""
#: What follows a change of the width is drawn some frames later.
SETTLE = """() => new Promise((done) => {
  let frames = 4;
  const next = () => (frames-- ? requestAnimationFrame(next) : done());
  next();
})"""
THEME = "(name) => { document.documentElement.dataset.theme = name; }"
KINDS = {
    "wide": "wider than the page, and in no frame that scrolls",
    "cut": "cut off",
    "silent": "scrolls without saying so",
    "pictures": "a picture without words, or wider than the page",
    "faint": "text that does not stand out from its ground",
}


@pytest.fixture(scope="module")
def faults(site: str, browser: Any) -> dict[str, dict[str, list[str]]]:
    """Visit each page once, with everything unfolded; return what is wrong, by kind and then by page and width."""
    layout, contrast = ((HERE / name).read_text(encoding="utf-8") for name in ("layout.js", "contrast.js"))
    page = browser.new_page(viewport={"width": WIDTHS[0], "height": 900})
    found: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    # Sphinx and its themes lay out the indexes and the source code.
    names = [name for name in visited() if name not in GENERATED and not name.startswith("_modules/")]
    for name in names:
        page.goto(site + name, wait_until="load")
        page.add_style_tag(content="* { transition: none !important; }")
        page.evaluate(PREPARE)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(SETTLE)
            for kind, sentences in page.evaluate(layout).items():
                if sentences:
                    found[kind][f"{name} at {width}"] = sentences[:5]
        for theme in ("light", "dark"):
            page.evaluate(THEME, theme)
            if sentences := page.evaluate(contrast):
                found["faint"][f"{name} in the {theme}"] = sentences[:5]
    page.close()
    assert len(names) >= 10
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is(faults: dict[str, dict[str, list[str]]], kind: str) -> None:
    assert faults[kind] == {}, KINDS[kind]


def test_faults_are_found(browser: Any) -> None:
    """The two scripts find each kind of fault on a page that has them all."""
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.set_content(
        """<main style="background: white"><article style="width: 300px">
        <p style="width: 500px; color: #999">too wide and too faint</p>
        <div style="overflow: hidden; width: 200px"><p style="width: 250px">cut off here</p></div>
        <div style="overflow: auto"><table><tr><td style="min-width: 500px">scrolls</td></tr></table></div>
        <div style="overflow: auto" class="il-scrolls"><p style="width: 500px">says so</p></div>
        <div style="overflow: auto; display: flex; flex-direction: row-reverse; width: 200px" class="il-scrolls">
        <p style="flex: none; width: 300px">begins out of sight</p></div>
        <img alt="picture" src="data:," width="10" height="10">
        </article></main>"""
    )
    layout, contrast = ((HERE / name).read_text(encoding="utf-8") for name in ("layout.js", "contrast.js"))
    found = page.evaluate(layout) | {"faint": page.evaluate(contrast)}
    page.close()
    expected = dict.fromkeys(KINDS, 1) | {"cut": 2}
    assert {kind: len(sentences) for kind, sentences in found.items()} == expected, found
