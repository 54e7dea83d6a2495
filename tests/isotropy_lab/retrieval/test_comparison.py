"""Tests of comparisons of two or several models against a plain bootstrap, statsmodels, and bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from isotropy_lab.retrieval import compare_all_models, compare_models, comparison

METRICS = ("accuracy", "ndcg", "mrr")


def two_models(n, seed, gain=0):
    rng = np.random.default_rng(seed)
    hard = rng.geometric(0.08, size=n)  # questions are equally hard for both models
    return np.maximum(hard + rng.integers(-3, 4, n) - gain, 1), np.maximum(hard + rng.integers(-3, 4, n), 1)


def scores(ranks, metric, k):
    values = {"accuracy": np.ones(len(ranks)), "ndcg": 1 / np.log2(1 + ranks), "mrr": 1 / ranks}[metric]
    return np.where(ranks <= k, values, 0.0)


@pytest.mark.parametrize("metric", METRICS)
def test_interval_and_p_value_agree_with_a_plain_bootstrap(metric):
    a, b = two_models(90, 0, gain=1)
    result = compare_models(a, b, metric=metric, n_resamples=4000, rng=0)
    d = scores(a, metric, 10) - scores(b, metric, 10)
    rng = np.random.default_rng(1)
    means = np.array([d[rng.integers(90, size=90)].mean() for _ in range(4000)])
    assert result.estimate == pytest.approx(d.mean(), abs=1e-12)
    tolerance = 1 / 90 + 1e-12 if metric == "accuracy" else 0.004
    limits = tuple(np.quantile(means, [0.025, 0.975]))
    assert (result.low, result.high) == pytest.approx(limits, abs=tolerance)
    p = (1 + (np.abs(means - d.mean()) >= abs(d.mean()) - 1e-12).sum()) / 4001
    assert result.pvalue == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 4000) * np.sqrt(2) + 1e-3)
    assert (result.n_better, result.n_worse) == ((d > 0).sum(), (d < 0).sum())
    assert result.first - result.second == pytest.approx(result.estimate)


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (5, 0), (7, 2), (4, 4), (30, 51)])
def test_mcnemar_equals_statsmodels(better, worse):
    a = np.array([1] * 20 + [1] * better + [50] * worse + [50] * 9)
    b = np.array([1] * 20 + [50] * better + [1] * worse + [50] * 9)
    comparison = compare_models(a, b, n_resamples=40, rng=0)
    expected = mcnemar([[20, better], [worse, 9]], exact=True).pvalue if better + worse else 1.0
    assert comparison.mcnemar_pvalue == pytest.approx(min(expected, 1.0))
    assert compare_models(a, b, metric="ndcg", rng=0).mcnemar_pvalue is None


@settings(deadline=None, max_examples=50)
@given(
    pairs=st.lists(st.tuples(st.integers(1, 15), st.integers(1, 15)), min_size=1, max_size=40),
    metric=st.sampled_from(METRICS),
    k=st.integers(1, 10),
    seed=st.integers(0, 50),
)
def test_exchanging_the_models_changes_the_sign(pairs, metric, k, seed):
    a, b = np.array(pairs).T
    comparison = compare_models(a, b, metric=metric, k=k, n_resamples=80, rng=seed)
    exchanged = compare_models(b, a, metric=metric, k=k, n_resamples=80, rng=seed)
    assert -1 <= comparison.low <= comparison.high <= 1
    assert 1 / 81 <= comparison.pvalue <= 1
    assert exchanged.estimate == pytest.approx(-comparison.estimate, abs=1e-12)
    assert exchanged.mcnemar_pvalue == comparison.mcnemar_pvalue
    assert (exchanged.n_better, exchanged.n_worse) == (comparison.n_worse, comparison.n_better)
    tied = compare_models(a, a, metric=metric, k=k, n_resamples=80, rng=seed)
    assert (tied.estimate, tied.pvalue, tied.method) == (0.0, 1.0, "wilson")
    # n equal questions do not prove that all other questions are equal.
    bound = stats.binomtest(0, len(a)).proportion_ci(0.95, method="wilson").high
    assert (tied.low, tied.high) == pytest.approx((-bound, bound))


def test_several_models_are_corrected_with_holm():
    rng = np.random.default_rng(2)
    base = rng.geometric(0.08, size=300)
    models = {
        "base": base,
        "same": np.maximum(base + rng.integers(-2, 3, 300), 1),
        "tuned": np.maximum(base - 6, 1),
    }
    table = compare_all_models(models, rng=0)
    for name in ("pvalue", "mcnemar_pvalue"):
        expected = multipletests(table[name], method="holm")[1]
        assert table[name + "_holm"].to_numpy() == pytest.approx(expected)
        assert (table[name + "_holm"] >= table[name]).all()
    assert table["mcnemar_pvalue_holm"].iloc[1] < 1e-6
    assert table["pvalue_holm"].iloc[0] > 0.05
    with_baseline = compare_all_models(models, baseline="base", metric="ndcg", rng=0)
    assert with_baseline["first"].tolist() == ["same", "tuned"]
    assert (with_baseline["second"] == "base").all()
    assert "mcnemar_pvalue_holm" not in with_baseline
    assert table.columns[5:9].tolist() == ["pvalue", "pvalue_holm", "mcnemar_pvalue", "mcnemar_pvalue_holm"]
    assert (with_baseline["first_value"] - with_baseline["second_value"]).to_numpy() == pytest.approx(
        with_baseline["estimate"].to_numpy()
    )


@pytest.mark.parametrize(("n", "p"), [(1, 1.0), (2, 0.5), (6, 2 * 0.5**6), (60, 1 / 10001)])
def test_constant_differences_have_the_p_value_of_a_sign_test(n, p):
    """One question that only one model hits is not evidence: p, interval, and McNemar's test agree."""
    comparison = compare_models([1] * n, [50] * n)
    assert comparison.method == "wilson"
    assert comparison.pvalue == pytest.approx(p)
    assert comparison.mcnemar_pvalue == pytest.approx(min(1, 2 * 0.5**n))
    assert compare_models([1] * n, [2] * n, metric="ndcg").pvalue == pytest.approx(p)
    assert compare_models([2] * n, [1] * n, metric="mrr", k=None).pvalue == pytest.approx(p)


def test_group_means_that_differ_by_rounding_count_as_equal():
    """Every question gains 1/10: rounded sums of groups of several sizes do not vary."""
    groups = np.repeat(np.arange(12), np.arange(3, 15))
    gain = np.bincount(groups, np.full(groups.size, 0.1)) / np.bincount(groups)
    assert np.ptp(gain) > 0
    first = np.full(groups.size, 10)
    comparison = compare_models(first, np.full(groups.size, 99), k=20, metric="mrr", groups=groups, rng=0)
    assert comparison.method == "wilson"
    assert comparison.estimate == pytest.approx(0.1, abs=1e-15)


def test_p_value_counts_samples_as_extreme_as_the_difference(monkeypatch):
    means = np.array([-0.25, 0.0, 0.25, 0.5, 0.75] * 8)  # the difference is 1/4
    monkeypatch.setattr(comparison, "class_means", lambda *_: means)
    result = compare_models([1, 1, 20, 20], [1, 20, 20, 20], n_resamples=40)
    assert (abs(result.estimate), result.pvalue) == (0.25, (32 + 1) / 41)
