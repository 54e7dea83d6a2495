"""Tests of stress examples and of published formulas against naive sums."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from isotropy_lab.projection import scale_normalized_stress, shepard_goodness
from reanalyses.smelser2025 import experiments
from reanalyses.smelser2025.experiments import projections


def test_three_points_have_expected_stress() -> None:
    X, named = experiments.three_points()
    sums = experiments.stress_sums(X, named).set_index("method")
    # The data have distances 1, 3, and 2; the projections have 2, 6, 4 and 3, 1, 2.
    assert sums[["sum_d2", "sum_de", "sum_e2"]].loc["faithful"].tolist() == [14, 28, 56]
    assert sums[["sum_d2", "sum_de", "sum_e2"]].loc["exchanged"].tolist() == [14, 10, 14]
    np.testing.assert_allclose(sums["optimal_scale"], [1 / 2, 10 / 14])
    np.testing.assert_allclose(sums["scale_normalized_stress"], [0, math.sqrt(96 / 196)], atol=1e-12)
    # The published factor is correct only if both sums of squares are equal.
    np.testing.assert_allclose(sums["printed_scale"], [2, 10 / 14])
    np.testing.assert_allclose(sums["stress_at_printed_scale"], [3, math.sqrt(96 / 196)])
    table = experiments.stress_at_factors(X, named, [0, 0.5, 6 / 7, 1])
    table = table.pivot(index="scale", columns="method", values="stress")
    np.testing.assert_allclose(table["faithful"], [1, 0, 5 / 7, 1], atol=1e-12)
    np.testing.assert_allclose(table["exchanged"] ** 2, [1, 15 / 28, 25 / 49, 4 / 7])


def test_published_formulas_equal_naive_sums() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(12, 4)), rng.normal(size=(12, 2))
    d, e = pdist(X), pdist(Y)
    assert experiments.printed_scale(X, Y) == pytest.approx((d * e).sum() / (d**2).sum(), rel=1e-12)
    relative, delta = d / d.max(), 1 / e.max()
    expected = ((relative - e / delta) ** 2).sum() / relative.sum()
    assert experiments.printed_forced_scale_stress(X, Y) == pytest.approx(expected, rel=1e-12)


def test_only_correct_formulas_are_scale_invariant() -> None:
    iris = projections("iris", ("pca",))
    X, Y = iris.X, iris.Y["pca"]
    table = experiments.measures_at_sizes(X, Y)
    values = table.pivot(index=["measure", "formula"], columns="factor", values="value")
    spread = (values.max(axis=1) - values.min(axis=1)) / values.max(axis=1)
    invariant = [(name, "right") for name in ("sgs", "nms", "sns", "fsns")]
    assert (spread[invariant] < 1e-9).all()
    assert (spread.drop(invariant) > 0.5).all()
    assert values.loc[("sns", "right"), 1.0] == pytest.approx(scale_normalized_stress(X, Y))
    assert values.loc[("sgs", "right"), 1.0] == pytest.approx(shepard_goodness(X, Y))


def test_random_layout_outscores_pca_on_high_dimensional_noise() -> None:
    table = experiments.noise_baselines((3, 400), n_points=60, repeats=2)
    table = table.set_index(["dimensions", "method"])
    stress, goodness = table["scale_normalized_stress"], table["shepard_goodness"]
    assert stress[3, "pca"] < stress[3, "random"]
    assert stress[400, "random"] < stress[400, "pca"]
    assert goodness[400, "pca"] > 0.2 > abs(goodness[400, "random"])
    assert table["spread"][400, "pca"] < 0.05 < table["spread"][3, "pca"]
