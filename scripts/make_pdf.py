"""Print the built site as two volumes: ``python scripts/make_pdf.py [--volume lessons] [--pages PATTERN]``.

The lessons, with their solutions at the end, and the case files become book/_build/pdf/lessons.pdf and
case-files.pdf. The installed Chromium prints each as one document, twice: page numbers are taken from the
first printing. Interactive figures are shown in their initial state.
"""

import argparse
import base64
import fnmatch
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from bs4 import BeautifulSoup

Element: TypeAlias = Any
"""Element of Beautiful Soup, typed as Any because its own types allow None everywhere."""

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "book" / "_build" / "html"
TARGET = ROOT / "book" / "_build" / "pdf"
HTML = "../html"
"""Path of the site relative to the folder of volumes."""
VOLUMES = {"lessons": "Lessons", "case-files": "Case files"}
#: Elements that make no sense on paper.
SCREEN_ONLY = ".headerlink, .il-permalink, .il-controls, .il-quiz, .il-finish, script, button, summary svg"
#: Folds with answers that readers should find by themselves.
SOLUTIONS = ("Result", "Answers")
PAGE = re.compile(rb"(?m)^(\d+) 0 obj\s<</Type /Page$")
STYLE = Path(__file__).with_name("print.css").read_text(encoding="utf-8")


