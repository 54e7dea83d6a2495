"""Tests of scores, bootstrap samples, and intervals against loops, SciPy, and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import ndcg_score

from isotropy_lab._core import resampling
from isotropy_lab.retrieval import bootstrap_interval
from isotropy_lab.retrieval.scores import interval_of_samples

METRICS = ("accuracy", "ndcg", "mrr")
rank_lists = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def score(rank, metric, k):
    if k is not None and rank > k:
        return 0.0
    return {"accuracy": 1.0, "ndcg": 1 / np.log2(1 + rank), "mrr": 1 / rank}[metric]


def test_estimates_equal_the_metrics_of_the_ranks():
    ranks = np.array([1, 3, 12, 2, 40, 10, 11])
    assert bootstrap_interval(ranks, rng=0).estimate == pytest.approx(4 / 7)
    assert bootstrap_interval(ranks, metric="mrr", k=None, rng=0).estimate == pytest.approx(
        np.mean(1 / ranks)
    )
    assert bootstrap_interval(ranks, metric="mrr", rng=0).estimate == pytest.approx(
        (1 + 1 / 3 + 1 / 2 + 1 / 10) / 7
    )
    all_ranks, first_499 = (
        bootstrap_interval([1, 500], metric="mrr", k=k, rng=0).estimate for k in (10**20, 499)
    )
    assert (all_ranks, first_499) == ((1 + 1 / 500) / 2, 0.5)
    assert bootstrap_interval([1, 20], groups=[0, 1], rng=0).n_groups == 2
    # scikit-learn's NDCG of a table of similarities with one relevant document in each row
    rng = np.random.default_rng(0)
    similarities = rng.standard_normal((50, 30))
    relevant = np.eye(30)[rng.integers(30, size=50)]
    positions = 1 + (similarities > similarities[relevant == 1][:, None]).sum(axis=1)
    for k in (1, 3, 10):
        assert bootstrap_interval(positions, metric="ndcg", k=k, rng=0).estimate == pytest.approx(
            ndcg_score(relevant, similarities, k=k)
        )


@pytest.mark.parametrize("metric", METRICS)
def test_samples_agree_with_a_loop_over_equal_weights(metric):
    ranks = np.random.default_rng(1).geometric(0.15, size=80)
    interval = interval_of_samples(ranks, metric=metric, k=10, n_resamples=400, n_questions=33, rng=5)
    classes, counts = np.unique(np.minimum(ranks, 11), return_counts=True)
    weights = np.random.default_rng(5).multinomial(33, counts / 80, size=400)
    means = []
    for row in weights:
        sample = [score(c, interval.metric, 10) for c, w in zip(classes, row, strict=True) for _ in range(w)]
        assert len(sample) == 33
        means.append(sum(sample) / 33)
    ordered = sorted(means)
    for end, tail in ((interval.low, 0.025), (interval.high, 0.975)):  # linear percentiles
        position = tail * 399
        below = int(position)
        expected = ordered[below] + (position - below) * (ordered[below + 1] - ordered[below])
        assert end == pytest.approx(expected, abs=1e-12)
    assert interval.mean == pytest.approx(np.mean(means))
    assert interval.standard_error == pytest.approx(np.std(means, ddof=1))
    assert interval.width == interval.high - interval.low


@pytest.mark.parametrize("n_classes", [3, 64, 65, 300])
def test_weights_have_multinomial_moments(n_classes):
    rng = np.random.default_rng(n_classes)
    counts = rng.integers(1, 4, n_classes)
    n_draws, n_samples = 50, 20_000
    chunks = list(resampling.class_weights(counts, n_draws, n_samples, rng))
    weights = np.concatenate([w for _, w in chunks])
    assert [rows.start for rows, _ in chunks[1:]] == [rows.stop for rows, _ in chunks[:-1]]
    assert weights.shape == (n_samples, n_classes)
    assert (weights.sum(axis=1) == n_draws).all()
    p = counts / counts.sum()
    mean, variance = n_draws * p, n_draws * p * (1 - p)
    assert (np.abs(weights.mean(axis=0) - mean) < 5 * np.sqrt(variance / n_samples)).all()
    covariance = np.cov(weights[:, :2], rowvar=False)
    expected = n_draws * (np.diag(p[:2]) - np.outer(p[:2], p[:2]))
    assert np.abs(covariance - expected).max() < 0.1 * variance[:2].max()


@pytest.mark.parametrize("metric", ["accuracy", "ndcg", "mrr"])
def test_intervals_agree_with_scipy(metric):
    ranks = np.random.default_rng(2).geometric(0.12, size=60)
    interval = interval_of_samples(ranks, metric=metric, k=10, n_resamples=40_000, rng=0)
    values = np.array([score(r, metric, 10) for r in ranks])
    options = {"n_resamples": 40_000, "method": "percentile", "rng": np.random.default_rng(1)}
    reference = stats.bootstrap((values,), np.mean, vectorized=True, **options)
    # An accuracy of 60 questions moves in steps of 1/60; else two draws differ by about 0.5% of a width.
    tolerance = 1 / 60 + 1e-12 if metric == "accuracy" else 0.02 * interval.width
    assert interval.low == pytest.approx(reference.confidence_interval.low, abs=tolerance)
    assert interval.high == pytest.approx(reference.confidence_interval.high, abs=tolerance)
    assert interval.standard_error == pytest.approx(reference.standard_error, rel=0.02)


@settings(deadline=None, max_examples=60)
@given(ranks=rank_lists, k=st.integers(1, 12), seed=st.integers(0, 99))
def test_intervals_and_metrics_are_ordered(ranks, k, seed):
    intervals = [
        interval_of_samples(ranks, metric=metric, k=k, n_resamples=60, rng=seed) for metric in METRICS
    ]
    for interval in intervals:
        assert 0 <= interval.low <= interval.high <= 1
        assert 0 <= interval.mean <= 1
    accuracy, ndcg, mrr = (interval.estimate for interval in intervals)
    at_1 = bootstrap_interval(ranks, k=1, n_resamples=60, rng=0).estimate
    assert at_1 - 1e-12 <= mrr <= ndcg + 1e-12
    assert ndcg <= accuracy + 1e-12
    options = {"metric": "ndcg", "k": k, "n_resamples": 60, "rng": seed}
    assert interval_of_samples(sorted(ranks), **options) == intervals[1]
    # the same seed means the same samples, so that the order of the metrics holds for the means
    assert intervals[2].mean <= intervals[1].mean + 1e-12 <= intervals[0].mean + 2e-12
    wider = bootstrap_interval(ranks, k=k, n_resamples=200, confidence_level=0.99, rng=seed)
    narrower = bootstrap_interval(ranks, k=k, n_resamples=200, confidence_level=0.9, rng=seed)
    assert wider.width >= narrower.width


@pytest.mark.parametrize("n", [1, 10, 736])
def test_equal_scores_give_wilson_intervals(n):
    expected = stats.binomtest(n, n).proportion_ci(0.95, method="wilson")
    interval = bootstrap_interval([3] * n, k=10, rng=0)
    assert interval.method == "wilson"
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert interval.estimate == interval.mean == 1.0
    assert interval.standard_error == 0.0
    without_hits = bootstrap_interval([11] * n, k=10, rng=0)
    assert (without_hits.low, without_hits.high) == pytest.approx((0.0, 1 - expected.low), abs=1e-9)
    ndcg = bootstrap_interval([3] * n, metric="ndcg")  # the unknown rest may have any gain
    assert (ndcg.low, ndcg.high) == pytest.approx((0.5 * expected.low, 1 - 0.5 * expected.low), abs=1e-9)
    assert bootstrap_interval([1] * n, metric="ndcg").low == pytest.approx(expected.low, abs=1e-9)
    assert bootstrap_interval([2] * n, metric="mrr", k=None).method == "wilson"
    hundred = interval_of_samples([3] * n, metric="accuracy", k=10, n_resamples=40, n_questions=100, rng=0)
    assert hundred.low == pytest.approx(stats.binomtest(100, 100).proportion_ci(0.95, method="wilson").low)


@pytest.mark.parametrize(("level", "min_resamples"), [(0.5, 40), (0.95, 40), (0.99, 200)])
def test_smallest_number_of_samples_leaves_one_outside_each_end(level, min_resamples):
    bootstrap_interval([1, 20], n_resamples=min_resamples, confidence_level=level, rng=0)
    with pytest.raises(ValueError, match=f"at least {min_resamples}"):
        bootstrap_interval([1, 20], n_resamples=min_resamples - 1, confidence_level=level, rng=0)
