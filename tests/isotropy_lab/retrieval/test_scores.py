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
ranks_of = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def score(rank, metric, k):
    if k is not None and rank > k:
        return 0.0
    return {"accuracy": 1.0, "ndcg": 1 / np.log2(1 + rank), "mrr": 1 / rank}[metric]


def test_estimates_are_the_metrics_of_the_ranking():
    ranks = np.array([1, 3, 12, 2, 40, 10, 11])
    assert bootstrap_interval(ranks, rng=0).estimate == pytest.approx(4 / 7)
    assert bootstrap_interval(ranks, metric="mrr", k=None, rng=0).estimate == pytest.approx(
        np.mean(1 / ranks)
    )
    assert bootstrap_interval(ranks, metric="mrr", rng=0).estimate == pytest.approx(
        (1 + 1 / 3 + 1 / 2 + 1 / 10) / 7
    )
    one, last = (bootstrap_interval([1, 500], metric="mrr", k=k, rng=0).estimate for k in (10**20, 499))
    assert (one, last) == ((1 + 1 / 500) / 2, 0.5)
    assert bootstrap_interval([1, 20], groups=[0, 1], rng=0).n_groups == 2
    # scikit-learn's NDCG of a table of similarities with one relevant document in each row
    rng = np.random.default_rng(0)
    similarities = rng.standard_normal((50, 30))
    relevant = np.eye(30)[rng.integers(30, size=50)]
    places = 1 + (similarities > similarities[relevant == 1][:, None]).sum(axis=1)
    for k in (1, 3, 10):
        assert bootstrap_interval(places, metric="ndcg", k=k, rng=0).estimate == pytest.approx(
            ndcg_score(relevant, similarities, k=k)
        )


@pytest.mark.parametrize("metric", METRICS)
def test_samples_are_those_of_a_loop_with_the_same_weights(metric):
    ranks = np.random.default_rng(1).geometric(0.15, size=80)
    found = interval_of_samples(ranks, metric=metric, k=10, n_resamples=400, n_questions=33, rng=5)
    classes, counts = np.unique(np.minimum(ranks, 11), return_counts=True)
    weights = np.random.default_rng(5).multinomial(33, counts / 80, size=400)
    means = []
    for row in weights:
        sample = [score(c, found.metric, 10) for c, w in zip(classes, row, strict=True) for _ in range(w)]
        assert len(sample) == 33
        means.append(sum(sample) / 33)
    ordered = sorted(means)
    for end, tail in ((found.low, 0.025), (found.high, 0.975)):  # linear percentiles
        place = tail * 399
        below = int(place)
        expected = ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])
        assert end == pytest.approx(expected, abs=1e-12)
    assert found.mean == pytest.approx(np.mean(means))
    assert found.standard_error == pytest.approx(np.std(means, ddof=1))
    assert found.width == found.high - found.low


@pytest.mark.parametrize("n_classes", [3, 64, 65, 300])
def test_weights_have_the_moments_of_draws_with_replacement(n_classes):
    rng = np.random.default_rng(n_classes)
    counts = rng.integers(1, 4, n_classes)
    size, m = 50, 20_000
    parts = list(resampling.class_weights(counts, size, m, rng))
    weights = np.concatenate([w for _, w in parts])
    assert [part.start for part, _ in parts[1:]] == [part.stop for part, _ in parts[:-1]]
    assert weights.shape == (m, n_classes)
    assert (weights.sum(axis=1) == size).all()
    p = counts / counts.sum()
    mean, variance = size * p, size * p * (1 - p)
    assert (np.abs(weights.mean(axis=0) - mean) < 5 * np.sqrt(variance / m)).all()
    covariance = np.cov(weights[:, :2], rowvar=False)
    expected = size * (np.diag(p[:2]) - np.outer(p[:2], p[:2]))
    assert np.abs(covariance - expected).max() < 0.1 * variance[:2].max()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("metric", ["accuracy", "ndcg", "mrr"])
def test_intervals_agree_with_scipy(method, metric):
    ranks = np.random.default_rng(2).geometric(0.12, size=60)
    ours = interval_of_samples(ranks, metric=metric, k=10, n_resamples=40_000, method=method, rng=0)
    values = np.array([score(r, metric, 10) for r in ranks])
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(1), vectorized=True
    )
    # An accuracy of 60 questions moves in steps of 1/60; else two draws differ by some .5% of a width.
    tolerance = 1 / 60 + 1e-12 if metric == "accuracy" else 0.02 * ours.width
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.02)


