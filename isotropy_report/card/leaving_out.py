"""Intervals by leaving out one row, or one group of rows, at a time, read in blocks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab import Moments
from isotropy_lab._core import checks
from isotropy_lab.isotropy import jackknife
from isotropy_lab.isotropy.participation import check_fourth, traces_of_moments
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import Survey, lengths_of

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class LeftOut:
    """Statistics of the cloud without each of some rows or groups."""

    sizes: Floats  # rows that are left out each time
    log_ratio: Floats  # logarithm of the corrected participation ratio of the others, not clipped
    log_plain: Floats  # the same of the plug-in one
    leading: (
        Floats | None
    )  # fraction of their variance along the leading components of all rows, if asked for
    cosine: Floats  # mean cosine of the others
    directions: Floats  # sum of the unit vectors of the left-out rows less the mean of all, shape (n,)
    n_directions: int  # how many there are: rows that equal the mean have none
    shares: Floats  # of the variance, in each of the rows that are left out


def log_ratio(m: Moments) -> float:
    """Return the logarithm of the corrected participation ratio, not clipped."""
    t = traces_of_moments(m)
    return float(jackknife.log_ratio(t.n_points, t.total, t.square, t.quartic))


@dataclasses.dataclass(frozen=True, eq=False)
class _Scaled:
    """The moments of the cloud centered and scaled to tr T = 1."""

    n_points: int
    mean: Floats
    exponent: int
    root: float
    scatter: Floats
    cubic: Floats
    square: float
    quartic: float

    @classmethod
    def of(cls, m: Moments) -> _Scaled:
        checks.check_size((m.count, m.n_dimensions), "X", min_points=5, min_dimensions=2)
        check_fourth(fourth=True, present=m.quartic is not None)
        assert m.cubic is not None
        assert m.quartic is not None
        trace = float(np.trace(m.scatter))
        checks.check_variance(trace, "X")
        T = m.scatter / trace
        root = math.sqrt(trace)
        cubic = m.cubic / trace / root
        return cls(
            m.count, m.mean, m.exponent, root, T, cubic, float(np.vdot(T, T)), m.quartic / trace / trace
        )

    def centered(self, block: npt.NDArray[np.floating]) -> Floats:
        """Return rows less the mean of all, on the scale where tr T = 1."""
        if not self.exponent:
            return np.asarray((block - self.mean) / self.root)
        rows = np.ldexp(block.astype(np.float64), -self.exponent) - np.ldexp(self.mean, -self.exponent)
        return np.asarray(rows / self.root)

    def log_ratios_without(self, sums: jackknife.GroupSums) -> tuple[Floats, Floats]:
        """Return the logarithms of the corrected and the plug-in ratio without each group."""
        traces = jackknife.traces_without(self.n_points, self.square, self.quartic, sums)
        _, total, square, _ = traces
        return jackknife.log_ratio(*traces), np.asarray(2.0 * np.log(total) - np.log(square))

    def leading_without(
        self, axes: Floats, sums: jackknife.GroupSums, of_rows: Floats, of_sum: Floats
    ) -> Floats:
        """Return the fraction of variance along `axes` without groups.

        `of_rows` are the sums over their rows of what lies along the axes, `of_sum` what of their sum does. To first order in
        what leaves, this is the fraction along the components of the rows that stay.
        """
        left = self.n_points - sums.size
        all_rows = float(np.einsum("ij,ij->", axes, self.scatter @ axes))
        return np.asarray((all_rows - of_rows - of_sum / left) / (1.0 - sums.total - sums.s_square / left))


def left_out(
    rows: Rows,
    found: Survey,
    groups: npt.NDArray[np.intp] | None = None,
    *,
    what: str = "leaving out rows",
    axes: Floats | None = None,
) -> Iterator[LeftOut]:
    """Yield the statistics of the cloud without each row, or without each group if there are groups, part by part.

    Closed formulas in O(N n²) time; the ratios are those of `isotropy_lab.isotropy.isoscore_interval`, which holds all rows in
    memory. `axes` of shape (n, m) are the leading components, if what lies along them is wanted.
    """
    cloud = _Scaled.of(found.moments)
    n_directed = found.n_points - found.n_zero
    total = float(found.unit_sum @ found.unit_sum)
    parts = (
        _rows(rows, found, cloud, what, axes)
        if groups is None
        else _groups(rows, found, groups, cloud, what, axes)
    )
    for sums, along, units, (directions, n_directions), shares in parts:
        corrected, plain = cloud.log_ratios_without(sums)
        leading = None if axes is None else cloud.leading_without(axes, sums, *along)
        cosines = _cosine_without(total, n_directed, *units)
        yield LeftOut(sums.size, corrected, plain, leading, cosines, directions, n_directions, shares)


_Part: TypeAlias = tuple[
    jackknife.GroupSums, tuple[Floats, Floats], tuple[Floats, Floats, Floats], tuple[Floats, int], Floats
]
"""Sums of what is left out; squares along axes of its rows and of its sum; Σu·s, ‖s‖² and number of its unit vectors, whose sum
is s; directions; shares of the variance."""


def _rows(rows: Rows, found: Survey, cloud: _Scaled, what: str, axes: Floats | None) -> Iterator[_Part]:
    """Yield the sums of each row, block by block."""
    for _, block in rows.blocks(what):
        points = block.astype(np.float64)
        lengths = lengths_of(points)
        directed = (lengths > 0).astype(np.float64)
        projected = points @ found.unit_sum / np.where(directed, lengths, 1.0)
        Y = cloud.centered(points)
        q = np.einsum("ij,ij->i", Y, Y)
        yTy = np.einsum("ij,ij->i", Y @ cloud.scatter, Y)
        sums = jackknife.GroupSums(
            np.ones(q.size), q, yTy, q * q, q, q * q, yTy, q * q, Y @ cloud.cubic - q * q
        )
        along = q if axes is None else np.square(Y @ axes).sum(axis=1)
        yield sums, (along, along), (projected, directed, directed), _directions(Y, q, found.n_points), q


def _groups(
    rows: Rows, found: Survey, labels: npt.NDArray[np.intp], cloud: _Scaled, what: str, axes: Floats | None
) -> Iterator[_Part]:
    """Yield the sums of each group of rows, many groups at once."""
    sizes = np.bincount(labels)
    jackknife.check_groups(sizes, found.n_points)
    order = np.argsort(labels, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    at_once = 256
    for first in range(0, sizes.size, at_once):
        rows.progress(what, int(bounds[first]), found.n_points)
        last = min(first + at_once, sizes.size)
        sums, along, of_units = (np.zeros((count, last - first)) for count in (9, 2, 3))
        directions, n_directions = np.zeros(found.n_dimensions), 0
        shares: list[Floats] = []
        for g in range(first, last):
            points = rows.take(order[bounds[g] : bounds[g + 1]]).astype(np.float64)
            lengths = lengths_of(points)
            directed = lengths > 0
            units = (points[directed] / lengths[directed, None]).sum(axis=0)
            at = g - first
            of_units[:, at] = units @ found.unit_sum, units @ units, directed.sum()
            Y = cloud.centered(points)
            q = np.einsum("ij,ij->i", Y, Y)
            shares.append(q)
            s = Y.sum(axis=0)
            with_sum = Y @ s
            product = Y @ Y.T if Y.shape[0] < Y.shape[1] else Y.T @ Y
            YT = Y @ cloud.scatter
            sums[:, at] = (
                q.size, s @ s, s @ cloud.scatter @ s, with_sum @ with_sum, q.sum(), np.vdot(product, product),
                np.vdot(YT, Y), q @ q, s @ cloud.cubic - q @ with_sum,
            )  # fmt: skip
            if axes is not None:
                along[:, at] = np.square(Y @ axes).sum(), np.square(s @ axes).sum()
            toward, count = _directions(Y, q, found.n_points)
            directions += toward
            n_directions += count
        yield (
            jackknife.GroupSums(*sums),
            (along[0], along[1]),
            (of_units[0], of_units[1], of_units[2]),
            (directions, n_directions),
            np.concatenate(shares),
        )
    rows.progress(what, found.n_points, found.n_points)


def _cosine_without(
    total: float, n_rows: int, projected: Floats, square: Floats, removed: npt.NDArray[np.generic]
) -> Floats:
    """Return the mean cosine without groups of `removed` unit vectors with sum s, from s·Σu and ‖s‖²."""
    left = n_rows - np.asarray(removed, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((total - 2 * projected + square - left) / (left * (left - 1)))


def _directions(Y: Floats, q: Floats, n_points: int) -> tuple[Floats, int]:
    """Return the sum of the unit vectors of centered rows, and how many are not zero."""
    moved = q * n_points > 1e-24  # nearer to the mean a direction is rounding; q is 1/N on average
    return np.asarray((1.0 / np.sqrt(q[moved])) @ Y[moved]), int(moved.sum())
