import numpy as np
import pytest
from hypothesis import given, settings

from reanalyses.kindel2023.regression import (
    bivariate_centroid_regression,
    bivariate_cosine_regression,
    centroid_pairs,
    joint_test,
    word_pairs,
)
from tests.reanalyses.kindel2023.regression.samples import lists, seeds


def sides(seed, n=40):
    A, B, C, D = lists(seed, n, n, n, n)
    return word_pairs(A, B, pairing="paired"), word_pairs(C, D + A, pairing="paired")


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_uncorrected_is_a_simple_regression(seed):
    left, right = sides(seed)
    fit = bivariate_cosine_regression(left, right)
    slope, intercept = np.polyfit(right["cosine"], left["cosine"], 1)
    assert fit.coefficient("γ1*") == pytest.approx(slope, rel=1e-8, abs=1e-10)
    assert fit.coefficient("γ0*") == pytest.approx(intercept, rel=1e-8, abs=1e-10)
    assert fit.r_squared == pytest.approx(np.corrcoef(left["cosine"], right["cosine"])[0, 1] ** 2, abs=1e-10)


@pytest.mark.parametrize("weights", [None, "inverse-square"])
def test_expanded_by_numpy(weights):
    left, right = sides(1)
    L, R, c, s = left["lnw"], right["lnw"], right["cosine"], right["inner_product"]
    terms = {"γ2": np.ones(40), "γ0": L, "γ1": c * L, "γ3": c, "γ4": 1 / R, "γ5": s, "γ6": s * L, "γ7": L / R}
    roots = np.ones(40) if weights is None else 1 / L.to_numpy()
    design = np.column_stack(list(terms.values()))
    y = left["inner_product"].to_numpy()
    expected = np.linalg.lstsq(design * roots[:, None], y * roots, rcond=None)[0]
    fit = bivariate_cosine_regression(left, right, model="expanded", weights=weights)
    for symbol, value in zip(terms, expected, strict=True):
        assert fit.coefficient(symbol) == pytest.approx(value, rel=1e-5)


def test_the_uncorrected_model_is_the_weighted_expansion_without_six_terms():
    left, right = sides(2)
    plain = bivariate_cosine_regression(left, right, covariance="nonrobust")
    full = bivariate_cosine_regression(
        left, right, model="expanded", weights="inverse-square", covariance="nonrobust"
    )
    test = joint_test(full, ["γ2", "γ3", "γ4", "γ5", "γ6", "γ7"])
    scaled = full.residuals / left["lnw"].to_numpy()
    rss_0, rss_1 = plain.residuals @ plain.residuals, scaled @ scaled
    assert test.statistic == pytest.approx((rss_0 - rss_1) / 6 / (rss_1 / 32), rel=1e-6)


def centroids(seed, j=2, n=60, shared=False):
    A, B, X, Y = lists(seed, j, j, n, n)
    return centroid_pairs(A, Y), centroid_pairs(B, X), (A, B, X, Y)


def test_the_componentwise_terms_add_up_to_the_pooled_ones():
    left, right, (_, B, X, _) = centroids(5, j=3)
    fit = bivariate_centroid_regression(left, right, model="expanded", componentwise=True)
    assert len(fit.terms) == 16
    assert fit.aliased == ()
    columns = dict(zip(fit.terms["symbol"], fit.design.T, strict=True))
    pooled = {
        "γ1": right["cosine"] * left["lnw"],
        "γ3": right["cosine"],
        "γ5": right["inner_product"],
        "γ6": right["inner_product"] * left["lnw"],
    }
    for symbol, values in pooled.items():
        total = sum(columns[f"{symbol},{i}"] for i in (1, 2, 3))
        assert total == pytest.approx(values.to_numpy(), rel=1e-9, abs=1e-9)
    # The sum of the components' cosines, as printed, is another variable.
    printed = word_pairs(B, X)["cosine"].to_numpy().reshape(3, -1).sum(axis=0)
    assert np.abs(printed - right["cosine"].to_numpy()).max() > 0.1


def test_componentwise_coefficients_that_are_equal_are_the_pooled_model():
    left, right, _ = centroids(6, j=2)
    full = bivariate_centroid_regression(
        left, right, model="expanded", componentwise=True, covariance="nonrobust"
    )
    pooled = bivariate_centroid_regression(left, right, model="expanded", covariance="nonrobust")
    gap = pooled.residuals @ pooled.residuals - full.residuals @ full.residuals
    selection = np.zeros((4, 12))
    for row, symbol in enumerate(("γ1", "γ3", "γ5", "γ6")):
        selection[row, full.position(f"{symbol},1")], selection[row, full.position(f"{symbol},2")] = 1, -1
    contrast = selection @ full.terms["estimate"].to_numpy()
    wald = contrast @ np.linalg.solve(selection @ full.covariance_matrix @ selection.T, contrast)
    assert wald == pytest.approx(gap / (full.residuals @ full.residuals / 48), rel=1e-5)


def test_one_component_on_the_left_brings_the_others_to_the_right():
    left, right, _ = centroids(7, j=3)
    fit = bivariate_centroid_regression(left, right, model="expanded", component=2)
    assert list(fit.terms["symbol"][-2:]) == ["ξ1", "ξ3"]
    fitted = fit.design @ np.linalg.lstsq(fit.design, left["inner_product_2"].to_numpy(), rcond=None)[0]
    assert fit.fitted == pytest.approx(fitted, rel=1e-6, abs=1e-6)
