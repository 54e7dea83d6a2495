"""The figures that move, wherever buttons, sliders, keys and fingers lead: numbers, looks, and what is said of them."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from isotropy_lab import projection, retrieval
from isotropy_lab.isotropy import isoscore
from reanalyses import moving
from reanalyses.moving.projection import METHODS
from reanalyses.smelser2025 import experiments

from .moving_figures import (
    CASES,
    Numbers,
    check,
    interval,
    islands_numbers,
    made,
    points_numbers,
    state_of,
)

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
    """Press a button; return the figure."""
    root = page.locator(".il-moving")
    root.get_by_role("button", name=button, exact=True).click()
    return root


def shown(page: Any, key: str) -> str:
    """Return what stands at a place of the figure."""
    text: str = page.locator(f"[data-key='{key}']").inner_text()
    return text


# --- What holds for all of them.


@all_figures
def test_every_number_is_pythons_wherever_buttons_sliders_and_keys_lead(show: Any, name: str) -> None:
    page = show(
        made(name), script='<div style="height: 5000px"></div>', viewport={"width": 900, "height": 700}
    )
    root = page.locator(".il-moving")
    rng = np.random.default_rng(0)
    for button in root.locator("button").all():
        if button.is_enabled():
            button.click()
            check(root, name)
    for slider in root.locator("input[type=range]").all():
        low, high = (float(slider.get_attribute(end)) for end in ("min", "max"))
        for value in [low, high, *rng.uniform(low, high, 3)]:
            slide(slider, float(value))
            check(root, name)
        slider.focus()
        page.keyboard.press("ArrowLeft")
        check(root, name)
        assert slider.get_attribute("aria-valuetext")
    for handle in root.locator("[role=slider]:visible").all():
        handle.focus()
        page.evaluate("scrollTo(0, 40)")
        said = {handle.get_attribute("aria-valuetext")}
        for key in (
            "ArrowRight",
            "ArrowUp",
            "Shift+ArrowLeft",
            "ArrowDown",
            "Home",
            "End",
            "PageUp",
            "PageDown",
        ):
            page.keyboard.press(key)
            assert page.evaluate("scrollY") == 40, key
            check(root, name)
            said.add(handle.get_attribute("aria-valuetext"))
        assert handle.get_attribute("aria-label")
        assert len(said) > 1


@all_figures
def test_it_works_where_scripts_are_evaluated_by_hand_and_twice_on_a_page(show: Any, name: str) -> None:
    markup = json.dumps(made(name)._repr_html_()).replace("</", "<\\/")
    # As JupyterLab does: the markup is put into the page, then each script is replaced by a copy, which runs.
    page = show(
        made(name),
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
    check(roots.nth(1), name)
    roots.nth(1).locator("button").nth(1).click()
    check(roots.nth(1), name)
    assert roots.nth(0).get_attribute("data-state") == first
    # Numbers are said once the hand rests.
    page.wait_for_function("document.querySelectorAll('[aria-live=polite]')[1].textContent !== ''")
    for svg in page.locator(".il-panels svg[role]").all():
        assert svg.get_attribute("aria-label")


@all_figures
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_off_and_no_texts_meet(show: Any, name: str, width: int) -> None:
    page = show(made(name), viewport={"width": width, "height": 900})
    for button in [None, *page.locator(".il-moving button").all()]:
        if button is not None and button.is_enabled():
            button.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        frame = page.locator(".il-moving").bounding_box()
        boxes = page.locator(".il-moving").evaluate(
            """root => [...root.querySelectorAll('svg text')].filter(t => t.textContent.trim()).map(t => {
                const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.top, b.right, b.bottom,
                t.classList.contains('ilm-digit')]; })"""
        )
        for text, left, top, right, bottom, _ in boxes:
            assert frame["x"] <= left <= right <= frame["x"] + frame["width"], text
            assert frame["y"] <= top <= bottom <= frame["y"] + frame["height"], text
        # Digits that are points of a drawing lie where it puts them.
        labels = [box for *box, is_point in boxes if not is_point]
        for (one, *a), (two, *b) in combinations(labels, 2):
            apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 3 or b[3] <= a[1] + 3
            assert apart, (one, two)


def contrast(one: str, two: str) -> float:
    def luminance(color: str) -> float:
        channels = np.array([float(part) for part in re.findall(r"[\d.]+", color)[:3]])
        if not color.startswith("color("):  # what `color-mix` gives is written as "color(srgb .7 .6 .7)"
            channels = channels / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    light, dark = sorted([luminance(one), luminance(two)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@all_figures
def test_what_is_drawn_can_be_seen(show: Any, name: str) -> None:
    page = show(made(name))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(
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
        assert len(found) > 5
        for ink, ground in {tuple(pair) for pair in found}:
            assert contrast(ink, ground) >= 3, (ink, ground)


# --- The cloud.


def test_a_point_and_the_whole_cloud_can_be_dragged(show: Any) -> None:
    page = show(made("cloud"))
    root = press(page, "far ball")
    before = np.array(state_of(root)["points"])
    drag(page, root.locator("[role=slider][aria-label='the whole cloud'] .ilm-hit"), -60, 40)
    after = np.array(state_of(root)["points"])
    moved = after - before
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-9)
    assert moved[0, 0] < -0.5
    assert moved[0, 1] < -0.5
    check(root, "cloud")
    farthest = int(np.argmax(np.hypot(*(after - after.mean(axis=0)).T)))
    drag(page, root.locator(".ilm-hit[r='10']").nth(farthest), 0, -30)
    changed = np.flatnonzero((np.array(state_of(root)["points"]) != after).any(axis=1))
    assert changed.size == 1
    check(root, "cloud")


def test_a_finger_moves_the_cloud_and_not_the_page(show: Any) -> None:
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
    # Beside the handles a finger scrolls, as everywhere.
    assert root.locator("svg").first.evaluate("e => getComputedStyle(e).touchAction") == "auto"


def test_motion_ends_where_it_would_without(show: Any) -> None:
    page = show(moving.cloud(), reduced_motion="no-preference")
    press(page, "far ball")
    target = next(p["points"] for p in moving.cloud().data["presets"] if p["name"] == "far ball")
    page.wait_for_function(
        "t => document.querySelector('.il-moving').dataset.state === t",
        arg=json.dumps({"points": target}, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]"),
    )


# --- What is said about them.


HIGH, LOW = (0.85, 1.0), (-1.0, 0.2)
#: By figure and button: what its sentences, or the lesson, say of the numbers; two bounds, or a word.
SAID: dict[str, dict[str, dict[str, Any]]] = {
    "cloud": {
        "ball": dict.fromkeys(
            ("isoscore", "average_cosine_score", "partition_score", "varex_score", "id_score"), HIGH
        ),
        "centered needle": {"isoscore": (0.0, 0.05), "average_cosine_score": (0.95, 1.0)},
        "needle": {"isoscore": (0.0, 0.05), "average_cosine_score": LOW},
        "far ball": {"isoscore": HIGH, "average_cosine_score": (-1.0, 0.1)},
        "two clusters": {"isoscore": (0.0, 0.3)},
    },
    "cloud, compact": {
        "subtract the mean": {"isoscore": (0.0, 0.05), "average_cosine_score": (0.95, 1.0)},
    },
    "points": {
        "team A": {"expected": (0.25, 0.32)},
        "team B": {"expected": (0.85, 0.9)},
        "N = n": {"expected": (0.48, 0.52)},
        "N = 19 n": {"expected": (0.94, 0.96)},
    },
    "arrows": {
        "prefers another": {"closest": "B", "cosine": (0.795, 0.805)},
        "same direction": {"closest": "B", "cosine": (0.9995, 1.0)},
        "a turn": {"closest": "itself"},
        "opposite": {"closest": "itself"},
        "no direction": {"closest": "neither", "cosine": None, "ab": (-5e-4, 5e-4)},
    },
    "simpson": {
        "plain and whitened": {"within": (0.7, 1.0), "pooled": (-1.0, -0.4)},
        "up within, down between": {"within": (0.8, 1.0), "pooled": (-1.0, -0.7)},
        "nothing within": {"within": (-0.02, 0.02), "pooled": (0.8, 1.0)},
        "hidden": {"within": (0.8, 1.0), "pooled": (-0.15, 0.15)},
    },
    "threshold": {
        "τ = 0.30": {"own": (0.0, 0.05), "foreign": (0.0, 0.05)},
        "τ = 0.46": {"points": (0.0, 3.0), "foreign": (0.5, 0.9)},
        "τ = 0.60": {"points": (20.0, 100.0), "foreign": (0.9, 1.0)},
    },
    "vectors": {
        "60° and 60°": {"mean-cosinebest": "{1, 2}, {2, 3}"},
        "lifted by 40°": {"canonicalbest": "itself"},
        "100° and 100°": {"mean-cosinebest": "itself"},
        "opposite": {"normalizedbest": "undefined"},
        "duplicate": {"canonicalbest": "itself, {2, 3}"},
    },
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_presets_is_true(show: Any, name: str) -> None:
    page = show(made(name))
    for button, numbers in SAID[name].items():
        found = check(press(page, button), name)
        for key, value in numbers.items():
            if isinstance(value, tuple):
                assert value[0] <= found[key] <= value[1] + 1e-9, (button, key)
            else:
                assert found[key] == value, (button, key)


def test_the_corrected_score_is_where_the_truth_is_and_the_curve_where_clouds_are(show: Any) -> None:
    rng = np.random.default_rng(0)
    scores = [isoscore(rng.standard_normal((30, 20))) for _ in range(300)]
    state = {"N": 30, "n": 20, "decay": 0, "last": None}
    # The curve is a ratio of expectations: a little off the expectation of the ratio.
    assert np.mean(scores) == pytest.approx(points_numbers(state, made("points"))["expected"], abs=0.01)
    page = show(made("points"))
    # At the start it shows clouds of several sizes: all circles below the truth, squares on both sides of it.
    truth = float(shown(page, "truth"))
    assert 0.6 < truth < 0.7
    assert float(shown(page, "plug_in")) < 0.6 * truth


def test_the_gap_is_least_at_the_best_scale(show: Any) -> None:
    page = show(made("angle"))
    for name in ("exchanged", "three times as large", "two together", "much too small"):
        press(page, name)
        press(page, "best scale")
        assert shown(page, "stress") == shown(page, "least")
    press(page, "three times as large")
    assert (shown(page, "stress"), shown(page, "angle")) == ("2.000", "0.0")


def test_every_order_of_iris_is_reached_by_the_button(show: Any) -> None:
    page = show(made("orders"))
    for _ in range(7):
        press(page, "previous order")
    seen = [shown(page, "order")]
    for _ in range(6):
        press(page, "next order")
        seen.append(shown(page, "order"))
    table = experiments.stress_orders(experiments.projections("iris", METHODS))
    assert seen == experiments.with_labels(table)["order"].tolist()
    assert len(set(seen)) == 7


def test_intervals_are_those_of_the_bootstrap_and_cover_as_said(show: Any) -> None:
    pool = np.array(list(made("questions").data["hits"])) == "1"
    for n in (10, 60, 300):
        hits = round(pool.mean() * n)
        ranks = np.where(np.arange(n) < hits, 1, 99)
        found = retrieval.bootstrap_accuracy(ranks, n_resamples=20_000, rng=0)
        np.testing.assert_allclose(
            [found.low, found.high], interval(hits, n, "bootstrap percentiles"), rtol=0, atol=1 / n + 1e-9
        )
    for sure in (0, 10):  # no resample varies, as in the lesson's two lines
        assert interval(sure, 10, "bootstrap percentiles") == (sure / 10, sure / 10)
    page = show(made("questions"))
    missed = {}
    for size in ("twenty-five", "ten"):
        press(page, size)
        for method in ("Wilson", "bootstrap percentiles"):
            root = press(page, method)
            on = root.get_by_role("group", name="method").locator("[aria-pressed=true]")
            assert on.all_inner_texts() == [method]
            missed[size, method] = 1 - float(shown(page, "coverage"))
    assert 0.08 < missed["twenty-five", "bootstrap percentiles"] < 0.12
    assert missed["twenty-five", "Wilson"] < 0.05
    assert 0.07 < missed["ten", "bootstrap percentiles"] < 0.08
    press(page, "five hundred")
    drawn = check(press(page, "draw 100"), "questions")
    assert drawn["drawn"] == 140
    assert drawn["high"] - drawn["low"] < 0.1
    assert state_of(press(page, "start over"))["seeds"] == list(range(1, 41))


def test_tests_that_tell_models_apart_report_too_much_unless_questions_are_many(show: Any) -> None:
    page = show(made("differences"))
    root = page.locator(".il-moving")
    of = {}
    for n in (200, 2_600, 5_000):
        slide(root.locator("input[type=range]"), np.log10(n))
        for _ in range(3):
            press(page, "draw 100")
        of[n] = check(root, "differences")
        # The normal curve says about how many tests tell.
        assert abs(of[n]["ahead"] / of[n]["drawn"] - of[n]["power"]) < 0.06
    assert of[200]["power"] < 0.15
    assert of[200]["reported"] > 2.5 * of[200]["truth"]
    assert of[2_600]["power"] == pytest.approx(0.8, abs=0.01)
    assert of[5_000]["reported"] < 1.1 * of[5_000]["truth"]
    press(page, "E5 − USE")
    for n, power in ((736, 0.81), (2_000, 0.997)):
        slide(root.locator("input[type=range]"), np.log10(n))
        assert check(root, "differences")["power"] == pytest.approx(power, abs=0.01)


def test_the_sentences_about_pairs_are_true(show: Any) -> None:
    page = show(made("pairs"))
    shares, widths = {}, {}
    for preset in made("pairs").data["presets"]:
        name = preset["name"]
        press(page, name)
        press(page, "draw 100")
        root = press(page, "draw 100")
        found = check(root, "pairs")
        assert found["drawn"] == 240
        on = root.get_by_role("group", name="way").locator("[aria-pressed=true]")
        assert on.all_inner_texts() == [preset["way"]]
        shares[name], widths[name] = found["share"], found["high"] - found["low"]
        assert found["points"] == 45 if "45" in name else found["points"] > 1_000
    assert found["truth"] == pytest.approx(1, abs=1e-3)
    assert min(shares["a thousand pairs"], shares["ten thousand pairs"]) > 0.9
    assert shares["45 points"] < 0.5
    assert shares["45 points, honest"] > 0.85
    assert widths["45 points, honest"] > 2.5 * widths["45 points"]
    assert widths["ten thousand pairs"] == pytest.approx(widths["a thousand pairs"] / np.sqrt(10), rel=0.1)


def test_a_group_and_a_threshold_are_dragged(show: Any) -> None:
    page = show(made("simpson"))
    before = check(press(page, "up within, down between"), "simpson")
    drag(page, page.locator(".ilm-hit:visible").nth(2), 10, -120)
    after = check(page.locator(".il-moving"), "simpson")
    assert after["within"] == pytest.approx(before["within"], abs=1e-12)
    assert after["pooled"] > before["pooled"]
    page = show(made("threshold"))
    root = press(page, "τ = 0.30")
    drag(page, root.locator("[role=slider] .ilm-hit"), 60, 0)
    assert state_of(root)["tau"] > 0.3
    check(root, "threshold")


def test_the_threshold_in_the_figure_counts_what_the_similarities_count(show: Any) -> None:
    root = show(made("threshold")).locator(".il-moving")
    for tau in np.arange(0.3, 0.6, 0.002).round(3):
        slide(root.locator("input[type=range]"), float(tau))
        assert state_of(root)["tau"] == tau
        check(root, "threshold")


def test_keys_lead_to_the_ends_of_the_threshold_and_by_larger_steps(show: Any) -> None:
    page = show(made("threshold"))
    root = press(page, "τ = 0.46")
    line = root.locator(".ilm-cursor .ilm-axis").bounding_box()["x"]
    left, right = (
        root.locator("svg text", has_text=word).first.bounding_box() for word in ("silent", "shown")
    )
    assert left["x"] + left["width"] < line < right["x"]
    ends = root.locator("input[type=range]")
    root.locator("[role=slider]").focus()
    found = []
    for key in ("Home", "PageUp", "ArrowUp", "End"):
        page.keyboard.press(key)
        found.append(state_of(root)["tau"])
    low, high = (float(ends.get_attribute(end)) for end in ("min", "max"))
    assert [found[0], found[-1]] == [low, high]
    assert found[1] - low == pytest.approx(10 * (found[2] - found[1]))


def test_three_vectors_at_all_angles(show: Any) -> None:
    page = show(made("vectors"))
    ends = [(180, 180, 0), (180, 0, 0), (0, 0, 0), (30, 30, 90)]
    for angles in [*ends, *np.random.default_rng(0).integers(0, [181, 181, 91], (20, 3))]:
        for slider, angle in zip(page.locator("input[type=range]").all(), angles, strict=True):
            slide(slider, float(angle))
        check(page.locator(".il-moving"), "vectors")


def test_sizes_are_those_of_the_measures_themselves(show: Any) -> None:
    iris = experiments.projections("iris", ("mds", "tsne", "random"))
    page = show(moving.sizes(iris))

    def three(key: str) -> list[float]:
        return [float(shown(page, f"{key}{i}").replace(",", "")) for i in range(3)]

    press(page, "as they came")
    assert shown(page, "stress") == "MDS < random < t-SNE"
    for measure, key in ((projection.normalized_stress, "stress"), (projection.kl_divergence, "kl")):
        assert three(key) == pytest.approx([measure(iris.X, Y) for Y in iris.Y.values()], rel=5e-3, abs=6e-4)
    press(page, "all × 10")
    assert shown(page, "stress") == "random < MDS < t-SNE"
    press(page, "least stress of each")
    least = experiments.stress_summary(iris)["scale_normalized_stress"]
    np.testing.assert_allclose(three("stress"), least, atol=6e-4)
    press(page, "least divergence of each")
    summary = experiments.kl_summary(iris)
    inside = summary["best_scale"].between(1e-3, 1e3).to_numpy()
    np.testing.assert_allclose(
        np.array(three("kl"))[inside], summary["scale_normalized_kl"][inside], atol=6e-4
    )
    assert inside.sum() >= 2


def test_what_is_said_of_moved_islands_is_true(show: Any) -> None:
    figure = made("islands")
    page = show(figure)
    root = page.locator(".il-moving")
    names = [preset["name"] for preset in figure.data["presets"]]
    came, over, torn, apart, exchanged = (
        islands_numbers(state_of(press(page, name)), figure) for name in names
    )

    def falls(found: Numbers) -> list[float]:
        return [came[key] - found[key] for key in ("trustworthiness", "continuity")]

    assert falls(over)[0] > 2 * falls(over)[1] > 0.02
    assert falls(torn)[1] > 0.015 > 0.005 > falls(torn)[0]
    assert torn["stress"] < came["stress"] < over["stress"]
    assert came["centers"] < torn["centers"]
    assert max(falls(apart)) < 0.005
    assert apart["kl"] > 1.05 * came["kl"]
    assert apart["centers"] == pytest.approx(came["centers"])
    assert 0 < max(falls(exchanged)) < 0.02
    assert exchanged["stress"] > came["stress"]
    assert abs(exchanged["centers"]) < 0.1 < 0.65 < came["centers"]
    press(page, "as it came")
    drag(page, root.locator(".ilm-hit").first, 60, 30)
    check(root, "islands")
    moved = np.array(state_of(root)["at"]) - figure.data["presets"][0]["at"]
    assert moved[0, 0] > 1
    assert moved[0, 1] < -1
    assert (moved[1:] == 0).all()


def test_a_bar_can_be_dragged(show: Any) -> None:
    page = show(made("spectrum"))
    root = page.locator(".il-moving")
    drag(page, root.locator(".ilm-hit").nth(1), 0, -40)
    values = state_of(root)["variances"]
    assert values[1] > 5
    assert values[0] == 10
    check(root, "spectrum")
