"""Tests of sublist conditions and expected consistency against loops over sublists."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.kindel2023.consistency import expected_consistency, subset_conditions
from reanalyses.kindel2023.consistency_index import consistency_index
from reanalyses.kindel2023.lattice import subset_similarities
from reanalyses.kindel2023.similarities import condition_numbers
from tests.isotropy_lab.association.test_consistency import SIGNS


def words(seed, k, p, shift=0.5):
    return np.random.default_rng(seed).standard_normal((k, p)) + shift


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 6), p=st.integers(2, 8))
def test_subset_conditions_equal_a_loop(seed, k, p):
    W = words(seed, k, p)
    W[-1] = W[0]
    for q in range(1, k):
        table = subset_conditions(W, q)
        similarities = subset_similarities(W, q).values
        for i, row in enumerate(table.itertuples()):
            expected = condition_numbers(W[list(row.subset)]).cosine_matrix
            assert row.cosine_matrix == expected or abs(row.cosine_matrix - expected) <= 1e-6 * expected
            best = similarities[i].max() - similarities[i, i]
            assert row.outscored == (best > 1e-12)
            assert (row.margin < -1e-12) == row.outscored


@settings(deadline=None, max_examples=30)
@given(W=st.one_of(SIGNS, st.builds(words, st.integers(0, 10_000), st.integers(2, 7), st.integers(2, 6))))
def test_expected_consistency_equals_mean_over_sublists(W):
    """Words with entries ±1 often tie, and a tie does not outscore a sublist."""
    W, n = np.array(W, dtype=float), len(W)
    table = expected_consistency(W)
    assert len(table) == n * (n - 1) // 2
    for row in table.itertuples():
        lists = itertools.combinations(range(n), row.k)
        indices = [consistency_index(W[list(L)], row.q).weak for L in lists]
        assert row.expected_weak == pytest.approx(np.mean(indices), abs=1e-12)
    for _, group in table.groupby("q"):
        assert (np.diff(group["expected_weak"]) <= 0).all()
