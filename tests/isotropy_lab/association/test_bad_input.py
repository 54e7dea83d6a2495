"""Tests that the errors of association measures name the invalid argument."""

import numpy as np

from isotropy_lab import association
from isotropy_lab.association import (
    congruence_test,
    consistency_profile,
    corrected_canonical_similarity,
    cosine_similarities,
    dependent_congruences_test,
    keywords,
    mean_cosine_similarity,
    null_intervals,
    random_baseline,
    separability,
    weat,
    weat_effect_size,
    weat_permutation_test,
)
from tests.isotropy_lab.association.test_keywords import WORD_LISTS, vectors_of
from tests.isotropy_lab.bad_input import invalid_argument_test, refusal_test

RNG = np.random.default_rng(0)
A, B, C, D = RNG.standard_normal((4, 3, 8)) + 0.3
W, POOL = RNG.standard_normal((5, 8)), RNG.standard_normal((12, 8))
TRIANGLE = np.array([[0.5, -(0.75**0.5)], [1.0, 0.0], [0.5, 0.75**0.5]])
# Row 0 is among the three nearest neighbors of every row.
CROWDED_POOL = 1.0 + np.vstack([np.zeros(8), np.eye(5, 8)])
LONG_LIST = RNG.standard_normal((30, 50)) + 0.5
TARGETS = RNG.standard_normal((2, 26, 8))
# Two lists of three words, each in a plane of three dimensions.
PLANES = [[1.0, 0, 0], [0, 1, 0], [1, 1, 0]], [[0.0, 1, 1], [0, 2, 3], [0, 2, 1]]

VALID_ARGUMENTS = {
    "A": A, "B": B, "C": C, "D": D, "X": C, "words": A, "pool": POOL, "vocabulary": POOL, "W": W, "k_a": 1,
    "k_b": 2, "p": 5, "n_resamples": 50, "r": 0.3, "r_ab": 0.5, "r_ac": 0.3, "r_bc": 0.4,
}  # fmt: skip
test_errors_name_invalid_arguments = invalid_argument_test(association, VALID_ARGUMENTS)


test_errors_name_the_cause = refusal_test(
    [
        (ValueError, "B empty", lambda: mean_cosine_similarity(A, [])),
        (ValueError, "B empty", lambda: mean_cosine_similarity(A, np.empty(0))),
        (ValueError, "B 0 words", lambda: cosine_similarities(A, A[:0])),
        (ValueError, "A 0 dimensions", lambda: cosine_similarities(A[:, :0], A)),
        (ValueError, "A B 8 2 dimensions", lambda: mean_cosine_similarity(A, TRIANGLE)),
        (ValueError, "A 1 axes", lambda: mean_cosine_similarity(A[0], B)),
        (ValueError, "B zero 1 3 rows first 1", lambda: mean_cosine_similarity(A, np.diag([1, 0, 1]) @ B)),
        (ValueError, "B spans 3", lambda: corrected_canonical_similarity(np.eye(3)[:1], np.eye(3))),
        (ValueError, "A spans 3", lambda: corrected_canonical_similarity(np.eye(3), np.eye(3)[:1])),
        (ValueError, "k_a 6 1 5", lambda: random_baseline(6, 3, 5)),
        (ValueError, "k_a 0 1 5", lambda: random_baseline(0, 3, 5)),
        (ValueError, "k_b 0 1 5", lambda: random_baseline(3, 0, 5)),
        (ValueError, "p 0 1", lambda: random_baseline(1, 1, 0)),
        (ValueError, "B centroid cancel", lambda: separability(A, np.vstack([B, -B]))),
        (ValueError, "r 1.5", lambda: congruence_test(1.5, 300)),
        (ValueError, "r -1.5", lambda: congruence_test(-1.5, 300)),
        (ValueError, "r_bc 1.5", lambda: dependent_congruences_test(0.5, 0.3, 1.5, 300)),
        (ValueError, "r_bc -1.5", lambda: dependent_congruences_test(0.5, 0.3, -1.5, 300)),
        (ValueError, "p 2 3", lambda: dependent_congruences_test(0.5, 0.3, 0.4, 2)),
        (ValueError, "p 2 3", lambda: congruence_test(0.5, 2)),
        (ValueError, "r_ac 1", lambda: dependent_congruences_test(0.5, 1.0, 0.5, 300)),
        (ValueError, "r_ab -1", lambda: dependent_congruences_test(-1.0, 0.5, -0.5, 300)),
        (TypeError, "r_ab '0.5' str", lambda: dependent_congruences_test("0.5", 0.5, 0.5, 300)),
        (ValueError, "r_bc",
         lambda: dependent_congruences_test(*np.cos(np.deg2rad([30, 40, 71])), 300)),
        (ValueError, "W 1 word", lambda: consistency_profile(TRIANGLE[:1])),
        (ValueError, "25", lambda: consistency_profile(LONG_LIST)),
        (ValueError, "W 30 16", lambda: consistency_profile(LONG_LIST[:, :8], similarity="canonical")),
        (ValueError, "0, 26 span",
         lambda: consistency_profile(LONG_LIST[[*range(26), 0]], similarity="normalized")),
        (ValueError, "W span", lambda: consistency_profile(LONG_LIST[:26, :8], similarity="normalized")),
        (ValueError, "pool 4 6", lambda: null_intervals(A, B, POOL[:4])),
        (ValueError, "A pool 8 7", lambda: null_intervals(A, B, POOL[:, :7])),
        (ValueError, "pool 2",
         lambda: null_intervals(A, B, CROWDED_POOL, n_resamples=2, rng=0, draw="neighborhoods")),
        (ValueError, "A 3 C 2", lambda: weat(A, B, C[:2], D, similarity="paired")),
        (ValueError, "D mean unit", lambda: weat(A, B, C, np.vstack([D, -D]), similarity="normalized")),
        (ValueError, "A mean unit", lambda: weat(np.vstack([A, -A]), B, C, D, similarity="normalized")),
        (ValueError, "D centroid", lambda: weat(A, B, C, np.vstack([D, -D]), similarity="centroid")),
        (ValueError, "A B share 2 0 1 2", lambda: weat(A, A[[1, 0]] * 1.0, C, D)),
        (ValueError, "A B share 1",
         lambda: weat_effect_size(A.astype(np.float32), np.vstack([B, A[1]]), C, D)),
        (ValueError, "A B share 1",
         lambda: weat_permutation_test(A.astype(np.float32), np.vstack([B, A[1]]), C, D)),
        (ValueError, "A B association", lambda: weat_effect_size(A, B, C, C)),
        (ValueError, "A B association", lambda: weat_effect_size(A[:1], 7 * A[:1], C, D)),
        (TypeError, "n_resamples None", lambda: weat_permutation_test(A, B, C, D, n_resamples=None)),
        (ValueError, "n_resamples 0 1", lambda: weat_permutation_test(A, B, C, D, n_resamples=0)),
        (ValueError, "A B 495,918,532,948,104",
         lambda: weat_permutation_test(*TARGETS, C, D, n_resamples="exact")),
        (ValueError, "A relabeling 3 dimensions",
         lambda: weat_permutation_test(*PLANES, [[1, 2, 3]], [[1, 0, 0]], similarity="canonical-corrected")),
        (ValueError, "48,620 20000",
         lambda: weat_permutation_test(*TARGETS[:, :9], C, D, similarity="normalized", n_resamples="exact")),
        (ValueError, "A B mean unit",
         lambda: weat_permutation_test(A[:2], np.vstack([-A[:1], B[:1]]), C, D, similarity="normalized")),
    ]
)  # fmt: skip


