"""(Weighted) least squares with the results of statsmodels, which is not available in the browser."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]


class Fit(NamedTuple):
    """The results of a least-squares fit."""

    coefficients: Floats
    covariance: Floats
    r_squared: float
    df_inference: int  #: Degrees of freedom of t: n minus the number of columns, or clusters minus 1.


def fit(
    target: Floats, design: Floats, *, roots: Floats, covariance: str, clusters: npt.NDArray[np.intp] | None
) -> Fit:
    """Regress a target on a design with the intercept first; `roots` are the square roots of weights."""
    n, k = design.shape
    X, y = design * roots[:, None], target * roots
    inverse: Floats = np.asarray(np.linalg.pinv(X), dtype=np.float64)
    coefficients = inverse @ y
    residuals = y - X @ coefficients
    df = n - k
    if covariance == "nonrobust":
        covariance_matrix = inverse @ inverse.T * (residuals @ residuals) / df
    elif covariance == "cluster":
        assert clusters is not None
        covariance_matrix, df = _cluster_covariance(inverse, residuals, clusters, k)
    else:
        leverage = np.einsum("ij,ji->i", X, inverse)
        influences = inverse * (residuals / (1 - leverage))
        covariance_matrix = influences @ influences.T
    centered = roots * (target - (roots**2 @ target) / (roots**2).sum())
    r_squared = 1.0 - float(residuals @ residuals) / float(centered @ centered)
    return Fit(coefficients, covariance_matrix, r_squared, df)


def _cluster_covariance(
    inverse: Floats, residuals: Floats, clusters: npt.NDArray[np.intp], k: int
) -> tuple[Floats, int]:
    """Return the covariance for one- or two-way clusters, and its degrees of freedom, the fewest clusters minus 1."""
    n = len(residuals)

    def one_way(codes: npt.NDArray[np.intp]) -> tuple[Floats, int]:
        positions = np.unique(codes, return_inverse=True, axis=0)[1].ravel()
        n_clusters = int(positions.max()) + 1
        sums = np.zeros((n_clusters, k))
        np.add.at(sums, positions, (inverse * residuals).T)
        return sums.T @ sums * (n_clusters / (n_clusters - 1) * (n - 1) / (n - k)), n_clusters

    if clusters.ndim == 1:
        covariance_matrix, n_clusters = one_way(clusters)
        return covariance_matrix, n_clusters - 1
    (first, n_first), (second, n_second) = one_way(clusters[:, 0]), one_way(clusters[:, 1])
    return first + second - one_way(clusters)[0], min(n_first, n_second) - 1
