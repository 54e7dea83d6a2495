"""The built site, looked at with a browser: nothing asked of the network, nothing cut off, nothing faint, no picture mute."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, SITE
from .test_chapters import NOTEBOOKS

pytestmark = pytest.mark.browser


HERE = Path(__file__).parent
#: Widths of windows: a wide screen, a tablet on its side and upright, a phone.
WIDTHS = (1280, 1024, 768, 390)
#: Pages that Sphinx makes itself, with icons of its own.
GENERATED = ("genindex.html", "py-modindex.html", "prf-prf.html", "search.html")
UNFOLD = """async () => {
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


def pages() -> list[str]:
    return sorted(
        path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts
    )


def visited() -> list[str]:
    """Name the pages that a browser visits: all but views of source code, which are one template; one stands for them."""
    names = pages()
    sources = [name for name in names if name.startswith("_modules/")]
    return [name for name in names if name not in sources[1:]]


def watch(page: Any, site: str) -> tuple[list[str], list[str]]:
    """Record requests that leave the site, and errors."""
    outside: list[str] = []
    errors: list[str] = []
    page.on(
        "request", lambda r: None if r.url.startswith((site, "data:", "blob:")) else outside.append(r.url)
    )
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: errors.append(str(e)))
    return outside, errors


@dataclasses.dataclass(frozen=True)
class Look:
    """What one visit to a page shows."""

    widths: dict[int, int]  #: width of the window: width of the page in it
    text: str
    alts: list[str]
    outside: list[str]
    errors: list[str]
    #: What is wrong, by kind, then by width or theme; all that is folded is unfolded.
    faults: dict[str, dict[str, list[str]]]
    moving: tuple[int, int]  #: figures that move, and those of them that have drawn themselves


def scripts() -> tuple[str, str]:
    """Return what finds faults of the layout, and what finds faint text."""
    layout, contrast = ((HERE / name).read_text(encoding="utf-8") for name in ("layout.js", "contrast.js"))
    return layout, contrast


def look_at(page: Any, name: str) -> tuple[dict[int, int], dict[str, dict[str, list[str]]]]:
    """Return the widths and the faults of the page that is open, which stays unfolded and dark."""
    layout, contrast = scripts()
    widths: dict[int, int] = {}
    faults: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    # Sphinx and its themes lay out the indexes and the source code.
    ours = name not in GENERATED and not name.startswith("_modules/")
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate(UNFOLD)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLE)
        widths[width] = page.evaluate("document.documentElement.scrollWidth")
        for kind, sentences in page.evaluate(layout).items() if ours else ():
            if sentences:
                faults[kind][f"{name} at {width}"] = sentences[:5]
    for theme in ("light", "dark") if ours else ():
        page.evaluate(THEME, theme)
        if sentences := page.evaluate(contrast):
            faults["faint"][f"{name} in the {theme}"] = sentences[:5]
    return widths, faults


@pytest.fixture(scope="module")
def looks(site: str, browser: Any) -> dict[str, Look]:
    """Visit pages once; most of the time of these tests is loading."""
    page = browser.new_page(viewport={"width": WIDTHS[0], "height": 900})
    outside, errors = watch(page, site)
    found = {}
    for name in visited():
        page.goto("about:blank")  # which is quick to lay out anew
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(site + name, wait_until="load")
        if name in GENERATED:  # their scripts begin late; on others it takes longer to look
            page.wait_for_timeout(300)
        text = page.inner_text("main")
        alts = page.eval_on_selector_all(
            "main article :is(img, svg.il-drawn)",
            "images => images.map(i => i.alt || i.getAttribute('aria-label') || '')",
        )
        moving = page.locator(".il-moving").count(), page.locator(".il-moving[data-state]").count()
        widths, faults = look_at(page, name)
        found[name] = Look(widths, text, alts, outside.copy(), errors.copy(), faults, moving)
        outside.clear()
        errors.clear()
    page.close()
    assert len(found) >= 10
    return found


def test_no_page_asks_the_network_or_errs(looks: dict[str, Look]) -> None:
    assert {name: look.outside for name, look in looks.items() if look.outside} == {}
    assert {name: look.errors for name, look in looks.items() if look.errors} == {}


