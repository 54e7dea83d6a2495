"""Tests of map pages: scores against naive ones, sentences, tables, and the page in a browser."""

import functools
import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from benchmarks.calibration.maps import PLANTED
from isotropy_lab.projection import point_quality
from isotropy_report import explore_map, map_page
from isotropy_report.maps.build import MAX_SHOWN
from tests.isotropy_lab.bad_input import assert_refused
from tests.isotropy_report.command_line import call, call_json

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 5))
Y = X[:, :2]


@functools.cache
def planted_page(name):
    X, Y, _, faulty = PLANTED[name](np.random.default_rng(5))
    return X, Y, faulty, map_page(X, Y, labels=faulty)


def test_perfect_maps_have_perfect_scores_and_no_regions():
    page = map_page(Y, 3 * Y)
    scores = page.maps[0]
    assert scores.trustworthiness == scores.continuity == pytest.approx(1)
    assert scores.stress == pytest.approx(0, abs=1e-12)
    assert scores.false_neighbors == scores.reversed_triples == 0
    assert scores.density_correlation == pytest.approx(1)
    assert len(page.summary) == 4


def test_cosine_measures_normalized_rows():
    rows = X * np.linspace(1, 9, 60)[:, None]
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    pages = [map_page(rows, Y), map_page(rows, Y, metric="cosine"), map_page(units, Y)]
    scores = [page.maps[0].density_correlation for page in pages]
    assert scores[0] != scores[1] == pytest.approx(scores[2])
    assert ["normalizes" in page.summary[-1] for page in pages] == [True, False, False]
    assert ["Euclidean" in page.summary[-1] for page in pages] == [True, False, True]
    with pytest.raises(ValueError, match="zero vectors in 1 of 60 rows, first in row 3"):
        map_page(np.where(np.arange(60)[:, None] == 3, 0.0, X), Y, metric="cosine")


def test_random_maps_have_chance_scores():
    data = RNG.standard_normal((400, 9))
    scores = map_page(data, RNG.standard_normal((400, 2))).maps[0]
    assert scores.trustworthiness == pytest.approx(0.5, abs=0.03)
    assert scores.false_neighbors == pytest.approx(1 - 10 / 399, abs=0.01)
    assert scores.reversed_triples == pytest.approx(0.5, abs=0.03)
    assert scores.density_correlation == pytest.approx(0, abs=0.15)
    assert scores.regions.n_invented == scores.regions.n_torn == 0


def test_reversed_triples_agree_with_all_triples():
    line = np.arange(30.0)[:, None]
    swapped = np.where(line < 15, line + 15, line - 15)
    scores = map_page(line, np.hstack([swapped, np.zeros_like(line)])).maps[0]
    a, b, c = np.meshgrid(*3 * [np.arange(30)], indexing="ij")
    differ = (a != b) & (b != c) & (a != c)
    signs = [np.sign(np.abs(v[a] - v[b]) - np.abs(v[a] - v[c])) for v in (line[:, 0], swapped[:, 0])]
    assert scores.reversed_triples == pytest.approx((signs[0] * signs[1] < 0)[differ].mean(), abs=0.02)


@pytest.mark.parametrize(
    ("name", "letter"), [("two clusters laid on each other", "I1"), ("one cluster cut in two", "T1")]
)
def test_regions_are_summarized_and_outlined(name, letter):
    X, Y, _, page = planted_page(name)
    data = embedded_points(page)
    (region,) = data["maps"][0]["regions"]
    assert f"region {letter} ({(size := len(region['points']))} points; {size} True)" in page.summary[0]
    assert page.sections[1].tables[0].rows[0][-2:] == ((1, 0) if letter == "I1" else (0, 1))
    assert len(region["outlines"]) == (2 if letter == "T1" else 1)
    assert 0 <= np.min(np.concatenate(region["outlines"])) <= np.max(np.concatenate(region["outlines"])) <= 1
    distances = [cdist(points, points) for points in (X, Y)]
    near = [np.argsort(D, axis=1)[:, 1:11] for D in distances]
    side, far, close = (distances[1], *near) if letter == "T1" else (distances[0], *near[::-1])
    ratios = np.take_along_axis(side, far, 1).mean(axis=1) / np.take_along_axis(side, close, 1).mean(axis=1)
    inside = np.isin(np.arange(len(X)), region["points"])
    match = re.search(r"([\d.]+) times as far .*\(median; ([\d.]+) for the other points", page.summary[0])
    medians = np.median(ratios[inside]), np.median(ratios[~inside])
    np.testing.assert_allclose([float(number) for number in match.groups()], medians, atol=0.051)


