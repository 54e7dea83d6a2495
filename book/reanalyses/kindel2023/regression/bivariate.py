"""Regressions of cosines on cosines, of word pairs or of words with composed vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
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
    """Regress the cosines of one set of pairs on those of another; row i of one table is matched with row i of the other.

    `model` is "uncorrected" (cosine on cosine) or "expanded" (all eight terms), as in the supplement of Kindel (2023),
    "Bivariate cosine similarity regression". Let L be LNW(a,b), and R be LNW(c,d). If L/R is constant, the term of γ7
    is collinear with the intercept, and that of γ5 with that of γ1; such terms are dropped and listed in `aliased`. If
    the pairs of a row share a word, its length cancels from L/R, and the two cosines are correlated by construction.
    `joint_test` on γ2, …, γ7 tests the terms that the uncorrected model omits. Weights and clusters are those of
    `pairs_left`.
    """
    checks.check_option(model, "model", ("uncorrected", "expanded"))
    left_columns = columns_of(pairs_left, ("inner_product", "lnw", "cosine"))
    right_columns = columns_of(pairs_right, ("inner_product", "lnw", "cosine"))
    if model == "uncorrected":
        outcome = Term("cosine", "cos(a,b)", left_columns["cosine"])
        intercept = Term("intercept", "γ0*", np.ones(len(pairs_left)))
        terms = [intercept, Term("cos(c,d)", "γ1*", right_columns["cosine"])]
    else:
        outcome = Term("inner product", "⟨a,b⟩", left_columns["inner_product"])
        terms = _expanded_terms(
            left_columns["lnw"], right_columns["inner_product"], right_columns["lnw"], right_columns["cosine"]
        )
    return fit_terms(pairs_left, outcome, terms, weights=weights, covariance=covariance, clusters=clusters)


def _expanded_terms(left: Floats, inner: Floats, right: Floats, cosine: Floats) -> list[Term]:
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
