"""Tests that controls of the map in a notebook update plot and tables as `point_quality` requires."""

import matplotlib.figure
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import TABLEAU_COLORS, to_hex

from isotropy_lab.projection import point_quality
from isotropy_report import explore_map

RNG = np.random.default_rng(1)
X = RNG.standard_normal((60, 5))
MAPS = X[:, :2], X[:, 2:4]
TEXTS = [f"<b>text {i}</b> $" for i in range(60)]
LABELS = [f"<i>{i % 9}" for i in range(60)]


@pytest.fixture
def drawn_axes(monkeypatch):
    """Collect the axes of all plots."""
    axes, subplots = [], matplotlib.figure.Figure.subplots

    def collecting(*arguments):
        axes.append(subplots(*arguments))
        return axes[-1]

    monkeypatch.setattr("matplotlib.figure.Figure.subplots", collecting)
    return axes


def table_rows(table):
    return [[cell.get_text() for cell in row("td")] for row in table.tbody("tr")]


def check_widgets(explored, drawn_axes):
    """Compare the plot and tables with the scores of the selected map, K, and row."""
    map_number, measure, k, row_control, picture, tables = explored.children
    Y, row = MAPS[map_number.value - 1], row_control.value
    points = point_quality(X, Y, n_neighbors=k.value)
    ax = drawn_axes[-1]
    cloud, crosses, ring = ax.collections
    np.testing.assert_array_equal(cloud.get_offsets(), Y)
    np.testing.assert_array_equal(crosses.get_offsets(), Y[points.false_neighbors(row)])
    np.testing.assert_array_equal(ring.get_offsets(), Y[[row]])
    ends = [np.transpose(line.get_data()) for line in ax.lines]
    np.testing.assert_array_equal(ends, [Y[[row, neighbors]] for neighbors in points.data_neighbors[row]])
    if measure.value != "labels":
        np.testing.assert_array_equal(cloud.get_array(), getattr(points, measure.value))
    of_row, in_data, in_map = BeautifulSoup(tables.value, "html.parser")("table")
    descriptions = [[str(i), TEXTS[i], LABELS[i]] for i in range(60)]
    scores = [points.trustworthiness[row], points.continuity[row], points.stress[row]]
    (cells,) = table_rows(of_row)
    assert cells[:3] == descriptions[row]
    np.testing.assert_allclose([float(cell) for cell in cells[3:]], scores, rtol=0, atol=6e-4)
    sides = (
        (in_data, points.data_neighbors, points.map_ranks),
        (in_map, points.map_neighbors, points.data_ranks),
    )
    for table, neighbors, ranks in sides:
        expected = [[*descriptions[i], str(rank)] for i, rank in zip(neighbors[row], ranks[row], strict=True)]
        assert table_rows(table) == expected
    return picture.value, tables.value


def test_controls_update_plot_and_tables(drawn_axes):
    explored = explore_map(X, *MAPS, labels=LABELS, texts=TEXTS, n_neighbors=4)
    number, measure, k, row, *_ = explored.children
    states = [check_widgets(explored, drawn_axes)]
    steps = [(k, 7), (row, 31), (number, 2), (k, 1), (row, 59), (measure, "continuity"), (measure, "stress")]
    for control, value in steps:
        control.value = value
        states.append(check_widgets(explored, drawn_axes))
    assert states[0][0][:4] == b"\x89PNG"
    assert len({picture for picture, _ in states}) == len(steps) + 1
    assert len({tables for _, tables in states}) == len(steps) + 1 - 2  # the last two change colors only
    row.value, k.value = 99, 99
    assert (row.value, k.value) == (59, 29)  # the last row; K below N/2
    check_widgets(explored, drawn_axes)


def test_labels_have_a_legend_with_their_colors(drawn_axes):
    explored = explore_map(X, MAPS[0], labels=LABELS, texts=TEXTS)
    explored.children[1].value = "labels"
    _, html = check_widgets(explored, drawn_axes)
    assert "<b>" not in html
    assert "<i>" not in html
    legend = BeautifulSoup(html.partition("<p>")[0], "html.parser")
    colors = {str(item.next_sibling).strip(): item["style"].partition(":")[2] for item in legend("span")}
    assert list(colors) == [*(f"<i>{i}" for i in range(7)), "other"]
    assert set(colors.values()) == set(list(TABLEAU_COLORS.values())[:8])
    cloud = drawn_axes[-1].collections[0]
    assert [to_hex(item) for item in cloud.to_rgba(cloud.get_array())] == [
        colors.get(item, colors["other"]) for item in LABELS
    ]


def test_maps_without_names_list_rows_only():
    map_number, measure, *_, tables = explore_map(X, X[:, :2]).children
    assert map_number.disabled
    assert measure.options == ("trustworthiness", "continuity", "stress")
    table = BeautifulSoup(tables.value, "html.parser")("table")[1]
    assert [cell.get_text() for cell in table("th")] == ["row", "rank in the map"]
