"""Regressions of cosines on cosines, of word pairs or of words with composed vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reanalyses.kindel2023.regression.estimation import Floats, Regression, Term, columns_of
from reanalyses.kindel2023.regression.models import fit_terms

__all__ = ["bivariate_cosine_regression"]


def bivariate_cosine_regression(
    pairs_left: pd.DataFrame,
    pairs_right: pd.DataFrame,
    *,
    model: str = "uncorrected",
    weights: str | None = None,
    covariance: str = "HC3",
    clusters: str | tuple[str, ...] = ("a", "b"),
) -> Regression:
    """Regress the cosines of one set of pairs on the cosines of another set, row by row.

    Collinear terms are dropped and named: if L/R is equal in all rows, γ7 is collinear with the intercept,
    and γ5 with γ1. If the pairs share a word, its weight cancels from L/R and from cos(c,d)·L, and the two
    cosines are correlated by construction. `joint_test` of γ2 … γ7 tests the terms that the uncorrected model
    omits. Kindel (2023), supplement, "Bivariate cosine similarity regression".
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
    return fit_terms(pairs_left, outcome, terms, weights=weights, covariance=covariance, clusters=clusters)


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