def test_maps_are_compared_with_reference_maps():
    X = RNG.standard_normal((200, 9)) * [9, 6, *[1] * 7]
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    pca_map = U[:, :2] * S[:2]
    random_page, pca_page = (map_page(X, Y) for Y in (RNG.standard_normal((200, 2)), pca_map))
    names, *columns = zip(*random_page.sections[1].tables[0].displayed_rows(), strict=True)
    scores_of = {column[0]: dict(zip(names, column, strict=True)) for column in columns}
    assert list(scores_of) == ["map 1", "best", "random map", "t-SNE of these data", "PCA of these data"]
    for key in ("trustworthiness", "continuity", "stress", "false_neighbors", "density_correlation"):
        expected = getattr(pca_page.maps[0], key)
        assert scores_of["PCA of these data"][key.replace("_", " ")] == f"{expected:.2f}"
    assert float(scores_of["t-SNE of these data"]["trustworthiness"]) > 0.8
    summary = " ".join(random_page.summary)
    assert summary.count("so a better map may be possible") == 4
    assert "clearly better" not in summary
    positions = [
        summary.find(text) for text in ("a cluster in the map", "the nearest points", "A is more", "a dense")
    ]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert "so a better map may be possible" not in " ".join(map_page(X[:, :2], X[:, :2]).summary)


def test_false_neighbors_forbid_a_statement_that_trustworthiness_would_permit():
    X = np.random.default_rng(0).standard_normal((600, 30)) * np.repeat([2.5, 1.0], [2, 28])
    page = map_page(X, X[:, :2])
    assert page.maps[0].trustworthiness > 0.8
    assert page.maps[0].false_neighbors > 0.85
    assert "nothing may be said" in " ".join(page.summary)


def test_statements_depend_on_trustworthiness_outside_regions():
    for noise in (0, 0.05, 3):
        page = map_page(Y, Y + noise * RNG.standard_normal(Y.shape))
        summary, trusted = " ".join(page.summary), page.maps[0].trustworthiness >= 0.8
        assert ("You may say, with care" in summary) == trusted != ("nothing may be said" in summary)
        assert ("a cluster in the map" in summary) == ("No region is outlined" in summary) != trusted
    assert not trusted
    page = planted_page("two clusters laid on each other")[-1]
    inside = page.maps[0].regions.invented == 0
    means = [page.maps[0].points.trustworthiness[rows].mean() for rows in (~inside, inside)]
    assert means[0] - means[1] > 0.1
    assert "outside of region I1 come from" in page.summary[-3]
    assert "trustworthiness is {:.2f} there and {:.2f} in I1".format(*means) in page.summary[-3]


def embedded_points(page):
    start = page.to_html().partition('<script type="application/json" id="points">')[2]
    return json.loads(start.partition("</script>")[0])


def test_stability_of_equal_and_random_maps():
    labels = np.arange(60) % 3
    rotated = Y @ [[0.0, 2.0], [-2.0, 0.0]]
    equal = map_page(X, Y, rotated, labels=labels).stability
    assert equal.points.min() == 1
    assert equal.disparity == pytest.approx(0, abs=1e-12)
    for _, _, low, high in equal.pairs:
        assert low == pytest.approx(high)
    random = map_page(X, Y, *RNG.standard_normal((2, 60, 2)), labels=labels).stability
    assert random.points.mean() < 0.4
    ratios = [high / low for _, _, low, high in random.pairs]
    assert ratios == sorted(ratios, reverse=True)
    assert map_page(X, Y).stability is None


def test_points_table_has_a_row_per_point():
    page = map_page(X, Y, Y + 1, n_neighbors=4)
    points = point_quality(X, Y, n_neighbors=4)
    np.testing.assert_array_equal(page.points["trustworthiness_1"], points.trustworthiness)
    np.testing.assert_array_equal(page.points["x_2"], Y[:, 0] + 1)
    assert page.points["row"].tolist() == list(range(60))
    assert {"torn_region_1", "invented_region_2", "stability"} <= set(page.points)


