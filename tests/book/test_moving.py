"""The figures that move, run in a browser: every number that they show is computed again with Python."""

from __future__ import annotations

import functools
import html
import json
import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.spatial.distance import pdist

from isotropy_lab import association, projection, retrieval
from isotropy_lab.isotropy import isoscore, isoscore_from_eigenvalues, isotropy_scores
from isotropy_lab.isotropy.clouds import power_law_eigenvalues
from isotropy_lab.projection import pair_sums
from isotropy_lab.projection.curves import orders
from reanalyses import moving
from reanalyses.kindel2023 import experiments as kindel
from reanalyses.moving import generator
from reanalyses.moving.projection import METHODS
from reanalyses.roychowdhury2024 import experiments as roychowdhury
from reanalyses.roychowdhury2024.correlations import pooling_effect
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.smelser2025 import experiments
from reanalyses.smelser2025.experiments.sources import label

pytestmark = pytest.mark.browser

#: The theme's variables, as it sets them for light and dark.
THEME = """
:root { --pst-color-background: #fff; --pst-color-border: #d1d5da; --pst-color-text-base: #222832;
        --pst-color-text-muted: #48566b; --pst-color-surface: #f3f4f5; }
body { background: #fff; color: #222832; font-family: sans-serif; margin: 12px; }
@media (prefers-color-scheme: dark) {
  :root { --pst-color-background: #14181e; --pst-color-border: #48566b; --pst-color-text-base: #ced6dd;
          --pst-color-text-muted: #9ca4af; --pst-color-surface: #29313d; }
  body { background: #14181e; color: #ced6dd; } }
"""

Numbers = dict[str, Any]


# --- What each figure should show, from the state that it was computed from.


def cloud_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    found = isotropy_scores(state["points"]).to_dict()
    shown = ["isoscore", "average_cosine_score"]
    if not figure.data["two"]:
        shown += ["partition_score", "varex_score", "id_score"]
    if not (figure.data["two"] or figure.data["compact"]):
        shown += ["average_cosine"]
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
        "closest": "neither"
        if lengths[0] < 1e-9
        else "both alike"
        if abs(gap) < 1e-9
        else "B"
        if gap > 0
        else "itself",
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


def orders_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    data = experiments.projections(state["dataset"], METHODS)
    alpha, curves = state["alpha"], {name: pair_sums(data.X, Y) for name, Y in data.Y.items()}
    found: Numbers = {}
    for i, Y in enumerate(data.Y.values()):
        stress = projection.normalized_stress(data.X, Y, scale=alpha)
        found |= {f"stress{i}": stress, f"height{i}": (stress**2 - 1) / alpha}
    all_of_them = orders(curves)
    place = next(i for i, one in enumerate(all_of_them) if one.low < alpha <= one.high)
    here = all_of_them[place]
    return {
        **found,
        "order": " < ".join(label(name) for name in here.order),
        "place": f"{place + 1} of {len(all_of_them)}",
        "low": here.low,
        "high": "∞" if here.high == np.inf else here.high,
    }


def interval(hits: int, n: int, method: str) -> tuple[float, float]:
    if method == "Wilson":
        return tuple(stats.binomtest(hits, n).proportion_ci(method="wilson"))
    return tuple(stats.binom.ppf([0.025, 0.975], n, hits / n) / n)


def questions_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    pool = np.array(list(figure.data["hits"])) == "1"
    n, method, truth = state["n"], state["method"], pool.mean()
    drawn = [int(pool[(generator.uniform(seed, n) * pool.size).astype(int)].sum()) for seed in state["seeds"]]
    ends = {hits: interval(hits, n, method) for hits in range(n + 1)}
    holds = {hits: low <= truth <= high for hits, (low, high) in ends.items()}
    covered = sum(holds[hits] for hits in drawn)
    return {
        "n": n,
        "hits": drawn[-1],
        "low": ends[drawn[-1]][0],
        "high": ends[drawn[-1]][1],
        "truth": truth,
        "drawn": len(drawn),
        "covered": covered,
        "share": covered / len(drawn),
        "coverage": sum(stats.binom.pmf(hits, n, truth) for hits, held in holds.items() if held),
    }


