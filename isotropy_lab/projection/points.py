"""Scores of single points in a projection, and regions in which a projection is wrong."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csgraph

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_neighbors, check_some_distance
from isotropy_lab.projection._pairs.distances import Distances, Pairs, pairs_of
from isotropy_lab.projection._pairs.neighborhoods import nearest, neighbors_of_both, row_blocks

__all__ = ["FaultyRegions", "PointQuality", "faulty_regions", "point_quality"]

Floats = NDArray[np.float64]
Indices = NDArray[Any]

_HALVINGS = 6
"""Steps of the search for the amount of noise, to 2% of the amount."""

_MOST = 2.0**10
"""Largest amount of noise, at which the projection says nothing about the data."""


@dataclass(frozen=True, eq=False)
class PointQuality(Result):
    """Scores of each point of a projection, and neighbors of each point in the data and in the projection.

    Attributes
    ----------
    trustworthiness, continuity : numpy.ndarray of shape (N,)
        In [0, 1], 1 is best. The mean over all points is the score of the projection.
    stress : numpy.ndarray of shape (N,)
        At least 0, 0 is best. The mean over all points is the square of the scale-normalized stress.
    map_neighbors, data_neighbors : numpy.ndarray of int, shape (N, K)
        Indices of the K nearest neighbors in the projection and in the data, nearest first.
    data_ranks, map_ranks : numpy.ndarray of int, shape (N, K)
        Ranks in the data of `map_neighbors`, and ranks in the projection of `data_neighbors`. A rank above K
        marks a false neighbor in the first, and a missing neighbor in the second.
    n_neighbors : int
        Neighbors K of each point.
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


@dataclass(frozen=True, eq=False)
class FaultyRegions(Result):
    """Regions of a projection with larger errors than equally strong noise at all points would cause.

    Attributes
    ----------
    invented, torn : numpy.ndarray of int, shape (N,)
        Region of each point, numbered from 0 by decreasing size, or −1. An invented region has neighbors in
        the projection that are far apart in the data. A torn region has neighbors in the data that are far
        apart in the projection.
    n_invented, n_torn : int
        Numbers of regions.
    invented_score, torn_score : numpy.ndarray of shape (N,)
        Mean over a point and its neighbors of the logarithm of how many times farther the K neighbors on one
        side are on the other than the Kth neighbor there, and 0 for those that are not farther.
    invented_limit, torn_limit : float
        The largest scores under the null hypotheses, which the scores of a region exceed. Simulations end
        early where no score exceeds the limit.
    """

    invented: Indices
    torn: Indices
    n_invented: int
    n_torn: int
    invented_score: Floats
    torn_score: Floats
    invented_limit: float
    torn_limit: float


