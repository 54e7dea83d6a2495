"""Tests that each control of the map in a notebook updates image and tables as `point_quality` requires."""

import matplotlib.figure
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import TABLEAU_COLORS, to_hex

from isotropy_lab.projection import point_quality
from isotropy_report import explore_map

R = np.random.default_rng(1)
X = R.standard_normal((60, 5))
MAPS = X[:, :2], X[:, 2:4]
TEXTS = [f"<b>text {i}</b> $" for i in range(60)]
LABELS = [f"<i>{i % 9}" for i in range(60)]


@pytest.fixture
def drawn(monkeypatch):
    """Collect the axes of all images."""
    axes, subplots = [], matplotlib.figure.Figure.subplots

    def collecting(*arguments):
        axes.append(subplots(*arguments))
        return axes[-1]

    monkeypatch.setattr("matplotlib.figure.Figure.subplots", collecting)
    return axes


def rows(table):
    return [[cell.get_text() for cell in row("td")] for row in table.tbody("tr")]


def check(explored, drawn):
    """Compare the image and tables with the scores of the chosen map, K, and row."""
    of_map, measure, k, chosen, picture, tables = explored.children
    Y, row = MAPS[of_map.value - 1], chosen.value
    points = point_quality(X, Y, n_neighbors=k.value)
    ax = drawn[-1]
    cloud, crosses, ring = ax.collections
    np.testing.assert_array_equal(cloud.get_offsets(), Y)
    np.testing.assert_array_equal(crosses.get_offsets(), Y[points.false_neighbors(row)])
    np.testing.assert_array_equal(ring.get_offsets(), Y[[row]])
    ends = [np.transpose(line.get_data()) for line in ax.lines]
    np.testing.assert_array_equal(ends, [Y[[row, near]] for near in points.data_neighbors[row]])
    if measure.value != "labels":
        np.testing.assert_array_equal(cloud.get_array(), getattr(points, measure.value))
    of_row, in_data, in_map = BeautifulSoup(tables.value, "html.parser")("table")
    named = [[str(i), TEXTS[i], LABELS[i]] for i in range(60)]
    scores = [points.trustworthiness[row], points.continuity[row], points.stress[row]]
    (shown,) = rows(of_row)
    assert shown[:3] == named[row]
    np.testing.assert_allclose([float(one) for one in shown[3:]], scores, rtol=0, atol=6e-4)
    sides = (
        (in_data, points.data_neighbors, points.map_ranks),
        (in_map, points.map_neighbors, points.data_ranks),
    )
    for table, near, ranks in sides:
        expected = [[*named[i], str(rank)] for i, rank in zip(near[row], ranks[row], strict=True)]
        assert rows(table) == expected
    return picture.value, tables.value


def test_every_control_changes_picture_and_tables(drawn):
    explored = explore_map(X, *MAPS, labels=LABELS, texts=TEXTS, n_neighbors=4)
    of_map, measure, k, row, *_ = explored.children
    seen = [check(explored, drawn)]
    moves = [(k, 7), (row, 31), (of_map, 2), (k, 1), (row, 59), (measure, "continuity"), (measure, "stress")]
    for control, value in moves:
        control.value = value
        seen.append(check(explored, drawn))
    assert seen[0][0][:4] == b"\x89PNG"
    assert len({picture for picture, _ in seen}) == len(moves) + 1
    assert len({tables for _, tables in seen}) == len(moves) + 1 - 2  # the last two change colors only
    row.value, k.value = 99, 99
    assert (row.value, k.value) == (59, 29)  # the last row; K below N/2
    check(explored, drawn)


def test_labels_have_a_legend_and_their_colors(drawn):
    explored = explore_map(X, MAPS[0], labels=LABELS, texts=TEXTS)
    explored.children[1].value = "labels"
    _, html = check(explored, drawn)
    assert "<b>" not in html
    assert "<i>" not in html
    legend = BeautifulSoup(html.partition("<p>")[0], "html.parser")
    colors = {str(one.next_sibling).strip(): one["style"].partition(":")[2] for one in legend("span")}
    assert list(colors) == [*(f"<i>{i}" for i in range(7)), "other"]
    assert set(colors.values()) == set(list(TABLEAU_COLORS.values())[:8])
    cloud = drawn[-1].collections[0]
    assert [to_hex(one) for one in cloud.to_rgba(cloud.get_array())] == [
        colors.get(one, colors["other"]) for one in LABELS
    ]


def test_without_names_there_are_rows_only():
    of_map, measure, *_, tables = explore_map(X, X[:, :2]).children
    assert of_map.disabled
    assert measure.options == ("trustworthiness", "continuity", "stress")
    found = BeautifulSoup(tables.value, "html.parser")("table")[1]
    assert [one.get_text() for one in found("th")] == ["row", "rank in the map"]
