"""Tests of correlations across models: intervals, exact tests, and the printed tables of the paper."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reanalyses.roychowdhury2024.correlations import correlation, correlations, pooling_effect
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
    assert found.exact
    assert found.pvalue == sum(r >= observed - 1e-12 for r in all_of_them) / math.factorial(n)


def test_many_rows_are_permuted_at_random():
    x, y = pair(0, 12)
    found = correlation(x, y, n_resamples=20_000, rng=0)
    assert not found.exact
    reference = stats.permutation_test(
        (x,), lambda z: stats.pearsonr(z, y).statistic, permutation_type="pairings", n_resamples=1_000, rng=1
    )
    assert found.pvalue == pytest.approx(reference.pvalue, abs=4 * math.sqrt(found.pvalue / 1_000) + 1e-3)
    # The given order counts, so that p is never 0.
    assert correlation(range(12), range(12), n_resamples=99, rng=0).pvalue == 1 / 100
    rng = np.random.default_rng(5)
    ps = [correlation(*rng.standard_normal((2, 12)), n_resamples=99, rng=rng).pvalue for _ in range(300)]
    assert np.mean(np.array(ps) <= 0.1) == pytest.approx(0.1, abs=0.055)


def test_jackknife_and_bootstrap_by_hand():
    x, y = pair(1, 10)
    z = [math.atanh(stats.pearsonr(np.delete(x, i), np.delete(y, i)).statistic) for i in range(10)]
    error = math.sqrt(9 / 10 * sum((v - np.mean(z)) ** 2 for v in z))
    center = math.atanh(stats.pearsonr(x, y).statistic)
    found = correlation(x, y, interval="jackknife", n_resamples=40)
    assert (found.low, found.high) == pytest.approx(
        (math.tanh(center - 1.959963984540054 * error), math.tanh(center + 1.959963984540054 * error)),
        abs=1e-9,
    )
    found = correlation(x, y, interval="bootstrap", n_resamples=300, rng=2)
    rng = np.random.default_rng(2)
    values = []
    for _ in range(300):
        rows = rng.integers(0, 10, size=10)
        values.append(stats.pearsonr(x[rows], y[rows]).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12)


def test_groups_are_left_out_drawn_and_permuted_whole():
    rng = np.random.default_rng(3)
    models, transforms = 5, 3
    effect = rng.standard_normal(models)
    x = np.add.outer(rng.standard_normal(transforms), effect).T.ravel()
    y = np.add.outer(rng.standard_normal(transforms), effect + 0.1 * rng.standard_normal(models)).T.ravel()
    groups = np.repeat(list("abcde"), transforms)
    found = correlation(x, y, groups=groups, interval="jackknife")
    assert (found.n, found.n_groups, found.exact) == (15, 5, True)
    X, Y = x.reshape(5, 3), y.reshape(5, 3)
    z = [
        math.atanh(stats.pearsonr(np.delete(X, i, 0).ravel(), np.delete(Y, i, 0).ravel()).statistic)
        for i in range(5)
    ]
    error = math.sqrt(4 / 5 * sum((v - np.mean(z)) ** 2 for v in z))
    assert math.atanh(found.high) - math.atanh(found.estimate) == pytest.approx(1.959963984540054 * error)
    rs = [
        abs(stats.pearsonr(x, Y[list(order)].ravel()).statistic) for order in itertools.permutations(range(5))
    ]
    assert found.pvalue == sum(r >= abs(found.estimate) - 1e-12 for r in rs) / 120
    # The order of the rows of the table is of no account, as long as it is the same within each group.
    order = np.arange(15).reshape(5, 3).T.ravel()
    again = correlation(x[order], y[order], groups=groups[order], interval="jackknife")
    assert (again.estimate, again.low, again.pvalue) == pytest.approx(
        (found.estimate, found.low, found.pvalue)
    )
    wide = correlation(x, y, groups=groups, interval="bootstrap", n_resamples=400, rng=0)
    assert wide.low < found.estimate < wide.high


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
    table = printed_performance().merge(
        printed_transforms().query("transform == 'Baseline'")[["model", "i_a", "i_b"]], on="model"
    )
    ours = correlations(table)
    assert ours[["first", "second"]].equals(printed_correlations()[["first", "second"]])
    assert ours["r"].round(3).to_list() == [0.978, -0.838, 0.775, 0.874, 0.615]


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
    group = np.concatenate([np.arange(n_groups), np.arange(n_groups), rng.integers(0, n_groups, 12)])
    x, y = rng.standard_normal((2, group.size)) + shift * rng.standard_normal((2, n_groups))[:, group]
    found = pooling_effect(pd.DataFrame({"x": x, "y": y, "g": group}), "x", "y", group="g")
    assert found.pooled == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-10)
    frame = pd.DataFrame({"x": x, "y": y})
    inside = frame - frame.groupby(group).transform("mean")
    outside = frame.groupby(group).transform("mean")
    assert found.within == pytest.approx(inside.corr().iloc[0, 1], abs=1e-8)
    if found.between is not None:
        assert found.between == pytest.approx(outside.corr().iloc[0, 1], abs=1e-6)
    for name, r in zip(found.by_group["group"], found.by_group["r"], strict=True):
        mine = group == name
        if mine.sum() >= 3:
            assert r == pytest.approx(np.corrcoef(x[mine], y[mine])[0, 1], abs=1e-10)
        else:
            assert math.isnan(r)
