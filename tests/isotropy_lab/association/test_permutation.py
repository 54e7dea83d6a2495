import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import keywords, permutation
from isotropy_lab.association._weat import SIMILARITIES, weat
from isotropy_lab.association.permutation import (
    TIE_TOLERANCE,
    weat_permutation_test,
)
from reanalyses.kindel2023 import spaces
from tests.isotropy_lab.association.test_weat import draw, wefe_lists


def brute_force(A, B, C, D, similarity="mean-cosine"):
    """Score every relabeling with `weat` itself."""
    pooled = np.vstack([A, B])
    observed = weat(A, B, C, D, similarity=similarity).score
    if similarity == "paired":
        divisions = itertools.permutations(range(len(pooled)))
    else:
        divisions = itertools.combinations(range(len(pooled)), len(A))
    at_least = count = 0
    for division in divisions:
        first = list(division[: len(A)])
        rest = list(division[len(A) :]) or [i for i in range(len(pooled)) if i not in first]
        score = weat(pooled[first], pooled[rest], C, D, similarity=similarity).score
        at_least += score >= observed - TIE_TOLERANCE
        count += 1
    return at_least, count


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 5), k_b=st.integers(1, 4))
def test_exact_counts_are_those_of_brute_force(seed, k_a, k_b):
    lists = draw(seed, k_a, k_b, 3, 2)
    found = weat_permutation_test(*lists)
    assert (found.n_at_least, found.count) == brute_force(*lists)
    assert found.method == "exact"
    assert found.pvalue == found.pvalue_low == found.pvalue_high == found.n_at_least / found.count
    assert found.count == math.comb(k_a + k_b, k_a)
    assert found.statistic == weat(*lists).score


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_exact_counts_for_every_similarity(similarity, seed):
    A, B, C, D = draw(seed, 3, 3, 3, 3)
    if similarity != "paired":  # unequal lists, and divisions that have both of two dependent words
        A, B, C, D = draw(seed, 3, 5, 5, 2)
        A = np.vstack([A, 2 * B[:1]])
    found = weat_permutation_test(A, B, C, D, similarity=similarity)
    assert (found.n_at_least, found.count) == brute_force(A, B, C, D, similarity)


def test_ties_count_as_at_least_as_high():
    A, B, C, D = draw(7, 3, 3)
    A = np.vstack([A, 5 * B[:1]])  # one word in both lists, at another length: exchanging it changes nothing
    found = weat_permutation_test(A, B, C, D)
    assert (found.n_at_least, found.count) == brute_force(A, B, C, D)
    assert found.n_at_least >= 2
    # All words the same: every division ties, whatever the order of the sums.
    lengths = np.arange(1, 5)[:, None]
    same, others = lengths * C[:1], 10 * lengths * C[:1]
    for similarity in ("mean-cosine", "centroid", "normalized", "canonical"):
        found = weat_permutation_test(same, others, C, D, similarity=similarity)
        assert (found.n_at_least, found.count, found.pvalue) == (70, 70, 1.0)


def test_values_of_another_package():
    # The 12,870 divisions of two lists of 8 words, counted by a script beside WEFE 1.0.1: p = .252525.
    lists = wefe_lists()
    found = weat_permutation_test(*lists)
    assert (found.n_at_least, found.count) == (3250, 12870)
    assert found.pvalue == pytest.approx(0.25252525252525254)
    sampled = weat_permutation_test(*lists, n_resamples=20_000, rng=1)
    assert sampled.pvalue_low < found.pvalue < sampled.pvalue_high


# --- large lists --------------------------------------------------------------------------------------------


@pytest.mark.rest
def test_two_lists_of_25_words_are_counted_exactly():
    found = keywords.find("weat-1", spaces.load("googlenews-weat"), spelling="original")
    lists = found.A, found.B, found.C, found.D
    test = weat_permutation_test(*lists)
    assert test.method == "exact"
    assert test.count == math.comb(50, 25)
    assert isinstance(test.n_at_least, int)
    assert 0 < test.pvalue < 1e-7  # Caliskan et al. (2017) print 10⁻⁷
    # Half of the words exchanged: a p-value that a Monte Carlo test can check.
    A, B, C, D = lists
    mixed = np.vstack([A[::2], B[1::2]]), np.vstack([A[1::2], B[::2]]), C, D
    exact = weat_permutation_test(*mixed)
    sampled = weat_permutation_test(*mixed, n_resamples=100_000, rng=0)
    assert exact.method == "exact"
    assert 0.01 < sampled.pvalue_low < sampled.pvalue_high < 0.99
    assert covers(sampled, exact.pvalue)


def covers(sampled, pvalue):
    """Return whether a 99.99% interval contains the exact p-value."""
    interval = stats.binomtest(sampled.n_at_least, sampled.count).proportion_ci(0.9999, method="exact")
    return interval.low < pvalue < interval.high


def test_what_is_feasible():
    r = np.random.default_rng(9)
    A, B, C, D = (r.standard_normal((k, 8)) for k in (26, 26, 3, 3))
    found = weat_permutation_test(A, B, C, D, rng=0)
    assert (found.method, found.count) == ("monte-carlo", 100_000)
    # Lists of very different lengths have fewer subsets.
    assert weat_permutation_test(A[:4], np.vstack([A[4:], B]), C, D).count == math.comb(52, 4)
    nine = A[:9], B[:9], C, D
    assert weat_permutation_test(*nine, similarity="normalized", rng=0).count == 10_000
    assert [permutation._SumNull(k, k, np.zeros(2 * k)).is_feasible() for k in (25, 26)] == [True, False]
    assert weat_permutation_test(*nine, n_resamples="exact").count == 48_620


# --- Monte Carlo --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_random_divisions_agree_with_all_of_them(similarity):
    lists = draw(16, 3, 3, 3, 3)
    exact = weat_permutation_test(*lists, similarity=similarity)
    assert 0.05 < exact.pvalue < 0.95
    sampled = weat_permutation_test(
        *lists, similarity=similarity, n_resamples=4000, rng=np.random.default_rng(1)
    )
    assert sampled.method == "monte-carlo"
    assert sampled.count == 4000
    assert sampled.pvalue == (sampled.n_at_least + 1) / 4001
    k, tail = sampled.n_at_least, 0.025  # Clopper and Pearson: the ends at which k is just not surprising
    assert stats.binom.sf(k - 1, 4000, sampled.pvalue_low) == pytest.approx(tail, rel=1e-6)
    assert stats.binom.cdf(k, 4000, sampled.pvalue_high) == pytest.approx(tail, rel=1e-6)
    assert covers(sampled, exact.pvalue)
