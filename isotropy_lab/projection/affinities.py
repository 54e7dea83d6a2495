"""Affinities: the probabilities that t-SNE assigns to pairs of points, based on their distances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import as_distance_matrix, check_perplexity, check_some_distance
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import loops
from isotropy_lab.projection._pairs.distances import pairs_of

__all__ = ["affinities"]

_CHUNK_ROWS = 128
"""Number of rows whose distances are computed together."""


def affinities(
    X: checks.Points, *, perplexity: float = 30.0, metric: str = "euclidean"
) -> NDArray[np.float64]:
    """Return the joint probabilities P of all pairs of points, as defined by t-SNE.

    p(j|i) ∝ exp(−d_ij²/2σ_i²) over j ≠ i, where σ_i is chosen such that 2 to the power of the entropy in bits
    equals the perplexity; P_ij = (p(j|i) + p(i|j))/2N.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; or, with ``metric="precomputed"``, their distances, of shape (N, N).
    perplexity : float, default 30
        Effective number of neighbors of a point: at least 1, and less than N − 1.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Metric of `X`; "precomputed" allows any distances.

    Returns
    -------
    numpy.ndarray of shape (N, N), float64
        Dense symmetric matrix with a zero diagonal and sum 1.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric, has fewer than 3 points, contains NaN or inf, or has only equal points; if
        precomputed distances are not distances; or if an option does not exist or is out of range.

    Notes
    -----
    They are invariant under translation, rotation, and scaling of `X`, because σ_i depends on the perplexity.

    If the number of nearest points at the same distance (duplicates, for example) is at least the perplexity,
    no σ_i has such a low entropy. In this case, p(j|i) is uniform over these points, which is the limit for
    σ_i → 0. Squared distances with a relative difference below 2e-15 count as equal. An exponential below
    e⁻⁷⁰⁸ times the largest of its row is 0; no other value is floored.

    Cost: O(N² n), plus about four exponentials per pair (Halley's method within a bracket); 8·N² bytes for
    the result. Smelser et al. (2025), Section IV-A. The denominator of p(j|i) sums over k ≠ i; the sum as
    printed is over all pairs and does not contain k.

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
    checks.check_option(metric, "metric", ("euclidean", "precomputed"))
    expected = "a square matrix of distances" if metric == "precomputed" else None
    n_points, _ = checks.as_array(X, "X", ndim=2, expected=expected).shape
    checks.check_size((n_points, 1), "X", min_points=3)
    if metric == "precomputed":
        P = np.array(as_distance_matrix(X), dtype=np.float64)
    else:
        P = np.empty((n_points, n_points))
        side = pairs_of(X, np.zeros((n_points, 1)), metric=metric).x
        for start in range(0, n_points, _CHUNK_ROWS):
            stop = min(start + _CHUNK_ROWS, n_points)
            side.tile(slice(start, stop), slice(start, n_points), P[start:stop, start:])
            P[start:, start:stop] = P[start:stop, start:].T
    largest = float(P.max())
    checks.check_representable(np.array([largest]), "a distance between points of X")
    check_some_distance(largest, "X")
    perplexity = check_perplexity(perplexity, n_points)
    # Scaling by a power of two is exact and brings the squared distances near 1.
    np.ldexp(P, -math.frexp(largest)[1], out=P)
    np.square(P, out=P)
    loops().conditional_rows(P, perplexity)
    plain.symmetrize(P)
    return P
