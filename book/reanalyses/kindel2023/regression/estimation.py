"""Least squares with a tidy result, named collinearities, and robust standard errors by default."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from isotropy_lab._core import checks
from reanalyses.kindel2023.regression import least_squares

__all__ = ["BreuschPagan", "DroppedTerm", "JointTest", "Regression", "breusch_pagan_test", "joint_test"]

Floats: TypeAlias = npt.NDArray[np.float64]

#: Nominal coverage of all intervals.
CONFIDENCE_LEVEL = 0.95

# A column counts as a combination of earlier columns if its part outside their span is shorter than this
# fraction of its length. Exact combinations have a part of about 1e-15, vector lengths normalized in float32
# one of about 1e-7, and lengths of real words vary by percents.
ALIAS_TOLERANCE = 1e-6

# Real words have variance inflation factors of 10 to 1,000; vectors normalized and stored as float16, whose
# lengths differ by rounding, have more than 10⁸.
MAX_INFLATION = 1e6


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
        parts = " + ".join(f"{value:.4g}·{name}" for name, value in self.combination.items())
        return f"{self.term} ({self.symbol}) = {parts or '0'}"


@dataclasses.dataclass(frozen=True)
class BreuschPagan:
    """A Lagrange multiplier test of constant error variance."""

    #: Asymptotically χ² with `df` degrees of freedom if the error variance does not depend on the variables.
    statistic: float
    pvalue: float  #: In [0, 1].
    df: int  #: Number of variables.
    variables: tuple[str, ...]  #: Variables that explain the squared residuals, besides the intercept.


@dataclasses.dataclass(frozen=True)
class JointTest:
    """A Wald test of several linear restrictions."""

    #: The Wald statistic over `df`: F with `df` and `df_residual` degrees of freedom, approximately so under
    #: robust errors.
    statistic: float
    pvalue: float  #: In [0, 1].
    #: df, df_residual: degrees of freedom.
    df: int
    df_residual: int
    restriction: str  #: The tested restriction.


@dataclasses.dataclass(frozen=True, eq=False)
class Regression:
    """A fitted regression model."""

    outcome: str  #: The dependent variable.
    #: One row for each kept term: term, symbol (as in the paper), estimate, std_error, statistic, p_value,
    #: low, high (ends of the interval), vif (variance inflation factor; 1 for terms uncorrelated with all
    #: others; NaN for the intercept, which has none). Factors above 10⁶, such as those of the lengths of
    #: normalized vectors, cause a UserWarning.
    terms: pd.DataFrame
    n: int  #: Number of pairs.
    df_residual: int  #: n minus the number of kept terms.
    df_inference: int  #: Degrees of freedom of t: `df_residual`, or clusters minus 1.
    r_squared: float  #: Fraction of the (weighted) variance of the outcome that is explained, in [0, 1].
    covariance: str  #: Kind of the standard errors.
    #: Test of constant error variance along all terms; None if the intercept is the only term, or if the fit
    #: is exact.
    breusch_pagan: BreuschPagan | None
    aliased: tuple[DroppedTerm, ...]  #: Terms dropped because they are combinations of earlier terms.
    #: Whether the terms explain the outcome up to rounding (with a UserWarning); errors are then 0, and
    #: statistics infinite.
    exact: bool
    #: fitted, residuals: in units of the outcome.
    fitted: Floats = dataclasses.field(repr=False)
    residuals: Floats = dataclasses.field(repr=False)
    covariance_matrix: Floats = dataclasses.field(repr=False)  #: Covariance of the estimates.
    #: weighted_residuals, design: residuals times the square roots of the weights, and the unweighted columns
    #: of the kept terms.
    weighted_residuals: Floats = dataclasses.field(repr=False)
    design: Floats = dataclasses.field(repr=False)

    def position(self, term: str) -> int:
        """Return the row of a term, given by name or symbol; raise KeyError with the known terms if it is missing."""
        for column in ("term", "symbol"):
            found = np.flatnonzero(self.terms[column] == term)
            if found.size:
                return int(found[0])
        listed = ", ".join(f"{row.term} ({row.symbol})" for row in self.terms.itertuples())
        raise KeyError(f"{term} is not a term of this regression; expected one of {listed}")

    def coefficient(self, term: str) -> float:
        """Return the estimate of a term, given by name or symbol."""
        return float(self.terms["estimate"].iloc[self.position(term)])


def independent_columns(terms: Sequence[Term]) -> tuple[list[int], tuple[DroppedTerm, ...]]:
    """Return the indices of terms that are independent of earlier terms, and the others as combinations of those.

    Uses Gram–Schmidt on normalized columns, twice, so that the remainder is accurate up to rounding.
    """
    kept: list[int] = []
    aliased: list[DroppedTerm] = []
    basis = np.empty((len(terms[0].values), 0))
    for position, term in enumerate(terms):
        length = float(np.linalg.norm(term.values))
        residual = term.values / length if length > 0 else term.values
        for _ in range(2):
            residual = residual - basis @ (basis.T @ residual)
        residual_length = float(np.linalg.norm(residual))
        if residual_length > ALIAS_TOLERANCE:
            kept.append(position)
            basis = np.column_stack([basis, residual / residual_length])
            continue
        columns = np.column_stack([terms[i].values for i in kept])
        lengths = np.linalg.norm(columns, axis=0)
        scaled = np.linalg.lstsq(columns / lengths, term.values, rcond=None)[0]
        combination = {
            terms[i].name: float(coefficient / column_length)
            for i, coefficient, column_length in zip(kept, scaled, lengths, strict=True)
            if abs(coefficient) > 1e-9 * length
        }
        aliased.append(DroppedTerm(term.name, term.symbol, combination))
    return kept, tuple(aliased)


def columns_of(pairs: pd.DataFrame, names: Sequence[str]) -> dict[str, Floats]:
    """Return columns of a table of word pairs as float64, without NaN."""
    columns = {name: pairs[name].to_numpy(dtype=np.float64) for name in names}
    for name, values in columns.items():
        checks.raise_if_not_finite(values, f"column {name} of pairs")
    return columns


def cluster_codes(pairs: pd.DataFrame, clusters: str | tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Return the cluster number of each pair: a vector, or two columns for two-way clustering."""
    columns = (clusters,) if isinstance(clusters, str) else tuple(clusters)
    codes = [pd.factorize(pairs[column])[0].astype(np.intp) for column in columns]
    return codes[0] if len(codes) == 1 else np.column_stack(codes)


