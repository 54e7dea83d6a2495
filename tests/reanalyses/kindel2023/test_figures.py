"""Tests that figures can be drawn without overlapping text, and that the main ones show their tables."""

import numpy as np
import pandas as pd
import pytest

from reanalyses.kindel2023 import experiments, figures
from tests.reanalyses.figure_rules import assert_drawn_and_clear, figures_of

pytestmark = pytest.mark.rest

SPACE = "googlenews-weat"


@pytest.fixture(scope="module")
def data():
    """Return every table from which a figure is drawn, small if possible."""
    k = np.arange(5, 13)
    growing = pd.concat(
        [pd.DataFrame({"list": "pleasant", "q": q, "k": k, "expected_weak": 0.95 ** (k - q)}) for q in (2, 4)]
    )
    return {
        "weat_table": experiments.weat_table(SPACE),
        "within": experiments.within_list_similarities(SPACE),
        "consistency": experiments.consistency_table(SPACE),
        "growing": growing,
        "between": experiments.between_list_summary(SPACE),
        "permutation": experiments.permutation_distribution(SPACE, "weat-7"),
        "nulls": experiments.congruence_nulls(SPACE, n_resamples=50),
        "pairs": experiments.design_pairs("glove-weat", attribute="D"),
        "local": experiments.local_similarity_table("glove-weat"),
        "effect_sizes": {
            name: experiments.effect_sizes(space, tests=["weat-6", "weat-10"])
            for name, space in (("GoogleNews", SPACE), ("GloVe", "glove-weat"))
        },
    }


@pytest.fixture(scope="module")
def drawn(data):
    return {
        "weat_scores": figures.weat_scores(data["weat_table"]),
        "within_heatmaps": figures.within_heatmaps(data["within"]),
        "consistency": figures.consistency(data["consistency"].query("similarity == 'mean-cosine'")),
        "condition_numbers": figures.condition_numbers(experiments.condition_table(SPACE)),
        "expected_consistency_by_k": figures.expected_consistency_by_k(data["growing"]),
        "between_ranges": figures.between_ranges(data["between"]),
        "between_heatmaps": figures.between_heatmaps(experiments.between_list_matrices(SPACE)),
        "permutation_distribution": figures.permutation_distribution(data["permutation"]),
        "congruence_nulls": figures.congruence_nulls(data["nulls"]),
        "partial_randomization": figures.partial_randomization(
            experiments.partial_randomization(SPACE, n_resamples=20)
        ),
        "inner_products": figures.inner_products(
            data["pairs"], experiments.inner_product_lines(data["pairs"])
        ),
        "extrapolation": figures.extrapolation(data["pairs"], experiments.ratio_lines(data["pairs"])),
        "differences": figures.differences(experiments.difference_tests("glove-weat")),
        "local_similarity": figures.local_similarity(data["local"]),
        "distortion": figures.distortion(experiments.decomposition_table("glove-weat")),
        "similarities_by_k": figures.similarities_by_k(experiments.similarities_by_k(k=(1, 20, 50, 80, 99))),
        "separability_by_k": figures.separability_by_k(experiments.separability_by_k(SPACE)),
        "two_planes": figures.two_planes(experiments.two_planes_at()),
        "effect_sizes": figures.effect_sizes(data["effect_sizes"]),
        "chance_levels": figures.chance_levels(
            experiments.chance_levels({"GoogleNews": experiments.weat_components(SPACE)})
        ),
        "word_associations": figures.word_associations(experiments.word_association_table(SPACE)),
    }


def test_every_figure_is_drawn_and_clear(drawn):
    assert_drawn_and_clear(drawn, figures_of(figures))


def test_scores_are_the_numbers_beside_the_printed_ones(drawn, data):
    for ax, column in zip(drawn["weat_scores"].axes, ("weat_mcs", "weat_canonical"), strict=True):
        ours, printed = ax.get_lines()[:2]
        np.testing.assert_array_equal(ours.get_xdata(), data["weat_table"][column])
        np.testing.assert_array_equal(printed.get_xdata(), data["weat_table"][f"printed_{column}"])


def test_crosses_of_the_lattice_are_the_beaten_sublists(drawn, data):
    counts = experiments.consistency_counts(data["consistency"])
    shown = {(list_, q): 0 for list_ in data["within"] for q in range(1, 8)}
    axes = iter(drawn["within_heatmaps"].axes)
    for q in range(1, 8):
        for label, levels in data["within"].items():
            ax = next(axes)
            (crosses,) = ax.get_lines()
            columns, rows = crosses.get_data()
            values = levels[q - 1].values
            assert (values[rows, columns] > np.diagonal(values)[rows]).all()
            shown[label, q] = len(rows)
            assert ax.get_xlabel() == f"{len(rows)} of {len(values)}"
    for (label, q), found in shown.items():
        assert found == counts.at[label, q]


def test_hatched_arrangements_are_the_p_value(drawn, data):
    scores = data["permutation"]["score"]
    observed = scores[0]
    ax = drawn["permutation_distribution"].axes[0]
    hatched = sum(bar.get_height() for bar in ax.patches if bar.get_hatch())
    assert hatched == (scores >= observed - 1e-12).sum()
    assert sum(bar.get_height() for bar in ax.patches) == len(scores)
