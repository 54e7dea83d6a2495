"""Tests that the plots of the card show the data, on axes that several clouds can share."""

import json
import math
import re

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.isotropy import isotropy_scores
from isotropy_report.card import drawing, pictures, report_card
from isotropy_report.card.drawing import Axis
from isotropy_report.card.known import known_encoders
from isotropy_report.card.measures import variance_fractions
from isotropy_report.card.parts import Line
from isotropy_report.card.rows import Rows
from isotropy_report.card.strips import ENDS, ball_scores
from isotropy_report.card.survey import survey
from tests.conftest import script_module


def random_points(rng, n_points=120, n=6, *, mean=0.5):
    return rng.standard_normal((n_points, n)) * np.linspace(2, 0.5, n) + mean


def plot_data(X, *, sample_size=10_000, labels=None, name="x"):
    result = survey(Rows(np.asarray(X)), sample_size=sample_size, rng=np.random.default_rng(0))
    fractions = variance_fractions(result.moments)
    return pictures.picture_data(result, fractions, name=name, labels=labels, rng=np.random.default_rng(1))


def figures_of(data):
    return {figure.key: figure for figure in pictures.draw(data)}


def markers(svg, kind):
    """Return the positions of the markers of one class."""
    paths = re.findall(rf'<path class="{kind}" d="([^"]*)"/>', svg)
    return np.array([[float(x), float(y)] for path in paths for x, y in re.findall(r"M(\S+) (\S+?)m", path)])


def test_plot_data_agree_with_direct_computations(rng):
    X = random_points(rng)
    picture = plot_data(X)
    Y = X - X.mean(axis=0)
    # The plane: the mean square along each axis is that component's fraction of the variance.
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    np.testing.assert_allclose(np.square(picture.plane).mean(axis=0), (values / values.sum())[:2], rtol=1e-9)
    np.testing.assert_allclose(picture.fractions, values / values.sum(), rtol=1e-9)
    np.testing.assert_allclose(picture.coordinates, X.var(axis=0) / X.var(axis=0).sum(), rtol=1e-9)
    # All pairs, since they are few.
    i, j = np.triu_indices(len(X), 1)
    for values, Z in ((picture.cosines, X), (picture.centered, Y)):
        lengths = np.linalg.norm(Z, axis=1)
        naive = [Z[a] @ Z[b] / lengths[a] / lengths[b] for a, b in zip(i, j, strict=True)]
        np.testing.assert_allclose(values, naive, atol=1e-12)
    np.testing.assert_allclose(picture.lengths, np.linalg.norm(X, axis=1))
    # How often a row is a neighbor, with two loops.
    counts = np.zeros(len(X), dtype=int)
    U = X / np.linalg.norm(X, axis=1)[:, None]
    for a in range(len(X)):
        nearest = sorted((b for b in range(len(X)) if b != a), key=lambda b, a=a: -(U[a] @ U[b]))
        counts[nearest[: picture.n_neighbors]] += 1
    np.testing.assert_array_equal(picture.occurrences, counts)
    data = figures_of(picture)["neighbors"].data
    assert picture.hub == counts.argmax()
    assert f"row {picture.hub} is {counts.max()} times" in figures_of(picture)["neighbors"].alt
    assert (data["n_neighbors"], data["most"]) == (10, counts.max())
    assert data["never"] == pytest.approx((counts == 0).mean())
    assert data["skewness"] == pytest.approx(stats.skew(counts))


@pytest.mark.parametrize("scale", [1.0, 1e-250, 1e-30, 1e200])
def test_plots_are_invariant_under_rotation_and_scale(rng, scale):
    X = random_points(rng)
    rotation = np.linalg.qr(rng.standard_normal((6, 6)))[0] if scale == 1.0 else np.eye(6)
    picture, transformed = plot_data(X), plot_data(X @ rotation * scale)
    np.testing.assert_allclose(picture.fractions, transformed.fractions, rtol=1e-9)
    np.testing.assert_allclose(np.abs(picture.plane), np.abs(transformed.plane), atol=1e-9)
    np.testing.assert_allclose(picture.cosines, transformed.cosines, atol=1e-9)
    np.testing.assert_array_equal(picture.occurrences, transformed.occurrences)
    np.testing.assert_allclose(picture.lengths * scale, transformed.lengths)
    assert "nan" not in "".join(figure.svg for figure in pictures.draw(transformed))


