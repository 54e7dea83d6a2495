"""(Weighted) least squares with the results of statsmodels, which is not available in the browser.

Attributes have the names of statsmodels, with which the tests compare all results.
"""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = ["Fit", "breusch_pagan", "fit"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Fit:
    """Results of least squares, named as in statsmodels."""

    params: Floats
    covariance: Floats
    cov_HC0: Floats
    rsquared: float
    df_resid_inference: int

    @property
    def tvalues(self) -> Floats:
        """Ratios of the coefficients to their standard errors."""
        return self.params / np.sqrt(np.diagonal(self.covariance))

    @property
    def pvalues(self) -> Floats:
        """Two-sided p-values from Student's t distribution."""
        return np.asarray(2.0 * stats.t.sf(np.abs(self.tvalues), self.df_resid_inference))

    def conf_int(self, alpha: float) -> Floats:
        """Return the ends of confidence intervals with level 1 − alpha."""
        half = stats.t.isf(alpha / 2.0, self.df_resid_inference) * np.sqrt(np.diagonal(self.covariance))
        return np.column_stack([self.params - half, self.params + half])


def fit(
    target: Floats, design: Floats, *, roots: Floats, covariance: str, clusters: npt.NDArray[np.intp] | None
) -> Fit:
    """Regress a target on the columns of a design, whose first column is the intercept; `roots` are √weights."""
    n, k = design.shape
    X, y = design * roots[:, None], target * roots
    inverse: Floats = np.asarray(np.linalg.pinv(X), dtype=np.float64)
    bread = inverse @ inverse.T  # (XᵀX)⁻¹
    params = inverse @ y
    residuals = y - X @ params
    hc0 = _sandwich(inverse, residuals)
    degrees = n - k
    if covariance == "nonrobust":
        matrix = bread * (residuals @ residuals) / (n - k)
    elif covariance == "cluster":
        assert clusters is not None
        matrix, degrees = _clustered(inverse, residuals, clusters, k)
    else:
        leverage = np.einsum("ij,ji->i", X, inverse)
        matrix = _sandwich(inverse, residuals / (1 - leverage))
    centered = roots * (target - (roots**2 @ target) / (roots**2).sum())
    r_squared = 1.0 - float(residuals @ residuals) / float(centered @ centered)
    return Fit(params, matrix, hc0, r_squared, degrees)


def _sandwich(inverse: Floats, scores: Floats) -> Floats:
    half = inverse * scores
    return half @ half.T


def _clustered(
    inverse: Floats, residuals: Floats, clusters: npt.NDArray[np.intp], k: int
) -> tuple[Floats, int]:
    """Return the covariance for one- or two-way clusters, and its degrees of freedom: fewest clusters − 1."""
    n = len(residuals)

    def one_way(codes: npt.NDArray[np.intp]) -> tuple[Floats, int]:
        places = np.unique(codes, return_inverse=True, axis=0)[1].ravel()
        count = int(places.max()) + 1
        sums = np.zeros((count, k))
        np.add.at(sums, places, (inverse * residuals).T)
        return sums.T @ sums * (count / (count - 1) * (n - 1) / (n - k)), count

    if clusters.ndim == 1:
        matrix, count = one_way(clusters)
        return matrix, count - 1
    (first, n_first), (second, n_second) = one_way(clusters[:, 0]), one_way(clusters[:, 1])
    return first + second - one_way(clusters)[0], min(n_first, n_second) - 1


def breusch_pagan(residuals: Floats, columns: Floats) -> tuple[float, float]:
    """Return the Breusch–Pagan statistic and its p-value, like ``het_breuschpagan`` of statsmodels."""
    squares = residuals**2
    fitted = columns @ (np.linalg.pinv(columns) @ squares)
    explained = float(((fitted - squares.mean()) ** 2).sum())
    total = float(((squares - squares.mean()) ** 2).sum())
    statistic = len(squares) * explained / total
    return statistic, float(stats.chi2.sf(statistic, columns.shape[1] - 1))
