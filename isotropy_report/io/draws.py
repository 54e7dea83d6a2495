"""Random samples of rows, for files with too many rows to measure."""

from __future__ import annotations

import dataclasses
from typing import IO, Any

import numpy as np
import numpy.typing as npt

_PIECE = 1 << 20
_FEWEST = 10


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

    def places(self, total: int, n_dimensions: int) -> npt.NDArray[np.intp]:
        """Return the ascending positions of the rows drawn from `total` rows."""
        size = self.n_rows or max(_FEWEST, self.n_numbers // max(1, n_dimensions))
        self.total = total
        if total <= size:
            return np.arange(total)
        rng = np.random.default_rng([self.seed, 1001])  # differs from the streams of all parts of the card
        return np.sort(rng.choice(total, size, replace=False))


def take_rows(
    stream: IO[bytes],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    places: npt.NDArray[np.intp],
    *,
    in_columns: bool = False,
) -> npt.NDArray[Any]:
    """Read the rows at the given ascending positions of an array from a stream, piece by piece."""
    n_rows, n = shape
    out = np.empty((places.size, n), dtype)
    if in_columns:
        for j in range(n):
            out[:, j] = np.frombuffer(_exactly(stream, n_rows * dtype.itemsize), dtype)[places]
        return out
    width = n * dtype.itemsize
    step = max(1, _PIECE // width)
    for start in range(0, n_rows, step):
        count = min(step, n_rows - start)
        low, high = np.searchsorted(places, [start, start + count])
        if low == high:
            stream.seek(count * width, 1)
        else:
            block = np.frombuffer(_exactly(stream, count * width), dtype).reshape(count, n)
            out[low:high] = block[places[low:high] - start]
    return out


def _exactly(stream: IO[bytes], n_bytes: int) -> bytearray:
    content = bytearray()
    while len(content) < n_bytes:
        piece = stream.read(min(_PIECE, n_bytes - len(content)))
        if not piece:
            raise ValueError("the file ends before its last number")
        content += piece
    return content
