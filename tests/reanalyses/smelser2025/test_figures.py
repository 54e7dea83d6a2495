"""Figures show what the tables hold, in a form that does not need color, and fit a phone."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl

from tests.reanalyses import figure_rules

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from scipy.spatial.distance import pdist, squareform

from reanalyses.smelser2025 import experiments, figures
from reanalyses.smelser2025.datasets import load
from reanalyses.smelser2025.experiments import projections

#: A module for each flower.
MODULES = ["ietf-nat"] * 50 + ["ietf-hardware"] * 50 + ["ietf-system"] * 49


@pytest.fixture(scope="module")
def data():
    """Every table that a figure is drawn from, small where it can be."""
    scales = np.geomspace(1e-3, 1e2, 51)
    iris, wine = (projections(name) for name in ("iris", "wine"))
    scores = experiments.projection_scores(
        projections("iris", ("mds", "tsne", "pca", "random"), seeds=(0, 1))
    )
    noisy = experiments.sensitivity(
        [projections(name, ("mds", "random")) for name in ("iris", "wine")], n_steps=10
    )
    clusters = projections(experiments.clustered_points(), ("pca",), scaling="none")
    published = projections("wine", ("mds", "random"), preprocess="as-published")
    judged = [projections(name, ("mds", "tsne")) for name in ("penguins", "wine")]
    return {
        "stress": experiments.stress_curves(iris, scales=scales),
        "crossings": experiments.stress_crossings(iris),
        "kl": experiments.kl_curves(wine, scales=scales),
        "kl_summary": experiments.kl_summary(wine),
        "outlier": experiments.outlier_curve(scales=np.geomspace(1e-6, 1e3, 81)),
        "floored": experiments.floored_gaussian_curve(
            clusters.X, clusters.Y["pca"], scales=np.geomspace(1e-3, 10, 81), perplexity=8.8
        ),
        "shepard": experiments.shepard_diagram(published, max_pairs=300),
        "orders": {one.dataset.name: experiments.stress_orders(one) for one in (iris, wine)},
        "noisy": noisy,
        "correlations": experiments.noise_correlations(noisy),
        "account": experiments.table_3_account(scores, scores),
        "kl_orders": experiments.kl_order_table(scores),
        "survey": experiments.table_6(),
        "preprocessing": experiments.preprocessing_table(judged, measures=("sgs", "snkl")),
        "ranks": {method: squareform(pdist(Y)).argsort().argsort() for method, Y in iris.Y.items()},
    }


@pytest.fixture(scope="module")
def drawn(data):
    iris = projections("iris")
    found = {
        "projections": figures.projections(iris.Y, iris.dataset.labels, iris.dataset.label_names),
        "stress_curves": figures.stress_curves(data["stress"], data["crossings"]),
        "kl_curves": figures.kl_curves(data["kl"], data["kl_summary"], dot=1.5),
        "one_curve": figures.one_curve(*data["outlier"]),
        "floored_gaussian": figures.floored_gaussian(data["floored"]),
        "shepard_diagrams": figures.shepard_diagrams(data["shepard"]),
        "order_bars": figures.order_bars(data["orders"]),
        "sensitivity": figures.sensitivity(data["noisy"]),
        "noise_correlations": figures.noise_correlations(data["correlations"]),
        "account": figures.account(data["account"]),
        "kl_order_percentages": figures.kl_order_percentages(data["kl_orders"]),
        "rank_changes": figures.rank_changes(data["survey"]),
        "preprocessing": figures.preprocessing(data["preprocessing"]),
        "definitions": figures.definitions(iris.Y, MODULES, ["ietf-nat", "ietf-hardware"]),
        "rank_maps": figures.rank_maps(data["ranks"]["mds"], data["ranks"]),
        "kept_neighbors": figures.kept_neighbors(
            {"mds": np.linspace(0.5, 1, 148), "random": np.linspace(0, 1, 148)}, crossing=20
        ),
    }
    for figure in found.values():
        FigureCanvasAgg(figure).draw()  # once: laying out is slow
    return found


def test_every_figure_is_drawn(drawn):
    figure_rules.assert_all_are_drawn(drawn, figures.__all__)


def test_text_is_readable_and_the_ground_white(drawn):
    figure_rules.assert_readable(drawn)


def test_few_panels_to_a_row(drawn):
    # projections and ranks have no axes to read
    figure_rules.assert_few_panels(drawn, {"rank_changes": 4})


def test_no_two_texts_of_a_figure_overlap(drawn):
    figure_rules.assert_no_texts_overlap(drawn)


def test_color_is_never_the_only_sign(drawn):
    for name in ("stress_curves", "kl_curves", "sensitivity", "noise_correlations", "rank_changes"):
        handles = figure_rules.legend_of(drawn[name]).legend_handles
        markers = [handle.get_marker() for handle in handles]
        assert len(set(markers)) + (name == "stress_curves") >= len(markers), name
    lines = [line for line in drawn["stress_curves"].axes[0].get_lines() if len(line.get_xdata()) == 51]
    assert len({str(line._dash_pattern) for line in lines}) == 3
    patches = figure_rules.legend_of(drawn["order_bars"]).legend_handles
    assert len({patch.get_hatch() for patch in patches}) == len(patches)


def test_curves_and_marks_are_the_numbers(drawn, data):
    ax = drawn["stress_curves"].axes[0]
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 51]
    for line, (_, part) in zip(lines, data["stress"].groupby("method", sort=False), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), part["stress"])
    circles = ax.get_lines()[-1]
    np.testing.assert_array_equal(circles.get_xdata(), data["crossings"]["scale"])
    minima = [line for line in drawn["one_curve"].axes[0].get_lines() if line.get_marker() == "s"]
    np.testing.assert_array_equal(minima[0].get_ydata(), data["outlier"][1]["divergence"])
    markers = [line for line in drawn["floored_gaussian"].axes[0].get_lines() if line.get_marker() in "os"]
    assert [len(line.get_xdata()) for line in markers] == [1, 2]


def test_least_divergences_within_the_axis_are_marked(drawn, data):
    inside = data["kl_summary"].query("0.001 <= best_scale <= 100")
    marks = [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in drawn["kl_curves"].axes[0].get_lines()
        if line.get_markersize() == 8
    ]
    assert marks == list(inside[["best_scale", "scale_normalized_kl"]].itertuples(index=False, name=None))
    assert 1 < len(marks) < 3  # the random projection has its infimum at 0


def test_bars_of_orders_meet_at_the_crossings(drawn, data):
    ax = drawn["order_bars"].axes[0]
    bars = [(patch.get_y(), patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert len(bars) == sum(len(table) for table in data["orders"].values())
    for row, table in enumerate(data["orders"].values()):
        mine = sorted(bar for bar in bars if round(bar[0] + 0.3) == row)
        np.testing.assert_allclose([left for _, left, _ in mine[1:]], table["low"].iloc[1:])
        np.testing.assert_allclose([right for _, _, right in mine[:-1]], table["high"].iloc[:-1])
    labels = [text.get_text() for text in figure_rules.legend_of(drawn["order_bars"]).get_texts()]
    assert "random < MDS < t-SNE" in labels


def test_shepard_diagrams_show_pairs_and_fit(drawn, data):
    for ax, (_, part) in zip(
        drawn["shepard_diagrams"].axes, data["shepard"].groupby("method", sort=False), strict=True
    ):
        points, fit = ax.get_lines()
        np.testing.assert_array_equal(points.get_ydata(), part["e"])
        np.testing.assert_array_equal(fit.get_ydata(), part["fitted"])
        assert f"{abs(part['shepard_goodness'].iloc[0]):.3f}" in ax.get_title()


def test_sensitivity_shows_the_dataset_asked_for(data):
    first, second = (figures.sensitivity(data["noisy"], dataset=name) for name in ("iris", "wine"))
    for figure, name in ((first, "iris"), (second, "wine")):
        part = data["noisy"].query(f"dataset == '{name}' and method == 'mds' and measure == 'ns'")
        np.testing.assert_array_equal(figure.axes[0].get_lines()[0].get_ydata(), part["value"])
        assert len(figure.axes[1].get_lines()) == 4
    with pytest.raises(ValueError, match="dataset is 'irsi'; expected one of iris, wine"):
        figures.sensitivity(data["noisy"], dataset="irsi")


def test_percentages_are_ours_filled_and_the_printed_ones_hollow(drawn, data):
    for ax, (_, part) in zip(
        drawn["kl_order_percentages"].axes, data["kl_orders"].groupby("measure", sort=False), strict=True
    ):
        printed, ours = ax.get_lines()
        assert printed.get_markerfacecolor() == "none" != ours.get_markerfacecolor()
        np.testing.assert_array_equal(printed.get_xdata(), part["printed"])
        np.testing.assert_array_equal(ours.get_xdata(), part["percent"])


def test_lines_of_ranks_go_from_one_rank_to_the_other(drawn, data):
    axes = [ax for ax in drawn["rank_changes"].axes if ax.get_visible()]
    assert len(axes) == 16
    bank = data["survey"].query("dataset == 'bank'")
    ends = [line.get_ydata() for line in axes[0].get_lines()]
    np.testing.assert_array_equal(ends, bank[["ns_rank", "sns_rank"]])
    assert len(figures.rank_changes(data["survey"], datasets=["sms"]).axes) == 1
    with pytest.raises(ValueError, match="ranks have no smms"):
        figures.rank_changes(data["survey"], datasets=["smms"])


def test_preprocessing_is_hollow_as_published(drawn, data):
    for ax, (_, part) in zip(
        drawn["preprocessing"].axes, data["preprocessing"].groupby("measure", sort=False), strict=True
    ):
        hollow, filled = ax.get_lines()
        assert to_hex(hollow.get_markerfacecolor()) == "#ffffff" != to_hex(filled.get_markerfacecolor())
        np.testing.assert_array_equal(hollow.get_xdata(), part["as_published"])
        np.testing.assert_array_equal(filled.get_xdata(), part["consistent"])


def test_modules_that_are_shown_have_their_points_and_the_rest_is_gray(drawn):
    first = drawn["definitions"].axes[0].get_lines()
    assert [len(line.get_xdata()) for line in first] == [49, 50, 50]
    with pytest.raises(ValueError, match="ietf-vrrp, which are not among the modules"):
        figures.definitions({"pca": np.zeros((149, 2))}, MODULES, ["ietf-vrrp"])


def test_a_rank_map_has_all_on_the_diagonal_for_a_perfect_projection_and_chance_for_another(drawn):
    maps = [ax.collections[0].get_array() for ax in drawn["rank_maps"].axes[:3]]
    perfect, _, by_chance = (np.asarray(one) for one in maps)
    assert (perfect[~np.eye(len(perfect), dtype=bool)] == 0).all()
    assert (np.diag(perfect) > 1).all()
    assert abs(np.median(by_chance[-4:, -4:]) - 1) < 0.2


def test_the_corners_of_a_rank_map_have_the_names_of_the_mistakes(drawn):
    for ax in drawn["rank_maps"].axes[:3]:
        at = {text.get_text(): text.get_position() for text in ax.texts}
        (near, far), (right, low) = at["friends"], at["strangers"]
        assert near < 0.5 < far
        assert low < 0.5 < right


def test_a_dot_has_its_line(drawn):
    dotted = [line for line in drawn["kl_curves"].axes[0].get_lines() if line.get_label() == "a single dot"]
    assert [list(line.get_ydata()) for line in dotted] == [[1.5, 1.5]]


def test_classes_are_named_with_their_markers(drawn):
    entries = figure_rules.legend_of(drawn["projections"]).legend_handles
    lines = drawn["projections"].axes[0].get_lines()
    assert [entry.get_label() for entry in entries] == ["setosa", "versicolor", "virginica"]
    assert [entry.get_marker() for entry in entries] == [line.get_marker() for line in lines]


def test_kept_neighbors_are_the_numbers(drawn):
    mds, _, crossing = drawn["kept_neighbors"].axes[0].get_lines()
    assert set(crossing.get_xdata()) == {20}
    np.testing.assert_array_equal(mds.get_xdata(), np.arange(1, 149))
    np.testing.assert_array_equal(mds.get_ydata(), np.linspace(0.5, 1, 148))


def test_projections_by_quantity_and_without_labels():
    cars = load("auto-mpg")
    named = projections(cars, ("pca",)).Y
    colored = figures.projections(named, cars.labels).axes[0].collections[0]
    np.testing.assert_array_equal(colored.get_array(), cars.labels)
    np.testing.assert_array_equal(colored.get_offsets(), named["pca"])
    plain = figures.projections(named).axes[0].get_lines()
    assert len(plain) == 1


def test_figures_are_closed_and_settings_left_alone(data):
    before = dict(mpl.rcParams)
    figures.stress_curves(data["stress"])
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_importing_the_experiments_does_not_import_matplotlib():
    code = "import reanalyses.smelser2025.experiments, sys; "
    code += "sys.exit(any(m.split('.')[0] in ('matplotlib', 'seaborn') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.projections({}), "there is nothing to draw"),
        (
            lambda: figures.stress_curves(pd.DataFrame({"method": []})),
            "table lacks the columns scale, stress",
        ),
        (
            lambda: figures.kl_curves(pd.DataFrame({"method": []})),
            "table lacks the columns scale, divergence",
        ),
        (lambda: figures.one_curve(pd.DataFrame({"scale": []})), "table lacks the columns divergence"),
        (lambda: figures.floored_gaussian(pd.DataFrame({"scale": []})), "table lacks the columns divergence"),
        (lambda: figures.shepard_diagrams(pd.DataFrame({"d": []})), "table lacks the columns method"),
        (lambda: figures.order_bars({"x": pd.DataFrame({"order": []})}), "a table lacks the columns low"),
        (lambda: figures.sensitivity(pd.DataFrame({"step": []})), "table lacks the columns dataset"),
        (lambda: figures.noise_correlations(pd.DataFrame({"method": []})), "table lacks the columns dataset"),
        (
            lambda: figures.kl_order_percentages(pd.DataFrame({"order": []})),
            "table lacks the columns measure",
        ),
        (lambda: figures.rank_changes(pd.DataFrame({"dataset": []})), "ranks lacks the columns method"),
        (lambda: figures.preprocessing(pd.DataFrame({"dataset": []})), "table lacks the columns method"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_account_shows_what_is_possible_and_what_is_printed(drawn, data):
    table = data["account"].query("method == 'random' and (scale == 1 or measure == 'ns')")
    ax = next(ax for ax in drawn["account"].axes if ax.get_title() == "random before MDS")
    bars = ax.collections[0].get_segments()
    assert sorted(bar[:, 0].tolist() for bar in bars) == sorted(table[["least", "most"]].values.tolist())
    hollow, filled = ax.get_lines()
    assert sorted(hollow.get_xdata()) == sorted(table["printed"])
    assert sorted(filled.get_xdata()) == sorted(table["consistent"])
    assert hollow.get_marker() != filled.get_marker()
