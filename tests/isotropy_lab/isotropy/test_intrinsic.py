import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from isotropy_lab.isotropy import id_score, intrinsic_dimension, intrinsic_dimension_details
from tests import oracles


# What scikit-dimension 0.5.0's MLE() returns.
@pytest.mark.parametrize(
    ("X", "peer"),
    [
        (np.random.default_rng(0).standard_normal((2000, 10)), 9.142468884236049),
        (
            np.random.default_rng(1).standard_normal((2000, 10)) * np.sqrt(np.r_[75.0, np.ones(9)]),
            8.065241617824732,
        ),
        (load_wine().data, 1.371055519868168),
        (load_digits().data[:500], 5.191320392331174),
    ],
)
def test_agrees_with_the_peer(X, peer):
    assert intrinsic_dimension(X) == pytest.approx(peer, abs=1e-5)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 30), k=st.integers(2, 8))
def test_agrees_with_the_naive_form(seed, n, k):
    X = np.random.default_rng(seed).standard_normal((25, n))
    X = np.vstack([X, X[:3]])
    assert intrinsic_dimension(X, n_neighbors=k) == pytest.approx(oracles.intrinsic_dimension(X, k), rel=1e-9)


def test_duplicates_are_dropped_and_counted():
    details = intrinsic_dimension_details(load_iris().data)
    assert details.n_duplicates == 1
    assert details.n_points == 149
    assert details.dimension == pytest.approx(oracles.intrinsic_dimension(load_iris().data, 20), rel=1e-9)
    X = np.random.default_rng(0).standard_normal((100, 3))
    zeros = np.array([[0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]])  # equal, though their bits differ
    assert intrinsic_dimension_details(np.vstack([X, zeros])).n_duplicates == 1


def test_queries_are_seeded_and_search_all_points():
    X = np.random.default_rng(1).standard_normal((3000, 4))
    one = intrinsic_dimension_details(X, n_queries=500, rng=5)
    assert one == intrinsic_dimension_details(X, n_queries=500, rng=np.random.default_rng(5))
    assert one.n_queries == 500
    assert one.dimension == pytest.approx(intrinsic_dimension(X), rel=0.05)
    assert intrinsic_dimension(X, n_queries=9999) == intrinsic_dimension(X)


def test_the_score_is_a_share_of_the_dimensions_and_at_most_one():
    plane = np.random.default_rng(2).random((800, 2)) @ np.random.default_rng(3).standard_normal((2, 8))
    assert id_score(plane) == pytest.approx(intrinsic_dimension(plane) / 8)
    corr = (
        np.random.default_rng(2).standard_normal((2000, 2)) @ np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]]).T
    )
    assert intrinsic_dimension(corr) > 2
    assert id_score(corr) == 1.0


def test_a_tight_cluster_far_away_keeps_its_distances():
    rng = np.random.default_rng(4)
    tight = rng.standard_normal((200, 20)) * 1e-7
    X = np.vstack([tight, rng.standard_normal((200, 20)) + 50])
    alone = (
        oracles.intrinsic_dimension(tight, 10) ** -1 + oracles.intrinsic_dimension(X[200:], 10) ** -1
    ) / 2
    assert intrinsic_dimension(X, n_neighbors=10) == pytest.approx(1 / alone, rel=1e-3)


def test_bad_input():
    X = np.random.default_rng(5).standard_normal((21, 2))
    intrinsic_dimension(X)
    with pytest.raises(ValueError, match="n_neighbors is 20, X has 20 distinct points; expected fewer"):
        intrinsic_dimension(X[:20])
    with pytest.raises(ValueError, match="X has 20 distinct points after dropping 2 duplicates"):
        id_score(np.vstack([X[:20], X[:2]]))
    with pytest.raises(ValueError, match="n_neighbors is 1; expected at least 2"):
        intrinsic_dimension(X, n_neighbors=1)
    with pytest.raises(ValueError, match="n_queries is 0"):
        intrinsic_dimension(X, n_queries=0)
    with pytest.raises(ValueError, match="infinite"):
        intrinsic_dimension(np.eye(6), n_neighbors=3)
    tiny = np.full((25, 2), 1.0)
    tiny[:, 0] = np.arange(25) * 5e-324
    tiny[0, 1] = 1e300
    with pytest.raises(ValueError, match="X has distinct points whose distance is 0 in float64"):
        intrinsic_dimension(tiny)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [3, 20])
@pytest.mark.parametrize("scale", [1e-300, 1e300, 1.7e308])
def test_any_scale(n, scale):
    X = np.random.default_rng(7).uniform(-1, 1, (200, n))
    assert intrinsic_dimension(X * scale) == pytest.approx(intrinsic_dimension(X), rel=1e-9)
