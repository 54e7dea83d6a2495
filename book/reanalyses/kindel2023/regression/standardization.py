"""Decomposition of a difference in mean cosines: at equal normalization weights, and by unequal weights."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
from scipy import stats

from reanalyses.kindel2023.regression.estimation import columns_of, combination_error
from reanalyses.kindel2023.regression.models import corrected_ratio_regression

__all__ = ["WeightStandardization", "weight_standardization"]


@dataclasses.dataclass(frozen=True)
class WeightStandardization:
    """The difference between mean cosines, decomposed by the groups' normalization weights."""

    alpha_1: float  #: α1*, the difference of the mean cosines.
    #: Difference of the fitted cosines at the mean of the groups' mean reciprocal weights.
    at_equal_weights: float
    from_weights: float  #: The rest of `alpha_1`, which is due to the difference in mean reciprocal weights.
    standard_error: float  #: HC3 standard error of `at_equal_weights` given the weights.
    pvalue: float  #: Two-sided p-value of `at_equal_weights`.


def weight_standardization(pairs: pd.DataFrame) -> WeightStandardization:
    """Compare the mean cosines of two groups at equal normalization weights.

    With the coefficients of the ratio model and the mean reciprocal weights m0 and m1 of the groups, α1* = (β3 + β1 m) +
    (β0 (m1 − m0) + β1 (m1 − m)), where m is the mean of m0 and m1. While β3 compares the fitted lines at
    infinite weight (m = 0), as `distortion_decomposition` does, `at_equal_weights` compares them at m, within
    the data. The decomposition is that of Kitagawa (1955); the model is that of Kindel (2023), supplement.
    """
    cosine, lnw, X = columns_of(pairs, "cosine", "lnw", "X")
    fit = corrected_ratio_regression(pairs)
    b0, b1, b3 = (fit.coefficient(symbol) for symbol in ("β0", "β1", "β3"))
    in_group = X == 1
    m0, m1 = (float((1 / lnw[mask]).mean()) for mask in (~in_group, in_group))
    m = (m0 + m1) / 2
    contrast = np.zeros(len(fit.terms))
    contrast[fit.position("β3")] = 1.0
    contrast[fit.position("β1")] = m
    standard_error = combination_error(fit, contrast)
    difference = b3 + b1 * m
    return WeightStandardization(
        alpha_1=float(cosine[in_group].mean() - cosine[~in_group].mean()),
        at_equal_weights=difference,
        from_weights=b0 * (m1 - m0) + b1 * (m1 - m),
        standard_error=standard_error,
        pvalue=float(2 * stats.t.sf(abs(difference) / standard_error, fit.df_inference)),
    )
