"""Experiments and figures on scale: small, tidy, and right where they can be checked."""

import numpy as np
import pandas as pd
import pytest

from reanalyses import benchmarks_page
from reanalyses.scaling import experiments, figures
from reanalyses.scaling.cost import cost
from tests.reanalyses.figure_rules import assert_drawn_and_clear


def test_every_source_gives_one_answer():
    table = experiments.one_answer(3000, 24)
    assert len(table) >= 4
    assert table["difference"].abs().max() < 1e-6
    assert table["share_in_memory"].between(0, 1).all()


def test_costs_follow_the_model_and_the_machine():
    table = experiments.costs((10**5, 10**6))
    one = table.query("score == 'isoscore' and n_points == 1_000_000").iloc[0]
    paper = cost(10**6, 768, chunk_rows=100_000)
    assert one["seconds"] == pytest.approx(paper.bytes_read / 1e9 + paper.flops / 1e11)
    cluster = experiments.costs((10**9,), scores=("isoscore", "all-pairs"), machine="cluster")
    assert cluster["workers"].tolist() == [3200, 1]
    assert cluster["bytes_sent"].iloc[0] > 0


ERRORS = pd.DataFrame(
    {"offset": [1.0, 1e3, 1e6], "in a hurry": [1e-7, 0.2, 3e6], "with care": [0.0, 1e-15, 1e-12]}
)


@pytest.fixture(scope="module")
def drawn():
    X, Y = experiments.picture_of_many(300, 4)
    return {
        "lost_digits": figures.lost_digits(ERRORS, real=9.0),
        "benchmarks": figures.benchmarks(benchmarks_page.contenders(benchmarks_page.load())),
        "seconds_by_points": figures.seconds_by_points(experiments.costs()),
        "reach_by_pairs": figures.reach_by_pairs(experiments.pair_estimates(X, Y, n_pairs=(300, 900))),
    }


def test_every_figure_is_drawn_and_clear(drawn):
    assert_drawn_and_clear(drawn, figures.__all__)


def test_figures_draw_what_they_are_given(drawn):
    (ax,) = drawn["seconds_by_points"].axes
    assert len(ax.get_legend_handles_labels()[0]) == 4
    seconds = experiments.costs().query("score == 'isoscore'")["seconds"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), seconds)
    (ax,) = drawn["reach_by_pairs"].axes
    measured, falling = ax.lines[:2]
    assert falling.get_ydata()[0] == measured.get_ydata()[0] > measured.get_ydata()[1] > 0
    assert falling.get_ydata()[1] == pytest.approx(falling.get_ydata()[0] / np.sqrt(3), rel=0.02)
    (ax,) = drawn["lost_digits"].axes
    np.testing.assert_allclose(ax.lines[0].get_ydata(), ERRORS["in a hurry"])
    np.testing.assert_allclose(ax.lines[1].get_ydata(), [2.0**-53, 1e-15, 1e-12])
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), 9.0)
