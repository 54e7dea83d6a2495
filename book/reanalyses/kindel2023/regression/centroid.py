"""Regressions on cosines with a composed vector Ω, the sum (or centroid) of the vectors of a word list."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab._core import checks
from reanalyses.kindel2023.regression.estimation import (
    Regression,
    StatisticalTest,
    Term,
    columns_of,
    joint_test,
    wald_statistic,
)
from reanalyses.kindel2023.regression.least_squares import Floats
from reanalyses.kindel2023.regression.models import fit_terms, lower_order_terms
from reanalyses.kindel2023.regression.pairs import pair_table

__all__ = [
    "centroid_pairs",
    "centroid_regression",
    "component_regressions",
    "composed_pairs",
    "implicit_component_regression",
]


def _with_components(pairs: pd.DataFrame, inner_products: Floats) -> pd.DataFrame:
    """Return a table of pairs with the inner products (n, j) of the j components as further columns."""
    return pairs.assign(**{f"inner_product_{i}": column for i, column in enumerate(inner_products.T, 1)})


def centroid_pairs(components: checks.Points, X: checks.Points, *, label: str = "Ω") -> pd.DataFrame:
    """Return the pairs of one composed vector Ω, the sum of a word list, with every word of X.

    The columns are those of `word_pairs`, with norm_a = ‖Ω‖, and the components of ⟨Ω, x⟩. The
    cosine with the *sum* is not the mean cosine with its components, because long components have more
    weight. See Kindel (2023), supplement, "Centroid cosine similarity regression".
    """
    words, targets = (np.asarray(x, dtype=np.float64) for x in (components, X))
    n, inner = len(targets), targets @ words.T
    norm = np.linalg.norm(words.sum(axis=0)[None], axis=1)
    table = pair_table(
        [label] * n, range(n), inner.sum(axis=1), np.repeat(norm, n), np.linalg.norm(targets, axis=1)
    )
    return _with_components(table, inner)


def composed_pairs(parts: Sequence[checks.Points], X: checks.Points) -> pd.DataFrame:
    """Return the pairs of row-wise composed vectors with the rows of X, as in cos(A_i + B_i, C_i).

    The columns are those of `centroid_pairs`; here ‖Ω_i‖, the paper's g(A_i, B_i), varies from row to row.
    """
    components, targets = np.asarray(parts, dtype=np.float64), np.asarray(X, dtype=np.float64)
    inner = (components * targets).sum(axis=2).T
    norms = np.linalg.norm(components.sum(axis=0), axis=1), np.linalg.norm(targets, axis=1)
    rows = range(len(targets))
    return _with_components(pair_table(rows, rows, inner.sum(axis=1), *norms), inner)


def centroid_regression(pairs: pd.DataFrame, *, model: str = "corrected") -> Regression:
    """Regress the cosines (or inner products) of composed vectors on the group.

    `model` is "uncorrected" (cosines), "corrected", or "expanded". If each group has one Ω, its length ‖Ω‖ is
    collinear with the group D (column X): the expanded model then has four identifiable terms, and ``aliased``
    contains the other four with their combinations. No correction can separate the group from the length of its
    Ω. Kindel (2023), supplement, "Centroid cosine similarity regression".
    """
    D, lnw, cosine, inner_product = columns_of(pairs, "X", "lnw", "cosine", "inner_product")
    outcome = Term("inner product", "⟨Ω,x⟩", inner_product)
    if model == "uncorrected":
        outcome = Term("cosine", "cos(Ω,x)", cosine)
        terms = [Term("intercept", "γ0*", np.ones(len(pairs))), Term("D", "γ1*", D)]
    elif model == "corrected":
        terms = _composed_terms(D, lnw)
    else:
        terms = lower_order_terms(pairs, "Ω")
    return fit_terms(pairs, outcome, terms)


def _composed_terms(D: Floats, lnw: Floats) -> list[Term]:
    return [
        Term("intercept", "γ2", np.ones(len(D))),
        Term("D", "γ3", D),
        Term("LNW", "γ0", lnw),
        Term("D·LNW", "γ1", D * lnw),
    ]


def _component_columns(pairs: pd.DataFrame) -> Floats:
    """Return the inner products of the components, of shape (n, j)."""
    return np.asarray(pairs.filter(regex=r"^inner_product_\d+$"), dtype=np.float64)


@dataclasses.dataclass(frozen=True, eq=False)
class ComponentRegressions:
    """One regression for each component of a composed vector."""

    #: All coefficients: component (from 1), and the columns of `Regression.terms` except for vif.
    terms: pd.DataFrame
    #: Exact F tests that a coefficient is the same for all components, which pooling them assumes: restriction,
    #: statistic, df, df_residual, p_value. One row for each term.
    equality: pd.DataFrame


def component_regressions(pairs: pd.DataFrame) -> ComponentRegressions:
    """Regress each component's inner product with x separately, instead of the sum's inner product.

    All components have the same right-hand side, so their coefficients sum exactly to those of the pooled
    `centroid_regression`. A coefficient is tested for equality across components by regressing their
    differences: Hotelling's T², exact for normal errors. Equality means that the list's words have the same
    conditional associations. Kindel (2023), supplement, after the decomposition of the left-hand side into
    component inner products.
    """
    D, lnw = columns_of(pairs, "X", "lnw")
    fits = []
    for i, inner in enumerate(_component_columns(pairs).T, 1):
        outcome = Term(f"inner product {i}", f"⟨Ω{i},x⟩", inner)
        fits.append(fit_terms(pairs, outcome, _composed_terms(D, lnw)))
    table = pd.concat(
        [fit.terms.drop(columns="vif").assign(component=i) for i, fit in enumerate(fits, start=1)],
        ignore_index=True,
    )
    table.insert(0, "component", table.pop("component"))
    return ComponentRegressions(table, _equality_tests(fits))


def _equality_tests(fits: list[Regression]) -> pd.DataFrame:
    """Test, by Hotelling's T², whether each term is equal across regressions on the same design.

    With P = (XᵀX)⁻¹Xᵀ and σ_il the error covariance of regressions i and l, Cov(b_i, b_l) = σ_il P Pᵀ.
    """
    df, m = fits[0].df_residual, len(fits) - 1
    residuals = np.column_stack([fit.residuals for fit in fits])
    sigma = residuals.T @ residuals / df
    contrast = np.column_stack([-np.ones(m), np.eye(m)])
    estimates = np.array([fit.terms["estimate"] for fit in fits])
    inverse = np.linalg.pinv(fits[0].design)
    tests = []
    for term, coefficients, row in zip(fits[0].terms["term"], estimates.T, inverse, strict=True):
        covariance = contrast @ (sigma * (row @ row)) @ contrast.T
        statistic = wald_statistic(contrast @ coefficients, covariance) * (df - m + 1) / (df * m)
        pvalue = float(stats.f.sf(statistic, m, df - m + 1))
        tests.append((f"{term} equal in all components", statistic, m, df - m + 1, pvalue))
    return pd.DataFrame(tests, columns=["restriction", "statistic", "df", "df_residual", "p_value"])


@dataclasses.dataclass(frozen=True)
class ImplicitRegression:
    """Tests of the model for one component that the pooled regression implies."""

    equal: StatisticalTest | None  #: Test that all ξ are equal; None with fewer than two ξ.
    #: Test that all ξ are −1, as implied by moving the other components of the sum to the right-hand side.
    pooled: StatisticalTest


def implicit_component_regression(
    pairs: pd.DataFrame, *, component: int = 1, covariance: str = "HC3"
) -> ImplicitRegression:
    """Regress one component's inner product on the terms of the pooled model and on the other components.

    The model is ⟨Ω_j,x⟩ = γ2 + γ3 D + γ0 LNW(Ω,x) + γ1 D·LNW(Ω,x) + Σ ξ_i ⟨Ω_i,x⟩ over i ≠ j, where j is
    `component`, counted from 1. The pooled model fixes all ξ at −1. Kindel (2023), supplement, the implicit
    model of a given comparison.
    """
    inner = dict(enumerate(_component_columns(pairs).T, 1))
    outcome = Term(f"inner product {component}", f"⟨Ω{component},x⟩", inner.pop(component))
    other_terms = [Term(f"⟨Ω{i},x⟩", f"ξ{i}", values) for i, values in inner.items()]
    terms = _composed_terms(*columns_of(pairs, "X", "lnw")) + other_terms
    fit = fit_terms(pairs, outcome, terms, covariance=covariance)
    symbols = [term.symbol for term in other_terms]
    equal = joint_test(fit, symbols, equal=True) if len(symbols) > 1 else None
    return ImplicitRegression(equal, joint_test(fit, symbols, value=-1.0))
