"""Tests of mean cosine similarities against their definitions, and of condition numbers against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association.cosine import cosine_similarities, mean_cosine_similarity
from reanalyses.kindel2023.similarities import (
    centroid_mean_cosine_similarity,
    condition_numbers,
    normalized_mean_cosine_similarity,
    paired_mean_cosine_similarity,
)
from tests.isotropy_lab.invariance import invariance_test
from tests.oracles import cosine

MEANS = [
    mean_cosine_similarity,
    paired_mean_cosine_similarity,
    centroid_mean_cosine_similarity,
    normalized_mean_cosine_similarity,
]


def naive_mean(name, A, B):
    """Compute the means from their definitions, word by word."""
    table = [[cosine(a, b) for b in B] for a in A]
    if name == "mean_cosine_similarity":
        return sum(sum(row) for row in table) / (len(A) * len(B))
    if name == "paired_mean_cosine_similarity":
        return sum(table[i][i] for i in range(len(A))) / len(A)
    if name == "centroid_mean_cosine_similarity":
        centroid = [sum(column) / len(B) for column in zip(*B, strict=True)]
        return sum(cosine(a, centroid) for a in A) / len(A)
    within = [naive_mean("mean_cosine_similarity", X, X) for X in (A, B)]
    return naive_mean("mean_cosine_similarity", A, B) / math.sqrt(within[0] * within[1])


def random_lists(seed, k_a, k_b, p, shift=0.5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((k_a, p)) + shift, rng.standard_normal((k_b, p)) + shift, rng


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 7), k_b=st.integers(1, 7), p=st.integers(2, 12))
def test_means_agree_with_their_definitions_and_bounds(seed, k_a, k_b, p):
    A, B, _ = random_lists(seed, k_a, k_b, p)
    table = cosine_similarities(A, B)
    np.testing.assert_allclose(table, [[cosine(a, b) for b in B] for a in A], atol=1e-13)
    assert table.shape == (k_a, k_b)
    assert np.abs(table).max() <= 1
    for function in MEANS:
        if function is paired_mean_cosine_similarity and k_a != k_b:
            continue
        value = function(A, B)
        assert value == pytest.approx(naive_mean(function.__name__, A.tolist(), B.tolist()), abs=1e-10)
        assert -1 <= value <= 1
        assert isinstance(value, float)


COMMON = "rotation order tiny huge single scale:1 lengths:0"
test_means_are_invariant = invariance_test(
    lambda seed: random_lists(seed, 5, 5, 9)[:2],
    {
        "mean": (mean_cosine_similarity, f"{COMMON} lengths:1 order:0 exchange", 1e-11),
        "paired": (paired_mean_cosine_similarity, f"{COMMON} lengths:1 exchange", 1e-11),
        "centroid": (centroid_mean_cosine_similarity, f"{COMMON} order:0", 1e-11),
        "normalized": (normalized_mean_cosine_similarity, f"{COMMON} lengths:1 order:0 exchange", 1e-11),
        "table": (cosine_similarities, "rotation tiny huge single lengths", 1e-11),
    },
)


def test_condition_numbers_agree_with_numpy():
    A, _, rng = random_lists(5, 6, 1, 20)
    numbers = condition_numbers(A)
    units = A / np.linalg.norm(A, axis=1, keepdims=True)
    assert numbers.vectors == pytest.approx(np.linalg.cond(A))
    assert numbers.unit_vectors == pytest.approx(np.linalg.cond(units))
    assert numbers.cosine_matrix == pytest.approx(np.linalg.cond(units @ units.T))
    scaled = condition_numbers(A * np.array([[1], [10], [1], [1], [-2], [0.1]]))
    assert scaled.unit_vectors == pytest.approx(numbers.unit_vectors)
    assert scaled.vectors > 5 * numbers.vectors
    assert condition_numbers(np.diag([1e-200, 1e-200])).vectors == 1.0
    single = condition_numbers(rng.standard_normal((1, 3)))
    assert (single.vectors, single.unit_vectors, single.cosine_matrix) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dependent_words_have_infinite_condition_numbers(dtype):
    A = np.random.default_rng(6).standard_normal((4, 30)).astype(dtype)
    dependent = np.vstack([A, 3 * A[:1], A[1:2] - A[2:3]])
    for words in (dependent, dependent[:5], np.random.default_rng(7).standard_normal((4, 3)).astype(dtype)):
        numbers = condition_numbers(words)
        assert numbers.unit_vectors == numbers.cosine_matrix == numbers.vectors == math.inf
    assert condition_numbers(A).cosine_matrix < 100


def test_only_canceling_centroids_are_refused():
    # The mean is compared with the longest word, whatever the number of dimensions.
    ones = np.ones((1, 300))
    with pytest.raises(ValueError, match="3e-14"):
        centroid_mean_cosine_similarity(ones, np.vstack([ones, -(1 - 6e-14) * ones]))
    assert mean_cosine_similarity([[2.0]], [[-1.0]]) == -1.0  # in one dimension
    # Unequal lengths: the unit vectors cancel, the centroid does not.
    canceling = np.array([[1.0, 2.0], [-3.0, -6.0]])
    assert centroid_mean_cosine_similarity(np.array([[1.0, 2.0]]), canceling) == pytest.approx(-1.0)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_leaves_cosines_within_their_range(seed):
    row = np.random.default_rng(seed).standard_normal((1, 7)) * 10.0**seed
    for sign in (1.0, -1.0):
        assert abs(mean_cosine_similarity(row, sign * row)) <= 1.0
        assert abs(mean_cosine_similarity(np.repeat(row, 3, axis=0), sign * row)) <= 1.0