def test_large_maps_show_a_sample(monkeypatch):
    monkeypatch.setattr("isotropy_report.maps.build.MAX_SHOWN", 40)
    page = map_page(X, Y, Y[::-1], texts=[f"text {i}" for i in range(60)], labels=np.arange(60) % 13)
    assert len(page.points) == 40 < MAX_SHOWN
    data = embedded_points(page)
    assert data["texts"] == [f"text {i}" for i in page.points.row]
    assert len(data["labels"]) == 11  # ten of thirteen labels, and the others
    many_labels = map_page(X, Y, Y[::-1], labels=np.arange(60))  # most labels are not in the sample
    assert np.isfinite([pair[2:] for pair in many_labels.stability.pairs]).all()
    assert len(many_labels.stability.pairs) == 40 * 39 / 2


def test_regions_of_large_maps_are_searched_in_a_sample(monkeypatch):
    monkeypatch.setattr("isotropy_report.maps.build.MAX_SEARCHED", 25)
    page = map_page(X, Y)
    sample = page.maps[0].searched
    assert page.points["torn_region"].notna().sum() == 25 == len(sample)
    _, _, _, _, column, *_ = zip(*page.sections[1].tables[0].displayed_rows(), strict=True)
    assert column[0] == "map 1, 25 points"
    points = point_quality(X[sample], Y[sample], n_neighbors=10)
    assert column[1:3] == (f"{points.trustworthiness.mean():.2f}", f"{points.continuity.mean():.2f}")
    assert "of 25 of these points" in page.summary[-2]
    for in_data, in_map in re.findall(r"on average (\S+) are .*?this map (\S+), on", " ".join(page.summary)):
        assert (
            float(in_map) == pytest.approx(10 * (points.data_ranks > 10).mean(), abs=0.051) != float(in_data)
        )


@pytest.mark.parametrize("function", [map_page, explore_map])
@pytest.mark.parametrize(
    ("expected_words", "arguments", "options"),
    [
        ("X 19 rows 20", (X[:19], Y[:19]), {}),
        ("maps", (X,), {}),
        ("map 1 3 columns", (X, X[:, :3]), {}),
        ("map 2 59 60", (X, Y, Y[1:]), {}),
        ("labels (59,) 60", (X, Y), {"labels": np.arange(59)}),
        ("texts 59 60", (X, Y), {"texts": ["t"] * 59}),
        ("n_neighbors 30 29", (X, Y), {"n_neighbors": 30}),
        ("map 1 NaN row 3", (X, np.where(np.arange(60)[:, None] == 3, np.nan, Y)), {}),
        ("map 1", (X, np.ones((60, 2))), {}),
    ],
)
def test_errors_name_the_cause(function, expected_words, arguments, options):
    assert_refused(ValueError, expected_words, lambda: function(*arguments, **options))
    assert_refused(ValueError, "names 1 2", lambda: map_page(X, Y, Y, names=["a"]))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, Y, faulty = (array[:150] for array in planted_page("two clusters laid on each other")[:3])
    np.save("vectors.npy", X)
    np.save("map.npy", Y)
    (tmp_path / "labels.txt").write_text("".join(f"{'ab'[int(is_faulty)]}\n" for is_faulty in faulty))
    (tmp_path / "texts.txt").write_text("".join(f"<b>text {i}</b>\n" for i in range(len(X))))
    return X, Y


COMMAND = ("map", "vectors.npy", "map.npy")


def test_command_writes_a_page_and_a_table(files, capsys, tmp_path):
    X, Y = files
    result = call_json(capsys, *COMMAND, "--labels", "labels.txt", "--texts", "texts.txt", "-o", "map.html",
                      "--points", "points.parquet")  # fmt: skip
    assert result["kind"] == "map"
    assert not {"maps", "points", "stability"} & set(result)  # megabytes, which --points writes
    (row,) = result["sections"]["scores"]["tables"]["scores"]
    scores = point_quality(X, Y, n_neighbors=10)
    assert row["trustworthiness"] == scores.trustworthiness.mean()
    table = pd.read_parquet("points.parquet")
    assert table["text"][3] == "<b>text 3</b>"
    np.testing.assert_array_equal(table["continuity"], scores.continuity)
    assert "<b>text" not in (tmp_path / "map.html").read_text(encoding="utf-8")
    note = result["sections"]["scores"]["notes"][0][:40]
    for words, end in (
        ((), "Add --notes"),
        (("--notes", "-o", "map.html"), "150 points, 10 neighbors. The page"),
    ):
        out = call(capsys, *COMMAND, *words)[1]
        assert (note in out) == ("--notes" in words)
        assert out.splitlines()[-1].startswith(end)