@pytest.mark.parametrize(
    "values", [np.array([0.0] * 9 + [1.0] * 4 + [0.5] * 7), np.random.default_rng(4).exponential(size=20)]
)
def test_bca_equals_scipy_on_the_same_samples(values):
    """Formula by formula, with ties and without: scipy draws indices, whose counts give the same means."""
    means = values[np.random.default_rng(3).integers(20, size=(999, 20))].mean(axis=1)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=0, method="bca", bootstrap_result=_Given(means), vectorized=True
    )
    classes, counts = np.unique(values, return_counts=True)
    ours = tuple(resampling.bca_quantile(means, classes, counts, 20, tail) for tail in (0.025, 0.975))
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


class _Given:
    """Stand-in for an earlier result of SciPy's bootstrap."""

    def __init__(self, means):
        self.bootstrap_distribution = means


@settings(deadline=None, max_examples=60)
@given(
    ranks=ranks_of,
    k=st.integers(1, 12),
    method=st.sampled_from(["percentile", "bca"]),
    seed=st.integers(0, 99),
)
def test_bounds_and_invariances(ranks, k, method, seed):
    found = [
        interval_of_samples(ranks, metric=metric, k=k, n_resamples=60, method=method, rng=seed)
        for metric in METRICS
    ]
    for one in found:
        assert 0 <= one.low <= one.high <= 1
        assert 0 <= one.mean <= 1
    accuracy, ndcg, mrr = (one.estimate for one in found)
    at_1 = bootstrap_interval(ranks, k=1, n_resamples=60, rng=0).estimate
    assert at_1 - 1e-12 <= mrr <= ndcg + 1e-12
    assert ndcg <= accuracy + 1e-12
    again = interval_of_samples(sorted(ranks), metric="ndcg", k=k, n_resamples=60, method=method, rng=seed)
    assert again == found[1]
    # the same seed means the same samples, so that the order of the metrics holds for the means
    assert found[2].mean <= found[1].mean + 1e-12 <= found[0].mean + 2e-12
    wider = bootstrap_interval(ranks, k=k, n_resamples=200, confidence_level=0.99, rng=seed)
    narrower = bootstrap_interval(ranks, k=k, n_resamples=200, confidence_level=0.9, rng=seed)
    assert wider.width >= narrower.width


@pytest.mark.parametrize("n", [1, 10, 736])
def test_all_hit_or_none_gives_wilsons_interval(n):
    expected = stats.binomtest(n, n).proportion_ci(0.95, method="wilson")
    found = bootstrap_interval([3] * n, k=10, rng=0)
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found.estimate == found.mean == 1.0
    assert found.standard_error == 0.0
    none = bootstrap_interval([11] * n, k=10, rng=0)
    assert (none.low, none.high) == pytest.approx((0.0, 1 - expected.low), abs=1e-9)
    ndcg = bootstrap_interval([3] * n, metric="ndcg")  # the unknown rest may have any gain
    assert (ndcg.low, ndcg.high) == pytest.approx((0.5 * expected.low, 1 - 0.5 * expected.low), abs=1e-9)
    assert bootstrap_interval([1] * n, metric="ndcg").low == pytest.approx(expected.low, abs=1e-9)
    assert bootstrap_interval([2] * n, metric="mrr", k=None).method == "wilson"
    hundred = interval_of_samples([3] * n, metric="accuracy", k=10, n_resamples=40, n_questions=100, rng=0)
    assert hundred.low == pytest.approx(stats.binomtest(100, 100).proportion_ci(0.95, method="wilson").low)


@pytest.mark.parametrize("rare", [1, 50])
def test_corrected_ends_are_refused_where_the_skewness_passes_the_pole(rare):
    """One rare value among many questions, and samples of few: 1 − a z is negative at one end."""
    ranks = [51 - rare] * 4999 + [rare]
    options = {"metric": "accuracy", "k": 10, "n_resamples": 2000, "rng": 0}
    with pytest.raises(ValueError, match="'bca'"):
        interval_of_samples(ranks, n_questions=100, method="bca", **options)
    for size, ends in ((5000, 2), (None, 2), (100, 1)):
        found = interval_of_samples(
            ranks, n_questions=size, method="bca" if ends == 2 else "percentile", **options
        )
        assert found.low <= found.high
        assert (found.low < found.high) == (ends == 2)


@pytest.mark.parametrize(("level", "fewest"), [(0.5, 40), (0.95, 40), (0.99, 200)])
def test_the_fewest_samples_leave_one_outside_either_end(level, fewest):
    bootstrap_interval([1, 20], n_resamples=fewest, confidence_level=level, rng=0)
    with pytest.raises(ValueError, match=f"at least {fewest}"):
        bootstrap_interval([1, 20], n_resamples=fewest - 1, confidence_level=level, rng=0)
