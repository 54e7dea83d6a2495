"""Separation of a domain's sentences from sentences outside the domain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.moments import moments
from isotropy_lab._core.neighbors import Positions, best
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.retrieval._checks import as_embeddings

__all__ = ["Separation", "separation"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Separation(Result):
    """Distances from N domain sentences to the nearest sentence outside and inside the domain.

    Attributes
    ----------
    distances, within : ndarray of shape (N,)
        Euclidean distances from each domain sentence to the nearest agnostic sentence, Δ_M, and to the
        nearest other domain sentence.
    nearest : ndarray of shape (N,), int64
        Position of the nearest agnostic sentence.
    mean, within_mean : float
        Means of `distances` and `within`.
    ratio : float
        mean / within_mean: above 1 if domain sentences are closer to each other than to sentences outside.
    spread, relative_mean : float
        Root mean square distance over all pairs of a domain and an agnostic sentence, and mean / spread.
    n_candidates : int or None
        Number of candidates for the nearest sentence on each side; None for all sentences.
    n_duplicates : int
        Number of domain sentences that equal another one among their candidates (within = 0).
    """

    distances: Floats
    nearest: npt.NDArray[np.int64]
    within: Floats
    mean: float
    within_mean: float
    ratio: float
    spread: float
    relative_mean: float
    n_candidates: int | None
    n_duplicates: int


def separation(
    domain: checks.Points, agnostic: checks.Points, *, n: int | None = None, rng: checks.RandomState = None
) -> Separation:
    """Compute Δ_M, the distance from each domain sentence to the nearest sentence outside the domain.

    Parameters
    ----------
    domain : array-like of shape (N, n_dimensions)
        Embeddings of at least 2 domain sentences; rows are scaled to unit length, as in the paper.
    agnostic : array-like of shape (N', n_dimensions)
        Embeddings of other sentences by the same model.
    n : int or None
        Number of candidates for the nearest sentence, drawn once without replacement from each side: at most
        N' and N − 1. More candidates give smaller distances, so the ratio is hard to interpret if the numbers
        on the two sides differ greatly. None uses all sentences.
    rng : numpy.random.Generator, int or None
        Generator or seed for drawing the candidates; not used if `n` is None.

    Returns
    -------
    Separation
        Distances from 0 to 2.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension, or contain NaN, inf, or zero rows; if there are
        fewer than 2 domain sentences; if `n` is out of range; or if every domain sentence has a duplicate, so
        that there is no ratio.

    Notes
    -----
    The separation is invariant under a common rotation and positive factors on any row. Distances are
    computed from differences, so that small distances keep their precision. Cost: O(N (N + N') n_dimensions)
    time and 60 MB of memory, not counting float64 copies. Roychowdhury et al. (2025), Section II-F.

    Examples
    --------
    >>> from isotropy_lab.retrieval import separation
    >>> domain = [[3.0, 4.0], [4.0, 3.0], [5.0, 0.0]]
    >>> result = separation(domain, [[-1.0, 0.0], [0.0, 1.0]])
    >>> result.distances.round(3).tolist(), result.nearest.tolist()
    ([0.632, 0.894, 1.414], [1, 1, 1])
    >>> result.within.round(3).tolist(), round(result.ratio, 3)
    ([0.283, 0.283, 0.632], 2.455)
    """
    names = ("domain", "agnostic")
    embeddings = as_embeddings(domain, agnostic, names)
    inside, outside = (unit_rows(x, name) for x, name in zip(embeddings, names, strict=True))
    checks.check_size(inside.shape, names[0], min_points=2)
    n_inside, n_outside = len(inside), len(outside)
    if n is None:
        n_chosen, chosen_outside, chosen_inside = None, np.arange(n_outside), np.arange(n_inside)
    else:
        n_chosen = checks.check_integer(
            n,
            "n",
            low=1,
            high=min(n_outside, n_inside - 1),
            why=f"there are {n_outside} agnostic and {n_inside - 1} other domain sentences",
        )
        generator = checks.as_generator(rng)
        chosen_outside = generator.choice(n_outside, size=n_chosen, replace=False)
        chosen_inside = generator.choice(n_inside, size=n_chosen + 1, replace=False)
    distances, nearest = _nearest(inside, outside[chosen_outside])
    # A sentence among the n + 1 is compared with the n others, and any other sentence with the first n, so
    # that every sentence has the same number of candidates.
    own_positions = np.full(n_inside, chosen_inside.size - 1)
    own_positions[chosen_inside] = np.arange(chosen_inside.size)
    within, _ = _nearest(inside, inside[chosen_inside], own_positions)
    mean, within_mean = float(distances.mean()), float(within.mean())
    if not within_mean > 0:
        raise ValueError(
            "domain has a duplicate of every sentence, so all distances are 0; expected distinct sentences"
        )
    # The root mean square distance between the two sets follows from their means and variances.
    a, b = moments(inside), moments(outside)
    variance = float(np.trace(a.covariance(ddof=0)) + np.trace(b.covariance(ddof=0)))
    spread = math.sqrt(variance + float(((a.mean - b.mean) ** 2).sum()))
    return Separation(
        distances=distances,
        nearest=chosen_outside[nearest].astype(np.int64),
        within=within,
        mean=mean,
        within_mean=within_mean,
        ratio=mean / within_mean,
        spread=spread,
        relative_mean=mean / spread,
        n_candidates=n_chosen,
        n_duplicates=int((within == 0).sum()),
    )


def _nearest(rows: Floats, others: Floats, own: Indices | None = None) -> tuple[Floats, Indices]:
    """Return the distance and index of each row's nearest neighbor, excluding the row at index `own`."""
    points = Positions.of(np.concatenate([rows, others]), "domain")
    k = min(2, len(others) - (own is not None))
    indices, values = best(points[: len(rows)], points[len(rows) :], k, own=own)
    nearest = indices[:, 0]
    # The search treats distances that agree to 40 bits as tied; exact differences then break the tie.
    for row in np.flatnonzero((values[:, 0] == values[:, -1]) & (k > 1)):
        distances = np.linalg.norm(others - rows[row], axis=1)
        if own is not None:
            distances[own[row]] = np.inf
        nearest[row] = distances.argmin()
    return np.linalg.norm(rows - others[nearest], axis=1), nearest
