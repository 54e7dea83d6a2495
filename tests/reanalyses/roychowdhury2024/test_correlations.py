"""Tests of correlations across models against SciPy and enumeration, and of the published tables."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reanalyses.roychowdhury2024.correlations import correlation, pooling_effect
from reanalyses.roychowdhury2024.experiments.printed_precision import table_1_recomputed
from reanalyses.roychowdhury2024.published import (
    printed_correlations,
    printed_performance,
    printed_transforms,
)


def correlated_pair(seed, n=8):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, x + rng.standard_normal(n)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 30), method=st.sampled_from(["pearson", "spearman"]))
def test_correlation_agrees_with_scipy(seed, n, method):
    x, y = correlated_pair(seed, n)
    if seed % 2:
        y = np.round(y)  # ties
    if np.ptp(y) == 0:
        return
    result = correlation(x, y, method=method, n_resamples=40, rng=0)
    reference = stats.pearsonr(x, y) if method == "pearson" else stats.spearmanr(x, y)
    assert result.estimate == pytest.approx(reference.statistic, abs=1e-12)
    assert -1 <= result.low <= result.estimate <= result.high <= 1
    assert 0 < result.pvalue <= 1
    if method == "pearson" and abs(result.estimate) < 0.999999:
        ends = reference.confidence_interval(0.95)
        assert (result.low, result.high) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_spearman_interval_uses_bonett_wright_factor():
    x, y = correlated_pair(3, 20)
    result = correlation(x, y, method="spearman")
    r = result.estimate
    half = 1.959963984540054 * math.sqrt((1 + r * r / 2) / 17)
    assert (result.low, result.high) == pytest.approx(
        (math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
    )


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@pytest.mark.parametrize("n", [4, 5, 6])
def test_exact_p_value_counts_all_permutations(method, n):
    x, y = correlated_pair(n, n)
    if n == 5:
        y = np.round(y)  # ties
    coefficient = stats.pearsonr if method == "pearson" else stats.spearmanr
    observed = abs(coefficient(x, y).statistic)
    permuted = [abs(coefficient(x, y[list(order)]).statistic) for order in itertools.permutations(range(n))]
    result = correlation(x, y, method=method)
    assert result.pvalue == sum(r >= observed - 1e-12 for r in permuted) / math.factorial(n)


def test_random_permutations_give_valid_p_values():
    x, y = correlated_pair(0, 12)
    result = correlation(x, y, n_resamples=20_000, rng=0)
    reference = stats.permutation_test(
        (x,), lambda z: stats.pearsonr(z, y).statistic, permutation_type="pairings", n_resamples=1_000, rng=1
    )
    assert result.pvalue == pytest.approx(reference.pvalue, abs=4 * math.sqrt(result.pvalue / 1_000) + 1e-3)
    # The observed order counts as a permutation, so p is never 0.
    assert correlation(range(12), range(12), n_resamples=99, rng=0).pvalue == 1 / 100
    rng = np.random.default_rng(5)
    ps = [correlation(*rng.standard_normal((2, 12)), n_resamples=99, rng=rng).pvalue for _ in range(300)]
    assert np.mean(np.array(ps) <= 0.1) == pytest.approx(0.1, abs=0.055)


def test_bootstrap_interval_equals_a_loop():
    x, y = correlated_pair(1, 10)
    result = correlation(x, y, interval="bootstrap", n_resamples=300, rng=2)
    rng = np.random.default_rng(2)
    values = []
    for _ in range(300):
        rows = rng.integers(0, 10, size=10)
        values.append(stats.pearsonr(x[rows], y[rows]).statistic)
    assert (result.low, result.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)


def test_groups_are_resampled_and_permuted_together():
    rng = np.random.default_rng(3)
    effect = rng.standard_normal(5)
    X = np.add.outer(rng.standard_normal(3), effect).T
    Y = np.add.outer(rng.standard_normal(3), effect + 0.1 * rng.standard_normal(5)).T
    groups = np.repeat(list("abcde"), 3)
    options = {"interval": "bootstrap", "n_resamples": 200}
    result = correlation(X.ravel(), Y.ravel(), groups=groups, rng=0, **options)
    draws = np.random.default_rng(0).integers(0, 5, size=(200, 5))
    rs = [stats.pearsonr(X[draw].ravel(), Y[draw].ravel()).statistic for draw in draws]
    assert (result.low, result.high) == pytest.approx(tuple(np.percentile(rs, [2.5, 97.5])), abs=1e-12)
    rs = [
        abs(stats.pearsonr(X.ravel(), Y[list(order)].ravel()).statistic)
        for order in itertools.permutations(range(5))
    ]
    assert result.pvalue == sum(r >= abs(result.estimate) - 1e-12 for r in rs) / 120
    # The order of the rows does not matter if it is the same within each group.
    transposed = correlation(X.T.ravel(), Y.T.ravel(), groups=np.tile(list("abcde"), 3), rng=0, **options)
    assert (transposed.estimate, transposed.low, transposed.pvalue) == pytest.approx(
        (result.estimate, result.low, result.pvalue)
    )


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), a=st.floats(0.01, 100), b=st.floats(-100, 100))
def test_correlation_is_invariant_to_scale_and_sign(seed, a, b):
    x, y = correlated_pair(seed, 6)
    result = correlation(x, y)
    rescaled = correlation(a * x + b, y)
    assert (rescaled.estimate, rescaled.low, rescaled.pvalue) == pytest.approx(
        (result.estimate, result.low, result.pvalue), abs=1e-7
    )
    reflected = correlation(-x, y)
    assert (reflected.estimate, reflected.low, reflected.pvalue) == pytest.approx(
        (-result.estimate, -result.high, result.pvalue), abs=1e-12
    )
    assert correlation(y, x).estimate == pytest.approx(result.estimate, abs=1e-14)
    ranks = correlation(x, y, method="spearman")
    assert correlation(np.exp(x), y**3, method="spearman") == ranks


def test_table_1_is_recomputed_from_table_2():
    table = table_1_recomputed()
    assert table[["first", "second"]].equals(printed_correlations()[["first", "second"]])
    assert table["from_rows"].round(3).to_list() == [0.978, -0.838, 0.775, 0.874, 0.615]


def test_published_tables_are_complete():
    performance, transforms = printed_performance(), printed_transforms()
    assert performance.shape == (8, 12)
    assert len(transforms) == 32
    assert not transforms.isna().any(axis=None)
    assert set(transforms["model"]) == set(performance["model"])
    assert transforms.groupby(["family", "stage", "transform"]).size().eq(1).all()
    baseline = transforms.query("transform == 'Baseline'").set_index("model")["accuracy"]
    assert baseline.to_dict() == performance.set_index("model")["accuracy"].to_dict()
    raw = transforms.set_index(["model", "transform"])["isotropy"]
    assert raw["llm_embedder", "Whitened"] == "11.59. 13.93"
    assert raw["llm_embedder_pretrained_finetuned", "Whitened"] == "11.23,23.22"
    assert raw["bge_large", "PCA"] == "16.91, 95"
    rows = transforms.set_index(["model", "transform"])
    assert rows.loc[("llm_embedder", "Whitened"), ["i_a", "i_b"]].to_list() == [11.59, 13.93]
    assert rows.loc[("bge_large_pretrained_finetuned", "Whitened"), ["i_a", "i_b"]].to_list() == [73.0, 88.0]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 5), shift=st.floats(0, 20))
def test_pooling_effect_parts_sum_to_pooled_correlation(seed, n_groups, shift):
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 12)])
    x, y = rng.standard_normal((2, group.size)) + shift * rng.standard_normal((2, n_groups))[:, group]
    result = pooling_effect(pd.DataFrame({"x": x, "y": y, "g": group}), "x", "y", group="g")
    assert result.pooled == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-10)
    means = [np.array([v[group == g].mean() for g in group]) for v in (x, y)]
    within = [
        np.linalg.norm(v - m) / np.linalg.norm(v - v.mean()) for v, m in zip((x, y), means, strict=True)
    ]
    between = [np.sqrt(1 - share**2) for share in within]
    total = np.prod(within) * result.within + np.prod(between) * result.between
    assert result.pooled == pytest.approx(total, abs=1e-8)
    assert result.within == pytest.approx(np.corrcoef(x - means[0], y - means[1])[0, 1], abs=1e-8)