def differences_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    pool = 100.0 * (np.array(list(figure.data["pairs"][state["pair"]]["pool"]), dtype=int) - 1)
    n, reach = state["n"], stats.norm.ppf(0.975)
    drawn = [pool[(generator.uniform(seed, n) * pool.size).astype(int)] for seed in state["seeds"]]
    means = np.array([one.mean() for one in drawn])
    errors = np.array([one.std(ddof=1) for one in drawn]) / np.sqrt(n)
    ahead, error = means - reach * errors > 0, pool.std() / np.sqrt(n)
    return {
        "n": n,
        "difference": means[-1],
        "low": means[-1] - reach * errors[-1],
        "high": means[-1] + reach * errors[-1],
        "truth": pool.mean(),
        "drawn": len(drawn),
        "ahead": int(ahead.sum()),
        "reported": means[ahead].mean() if ahead.any() else None,
        "behind": int((means + reach * errors < 0).sum()),
        "power": stats.norm.sf(reach - pool.mean() / error),
        "least": (reach + stats.norm.ppf(0.8)) * error,
    }


@functools.cache
def pair_sample(way: str, pairs: int, seed: int) -> tuple[int, int, float, float]:
    """Return pairs, points, estimate and standard error of a sample, with the distances of all pairs at once."""
    points = np.array(made("pairs").data["points"])
    N = len(points)
    if way == moving.PAIR_WAYS[0]:
        u = generator.uniform(seed, 2 * pairs).reshape(-1, 2)
        i = (u[:, 0] * N).astype(int)
        j = (i + 1 + (u[:, 1] * (N - 1)).astype(int)) % N
        values = np.linalg.norm(points[i] - points[j], axis=1)
        return pairs, np.union1d(i, j).size, values.mean(), values.std(ddof=1) / np.sqrt(pairs)
    k = round((1 + np.sqrt(1 + 8 * pairs)) / 2)
    places = np.arange(N)
    for a, u in enumerate(generator.uniform(seed, k)):
        b = a + int(u * (N - a))
        places[[a, b]] = places[[b, a]]
    drawn = points[places[:k]]
    values = pdist(drawn)
    error = values.std(ddof=1) / np.sqrt(values.size)
    if way == moving.PAIR_WAYS[2]:
        without = np.array([pdist(np.delete(drawn, i, axis=0)).mean() for i in range(k)])
        error = np.sqrt((k - 1) * without.var())
    return values.size, k, values.mean(), error


def pairs_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    truth = pdist(np.array(figure.data["points"])).mean()
    reach, found = (
        stats.norm.ppf(0.975),
        [pair_sample(state["way"], state["pairs"], seed) for seed in state["seeds"]],
    )
    covered = sum(abs(estimate - truth) <= reach * error for _, _, estimate, error in found)
    pairs, points, estimate, error = found[-1]
    return {
        "pairs": pairs,
        "points": points,
        "low": estimate - reach * error,
        "high": estimate + reach * error,
        "truth": truth,
        "drawn": len(found),
        "covered": covered,
        "share": covered / len(found),
    }


@functools.cache
def stored_samples() -> retrieval.SimilaritySamples:
    return roychowdhury.samples_of(encoders.load("MiniLM", "yang"), roychowdhury.collection().gold)


def threshold_numbers(state: Any, figure: moving.MovingFigure, foreign: Any = None) -> Numbers:
    """The numbers of the similarities themselves: at thresholds of three decimals the figure's rounding changes none."""
    found, tau = stored_samples(), state["tau"]
    assert tau == round(tau, 3)
    silent = found.S_topK[:, 0] < tau
    lost = (silent & (found.hit_ranks <= found.k)).sum()
    return {
        "lost": lost,
        "points": 100 * lost / len(silent),
        "own": silent.mean(),
        "foreign": ((stored_foreign() if foreign is None else foreign) < tau).mean(),
    }


