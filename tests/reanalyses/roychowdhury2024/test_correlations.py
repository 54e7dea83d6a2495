"""Tests of correlations across models: intervals, exact tests, and the printed tables of the paper."""

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


def pair(seed, n=8):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, x + rng.standard_normal(n)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 30), method=st.sampled_from(["pearson", "spearman"]))
def test_agrees_with_scipy(seed, n, method):
    x, y = pair(seed, n)
    if seed % 2:
        y = np.round(y)  # ties
    if np.ptp(y) == 0:
        return
    found = correlation(x, y, method=method, n_resamples=40, rng=0)
    reference = stats.pearsonr(x, y) if method == "pearson" else stats.spearmanr(x, y)
    assert found.estimate == pytest.approx(reference.statistic, abs=1e-12)
    assert -1 <= found.low <= found.estimate <= found.high <= 1
    assert 0 < found.pvalue <= 1
    if method == "pearson" and abs(found.estimate) < 0.999999:
        ends = reference.confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_spearmans_interval_is_wider_by_bonett_and_wright():
    x, y = pair(3, 20)
    found = correlation(x, y, method="spearman")
    r = found.estimate
    half = 1.959963984540054 * math.sqrt((1 + r * r / 2) / 17)
    assert (found.low, found.high) == pytest.approx(
        (math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
    )


@pytest.mark.parametrize("method", ["pearson", "spearman"])
@pytest.mark.parametrize("n", [4, 5, 6])
def test_the_exact_p_counts_all_permutations(method, n):
    x, y = pair(n, n)
    if n == 5:
        y = np.round(y)  # ties
    coefficient = stats.pearsonr if method == "pearson" else stats.spearmanr
    observed = abs(coefficient(x, y).statistic)
    all_of_them = [
        abs(coefficient(x, y[list(order)]).statistic) for order in itertools.permutations(range(n))
    ]
    found = correlation(x, y, method=method)
    assert found.pvalue == sum(r >= observed - 1e-12 for r in all_of_them) / math.factorial(n)


def test_many_rows_are_permuted_at_random():
    x, y = pair(0, 12)
    found = correlation(x, y, n_resamples=20_000, rng=0)
    reference = stats.permutation_test(
        (x,), lambda z: stats.pearsonr(z, y).statistic, permutation_type="pairings", n_resamples=1_000, rng=1
    )
    assert found.pvalue == pytest.approx(reference.pvalue, abs=4 * math.sqrt(found.pvalue / 1_000) + 1e-3)
    # The given order counts, so that p is never 0.
    assert correlation(range(12), range(12), n_resamples=99, rng=0).pvalue == 1 / 100
    rng = np.random.default_rng(5)
    ps = [correlation(*rng.standard_normal((2, 12)), n_resamples=99, rng=rng).pvalue for _ in range(300)]
    assert np.mean(np.array(ps) <= 0.1) == pytest.approx(0.1, abs=0.055)


def test_bootstrap_by_hand():
    x, y = pair(1, 10)
    found = correlation(x, y, interval="bootstrap", n_resamples=300, rng=2)
    rng = np.random.default_rng(2)
    values = []
    for _ in range(300):
        rows = rng.integers(0, 10, size=10)
        values.append(stats.pearsonr(x[rows], y[rows]).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)


def test_groups_are_drawn_and_permuted_whole():
    rng = np.random.default_rng(3)
    effect = rng.standard_normal(5)
    X = np.add.outer(rng.standard_normal(3), effect).T
    Y = np.add.outer(rng.standard_normal(3), effect + 0.1 * rng.standard_normal(5)).T
    groups = np.repeat(list("abcde"), 3)
    options = {"interval": "bootstrap", "n_resamples": 200}
    found = correlation(X.ravel(), Y.ravel(), groups=groups, rng=0, **options)
    draws = np.random.default_rng(0).integers(0, 5, size=(200, 5))
    rs = [stats.pearsonr(X[draw].ravel(), Y[draw].ravel()).statistic for draw in draws]
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(rs, [2.5, 97.5])), abs=1e-12)
    rs = [
        abs(stats.pearsonr(X.ravel(), Y[list(order)].ravel()).statistic)
        for order in itertools.permutations(range(5))
    ]
    assert found.pvalue == sum(r >= abs(found.estimate) - 1e-12 for r in rs) / 120
    # The order of the rows of the table does not matter, as long as it is the same within each group.
    again = correlation(X.T.ravel(), Y.T.ravel(), groups=np.tile(list("abcde"), 3), rng=0, **options)
    assert (again.estimate, again.low, again.pvalue) == pytest.approx(
        (found.estimate, found.low, found.pvalue)
    )


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), a=st.floats(0.01, 100), b=st.floats(-100, 100))
def test_invariances(seed, a, b):
    x, y = pair(seed, 6)
    found = correlation(x, y)
    moved = correlation(a * x + b, y)
    assert (moved.estimate, moved.low, moved.pvalue) == pytest.approx(
        (found.estimate, found.low, found.pvalue), abs=1e-7
    )
    turned = correlation(-x, y)
    assert (turned.estimate, turned.low, turned.pvalue) == pytest.approx(
        (-found.estimate, -found.high, found.pvalue), abs=1e-12
    )
    assert correlation(y, x).estimate == pytest.approx(found.estimate, abs=1e-14)
    ranks = correlation(x, y, method="spearman")
    assert correlation(np.exp(x), y**3, method="spearman") == ranks


