"""Least squares with results as a table, a list of collinear terms, and robust standard errors by default."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from reanalyses.kindel2023.regression import least_squares
from reanalyses.kindel2023.regression.least_squares import Floats

__all__ = ["DroppedTerm", "Regression", "StatisticalTest", "breusch_pagan_test", "joint_test"]

#: Nominal coverage of all intervals.
CONFIDENCE_LEVEL = 0.95

# A column counts as a combination of earlier columns if its component outside their span is shorter than this
# fraction of its length: about 1e-15 for exact combinations, about 1e-7 for vector lengths normalized in
# float32, and a few percent for the lengths of real words.
ALIAS_TOLERANCE = 1e-6


class Term(NamedTuple):
    """A column of a regression: its name, its symbol in the paper, and its values."""

    name: str
    symbol: str
    values: Floats


@dataclasses.dataclass(frozen=True)
class DroppedTerm:
    """A term dropped because it is a linear combination of earlier terms, within a relative error of 1e-6."""

    #: term, symbol: name and symbol of the term.
    term: str
    symbol: str
    combination: dict[str, float]  #: Nonzero coefficients of the kept terms.

    def __str__(self) -> str:
        combination = " + ".join(f"{value:.4g}·{name}" for name, value in self.combination.items())
        return f"{self.term} ({self.symbol}) = {combination or '0'}"


@dataclasses.dataclass(frozen=True)
class StatisticalTest:
    """The statistic and the p-value of a test."""

    statistic: float
    pvalue: float  #: In [0, 1].


@dataclasses.dataclass(frozen=True, eq=False)
class Regression:
    """A fitted regression model."""

    #: One row for each kept term: term, symbol (as in the paper), estimate, std_error, statistic, p_value,
    #: low, high (ends of the interval), vif (variance inflation factor; 1 for terms uncorrelated with all
    #: others; NaN for the intercept, which has none).
    terms: pd.DataFrame
    df_residual: int  #: Number of pairs minus the number of kept terms.
    df_inference: int  #: Degrees of freedom of t: `df_residual`, or clusters minus 1.
    r_squared: float  #: Fraction of the (weighted) variance of the outcome that is explained, in [0, 1].
    aliased: tuple[DroppedTerm, ...]  #: Terms dropped because they are combinations of earlier terms.
    residuals: Floats = dataclasses.field(repr=False)  #: In units of the outcome.
    #: Covariance of the estimates; zero if the terms explain the outcome up to rounding.
    covariance_matrix: Floats = dataclasses.field(repr=False)
    design: Floats = dataclasses.field(repr=False)  #: Unweighted columns of the kept terms.

    def position(self, symbol: str) -> int:
        """Return the row of the term with the given symbol."""
        return list(self.terms["symbol"]).index(symbol)

    def coefficient(self, symbol: str) -> float:
        """Return the estimate of the term with the given symbol."""
        return float(self.terms["estimate"].iloc[self.position(symbol)])


def split_independent_terms(terms: Sequence[Term]) -> tuple[list[int], tuple[DroppedTerm, ...]]:
    """Return the indices of terms independent of earlier terms, and the other terms as combinations of these.

    Each normalized column is orthogonalized twice (Gram–Schmidt), so that the remainder is accurate up to
    rounding.
    """
    kept_indices: list[int] = []
    aliased: list[DroppedTerm] = []
    basis = np.empty((len(terms[0].values), 0))
    for position, term in enumerate(terms):
        length = float(np.linalg.norm(term.values))
        residual = term.values / length if length > 0 else term.values
        for _ in range(2):
            residual = residual - basis @ (basis.T @ residual)
        residual_length = float(np.linalg.norm(residual))
        if residual_length > ALIAS_TOLERANCE:
            kept_indices.append(position)
            basis = np.column_stack([basis, residual / residual_length])
            continue
        columns = np.column_stack([terms[i].values for i in kept_indices])
        lengths = np.linalg.norm(columns, axis=0)
        scaled = np.linalg.lstsq(columns / lengths, term.values, rcond=None)[0]
        combination = {
            terms[i].name: float(coefficient / column_length)
            for i, coefficient, column_length in zip(kept_indices, scaled, lengths, strict=True)
            if abs(coefficient) > 1e-9 * length
        }
        aliased.append(DroppedTerm(term.name, term.symbol, combination))
    return kept_indices, tuple(aliased)


def columns_of(pairs: pd.DataFrame, *names: str) -> list[Floats]:
    """Return columns of a table of word pairs as float64."""
    return [pairs[name].to_numpy(dtype=np.float64) for name in names]


def cluster_codes(pairs: pd.DataFrame, clusters: str | tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Return the cluster number of each pair, as a vector or, for two-way clustering, as two columns."""
    columns = (clusters,) if isinstance(clusters, str) else tuple(clusters)
    codes = [pd.factorize(pairs[column])[0].astype(np.intp) for column in columns]
    return codes[0] if len(codes) == 1 else np.column_stack(codes)


def _column_scales(lengths: Floats) -> Floats:
    """Return powers of two near the given lengths if these differ by more than a factor of 2²⁰; otherwise, ones."""
    if lengths.max() <= 2**20 * lengths.min():
        return np.ones(len(lengths))
    return np.asarray(np.exp2(np.round(np.log2(lengths))))


