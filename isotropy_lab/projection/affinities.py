"""Affinities: the probabilities that t-SNE assigns to pairs of points based on their distances."""

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

_ROWS = 128
"""Number of rows whose distances are computed together."""


def affinities(
    X: checks.Points, *, perplexity: float = 30.0, metric: str = "euclidean"
) -> NDArray[np.float64]:
    """Return the joint probabilities P of all pairs of points, as t-SNE defines them.

    p(j|i) ∝ exp(−d_ij²/2σ_i²) over j ≠ i, with σ_i such that 2 to the power of its entropy in bits is the
    perplexity; P_ij = (p(j|i) + p(i|j))/2N.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    perplexity : float, default 30
        The number of neighbors that a point effectively has: at least 1, less than N − 1.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Of X; "precomputed" allows any distances.

    Returns
    -------
    numpy.ndarray of shape (N, N), float64
        Dense, symmetric, with a zero diagonal; it sums to 1.

    Raises
    ------
    TypeError, ValueError
        X is not numeric, has fewer than 3 points, NaN or infinity, or only equal points; precomputed
        distances are not distances; the metric is unknown or the perplexity out of range.

    Notes
    -----
    Invariant under translation, rotation and scaling of `X`, because the perplexity sets σ_i.

    Where at least as many points as the perplexity are the nearest, all at one distance (duplicates, for
    one), no σ_i has so low an entropy: p(j|i) is then uniform over them, the limit of σ_i → 0. Square
    distances that differ by less than 2e-15 of themselves are one distance. An exponential below e⁻⁷⁰⁸ of the
    row's largest is 0; nothing is floored.

    Cost: O(N² n), then about four exponentials for each pair (Halley's method within a bracket); 8·N² bytes
    for the result. Smelser et al. (2025), Section IV-A. The denominator of p(j|i) runs over k ≠ i; printed,
    it runs over all pairs and does not have k in it.

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
        for start in range(0, n_points, _ROWS):
            stop = min(start + _ROWS, n_points)
            side.tile(start, stop, start, n_points, P[start:stop, start:])
            P[start:, start:stop] = P[start:stop, start:].T
    largest = float(P.max())
    checks.check_representable(np.array([largest]), "a distance between points of X")
    check_some_distance(largest, "X")
    perplexity = check_perplexity(perplexity, n_points)
    # Scaling by a power of two, which costs no accuracy, brings the squares near 1.
    np.ldexp(P, -math.frexp(largest)[1], out=P)
    np.square(P, out=P)
    loops().conditional_rows(P, perplexity)
    plain.symmetrize(P)
    return P
