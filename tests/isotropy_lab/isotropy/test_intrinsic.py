import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.neighbors import NearestNeighbors

from isotropy_lab.isotropy import id_score, intrinsic_dimension
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details, nearest_others
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
    assert details.estimate == pytest.approx(oracles.intrinsic_dimension(load_iris().data, 20), rel=1e-9)
    X = np.random.default_rng(0).standard_normal((100, 3))
    zeros = np.array([[0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]])  # equal, though their bits differ
    assert intrinsic_dimension_details(np.vstack([X, zeros])).n_duplicates == 1


def test_queries_are_seeded_and_search_all_points():
    X = np.random.default_rng(1).standard_normal((3000, 4))
    one = intrinsic_dimension_details(X, n_queries=500, rng=5)
    again = intrinsic_dimension_details(X, n_queries=500, rng=np.random.default_rng(5))
    assert one.to_dict() == again.to_dict()
    assert one.n_queries == 500
    assert one.estimate == pytest.approx(intrinsic_dimension(X), rel=0.05)
    assert intrinsic_dimension(X, n_queries=9999) == intrinsic_dimension(X)


def test_the_score_is_a_share_of_the_dimensions_and_at_most_one():
    plane = np.random.default_rng(2).random((800, 2)) @ np.random.default_rng(3).standard_normal((2, 8))
    assert id_score(plane) == pytest.approx(intrinsic_dimension(plane) / 8)
    corr = (
        np.random.default_rng(2).standard_normal((2000, 2)) @ np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]]).T
    )
    assert intrinsic_dimension(corr) > 2
    assert id_score(corr) == 1.0


@pytest.mark.parametrize(
    ("size", "n", "k", "n_queries"),
    [(30, 2, 5, 25), (5_000, 3, 20, 25), (3_000, 40, 20, 25), (700, 600, 7, 25), (2_000, 3, 6, 1_200)],
)
def test_neighbors_are_exact(size, n, k, n_queries):
    X = np.random.default_rng(0).standard_normal((size, n)) + 50.0
    queries = np.random.default_rng(1).permutation(size)[:n_queries]
    distances, indices = nearest_others(X, queries, k)
    d, i = NearestNeighbors(n_neighbors=k + 1, algorithm="kd_tree").fit(X).kneighbors(X[queries])
    np.testing.assert_allclose(distances, d[:, 1:], rtol=1e-10)
    np.testing.assert_array_equal(indices, i[:, 1:])


def test_distinct_points_have_no_duplicates_in_whatever_order():
    X = np.random.default_rng(8).standard_normal((5000, 2))
    assert intrinsic_dimension_details(X, n_queries=50, rng=0).n_duplicates == 0
    rows = np.vstack([X, X[::7]])[np.random.default_rng(9).permutation(5715)]
    details = intrinsic_dimension_details(rows, n_queries=50, rng=0)
    assert (details.n_points, details.n_duplicates) == (5000, 715)
    # The rows that stay keep their order, or the same seed would query other points.
    unique = np.unique(rows, axis=0, return_index=True)[1]
    again = intrinsic_dimension_details(rows[np.sort(unique)], n_queries=50, rng=0)
    assert details.estimate == pytest.approx(again.estimate, rel=1e-12)


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(0)
    return np.vstack([rng.random((900, 3)), np.repeat(rng.random((600, 1)), 3, axis=1) + 2.0])


def test_every_query_leaves_no_error(mixed):
    found = intrinsic_dimension_details(mixed, n_queries=10**6)
    assert found.estimate == pytest.approx(intrinsic_dimension(mixed), rel=1e-12)
    assert found.standard_error == 0.0
    assert found.low == pytest.approx(found.estimate) == found.high
    assert found.n_queries == found.n_points == 1500


@pytest.mark.rest
@pytest.mark.parametrize("n_queries", [50, 400])
def test_the_interval_covers_and_the_error_is_the_scatter(mixed, n_queries):
    """Part of the cloud is a line and part a box, so that queries differ much."""
    truth = intrinsic_dimension(mixed)
    found = [intrinsic_dimension_details(mixed, n_queries=n_queries, rng=seed) for seed in range(150)]
    covered = sum(f.low <= truth <= f.high for f in found)
    assert covered >= 130  # of 143 expected; fewer is a chance of 1e-4
    scatter = np.std([f.estimate for f in found], ddof=1)
    assert 0.8 < np.mean([f.standard_error for f in found]) / scatter < 1.25


def test_the_interval_is_students_on_the_inverse():
    """With n − 1 degrees of freedom; five of forty queries, so that each degree shows."""
    X = np.random.default_rng(3).standard_normal((40, 4))
    found = intrinsic_dimension_details(X, n_queries=5, rng=0)
    error = found.standard_error / found.estimate**2
    reach = stats.t.ppf(0.975, 4) * error
    assert found.low == pytest.approx(1 / (1 / found.estimate + reach), rel=1e-12)
    assert found.high == pytest.approx(1 / (1 / found.estimate - reach), rel=1e-12)
    assert intrinsic_dimension_details(X, n_queries=2, rng=0).high == np.inf  # 12.7 errors


def test_near_copies_are_counted_and_rows_of_a_narrow_cloud_are_none():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((400, 30)).astype(np.float32)
    twice = np.vstack([X, X[:50] * (1 + 1e-6 * rng.standard_normal((50, 30)).astype(np.float32)), X[:7]])
    details = intrinsic_dimension_details(twice)
    assert details.near_copies.tolist() == [*range(50), *range(400, 450)]
    assert details.n_duplicates == 7
    for rows in (X, 1 + 1e-5 * X.astype(np.float64), X + np.float32(1e3)):
        assert intrinsic_dimension_details(rows).near_copies.size == 0
    rounded = np.vstack([X[:200], X[:200].astype(np.float16)])
    assert intrinsic_dimension_details(rounded).near_copies.tolist() == [*range(400)]