@functools.cache
def stored_foreign() -> Any:
    asked, documents = encoders.load("MiniLM", "open-vswitch"), encoders.load("MiniLM", "yang").documents[0]
    return retrieval.top_k(asked.questions, documents, 1).similarities[:, 0]


FOREIGN = np.linspace(0.12, 0.6, 150) ** 1.2


def simpson_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    rows = [(i, *row) for i, group in enumerate(state["groups"]) for row in group]
    effect = pooling_effect(pd.DataFrame(rows, columns=["group", "x", "y"]), "x", "y", group="group")
    return {
        name: getattr(effect, name)
        for name in ("pooled", "within", "between", "within_weight", "between_weight")
    }


def spectrum_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    values = state["variances"]
    if not any(values):
        return {"used": None, "isoscore": None}
    score = isoscore_from_eigenvalues(values)
    return {"isoscore": score, "used": 1 + score * (len(values) - 1)}


def vectors_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    found: Numbers = {}
    for metric, rows in kindel.three_vectors(*state["angles"]).groupby("metric", sort=False):
        for i, row in enumerate(rows.itertuples()):
            found[f"{metric}{i}"] = row.similarity if row.defined else None
        names = ["itself", *rows["pair"].iloc[1:]]
        best = [name for name, closest in zip(names, rows["closest"], strict=True) if closest]
        found[f"{metric}best"] = ", ".join(best) if rows["defined"].iloc[0] else "undefined"
    return found


def sizes_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    scales = state["scales"]
    values = experiments.stress_and_kl_at(figure.data, scales)
    names = [one["label"] for one in figure.data["projections"]]
    found: Numbers = {}
    for i, (scale, (stress, kl)) in enumerate(zip(scales, values, strict=True)):
        found |= {f"scale{i}": scale, f"stress{i}": stress, f"kl{i}": kl}
    for column, name in enumerate(("stress", "divergence")):
        order = sorted(range(len(names)), key=lambda i: values[i][column])
        text = names[order[0]]
        for one, next_one in pairwise(order):
            sign = " < " if values[next_one][column] - values[one][column] > 1e-9 else " = "
            text += sign + names[next_one]
        found[name] = text
    return found


def islands_numbers(state: Any, figure: moving.MovingFigure) -> Numbers:
    X, own, on, kind = (np.array(figure.data[key]) for key in ("X", "own", "on", "kind"))
    Y = own + np.array(state["at"])[on]
    quality = projection.projection_quality(X, Y, n_neighbors=10)

    def between(A: Any) -> Any:
        return pdist([A[kind == digit].mean(axis=0) for digit in range(kind.max() + 1)])

    return {
        "trustworthiness": quality.trustworthiness,
        "continuity": quality.continuity,
        "stress": projection.scale_normalized_stress(X, Y),
        "kl": projection.scale_normalized_kl(X, Y, perplexity=30).value,
        "centers": stats.spearmanr(between(X), between(Y)).statistic,
    }


Case = tuple[Callable[[], moving.MovingFigure], Callable[[Any, moving.MovingFigure], Numbers]]
CASES: dict[str, Case] = {
    "cloud": (moving.cloud, cloud_numbers),
    "cloud, compact": (lambda: moving.cloud("needle", compact=True), cloud_numbers),
    "cloud, two scores": (lambda: moving.cloud(two_scores=True), cloud_numbers),
    "points": (moving.number_of_points, points_numbers),
    "arrows": (moving.mean_arrows, arrows_numbers),
    "angle": (moving.stress_angle, angle_numbers),
    "orders": (moving.orders_over_scale, orders_numbers),
    "questions": (moving.questions, questions_numbers),
    "differences": (moving.differences, differences_numbers),
    "pairs": (moving.pairs, pairs_numbers),
    "threshold": (moving.threshold, threshold_numbers),
    "threshold, foreign": (
        lambda: moving.threshold(foreign=FOREIGN),
        functools.partial(threshold_numbers, foreign=FOREIGN),
    ),
    "spectrum": (moving.spectrum, spectrum_numbers),
    "vectors": (moving.three_vectors, vectors_numbers),
    "sizes": (moving.sizes, sizes_numbers),
    "islands": (moving.islands, islands_numbers),
    "simpson": (moving.simpson, simpson_numbers),
}


