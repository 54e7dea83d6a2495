"""Tests of consistency profiles against counts over all pairs of sublists and the published lists."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import consistency
from isotropy_lab.association.consistency import consistency_profile
from reanalyses.kindel2023 import spaces
from reanalyses.kindel2023.consistency_index import consistency_index
from reanalyses.kindel2023.lattice import subset_similarities
from tests.isotropy_lab.invariance import invariance_test

TRIANGLE = np.array([[0.5, -(0.75**0.5)], [1.0, 0.0], [0.5, 0.75**0.5]])
SIGNS = st.integers(2, 6).flatmap(
    lambda k: st.integers(1, 5).flatmap(
        lambda p: st.lists(st.lists(st.sampled_from([-1, 1]), min_size=p, max_size=p), min_size=k, max_size=k)
    )
)
"""Lists of words with entries ±1, which have equal norms, so that all their similarities are rational."""


def count_by_pairs(W, q, similarity):
    """Count outscored, tied, and undefined sublists by definition, from all pairs of sublists."""
    subsets = list(itertools.combinations(range(len(W)), q))
    defined = [S for S in subsets if similarity(W, S, S) is not None]
    outscored = tied = 0
    for S in defined:
        own_score = similarity(W, S, S)
        other_scores = [similarity(W, S, T) for T in defined if T != S]
        outscored += any(x > own_score for x in other_scores)
        tied += not any(x > own_score for x in other_scores) and any(x == own_score for x in other_scores)
    return outscored, tied, len(subsets) - len(defined)


def mean_cosine(W, S, T):
    return sum(a * b for i in S for j in T for a, b in zip(W[i], W[j], strict=True))


def normalized(W, S, T):
    """Return sign(x)·x² for the cosine x of the sums, as a rational number; None if a sum is zero."""
    u, v = ([sum(W[i][c] for i in X) for c in range(len(W[0]))] for X in (S, T))
    uu, vv, uv = (sum(a * b for a, b in zip(x, y, strict=True)) for x, y in ((u, u), (v, v), (u, v)))
    return None if uu == 0 or vv == 0 else Fraction(abs(uv) * uv, uu * vv)


def canonical(W, S, T):
    spans = []
    for X in (S, T):
        rows = np.array([W[i] for i in X], dtype=float)
        spans.append(rows.T @ np.linalg.pinv(rows @ rows.T, rcond=1e-9) @ rows)
    trace, ranks = np.trace(spans[0] @ spans[1]), [np.trace(P) for P in spans]
    # Far coarser than rounding, far finer than the fractions that occur.
    return round(trace / math.sqrt(ranks[0] * ranks[1]), 8)


@settings(deadline=None, max_examples=60)
@given(W=SIGNS)
def test_mean_cosine_counts_agree_with_integer_arithmetic(W):
    profile = consistency_profile(W)
    for q in range(1, len(W)):
        outscored, tied, _ = count_by_pairs(W, q, mean_cosine)
        row = profile.iloc[q - 1]
        assert (row.n_beaten, row.n_tied, row.n_undefined) == (outscored, tied, 0)
        index = consistency_index(W, q)
        n = math.comb(len(W), q)
        assert (index.n_subsets, index.n_beaten, index.n_not_strict) == (n, outscored, outscored + tied)
        assert (index.weak, index.strict) == ((n - outscored) / n, (n - outscored - tied) / n)
        assert (row.weak, row.strict) == (index.weak, index.strict)
        assert index.smallest_margin == row.smallest_margin
        assert index.smallest_margin > 1e-3  # rational numbers with small denominators
        assert index.method == "exact"


@settings(deadline=None, max_examples=40)
@given(W=SIGNS)
def test_normalized_mean_cosine_counts_agree_with_rational_arithmetic(W):
    profile = consistency_profile(W, similarity="normalized")
    for row in profile.itertuples():
        outscored, tied, undefined = count_by_pairs(W, row.q, normalized)
        assert outscored == 0
        assert (row.n_beaten, row.n_tied, row.n_undefined) == (0, tied, undefined)
        defined = row.n_subsets - undefined
        assert row.weak == 1.0
        assert row.strict == (defined - tied) / defined


@settings(deadline=None, max_examples=30)
@given(W=SIGNS)
def test_canonical_counts_agree_with_all_pairs(W):
    profile = consistency_profile(W, similarity="canonical")
    for row in profile.itertuples():
        assert (row.n_beaten, row.n_tied) == count_by_pairs(W, row.q, canonical)[:2]
        assert row.weak == 1.0
        index = consistency_index(W, row.q, similarity="canonical")
        assert index.n_not_strict == row.n_tied


def test_mean_cosine_of_pairs_of_three_words_can_be_inconsistent():
    index = consistency_index(TRIANGLE, 2)
    assert (index.n_beaten, index.n_subsets, index.weak, index.strict) == (1, 3, 2 / 3, 2 / 3)
    # (cosines 1/2 + 1/2)/2 outside against (1 − 1/2)/2 inside
    assert index.smallest_margin == pytest.approx(0.25)
    assert consistency_index(TRIANGLE, 2, similarity="normalized").strict == 1.0
    t = 0.3
    assert consistency_index([[np.cos(t), np.sin(t)], [np.cos(t), -np.sin(t)], [1, 0]], 2).n_beaten == 1
    assert consistency_index(TRIANGLE, 1).strict == 1.0


def test_parallel_means_tie_and_canceling_sublists_are_undefined():
    angles = np.deg2rad([60, -60, 30, -30])
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    index = consistency_index(circle, 2, similarity="normalized")
    assert (index.n_beaten, index.n_not_strict, index.n_undefined) == (0, 2, 0)  # {±60°} and {±30°}
    cross = [[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]]
    index = consistency_index(cross, 2, similarity="normalized")
    assert (index.n_subsets, index.n_undefined, index.weak, index.strict) == (3, 1, 1.0, 1.0)


def test_sublists_with_a_repeated_word_tie():
    W = np.random.default_rng(0).standard_normal((6, 20))
    W[5] = 2 * W[0]
    for similarity in ("mean-cosine", "normalized", "canonical"):
        index = consistency_index(W, 1, similarity=similarity)
        assert (index.n_beaten, index.n_not_strict) == (0, 2), similarity
    for q in range(1, 6):  # tied: those with exactly one of the two
        canonical_index = consistency_index(W, q, similarity="canonical")
        assert canonical_index.n_not_strict == 2 * math.comb(4, q - 1)


def test_smallest_margin_is_that_of_all_chunks():
    """The 3,003 sublists fill several chunks of 1,024."""
    W = np.random.default_rng(0).standard_normal((14, 20)) + 0.4
    index = consistency_index(W, 6, similarity="normalized")
    units = W / np.linalg.norm(W, axis=1)[:, None]
    means = np.array([units[list(S)].sum(axis=0) for S in itertools.combinations(range(14), 6)])
    directions = means / np.linalg.norm(means, axis=1)[:, None]
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -1.0)
    assert index.smallest_margin == pytest.approx(1.0 - cosines.max(), rel=1e-9)
    assert (index.n_subsets, index.n_not_strict, index.method) == (3003, 0, "exact")


def test_long_independent_lists_are_decided_without_enumeration():
    W = np.random.default_rng(0).standard_normal((40, 100))
    index = consistency_index(W, 20, similarity="canonical")
    assert (index.weak, index.strict, index.n_subsets) == (1.0, 1.0, math.comb(40, 20))
    coefficients = np.linalg.lstsq(np.delete(W, 7, axis=0).T, W[7], rcond=None)[0]
    distance = np.linalg.norm(W[7] - np.delete(W, 7, axis=0).T @ coefficients) / np.linalg.norm(W[7])
    assert 0 < index.smallest_margin <= distance + 1e-12
    normalized = consistency_index(W, 20, similarity="normalized")
    assert (normalized.strict, normalized.n_subsets) == (1.0, math.comb(40, 20))
    units = W / np.linalg.norm(W, axis=1)[:, None]
    smallest_singular_value = np.linalg.svd(units, compute_uv=False)[-1]
    assert normalized.smallest_margin > 1e-6
    assert normalized.smallest_margin == pytest.approx(
        (smallest_singular_value / 20) ** 2, rel=1e-9
    )  # a bound, not a search
    square = consistency_index(np.eye(16), 8, similarity="normalized")  # words as dimensions
    assert (square.weak, square.strict, square.smallest_margin) == pytest.approx((1.0, 1.0, 1 / 64))
    W[39] = W[0]
    assert consistency_index(W, 20, similarity="canonical").n_not_strict == 2 * math.comb(38, 19)
    assert len(consistency_profile(W, similarity="canonical")) == 39


N_OUTSCORED = {
    "male man boy brother he him his son": [0, 0, 26, 43, 38, 23, 7],
    "female woman girl sister she her hers daughter": [0, 0, 28, 44, 41, 24, 7],
    "joy love peace wonderful pleasure friend laughter happy": [0, 0, 5, 36, 46, 24, 5],
    "agony terrible horrible nasty evil war awful failure": [0, 0, 40, 65, 50, 23, 6],
}
"""Numbers of sublists of each length that are more similar to another one, on GoogleNews word2vec."""


@pytest.mark.parametrize("words", N_OUTSCORED)
def test_published_lists_have_the_recorded_counts(words):
    vectors = spaces.load("googlenews-weat")
    W = np.array([vectors[word] for word in words.split()])
    profile = consistency_profile(W)
    assert profile["n_beaten"].tolist() == N_OUTSCORED[words]
    assert profile["n_tied"].sum() == 0
    assert (profile["smallest_margin"] > 1e-6).all()
    for row in profile.itertuples():  # by the table of all pairs
        values = subset_similarities(W, row.q).values
        assert row.n_beaten == int((values.argmax(axis=1) != np.arange(row.n_subsets)).sum())
    for similarity in ("normalized", "canonical"):
        assert (consistency_profile(W, similarity=similarity)["strict"] == 1.0).all()


def test_sampled_index_is_reproducible():
    rng = np.random.default_rng(0)
    W = rng.standard_normal((30, 50)) + 0.5
    first, second = (consistency_index(W, 10, n_resamples=500, rng=3) for _ in range(2))
    assert first == second
    assert first.n_subsets == 500
    canonical_index = consistency_index(W, 10, n_resamples=50, rng=3, similarity="canonical")
    assert canonical_index.strict == 1.0
    assert canonical_index.method == "sampled"


def test_sampled_index_estimates_the_exact_one():
    W = np.random.default_rng(0).standard_normal((5, 3)) + 0.3
    exact = consistency_index(W, 2).weak
    sampled = consistency_index(W, 2, n_resamples=40_000, rng=1)
    interval = stats.binomtest(round(sampled.weak * 40_000), 40_000).proportion_ci(0.9999, method="wilson")
    assert interval.low <= exact <= interval.high
    assert 0 < exact < 1


def profile_counts(similarity):
    return lambda W: consistency_profile(W, similarity=similarity).drop(columns="smallest_margin")


test_profiles_are_invariant = invariance_test(
    lambda seed: (np.random.default_rng(seed).standard_normal((6, 5)) + 0.5,),
    {
        similarity: (profile_counts(similarity), "rotation order lengths tiny huge single", 1e-12)
        for similarity in ("mean-cosine", "normalized", "canonical")
    },
)


@pytest.mark.parametrize("bits", [13, 2])
def test_outscoring_words_are_counted_for_any_chunk_size(monkeypatch, bits):
    """The counts agree with all sublists, whatever part of the list the table of the first half covers."""
    monkeypatch.setattr(consistency, "_MAX_LOW_WORDS", bits)
    W = np.random.default_rng(4).standard_normal((7, 4)) + 0.3
    cosines = consistency.cosines_of(W / np.linalg.norm(W, axis=1)[:, None])
    expected = np.zeros((8, 8), dtype=int)
    for q in range(8):
        for S in itertools.combinations(range(7), q):
            means = cosines[list(S)].sum(axis=0)
            smallest = min(means[list(S)], default=np.inf)
            expected[q, sum(means[j] > smallest + 1e-9 for j in range(7) if j not in S)] += 1
    np.testing.assert_array_equal(
        consistency.count_subsets(cosines, with_beating=True).beating_words, expected
    )


def test_dependent_words_beyond_the_limit_are_refused(monkeypatch):
    """Four words lie in a plane and two outside it: each of the four is in the span of the others."""
    W = np.random.default_rng(0).standard_normal((6, 5))
    W[:4, 2:] = 0
    consistency.check_list_length(25)  # would be long to count
    monkeypatch.setattr(consistency, "_MAX_DEPENDENT", 4)
    assert len(consistency_profile(W, similarity="canonical")) > 0
    monkeypatch.setattr(consistency, "_MAX_DEPENDENT", 3)
    with pytest.raises(ValueError, match=r"W.*4 words"):
        consistency_profile(W, similarity="canonical")


def test_margin_of_single_words_is_one_minus_the_largest_cosine():
    rng = np.random.default_rng(4)
    W = rng.standard_normal((7, 5))
    units = W / np.linalg.norm(W, axis=1, keepdims=True)
    largest = (units @ units.T - 2 * np.eye(7)).max()
    profile = consistency_profile(W, similarity="mean-cosine").set_index("q")
    assert profile.loc[1, "smallest_margin"] == pytest.approx(1 - largest)
