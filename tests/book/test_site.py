"""Tests of the built site in a browser: requests, layout, contrast, accessibility, links, and metadata."""

import html
import json
import posixpath
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup
from pybtex.database import parse_string

from .conftest import BOOK, ROOT
from .test_chapters import NOTEBOOKS, PAGES

HERE = Path(__file__).parent
#: Widths of windows: a wide screen, a tablet in landscape and portrait, and a phone.
WIDTHS = (1280, 1024, 768, 390)
#: Pages that Sphinx generates, with its own icons.
GENERATED = ("genindex.html", "prf-prf.html", "py-modindex.html", "search.html")
#: Views of source code have one template, so only their index is tested.
SOURCES = "_modules/"
OWN_PAGES = sorted(page.relative_to(BOOK).with_suffix(".html").as_posix() for page in PAGES)
KINDS = {
    "front": "index.html",
    "part": "isotropy/index.html",
    "lesson": "isotropy/what-isotropy-is.html",
    "case file": "isotropy/case-rudman.html",
    "appendix": "appendix/glossary.html",
    "reference": "reference/isotropy.html",
}
UNFOLD = """async () => {
  if (window.MathJax) await MathJax.startup.promise;
  document.querySelectorAll("main details").forEach((folded) => { folded.open = true; });
  document.querySelectorAll(".il-reveal").forEach((button) => button.click());
}"""
#: After a change of the width, the page needs some frames to be drawn.
SETTLE = """() => new Promise((done) => {
  let frames = 4;
  const next = () => (frames-- ? requestAnimationFrame(next) : done());
  next();
})"""
THEME = "(name) => { document.documentElement.dataset.theme = name; }"
#: Rules of WCAG 2.2. A separate script tests contrast, since it knows what figures draw below a text. Axe cannot read
#: formulas, so it reports elements that are named by one.
AXE = """async (exempt) => {
  const rules = Object.fromEntries(exempt.map((rule) => [rule, { enabled: false }]));
  const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const found = await axe.run("main article", { resultTypes: ["violations"], runOnly: standards, rules });
  const formula = ({ target }) => {
    const element = document.querySelector(target[0]);
    return (element.closest("label") ?? element).querySelector("mjx-container");
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.filter((node) => !formula(node)).slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 200)}`));
}"""
EXEMPT = {
    # MyST-NB labels all folded parts "Toggle hidden content", and docutils causes the bibliography's markup.
    "": ["color-contrast", "label-content-name-mismatch"],
    "appendix/bibliography.html": ["aria-deprecated-role", "aria-required-children"],
}


def read_scripts() -> tuple[str, str]:
    """Return the scripts that detect layout faults and low contrast."""
    layout, contrast = ((HERE / name).read_text(encoding="utf-8") for name in ("layout.js", "contrast.js"))
    return layout, contrast


def layout_faults(page: Any, width: int) -> dict[str, list[str]]:
    """Return the layout faults of the open page in a window of the given width, by kind."""
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(SETTLE)
    elements_by_kind = page.evaluate(read_scripts()[0])
    faults = {f"{kind} at {width}": elements[:5] for kind, elements in elements_by_kind.items()}
    scrolls = page.evaluate("document.documentElement.scrollWidth") > width
    return {**faults, f"scrolls sideways at {width}": ["the page"] * scrolls}


def contrast_faults(page: Any, within: str | None = None) -> dict[str, list[str]]:
    """Return texts of the open page with insufficient contrast, in the light and dark themes."""
    faults = {}
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        faults[f"low contrast in the {theme} theme"] = page.evaluate(read_scripts()[1], within)
    return faults


