"""Tests of comparisons of two or several models against a plain bootstrap, SciPy, statsmodels, and bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from isotropy_lab.retrieval import compare_all_models, compare_models

METRICS = ("accuracy", "ndcg", "mrr")


def two_models(n, seed, gain=0):
    rng = np.random.default_rng(seed)
    hard = rng.geometric(0.08, size=n)  # questions are equally hard for both models
    return np.maximum(hard + rng.integers(-3, 4, n) - gain, 1), np.maximum(hard + rng.integers(-3, 4, n), 1)


def scores(ranks, metric, k):
    values = {"accuracy": np.ones(len(ranks)), "ndcg": 1 / np.log2(1 + ranks), "mrr": 1 / ranks}[metric]
    return np.where(ranks <= k, values, 0.0)


@pytest.mark.parametrize("metric", METRICS)
def test_interval_agrees_with_a_plain_bootstrap(metric):
    a, b = two_models(90, 0, gain=1)
    groups = np.arange(90) if metric == "accuracy" else None  # without groups, accuracy has a score interval
    result = compare_models(a, b, metric=metric, n_resamples=4000, groups=groups, rng=0)
    d = scores(a, metric, 10) - scores(b, metric, 10)
    rng = np.random.default_rng(1)
    means = np.array([d[rng.integers(90, size=90)].mean() for _ in range(4000)])
    assert result.estimate == pytest.approx(d.mean(), abs=1e-12)
    tolerance = 1 / 90 + 1e-12 if metric == "accuracy" else 0.004
    limits = tuple(np.quantile(means, [0.025, 0.975]))
    assert (result.low, result.high) == pytest.approx(limits, abs=tolerance)
    assert (result.n_better, result.n_worse) == ((d > 0).sum(), (d < 0).sum())
    assert result.first - result.second == pytest.approx(result.estimate)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [9, 90])
def test_p_value_equals_the_randomization_test_of_scipy(metric, n, grouped):
    """SciPy flips the signs of the differences; the differences of a group have a common sign."""
    a, b = two_models(n, 3, gain=1)
    labels = np.arange(n) % 11 if grouped else None
    d = scores(a, metric, 10) - scores(b, metric, 10)
    sums = np.bincount(labels, d) if grouped else d
    expected = stats.permutation_test(
        (sums,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2)
    ).pvalue
    result = compare_models(a, b, metric=metric, groups=labels, n_resamples=20_000, rng=0)
    error = np.sqrt(2 * expected * (1 - expected) / 20_000)
    assert result.pvalue == pytest.approx(expected, abs=5 * error + 2e-4)


@pytest.mark.parametrize("n", [2, 5, 8])
def test_p_value_of_few_questions_is_exact(n):
    """Of all 2ⁿ signs, only the two that are all equal are as extreme as n gains."""
    first, second = np.full(n, 1), np.arange(2, n + 2)
    for metric in ("ndcg", "mrr"):
        assert compare_models(first, second, metric=metric, rng=0).pvalue == pytest.approx(2 * 0.5**n)
    groups = np.arange(3 * n) % n
    result = compare_models(np.tile(first, 3), np.tile(second, 3), metric="mrr", groups=groups, rng=0)
    assert result.pvalue == pytest.approx(2 * 0.5**n)


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (5, 0), (7, 2), (4, 4), (30, 51)])
def test_p_value_of_accuracy_is_mcnemars(better, worse):
    a = np.array([1] * 20 + [1] * better + [50] * worse + [50] * 9)
    b = np.array([1] * 20 + [50] * better + [1] * worse + [50] * 9)
    expected = mcnemar([[20, better], [worse, 9]], exact=True).pvalue if better + worse else 1.0
    assert compare_models(a, b, n_resamples=40, rng=0).pvalue == pytest.approx(min(expected, 1.0))


def tango_ends(better, worse, n, level):
    """Search the ends of the score interval, maximizing the likelihood for each difference on a grid."""

    def z(d):
        q = np.linspace(max(0, -d), (1 - d) / 2, 20_001)[1:-1]
        others = (n - better - worse) * np.log(1 - 2 * q - d)
        q = q[np.argmax(better * np.log(q + d) + worse * np.log(q) + others)]
        return (better - worse - n * d) / np.sqrt(n * (2 * q + d - d**2))

    quantile = stats.norm.isf((1 - level) / 2)
    estimate = (better - worse) / n
    ends = (optimize.brentq(lambda d, s=s: z(d) - s * quantile, s * -0.95, estimate) for s in (1, -1))
    return tuple(ends)


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(("better", "worse", "n"), [(12, 2, 50), (3, 1, 30), (9, 30, 100), (1, 1, 200)])
def test_interval_of_accuracy_is_tangos(better, worse, n, level):
    a = np.array([1] * better + [50] * (n - better))
    b = np.array([50] * better + [1] * worse + [50] * (n - better - worse))
    result = compare_models(a, b, confidence_level=level)
    assert result.method == "score"
    assert (result.low, result.high) == pytest.approx(tango_ends(better, worse, n, level), abs=2e-4)


@given(better=st.integers(0, 12), worse=st.integers(0, 12), n_equal=st.integers(0, 200))
def test_interval_and_p_value_of_accuracy_agree(better, worse, n_equal):
    a = np.array([1] * (better + n_equal) + [50] * worse + [50])
    b = np.array([50] * better + [1] * (n_equal + worse) + [50])
    result = compare_models(a, b)
    assert (result.low <= 0 <= result.high) == (result.pvalue > 0.05)


@pytest.mark.parametrize("n", [20, 200])
def test_one_different_question_does_not_make_the_interval_narrower(n):
    same = np.ones(n, dtype=int)
    none, one = compare_models(same, same), compare_models(same, np.append(same[1:], 50))
    assert none.high - none.low < one.high - one.low < 1.2 * (none.high - none.low)


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
    assert 0 < comparison.pvalue <= 1
    assert exchanged.estimate == pytest.approx(-comparison.estimate, abs=1e-12)
    assert exchanged.pvalue == comparison.pvalue
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
    expected = multipletests(table["pvalue"], method="holm")[1]
    assert table["pvalue_holm"].to_numpy() == pytest.approx(expected)
    assert (table["pvalue_holm"] >= table["pvalue"]).all()
    assert table["pvalue_holm"].iloc[1] < 1e-6
    assert table["pvalue_holm"].iloc[0] > 0.05
    with_baseline = compare_all_models(models, baseline="base", metric="ndcg", rng=0)
    assert with_baseline["first"].tolist() == ["same", "tuned"]
    assert (with_baseline["second"] == "base").all()
    assert table.columns[5:7].tolist() == ["pvalue", "pvalue_holm"]
    assert (with_baseline["first_value"] - with_baseline["second_value"]).to_numpy() == pytest.approx(
        with_baseline["estimate"].to_numpy()
    )


@pytest.mark.parametrize("n", [1, 2, 6, 60])
def test_constant_differences_have_the_p_value_of_a_sign_test(n):
    """One question that only one model hits is not evidence: p and the interval agree."""
    comparison = compare_models([1] * n, [50] * n)
    assert comparison.method == "wilson"
    p = min(1, 2 * 0.5**n)
    assert comparison.pvalue == pytest.approx(p)
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