def test_formulas_are_typeset_and_prose_has_no_raw_markup(
    site: str, browser: Any, looks: dict[str, Look]
) -> None:
    page = browser.new_page()
    page.goto(site + "isotropy/what-isotropy-is.html")
    page.wait_for_selector("mjx-container")
    page.close()
    for name, look in looks.items():
        if name.startswith("_modules/"):  # source code may have braces of its own
            continue
        assert not re.search(r"\{(cite|eval|func|glue|numref|prf|term)", look.text), name


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is(looks: dict[str, Look], kind: str) -> None:
    found = {where: sentences for look in looks.values() for where, sentences in look.faults[kind].items()}
    assert found == {}, KINDS[kind]


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
    layout, contrast = scripts()
    found = page.evaluate(layout) | {"faint": page.evaluate(contrast)}
    page.close()
    expected = dict.fromkeys(KINDS, 1) | {"cut": 2}
    assert {kind: len(sentences) for kind, sentences in found.items()} == expected, found


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(looks: dict[str, Look], width: int) -> None:
    assert {name: look.widths[width] for name, look in looks.items() if look.widths[width] > width} == {}


def test_every_picture_has_words(looks: dict[str, Look]) -> None:
    seen = 0
    for name, look in looks.items():
        if name in GENERATED:
            continue
        for alt in look.alts:
            seen += 1
            assert len(alt.split()) >= 4, (name, alt)
            assert not re.search(r"[0-9a-f]{20}", alt), (name, alt)
    assert seen >= 8


def test_links_between_pages_lead_somewhere() -> None:
    if not SITE.exists():
        pytest.skip("no built site: run `make book` first")
    broken = []
    for name in pages():
        text = (SITE / name).read_text(encoding="utf-8")
        for target in re.findall(r'href="([^"#?]+?)(?:[#?][^"]*)?"', text):
            if "://" not in target and not target.startswith(("mailto:", "data:", "about:")):
                path = (SITE / name).parent / target
                if not path.exists():
                    broken.append((name, target))
    assert broken == []


def test_each_attribute_has_an_entry_of_its_own() -> None:
    """Sphinx takes the first of two names on a line for a type: "high (low,)"."""
    if not SITE.exists():
        pytest.skip("no built site: run `make book` first")
    text = "".join(page.read_text(encoding="utf-8") for page in (SITE / "reference").glob("*.html"))
    assert "<strong>low</strong>" in text
    assert re.findall(r"<strong>high</strong> \(<em>low\b", text) == []


def test_the_binder_button_opens_the_notebook_itself() -> None:
    if not SITE.exists():
        pytest.skip("no built site: run `make book` first")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    slug = project["urls"]["Repository"].removeprefix("https://github.com/")
    assert len(NOTEBOOKS) >= 6
    for path in NOTEBOOKS:
        name = path.relative_to(ROOT / "book")
        expected = f"https://mybinder.org/v2/gh/{slug}/main?urlpath=lab/tree/book/{name.as_posix()}"
        assert expected in (SITE / name.with_suffix(".html")).read_text(encoding="utf-8"), name


def test_every_page_names_version_and_commit() -> None:
    if not SITE.exists():
        pytest.skip("no built site: run `make book` first")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for name in pages():
        text = (SITE / name).read_text(encoding="utf-8")
        assert re.search(
            rf"isotropy_lab {re.escape(version)}, (commit [0-9a-f]{{10}}|outside version control)", text
        )
        assert 'src="https' not in text, name
        assert not re.search(r"<script[^>]+thebe", text), name


def test_every_figure_that_moves_has_drawn_itself(looks: dict[str, Look]) -> None:
    named = {
        name for name in visited() if re.search(r'<\w+ class="il-moving"', (SITE / name).read_text("utf-8"))
    }
    assert named
    assert {name for name, look in looks.items() if look.moving[0]} == named
    assert {name: look.moving for name, look in looks.items() if look.moving[0] != look.moving[1]} == {}


def test_site_folder_is_complete() -> None:
    if not SITE.exists():
        pytest.skip("no built site: run `make book` first")
    assert (SITE / "_static" / "mathjax" / "tex-mml-chtml.js").exists()
    assert (SITE / "_static" / "mathjax" / "output" / "chtml" / "fonts" / "woff-v2").is_dir()
    assert Path(SITE / "objects.inv").exists()