def test_pairs_of_table_1_from_table_2():
    table = table_1_recomputed()
    assert table[["first", "second"]].equals(printed_correlations()[["first", "second"]])
    assert table["from_rows"].round(3).to_list() == [0.978, -0.838, 0.775, 0.874, 0.615]


def test_the_printed_tables_are_whole():
    performance, transforms = printed_performance(), printed_transforms()
    assert performance.shape == (8, 12)
    assert len(transforms) == 32
    assert not transforms.isna().any(axis=None)
    assert set(transforms["model"]) == set(performance["model"])
    assert transforms.groupby(["family", "stage", "transform"]).size().eq(1).all()
    baseline = transforms.query("transform == 'Baseline'").set_index("model")["accuracy"]
    assert baseline.to_dict() == performance.set_index("model")["accuracy"].to_dict()
    as_printed = transforms.set_index(["model", "transform"])["isotropy"]
    assert as_printed["llm_embedder", "Whitened"] == "11.59. 13.93"
    assert as_printed["llm_embedder_pretrained_finetuned", "Whitened"] == "11.23,23.22"
    assert as_printed["bge_large", "PCA"] == "16.91, 95"
    read = transforms.set_index(["model", "transform"])
    assert read.loc[("llm_embedder", "Whitened"), ["i_a", "i_b"]].to_list() == [11.59, 13.93]
    assert read.loc[("bge_large_pretrained_finetuned", "Whitened"), ["i_a", "i_b"]].to_list() == [73.0, 88.0]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 5), shift=st.floats(0, 20))
def test_the_parts_make_the_whole(seed, n_groups, shift):
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 12)])
    x, y = rng.standard_normal((2, group.size)) + shift * rng.standard_normal((2, n_groups))[:, group]
    found = pooling_effect(pd.DataFrame({"x": x, "y": y, "g": group}), "x", "y", group="g")
    assert found.pooled == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-10)
    means = [np.array([v[group == g].mean() for g in group]) for v in (x, y)]
    within = [
        np.linalg.norm(v - m) / np.linalg.norm(v - v.mean()) for v, m in zip((x, y), means, strict=True)
    ]
    between = [np.sqrt(1 - share**2) for share in within]
    parts = np.prod(within) * found.within + np.prod(between) * found.between
    assert found.pooled == pytest.approx(parts, abs=1e-8)
    assert found.within == pytest.approx(np.corrcoef(x - means[0], y - means[1])[0, 1], abs=1e-8)