def _powers_of_two(lengths: Floats) -> Floats:
    """Return scales that keep columns of small numbers from being mistaken for zero, or 1 if none is that small."""
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
    """Regress an outcome on terms, the first of which is the intercept, by (weighted) least squares."""
    kept, aliased = independent_columns(terms)
    columns = [terms[i] for i in kept]
    n, k = len(outcome.values), len(columns)
    design = np.column_stack([term.values for term in columns])
    column_lengths = np.linalg.norm(design, axis=0)
    scales = _powers_of_two(column_lengths)
    sqrt_weights = np.ones(n) if weights is None else np.sqrt(weights / weights.mean())
    whitened = design * sqrt_weights[:, None]
    fit = least_squares.fit(
        outcome.values, design / scales, roots=sqrt_weights, covariance=covariance, clusters=clusters
    )
    matrix = fit.covariance / np.outer(scales, scales)
    variances = np.diagonal(matrix)
    coefficients = fit.params / scales
    residuals = outcome.values - design @ coefficients
    weighted = residuals * sqrt_weights
    outcome_length = float(np.linalg.norm(outcome.values * sqrt_weights))
    exact = bool(float(np.linalg.norm(weighted)) <= 1e-11 * outcome_length)
    # Residuals that sum to 0 in every cluster, such as those of groups, give only rounding errors of about 1e-32.
    floor = 1e-20 * np.diagonal(fit.cov_HC0) / scales**2 if covariance == "cluster" else np.zeros(k)
    if not exact and not (variances > floor).all():
        not_positive = [columns[i].name for i in np.flatnonzero(~(variances > floor))]
        raise ValueError(
            f"covariance={covariance!r} gives a variance that is not positive for {', '.join(not_positive)}; expected more "
            "words, a column that is not correlated with the group, or clusters='a' or 'b'"
        )
    if exact:
        # The estimated standard errors would only be rounding errors.
        warnings.warn(
            f"the terms explain {outcome.name} exactly, so the standard errors are 0 and no test is possible",
            UserWarning,
            stacklevel=3,
        )
        statistic, p_value, interval = (np.full(k, np.inf), np.zeros(k), np.column_stack([coefficients] * 2))
        errors, matrix, test = np.zeros(k), np.zeros((k, k)), None
    else:
        errors = np.sqrt(variances)
        statistic, p_value = fit.tvalues, fit.pvalues
        interval = fit.conf_int(alpha=1 - CONFIDENCE_LEVEL) / scales[:, None]
        test = _breusch_pagan(weighted, design[:, 1:], tuple(term.name for term in columns[1:]))
    inflation = inflation_factors(whitened)
    if (inflation > MAX_INFLATION).any():
        inflated = [columns[i].name for i in np.flatnonzero(inflation > MAX_INFLATION)]
        warnings.warn(
            f"terms are nearly collinear: {', '.join(inflated)} (variance inflation factor up to {np.nanmax(inflation):.1g}); "
            "their coefficients depend on tiny differences; the lengths of normalized vectors differ only by rounding, so "
            "use the vectors before normalization",
            UserWarning,
            stacklevel=3,
        )
    table = pd.DataFrame(
        {
            "term": [term.name for term in columns],
            "symbol": [term.symbol for term in columns],
            "estimate": coefficients,
            "std_error": errors,
            "statistic": statistic,
            "p_value": p_value,
            "low": interval[:, 0],
            "high": interval[:, 1],
            "vif": inflation,
        }
    )
    return Regression(
        outcome=outcome.name,
        terms=table,
        n=n,
        df_residual=n - k,
        df_inference=fit.df_resid_inference,
        r_squared=float(np.clip(fit.rsquared, 0.0, 1.0)),
        covariance=covariance,
        breusch_pagan=test,
        aliased=aliased,
        exact=exact,
        fitted=design @ coefficients,
        residuals=residuals,
        covariance_matrix=matrix,
        weighted_residuals=weighted,
        design=design,
    )


