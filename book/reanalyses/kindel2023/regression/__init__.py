"""Regressions on cosines: what a difference of mean cosines says about words, and what about their lengths."""

from reanalyses.kindel2023.regression.bivariate import (
    bivariate_cosine_regression,
)
from reanalyses.kindel2023.regression.centroid import (
    ComponentRegressions,
    ImplicitRegression,
    centroid_pairs,
    centroid_regression,
    component_regressions,
    composed_pairs,
    implicit_component_regression,
)
from reanalyses.kindel2023.regression.decomposition import (
    DistortionDecomposition,
    distortion_decomposition,
    split_similarity,
)
from reanalyses.kindel2023.regression.estimation import (
    Alias,
    BreuschPagan,
    JointTest,
    Regression,
    breusch_pagan_test,
    joint_test,
)
from reanalyses.kindel2023.regression.frequency import FrequencyRegressions, frequency_adjusted_regression
from reanalyses.kindel2023.regression.models import (
    corrected_ratio_regression,
    cosine_regression,
    inner_product_regression,
)
from reanalyses.kindel2023.regression.overlapping import (
    NestedWeat,
    nested_weat,
    overlapping_bivariate_centroid_regression,
    overlapping_cosine_regression,
)
from reanalyses.kindel2023.regression.pairs import overlapping_pairs, stack_pairs, two_groups, word_pairs
from reanalyses.kindel2023.regression.relabeling import RelabelingTest, regression_relabeling_test
from reanalyses.kindel2023.regression.standardization import WeightStandardization, weight_standardization

__all__ = [
    "Alias",
    "BreuschPagan",
    "ComponentRegressions",
    "DistortionDecomposition",
    "FrequencyRegressions",
    "ImplicitRegression",
    "JointTest",
    "NestedWeat",
    "Regression",
    "RelabelingTest",
    "WeightStandardization",
    "bivariate_cosine_regression",
    "breusch_pagan_test",
    "centroid_pairs",
    "centroid_regression",
    "component_regressions",
    "composed_pairs",
    "corrected_ratio_regression",
    "cosine_regression",
    "distortion_decomposition",
    "frequency_adjusted_regression",
    "implicit_component_regression",
    "inner_product_regression",
    "joint_test",
    "nested_weat",
    "overlapping_bivariate_centroid_regression",
    "overlapping_cosine_regression",
    "overlapping_pairs",
    "regression_relabeling_test",
    "split_similarity",
    "stack_pairs",
    "two_groups",
    "weight_standardization",
    "word_pairs",
]
