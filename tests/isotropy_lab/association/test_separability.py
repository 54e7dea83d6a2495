"""Tests of separability against a sorted list of cosines and an example of the paper's supplement."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association import separability


def naive_ranks(A, B, V):
    """Sort all words by their cosine with the centroid, and count."""
    centroid = B.mean(axis=0)

    def cosine(x):
        return x @ centroid / np.linalg.norm(x) / np.linalg.norm(centroid)

    ordered = sorted([(-cosine(x), "A") for x in A] + [(-cosine(x), "B") for x in B])
    rank = 1 + [label for _, label in ordered].index("A")
    farthest = min(cosine(x) for x in B)
    return rank, sum(cosine(x) > farthest + 1e-13 for x in V)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 6), k_b=st.integers(1, 6), p=st.integers(2, 10))
def test_ranks_and_counts_agree_with_a_sorted_list(seed, k_a, k_b, p):
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((k_a, p)) + 0.3, rng.standard_normal((k_b, p)) + 0.3
    V = np.concatenate([rng.standard_normal((50, p)) + 0.3, A, B])
    result = separability(A, B, vocabulary=V)
    rank, n_closer = naive_ranks(A, B, V)
    assert (result.rank, result.n_closer) == (rank, n_closer)
    assert result.separable == (rank == k_b + 1)
    assert 1 <= result.rank <= k_b + 1
    assert result.n_closer >= k_b - 1  # the other words of B
    assert result.closer_subspaces == math.comb(n_closer, k_b)
    if result.closer_subspaces:
        assert result.log_closer_subspaces == pytest.approx(math.log(result.closer_subspaces))
    else:
        assert result.log_closer_subspaces == -math.inf
    default = separability(A, B)
    assert (default.rank, default.n_closer) == (rank, naive_ranks(A, B, np.concatenate([A, B]))[1])


def test_number_of_closer_subspaces_in_the_example_of_the_supplement():
    """Two vectors nearer than the farther of k = 2 words make one subspace; the formula gives none."""
    B = np.array([[3.0, 1.0, 0.0], [1.0, 0.0, 2.0]])
    vocabulary = B.mean(axis=0) + np.array([[0.1, 0, 0], [0, -0.1, 0]])
    result = separability([[0.0, -1.0, 0.0]], B, vocabulary=vocabulary)
    assert (result.n_closer, result.closer_subspaces) == (2, 1)
    n, k = 2, 2
    with pytest.raises(ValueError):  # its (n − 1 − k)! is the factorial of −1
        math.factorial(n - 1) // (math.factorial(k) * math.factorial(n - 1 - k))


def test_orthogonal_lists_are_separable_and_equal_lists_are_not():
    B = np.eye(4)[:2]
    assert separability(np.eye(4)[2:], B).separable
    assert separability(np.eye(4)[2:], B).rank == 3
    assert separability(B, B).rank == 1  # tied words share the better rank
