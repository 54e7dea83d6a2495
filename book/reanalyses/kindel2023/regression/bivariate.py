"""Regressions of cosines on cosines, of word pairs or of words with composed vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reanalyses.kindel2023.regression.estimation import Regression, Term, columns_of
from reanalyses.kindel2023.regression.models import fit_terms

__all__ = ["bivariate_cosine_regression"]


def bivariate_cosine_regression(
    pairs_left: pd.DataFrame,
    pairs_right: pd.DataFrame,
    *,
    model: str = "uncorrected",
    weights: str | None = None,
) -> Regression:
    """Regress the cosines of one set of pairs on those of another, matched row by row.

    `model` is "uncorrected" (cosine on cosine) or "expanded" (all eight terms), as in the supplement of Kindel
    (2023), "Bivariate cosine similarity regression". LNW is the normalization weight, the product of the two
    lengths; let L be LNW(a,b), and R be LNW(c,d). If L/R is constant, the term of γ7 is collinear with the
    intercept, and that of γ5 with that of γ1; such terms are dropped and listed in `aliased`. If the pairs of a
    row share a word, its length cancels from L/R, and the two cosines are correlated by construction.
    `joint_test` on γ2, …, γ7 tests the terms that the uncorrected model omits. Weights are those of
    `pairs_left`.
    """
    left_inner, left_lnw, left_cosine = columns_of(pairs_left, "inner_product", "lnw", "cosine")
    inner, lnw, cosine = columns_of(pairs_right, "inner_product", "lnw", "cosine")
    ones = np.ones(len(pairs_left))
    if model == "uncorrected":
        outcome = Term("cosine", "cos(a,b)", left_cosine)
        terms = [Term("intercept", "γ0*", ones), Term("cos(c,d)", "γ1*", cosine)]
    else:
        outcome = Term("inner product", "⟨a,b⟩", left_inner)
        terms = [
            Term("intercept", "γ2", ones),
            Term("LNW(a,b)", "γ0", left_lnw),
            Term("cos(c,d)·LNW(a,b)", "γ1", cosine * left_lnw),
            Term("cos(c,d)", "γ3", cosine),
            Term("1/LNW(c,d)", "γ4", 1 / lnw),
            Term("⟨c,d⟩", "γ5", inner),
            Term("⟨c,d⟩·LNW(a,b)", "γ6", inner * left_lnw),
            Term("LNW(a,b)/LNW(c,d)", "γ7", left_lnw / lnw),
        ]
    return fit_terms(pairs_left, outcome, terms, weights=weights)
