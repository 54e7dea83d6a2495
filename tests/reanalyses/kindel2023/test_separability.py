import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reanalyses.kindel2023.separability import separability, separability_profile


def naive(A, B, V):
    """Sort everything by its cosine with the centroid and count."""
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
    turn = np.linalg.qr(r.standard_normal((p, p)))[0]
    assert separability(A @ turn, 7 * B @ turn, vocabulary=V @ turn) == found


def test_the_example_of_the_supplement():
    """Two vectors nearer than the farther of k = 2 words make one nearer subspace; the printed formula gives none."""
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


def test_large_numbers_of_subspaces_are_exact():
    r = np.random.default_rng(0)
    V = r.standard_normal((5000, 20))
    found = separability(V[:20], V[20:40], vocabulary=V)
    assert found.closer_subspaces == math.comb(found.n_closer, 20)
    assert found.log_closer_subspaces == pytest.approx(
        math.lgamma(found.n_closer + 1) - math.lgamma(21) - math.lgamma(found.n_closer - 19), rel=1e-9
    )


def test_bad_input():
    B = np.eye(3)
    with pytest.raises(ValueError, match="B has a relative centroid of length 0"):
        separability(B, [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="vocabulary has NaN"):
        separability(B, B, vocabulary=[[np.nan, 0.0, 1.0]])
    with pytest.raises(ValueError, match="A and vocabulary have 3 and 2 dimensions"):
        separability(B, B, vocabulary=np.eye(2))
    with pytest.raises(ValueError, match="A has 0 words"):
        separability(np.empty((0, 3)), B)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 4), k_b=st.integers(1, 6), p=st.integers(2, 9))
def test_the_profile_is_the_mean_over_sublists(seed, k_a, k_b, p):
    r = np.random.default_rng(seed)
    A, B = (
        r.standard_normal((k_a, p)) + 0.3,
        (r.standard_normal((k_b, p)) + 0.3) * r.uniform(0.5, 2, (k_b, 1)),
    )
    table = separability_profile(A, B)
    assert table["q"].tolist() == list(range(1, k_b + 1))
    for row in table.itertuples():
        found, own, other = [], [], []
        for S in itertools.combinations(range(k_b), row.q):
            words = B[list(S)]
            centroid = words.mean(axis=0) / np.linalg.norm(words.mean(axis=0))
            found.append(separability(A, words))
            own.append(np.mean([w @ centroid / np.linalg.norm(w) for w in words]))
            other.append(np.mean([w @ centroid / np.linalg.norm(w) for w in A]))
        assert row.n_subsets == len(found) == math.comb(k_b, row.q)
        assert row.mean_rank == pytest.approx(np.mean([x.rank for x in found]))
        assert row.share_separable == pytest.approx(np.mean([x.separable for x in found]))
        assert row.cosine_own == pytest.approx(np.mean(own), abs=1e-7)
        assert row.cosine_other == pytest.approx(np.mean(other), abs=1e-7)
    units = B / np.linalg.norm(B, axis=1)[:, None]
    assert (np.diff(separability_profile(A, 1e150 * units)["cosine_own"]) <= 1e-9).all()


def test_a_profile_of_samples():
    r = np.random.default_rng(0)
    A, B = r.standard_normal((3, 9)) + 0.3, r.standard_normal((6, 9)) + 0.3
    exact, sampled = separability_profile(A, B), separability_profile(A, B, n_samples=4_000, rng=1)
    np.testing.assert_allclose(exact["cosine_own"], sampled["cosine_own"], atol=0.01)
    np.testing.assert_allclose(exact["mean_rank"], sampled["mean_rank"], atol=0.1)
    assert (sampled["n_subsets"] == 4_000).all()
    with pytest.raises(
        ValueError, match=r"B has 17 words and so 2\^17 sublists; expected at most 16 words, or n_samples"
    ):
        separability_profile(A, r.standard_normal((17, 9)))
    with pytest.raises(ValueError, match=r"B\[\[0, 1\]\] has a relative centroid of length 0"):
        separability_profile(np.eye(3), [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    with pytest.raises(ValueError, match="n_samples is 0"):
        separability_profile(A, B, n_samples=0)


def test_short_words_are_not_taken_for_words_that_cancel():
    B = np.array([[1e-18, 0.0, 0.0], [0.0, 1e-18, 0.0], [0.0, 0.0, 1.0]])
    table = separability_profile(np.eye(3)[:1], B)
    assert table["cosine_own"][0] == pytest.approx(1.0)
    assert table["cosine_own"][1] == pytest.approx((0.5**0.5 + 0.5 + 0.5) / 3)


def test_a_word_that_is_far_shorter_than_another_has_a_direction_of_its_own():
    """Alone it is its own centroid, however long the other words of the list are."""
    B = np.array([[1e300, 0.0], [0.0, 1e-300]])
    table = separability_profile(np.array([[1.0, 1.0]]), B)
    assert table["cosine_own"].iloc[0] == pytest.approx(1.0, abs=1e-12)
    assert table["cosine_other"].iloc[0] == pytest.approx(0.5**0.5, abs=1e-12)
