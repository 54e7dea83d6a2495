"""Exact nearest neighbors of a few points among many, in any number of dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["levina_bickel", "nearest_others"]

#: Entries of one block of square distances, 16 MB: larger ones leave the cache between passes and are slower.
_BLOCK = 2**21


def nearest_others(
    points: NDArray[np.float64], queries: NDArray[np.intp], k: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the distances to, and the indices of, the k nearest other points of each query, ascending.

    Exact: square distances from a matrix product only pick candidates, with a margin for their rounding; the
    distances returned are norms of differences. A tree is faster in two or three dimensions, and slower from
    about eight on, where it visits nearly every point.

    Parameters
    ----------
    points : array of shape (N, n), float64
        Points, N > k.
    queries : array of shape (m,)
        Indices of the points whose neighbors are sought; a point is not its own neighbor.
    k : int
        Neighbors of each query, 1 ≤ k < N.

    Returns
    -------
    distances : numpy.ndarray of shape (m, k), float64
    indices : numpy.ndarray of shape (m, k)

    Notes
    -----
    O(m·N·n) time, 16 MB or 8·N bytes of memory beside a copy of the points. A row of N square distances is
    not sorted: the k-th smallest of the minima of some 16·k groups of it bounds the k-th smallest entry, and
    hardly more than k entries are within that bound.

    Examples
    --------
    >>> distances, indices = nearest_others(np.array([[0.0], [1.0], [5.0]]), np.array([0, 2]), 2)
    >>> distances.tolist(), indices.tolist()
    ([[1.0, 5.0], [4.0, 5.0]], [[1, 2], [1, 0]])
    """
    centered = points - points.mean(axis=0)
    squares = np.einsum("ij,ij->i", centered, centered)
    # The rounding of ‖x‖² − 2x·y: far below this, n ≤ 1e4 terms of size at most max‖x‖².
    margin = 1e-11 * float(squares.max())
    n_points = len(points)
    distances = np.empty((queries.size, k))
    indices = np.empty((queries.size, k), dtype=np.intp)
    step = max(1, _BLOCK // n_points)
    for start in range(0, queries.size, step):
        chunk = queries[start : start + step]
        d2 = centered[chunk] @ centered.T
        d2 *= -2.0
        d2 += squares  # short of a constant in every row
        d2[np.arange(chunk.size), chunk] = np.inf
        rows, columns = np.nonzero(d2 <= _bound(d2, k)[:, None] + 2.0 * margin)
        exact = np.linalg.norm(points[columns] - points[chunk[rows]], axis=1)
        order = np.lexsort((exact, rows))
        counts = np.bincount(rows, minlength=chunk.size)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        chosen = order[first[:, None] + np.arange(k)]
        distances[start : start + step] = exact[chosen]
        indices[start : start + step] = columns[chosen]
    return distances, indices


def levina_bickel(distances: NDArray[np.float64]) -> float:
    """Return the intrinsic dimension from the ascending distances of each point to its k nearest others.

    The estimate of Levina and Bickel, the harmonic mean over points of (k − 1)/Σ_j log(d_k/d_j); the same as
    `intrinsic_dimension`, for callers that hold the distances already.

    Parameters
    ----------
    distances : array of shape (m, k), float64
        Positive, ascending along rows, k ≥ 2.

    Returns
    -------
    float

    Examples
    --------
    >>> round(levina_bickel(np.array([[1.0, np.e]])), 6)
    1.0
    """
    return 1.0 / float(np.log(distances[:, -1:] / distances[:, :-1]).mean())


def _bound(d2: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Upper bound of the k-th smallest entry of every row, tight when there are many entries."""
    n_rows, n_points = d2.shape
    n_groups = max(16 * k, int(np.sqrt(n_points)))
    depth = n_points // n_groups
    if depth < 4:
        return np.asarray(np.partition(d2, k - 1, axis=1)[:, k - 1])
    minima = d2[:, : depth * n_groups].reshape(n_rows, depth, n_groups).min(axis=1)
    return np.asarray(np.partition(minima, k - 1, axis=1)[:, k - 1])
