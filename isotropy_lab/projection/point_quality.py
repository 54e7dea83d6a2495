"""Trustworthiness, continuity, stress, and neighbors of each point of a projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_neighbors, check_some_distance
from isotropy_lab.projection._pairs.distances import Pairs, pairs_of
from isotropy_lab.projection._pairs.neighborhoods import neighbors_of_both

__all__ = ["PointQuality", "point_quality"]

Floats = NDArray[np.float64]
Indices = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PointQuality(Result):
    """Scores of each point of a projection, and neighbors of each point in the data and in the projection.

    Attributes
    ----------
    trustworthiness, continuity : numpy.ndarray of shape (N,)
        Scores in [0, 1]; 1 is best. The mean over all points is the score of the projection.
    stress : numpy.ndarray of shape (N,)
        Stress ≥ 0; 0 is best. The mean over all points is the square of the scale-normalized stress.
    map_neighbors, data_neighbors : numpy.ndarray of int, shape (N, K)
        Indices of the K nearest neighbors in the projection and in the data, nearest first.
    data_ranks, map_ranks : numpy.ndarray of int, shape (N, K)
        Ranks in the data of `map_neighbors`, and ranks in the projection of `data_neighbors`. A rank above K
        marks a false neighbor in the projection, or a neighbor that is missing from it.
    n_neighbors : int
        Number K of neighbors of each point.
    """

    trustworthiness: Floats
    continuity: Floats
    stress: Floats
    map_neighbors: Indices
    data_neighbors: Indices
    data_ranks: Indices
    map_ranks: Indices
    n_neighbors: int

    def false_neighbors(self, point: int) -> Indices:
        """Return the indices of neighbors in the projection that are not neighbors in the data."""
        return np.asarray(self.map_neighbors[point][self.data_ranks[point] > self.n_neighbors])

    def missing_neighbors(self, point: int) -> Indices:
        """Return the indices of neighbors in the data that are not neighbors in the projection."""
        return np.asarray(self.data_neighbors[point][self.map_ranks[point] > self.n_neighbors])


def point_quality(
    X: checks.Points, Y: checks.Points, *, n_neighbors: int = 7, metric: str = "euclidean"
) -> PointQuality:
    """Return trustworthiness, continuity, stress, and neighbors of each point in a projection.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; or, with ``metric="precomputed"``, their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Projection of the N points, in the same order.
    n_neighbors : int, default 7
        Number K of neighbors of each point: at least 1, and less than N/2.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Metric of `X`; "precomputed" allows any distances.

    Returns
    -------
    PointQuality

    Raises
    ------
    TypeError, ValueError
        If X or Y is not numeric, has fewer than 3 points, contains NaN or inf, or has only equal points; if
        their lengths differ; if precomputed distances are not distances; or if an option does not exist or is
        out of range.

    Notes
    -----
    The trustworthiness of a point is 1 − 2/(K(2N − 3K − 1)) Σ (R − K) over its K nearest neighbors in the
    projection whose rank R in the data exceeds K; for its continuity, data and projection are exchanged. Its
    stress is N Σ_j (d_ij − αe_ij)² / Σ_ij d_ij², where α is the optimal scale of the whole projection. Ties
    are broken as in `trustworthiness`. The scores are invariant under translation, rotation, and scaling of X
    and of Y. Cost: O(N²(n + t)) time, about three passes over the pairs, and 100 bytes for each of N·K
    neighbors. Venna and Kaski (2006).

    Examples
    --------
    >>> from isotropy_lab.projection import point_quality
    >>> line = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> exchanged = [[0.0], [1.0], [10.0], [2.0], [11.0], [12.0]]
    >>> points = point_quality(line, exchanged, n_neighbors=2)
    >>> points.trustworthiness.round(2).tolist(), points.false_neighbors(0).tolist()
    ([0.8, 0.8, 0.0, 0.0, 0.8, 0.8], [3])
    """
    pairs = pairs_of(X, Y, metric=metric)
    n = pairs.x.n_points
    k = check_neighbors(n_neighbors, n)
    map_neighbors, data_ranks, data_neighbors, map_ranks = neighbors_of_both(pairs, np.arange(n), k)
    worst = k * (2 * n - 3 * k - 1) / 2.0
    trust, continuity = (1.0 - np.maximum(r - k, 0).sum(axis=1) / worst for r in (data_ranks, map_ranks))
    neighbors_and_ranks = map_neighbors, data_neighbors, data_ranks, map_ranks
    return PointQuality(trust, continuity, _stress(pairs), *neighbors_and_ranks, k)


def _stress(pairs: Pairs) -> Floats:
    """Return each point's contribution to the scale-normalized stress, times the number of points."""
    scale = None
    dd, ee, rr, re = np.zeros((4, pairs.x.n_points))
    for rows, columns, D, E in pairs.tiles():
        if columns.start == rows.start:  # count each pair once
            below = np.tri(*D.shape, dtype=np.bool_)
            D[below] = E[below] = 0.0
        if scale is None:
            squares = float((E * E).sum())
            scale = float((D * E).sum()) / squares if squares > 0 else 0.0
        # Residuals at a scale near the optimal one preserve the digits of a small stress.
        residuals = D - scale * E
        for sums, product in ((dd, D * D), (ee, E * E), (rr, residuals * residuals), (re, residuals * E)):
            sums[rows] += product.sum(axis=1)
            sums[columns] += product.sum(axis=0)
    check_some_distance(float(dd.sum()), "X")
    check_some_distance(float(ee.sum()), "Y")
    correction = re.sum() / ee.sum()  # optimal scale minus `scale`
    squares_at_optimum = np.maximum(rr - 2.0 * correction * re + correction * correction * ee, 0.0)
    return np.asarray(squares_at_optimum * (dd.size / dd.sum()))
