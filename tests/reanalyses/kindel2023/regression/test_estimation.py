"""Tests of estimates, standard errors, and diagnostics against NumPy, SciPy, and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from scipy import stats
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.outliers_influence import variance_inflation_factor

from reanalyses.kindel2023.regression import (
    breusch_pagan_test,
    cosine_regression,
    inner_product_regression,
    joint_test,
    lower_order_regression,
    two_groups,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import seeds, two_group_pairs, word_lists, word_names


def design_and_outcome(pairs):
    """Return the design and outcome of the inner-product regression."""
    X, lnw = pairs["X"].to_numpy(float), pairs["lnw"].to_numpy()
    return np.column_stack([np.ones(len(X)), X, lnw, X * lnw]), pairs["inner_product"].to_numpy()


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_estimates_equal_numpy_lstsq(seed):
    pairs = two_group_pairs(seed)
    design, y = design_and_outcome(pairs)
    fit = inner_product_regression(pairs)
    expected = np.linalg.lstsq(design, y, rcond=None)[0]
    r = y - design @ expected
    assert fit.terms["estimate"].to_numpy() == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert fit.residuals == pytest.approx(r, rel=1e-7, abs=1e-9)
    assert fit.r_squared == pytest.approx(1 - r @ r / ((y - y.mean()) ** 2).sum(), abs=1e-10)
    assert (fit.df_residual, fit.df_inference, fit.aliased) == (68, 68, ())


def test_weighted_standard_errors_equal_statsmodels():
    pairs = two_group_pairs(1)
    fit = inner_product_regression(pairs, weights="inverse-square")
    design, y = design_and_outcome(pairs)
    reference = sm.WLS(y, design, weights=pairs["lnw"].to_numpy() ** -2.0).fit(cov_type="HC3", use_t=True)
    np.testing.assert_allclose(fit.covariance_matrix, reference.cov_params(), rtol=1e-8)
    columns = {"std_error": "bse", "statistic": "tvalues", "p_value": "pvalues"}
    for column, attribute in columns.items():
        np.testing.assert_allclose(fit.terms[column], getattr(reference, attribute), rtol=1e-6)
    np.testing.assert_allclose(fit.terms[["low", "high"]], reference.conf_int(0.05), rtol=1e-6)


def test_standard_errors_clustered_by_word_equal_statsmodels():
    A, B, C = word_lists(2, 6, 5, 4)
    pairs = two_groups(
        word_pairs(A, B, words_a=word_names("a", 6), words_b=word_names("b", 5)),
        word_pairs(A, C, words_a=word_names("a", 6), words_b=word_names("c", 4)),
    )
    fit = cosine_regression(pairs, covariance="cluster")
    model = sm.OLS(pairs["cosine"].to_numpy(), np.column_stack([np.ones(len(pairs)), pairs["X"]]))
    groups = np.column_stack([pd.factorize(pairs[name])[0] for name in "ab"])
    reference = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    np.testing.assert_allclose(fit.covariance_matrix, reference.cov_params(), rtol=1e-8)
    assert fit.df_inference == 5


def test_variance_inflation_factors_equal_statsmodels():
    fit = inner_product_regression(two_group_pairs(3))
    expected = [variance_inflation_factor(fit.design, i) for i in (1, 2, 3)]
    assert np.isnan(fit.terms["vif"].iloc[0])
    assert fit.terms["vif"].iloc[1:].to_numpy() == pytest.approx(expected, rel=1e-8)


def test_breusch_pagan_test_equals_statsmodels():
    pairs = two_group_pairs(4)
    fit, design = inner_product_regression(pairs), design_and_outcome(pairs)[0]
    for variables, columns in ((None, design), (pairs["lnw"], design[:, [0, 2]])):
        result = breusch_pagan_test(fit, variables)
        expected = het_breuschpagan(fit.residuals, columns)[:2]
        assert (result.statistic, result.pvalue) == pytest.approx(expected, rel=1e-6)


def test_joint_test_equals_f_test_of_nested_models():
    pairs = two_group_pairs(6)
    fit = inner_product_regression(pairs, covariance="nonrobust")
    design, y = design_and_outcome(pairs)

    def rss(Z):
        return np.linalg.lstsq(Z, y, rcond=None)[1][0]

    result = joint_test(fit, ["β1", "β3"])
    expected = (rss(design[:, [0, 2]]) - rss(design)) / 2 / (rss(design) / 68)
    assert result.statistic == pytest.approx(expected, rel=1e-8)
    assert result.pvalue == pytest.approx(stats.f.sf(expected, 2, 68), rel=1e-6)
    equal = joint_test(fit, ["β1", "β3"], equal=True)
    merged = np.column_stack([design[:, 0], design[:, 1] + design[:, 3], design[:, 2]])
    assert equal.statistic == pytest.approx((rss(merged) - rss(design)) / (rss(design) / 68), rel=1e-7)


def test_collinear_terms_are_dropped_and_reported():
    A, B, C = word_lists(7, 1, 6, 6)
    norm = np.linalg.norm(A)
    pairs = two_groups(word_pairs(A, B), word_pairs(A, C))
    fit = lower_order_regression(pairs)  # one word a: ‖a‖ is constant, LNW = ‖a‖‖b‖
    assert list(fit.terms["symbol"]) == ["α2*", "α3*", "α0*", "α1*"]
    aliases = {alias.symbol: alias.combination for alias in fit.aliased}
    assert aliases == {
        "α4*": {"intercept": pytest.approx(norm)},
        "α5*": {"LNW": pytest.approx(1 / norm)},
        "α6*": {"D": pytest.approx(norm)},
        "α7*": {"D·LNW": pytest.approx(1 / norm)},
    }
    plain = inner_product_regression(pairs)
    assert fit.terms["estimate"].to_numpy() == pytest.approx(plain.terms["estimate"].to_numpy(), rel=1e-10)
    assert plain.aliased == ()
    assert str(fit.aliased[2]) == f"D·‖w‖ (α6*) = {norm:.4g}·D"


def test_nearly_collinear_terms_are_kept_with_large_vif():
    pairs = two_group_pairs(8)
    jitter = 1 + 1e-5 * np.random.default_rng(0).standard_normal(len(pairs))
    pairs = pairs.assign(lnw=7.0 * jitter)
    fit = inner_product_regression(pairs)
    assert fit.aliased == ()
    assert fit.terms["vif"].iloc[1] > 1e9
    constant = inner_product_regression(pairs.assign(lnw=7.0))
    assert [alias.term for alias in constant.aliased] == ["LNW", "X·LNW"]


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e9])
def test_rescaling_vectors_changes_only_units(scale):
    A, B, C, D = word_lists(9, 5, 5, 5, 5)
    fits = [
        inner_product_regression(two_groups(word_pairs(A * c, B * c), word_pairs(C * c, D * c)))
        for c in (1.0, scale)
    ]
    factor = np.array([scale**2, scale**2, 1, 1])
    for column in ("estimate", "std_error", "low", "high"):
        expected = fits[0].terms[column].to_numpy() * factor
        assert fits[1].terms[column].to_numpy() == pytest.approx(expected, rel=1e-7)
    assert fits[1].terms["p_value"].to_numpy() == pytest.approx(fits[0].terms["p_value"].to_numpy(), rel=1e-6)
    statistics = [breusch_pagan_test(fit).statistic for fit in fits]
    assert statistics[1] == pytest.approx(statistics[0], rel=1e-6)


def test_exact_fit_has_zero_standard_errors():
    pairs = two_group_pairs(10)
    inner = (0.2 + 0.1 * pairs["X"]) * pairs["lnw"]
    fit = inner_product_regression(pairs.assign(inner_product=inner))
    assert (fit.terms["std_error"] == 0).all()
    assert fit.coefficient("β3") == pytest.approx(0.1, abs=1e-12)
