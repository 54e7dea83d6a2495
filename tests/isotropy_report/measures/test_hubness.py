import numpy as np
import pytest
from scipy import stats

from isotropy_report.measures import hubness
from tests import oracles

pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("k", [1, 4, 38])
def test_hubness_is_that_of_the_definition(k):
    rng = np.random.default_rng(0)
    for X in (rng.standard_normal((40, 5)), rng.integers(0, 3, (40, 3)) + 1.0):
        indices, _ = oracles.nearest_neighbors(X, k, "cosine")
        counts = np.array([sum(i in row for row in indices) for i in range(40)])
        found = hubness(X, k=k)
        assert found.counts.tolist() == counts.tolist()
        assert found.skewness == pytest.approx(stats.skew(counts))
        assert found.anti_hubs == np.mean(counts == 0)
        assert found.hubs == np.mean(counts >= 2 * k)


def test_duplicates_are_kept():
    X = np.random.default_rng(0).standard_normal((50, 8))
    twice = hubness(np.vstack([X, X]), k=1)
    assert (twice.counts == 1).all()  # each row is the nearest of its copy
    many = hubness(np.vstack([X, np.tile(X[0], (30, 1))]), k=3)
    copies = np.array([0, *range(50, 80)])
    assert many.counts[copies[:4]].sum() >= 30 * 3  # the lowest rows among the copies take their lists


def test_references():
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((400, 20)) * np.arange(1, 21) ** -0.5 + 0.5).astype(np.float32)
    found = hubness(X, n_clouds=10, rng=1)
    assert found.gaussian.skewness == pytest.approx(found.skewness, abs=0.8)
    assert found.skewness > 0.7
    again = hubness(X * np.float32(1024.0), n_clouds=10, rng=1)
    assert again.gaussian.to_dict() == found.gaussian.to_dict()
    alone = hubness(X)
    assert alone.gaussian is None
