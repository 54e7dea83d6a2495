"""Tests of interactive figures after input by buttons, sliders, keys, and touch."""

import json
import re
from typing import Any

import numpy as np
import pytest

from isotropy_lab import projection
from reanalyses import moving
from reanalyses.smelser2025 import experiments

from .moving_figures import CASES, Numbers, assert_equals_python, figure_of, islands_numbers, state_of

pytestmark = [pytest.mark.rest, pytest.mark.browser]

all_figures = pytest.mark.parametrize("name", CASES)


def slide(slider: Any, value: float) -> None:
    slider.evaluate("(input, v) => { input.value = v; input.dispatchEvent(new Event('input')); }", value)


def drag(page: Any, target: Any, dx: float, dy: float) -> None:
    box = target.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)
    page.mouse.up()


def press(page: Any, button: str) -> Any:
    """Press a button, and return the figure."""
    root = page.locator(".il-moving")
    root.get_by_role("button", name=button, exact=True).click()
    return root


def shown_text(page: Any, key: str) -> str:
    """Return the text of the element with a key."""
    text: str = page.locator(f"[data-key='{key}']").inner_text()
    return text


@all_figures
def test_numbers_equal_python_after_any_input(show: Any, name: str) -> None:
    page = show(
        figure_of(name), script='<div style="height: 5000px"></div>', viewport={"width": 900, "height": 700}
    )
    root = page.locator(".il-moving")
    rng = np.random.default_rng(0)
    for button in root.locator("button").all():
        if button.is_enabled():
            button.click()
            assert_equals_python(root, name)
    for slider in root.locator("input[type=range]").all():
        low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
        for value in [low, high, *rng.uniform(low, high, 3)]:
            slide(slider, float(value))
            assert_equals_python(root, name)
        slider.focus()
        page.keyboard.press("ArrowLeft")
        assert_equals_python(root, name)
        assert slider.get_attribute("aria-valuetext")
    for handle in root.locator("[role=slider]:visible").all():
        handle.focus()
        page.evaluate("scrollTo(0, 40)")
        value_texts = {handle.get_attribute("aria-valuetext")}
        keys = ["ArrowRight", "ArrowUp", "Shift+ArrowLeft", "ArrowDown", "Home", "End", "PageUp", "PageDown"]
        for key in keys:
            page.keyboard.press(key)
            assert page.evaluate("scrollY") == 40, key
            assert_equals_python(root, name)
            value_texts.add(handle.get_attribute("aria-valuetext"))
        assert handle.get_attribute("aria-label")
        assert len(value_texts) > 1


@all_figures
def test_figures_work_twice_on_a_page_and_in_jupyterlab(show: Any, name: str) -> None:
    markup = json.dumps(figure_of(name)._repr_html_()).replace("</", "<\\/")
    # JupyterLab inserts the markup into the page and then replaces each script by a copy, which runs.
    page = show(
        figure_of(name),
        script=f"""<div id="output"></div><script>
        const host = document.getElementById("output"); host.innerHTML = {markup};
        host.querySelectorAll("script").forEach((old) => {{
          const copy = document.createElement("script");
          for (const a of old.attributes) copy.setAttribute(a.name, a.value);
          copy.textContent = old.textContent; old.replaceWith(copy); }});</script>""",
    )
    roots = page.locator(".il-moving")
    assert roots.count() == 2
    first = roots.nth(0).get_attribute("data-state")
    assert_equals_python(roots.nth(1), name)
    roots.nth(1).locator("button").nth(1).click()
    assert_equals_python(roots.nth(1), name)
    assert roots.nth(0).get_attribute("data-state") == first
    # Numbers are announced after the input has stopped.
    page.wait_for_function("document.querySelectorAll('[aria-live=polite]')[1].textContent !== ''")
    for svg in page.locator(".il-panels svg[role]").all():
        assert svg.get_attribute("aria-label")