def nonempty_faults(faults: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the kinds of faults with at least one element."""
    return {kind: elements for kind, elements in faults.items() if elements}


class Visitor:
    """A browser page that visits the pages of the site and records errors on each of them."""

    def __init__(self, browser: Any, site: str) -> None:
        self.site, self.page = site, browser.new_page()
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page.on(
            "request",
            lambda r: None if r.url.startswith((site, "data:", "blob:")) else self.outside.append(r.url),
        )
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))

    def visit(self, name: str) -> Any:
        """Open a page, and unfold everything that is folded."""
        self.page.goto("about:blank")  # is resized quickly
        self.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        self.outside.clear()
        self.errors.clear()
        self.page.goto(self.site + name, wait_until="load")
        if name in GENERATED:  # their scripts start late
            self.page.wait_for_timeout(300)
        self.page.add_style_tag(content="* { transition: none !important; }")
        self.page.evaluate(UNFOLD)
        return self.page

    def faults(self) -> dict[str, list[str]]:
        """Return the faults of the open page at all window sizes."""
        alts = self.page.eval_on_selector_all(
            "main article :is(img, svg.il-drawn)",
            "all => all.map(i => i.alt || i.getAttribute('aria-label') || '')",
        )
        still = self.page.locator(".il-moving:not([data-state])").count()
        prose = self.page.evaluate(
            "() => { const copy = document.querySelector('main').cloneNode(true);"
            "copy.querySelectorAll('pre, code').forEach((e) => e.remove()); return copy.textContent; }"
        )
        return {
            "requests to other servers": self.outside.copy(),
            "script errors": self.errors.copy(),
            "images without alt text": [
                alt for alt in alts if len(alt.split()) < 4 or re.search(r"[0-9a-f]{20}", alt)
            ],
            "empty interactive figures": ["a figure"] * still,
            "raw markup": re.findall(r"\{(?:cite|eval|func|glue|numref|prf|term)\b.{20}", prose),
        }


@pytest.fixture(scope="module")
def visitor(site: str, browser: Any) -> Iterator[Visitor]:
    browser_visitor = Visitor(browser, site)
    yield browser_visitor
    browser_visitor.page.close()


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_page_of_each_kind_has_no_faults(visitor: Visitor, kind: str) -> None:
    page = visitor.visit(KINDS[kind])
    faults = visitor.faults() | layout_faults(page, 1280) | layout_faults(page, 390)
    assert nonempty_faults(faults) == {}
    if kind == "lesson":
        assert page.locator("mjx-container").count(), "formulas are typeset"


@pytest.mark.rest
@pytest.mark.browser
@pytest.mark.parametrize("name", [*OWN_PAGES, *GENERATED, f"{SOURCES}index.html"])
def test_every_page_has_no_faults_at_all_widths_and_themes(visitor: Visitor, name: str) -> None:
    page = visitor.visit(name)
    faults = visitor.faults()
    if name in GENERATED:
        del faults["images without alt text"]
    if name in OWN_PAGES:  # the layout of the others is that of Sphinx
        page.evaluate((HERE / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
        faults["axe"] = page.evaluate(AXE, EXEMPT[""] + EXEMPT.get(name, []))
        for width in WIDTHS:
            faults |= layout_faults(page, width)
        faults |= contrast_faults(page)
    assert nonempty_faults(faults) == {}


@pytest.mark.rest
@pytest.mark.browser
def test_every_kind_of_fault_is_detected(browser: Any) -> None:
    """The scripts detect each kind of fault on a page that has all of them."""
    page = browser.new_page()
    page.set_content(
        """<main style="background: white"><article style="width: 300px">
        <p style="width: 500px; color: #999">too wide and too faint</p>
        <div style="overflow: hidden; width: 200px"><p style="width: 250px">cut off here</p></div>
        <div style="overflow: auto"><table><tr><td style="min-width: 500px">scrolls</td></tr></table></div>
        <div style="overflow: auto" class="il-scrolls"><p style="width: 500px">says so</p></div>
        <div style="overflow: auto; display: flex; flex-direction: row-reverse; width: 200px" class="il-scrolls">
        <p style="flex: none; width: 300px">begins out of sight</p></div>
        <img alt="picture" src="data:," width="10" height="10"><a href="#"></a>
        </article></main>"""
    )
    faults = layout_faults(page, 390) | contrast_faults(page)
    page.evaluate((HERE / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    axe = page.evaluate(AXE, EXEMPT[""])
    page.close()
    counts = {kind: len(elements) for kind, elements in faults.items()}
    expected = {"wide": 1, "cut": 2, "silent": 1, "pictures": 1, "scrolls sideways": 1}
    assert counts == {f"{kind} at 390": n for kind, n in expected.items()} | {
        f"low contrast in the {theme} theme": 1 for theme in ("light", "dark")
    }
    assert any(fault.startswith("link-name: <a") for fault in axe)


@pytest.fixture(scope="module")
def page_texts(built: Path) -> dict[str, str]:
    """Return the sources of the site's pages, by name."""
    return {
        path.relative_to(built).as_posix(): path.read_text(encoding="utf-8")
        for path in built.rglob("*.html")
        if "_static" not in path.parts
    }


def test_site_has_the_pages_of_the_contents(page_texts: dict[str, str]) -> None:
    own = [name for name in page_texts if not name.startswith(SOURCES)]
    assert sorted(own) == sorted([*OWN_PAGES, *GENERATED])


def test_links_have_existing_targets(built: Path, page_texts: dict[str, str]) -> None:
    targets = {name: set(re.findall(r' (?:id|name)="([^"]+)"', text)) for name, text in page_texts.items()}
    links = {
        (name, target, fragment)
        for name, text in page_texts.items()
        if not name.startswith(SOURCES)
        for target, fragment in re.findall(r'href="(?!\w+:)([^"#?]*)(?:\?[^"#]*)?#?([^"]*)"', text)
    }
    broken = []
    for name, target, fragment in links:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
        if fragment and file in targets:
            exists = fragment in targets[file]
        else:
            exists = file in page_texts or (built / file).exists()
        if not exists:
            broken.append((name, f"{target}#{fragment}"))
    assert sorted(broken) == []


def test_pages_have_descriptions_and_are_in_sitemaps(built: Path, page_texts: dict[str, str]) -> None:
    indexes = [(built / file).read_text(encoding="utf-8") for file in ("sitemap.xml", "llms.txt")]
    descriptions = {}
    for path in NOTEBOOKS:
        name = path.relative_to(BOOK).with_suffix(".html").as_posix()
        assert all(f"/{name}" in text for text in indexes), name
        (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page_texts[name])
        metadata = json.loads(data)
        assert metadata["url"].endswith(f"/{name}")
        assert {"name", "isPartOf", "author", "license", "version"} < metadata.keys()
        lesson = re.search(r'il-reading-time">\s*Lesson .{0,12} About (\d+) minutes', page_texts[name])
        assert metadata.get("timeRequired") == (f"PT{lesson[1]}M" if lesson else None), name
        descriptions[name] = metadata["description"]
        assert f'content="{html.escape(descriptions[name])}"' in page_texts[name]
    assert len(set(descriptions.values())) == len(descriptions), "two pages have the same description"


def test_pages_have_citations(built: Path, page_texts: dict[str, str]) -> None:
    book = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    for name in OWN_PAGES:
        forms = BeautifulSoup(page_texts[name], "html.parser").select(".il-cite pre")
        words, bibtex = (form.get_text() for form in forms)
        (entry,) = parse_string(bibtex, "bibtex").entries.values()
        fields = {key: value.replace("\\", "").strip("{}") for key, value in entry.fields.items()}
        authors = [str(author).strip("{}") for author in entry.persons["author"]]
        assert authors == [author["name"] for author in book["authors"]]
        assert f"<h1>{html.escape(fields['title'], quote=False)}</h1>" in page_texts[name]
        assert fields["howpublished"] == book["title"]
        assert fields["note"].startswith(f"version {book['version']}, ")
        assert fields["url"].endswith(f"/{name}")
        assert all(value in words for value in fields.values())


def test_pages_have_versions_commit_and_binder_link(built: Path, page_texts: dict[str, str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = f"isotropy_lab {re.escape(project['version'])}, (commit [0-9a-f]{{10}}|outside version control)"
    assert [name for name, text in page_texts.items() if not re.search(version, text)] == []
    assert [name for name, text in page_texts.items() if 'src="https' in text] == []
    slug = project["urls"]["Repository"].removeprefix("https://github.com/")
    newest, *released = json.loads((built / "versions.json").read_text(encoding="utf-8"))
    assert newest["url"] == project["urls"]["Documentation"] + "/"
    assert all(release["url"] == f"{newest['url']}v{release['version']}/" for release in released)
    assert all(("Versions of this book" in page_texts[name]) == bool(released) for name in OWN_PAGES)
    for path in NOTEBOOKS:
        name = path.relative_to(BOOK)
        binder = f"https://mybinder.org/v2/gh/{slug}/main?urlpath=lab/tree/book/{name.as_posix()}"
        assert binder in page_texts[name.with_suffix(".html").as_posix()], name
