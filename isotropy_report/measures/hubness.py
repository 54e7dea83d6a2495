"""Hubness: how unevenly points appear among the nearest neighbors of the others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab import moments
from isotropy_lab._core import checks
from isotropy_lab._core.neighbors import METRICS, neighbor_blocks
from isotropy_lab._core.results import Result
from isotropy_report.measures.equal_rows import count_duplicates, row_hashes

__all__ = ["Hubness", "HubnessReference", "hubness"]

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class HubnessReference(Result):
    """The hubness of some other cloud of the same N and n.

    Attributes
    ----------
    skewness, anti_hubs, hubs
        As in `Hubness`; means over simulated clouds.
    n_clouds : int
        Clouds that were simulated; 0 for a closed form.
    """

    skewness: float
    anti_hubs: float
    hubs: float
    n_clouds: int


@dataclasses.dataclass(frozen=True, eq=False)
class Hubness(Result):
    """How often points are among the k nearest neighbors of others.

    Attributes
    ----------
    skewness
        Of the N counts, m₃/m₂^1.5 with moments over N, as Radovanović et al. have it; 0 if all counts are k.
    anti_hubs
        Share of points that are a neighbor of no other point: no search that starts from a point ever finds
        them.
    hubs
        Share of points that are a neighbor of at least 2k others.
    largest_rows, largest_counts : numpy.ndarray of int64
        The rows that are neighbors most often, at most 10, and of how many; equal counts in the order of
        rows.
    counts : numpy.ndarray of shape (N,), int64
        Of how many points each row is a neighbor; the mean is k.
    chance
        The same where every list is k points drawn at random.
    gaussian
        The same of Gaussian clouds with the N, the mean and the covariance of X. None unless simulated.
    k, metric
        Length of the lists, and what is near.
    n_points, n_dimensions, n_duplicates : int
        Shape of the data, and rows equal to an earlier one.
    n_ties : int
        Points whose list ends among points equally near, so that the order of rows decides who is in it.
    """

    skewness: float
    anti_hubs: float
    hubs: float
    largest_rows: Counts
    largest_counts: Counts
    counts: Counts
    chance: HubnessReference
    gaussian: HubnessReference | None
    k: int
    metric: str
    n_points: int
    n_dimensions: int
    n_duplicates: int
    n_ties: int


def hubness(
    X: checks.Points,
    *,
    k: int = 10,
    metric: str = "cosine",
    n_clouds: int = 0,
    rng: checks.RandomState = None,
) -> Hubness:
    """Return the hubness of a cloud: how unevenly points are among the k nearest of others.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points; a memory map is read in parts.
    k : int, default 10
        Neighbors of each point, itself left out, 1 ≤ k ≤ N − 2.
    metric : {"cosine", "euclidean"}, default "cosine"
        What is near; ties go to the lower row.
    n_clouds : int, default 0
        Gaussian clouds with the mean and the covariance of X to simulate. Each takes as long as X itself.
    rng : numpy.random.Generator or int, optional
        Draws these clouds.

    Returns
    -------
    Hubness
        Skewness near 0 is even; above about 1 there are hubs. `anti_hubs` is 0 at best.

    Raises
    ------
    TypeError, ValueError
        If `X` does not hold real numbers, has NaN, inf or, for cosines, zero rows; if all points coincide, or
        every point has its k + 1 nearest at one distance, so that order alone decides; if k is not from 1 to
        N − 2; or if an option is out of range.

    Notes
    -----
    Neighbors are exact. Skewness rises with the dimension that the cloud uses and with N, and falls with k.
    Of isotropic Gaussian clouds it is, by Euclidean distance, −.3 in 3 dimensions and 4.5 in 50 (N = 2,000, k
    = 10), and 6.6 there at N = 8,000 or at k = 1: points near the center are near to all. By cosine it stays
    at .3, next to `chance`, for on the sphere no direction is more central; a mean away from the origin or
    axes of different length make hubs of the directions that they favor, and taking the mean out can lower or
    raise it. So a number by itself says nothing: compare at the same N and k, and with `gaussian`.
    Skewness rests on the few largest counts and differs by 1 or more between such clouds where it is above 4;
    `anti_hubs` is the steadier number. What `gaussian` shows follows from mean and covariance already; what X
    has beyond it comes from clusters, tails or duplicates.

    Duplicates are kept, as a search would find them: c equal rows fill c − 1 places in each other's lists, so
    many copies move counts toward k, and where a row has more than k copies, those with lower rows take all
    the places, an order that means nothing. `n_duplicates` and `n_ties` say how many there are.

    No interval is given: leaving a point out or drawing one twice changes the lists of others, so that
    neither jackknife nor bootstrap is valid.

    Invariant under rotation and scale, by cosine also under positive factors on any row, by Euclidean
    distance under translation. Cost: O(N² n) time, in tiles of some 60 MB. Radovanović, Nanopoulos and
    Ivanović (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import hubness
    >>> cloud = np.random.default_rng(0).standard_normal((500, 50))
    >>> found = hubness(cloud, metric="euclidean")
    >>> found.skewness > 2 > found.chance.skewness, int(found.counts.sum())
    (True, 5000)
    >>> bool(found.counts[found.largest_rows[0]] == found.counts.max())
    True
    """
    checks.check_option(metric, "metric", METRICS)
    n_clouds = checks.check_integer(n_clouds, "n_clouds", low=0)
    points = checks.as_points(X, min_points=3, min_dimensions=1, finite=False)
    size, n = points.shape
    k = checks.check_integer(k, "k", low=1, high=size - 2, why=f"there are {size} points")
    n_duplicates = count_duplicates(row_hashes(points)).n_duplicates
    if n_duplicates == size - 1:
        checks.raise_if_not_finite(points, "X")
        checks.check_variance(0.0, "X")
    counts, n_ties = _occurrences(points, k, metric)
    largest = np.argsort(-counts, kind="stable")[:10]
    gaussian = None
    if n_clouds:
        generator = checks.as_generator(rng)
        axes, mean = _axes(points)
        gaussian = _simulated(lambda: generator.standard_normal((size, n)) * axes + mean, n_clouds, k, metric)
    skewness, anti_hubs, hubs = _summary(counts, k)
    return Hubness(
        skewness=skewness,
        anti_hubs=anti_hubs,
        hubs=hubs,
        largest_rows=largest,
        largest_counts=counts[largest],
        counts=counts,
        chance=_chance(size, k),
        gaussian=gaussian,
        k=k,
        metric=metric,
        n_points=size,
        n_dimensions=n,
        n_duplicates=n_duplicates,
        n_ties=n_ties,
    )


def _occurrences(points: checks.FloatArray, k: int, metric: str) -> tuple[Counts, int]:
    """Return in how many lists each point is, and how many lists end within a tie."""
    size = len(points)
    counts = np.zeros(size, dtype=np.int64)
    n_ties = n_flat = 0
    for block in neighbor_blocks(points, k + 1, metric=metric):
        counts += np.bincount(block.indices[:, :k].ravel(), minlength=size)
        tied = block.values[:, k - 1] == block.values[:, k]
        n_ties += int(tied.sum())
        n_flat += int((block.values[:, 0] == block.values[:, k]).sum())
    if n_flat == size:
        raise ValueError(
            f"X has the {k + 1} nearest neighbors of every point equally near, so that only the order of "
            "rows would decide which are counted; expected points that differ in that, or another k"
        )
    return counts, n_ties


def _summary(counts: Counts, k: int) -> tuple[float, float, float]:
    """Return the skewness and the shares of points that are a neighbor of none, and of 2k or more."""
    gaps = (counts - k).astype(np.float64)
    variance = float(np.mean(gaps**2))
    skewness = float(np.mean(gaps**3)) / variance**1.5 if variance > 0 else 0.0
    return skewness, float(np.mean(counts == 0)), float(np.mean(counts >= 2 * k))


def _chance(size: int, k: int) -> HubnessReference:
    """Return the binomial values: each of the N − 1 other lists holds a point with probability k/(N − 1)."""
    from scipy import stats

    lists = stats.binom(size - 1, k / (size - 1))
    return HubnessReference(float(lists.stats("s")), float(lists.pmf(0)), float(lists.sf(2 * k - 1)), 0)


def _simulated(draw: Callable[[], Floats], n_clouds: int, k: int, metric: str) -> HubnessReference:
    found = np.array([_summary(_occurrences(draw(), k, metric)[0], k) for _ in range(n_clouds)])
    skewness, anti_hubs, hubs = found.mean(axis=0).tolist()
    return HubnessReference(skewness, anti_hubs, hubs, n_clouds)


def _axes(points: checks.FloatArray) -> tuple[Floats, Floats]:
    """Return the standard deviations along the principal axes and the mean along them, over one scale."""
    m = moments(points)
    values, vectors = np.linalg.eigh(m.scatter / (m.count - 1))
    mean = np.ldexp(m.mean, -m.exponent)
    unit = max(float(np.abs(mean).max()), math.sqrt(max(float(values[-1]), 0.0)))
    return np.sqrt(np.maximum(values, 0.0)) / unit, (mean / unit) @ vectors
