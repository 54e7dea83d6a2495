"""Partition score: variation of the partition function Z(c) = Σ exp(c·x) with the direction c."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

__all__ = ["log_partition_score", "partition_score", "partition_score_second_order"]


def partition_score(X: checks.Points) -> float:
    """Return min Z(c)/max Z(c) over the eigenvectors ±c of XᵀX, where Z(c) = Σ exp(c·x).

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points, not centered.

    Returns
    -------
    float
        Dimensionless score in [0, 1]; 1 is best. Small scores underflow to 0; `log_partition_score` does not.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf, or if squares overflow.

    Notes
    -----
    The score is invariant under rotation only. If eigenvalues of XᵀX are equal, their eigenvectors, and
    therefore the score, are arbitrary. Cost: O(N n² + n³) time, and memory for a few copies of X and XᵀX.
    Rudman et al. (2022), equation (B.2); Mu and Viswanath (2018).

    Examples
    --------
    >>> from isotropy_lab.isotropy import partition_score
    >>> X = [[3.0, 0.0], [-3.0, 0.0], [0.0, 0.5], [0.0, -0.5]]
    >>> round(partition_score(X), 6)  # (2 + 2 cosh ½)/(2 + 2 cosh 3)
    0.192238
    """
    return math.exp(log_partition_score(X))


def log_partition_score(X: checks.Points) -> float:
    """Return the natural logarithm of the partition score, which does not underflow.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points, not centered.

    Returns
    -------
    float
        Logarithm of at most 0; 0 is best.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf, or if squares overflow.

    Notes
    -----
    It is invariant under rotation only. Cost: O(N n² + n³). Rudman et al. (2022), equation (B.2).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2000.0, 0.0], [2000.0, 1.0], [2000.0, -1.0]])
    >>> round(log_partition_score(X), 3)
    -4000.0
    """
    points = checks.as_points(X)
    return log_score_over(points, np.linalg.eigh(_second_moment(points))[1])


def partition_score_second_order(X: checks.Points) -> float:
    """Return the second-order approximation of the partition score, which requires no exponentials.

    It is (N − ‖Σx‖ + ½σ²_min)/(N + ‖Σx‖ + ½σ²_max), with the smallest and largest eigenvalues σ² of XᵀX.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points, not centered. If N < n, the smallest eigenvalue is 0.

    Returns
    -------
    float
        Dimensionless score in (−1, 1]; 1 is best. It is negative if a large mean invalidates the expansion.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf, or if squares overflow.

    Notes
    -----
    It is invariant under rotation only. Cost: O(N n² + n³) time, and memory for a few copies of X and XᵀX. Mu
    and Viswanath (2018), Section 2.

    Examples
    --------
    >>> from isotropy_lab.isotropy import partition_score_second_order
    >>> partition_score_second_order([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # (4 + 1)/(4 + 4)
    0.625
    """
    points = checks.as_points(X)
    return _second_order(points, _second_moment(points))


def partition_scores(X: checks.Points) -> tuple[float, float]:
    """Return `partition_score` and `partition_score_second_order`, computing XᵀX once."""
    points = checks.as_points(X)
    second = _second_moment(points)
    return math.exp(log_score_over(points, np.linalg.eigh(second)[1])), _second_order(points, second)


def _second_moment(points: checks.FloatArray) -> npt.NDArray[np.float64]:
    """Return XᵀX, neither centered nor divided by N."""
    n = points.shape[1]
    second = np.zeros((n, n))
    chunk_size = max(256, 2**21 // n)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, points.shape[0], chunk_size):
            block = points[start : start + chunk_size].astype(np.float64)
            second += block.T @ block
    if not np.isfinite(second).all():
        checks.raise_overflow("X")
    return second


def log_score_over(points: checks.FloatArray, C: npt.NDArray[np.float64]) -> float:
    """Return log(min Z/max Z) over all columns c of `C` and their opposites −c."""
    n = C.shape[1]
    peak = np.full(2 * n, -np.inf)
    total = np.zeros(2 * n)
    chunk_size = max(64, 2**16 // n)  # number of rows whose exponents stay in the cache
    for start in range(0, points.shape[0], chunk_size):
        # Directions are stored as rows, so that maxima and sums read contiguous memory.
        exponents = C.T @ points[start : start + chunk_size].astype(np.float64).T
        new_peak = np.maximum(peak, np.concatenate([exponents.max(axis=1), -exponents.min(axis=1)]))
        with np.errstate(under="ignore"):
            exponents -= new_peak[:n, None]
            powers = np.exp(exponents)
            width = new_peak[:n] + new_peak[n:]
            if width.max() < 600:  # reciprocals cannot overflow, and are faster than exponentials
                opposite_powers = np.exp(-width) * (1.0 / powers).sum(axis=1)
            else:
                opposite_powers = np.exp(-exponents - width[:, None]).sum(axis=1)
            total = total * np.exp(peak - new_peak) + np.concatenate([powers.sum(axis=1), opposite_powers])
        peak = new_peak
    logs = peak + np.log(total)
    return min(float(logs.min() - logs.max()), 0.0)


def _second_order(points: checks.FloatArray, second: npt.NDArray[np.float64]) -> float:
    n_points = points.shape[0]
    values = np.maximum(np.linalg.eigvalsh(second), 0.0)
    mean_length = float(np.linalg.norm(points.sum(axis=0, dtype=np.float64)))
    smallest = float(values[0]) if n_points >= points.shape[1] else 0.0
    largest = float(values[-1])
    return float((n_points - mean_length + 0.5 * smallest) / (n_points + mean_length + 0.5 * largest))
