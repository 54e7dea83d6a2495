"""Regressions on cosines: what a difference of mean cosines says about words, and what about their lengths."""

from isotropy_lab.association.regression.decomposition import (
    DistortionDecomposition,
    distortion_decomposition,
    local_similarity,
)
from isotropy_lab.association.regression.estimation import (
    Alias,
    BreuschPagan,
    JointTest,
    Regression,
    breusch_pagan_test,
    joint_test,
)
from isotropy_lab.association.regression.models import (
    corrected_ratio_regression,
    cosine_regression,
    inner_product_regression,
)
from isotropy_lab.association.regression.pairs import overlapping_pairs, stack_pairs, two_groups, word_pairs

__all__ = [
    "Alias",
    "BreuschPagan",
    "DistortionDecomposition",
    "JointTest",
    "Regression",
    "breusch_pagan_test",
    "corrected_ratio_regression",
    "cosine_regression",
    "distortion_decomposition",
    "inner_product_regression",
    "joint_test",
    "local_similarity",
    "overlapping_pairs",
    "stack_pairs",
    "two_groups",
    "word_pairs",
]
