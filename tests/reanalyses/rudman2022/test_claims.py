"""Tests of numbers behind verdicts on Rudman et al. (2022), by direct computation."""

import numpy as np
import pytest
from scipy import stats

from reanalyses.rudman2022 import claims
from reanalyses.rudman2022.layer_scores import published_layer_scores


def test_one_percent_subspace_gives_expected_scores():
    # The eigenvalues are (0.99 · 3 + 9, 9, 9) and (0.99 + 100, 0.99, 0.99).
    expected = [
        ((11.97 + 18) ** 2 / (11.97**2 + 162) - 1) / 2,
        ((100.99 + 1.98) ** 2 / (100.99**2 + 2 * 0.99**2) - 1) / 2,
    ]
    assert claims.not_skewed_by_subspace().values == pytest.approx(expected)


def test_line_of_test_6_has_isoscore_one_half_only_at_variance_3():
    values = [claims.isoscore_from_eigenvalues([v + 1.0, 1.0, 1.0]) for v in (1.0, 2.9, 3.0, 3.1, 9.0)]
    assert values[2] == pytest.approx(0.5)
    assert np.all(np.diff(values) < 0)


def test_error_of_pairs_agrees_with_simulation():
    rng = np.random.default_rng(3)
    X = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=(400, 2, 1_000))
    U = X / np.linalg.norm(X, axis=-1, keepdims=True)
    means = np.einsum("spi,spi->s", U[:, 0], U[:, 1]) / 1_000
    # The standard deviation of 400 means has a relative error of about 4%.
    assert claims.error_of_pairs(1_000) == pytest.approx(means.std(), rel=0.12)


def test_distilbert_scores_decrease_with_layer():
    values = published_layer_scores().query("model == 'DistilBERT'").sort_values("layer")["isoscore"]
    assert np.all(np.diff(values) < 0)
    # Six decreasing values are one of 720 orders, and the test is two-sided.
    assert stats.kendalltau(np.arange(6), values).pvalue == pytest.approx(2 / 720)
