"""Regions in which a projection is wrong, found by comparison with simulated data."""

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
from isotropy_lab.projection._pairs.distances import Distances, pairs_of
from isotropy_lab.projection._pairs.neighborhoods import nearest, row_blocks

__all__ = ["FaultyRegions", "faulty_regions"]

Floats = NDArray[np.float64]
Indices = NDArray[Any]

_N_HALVINGS = 6
"""Bisection steps for the amount of noise: error at most 1.6%, or 1/64 if the amount is below 1."""

_MAX_NOISE = 2.0**10
"""Largest amount of noise, at which the projection says nothing about the data."""


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
        Score of each point: the mean of log max(1, d/d_K) over its K neighbors on one side, where d is their
        distance and d_K that of the Kth nearest point, both on the other side; then averaged over the point
        and its neighbors.
    invented_limit, torn_limit : float
        Largest scores under the null hypotheses, which the scores of a region exceed. Simulations end as soon
        as no score exceeds the limit.
    """

    invented: Indices
    torn: Indices
    n_invented: int
    n_torn: int
    invented_score: Floats
    torn_score: Floats
    invented_limit: float
    torn_limit: float


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
        Data, projection, and metric: see `point_quality`.
    n_neighbors : int, default 10
        Number K of neighbors of each point: at least 1, and less than N/2.
    n_simulations : int, default 39
        Number of data sets simulated under each null hypothesis, ≥ 1; the level is 1/(n_simulations + 1).
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the simulated data.

    Returns
    -------
    FaultyRegions

    Raises
    ------
    TypeError, ValueError
        As in `point_quality`; or if `n_simulations` is less than 1.

    Notes
    -----
    Under the null hypotheses, the projection shows all points at their true positions, and the data differ
    from it only by Gaussian noise in other dimensions: in two, or in n − t but at most 10. The noise has the
    same standard deviation at all points, or one that is proportional to the distance from a point to its Kth
    neighbor in the projection. Its amount is chosen so that the median score is that of the data. All
    simulations have the positions and the density of `Y`. The scores of a region exceed the largest score of
    every simulation under all four hypotheses. Such points are in one region if they are linked by neighbors.

    A projection in which all points have equally bad neighborhoods has no faulty region: look at
    `trustworthiness`. Faults that affect more than half of the points enter the null hypothesis, and many of
    them remain undetected. The regions are invariant under translation, rotation, and scale of X and of Y up
    to the order of ties. Cost: at most 8(n_simulations + 16), by default 440, searches for the neighbors of N
    points with at most t + 10 coordinates.

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
    positions = pairs.y.points - pairs.y.points.mean(axis=0, dtype=np.float64)
    check_some_distance(float(np.abs(positions).max()), "Y")
    positions /= np.abs(positions).max()
    in_map = nearest(pairs.y, np.arange(n), k)
    sides = _sides(pairs.x, pairs.y, in_map)
    radii = np.linalg.norm(positions - positions[in_map[:, -1]], axis=1)
    limits = np.zeros(2)
    dimensions = {2, max(1, min(10, (pairs.x.n_dimensions or n) - pairs.y.n_dimensions))}
    for spread, n_dimensions in itertools.product((radii, np.full(n, np.median(radii))), sorted(dimensions)):
        null = _Null(positions, in_map, spread[:, None], n_dimensions)
        for i, side in enumerate(sides):
            limits[i] = null.limit(i, side, limits[i], n_simulations, generator)
    invented, torn = (side.regions(limit) for side, limit in zip(sides, limits, strict=True))
    n_regions = int(invented.max()) + 1, int(torn.max()) + 1
    scores = sides[0].smooth_scores(), sides[1].smooth_scores()
    return FaultyRegions(invented, torn, *n_regions, *scores, *limits.tolist())


@dataclass(frozen=True)
class _Side:
    """Neighbors of each point on one side, and scores of the points by distances on the other side."""

    scores: Floats
    neighbors: Indices

    def smooth_scores(self) -> Floats:
        """Return the mean score of each point and its neighbors."""
        neighbor_scores = self.scores[self.neighbors]
        return np.asarray((self.scores + neighbor_scores.sum(axis=1)) / (1 + neighbor_scores.shape[1]))

    def regions(self, limit: float) -> Indices:
        """Return the region of each point whose smoothed score exceeds the limit, and −1 for the others."""
        inside = np.flatnonzero(self.smooth_scores() > limit)
        rows, columns = np.repeat(inside, self.neighbors.shape[1]), self.neighbors[inside].ravel()
        regions = np.full(self.scores.size, -1)
        graph = coo_array((np.ones(rows.size), (rows, columns)), shape=2 * regions.shape).tocsr()
        labels = csgraph.connected_components(graph, directed=False)[1][inside]
        _, first, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
        regions[inside] = np.argsort(np.lexsort((first, -sizes)))[codes]
        return regions


def _sides(x: Distances, y: Distances, in_map: Indices) -> tuple[_Side, _Side]:
    """Return both sides, the projection and the data; `in_map` contains neighbors in the projection."""
    in_data = nearest(x, np.arange(x.n_points), in_map.shape[1])
    return _side(x, in_map, in_data), _side(y, in_data, in_map)


def _side(other: Distances, neighbors: Indices, nearest_on_other: Indices) -> _Side:
    """Return neighbors on one side, and scores of the points by their distances on the other side."""
    n, k = neighbors.shape
    scores = np.zeros(n)
    for block in row_blocks(n, k * max(other.n_dimensions, 1)):
        radius = _distances(other, block, nearest_on_other[block, -1:])
        distances = np.maximum(_distances(other, block, neighbors[block]), radius)
        # If K points coincide with a point, any other point is infinitely farther; count it as twice as far.
        ratios = np.divide(distances, radius, out=np.where(distances > radius, 2.0, 1.0), where=radius > 0)
        scores[block] = np.log(ratios).mean(axis=1)
    return _Side(scores, neighbors)


def _distances(side: Distances, rows: slice, others: Indices) -> Floats:
    """Return the distances of points from the given other points, one row per point."""
    if side.precomputed:
        return np.take_along_axis(side.points[rows], others, axis=1)
    differences = side.points[rows, None, :] - side.points[others]
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", differences, differences, dtype=np.float64)))


@dataclass(frozen=True)
class _Null:
    """A null hypothesis: true positions, and noise of the same relative amount at all points."""

    positions: Floats
    neighbors: Indices
    spread: Floats
    n_dimensions: int

    def random_noise(self, rng: np.random.Generator) -> Floats:
        """Return standardized random noise for all points."""
        return rng.standard_normal((len(self.positions), self.n_dimensions)) * self.spread

    def simulate(self, amount: float, noise: Floats) -> tuple[_Side, _Side]:
        """Return both sides, the projection and simulated data."""
        data = Distances(np.hstack([self.positions, amount * noise]), 0.0)
        return _sides(data, Distances(self.positions, 0.0), self.neighbors)

    def limit(self, i: int, side: _Side, limit: float, n: int, rng: np.random.Generator) -> float:
        """Return the largest score in n simulations, or `limit` if larger; stop once no region can remain."""
        largest = float(side.smooth_scores().max())
        amount = self.noise_amount(i, float(np.median(side.scores)), rng) if limit < largest else 0.0
        for _ in range(n):
            if limit >= largest:
                break
            limit = max(limit, float(self.simulate(amount, self.random_noise(rng))[i].smooth_scores().max()))
        return limit

    def noise_amount(self, i: int, target: float, rng: np.random.Generator) -> float:
        """Return the amount of noise for which the median score of side i is the target."""
        noise = self.random_noise(rng)

        def is_enough(amount: float) -> bool:
            return float(np.median(self.simulate(amount, noise)[i].scores)) >= target

        low, high = 0.0, 1.0
        while high < _MAX_NOISE and not is_enough(high):
            low, high = high, 2.0 * high
        for _ in range(_N_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high
