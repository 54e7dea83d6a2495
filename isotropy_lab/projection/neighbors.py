"""Neighbors preserved by a projection: trustworthiness, continuity, and co-ranking curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_neighbors
from isotropy_lab.projection._pairs.distances import Distances, Pairs, pairs_of
from isotropy_lab.projection._pairs.neighborhoods import co_ranks, nearest, neighbors_of_both, ranks_of

__all__ = [
    "NeighborhoodCurve",
    "NeighborhoodScores",
    "continuity",
    "neighborhood_curve",
    "neighborhood_scores",
    "trustworthiness",
]

Floats = NDArray[np.float64]
Indices = NDArray[Any]


@dataclass(frozen=True, eq=False)
class NeighborhoodScores(Result):
    """Trustworthiness and continuity for one or more numbers of neighbors.

    Attributes
    ----------
    n_neighbors : numpy.ndarray of int, shape (m,)
        Numbers K of neighbors of each point.
    trustworthiness, continuity : numpy.ndarray of shape (m,)
        Scores in [0, 1]; 1 is best.
    trustworthiness_error, continuity_error : numpy.ndarray of shape (m,)
        Standard errors due to the sampling of points; 0 if all points were used.
    trustworthiness_low, trustworthiness_high, continuity_low, continuity_high : numpy.ndarray of shape (m,)
        Ends of the confidence intervals, within [0, 1].
    confidence_level : float
        Nominal coverage.
    n_points, n_rows : int
        Number of points N, and number of points whose neighbors were compared (among all N points).
    """

    n_neighbors: NDArray[np.int64]
    trustworthiness: Floats
    continuity: Floats
    trustworthiness_error: Floats
    continuity_error: Floats
    trustworthiness_low: Floats
    trustworthiness_high: Floats
    continuity_low: Floats
    continuity_high: Floats
    confidence_level: float
    n_points: int
    n_rows: int


@dataclass(frozen=True, eq=False)
class NeighborhoodCurve(Result):
    """Fractions of neighbors that a projection preserves, by neighborhood size.

    Attributes
    ----------
    n_neighbors : numpy.ndarray of int, shape (N − 2,)
        Numbers K of neighbors, from 1 to N − 2.
    kept : numpy.ndarray of shape (N − 2,)
        Q_NX(K), the fraction of the K nearest neighbors in the data that are also nearest in the projection.
    above_chance : numpy.ndarray of shape (N − 2,)
        R_NX(K), which is Q_NX(K) rescaled to 0 for a random projection and 1 for a perfect one.
    trustworthiness, continuity : numpy.ndarray of shape (N − 2,)
        Scores in [0, 1]; 1 is best.
    auc : float
        Mean of `above_chance` with weights 1/K, which is the area under its curve over log K and emphasizes
        small neighborhoods.
    n_points : int
        Number of points N.
    """

    n_neighbors: NDArray[np.int64]
    kept: Floats
    above_chance: Floats
    trustworthiness: Floats
    continuity: Floats
    auc: float
    n_points: int


def trustworthiness(
    X: checks.Points, Y: checks.Points, *, n_neighbors: int = 5, metric: str = "euclidean"
) -> float:
    """Return a projection's trustworthiness: whether neighbors in the projection are neighbors in the data.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; or, with ``metric="precomputed"``, their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Projection of the N points, in the same order.
    n_neighbors : int, default 5
        Number K of neighbors of each point: at least 1, and less than N/2.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Metric of `X`; "precomputed" allows any distances.

    Returns
    -------
    float
        1 − 2/(NK(2N − 3K − 1)) Σ (R − K), where the sum is over pairs whose rank in the projection is at most
        K and whose rank R in the data is greater than K. The score is in [0, 1]; 1 is best, and random
        projections score about ½.

    Raises
    ------
    TypeError, ValueError
        If X or Y is not numeric, has fewer than 3 points, or contains NaN or inf; if their lengths differ; if
        precomputed distances are not distances; or if an option does not exist or is out of range.

    Notes
    -----
    The result is exact for any number of points. Distances are rounded to 40 bits, about 12 digits; of tied
    points, the one that comes first in X and Y ranks first, and a point has no rank with respect to itself.
    Without ties, the result equals that of scikit-learn, which orders tied points arbitrarily. Invariant
    under translation, rotation, and scaling of X and Y, and under increasing functions of the distances of
    either.

    The cost is O(N²(n + t)) time. Memory is about 80 bytes for each of the N·K neighbors plus tiles of about
    200 MB; scikit-learn needs at least 8 bytes for each of the N² pairs. The measure is that of Venna and
    Kaski (2006).

    Examples
    --------
    >>> from isotropy_lab.projection import trustworthiness
    >>> line = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> exchanged = [[0.0], [1.0], [10.0], [2.0], [11.0], [12.0]]
    >>> round(trustworthiness(line, exchanged, n_neighbors=2), 3)
    0.533
    """
    pairs = pairs_of(X, Y, metric=metric)
    return trustworthiness_of(pairs.x, pairs.y, n_neighbors)


def continuity(
    X: checks.Points, Y: checks.Points, *, n_neighbors: int = 5, metric: str = "euclidean"
) -> float:
    """Return the continuity of a projection: whether neighbors in the data are neighbors in the projection.

    Parameters
    ----------
    X, Y, n_neighbors, metric
        Data, projection, and options: see `trustworthiness`.

    Returns
    -------
    float
        1 − 2/(NK(2N − 3K − 1)) Σ (r − K), where the sum is over pairs whose rank in the data is at most K and
        whose rank r in the projection is greater than K. The score is in [0, 1]; 1 is best, and random
        projections score about ½.

    Raises
    ------
    TypeError, ValueError
        As in `trustworthiness`.

    Notes
    -----
    Continuity (Venna and Kaski 2006) is the trustworthiness of X as a projection of Y. Ties, invariances, and
    cost are those of `trustworthiness`.

    Examples
    --------
    >>> from isotropy_lab.projection import continuity
    >>> torn = [[0.0], [20.0], [1.0], [21.0], [2.0], [22.0]]
    >>> round(continuity([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], torn, n_neighbors=1), 3)
    0.333
    """
    pairs = pairs_of(X, Y, metric=metric)
    return trustworthiness_of(pairs.y, pairs.x, n_neighbors)


def neighborhood_scores(
    X: checks.Points,
    Y: checks.Points,
    *,
    n_neighbors: ArrayLike = 7,
    metric: str = "euclidean",
    n_rows: int | None = None,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> NeighborhoodScores:
    """Compute trustworthiness and continuity for several numbers of neighbors in one pass.

    Parameters
    ----------
    X, Y, metric
        Data, projection, and metric: see `trustworthiness`.
    n_neighbors : int or array-like of int, default 7
        Numbers of neighbors, each at least 1 and less than N/2.
    n_rows : int, optional
        Number of points, at least 2, drawn at random to estimate the scores from their neighbors and ranks
        among all points. By default, or if there are fewer points, all of them are used.
    confidence_level : float, default 0.95
        Nominal coverage of the intervals, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the points.

    Returns
    -------
    NeighborhoodScores

    Raises
    ------
    TypeError, ValueError
        As in `trustworthiness`.

    Notes
    -----
    Ties, invariances, and the cost for all points are those of `trustworthiness` (Venna and Kaski 2006). A
    sample takes O(n_rows · N(n + t)) time and memory for n_rows · K neighbors. A score is a mean over points,
    so a random sample estimates it without bias. The standard error is that of a mean of draws without
    replacement, and the intervals use Student's t; if all sampled points have a perfect score, the standard
    error is 0. The scores *of* a random subset differ, because its neighborhoods are larger.

    Examples
    --------
    >>> from isotropy_lab.projection import neighborhood_scores
    >>> X = np.random.default_rng(0).standard_normal((300, 5))
    >>> scores = neighborhood_scores(X, X[:, :2], n_neighbors=[5, 50])
    >>> scores.trustworthiness.round(2).tolist(), scores.continuity.round(2).tolist()
    ([0.72, 0.76], [0.91, 0.85])
    """
    from scipy import stats

    pairs = pairs_of(X, Y, metric=metric)
    n = pairs.x.n_points
    k = _as_neighbor_counts(n_neighbors, n)
    level = checks.check_confidence_level(confidence_level)
    generator = checks.as_generator(rng)
    m = n if n_rows is None else min(checks.check_integer(n_rows, "n_rows", low=2), n)
    sampled_rows = np.arange(n)
    if m < n:
        sampled_rows = np.sort(generator.choice(n, size=m, replace=False, shuffle=False))
    t_quantile = stats.t.ppf(0.5 + level / 2.0, m - 1)
    scores: dict[str, Any] = {}
    _, data_ranks, _, projection_ranks = neighbors_of_both(pairs, sampled_rows, int(k.max()))
    for name, ranks in (("trustworthiness", data_ranks), ("continuity", projection_ranks)):
        excess = np.stack([_total_rank_excess(ranks[:, :count]) for count in k], axis=1)
        value = np.array([_score(column, count, n) for column, count in zip(excess.T, k, strict=True)])
        # Standard error of the mean of m values drawn without replacement from n, in units of the score.
        variance = excess.var(axis=0, ddof=1) / m * (1.0 - m / n)
        error = np.sqrt(variance) * 2.0 / (k * (2.0 * n - 3.0 * k - 1.0))
        low, high = (np.clip(value + sign * t_quantile * error, 0.0, 1.0) for sign in (-1, 1))
        scores |= {name: value, f"{name}_error": error, f"{name}_low": low, f"{name}_high": high}
    return NeighborhoodScores(n_neighbors=k, confidence_level=level, n_points=n, n_rows=m, **scores)


def neighborhood_curve(X: checks.Points, Y: checks.Points, *, metric: str = "euclidean") -> NeighborhoodCurve:
    """Compute the fraction of neighbors that a projection preserves, for every neighborhood size.

    Parameters
    ----------
    X, Y, metric
        Data, projection, and metric: see `trustworthiness`.

    Returns
    -------
    NeighborhoodCurve

    Raises
    ------
    TypeError, ValueError
        As in `trustworthiness`.

    Notes
    -----
    Q_NX(K) is the number of pairs whose ranks are both at most K, divided by NK; R_NX(K) = ((N − 1) Q_NX(K) −
    K)/(N − 1 − K); AUC is Σ R_NX(K)/K divided by Σ 1/K, for K from 1 to N − 2. Trustworthiness and continuity
    are relative to the worst possible sum at K, which is N(N − K)(N − K − 1)/2 for K ≥ N/2. Ties and
    invariances are those of `trustworthiness`.

    The cost is O(N²(n + t + log N)) time and about 100 MB. The curves are those of Lee and Verleysen (2009)
    and of Lee, Peluffo-Ordóñez, and Verleysen (2015).

    Examples
    --------
    >>> from isotropy_lab.projection import neighborhood_curve
    >>> X = np.random.default_rng(0).standard_normal((300, 5))
    >>> curve = neighborhood_curve(X, X[:, :2])
    >>> round(curve.auc, 2), round(float(curve.kept[9]), 2)  # the area, and what is kept of 10 neighbors
    (0.19, 0.19)
    """
    pairs = pairs_of(X, Y, metric=metric)
    n = pairs.x.n_points
    k = np.arange(1, n - 1)
    sums = co_ranks(pairs.x, pairs.y)[:, 1:-1]
    worst = np.where(2 * k < n, k * (2.0 * n - 3.0 * k - 1.0), (n - k) * (n - k - 1.0)) / 2.0
    kept, trust_loss, continuity_loss = sums / (n * np.stack([k.astype(np.float64), worst, worst]))
    above = ((n - 1.0) * kept - k) / (n - 1.0 - k)
    return NeighborhoodCurve(
        n_neighbors=k,
        kept=kept,
        above_chance=above,
        trustworthiness=1.0 - trust_loss,
        continuity=1.0 - continuity_loss,
        auc=math.fsum(above / k) / math.fsum(1.0 / k),
        n_points=n,
    )


def trustworthiness_of(x: Distances, y: Distances, n_neighbors: int) -> float:
    """Return the trustworthiness of y as a projection of x."""
    k, points = check_neighbors(n_neighbors, x.n_points), np.arange(x.n_points)
    return _score(_total_rank_excess(ranks_of(x, points, nearest(y, points, k))), k, x.n_points)


def both_neighborhood_scores(pairs: Pairs, k: int) -> list[float]:
    """Return trustworthiness and continuity for one number of neighbors."""
    n = pairs.x.n_points
    _, data_ranks, _, projection_ranks = neighbors_of_both(pairs, np.arange(n), k)
    return [_score(_total_rank_excess(ranks), k, n) for ranks in (data_ranks, projection_ranks)]


def _as_neighbor_counts(n_neighbors: Any, n_points: int) -> NDArray[np.int64]:
    """Return the numbers of neighbors as a vector."""
    counts = np.atleast_1d(np.asarray(n_neighbors, dtype=object))
    if counts.ndim != 1 or counts.size == 0:
        raise ValueError(f"n_neighbors has shape {counts.shape}; expected an integer or a list of integers")
    return np.array([check_neighbors(count, n_points) for count in counts])


def _total_rank_excess(ranks: Indices) -> Indices:
    """Return each point's total excess over K of the ranks of its K nearest points in the other space."""
    return np.asarray(np.maximum(ranks - ranks.shape[1], 0).sum(axis=1))


def _score(excess: Indices, k: int, n_points: int) -> float:
    """Return the score of the given points for one K; integer sums do not depend on their order."""
    worst = excess.shape[0] * int(k) * (2 * n_points - 3 * int(k) - 1) // 2  # the product is even
    return 1.0 - float(int(excess.sum()) / worst)