def point_quality(
    X: checks.Points, Y: checks.Points, *, n_neighbors: int = 7, metric: str = "euclidean"
) -> PointQuality:
    """Return trustworthiness, continuity, stress, and neighbors of each point in a projection.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection.
    n_neighbors : int, default 7
        Neighbors K of each point: at least 1, less than N/2.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Of `X`; "precomputed" allows any distances.

    Returns
    -------
    PointQuality

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity, or all points coincide; their lengths
        differ; precomputed distances are not distances; an option is unknown or out of range.

    Notes
    -----
    The trustworthiness of a point is 1 − 2/(K(2N − 3K − 1)) Σ (R − K) over its K nearest neighbors in the
    projection whose rank R in the data exceeds K; its continuity exchanges data and projection. Its stress is
    N Σ_j (d_ij − αe_ij)² / Σ_ij d_ij², where α is the optimal scale of the whole projection. Ties are broken
    as in `trustworthiness`. Invariant under translation, rotation, and scale of X and of Y.

    Cost: O(N²(n + t)) time, about three passes over the pairs, and 100 bytes for each of N·K neighbors. Venna
    and Kaski (2006).

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
    stress = _stress(pairs)
    map_neighbors, data_ranks, data_neighbors, map_ranks = neighbors_of_both(pairs, np.arange(n), k)
    worst = k * (2 * n - 3 * k - 1) / 2.0
    trust, kept = (1.0 - np.maximum(ranks - k, 0).sum(axis=1) / worst for ranks in (data_ranks, map_ranks))
    return PointQuality(trust, kept, stress, map_neighbors, data_neighbors, data_ranks, map_ranks, k)


def faulty_regions(
    X: checks.Points,
    Y: checks.Points,
    *,
    n_neighbors: int = 10,
    metric: str = "euclidean",
    n_simulations: int = 39,
    rng: checks.RandomState = None,
) -> FaultyRegions:
    """Find regions that exist only in a projection, and regions that the projection tears apart.

    Parameters
    ----------
    X, Y, metric
        The data, their projection, and how the data are compared, as in `point_quality`.
    n_neighbors : int, default 10
        Neighbors K of each point: at least 1, less than N/2.
    n_simulations : int, default 39
        Data sets to simulate under each null hypothesis, at least 1; the level is 1/(n_simulations + 1).
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the simulated data.

    Returns
    -------
    FaultyRegions

    Raises
    ------
    TypeError, ValueError
        See `point_quality`; `n_simulations` is less than 1.

    Notes
    -----
    Under the null hypotheses the projection shows all points at their true positions, and the data differ
    from it only by Gaussian noise in other dimensions: in two, or in n − t but at most 10. The noise has the
    same standard deviation at all points, or one that is proportional to the distance from a point to its Kth
    neighbor in the projection. Its amount gives the median score of the data. Simulated projections therefore
    have the positions and the density of `Y`. The scores of a region exceed the largest score of every
    simulation under all four hypotheses. Such points are in one region if they are or share neighbors.

    A projection in which all points have equally bad neighborhoods has no faulty region: look at
    `trustworthiness`. Faults that affect more than half of the points enter the null hypothesis, and many of
    them remain undetected. Invariant under translation, rotation, and scale of X and of Y up to the order of
    ties. Cost: at most 400 searches for the neighbors of N points with 12 coordinates.

    Examples
    --------
    >>> from isotropy_lab.projection import faulty_regions
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 5)) + 9 * np.eye(3, 5)[np.arange(300) % 3]  # three clusters
    >>> Y = X[:, :2] - 9 * np.eye(3, 2)[np.arange(300) % 3]  # laid on top of one another
    >>> regions = faulty_regions(X, Y + [20, 0] * (np.arange(300) % 3 == 2)[:, None], rng=0)
    >>> regions.n_torn, bool((np.flatnonzero(regions.invented == 0) % 3 < 2).all())
    (0, True)
    """
    pairs = pairs_of(X, Y, metric=metric)
    n = pairs.x.n_points
    k = check_neighbors(n_neighbors, n)
    n_simulations = checks.check_integer(n_simulations, "n_simulations", low=1)
    generator = checks.as_generator(rng)
    positions = np.asarray(pairs.y.points, dtype=np.float64)
    positions = positions - positions.mean(axis=0)
    check_some_distance(float(np.abs(positions).max()), "Y")
    positions /= np.abs(positions).max()
    found = _sides(pairs.x, pairs.y, k)
    reach = np.sqrt(np.square(positions - positions[found[0].neighbors[:, -1]]).sum(axis=1))
    limits = np.zeros(2)
    n_columns = {2, max(1, min(10, (pairs.x.n_dimensions or n) - pairs.y.n_dimensions))}
    for spread, columns in itertools.product((reach, np.full(n, np.median(reach))), sorted(n_columns)):
        null = _Null(positions, found[0].neighbors, spread[:, None], columns, k)
        for kind, side in enumerate(found):
            limits[kind] = null.limit(kind, side, limits[kind], n_simulations, generator)
    invented, torn = (side.regions(limit) for side, limit in zip(found, limits, strict=True))
    return FaultyRegions(
        invented=invented,
        torn=torn,
        n_invented=int(invented.max()) + 1,
        n_torn=int(torn.max()) + 1,
        invented_score=found[0].smoothed(),
        torn_score=found[1].smoothed(),
        invented_limit=float(limits[0]),
        torn_limit=float(limits[1]),
    )


@dataclass(frozen=True)
class _Side:
    """The neighbors of each point on one side, with their distances on the other side."""

    scores: Floats
    neighbors: Indices

    def smoothed(self) -> Floats:
        """Return the mean score of each point and its neighbors."""
        near = self.scores[self.neighbors]
        return np.asarray((self.scores + near.sum(axis=1)) / (1 + near.shape[1]))

    def regions(self, limit: float) -> Indices:
        """Return the number of the region of each point whose smoothed score exceeds the limit."""
        inside = np.flatnonzero(self.smoothed() > limit)
        rows, columns = np.repeat(inside, self.neighbors.shape[1]), self.neighbors[inside].ravel()
        n = self.scores.size
        linked = coo_array((np.ones(rows.size), (rows, columns)), shape=(n, n)).tocsr()
        labels = csgraph.connected_components(linked, directed=False)[1][inside]
        _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        numbers = np.full(n, -1)
        numbers[inside] = np.argsort(order)[np.searchsorted(np.unique(labels), labels)]
        return numbers


def _sides(x: Distances, y: Distances, k: int, in_map: Indices | None = None) -> tuple[_Side, _Side]:
    """Return the neighbors in the projection and in the data, with their scores."""
    points = np.arange(x.n_points)
    in_map = nearest(y, points, k) if in_map is None else in_map
    in_data = nearest(x, points, k)
    return _side(x, in_map, in_data), _side(y, in_data, in_map)


def _side(other: Distances, neighbors: Indices, true: Indices) -> _Side:
    """Return the scores of neighbors by their distances on the other side, whose own neighbors are `true`."""
    n, k = neighbors.shape
    scores = np.zeros(n)
    for part in row_blocks(n, k * max(other.n_dimensions, 1)):
        reach = _distances(other, part, true[part, -1:])
        apart = np.maximum(_distances(other, part, neighbors[part]), reach)
        # If K points coincide with a point, any other point is infinitely farther; count it as twice as far.
        ratios = np.divide(apart, reach, out=np.where(apart > reach, 2.0, 1.0), where=reach > 0)
        scores[part] = np.log(ratios).mean(axis=1)
    return _Side(scores, neighbors)


def _distances(side: Distances, rows: slice, others: Indices) -> Floats:
    """Return the distances of points from the given other points, one row per point."""
    if side.precomputed:
        return np.take_along_axis(side.points[rows], others, axis=1)
    gaps = side.points[rows, None, :] - side.points[others]
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps, dtype=np.float64)))


@dataclass(frozen=True)
class _Null:
    """The null hypothesis: true positions, and noise of the same relative amount at all points."""

    positions: Floats
    neighbors: Indices
    spread: Floats
    n_columns: int
    k: int

    def noise(self, rng: np.random.Generator) -> Floats:
        """Return standardized random noise for all points."""
        return rng.standard_normal((len(self.positions), self.n_columns)) * self.spread

    def sides(self, amount: float, noise: Floats) -> tuple[_Side, _Side]:
        """Return the neighbors in the projection and in simulated data."""
        data = Distances(np.hstack([self.positions, amount * noise]), 0.0)
        return _sides(data, Distances(self.positions, 0.0), self.k, self.neighbors)

    def limit(self, kind: int, side: _Side, limit: float, n: int, rng: np.random.Generator) -> float:
        """Return the largest score in n simulations, or `limit` if larger; stop once no region can remain."""
        largest = float(side.smoothed().max())
        amount = self.amount(kind, float(np.median(side.scores)), rng) if limit < largest else 0.0
        for _ in range(n):
            if limit >= largest:
                break
            limit = max(limit, float(self.sides(amount, self.noise(rng))[kind].smoothed().max()))
        return limit

    def amount(self, kind: int, target: float, rng: np.random.Generator) -> float:
        """Return the amount of noise for which the median score equals that of the data on one side."""
        noise = self.noise(rng)

        def reaches(amount: float) -> bool:
            return float(np.median(self.sides(amount, noise)[kind].scores)) >= target

        high = 1.0
        while high < _MOST and not reaches(high):
            high *= 2.0
        low = 0.0 if high == 1.0 else high / 2.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high


def _stress(pairs: Pairs) -> Floats:
    """Return each point's contribution to the scale-normalized stress, times the number of points."""
    n, reference = pairs.x.n_points, None
    dd, ee, rr, re = np.zeros((4, n))
    for rows, columns, D, E in pairs.tiles():
        if columns.start == rows.start:  # count each pair once
            below = np.tri(*D.shape, dtype=np.bool_)
            D[below] = E[below] = 0.0
        if reference is None:
            squares = float((E * E).sum())
            reference = float((D * E).sum()) / squares if squares > 0 else 0.0
        # Residuals at a scale near the optimal one preserve the digits of a small stress.
        residuals = D - reference * E
        for sums, product in ((dd, D * D), (ee, E * E), (rr, residuals * residuals), (re, residuals * E)):
            sums[rows] += product.sum(axis=1)
            sums[columns] += product.sum(axis=0)
    check_some_distance(float(dd.sum()), "X")
    check_some_distance(float(ee.sum()), "Y")
    step = re.sum() / ee.sum()
    residual = np.maximum(rr - 2.0 * step * re + step * step * ee, 0.0)
    return np.asarray(residual * (n / dd.sum()))