def inflation_factors(whitened: Floats) -> Floats:
    """Return the variance inflation factor of each column after the first, which is the intercept."""
    first = whitened[:, :1] / np.linalg.norm(whitened[:, 0])
    others = whitened[:, 1:] - first @ (first.T @ whitened[:, 1:])
    if others.shape[1] == 0:
        return np.array([np.nan])
    triangle = np.linalg.qr(others / np.linalg.norm(others, axis=0), mode="r")
    inverse = np.linalg.inv(triangle)
    return np.concatenate([[np.nan], np.maximum((inverse**2).sum(axis=1), 1.0)])


def _breusch_pagan(residuals: Floats, variables: Floats, names: tuple[str, ...]) -> BreuschPagan | None:
    if variables.shape[1] == 0:
        return None
    # The auxiliary regressions should not depend on units, so scale the columns to equal length.
    deviations = variables - variables.mean(axis=0)
    columns = np.column_stack([np.ones(len(residuals)), deviations / np.linalg.norm(deviations, axis=0)])
    statistic, p_value = least_squares.breusch_pagan(residuals / np.sqrt(np.mean(residuals**2)), columns)
    return BreuschPagan(max(statistic, 0.0), p_value, len(names), names)


def breusch_pagan_test(
    regression: Regression, variables: Any = None, *, names: Sequence[str] | None = None
) -> BreuschPagan:
    """Test whether the error variance of a regression depends on the given variables.

    This is the studentized form (Koenker 1981) of the test of Breusch and Pagan (1979), which Kindel (2023),
    supplement, mentions for the distribution of the normalization weights. Weighted regressions are tested by
    the residuals times the square roots of the weights.
    """
    if variables is None:
        columns, labels = (regression.design[:, 1:], tuple(regression.terms["term"].iloc[1:]))
    else:
        nested = isinstance(variables, (list, tuple)) and len(variables) > 0 and np.ndim(variables[0]) == 1
        if nested or getattr(variables, "ndim", None) == 2:
            array = checks.as_array(variables, "variables", ndim=2)
        else:
            array = checks.as_array(variables, "variables", ndim=1)[:, None]
        # Use row-major order, since sums over another memory layout differ in the last bit.
        columns = np.ascontiguousarray(array, dtype=np.float64)
        labels = tuple(f"variable {i}" for i in range(columns.shape[1])) if names is None else tuple(names)
    if columns.shape[1] != len(labels):
        raise ValueError(
            f"names has {len(labels)} names; expected one for each of {columns.shape[1]} variables"
        )
    result = _breusch_pagan(regression.weighted_residuals, columns, labels)
    if result is None:
        raise ValueError("regression has only an intercept; expected variables to test")
    return result


def joint_test(
    regression: Regression, terms: Sequence[str], *, value: float = 0.0, equal: bool = False
) -> JointTest:
    """Test whether several coefficients equal a given value or one another.

    With ``covariance="nonrobust"``, the F distribution is exact for normal errors of equal variance.
    """
    positions = [regression.position(term) for term in terms]
    names = [regression.terms["term"].iloc[position] for position in positions]
    restrictions = np.eye(len(regression.terms))[positions]
    if equal:
        if len(positions) < 2:
            raise ValueError(f"terms has {len(positions)} terms; expected at least two to compare")
        restrictions, target = (restrictions[1:] - restrictions[0], np.zeros(len(positions) - 1))
        restriction = " = ".join(names)
    else:
        target = np.full(len(positions), float(value))
        restriction = " = ".join([*names, f"{value:g}"])
    deviation = restrictions @ regression.terms["estimate"].to_numpy() - target
    statistic = wald_statistic(deviation, restrictions @ regression.covariance_matrix @ restrictions.T)
    df, df_residual = len(deviation), regression.df_inference
    f_value = statistic / df
    return JointTest(f_value, float(stats.f.sf(f_value, df, df_residual)), df, df_residual, restriction)


def combination_error(regression: Regression, weights: Floats) -> float:
    """Return the standard error of a weighted sum of the estimates."""
    if regression.exact:
        return 0.0
    return float(np.sqrt(weights @ regression.covariance_matrix @ weights))


def wald_statistic(deviation: Floats, covariance: Floats) -> float:
    """Return deviationᵀ covariance⁻¹ deviation."""
    scale = np.sqrt(np.diagonal(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return float(((vectors.T @ (deviation / scale)) ** 2 / values).sum())
