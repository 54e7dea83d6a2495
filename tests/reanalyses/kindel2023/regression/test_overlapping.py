import numpy as np
import pytest
from hypothesis import given, settings

from isotropy_lab.association._weat import weat, word_associations
from reanalyses.kindel2023.regression import (
    centroid_pairs,
    corrected_ratio_regression,
    cosine_regression,
    inner_product_regression,
    nested_weat,
    overlapping_bivariate_centroid_regression,
    overlapping_cosine_regression,
    overlapping_pairs,
    two_groups,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import lists, names, seeds


def test_the_models_are_the_binary_ones():
    A, B, X = lists(0, 4, 5, 7)
    pairs = overlapping_pairs(A, B, X)
    for model, reference in (
        ("uncorrected", cosine_regression(pairs)),
        ("ratio", corrected_ratio_regression(pairs)),
        ("corrected", inner_product_regression(pairs)),
        ("lower-order", inner_product_regression(pairs, norms=True)),
    ):
        fit = overlapping_cosine_regression(pairs, model=model)
        for column in ("estimate", "std_error"):
            assert fit.terms[column].to_numpy() == pytest.approx(
                reference.terms[column].to_numpy(), rel=1e-10
            )
    assert list(fit.terms["symbol"]) == ["α2*", "α3*", "α0*", "α1*", "α4*", "α5*", "α6*", "α7*"]
    assert list(fit.terms["term"][-2:]) == ["D·‖w‖", "D·‖x‖"]


def test_lower_order_terms_of_single_words_are_aliased():
    A, B, X = lists(1, 1, 1, 20)
    fit = overlapping_cosine_regression(overlapping_pairs(A, B, X), model="lower-order")
    a, b = np.linalg.norm(A), np.linalg.norm(B)
    found = {alias.symbol: alias.combination for alias in fit.aliased}
    assert found["α4*"] == {"intercept": pytest.approx(b), "D": pytest.approx(a - b)}
    assert found["α5*"] == {"LNW": pytest.approx(1 / b), "D·LNW": pytest.approx(1 / a - 1 / b)}
    assert set(found) == {"α4*", "α5*", "α6*", "α7*"}


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_nested_weat_is_weat(seed):
    X, Y, A, B = lists(seed, 4, 5, 3, 6)
    found = nested_weat(X, Y, A, B)
    reference = weat(X, Y, A, B)
    assert found.score == pytest.approx(reference.score, abs=1e-12)
    assert found.second_level.coefficient("WEAT") == pytest.approx(reference.score, abs=1e-11)
    assert found.pooled.coefficient("WEAT") == pytest.approx(reference.score, abs=1e-11)
    assert found.statistic == pytest.approx(
        word_associations(X, A, B).sum() - word_associations(Y, A, B).sum(), abs=1e-11
    )
    own = found.coefficients[found.coefficients["set"] == "X"]["alpha_1"].to_numpy()
    assert own == pytest.approx(word_associations(X, A, B), abs=1e-12)


def test_each_coefficient_is_a_regression():
    X, Y, A, B = lists(3, 3, 3, 4, 5)
    found = nested_weat(X, Y, A, B, corrected=True, words_x=names("x", 3), words_y=names("y", 3))
    assert list(found.coefficients["word"]) == ["x0", "x1", "x2", "y0", "y1", "y2"]
    for row, word in zip(found.coefficients.itertuples(), [*X, *Y], strict=True):
        pairs = two_groups(word_pairs(B, word[None]), word_pairs(A, word[None]))
        plain, ratio = cosine_regression(pairs), corrected_ratio_regression(pairs)
        assert row.alpha_1 == pytest.approx(plain.coefficient("α1*"), abs=1e-12)
        assert row.std_error == pytest.approx(plain.terms["std_error"][1], rel=1e-10)
        assert row.beta_3 == pytest.approx(ratio.coefficient("β3"), rel=1e-10)
        assert row.beta_3_std_error == pytest.approx(ratio.terms["std_error"][1], rel=1e-10)


def test_the_second_level_is_a_comparison_of_two_means():
    X, Y, A, B = lists(4, 6, 6, 4, 4)
    found = nested_weat(X, Y, A, B, covariance="nonrobust")
    from scipy import stats

    alpha = found.coefficients.groupby("set")["alpha_1"].apply(np.array)
    expected = stats.ttest_ind(alpha["X"], alpha["Y"])
    assert found.second_level.terms["statistic"][1] == pytest.approx(expected.statistic, rel=1e-8)
    assert found.second_level.terms["p_value"][1] == pytest.approx(expected.pvalue, rel=1e-8)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_shared_word_cancels_from_the_ratio_of_weights(seed):
    A, B, X = lists(seed, 3, 4, 30)
    fit = overlapping_bivariate_centroid_regression(A, B, X, model="expanded")
    ratio = np.linalg.norm(A.sum(axis=0)) / np.linalg.norm(B.sum(axis=0))
    found = {alias.symbol: alias.combination for alias in fit.aliased}
    assert set(found) == {"γ5", "γ7"}
    assert found["γ7"] == {"intercept": pytest.approx(ratio)}
    assert found["γ5"] == {"cos(c,d)·LNW(a,b)": pytest.approx(1 / ratio)}
    left, right = centroid_pairs(A, X)["lnw"], centroid_pairs(B, X)["lnw"]
    assert (left / right).to_numpy() == pytest.approx(np.full(30, ratio), rel=1e-12)


def test_the_uncorrected_model():
    A, B, X = lists(7, 3, 4, 30)
    cosines = [centroid_pairs(W, X)["cosine"].to_numpy() for W in (A, B)]
    two = overlapping_bivariate_centroid_regression(A, B, X)
    assert two.coefficient("γ1*") == pytest.approx(np.polyfit(cosines[1], cosines[0], 1)[0], rel=1e-8)
