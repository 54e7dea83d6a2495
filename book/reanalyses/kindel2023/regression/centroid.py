"""Regressions on cosines with a composed vector Ω, the sum (or centroid) of the vectors of a word list."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_word_lists, check_equal_lengths, check_mean_direction
from reanalyses.kindel2023.regression.estimation import (
    Floats,
    JointTest,
    Regression,
    Term,
    columns_of,
    joint_test,
    wald_statistic,
)
from reanalyses.kindel2023.regression.models import fit_terms
from reanalyses.kindel2023.regression.pairs import labels_of, lengths_of, pair_table

__all__ = [
    "ComponentRegressions",
    "ImplicitRegression",
    "centroid_pairs",
    "centroid_regression",
    "component_regressions",
    "composed_pairs",
    "implicit_component_regression",
]


def _composed_table(
    a: list[object],
    b: list[object],
    inner: Floats,
    lengths: Floats,
    cross: Floats,
    norm_a: Floats,
    norm_b: Floats,
) -> pd.DataFrame:
    """Return the table of pairs, given inner products and lengths of components (n, j), and other columns (n,)."""
    with np.errstate(over="ignore", under="ignore"):
        squares = (lengths**2).sum(axis=1)
    short = norm_a - 1e-12 * lengths.max(axis=1)
    if not (short > 0).all():
        where = int(np.argmin(short))
        check_mean_direction(float(norm_a[where]), float(1e-12 * lengths[where].max()), "components", "sum")
    table = pair_table(a, b, inner.sum(axis=1), norm_a, norm_b)
    table["squared_norms"] = squares
    table["cross_products"] = cross
    for i in range(inner.shape[1]):
        table[f"inner_product_{i + 1}"] = inner[:, i]
        table[f"norm_{i + 1}"] = lengths[:, i]
    return table


def centroid_pairs(
    components: checks.Points, X: checks.Points, *, words_x: Sequence[str] | None = None, label: str = "Ω"
) -> pd.DataFrame:
    """Return the pairs of one composed vector Ω, the sum of a word list, with every word of X.

    The columns are those of `word_pairs`, with norm_a = ‖Ω‖, and the components of ‖Ω‖² and ⟨Ω, x⟩. The
    cosine with the *sum* is not the mean cosine with its components, because long components have more
    weight. Kindel (2023), supplement, "Centroid cosine similarity regression".
    """
    parts, targets = (
        np.asarray(x, dtype=np.float64) for x in as_word_lists({"components": components, "X": X})
    )
    n, j = len(targets), len(parts)
    upper = np.triu_indices(j, 1)
    with np.errstate(all="ignore"):
        inner, cross = targets @ parts.T, 2 * (parts @ parts.T)[upper].sum()
    return _composed_table(
        [label] * n,
        labels_of(words_x, n),
        inner,
        np.tile(lengths_of(parts), (n, 1)),
        np.full(n, cross),
        np.repeat(lengths_of(parts.sum(axis=0)[None]), n),
        lengths_of(targets),
    )


def composed_pairs(parts: Sequence[checks.Points], X: checks.Points) -> pd.DataFrame:
    """Return the pairs of row-wise composed vectors with the rows of X, as in cos(A_i + B_i, C_i).

    The columns are those of `centroid_pairs`; here ‖Ω_i‖, the paper's g(A_i, B_i), varies from row to row.
    """
    lists = {f"parts[{i}]": part for i, part in enumerate(parts)} | {"X": X}
    *arrays, targets = (np.asarray(x, dtype=np.float64) for x in as_word_lists(lists))
    for i, array in enumerate(arrays):
        check_equal_lengths(len(array), len(targets), (f"parts[{i}]", "X"))
    n, j = len(targets), len(arrays)
    with np.errstate(all="ignore"):
        inner = np.column_stack([(array * targets).sum(axis=1) for array in arrays])
        cross = 2 * sum(
            ((arrays[i] * arrays[k]).sum(axis=1) for i in range(j) for k in range(i + 1, j)), np.zeros(n)
        )
    return _composed_table(
        list(range(n)),
        list(range(n)),
        inner,
        np.column_stack([lengths_of(array) for array in arrays]),
        cross,
        lengths_of(sum(arrays, np.zeros_like(targets))),
        lengths_of(targets),
    )


def centroid_regression(
    pairs: pd.DataFrame, *, model: str = "corrected", covariance: str = "HC3"
) -> Regression:
    """Regress the cosines (or inner products) of composed vectors on the group.

    If each group has one Ω, D and ‖Ω‖ are exactly collinear: the expanded model then has four identifiable
    terms, and ``aliased`` contains the other four with their combinations. No correction can separate the
    group from the length of its Ω. Kindel (2023), supplement, "Centroid cosine similarity regression".
    """
    needed = ("inner_product", "norm_a", "norm_b", "lnw", "cosine", "X")
    columns = columns_of(pairs, needed)
    D, lnw, g, x = (columns["X"], columns["lnw"], columns["norm_a"], columns["norm_b"])
    ones = np.ones(len(pairs))
    cosine = Term("cosine", "cos(Ω,x)", columns["cosine"])
    inner = Term("inner product", "⟨Ω,x⟩", columns["inner_product"])
    if model == "uncorrected":
        outcome, terms = (cosine, [Term("intercept", "γ0*", ones), Term("D", "γ1*", D)])
    elif model == "ratio":
        outcome, terms = (cosine, [Term("intercept", "γ0", ones), Term("D", "γ1", D)])
        terms += [Term("1/LNW", "γ2", 1 / lnw), Term("D/LNW", "γ3", D / lnw)]
    elif model == "corrected":
        outcome, terms = inner, _composed_terms(D, lnw)
    else:
        outcome = inner
        terms = [
            Term("intercept", "α2", ones),
            Term("D", "α3", D),
            Term("LNW", "α0", lnw),
            Term("D·LNW", "α1", D * lnw),
            Term("‖Ω‖", "α4", g),
            Term("‖x‖", "α5", x),
            Term("D·‖Ω‖", "α6", D * g),
            Term("D·‖x‖", "α7", D * x),
        ]
    return fit_terms(pairs, outcome, terms, covariance=covariance, clusters="b")


def _composed_terms(D: Floats, lnw: Floats) -> list[Term]:
    return [
        Term("intercept", "γ2", np.ones(len(D))),
        Term("D", "γ3", D),
        Term("LNW", "γ0", lnw),
        Term("D·LNW", "γ1", D * lnw),
    ]


def component_columns(pairs: pd.DataFrame) -> Floats:
    """Return the inner products of the components, of shape (n, j)."""
    numbers = [
        int(found[1])
        for column in getattr(pairs, "columns", ())
        if (found := re.fullmatch(r"inner_product_(\d+)", str(column)))
    ]
    j = max(numbers, default=0)
    return np.column_stack(list(columns_of(pairs, [f"inner_product_{i}" for i in range(1, j + 1)]).values()))


@dataclasses.dataclass(frozen=True, eq=False)
class ComponentRegressions:
    """One regression for each component of a composed vector."""

    regressions: tuple[Regression, ...]  #: Regressions in the order of the components.
    #: All coefficients: component (from 1), term, symbol, estimate, std_error, statistic, p_value, low, high.
    terms: pd.DataFrame
    #: Tests that a coefficient is the same for all components, which pooling them assumes: restriction, test
    #: ("exact F"), statistic, df, df_residual, p_value. One row for each term.
    equality: pd.DataFrame


def component_regressions(pairs: pd.DataFrame) -> ComponentRegressions:
    """Regress each component's inner product with x separately, instead of the sum's inner product.

    All components have the same right-hand side, so their coefficients sum exactly to those of the pooled
    `centroid_regression`. A coefficient is tested for equality across components by regressing their
    differences: Hotelling's T², exact for normal errors. Equality means that the list's words have the same
    conditional associations. Kindel (2023), supplement, after the decomposition of the left-hand side into
    component inner products.
    """
    columns = columns_of(pairs, ("lnw", "X"))
    inner = component_columns(pairs)
    j, D = inner.shape[1], columns["X"]
    fits = []
    for i in range(j):
        outcome = Term(f"inner product {i + 1}", f"⟨Ω{i + 1},x⟩", inner[:, i])
        fits.append(fit_terms(pairs, outcome, _composed_terms(D, columns["lnw"])))
    kept = fits[0].terms["term"]
    tests = _equality_tests(fits)
    table = pd.concat(
        [fit.terms.drop(columns="vif").assign(component=i) for i, fit in enumerate(fits, start=1)],
        ignore_index=True,
    )
    table.insert(0, "component", table.pop("component"))
    equality = pd.DataFrame(tests, columns=["test", "statistic", "df", "df_residual", "p_value"])
    equality.insert(0, "restriction", [f"{term} equal in all components" for term in kept])
    return ComponentRegressions(tuple(fits), table, equality)


def _equality_tests(fits: list[Regression]) -> list[tuple[str, float, int, int, float]]:
    """Test, by Hotelling's T², whether each term is equal across seemingly unrelated regressions.

    With P_i the rows of (X_iᵀX_i)⁻¹X_iᵀ and errors of covariance σ between the equations,
    Cov(b_i, b_l) = σ_il P_i P_lᵀ. If all right sides are equal the F distribution is exact for normal errors.
    """
    df, m = fits[0].df_residual, len(fits) - 1
    residuals = np.column_stack([fit.residuals for fit in fits])
    sigma = residuals.T @ residuals / df
    inverses = []
    for fit in fits:
        sizes = np.linalg.norm(fit.design, axis=0)
        Q, R = np.linalg.qr(fit.design / sizes)
        inverses.append(np.linalg.solve(R, Q.T) / sizes[:, None])
    contrast = np.column_stack([-np.ones(m), np.eye(m)])
    tests = []
    for place in range(len(fits[0].terms)):
        values = np.array([fit.terms["estimate"].iloc[place] for fit in fits])
        rows = np.stack([inverse[place] for inverse in inverses])
        covariance = contrast @ (sigma * (rows @ rows.T)) @ contrast.T
        statistic = wald_statistic(contrast @ values, covariance) * (df - m + 1) / (df * m)
        tests.append(("exact F", statistic, m, df - m + 1, float(stats.f.sf(statistic, m, df - m + 1))))
    return tests


@dataclasses.dataclass(frozen=True, eq=False)
class ImplicitRegression:
    """The model for one component that the pooled regression implies."""

    regression: Regression  #: Terms of the pooled model, and one ξ for each other component.
    equal: JointTest | None  #: Test that all ξ are equal; None with fewer than two ξ.
    #: Test that all ξ are −1, as implied by moving the other components of the sum to the right-hand side.
    pooled: JointTest
    component: int  #: Component on the left-hand side, counted from 1.


def implicit_component_regression(
    pairs: pd.DataFrame, *, component: int = 1, covariance: str = "HC3"
) -> ImplicitRegression:
    """Regress one component's inner product on the terms of the pooled model and on the other components.

    The model is ⟨Ω_j,x⟩ = γ2 + γ3 D + γ0 LNW(Ω,x) + γ1 D·LNW(Ω,x) + Σ ξ_i ⟨Ω_i,x⟩ over i ≠ j. The pooled
    model fixes all ξ at −1. Kindel (2023), supplement, the implicit model of a given comparison.
    """
    columns = columns_of(pairs, ("lnw", "X"))
    inner = component_columns(pairs)
    j = inner.shape[1]
    others = [i for i in range(j) if i != component - 1]
    terms = _composed_terms(columns["X"], columns["lnw"])
    terms += [Term(f"⟨Ω{i + 1},x⟩", f"ξ{i + 1}", inner[:, i]) for i in others]
    outcome = Term(f"inner product {component}", f"⟨Ω{component},x⟩", inner[:, component - 1])
    fit = fit_terms(pairs, outcome, terms, covariance=covariance)
    symbols = [f"ξ{i + 1}" for i in others]
    equal = joint_test(fit, symbols, equal=True) if len(symbols) > 1 else None
    return ImplicitRegression(fit, equal, joint_test(fit, symbols, value=-1.0), component)
