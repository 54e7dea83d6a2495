import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association.cosine import (
    centroid_mean_cosine_similarity,
    condition_numbers,
    cosine_similarities,
    mean_cosine_similarity,
    normalized_mean_cosine_similarity,
    paired_mean_cosine_similarity,
)

MEANS = [
    mean_cosine_similarity,
    paired_mean_cosine_similarity,
    centroid_mean_cosine_similarity,
    normalized_mean_cosine_similarity,
]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(
        sum(x * x for x in a) * sum(y * y for y in b)
    )


def naive(name, A, B):
    """The definitions, word by word."""
    table = [[cosine(a, b) for b in B] for a in A]
    if name == "mean_cosine_similarity":
        return sum(sum(row) for row in table) / (len(A) * len(B))
    if name == "paired_mean_cosine_similarity":
        return sum(table[i][i] for i in range(len(A))) / len(A)
    if name == "centroid_mean_cosine_similarity":
        centroid = [sum(column) / len(B) for column in zip(*B, strict=True)]
        return sum(cosine(a, centroid) for a in A) / len(A)
    within = [naive("mean_cosine_similarity", X, X) for X in (A, B)]
    return naive("mean_cosine_similarity", A, B) / math.sqrt(within[0] * within[1])


def lists(seed, k_a, k_b, p, shift=0.5):
    r = np.random.default_rng(seed)
    return r.standard_normal((k_a, p)) + shift, r.standard_normal((k_b, p)) + shift, r


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 7), k_b=st.integers(1, 7), p=st.integers(2, 12))
def test_every_mean_is_its_definition_and_within_its_bounds(seed, k_a, k_b, p):
    A, B, _ = lists(seed, k_a, k_b, p)
    table = cosine_similarities(A, B)
    np.testing.assert_allclose(table, [[cosine(a, b) for b in B] for a in A], atol=1e-13)
    assert table.shape == (k_a, k_b)
    assert np.abs(table).max() <= 1
    for function in MEANS:
        if function is paired_mean_cosine_similarity and k_a != k_b:
            continue
        found = function(A, B)
        assert found == pytest.approx(naive(function.__name__, A.tolist(), B.tolist()), abs=1e-10)
        assert -1 <= found <= 1
        assert isinstance(found, float)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), p=st.integers(2, 9))
def test_invariances(seed, k, p):
    A, B, r = lists(seed, k, k, p)
    rotation = np.linalg.qr(r.standard_normal((p, p)))[0]
    lengths_a, lengths_b = (np.exp(r.normal(0, 3, (k, 1))) for _ in range(2))
    order = r.permutation(k)
    for function in MEANS:
        value = pytest.approx(function(A, B), abs=1e-11)
        assert function(A @ rotation, B @ rotation) == value
        assert function(A * lengths_a, B) == value
        assert function(A[order], B[order]) == value
        if function is centroid_mean_cosine_similarity:
            assert function(A, 7.0 * B) == value
        else:
            assert function(A, B * lengths_b) == value
            assert function(B, A) == value
        if function is not paired_mean_cosine_similarity:
            assert function(A[order], B) == value


@pytest.mark.parametrize("function", [*MEANS, cosine_similarities])
def test_extreme_lengths_and_types(function):
    A, B, r = lists(3, 4, 4, 8)
    expected = function(A, B)
    np.testing.assert_allclose(function(A * 1e-200, B / 1e-200), expected, rtol=1e-12)
    np.testing.assert_allclose(function(A.astype(np.float32), B.astype(np.float32)), expected, atol=1e-6)
    whole = r.integers(-9, 9, (4, 8)) * 2 + 1
    np.testing.assert_allclose(function(whole, B), function(whole.astype(float), B), rtol=1e-14)
    if function is not centroid_mean_cosine_similarity:
        mixed = A * np.array([[1e-200], [1.0], [1e200], [1.0]])
        np.testing.assert_allclose(function(mixed, B), expected, rtol=1e-12)


def test_float32_is_accumulated_in_float64():
    A, B, _ = lists(4, 50, 50, 300)
    single_a, single_b = A.astype(np.float32), B.astype(np.float32)
    for function in MEANS:
        exact = function(single_a.astype(np.float64), single_b.astype(np.float64))
        assert function(single_a, single_b) == pytest.approx(exact, abs=1e-15)


def test_condition_numbers():
    A, _, r = lists(5, 6, 1, 20)
    found = condition_numbers(A)
    units = A / np.linalg.norm(A, axis=1, keepdims=True)
    assert found.vectors == pytest.approx(np.linalg.cond(A))
    assert found.unit_vectors == pytest.approx(np.linalg.cond(units))
    assert found.cosine_matrix == pytest.approx(np.linalg.cond(units @ units.T))
    scaled = condition_numbers(A * np.array([[1], [10], [1], [1], [-2], [0.1]]))
    assert scaled.unit_vectors == pytest.approx(found.unit_vectors)
    assert scaled.vectors > 5 * found.vectors
    assert condition_numbers(np.diag([1e-200, 1e-200])).vectors == 1.0
    single = condition_numbers(r.standard_normal((1, 3)))
    assert (single.vectors, single.unit_vectors, single.cosine_matrix) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dependent_words_have_infinite_condition(dtype):
    A = np.random.default_rng(6).standard_normal((4, 30)).astype(dtype)
    dependent = np.vstack([A, 3 * A[:1], A[1:2] - A[2:3]])
    for words in (dependent, dependent[:5], np.random.default_rng(7).standard_normal((4, 3)).astype(dtype)):
        found = condition_numbers(words)
        assert found.unit_vectors == found.cosine_matrix == found.vectors == math.inf
    assert condition_numbers(A).cosine_matrix < 100


def test_what_counts_as_canceling():
    # The mean is compared with the longest word, whatever the number of dimensions.
    ones = np.ones((1, 300))
    with pytest.raises(ValueError, match="3e-14"):
        centroid_mean_cosine_similarity(ones, np.vstack([ones, -(1 - 6e-14) * ones]))
    # Unequal lengths: the unit vectors cancel, the centroid does not.
    canceling = np.array([[1.0, 2.0], [-3.0, -6.0]])
    assert centroid_mean_cosine_similarity(np.array([[1.0, 2.0]]), canceling) == pytest.approx(-1.0)
