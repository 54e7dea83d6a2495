import numpy as np
import pytest
from scipy import stats

from isotropy_report.measures import hubness
from tests import oracles

pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 4, 38])
def test_hubness_is_that_of_the_definition(metric, k):
    rng = np.random.default_rng(0)
    for X in (rng.standard_normal((40, 5)), rng.integers(0, 3, (40, 3)) + 1.0):
        indices, _ = oracles.nearest_neighbors(X, k, metric)
        counts = np.array([sum(i in row for row in indices) for i in range(40)])
        found = hubness(X, k=k, metric=metric)
        assert found.counts.tolist() == counts.tolist()
        assert found.skewness == pytest.approx(stats.skew(counts))
        assert found.anti_hubs == np.mean(counts == 0)
        assert found.hubs == np.mean(counts >= 2 * k)
        largest = sorted(range(40), key=lambda i: (-counts[i], i))[:10]
        assert found.largest_rows.tolist() == largest
        assert found.largest_counts.tolist() == counts[largest].tolist()
        _, values = oracles.nearest_neighbors(X, 39, metric)
        assert found.n_ties == sum(row[k - 1] == row[k] for row in values)
        assert found.n_duplicates == 40 - len(np.unique(X, axis=0))


def test_chance_is_that_of_lists_drawn_at_random():
    rng = np.random.default_rng(0)
    chance = hubness(rng.standard_normal((60, 3)), k=5).chance
    skews, none, many = [], [], []
    for _ in range(400):
        lists = [rng.choice(59, 5, replace=False) for _ in range(60)]
        counts = np.bincount(np.concatenate([row + (row >= i) for i, row in enumerate(lists)]), minlength=60)
        skews.append(stats.skew(counts))
        none.append(np.mean(counts == 0))
        many.append(np.mean(counts >= 10))
    assert chance.anti_hubs == pytest.approx(np.mean(none), abs=0.002)
    assert chance.hubs == pytest.approx(np.mean(many), abs=0.004)
    assert chance.skewness == pytest.approx(np.mean(skews), abs=0.08)  # that of 60 is a little less


def test_duplicates_are_kept():
    X = np.random.default_rng(0).standard_normal((50, 8))
    twice = hubness(np.vstack([X, X]), k=1)
    assert (twice.counts == 1).all()  # each row is the nearest of its copy
    assert twice.n_duplicates == 50
    many = hubness(np.vstack([X, np.tile(X[0], (30, 1))]), k=3)
    assert many.n_duplicates == 30
    copies = np.array([0, *range(50, 80)])
    assert many.counts[copies[:4]].sum() >= 30 * 3  # the lowest rows among the copies take their lists
    assert hubness(np.vstack([X, -0.0 * X[:1], 0.0 * X[:1]]), metric="euclidean").n_duplicates == 1


def test_references():
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((400, 20)) * np.arange(1, 21) ** -0.5 + 0.5).astype(np.float32)
    found = hubness(X, n_clouds=10, rng=1)
    assert found.gaussian.n_clouds == 10
    assert found.gaussian.skewness == pytest.approx(found.skewness, abs=0.8)
    assert found.skewness > 0.7
    again = hubness(X * np.float32(1024.0), n_clouds=10, rng=1)
    assert again.gaussian == found.gaussian
    alone = hubness(X)
    assert alone.gaussian is None
