"""Tests of WEAT scores and effect sizes against their definitions and WEFE."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab import association
from isotropy_lab.association._weat import SIMILARITIES, weat, weat_effect_size, word_associations
from reanalyses.kindel2023.similarities import (
    centroid_mean_cosine_similarity,
    normalized_mean_cosine_similarity,
    paired_mean_cosine_similarity,
)
from tests.isotropy_lab.invariance import invariance_test
from tests.oracles import cosine

SIMILARITY_FUNCTIONS = {
    "mean-cosine": association.mean_cosine_similarity,
    "paired": paired_mean_cosine_similarity,
    "centroid": centroid_mean_cosine_similarity,
    "normalized": normalized_mean_cosine_similarity,
    "canonical": association.canonical_similarity,
    "canonical-minimum": functools.partial(association.canonical_similarity, scale="minimum"),
    "canonical-trace": functools.partial(association.canonical_similarity, scale=None),
    "canonical-corrected": association.corrected_canonical_similarity,
}


def naive_association(w, C, D):
    return sum(cosine(w, c) for c in C) / len(C) - sum(cosine(w, d) for d in D) / len(D)


def random_lists(seed, k_a=4, k_b=4, k_c=4, k_d=4, p=20):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((k, p)) + 0.3 for k in (k_a, k_b, k_c, k_d)]


def wefe_lists():
    V = np.random.default_rng(20).standard_normal((200, 50)).astype(np.float32) + np.float32(0.3)
    return V[:8], V[8:16], V[16:24], V[24:32]


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.tuples(*[st.integers(1, 6)] * 4))
def test_score_and_effect_size_agree_with_their_definitions(seed, k):
    A, B, C, D = random_lists(seed, *k)
    s_a, s_b = ([naive_association(w, C, D) for w in words] for words in (A, B))
    np.testing.assert_allclose(word_associations(A, C, D), s_a, atol=1e-13)
    result = weat(A, B, C, D)
    assert result.score == pytest.approx(sum(s_a) / len(A) - sum(s_b) / len(B), abs=1e-12)
    mean = sum(s_a + s_b) / len(s_a + s_b)
    standard_deviation = math.sqrt(sum((s - mean) ** 2 for s in s_a + s_b) / (len(s_a + s_b) - 1))
    effect = weat_effect_size(A, B, C, D)
    assert effect == pytest.approx(result.score / standard_deviation, rel=1e-8)
    if len(A) == len(B):
        assert abs(effect) <= 2 * math.sqrt(1 - 0.5 / len(A)) + 1e-12


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_score_is_computed_from_four_similarities(similarity):
    A, B, C, D = random_lists(1)
    compare = SIMILARITY_FUNCTIONS[similarity]
    result = weat(A, B, C, D, similarity=similarity)
    assert (result.ac, result.ad, result.bd, result.bc) == (
        compare(A, C),
        compare(A, D),
        compare(B, D),
        compare(B, C),
    )
    assert result.score == pytest.approx(result.ac + result.bd - result.bc - result.ad)
    assert result.similarity == similarity
    for swapped in (weat(B, A, C, D, similarity=similarity), weat(A, B, D, C, similarity=similarity)):
        assert swapped.score == pytest.approx(-result.score)
    assert weat(A, B, C, C, similarity=similarity).score == pytest.approx(0, abs=1e-14)


def score(similarity):
    return lambda A, B, C, D: weat(A, B, C, D, similarity=similarity).score


ORDERS = {"paired": "order", "centroid": "order order:0 order:3"}
test_scores_are_invariant = invariance_test(
    random_lists,
    {
        similarity: (
            score(similarity),
            "rotation scale:1 lengths:0 lengths:1 single "
            f"{ORDERS.get(similarity, 'lengths order order:0 order:3')}",
            1e-10,
        )
        for similarity in SIMILARITIES
    },
)


def test_scores_and_effect_sizes_agree_with_wefe():
    # WEFE 1.0.1, whose standard deviation is the population's.
    A, B, C, D = wefe_lists()
    statistic = word_associations(A, C, D).sum() - word_associations(B, C, D).sum()
    assert statistic == pytest.approx(0.1471794134704396, abs=1e-7)
    assert weat(A, B, C, D).score == pytest.approx(0.01839742668380495, abs=1e-7)
    assert weat_effect_size(A, B, C, D) == pytest.approx(0.3444676101207733, abs=1e-6)
    n = len(A) + len(B)
    assert weat_effect_size(A, B, C, D) * math.sqrt(n / (n - 1)) == pytest.approx(
        0.35576485153122295, abs=1e-6
    )


def test_effect_sizes_of_all_relabelings_have_a_known_standard_deviation():
    words, C, D = np.split(np.random.default_rng(0).standard_normal((16, 5)), [8, 12])
    sizes = [weat_effect_size(words[list(A)], np.delete(words, A, axis=0), C, D)
             for A in itertools.combinations(range(8), 4)]  # fmt: skip
    assert np.std(sizes) == pytest.approx(2 / np.sqrt(8))  # as the lesson says


def test_repeated_words_are_accepted():
    A, _, C, D = random_lists(8, k_a=1)
    assert math.isfinite(weat_effect_size(np.vstack([A, A]), C[:2], C, D))
