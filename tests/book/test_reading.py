"""Tests of navigation through the lessons: next pages, marks of finished lessons, and definitions."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .test_chapters import LESSONS, name

pytestmark = [pytest.mark.rest, pytest.mark.browser]

LESSON = "isotropy/what-isotropy-is"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_next_links_visit_all_lessons(built: Path) -> None:
    """From the first page of Part 1, the links visit only lessons and first pages of parts."""
    current, visited = built / "isotropy" / "index.html", []
    while next_link := re.search(r'class="right-next"\s+href="([^"]*)"', current.read_text(encoding="utf-8")):
        current = (current.parent / next_link[1]).resolve()
        if current.parent.name == "appendix":
            break
        visited.append(current.relative_to(built.resolve()).with_suffix("").as_posix())
    parts = [page for page in visited if page.endswith("/index")]
    assert len(parts) == 4
    assert [page for page in visited if page not in parts] == [
        page for part in ("isotropy", "association", "projection", "retrieval", "report")
        for page in visited if page.startswith(part) and page not in parts
    ]  # fmt: skip
    assert sorted(p.partition("/")[2] for p in visited if p not in parts) == sorted(map(name, LESSONS))


def test_finished_lessons_are_marked_at_every_link(site: str, page: Any) -> None:
    page.goto(f"{site}{LESSON}.html")
    assert "Lesson 1 of 4" in page.inner_text(".il-reading-time")
    button = page.get_by_role("button", name="Mark as finished")
    button.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Finished").get_attribute("aria-pressed") == "true"
    page.goto(f"{site}isotropy/index.html")
    for region in (".bd-sidebar-primary", "main .sd-card", ".prev-next-area"):
        (link,) = page.locator(f"{region} a:has(.il-finished)").all()
        assert "what-isotropy-is" in link.get_attribute("href")
        assert link.get_by_role("img", name="finished").count() == 1
    page.goto(f"{site}index.html")
    (link,) = page.locator("main .sd-card a:has(.il-finished)").all()
    assert "what-isotropy-is" in link.get_attribute("href")
    page.goto(f"{site}{LESSON}.html")
    page.get_by_role("button", name="Finished").click()
    assert page.locator(".il-finished").count() == 0


def test_definitions_are_shown_on_focus_and_hover(site: str, page: Any) -> None:
    page.goto(f"{site}{LESSON}.html")
    link = page.locator("main a[href*='#term-']").first
    box = page.locator("#il-definition")
    assert not box.is_visible()
    link.focus()
    assert box.is_visible()
    assert link.get_attribute("aria-describedby") == "il-definition"
    definition = box.inner_text()
    page.keyboard.press("Escape")
    assert not box.is_visible()
    link.blur()
    link.hover()
    box.hover()
    page.wait_for_timeout(500)
    assert box.is_visible(), "the pointer can move to the definition"
    assert box.inner_text() == definition
    page.goto(f"{site}appendix/{link.get_attribute('href').rpartition('/')[2]}")
    term = page.url.rpartition("#")[2]
    assert " ".join(page.locator(f"#{term} + dd").inner_text().split()) == " ".join(definition.split())
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{site}{LESSON}.html")
        for element in page.locator("main a[aria-describedby], main a[data-definition]").all():
            element.scroll_into_view_if_needed()
            element.focus()
            edges = box.bounding_box()
            assert edges["x"] >= 0
            assert edges["x"] + edges["width"] <= width
