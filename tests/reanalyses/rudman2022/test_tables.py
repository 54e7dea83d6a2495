"""The small tables that pages print: exact where they can be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.isotropy import clouds, isoscore
from reanalyses.rudman2022 import experiments


def test_three_ellipses_are_simple_fractions() -> None:
    table = experiments.three_ellipses()
    np.testing.assert_allclose(table["dimensions_used"], [2, 16 / 10, 76**2 / (75**2 + 1)], rtol=1e-14)
    np.testing.assert_allclose(table["isoscore"], table["dimensions_used"] - 1, rtol=1e-12, atol=1e-15)
    # Sample values as printed: near the exact ones and not equal to them.
    gap = (table["printed"] - table["dimensions_used"]).abs()
    assert (gap < 0.02).all()
    assert (gap > 1e-4).all()
    assert np.isnan(experiments.three_ellipses(variances=(2,))["printed"][0])


def test_sample_spectra_have_the_right_trace_and_rank() -> None:
    spectra = experiments.sample_spectra(n_dimensions=40, n_points=(10, 20_000))
    assert int((spectra["10 points"] > 1e-9).sum()) == 9
    np.testing.assert_allclose(spectra["20,000 points"], 1, atol=0.12)


def test_subsets_of_a_population_are_biased_by_the_plug_in_only() -> None:
    cloud = clouds.power_law_spectrum(4_000, 40, exponent=0.5, rng=2)
    table = experiments.scores_of_subsets(cloud, n_points=(60, 4_000), n_repeats=30)
    by = table.set_index(["estimator", "n_points"])["bias"]
    assert by["plug-in", 60] < -0.2
    assert abs(by["corrected", 60]) < 0.05
    assert by["corrected", 4_000] == pytest.approx(0, abs=1e-9)
    assert table["truth"].unique() == pytest.approx(isoscore(cloud, estimator="corrected"))


def test_layer_geometry_names_the_mean_and_the_outlying_coordinate() -> None:
    plain = clouds.isotropic_gaussian(3_000, 6, rng=3)
    moved = plain + 5.0
    outlying = plain * np.array([1, 1, 30.0, 1, 1, 1])
    table = experiments.layer_geometry([plain, moved, outlying])
    assert table["mean_share"][0] < 0.01
    assert table["mean_share"][1] == pytest.approx(25 / 26, abs=0.01)
    assert table["average_cosine_score"][1] < 0.1 < 0.9 < table["centered_cosine_score"][1]
    assert table["top_coordinate"][2] == 2
    assert table["top_share"][2] == pytest.approx(900 / 905, abs=0.01)
    assert table["isoscore"][2] < 0.01 < 0.98 < table["isoscore_without_top"][2]


def test_measures_are_written_as_the_field_writes_them() -> None:
    table = pd.DataFrame(
        {"measure": ["kl_10", "i_a", "a sns"], "ndcg_width": 1.0, "i_b": 2.0, "answers": 3},
        index=["ns", "t-SNE", "psi"],
    )
    html = experiments.readable(table, index=True).html()
    words = "KL at 10, I<sub>A</sub>, a sns, NDCG width, I<sub>B</sub>, answers, NS, t-SNE, ψ"
    assert [shown for shown in words.split(", ") if f">{shown}<" not in html] == []
