"""Overlapping regressions: two concepts compared with the same words, and WEAT as nested regressions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from reanalyses.kindel2023.regression.bivariate import bivariate_cosine_regression
from reanalyses.kindel2023.regression.centroid import centroid_pairs
from reanalyses.kindel2023.regression.estimation import Regression, Term, columns_of, estimate
from reanalyses.kindel2023.regression.least_squares import Floats
from reanalyses.kindel2023.regression.models import fit_terms, lower_order_terms
from reanalyses.kindel2023.regression.pairs import overlapping_pairs

__all__ = ["NestedWeat", "lower_order_regression", "nested_weat", "overlapping_bivariate_centroid_regression"]


def lower_order_regression(pairs: pd.DataFrame) -> Regression:
    """Regress the inner products of two concepts with the same words on the concept, with all lower-order terms.

    With one word w in each group, ‖w‖ is a function of D: ‖w‖, ‖x‖, D‖w‖, D‖x‖ are then combinations of the
    terms before them, and are in ``aliased``. Kindel (2023), supplement, "Overlapping cosine similarity
    regression".
    """
    outcome = Term("inner product", "⟨w,x⟩", *columns_of(pairs, "inner_product"))
    return fit_terms(pairs, outcome, lower_order_terms(pairs, "w", "*"))


@dataclasses.dataclass(frozen=True, eq=False)
class NestedWeat:
    """WEAT as a nested regression."""

    #: α1* of each word of X and of Y, the difference of its mean cosines with A and B.
    alpha_x: Floats
    alpha_y: Floats
    #: Regression of α1* on the set S (1 for X): its coefficient is the score, and words are the sample.
    second_level: Regression
    #: Regression of all cosines on D, the set S, and D·S, whose coefficient is also the score.
    pooled: Regression

    @property
    def score(self) -> float:
        """The WEAT score (AC+BD) − (BC+AD), in [−4, 4]: the mean of `alpha_x` minus that of `alpha_y`."""
        return float(self.alpha_x.mean() - self.alpha_y.mean())


def nested_weat(
    X: checks.Points,
    Y: checks.Points,
    A: checks.Points,
    B: checks.Points,
    *,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    covariance: str = "HC3",
    clusters: str = "b",
) -> NestedWeat:
    """Fit one overlapping regression per target word; return WEAT as a difference of mean coefficients.

    With D = 1 for A, least squares gives α1*(x) = mean cos(x, A) − mean cos(x, B); the difference of the means
    over X and Y is WEAT, and so is the interaction of the saturated model. The standard errors differ: in the
    pooled model they ignore, unless clustered, that every attribute word is in every coefficient. `clusters` of
    the pooled model are the target words "b" or the attribute words "a". Kindel (2023), supplement,
    "Overlapping cosine similarity regression"; Caliskan et al. (2017).
    """
    targets = np.concatenate([X, Y])
    pairs = overlapping_pairs(A, B, targets, words_a=words_a, words_b=words_b)
    means = pairs.pivot_table("cosine", "b", "X").to_numpy()
    alpha, in_x = means[:, 1] - means[:, 0], np.arange(len(targets)) < len(X)
    second_level = estimate(
        Term("α1*", "α1*(x)", alpha),
        [Term("intercept", "mean Y", np.ones(len(alpha))), Term("S", "WEAT", in_x.astype(np.float64))],
    )
    D, S = pairs["X"].to_numpy(dtype=np.float64), (pairs["b"] < len(X)).to_numpy(dtype=np.float64)
    terms = [
        Term("intercept", "BY", np.ones(len(D))),
        Term("D", "AY − BY", D),
        Term("S", "BX − BY", S),
        Term("D·S", "WEAT", D * S),
    ]
    outcome = Term("cosine", "cos(w,x)", pairs["cosine"].to_numpy())
    pooled = fit_terms(pairs, outcome, terms, covariance=covariance, clusters=clusters)
    return NestedWeat(alpha[in_x], alpha[~in_x], second_level, pooled)


def overlapping_bivariate_centroid_regression(
    A: checks.Points, B: checks.Points, X: checks.Points, *, model: str = "uncorrected"
) -> Regression:
    """Regress one composed vector's cosines with words on another composed vector's cosines with them.

    Of the eight terms of the expanded model, two are never identified: LNW(Ω^A,x)/LNW(Ω^B,x) = ‖Ω^A‖/‖Ω^B‖ = r
    for every x, so the term of γ7 is r times the intercept, and cos(Ω^B,x)·LNW(Ω^A,x) = r ⟨Ω^B,x⟩: the term
    of γ1 is r times that of γ5. Kindel (2023), supplement, "Overlapping bivariate centroid cosine similarity
    regression".
    """
    left, right = (centroid_pairs(words, X, label=label) for words, label in ((A, "ΩA"), (B, "ΩB")))
    return bivariate_cosine_regression(left, right, model=model)
