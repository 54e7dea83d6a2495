"""Tests that figures can be drawn without overlapping text, and that the main ones show their tables."""

import numpy as np
import pytest

from reanalyses.smelser2025 import experiments, figures
from reanalyses.smelser2025.experiments import projections
from tests.reanalyses.figure_rules import assert_drawn_and_clear, figures_of

pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def data():
    """Return every table from which a figure is drawn, small if possible."""
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
        "outlier": experiments.outlier_curve(),
        "floored": experiments.floored_gaussian_curve(
            clusters.X, clusters.Y["pca"], scales=np.geomspace(1e-3, 10, 81), perplexity=8.8
        ),
        "shepard": experiments.shepard_diagram(published, max_pairs=300),
        "orders": {one.dataset.name: experiments.stress_orders(one) for one in (iris, wine)},
        "noisy": noisy,
        "correlations": experiments.noise_correlations(noisy),
        "table_3_range": experiments.table_3_range(scores, scores),
        "kl_orders": experiments.kl_order_table(scores),
        "survey": experiments.table_6(),
        "preprocessing": experiments.preprocessing_table(judged),
    }


@pytest.fixture(scope="module")
def drawn(data):
    return {
        "stress_curves": figures.stress_curves(data["stress"], data["crossings"]),
        "kl_curves": figures.kl_curves(data["kl"], data["kl_summary"]),
        "divergence_curve": figures.divergence_curve(*data["outlier"]),
        "floored_gaussian": figures.floored_gaussian(data["floored"]),
        "shepard_diagrams": figures.shepard_diagrams(data["shepard"]),
        "order_bars": figures.order_bars(data["orders"]),
        "sensitivity": figures.sensitivity(data["noisy"]),
        "noise_correlations": figures.noise_correlations(data["correlations"]),
        "table_3_range": figures.table_3_range(data["table_3_range"]),
        "kl_order_percentages": figures.kl_order_percentages(data["kl_orders"]),
        "rank_changes": figures.rank_changes(data["survey"]),
        "preprocessing": figures.preprocessing(data["preprocessing"]),
    }


def test_every_figure_is_drawn_and_clear(drawn):
    assert_drawn_and_clear(drawn, figures_of(figures))


def test_curves_and_marks_are_the_numbers(drawn, data):
    ax = drawn["stress_curves"].axes[0]
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 51]
    for line, (_, part) in zip(lines, data["stress"].groupby("method", sort=False), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), part["stress"])
    circles = ax.get_lines()[-1]
    np.testing.assert_array_equal(circles.get_xdata(), data["crossings"]["scale"])
    minima = [line for line in drawn["divergence_curve"].axes[0].get_lines() if line.get_marker() == "s"]
    np.testing.assert_array_equal(minima[0].get_ydata(), data["outlier"][1]["divergence"])
    markers = [line for line in drawn["floored_gaussian"].axes[0].get_lines() if line.get_marker() in "os"]
    assert [len(line.get_xdata()) for line in markers] == [1, 2]


def test_table_3_shows_what_is_possible_and_what_is_printed(drawn, data):
    table = data["table_3_range"].query("method == 'random' and (scale == 1 or measure == 'ns')")
    # Where a lesson ran in this process before, titles stand on the left.
    titles = {ax.get_title() or ax.get_title(loc="left"): ax for ax in drawn["table_3_range"].axes}
    ax = titles["random before MDS"]
    bars = ax.collections[0].get_segments()
    assert sorted(bar[:, 0].tolist() for bar in bars) == sorted(table[["least", "most"]].values.tolist())
    hollow, filled = ax.get_lines()
    assert sorted(hollow.get_xdata()) == sorted(table["printed"])
    assert sorted(filled.get_xdata()) == sorted(table["consistent"])
    assert hollow.get_marker() != filled.get_marker()
