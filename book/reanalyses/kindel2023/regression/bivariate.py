"""Regressions of cosines on cosines."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reanalyses.kindel2023.regression.centroid import component_columns
from reanalyses.kindel2023.regression.estimation import Floats, Regression, Term, columns_of
from reanalyses.kindel2023.regression.models import fit_terms

__all__ = ["bivariate_centroid_regression", "bivariate_cosine_regression"]

MODELS = ("uncorrected", "expanded")


def bivariate_cosine_regression(
    pairs_left: pd.DataFrame,
    pairs_right: pd.DataFrame,
    *,
    model: str = "uncorrected",
    weights: str | None = None,
    covariance: str = "HC3",
    clusters: str | tuple[str, ...] = ("a", "b"),
    confidence_level: float = 0.95,
) -> Regression:
    """Regress the cosines of one set of pairs on those of another, row by row.

    Returns γ1* has no bound. `joint_test` of γ2 … γ7 tests what the uncorrected model omits.

    Terms that a design makes collinear are dropped and named: if L/R is the same for all rows, γ7 with the intercept and
    γ5 with γ1 (see `overlapping_bivariate_centroid_regression`). If the pairs share a word, a = c, the weight of that word
    cancels from L/R and from cos(c,d)·L, and the two cosines are correlated by construction: γ1* is then no association
    of the other words. γ's depend on the scale of the vectors, γ1* does not. Cost O(n).

    Kindel (2023), supplement, "Bivariate cosine similarity regression".
    """
    left = columns_of(pairs_left, ("inner_product", "lnw", "cosine"))
    right = columns_of(pairs_right, ("inner_product", "lnw", "cosine"))
    ones = np.ones(len(pairs_left))
    if model == "uncorrected":
        outcome = Term("cosine", "cos(a,b)", left["cosine"])
        terms = [Term("intercept", "γ0*", ones), Term("cos(c,d)", "γ1*", right["cosine"])]
    else:
        outcome = Term("inner product", "⟨a,b⟩", left["inner_product"])
        terms = _expanded(left["lnw"], right["inner_product"], right["lnw"], right["cosine"])
    return fit_terms(
        pairs_left,
        outcome,
        terms,
        weights=weights,
        covariance=covariance,
        clusters=clusters,
        confidence_level=confidence_level,
    )


def _expanded(left: Floats, inner: Floats, right: Floats, cosine: Floats) -> list[Term]:
    return [
        Term("intercept", "γ2", np.ones(len(left))),
        Term("LNW(a,b)", "γ0", left),
        Term("cos(c,d)·LNW(a,b)", "γ1", cosine * left),
        Term("cos(c,d)", "γ3", cosine),
        Term("1/LNW(c,d)", "γ4", 1 / right),
        Term("⟨c,d⟩", "γ5", inner),
        Term("⟨c,d⟩·LNW(a,b)", "γ6", inner * left),
        Term("LNW(a,b)/LNW(c,d)", "γ7", left / right),
    ]


def _componentwise(left: Floats, inners: Floats, right: Floats) -> list[Term]:
    """Return the expanded terms with each inner product taken apart into those of the components of Ω^B."""
    terms = [
        Term("intercept", "γ2", np.ones(len(left))),
        Term("LNW(a,b)", "γ0", left),
        Term("1/LNW(c,d)", "γ4", 1 / right),
        Term("LNW(a,b)/LNW(c,d)", "γ7", left / right),
    ]
    for symbol, name, factor in (
        ("γ1", "⟨B{},x⟩·LNW(a,b)/LNW(c,d)", left / right),
        ("γ3", "⟨B{},x⟩/LNW(c,d)", 1 / right),
        ("γ5", "⟨B{},x⟩", np.ones(len(left))),
        ("γ6", "⟨B{},x⟩·LNW(a,b)", left),
    ):
        terms += [
            Term(name.format(i + 1), f"{symbol},{i + 1}", inners[:, i] * factor)
            for i in range(inners.shape[1])
        ]
    return terms


def bivariate_centroid_regression(
    pairs_left: pd.DataFrame,
    pairs_right: pd.DataFrame,
    *,
    model: str = "uncorrected",
    componentwise: bool = False,
    component: int | None = None,
    weights: str | None = None,
    covariance: str = "HC3",
    clusters: str | tuple[str, ...] = "b",
    confidence_level: float = 0.95,
) -> Regression:
    """Regress the cosines with one composed vector on those with another.

    The componentwise terms add up to the pooled ones: ⟨Ω^B,x⟩ = Σ_j ⟨B_j,x⟩, so cos(Ω^B,x) = Σ_j ⟨B_j,x⟩/LNW(Ω^B,x).
    The paper prints Σ_j cos(B_j,x) in the places of γ1 and γ3, which is another sum unless all ‖B_j‖ = ‖Ω^B‖.
    With one Ω^A, LNW is ‖Ω^A‖‖y‖, a multiple of ‖y‖.

    Kindel (2023), supplement, "Bivariate centroid cosine similarity regression".
    """
    if model == "uncorrected" or not (componentwise or component is not None):
        return bivariate_cosine_regression(
            pairs_left,
            pairs_right,
            model=model,
            weights=weights,
            covariance=covariance,
            clusters=clusters,
            confidence_level=confidence_level,
        )
    left = columns_of(pairs_left, ("inner_product", "lnw"))
    right = columns_of(pairs_right, ("inner_product", "lnw", "cosine"))
    if componentwise:
        inners, _ = component_columns(pairs_right)
        terms = _componentwise(left["lnw"], inners, right["lnw"])
    else:
        terms = _expanded(left["lnw"], right["inner_product"], right["lnw"], right["cosine"])
    outcome = Term("inner product", "⟨a,b⟩", left["inner_product"])
    if component is not None:
        parts, _ = component_columns(pairs_left)
        outcome = Term(f"inner product {component}", f"⟨A{component},y⟩", parts[:, component - 1])
        terms += [
            Term(f"⟨A{i + 1},y⟩", f"ξ{i + 1}", parts[:, i])
            for i in range(parts.shape[1])
            if i != component - 1
        ]
    return fit_terms(
        pairs_left,
        outcome,
        terms,
        weights=weights,
        covariance=covariance,
        clusters=clusters,
        confidence_level=confidence_level,
    )
