"""Intrinsic dimension by the maximum likelihood of nearest-neighbor distances."""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.isotropy._checks import check_inverse_dimension

__all__ = ["IntrinsicDimension", "id_score", "intrinsic_dimension", "intrinsic_dimension_details"]


_TREE_DIMENSIONS = 15
"""Up to so many dimensions a tree finds neighbors faster than comparing with every point."""

_BLUR = 2e-5
"""Distances below this share of the largest length have fewer than 6 right digits when taken by products."""


@dataclasses.dataclass(frozen=True)
class IntrinsicDimension:
    """An estimate of intrinsic dimension and what it rests on.

    Attributes
    ----------
    dimension : float
        The estimate, in dimensions; it can exceed n.
    n_neighbors : int
        Neighbors per query.
    n_queries : int
        Points whose neighbors were looked up.
    n_points : int
        Distinct points.
    n_duplicates : int
        Rows dropped because an equal one came before.
    n_dimensions : int
        Dimensions n of the space.
    """

    dimension: float
    n_neighbors: int
    n_queries: int
    n_points: int
    n_duplicates: int
    n_dimensions: int


def intrinsic_dimension_details(
    X: _checks.Points,
    *,
    n_neighbors: int = 20,
    n_queries: int | None = None,
    rng: _checks.RandomState = None,
) -> IntrinsicDimension:
    """Return the intrinsic dimension together with the number of points, queries and duplicates.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points. Exact duplicates are dropped: their distance of 0 has no logarithm.
    n_neighbors : int
        k ≥ 2 neighbors of each query, itself excluded; fewer than the distinct points.
    n_queries : int, optional
        Query only so many points, drawn without replacement, among all the others; by default every point.
    rng : numpy.random.Generator or int, optional
        Draws the queries.

    Returns
    -------
    IntrinsicDimension

    Raises
    ------
    TypeError
        If `X` does not hold real numbers.
    ValueError
        If k is not below the number of distinct points, a value is NaN or inf, or every query has all its
        neighbors at one distance, where the estimate is infinite.

    Notes
    -----
    With T_j the distance to the j-th neighbor, each query gives 1/m = Σ_{j<k} log(T_k/T_j)/(k − 1); the queries are
    combined by the harmonic mean of m, as MacKay and Ghahramani propose. Invariant under translation, rotation and
    scale. Distances are taken in float64 as differences. Cost: a tree in few dimensions, O(queries · N · n)
    otherwise. Levina and Bickel (2004), equation (8).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import intrinsic_dimension_details
    >>> plane = np.random.default_rng(0).random((1000, 2)) @ np.eye(2, 5)
    >>> details = intrinsic_dimension_details(np.vstack([plane, plane[:7]]))
    >>> round(details.dimension, 1), details.n_duplicates
    (1.9, 7)
    """
    points = _checks.as_points(X, min_points=2, min_dimensions=1)
    k = _checks.check_integer(n_neighbors, "n_neighbors", low=2)
    if n_queries is not None:
        n_queries = _checks.check_integer(n_queries, "n_queries", low=1)
    points, n_duplicates = distinct_rows(points)
    n_points, n = points.shape
    _checks.check_neighbors(k, n_points, n_duplicates)
    if n_queries is None or n_queries >= n_points:
        queries = np.arange(n_points)
    else:
        queries = np.sort(_checks.as_generator(rng).choice(n_points, size=n_queries, replace=False))
    inverse = inverse_dimensions(points, queries, k)
    mean = float(inverse.mean())
    check_inverse_dimension(mean, k)
    return IntrinsicDimension(1.0 / mean, k, int(queries.size), n_points, n_duplicates, n)


def distinct_rows(points: _checks.FloatArray) -> tuple[_checks.FloatArray, int]:
    """Return the distinct rows in their order, and how many were dropped.

    Parameters
    ----------
    points : ndarray of shape (N, n)
        Finite numbers.

    Returns
    -------
    tuple of ndarray and int

    Examples
    --------
    >>> distinct_rows(np.array([[0.0], [1.0], [-0.0]]))[1]
    1
    """
    seen: set[bytes] = set()
    keep = np.ones(points.shape[0], dtype=bool)
    for start in range(0, points.shape[0], 4096):
        block = points[start : start + 4096] + 0.0  # a copy in which −0 has become 0
        for i, row in enumerate(np.ascontiguousarray(block), start=start):
            digest = hashlib.blake2b(row.data, digest_size=16).digest()
            if digest in seen:
                keep[i] = False
            seen.add(digest)
    n_duplicates = int(keep.size - keep.sum())
    return (points[keep] if n_duplicates else points), n_duplicates


