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


def cloud(rng, n_points=120, n=6, *, mean=0.5):
    return rng.standard_normal((n_points, n)) * np.linspace(2, 0.5, n) + mean


def looked(X, *, sample_size=10_000, labels=None, name="x"):
    found = survey(Rows(np.asarray(X)), sample_size=sample_size, rng=np.random.default_rng(0))
    fractions = variance_fractions(found.moments)
    return pictures.picture_data(found, fractions, name=name, labels=labels, rng=np.random.default_rng(1))


def figures(one):
    return {figure.key: figure for figure in pictures.draw(one)}


def marks(svg, kind):
    """Return the positions of the markers of a class."""
    paths = re.findall(rf'<path class="{kind}" d="([^"]*)"/>', svg)
    return np.array([[float(x), float(y)] for path in paths for x, y in re.findall(r"M(\S+) (\S+?)m", path)])


# --- what the pictures show ---------------------------------------------------------------------------------


def test_what_is_shown_is_what_the_rows_say(rng):
    X = cloud(rng)
    one = looked(X)
    Y = X - X.mean(axis=0)
    # The plane: the mean square along each axis is that component's fraction of the variance.
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    np.testing.assert_allclose(np.square(one.plane).mean(axis=0), (values / values.sum())[:2], rtol=1e-9)
    np.testing.assert_allclose(one.fractions, values / values.sum(), rtol=1e-9)
    np.testing.assert_allclose(one.coordinates, X.var(axis=0) / X.var(axis=0).sum(), rtol=1e-9)
    # All pairs, since they are few.
    i, j = np.triu_indices(len(X), 1)
    for values, Z in ((one.cosines, X), (one.centered, Y)):
        lengths = np.linalg.norm(Z, axis=1)
        naive = [Z[a] @ Z[b] / lengths[a] / lengths[b] for a, b in zip(i, j, strict=True)]
        np.testing.assert_allclose(values, naive, atol=1e-12)
    np.testing.assert_allclose(one.lengths, np.linalg.norm(X, axis=1))
    # How often a row is a neighbor, with two loops.
    counts = np.zeros(len(X), dtype=int)
    U = X / np.linalg.norm(X, axis=1)[:, None]
    for a in range(len(X)):
        nearest = sorted((b for b in range(len(X)) if b != a), key=lambda b, a=a: -(U[a] @ U[b]))
        counts[nearest[: one.n_neighbors]] += 1
    np.testing.assert_array_equal(one.occurrences, counts)
    data = figures(one)["neighbors"].data
    assert one.hub == counts.argmax()
    assert f"row {one.hub} is {counts.max()} times" in figures(one)["neighbors"].alt
    assert (data["n_neighbors"], data["most"]) == (10, counts.max())
    assert data["never"] == pytest.approx((counts == 0).mean())
    assert data["skewness"] == pytest.approx(stats.skew(counts))


@pytest.mark.parametrize("scale", [1.0, 1e-250, 1e-30, 1e200])
def test_rotation_and_unit_change_only_coordinates_and_lengths(rng, scale):
    X = cloud(rng)
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0] if scale == 1.0 else np.eye(6)
    one, other = looked(X), looked(X @ turn * scale)
    np.testing.assert_allclose(one.fractions, other.fractions, rtol=1e-9)
    np.testing.assert_allclose(np.abs(one.plane), np.abs(other.plane), atol=1e-9)
    np.testing.assert_allclose(one.cosines, other.cosines, atol=1e-9)
    np.testing.assert_array_equal(one.occurrences, other.occurrences)
    np.testing.assert_allclose(one.lengths * scale, other.lengths)
    assert "nan" not in "".join(figure.svg for figure in pictures.draw(other))


