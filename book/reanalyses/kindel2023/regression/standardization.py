"""Decomposition of a difference in mean cosines: at equal normalization weights, and by unequal weights."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
from scipy import stats

from reanalyses.kindel2023.regression.estimation import CONFIDENCE_LEVEL, columns_of, combination_error
from reanalyses.kindel2023.regression.models import corrected_ratio_regression

__all__ = ["WeightStandardization", "weight_standardization"]


@dataclasses.dataclass(frozen=True)
class WeightStandardization:
    """The difference between mean cosines, decomposed by the groups' normalization weights."""

    alpha_1: float  #: α1*, the difference of the mean cosines.
    at_equal_weights: (
        float  #: Difference of the fitted cosines at the mean of the groups' mean reciprocal weights.
    )
    from_weights: float  #: The rest of `alpha_1`, which is due to the difference in mean reciprocal weights.
    standard_error: float  #: Standard error of `at_equal_weights` given the weights; the next three fields refer to it, too.
    pvalue: float  #: Two-sided p-value; NaN if the fit is exact (with a UserWarning).
    low: float  #: Lower end of the 95% confidence interval.
    high: float  #: Upper end of the 95% confidence interval.


def weight_standardization(pairs: pd.DataFrame, *, covariance: str = "HC3") -> WeightStandardization:
    """Compare the mean cosines of two groups at equal normalization weights.

    Given the coefficients of the ratio model and the mean reciprocal weights m0 and m1 of the groups, α1* = [β3 + β1 m] +
    [β0 (m1 − m0) + β1 (m1 − m)], where m is the mean of m0 and m1. While β3 compares the fitted lines at
    infinite weight (m = 0), as `distortion_decomposition` does, `at_equal_weights` compares them at m, within
    the data. `covariance` is the covariance estimator, as in `corrected_ratio_regression`. The
    decomposition is that of Kitagawa (1955); the model is that of Kindel (2023), supplement.
    """
    columns = columns_of(pairs, ("cosine", "lnw", "X"))
    fit = corrected_ratio_regression(pairs, covariance=covariance)
    b0, b1, b3 = (fit.coefficient(symbol) for symbol in ("β0", "β1", "β3"))
    in_group = columns["X"] == 1
    m0, m1 = (float((1 / columns["lnw"][mask]).mean()) for mask in (~in_group, in_group))
    m = (m0 + m1) / 2
    contrast = np.zeros(len(fit.terms))
    contrast[fit.position("β3")] = 1.0
    contrast[fit.position("β1")] = m
    error = combination_error(fit, contrast)
    difference = b3 + b1 * m
    half_width = float(stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, fit.df_inference)) * error
    pvalue = 2 * stats.t.sf(abs(difference) / error, fit.df_inference) if error > 0 else np.nan
    cosine = columns["cosine"]
    return WeightStandardization(
        alpha_1=float(cosine[in_group].mean() - cosine[~in_group].mean()),
        at_equal_weights=difference,
        from_weights=b0 * (m1 - m0) + b1 * (m1 - m),
        standard_error=error,
        pvalue=float(pvalue),
        low=difference - half_width,
        high=difference + half_width,
    )
