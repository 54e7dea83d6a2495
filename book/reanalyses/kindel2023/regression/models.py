"""The binary regressions: difference between mean cosines, inner product, and corrected ratio."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reanalyses.kindel2023.regression.estimation import Regression, Term, cluster_codes, columns_of, estimate

__all__ = ["corrected_ratio_regression", "cosine_regression", "inner_product_regression"]


def fit_terms(
    pairs: pd.DataFrame,
    outcome: Term,
    terms: list[Term],
    *,
    weights: str | None = None,
    covariance: str = "HC3",
    clusters: str | tuple[str, ...] = ("a", "b"),
) -> Regression:
    """Fit a regression to a table of pairs, with the weights 1/LNW² unless `weights` is None.

    `covariance` is "HC3" (robust to unequal variances), "nonrobust", or "cluster", with columns `clusters`.
    """
    pair_weights = None
    if weights is not None:
        (lnw,) = columns_of(pairs, "lnw")
        pair_weights = (lnw.min() / lnw) ** 2  # only ratios matter
    codes = cluster_codes(pairs, clusters) if covariance == "cluster" else None
    return estimate(outcome, terms, weights=pair_weights, covariance=covariance, clusters=codes)


def lower_order_terms(pairs: pd.DataFrame, word: str, star: str = "") -> list[Term]:
    """Return the eight terms of a model with LNW(word, x), the lengths of both vectors, and the group D."""
    D, lnw, w, x = columns_of(pairs, "X", "lnw", "norm_a", "norm_b")
    return [
        Term("intercept", f"α2{star}", np.ones(len(pairs))),
        Term("D", f"α3{star}", D),
        Term("LNW", f"α0{star}", lnw),
        Term("D·LNW", f"α1{star}", D * lnw),
        Term(f"‖{word}‖", f"α4{star}", w),
        Term("‖x‖", f"α5{star}", x),
        Term(f"D·‖{word}‖", f"α6{star}", D * w),
        Term("D·‖x‖", f"α7{star}", D * x),
    ]


def cosine_regression(pairs: pd.DataFrame, *, covariance: str = "HC3") -> Regression:
    """Regress cosines on the group: cos = α0* + α1* X, the difference of two mean cosines.

    Multiplied by the normalization weight LNW = ‖a‖‖b‖, the model is that of `inner_product_regression` with
    its intercept β0 and its main effect β1 fixed at 0. Kindel (2023), supplement, "Binary
    difference-in-cosines".
    """
    cosine, X = columns_of(pairs, "cosine", "X")
    terms = [Term("intercept", "α0*", np.ones(len(pairs))), Term("X", "α1*", X)]
    return fit_terms(pairs, Term("cosine", "cos", cosine), terms, covariance=covariance)


def inner_product_regression(
    pairs: pd.DataFrame, *, weights: str | None = None, covariance: str = "HC3"
) -> Regression:
    """Regress inner products on the group, the normalization weight, and their product.

    The model is ⟨a,b⟩ = β0 + β1 X + β2 LNW + β3 X·LNW, with LNW = ‖a‖‖b‖: β2 and β2 + β3 are the similarities
    of the two groups as slopes of the inner product over the weight, not bounded by 1. The coefficients agree
    with those of the corrected ratio only under weights 1/LNW². Kindel (2023), supplement, the local inner
    product regression.
    """
    inner, X, lnw = columns_of(pairs, "inner_product", "X", "lnw")
    terms = [
        Term("intercept", "β0", np.ones(len(pairs))),
        Term("X", "β1", X),
        Term("LNW", "β2", lnw),
        Term("X·LNW", "β3", X * lnw),
    ]
    outcome = Term("inner product", "⟨a,b⟩", inner)
    return fit_terms(pairs, outcome, terms, weights=weights, covariance=covariance)


def corrected_ratio_regression(pairs: pd.DataFrame, *, covariance: str = "HC3") -> Regression:
    """Regress cosines on the group, the reciprocal of the normalization weight, and their product.

    The model is cos = β2 + β3 X + β0 /LNW + β1 X/LNW, numbered like the inner-product regression, of which it
    is the least-squares fit with weights 1/LNW²; R² refers to another outcome. Where all weights of a group are
    equal, 1/LNW is collinear with the group and dropped. Kindel (2023), supplement, the corrected ratio
    model; Firebaugh and Gibbs (1985), Kronmal (1993) on ratios.
    """
    cosine, X, lnw = columns_of(pairs, "cosine", "X", "lnw")
    terms = [
        Term("intercept", "β2", np.ones(len(pairs))),
        Term("X", "β3", X),
        Term("1/LNW", "β0", 1 / lnw),
        Term("X/LNW", "β1", X / lnw),
    ]
    return fit_terms(pairs, Term("cosine", "cos", cosine), terms, covariance=covariance)