@functools.cache
def made(name: str) -> moving.MovingFigure:
    return CASES[name][0]()


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[moving.MovingFigure, Callable[[Any], Numbers]]:
    numbers = CASES[request.param][1]
    figure = made(request.param)
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
    handles = root.locator("[role=slider]:visible").all()
    for handle in handles:
        handle.focus()
        said = {handle.get_attribute("aria-valuetext")}
        for key in ("ArrowRight", "ArrowUp", "Shift+ArrowLeft", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
            check(root, numbers)
            said.add(handle.get_attribute("aria-valuetext"))
        assert handle.get_attribute("aria-label")
        assert len(said) > 1
    assert page.errors == []


def test_what_is_in_the_page_is_all_there_is(case: Any) -> None:
    text = case[0]._repr_html_()
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(img|link|iframe)|src=|@import|url\(\"?http", text)
    assert case[0].alternative == html.unescape(re.search(r"<noscript><p>(.*?)</p></noscript>", text)[1])
    assert len(text) < 100_000


def test_data_cannot_leave_their_script() -> None:
    evil = '"></script><b>'
    text = moving.MovingFigure("cloud", evil, evil, evil, {"name": evil})._repr_html_()
    assert "<b>" not in text
    assert text.count("</script>") == 2
    inside = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert json.loads(inside) == {"name": evil}


def test_it_works_where_scripts_are_evaluated_by_hand_and_twice_on_a_page(case: Any, show: Any) -> None:
    figure, numbers = case
    markup = json.dumps(figure._repr_html_()).replace("</", "<\\/")
    # As JupyterLab does: the markup is put into the page, then each script is replaced by a copy, which runs.
    page = show(
        figure,
        script=f"""<div id="output"></div><script>
        const host = document.getElementById("output"); host.innerHTML = {markup};
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
                const b = t.getBoundingClientRect(); return [t.textContent, b.left, b.top, b.right, b.bottom,
                t.classList.contains('ilm-digit')]; })"""
        )
        for name, left, top, right, bottom, _ in boxes:
            assert left >= frame["x"], name
            assert right <= frame["x"] + frame["width"], name
            assert top >= frame["y"], name
            assert bottom <= frame["y"] + frame["height"], name
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_can_be_seen(case: Any, show: Any, scheme: str) -> None:
    page = show(case[0], color_scheme=scheme)
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


def test_a_finger_moves_the_cloud_and_not_the_page(show: Any) -> None:
    page = show(moving.cloud("far ball"), has_touch=True, viewport={"width": 390, "height": 500})
    root = page.locator(".il-moving")
    before = np.array(state_of(root)["points"])
    box = root.locator("[aria-label='the whole cloud'] .ilm-hit").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": left, "y": top} for left, top in points]},
        )

    send("touchStart", (x, y))
    for step in range(1, 6):
        send("touchMove", (x, y + 8 * step))
    send("touchEnd")
    moved = np.array(state_of(root)["points"]) - before
    assert moved[:, 1].max() < -0.5
    np.testing.assert_allclose(moved[:, 0], 0, atol=0.05)
    assert page.evaluate("scrollY") == 0
    # Beside the handles a finger scrolls, as everywhere.
    assert root.locator("svg").first.evaluate("e => getComputedStyle(e).touchAction") == "auto"


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


def test_the_front_page_keeps_its_word(show: Any) -> None:
    """Without its mean a needle counts as isotropic by one score, and the scores of shape have not moved."""
    page = show(moving.cloud("needle", compact=True))
    root = page.locator(".il-moving")
    before = isotropy_scores(state_of(root)["points"])
    root.get_by_role("button", name="subtract the mean", exact=True).click()
    after = isotropy_scores(state_of(root)["points"])
    assert before.average_cosine_score < 0.2
    assert after.average_cosine_score > 0.95
    for name in ("isoscore", "varex_score", "id_score"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-9)
    assert after.isoscore < 0.05


