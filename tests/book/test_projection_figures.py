"""The figure of projections at any size, looked at with a browser: its numbers are the package's, and it can be read."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from isotropy_lab.projection import kl_divergence, normalized_stress
from reanalyses.smelser2025 import experiments

from .conftest import ROOT
from .test_association_figures import THEME, open_page

pytestmark = pytest.mark.browser

METHODS = ("mds", "tsne", "random")


@pytest.fixture(scope="module")
def statistics() -> dict[str, Any]:
    return experiments.scale_statistics(experiments.projections("iris", METHODS))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory, statistics: dict[str, Any]) -> str:
    """A page with the figure and nothing else, so that no built site is needed."""
    folder = tmp_path_factory.mktemp("figure")
    for name in ("scale-figure.js", "isotropy-lab.css"):
        shutil.copy(ROOT / "book" / "_static" / name, folder / name)
    page = folder / "page.html"
    page.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>figure</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="isotropy-lab.css"><style>{THEME}</style></head><body>'
        f"{experiments.scale_markup(statistics)}"
        '<script src="scale-figure.js"></script></body></html>',
        encoding="utf-8",
    )
    return page.as_uri()


def turn(page: Any, index: int, log_scale: float) -> None:
    """Set a slider: 0 is that of all projections, 1 to 3 those of each."""
    sliders = page.locator(".il-scale input[type=range]")
    assert sliders.count() == 4
    sliders.nth(index).evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", log_scale
    )


def read(page: Any) -> dict[str, list[float]]:
    figure = page.locator(".il-scale")
    return {
        name: [float(part) for part in figure.get_attribute(f"data-{name}").split()]
        for name in ("scales", "stress", "divergence")
    }


def check_numbers(page: Any, statistics: dict[str, Any]) -> dict[str, list[float]]:
    """Every number and both rankings are what the package computes from the statistics."""
    found = read(page)
    expected = experiments.stress_and_kl_at(statistics, found["scales"])
    names = [projection["label"] for projection in statistics["projections"]]
    for column, name in enumerate(("stress", "divergence")):
        values = [row[column] for row in expected]
        # A stress of .06 is the root of a difference of numbers near 1.
        np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-12)
        sentence = page.locator(".il-scale .il-answer li").nth(column).inner_text()
        said = re.split(" [<=] ", sentence.split(": ")[1].rstrip("."))
        order = [names.index(label) for label in said]
        assert sorted(order) == [0, 1, 2]
        assert all(values[a] <= values[b] + 1e-9 for a, b in combinations(order, 2)), sentence
        assert ("=" in sentence) == bool((np.diff(np.sort(values)) <= 1e-9).any())
    rows = page.locator(".il-scale tbody tr").all()
    for row, (stress, kl) in zip(rows, expected, strict=True):
        cells = row.locator("td").all_inner_texts()
        assert float(cells[1]) == pytest.approx(stress, rel=6e-3, abs=6e-4)
        assert float(cells[2]) == pytest.approx(kl, abs=6e-4)
    return found


def test_the_figure_agrees_with_the_package_at_every_position(
    scratch: str, browser: Any, statistics: dict[str, Any]
) -> None:
    context, page = open_page(browser, scratch)
    rng = np.random.default_rng(0)
    for log_scale in (-3.0, -1.2, 0.0, 0.32, 1.0, 3.0, *rng.uniform(-3, 3, 10)):
        turn(page, 0, float(log_scale))
        found = check_numbers(page, statistics)
        np.testing.assert_allclose(found["scales"], 10.0 ** round(log_scale, 2), rtol=1e-9)
    for index, log_scale in [
        (1, -1.0),
        (2, -2.0),
        (3, 2.5),
        *((int(rng.integers(1, 4)), rng.uniform(-3, 3)) for _ in range(12)),
    ]:
        turn(page, index, float(log_scale))
        check_numbers(page, statistics)
    context.close()


def test_the_numbers_are_those_of_the_measures_themselves(
    scratch: str, browser: Any, statistics: dict[str, Any]
) -> None:
    iris = experiments.projections("iris", METHODS)
    X, named = iris.X, iris.Y
    context, page = open_page(browser, scratch)
    for log_scale in (-2.0, 0.0, 1.3):
        turn(page, 0, log_scale)
        found = read(page)
        for i, Y in enumerate(named.values()):
            scale = found["scales"][i]
            assert found["stress"][i] == pytest.approx(normalized_stress(X, Y, scale=scale), rel=1e-9)
            # The bound that the statistics promise, and the seven digits of their sums.
            assert found["divergence"][i] == pytest.approx(
                kl_divergence(X, Y, scale=scale), abs=statistics["kl_error"] + 1e-6
            )
    context.close()


def test_buttons_and_keyboard_work(scratch: str, browser: Any, statistics: dict[str, Any]) -> None:
    context, page = open_page(browser, scratch, viewport={"width": 390, "height": 900})
    answers = page.locator(".il-scale .il-answer li")
    assert answers.nth(0).inner_text() == "By stress: MDS < random < t-SNE."
    page.locator("button", has_text="× 10").click()
    assert answers.nth(0).inner_text() == "By stress: random < MDS < t-SNE."
    check_numbers(page, statistics)
    page.locator("button", has_text="least stress").click()
    found = check_numbers(page, statistics)
    summary = experiments.stress_summary(experiments.projections("iris", METHODS))
    np.testing.assert_allclose(found["stress"], summary["scale_normalized_stress"], rtol=1e-9)
    assert page.locator(".il-scale output").first.inner_text() == "–"
    page.locator("button", has_text="least divergence").click()
    found = check_numbers(page, statistics)
    best = experiments.kl_summary(experiments.projections("iris", METHODS))
    inside = best["best_scale"].between(1e-3, 1e3).to_numpy()
    assert inside.sum() >= 2
    np.testing.assert_allclose(
        np.array(found["divergence"])[inside], best["scale_normalized_kl"][inside], atol=1e-5
    )
    page.locator("button", has_text="as they came").click()
    assert read(page)["scales"] == [1, 1, 1]
    sliders = page.locator(".il-scale input[type=range]")
    sliders.nth(0).focus()
    page.keyboard.press("Home")
    np.testing.assert_allclose(read(page)["scales"], 1e-3)
    page.keyboard.press("End")
    np.testing.assert_allclose(read(page)["scales"], 1e3)
    sliders.nth(2).focus()
    page.keyboard.press("ArrowLeft")
    found = check_numbers(page, statistics)
    np.testing.assert_allclose(found["scales"], [1e3, 10**2.99, 1e3])
    assert "× 977" in sliders.nth(2).get_attribute("aria-valuetext")
    titles = page.locator(".il-scale svg title").all_text_contents()
    assert len(titles) == 5
    assert all(titles)
    context.close()


def test_no_text_of_the_figure_overlaps_on_a_phone(scratch: str, browser: Any) -> None:
    context, page = open_page(browser, scratch, viewport={"width": 390, "height": 900})
    for log_scale in (-3.0, 0.0, 3.0):
        turn(page, 0, log_scale)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for svg in page.locator(".il-scale svg").all():
            frame = svg.bounding_box()
            boxes = svg.evaluate(
                """svg => [...svg.querySelectorAll('text')].filter(t => t.textContent).map(t => {
                    const b = t.getBoundingClientRect();
                    return [t.textContent, b.left, b.top, b.right, b.bottom]; })"""
            )
            for name, left, top, right, bottom in boxes:
                assert left >= frame["x"] - 1, name
                assert top >= frame["y"] - 1, name
                assert right <= frame["x"] + frame["width"] + 1, name
                assert bottom <= frame["y"] + frame["height"] + 1, name
            for (one, *a), (two, *b) in combinations(boxes, 2):
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] + 3 or b[3] <= a[1] + 3
                assert apart, (one, two)
    context.close()


def test_every_point_stays_in_its_frame(scratch: str, browser: Any) -> None:
    context, page = open_page(browser, scratch)
    for log_scale in (-3.0, -1.0, 0.0, 1.0, 3.0):
        turn(page, 0, log_scale)
        for box in page.evaluate(
            """() => [...document.querySelectorAll('.il-projection')].map(svg =>
                [...svg.querySelectorAll('.il-dots, .il-size')].map(path => {
                    const b = path.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; }))"""
        ):
            sides = np.array(box)
            assert sides[:, 0].min() >= 0
            assert sides[:, 2].max() <= 160
            assert sides[:, 1].min() >= 0
            assert sides[:, 3].max() <= 160
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_can_be_read_in_both_themes(scratch: str, browser: Any, theme: str) -> None:
    context, page = open_page(browser, scratch, color_scheme=theme)
    ground, *inks = page.evaluate(
        """() => { const of = (what, name) => getComputedStyle(document.querySelector(what))[name];
                   return [getComputedStyle(document.body).backgroundColor,
                           of('.il-curve-0', 'stroke'), of('.il-curve-1', 'stroke'), of('.il-curve-2', 'stroke'),
                           of('.il-group-0', 'fill'), of('.il-group-1', 'stroke'), of('.il-group-2', 'fill'),
                           of('.il-size', 'stroke'), of('.il-chart text', 'fill')]; }"""
    )
    dashes = page.evaluate(
        "() => [0, 1, 2].map(i => getComputedStyle(document.querySelector('.il-curve-' + i)).strokeDasharray)"
    )
    context.close()
    assert len(set(dashes)) == 3

    def luminance(color: str) -> float:
        channels = np.array([float(part) for part in re.findall(r"[\d.]+", color)[:3]]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for ink in inks:
        light, dark = sorted([luminance(ink), luminance(ground)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, (ink, ground)
