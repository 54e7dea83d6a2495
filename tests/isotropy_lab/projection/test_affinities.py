"""Tests of affinities against bisection, for given distances, ties, and distances of any size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from isotropy_lab.projection import _checks
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.kernels import kl as kernels_kl
from isotropy_lab.projection.affinities import affinities
from tests import oracles
from tests.isotropy_lab.bad_input import assert_refused


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), N=st.integers(4, 18), n=st.integers(1, 9), fraction=st.floats(0.02, 0.97))
def test_affinities_agree_with_bisection(seed, N, n, fraction):
    X = np.random.default_rng(seed).standard_normal((N, n)) * np.exp(
        np.random.default_rng(seed).random((N, 1))
    )
    perplexity = 1 + fraction * (N - 2)
    P = affinities(X, perplexity=perplexity)
    np.testing.assert_allclose(P, oracles.affinities(X, perplexity), rtol=1e-8, atol=1e-14)
    assert P.sum() == pytest.approx(1, abs=1e-14)
    assert np.array_equal(P, P.T)
    assert not P.diagonal().any()
    assert (P >= 0).all()


def test_precomputed_distances_give_the_affinities_of_points():
    """There are 300 points because distances are computed 128 rows at a time."""
    X = np.random.default_rng(0).standard_normal((300, 4))
    P = affinities(X, perplexity=10)
    np.testing.assert_allclose(affinities(cdist(X, X), perplexity=10, metric="precomputed"), P, rtol=1e-9)
    city_block = affinities(cdist(X, X, "cityblock"), perplexity=10, metric="precomputed")
    expected = oracles.affinities(X, 10, lambda x: np.abs(x).sum())
    np.testing.assert_allclose(city_block, expected, rtol=1e-8, atol=1e-15)


def test_few_duplicates_do_not_prevent_a_bandwidth():
    X = np.vstack([np.zeros((2, 3)), np.random.default_rng(0).standard_normal((60, 3)) + 5])
    np.testing.assert_allclose(affinities(X, perplexity=20), oracles.affinities(X, 20), rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("loops", [plain, kernels_kl])
@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_ties_up_to_the_perplexity_have_equal_probabilities(loops, size):
    """Distances that differ by rounding are tied; slightly larger differences are not ties."""
    rows = np.array([[0.0, 1.0, 1.0 + 1e-15, 4.0, 9.0], [1.0, 0.0, 1.0 + 3e-15, 4.0, 9.0]])
    D = size * np.vstack([rows, np.ones((3, 5))])
    loops.conditional_rows(D, 2.0)
    assert D[0].tolist() == [0.0, 0.5, 0.5, 0.0, 0.0]
    assert D[1, 0] > D[1, 2] > 0
    np.testing.assert_array_equal(D[2:], (1 - np.eye(5)[2:]) / 4)


@pytest.mark.parametrize("numba", ["1", "0"])
@pytest.mark.parametrize("power", [-996, 990])
def test_affinities_do_not_depend_on_the_unit_of_distances(power, numba, monkeypatch):
    """Powers of two change no digit, compiled or not."""
    monkeypatch.setenv("ISOTROPY_LAB_NUMBA", numba)
    X = np.random.default_rng(3).random((40, 3))
    D = np.round(cdist(X, X) * 2.0**30)  # so few digits that the smallest numbers have them all
    expected = affinities(D, metric="precomputed", perplexity=7.0)
    np.testing.assert_allclose(expected, oracles.affinities(X, 7.0), atol=1e-9)
    scaled = np.ldexp(D, power - 30)
    np.testing.assert_array_equal(affinities(scaled, metric="precomputed", perplexity=7.0), expected)


@pytest.mark.parametrize(
    ("position", "value", "expected_words"),
    [
        ((3, 70), np.nan, "X NaN 1 of 150 rows row 3"),
        ((140, 2), np.inf, "X 1 of 150 rows row 140"),
        ((5, 9), -1.0, "X negative -1 (5, 9)"),
        ((77, 77), 0.01, "X 0.01 (77, 77)"),
        ((149, 0), 99.0, "X symmetric (0, 149) 99 (149, 0)"),
        ((65, 64), 99.0, "X symmetric (64, 65) 99 (65, 64)"),
    ],
)
def test_invalid_distance_matrices_are_refused(position, value, expected_words):
    X = np.random.default_rng(4).random((150, 3))
    D = cdist(X, X)
    assert _checks.as_distance_matrix(D) is D
    D[position] = value
    assert_refused(ValueError, expected_words, lambda: _checks.as_distance_matrix(D))
    assert_refused(ValueError, "X", lambda: _checks.as_distance_matrix(1e-6 * D))
