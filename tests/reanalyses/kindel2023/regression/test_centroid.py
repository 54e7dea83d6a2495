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
from tests.reanalyses.kindel2023.regression.samples import lists, seeds


def two_centroids(seed, j=3, n=9):
    A, B, X, Y = lists(seed, j, j, n, n)
    return two_groups(centroid_pairs(A, X, label="ΩA"), centroid_pairs(B, Y, label="ΩB"))


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_centroid_pairs_by_a_loop(seed):
    W, X = lists(seed, 4, 3)
    table = centroid_pairs(W, X)
    for row, x in zip(table.itertuples(), X, strict=True):
        omega = W.sum(axis=0)
        assert row.inner_product == pytest.approx(omega @ x, rel=1e-10, abs=1e-10)
        assert row.lnw == pytest.approx(np.linalg.norm(omega) * np.linalg.norm(x), rel=1e-12)
        parts = [getattr(row, f"inner_product_{i}") for i in (1, 2, 3, 4)]
        assert parts == pytest.approx([w @ x for w in W], rel=1e-10, abs=1e-10)


def test_composed_pairs_row_by_row():
    A, B, C = lists(3, 6, 6, 6)
    table = composed_pairs([A, B], C)
    for i, row in enumerate(table.itertuples()):
        alone = centroid_pairs(np.stack([A[i], B[i]]), C[i : i + 1]).iloc[0]
        for column in ("inner_product", "norm_a", "lnw", "cosine", "inner_product_2"):
            assert getattr(row, column) == pytest.approx(alone[column], rel=1e-12)
        g = np.sqrt(A[i] @ A[i] + B[i] @ B[i] + 2 * A[i] @ B[i])
        assert row.norm_a == pytest.approx(g, rel=1e-12)
    assert table["cosine"].mean() == pytest.approx(paired_mean_cosine_similarity(A + B, C), abs=1e-12)


def test_the_models_are_the_binary_ones_on_composed_vectors():
    pairs = two_centroids(4)
    for model, reference, symbols in (
        ("uncorrected", cosine_regression(pairs), ["γ0*", "γ1*"]),
        ("corrected", inner_product_regression(pairs), ["γ2", "γ3", "γ0", "γ1"]),
    ):
        fit = centroid_regression(pairs, model=model)
        assert list(fit.terms["symbol"]) == symbols
        for column in ("estimate", "std_error"):
            assert fit.terms[column].to_numpy() == pytest.approx(reference.terms[column].to_numpy(), rel=1e-9)


def test_the_group_and_the_length_of_its_centroid_are_collinear():
    A, B, X, Y = lists(5, 4, 4, 9, 9)
    pairs = two_groups(centroid_pairs(A, X), centroid_pairs(B, Y))
    fit = centroid_regression(pairs, model="expanded")
    g0, g1 = (np.linalg.norm(W.sum(axis=0)) for W in (A, B))
    assert list(fit.terms["symbol"]) == ["α2", "α3", "α0", "α1"]
    found = {alias.symbol: alias.combination for alias in fit.aliased}
    assert found["α4"] == {"intercept": pytest.approx(g0), "D": pytest.approx(g1 - g0)}
    assert found["α5"] == {"LNW": pytest.approx(1 / g0), "D·LNW": pytest.approx(1 / g1 - 1 / g0)}
    assert found["α6"] == {"D": pytest.approx(g1)}
    assert found["α7"] == {"D·LNW": pytest.approx(1 / g1)}
    corrected = centroid_regression(pairs)
    assert fit.terms["estimate"].to_numpy() == pytest.approx(corrected.terms["estimate"].to_numpy(), rel=1e-9)


def test_all_eight_terms_are_identified_when_the_composed_vector_varies():
    A, B, C, E, F, G = lists(6, *[30] * 6)
    pairs = two_groups(composed_pairs([A, B], C), composed_pairs([E, F], G))
    fit = centroid_regression(pairs, model="expanded")
    assert fit.aliased == ()
    g, x, D = pairs["norm_a"], pairs["norm_b"], pairs["X"]
    design = np.column_stack([np.ones(60), D, g * x, D * g * x, g, x, D * g, D * x])
    expected = np.linalg.lstsq(design, pairs["inner_product"], rcond=None)[0]
    assert fit.terms["estimate"].to_numpy() == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_components_add_up_to_the_pooled_model(seed):
    pairs = two_centroids(seed)
    parts = component_regressions(pairs)
    pooled = centroid_regression(pairs).terms["estimate"].to_numpy()
    by_term = parts.terms.groupby("term", sort=False)["estimate"].sum().to_numpy()
    assert by_term == pytest.approx(pooled, rel=1e-6, abs=1e-7)


def test_equality_of_components_is_the_multivariate_test_of_statsmodels():
    pairs = two_centroids(7, j=4, n=12)
    parts = component_regressions(pairs)
    outcomes = pairs[[f"inner_product_{i}" for i in (1, 2, 3, 4)]].to_numpy()
    contrast = np.vstack([-np.ones(3), np.eye(3)])
    fitted = _MultivariateOLS(outcomes, centroid_regression(pairs).design).fit()
    hypotheses = [(str(i), np.eye(4)[i : i + 1], contrast) for i in range(4)]
    tests = fitted.mv_test(hypotheses)
    for i, row in enumerate(parts.equality.itertuples()):
        table = tests.results[str(i)]["stat"]
        for name in ("Wilks' lambda", "Pillai's trace"):
            assert row.statistic == pytest.approx(float(table.loc[name, "F Value"]), rel=1e-6)
            assert (row.df, row.df_residual) == (table.loc[name, "Num DF"], table.loc[name, "Den DF"])
            assert row.p_value == pytest.approx(float(table.loc[name, "Pr > F"]), rel=1e-5)


def test_the_restrictions_of_the_implicit_model_by_numpy():
    pairs = two_centroids(10, j=4, n=12)
    found = implicit_component_regression(pairs, component=2, covariance="nonrobust")
    D, lnw = pairs["X"], pairs["lnw"]
    others = pairs[[f"inner_product_{i}" for i in (1, 3, 4)]].to_numpy()
    base = np.column_stack([np.ones(24), D, lnw, D * lnw])
    y = pairs["inner_product_2"].to_numpy()

    def rss(Z, target):
        return np.linalg.lstsq(Z, target, rcond=None)[1][0]

    full = rss(np.column_stack([base, others]), y) / 17
    equal = (rss(np.column_stack([base, others.sum(axis=1)]), y) - full * 17) / 2 / full
    assert found.equal.statistic == pytest.approx(equal, rel=1e-7)
    # With all ξ = −1 the model is the pooled one.
    pooled = (rss(base, pairs["inner_product"].to_numpy()) - full * 17) / 3 / full
    assert found.pooled.statistic == pytest.approx(pooled, rel=1e-7)
    assert implicit_component_regression(two_centroids(10, j=2)).equal is None
