"""Scores of one map and of reference maps, and the agreement of several maps of the same points."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist

from isotropy_lab._core.results import Result
from isotropy_lab.projection.faulty_regions import FaultyRegions, faulty_regions
from isotropy_lab.projection.point_quality import PointQuality, point_quality

Floats = NDArray[np.float64]
Indices = NDArray[Any]

_N_LABELS = 50
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
    reversed_triples : float
        Fraction of random triples of points A, B, C for which B is closer to A in the map, and C is closer to
        A in the data.
    density_correlation : float
        Rank correlation of the distance from a point to its last neighbor in the data and in the map.
    points : PointQuality
        Scores and neighbors of each point.
    searched : numpy.ndarray of int
        The points among which regions were searched for.
    regions : FaultyRegions
        The regions of these points.
    """

    name: str
    trustworthiness: float
    continuity: float
    stress: float
    false_neighbors: float
    reversed_triples: float
    density_correlation: float
    points: PointQuality
    searched: Indices
    regions: FaultyRegions


def map_scores(
    X: Any, Y: Any, *, name: str, n_neighbors: int, searched: Indices, rng: np.random.Generator
) -> MapScores:
    """Return the scores of one map of the rows of X, and the regions of the `searched` rows."""
    points = point_quality(X, Y, n_neighbors=n_neighbors)
    k = min(n_neighbors, (searched.size - 1) // 2)
    regions = faulty_regions(X[searched], Y[searched], n_neighbors=k, rng=rng)
    return MapScores(
        name=name, **mean_scores(X, Y, points, rng), points=points, searched=searched, regions=regions
    )


def mean_scores(X: Any, Y: Any, points: PointQuality, rng: np.random.Generator) -> dict[str, float]:
    """Return the scores of a whole map, by the names of `MapScores`."""
    radii = [np.linalg.norm(side - side[neighbors[:, -1]], axis=1)
               for side, neighbors in ((X, points.data_neighbors), (Y, points.map_neighbors))]  # fmt: skip
    is_varied = bool(np.ptp(radii, axis=1).all())
    return {
        "trustworthiness": float(points.trustworthiness.mean()),
        "continuity": float(points.continuity.mean()),
        "stress": float(np.sqrt(points.stress.mean())),
        "false_neighbors": float((points.data_ranks > points.n_neighbors).mean()),
        "reversed_triples": _reversed_triples(X, Y, rng),
        "density_correlation": float(stats.spearmanr(*radii).statistic) if is_varied else 0.0,
    }


def mean_ratios(side: Any, shown: Indices, nearest: Indices) -> Floats:
    """Return the mean distance of each point from `shown`, divided by that from `nearest`, in `side`."""
    start = np.zeros(len(side))
    a, b = (sum((np.linalg.norm(side - side[column], axis=1) for column in neighbors.T), start)
            for neighbors in (shown, nearest))  # fmt: skip
    return np.asarray(np.divide(a, b, out=np.where(a > 0, np.inf, 1.0), where=b > 0))


def references(X: Any, maps: dict[str, Any], n_neighbors: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the scores of the maps of the rows of X, and last those of a t-SNE and a PCA map of them."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    rows = np.hstack([X, np.zeros((len(X), 1))])  # at least two columns
    for _ in range(2):  # neither the mean nor a square overflows
        rows /= np.abs(rows).max() or 1.0
        rows -= rows.mean(axis=0)
    seed, k = int(rng.integers(2**31)), min(n_neighbors, (len(X) - 1) // 2)
    tsne = TSNE(init="pca", perplexity=min(30.0, (len(X) - 1) / 3), random_state=seed)
    makers = {"t-SNE": tsne, "PCA": PCA(2, random_state=seed)}
    layouts = maps | {f"{name} of these data": maker.fit_transform(rows) for name, maker in makers.items()}
    scores = {name: mean_scores(X, Y, point_quality(X, Y, n_neighbors=k), rng) for name, Y in layouts.items()}
    return pd.DataFrame.from_dict(scores, orient="index")


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
    neighbors = [np.sort(scores.points.map_neighbors, axis=1) for scores in maps]
    offset = (np.arange(len(labels)) * len(labels))[:, None]  # a unique index for each point and neighbor
    pairs = itertools.combinations(neighbors, 2)
    shared = [np.isin(a + offset, b + offset, assume_unique=True).mean(axis=1) for a, b in pairs]
    disparity = max(float(procrustes(a, b)[2]) for a, b in itertools.combinations(positions, 2))
    return Stability(np.mean(shared, axis=0), disparity, _distances(positions, labels, names[:_N_LABELS]))


def _distances(positions: list[Floats], labels: Any, names: list[str]) -> list[tuple[str, str, float, float]]:
    if len(names) < 3:
        return []
    distances = []
    for Y in positions:
        pair_distances = pdist([np.median(Y[labels == label], axis=0) for label in range(len(names))])
        distances.append(pair_distances / (np.median(pair_distances) or 1.0))
    low, high = np.min(distances, axis=0), np.max(distances, axis=0)
    label_pairs = [*itertools.combinations(names, 2)]
    order = np.argsort(-high / np.maximum(low, 1e-300), kind="stable")
    return [(*label_pairs[i], float(low[i]), float(high[i])) for i in order]
