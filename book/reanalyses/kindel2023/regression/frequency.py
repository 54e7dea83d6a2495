"""Regressions with an external word frequency instead of the lengths of the vectors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from reanalyses.kindel2023.regression.estimation import Regression, Term, columns_of, combination_error
from reanalyses.kindel2023.regression.least_squares import Floats
from reanalyses.kindel2023.regression.models import fit_terms

__all__ = ["frequency_adjusted_regressions"]


def frequency_adjusted_regressions(
    pairs: pd.DataFrame, frequencies: Mapping[str, float] | pd.Series, *, form: str = "log"
) -> pd.DataFrame:
    """Fit the binary regressions with the normalization weight, with an external word frequency, and with both.

    `frequencies` are logarithmic, such as Zipf values; a pair has the sum of its words' values (form "log") or
    the geometric mean of their frequencies ("geometric"). There is one row for each model. The columns are
    model, outcome, correction, r_squared, adjusted_r_squared, difference (of the two groups, where each
    correcting variable has its mean over all pairs), std_error, p_value, interaction and interaction_std_error
    (change of the difference when the first correcting variable rises by one standard deviation; 0 without
    one), and correlation (of LNW with the frequency of the pairs). The models are "cosine", "cosine, 1/LNW",
    "cosine, frequency", "cosine, both", and the same for "inner product" with LNW.

    Each correcting variable enters with its main effect and its interaction with the group, so R² can only
    increase; the adjusted R² and the standard errors show whether the correction is useful. ``difference`` is
    comparable between models of the same outcome. Kindel (2023), supplement, "Weight function measurement
    error", expects similar estimates with higher variance, and a considerable increase in R².
    """
    inner, lnw, cosine, X = columns_of(pairs, "inner_product", "lnw", "cosine", "X")
    sums = np.array([frequencies[a] + frequencies[b] for a, b in zip(pairs["a"], pairs["b"], strict=True)])
    frequency = sums if form == "log" else 10.0 ** (sums / 2)  # or the geometric mean of the frequencies
    rows = []
    outcomes = ("cosine", cosine, "1/LNW", 1 / lnw), ("inner product", inner, "LNW", lnw)
    for outcome, values, weight_name, weight in outcomes:
        corrections: dict[str, dict[str, Floats]] = {
            "none": {},
            weight_name: {weight_name: weight},
            "frequency": {"frequency": frequency},
            "both": {weight_name: weight, "frequency": frequency},
        }
        for correction, variables in corrections.items():
            terms = [Term("intercept", "intercept", np.ones(len(pairs))), Term("X", "X", X)]
            for label, variable in variables.items():
                terms += [Term(label, label, variable), Term(f"X·{label}", f"X·{label}", X * variable)]
            fit = fit_terms(pairs, Term(outcome, outcome, values), terms)
            model = outcome if correction == "none" else f"{outcome}, {correction}"
            row = {"model": model, "outcome": outcome, "correction": correction}
            rows.append(row | _group_difference(fit, variables))
    return pd.DataFrame(rows).assign(correlation=float(np.corrcoef(lnw, frequency)[0, 1]))


def _group_difference(fit: Regression, variables: Mapping[str, Floats]) -> dict[str, float]:
    """Return the fit of a model, and the difference of its groups at the means of the correcting variables."""
    weights = np.zeros(len(fit.terms))
    weights[fit.position("X")] = 1.0
    for label, values in variables.items():
        weights[fit.position(f"X·{label}")] = values.mean()
    difference = float(weights @ fit.terms["estimate"].to_numpy())
    standard_error = combination_error(fit, weights)
    interaction = interaction_error = 0.0
    for label, values in list(variables.items())[:1]:
        row, deviation = fit.terms.iloc[fit.position(f"X·{label}")], float(values.std(ddof=1))
        interaction, interaction_error = row["estimate"] * deviation, row["std_error"] * deviation
    return {
        "r_squared": fit.r_squared,
        "adjusted_r_squared": 1 - (1 - fit.r_squared) * (len(fit.residuals) - 1) / fit.df_residual,
        "difference": difference,
        "std_error": standard_error,
        "p_value": float(2 * stats.t.sf(abs(difference / standard_error), fit.df_inference)),
        "interaction": float(interaction),
        "interaction_std_error": float(interaction_error),
    }
