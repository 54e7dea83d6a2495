"""Tests of centroid regressions against loops, NumPy, and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from statsmodels.multivariate.multivariate_ols import _MultivariateOLS

from reanalyses.kindel2023.regression import (
    centroid_pairs,
    centroid_regression,
    component_regressions,
    composed_pairs,
    cosine_regression,
    implicit_component_regression,
    inner_product_regression,
    two_groups,
)
from reanalyses.kindel2023.similarities import paired_mean_cosine_similarity
from tests.reanalyses.kindel2023.regression.samples import seeds, word_lists


def two_centroid_pairs(seed, j=3, n=9):
    A, B, X, Y = word_lists(seed, j, j, n, n)
    return two_groups(centroid_pairs(A, X, label="ΩA"), centroid_pairs(B, Y, label="ΩB"))


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_centroid_pairs_equal_a_loop(seed):
    W, X = word_lists(seed, 4, 3)
    table = centroid_pairs(W, X)
    for row, x in zip(table.itertuples(), X, strict=True):
        omega = W.sum(axis=0)
        assert row.inner_product == pytest.approx(omega @ x, rel=1e-10, abs=1e-10)
        assert row.lnw == pytest.approx(np.linalg.norm(omega) * np.linalg.norm(x), rel=1e-12)
        parts = [getattr(row, f"inner_product_{i}") for i in (1, 2, 3, 4)]
        assert parts == pytest.approx([w @ x for w in W], rel=1e-10, abs=1e-10)


def test_composed_pairs_equal_single_rows():
    A, B, C = word_lists(3, 6, 6, 6)
    table = composed_pairs([A, B], C)
    for i, row in enumerate(table.itertuples()):
        expected = centroid_pairs(np.stack([A[i], B[i]]), C[i : i + 1]).iloc[0]
        for column in ("inner_product", "norm_a", "lnw", "cosine", "inner_product_2"):
            assert getattr(row, column) == pytest.approx(expected[column], rel=1e-12)
        norm = np.sqrt(A[i] @ A[i] + B[i] @ B[i] + 2 * A[i] @ B[i])
        assert row.norm_a == pytest.approx(norm, rel=1e-12)
    assert table["cosine"].mean() == pytest.approx(paired_mean_cosine_similarity(A + B, C), abs=1e-12)


def test_models_equal_binary_regressions_on_centroid_pairs():
    pairs = two_centroid_pairs(4)
    for model, reference, symbols in (
        ("uncorrected", cosine_regression(pairs), ["γ0*", "γ1*"]),
        ("corrected", inner_product_regression(pairs), ["γ2", "γ3", "γ0", "γ1"]),
    ):
        fit = centroid_regression(pairs, model=model)
        assert list(fit.terms["symbol"]) == symbols
        for column in ("estimate", "std_error"):
            assert fit.terms[column].to_numpy() == pytest.approx(reference.terms[column].to_numpy(), rel=1e-9)


def test_centroid_norm_terms_are_aliased_with_the_group():
    A, B, X, Y = word_lists(5, 4, 4, 9, 9)
    pairs = two_groups(centroid_pairs(A, X), centroid_pairs(B, Y))
    fit = centroid_regression(pairs, model="expanded")
    g0, g1 = (np.linalg.norm(W.sum(axis=0)) for W in (A, B))
    assert list(fit.terms["symbol"]) == ["α2", "α3", "α0", "α1"]
    aliases = {alias.symbol: alias.combination for alias in fit.aliased}
    assert aliases["α4"] == {"intercept": pytest.approx(g0), "D": pytest.approx(g1 - g0)}
    assert aliases["α5"] == {"LNW": pytest.approx(1 / g0), "D·LNW": pytest.approx(1 / g1 - 1 / g0)}
    assert aliases["α6"] == {"D": pytest.approx(g1)}
    assert aliases["α7"] == {"D·LNW": pytest.approx(1 / g1)}
    corrected = centroid_regression(pairs)
    assert fit.terms["estimate"].to_numpy() == pytest.approx(corrected.terms["estimate"].to_numpy(), rel=1e-9)


def test_expanded_model_is_identified_if_centroids_vary():
    A, B, C, E, F, G = word_lists(6, *[30] * 6)
    pairs = two_groups(composed_pairs([A, B], C), composed_pairs([E, F], G))
    fit = centroid_regression(pairs, model="expanded")
    assert fit.aliased == ()
    g, x, D = pairs["norm_a"], pairs["norm_b"], pairs["X"]
    design = np.column_stack([np.ones(60), D, g * x, D * g * x, g, x, D * g, D * x])
    expected = np.linalg.lstsq(design, pairs["inner_product"], rcond=None)[0]
    assert fit.terms["estimate"].to_numpy() == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_component_estimates_sum_to_the_pooled_estimates(seed):
    pairs = two_centroid_pairs(seed)
    components = component_regressions(pairs)
    pooled = centroid_regression(pairs).terms["estimate"].to_numpy()
    by_term = components.terms.groupby("term", sort=False)["estimate"].sum().to_numpy()
    assert by_term == pytest.approx(pooled, rel=1e-6, abs=1e-7)


def test_component_equality_test_equals_statsmodels():
    pairs = two_centroid_pairs(7, j=4, n=12)
    components = component_regressions(pairs)
    outcomes = pairs[[f"inner_product_{i}" for i in (1, 2, 3, 4)]].to_numpy()
    contrast = np.vstack([-np.ones(3), np.eye(3)])
    fitted = _MultivariateOLS(outcomes, centroid_regression(pairs).design).fit()
    hypotheses = [(str(i), np.eye(4)[i : i + 1], contrast) for i in range(4)]
    tests = fitted.mv_test(hypotheses)
    for i, row in enumerate(components.equality.itertuples()):
        table = tests.results[str(i)]["stat"]
        for name in ("Wilks' lambda", "Pillai's trace"):
            assert row.statistic == pytest.approx(float(table.loc[name, "F Value"]), rel=1e-6)
            assert (row.df, row.df_residual) == (table.loc[name, "Num DF"], table.loc[name, "Den DF"])
            assert row.p_value == pytest.approx(float(table.loc[name, "Pr > F"]), rel=1e-5)


def test_implicit_model_restrictions_equal_f_tests():
    pairs = two_centroid_pairs(10, j=4, n=12)
    tests = implicit_component_regression(pairs, component=2, covariance="nonrobust")
    D, lnw = pairs["X"], pairs["lnw"]
    others = pairs[[f"inner_product_{i}" for i in (1, 3, 4)]].to_numpy()
    base = np.column_stack([np.ones(24), D, lnw, D * lnw])
    y = pairs["inner_product_2"].to_numpy()

    def rss(Z, target):
        return np.linalg.lstsq(Z, target, rcond=None)[1][0]

    variance = rss(np.column_stack([base, others]), y) / 17
    equal = (rss(np.column_stack([base, others.sum(axis=1)]), y) - variance * 17) / 2 / variance
    assert tests.equal.statistic == pytest.approx(equal, rel=1e-7)
    # If every coefficient ξ of the other components is −1, the model is the pooled one.
    pooled = (rss(base, pairs["inner_product"].to_numpy()) - variance * 17) / 3 / variance
    assert tests.pooled.statistic == pytest.approx(pooled, rel=1e-7)
    assert implicit_component_regression(two_centroid_pairs(10, j=2)).equal is None