def test_motion_ends_where_it_would_without(show: Any) -> None:
    page = show(moving.cloud(), reduced_motion="no-preference")
    root = page.locator(".il-moving")
    root.get_by_role("button", name="far ball").click()
    target = next(p["points"] for p in moving.cloud().data["presets"] if p["name"] == "far ball")
    page.wait_for_function(
        "t => document.querySelector('.il-moving').dataset.state === t",
        arg=json.dumps({"points": target}, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]"),
    )


# --- What is said about the others.


def press(page: Any, name: str) -> Any:
    root = page.locator(".il-moving")
    root.get_by_role("button", name=name, exact=True).click()
    return root


@pytest.mark.parametrize("name", CASES)
def test_a_preset_stays_pressed_until_something_else_moves_the_figure(show: Any, name: str) -> None:
    root = show(made(name)).locator(".il-moving")
    on = root.locator(".ilm-preset[aria-pressed=true]")
    assert on.count() == 0
    for preset in root.locator(".ilm-preset").all()[:2]:
        preset.click()
        assert on.all_inner_texts() == [preset.inner_text()]
    control = root.locator("input[type=range], .ilm-handle[tabindex]").first
    control.focus()
    control.press("ArrowRight")
    control.press("ArrowLeft")
    assert on.count() == 0


def test_of_a_choice_one_is_always_on(show: Any) -> None:
    page = show(moving.questions())
    root = page.locator(".il-moving")
    on = root.get_by_role("group", name="method").locator("[aria-pressed=true]")
    assert on.all_inner_texts() == ["bootstrap percentiles"]
    press(page, "Wilson")
    assert on.all_inner_texts() == ["Wilson"]


def test_the_corrected_score_is_where_the_truth_is_and_the_curve_where_clouds_are(show: Any) -> None:
    rng = np.random.default_rng(0)
    clouds = [rng.standard_normal((30, 20)) for _ in range(300)]
    expected = points_numbers({"N": 30, "n": 20, "decay": 0, "last": None}, moving.number_of_points())[
        "expected"
    ]
    scores = [isoscore(cloud) for cloud in clouds]
    # The curve is a ratio of expectations: a little off the expectation of the ratio.
    assert np.mean(scores) == pytest.approx(expected, abs=0.01)
    page = show(moving.number_of_points())
    # At the start it shows clouds of several sizes: all circles below the truth, squares on both sides of it.
    truth = float(page.locator("[data-key=truth]").inner_text())
    assert 0.6 < truth < 0.7
    assert float(page.locator("[data-key=plug_in]").inner_text()) < 0.6 * truth
    for name, low, high in [
        ("team A", 0.25, 0.32),
        ("team B", 0.85, 0.9),
        ("N = n", 0.48, 0.52),
        ("N = 19 n", 0.94, 0.96),
    ]:
        shown = press(page, name).locator("[data-key=expected]").inner_text()
        assert low < float(shown) < high, name


def test_the_sentences_of_the_arrows_are_true(show: Any) -> None:
    page = show(moving.mean_arrows())
    for name, closest in [
        ("prefers another", "B"),
        ("same direction", "B"),
        ("a turn", "itself"),
        ("opposite", "itself"),
        ("no direction", "neither"),
    ]:
        assert press(page, name).locator("[data-key=closest]").inner_text() == closest
    assert press(page, "same direction").locator("[data-key=cosine]").inner_text() == "1.000"
    assert abs(float(press(page, "prefers another").locator("[data-key=cosine]").inner_text()) - 0.8) < 0.005
    assert press(page, "no direction").locator("[data-key=cosine]").inner_text() == "undefined"
    assert page.locator("[data-key=ab]").inner_text() == "0.000"


def test_the_gap_is_least_at_the_best_scale(show: Any) -> None:
    page = show(moving.stress_angle())
    for name in ("exchanged", "three times as large", "two together", "much too small"):
        press(page, name)
        found = float(press(page, "best scale").locator("[data-key=stress]").inner_text())
        assert found == float(page.locator("[data-key=least]").inner_text())
    press(page, "three times as large")
    assert page.locator("[data-key=stress]").inner_text() == "2.000"
    assert page.locator("[data-key=angle]").inner_text() == "0.0"


