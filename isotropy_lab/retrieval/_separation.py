"""Separation of a domain's sentences from sentences of no domain."""

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
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Separation(Result):
    """Distances of N domain sentences to the nearest sentence outside the domain and inside.

    Attributes
    ----------
    distances, within : ndarray of shape (N,)
        Δ_M, the Euclidean distance of each domain sentence to the nearest agnostic one, and to the nearest
        other of the domain.
    nearest : ndarray of shape (N,), int64
        Which agnostic sentence that is.
    mean, within_mean : float
        Means of both distances.
    ratio : float
        mean / within_mean: above 1 if the domain's sentences are nearer to each other than to those outside.
    spread, relative_mean : float
        Root mean square distance over all pairs of a domain sentence and an agnostic one, and mean / spread.
    n_candidates : int or None
        How many sentences the nearest was searched for among on either side; None for all there are.
    n_duplicates : int
        Domain sentences that coincide with another one they were compared with (within = 0).
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
    """Measure Δ_M, the distance of each domain sentence to the nearest sentence outside the domain.

    Parameters
    ----------
    domain : array-like of shape (N, n_dimensions)
        Embeddings of the domain's sentences, at least 2; rows are scaled to unit length, as the paper's are.
    agnostic : array-like of shape (N', n_dimensions)
        Embeddings of other sentences by the same model.
    n : int or None
        Seek each nearest sentence among this many, drawn once without replacement from either side: at most
        N' and N − 1. The nearest of more sentences is nearer, so that the ratio says little if the sides are
        of very different size. None takes all.
    rng : numpy.random.Generator, int or None
        For the draw; not used if `n` is None.

    Returns
    -------
    Separation
        Distances from 0 to 2.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or contain NaN, inf or zero rows; if there are
        fewer than 2 domain sentences, `n` is out of range, or every domain sentence has a duplicate (no
        ratio).

    Notes
    -----
    Invariant under a common rotation and positive factors on any row. Distances are taken from differences,
    so that small ones keep their digits. Cost: O(N (N + N') n_dimensions)
    time, 60 MB in addition to float64 copies. Roychowdhury et al. (2025), Section II-F.

    Examples
    --------
    >>> from isotropy_lab.retrieval import separation
    >>> domain = [[3.0, 4.0], [4.0, 3.0], [5.0, 0.0]]
    >>> found = separation(domain, [[-1.0, 0.0], [0.0, 1.0]])
    >>> found.distances.round(3).tolist(), found.nearest.tolist()
    ([0.632, 0.894, 1.414], [1, 1, 1])
    >>> found.within.round(3).tolist(), round(found.ratio, 3)
    ([0.283, 0.283, 0.632], 2.455)
    """
    names = ("domain", "agnostic")
    given = as_embeddings(domain, agnostic, names)
    inside, outside = (unit_rows(x, name) for x, name in zip(given, names, strict=True))
    checks.check_size(inside.shape, names[0], min_points=2)
    n_inside, n_outside = len(inside), len(outside)
    if n is None:
        n_chosen, among_out, among_in = None, np.arange(n_outside), np.arange(n_inside)
    else:
        n_chosen = checks.check_integer(
            n,
            "n",
            low=1,
            high=min(n_outside, n_inside - 1),
            why=f"there are {n_outside} agnostic and {n_inside - 1} other domain sentences",
        )
        generator = checks.as_generator(rng)
        among_out = generator.choice(n_outside, size=n_chosen, replace=False)
        among_in = generator.choice(n_inside, size=n_chosen + 1, replace=False)
    distances, nearest = _nearest(inside, outside[among_out])
    # A sentence among the n + 1 has the n others; the rest are compared with the first n, so that all have as
    # many.
    own = np.full(n_inside, among_in.size - 1)
    own[among_in] = np.arange(among_in.size)
    within, _ = _nearest(inside, inside[among_in], own)
    mean, within_mean = float(distances.mean()), float(within.mean())
    if not within_mean > 0:
        raise ValueError(
            "domain has a duplicate of every sentence, and so distances of 0; expected distinct sentences"
        )
    # The root mean square distance between sentences of the two, from means and variances.
    a, b = moments(inside), moments(outside)
    square = float(np.trace(a.covariance(ddof=0)) + np.trace(b.covariance(ddof=0)))
    spread = math.sqrt(square + float(((a.mean - b.mean) ** 2).sum()))
    return Separation(
        distances=distances,
        nearest=among_out[nearest].astype(np.int64),
        within=within,
        mean=mean,
        within_mean=within_mean,
        ratio=mean / within_mean,
        spread=spread,
        relative_mean=mean / spread,
        n_candidates=n_chosen,
        n_duplicates=int((within == 0).sum()),
    )


def _nearest(rows: Floats, others: Floats, own: Places | None = None) -> tuple[Floats, Places]:
    """Return the distance and the index of the nearest other row, without the row at index `own`."""
    cloud = Positions.of(np.concatenate([rows, others]), "domain")
    k = min(2, len(others) - (own is not None))
    places, values = best(cloud[: len(rows)], cloud[len(rows) :], k, own=own)
    found = places[:, 0]
    # The search ties distances that agree to 40 bits; if the two nearest are tied, differences decide.
    for row in np.flatnonzero((values[:, 0] == values[:, -1]) & (k > 1)):
        distances = np.linalg.norm(others - rows[row], axis=1)
        if own is not None:
            distances[own[row]] = np.inf
        found[row] = distances.argmin()
    return np.linalg.norm(rows - others[found], axis=1), found
