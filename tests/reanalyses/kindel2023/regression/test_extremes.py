"""Regressions at the ends of float64, and errors that only look like errors."""

import numpy as np
import pytest

from reanalyses.kindel2023.regression import (
    centroid_pairs,
    centroid_regression,
    corrected_ratio_regression,
    cosine_regression,
    frequency_adjusted_regression,
    two_groups,
    weight_standardization,
)
from tests.reanalyses.kindel2023.regression.samples import binary, lists


@pytest.mark.parametrize("clusters", ["group", ("group", "a")])
def test_clusters_that_are_the_groups_have_no_errors(clusters):
    """The residuals of each group sum to 0: what would come out is rounding, some 1e-17."""
    with pytest.raises(ValueError, match="variance that is not positive"):
        cosine_regression(binary(3), covariance="cluster", clusters=clusters)


@pytest.mark.filterwarnings("error")
def test_a_difference_without_a_positive_variance_is_refused():
    """Two-way clustering subtracts: each coefficient has a variance here, what is made of them has none."""
    standardized = binary(6, k=3)
    assert (corrected_ratio_regression(standardized, covariance="cluster").terms["std_error"] > 0).all()
    with pytest.raises(ValueError, match="the difference a variance that is not positive"):
        weight_standardization(standardized, covariance="cluster")
    pairs = binary(112, k=3)
    words = sorted({*pairs["a"], *pairs["b"]})
    zipf = {word: 3 + np.random.default_rng(112).uniform() * i for i, word in enumerate(words)}
    with pytest.raises(ValueError, match="the difference a variance that is not positive"):
        frequency_adjusted_regression(pairs, zipf, covariance="cluster")


def test_one_composed_vector_for_each_group_is_no_cluster():
    A, B, X = lists(4, 4, 4, 12)
    pairs = two_groups(centroid_pairs(A, X, label="ΩA"), centroid_pairs(B, X, label="ΩB"))
    with pytest.raises(ValueError, match="variance that is not positive"):
        centroid_regression(pairs, model="uncorrected", covariance="cluster", clusters="a")
