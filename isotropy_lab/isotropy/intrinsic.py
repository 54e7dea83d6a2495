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

_NEAR_DUPLICATE = math.sqrt(2e-6)
"""Maximum distance to a near duplicate, relative to the norm: unit vectors with cosine 1 − 10⁻⁶."""

_TREE_QUERIES = 1000
"""Maximum number of queries for a brute-force search; for more, building a tree saves time."""


@dataclasses.dataclass(frozen=True, eq=False)
class IntrinsicDimension(Result):
    """An estimate of intrinsic dimension, with its confidence interval and counts.

    Attributes
    ----------
    estimate
        Estimated dimension, which can exceed n.
    standard_error
        Standard error of the estimate due to sampling of queries; 0 if every point was queried.
    low, high
        Ends of the confidence interval, in dimensions.
    confidence_level
        Nominal coverage.
    n_neighbors, n_queries
        Numbers of neighbors per query, and of queries.
    n_points, n_duplicates, n_dimensions : int
        Numbers of distinct points, of rows removed as duplicates, and of dimensions n of the space.
    near_copies : ndarray of int
        Queries, as rows of X, that have a near duplicate, such as a text that was encoded twice: the distance
        is at most 0.0014 times the norm of the query, which is a cosine of 1 − 10⁻⁶ for equal norms, and at
        most 0.0014 times the median distance to a k-th neighbor.
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
    near_copies: npt.NDArray[np.intp]


def intrinsic_dimension(
    X: checks.Points, *, n_neighbors: int = 20, n_queries: int | None = None, rng: checks.RandomState = None
) -> float:
    """Return the Levina–Bickel estimate of the dimension of the set from which the points were drawn.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points; exact duplicates are removed.
    n_neighbors : int, default 20
        Number k ≥ 2 of neighbors of each query, excluding itself; less than the number of distinct points.
    n_queries : int, optional
        Number of queries (at least 2), drawn without replacement; by default, every point is a query.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the queries.

    Returns
    -------
    float
        Positive dimension, which can exceed n. `intrinsic_dimension_details` adds an interval and counts.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf; if k is not less than the number of distinct points; or
        if, for every query, all neighbors are at the same distance.

    Notes
    -----
    With the distance T_j to the j-th neighbor, each query gives 1/m = Σ_{j<k} log(T_k/T_j)/(k − 1); the
    queries are combined by the harmonic mean of m, as proposed by MacKay and Ghahramani. It is invariant
    under translation, rotation, and scaling. Cost: a tree search in few dimensions, otherwise O(queries · N ·
    n) in tiles of about 60 MB. Levina and Bickel (2004), equation (8); Rudman et al. (2022), Appendix B.

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
        Score in (0, 1]; 1 is best.

    Raises
    ------
    TypeError, ValueError
        As in `intrinsic_dimension`.

    Notes
    -----
    In many dimensions, the estimate is far too low, so the score of an isotropic cloud decreases with n.
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
        See `intrinsic_dimension`. The interval requires at least about 30 queries.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.

    Returns
    -------
    IntrinsicDimension
        The interval is for the estimate with every point as a query, not for the true dimension.

    Raises
    ------
    TypeError, ValueError
        As in `intrinsic_dimension`; or if an option is out of range.

    Notes
    -----
    The estimate is the reciprocal of the mean of 1/m over queries. Its error follows from the variance of
    1/m, with the factor √(1 − queries/N), and the ends of the interval are the reciprocals of those of the
    mean. Invariances and cost are those of `intrinsic_dimension`.

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
    n_rows, distinct = len(points), _indices_of_distinct_rows(points)
    points = points if len(distinct) == n_rows else points[distinct]
    (n_points, n), n_duplicates = points.shape, n_rows - len(distinct)
    if k >= n_points:
        remark = f" after removing {checks.how_many(n_duplicates, 'duplicate')}" if n_duplicates else ""
        raise ValueError(
            f"n_neighbors is {k}, but X has {checks.how_many(n_points, 'distinct point')}{remark}; "
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
            "expected distances above rounding errors (round or rescale the data)"
        )
    inverse = inverse_dimensions(distances)
    mean = float(inverse.mean())
    if not mean > 0:
        raise ValueError(
            f"X has all {k} nearest neighbors at the same distance for every query, so the dimension is "
            "infinite; expected points that are not on a regular grid, or a different n_neighbors"
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points)[queries])
    has_near_duplicate = distances[:, 0] <= _NEAR_DUPLICATE * np.minimum(lengths, np.median(distances[:, -1]))
    error = half_width = 0.0
    if queries.size < n_points:
        from scipy import stats

        error = math.sqrt(float(inverse.var(ddof=1)) / queries.size * (1.0 - queries.size / n_points))
        half_width = float(stats.t.ppf(0.5 + level / 2.0, queries.size - 1)) * error
    high = 1.0 / (mean - half_width) if mean > half_width else math.inf
    return IntrinsicDimension(
        estimate=1.0 / mean,
        standard_error=error / mean**2,
        low=1.0 / (mean + half_width),
        high=high,
        confidence_level=level,
        n_neighbors=k,
        n_queries=int(queries.size),
        n_points=n_points,
        n_duplicates=n_duplicates,
        n_dimensions=n,
        near_copies=distinct[queries[has_near_duplicate]],
    )


def inverse_dimensions(distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the reciprocal 1/m of each query's dimension estimate, given sorted neighbor distances."""
    logs = np.log(distances)
    return np.asarray((logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (distances.shape[1] - 1))


def _indices_of_distinct_rows(points: checks.FloatArray) -> npt.NDArray[np.intp]:
    """Return the index of the first of each set of equal rows, in ascending order."""
    rows = np.ascontiguousarray(points + 0.0)  # a copy with −0 replaced by 0
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return np.sort(np.unique(keys, return_index=True)[1])


def nearest_others(
    points: checks.FloatArray, queries: npt.NDArray[np.intp], k: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Return the distances and indices of each query's k nearest other points, nearest first.

    Distances are computed as norms of differences.
    """
    if points.shape[1] > _TREE_DIMENSIONS or queries.size <= _TREE_QUERIES:
        result = nearest_neighbors(points, k, metric="euclidean", queries=queries)
        return result.values, result.indices
    from sklearn.neighbors import NearestNeighbors

    centered = points - points.mean(axis=0, dtype=np.float64)
    tree = NearestNeighbors(n_neighbors=k + 1, algorithm="kd_tree").fit(centered)
    distances = np.empty((queries.size, k))
    indices = np.empty((queries.size, k), dtype=np.intp)
    chunk_size = max(1, 2**21 // ((k + 1) * points.shape[1]))
    for chunk in (slice(start, start + chunk_size) for start in range(0, queries.size, chunk_size)):
        batch = queries[chunk]
        neighbors = tree.kneighbors(centered[batch], return_distance=False)
        # Because of rounding, a query may not be its own neighbor; then remove the farthest neighbor.
        is_query = neighbors == batch[:, None]
        is_query[~is_query.any(axis=1), -1] = True
        neighbors = neighbors[~is_query].reshape(batch.size, k)
        differences = points[neighbors].astype(np.float64) - points[batch][:, None, :]
        lengths = np.sqrt(np.einsum("qkn,qkn->qk", differences, differences))
        order = np.argsort(lengths, axis=1, kind="stable")
        distances[chunk] = np.take_along_axis(lengths, order, axis=1)
        indices[chunk] = np.take_along_axis(neighbors, order, axis=1)
    return distances, indices
