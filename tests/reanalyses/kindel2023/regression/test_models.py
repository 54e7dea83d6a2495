"""Identities and simulations for the binary models, their decomposition, and local similarity."""

import numpy as np
import pytest
from hypothesis import given, settings

from isotropy_lab.association import local_similarity, mean_cosine_similarity
from reanalyses.kindel2023.regression import (
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    inner_product_regression,
    overlapping_pairs,
    split_similarity,
    two_groups,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import binary, lists, seeds

BETAS = ("β0", "β1", "β2", "β3")


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_cosine_regression_is_a_difference_of_mean_cosines(seed):
    A, B, C, D = lists(seed, 3, 4, 5, 6)
    fit = cosine_regression(two_groups(word_pairs(A, B), word_pairs(C, D)))
    first, second = mean_cosine_similarity(A, B), mean_cosine_similarity(C, D)
    assert fit.coefficient("α0*") == pytest.approx(first, abs=1e-12)
    assert fit.coefficient("α1*") == pytest.approx(second - first, abs=1e-12)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_the_ratio_model_is_the_weighted_inner_product_regression(seed):
    pairs = binary(seed)
    for covariance in ("HC3", "nonrobust"):
        ratio = corrected_ratio_regression(pairs, covariance=covariance)
        inner = inner_product_regression(pairs, weights="inverse-square", covariance=covariance)
        for symbol in BETAS:
            i, j = ratio.position(symbol), inner.position(symbol)
            for column in ("estimate", "std_error"):
                assert ratio.terms[column].iloc[i] == pytest.approx(
                    inner.terms[column].iloc[j], rel=1e-7, abs=1e-10
                )
        assert inner.residuals / pairs["lnw"].to_numpy() == pytest.approx(ratio.residuals, abs=1e-10)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_the_derived_decomposition_is_an_identity(seed):
    pairs = binary(seed)
    found = distortion_decomposition(pairs)
    alpha = cosine_regression(pairs).coefficient("α1*")
    scale = 1 + found.absolute_distortion
    assert found.alpha_1 == pytest.approx(alpha, abs=1e-12)
    assert abs(found.discrepancy) <= 1e-12 * scale
    X, reciprocal = pairs["X"].to_numpy(), 1 / pairs["lnw"].to_numpy()
    m0, m1 = reciprocal[X == 0].mean(), reciprocal[X == 1].mean()
    assert found.slope_intercept == pytest.approx(m1 - m0, abs=1e-12)
    assert found.slope_group == pytest.approx(m1, abs=1e-12)
    b0, b1, _, b3 = found.beta
    assert b3 + (b0 + b1) * m1 - b0 * m0 == pytest.approx(alpha, abs=1e-12 * scale)
    assert found.net_distortion == pytest.approx(alpha - b3, abs=1e-12 * scale)
    assert found.absolute_distortion >= abs(found.net_distortion) - 1e-15
    values = found.terms.set_index(["reading", "symbol"])["value"]
    assert values["derived"].iloc[:3].sum() == pytest.approx(values["derived"].iloc[3], abs=1e-14 * scale)
    assert values["printed"].iloc[:3].sum() == pytest.approx(values["printed"].iloc[3], abs=1e-14 * scale)


def test_the_printed_decomposition_is_right_for_another_numbering_of_the_ratio_model():
    pairs = binary(6)
    found = distortion_decomposition(pairs)
    # Numbered in the order of its terms: intercept, X, 1/LNW, X/LNW.
    _, b1, b2, b3 = corrected_ratio_regression(pairs).terms["estimate"]
    value = b1 + b2 * found.slope_intercept + b3 * found.slope_group
    assert value == pytest.approx(found.alpha_1, abs=1e-12)


def test_the_derived_terms_do_not_depend_on_the_unit_of_length_but_the_printed_do():
    A, B, C, D = lists(4, 5, 5, 5, 5)
    found = [
        distortion_decomposition(two_groups(word_pairs(A * c, B * c), word_pairs(C * c, D * c)))
        for c in (1, 3)
    ]
    for name in ("alpha_1", "net_distortion", "total", "absolute_distortion"):
        assert getattr(found[1], name) == pytest.approx(getattr(found[0], name), rel=1e-9)
    assert abs(found[1].published_total - found[0].published_total) > 0.1


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_local_and_global_add_up_and_the_means_are_the_coefficients(seed):
    pairs = binary(seed)
    parts = split_similarity(pairs)
    assert (parts["sim_local"] + parts["sim_global"]).to_numpy() == pytest.approx(
        pairs["cosine"].to_numpy(), abs=1e-11
    )
    fit = corrected_ratio_regression(pairs)
    means = parts.groupby("X")["sim_local"].mean()
    b2, b3 = fit.coefficient("β2"), fit.coefficient("β3")
    assert means[0] == pytest.approx(b2, rel=1e-8, abs=1e-9)
    assert means[1] == pytest.approx(b2 + b3, rel=1e-8, abs=1e-9)


def test_the_local_part_of_a_group_is_that_of_the_helper():
    A, B, X = lists(2, 3, 4, 5)
    parts = split_similarity(overlapping_pairs(A, B, X))["sim_local"].to_numpy()
    expected = np.concatenate([local_similarity(words, X).ravel() for words in (A, B)])
    assert np.sort(parts) == pytest.approx(np.sort(expected), rel=1e-8)


def test_local_similarity_by_hand_and_its_means_with_inner_product_coefficients():
    pairs = binary(5)
    fit = inner_product_regression(pairs)
    parts = split_similarity(pairs, coefficients="inner-product")
    b0, b1, b2, b3 = (fit.coefficient(symbol) for symbol in BETAS)
    expected = [
        (row.inner_product - (b0 + b1 * row.X)) / (row.norm_a * row.norm_b) for row in pairs.itertuples()
    ]
    assert parts["sim_local"].to_numpy() == pytest.approx(np.array(expected), rel=1e-10)
    assert (parts["sim_local"] + parts["sim_global"]).to_numpy() == pytest.approx(
        pairs["cosine"].to_numpy(), abs=1e-12
    )
    means = parts.groupby("X")["sim_local"].mean()
    assert abs(means[0] - b2) > 1e-4
    assert abs(means[1] - b2 - b3) > 1e-4


def test_unit_vectors_up_to_rounding_count_as_of_one_length():
    rng = np.random.default_rng(3)
    A, B, C = rng.normal(size=(3, 4, 6))
    A, B, C = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (A, B, C))
    fit = corrected_ratio_regression(two_groups(word_pairs(A, B), word_pairs(A, C)))
    assert [alias.symbol for alias in fit.aliased] == ["β0", "β1"]
    assert fit.coefficient("β3") == pytest.approx(
        mean_cosine_similarity(A, C) - mean_cosine_similarity(A, B), abs=1e-12
    )
