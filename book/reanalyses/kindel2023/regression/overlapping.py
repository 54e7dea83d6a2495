"""Overlapping regressions: two concepts compared with the same words, and WEAT as nested regressions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_word_lists, as_word_vectors
from reanalyses.kindel2023.regression.bivariate import bivariate_cosine_regression
from reanalyses.kindel2023.regression.centroid import centroid_pairs
from reanalyses.kindel2023.regression.estimation import Regression, Term, columns_of, estimate
from reanalyses.kindel2023.regression.models import corrected_ratio_regression, fit_terms, norm_terms
from reanalyses.kindel2023.regression.pairs import labels_of, overlapping_pairs

__all__ = [
    "NestedWeat",
    "nested_weat",
    "overlapping_bivariate_centroid_regression",
    "overlapping_cosine_regression",
]


def overlapping_cosine_regression(pairs: pd.DataFrame, *, model: str = "uncorrected") -> Regression:
    """Regress the cosines of two concepts with the same words on the concept.

    With one word w in each group, ‖w‖ is a function of D: ‖w‖, ‖x‖, D‖w‖, D‖x‖ are then combinations of the
    terms before them, and stand in ``aliased``. With a single word x the uncorrected α1* is the association
    s(x, A, B) of WEAT. Kindel (2023), supplement, "Overlapping cosine similarity regression".
    """
    columns = columns_of(pairs, ("inner_product", "norm_a", "norm_b", "lnw", "cosine", "X"))
    if "b" in pairs.columns:
        first, second = (set(pairs.loc[columns["X"] == value, "b"]) for value in (0, 1))
        if first != second:
            alone = sorted(str(word) for word in first ^ second)
            raise ValueError(
                f"the groups of pairs have different words x ({', '.join(alone[:5])}); expected the same words in both "
                "groups, as overlapping_pairs returns them"
            )
    X, lnw = columns["X"], columns["lnw"]
    ones = np.ones(len(pairs))
    if model in ("uncorrected", "ratio"):
        outcome = Term("cosine", "cos(w,x)", columns["cosine"])
        terms = [Term("intercept", "α0*", ones), Term("D", "α1*", X)]
        if model == "ratio":
            terms += [Term("1/LNW", "α2*", 1 / lnw), Term("D/LNW", "α3*", X / lnw)]
    else:
        outcome = Term("inner product", "⟨w,x⟩", columns["inner_product"])
        terms = [Term("intercept", "α2*", ones), Term("D", "α3*", X)]
        terms += [Term("LNW", "α0*", lnw), Term("D·LNW", "α1*", X * lnw)]
        if model == "lower-order":
            lower = norm_terms(columns, ("‖w‖", "‖x‖"), ("α4*", "α5*", "α6*", "α7*"))
            terms += [term._replace(name=term.name.replace("X·", "D·")) for term in lower]
    return fit_terms(pairs, outcome, terms)


@dataclasses.dataclass(frozen=True, eq=False)
class NestedWeat:
    """WEAT as a nested regression."""

    #: One row for each word of X and Y: set ("X" or "Y"), word, alpha_1 (α1*, the uncorrected difference of
    #: mean cosines with A and B), std_error (HC3), beta_3 and beta_3_std_error (of the corrected ratio
    #: model; NaN only if not requested).
    coefficients: pd.DataFrame
    score: float  #: Mean of alpha_1 over X minus that over Y, in [−4, 4], which is the WEAT score (AC+BD) − (BC+AD).
    statistic: float  #: Sum of alpha_1 over X minus that over Y, which is S(X, Y, A, B) of Caliskan et al.
    #: Regression of alpha_1 on the set (1 for X): its coefficient is the score, and words are the sample.
    second_level: Regression
    #: Regression of all cosines on D, the set S, and D·S, whose coefficient is also the score.
    pooled: Regression


def nested_weat(
    X: checks.Points,
    Y: checks.Points,
    A: checks.Points,
    B: checks.Points,
    *,
    corrected: bool = False,
    words_x: Sequence[str] | None = None,
    words_y: Sequence[str] | None = None,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    covariance: str = "HC3",
    clusters: str | tuple[str, ...] = "b",
) -> NestedWeat:
    """Fit one overlapping regression per target word; return WEAT as a difference of mean coefficients.

    With D = 1 for A, least squares gives α1*(x) = mean cos(x, A) − mean cos(x, B); the difference of the
    means over X and Y is WEAT, and so is the interaction of the saturated model. The *errors* are three
    different ones: in the pooled model they ignore, unless clustered, that every attribute word is in every
    coefficient. Kindel (2023), supplement, "Overlapping cosine similarity regression"; Caliskan et al.
    (2017).
    """
    lists = {"X": X, "Y": Y, "A": A, "B": B}
    arrays = as_word_lists(lists)
    for name, array in zip(lists, arrays, strict=True):
        as_word_vectors(array, name, min_words=2)
    rows, tables = [], []
    for set_name, targets, words in (("X", arrays[0], words_x), ("Y", arrays[1], words_y)):
        labels = labels_of(words, len(targets))
        table = overlapping_pairs(
            arrays[2], arrays[3], targets, words_a=words_a, words_b=words_b, words_x=words
        )
        tables.append(table.assign(set=set_name))
        places = np.tile(np.arange(len(targets)), len(arrays[2]) + len(arrays[3]))
        for place, label in enumerate(labels):
            own = table[places == place]
            rows.append((set_name, label, *_word_coefficients(own, corrected)))
    columns = ["set", "word", "alpha_1", "std_error", "beta_3", "beta_3_std_error"]
    coefficients = pd.DataFrame(rows, columns=columns)
    in_x = (coefficients["set"] == "X").to_numpy()
    alpha = coefficients["alpha_1"].to_numpy()
    second = estimate(
        Term("α1*", "α1*(x)", alpha),
        [Term("intercept", "mean Y", np.ones(len(alpha))), Term("S", "WEAT", in_x.astype(np.float64))],
        covariance="HC3" if covariance == "cluster" else covariance,
    )
    everything = pd.concat(tables, ignore_index=True)
    D = everything["X"].to_numpy(dtype=np.float64)
    S = (everything["set"] == "X").to_numpy(dtype=np.float64)
    pooled = fit_terms(
        everything,
        Term("cosine", "cos(w,x)", everything["cosine"].to_numpy()),
        [
            Term("intercept", "BY", np.ones(len(D))),
            Term("D", "AY − BY", D),
            Term("S", "BX − BY", S),
            Term("D·S", "WEAT", D * S),
        ],
        covariance=covariance,
        clusters=clusters,
    )
    return NestedWeat(
        coefficients=coefficients,
        score=float(alpha[in_x].mean() - alpha[~in_x].mean()),
        statistic=float(alpha[in_x].sum() - alpha[~in_x].sum()),
        second_level=second,
        pooled=pooled,
    )


def _word_coefficients(pairs: pd.DataFrame, corrected: bool) -> tuple[float, float, float, float]:
    """Return α1* of one word with its HC3 error (in closed form, as leverages are 1/k), and β3 with its error."""
    cosine, D = pairs["cosine"].to_numpy(), pairs["X"].to_numpy()
    parts = [cosine[D == 1], cosine[D == 0]]
    alpha = parts[0].mean() - parts[1].mean()
    error = np.sqrt(sum(((part - part.mean()) ** 2).sum() / (len(part) - 1) ** 2 for part in parts))
    if not corrected:
        return float(alpha), float(error), np.nan, np.nan
    fit = corrected_ratio_regression(pairs)
    place = fit.position("β3")
    return (float(alpha), float(error), fit.coefficient("β3"), float(fit.terms["std_error"].iloc[place]))


def overlapping_bivariate_centroid_regression(
    A: checks.Points, B: checks.Points, X: checks.Points, *, model: str = "uncorrected"
) -> Regression:
    """Regress one composed vector's cosines with words on another composed vector's cosines with them.

    Of the eight terms of the expanded model two are never identified: LNW(Ω^A,x)/LNW(Ω^B,x) = ‖Ω^A‖/‖Ω^B‖ = r
    for every x, so the term of γ7 is r times the intercept, and cos(Ω^B,x)·LNW(Ω^A,x) = r ⟨Ω^B,x⟩: the term
    of γ1 is r times that of γ5. Kindel (2023), supplement, "Overlapping bivariate centroid cosine similarity
    regression".
    """
    left, right = (centroid_pairs(parts, X, label=label) for parts, label in ((A, "ΩA"), (B, "ΩB")))
    return bivariate_cosine_regression(left, right, model=model)
