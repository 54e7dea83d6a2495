"""Argument checks shared by several modules of this subpackage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks


def check_same_points(n_x: int, n_y: int) -> None:
    """Raise ValueError unless the data and the projection have the same number of points, at least 3."""
    if n_x != n_y:
        raise ValueError(
            f"X has {checks.how_many(n_x, 'point')} and Y has {n_y}; expected one row of Y per row of X"
        )
    if n_x < 3:
        raise ValueError(f"X and Y have {checks.how_many(n_x, 'point')}; expected at least 3")


def as_distance_matrix(X: Any) -> checks.FloatArray:
    """Return a square matrix of distances: finite, nonnegative, symmetric, with zeros on the diagonal.

    Nonzero diagonal entries and asymmetry of up to 10⁻⁶ of the largest distance are accepted as rounding.
    """
    matrix = checks.as_array(X, "X", ndim=2, expected="a square matrix of distances of shape (N, N)")
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise ValueError(
            f"X has shape {matrix.shape} with metric='precomputed'; expected a square matrix of distances, "
            "or points with metric='euclidean'"
        )
    distances: checks.FloatArray = np.asarray(matrix, dtype=checks.working_dtype(matrix.dtype))
    if not checks.is_finite_sum(distances):
        checks.raise_if_not_finite(distances, "X")
    if n == 0:
        return distances
    smallest, largest = float(distances.min()), float(distances.max())
    if smallest < 0:
        i, j = np.unravel_index(int(np.argmin(distances)), matrix.shape)
        raise ValueError(f"X has a negative distance ({smallest:g} at ({i}, {j})); expected distances ≥ 0")
    diagonal = np.diagonal(distances)
    if float(diagonal.max()) > 1e-6 * largest:
        index = int(np.argmax(diagonal))
        raise ValueError(
            f"X has {diagonal[index]:g} at ({index}, {index}); expected distances, which are 0 on "
            "the diagonal (similarities are not)"
        )
    n_rows = max(1, 2**20 // n)
    for start in range(0, n, n_rows):
        differences = np.abs(distances[start : start + n_rows] - distances[:, start : start + n_rows].T)
        if float(differences.max()) > 1e-6 * largest:
            row, j = np.unravel_index(int(np.argmax(differences)), differences.shape)
            k = start + int(row)
            raise ValueError(
                f"X is not symmetric ({distances[k, j]:g} at ({k}, {j}), {distances[j, k]:g} at ({j}, {k})); "
                "expected symmetric distances"
            )
    return distances


def check_some_distance(largest: float, name: str) -> None:
    """Raise ValueError if all points coincide."""
    if not largest > 0:
        raise ValueError(f"{name} has only distances of 0 (all points coincide); expected distinct points")


def check_distances_vary(spread: float, name: str) -> None:
    """Raise ValueError if all distances are equal, so that their ranks cannot be compared."""
    if not spread > 0:
        raise ValueError(
            f"{name} has the same distance between any two points, so the rank correlation is undefined "
            "(0/0); expected at least two different distances"
        )


def as_scales(scales: Any) -> npt.NDArray[np.float64]:
    """Return scales of a projection as a nonempty vector of finite numbers ≥ 0."""
    values = np.asarray(checks.as_array(scales, "scales", ndim=1), dtype=np.float64)
    if values.size == 0:
        raise ValueError("scales is empty; expected at least one number ≥ 0")
    checks.raise_if_not_finite(values, "scales", unit="entry")
    if float(values.min()) < 0:
        i = int(np.argmin(values))
        raise ValueError(f"scales has {values[i]:g} in entry {i}; expected numbers ≥ 0")
    return values


def check_neighbors(n_neighbors: Any, n_points: int) -> int:
    """Return a number of neighbors as an integer, at least 1 and less than half the number of points."""
    why = f"less than half the number of points, {n_points}"
    return checks.check_integer(n_neighbors, "n_neighbors", low=1, high=(n_points - 1) // 2, why=why)


def check_perplexity(perplexity: Any, n_points: int) -> float:
    """Return the perplexity as a float, at least 1 and less than the number of other points."""
    value = checks.check_real(perplexity, "perplexity", low=1.0, high=math.inf, open_high=True)
    if value >= n_points - 1:
        raise ValueError(
            f"perplexity is {value:g}, but X has {checks.how_many(n_points, 'point')}; expected a perplexity "
            f"below {n_points - 1}, the number of other points"
        )
    return value
