import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association import separability


def naive(A, B, V):
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
def test_ranks_and_counts_are_those_of_a_sorted_list(seed, k_a, k_b, p):
    r = np.random.default_rng(seed)
    A, B = r.standard_normal((k_a, p)) + 0.3, r.standard_normal((k_b, p)) + 0.3
    V = np.concatenate([r.standard_normal((50, p)) + 0.3, A, B])
    found = separability(A, B, vocabulary=V)
    rank, n_closer = naive(A, B, V)
    assert (found.rank, found.n_closer) == (rank, n_closer)
    assert found.separable == (rank == k_b + 1)
    assert 1 <= found.rank <= k_b + 1
    assert found.n_closer >= k_b - 1  # the other words of B
    assert found.closer_subspaces == math.comb(n_closer, k_b)
    if found.closer_subspaces:
        assert found.log_closer_subspaces == pytest.approx(math.log(found.closer_subspaces))
    else:
        assert found.log_closer_subspaces == -math.inf
    own = separability(A, B)
    assert (own.rank, own.n_closer) == (rank, naive(A, B, np.concatenate([A, B]))[1])


def test_the_example_of_the_supplement():
    """Two vectors nearer than the farther of k = 2 words make one subspace; the formula gives none."""
    B = np.array([[3.0, 1.0, 0.0], [1.0, 0.0, 2.0]])
    near = B.mean(axis=0) + np.array([[0.1, 0, 0], [0, -0.1, 0]])
    found = separability([[0.0, -1.0, 0.0]], B, vocabulary=near)
    assert (found.n_closer, found.closer_subspaces) == (2, 1)
    n, k = 2, 2
    with pytest.raises(ValueError):  # its (n − 1 − k)! is the factorial of −1
        math.factorial(n - 1) // (math.factorial(k) * math.factorial(n - 1 - k))


def test_a_list_far_from_another_is_separable_and_itself_is_not():
    B = np.eye(4)[:2]
    assert separability(np.eye(4)[2:], B).separable
    assert separability(np.eye(4)[2:], B).rank == 3
    assert separability(B, B).rank == 1  # words that are as near share the better rank