def test_every_order_of_iris_is_reached_by_the_button(show: Any) -> None:
    page = show(moving.orders_over_scale())
    root = page.locator(".il-moving")
    for _ in range(7):
        press(page, "previous order")
    seen = [root.locator("[data-key=order]").inner_text()]
    for _ in range(6):
        seen.append(press(page, "next order").locator("[data-key=order]").inner_text())
    table = experiments.stress_orders(experiments.projections("iris", METHODS))
    assert seen == experiments.with_labels(table)["order"].tolist()
    assert len(set(seen)) == 7


def test_intervals_are_those_of_the_bootstrap_and_cover_as_said(show: Any) -> None:
    figure = moving.questions()
    pool = np.array(list(figure.data["hits"])) == "1"
    for n in (10, 60, 300):
        hits = round(pool.mean() * n)
        ranks = np.where(np.arange(n) < hits, 1, 99)
        found = retrieval.bootstrap_accuracy(ranks, n_resamples=20_000, rng=0)
        low, high = interval(hits, n, "bootstrap percentiles")
        assert abs(found.low - low) <= 1 / n + 1e-9
        assert abs(found.high - high) <= 1 / n + 1e-9
    for sure in (0, 10):  # no resample varies, as in the lesson's two lines
        assert interval(sure, 10, "bootstrap percentiles") == (sure / 10, sure / 10)
    page = show(figure)
    root = press(page, "twenty-five")
    coverage = {}
    for method in ("bootstrap percentiles", "Wilson"):
        press(page, method)
        coverage[method] = float(root.locator("[data-key=coverage]").inner_text())
    assert 0.08 < 1 - coverage["bootstrap percentiles"] < 0.12
    assert 1 - coverage["Wilson"] < 0.05
    press(page, "ten")
    press(page, "bootstrap percentiles")
    assert 0.07 < 1 - float(root.locator("[data-key=coverage]").inner_text()) < 0.08
    press(page, "five hundred")
    press(page, "draw 100")
    found = check(root, lambda state: questions_numbers(state, figure))
    assert found["drawn"] == 140
    assert found["high"] - found["low"] < 0.1
    press(page, "start over")
    assert state_of(root)["seeds"] == list(range(1, 41))


def test_tests_that_tell_models_apart_report_too_much_unless_questions_are_many(show: Any) -> None:
    figure = moving.differences()
    page = show(figure)
    root = page.locator(".il-moving")
    of = {}
    for n in (200, 2_600, 5_000):
        slide(root.locator("input[type=range]"), np.log10(n))
        for _ in range(3):
            press(page, "draw 100")
        of[n] = check(root, lambda state: differences_numbers(state, figure))
        # The normal curve says about how many tests tell.
        assert abs(of[n]["ahead"] / of[n]["drawn"] - of[n]["power"]) < 0.06
    assert of[200]["power"] < 0.15
    assert of[200]["reported"] > 2.5 * of[200]["truth"]
    assert of[2_600]["power"] == pytest.approx(0.8, abs=0.01)
    assert of[5_000]["reported"] < 1.1 * of[5_000]["truth"]
    press(page, "E5 − USE")
    for n, power in ((736, 0.81), (2_000, 0.997)):
        slide(root.locator("input[type=range]"), np.log10(n))
        found = check(root, lambda state: differences_numbers(state, figure))
        assert found["power"] == pytest.approx(power, abs=0.01)


