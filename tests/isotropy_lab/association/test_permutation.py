"""Tests of the WEAT permutation test against brute force, WEFE, and its own Monte Carlo estimate."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import keywords, permutation
from isotropy_lab.association._weat import SIMILARITIES, weat
from isotropy_lab.association.permutation import TIE_TOLERANCE, weat_permutation_test
from reanalyses.kindel2023 import spaces
from tests.isotropy_lab.association.test_weat import random_lists, wefe_lists


def count_relabelings(A, B, C, D, similarity="mean-cosine"):
    """Score every relabeling with `weat` itself."""
    pooled = np.vstack([A, B])
    observed = weat(A, B, C, D, similarity=similarity).score
    if similarity == "paired":
        relabelings = itertools.permutations(range(len(pooled)))
    else:
        relabelings = itertools.combinations(range(len(pooled)), len(A))
    n_at_least = count = 0
    for relabeling in relabelings:
        first = list(relabeling[: len(A)])
        second = list(relabeling[len(A) :]) or [i for i in range(len(pooled)) if i not in first]
        score = weat(pooled[first], pooled[second], C, D, similarity=similarity).score
        n_at_least += score >= observed - TIE_TOLERANCE
        count += 1
    return n_at_least, count


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 5), k_b=st.integers(1, 4))
def test_exact_counts_agree_with_brute_force(seed, k_a, k_b):
    lists = random_lists(seed, k_a, k_b, 3, 2)
    result = weat_permutation_test(*lists)
    assert (result.n_at_least, result.count) == count_relabelings(*lists)
    assert result.method == "exact"
    assert result.pvalue == result.pvalue_low == result.pvalue_high == result.n_at_least / result.count
    assert result.count == math.comb(k_a + k_b, k_a)
    assert result.statistic == weat(*lists).score


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_exact_counts_of_all_similarities_agree_with_brute_force(similarity, seed):
    A, B, C, D = random_lists(seed, 3, 3, 3, 3)
    if similarity != "paired":  # unequal lists, and relabelings with both of two dependent words in one list
        A, B, C, D = random_lists(seed, 3, 5, 5, 2)
        A = np.vstack([A, 2 * B[:1]])
    result = weat_permutation_test(A, B, C, D, similarity=similarity)
    assert (result.n_at_least, result.count) == count_relabelings(A, B, C, D, similarity)


def test_ties_count_as_at_least_as_high():
    A, B, C, D = random_lists(7, 3, 3)
    A = np.vstack([A, 5 * B[:1]])  # one word in both lists, at another length: exchanging it changes nothing
    result = weat_permutation_test(A, B, C, D)
    assert (result.n_at_least, result.count) == count_relabelings(A, B, C, D)
    assert result.n_at_least >= 2
    # If all words are parallel, every relabeling ties, whatever the order of the sums.
    lengths = np.arange(1, 5)[:, None]
    parallel_a, parallel_b = lengths * C[:1], 10 * lengths * C[:1]
    for similarity in ("mean-cosine", "centroid", "normalized", "canonical"):
        result = weat_permutation_test(parallel_a, parallel_b, C, D, similarity=similarity)
        assert (result.n_at_least, result.count, result.pvalue) == (70, 70, 1.0)


def test_p_value_agrees_with_wefe():
    # A script with WEFE 1.0.1 counted the 12,870 relabelings of two lists of 8 words: p = 0.252525.
    lists = wefe_lists()
    result = weat_permutation_test(*lists)
    assert (result.n_at_least, result.count) == (3250, 12870)
    assert result.pvalue == pytest.approx(0.25252525252525254)
    sampled = weat_permutation_test(*lists, n_resamples=20_000, rng=1)
    assert sampled.pvalue_low < result.pvalue < sampled.pvalue_high


@pytest.mark.rest
def test_two_lists_of_25_words_are_counted_exactly():
    lookup = keywords.find("weat-1", spaces.load("googlenews-weat"), spelling="original")
    lists = lookup.A, lookup.B, lookup.C, lookup.D
    result = weat_permutation_test(*lists)
    assert result.method == "exact"
    assert result.count == math.comb(50, 25)
    assert isinstance(result.n_at_least, int)
    assert 0 < result.pvalue < 1e-7  # Caliskan et al. (2017) print 10⁻⁷
    # Exchanging half of the words gives a p-value that a Monte Carlo test can check.
    A, B, C, D = lists
    mixed = np.vstack([A[::2], B[1::2]]), np.vstack([A[1::2], B[::2]]), C, D
    exact = weat_permutation_test(*mixed)
    sampled = weat_permutation_test(*mixed, n_resamples=100_000, rng=0)
    assert exact.method == "exact"
    assert 0.01 < sampled.pvalue_low < sampled.pvalue_high < 0.99
    assert is_compatible(sampled, exact.pvalue)


def is_compatible(sampled, pvalue):
    """Return whether a 99.99% interval around the sampled proportion contains the exact p-value."""
    interval = stats.binomtest(sampled.n_at_least, sampled.count).proportion_ci(0.9999, method="exact")
    return interval.low < pvalue < interval.high


def test_method_follows_from_the_number_of_relabelings():
    rng = np.random.default_rng(9)
    A, B, C, D = (rng.standard_normal((k, 8)) for k in (26, 26, 3, 3))
    result = weat_permutation_test(A, B, C, D, rng=0)
    assert (result.method, result.count) == ("monte-carlo", 100_000)
    # Lists of very different lengths have fewer subsets.
    assert weat_permutation_test(A[:4], np.vstack([A[4:], B]), C, D).count == math.comb(52, 4)
    lists_of_nine = A[:9], B[:9], C, D
    assert weat_permutation_test(*lists_of_nine, similarity="normalized", rng=0).count == 10_000
    assert [permutation._SumNull(k, k, np.zeros(2 * k)).is_feasible() for k in (25, 26)] == [True, False]
    assert weat_permutation_test(*lists_of_nine, n_resamples="exact").count == 48_620


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_monte_carlo_interval_covers_the_exact_p_value(similarity):
    lists = random_lists(16, 3, 3, 3, 3)
    exact = weat_permutation_test(*lists, similarity=similarity)
    assert 0.05 < exact.pvalue < 0.95
    sampled = weat_permutation_test(
        *lists, similarity=similarity, n_resamples=4000, rng=np.random.default_rng(1)
    )
    assert sampled.method == "monte-carlo"
    assert sampled.count == 4000
    assert sampled.pvalue == (sampled.n_at_least + 1) / 4001
    k, tail = sampled.n_at_least, 0.025  # the Clopper–Pearson interval
    assert stats.binom.sf(k - 1, 4000, sampled.pvalue_low) == pytest.approx(tail, rel=1e-6)
    assert stats.binom.cdf(k, 4000, sampled.pvalue_high) == pytest.approx(tail, rel=1e-6)
    assert is_compatible(sampled, exact.pvalue)
