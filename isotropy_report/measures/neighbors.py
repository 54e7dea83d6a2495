"""Overlap between two models' nearest neighbors of the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats
from isotropy_report.measures._checks import as_pair

__all__ = ["NeighborOverlap", "neighbor_overlap"]

Indices = npt.NDArray[np.int64]

_CHUNK_ENTRIES = 2**21  # pairs of neighbors compared at a time: 2 MB of Booleans


@dataclass(frozen=True, eq=False)
class NeighborOverlap(Result):
    """The fraction of the k nearest neighbors that two models share.

    Attributes
    ----------
    overlap : float
        Mean fraction over the items, in [0, 1].
    low, high, standard_error, confidence_level : float
        Interval and standard error; see the notes of `neighbor_overlap`.
    chance : float
        k/(N − 1), the mean overlap of unrelated neighborhoods.
    k, n_points : int
        Numbers of neighbors and of items.
    """

    overlap: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    chance: float
    k: int
    n_points: int


def neighbor_overlap(
    A: checks.Points, B: checks.Points, *, k: int = 10, confidence_level: float = 0.95
) -> NeighborOverlap:
    """Return the mean fraction of an item's k nearest neighbors, by cosine, that two models share.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (N, n')
        Vectors of the same items from two models, N ≥ k + 2.
    k : int, default 10
        Number of neighbors of each item, excluding itself.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.

    Returns
    -------
    NeighborOverlap
        The overlap ranges from 0 to 1, where all neighbors are the same.

    Raises
    ------
    TypeError, ValueError
        If vectors are not real numbers, or contain NaN, inf, or zero rows; if A and B have different numbers
        of rows; if `k` is below 1 or above N − 2; or if the level is out of range.

    Notes
    -----
    Neighbors are exact; ties go to the lower row, so duplicates are neighbors of each other. If the items of
    B are permuted at random, the mean overlap is k/(N − 1), whatever the vectors. The overlap depends on N:
    the more items there are, the finer the neighborhoods, and the smaller the overlap of two models that
    agree only roughly.

    The interval is for the mean over samples of N items like these, with Student's quantiles. Items are also
    neighbors of other items, so they are not independent, and a standard error that assumes independence is
    too small. The jackknife leaves out one item at a time, including its effects on other lists, and is too
    large for nearest neighbors. The mean of the two is used, a rule based on simulations, not on a theorem:
    for its coverage, see *Is it calibrated?* in the book. It is too narrow if neighbors are lost mostly in
    one region, such as one topic. If all or none are shared, the other end is Clopper and Pearson's bound for
    the fraction of items with another list.

    The overlap is invariant under rotation of either model, a positive factor on any row, and, unless there
    are ties, the order of the items. Cost: O(N² (n + n')) time for the neighbors and O(N k²) for the rest;
    memory for the neighbor search and 16 N k bytes.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import neighbor_overlap
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((200, 20))
    >>> result = neighbor_overlap(A, A + 0.3 * rng.standard_normal((200, 20)), k=10)
    >>> round(result.chance, 3), result.chance < result.low < result.overlap < result.high < 1
    (0.05, True)
    """
    level = checks.check_confidence_level(confidence_level)
    a, b = as_pair(A, B, min_points=3)
    n_points = len(a)
    why = f"there are {n_points} items, and the jackknife leaves one out"
    k = checks.check_integer(k, "k", low=1, high=n_points - 2, why=why)
    points_and_names = zip((a, b), "AB", strict=True)
    first, second = (nearest_neighbors(x, k + 1, name=name).indices for x, name in points_and_names)
    return overlap_of_lists(first, second, level)


def overlap_of_lists(first: Indices, second: Indices, level: float) -> NeighborOverlap:
    """Return the overlap between two models' lists of k + 1 neighbors for the same items."""
    n_points, k = len(first), first.shape[1] - 1
    shared, change = shared_neighbors(first, second)
    error = standard_error(shared, change, k)
    mean = float(shared.sum()) / (n_points * k)
    half_width = float(stats.t.ppf(0.5 + level / 2.0, n_points - 1)) * error
    # Use Clopper and Pearson's bound on the fraction of items that lose or gain a neighbor.
    if mean in (0.0, 1.0):
        half_width = 1.0 - (0.5 - level / 2.0) ** (1.0 / n_points)
    return NeighborOverlap(
        overlap=mean,
        low=max(0.0, mean - half_width),
        high=min(1.0, mean + half_width),
        standard_error=error,
        confidence_level=level,
        chance=k / (n_points - 1),
        k=k,
        n_points=n_points,
    )


def shared_neighbors(first: Indices, second: Indices) -> tuple[Indices, Floats]:
    """Return each item's number of shared neighbors, and the total change for other items without it.

    The lists have k + 1 neighbors. Without an item, each list that contained it takes in its last neighbor.
    """
    n_points, k = len(first), first.shape[1] - 1
    shared = np.empty(n_points, dtype=np.int64)
    change = np.zeros(n_points)
    chunk_size = max(1, _CHUNK_ENTRIES // k**2)
    for start in range(0, n_points, chunk_size):
        a, b = first[start : start + chunk_size], second[start : start + chunk_size]
        equal = a[:, :k, None] == b[:, None, :k]
        in_b, in_a = equal.any(axis=2), equal.any(axis=1)  # whether the neighbor is also in the other list
        shared[start : start + chunk_size] = in_b.sum(axis=1)
        next_a = (a[:, k, None] == b[:, :k]).any(axis=1)
        next_b = (b[:, k, None] == a[:, :k]).any(axis=1)
        gain_if_shared = next_a.astype(np.int64) + next_b + (a[:, k] == b[:, k]) - 1
        gains_a = np.where(in_b, gain_if_shared[:, None], next_a[:, None])
        gains_b = np.where(in_a, 0, next_b[:, None])
        for indices, gain in ((a, gains_a), (b, gains_b)):
            change += np.bincount(indices[:, :k].ravel(), gain.ravel(), minlength=n_points)
    return shared, change


def standard_error(shared: Indices, change: Floats, k: int) -> float:
    """Return the mean of two standard errors, one for independent items and one from the jackknife."""
    n = len(shared)
    independent = math.sqrt(float(shared.var(ddof=1)) / n) / k
    overlaps = (change - shared) / ((n - 1) * k)  # the overlap without each item, up to a constant
    jackknife = math.sqrt((n - 1) / n * float(((overlaps - overlaps.mean()) ** 2).sum()))
    return (independent + jackknife) / 2.0