def contrast(first: str, second: str) -> float:
    def luminance(color: str) -> float:
        channels = np.array([float(part) for part in re.findall(r"[\d.]+", color)[:3]])
        if not color.startswith("color("):  # the result of `color-mix` has the form "color(srgb .7 .6 .7)"
            channels = channels / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    light, dark = sorted([luminance(first), luminance(second)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@all_figures
def test_figures_have_sufficient_contrast(show: Any, name: str) -> None:
    page = show(figure_of(name))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colors = page.evaluate(
            """() => { const of = (e, name) => getComputedStyle(e)[name], found = [];
                const add = (which, name, ground = of(document.body, 'backgroundColor')) =>
                    document.querySelectorAll(`.il-moving :is(${which})`).forEach((e) => found.push([of(e, name), ground]));
                add('.ilm-mark, .ilm-line, .ilm-arrow, .ilm-dashed, .ilm-axis', 'stroke');
                add('text', 'fill');
                add('p, th, td, span, caption', 'color');
                add('button', 'borderTopColor');
                document.querySelectorAll('.il-moving button').forEach((e) => found.push([of(e, 'color'), of(e, 'backgroundColor')]));
                return found; }"""
        )
        assert len(colors) > 5
        for foreground, background in {tuple(pair) for pair in colors}:
            assert contrast(foreground, background) >= 3, (foreground, background)  # as for graphics in WCAG


def test_points_and_cloud_can_be_dragged(show: Any) -> None:
    page = show(figure_of("cloud"))
    root = press(page, "far ball")
    before = np.array(state_of(root)["points"])
    drag(page, root.locator("[role=slider][aria-label='the whole cloud'] .ilm-hit"), -60, 40)
    after = np.array(state_of(root)["points"])
    moved = after - before
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-9)
    assert moved[0, 0] < -0.5
    assert moved[0, 1] < -0.5
    assert_equals_python(root, "cloud")
    farthest = int(np.argmax(np.hypot(*(after - after.mean(axis=0)).T)))
    drag(page, root.locator(".ilm-hit[r='10']").nth(farthest), 0, -30)
    changed = np.flatnonzero((np.array(state_of(root)["points"]) != after).any(axis=1))
    assert changed.size == 1
    assert_equals_python(root, "cloud")


def test_touch_moves_the_cloud_and_not_the_page(show: Any) -> None:
    page = show(moving.cloud("far ball"), has_touch=True, viewport={"width": 390, "height": 500})
    root = page.locator(".il-moving")
    before = np.array(state_of(root)["points"])
    box = root.locator("[aria-label='the whole cloud'] .ilm-hit").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *points: dict[str, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", {"x": x, "y": y})
    for step in range(1, 6):
        send("touchMove", {"x": x, "y": y + 8 * step})
    send("touchEnd")
    moved = np.array(state_of(root)["points"]) - before
    assert moved[:, 1].max() < -0.5
    np.testing.assert_allclose(moved[:, 0], 0, atol=0.05)
    assert page.evaluate("scrollY") == 0
    # Outside the handles, touch scrolls the page.
    assert root.locator("svg").first.evaluate("e => getComputedStyle(e).touchAction") == "auto"


HIGH, LOW = (0.85, 1.0), (-1.0, 0.2)
#: For each figure and button, the bounds or words that its sentences or the lesson state for its numbers.
STATED_VALUES: dict[str, dict[str, dict[str, Any]]] = {
    "cloud": {
        "ball": dict.fromkeys(
            ("isoscore", "average_cosine_score", "partition_score", "varex_score", "id_score"), HIGH
        ),
        "centered needle": {"isoscore": (0.0, 0.05), "average_cosine_score": (0.95, 1.0)},
        "needle": {"isoscore": (0.0, 0.05), "average_cosine_score": LOW},
        "far ball": {"isoscore": HIGH, "average_cosine_score": (-1.0, 0.1)},
        "two clusters": {"isoscore": (0.0, 0.3)},
    },
    "cloud, compact": {"subtract the mean": {"isoscore": (0.0, 0.05), "average_cosine_score": (0.95, 1.0)}},
    "arrows": {
        "prefers another": {"closest": "B", "cosine": (0.795, 0.805)},
        "same direction": {"closest": "B", "cosine": (0.9995, 1.0)},
        "a turn": {"closest": "itself"},
        "opposite": {"closest": "itself"},
        "no direction": {"closest": "neither", "cosine": None, "ab": (-5e-4, 5e-4)},
    },
    "vectors": {
        "60° and 60°": {"mean-cosinebest": "{1, 2}, {2, 3}"},
        "lifted by 40°": {"canonicalbest": "itself"},
        "100° and 100°": {"mean-cosinebest": "itself"},
        "opposite": {"normalizedbest": "undefined"},
        "duplicate": {"canonicalbest": "itself, {2, 3}"},
    },
}


@pytest.mark.parametrize("name", STATED_VALUES)
def test_statements_about_presets_are_true(show: Any, name: str) -> None:
    page = show(figure_of(name))
    for button, numbers in STATED_VALUES[name].items():
        actual = assert_equals_python(press(page, button), name)
        for key, value in numbers.items():
            if isinstance(value, tuple):
                assert value[0] <= actual[key] <= value[1] + 1e-9, (button, key)
            else:
                assert actual[key] == value, (button, key)


def test_three_vectors_equal_python_at_random_angles(show: Any) -> None:
    page = show(figure_of("vectors"))
    extreme_angles = [(180, 180, 0), (180, 0, 0), (0, 0, 0), (30, 30, 90)]
    for angles in [*extreme_angles, *np.random.default_rng(0).integers(0, [181, 181, 91], (20, 3))]:
        for slider, angle in zip(page.locator("input[type=range]").all(), angles, strict=True):
            slide(slider, float(angle))
        assert_equals_python(page.locator(".il-moving"), "vectors")


def test_sizes_figure_equals_the_measures(show: Any) -> None:
    iris = experiments.projections("iris", ("mds", "tsne", "random"))
    page = show(moving.sizes(iris))

    def shown(key: str) -> list[float]:
        return [float(shown_text(page, f"{key}{i}").replace(",", "")) for i in range(3)]

    press(page, "as they came")
    assert shown_text(page, "stress") == "MDS < random < t-SNE"
    for measure, key in ((projection.normalized_stress, "stress"), (projection.kl_divergence, "kl")):
        assert shown(key) == pytest.approx([measure(iris.X, Y) for Y in iris.Y.values()], rel=5e-3, abs=6e-4)
    press(page, "all × 10")
    assert shown_text(page, "stress") == "random < MDS < t-SNE"
    press(page, "least stress of each")
    minima = experiments.stress_summary(iris)["scale_normalized_stress"]
    np.testing.assert_allclose(shown("stress"), minima, atol=6e-4)
    press(page, "least divergence of each")
    summary = experiments.kl_summary(iris)
    is_inside = summary["best_scale"].between(1e-3, 1e3).to_numpy()
    np.testing.assert_allclose(
        np.array(shown("kl"))[is_inside], summary["scale_normalized_kl"][is_inside], atol=6e-4
    )
    assert is_inside.sum() >= 2


def test_statements_about_islands_are_true(show: Any) -> None:
    figure = figure_of("islands")
    page = show(figure)
    names = [preset["name"] for preset in figure.data["presets"]]
    original, over, torn, apart, exchanged = (
        islands_numbers(state_of(press(page, name)), figure) for name in names
    )

    def decreases(changed: Numbers) -> list[float]:
        return [original[key] - changed[key] for key in ("trustworthiness", "continuity")]

    assert decreases(over)[0] > 2 * decreases(over)[1] > 0.02
    assert decreases(torn)[1] > 0.015 > 0.005 > decreases(torn)[0]
    assert torn["stress"] < original["stress"] < over["stress"]
    assert original["centers"] < torn["centers"]
    assert max(decreases(apart)) < 0.005
    assert apart["kl"] > 1.05 * original["kl"]
    assert apart["centers"] == pytest.approx(original["centers"])
    assert 0 < max(decreases(exchanged)) < 0.02
    assert exchanged["stress"] > original["stress"]
    assert abs(exchanged["centers"]) < 0.1 < 0.65 < original["centers"]