def select_pages(name: str, pattern: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each part of the book with its pages in a volume; lessons exclude case files and the appendix."""
    caption = ""
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]:
        caption = part.get("caption") or caption
        files = [chapter["file"] for chapter in part["chapters"]]
        cases = [file for file in files if "/case-" in file]
        lessons = [file for file in files if file not in cases and "numbered" in part]
        selected = fnmatch.filter(cases if name == "case-files" else lessons, pattern)
        if selected:
            yield caption, selected


def figure_pictures(browser: Any, page: str) -> list[str]:
    """Return pictures of the interactive figures of a page in their initial state."""
    tab = browser.new_page(color_scheme="light", device_scale_factor=2)
    tab.goto((SITE / f"{page}.html").as_uri(), wait_until="load")
    tab.evaluate("() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    pictures = [base64.b64encode(figure.screenshot()).decode() for figure in tab.locator(".il-moving").all()]
    tab.close()
    return pictures


def article(soup: Element, page: str, browser: Any) -> Element:
    """Return the text of a page of the site, with anchor names that are unique in the volume."""
    folder = page.rpartition("/")[0]
    html = (SITE / f"{page}.html").read_text(encoding="utf-8")
    content = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    assert content is not None, page
    for tag in content.select(SCREEN_ONLY):
        tag.decompose()
    for tag in content.select("details.hide"):
        if "ledger_page." in tag.get_text():  # it shows the entries below it
            tag.decompose()
        elif "code cell source" in tag.summary.get_text():
            tag.summary.string = "Code"
    for tag in content.select("#proof-content"):  # a name that all theorems share
        del tag["id"]
    figures = content.select(".il-moving")
    for tag, png in zip(figures, figure_pictures(browser, page) if figures else (), strict=True):
        label = f"{tag['aria-label']}. On the site, this figure moves."
        tag.replace_with(
            element(f'<figure><img src="data:image/png;base64,{png}" alt="{label}"><p>{label}</p></figure>')
        )
    text = str(content)
    text = re.sub(r'\b(id|for)="([^"]+)"', lambda m: f'{m[1]}="{unique_anchor(page, m[2])}"', text)
    text = re.sub(r'((?:xlink:)?href)="#([^"]+)"', lambda m: f'{m[1]}="#{unique_anchor(page, m[2])}"', text)
    text = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{unique_anchor(page, m[1])})", text)
    text = re.sub(
        r'src="(?!https?:|data:|\.\./html/)([^"]+)"', lambda m: f'src="{HTML}/{folder}/{m[1]}"', text
    )
    section = element(f'<section class="il-page" id="{unique_anchor(page, "")}"></section>')
    section.append(BeautifulSoup(text, "html.parser"))
    return section


def unique_anchor(page: str, anchor: str) -> str:
    """Return the anchor name of a place on a page within the volume."""
    return re.sub(r"[^\w.-]", "-", f"{page.replace('/', '.')}--{anchor}", flags=re.ASCII)


def link(volume: Element, pages: list[str]) -> None:
    """Point links between pages to places in the volume, replace others by text, and open all folds."""
    for tag in volume.select("a[href]"):
        href = str(tag["href"])
        if href.startswith(("#", "http:", "https:", "mailto:")):
            continue
        page_path = (
            str(tag.find_parent("section", class_="il-page")["id"]).partition("--")[0].rpartition(".")[0]
        )
        path, _, anchor = href.partition("#")
        target = (SITE / page_path.replace(".", "/") / path).resolve()
        page = target.relative_to(SITE).with_suffix("").as_posix() if target.is_relative_to(SITE) else ""
        if page in pages:
            tag["href"] = f"#{unique_anchor(page, anchor)}"
        else:
            tag.unwrap()
    for tag in volume.select("details"):
        tag["open"] = ""


def take_solutions(soup: Element, page: Element, title: str) -> Element:
    """Remove solutions, results, and answers from a page, and return them as a separate section."""
    section = element(f'<section class="il-page"><h2>{title}</h2></section>')
    exercise_title = ""
    for tag in page.select(".il-exercise, .il-question, .cell.tag_solution, details.sd-dropdown"):
        if tag.name != "details" and "cell" not in tag["class"]:
            exercise_title = tag.select_one(".admonition-title").get_text(" ", strip=True)
            continue
        summary = tag.select_one("summary").get_text(" ", strip=True)
        if tag.name == "details" and summary not in SOLUTIONS:
            continue
        anchor = f"{page['id']}-solution-{len(section.contents)}"
        kind = "Answers" if summary == "Answers" else "Solution"
        note = f'<a href="#{anchor}">{kind} on page <span data-page="{anchor}">000</span></a>'
        # A result is below its solution.
        tag.replace_with("" if summary == "Result" else element(f'<p class="il-see">{note}</p>'))
        heading = "" if summary == "Result" else f"<p><b>{exercise_title}</b></p>"
        target = element(f'<div id="{anchor}">{heading}</div>')
        target.append(tag)
        section.append(target)
    return section


def element(html: str) -> Element:
    """Return an element, parsed from its source."""
    return next(BeautifulSoup(html, "html.parser").children)


def volume(name: str, pattern: str, browser: Any) -> Element:
    """Return a volume as a document, with placeholders for page numbers."""
    front = BeautifulSoup((SITE / "index.html").read_text(encoding="utf-8"), "html.parser")
    title = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    template = '<!DOCTYPE html><html lang="en" data-theme="light"><head></head><body></body></html>'
    soup: Element = BeautifulSoup(template, "html.parser")
    for tag in front.select('meta[charset], link[rel="stylesheet"], script'):
        if tag.name != "script" or "mathjax" in str(tag).lower():
            for attribute in {"src", "href"} & tag.attrs.keys():
                tag[attribute] = f"{HTML}/{tag[attribute]}"
            soup.head.append(tag)
    soup.head.extend(
        [element(f"<title>{title}: {VOLUMES[name]}</title>"), element(f"<style>{STYLE}</style>")]
    )
    cover = f'<img src="{HTML}/_static/cloud-light.png" alt=""><h1>{title}</h1><p>{VOLUMES[name]}</p>'
    contents = element('<nav class="il-contents"><h1>Contents</h1></nav>')
    soup.body.extend([element(f'<div class="il-cover">{cover}</div>'), contents])
    pages, solutions = [], []
    for caption, files in select_pages(name, pattern):
        contents.append(element(f"<h3>{caption}</h3>"))
        for file in files:
            page = article(soup, file, browser)
            heading = page.select_one("h1").get_text(" ", strip=True)
            add_contents_line(contents, heading, str(page["id"]))
            soup.body.append(page)
            pages.append(file)
            if name == "lessons":
                solutions.append(take_solutions(soup, page, heading))
    link(soup.body, pages)
    if solutions:
        soup.body.append(element('<h1 id="solutions">Solutions and answers</h1>'))
        add_contents_line(contents, "Solutions and answers", "solutions")
        for tag in solutions:
            soup.body.append(tag)
            for fold in tag.select("details"):
                fold["open"] = ""
    return soup


def add_contents_line(contents: Element, text: str, anchor: str) -> None:
    """Add a line to the table of contents."""
    number = f'<a href="#{anchor}">{text}</a><span></span><a data-page="{anchor}" href="#{anchor}">000</a>'
    contents.append(element(f"<p>{number}</p>"))


def print_to_pdf(browser: Any, soup: Element) -> bytes:
    """Return a document as PDF."""
    TARGET.mkdir(parents=True, exist_ok=True)
    file = TARGET / "volume.html"
    file.write_text(str(soup), encoding="utf-8")
    try:
        page = browser.new_page(color_scheme="light")
        page.emulate_media(media="print")
        page.goto(file.as_uri(), wait_until="load")
        page.evaluate("() => window.MathJax?.startup?.promise")
        pdf: bytes = page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
        page.close()
    finally:
        file.unlink()
    return pdf


def find_page_numbers(pdf: bytes) -> dict[str, int]:
    """Return the page number of each link target; Chromium writes pages in order."""
    numbers = {reference: number for number, reference in enumerate(PAGE.findall(pdf), 1)}
    targets = re.findall(rb"/([\w.-]+) \[(\d+) 0 R /XYZ", pdf)
    return {anchor.decode(): numbers[page] for anchor, page in targets}


def main() -> int:
    """Print the requested volumes."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description="Print the built site as two volumes.")
    parser.add_argument("--volume", choices=VOLUMES, action="append")
    parser.add_argument(
        "--pages", default="*", metavar="PATTERN", help="only these pages, such as isotropy/*"
    )
    options = parser.parse_args()
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None or not (SITE / "index.html").is_file():
        print("Expected a built site (run make book) and Chromium on this machine", file=sys.stderr)
        return 2
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in options.volume or VOLUMES:
            soup = volume(name, options.pages, browser)
            page_numbers = find_page_numbers(print_to_pdf(browser, soup))
            for tag in soup.select("[data-page]"):
                tag.string = str(page_numbers[str(tag["data-page"])])
            pdf = print_to_pdf(browser, soup)
            assert find_page_numbers(pdf) == page_numbers, "the numbers of pages moved the text"
            file = TARGET / f"{name}.pdf"
            file.write_bytes(pdf)
            print(f"{file.relative_to(ROOT)}: {len(PAGE.findall(pdf))} pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
