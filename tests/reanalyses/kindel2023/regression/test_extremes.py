"""Regressions at the ends of float64, and errors that only look like errors."""

import warnings

import numpy as np
import pandas as pd
import pytest

from reanalyses.kindel2023.regression import (
    bivariate_cosine_regression,
    breusch_pagan_test,
    centroid_pairs,
    centroid_regression,
    composed_pairs,
    corrected_ratio_regression,
    cosine_regression,
    frequency_adjusted_regression,
    inner_product_regression,
    joint_test,
    stack_pairs,
    two_groups,
    weight_standardization,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import binary, lists, names


@pytest.mark.parametrize("factor", [2.0**-700, 2.0**700])
def test_cosines_of_very_short_and_long_words_are_right(factor):
    """Squares of single words over- or underflow, products of words do not."""
    A, B = lists(0, 3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = word_pairs(A * factor, B / factor)
        paired = word_pairs(A * factor, B[:3] / factor, pairing="paired")
    for found, expected in ((table, word_pairs(A, B)), (paired, word_pairs(A, B[:3], pairing="paired"))):
        assert found["cosine"].to_numpy() == pytest.approx(expected["cosine"].to_numpy(), rel=1e-14)
        assert found["norm_a"].to_numpy() == pytest.approx(expected["norm_a"].to_numpy() * factor, rel=1e-14)


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300])
def test_weights_beyond_what_can_be_squared_are_refused(factor):
    A, B = lists(0, 3, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="9 of 9 pairs have lengths whose product is outside"):
            word_pairs(A * factor, B)
        with pytest.raises(ValueError, match="3 of 3 pairs have lengths whose product is outside"):
            word_pairs(A, B * factor, pairing="paired")
        with pytest.raises(ValueError, match="expected rescaled"):
            centroid_pairs(A * factor, B)
        with pytest.raises(ValueError, match="expected rescaled"):
            composed_pairs([A * factor, A[::-1] * factor], B)


def test_weighted_estimates_do_not_depend_on_the_scale():
    A, B, C = lists(1, 5, 5, 5)
    fits = [
        inner_product_regression(
            two_groups(word_pairs(A * factor, B), word_pairs(A * factor, C)), weights="inverse-square"
        )
        for factor in (1.0, 2.0**-200)
    ]
    for symbol in ("β2", "β3"):
        assert fits[1].coefficient(symbol) == pytest.approx(fits[0].coefficient(symbol), rel=1e-9)


def test_products_of_inner_products_at_the_limit_are_right():
    A, B, C, D = lists(2, 20, 20, 20, 20)
    fits = []
    for factor in (1.0, 2.0**100):
        left, right = (word_pairs(x * factor, y * factor, pairing="paired") for x, y in ((A, B), (C, D)))
        fits.append(bivariate_cosine_regression(left, right, model="expanded"))
    assert fits[1].r_squared == pytest.approx(fits[0].r_squared, rel=1e-9)
    assert fits[1].aliased == fits[0].aliased == ()


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


def test_options_of_the_wrong_kind_are_named():
    pairs = binary(5)
    fit = inner_product_regression(pairs)
    for clusters in (None, 5):
        with pytest.raises(TypeError, match=f"clusters is .*{clusters}.*; expected"):
            cosine_regression(pairs, covariance="cluster", clusters=clusters)
    holes = pairs.assign(a=[None, *pairs["a"][1:]])
    with pytest.raises(ValueError, match="clusters names 'a', which has no value in entry 0"):
        cosine_regression(holes, covariance="cluster")
    with pytest.raises(TypeError, match="terms is str 'X·LNW'; expected a list"):
        joint_test(fit, "X·LNW")
    with pytest.raises(ValueError, match="value is nan"):
        joint_test(fit, ["X"], value=np.nan)
    with pytest.raises(TypeError, match="groups is list"):
        stack_pairs([pairs])
    with pytest.raises(ValueError, match="pairs_0 has the column X already"):
        two_groups(pairs, pairs)


def test_variables_may_be_nested_lists():
    pairs = binary(6)
    fit = inner_product_regression(pairs)
    columns = pairs[["norm_a", "norm_b"]]
    assert breusch_pagan_test(fit, columns.to_numpy().tolist()) == breusch_pagan_test(fit, columns)


def test_frequencies_that_are_no_numbers_are_named():
    pairs = binary(7)
    words = [word for letter in "abcd" for word in names(letter, 6)]
    zipf = {word: 3 + 0.1 * place for place, word in enumerate(words)}
    with pytest.raises(TypeError, match=r"frequencies does not give one number for a word .*'often'"):
        frequency_adjusted_regression(pairs, zipf | {"a0": "often"})
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match="the geometric mean of two frequencies overflows"),
    ):
        frequency_adjusted_regression(
            pairs, pd.Series(zipf) * 1000, form="geometric"
        )  # counts are not on a logarithmic scale
