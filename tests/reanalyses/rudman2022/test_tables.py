"""Tests of small tables against exact values."""

import numpy as np
import pytest

from reanalyses.rudman2022 import clouds, experiments


def test_three_ellipses_have_exact_values() -> None:
    table = experiments.ellipse_scores()
    np.testing.assert_allclose(table["dimensions_used"], [2, 16 / 10, 76**2 / (75**2 + 1)], rtol=1e-14)
    np.testing.assert_allclose(table["isoscore"], table["dimensions_used"] - 1, rtol=1e-12, atol=1e-15)
    # The published sample values are close to the exact values, but not equal.
    difference = (table["printed"] - table["dimensions_used"]).abs()
    assert (difference < 0.02).all()
    assert (difference > 1e-4).all()


def test_layer_geometry_detects_mean_and_outlying_coordinate() -> None:
    centered = clouds.isotropic_gaussian(3_000, 6, rng=3)
    shifted = centered + 5.0
    outlying = centered * np.array([1, 1, 30.0, 1, 1, 1])
    table = experiments.layer_geometry([centered, shifted, outlying])
    assert table["mean_share"][0] < 0.01
    assert table["mean_share"][1] == pytest.approx(25 / 26, abs=0.01)
    assert table["average_cosine_score"][1] < 0.1 < 0.9 < table["centered_cosine_score"][1]
    assert table["top_coordinate"][2] == 2
    assert table["top_share"][2] == pytest.approx(900 / 905, abs=0.01)
    assert table["isoscore"][2] < 0.01 < 0.98 < table["isoscore_without_top"][2]
