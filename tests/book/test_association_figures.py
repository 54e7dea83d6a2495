"""The figure of three vectors, looked at with a browser: its numbers are the package's, and it can be read."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reanalyses.kindel2023 import experiments

from .conftest import ROOT, SITE

pytestmark = pytest.mark.browser

ATTRIBUTES = {
    "mean-cosine": "data-mean-cosine",
    "normalized": "data-normalized",
    "canonical": "data-canonical",
}
#: The theme's variables, as it sets them for light and dark.
THEME = """
:root { --pst-color-border: #d1d5da; --pst-color-primary: #0a7d91; --pst-color-text-base: #222832;
        --pst-color-text-muted: #48566b; --pst-color-surface: #f3f4f5; }
body { background: #fff; color: #222832; font-family: sans-serif; margin: 12px; }
@media (prefers-color-scheme: dark) {
  :root { --pst-color-border: #48566b; --pst-color-primary: #3fb1c5; --pst-color-text-base: #ced6dd;
          --pst-color-text-muted: #9ca4af; --pst-color-surface: #29313d; }
  body { background: #14181e; color: #ced6dd; } }
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with the figure and nothing else, so that no built site is needed."""
    folder = tmp_path_factory.mktemp("figure")
    for name in ("consistency-figure.js", "isotropy-lab.css"):
        shutil.copy(ROOT / "book" / "_static" / name, folder / name)
    page = folder / "page.html"
    page.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>figure</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="isotropy-lab.css"><style>{THEME}</style></head><body>'
        '<div class="il-consistency" data-theta-1="60" data-theta-2="60" data-lift="0"></div>'
        '<script src="consistency-figure.js"></script></body></html>',
        encoding="utf-8",
    )
    return page.as_uri()


def open_page(browser: Any, address: str, **options: Any) -> tuple[Any, Any]:
    context = browser.new_context(**options)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.goto(address)
    assert errors == []
    return context, page


def turn(page: Any, values: Any) -> None:
    sliders = page.locator(".il-consistency input[type=range]")
    assert sliders.count() == 3
    for index, value in enumerate(values):
        sliders.nth(index).evaluate(
            "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }",
            float(value),
        )


def check_numbers(page: Any, values: Any) -> None:
    """Every number and every word about it is what the package computes."""
    figure = page.locator(".il-consistency")
    table = experiments.three_vectors(*map(float, values))
    for index, (metric, rows) in enumerate(table.groupby("metric", sort=False)):
        shown = figure.get_attribute(ATTRIBUTES[str(metric)]).split()
        sentence = figure.locator(".il-answer li").nth(index).inner_text()
        for number, row in zip(shown, rows.itertuples(), strict=True):
            if row.defined:
                assert float(number) == pytest.approx(row.similarity, abs=1e-10), (metric, values)
            else:
                assert number == "undefined", (metric, values)
        itself, others = rows.iloc[0], rows.iloc[1:]
        if not itself["defined"]:
            expected = "undefined"
        elif not itself["closest"]:
            expected = "S is closer to"
        elif others["closest"].any():
            expected = "S ties with"
        else:
            expected = "S is closest to itself"
        assert expected in sentence, (metric, values, sentence)
        if itself["defined"]:
            named = set(re.findall(r"\{\d, \d\}", sentence.split("(")[0]))
            assert named == set(others.loc[others["closest"], "pair"]), (values, sentence)
            best = rows["similarity"].max()
            assert f"{0 if abs(best) < 5e-4 else best:.3f}".replace("-", "−") in sentence


POSITIONS = [
    (60, 60, 0),
    (60, 60, 40),
    (90, 90, 0),
    (0, 60, 0),
    (0, 0, 0),
    (180, 180, 0),
    (180, 0, 0),
    (30, 30, 90),
]


def test_the_figure_agrees_with_the_package_at_every_position(scratch: str, browser: Any) -> None:
    context, page = open_page(browser, scratch)
    rng = np.random.default_rng(0)
    drawn = [tuple(rng.integers(0, [181, 181, 91])) for _ in range(40)]
    for values in [*POSITIONS, *drawn]:
        turn(page, values)
        check_numbers(page, values)
    context.close()


def test_buttons_and_keyboard_work_and_undefined_is_said(scratch: str, browser: Any) -> None:
    context, page = open_page(browser, scratch, viewport={"width": 390, "height": 900})
    answers = page.locator(".il-consistency .il-answer li")
    assert (
        "S is closer to {1, 2} and {2, 3} than to itself (0.375 against 0.250)" in answers.nth(0).inner_text()
    )
    page.locator("button", has_text="opposite").click()
    assert "undefined, because the mean vector of S is zero" in answers.nth(1).inner_text()
    page.locator("button", has_text="duplicate").click()
    assert "S ties with {2, 3} (1.000): they span the same plane" in answers.nth(2).inner_text()
    turn(page, (180, 180, 0))
    assert "; {1, 2} and {2, 3} have mean vectors of zero and no value." in answers.nth(1).inner_text()
    page.locator("button", has_text="lifted").click()
    check_numbers(page, (60, 60, 40))
    first = page.locator(".il-consistency input[type=range]").first
    first.focus()
    page.keyboard.press("Home")
    check_numbers(page, (0, 60, 40))
    page.keyboard.press("ArrowRight")
    check_numbers(page, (1, 60, 40))
    page.keyboard.press("End")
    check_numbers(page, (180, 60, 40))
    assert page.locator(".il-consistency svg title").count() == 2
    context.close()


def test_no_text_of_the_figure_overlaps_on_a_phone(scratch: str, browser: Any) -> None:
    context, page = open_page(browser, scratch, viewport={"width": 390, "height": 900})
    rng = np.random.default_rng(1)
    for values in [*POSITIONS, *(tuple(rng.integers(0, [181, 181, 91])) for _ in range(30))]:
        turn(page, values)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for svg in page.locator(".il-consistency svg").all():
            frame = svg.bounding_box()
            boxes = svg.evaluate(
                """svg => [...svg.querySelectorAll('text')].filter(t => t.textContent).map(t => {
                    const b = t.getBoundingClientRect();
                    return [t.textContent, b.left, b.top, b.right, b.bottom]; })"""
            )
            for name, left, top, right, bottom in boxes:
                assert left >= frame["x"] - 1, (name, values)
                assert top >= frame["y"] - 1, (name, values)
                assert right <= frame["x"] + frame["width"] + 1, (name, values)
                assert bottom <= frame["y"] + frame["height"] + 1, (name, values)
            for (one, *a), (two, *b) in combinations(boxes, 2):
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 3 or b[3] <= a[1] + 3
                assert apart, (one, two, values)
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_can_be_read_in_both_themes(scratch: str, browser: Any, theme: str) -> None:
    context, page = open_page(browser, scratch, color_scheme=theme)
    ground, *inks = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector('.il-bar')).fill,
                  getComputedStyle(document.querySelector('.il-bar.il-other')).stroke,
                  getComputedStyle(document.querySelector('.il-arrow')).stroke,
                  getComputedStyle(document.querySelector('.il-bars text')).fill]"""
    )
    context.close()

    def luminance(color: str) -> float:
        channels = np.array([float(part) for part in re.findall(r"[\d.]+", color)[:3]]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for ink in inks:
        light, dark = sorted([luminance(ink), luminance(ground)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, (ink, ground)


def test_the_chapter_shows_the_figure(site: str, browser: Any) -> None:
    if not (Path(SITE) / "association" / "geometric-consistency.html").exists():
        pytest.skip("the built site has no chapter on geometric consistency")
    context, page = open_page(browser, site + "association/geometric-consistency.html")
    assert page.locator(".il-consistency svg").count() == 2
    for values in POSITIONS:
        turn(page, values)
        check_numbers(page, values)
    context.close()