def test_the_sentences_about_pairs_are_true(show: Any) -> None:
    figure = moving.pairs()
    page = show(figure)
    shares, widths = {}, {}
    for preset in figure.data["presets"]:
        press(page, preset["name"])
        press(page, "draw 100")
        root = press(page, "draw 100")
        found = check(root, lambda state: pairs_numbers(state, figure))
        assert found["drawn"] == 240
        on = root.get_by_role("group", name="way").locator("[aria-pressed=true]")
        assert on.all_inner_texts() == [preset["way"]]
        shares[preset["name"]], widths[preset["name"]] = found["share"], found["high"] - found["low"]
        assert found["points"] == 45 if "45" in preset["name"] else found["points"] > 1_000
    assert found["truth"] == pytest.approx(1, abs=1e-3)
    assert min(shares[name] for name in ("a thousand pairs", "ten thousand pairs")) > 0.9
    assert shares["45 points"] < 0.5
    assert shares["45 points, honest"] > 0.85
    assert widths["45 points, honest"] > 2.5 * widths["45 points"]
    assert widths["ten thousand pairs"] == pytest.approx(widths["a thousand pairs"] / np.sqrt(10), rel=0.1)


def test_the_sentences_about_groups_are_true(show: Any) -> None:
    page = show(moving.simpson())

    def numbers(name: str) -> Numbers:
        return simpson_numbers(state_of(press(page, name)), moving.simpson)

    six = numbers("plain and whitened")
    assert six["within"] > 0.7
    assert six["pooled"] < -0.4
    fall = numbers("up within, down between")
    assert fall["within"] > 0.8
    assert fall["pooled"] < -0.7
    flat = numbers("nothing within")
    assert abs(flat["within"]) < 0.02
    assert flat["pooled"] > 0.8
    hidden = numbers("hidden")
    assert hidden["within"] > 0.8
    assert abs(hidden["pooled"]) < 0.15
    root = press(page, "up within, down between")
    drag(page, root.locator(".ilm-hit:visible").nth(2), 10, -120)
    moved = check(root, lambda state: simpson_numbers(state, moving.simpson))
    assert moved["within"] == pytest.approx(fall["within"], abs=1e-12)
    assert moved["pooled"] > fall["pooled"]


def test_a_threshold_is_dragged_and_its_sentences_are_true(show: Any) -> None:
    figure = moving.threshold()
    page = show(figure)
    root = press(page, "τ = 0.30")
    nothing = check(root, lambda state: threshold_numbers(state, figure))
    drag(page, root.locator("[role=slider] .ilm-hit"), 60, 0)
    assert state_of(root)["tau"] > 0.3
    check(root, lambda state: threshold_numbers(state, figure))
    press(page, "τ = 0.46")
    some = check(root, lambda state: threshold_numbers(state, figure))
    press(page, "τ = 0.60")
    many = check(root, lambda state: threshold_numbers(state, figure))
    assert nothing["own"] < nothing["foreign"] < 0.05
    assert 0.5 < some["foreign"] < 0.9 < many["foreign"]
    assert 0 < some["points"] < 3 < 20 < many["points"]


def test_the_threshold_in_the_figure_counts_what_the_similarities_count(show: Any) -> None:
    figure = moving.threshold()
    page = show(figure)
    root = page.locator(".il-moving")
    for tau in np.arange(0.3, 0.6, 0.002).round(3):
        slide(root.locator("input[type=range]"), float(tau))
        assert state_of(root)["tau"] == tau
        check(root, lambda state: threshold_numbers(state, figure))


def test_it_says_on_which_side_of_the_threshold_nothing_is_shown(show: Any) -> None:
    page = show(moving.threshold())
    root = press(page, "τ = 0.46")
    line = root.locator(".ilm-cursor .ilm-axis").bounding_box()["x"]
    silent, shown = (
        root.locator("svg text", has_text=word).first.bounding_box() for word in ("silent", "shown")
    )
    assert silent["x"] + silent["width"] < line < shown["x"]


def test_keys_that_scroll_a_page_move_the_handle_instead(case: Any, show: Any) -> None:
    page = show(case[0], script='<div style="height: 5000px"></div>', viewport={"width": 900, "height": 700})
    for handle in page.locator(".il-moving [role=slider]:visible").all():
        handle.focus()
        page.evaluate("scrollTo(0, 40)")
        for key in ("Home", "End", "PageUp", "PageDown"):
            page.keyboard.press(key)
            assert page.evaluate("scrollY") == 40, key
            check(page.locator(".il-moving"), case[1])


