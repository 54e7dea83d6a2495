import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.kindel2023.consistency import beating_words, expected_consistency, subset_conditions
from reanalyses.kindel2023.consistency_index import consistency_index
from reanalyses.kindel2023.lattice import subset_similarities
from reanalyses.kindel2023.similarities import condition_numbers
from tests.isotropy_lab.association.test_consistency import SIGNS, mean_cosine


def words(seed, k, p, shift=0.5):
    return np.random.default_rng(seed).standard_normal((k, p)) + shift


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 6), p=st.integers(2, 8))
def test_conditions_are_those_of_each_sublist(seed, k, p):
    W = words(seed, k, p)
    W[-1] = W[0]
    for q in range(1, k):
        table = subset_conditions(W, q)
        similarities = subset_similarities(W, q).values
        for i, row in enumerate(table.itertuples()):
            expected = condition_numbers(W[list(row.subset)])
            for name in ("vectors", "unit_vectors", "cosine_matrix"):
                a, b = getattr(row, name), getattr(expected, name)
                assert a == b or abs(a - b) <= 1e-6 * b
            best = similarities[i].max() - similarities[i, i]
            assert row.beaten == (best > 1e-12)
            assert (row.margin < -1e-12) == row.beaten


@settings(deadline=None, max_examples=40)
@given(W=SIGNS)
def test_words_that_only_tie_displace_none(W):
    k = len(W)
    counts = beating_words(W).counts
    for q in range(1, k):
        expected = [0] * (k + 1)
        for S in itertools.combinations(range(k), q):
            sums = [mean_cosine(W, [j], S) for j in range(k)]
            expected[sum(sums[j] > min(sums[i] for i in S) for j in range(k) if j not in S)] += 1
        assert counts[q].tolist() == expected


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 7), p=st.integers(2, 6))
def test_expected_consistency_is_the_mean_over_all_sublists(seed, n, p):
    W = np.random.default_rng(seed).standard_normal((n, p)) + 0.5
    table = expected_consistency(W)
    assert len(table) == n * (n - 1) // 2
    for row in table.itertuples():
        lists = itertools.combinations(range(n), row.k)
        shares = [consistency_index(W[list(L)], row.q).weak for L in lists]
        assert row.expected_weak == pytest.approx(np.mean(shares), abs=1e-12)
    for _, group in table.groupby("q"):
        assert (np.diff(group["expected_weak"]) <= 0).all()
    assert expected_consistency(beating_words(W)).equals(table)
