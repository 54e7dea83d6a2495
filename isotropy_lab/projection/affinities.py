"""Affinities: the probabilities of pairs of points that t-SNE makes of distances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import as_distance_matrix, check_perplexity, check_some_distance
from isotropy_lab.projection._pairs.distances import pairs_of
from isotropy_lab.projection._pairs.kernels import loops

__all__ = ["affinities"]


def affinities(
    X: checks.Points, *, perplexity: float = 30.0, metric: str = "euclidean"
) -> NDArray[np.float64]:
    """Return the joint probabilities P of all pairs of points: high for near ones, at a chosen number of neighbors.

    p(j|i) ∝ exp(−d_ij²/2σ_i²) over j ≠ i, with σ_i such that 2 to the power of its entropy in bits is the perplexity;
    P_ij = (p(j|i) + p(i|j))/2N.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    perplexity : float, default 30
        The number of neighbors that a point effectively has: at least 1, less than N − 1.
    metric : str, default "euclidean"
        Also "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.

    Returns
    -------
    numpy.ndarray of shape (N, N), float64
        Dense, symmetric, with a zero diagonal; it sums to 1.

    Raises
    ------
    TypeError, ValueError
        X is not numeric, has fewer than 3 points, NaN or infinity, or only equal points; precomputed distances are not
        distances; the metric is unknown or the perplexity out of range.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X`, because the perplexity sets σ_i.

    Where at least as many points as the perplexity are the nearest, all at one distance (duplicates, for one), no σ_i
    has so low an entropy: p(j|i) is then uniform over them, the limit of σ_i → 0. Square distances that differ by less
    than 2e-15 of themselves are one distance. An exponential below e⁻⁷⁰⁸ of the row's largest is 0; nothing is floored.

    Cost: O(N² n), then about four exponentials for each pair (Halley's method within a bracket); 8·N² bytes for the
    result, beside a copy of `X` in float64. Smelser et al. (2025), Section IV-A. The denominator of p(j|i) runs over
    k ≠ i; printed, it runs over all pairs and does not have k in it.

    Examples
    --------
    >>> from isotropy_lab.projection import affinities
    >>> P = affinities([[0.0], [1.0], [2.0], [5.0]], perplexity=2.0)
    >>> P.round(3)
    array([[0.   , 0.141, 0.075, 0.006],
           [0.141, 0.   , 0.153, 0.027],
           [0.075, 0.153, 0.   , 0.097],
           [0.006, 0.027, 0.097, 0.   ]])
    """
    if isinstance(metric, str) and metric == "precomputed":
        P = _conditional_of_distances(X, perplexity)
    else:
        P = _square_distances(X, metric)
        loops().conditional_rows(P, check_perplexity(perplexity, P.shape[0]))
    loops().symmetrize(P)
    return P


def _conditional_of_distances(X: checks.Points, perplexity: float) -> NDArray[np.float64]:
    """Return the conditional probabilities of a matrix of distances, which is read as it is: it may be large."""
    shape = checks.as_array(X, "X", ndim=2, expected="a square matrix of distances").shape
    checks.check_size(shape, "X", min_points=3)
    distances = as_distance_matrix(X)
    largest = float(distances.max())
    check_some_distance(largest, "X")
    perplexity = check_perplexity(perplexity, len(distances))
    # Powers of two, which cost no accuracy, bring squares near 1: two of them, because one may lie outside float64.
    exponent = math.frexp(largest)[1]
    half = exponent // 2
    P = np.empty(distances.shape)
    loops().conditional_rows_of_distances(
        distances, math.ldexp(1.0, -half), math.ldexp(1.0, half - exponent), perplexity, P
    )
    return P


def _square_distances(X: checks.Points, metric: str) -> NDArray[np.float64]:
    """Return the square distances of all pairs, in units in which neither they nor their ratios overflow."""
    if isinstance(metric, str) and metric in ("euclidean", "l2"):
        points = checks.as_points(X, "X", min_points=3)
        n_points, n = points.shape
        largest = float(np.abs(points).max()) if n else 0.0
        # A power of two costs no accuracy. The compiled loop takes four dimensions at a time.
        padded = np.zeros((n_points, n + -n % 4))
        padded[:, :n] = points
        np.ldexp(padded, -math.frexp(largest)[1], out=padded)
        D = np.empty((n_points, n_points))
        loops().square_distances(padded, np.ascontiguousarray(padded.T), D)
    else:
        shape = checks.as_array(X, "X", ndim=2).shape
        checks.check_size(shape, "X", min_points=3)
        side = pairs_of(X, np.zeros((shape[0], 1)), metric=metric).x
        D = np.empty((shape[0], shape[0]))
        for start in range(0, shape[0], 256):
            stop = min(start + 256, shape[0])
            side.tile(start, stop, 0, shape[0], D[start:stop])
        largest = float(D.max())
        np.ldexp(D, -math.frexp(largest)[1], out=D)
        np.square(D, out=D)
    check_some_distance(float(D.max()), "X")
    return D
