import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from statsmodels.stats.outliers_influence import variance_inflation_factor

from reanalyses.kindel2023.regression import (
    breusch_pagan_test,
    cosine_regression,
    inner_product_regression,
    joint_test,
    two_groups,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import binary, lists, names, seeds


def by_hand(pairs):
    """Return the design and outcome of the inner-product regression."""
    X, lnw = pairs["X"].to_numpy(float), pairs["lnw"].to_numpy()
    return np.column_stack([np.ones(len(X)), X, lnw, X * lnw]), pairs["inner_product"].to_numpy()


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_estimates_against_numpy(seed):
    pairs = binary(seed)
    design, y = by_hand(pairs)
    fit = inner_product_regression(pairs)
    expected = np.linalg.lstsq(design, y, rcond=None)[0]
    assert fit.terms["estimate"].to_numpy() == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert fit.fitted == pytest.approx(design @ expected, rel=1e-9, abs=1e-9)
    assert fit.residuals == pytest.approx(y - design @ expected, rel=1e-7, abs=1e-9)
    r = y - design @ expected
    assert fit.r_squared == pytest.approx(1 - r @ r / ((y - y.mean()) ** 2).sum(), abs=1e-10)
    assert (fit.n, fit.df_residual, fit.df_inference, fit.aliased) == (72, 68, 68, ())


def covariance_by_hand(design, residuals, kind, weights=None):
    roots = np.ones(len(design)) if weights is None else np.sqrt(weights)
    Z, e = design * roots[:, None], residuals * roots
    inverse = np.linalg.inv(Z.T @ Z)
    h = np.array([z @ inverse @ z for z in Z])
    n, k = Z.shape
    middle = {
        "nonrobust": np.full(n, e @ e / (n - k)),
        "HC3": e**2 / (1 - h) ** 2,
    }[kind]
    return inverse @ (Z.T * middle) @ Z @ inverse


@pytest.mark.parametrize("kind", ["nonrobust", "HC3"])
@pytest.mark.parametrize("weights", [None, "inverse-square"])
def test_errors_by_hand(kind, weights):
    from scipy import stats

    pairs = binary(1)
    fit = inner_product_regression(pairs, covariance=kind, weights=weights)
    w = None if weights is None else pairs["lnw"].to_numpy() ** -2.0
    expected = covariance_by_hand(by_hand(pairs)[0], fit.residuals, kind, w)
    assert fit.covariance_matrix == pytest.approx(expected, rel=1e-8)
    errors = np.sqrt(np.diagonal(expected))
    terms = fit.terms
    assert terms["std_error"].to_numpy() == pytest.approx(errors, rel=1e-8)
    t = terms["estimate"].to_numpy() / errors
    assert terms["statistic"].to_numpy() == pytest.approx(t, rel=1e-8)
    assert terms["p_value"].to_numpy() == pytest.approx(2 * stats.t.sf(abs(t), 68), rel=1e-6)
    half = stats.t.ppf(0.975, 68) * errors
    assert (terms["high"] - terms["estimate"]).to_numpy() == pytest.approx(half, rel=1e-8)
    assert (terms["estimate"] - terms["low"]).to_numpy() == pytest.approx(half, rel=1e-8)


def test_clustered_errors_by_hand():
    A, B, C = lists(2, 6, 5, 4)
    pairs = two_groups(
        word_pairs(A, B, words_a=names("a", 6), words_b=names("b", 5)),
        word_pairs(A, C, words_a=names("a", 6), words_b=names("c", 4)),
    )
    X = np.column_stack([np.ones(len(pairs)), pairs["X"]])

    def sandwich(codes, e):
        inverse = np.linalg.inv(X.T @ X)
        scores = np.array([(X[codes == g] * e[codes == g][:, None]).sum(axis=0) for g in np.unique(codes)])
        groups, (n, k) = len(scores), X.shape
        return inverse @ scores.T @ scores @ inverse * groups / (groups - 1) * (n - 1) / (n - k)

    one = cosine_regression(pairs, covariance="cluster", clusters="a")
    assert one.df_inference == 5
    e = one.residuals
    a, b = pairs["a"].to_numpy().astype(str), pairs["b"].to_numpy().astype(str)
    assert one.covariance_matrix == pytest.approx(sandwich(a, e), rel=1e-9)
    both = cosine_regression(pairs, covariance="cluster")
    each = np.char.add(a, b)
    assert both.covariance_matrix == pytest.approx(
        sandwich(a, e) + sandwich(b, e) - sandwich(each, e), rel=1e-9
    )
    assert both.df_inference == 5


def test_inflation_factors_are_those_of_statsmodels():
    fit = inner_product_regression(binary(3))
    expected = [variance_inflation_factor(fit.design, i) for i in (1, 2, 3)]
    assert np.isnan(fit.terms["vif"].iloc[0])
    assert fit.terms["vif"].iloc[1:].to_numpy() == pytest.approx(expected, rel=1e-8)


def test_breusch_pagan_by_hand():
    from scipy import stats

    pairs = binary(4)
    fit = inner_product_regression(pairs)
    squares = fit.residuals**2 / np.mean(fit.residuals**2)
    for variables, design in ((None, by_hand(pairs)[0]), (pairs["lnw"], by_hand(pairs)[0][:, [0, 2]])):
        fitted = design @ np.linalg.lstsq(design, squares, rcond=None)[0]
        explained = ((fitted - 1) ** 2).sum()
        expected = len(pairs) * explained / ((squares - 1) ** 2).sum()
        found = breusch_pagan_test(fit, variables)
        assert found.df == design.shape[1] - 1
        assert found.statistic == pytest.approx(expected, rel=1e-8)
        assert found.pvalue == pytest.approx(stats.chi2.sf(expected, found.df), rel=1e-6)
    assert fit.breusch_pagan == breusch_pagan_test(fit)


def test_joint_test_is_the_f_test_of_nested_models():
    from scipy import stats

    pairs = binary(6)
    full = inner_product_regression(pairs, covariance="nonrobust")
    design, y = by_hand(pairs)

    def rss(Z):
        return np.linalg.lstsq(Z, y, rcond=None)[1][0]

    found = joint_test(full, ["β1", "X·LNW"])
    expected = (rss(design[:, [0, 2]]) - rss(design)) / 2 / (rss(design) / 68)
    assert found.statistic == pytest.approx(expected, rel=1e-8)
    assert found.pvalue == pytest.approx(stats.f.sf(expected, 2, 68), rel=1e-6)
    assert (found.df, found.df_residual, found.restriction) == (2, 68, "X = X·LNW = 0")
    equal = joint_test(full, ["β1", "β3"], equal=True)
    merged = np.column_stack([design[:, 0], design[:, 1] + design[:, 3], design[:, 2]])
    assert equal.statistic == pytest.approx((rss(merged) - rss(design)) / (rss(design) / 68), rel=1e-7)
    assert equal.restriction == "X = X·LNW"


def test_exact_collinearities_are_dropped_in_order_and_named():
    A, B, C = lists(7, 1, 6, 6)
    norm = np.linalg.norm(A)
    pairs = two_groups(word_pairs(A, B), word_pairs(A, C))
    fit = inner_product_regression(pairs, norms=True)  # one word a: ‖a‖ is constant, LNW = ‖a‖‖b‖
    assert list(fit.terms["symbol"]) == ["β0", "β1", "β2", "β3"]
    found = {alias.symbol: alias.combination for alias in fit.aliased}
    assert found == {
        "β4": {"intercept": pytest.approx(norm)},
        "β5": {"LNW": pytest.approx(1 / norm)},
        "β6": {"X": pytest.approx(norm)},
        "β7": {"X·LNW": pytest.approx(1 / norm)},
    }
    plain = inner_product_regression(pairs)
    assert fit.terms["estimate"].to_numpy() == pytest.approx(plain.terms["estimate"].to_numpy(), rel=1e-10)
    assert plain.aliased == ()
    assert str(fit.aliased[2]) == f"X·‖a‖ (β6) = {norm:.4g}·X"


def test_nearly_collinear_terms_are_kept_and_inflated():
    pairs = binary(8)
    jitter = 1 + 1e-5 * np.random.default_rng(0).standard_normal(len(pairs))
    pairs = pairs.assign(lnw=7.0 * jitter)
    with pytest.warns(
        UserWarning, match=r"X, X·LNW are nearly collinear .* normalized vectors differ only by rounding"
    ):
        fit = inner_product_regression(pairs)
    assert fit.aliased == ()
    assert fit.terms["vif"].iloc[1] > 1e9
    constant = inner_product_regression(pairs.assign(lnw=7.0))
    assert [alias.term for alias in constant.aliased] == ["LNW", "X·LNW"]


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e9])
def test_the_scale_of_the_vectors_changes_units_only(scale):
    A, B, C, D = lists(9, 5, 5, 5, 5)
    fits = [
        inner_product_regression(two_groups(word_pairs(A * c, B * c), word_pairs(C * c, D * c)))
        for c in (1.0, scale)
    ]
    factor = np.array([scale**2, scale**2, 1, 1])
    for column in ("estimate", "std_error", "low", "high"):
        expected = fits[0].terms[column].to_numpy() * factor
        assert fits[1].terms[column].to_numpy() == pytest.approx(expected, rel=1e-7)
    assert fits[1].terms["p_value"].to_numpy() == pytest.approx(fits[0].terms["p_value"].to_numpy(), rel=1e-6)
    assert fits[1].df_residual == fits[0].df_residual
    assert fits[1].breusch_pagan.statistic == pytest.approx(fits[0].breusch_pagan.statistic, rel=1e-6)


def test_an_exact_fit_says_so():
    pairs = binary(10)
    inner = (0.2 + 0.1 * pairs["X"]) * pairs["lnw"]
    with pytest.warns(UserWarning, match="the terms explain inner product exactly"):
        fit = inner_product_regression(pairs.assign(inner_product=inner))
    assert fit.exact
    assert fit.breusch_pagan is None
    assert (fit.terms["std_error"] == 0).all()
    assert fit.coefficient("β3") == pytest.approx(0.1, abs=1e-12)


def test_two_way_clusters_without_a_positive_variance_are_refused():
    # Cosines that alternate like a chessboard: the pairs differ far more than the means of the words.
    table = pd.DataFrame(
        [
            (f"a{i}", f"b{j}", (-1.0) ** (i + j) * 0.3 + 0.001 * i * (g + 1), g)
            for g in (0, 1)
            for i in range(4)
            for j in range(4)
        ],
        columns=["a", "b", "cosine", "X"],
    ).assign(lnw=1.0)
    with pytest.raises(ValueError, match=r"not positive for .*; expected more words, or clusters='a' or 'b'"):
        cosine_regression(table, covariance="cluster")
    assert cosine_regression(table, covariance="cluster", clusters="a").df_inference == 3