def estimate(
    outcome: Term,
    terms: Sequence[Term],
    *,
    weights: Floats | None = None,
    covariance: str = "HC3",
    clusters: npt.NDArray[np.intp] | None = None,
) -> Regression:
    """Regress an outcome on terms, of which the first is the intercept, by (weighted) least squares."""
    kept_indices, aliased = split_independent_terms(terms)
    columns = [terms[i] for i in kept_indices]
    n, k = len(outcome.values), len(columns)
    design = np.column_stack([term.values for term in columns])
    scales = _column_scales(np.linalg.norm(design, axis=0))
    roots = np.ones(n) if weights is None else np.sqrt(weights / weights.mean())
    fit = least_squares.fit(
        outcome.values, design / scales, roots=roots, covariance=covariance, clusters=clusters
    )
    covariance_matrix = fit.covariance / np.outer(scales, scales)
    coefficients = fit.coefficients / scales
    residuals = outcome.values - design @ coefficients
    if np.linalg.norm(residuals * roots) <= 1e-11 * np.linalg.norm(outcome.values * roots):
        covariance_matrix = np.zeros((k, k))  # standard errors would be rounding errors
    standard_errors = np.sqrt(np.diagonal(covariance_matrix))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = coefficients / standard_errors
    half_width = stats.t.isf((1 - CONFIDENCE_LEVEL) / 2, fit.df_inference) * standard_errors
    table = pd.DataFrame(
        {
            "term": [term.name for term in columns],
            "symbol": [term.symbol for term in columns],
            "estimate": coefficients,
            "std_error": standard_errors,
            "statistic": statistic,
            "p_value": 2.0 * stats.t.sf(np.abs(statistic), fit.df_inference),
            "low": coefficients - half_width,
            "high": coefficients + half_width,
            "vif": inflation_factors(design * roots[:, None]),
        }
    )
    return Regression(
        terms=table,
        df_residual=n - k,
        df_inference=fit.df_inference,
        r_squared=float(np.clip(fit.r_squared, 0.0, 1.0)),
        aliased=aliased,
        residuals=residuals,
        covariance_matrix=covariance_matrix,
        design=design,
    )


def inflation_factors(whitened: Floats) -> Floats:
    """Return the variance inflation factor of each column after the first, which is the intercept."""
    intercept = whitened[:, :1] / np.linalg.norm(whitened[:, 0])
    regressors = whitened[:, 1:] - intercept @ (intercept.T @ whitened[:, 1:])
    if regressors.shape[1] == 0:
        return np.array([np.nan])
    triangle = np.linalg.qr(regressors / np.linalg.norm(regressors, axis=0), mode="r")
    inverse = np.linalg.inv(triangle)
    return np.concatenate([[np.nan], np.maximum((inverse**2).sum(axis=1), 1.0)])


def breusch_pagan_test(regression: Regression, variable: npt.ArrayLike | None = None) -> StatisticalTest:
    """Test whether the error variance depends on a variable, or by default on all terms of a regression.

    This is the studentized form (Koenker 1981) of the test of Breusch and Pagan (1979), which Kindel (2023),
    supplement, mentions for the distribution of the normalization weights. Its statistic is asymptotically χ²,
    with one degree of freedom for each variable.
    """
    columns = regression.design[:, 1:]
    if variable is not None:
        columns = np.asarray(variable, dtype=np.float64)[:, None]
    # The auxiliary regression should not depend on units, so scale columns and residuals.
    deviations = columns - columns.mean(axis=0)
    scaled = np.column_stack([np.ones(len(columns)), deviations / np.linalg.norm(deviations, axis=0)])
    squares = regression.residuals**2 / np.mean(regression.residuals**2)
    fitted = scaled @ (np.linalg.pinv(scaled) @ squares)
    explained = float(((fitted - squares.mean()) ** 2).sum())
    total = float(((squares - squares.mean()) ** 2).sum())
    statistic = len(squares) * explained / total
    return StatisticalTest(statistic, float(stats.chi2.sf(statistic, columns.shape[1])))


def joint_test(
    regression: Regression, symbols: Sequence[str], *, value: float = 0.0, equal: bool = False
) -> StatisticalTest:
    """Test whether several coefficients equal a given value or, with `equal`, one another, by a Wald test.

    The statistic is F with as many degrees of freedom as restrictions, approximately so under robust errors. With
    ``covariance="nonrobust"``, the F distribution is exact for normal errors of equal variance.
    """
    positions = [regression.position(symbol) for symbol in symbols]
    restrictions = np.eye(len(regression.terms))[positions]
    target = value
    if equal:
        restrictions, target = restrictions[1:] - restrictions[0], 0.0
    deviation = restrictions @ regression.terms["estimate"].to_numpy() - target
    statistic = wald_statistic(deviation, restrictions @ regression.covariance_matrix @ restrictions.T)
    f_value = statistic / len(deviation)
    return StatisticalTest(f_value, float(stats.f.sf(f_value, len(deviation), regression.df_inference)))


def combination_error(regression: Regression, weights: Floats) -> float:
    """Return the standard error of a weighted sum of the estimates."""
    return float(np.sqrt(weights @ regression.covariance_matrix @ weights))


def wald_statistic(deviation: Floats, covariance: Floats) -> float:
    """Return the Wald statistic, deviationᵀ covariance⁻¹ deviation."""
    scale = np.sqrt(np.diagonal(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return float(((vectors.T @ (deviation / scale)) ** 2 / values).sum())
