"""One-pass mean and covariance that are safe in floating point and can be merged.

`moments` reads its input once, in blocks. Each block is shifted by the running mean before it is multiplied, so
that a large mean costs no digits, and multiplied in its own dtype; the blocks are summed in float64. Arrays,
memory maps, iterables of blocks, torch tensors (on their device) and Dask arrays are all read this way.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import _validation as validation

__all__ = ["Moments", "moments"]

_BLOCK_BYTES = 32 * 2**20
"""Size of a block in its working dtype: large enough for an efficient product, small enough to cost no memory."""

_CACHED_BYTES = 2**19
"""Size of the rows that are shifted and summed together."""


@dataclasses.dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and centred sums of a cloud of points; two of them merge into that of the union.

    Attributes
    ----------
    count : int
        Number of points N.
    mean : ndarray of shape (n,)
        Mean x̄, float64, in the units of the data.
    scatter : ndarray of shape (n, n)
        Σ (x − x̄)(x − x̄)ᵀ, float64, in squared units.
    cubic : ndarray of shape (n,) or None
        Σ ‖x − x̄‖² (x − x̄); None unless fourth moments were asked for.
    quartic : float or None
        Σ ‖x − x̄‖⁴; None unless fourth moments were asked for.
    """

    count: int
    mean: npt.NDArray[np.float64]
    scatter: npt.NDArray[np.float64]
    cubic: npt.NDArray[np.float64] | None = None
    quartic: float | None = None

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions n."""
        return int(self.mean.shape[0])

    def covariance(self, *, ddof: int = 1) -> npt.NDArray[np.float64]:
        """Return the covariance matrix, scatter / (N − ddof).

        Parameters
        ----------
        ddof : int
            Delta degrees of freedom: 1 for the unbiased estimate, 0 for the population form.

        Returns
        -------
        ndarray of shape (n, n)

        Raises
        ------
        ValueError
            If there are not more points than `ddof`.
        """
        if self.count <= ddof:
            raise ValueError(
                f"a covariance with ddof={ddof} needs more than {ddof} points; there are {self.count}"
            )
        return self.scatter / (self.count - ddof)

    def merge(self, other: Moments) -> Moments:
        """Return the moments of the union of two disjoint clouds.

        Parameters
        ----------
        other : Moments
            Of the same number of dimensions.

        Returns
        -------
        Moments
            With fourth moments if both have them.

        Raises
        ------
        ValueError
            If the dimensions differ.
        """
        if other.n_dimensions != self.n_dimensions:
            raise ValueError(
                f"moments of {self.n_dimensions} and {other.n_dimensions} dimensions cannot be merged"
            )
        count = self.count + other.count
        if not self.count or not other.count:
            return other if not self.count else self
        gap = other.mean - self.mean
        step = gap * (other.count / count)
        mean = self.mean + step
        scatter = self.scatter + other.scatter
        scatter += np.outer(gap * (self.count * other.count / count), gap)
        if self.quartic is None or other.quartic is None:
            return Moments(count, mean, scatter)
        cubic_a, quartic_a = _shift_fourth(self, -step)
        cubic_b, quartic_b = _shift_fourth(other, gap - step)
        return Moments(count, mean, scatter, cubic_a + cubic_b, quartic_a + quartic_b)


def _shift_fourth(m: Moments, d: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Return Σ‖y+d‖²(y+d) and Σ‖y+d‖⁴ for the centred points y."""
    assert m.cubic is not None
    assert m.quartic is not None
    total, square = float(np.trace(m.scatter)), float(d @ d)
    product = m.scatter @ d
    cubic = m.cubic + (total + m.count * square) * d + 2.0 * product
    quartic = m.quartic + 4.0 * float(d @ product) + m.count * square**2 + 4.0 * float(d @ m.cubic)
    return cubic, quartic + 2.0 * square * total


