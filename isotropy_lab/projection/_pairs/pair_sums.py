"""Sums over pairs of points that determine the stress of a projection at any scale."""

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
    """Sums over the pairs i < j of data and projection, which determine the stress at any scale.

    Attributes
    ----------
    n_pairs : int
        Number of pairs i < j.
    sum_d2, sum_e2, sum_de : float
        Σd², Σe², and Σde.
    max_d, max_e : float
        Maximum distances.
    reference, sum_r2, sum_re : float
        Scale β near the optimal scale, and Σr² and Σre of the residuals r = d − βe. They give the digits of
        small stress that are lost in Σd² − 2αΣde + α²Σe², so that a perfect projection has stress 0 rather
        than 1e-8. By default, β = 0 and r = d.
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
        """Return Σ(d − scale·e)², in squared units of d."""
        terms = (self.sum_d2, 2.0 * scale * self.sum_de, scale * scale * self.sum_e2)
        if scale > 0 and self.sum_r2 is not None and self.sum_re is not None:
            change = scale - self.reference
            residual_terms = (self.sum_r2, 2.0 * change * self.sum_re, change * change * self.sum_e2)
            if sum(map(abs, residual_terms)) < sum(map(abs, terms)):  # the form with less cancellation
                terms = residual_terms
        return max(terms[0] - terms[1] + terms[2], 0.0)

    def normalized_stress(self, scale: float = 1.0) -> float:
        """Return Σ(d − scale·e)²/Σd², without the square root."""
        check_some_distance(self.sum_d2, "X")
        return self.raw_stress(scale) / self.sum_d2

    @property
    def optimal_scale(self) -> float:
        """Scale that minimizes the stress, Σde/Σe²."""
        check_some_distance(self.sum_e2, "Y")
        return self.sum_de / self.sum_e2


def pair_sums(X: checks.Points, Y: checks.Points, *, metric: str = "euclidean") -> PairSums:
    """Compute the sums over all pairs of points that determine the stress of a projection at every scale.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        Data and projection: see `normalized_stress`.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        See `normalized_stress`.

    Returns
    -------
    PairSums
        Sums in the units of X and Y.

    Raises
    ------
    TypeError, ValueError
        As in `normalized_stress`.

    Notes
    -----
    The sums are invariant under translation and rotation of X and Y, and cost as much as `normalized_stress`.
    Smelser et al. (2025), equation (1) and the expansion below it, whose middle term is −2αΣde (printed as
    +α).

    Examples
    --------
    >>> sums = pair_sums([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    >>> sums.sum_d2, sums.sum_e2, sums.sum_de, sums.n_pairs
    (14.0, 56.0, 28.0, 3)
    """
    return sums_of_pairs(pairs_of(X, Y, metric=metric))


def sums_of_pairs(pairs: Pairs) -> PairSums:
    """Return the sums over checked pairs; raise ValueError for sums that overflow or underflow."""
    blocks, rows = pairs.blocks(), []
    first = next(blocks)
    with np.errstate(over="ignore", invalid="ignore"):
        d, e = first
        sum_e2 = float((e * e).sum())
        reference = float((d * e).sum()) / sum_e2 if sum_e2 > 0 else 0.0
        for d, e in itertools.chain([first], blocks):
            r = d - reference * e
            # `sum` uses pairwise summation, which is more precise than einsum; perfect projections need it.
            sums = ((a * b).sum() for a, b in ((d, d), (e, e), (d, e), (r, r), (r, e)))
            rows.append([*sums, d.max(), e.max()])
    columns = np.array(rows).T
    dd, ee, de, rr, re = (math.fsum(column) for column in columns[:5])
    max_d, max_e = (float(column.max()) for column in columns[5:])
    checks.check_representable(np.array([dd, ee, de, max_d, max_e]), "a sum over pairs of points")
    check_some_distance(max_d, "X")
    if not math.isfinite(rr):  # the first tile of Y is nearly one point and has no usable scale
        return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e)
    return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e, reference, rr, re)