def test_zero_and_repeated_rows_are_left_out_of_neighbors(rng):
    X = random_points(rng)
    X[5] = 0
    X[50:60] = X[49]
    picture = plot_data(X)
    assert picture.occurrences.size == len(X) - 1 - 10
    assert picture.cosines.size == (len(X) - 1) * (len(X) - 2) // 2  # pairs with the row of zeros have none
    assert "109 rows, no two equal and none zero" in figures_of(picture)["neighbors"].alt
    units = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)  # with one row of zeros
    assert "nearly all lengths are 1" in figures_of(plot_data(units))["lengths"].alt
    assert "lengths" not in figures_of(plot_data(np.delete(units, 5, axis=0)))  # all are 1


def test_samples_are_bounded_and_stated(rng, monkeypatch):
    monkeypatch.setattr(pictures, "_NEIGHBOR_ROWS", 100)
    assert [plot_data(random_points(rng, n)).whole for n in (99, 100, 101)] == [True, True, False]
    plots = figures_of(plot_data(random_points(rng, 3_000), sample_size=2_000))
    assert "2,000 of the 3,000 rows, drawn at random" in plots["plane"].alt
    assert plots["plane"].data["rows_shown"] == 2_000
    assert "20,000 pairs" in plots["cosines"].alt
    assert "100 drawn rows" in plots["neighbors"].alt


def test_labels_have_markers_and_the_rarest_share_one(rng):
    labels = np.repeat([*"abcdefghi", "<script>"], [50, 40, 30, 20, 15, 15, 10, 8, 7, 5])
    picture = plot_data(random_points(rng, 200), labels=labels)
    assert [name for name, _ in picture.classes] == ["a", "b", "c", "d", "e", "f", "4 others"]
    np.testing.assert_array_equal(picture.classes[1][1], np.flatnonzero(labels == "b"))
    svg = figures_of(picture)["plane"].svg
    for i in range(1, drawing.N_CLASSES + 1):
        assert len(markers(svg, f"k{i}")) == len(picture.classes[i - 1][1]) + 1  # and one in the legend
    assert len(markers(svg, "k0")) == 30 + 1
    svg = figures_of(plot_data(random_points(rng), labels=["<script>", "b"] * 60))["plane"].svg
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg


def test_values_outside_of_a_common_axis_count_at_its_ends():
    shares = pictures._histogram_shares(np.array([-9.0, 0.2, 0.3, 9.0]), np.array([0, 0.5, 1.0]))
    np.testing.assert_allclose(shares, [0.75, 0.25])


def test_outliers_outside_of_the_plot_are_counted(rng):
    X = random_points(rng, 1_000)
    X[7] *= 300
    figure = figures_of(plot_data(X))["plane"]
    assert figure.data["rows_outside"] == 1
    assert "1 row lies outside" in figure.alt
    assert "outside" not in figures_of(plot_data(random_points(rng, 1_000)))["plane"].alt


def test_largest_coordinate_is_named(rng):
    X = random_points(rng, 100, 300)
    X[:, 137] *= 200
    figure = figures_of(plot_data(X))["by_coordinate"]
    assert figure.data["largest"] == 137
    assert figure.data["fraction"] == pytest.approx(X[:, 137].var() / X.var(axis=0).sum(), rel=1e-5)
    assert len(figure.svg) < 20_000


def test_plots_side_by_side_share_an_axis(rng):
    pictures_of_models = [
        plot_data(random_points(rng), name="small"),
        plot_data(random_points(rng, 400, 40, mean=5.0) * 10, name="<large>"),
        plot_data(random_points(rng, 12, 3), name="few"),  # without neighbors
    ]
    for section in pictures.side_by_side(pictures_of_models):
        names = [figure.title for figure in section.figures]
        assert names == (["small", "<large>"] if section.key == "neighbors" else ["small", "<large>", "few"])
        rule = r'<line class="rule"[^>]*/><text[^>]*>[^<]*'
        grids = [re.findall(rule, figure.svg) for figure in section.figures]
        if section.key != "by_coordinate":  # across stand their own coordinates
            assert all(grid == grids[0] for grid in grids), section.key
        assert not any("nan" in figure.svg or "<large>" in figure.svg for figure in section.figures)


