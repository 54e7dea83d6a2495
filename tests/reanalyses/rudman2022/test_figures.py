"""Tests that figures can be drawn without overlapping text, and that the main ones show their tables."""

import numpy as np
import pandas as pd
import pytest

from reanalyses.rudman2022 import clouds, experiments, figures
from reanalyses.rudman2022.experiments import marks
from tests.reanalyses.figure_rules import assert_drawn_and_clear, figures_of

pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def curves():
    found = experiments.all_tests(n_points=1_000, rng=0)
    return {
        **found,
        "skewered_meatball": experiments.skewered_meatball(ball_points=(0, 1_000, 15_000), rng=0),
    }


@pytest.fixture(scope="module")
def layers():
    makers = [clouds.power_law_spectrum(200, 8, exponent=x, rng=1) + x for x in (0.0, 0.5, 1.0)]
    return experiments.scores_by_layer(makers)


@pytest.fixture(scope="module")
def drawn(curves, layers):
    reference = pd.DataFrame({"model": "M", "layer": [1, 2, 3, 4], "isoscore": [0.1, 0.2, 0.1, 0.05]})
    coverage = experiments.interval_coverage(cells=((5, 40), (5, 80)), n_repeats=5, n_resamples=20)
    laws = ("uniform", "poisson", "student-t", "chi-square")
    return {
        "zero_mean_effect": figures.zero_mean_effect(clouds.isotropic_gaussian(100, 2, mean=6.0, rng=0)),
        "rotations": figures.rotations(clouds.correlated_pair(100, rng=0)),
        "skewered_meatball": figures.skewered_meatball(
            clouds.skewered_meatball(90, n_line=30, rng=0), n_line=30
        ),
        "invariance_tests": figures.invariance_tests(curves),
        "dimensions_and_stability": figures.dimensions_and_stability(curves),
        "isotropic_distributions": figures.isotropic_distributions(
            {law: clouds.independent_coordinates(law, 100, rng=0) for law in laws}
        ),
        "scores_by_layer": figures.scores_by_layer(layers.assign(model="ours"), reference=reference),
        "finite_sample_bias": figures.finite_sample_bias(
            experiments.finite_sample_bias(n_dimensions=(5, 10), n_points=(20, 40), n_repeats=3)
        ),
        "interval_coverage": figures.interval_coverage(coverage),
        "property_marks": figures.property_marks(marks.property_table(curves)),
    }


def test_every_figure_is_drawn_and_clear(drawn):
    assert_drawn_and_clear(drawn, figures_of(figures))


def test_curves_are_the_numbers(drawn, curves):
    ax = drawn["invariance_tests"].axes[2]
    curve = curves["maximum_variance"].query("score == 'isoscore'")
    x, y = ax.get_lines()[0].get_data()
    np.testing.assert_array_equal(x, curve["parameter"].astype(float))
    np.testing.assert_array_equal(y, curve["value"])


def test_layer_figure_shows_values_and_intervals(drawn, layers):
    axes = [ax for ax in drawn["scores_by_layer"].axes if ax.axison]
    rows = layers.query("score == 'isoscore'")
    np.testing.assert_array_equal(axes[0].get_lines()[0].get_ydata(), rows["value"])
    band = axes[0].collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(rows["high"].max())
    assert band[:, 1].min() == pytest.approx(rows["low"].min())