def test_zero_and_repeated_rows_are_no_neighbors(rng):
    X = cloud(rng)
    X[5] = 0
    X[50:60] = X[49]
    one = looked(X)
    assert one.occurrences.size == len(X) - 1 - 10
    assert one.cosines.size == (len(X) - 1) * (len(X) - 2) // 2  # pairs with the row of zeros have none
    assert "109 rows, no two equal and none zero" in figures(one)["neighbors"].alt


def test_samples_are_bounded_and_said(rng, monkeypatch):
    monkeypatch.setattr(pictures, "_NEIGHBOR_ROWS", 100)
    assert [looked(cloud(rng, n)).whole for n in (99, 100, 101)] == [True, True, False]
    found = figures(looked(cloud(rng, 3_000), sample_size=2_000))
    assert "2,000 of the 3,000 rows, drawn at random" in found["plane"].alt
    assert found["plane"].data["rows_shown"] == 2_000
    assert "20,000 pairs" in found["cosines"].alt
    assert "100 drawn rows" in found["neighbors"].alt


# --- labels -------------------------------------------------------------------------------------------------


def test_labels_have_markers_and_the_rarest_are_others(rng):
    labels = np.repeat([*"abcdefghi", "<script>"], [50, 40, 30, 20, 15, 15, 10, 8, 7, 5])
    one = looked(cloud(rng, 200), labels=labels)
    assert [name for name, _ in one.classes] == ["a", "b", "c", "d", "e", "f", "4 others"]
    np.testing.assert_array_equal(one.classes[1][1], np.flatnonzero(labels == "b"))
    svg = figures(one)["plane"].svg
    for i in range(1, drawing.N_CLASSES + 1):
        assert len(marks(svg, f"k{i}")) == len(one.classes[i - 1][1]) + 1  # and one in the legend
    assert len(marks(svg, "k0")) == 30 + 1
    svg = figures(looked(cloud(rng), labels=["<script>", "b"] * 60))["plane"].svg
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg


# --- drawings -----------------------------------------------------------------------------------------------


def test_values_outside_of_a_common_axis_are_counted_at_its_ends():
    shares = pictures._histogram_shares(np.array([-9.0, 0.2, 0.3, 9.0]), np.array([0, 0.5, 1.0]))
    np.testing.assert_allclose(shares, [0.75, 0.25])


def test_rows_far_away_are_said_to_be_outside(rng):
    X = cloud(rng, 1_000)
    X[7] *= 300
    figure = figures(looked(X))["plane"]
    assert figure.data["rows_outside"] == 1
    assert "1 row lies outside" in figure.alt
    assert "outside" not in figures(looked(cloud(rng, 1_000)))["plane"].alt


def test_the_largest_coordinate_is_named(rng):
    X = cloud(rng, 100, 300)
    X[:, 137] *= 200
    figure = figures(looked(X))["by_coordinate"]
    assert figure.data["largest"] == 137
    assert figure.data["fraction"] == pytest.approx(X[:, 137].var() / X.var(axis=0).sum(), rel=1e-5)
    assert len(figure.svg) < 20_000


# --- several clouds -----------------------------------------------------------------------------------------


def test_clouds_side_by_side_stand_on_one_axis(rng):
    looks = [
        looked(cloud(rng), name="small"),
        looked(cloud(rng, 400, 40, mean=5.0) * 10, name="<large>"),
        looked(cloud(rng, 12, 3), name="few"),  # without neighbors
    ]
    for section in pictures.side_by_side(looks):
        names = [figure.title for figure in section.figures]
        assert names == (["small", "<large>"] if section.key == "neighbors" else ["small", "<large>", "few"])
        rule = r'<line class="rule"[^>]*/><text[^>]*>[^<]*'
        grids = [re.findall(rule, figure.svg) for figure in section.figures]
        if section.key != "by_coordinate":  # across stand their own coordinates
            assert all(grid == grids[0] for grid in grids), section.key
        assert not any("nan" in figure.svg or "<large>" in figure.svg for figure in section.figures)


# --- strips and known encoders ------------------------------------------------------------------------------


