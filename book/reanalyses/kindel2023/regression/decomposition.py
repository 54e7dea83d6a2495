"""Decomposition of the difference between mean cosines, and the part of a cosine that is local to its group."""

from __future__ import annotations

import dataclasses

import pandas as pd

from reanalyses.kindel2023.regression.estimation import columns_of
from reanalyses.kindel2023.regression.least_squares import Floats
from reanalyses.kindel2023.regression.models import corrected_ratio_regression, inner_product_regression

__all__ = ["DistortionDecomposition", "distortion_decomposition", "split_similarity"]


@dataclasses.dataclass(frozen=True, eq=False)
class DistortionDecomposition:
    """The difference between mean cosines, decomposed in two ways."""

    alpha_1: float  #: α1*, the difference of the mean cosines.
    beta: tuple[float, float, float, float]  #: β0, β1, β2, β3.
    #: slope_intercept, slope_group: cov(X, 1/LNW)/var X and cov(X, X/LNW)/var X, the slopes of the omitted
    #: terms on X. With mean reciprocal weights m0 and m1 of the groups, they are m1 − m0 and m1.
    slope_intercept: float
    slope_group: float
    #: β3 plus the two distortions, which are β0 and β1 times these slopes: the effect of omitting the
    #: intercept and the main effect of the group. Equals `alpha_1` up to rounding for the ratio model.
    total: float
    #: net_distortion, absolute_distortion: sum of the two distortions, which often cancel, and sum of their
    #: absolute values.
    net_distortion: float
    absolute_distortion: float
    #: β1 + β2·cov(X, 1/LNW)/var X + β3·cov(X, X/LNW)/var X, the published equation, which differs from α1*.
    published_total: float
    #: discrepancy, published_discrepancy: totals minus `alpha_1`.
    discrepancy: float
    published_discrepancy: float
    #: Both decompositions as a table: reading ("derived", "printed"), term, symbol, value; the last row of each
    #: is its sum.
    terms: pd.DataFrame = dataclasses.field(repr=False)


def _slope(X: Floats, values: Floats) -> float:
    deviations = X - X.mean()
    return float(deviations @ values / (deviations @ deviations))


def distortion_decomposition(pairs: pd.DataFrame) -> DistortionDecomposition:
    """Decompose the difference between mean cosines into the slope difference β3 and the contributions of scale.

    The identity is α1* = β3 + β0·cov(X, 1/LNW)/var X + β1·cov(X, X/LNW)/var X, because the residuals of the
    ratio model are orthogonal to its regressors. The published equation, which is also returned, has β1, β2, β3
    instead of β3, β0, β1. It is correct for cos = β0 + β1 X + β2/LNW + β3 X/LNW, but not for the paper's own
    numbering, which these functions follow.

    Kindel (2023), supplement, "Total scale distortion", after Bartlett and Partnoy (2020).
    """
    cosine, lnw, X = columns_of(pairs, "cosine", "lnw", "X")
    fit = corrected_ratio_regression(pairs)
    b0, b1, b2, b3 = (fit.coefficient(symbol) for symbol in ("β0", "β1", "β2", "β3"))
    alpha = _slope(X, cosine)
    slope_0, slope_1 = _slope(X, 1 / lnw), _slope(X, X / lnw)
    distortion_0, distortion_1 = b0 * slope_0, b1 * slope_1  # by omitting the intercept and the group
    published = (b1, b2 * slope_0, b3 * slope_1)
    total, published_total = b3 + distortion_0 + distortion_1, sum(published)
    rows = [
        ("derived", "difference of the slopes", "β3", b3),
        ("derived", "omitted intercept", "β0·cov(X, 1/LNW)/var X", distortion_0),
        ("derived", "omitted main effect of the group", "β1·cov(X, X/LNW)/var X", distortion_1),
        ("derived", "sum", "α1*", total),
        ("printed", "group", "β1", published[0]),
        ("printed", "omitted intercept", "β2·cov(X, 1/LNW)/var X", published[1]),
        ("printed", "omitted main effect of the group", "β3·cov(X, X/LNW)/var X", published[2]),
        ("printed", "sum", "α1*", published_total),
    ]
    return DistortionDecomposition(
        alpha_1=alpha,
        beta=(b0, b1, b2, b3),
        slope_intercept=slope_0,
        slope_group=slope_1,
        total=total,
        net_distortion=distortion_0 + distortion_1,
        absolute_distortion=abs(distortion_0) + abs(distortion_1),
        published_total=published_total,
        discrepancy=total - alpha,
        published_discrepancy=published_total - alpha,
        terms=pd.DataFrame(rows, columns=["reading", "term", "symbol", "value"]),
    )


def split_similarity(pairs: pd.DataFrame, *, coefficients: str = "ratio") -> pd.DataFrame:
    """Split each cosine into a part local to its group and a global part: cos = sim_local + sim_global.

    sim_local is (⟨a,b⟩ − β0 − β1 X)/LNW, and sim_global is (β0 + β1 X)/LNW; neither is bounded by 1. With
    the coefficients of the "ratio" model instead of the "inner-product" model, the group means of sim_local are
    exactly β2 and β2 + β3. Kindel (2023), supplement, "Local similarity estimation".
    """
    inner, lnw, X = columns_of(pairs, "inner_product", "lnw", "X")
    regression = corrected_ratio_regression if coefficients == "ratio" else inner_product_regression
    fit = regression(pairs)
    intercept = fit.coefficient("β0") + fit.coefficient("β1") * X
    return pairs.assign(sim_local=(inner - intercept) / lnw, sim_global=intercept / lnw)
