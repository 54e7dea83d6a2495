"""Scores of one map, and the agreement of several maps of the same points."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from isotropy_lab._core.results import Result
from isotropy_lab.projection.faulty_regions import FaultyRegions, faulty_regions
from isotropy_lab.projection.point_quality import PointQuality, point_quality

Floats = NDArray[np.float64]
Indices = NDArray[Any]

SEARCHED = 1_500
"""Number of points in which regions are searched for; simulated data sets of this size take seconds."""

_COMPARED = 50
"""Number of the most frequent labels, whose centers are compared over the maps."""


@dataclass(frozen=True, eq=False)
class MapScores(Result):
    """Scores of one map.

    Attributes
    ----------
    name : str
        The name of the map.
    trustworthiness, continuity, stress : float
        Means of `points`; the stress is scale-normalized, with the root.
    false_neighbors : float
        Fraction of the neighbors in the map that are not neighbors in the data.
    false_by_chance : float
        The same fraction for a random map.
    reversed_triples : float
        Fraction of random triples of points A, B, C of which the map says that B is closer to A, and the data
        that C is.
    density_correlation : float
        Rank correlation of the distance from a point to its last neighbor in the data and in the map.
    points : PointQuality
        Scores and neighbors of each point.
    searched : numpy.ndarray of int
        The points among which regions were searched for.
    regions : FaultyRegions
        The regions of these points.
    invented_regions, torn_regions : int
        Numbers of regions of at least K points, which the page outlines.
    """

    name: str
    trustworthiness: float
    continuity: float
    stress: float
    false_neighbors: float
    false_by_chance: float
    reversed_triples: float
    density_correlation: float
    points: PointQuality
    searched: Indices
    regions: FaultyRegions
    invented_regions: int
    torn_regions: int


def map_scores(X: Any, Y: Any, *, name: str, n_neighbors: int, rng: np.random.Generator) -> MapScores:
    """Return the scores of one map of the rows of X."""
    n = len(X)
    points = point_quality(X, Y, n_neighbors=n_neighbors)
    searched = np.arange(n) if n <= SEARCHED else np.sort(rng.choice(n, SEARCHED, replace=False))
    k = min(n_neighbors, (searched.size - 1) // 2)
    found = faulty_regions(X[searched], Y[searched], n_neighbors=k, rng=rng)
    reaches = [np.linalg.norm(side - side[near[:, -1]], axis=1)
               for side, near in ((X, points.data_neighbors), (Y, points.map_neighbors))]  # fmt: skip
    large = [int((np.bincount(one[one >= 0]) >= n_neighbors).sum()) for one in (found.invented, found.torn)]
    varied = bool(np.ptp(reaches, axis=1).all())
    return MapScores(
        name=name,
        trustworthiness=float(points.trustworthiness.mean()),
        continuity=float(points.continuity.mean()),
        stress=float(np.sqrt(points.stress.mean())),
        false_neighbors=float((points.data_ranks > n_neighbors).mean()),
        false_by_chance=1.0 - n_neighbors / (n - 1),
        reversed_triples=_reversed_triples(X, Y, rng),
        density_correlation=float(stats.spearmanr(*reaches).statistic) if varied else 0.0,
        points=points,
        searched=searched,
        regions=found,
        invented_regions=large[0],
        torn_regions=large[1],
    )


def _reversed_triples(X: Any, Y: Any, rng: np.random.Generator) -> float:
    """Return the fraction of random triples whose two distances have opposite orders in data and map."""
    triples = rng.integers(len(X), size=(20_000, 3))
    a, b, c = triples[(np.diff(np.sort(triples, axis=1), axis=1) > 0).all(axis=1)].T
    differences = [
        np.linalg.norm(side[a] - side[b], axis=1) - np.linalg.norm(side[a] - side[c], axis=1)
        for side in (X, Y)
    ]
    return float((np.sign(differences[0]) * np.sign(differences[1]) < 0).mean())


@dataclass(frozen=True, eq=False)
class Stability(Result):
    """Agreement of several maps of the same points.

    Attributes
    ----------
    points : numpy.ndarray of shape (N,)
        For each point, the mean over pairs of maps of the fraction of its neighbors that both maps have.
    disparity : float
        Largest Procrustes distance of two maps, in [0, 1]: the residual sum of squares after the best
        translation, rotation, reflection, and scale; 0 for maps of the same shape.
    pairs : list of tuple
        For each two of the 50 most frequent labels, their names, and the smallest and largest distance of
        their centers over the maps, as a multiple of the median such distance; the least stable pair first.
    """

    points: Floats
    disparity: float
    pairs: list[tuple[str, str, float, float]]


def stability(maps: list[MapScores], positions: list[Floats], labels: Any, names: list[str]) -> Stability:
    """Compare the maps; `labels` has the number of each point's label, whose names are `names`."""
    near = [np.sort(one.points.map_neighbors, axis=1) for one in maps]
    n, k = near[0].shape
    shared = np.zeros(n)
    two = list(itertools.combinations(range(len(maps)), 2))
    offset = (np.arange(n) * n)[:, None]  # a unique index for each point and neighbor
    for a, b in two:
        shared += np.isin(near[a] + offset, near[b] + offset, assume_unique=True).sum(axis=1) / k
    disparity = max(float(procrustes(positions[a], positions[b])[2]) for a, b in two)
    return Stability(shared / len(two), disparity, _pairs(positions, labels, names[:_COMPARED]))


def _pairs(positions: list[Floats], labels: Any, names: list[str]) -> list[tuple[str, str, float, float]]:
    if len(names) < 3:
        return []
    rows, columns = np.triu_indices(len(names), 1)
    distances = []
    for Y in positions:
        centers = np.array([np.median(Y[labels == one], axis=0) for one in range(len(names))])
        of_pairs = cdist(centers, centers)[rows, columns]
        distances.append(of_pairs / np.median(of_pairs) if np.median(of_pairs) > 0 else of_pairs)
    low, high = np.min(distances, axis=0), np.max(distances, axis=0)
    order = np.argsort(-high / np.maximum(low, 1e-300), kind="stable")
    return [(names[rows[i]], names[columns[i]], float(low[i]), float(high[i])) for i in order]