def find(vectors=None, missing="drop", spelling="adjusted", **lists):
    vectors = vectors_of(["rose", "ant", "good", "bad"]) if vectors is None else vectors
    return keywords.find(keywords.custom(**(WORD_LISTS | lists)), vectors, missing=missing, spelling=spelling)


def vectors_with_row(value):
    vectors = vectors_of(["rose", "ant", "good", "bad"])
    vectors.vectors[1] = value
    return vectors


test_errors_of_word_lists_name_the_cause = refusal_test(
    [
        (ValueError, "name 'weat-11' 'weat-1' 'gender-sentiment'", lambda: keywords.load("weat-11")),
        (ValueError, "spelling 'british' 'adjusted'", lambda: keywords.load("weat-1").A.words("british")),
        (ValueError, "spelling 'british'", lambda: find(spelling="british")),
        (ValueError, "missing 'ignore' 'drop' 'raise'", lambda: find(missing="ignore")),
        (TypeError, "test int 3 weat-1", lambda: keywords.find(3, vectors_of(["rose"]))),
        (ValueError, "weat-1 no word A", lambda: keywords.find("weat-1", {})),
        (TypeError, "vectors 'glove' isotropy_report.load_word_vectors",
         lambda: keywords.find("weat-1", "glove")),
        (ValueError, "Tulpi tulip LVOE love",
         lambda: find(vectors_of(["tulip", "love"]), "raise", A=["Tulpi"], C=["LVOE"])),
        (ValueError, "A B rose", lambda: find(vectors_of(["rose", "good", "bad"]), A=["Rose"], B=["rose"])),
        (ValueError, "B insects ant, bee",
         lambda: find(vectors_of(["rose", "good", "bad"]), B=["ant", "bee"], labels={"B": "insects"})),
        (ValueError, "B ant zero", lambda: find(vectors_with_row(0))),
        (ValueError, "B ant finite", lambda: find(vectors_with_row(np.nan))),
        (TypeError, "A str 'rose'", lambda: find(A="rose")),
        (ValueError, "A empty", lambda: find(A=[])),
        (TypeError, "B int 3 0", lambda: find(B=[3])),
        (ValueError, "B ' ' 0", lambda: find(B=[" "])),
        (ValueError, "B 'ant ' 0", lambda: find(B=["ant "])),
        (ValueError, "C x once", lambda: find(C=["x", "y", "x"])),
        (ValueError, "A B rose", lambda: find(B=["rose", "ant"])),
        (ValueError, "C D good", lambda: find(D=["good"])),
        (TypeError, "D set", lambda: find(D={"bad"})),
        (TypeError, "D int 5", lambda: find(D=5)),
        (ValueError, "labels 'E' 'A' 'D'", lambda: find(labels={"E": "x"})),
    ]
)  # fmt: skip