def moments(X: validation.Points, *, block_rows: int | None = None, fourth: bool = False) -> Moments:
    """Return count, mean and scatter of N points in n dimensions, read once.

    Parameters
    ----------
    X : array-like of shape (N, n), or iterable of blocks of shape (?, n)
        NumPy array of any real dtype, memory map, DataFrame, nested list, torch tensor (the work is done on its
        device), Dask array (each chunk is reduced, then the results are merged), an iterator of arrays or tensors,
        or a list or tuple of two-dimensional arrays.
    block_rows : int, optional
        Rows per block; by default as many as fill 32 MiB. Blocks of an iterable and chunks of a Dask array are
        split further only if they are larger.
    fourth : bool
        Also gather Σ‖x − x̄‖²(x − x̄) and Σ‖x − x̄‖⁴, which the corrected IsoScore needs.

    Returns
    -------
    Moments
        In float64, whatever the dtype of the input.

    Raises
    ------
    TypeError
        If the data are not real numbers.
    ValueError
        If there are no points, a block has another width than the first, or a value is NaN or inf.

    Notes
    -----
    Cost: one pass over the data, O(N n²) time, one block and a few (n, n) matrices of extra memory.
    float32 input is multiplied in float32 and summed in float64 over blocks; a block whose products overflow or
    vanish in float32 is taken again in float64. Blocks are merged by the pairwise update of Chan, Golub and
    LeVeque (1983).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.moments import moments
    >>> m = moments([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
    >>> m.count, m.mean.tolist(), m.covariance(ddof=0).tolist()
    (4, [1.0, 2.0], [[1.0, 0.0], [0.0, 4.0]])
    """
    if block_rows is not None:
        block_rows = validation.check_integer(block_rows, "block_rows", low=1)
    if validation.is_dask(X):
        return _dask_moments(X, block_rows, fourth)
    accumulator: _Accumulator | None = None
    for block in _blocks(X):
        if accumulator is None:
            accumulator = _Accumulator(int(block.shape[1]), fourth)
        accumulator.add_rows(block, block_rows)
    if accumulator is None or accumulator.total.count == 0:
        raise ValueError("X has no points; wanted at least one block with at least one row")
    return accumulator.result()


def _blocks(X: Any) -> Iterator[Any]:
    """Yield checked two-dimensional arrays or tensors of one width."""
    if not validation.is_block_iterable(X):
        yield X if _is_real_tensor(X) else validation.as_array(X, "X", ndim=2)
        return
    width: int | None = None
    for i, block in enumerate(X):
        name = f"block {i} of X"
        array = block if _is_real_tensor(block) else validation.as_array(block, name, ndim=2)
        if width is not None and array.shape[1] != width:
            raise ValueError(
                f"{name} has {array.shape[1]} dimensions, the blocks before it {width}; wanted one width"
            )
        width = int(array.shape[1])
        yield array


def _is_real_tensor(x: Any) -> bool:
    return validation.is_torch(x) and x.ndim == 2 and not x.is_complex()


