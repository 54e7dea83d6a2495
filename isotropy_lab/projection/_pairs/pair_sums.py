"""The sums over pairs of points from which the stress of a projection at any scale follows."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_some_distance
from isotropy_lab.projection._pairs.distances import Pairs, pairs_of

__all__ = ["PairSums", "pair_sums", "sums_of_pairs"]


@dataclass(frozen=True)
class PairSums(Result):
    """Sums over the pairs i < j of data and projection, from which their stress at any scale follows.

    Attributes
    ----------
    n_pairs : int
        Pairs i < j.
    sum_d2, sum_e2, sum_de : float
        Σd², Σe² and Σde.
    max_d, max_e : float
        The largest distances.
    reference, sum_r2, sum_re : float
        A scale β near the best one, and Σr² and Σre of the residuals r = d − βe. They keep the digits of a
        small stress, which Σd² − 2αΣde + α²Σe² loses: a perfect projection has stress 0 rather than 1e-8.
        Left out, they are those of β = 0, where r = d.
    """

    n_pairs: int
    sum_d2: float
    sum_e2: float
    sum_de: float
    max_d: float
    max_e: float
    reference: float = 0.0
    sum_r2: float | None = None
    sum_re: float | None = None

    def raw_stress(self, scale: float = 1.0) -> float:
        """Σ(d − scale·e)², in the units of d squared."""
        direct = (self.sum_d2, 2.0 * scale * self.sum_de, scale * scale * self.sum_e2)
        if scale > 0 and self.sum_r2 is not None and self.sum_re is not None:
            t = scale - self.reference
            residual = (self.sum_r2, 2.0 * t * self.sum_re, t * t * self.sum_e2)
            if sum(map(abs, residual)) < sum(map(abs, direct)):  # the form with less to cancel
                direct = residual
        return max(direct[0] - direct[1] + direct[2], 0.0)

    def normalized_stress(self, scale: float = 1.0) -> float:
        """Σ(d − scale·e)²/Σd², without the root."""
        check_some_distance(self.sum_d2, "X")
        return self.raw_stress(scale) / self.sum_d2

    @property
    def optimal_scale(self) -> float:
        """The scale that minimizes the stress, Σde/Σe²."""
        check_some_distance(self.sum_e2, "Y")
        return self.sum_de / self.sum_e2


def pair_sums(X: checks.Points, Y: checks.Points, *, metric: str = "euclidean") -> PairSums:
    """Return the sums over all pairs of points that determine the stress of a projection at every scale.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `normalized_stress` takes them.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        See `normalized_stress`.

    Returns
    -------
    PairSums
        In the units of X and Y.

    Raises
    ------
    TypeError, ValueError
        See `normalized_stress`.

    Notes
    -----
    Invariant under translation and rotation of X and of Y. Cost: that of `normalized_stress`. Smelser et al.
    (2025), equation (1) and the expansion below it, whose middle term is −2αΣde (+α is printed).

    Examples
    --------
    >>> sums = pair_sums([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    >>> sums.sum_d2, sums.sum_e2, sums.sum_de, sums.n_pairs
    (14.0, 56.0, 28.0, 3)
    """
    return sums_of_pairs(pairs_of(X, Y, metric=metric))


def sums_of_pairs(pairs: Pairs) -> PairSums:
    """Return the sums over checked pairs; raise if a sum over- or underflows."""
    blocks, slots = pairs.blocks(), []
    first = next(blocks)
    with np.errstate(over="ignore", invalid="ignore"):
        d, e = first
        sum_e2 = float((e * e).sum())
        reference = float((d * e).sum()) / sum_e2 if sum_e2 > 0 else 0.0
        for d, e in itertools.chain([first], blocks):
            r = d - reference * e
            # `sum` adds pairwise, with less rounding than einsum: a perfect projection needs the last digits.
            sums = ((a * b).sum() for a, b in ((d, d), (e, e), (d, e), (r, r), (r, e)))
            slots.append([*sums, d.max(), e.max()])
    columns = np.array(slots).T
    dd, ee, de, rr, re = (math.fsum(column) for column in columns[:5])
    max_d, max_e = (float(column.max()) for column in columns[5:])
    checks.check_representable(np.array([dd, ee, de, max_d, max_e]), "a sum over pairs of points")
    check_some_distance(max_d, "X")
    if not math.isfinite(rr):  # the first tile of the projection is nearly one point and has no usable scale
        return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e)
    return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e, reference, rr, re)
