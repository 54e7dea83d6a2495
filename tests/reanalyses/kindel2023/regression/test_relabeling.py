"""Tests of relabeling tests of regressions against enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings

from isotropy_lab.association import relabeling_test
from reanalyses.kindel2023.regression import (
    corrected_ratio_regression,
    cosine_regression,
    overlapping_pairs,
    regression_relabeling_test,
    weight_standardization,
)
from tests.reanalyses.kindel2023.regression.samples import seeds, word_lists, word_names

STATISTICS = ("difference in cosines", "equal weights", "corrected ratio")


def random_pairs(seed, k=3, n=4):
    A, B, X = word_lists(seed, k, k, n)
    return overlapping_pairs(A, B, X, words_a=word_names("a", k), words_b=word_names("b", k))


def fit_statistic(pairs, statistic):
    if statistic == "difference in cosines":
        return cosine_regression(pairs).coefficient("α1*")
    if statistic == "equal weights":
        return weight_standardization(pairs).at_equal_weights
    return corrected_ratio_regression(pairs).coefficient("β3")


def test_cosine_difference_agrees_with_relabeling_test():
    A, B, X = word_lists(1, 3, 3, 4)
    result, reference = regression_relabeling_test(random_pairs(1)), relabeling_test(A, B, X)
    assert abs(result.observed) == pytest.approx(abs(reference.statistic))
    assert (result.pvalue, result.count) == (reference.pvalue, reference.count)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_distribution_equals_regressions_on_all_relabelings(statistic):
    pairs = random_pairs(1)
    words = list(dict.fromkeys(pairs["a"]))
    values = []
    for chosen in itertools.combinations(words, 3):
        values.append(fit_statistic(pairs.assign(X=pairs["a"].isin(chosen).astype(int)), statistic))
    result = regression_relabeling_test(pairs, statistic=statistic)
    assert result.observed == pytest.approx(fit_statistic(pairs, statistic), rel=1e-9)
    assert result.count == len(values) == math.comb(6, 3)
    assert result.n_at_least == np.count_nonzero(np.abs(values) >= abs(result.observed) - 1e-9)
    assert result.pvalue == result.n_at_least / result.count
    assert result.standard_deviation == pytest.approx(np.std(values), rel=1e-8)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_p_value_ignores_group_order_and_weight_scale(seed):
    pairs = random_pairs(seed)
    swapped = pairs.assign(X=1 - pairs["X"])
    scaled = pairs.assign(lnw=5 * pairs["lnw"])
    for statistic in STATISTICS:
        result = regression_relabeling_test(pairs, statistic=statistic)
        # The observed labeling and its mirror image have equal magnitude.
        assert 2 / 20 <= result.pvalue <= 1
        swapped_result = regression_relabeling_test(swapped, statistic=statistic)
        assert swapped_result.observed == pytest.approx(-result.observed, rel=1e-8, abs=1e-12)
        assert swapped_result.n_at_least == result.n_at_least
        assert regression_relabeling_test(scaled, statistic=statistic).n_at_least == result.n_at_least


def test_covariate_replaces_the_weight():
    pairs = random_pairs(3)
    with_weight = regression_relabeling_test(
        pairs.assign(z=1 / pairs["lnw"]), statistic="equal weights", covariate="z"
    )
    assert with_weight == regression_relabeling_test(pairs, statistic="equal weights")
    with_covariate = regression_relabeling_test(
        pairs.assign(z=np.arange(len(pairs)) % 5), statistic="equal weights", covariate="z"
    )
    assert with_covariate.observed != pytest.approx(with_weight.observed, rel=1e-3)