def test_a_strip_shows_the_score_its_interval_and_the_known_ones():
    known = {"one": 0.25, "two": 0.75, "three": 0.5}
    svg = drawing.strip(
        {"mine": Line("isoscore", 0.5, 0.25, 0.75)}, known, axis=Axis(0.0, 1.0), title="t", alt="a"
    )
    (place,) = marks(svg, "value")
    at = {y: x for x, y in marks(svg, "known")}
    assert [at[y] for y in sorted(at)] == sorted(at.values(), reverse=True)  # in descending order
    assert place[0] == pytest.approx(sorted(at.values())[1])
    reach = re.search(r'class="reach" x1="(\S+)" x2="(\S+)"', svg)
    assert [float(x) for x in reach.groups()] == [min(at.values()), max(at.values())]
    names = re.findall(r'text-anchor="end">([^<]*)', svg)
    assert names == ["mine", "two", "three", "one"]


def test_strips_of_a_card(rng):
    card = report_card(cloud(rng, 450, 20))
    section = card.section("scores")
    assert [figure.key for figure in section.figures] == [f"strip_{key}" for key in ENDS]
    for key, figure in zip(ENDS, section.figures, strict=True):
        line = card.line(key)
        (mine,) = figure.data["models"].values()
        assert (mine["value"], mine["low"], mine["high"]) == (line.value, line.low, line.high)
        assert {one["n_points"] for one in figure.data["known"]} == {500}


@pytest.mark.parametrize(("n_points", "nearest"), [(310, 200), (320, 500), (10**7, 2_000)])
def test_known_encoders_are_those_of_the_nearest_number_of_rows(n_points, nearest):
    found = [one for one in known_encoders(n_points) if one.collection == "YANG definitions"]
    assert {one.encoder for one in found} == {"MiniLM", "E5", "USE", "SmolLM2", "GloVe", "word2vec"}
    assert {one.n_points for one in found} == {nearest}
    assert known_encoders(10**7)[-1].name == "MiniLM, Wiki"
    assert known_encoders(10**7)[-1].n_points == 10_000


@pytest.mark.parametrize("shape", [(20, 60), pytest.param((100, 100), marks=pytest.mark.rest), (400, 12)])
def test_the_ball_is_of_the_same_size(shape):
    """The corrected score is clipped at 1, and so a little lower."""
    rng = np.random.default_rng(0)
    draws = [isotropy_scores(rng.standard_normal(shape), n_neighbors=3) for _ in range(60)]
    for key, value in ball_scores(*shape).items():
        found = np.array([getattr(draw, key) for draw in draws])
        reach = max(4 * found.std() / math.sqrt(60), 0.05 if "corrected" in key else 0.01)
        assert abs(found.mean() - value) < reach, key
    section = report_card(rng.standard_normal(shape)).section("scores")
    assert section.figures[1].data["ball"] == ball_scores(*shape)["isoscore"]


@pytest.mark.rest
@pytest.mark.numbers
def test_the_table_of_known_scores_is_what_the_script_computes():
    """The record names the embeddings of the book, and the scores of one encoder are computed again."""
    script = script_module("make_reference_scores")
    record = json.loads(script.OUTPUT.with_suffix(".json").read_text(encoding="utf-8"))
    for name in script.FAMILIES:
        assert record["embeddings_sha256"][name] == script.encoders.encoder_provenance(name)["sha256"]
    X = script.encoders.load("USE", "yang").documents[0].astype(np.float64)
    (known,) = (one for one in known_encoders(200) if one.encoder == "USE")
    draws = [script.scores(X, 200, seed) for seed in range(script.DRAWS)]
    for key, value in known.scores.items():
        # Neighbors that are tied may change with the last bit.
        close = {"abs": 2e-4 if key == "id_score" else 2e-6}
        assert np.mean([draw[key] for draw in draws]) == pytest.approx(value, **close), key
