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
from tests.reanalyses.kindel2023.regression.samples import lists, names, seeds

STATISTICS = ("difference in cosines", "equal weights", "corrected ratio")


def sample(seed, k=3, n=4):
    A, B, X = lists(seed, k, k, n)
    return overlapping_pairs(A, B, X, words_a=names("a", k), words_b=names("b", k))


def by_regression(pairs, statistic):
    if statistic == "difference in cosines":
        return cosine_regression(pairs).coefficient("α1*")
    if statistic == "equal weights":
        return weight_standardization(pairs).at_equal_weights
    return corrected_ratio_regression(pairs).coefficient("β3")


def test_the_helper_gives_the_same_for_the_same_lists():
    A, B, X = lists(1, 3, 3, 4)
    found, helper = regression_relabeling_test(sample(1)), relabeling_test(A, B, X)
    assert abs(found.observed) == pytest.approx(abs(helper.statistic))
    assert (found.pvalue, found.count) == (helper.pvalue, helper.count)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_relabeling_is_the_regression_itself(statistic):
    pairs = sample(1)
    words = list(dict.fromkeys(pairs["a"]))
    values = []
    for chosen in itertools.combinations(words, 3):
        values.append(by_regression(pairs.assign(X=pairs["a"].isin(chosen).astype(int)), statistic))
    found = regression_relabeling_test(pairs, statistic=statistic)
    assert found.observed == pytest.approx(by_regression(pairs, statistic), rel=1e-9)
    assert found.count == len(values) == math.comb(6, 3)
    assert found.n_at_least == np.count_nonzero(np.abs(values) >= abs(found.observed) - 1e-9)
    assert found.pvalue == found.n_at_least / found.count
    assert found.standard_deviation == pytest.approx(np.std(values), rel=1e-8)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_p_is_at_least_two_relabelings_and_survives_a_swap_of_the_groups_and_a_rescaling(seed):
    pairs = sample(seed)
    swapped = pairs.assign(X=1 - pairs["X"])
    scaled = pairs.assign(lnw=5 * pairs["lnw"])
    for statistic in STATISTICS:
        found = regression_relabeling_test(pairs, statistic=statistic)
        # The relabeling and its mirror image are equally large.
        assert 2 / 20 <= found.pvalue <= 1
        other = regression_relabeling_test(swapped, statistic=statistic)
        assert other.observed == pytest.approx(-found.observed, rel=1e-8, abs=1e-12)
        assert other.n_at_least == found.n_at_least
        assert regression_relabeling_test(scaled, statistic=statistic).n_at_least == found.n_at_least


def test_a_covariate_takes_the_place_of_the_weight():
    pairs = sample(3)
    own = regression_relabeling_test(
        pairs.assign(z=1 / pairs["lnw"]), statistic="equal weights", covariate="z"
    )
    assert own == regression_relabeling_test(pairs, statistic="equal weights")
    other = regression_relabeling_test(
        pairs.assign(z=np.arange(len(pairs)) % 5), statistic="equal weights", covariate="z"
    )
    assert other.observed != pytest.approx(own.observed, rel=1e-3)
