"""Maximum likelihood estimate of intrinsic dimension from neighbor distances, and the ID score."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab._core.results import Result

__all__ = ["IntrinsicDimension", "id_score", "intrinsic_dimension", "intrinsic_dimension_details"]

_TREE_DIMENSIONS = 15
"""Maximum dimension for a tree search; above it, a brute-force search is faster."""

_NEAR_COPY = math.sqrt(2e-6)
"""Maximum distance to a near duplicate, relative to the norm: unit vectors with cosine 1 − 10⁻⁶."""

_TREE_QUERIES = 1000
"""Maximum number of queries for a brute-force search; for more, building a tree saves time."""


@dataclasses.dataclass(frozen=True)
class IntrinsicDimension(Result):
    """An estimate of intrinsic dimension, with its confidence interval and counts.

    Attributes
    ----------
    estimate
        In dimensions; it can exceed n.
    standard_error
        Of the estimate, over the draw of queries; 0 if every point was queried.
    low, high
        Ends of the confidence interval, in dimensions.
    confidence_level
        Nominal coverage.
    n_neighbors, n_queries
        Neighbors of each query, and points whose neighbors were looked up.
    n_points, n_duplicates, n_dimensions : int
        Distinct points, rows removed because they equal an earlier row, and dimensions n of the space.
    n_near_copies : int
        Queries with a neighbor that equals them up to rounding, such as a text that was encoded twice. It is
        within 0.0014 of their length, a cosine of 1 − 10⁻⁶ at equal lengths, and of the median distance to a
        k-th neighbor.
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    confidence_level: float
    n_neighbors: int
    n_queries: int
    n_points: int
    n_duplicates: int
    n_dimensions: int
    n_near_copies: int


def intrinsic_dimension(
    X: checks.Points, *, n_neighbors: int = 20, n_queries: int | None = None, rng: checks.RandomState = None
) -> float:
    """Return the Levina–Bickel estimate of the dimension of the set that the points were drawn from.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points; exact duplicates are removed.
    n_neighbors : int, default 20
        k ≥ 2 neighbors of each query, itself excluded; fewer than the distinct points.
    n_queries : int, optional
        Query only this many points (at least 2), drawn without replacement; by default every point.
    rng : numpy.random.Generator or int, optional
        Draws the queries.

    Returns
    -------
    float
        Positive, in dimensions; it can exceed n. `intrinsic_dimension_details` adds an interval and counts.

    Raises
    ------
    TypeError, ValueError
        If `X` does not hold real numbers, a value is NaN or inf, k is not below the number of distinct
        points, or every query has all its neighbors at one distance.

    Notes
    -----
    With T_j the distance to the j-th neighbor, each query gives 1/m = Σ_{j<k} log(T_k/T_j)/(k − 1); the
    queries are combined by the harmonic mean of m, as MacKay and Ghahramani propose. Invariant under
    translation, rotation and scale. Cost: a tree in few dimensions, O(queries · N · n) otherwise, in tiles of
    some 60 MB. Levina and Bickel (2004), equation (8); Rudman et al. (2022), Appendix B.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import intrinsic_dimension
    >>> line = np.random.default_rng(0).random((1000, 1)) @ np.ones((1, 3))
    >>> round(intrinsic_dimension(line), 1)
    1.0
    """
    return intrinsic_dimension_details(X, n_neighbors=n_neighbors, n_queries=n_queries, rng=rng).estimate


def id_score(
    X: checks.Points, *, n_neighbors: int = 20, n_queries: int | None = None, rng: checks.RandomState = None
) -> float:
    """Return the intrinsic dimension divided by the number of dimensions, clipped to 1.

    Parameters
    ----------
    X, n_neighbors, n_queries, rng
        See `intrinsic_dimension`.

    Returns
    -------
    float
        In (0, 1]; 1 is best.

    Raises
    ------
    TypeError, ValueError
        See `intrinsic_dimension`.

    Notes
    -----
    The estimate is far too low in many dimensions, so the score of an isotropic cloud falls with n.
    Invariances and cost are those of `intrinsic_dimension`. Rudman et al. (2022), Appendix B.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import id_score
    >>> round(id_score(np.random.default_rng(0).random((1000, 2))), 1)
    1.0
    """
    details = intrinsic_dimension_details(X, n_neighbors=n_neighbors, n_queries=n_queries, rng=rng)
    return min(details.estimate / details.n_dimensions, 1.0)