@pytest.mark.parametrize(
    ("arguments", "expected_words"),
    [
        (("--points", "points.txt"), "--points points.txt .parquet .csv"),
        (("--points", "no/points.csv"), "--points no"),
        (("--labels", "points.csv", "--points", "points.csv"), "--points --labels"),
        (("-o", "map.txt"), "--output"),
        (("-k", "500"), "500 74"),
    ],
)
def test_command_checks_outputs_before_measuring(files, capsys, arguments, expected_words):
    with open("points.csv", "w", encoding="utf-8") as file:
        file.write("a\n" * 400)
    code, _, err = call(capsys, *COMMAND, *arguments)
    assert code == 2
    for word in expected_words.split():
        assert word in err
    with open("points.csv", encoding="utf-8") as file:
        assert file.read() == "a\n" * 400


@pytest.mark.rest
@pytest.mark.parametrize("width", [390, 1280])
def test_points_are_selected_by_mouse_and_keyboard(files, capsys, browser, tmp_path, width):
    X, Y = files
    labels = (tmp_path / "labels.txt").read_text().split()
    labels_of_points = [f"<b>text {i}</b> ({label})" for i, label in enumerate(labels)]
    np.save("again.npy", Y)
    words = (*COMMAND, "again.npy", "--labels", "labels.txt", "--texts", "texts.txt", "-o", "map.html")
    assert call(capsys, *words)[0] == 0
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: problems.append(r.url) if not r.url.startswith("file:") else None)
    page.goto((tmp_path / "map.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelector('details:has(.wide)').open = true")
    narrow = "(e) => e.clientWidth && e.scrollWidth <= e.clientWidth"
    assert page.evaluate(f"[...document.querySelectorAll('.wide')].every({narrow})")
    canvas, panel = page.locator("canvas").first, page.locator(".chosen")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    size = 0.94 * min(box["width"], box["height"])
    unit = (Y - (Y.min(axis=0) + Y.max(axis=0)) / 2) / np.ptp(Y, axis=0).max()
    row = int(np.argmax(np.abs(unit).sum(axis=1)))
    position = {"x": box["width"] / 2 + unit[row, 0] * size, "y": box["height"] / 2 - unit[row, 1] * size}
    canvas.click(position=position)
    points = point_quality(X, Y, n_neighbors=10)
    assert panel.locator("strong").first.inner_text() == labels_of_points[row]
    listed = panel.locator(".lists > details").nth(0).locator("button").all_inner_texts()
    assert listed == [labels_of_points[i] for i in points.data_neighbors[row]]
    assert f" {len(points.false_neighbors(row))} of 10 " in panel.inner_text()
    canvas.press("ArrowLeft" if unit[row, 0] > 0 else "ArrowRight")
    moved = panel.locator("strong").first.inner_text()
    assert moved != labels_of_points[row]
    assert page.evaluate("document.activeElement.tagName") == "CANVAS"
    canvas.press("Backspace")
    assert panel.locator("strong").first.inner_text() == labels_of_points[row]
    panel.locator(".lists button").first.click()
    assert panel.locator("strong").first.inner_text() == listed[0]
    page.keyboard.press("Backspace")  # the map has the focus again
    assert panel.locator("strong").first.inner_text() == labels_of_points[row]
    region = page.locator(".summary button").first
    region.press("Enter")
    assert region.inner_text() == "region I1"
    assert re.match(r"Region I1 \(invented\) has \d+ .*\(b: \d+", panel.inner_text())
    assert page.evaluate("document.activeElement.tagName") == "CANVAS"
    assert page.locator("select").input_value() == "gray"  # as before
    canvas.press("Escape")
    assert panel.inner_text() == "No point is chosen. Rows are counted from 0."
    canvas.hover(position=position)
    assert page.locator(".pointed").inner_text() == labels_of_points[row]
    assert not problems
    page.close()
