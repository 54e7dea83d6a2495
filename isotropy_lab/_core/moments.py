"""Mean, covariance, and fourth moments in one numerically stable pass; results can be merged.

Each block is centered near its own mean before it is multiplied, so that neither a large mean nor distant
blocks reduce precision. Data whose squares or fourth powers would overflow or underflow float64 are first
divided by a power of two.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

__all__ = ["Moments", "moments"]

_CHUNK_BYTES = 32 * 2**20
"""Size of a block in bytes, in its working dtype."""

_CACHED_BYTES = 2**19
"""Size in bytes of the rows shifted and summed together, small enough for the cache."""

SINGLE_ROWS = 2**15
"""Maximum number of rows in a float32 product, whose rounding error grows with this number."""

SINGLE_WIDTH = 16
"""Dimension up to which products cost no more than reading, so float32 is multiplied in float64."""

MERGED_AT_ONCE = 4
"""Number of chunks of a Dask array whose moments are merged in one task."""

_FOURTH_ROWS = 2**12
"""Number of rows below which fourth moments use float64 products, to avoid float32 rounding errors."""

_SAMPLE_ROWS = 256
"""Number of rows used to estimate the mean of a block before it is read."""

_SAFE_EXPONENT = 200
"""Exponent E such that fourth powers of numbers from 2⁻ᴱ to 2ᴱ do not overflow or underflow float64."""


@dataclasses.dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean, and centered sums of a cloud of points; moments of disjoint clouds can be merged.

    Attributes
    ----------
    count : int
        Number of points N.
    mean : ndarray of shape (n,)
        Mean x̄, float64, in the units of the data.
    scatter : ndarray of shape (n, n)
        Σ (y − ȳ)(y − ȳ)ᵀ, float64, with y = x / 2**exponent; for data of typical magnitude, y is x.
    cubic : ndarray of shape (n,) or None
        Σ ‖y − ȳ‖² (y − ȳ); None unless fourth moments were requested.
    quartic : float or None
        Σ ‖y − ȳ‖⁴; None unless fourth moments were requested.
    exponent : int
        Exponent of the power of two dividing the data; 0 unless deviations are outside 2⁻²⁰⁰ to 2²⁰⁰.
    """

    count: int
    mean: npt.NDArray[np.float64]
    scatter: npt.NDArray[np.float64]
    cubic: npt.NDArray[np.float64] | None = None
    quartic: float | None = None
    exponent: int = 0

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions n."""
        return int(self.mean.shape[0])

    def covariance(self, *, ddof: int = 1) -> npt.NDArray[np.float64]:
        """Return the covariance matrix, scatter / (N − ddof), in squared units of the data.

        Raises TypeError or ValueError unless `ddof` is an integer in [0, N) and no covariance overflows.
        """
        ddof = checks.check_integer(ddof, "ddof", low=0)
        if self.count <= ddof:
            raise ValueError(
                f"ddof is {ddof} for {checks.how_many(self.count, 'point')}; expected more points than ddof"
            )
        with np.errstate(over="ignore", under="ignore"):
            covariance = np.ldexp(self.scatter / (self.count - ddof), 2 * self.exponent)
        checks.check_representable(covariance, "the covariance of X")
        return np.asarray(covariance)

    def merge(self, other: Moments) -> Moments:
        """Return the moments of the union of two disjoint clouds, with fourth moments if both have them.

        Raises TypeError if `other` is not a Moments object, and ValueError if the dimensions differ.
        """
        if not isinstance(other, Moments):
            raise TypeError(f"other is {checks.describe(other)}; expected a Moments object")
        if other.n_dimensions != self.n_dimensions:
            raise ValueError(f"other has {other.n_dimensions} dimensions; expected {self.n_dimensions}")
        count = self.count + other.count
        if not self.count or not other.count:
            return other if not self.count else self
        difference, exponent = _mean_difference(self, other)
        a, b = _at_exponent(self, exponent), _at_exponent(other, exponent)
        shift = difference * (b.count / count)
        mean = _add_scaled(self.mean, shift, exponent)
        scatter = a.scatter + b.scatter
        scatter += np.outer(difference * (a.count * b.count / count), difference)
        if a.quartic is None or b.quartic is None:
            return Moments(count, mean, scatter, exponent=exponent)
        cubic_a, quartic_a = _shift_fourth(a, -shift)
        cubic_b, quartic_b = _shift_fourth(b, difference - shift)
        return Moments(count, mean, scatter, cubic_a + cubic_b, quartic_a + quartic_b, exponent)


def moments(X: checks.Points, *, fourth: bool = False) -> Moments:
    """Compute the count, mean, and scatter of N points in n dimensions in one pass.

    Parameters
    ----------
    X : array-like of shape (N, n), or iterable of blocks of shape (?, n)
        A NumPy array of any real dtype, memory map, DataFrame, nested list, torch tensor (processed on its
        device), Dask array (each chunk is reduced, and the results are merged), iterator of arrays or
        tensors, or list or tuple of two-dimensional arrays.
    fourth : bool
        Whether to compute Σ‖x − x̄‖²(x − x̄) and Σ‖x − x̄‖⁴, too, which the corrected IsoScore needs.

    Returns
    -------
    Moments
        Moments in float64, regardless of the dtype of X.

    Raises
    ------
    TypeError, ValueError
        If X is not real, has no points, or contains NaN or inf; or if blocks have different widths.

    Notes
    -----
    Cost: one pass, O(N n²) time, and extra memory for one block and a few (n, n) matrices. Blocks of float32
    are centered near their means, multiplied in float32 (float64 in up to 16 dimensions or near overflow),
    and summed in float64; fourth moments always use float64. Integers beyond 2⁵³ would be rounded: subtract a
    common offset first. Blocks are merged by the pairwise update of Chan, Golub, and LeVeque (1983).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab._core.moments import moments
    >>> m = moments([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
    >>> m.count, m.mean.tolist(), m.covariance(ddof=0).tolist()
    (4, [1.0, 2.0], [[1.0, 0.0], [0.0, 4.0]])
    """
    if checks.is_dask(X):
        return _dask_moments(X, fourth)
    accumulator: _Accumulator | None = None
    rows_read = 0
    for name, block in _named_blocks(X):
        if accumulator is None:
            if not block.shape[1]:
                raise ValueError(f"{name} has 0 dimensions (shape {tuple(block.shape)}); expected at least 1")
            accumulator = _Accumulator(int(block.shape[1]), fourth)
        accumulator.add_rows(block, name=name, first_row=None if name == "X" else rows_read)
        rows_read += int(block.shape[0])
    if accumulator is None or accumulator.total.count == 0:
        raise ValueError("X has no points; expected at least one block with at least one row")
    return accumulator.total


def _mean_difference(a: Moments, b: Moments) -> tuple[npt.NDArray[np.float64], int]:
    """Return the scaled difference between two means, and the exponent at which the moments can be merged."""
    shift = 0
    with np.errstate(over="ignore"):
        difference = b.mean - a.mean
    if not np.isfinite(difference).all():
        shift = 2
        difference = b.mean / 4 - a.mean / 4
    exponents = [m.exponent for m in (a, b) if np.diagonal(m.scatter).any()]
    if difference.any():
        own_exponent = math.frexp(float(np.abs(difference).max()))[1] + shift
        exponents.append(own_exponent if abs(own_exponent) > _SAFE_EXPONENT else 0)
    exponent = max(exponents, default=0)
    return np.ldexp(difference, shift - exponent), exponent


def _at_exponent(m: Moments, exponent: int) -> Moments:
    """Return the moments of the same data divided by a different power of two."""
    shift = m.exponent - exponent
    if not shift or not np.diagonal(m.scatter).any():
        return dataclasses.replace(m, exponent=exponent)
    return Moments(
        m.count,
        m.mean,
        np.ldexp(m.scatter, 2 * shift),
        None if m.cubic is None else np.ldexp(m.cubic, 3 * shift),
        None if m.quartic is None else math.ldexp(m.quartic, 4 * shift),
        exponent,
    )


def _add_scaled(
    a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], exponent: int
) -> npt.NDArray[np.float64]:
    """Return a + b·2**exponent, even if the second term would overflow by itself."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        total = a + np.ldexp(b, exponent)
        if not np.isfinite(total).all():
            total = np.ldexp(a / 4 + np.ldexp(b, exponent - 2), 2)
    return np.asarray(total)


def unit_deviations(points: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], int]:
    """Subtract the first point from all points, and scale the maximum to about 1 by a power of two."""
    deviations = points.astype(np.float64)
    shift = 0
    if float(np.abs(deviations).max()) > 2.0**900:  # otherwise, differences or sums might overflow
        shift = 100
        deviations = np.ldexp(deviations, -shift)
    deviations -= deviations[0].copy()
    largest = float(np.abs(deviations).max())
    if largest == 0.0:
        return deviations, 0
    exponent = math.frexp(largest)[1]
    return np.ldexp(deviations, -exponent), exponent + shift


def _shift_terms(m: Moments, d: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Return the terms that shifting centered points y by d adds to Σ‖y‖²y and to Σ‖y‖⁴ − 4 d·Σ‖y‖²y."""
    total, square = float(np.trace(m.scatter)), float(d @ d)
    product = m.scatter @ d
    cubic = (total + m.count * square) * d + 2.0 * product
    return cubic, 4.0 * float(d @ product) + m.count * square**2 + 2.0 * square * total


def _shift_fourth(m: Moments, d: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Return Σ‖y+d‖²(y+d) and Σ‖y+d‖⁴ for the centered points y."""
    assert m.cubic is not None
    assert m.quartic is not None
    cubic, quartic = _shift_terms(m, d)
    return m.cubic + cubic, m.quartic + quartic + 4.0 * float(d @ m.cubic)


def _center_fourth(m: Moments, d: npt.NDArray[np.float64]) -> Moments:
    """Convert fourth-moment sums about an origin into sums about the mean, at offset d from the origin."""
    assert m.cubic is not None
    assert m.quartic is not None
    cubic, quartic = _shift_terms(m, d)
    centered = m.cubic - cubic
    return dataclasses.replace(m, cubic=centered, quartic=m.quartic - quartic - 4.0 * float(d @ centered))


def _named_blocks(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield checked two-dimensional arrays or tensors of equal width, with their names."""

    def check(x: Any, name: str) -> Any:
        real_tensor = checks.is_torch(x) and x.ndim == 2 and not x.is_complex()
        return x if real_tensor else checks.as_array(x, name, ndim=2)

    if not checks.is_block_iterable(X):
        yield "X", check(X, "X")
        return
    width: int | None = None
    for i, block in enumerate(X):
        name = f"block {i} of X"
        array = check(block, name)
        if width is not None and array.shape[1] != width:
            raise ValueError(
                f"{name} has {array.shape[1]} dimensions; expected {width}, as in earlier blocks"
            )
        width = int(array.shape[1])
        yield name, array


class _Accumulator:
    """Running moments of blocks that are added one by one."""

    def __init__(self, width: int, fourth: bool) -> None:
        self.width, self.fourth = width, fourth
        self.total = Moments(0, np.zeros(width), np.zeros((width, width)))
        self.buffer: npt.NDArray[Any] = np.empty((0, width))
        self.product: npt.NDArray[Any] = np.empty((0, 0))

    def add_rows(self, array: Any, *, name: str = "X", first_row: int | None = None) -> None:
        """Add an array or tensor; error messages use `name` and count rows from `first_row`."""
        is_tensor = checks.is_torch(array)
        if is_tensor:
            n_rows = _CHUNK_BYTES // (4 * max(1, self.width)) * (1 if array.device.type == "cpu" else 8)
        else:
            n_rows = _CHUNK_BYTES // (self._product_dtype(array, _FOURTH_ROWS).itemsize * max(1, self.width))
        n_rows = min(max(256, n_rows), SINGLE_ROWS)
        for start in range(0, int(array.shape[0]), n_rows):
            block = array[start : start + n_rows]
            if not is_tensor:
                checks.check_whole_numbers(block, name)
            sums = _torch_sums(block, self.fourth) if is_tensor else self._numpy_sums(block)
            if sums is None:  # the block is not finite, or its squares overflow float64
                if checks.is_torch(array):
                    array = array.detach().double().cpu().numpy()
                    block = array[start : start + n_rows]
                if not checks.is_finite_sum(block):
                    checks.raise_if_not_finite(array, name, first_row=first_row)
                sums = _scaled_moments(block, self.fourth)
            self.total = self.total.merge(sums)

    def _product_dtype(self, block: npt.NDArray[Any], rows: int) -> np.dtype[Any]:
        if self.width <= SINGLE_WIDTH or (self.fourth and rows < _FOURTH_ROWS):
            return np.dtype(np.float64)
        return checks.working_dtype(block.dtype)

    def _numpy_sums(self, block: npt.NDArray[Any]) -> Moments | None:
        """Return the moments of a block, or None if the block must be scaled first."""
        dtype = self._product_dtype(block, block.shape[0])
        sums = self._products(block, dtype)
        if dtype != np.float64 and (sums is None or sums.has_outliers()):
            sums = self._products(block, np.dtype(np.float64))
        return None if sums is None else sums.as_moments()

    def _products(self, block: npt.NDArray[Any], dtype: np.dtype[Any]) -> _BlockSums | None:
        """Return the sums of a block, computed in `dtype`, or None if they may overflow or underflow."""
        rows = block.shape[0]
        if self.buffer.shape[0] < rows or self.buffer.dtype != dtype:
            self.buffer = np.empty((rows, self.width), dtype)
            self.product = np.empty((self.width, self.width), dtype)
        centered = self.buffer[:rows]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            # Starting from the first row makes the estimated mean exact when all rows are equal.
            first = block[0].astype(dtype)
            sample = block[:: max(1, rows // _SAMPLE_ROWS)].astype(dtype)
            sample -= first
            origin = (first + sample.mean(axis=0, dtype=np.float64)).astype(dtype)
            offset = self._shift(block, origin, centered)
            np.matmul(centered.T, centered, out=self.product)
            # If the estimate is off by more than a standard deviation, the product has lost precision.
            if not (2 * rows * np.square(offset) <= np.diagonal(self.product)).all():
                origin = (origin + offset).astype(dtype)
                offset = self._shift(block, origin, centered)
                np.matmul(centered.T, centered, out=self.product)
            if not _well_scaled(np.diagonal(self.product), rows, dtype):
                return None
            sums = _BlockSums(rows, origin.astype(np.float64), offset, self.product)
            if self.fourth:
                sums.add_fourth(centered)
        return sums

    def _shift(
        self, block: npt.NDArray[Any], origin: npt.NDArray[Any], out: npt.NDArray[Any]
    ) -> npt.NDArray[np.float64]:
        """Write the block minus `origin` to `out` and return the mean of the result."""
        rows = block.shape[0]
        chunk_size = max(16, _CACHED_BYTES // max(1, out.itemsize * self.width))
        ones = np.ones(min(chunk_size, rows), out.dtype)
        offset = np.zeros(self.width)
        for start in range(0, rows, chunk_size):
            shifted = out[start : start + chunk_size]
            np.subtract(block[start : start + chunk_size], origin, out=shifted, casting="same_kind")
            offset += ones[: shifted.shape[0]] @ shifted
        offset /= rows
        return offset


@dataclasses.dataclass(eq=False)
class _BlockSums:
    """Sums of one block about an origin; the block's mean is `origin` + `offset`."""

    count: int
    origin: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]
    product: npt.NDArray[Any]  # may be a buffer that the next block overwrites
    diagonal: npt.NDArray[np.float64] | None = None
    cubic: npt.NDArray[np.float64] | None = None
    quartic: float | None = None

    def add_fourth(self, centered: npt.NDArray[Any]) -> None:
        """Compute the third- and fourth-order sums and the diagonal of the product in float64."""
        width = centered.shape[1]
        self.diagonal, self.cubic, self.quartic = np.zeros(width), np.zeros(width), 0.0
        chunk_size = max(16, _CACHED_BYTES // max(1, 8 * width))
        for start in range(0, self.count, chunk_size):
            rows = centered[start : start + chunk_size].astype(np.float64, copy=False)
            squares = np.square(rows)
            lengths = squares.sum(axis=1)
            self.diagonal += squares.sum(axis=0)
            self.cubic += lengths @ rows
            self.quartic += float(lengths @ lengths)

    def has_outliers(self) -> bool:
        """Return whether a few rows dominate the fourth moments, so that float32 would lose the others."""
        if self.diagonal is None or self.quartic is None:
            return False
        return self.count * self.quartic > 8.0 * float(self.diagonal.sum()) ** 2

    def as_moments(self) -> Moments:
        """Convert the sums to moments about the mean."""
        scatter = self.product.astype(np.float64)
        if self.diagonal is not None:
            np.fill_diagonal(scatter, self.diagonal)
        scatter -= np.outer(self.count * self.offset, self.offset)
        m = Moments(self.count, self.origin + self.offset, scatter, self.cubic, self.quartic)
        return m if m.quartic is None else _center_fourth(m, self.offset)


def _scaled_moments(block: npt.NDArray[Any], fourth: bool) -> Moments:
    """Return the moments of a finite block of any magnitude, after division by a power of two."""
    Y, exponent = unit_deviations(block)
    mean = Y.mean(axis=0)
    Y -= mean
    offset = Y.mean(axis=0)
    sums = _BlockSums(Y.shape[0], mean, offset, Y.T @ Y)
    if fourth:
        sums.add_fourth(Y)
    mean = _add_scaled(block[0].astype(np.float64), mean + offset, exponent)
    return dataclasses.replace(sums.as_moments(), mean=mean, exponent=exponent)


def _well_scaled(squares: Any, rows: int, dtype: np.dtype[Any]) -> bool:
    """Return whether a product, bounded by its diagonal, is far from overflow and underflow."""
    largest = float(squares.max(initial=0.0)) / rows
    if dtype == np.float64:
        return bool(2.0 ** (-2 * _SAFE_EXPONENT) < largest < 2.0 ** (2 * _SAFE_EXPONENT))
    return bool(1e-25 < largest < np.inf)  # also False for NaN


def _torch_sums(block: Any, fourth: bool) -> Moments | None:
    """Return the moments of a tensor, computed on its device, or None if it must be scaled first."""
    import torch

    block = block.detach()
    is_single = block.dtype in (torch.float32, torch.float16, torch.bfloat16)
    if is_single and block.device.type != "mps":  # MPS devices do not support float64
        is_single = block.shape[1] > SINGLE_WIDTH and not (fourth and block.shape[0] < _FOURTH_ROWS)
    sums = _torch_products(block, fourth, torch.float32) if is_single else None
    if sums is None or sums.has_outliers():
        # A float32 block that overflows or has outliers is rare, so it is processed on the CPU.
        sums = _torch_products(block.cpu() if is_single else block, fourth, torch.float64)
    return None if sums is None else sums.as_moments()


def _torch_products(block: Any, fourth: bool, dtype: Any) -> _BlockSums | None:
    rows = int(block.shape[0])
    block = block.to(dtype)
    origin = block[0] + (block - block[0]).mean(dim=0)
    centered = block - origin
    # The first estimate is inaccurate if the first row is far from the mean, so it is corrected once.
    origin = origin + centered.mean(dim=0)
    centered = block - origin
    offset = centered.mean(dim=0).cpu().numpy().astype(np.float64)
    product = (centered.T @ centered).cpu().numpy()
    if not _well_scaled(np.diagonal(product), rows, product.dtype):
        return None
    sums = _BlockSums(rows, origin.cpu().numpy().astype(np.float64), offset, product)
    if fourth:
        sums.add_fourth(centered.cpu().numpy())
    return sums


def _dask_moments(X: Any, fourth: bool) -> Moments:
    """Compute the moments of each chunk of rows and merge them in a tree."""
    dask: Any = importlib.import_module("dask")  # annotated as Any because its functions are not typed

    checks.check_chunks(X, "X", sized=False)
    chunks = X.rechunk({1: -1}).to_delayed().ravel()
    reduce = dask.delayed(_chunk_moments, pure=True)
    combine = dask.delayed(functools.partial(functools.reduce, Moments.merge), pure=True)
    # After a Boolean selection, sizes are NaN, so the position of a chunk in the array is unknown.
    starts = np.cumsum([0, *map(float, X.chunks[0])])
    results = [
        reduce(chunk, fourth, f"chunk {i} of X", None if np.isnan(start) else int(start))
        for i, (chunk, start) in enumerate(zip(chunks, starts[:-1], strict=True))
    ]
    while len(results) > 1:
        results = [combine(results[i : i + MERGED_AT_ONCE]) for i in range(0, len(results), MERGED_AT_ONCE)]
    (result,) = dask.compute(results[0])
    merged: Moments = result
    if not merged.count:
        raise ValueError("X has no points; expected at least one chunk with at least one row")
    return merged


def _chunk_moments(chunk: npt.NDArray[Any], fourth: bool, name: str, first_row: int | None) -> Moments:
    accumulator = _Accumulator(int(chunk.shape[1]), fourth)
    accumulator.add_rows(chunk, name=name, first_row=first_row)
    return accumulator.total