def intrinsic_dimension_details(
    X: checks.Points,
    *,
    n_neighbors: int = 20,
    n_queries: int | None = None,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> IntrinsicDimension:
    """Return the intrinsic dimension with its sampling error and related counts.

    Parameters
    ----------
    X, n_neighbors, n_queries, rng
        See `intrinsic_dimension`. The interval is good from about 30 queries on.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.

    Returns
    -------
    IntrinsicDimension
        The interval is for the number that every point queried would give, not for the true dimension.

    Raises
    ------
    TypeError, ValueError
        See `intrinsic_dimension`; also if an option is out of range.

    Notes
    -----
    The estimate is 1 over the mean of 1/m over queries. Its error follows from the scatter of 1/m, with the
    factor √(1 − queries/N), and the interval is the reciprocal of that of the mean. Invariances and cost are
    those of `intrinsic_dimension`.

    Examples
    --------
    >>> import numpy as np
    >>> plane = np.random.default_rng(0).random((1000, 2)) @ np.eye(2, 5)
    >>> details = intrinsic_dimension_details(np.vstack([plane, plane[:7]]), n_queries=300, rng=0)
    >>> details.low < intrinsic_dimension(plane) < details.high, details.n_duplicates
    (True, 7)
    """
    points = checks.as_points(X)
    k = checks.check_integer(n_neighbors, "n_neighbors", low=2)
    if n_queries is not None:
        n_queries = checks.check_integer(n_queries, "n_queries", low=2)
    level = checks.check_confidence_level(confidence_level)
    points, n_duplicates = _distinct_rows(points)
    n_points, n = points.shape
    if k >= n_points:
        removed = f" after removing {checks.how_many(n_duplicates, 'duplicate')}" if n_duplicates else ""
        raise ValueError(
            f"n_neighbors is {k}, X has {checks.how_many(n_points, 'distinct point')}{removed}; "
            "expected fewer neighbors than points"
        )
    if n_queries is None or n_queries >= n_points:
        queries = np.arange(n_points)
    else:
        queries = np.sort(checks.as_generator(rng).choice(n_points, size=n_queries, replace=False))
    distances, _ = nearest_others(points, queries, k)
    if not distances.all():
        raise ValueError(
            "X has distinct points at distance 0 in float64; "
            "expected points whose distances exceed rounding: round or rescale the data"
        )
    inverse = inverse_dimensions(distances)
    mean = float(inverse.mean())
    if not mean > 0:
        raise ValueError(
            f"X has all {k} nearest neighbors at one distance for every query, so the intrinsic dimension is "
            "infinite; expected points that are not on a regular grid, or another n_neighbors"
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points)[queries])
    near = distances[:, 0] <= _NEAR_COPY * np.minimum(lengths, np.median(distances[:, -1]))
    error = reach = 0.0
    if queries.size < n_points:
        from scipy import stats

        error = math.sqrt(float(inverse.var(ddof=1)) / queries.size * (1.0 - queries.size / n_points))
        reach = float(stats.t.ppf(0.5 + level / 2.0, queries.size - 1)) * error
    high = 1.0 / (mean - reach) if mean > reach else math.inf
    return IntrinsicDimension(
        estimate=1.0 / mean,
        standard_error=error / mean**2,
        low=1.0 / (mean + reach),
        high=high,
        confidence_level=level,
        n_neighbors=k,
        n_queries=int(queries.size),
        n_points=n_points,
        n_duplicates=n_duplicates,
        n_dimensions=n,
        n_near_copies=int(near.sum()),
    )


def inverse_dimensions(distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the reciprocal 1/m of each query's dimension estimate from its sorted neighbor distances."""
    logs = np.log(distances)
    return np.asarray((logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (distances.shape[1] - 1))


def _distinct_rows(points: checks.FloatArray) -> tuple[checks.FloatArray, int]:
    """Return the distinct rows in their original order and the number of duplicates removed."""
    rows = np.ascontiguousarray(points + 0.0)  # a copy with −0 replaced by 0
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    first = np.unique(keys, return_index=True)[1]
    n_duplicates = points.shape[0] - first.size
    return (points[np.sort(first)] if n_duplicates else points), n_duplicates


def nearest_others(
    points: checks.FloatArray, queries: npt.NDArray[np.intp], k: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Return the distances, in ascending order, and indices of each query's k nearest other points.

    Distances are norms of differences.
    """
    if points.shape[1] > _TREE_DIMENSIONS or queries.size <= _TREE_QUERIES:
        found = nearest_neighbors(points, k, metric="euclidean", queries=queries)
        return found.values, found.indices
    from sklearn.neighbors import NearestNeighbors

    centered = points - points.mean(axis=0, dtype=np.float64)
    finder = NearestNeighbors(n_neighbors=k + 1, algorithm="kd_tree").fit(centered)
    distances = np.empty((queries.size, k))
    indices = np.empty((queries.size, k), dtype=np.intp)
    step = max(1, 2**21 // ((k + 1) * points.shape[1]))
    for start in range(0, queries.size, step):
        chosen = queries[start : start + step]
        neighbors = finder.kneighbors(centered[chosen], return_distance=False)
        # Rounding can exclude the query from its own neighbors; then remove the farthest neighbor instead.
        itself = neighbors == chosen[:, None]
        itself[~itself.any(axis=1), -1] = True
        neighbors = neighbors[~itself].reshape(chosen.size, k)
        gaps = points[neighbors].astype(np.float64) - points[chosen][:, None, :]
        lengths = np.sqrt(np.einsum("qkn,qkn->qk", gaps, gaps))
        order = np.argsort(lengths, axis=1, kind="stable")
        distances[start : start + step] = np.take_along_axis(lengths, order, axis=1)
        indices[start : start + step] = np.take_along_axis(neighbors, order, axis=1)
    return distances, indices
