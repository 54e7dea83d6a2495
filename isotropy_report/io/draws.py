"""Random samples of rows, for files with too many rows to measure."""

from __future__ import annotations

import dataclasses
from typing import IO, Any

import numpy as np
import numpy.typing as npt

_CHUNK_BYTES = 1 << 20
_MIN_ROWS = 10


@dataclasses.dataclass
class Draw:
    """Sample of rows without replacement, in file order; it depends on the seed but not on the file format.

    The sample has `n_rows` rows, or as many as `n_numbers` values allow (at least 10 rows). `total` is the
    number of rows in the file, once the file has been read.
    """

    n_rows: int | None = None
    n_numbers: int = 0
    seed: int = 0
    total: int = 0

    def positions(self, total: int, n_dimensions: int) -> npt.NDArray[np.intp]:
        """Return the ascending positions of the rows drawn from `total` rows."""
        n_drawn = self.n_rows or max(_MIN_ROWS, self.n_numbers // max(1, n_dimensions))
        self.total = total
        if total <= n_drawn:
            return np.arange(total)
        rng = np.random.default_rng([self.seed, 1001])  # a stream that no part of the card uses
        return np.sort(rng.choice(total, n_drawn, replace=False))


def take_rows(
    stream: IO[bytes],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    positions: npt.NDArray[np.intp],
    *,
    fortran_order: bool = False,
) -> npt.NDArray[Any]:
    """Read the rows at the given ascending positions of an array from a stream, piece by piece."""
    n_rows, n = shape
    rows = np.empty((positions.size, n), dtype)
    if fortran_order:
        for j in range(n):
            rows[:, j] = np.frombuffer(_read_exactly(stream, n_rows * dtype.itemsize), dtype)[positions]
        return rows
    width = n * dtype.itemsize
    chunk_size = max(1, _CHUNK_BYTES // width)
    for start in range(0, n_rows, chunk_size):
        count = min(chunk_size, n_rows - start)
        low, high = np.searchsorted(positions, [start, start + count])
        if low == high:
            stream.seek(count * width, 1)
        else:
            block = np.frombuffer(_read_exactly(stream, count * width), dtype).reshape(count, n)
            rows[low:high] = block[positions[low:high] - start]
    return rows


def _read_exactly(stream: IO[bytes], n_bytes: int) -> bytearray:
    content = bytearray()
    while len(content) < n_bytes:
        chunk = stream.read(min(_CHUNK_BYTES, n_bytes - len(content)))
        if not chunk:
            raise ValueError("the file ends before its last number")
        content += chunk
    return content
