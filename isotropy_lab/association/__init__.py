"""Similarity of word lists: mean cosines, spanned subspaces, and the word embedding association test.

A word list is an array of shape (k, p) with word vectors as rows. Measures return numbers, arrays, frozen
dataclasses, or tables. `keywords` contains published word lists and finds them in any word vectors.
"""

from __future__ import annotations

from isotropy_lab.association import keywords as keywords
from isotropy_lab.association._weat import SIMILARITIES, weat, weat_effect_size, word_associations
from isotropy_lab.association.canonical import (
    canonical_congruences,
    canonical_similarity,
    corrected_canonical_similarity,
    random_baseline,
)
from isotropy_lab.association.congruence_tests import congruence_test, dependent_congruences_test
from isotropy_lab.association.consistency import consistency_profile
from isotropy_lab.association.cosine import cosine_similarities, mean_cosine_similarity
from isotropy_lab.association.nulls import null_intervals
from isotropy_lab.association.permutation import weat_permutation_test
from isotropy_lab.association.regression import cosine_regression, local_similarity, relabeling_test
from isotropy_lab.association.separability import separability

__all__ = [
    "SIMILARITIES",
    "canonical_congruences",
    "canonical_similarity",
    "congruence_test",
    "consistency_profile",
    "corrected_canonical_similarity",
    "cosine_regression",
    "cosine_similarities",
    "dependent_congruences_test",
    "local_similarity",
    "mean_cosine_similarity",
    "null_intervals",
    "random_baseline",
    "relabeling_test",
    "separability",
    "weat",
    "weat_effect_size",
    "weat_permutation_test",
    "word_associations",
]
