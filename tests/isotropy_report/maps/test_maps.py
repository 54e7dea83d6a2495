"""Tests of map pages: scores compared with naive ones, sentences, tables, and the page in a browser."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from benchmarks.calibration.maps import PLANTED
from isotropy_lab.projection import point_quality
from isotropy_report import map_page
from isotropy_report.maps.build import SHOWN
from tests.conftest import script_module
from tests.isotropy_lab.bad_input import assert_refused
from tests.isotropy_report.command_line import call, call_json

REFERENCES = script_module("make_reference_maps")
R = np.random.default_rng(0)
X = R.standard_normal((60, 5))
Y = X[:, :2]


def planted(name):
    X, Y, _, faulty = PLANTED[name](np.random.default_rng(5))
    return X, Y, faulty


def test_a_perfect_map_has_perfect_scores_and_no_region():
    page = map_page(Y, 3 * Y)
    scores = page.maps[0]
    assert scores.trustworthiness == scores.continuity == pytest.approx(1)
    assert scores.stress == pytest.approx(0, abs=1e-12)
    assert scores.false_neighbors == scores.reversed_triples == 0
    assert scores.density_correlation == pytest.approx(1)
    assert len(page.summary) == 3


def test_a_random_map_has_the_scores_of_chance():
    data = R.standard_normal((600, 9))
    scores = map_page(data, R.standard_normal((600, 2))).maps[0]
    assert scores.trustworthiness == pytest.approx(0.5, abs=0.03)
    assert scores.false_neighbors == pytest.approx(scores.false_by_chance, abs=0.01)
    assert scores.reversed_triples == pytest.approx(0.5, abs=0.03)
    assert scores.density_correlation == pytest.approx(0, abs=0.15)
    assert scores.regions.n_invented == scores.regions.n_torn == 0


def test_reversed_triples_are_those_that_the_map_orders_otherwise():
    line = np.arange(30.0)[:, None]
    swapped = np.where(line < 15, line + 15, line - 15)
    scores = map_page(line, np.hstack([swapped, np.zeros_like(line)])).maps[0]
    a, b, c = np.meshgrid(*3 * [np.arange(30)], indexing="ij")
    differ = (a != b) & (b != c) & (a != c)
    signs = [np.sign(np.abs(v[a] - v[b]) - np.abs(v[a] - v[c])) for v in (line[:, 0], swapped[:, 0])]
    assert scores.reversed_triples == pytest.approx((signs[0] * signs[1] < 0)[differ].mean(), abs=0.02)


@pytest.mark.parametrize(("name", "letter"), [("two clusters laid on each other", "I1"),
                                              ("one cluster cut in two", "T1")])  # fmt: skip
def test_regions_are_named_in_the_summary_and_outlined(name, letter):
    X, Y, faulty = planted(name)
    page = map_page(X, Y, labels=faulty)
    shown = embedded(page)
    (region,) = shown["maps"][0]["regions"]
    assert f"region {letter} ({(size := len(region['points']))} points; {size} True)" in page.summary[0]
    assert page.sections[1].tables[0].rows[0][-2:] == ((1, 0) if letter == "I1" else (0, 1))
    assert len(region["outlines"]) == (2 if letter == "T1" else 1)
    assert 0 <= np.min(np.concatenate(region["outlines"])) <= np.max(np.concatenate(region["outlines"])) <= 1


def test_faults_are_ordered_by_the_number_of_better_maps():
    X, Y, _ = planted("one cluster cut in two")
    page = map_page(X, Y)
    better = [int(number) for number in re.findall(r"UMAP, (\d+) are better", " ".join(page.summary))]
    assert better == sorted(better, reverse=True)
    assert better[0] == 15 > better[-1]
    assert not any("better" in one for one in map_page(X, Y, n_neighbors=9).summary)  # they have 10 neighbors
    known = pd.read_csv(REFERENCES.OUTPUT).query("map in ('t-SNE', 'UMAP')")
    assert page.maps[0].false_neighbors > known.false_neighbors.max()
    above = (known.density_correlation > page.maps[0].density_correlation).sum()
    assert f"Of {len(known)} reference maps by t-SNE and UMAP, {above} are better." in " ".join(page.summary)
    row = next(line for line in str(page).splitlines() if line.startswith("density correlation"))
    low, high = known.query("map == 'UMAP'").density_correlation.agg(["min", "max"])
    assert f" {low:z.2f} to {high:.2f} " in row


def test_close_points_are_trusted_only_as_far_as_reference_maps_are():
    known = pd.read_csv(REFERENCES.OUTPUT).query("map in ('t-SNE', 'UMAP')").trustworthiness.min()
    for noise in (0, 0.05, 0.3):
        page = map_page(Y, Y + noise * R.standard_normal(Y.shape))
        said, worst = " ".join(page.summary), page.maps[0].trustworthiness < known
        assert ("Nothing was found against" in said, "but all 15 reference maps" in said) == (
            not worst,
            worst,
        )
    assert worst


@pytest.mark.numbers
def test_the_reference_maps_are_what_the_script_computes():
    table = pd.read_csv(REFERENCES.OUTPUT)
    assert f"{table.rows.min()} to {table.rows.max():,} points, {REFERENCES.NEIGHBORS} neighbors" in " ".join(
        map_page(X, Y).sections[1].notes
    )
    for kind, name in (("PCA", "iris"), ("UMAP", "wine"), ("MDS", "iris")):
        data = REFERENCES.preprocessing.scale(REFERENCES.datasets.load(name).X)
        found = REFERENCES.scored(data, REFERENCES.placed(name, data, kind))
        (known,) = table.query("map == @kind and data == @name").iloc[:, 4:].to_numpy()
        np.testing.assert_allclose([float(one) for one in found[: len(known)]], known, atol=2e-4)


def embedded(page):
    start = page.to_html().partition('<script type="application/json" id="points">')[2]
    return json.loads(start.partition("</script>")[0])


def test_equal_maps_agree_and_random_ones_do_not():
    labels = np.arange(60) % 3
    turned = Y @ [[0.0, 2.0], [-2.0, 0.0]]
    same = map_page(X, Y, turned, labels=labels).stability
    assert same.points.min() == 1
    assert same.disparity == pytest.approx(0, abs=1e-12)
    for _, _, low, high in same.pairs:
        assert low == pytest.approx(high)
    other = map_page(X, Y, R.standard_normal((60, 2)), R.standard_normal((60, 2)), labels=labels).stability
    assert other.points.mean() < 0.4
    ratios = [high / low for _, _, low, high in other.pairs]
    assert ratios == sorted(ratios, reverse=True)
    assert map_page(X, Y).stability is None


def test_a_row_for_each_point():
    page = map_page(X, Y, Y + 1, n_neighbors=4)
    points = point_quality(X, Y, n_neighbors=4)
    np.testing.assert_array_equal(page.points["trustworthiness_1"], points.trustworthiness)
    np.testing.assert_array_equal(page.points["x_2"], Y[:, 0] + 1)
    assert page.points["row"].tolist() == list(range(60))
    assert {"torn_region_1", "invented_region_2", "stability"} <= set(page.points)


def test_of_many_points_a_sample_is_shown(monkeypatch):
    monkeypatch.setattr("isotropy_report.maps.build.SHOWN", 40)
    page = map_page(X, Y, Y[::-1], texts=[f"text {i}" for i in range(60)], labels=np.arange(60) % 13)
    assert len(page.points) == 40 < SHOWN
    shown = embedded(page)
    assert shown["texts"] == [f"text {i}" for i in page.points.row]
    assert len(shown["labels"]) == 11  # ten of thirteen labels, and the others
    alone = map_page(X, Y, Y[::-1], labels=np.arange(60))  # most labels are not in the sample
    assert np.isfinite([pair[2:] for pair in alone.stability.pairs]).all()
    assert len(alone.stability.pairs) == 40 * 39 / 2


def test_points_among_which_no_region_was_searched_for_have_none(monkeypatch):
    monkeypatch.setattr("isotropy_report.maps.measures.SEARCHED", 25)
    assert map_page(X, Y).points["torn_region"].notna().sum() == 25


@pytest.mark.parametrize(
    ("says", "call"),
    [
        ("X 19 rows 20", lambda: map_page(X[:19], Y[:19])),
        ("maps", lambda: map_page(X)),
        ("map 1 3 columns", lambda: map_page(X, X[:, :3])),
        ("map 2 59 60", lambda: map_page(X, Y, Y[1:])),
        ("names 1 2", lambda: map_page(X, Y, Y, names=["a"])),
        ("labels (59,) 60", lambda: map_page(X, Y, labels=np.arange(59))),
        ("texts 59 60", lambda: map_page(X, Y, texts=["t"] * 59)),
        ("n_neighbors 30 29", lambda: map_page(X, Y, n_neighbors=30)),
        ("map 1 NaN row 3", lambda: map_page(X, np.where(np.arange(60)[:, None] == 3, np.nan, Y))),
        ("map 1", lambda: map_page(X, np.ones((60, 2)))),
    ],
)
def test_bad_input_is_named(says, call):
    assert_refused(ValueError, says, call)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, Y, faulty = (one[:150] for one in planted("two clusters laid on each other"))
    np.save("vectors.npy", X)
    np.save("map.npy", Y)
    (tmp_path / "labels.txt").write_text("".join(f"{'ab'[int(one)]}\n" for one in faulty))
    (tmp_path / "texts.txt").write_text("".join(f"<b>text {i}</b>\n" for i in range(len(X))))
    return X, Y


COMMAND = ("map", "vectors.npy", "map.npy")


def test_the_command_writes_a_page_and_a_table(files, capsys, tmp_path):
    X, Y = files
    found = call_json(capsys, *COMMAND, "--labels", "labels.txt", "--texts", "texts.txt", "-o", "map.html",
                      "--points", "points.parquet")  # fmt: skip
    assert found["kind"] == "map"
    assert not {"maps", "points", "stability"} & set(found)  # megabytes, which --points writes
    (row,) = found["sections"]["scores"]["tables"]["scores"]
    scores = point_quality(X, Y, n_neighbors=10)
    assert row["trustworthiness"] == scores.trustworthiness.mean()
    table = pd.read_parquet("points.parquet")
    assert table["text"][3] == "<b>text 3</b>"
    np.testing.assert_array_equal(table["continuity"], scores.continuity)
    assert "<b>text" not in (tmp_path / "map.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--points", "points.txt"), "--points points.txt .parquet .csv"),
        (("--points", "no/points.csv"), "--points no"),
        (("--labels", "points.csv", "--points", "points.csv"), "--points --labels"),
        (("-o", "map.txt"), "--output"),
        (("-k", "500"), "500 74"),
    ],
)
def test_the_command_refuses_before_it_measures(files, capsys, words, says):
    with open("points.csv", "w", encoding="utf-8") as file:
        file.write("a\n" * 400)
    code, _, err = call(capsys, *COMMAND, *words)
    assert code == 2
    for word in says.split():
        assert word in err
    with open("points.csv", encoding="utf-8") as file:
        assert file.read() == "a\n" * 400


@pytest.mark.rest
@pytest.mark.parametrize("width", [390, 1280])
def test_a_point_is_chosen_by_click_and_by_keyboard(files, capsys, browser, tmp_path, width):
    X, Y = files
    labels = (tmp_path / "labels.txt").read_text().split()
    called = [f"<b>text {i}</b> ({label})" for i, label in enumerate(labels)]
    np.save("again.npy", Y)
    words = (*COMMAND, "again.npy", "--labels", "labels.txt", "--texts", "texts.txt", "-o", "map.html")
    assert call(capsys, *words)[0] == 0
    opened = browser.new_page(viewport={"width": width, "height": 900})
    problems = []
    opened.on("pageerror", lambda one: problems.append(str(one)))
    opened.on("request", lambda one: problems.append(one.url) if not one.url.startswith("file:") else None)
    opened.goto((tmp_path / "map.html").as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.evaluate("document.querySelector('details:has(.wide)').open = true")
    narrow = "(one) => one.clientWidth && one.scrollWidth <= one.clientWidth"
    assert opened.evaluate(f"[...document.querySelectorAll('.wide')].every({narrow})")
    canvas, chosen = opened.locator("canvas").first, opened.locator(".chosen")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    size = 0.94 * min(box["width"], box["height"])
    unit = (Y - (Y.min(axis=0) + Y.max(axis=0)) / 2) / np.ptp(Y, axis=0).max()
    alone = int(np.argmax(np.abs(unit).sum(axis=1)))
    position = {"x": box["width"] / 2 + unit[alone, 0] * size, "y": box["height"] / 2 - unit[alone, 1] * size}
    canvas.click(position=position)
    points = point_quality(X, Y, n_neighbors=10)
    assert chosen.locator("strong").first.inner_text() == called[alone]
    listed = chosen.locator(".lists > details").nth(0).locator("button").all_inner_texts()
    assert listed == [called[i] for i in points.data_neighbors[alone]]
    assert f" {len(points.false_neighbors(alone))} of 10 " in chosen.inner_text()
    canvas.press("ArrowLeft" if unit[alone, 0] > 0 else "ArrowRight")
    moved = chosen.locator("strong").first.inner_text()
    assert moved != called[alone]
    assert opened.evaluate("document.activeElement.tagName") == "CANVAS"
    canvas.press("Backspace")
    assert chosen.locator("strong").first.inner_text() == called[alone]
    chosen.locator(".lists button").first.click()
    assert chosen.locator("strong").first.inner_text() == listed[0]
    opened.keyboard.press("Backspace")  # the map has the focus again
    assert chosen.locator("strong").first.inner_text() == called[alone]
    region = opened.locator(".summary button").first
    region.press("Enter")
    assert region.inner_text() == "region I1"
    assert re.match(r"Region I1 \(invented\) has \d+ .*\(b: \d+", chosen.inner_text())
    assert opened.evaluate("document.activeElement.tagName") == "CANVAS"
    assert not problems
    opened.close()
