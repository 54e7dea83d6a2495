"""Hubness: how unevenly points appear among the nearest neighbors of the others."""

from __future__ import annotations

import dataclasses
import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab import moments
from isotropy_lab._core import checks
from isotropy_lab._core.neighbors import neighbor_blocks
from isotropy_lab._core.results import Result

__all__ = ["Hubness", "HubnessReference", "hubness"]

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class HubnessReference(Result):
    """The mean hubness of Gaussian clouds with the N, the mean and the covariance of another cloud.

    Attributes
    ----------
    skewness, anti_hubs, hubs
        As in `Hubness`.
    n_clouds : int
        Clouds that were simulated.
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
    counts : numpy.ndarray of shape (N,), int64
        Of how many points each row is a neighbor; the mean is k.
    gaussian
        The same of Gaussian clouds with the N, the mean and the covariance of X. None unless simulated.
    k, n_points, n_dimensions : int
        Length of the lists, and shape of the data.
    """

    skewness: float
    anti_hubs: float
    hubs: float
    counts: Counts
    gaussian: HubnessReference | None
    k: int
    n_points: int
    n_dimensions: int


def hubness(X: checks.Points, *, k: int = 10, n_clouds: int = 0, rng: checks.RandomState = None) -> Hubness:
    """Return the hubness of a cloud: how unevenly points are among the k nearest of others, by cosine.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points; a memory map is read in parts.
    k : int, default 10
        Neighbors of each point, itself left out, 1 ≤ k ≤ N − 2; ties go to the lower row.
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
        If `X` does not hold real numbers, has NaN, inf or zero rows; if every point has its k + 1 nearest
        equally near, so that order alone decides; if k is not from 1 to N − 2; or if an option is out of
        range.

    Notes
    -----
    Neighbors are exact. Skewness rises with the dimension that the cloud uses and with N, and falls with k:
    of Gaussian clouds with variances 1/j (N = 2,000, k = 10) it is 0 in 3 dimensions, 2.2 in 50 and 3.0 in
    200; in 50, it is 2.8 at N = 8,000 and 1.6 at k = 50. Of isotropic ones it stays at .3, for on the sphere
    no direction is more central; a mean away from the origin or axes of different length make hubs of the
    directions that they favor, and taking the mean out can lower or raise it. So a number by itself says
    nothing: compare at the same N and k, and with `gaussian`, which follows from mean and covariance already;
    what X has beyond it comes from clusters, tails or duplicates.

    Duplicates are kept, as a search would find them: c equal rows fill c − 1 places in each other's lists, so
    many copies move counts toward k, and where a row has more than k copies, those with lower rows take all
    the places, an order that means nothing.

    No interval is given: leaving a point out or drawing one twice changes the lists of others, so that
    neither jackknife nor bootstrap is valid.

    Invariant under rotation and positive factors on any row. Cost: O(N² n) time, in tiles of some 60 MB, for
    X and for each cloud. Radovanović, Nanopoulos and Ivanović (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import hubness
    >>> cloud = np.random.default_rng(0).standard_normal((500, 50))
    >>> even, moved = hubness(cloud), hubness(cloud + 0.5, n_clouds=1, rng=0)
    >>> even.skewness < 0.5 < 1 < moved.skewness, moved.gaussian.skewness > 1, int(moved.counts.sum())
    (True, True, 5000)
    """
    n_clouds = checks.check_integer(n_clouds, "n_clouds", low=0)
    points = checks.as_points(X, min_points=3, min_dimensions=1, finite=False)
    size, n = points.shape
    k = checks.check_integer(k, "k", low=1, high=size - 2, why=f"there are {size} points")
    counts = _occurrences(points, k)
    gaussian = None
    if n_clouds:
        generator = checks.as_generator(rng)
        axes, mean = _axes(points)
        clouds = (generator.standard_normal((size, n)) * axes + mean for _ in range(n_clouds))
        found = np.mean([_summary(_occurrences(cloud, k), k) for cloud in clouds], axis=0)
        skewness, anti_hubs, hubs = found.tolist()
        gaussian = HubnessReference(skewness, anti_hubs, hubs, n_clouds)
    skewness, anti_hubs, hubs = _summary(counts, k)
    return Hubness(
        skewness=skewness,
        anti_hubs=anti_hubs,
        hubs=hubs,
        counts=counts,
        gaussian=gaussian,
        k=k,
        n_points=size,
        n_dimensions=n,
    )


def _occurrences(points: checks.FloatArray, k: int) -> Counts:
    """Return in how many lists each point is."""
    size = len(points)
    counts = np.zeros(size, dtype=np.int64)
    n_flat = 0
    for block in neighbor_blocks(points, k + 1):
        counts += np.bincount(block.indices[:, :k].ravel(), minlength=size)
        n_flat += int((block.values[:, 0] == block.values[:, k]).sum())
    if n_flat == size:
        raise ValueError(
            f"X has the {k + 1} nearest neighbors of every point equally near, so that only the order of "
            "rows would decide which are counted; expected points that differ in that, or another k"
        )
    return counts


def _summary(counts: Counts, k: int) -> tuple[float, float, float]:
    """Return the skewness and the shares of points that are a neighbor of none, and of 2k or more."""
    gaps = (counts - k).astype(np.float64)
    variance = float(np.mean(gaps**2))
    skewness = float(np.mean(gaps**3)) / variance**1.5 if variance > 0 else 0.0
    return skewness, float(np.mean(counts == 0)), float(np.mean(counts >= 2 * k))


def _axes(points: checks.FloatArray) -> tuple[Floats, Floats]:
    """Return the standard deviations along the principal axes and the mean along them, over one scale."""
    m = moments(points)
    values, vectors = np.linalg.eigh(m.scatter / (m.count - 1))
    mean = np.ldexp(m.mean, -m.exponent)
    unit = max(float(np.abs(mean).max()), math.sqrt(max(float(values[-1]), 0.0)))
    return np.sqrt(np.maximum(values, 0.0)) / unit, (mean / unit) @ vectors
