"""Statistics with one row or one group of rows left out at a time, computed in blocks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import Moments
from isotropy_lab._core import checks
from isotropy_lab._core.rows import Floats
from isotropy_lab.isotropy import jackknife
from isotropy_lab.isotropy.participation import traces_of_moments
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import Survey, row_lengths


@dataclasses.dataclass(frozen=True, eq=False)
class StatisticsWithout:
    """Statistics of the cloud with each of several rows or groups left out in turn."""

    log_ratio: Floats  # logarithm of the corrected participation ratio of the remaining rows, not clipped
    cosine: Floats  # mean cosine of the remaining rows
    directions: Floats  # sum of the unit vectors of the left-out rows minus the overall mean, shape (n,)
    n_directions: int  # number of unit vectors in each sum; a row that equals the mean has no unit vector
    shares: Floats  # fraction of the variance in each left-out row


def log_ratio(m: Moments) -> float:
    """Return the logarithm of the corrected participation ratio, not clipped."""
    t = traces_of_moments(m)
    return float(jackknife.log_ratio(t.n_points, t.total, t.square, t.quartic))


def statistics_without(
    rows: Rows, data: Survey, groups: npt.NDArray[np.intp] | None = None, *, task: str = "leaving out rows"
) -> Iterator[StatisticsWithout]:
    """Yield the statistics of the cloud, leaving out one row or one group at a time, block by block.

    Closed formulas take O(N n²) time; the ratios are those of `isotropy_lab.isotropy.isoscore_interval`,
    which keeps all rows in memory.
    """
    totals = _TotalSums(data)
    if groups is None:
        yield from rows.each(totals.each_row, task)
    else:
        for block in _group_blocks(rows, groups, task):
            yield totals.groups(*block)


class _TotalSums:
    """Sums over all rows, from which statistics without some rows follow, for rows scaled to tr T = 1."""

    def __init__(self, data: Survey) -> None:
        m = data.moments
        checks.check_size((m.count, m.n_dimensions), "X", min_points=5, min_dimensions=2)
        assert m.cubic is not None
        assert m.quartic is not None
        trace = float(np.trace(m.scatter))
        self.n_points, self.mean, self.exponent, self.root = m.count, m.mean, m.exponent, math.sqrt(trace)
        self.scatter, self.cubic = m.scatter / trace, m.cubic / trace / self.root
        self.square, self.quartic = float(np.vdot(self.scatter, self.scatter)), m.quartic / trace / trace
        self.n_nonzero, self.unit_sum = data.n_points - data.n_zero, data.unit_sum

    def each_row(self, _: int, block: npt.NDArray[Any]) -> StatisticsWithout:
        """Return the statistics of the cloud that leave out one row of a block at a time."""
        return self.groups(block.astype(np.float64), np.arange(len(block)), len(block))

    def groups(self, points: Floats, labels: npt.NDArray[np.intp], n_groups: int) -> StatisticsWithout:
        """Return the statistics of the cloud that leave out one group of the given rows at a time."""
        lengths = row_lengths(points)
        is_nonzero = (lengths > 0).astype(np.float64)
        units = jackknife.sum_groups(points / np.where(is_nonzero, lengths, 1.0)[:, None], labels, n_groups)
        # The mean cosine without the unit vectors of a group with sum s follows from s·Σu and ‖s‖².
        n_left = self.n_nonzero - jackknife.sum_groups(is_nonzero, labels, n_groups)
        square = np.square(self.unit_sum[None] - units).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = np.asarray((square - n_left) / (n_left * (n_left - 1)))
        Y = self._centered(points)
        q = np.einsum("ij,ij->i", Y, Y)
        sums = jackknife.group_sums(Y, q, labels, n_groups, self._quadratic, self.cubic)
        traces = jackknife.traces_without(self.n_points, self.square, self.quartic, sums)
        far = q * self.n_points > 1e-24  # closer to the mean, directions are rounding errors; mean q is 1/N
        return StatisticsWithout(
            log_ratio=jackknife.log_ratio(*traces),
            cosine=cosine,
            directions=np.asarray((1.0 / np.sqrt(q[far])) @ Y[far]),
            n_directions=int(far.sum()),
            shares=q,
        )

    def _centered(self, block: Floats) -> Floats:
        """Return the rows minus the overall mean, on the scale where tr T = 1."""
        if not self.exponent:
            return np.asarray((block - self.mean) / self.root)
        rows = np.ldexp(block, -self.exponent) - np.ldexp(self.mean, -self.exponent)
        return np.asarray(rows / self.root)

    def _quadratic(self, rows: Floats) -> Floats:
        """Return yᵀTy for each row y."""
        return np.asarray(np.einsum("ij,ij->i", rows @ self.scatter, rows))


def _group_blocks(
    rows: Rows, groups: npt.NDArray[np.intp], task: str
) -> Iterator[tuple[Floats, npt.NDArray[np.intp], int]]:
    """Yield the rows of complete groups, with each row's group and the number of groups."""
    sizes = np.bincount(groups)
    jackknife.check_groups(sizes, rows.n_rows)
    order = np.argsort(groups, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    first = 0
    while first < sizes.size:
        rows.progress(task, int(bounds[first]), rows.n_rows)
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + rows.block_rows, side="right")) - 1)
        positions = order[bounds[first] : bounds[last]]
        yield rows.take(positions).astype(np.float64), groups[positions] - first, last - first
        first = last
    rows.progress(task, rows.n_rows, rows.n_rows)
