"""Jackknife of the corrected IsoScore: leave-one-group-out traces in closed form, and standard error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab.isotropy.participation import check_two_differ, unbiased_traces

__all__ = ["GroupSums", "Jackknife"]

Floats: TypeAlias = npt.NDArray[np.float64]


class GroupSums(NamedTuple):
    """Sums over each group of rows y of a centered cloud with scatter matrix T and tr T = 1.

    A group has the sum s = Σy and the scatter matrix G = Σyyᵀ.

    Attributes
    ----------
    size
        Number m of rows.
    s_square, s_T_s, s_G_s
        Products ‖s‖², sᵀTs, and sᵀGs.
    total, own_square, inner : tr G, ‖G‖², and ⟨T, G⟩.
    quartic : Σ‖y‖⁴.
    cubic_left
        s·Σ‖y‖²y over all other rows.
    """

    size: Floats
    s_square: Floats
    s_T_s: Floats
    s_G_s: Floats
    total: Floats
    own_square: Floats
    inner: Floats
    quartic: Floats
    cubic_left: Floats


def sum_groups(values: Floats, labels: npt.NDArray[np.intp], n_groups: int) -> Floats:
    """Return the sums of numbers or rows over each group; no group may be empty."""
    order = np.argsort(labels, kind="stable")
    # If every row is its own group, nothing is summed, and rows that are already in order are not copied.
    if n_groups == len(order):
        return values if bool((order == np.arange(n_groups)).all()) else np.asarray(values[order])
    starts = np.searchsorted(labels[order], np.arange(n_groups))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def group_sums(
    Y: Floats,
    q: Floats,
    labels: npt.NDArray[np.intp],
    n_groups: int,
    quadratic: Callable[[Floats], Floats],
    cubic: Floats,
) -> GroupSums:
    """Return the sums over groups of the rows `Y` with squared lengths `q`; no group may be empty.

    The function `quadratic` returns yᵀTy for each row y, and `cubic` is Σ‖y‖²y over the whole cloud.
    """
    if n_groups == Y.shape[0]:
        order = np.argsort(labels)
        s, q, labels = Y[order], q[order], np.arange(n_groups)
        with_sum, own_square = q, q * q  # the inner product y·s equals ‖y‖²
    else:
        s = sum_groups(Y, labels, n_groups)
        with_sum = np.einsum("ij,ij->i", Y, s[labels])
        own_square = _squared_scatter_norms(Y, labels, n_groups)
    s_T_s = quadratic(s)
    return GroupSums(
        size=np.bincount(labels, minlength=n_groups).astype(np.float64),
        s_square=np.einsum("ij,ij->i", s, s),
        s_T_s=s_T_s,
        s_G_s=sum_groups(with_sum**2, labels, n_groups),
        total=sum_groups(q, labels, n_groups),
        own_square=own_square,
        inner=s_T_s if s.shape == Y.shape else sum_groups(quadratic(Y), labels, n_groups),
        quartic=sum_groups(q * q, labels, n_groups),
        cubic_left=s @ cubic - sum_groups(q * with_sum, labels, n_groups),
    )


def _squared_scatter_norms(Y: Floats, labels: npt.NDArray[np.intp], n_groups: int) -> Floats:
    """Return each group's ‖Σ yyᵀ‖²_F, computed from the smaller of its two product matrices."""
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(n_groups + 1))
    norms = np.empty(n_groups)
    for g in range(n_groups):
        rows = Y[order[bounds[g] : bounds[g + 1]]]
        product = rows @ rows.T if rows.shape[0] < rows.shape[1] else rows.T @ rows
        norms[g] = np.vdot(product, product)
    return norms


