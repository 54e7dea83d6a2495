"""The figures that move, run in a browser: every number that they show is computed again with Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from isotropy_lab import association, projection
from isotropy_lab.isotropy import isoscore, isoscore_from_eigenvalues, isotropy_scores
from isotropy_lab.isotropy.clouds import power_law_eigenvalues
from reanalyses import moving
from reanalyses.moving import generator

from .test_association_figures import THEME

pytestmark = pytest.mark.browser

Numbers = dict[str, Any]


# --- What each figure should show, from the state that it was computed from.


def cloud_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    found = isotropy_scores(state["points"]).to_dict()
    shown = ["isoscore", "average_cosine_score"]
    if not figure.data["compact"]:
        shown += ["average_cosine", "partition_score", "varex_score", "id_score"]
    return {name: found[name] for name in shown}


def points_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    N, n, last = state["N"], state["n"], state["last"]
    spectrum = power_law_eigenvalues(n, exponent=state["decay"])
    one, two, m = spectrum.sum(), (spectrum**2).sum(), N - 1
    # For a Gaussian, E (tr S)² = (tr Σ)² + (2/m) tr Σ² and E tr S² = (1 + 1/m) tr Σ² + (tr Σ)²/m.
    ratio = (one**2 + 2 * two / m) / (two * (1 + 1 / m) + one**2 / m)
    drawn: Numbers = {"plug_in": "–", "corrected": "–"}
    if last:
        spread = np.sqrt(power_law_eigenvalues(last["n"], exponent=last["decay"]))
        X = generator.normal(last["seed"], last["N"] * last["n"]).reshape(last["N"], last["n"]) * spread
        drawn = {"plug_in": isoscore(X), "corrected": isoscore(X, estimator="corrected")}
    return {"truth": isoscore_from_eigenvalues(spectrum), "expected": (ratio - 1) / (n - 1), **drawn}


def arrows_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    A, B = (np.array([[np.cos(t), np.sin(t)] for t in np.deg2rad(state[name])]) for name in "AB")
    lengths = [float(np.linalg.norm(words.mean(axis=0))) for words in (A, B)]
    similarity = association.mean_cosine_similarity
    defined = min(lengths) > 1e-9
    gap = similarity(A, B) - similarity(A, A)
    return {
        "length_a": lengths[0],
        "length_b": lengths[1],
        "cosine": association.normalized_mean_cosine_similarity(A, B) if defined else None,
        "ab": similarity(A, B),
        "aa": similarity(A, A),
        "bb": similarity(B, B),
        "closest": "both alike" if abs(gap) < 1e-9 else "B" if gap > 0 else "itself",
    }


def angle_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    X, Y = (np.array(state[name], dtype=float)[:, None] for name in "XY")
    found: Numbers = {"stress": projection.normalized_stress(X, Y, scale=state["scale"])}
    if np.ptp(Y) == 0:
        return {**found, "angle": None, "best": None, "least": None, "cosine": None}
    sine = projection.scale_normalized_stress(X, Y)
    cosine = pdist(X) @ pdist(Y) / np.linalg.norm(pdist(X)) / np.linalg.norm(pdist(Y))
    return {
        **found,
        "angle": np.degrees(np.arctan2(sine, cosine)),
        "best": projection.optimal_scale(X, Y),
        "least": sine,
        "cosine": cosine,
    }


Case = tuple[Callable[[], moving.MovingFigure], Callable[[Any, moving.MovingFigure], Numbers]]
CASES: dict[str, Case] = {
    "cloud": (moving.cloud, cloud_numbers),
    "cloud, compact": (lambda: moving.cloud("far ball", compact=True), cloud_numbers),
    "points": (moving.number_of_points, points_numbers),
    "arrows": (moving.mean_arrows, arrows_numbers),
    "angle": (moving.stress_angle, angle_numbers),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[moving.MovingFigure, Callable[[Any], Numbers]]:
    make, numbers = CASES[request.param]
    figure = make()
    return figure, lambda state: numbers(state, figure)


# --- Pages.


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page with figures and nothing else, so that no built site is needed."""
    contexts = []

    def opened(*figures: moving.MovingFigure, script: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda e: page.errors.append(str(e)))
        page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: page.errors.append(r.url) if not r.url.startswith("file:") else None)
        file = tmp_path / f"page-{len(contexts)}.html"
        file.write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>figure</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{THEME}</style></head><body>"
            f"{''.join(figure._repr_html_() for figure in figures)}{script}</body></html>",
            encoding="utf-8",
        )
        page.goto(file.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


def state_of(root: Any) -> Any:
    return json.loads(root.get_attribute("data-state"))


def parsed(text: str) -> tuple[float, int]:
    """Return a printed number and how many decimals it has."""
    plain = re.sub(r"[,°%× ]", "", text).replace("−", "-")
    return float(plain), len(plain.partition(".")[2])


def check(root: Any, numbers: Callable[[Any], Numbers]) -> Numbers:
    """Every number in the figure is Python's to the last printed digit, and none is missing."""
    state = state_of(root)
    expected = numbers(state)
    shown = dict(
        root.locator("[data-key]").evaluate_all("all => all.map(e => [e.dataset.key, e.textContent])")
    )
    assert set(shown) == set(expected)
    for key, value in expected.items():
        if isinstance(value, str):
            assert shown[key] == value, (key, state)
        elif value is None:
            assert shown[key] == "undefined", (key, state)
        else:
            number, digits = parsed(shown[key])
            assert abs(number - value) <= 0.5000001 * 10.0**-digits + 1e-9, (key, shown[key], value, state)
            assert not re.fullmatch(r"−0\.?0*", shown[key])
    return expected


def slide(slider: Any, value: float) -> None:
    slider.evaluate("(input, v) => { input.value = v; input.dispatchEvent(new Event('input')); }", value)


# --- What holds for all of them.


def test_every_number_is_pythons_wherever_buttons_sliders_and_keys_lead(case: Any, show: Any) -> None:
    figure, numbers = case
    page = show(figure)
    root = page.locator(".il-moving")
    check(root, numbers)
    rng = np.random.default_rng(0)
    for button in root.locator("button").all():
        if button.is_enabled():
            button.click()
            check(root, numbers)
    for slider in root.locator("input[type=range]").all():
        low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
        for value in [low, high, *rng.uniform(low, high, 3)]:
            slide(slider, float(value))
            check(root, numbers)
        slider.focus()
        page.keyboard.press("ArrowLeft")
        check(root, numbers)
        assert slider.get_attribute("aria-valuetext")
    handles = root.locator("[role=slider]").all()
    for handle in handles:
        handle.focus()
        before = handle.get_attribute("aria-valuetext")
        for key in ("ArrowRight", "ArrowUp", "Shift+ArrowLeft", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
            check(root, numbers)
        assert handle.get_attribute("aria-label")
        assert handle.get_attribute("aria-valuetext") != before or before is None
    assert page.errors == []


def test_what_is_in_the_page_is_all_there_is(case: Any) -> None:
    text = case[0]._repr_html_()
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(img|link|iframe)|src=|@import|url\(\"?http", text)
    assert case[0].alternative in re.search(r"<noscript><p>(.*?)</p></noscript>", text)[1]
    assert len(text) < 90_000


def test_it_works_where_scripts_are_evaluated_by_hand_and_twice_on_a_page(case: Any, show: Any) -> None:
    figure, numbers = case
    html = json.dumps(figure._repr_html_()).replace("</", "<\\/")
    # As JupyterLab does: the markup is put into the page, then each script is replaced by a copy, which runs.
    page = show(
        figure,
        script=f"""<div id="output"></div><script>
        const host = document.getElementById("output"); host.innerHTML = {html};
        host.querySelectorAll("script").forEach((old) => {{
          const copy = document.createElement("script");
          for (const a of old.attributes) copy.setAttribute(a.name, a.value);
          copy.textContent = old.textContent; old.replaceWith(copy); }});</script>""",
    )
    roots = page.locator(".il-moving")
    assert roots.count() == 2
    for i in range(2):
        check(roots.nth(i), numbers)
    first = roots.nth(0).get_attribute("data-state")
    roots.nth(1).locator("button").nth(1).click()
    check(roots.nth(1), numbers)
    assert roots.nth(0).get_attribute("data-state") == first
    assert page.errors == []


def test_numbers_are_said_once_the_hand_rests(case: Any, show: Any) -> None:
    page = show(case[0])
    said = page.locator(".il-moving [aria-live=polite]")
    assert said.count() == 1
    page.locator(".il-moving button").nth(1).click()
    page.wait_for_function("document.querySelector('[aria-live]').textContent !== ''")
    assert re.search(r"\d", said.inner_text())
    for svg in page.locator(".il-panels svg[role]").all():
        assert svg.get_attribute("aria-label")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_off_and_no_texts_meet(case: Any, show: Any, width: int) -> None:
    page = show(case[0], viewport={"width": width, "height": 900})
    for button in [None, *page.locator(".il-moving button").all()]:
        if button is not None and button.is_enabled():
            button.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        frame = page.locator(".il-moving").bounding_box()
        boxes = page.locator(".il-moving").evaluate(
            """root => [...root.querySelectorAll('svg text')].filter(t => t.textContent.trim()).map(t => {
                const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.top, b.right, b.bottom]; })"""
        )
        for name, left, top, right, bottom in boxes:
            assert left >= frame["x"], name
            assert right <= frame["x"] + frame["width"], name
            assert top >= frame["y"], name
            assert bottom <= frame["y"] + frame["height"], name
        for (one, *a), (two, *b) in combinations(boxes, 2):
            apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 3 or b[3] <= a[1] + 3
            assert apart, (one, two)


def contrast(one: str, two: str) -> float:
    def luminance(color: str) -> float:
        channels = np.array([float(part) for part in re.findall(r"[\d.]+", color)[:3]]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    light, dark = sorted([luminance(one), luminance(two)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_can_be_seen(case: Any, show: Any, scheme: str) -> None:
    page = show(case[0], color_scheme=scheme)
    ground, *inks = page.evaluate(
        """() => { const of = (e, name) => getComputedStyle(e)[name], found = [of(document.body, 'backgroundColor')];
            document.querySelectorAll('.il-moving :is(.ilm-mark, .ilm-line, .ilm-arrow, .ilm-dashed, .ilm-axis)').forEach(
                e => found.push(of(e, 'stroke')));
            document.querySelectorAll('.il-moving text').forEach(e => found.push(of(e, 'fill')));
            document.querySelectorAll('.il-moving :is(p, th, td, span, button, caption)').forEach(
                e => found.push(of(e, 'color')));
            document.querySelectorAll('.il-moving button').forEach(e => found.push(of(e, 'borderTopColor')));
            return found; }"""
    )
    assert len(inks) > 5
    for ink in set(inks):
        assert contrast(ink, ground) >= 3, (ink, ground)


# --- The cloud.


def drag(page: Any, target: Any, dx: float, dy: float) -> None:
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)
    page.mouse.up()


def test_a_point_and_the_whole_cloud_can_be_dragged(show: Any) -> None:
    figure = moving.cloud("far ball")
    page = show(figure)
    root = page.locator(".il-moving")
    before = np.array(state_of(root)["points"])
    drag(page, root.locator("[role=slider][aria-label='the whole cloud'] .ilm-hit"), -60, 40)
    after = np.array(state_of(root)["points"])
    moved = after - before
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-9)
    assert moved[0, 0] < -0.5
    assert moved[0, 1] < -0.5
    check(root, lambda state: cloud_numbers(state, figure))
    drag(
        page,
        root.locator(".ilm-hit[r='10']").nth(int(np.argmax(np.hypot(*(after - after.mean(axis=0)).T)))),
        0,
        -30,
    )
    changed = np.flatnonzero((np.array(state_of(root)["points"]) != after).any(axis=1))
    assert changed.size == 1
    check(root, lambda state: cloud_numbers(state, figure))


def test_the_sentences_of_the_clouds_are_true(show: Any) -> None:
    page = show(moving.cloud())
    root = page.locator(".il-moving")
    found = {}
    for name in moving.CLOUDS:
        root.get_by_role("button", name=name, exact=True).click()
        assert root.locator(".ilm-notice").inner_text() == moving.CLOUDS[name]
        found[name] = isotropy_scores(state_of(root)["points"])
    ball, needle = found["ball"], found["centered needle"]
    high = ("isoscore", "average_cosine_score", "partition_score", "varex_score", "id_score")
    assert min(getattr(ball, name) for name in high) > 0.85
    assert needle.isoscore < 0.05
    assert needle.average_cosine_score > 0.95
    assert found["needle"].isoscore == pytest.approx(needle.isoscore, abs=1e-3)
    assert found["needle"].average_cosine_score < 0.2
    assert found["far ball"].isoscore == pytest.approx(ball.isoscore, abs=1e-3)
    assert found["far ball"].average_cosine_score < 0.1
    assert found["two clusters"].isoscore < 0.3
    root.get_by_role("button", name="needle", exact=True).click()
    root.get_by_role("button", name="center", exact=True).click()
    np.testing.assert_allclose(np.mean(state_of(root)["points"], axis=0), 0, atol=1e-12)


def test_motion_ends_where_it_would_without(show: Any) -> None:
    page = show(moving.cloud(), reduced_motion="no-preference")
    root = page.locator(".il-moving")
    root.get_by_role("button", name="far ball").click()
    target = next(p["points"] for p in moving.cloud().data["presets"] if p["name"] == "far ball")
    page.wait_for_function(
        "t => document.querySelector('.il-moving').dataset.state === t",
        arg=json.dumps({"points": target}, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]"),
    )
