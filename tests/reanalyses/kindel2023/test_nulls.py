"""Tests of null distributions of canonical similarity against exact moments, simulations, and enumeration."""

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.association.canonical import canonical_congruences, random_baseline
from isotropy_lab.association.nulls import null_intervals
from reanalyses.kindel2023.nulls import gaussian_nulls, partial_nulls
from tests.isotropy_lab.association.test_nulls import compare_lists, random_lists_and_pool


@pytest.mark.parametrize(("k_a", "k_b", "p"), [(1, 1, 3), (8, 8, 300), (3, 7, 9), (7, 3, 9), (5, 5, 5)])
def test_gaussian_nulls_have_the_exact_mean_and_variance(k_a, k_b, p):
    n = 4_000
    nulls = gaussian_nulls(k_a, k_b, p, n_resamples=n, rng=0)
    baseline = random_baseline(k_a, k_b, p)
    trace = nulls.totals[nulls.totals["quantity"] == "canonical-trace"].iloc[0]
    assert abs(trace["mean"] - baseline.mean) <= 4 * np.sqrt(baseline.variance / n) + 1e-12
    if baseline.variance > 0 and min(k_a, k_b) > 1:  # approximately normal
        standard_deviation = (trace["high"] - trace["low"]) / (2 * 1.96)
        assert standard_deviation == pytest.approx(np.sqrt(baseline.variance), rel=0.15)
    scaled = nulls.totals.iloc[0]
    assert scaled["quantity"] == "canonical"
    assert scaled["mean"] == pytest.approx(trace["mean"] / np.sqrt(k_a * k_b))
    assert nulls.congruences["index"].tolist() == list(range(1, min(k_a, k_b) + 1))
    n_shared = max(0, k_a + k_b - p)
    np.testing.assert_allclose(nulls.congruences["low"][:n_shared], 1.0, atol=1e-9)
    assert (np.diff(nulls.congruences["mean"]) <= 1e-12).all()


def test_gaussian_nulls_of_lines_are_beta_distributed():
    line = gaussian_nulls(1, 1, 12, n_resamples=40_000, rng=0).congruences.iloc[0]
    for name, level in (("low", 0.025), ("high", 0.975)):
        assert line[name] ** 2 == pytest.approx(stats.beta.ppf(level, 0.5, 5.5), rel=0.05)


def test_gaussian_nulls_equal_simulated_word_lists():
    """Sampling triangular factors is equivalent to sampling all coordinates."""
    rng = np.random.default_rng(1)
    draws = [canonical_congruences(*rng.standard_normal((2, 3, 10))) for _ in range(4_000)]
    congruences = gaussian_nulls(3, 3, 10, n_resamples=4_000, rng=0).congruences
    np.testing.assert_allclose(congruences["mean"], np.mean(draws, axis=0), atol=0.015)
    np.testing.assert_allclose(congruences["high"], np.quantile(draws, 0.975, axis=0), atol=0.02)


def test_partial_nulls_interpolate_from_lists_to_null():
    A, B, pool = random_lists_and_pool(1, 4, 4, 30, 300)
    B = A + 0.05 * B
    full = null_intervals(A, B, pool, n_resamples=1_500, rng=0)
    for randomize, null in (("A", "A random"), ("B", "B random")):
        table = partial_nulls(A, B, pool, randomize=randomize, n_resamples=1_500, rng=1)
        assert list(table.columns) == ["n_random", "quantity", "observed", "low", "mean", "high"]
        assert table["n_random"].tolist() == [n for n in range(5) for _ in range(3)]
        start = table[table["n_random"] == 0]
        for name in ("low", "mean", "high"):
            np.testing.assert_array_equal(start[name], start["observed"])
        end, expected = table[table["n_random"] == 4], full.totals[full.totals["null"] == null]
        np.testing.assert_allclose(end["mean"].to_numpy(), expected["mean"].to_numpy(), atol=0.02)
        means = table.loc[table["quantity"] == "canonical", "mean"]
        assert (np.diff(means) < 0).all()  # the lists are nearly equal at first


def test_one_random_word_equals_mean_over_all_replacements():
    A, B, pool = random_lists_and_pool(2, 3, 3, 8, 12)
    expected = []
    for i in range(3):
        for word in pool:
            replaced = A.copy()
            replaced[i] = word
            expected.append(compare_lists(replaced, B)[1])
    table = partial_nulls(A, B, pool, n_resamples=20_000, rng=0).query("n_random == 1")
    np.testing.assert_allclose(table["mean"], np.mean(expected, axis=0), atol=0.01)