class _Accumulator:
    """Running moments of blocks that arrive one after the other."""

    def __init__(self, width: int, fourth: bool) -> None:
        self.width, self.fourth = width, fourth
        self.total = Moments(
            0,
            np.zeros(width),
            np.zeros((width, width)),
            np.zeros(width) if fourth else None,
            0.0 if fourth else None,
        )
        self.rows_read = 0
        self.buffer: npt.NDArray[Any] = np.empty((0, width))
        self.product: npt.NDArray[Any] = np.empty((0, 0))
        # Rank-one terms that the scatter still lacks; they are added many at a time, as one matrix product.
        self.added: list[npt.NDArray[np.float64]] = []
        self.removed: list[npt.NDArray[np.float64]] = []

    def add_rows(self, array: Any, block_rows: int | None) -> None:
        tensor = validation.is_torch(array)
        if tensor:
            step = _BLOCK_BYTES // (4 * max(1, self.width)) * (1 if array.device.type == "cpu" else 8)
        else:
            step = _BLOCK_BYTES // (validation.working_dtype(array.dtype).itemsize * max(1, self.width))
        step = block_rows or max(256, step)
        before = self.rows_read
        for start in range(0, int(array.shape[0]), step):
            block = array[start : start + step]
            shift = self.total.mean if self.total.count else None
            if tensor:
                self._merge(_checked(_torch_sums(block, shift, self.fourth), array, before))
            elif self.fourth or not self._add_fast(block):
                self._merge(_checked(_numpy_sums(block, shift, self.fourth), array, before))
            self.rows_read += int(block.shape[0])

    def _add_fast(self, block: npt.NDArray[Any]) -> bool:
        """Add a block with no temporary arrays; return False, with nothing changed, if its products are unsafe."""
        rows, dtype = block.shape[0], validation.working_dtype(block.dtype)
        if self.buffer.shape[0] < rows or self.buffer.dtype != dtype:
            self.buffer = np.empty((rows, self.width), dtype)
            self.product = np.empty((self.width, self.width), dtype)
        centred = self.buffer[:rows]
        ones = np.ones(rows, dtype)
        total = self.total
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if total.count:
                origin = total.mean.astype(dtype)
            else:  # the mean by way of the first row: exact when all rows are equal
                first = block[0].astype(dtype)
                np.subtract(block, first, out=centred, casting="same_kind")
                origin = first + (ones @ centred) / dtype.type(rows)
            # A few rows at a time, so that the sum finds them in the cache.
            offset = np.zeros(self.width)
            few = max(16, _CACHED_BYTES // max(1, dtype.itemsize * self.width))
            for start in range(0, rows, few):
                part = centred[start : start + few]
                np.subtract(block[start : start + few], origin, out=part, casting="same_kind")
                offset += ones[: part.shape[0]] @ part
            offset /= rows
            np.matmul(centred.T, centred, out=self.product)
        if not _well_scaled(np.diagonal(self.product), rows, dtype):
            return False
        scatter = total.scatter
        scatter += self.product
        self.removed.append(offset * np.sqrt(rows))
        mean = origin + offset
        count = total.count + rows
        if total.count:
            gap = mean - total.mean
            self.added.append(gap * np.sqrt(total.count * rows / count))
            mean = total.mean + gap * (rows / count)
        self.total = Moments(count, mean, scatter)
        if len(self.removed) >= 64:
            self._settle()
        return True

    def _settle(self) -> None:
        scatter = self.total.scatter
        if self.removed:
            removed = np.array(self.removed)
            scatter -= removed.T @ removed
        if self.added:
            added = np.array(self.added)
            scatter += added.T @ added
        self.removed.clear()
        self.added.clear()

    def _merge(self, part: Moments) -> None:
        self._settle()
        self.total = self.total.merge(part)

    def result(self) -> Moments:
        self._settle()
        return self.total


def _well_scaled(squares: Any, rows: int, dtype: np.dtype[Any]) -> bool:
    """Whether the diagonal of a product neither overflowed nor, in float32, sank towards its smallest numbers.

    A finite diagonal has finite neighbours, by the inequality of Cauchy and Schwarz.
    """
    if not np.isfinite(squares).all():
        return False
    return dtype == np.float64 or float(squares.max(initial=0.0)) / rows > 1e-25


def _checked(part: Moments, array: Any, first_row: int) -> Moments:
    """Return the moments of a block if they are finite, else look in the whole array for the reason and raise."""
    if not _is_finite(part):
        if validation.is_torch(array):
            array = array.detach().double().cpu().numpy()
        validation.raise_if_not_finite(array, "X", first_row=first_row)
        validation.raise_overflow("X")
    return part


def _numpy_sums(block: npt.NDArray[Any], shift: npt.NDArray[np.float64] | None, fourth: bool) -> Moments:
    """Return the moments of one block, multiplied in its working dtype."""
    dtype = validation.working_dtype(block.dtype)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        part = _block_moments(block, shift, fourth, dtype)
        if dtype != np.float64 and not _is_safe(part):
            part = _block_moments(block, shift, fourth, np.dtype(np.float64))
    return part


def _block_moments(
    block: npt.NDArray[Any], shift: npt.NDArray[np.float64] | None, fourth: bool, dtype: np.dtype[Any]
) -> Moments:
    rows = block.shape[0]
    if shift is None:
        # The mean by way of the first row: it is exact when all rows are equal, so that constant data have a
        # scatter of exactly zero.
        first = block[0].astype(np.float64)
        shift = first + np.subtract(block, block[0], dtype=dtype).mean(axis=0, dtype=np.float64)
    origin = shift.astype(dtype)
    centred = np.subtract(block, origin, dtype=dtype)
    offset = np.ones(rows, dtype=dtype) @ centred
    offset = offset.astype(np.float64) / rows
    scatter = (centred.T @ centred).astype(np.float64)
    scatter -= np.outer(rows * offset, offset)
    part = Moments(rows, origin + offset, scatter)
    if not fourth:
        return part
    lengths = np.einsum("ij,ij->i", centred, centred).astype(np.float64)
    about_origin = Moments(
        rows,
        part.mean,
        scatter,
        (lengths.astype(dtype) @ centred).astype(np.float64),
        float(lengths @ lengths),
    )
    return _centre_fourth(about_origin, offset)


def _centre_fourth(m: Moments, offset: npt.NDArray[np.float64]) -> Moments:
    """Turn fourth-moment sums about an origin into sums about the mean, which lies `offset` from it."""
    assert m.cubic is not None
    assert m.quartic is not None
    d, square = offset, float(offset @ offset)
    total = float(np.trace(m.scatter))
    product = m.scatter @ d
    cubic = m.cubic - (total + m.count * square) * d - 2.0 * product
    quartic = m.quartic - 4.0 * float(d @ product) - m.count * square**2 - 4.0 * float(d @ cubic)
    return dataclasses.replace(m, cubic=cubic, quartic=max(quartic - 2.0 * square * total, 0.0))


def _is_safe(m: Moments) -> bool:
    return _is_finite(m) and _well_scaled(np.diagonal(m.scatter), m.count, np.dtype(np.float32))


def _is_finite(m: Moments) -> bool:
    return bool(
        np.isfinite(m.mean).all()
        and np.isfinite(m.scatter).all()
        and (m.quartic is None or np.isfinite(m.quartic))
    )


def _torch_sums(block: Any, shift: npt.NDArray[np.float64] | None, fourth: bool) -> Moments:
    """Return the moments of one block of a tensor, multiplied on its device."""
    import torch

    block = block.detach()
    dtype = (
        torch.float64 if block.dtype not in (torch.float32, torch.float16, torch.bfloat16) else torch.float32
    )
    part = _torch_block_moments(block, shift, fourth, dtype)
    if dtype != torch.float64 and not _is_safe(part):
        # Some devices have no float64: such a block, which is rare, is taken on the processor.
        part = _torch_block_moments(block.cpu(), shift, fourth, torch.float64)
    return part


def _torch_block_moments(
    block: Any, shift: npt.NDArray[np.float64] | None, fourth: bool, dtype: Any
) -> Moments:
    import torch

    rows = int(block.shape[0])
    block = block.to(dtype)
    if shift is None:
        gap = (block - block[0]).mean(dim=0)
        shift = (block[0].double() if dtype == torch.float64 else block[0]).cpu().numpy().astype(np.float64)
        shift = shift + gap.cpu().numpy().astype(np.float64)
    origin = torch.from_numpy(shift).to(dtype)
    centred = block - origin.to(block.device)
    offset = centred.sum(dim=0).cpu().numpy().astype(np.float64) / rows
    scatter = (centred.T @ centred).cpu().numpy().astype(np.float64)
    scatter -= np.outer(rows * offset, offset)
    part = Moments(rows, origin.numpy().astype(np.float64) + offset, scatter)
    if not fourth:
        return part
    lengths = (centred * centred).sum(dim=1)
    cubic = (lengths @ centred).cpu().numpy().astype(np.float64)
    squares = lengths.cpu().numpy().astype(np.float64)
    return _centre_fourth(Moments(rows, part.mean, scatter, cubic, float(squares @ squares)), offset)


def _dask_moments(X: Any, block_rows: int | None, fourth: bool) -> Moments:
    """Reduce each chunk of rows to its moments and merge them two by two."""
    dask: Any = importlib.import_module("dask")  # as Any: its functions are not typed

    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} axes (shape {X.shape}); wanted a matrix of shape (N, n)")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"X holds dtype {X.dtype}; wanted real numbers")
    chunks = X.rechunk({1: -1}).to_delayed().ravel()
    reduce = dask.delayed(_chunk_moments, pure=True)
    combine = dask.delayed(_merge_all, pure=True)
    parts = [reduce(chunk, block_rows, fourth) for chunk in chunks]
    while len(parts) > 1:
        parts = [combine(parts[i : i + 4]) for i in range(0, len(parts), 4)]
    (result,) = dask.compute(parts[0])
    merged: Moments = result
    if not merged.count:
        raise ValueError("X has no points; wanted at least one chunk with at least one row")
    return merged


def _chunk_moments(chunk: npt.NDArray[Any], block_rows: int | None, fourth: bool) -> Moments:
    accumulator = _Accumulator(int(chunk.shape[1]), fourth)
    accumulator.add_rows(chunk, block_rows)
    return accumulator.result()


def _merge_all(parts: Iterable[Moments]) -> Moments:
    first, *others = parts
    for part in others:
        first = first.merge(part)
    return first
