"""One pass over the rows: moments, lengths, directions, equal rows, and a sample for pairwise measures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import Moments, moments
from isotropy_lab._core import checks
from isotropy_lab._core.rows import Floats
from isotropy_report.card.rows import Rows, sample_rows
from isotropy_report.measures.equal_rows import Duplicates, Hashes, count_duplicates, row_hashes

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Quantiles of the lengths that a survey stores."""

_HUGE = 33.0
"""A row is huge if its squared length is more than this many times that of the median row."""

_UNIT_TOLERANCE = 1e-3
"""Largest deviation from 1 of the length of a unit vector; float16 keeps three digits."""


@dataclasses.dataclass(frozen=True, eq=False)
class Survey:
    """Results of one pass over N rows with n numbers each."""

    dtype: str
    moments: Moments  # with fourth moments
    lengths: tuple[float, ...]  # quantiles, as in QUANTILES
    mean_length: float
    longest: tuple[int, ...]  # the huge rows, the longest first, at most 11; or the five longest rows
    n_huge: int
    n_zero: int
    zero: tuple[int, ...]  # the first zero rows, at most 11
    n_unit: int
    unit_sum: Floats  # sum of the unit vectors of the nonzero rows, shape (n,)
    unit_squares: Floats  # sum of the squared coordinates of these unit vectors
    duplicates: Duplicates
    constant: tuple[int, ...]  # coordinates that are the same in every row
    positions: npt.NDArray[np.intp]  # positions of the sampled rows, ascending
    sample: checks.FloatArray

    @property
    def n_points(self) -> int:
        """Number of points, N."""
        return self.moments.count

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions, n."""
        return self.moments.n_dimensions

    @property
    def whole(self) -> bool:
        """Whether the sample contains all rows."""
        return self.positions.size == self.n_points

    @property
    def average_cosine(self) -> float | None:
        """Mean cosine over all pairs of nonzero rows; None if there are fewer than two such rows."""
        return mean_cosine(float(self.unit_sum @ self.unit_sum), self.n_points - self.n_zero)

    @property
    def mean_fraction(self) -> float:
        """Ratio of ‖x̄‖² to the mean of ‖x‖²: 1 if all rows are equal, 0 if their mean is the origin."""
        # The mean of ‖x‖² is ‖x̄‖² + tr T/N; the ratio of lengths neither overflows nor underflows.
        length = float(row_lengths(self.moments.mean[None, :])[0])
        root = np.sqrt(np.trace(self.moments.scatter) / self.n_points)
        spread = float(np.ldexp(root, self.moments.exponent))
        if length == 0.0:
            return 0.0
        return 1.0 / (1.0 + (spread / length) ** 2) if spread < 1e150 * length else 0.0

    def axes(self, count: int) -> Floats:
        """Return the `count` leading principal axes in descending order as columns, with shape (n, count)."""
        # Compute all axes: LAPACK's search for a few axes may return none for nearly equal eigenvalues.
        scatter = self.moments.scatter
        return np.asarray(np.linalg.eigh(scatter / float(np.trace(scatter)))[1][:, ::-1][:, :count])


def mean_cosine(square: float, n_rows: int) -> float | None:
    """Return the mean cosine over pairs of rows, from the squared length of the sum of their unit vectors."""
    if n_rows < 2:
        return None
    mean = (square - n_rows) / (n_rows * (n_rows - 1.0))
    return min(max(mean, -1.0 / (n_rows - 1.0)), 1.0)


def row_lengths(rows: Floats) -> Floats:
    """Return the Euclidean lengths of rows, even if their squares overflow or underflow."""
    exponents = np.frexp(np.abs(rows).max(axis=1))[1]
    return np.asarray(np.ldexp(np.linalg.norm(np.ldexp(rows, -exponents[:, None]), axis=1), exponents))


def huge_length(quantiles: Sequence[float] | Floats) -> float:
    """Return the length above which rows are huge, from the quantiles of the lengths."""
    return math.sqrt(_HUGE) * float(quantiles[3]) or math.inf


def survey(rows: Rows, *, sample_size: int, rng: np.random.Generator) -> Survey:
    """Read all rows once, with memory for a few 32 MB blocks, three (n, n) matrices, and the sample."""
    checks.check_size((rows.n_rows, rows.n_dimensions), "X", min_points=4, min_dimensions=2)
    positions = sample_rows(rows.n_rows, sample_size, rng)
    merge = _BlockResults.merge
    results = reduce(merge, rows.each(partial(_read_block, positions), "reading", merge=merge))
    lengths = np.concatenate(results.lengths)
    quantiles = np.quantile(lengths, QUANTILES)
    zero = np.flatnonzero(lengths == 0.0)
    n_huge = int((lengths > huge_length(quantiles)).sum())
    return Survey(
        dtype=str(rows.array.dtype),
        moments=results.moments,
        lengths=tuple(float(q) for q in quantiles),
        longest=tuple(np.argsort(-lengths, kind="stable")[: min(n_huge, 11) or 5].tolist()),
        n_huge=n_huge,
        mean_length=sum(float(block.sum()) for block in results.lengths) / results.moments.count,
        n_zero=zero.size,
        zero=tuple(zero[:11].tolist()),
        n_unit=int((np.abs(lengths - 1.0) <= _UNIT_TOLERANCE).sum()),
        unit_sum=results.unit_sum,
        unit_squares=results.unit_squares,
        duplicates=count_duplicates(np.concatenate(results.hashes)),
        constant=tuple(results.constant.tolist()),
        positions=positions,
        sample=np.concatenate(results.kept),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class _BlockResults:
    """Results collected from a run of consecutive rows."""

    moments: Moments
    hashes: list[Hashes]
    lengths: list[Floats]
    kept: list[checks.FloatArray]  # sampled rows
    unit_sum: Floats
    unit_squares: Floats
    first: npt.NDArray[Any]
    constant: npt.NDArray[np.intp]

    def merge(self, other: _BlockResults) -> _BlockResults:
        """Return the combined results of these rows and of the next rows."""
        constant = np.intersect1d(self.constant, other.constant, assume_unique=True)
        return _BlockResults(
            self.moments.merge(other.moments),
            self.hashes + other.hashes,
            self.lengths + other.lengths,
            self.kept + other.kept,
            self.unit_sum + other.unit_sum,
            self.unit_squares + other.unit_squares,
            self.first,
            constant[self.first[constant] == other.first[constant]],
        )


def _read_block(positions: npt.NDArray[np.intp], start: int, block: npt.NDArray[Any]) -> _BlockResults:
    """Collect the results of one block; `positions` are the positions of the sampled rows."""
    if not checks.is_finite_sum(block):
        _check_finite_rows(block, start)
    checks.check_whole_numbers(block, "X")
    points = block.astype(np.float64)
    lengths = row_lengths(points)
    units = points[lengths > 0] if (lengths == 0.0).any() else points
    units /= lengths[lengths > 0][:, None]
    unit_sum = units.sum(axis=0)
    np.square(units, out=units)
    low, high = np.searchsorted(positions, [start, start + len(block)])
    chosen = positions[low:high] - start
    constant = np.flatnonzero(block[0] == block[-1])
    return _BlockResults(
        moments=moments(block, fourth=True),
        hashes=[row_hashes(block)],
        lengths=[lengths],
        kept=[block[chosen].astype(checks.working_dtype(block.dtype))],
        unit_sum=unit_sum,
        unit_squares=units.sum(axis=0),
        first=block[0].copy(),
        constant=constant[(block[:, constant] == block[0, constant]).all(axis=0)],
    )


def _check_finite_rows(block: npt.NDArray[Any], start: int) -> None:
    """Raise ValueError if a block of X contains NaN or inf, reporting the first row of X with either."""
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if not bad.size:
        return
    value = block[bad[0]][~np.isfinite(block[bad[0]])][0]
    hint = ": find out which texts have no vector, and leave these rows out, also in files of labels and gold"
    if block.dtype == np.float16 and np.isinf(value):
        hint = ": float16 numbers above 65504 became inf when they were saved, so save them as float32"
    raise ValueError(
        f"X contains NaN or inf in {bad.size:,} of the {start + len(block):,} rows read, first in row "
        f"{start + int(bad[0])} ({value}); expected finite numbers{hint}"
    )
