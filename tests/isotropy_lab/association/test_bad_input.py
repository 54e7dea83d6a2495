"""What the measures of word lists refuse, and what the messages name."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from isotropy_lab import association
from isotropy_lab.association import (
    between_lattice,
    centroid_mean_cosine_similarity,
    consistency_index,
    consistency_profile,
    corrected_canonical_similarity,
    cosine_similarities,
    keywords,
    matched_pools,
    mean_cosine_similarity,
    normalized_mean_cosine_similarity,
    null_intervals,
    paired_mean_cosine_similarity,
    random_baseline,
    subset_similarities,
    weat,
    weat_effect_size,
    weat_permutation_test,
)
from tests.isotropy_lab.bad_input import assert_refused, spoiling

R = np.random.default_rng(0)
A, B, C, D = R.standard_normal((4, 3, 8)) + 0.3
W, POOL = R.standard_normal((5, 8)), R.standard_normal((12, 8))
TRIANGLE = np.array([[0.5, -(0.75**0.5)], [1.0, 0.0], [0.5, 0.75**0.5]])
OPPOSITE = np.array([[1.0, 2.0], [-3.0, -6.0]])
STAR = np.array([[np.cos(t), np.sin(t)] for t in np.radians([0, 120, 240])])  # its sum is 0 up to rounding
# Every list of three nearest words has the first of these.
CROWD = 1.0 + np.vstack([np.zeros(8), np.eye(5, 8)])
LONG, WORDS = R.standard_normal((30, 50)) + 0.5, R.standard_normal((31, 50))
TARGETS = R.standard_normal((2, 26, 8))

GOOD = {
    "A": A, "B": B, "C": C, "D": D, "words": A, "pool": POOL, "W": W, "q": 2, "frequencies": [1.0],
    "pool_frequencies": [1.0], "k_a": 1, "k_b": 2, "p": 5, "n_resamples": 50,
    "X": C, "r": 0.3, "r_ab": 0.3, "r_ac": 0.2, "r_bc": 0.1, "vocabulary": POOL,
}  # fmt: skip
test_a_spoiled_argument_is_named = spoiling(association, GOOD)


@pytest.mark.parametrize(
    ("error", "says", "call"),
    [
        (ValueError, "B empty", lambda: mean_cosine_similarity(A, [])),
        (ValueError, "B 0 words", lambda: cosine_similarities(A, A[:0])),
        (ValueError, "A 0 dimensions", lambda: cosine_similarities(A[:, :0], A)),
        (ValueError, "A B 8 2 dimensions", lambda: mean_cosine_similarity(A, TRIANGLE)),
        (ValueError, "A 1 axes", lambda: mean_cosine_similarity(A[0], B)),
        (ValueError, "B zero 1 3 rows first 1", lambda: mean_cosine_similarity(A, np.diag([1, 0, 1]) @ B)),
        (ValueError, "A 2 B 3 equal", lambda: paired_mean_cosine_similarity(A[:2], B)),
        (ValueError, "A mean unit vector", lambda: normalized_mean_cosine_similarity(OPPOSITE, TRIANGLE)),
        (ValueError, "B mean unit vector", lambda: normalized_mean_cosine_similarity(TRIANGLE, STAR)),
        (ValueError, "B centroid", lambda: centroid_mean_cosine_similarity(TRIANGLE, 1e-200 * STAR)),
        (ValueError, "B spans 3", lambda: corrected_canonical_similarity(np.eye(3)[:1], np.eye(3))),
        (ValueError, "A spans 3", lambda: corrected_canonical_similarity(np.eye(3), np.eye(3)[:1])),
        (ValueError, "k_a 6 1 5", lambda: random_baseline(6, 3, 5)),
        (ValueError, "W 1 word", lambda: consistency_profile(TRIANGLE[:1])),
        (ValueError, "q 0 1 2 3", lambda: consistency_index(TRIANGLE, 0)),
        (ValueError, "q 3 1 2", lambda: consistency_index(TRIANGLE, 3)),
        (ValueError, "W 30 n_resamples", lambda: consistency_index(LONG, 5)),
        (ValueError, "25", lambda: consistency_profile(LONG)),
        (ValueError, "W 30 16 n_resamples", lambda: consistency_index(LONG[:, :8], 5, similarity="canonical")),
        (ValueError, "normalized n_resamples", lambda: consistency_index(LONG, 9, n_resamples=50, similarity="normalized")),
        (ValueError, "0, 26 span", lambda: consistency_index(LONG[[*range(26), 0]], 9, similarity="normalized")),
        (ValueError, "W 1 word", lambda: subset_similarities(TRIANGLE[:1], 1)),
        (ValueError, "q 3 1 2", lambda: subset_similarities(TRIANGLE, 3)),
        (ValueError, "q 4 1 3", lambda: between_lattice(TRIANGLE, TRIANGLE, 4)),
        (ValueError, "12,870 6,500", lambda: subset_similarities(LONG[:16], 8)),
        (ValueError, "W mean unit", lambda: subset_similarities(np.vstack([OPPOSITE, np.eye(2)]), 2, similarity="normalized")),
        (ValueError, "pool 4 6", lambda: null_intervals(A, B, POOL[:4])),
        (ValueError, "A pool 8 7", lambda: null_intervals(A, B, POOL[:, :7])),
        (ValueError, "strata_a 2 3 A", lambda: null_intervals(A, B, POOL, strata_a=[[0], [1]])),
        (ValueError, "strata_a 1 3 place 1", lambda: null_intervals(A, B, POOL, strata_a=[[0], [], [1]])),
        (TypeError, "strata_b 0", lambda: null_intervals(A, B, POOL, strata_b=[[0.5], [1], [2]])),
        (ValueError, "strata_b 0 12 11", lambda: null_intervals(A, B, POOL, strata_b=[[0, 12], [1], [2]])),
        (TypeError, "strata_a 3", lambda: null_intervals(A, B, POOL, strata_a=np.array(3))),
        (ValueError, "strata_a strata_b 5 6", lambda: null_intervals(A, B, POOL, strata_b=[[0], [0], [1]])),
        (ValueError, "strata_a strata_b draws", lambda: null_intervals(LONG, LONG[:1], WORDS, n_resamples=2, rng=0, strata_a=[range(30)] * 30, strata_b=[[30]])),
        (ValueError, "strata_a draw", lambda: null_intervals(A, B, POOL, draw="neighborhoods", strata_a=[[0], [1], [2]])),
        (ValueError, "pool 2", lambda: null_intervals(A, B, CROWD, n_resamples=2, rng=0, draw="neighborhoods")),
        (ValueError, "frequencies inf 1", lambda: matched_pools([1.0, np.inf], [1.0])),
        (ValueError, "pool_frequencies", lambda: matched_pools([1.0], [np.nan])),
        (ValueError, "width inf", lambda: matched_pools([1.0], [1.0], width=np.inf)),
        (ValueError, "at_least 0", lambda: matched_pools([1.0], [1.0], at_least=0)),
        (ValueError, "A 3 C 2", lambda: weat(A, B, C[:2], D, similarity="paired")),
        (ValueError, "D mean unit", lambda: weat(A, B, C, np.vstack([D, -D]), similarity="normalized")),
        (ValueError, "A B share 2 0 1 2", lambda: weat(A, A[[1, 0]] * 1.0, C, D)),
        (ValueError, "A B share 1", lambda: weat_effect_size(A.astype(np.float32), np.vstack([B, A[1]]), C, D)),
        (ValueError, "A B share 1", lambda: weat_permutation_test(A.astype(np.float32), np.vstack([B, A[1]]), C, D)),
        (ValueError, "ddof 6 0 5", lambda: weat_effect_size(A, B, C, D, ddof=6)),
        (ValueError, "A B association", lambda: weat_effect_size(A, B, C, C)),
        (ValueError, "A B association", lambda: weat_effect_size(A[:1], 7 * A[:1], C, D)),
        (TypeError, "n_resamples None", lambda: weat_permutation_test(A, B, C, D, n_resamples=None)),
        (ValueError, "A B 495,918,532,948,104", lambda: weat_permutation_test(*TARGETS, C, D, n_resamples="exact")),
        (ValueError, "48,620 20000", lambda: weat_permutation_test(*TARGETS[:, :9], C, D, similarity="normalized", n_resamples="exact")),
        (ValueError, "A B mean unit", lambda: weat_permutation_test(A[:2], np.vstack([-A[:1], B[:1]]), C, D, similarity="normalized")),
    ],
)  # fmt: skip
def test_bad_input_is_named(error, says, call):
    assert_refused(error, says, call)


LISTS = {"A": ["rose"], "B": ["ant"], "C": ["good"], "D": ["bad"]}


def keyed(*words, n=4):
    vectors = KeyedVectors(n)
    vectors.add_vectors(list(words), np.random.default_rng(0).standard_normal((len(words), n)))
    return vectors


def found(vectors=None, missing="drop", spelling="adjusted", **change):
    vectors = keyed("rose", "ant", "good", "bad") if vectors is None else vectors
    return keywords.find(keywords.custom(**(LISTS | change)), vectors, missing=missing, spelling=spelling)


def with_row(value):
    vectors = keyed("rose", "ant", "good", "bad")
    vectors.vectors[1] = value
    return vectors


@pytest.mark.parametrize(
    ("error", "says", "call"),
    [
        (ValueError, "name 'weat-11' 'weat-1' 'gender-sentiment'", lambda: keywords.load("weat-11")),
        (ValueError, "spelling 'british' 'adjusted'", lambda: keywords.load("weat-1").A.words("british")),
        (ValueError, "spelling 'british'", lambda: found(spelling="british")),
        (ValueError, "missing 'ignore' 'drop' 'raise'", lambda: found(missing="ignore")),
        (TypeError, "test int 3 weat-1", lambda: keywords.find(3, keyed("rose"))),
        (ValueError, "weat-1 no word A", lambda: keywords.find("weat-1", {})),
        (TypeError, "vectors 'glove' isotropy_report.load_word_vectors", lambda: keywords.find("weat-1", "glove")),
        (ValueError, "Tulpi tulip LVOE love", lambda: found(keyed("tulip", "love"), "raise", A=["Tulpi"], C=["LVOE"])),
        (ValueError, "A B rose", lambda: found(keyed("rose", "good", "bad"), A=["Rose"], B=["rose"])),
        (ValueError, "B insects ant, bee", lambda: found(keyed("rose", "good", "bad"), B=["ant", "bee"], labels={"B": "insects"})),
        (ValueError, "B ant zero", lambda: found(with_row(0))),
        (ValueError, "B ant finite", lambda: found(with_row(np.nan))),
        (TypeError, "A str 'rose'", lambda: found(A="rose")),
        (ValueError, "A empty", lambda: found(A=[])),
        (TypeError, "B int 3 0", lambda: found(B=[3])),
        (ValueError, "B ' ' 0", lambda: found(B=[" "])),
        (ValueError, "C x once", lambda: found(C=["x", "y", "x", "x"])),
        (ValueError, "A B rose", lambda: found(B=["rose", "ant"])),
        (ValueError, "C D good", lambda: found(D=["good"])),
        (TypeError, "D set", lambda: found(D={"bad"})),
        (TypeError, "D int 5", lambda: found(D=5)),
        (ValueError, "labels 'E' 'A' 'D'", lambda: found(labels={"E": "x"})),
    ],
)  # fmt: skip
def test_bad_lists_of_words_are_named(error, says, call):
    assert_refused(error, says, call)