def test_strip_shows_score_interval_and_known_scores():
    known = {"one": 0.25, "two": 0.75, "three": 0.5}
    svg = drawing.strip(
        {"mine": Line("isoscore", 0.5, 0.25, 0.75)}, known, axis=Axis(0.0, 1.0), title="t", alt="a"
    )
    (marker,) = markers(svg, "value")
    x_of = {y: x for x, y in markers(svg, "known")}
    assert [x_of[y] for y in sorted(x_of)] == sorted(x_of.values(), reverse=True)  # in descending order
    assert marker[0] == pytest.approx(sorted(x_of.values())[1])
    interval = re.search(r'class="reach" x1="(\S+)" x2="(\S+)"', svg)
    assert [float(x) for x in interval.groups()] == [min(x_of.values()), max(x_of.values())]
    names = re.findall(r'text-anchor="end">([^<]*)', svg)
    assert names == ["mine", "two", "three", "one"]


def test_strips_agree_with_the_numbers_of_the_card(rng):
    card = report_card(random_points(rng, 450, 20))
    verdict_first = (card.section("pictures").figures[0], *card.section("scores").figures)
    assert [figure.key for figure in verdict_first] == [f"strip_{key}" for key in ENDS]
    assert next(iter(ENDS)) == "dimensions_used_corrected"
    for key, figure in zip(ENDS, verdict_first, strict=True):
        line = card.line(key)
        (score,) = figure.data["models"].values()
        assert (score["value"], score["low"], score["high"]) == (line.value, line.low, line.high)
        assert {encoder["n_points"] for encoder in figure.data["known"]} == {500}


@pytest.mark.parametrize(("n_points", "nearest"), [(310, 200), (320, 500), (10**7, 2_000)])
def test_known_encoders_have_the_nearest_number_of_rows(n_points, nearest):
    known = [e for e in known_encoders(n_points) if e.collection == "YANG definitions"]
    assert {e.encoder for e in known} == {"MiniLM", "E5", "USE", "SmolLM2", "GloVe", "word2vec"}
    assert {e.n_points for e in known} == {nearest}
    assert known_encoders(10**7)[-1].name == "MiniLM, Wiki"
    assert known_encoders(10**7)[-1].n_points == 10_000


@pytest.mark.parametrize("shape", [(20, 60), pytest.param((100, 100), marks=pytest.mark.rest), (400, 12)])
def test_ball_scores_agree_with_simulated_balls(shape):
    """The corrected score is cut off at 1, and so slightly lower."""
    rng = np.random.default_rng(0)
    samples = [isotropy_scores(rng.standard_normal(shape), n_neighbors=3) for _ in range(60)]
    for key, value in ball_scores(*shape).items():
        simulated = np.array([getattr(sample, key) for sample in samples])
        tolerance = max(4 * simulated.std() / math.sqrt(60), 0.05 if "corrected" in key else 0.01)
        assert abs(simulated.mean() - value) < tolerance, key
    section = report_card(rng.standard_normal(shape)).section("scores")
    assert section.figures[1].data["ball"] == ball_scores(*shape)["isoscore"]


@pytest.mark.rest
@pytest.mark.numbers
def test_known_scores_agree_with_the_script():
    """The record names the embeddings of the book, and the scores of one encoder are computed again."""
    script = script_module("make_reference_scores")
    record = json.loads(script.OUTPUT.with_suffix(".json").read_text(encoding="utf-8"))
    for name in script.FAMILIES:
        assert record["embeddings_sha256"][name] == script.encoders.encoder_provenance(name)["sha256"]
    X = script.encoders.load("USE", "yang").documents[0].astype(np.float64)
    (known,) = (encoder for encoder in known_encoders(200) if encoder.encoder == "USE")
    draws = [script.scores(X, 200, seed) for seed in range(script.DRAWS)]
    for key, value in known.scores.items():
        if key == "dimensions_used_corrected":  # computed from the corrected IsoScore
            continue
        # Neighbors that are tied may change with the last bit.
        tolerance = {"abs": 2e-4 if key == "id_score" else 2e-6}
        assert np.mean([draw[key] for draw in draws]) == pytest.approx(value, **tolerance), key
