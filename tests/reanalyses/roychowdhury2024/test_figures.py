"""Tests that figures can be drawn without overlapping text, and that the main ones show their tables."""

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024 import experiments, figures
from reanalyses.roychowdhury2024.experiments.grouped_accuracy import accuracy_of_groups
from tests.reanalyses.figure_rules import assert_drawn_and_clear, figures_of
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, some_variants

pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def data():
    """Return every table from which a figure is drawn, small if possible."""
    variants = some_variants()
    few = variants[:3]
    ranks = experiments.ranks_of(few, GOLD)
    samples = experiments.samples_of(variants[3], GOLD)
    scores = experiments.variant_scores(variants, GOLD)
    return {
        "widths": experiments.width_against_questions(
            ranks["plain 2"], sizes=(50, 100, 400), n_resamples=100
        ),
        "draws": {
            "few": experiments.bootstrap_draws(ranks["plain 2"], n_resamples=100, n_questions=100),
            "many": experiments.bootstrap_draws(ranks["plain 2"], n_resamples=2000),
        },
        "performance": experiments.performance_table(ranks, n_resamples=100, n_questions=100),
        "at_k": experiments.accuracy_at_k(ranks, ks=(1, 5, 10), n_resamples=100),
        "pairs": experiments.paired_and_single(ranks, n_resamples=100),
        "steps": experiments.threshold_steps(samples, psi=35),
        "densities": experiments.similarity_distributions(few, GOLD),
        "cost": experiments.threshold_curves(few, GOLD, psi=range(0, 60, 10)),
        "losses": experiments.printed_threshold_losses(),
        "overlaps": experiments.overlap_curves(few, GOLD, n_resamples=50),
        "parts": experiments.overlap_parts(variants, GOLD),
        "spread": experiments.random_spread(variants, GOLD),
        "adaptation": experiments.adaptation_table(ranks, baseline="plain 0", n_resamples=100),
        "correlations": experiments.correlation_table(scores, interval="fisher"),
        "groups": accuracy_of_groups(ranks, np.arange(len(GOLD)) % 3, ["few", "some", "many"]),
        "families": pd.DataFrame(
            {
                "family": ["a", "a", "b", "b"] * 2,
                "transform": ["Baseline"] * 4 + ["Whitened"] * 4,
                "accuracy": [50.0, 60.0, 30.0, 40.0, 45.0, 50.0, 35.0, 20.0],
                "i_a": [0.1, 0.3, 0.2, 0.25, 0.9, 0.95, 0.92, 0.99],
                "i_b": [0.1, 0.2, 0.15, 0.25, 0.9, 0.95, 0.92, 0.99],
            }
        ),
        "distances": experiments.separation_distances(experiments.separations(variants)),
    }


@pytest.fixture(scope="module")
def plots(data):
    return {
        "interval_widths": figures.interval_widths(data["widths"]),
        "bootstrap_histogram": figures.bootstrap_histogram(data["draws"], estimate=0.5),
        "printed_widths": figures.printed_widths(
            experiments.width_by_accuracy((0.5, 0.7, 0.9), n_repeats=100),
            experiments.printed_widths(n_repeats=50),
            data["performance"],
        ),
        "widths_after_adaptation": figures.widths_after_adaptation(experiments.printed_width_changes()),
        "accuracy_curves": figures.accuracy_curves(data["at_k"]),
        "paired_intervals": figures.paired_intervals(data["pairs"]),
        "threshold_steps": figures.threshold_steps(data["steps"]),
        "similarity_densities": figures.similarity_densities(data["densities"]),
        "threshold_cost": figures.threshold_cost(data["cost"]),
        "printed_losses": figures.printed_losses(data["losses"]),
        "overlap_curves": figures.overlap_curves(data["overlaps"]),
        "overlap_parts": figures.overlap_parts(data["parts"]),
        "random_spread": figures.random_spread(data["spread"]),
        "adaptation": figures.adaptation(data["adaptation"]),
        "isotropy_and_accuracy": figures.isotropy_and_accuracy(experiments.printed_transforms()),
        "correlation_intervals": figures.correlation_intervals(data["correlations"]),
        "accuracy_by_group": figures.accuracy_by_group(data["groups"], xlabel="words in common"),
        "families": figures.families(data["families"]),
        "separations": figures.separations(data["distances"]),
    }


def test_every_figure_is_drawn_without_text_overlap(plots):
    assert_drawn_and_clear(plots, figures_of(figures))


def test_markers_equal_table_values(plots, data):
    line = next(mark for mark in plots["printed_losses"].axes[0].get_lines() if mark.get_marker() == "h")
    table = data["losses"]
    np.testing.assert_array_equal(line.get_ydata(), table.loc[table["model"].str.startswith("bge"), "loss"])
    line = next(mark for mark in plots["interval_widths"].axes[0].get_lines() if mark.get_marker() == "o")
    np.testing.assert_allclose(line.get_ydata(), 100 * data["widths"]["bootstrap"])
    published = next(
        mark for mark in plots["correlation_intervals"].axes[0].get_lines() if mark.get_marker() == "X"
    )
    np.testing.assert_array_equal(published.get_xdata(), data["correlations"]["printed"])
    minimum = plots["threshold_steps"].axes[0].get_lines()[-1]
    np.testing.assert_array_equal(minimum.get_xdata(), data["steps"].minima)
    total = sum(patch.get_height() for patch in plots["bootstrap_histogram"].axes[1].patches)
    assert total == 2000