def traces_without(
    n_points: int, square: float, quartic: float, sums: GroupSums
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return N, tr T, tr T², and Σ‖y‖⁴ of a centered cloud, leaving out one group at a time.

    Removing a group of m points with sum s moves the mean by −d, where d = s/(N − m). The scatter matrix
    becomes T − G − s sᵀ/(N − m), and each remaining y becomes y + d; the results follow by expansion.
    """
    left = n_points - sums.size  # number of remaining points
    d_square = sums.s_square / left**2
    total_left = 1.0 - sums.total
    outer = sums.s_square / left
    square_left = (
        square + sums.own_square + outer**2 - 2 * sums.inner - 2 * sums.s_T_s / left + 2 * sums.s_G_s / left
    )
    quartic_left = (
        quartic
        - sums.quartic
        + 4 * (sums.s_T_s - sums.s_G_s) / left**2
        + 4 * sums.cubic_left / left
        + 2 * d_square * total_left
        - 3 * left * d_square**2
    )
    return left, total_left - outer, square_left, quartic_left


def log_ratio(n_points: Any, total: Any, square: Any, quartic: Any) -> Floats:
    """Return the unclipped logarithm of the corrected participation ratio, for data scaled to tr T = 1."""
    numerator, denominator = unbiased_traces(n_points, total, square, quartic)
    check_two_differ(numerator, 1.0 / (np.asarray(n_points) - 1.0) ** 2)
    # The estimate of tr(Σ²) is a mean of squares. It is zero only if all differences of disjoint pairs are
    # orthogonal, as for N points on N axes, and rounding then decides its sign.
    bad = ~(np.atleast_1d(denominator - 1e-12 * numerator) > 0)
    if bad.any():
        scope = "of all points" if bad.size == 1 else f"without {int(bad.sum())} of {bad.size} groups"
        raise ValueError(
            "X has too few points for an interval, because all differences between points are orthogonal and "
            f"the estimate of tr(Σ²) {scope} is not positive; expected more points, or fewer dimensions"
        )
    return np.asarray(np.log(numerator) - np.log(denominator))


def score_of_log(log: float, n: int) -> float:
    """Return IsoScore from the logarithm of a participation ratio, clipped to [0, 1]."""
    return min(max((math.exp(min(log, 700.0)) - 1.0) / (n - 1.0), 0.0), 1.0)


def is_cut_off(log: float, n: int) -> bool:
    """Return whether a participation ratio reaches its maximum n, up to rounding."""
    return log >= math.log(n) - 1e-9


def interval_of_logs(log: float, low: float, high: float, n: int) -> tuple[float, float]:
    """Return the interval of IsoScore from the logarithm of a participation ratio and its interval.

    If the ratio exceeds n and is clipped, the lower end is shifted by the same amount, so that the interval
    contains the reported score and is not a single point.
    """
    excess = max(log - math.log(n), 0.0)
    return score_of_log(low - excess, n), score_of_log(high, n)


class Jackknife:
    """Delete-a-group jackknife, computed from statistics, each of which leaves out one group.

    The variance is (G − 1)/G times the sum of the squared deviations of the G statistics from their mean. It
    does not assume that rows of a group are independent, and it holds for groups of different sizes.
    """

    def __init__(self, full: float) -> None:
        self.full = full  # statistic of all rows, subtracted for the sake of rounding
        self.n_groups = 0
        self._sum = self._square = 0.0

    def add(self, values: Floats) -> None:
        """Add statistics, each of which leaves out one group."""
        change = values - self.full
        self.n_groups += values.size
        self._sum += float(change.sum())
        self._square += float((change * change).sum())

    def error(self) -> float:
        """Return the standard error of the statistic."""
        variance = self._square / self.n_groups - (self._sum / self.n_groups) ** 2
        return math.sqrt((self.n_groups - 1) * max(variance, 0.0))

    def half_width(self, confidence_level: float) -> float:
        """Return the half-width of the confidence interval, based on Student's t distribution."""
        from scipy import stats

        return float(stats.t.ppf(0.5 + confidence_level / 2, self.n_groups - 1)) * self.error()


def check_groups(sizes: npt.NDArray[np.intp], n_points: int) -> None:
    """Raise ValueError unless there are at least 2 groups, and at least 4 points outside each group."""
    if sizes.size < 2:
        raise ValueError(
            f"groups has {checks.how_many(int(sizes.size), 'distinct label')}; expected at least 2 groups"
        )
    largest = int(sizes.max())
    if n_points - largest < 4:
        raise ValueError(
            f"groups has a group with {largest} of the {n_points} points, which leaves only "
            f"{n_points - largest}; expected at least 4 points outside each group"
        )
