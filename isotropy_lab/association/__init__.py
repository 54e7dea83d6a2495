"""How much word lists have in common.

A word list is an array (k, p) whose rows are word vectors. Measures take lists and return a number or a frozen
dataclass. `keywords` holds the lists of the word embedding association tests and looks them up in any word vectors,
`published` what was printed about them, `regression` the regressions on cosines; `experiments` runs the tables and
figures of Kindel (2023) as tidy tables and `figures` draws them. The last five are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from isotropy_lab.association.canonical import (
    RandomBaseline,
    canonical_congruences,
    canonical_similarity,
    corrected_canonical_similarity,
    random_baseline,
    row_basis,
)
from isotropy_lab.association.congruence_tests import (
    CongruenceTest,
    DependentCongruencesTest,
    adjusted,
    congruence_test,
    dependent_congruences_test,
    forced_congruences,
)
from isotropy_lab.association.consistency import (
    BeatingWords,
    ConsistencyIndex,
    beating_words,
    consistency_index,
    consistency_profile,
    expected_consistency,
)
from isotropy_lab.association.cosine import (
    ConditionNumbers,
    centroid_mean_cosine_similarity,
    condition_numbers,
    cosine_similarities,
    mean_cosine_similarity,
    mean_squared_cosine_similarity,
    normalized_mean_cosine_similarity,
    paired_mean_cosine_similarity,
    unit_vectors,
)
from isotropy_lab.association.lattice import (
    BetweenLattice,
    SubsetSimilarities,
    between_lattice,
    lattice_summary,
    subset_conditions,
    subset_similarities,
    within_lattice,
)
from isotropy_lab.association.nulls import (
    GaussianNulls,
    NullIntervals,
    gaussian_nulls,
    matched_pools,
    null_intervals,
    partial_nulls,
)
from isotropy_lab.association.permutation import PermutationTest, weat_permutation_test
from isotropy_lab.association.similarities import SIMILARITIES
from isotropy_lab.association.weat import Weat, weat, weat_effect_size, weat_statistic, word_associations

__all__ = [
    "SIMILARITIES",
    "BeatingWords",
    "BetweenLattice",
    "ConditionNumbers",
    "CongruenceTest",
    "ConsistencyIndex",
    "DependentCongruencesTest",
    "GaussianNulls",
    "NullIntervals",
    "PermutationTest",
    "RandomBaseline",
    "SubsetSimilarities",
    "Weat",
    "adjusted",
    "beating_words",
    "between_lattice",
    "canonical_congruences",
    "canonical_similarity",
    "centroid_mean_cosine_similarity",
    "condition_numbers",
    "congruence_test",
    "consistency_index",
    "consistency_profile",
    "corrected_canonical_similarity",
    "cosine_similarities",
    "dependent_congruences_test",
    "expected_consistency",
    "forced_congruences",
    "gaussian_nulls",
    "lattice_summary",
    "matched_pools",
    "mean_cosine_similarity",
    "mean_squared_cosine_similarity",
    "normalized_mean_cosine_similarity",
    "null_intervals",
    "paired_mean_cosine_similarity",
    "partial_nulls",
    "random_baseline",
    "row_basis",
    "subset_conditions",
    "subset_similarities",
    "unit_vectors",
    "weat",
    "weat_effect_size",
    "weat_permutation_test",
    "weat_statistic",
    "within_lattice",
    "word_associations",
]

_ON_FIRST_USE = ("keywords",)


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