def inverse_dimensions(
    points: _checks.FloatArray, queries: npt.NDArray[np.intp], k: int
) -> npt.NDArray[np.float64]:
    """Return 1/m for each query.

    Parameters
    ----------
    points : ndarray of shape (N, n)
        Distinct points.
    queries : ndarray of int
        Places of the points whose neighbors are looked up.
    k : int
        Neighbors of each.

    Returns
    -------
    ndarray of shape (queries,)

    Raises
    ------
    ValueError
        If a distance over- or underflows.

    Examples
    --------
    >>> inverse_dimensions(np.array([[0.0], [1.0], [3.0]]), np.array([0]), 2).round(6).tolist()
    [1.098612]
    """
    from sklearn.neighbors import NearestNeighbors

    # The scale drops out of the ratios; without it no sum and no square over- or underflows.
    centered = points.astype(np.float64)
    if float(np.abs(centered).max()) > 2.0**900:
        centered = np.ldexp(centered, -100)
    centered -= centered.mean(axis=0)
    largest = float(np.abs(centered).max())
    centered /= largest if largest > 0 else 1.0
    # Trees take distances as differences; in many dimensions the search is by products of points, whose rounding
    # hides distances that are small beside the size of the cloud: such queries are searched again, by differences.
    by_products = points.shape[1] > _TREE_DIMENSIONS
    finder = NearestNeighbors(n_neighbors=k + 1, algorithm="brute" if by_products else "kd_tree").fit(
        centered
    )
    blurred = _BLUR * float(np.sqrt(np.einsum("ij,ij->i", centered, centered).max())) if by_products else 0.0
    inverse = np.empty(queries.size)
    step = max(1, 2**21 // ((k + 1) * points.shape[1]))
    for start in range(0, queries.size, step):
        chosen = queries[start : start + step]
        nearest, neighbors = finder.kneighbors(centered[chosen])
        # The first column is the query itself unless rounding put a near neighbor before it.
        for i in np.flatnonzero(nearest[:, 1] <= blurred):
            gap = centered - centered[chosen[i]]
            lengths = np.einsum("ij,ij->i", gap, gap)
            neighbors[i] = np.argpartition(lengths, k)[: k + 1]
        # Rounding may hide the query among its neighbors; then the farthest goes instead.
        itself = neighbors == chosen[:, None]
        itself[~itself.any(axis=1), -1] = True
        neighbors = neighbors[~itself].reshape(chosen.size, k)
        gaps = centered[neighbors] - centered[chosen][:, None, :]
        distances = np.sort(np.sqrt(np.einsum("qkn,qkn->qk", gaps, gaps)), axis=1)
        _checks.check_distances(distances)
        logs = np.log(distances)
        inverse[start : start + step] = (logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (k - 1)
    return inverse


def intrinsic_dimension(
    X: _checks.Points,
    *,
    n_neighbors: int = 20,
    n_queries: int | None = None,
    rng: _checks.RandomState = None,
) -> float:
    """Return the Levina–Bickel estimate of the dimension of the set that the points were drawn from.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points; exact duplicates are dropped (see `intrinsic_dimension_details` for their number).
    n_neighbors : int
        k ≥ 2 neighbors of each query, itself excluded.
    n_queries : int, optional
        Query only so many random points; by default every point.
    rng : numpy.random.Generator or int, optional
        Draws the queries.

    Returns
    -------
    float
        Positive, in dimensions; it can exceed n.

    Raises
    ------
    TypeError
        If `X` does not hold real numbers.
    ValueError
        As for `intrinsic_dimension_details`.

    Notes
    -----
    Invariant under translation, rotation and scale. Cost: as `intrinsic_dimension_details`. Levina and Bickel
    (2004), equation (8); Rudman et al. (2022), Appendix B.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import intrinsic_dimension
    >>> line = np.random.default_rng(0).random((1000, 1)) @ np.ones((1, 3))
    >>> round(intrinsic_dimension(line), 1)
    1.0
    """
    return intrinsic_dimension_details(X, n_neighbors=n_neighbors, n_queries=n_queries, rng=rng).dimension


def id_score(
    X: _checks.Points,
    *,
    n_neighbors: int = 20,
    n_queries: int | None = None,
    rng: _checks.RandomState = None,
) -> float:
    """Return the intrinsic dimension over the number of dimensions, at most 1.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points.
    n_neighbors : int
        k ≥ 2 neighbors of each query, itself excluded.
    n_queries : int, optional
        Query only so many random points; by default every point.
    rng : numpy.random.Generator or int, optional
        Draws the queries.

    Returns
    -------
    float
        In (0, 1]; 1 is best.

    Raises
    ------
    TypeError
        If `X` does not hold real numbers.
    ValueError
        As for `intrinsic_dimension_details`.

    Notes
    -----
    Invariant under translation, rotation and scale. The estimate is far too low in many dimensions, so the score of
    an isotropic cloud falls with n. Cost: as `intrinsic_dimension_details`. Rudman et al. (2022), Appendix B.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import id_score
    >>> round(id_score(np.random.default_rng(0).random((1000, 2))), 1)
    1.0
    """
    details = intrinsic_dimension_details(X, n_neighbors=n_neighbors, n_queries=n_queries, rng=rng)
    return min(details.dimension / details.n_dimensions, 1.0)
