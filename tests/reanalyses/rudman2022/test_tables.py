"""Tests of the small tables of the pages, exact if possible."""

import numpy as np
import pytest

from reanalyses.rudman2022 import clouds, experiments


def test_three_ellipses_are_simple_fractions() -> None:
    table = experiments.ellipse_scores()
    np.testing.assert_allclose(table["dimensions_used"], [2, 16 / 10, 76**2 / (75**2 + 1)], rtol=1e-14)
    np.testing.assert_allclose(table["isoscore"], table["dimensions_used"] - 1, rtol=1e-12, atol=1e-15)
    # Sample values as printed: near the exact ones and not equal to them.
    gap = (table["printed"] - table["dimensions_used"]).abs()
    assert (gap < 0.02).all()
    assert (gap > 1e-4).all()


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
