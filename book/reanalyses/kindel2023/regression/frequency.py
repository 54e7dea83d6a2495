"""Regressions with an external word frequency instead of the lengths of the vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from reanalyses.kindel2023.regression.estimation import (
    CONFIDENCE_LEVEL,
    Floats,
    Regression,
    Term,
    columns_of,
    combination_error,
)
from reanalyses.kindel2023.regression.models import fit_terms

__all__ = ["FrequencyRegressions", "frequency_adjusted_regression"]


@dataclasses.dataclass(frozen=True, eq=False)
class FrequencyRegressions:
    """Regressions with and without a correction for scale, from the vectors or from an external source."""

    #: Outcome and correction: "cosine", "cosine, 1/LNW", "cosine, frequency", "cosine, both", "inner
    #: product", "inner product, LNW", "inner product, frequency", "inner product, both".
    models: dict[str, Regression]
    #: One row for each model: model, outcome, correction, n_terms, r_squared, adjusted_r_squared, difference
    #: (the difference of the two groups that the model predicts where each correcting variable has its mean
    #: over all pairs), std_error, statistic, p_value, low, high, interaction and interaction_std_error
    #: (change of the difference when the first correcting variable rises by one standard deviation; 0 without
    #: one).
    summary: pd.DataFrame
    correlation: float  #: Correlation of LNW with the frequency of the pairs, in [−1, 1].


def frequency_adjusted_regression(
    pairs: pd.DataFrame, frequencies: Mapping[str, float] | pd.Series, *, form: str = "log"
) -> FrequencyRegressions:
    """Fit the binary regressions with the normalization weight, with an external word frequency, and with both.

    Each correcting variable enters with its main effect and its interaction with the group, so R² can only
    increase; the adjusted R² and the standard errors show whether the correction is useful. ``difference`` is
    comparable between models of the same outcome. Kindel (2023), supplement, "Weight function measurement
    error", expects similar estimates with higher variance, and a considerable increase in R².
    """
    columns = columns_of(pairs, ("inner_product", "lnw", "cosine", "X"))
    n = len(pairs)
    zipf = np.array([float(frequencies[word]) for word in (*pairs["a"], *pairs["b"])])
    total = zipf[:n] + zipf[n:]
    with np.errstate(over="ignore"):
        frequency = total if form == "log" else 10.0 ** (total / 2)
    X, lnw = columns["X"], columns["lnw"]
    plans: list[tuple[str, str, list[tuple[str, Floats]]]] = [
        ("cosine", "none", []),
        ("cosine", "1/LNW", [("1/LNW", 1 / lnw)]),
        ("cosine", "frequency", [("frequency", frequency)]),
        ("cosine", "both", [("1/LNW", 1 / lnw), ("frequency", frequency)]),
        ("inner product", "none", []),
        ("inner product", "LNW", [("LNW", lnw)]),
        ("inner product", "frequency", [("frequency", frequency)]),
        ("inner product", "both", [("LNW", lnw), ("frequency", frequency)]),
    ]
    outcomes = {"cosine": columns["cosine"], "inner product": columns["inner_product"]}
    models: dict[str, Regression] = {}
    rows = []
    for outcome, correction, variables in plans:
        terms = [Term("intercept", "intercept", np.ones(len(pairs))), Term("X", "X", X)]
        for label, values in variables:
            terms += [Term(label, label, values), Term(f"X·{label}", f"X·{label}", X * values)]
        fit = fit_terms(pairs, Term(outcome, outcome, outcomes[outcome]), terms)
        models[outcome if correction == "none" else f"{outcome}, {correction}"] = fit
        rows.append((outcome, correction, *_summary(fit, variables)))
    names = ["outcome", "correction", "n_terms", "r_squared", "adjusted_r_squared", "difference", "std_error"]
    names += ["statistic", "p_value", "low", "high", "interaction", "interaction_std_error"]
    summary = pd.DataFrame(rows, columns=names)
    summary.insert(0, "model", list(models))
    return FrequencyRegressions(models, summary, float(np.corrcoef(lnw, frequency)[0, 1]))


def _summary(fit: Regression, variables: list[tuple[str, Floats]]) -> tuple[float, ...]:
    weights = np.zeros(len(fit.terms))
    weights[fit.position("X")] = 1.0
    for label, values in variables:
        weights[fit.position(f"X·{label}")] = values.mean()
    difference = float(weights @ fit.terms["estimate"].to_numpy())
    error = combination_error(fit, weights)
    statistic = difference / error if error > 0 else np.inf
    quantile = float(stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, fit.df_inference))
    adjusted = 1 - (1 - fit.r_squared) * (fit.n - 1) / fit.df_residual
    interaction = interaction_error = 0.0
    if variables:
        label, values = variables[0]
        place, spread = fit.position(f"X·{label}"), float(values.std(ddof=1))
        interaction = float(fit.terms["estimate"].iloc[place]) * spread
        interaction_error = float(fit.terms["std_error"].iloc[place]) * spread
    return (
        len(fit.terms),
        fit.r_squared,
        adjusted,
        difference,
        error,
        statistic,
        float(2 * stats.t.sf(abs(statistic), fit.df_inference)),
        difference - quantile * error,
        difference + quantile * error,
        interaction,
        interaction_error,
    )