def test_keys_lead_to_the_ends_and_by_larger_steps(show: Any) -> None:
    page = show(moving.threshold())
    root = page.locator(".il-moving")
    ends = root.locator("input[type=range]")
    root.locator("[role=slider]").focus()
    found = []
    for key in ("Home", "PageUp", "ArrowUp", "End"):
        page.keyboard.press(key)
        found.append(state_of(root)["tau"])
    low, high = (float(ends.get_attribute(end)) for end in ("min", "max"))
    assert [found[0], found[-1]] == [low, high]
    assert found[1] - low == pytest.approx(10 * (found[2] - found[1]))


def test_uniform_numbers_are_even_and_do_not_repeat() -> None:
    drawn = generator.uniform(5, 100_000)
    assert stats.kstest(drawn, "uniform").pvalue > 0.01
    assert np.unique(drawn).size > 99_990
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.02


def test_the_verdicts_on_three_vectors(show: Any) -> None:
    page = show(moving.three_vectors())
    for name, metric, closest in [
        ("60° and 60°", "mean-cosine", "{1, 2}, {2, 3}"),
        ("lifted by 40°", "canonical", "itself"),
        ("100° and 100°", "mean-cosine", "itself"),
        ("opposite", "normalized", "undefined"),
        ("duplicate", "canonical", "itself, {2, 3}"),
    ]:
        assert press(page, name).locator(f"[data-key={metric}best]").inner_text() == closest
    for angles in [
        (180, 180, 0),
        (180, 0, 0),
        (0, 0, 0),
        (30, 30, 90),
        *np.random.default_rng(0).integers(0, [181, 181, 91], (20, 3)),
    ]:
        for slider, angle in zip(page.locator("input[type=range]").all(), angles, strict=True):
            slide(slider, float(angle))
        check(page.locator(".il-moving"), lambda state: vectors_numbers(state, moving.three_vectors))


def test_sizes_are_those_of_the_measures_themselves(show: Any) -> None:
    iris = experiments.projections("iris", ("mds", "tsne", "random"))
    page = show(moving.sizes(iris))
    root = press(page, "as they came")
    assert root.locator("[data-key=stress]").inner_text() == "MDS < random < t-SNE"
    for i, Y in enumerate(iris.Y.values()):
        shown = [
            float(root.locator(f"[data-key={key}{i}]").inner_text().replace(",", ""))
            for key in ("stress", "kl")
        ]
        assert shown == pytest.approx(
            [projection.normalized_stress(iris.X, Y), projection.kl_divergence(iris.X, Y)], rel=5e-3, abs=6e-4
        )
    press(page, "all × 10")
    assert root.locator("[data-key=stress]").inner_text() == "random < MDS < t-SNE"
    press(page, "least stress of each")
    least = [float(root.locator(f"[data-key=stress{i}]").inner_text()) for i in range(3)]
    np.testing.assert_allclose(least, experiments.stress_summary(iris)["scale_normalized_stress"], atol=6e-4)
    press(page, "least divergence of each")
    summary = experiments.kl_summary(iris)
    inside = summary["best_scale"].between(1e-3, 1e3).to_numpy()
    least = np.array([float(root.locator(f"[data-key=kl{i}]").inner_text()) for i in range(3)])
    np.testing.assert_allclose(least[inside], summary["scale_normalized_kl"][inside], atol=6e-4)
    assert inside.sum() >= 2


def test_what_is_said_of_moved_islands_is_true(show: Any) -> None:
    figure = moving.islands()
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
    check(root, lambda state: islands_numbers(state, figure))
    moved = np.array(state_of(root)["at"]) - figure.data["presets"][0]["at"]
    assert moved[0, 0] > 1
    assert moved[0, 1] < -1
    assert (moved[1:] == 0).all()


def test_a_bar_can_be_dragged(show: Any) -> None:
    page = show(moving.spectrum())
    root = page.locator(".il-moving")
    drag(page, root.locator(".ilm-hit").nth(1), 0, -40)
    values = state_of(root)["variances"]
    assert values[1] > 5
    assert values[0] == 10
    check(root, lambda state: spectrum_numbers(state, moving.spectrum))
