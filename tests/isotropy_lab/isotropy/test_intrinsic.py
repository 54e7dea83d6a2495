"""Tests of the intrinsic dimension against scikit-dimension and a naive form, and of its interval."""

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


# The expected values were computed by MLE() of scikit-dimension 0.5.0.
@pytest.mark.parametrize(
    ("X", "expected"),
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
def test_agrees_with_scikit_dimension(X, expected):
    assert intrinsic_dimension(X) == pytest.approx(expected, abs=1e-5)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 30), k=st.integers(2, 8))
def test_agrees_with_naive_formula(seed, n, k):
    X = np.random.default_rng(seed).standard_normal((25, n))
    X = np.vstack([X, X[:3]])
    assert intrinsic_dimension(X, n_neighbors=k) == pytest.approx(oracles.intrinsic_dimension(X, k), rel=1e-9)


def test_duplicates_are_removed_and_counted():
    details = intrinsic_dimension_details(load_iris().data)
    assert details.n_duplicates == 1
    assert details.n_points == 149
    assert details.estimate == pytest.approx(oracles.intrinsic_dimension(load_iris().data, 20), rel=1e-9)
    X = np.random.default_rng(0).standard_normal((100, 3))
    zeros = np.array([[0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]])  # equal, though their bits differ
    assert intrinsic_dimension_details(np.vstack([X, zeros])).n_duplicates == 1


def test_random_queries_are_reproducible_and_estimate_the_full_value():
    X = np.random.default_rng(1).standard_normal((3000, 4))
    first = intrinsic_dimension_details(X, n_queries=500, rng=5)
    second = intrinsic_dimension_details(X, n_queries=500, rng=np.random.default_rng(5))
    assert first.to_dict() == second.to_dict()
    assert first.n_queries == 500
    assert first.estimate == pytest.approx(intrinsic_dimension(X), rel=0.05)
    assert intrinsic_dimension(X, n_queries=9999) == intrinsic_dimension(X)


def test_id_score_is_the_fraction_of_dimensions_up_to_1():
    plane = np.random.default_rng(2).random((800, 2)) @ np.random.default_rng(3).standard_normal((2, 8))
    assert id_score(plane) == pytest.approx(intrinsic_dimension(plane) / 8)
    correlated = (
        np.random.default_rng(2).standard_normal((2000, 2)) @ np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]]).T
    )
    assert intrinsic_dimension(correlated) > 2
    assert id_score(correlated) == 1.0


@pytest.mark.parametrize(
    ("n_points", "n", "k", "n_queries"),
    [(30, 2, 5, 25), (5_000, 3, 20, 25), (3_000, 40, 20, 25), (700, 600, 7, 25), (2_000, 3, 6, 1_200)],
)
def test_nearest_others_agree_with_scikit_learn(n_points, n, k, n_queries):
    X = np.random.default_rng(0).standard_normal((n_points, n)) + 50.0
    queries = np.random.default_rng(1).permutation(n_points)[:n_queries]
    distances, indices = nearest_others(X, queries, k)
    expected_distances, expected_indices = (
        NearestNeighbors(n_neighbors=k + 1, algorithm="kd_tree").fit(X).kneighbors(X[queries])
    )
    np.testing.assert_allclose(distances, expected_distances[:, 1:], rtol=1e-10)
    np.testing.assert_array_equal(indices, expected_indices[:, 1:])


def test_duplicates_are_counted_in_any_row_order():
    X = np.random.default_rng(8).standard_normal((5000, 2))
    assert intrinsic_dimension_details(X, n_queries=50, rng=0).n_duplicates == 0
    rows = np.vstack([X, X[::7]])[np.random.default_rng(9).permutation(5715)]
    details = intrinsic_dimension_details(rows, n_queries=50, rng=0)
    assert (details.n_points, details.n_duplicates) == (5000, 715)
    # The remaining rows keep their order; otherwise the same seed would query other points.
    unique = np.unique(rows, axis=0, return_index=True)[1]
    without_duplicates = intrinsic_dimension_details(rows[np.sort(unique)], n_queries=50, rng=0)
    assert details.estimate == pytest.approx(without_duplicates.estimate, rel=1e-12)


@pytest.fixture(scope="module")
def line_and_box():
    rng = np.random.default_rng(0)
    return np.vstack([rng.random((900, 3)), np.repeat(rng.random((600, 1)), 3, axis=1) + 2.0])


def test_querying_all_points_has_no_standard_error(line_and_box):
    details = intrinsic_dimension_details(line_and_box, n_queries=10**6)
    assert details.estimate == pytest.approx(intrinsic_dimension(line_and_box), rel=1e-12)
    assert details.standard_error == 0.0
    assert details.low == pytest.approx(details.estimate) == details.high
    assert details.n_queries == details.n_points == 1500


@pytest.mark.rest
@pytest.mark.parametrize("n_queries", [50, 400])
def test_interval_covers_and_standard_error_matches_the_scatter(line_and_box, n_queries):
    """The cloud is part line and part box, so that local dimensions differ widely between queries."""
    truth = intrinsic_dimension(line_and_box)
    results = [
        intrinsic_dimension_details(line_and_box, n_queries=n_queries, rng=seed) for seed in range(150)
    ]
    covered = sum(result.low <= truth <= result.high for result in results)
    assert covered >= 130  # 142.5 expected; the probability of fewer than 130 is 2e-5
    scatter = np.std([result.estimate for result in results], ddof=1)
    assert 0.8 < np.mean([result.standard_error for result in results]) / scatter < 1.25


def test_interval_of_the_inverse_is_student_t():
    """Its n − 1 degrees of freedom matter for five of forty queries."""
    X = np.random.default_rng(3).standard_normal((40, 4))
    details = intrinsic_dimension_details(X, n_queries=5, rng=0)
    error = details.standard_error / details.estimate**2
    half_width = stats.t.ppf(0.975, 4) * error
    assert details.low == pytest.approx(1 / (1 / details.estimate + half_width), rel=1e-12)
    assert details.high == pytest.approx(1 / (1 / details.estimate - half_width), rel=1e-12)
    assert intrinsic_dimension_details(X, n_queries=2, rng=0).high == np.inf  # t = 12.7


def test_near_duplicates_are_found_and_narrow_clouds_have_none():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((400, 30)).astype(np.float32)
    with_duplicates = np.vstack(
        [X, X[:50] * (1 + 1e-6 * rng.standard_normal((50, 30)).astype(np.float32)), X[:7]]
    )
    details = intrinsic_dimension_details(with_duplicates)
    assert details.near_copies.tolist() == [*range(50), *range(400, 450)]
    assert details.n_duplicates == 7
    for rows in (X, 1 + 1e-5 * X.astype(np.float64), X + np.float32(1e3)):
        assert intrinsic_dimension_details(rows).near_copies.size == 0
    rounded = np.vstack([X[:200], X[:200].astype(np.float16)])
    assert intrinsic_dimension_details(rounded).near_copies.tolist() == [*range(400)]
