"""Rows of a file drawn at random, for files that are larger than what is to be measured."""

from __future__ import annotations

import dataclasses
from typing import IO, Any

import numpy as np
import numpy.typing as npt

_PIECE = 1 << 20
_FEWEST = 10


@dataclasses.dataclass
class Draw:
    """Rows drawn without replacement, in their order: by their number and the seed, whatever the format.

    It takes `n_rows`, or as many as `n_numbers` hold (10 rows at least). `total` is the number of rows of the
    file, when it has been read.
    """

    n_rows: int | None = None
    n_numbers: int = 0
    seed: int = 0
    total: int = 0

    def places(self, total: int, n_dimensions: int) -> npt.NDArray[np.intp]:
        """Return the places of the rows that are drawn of `total`, ascending."""
        size = self.n_rows or max(_FEWEST, self.n_numbers // max(1, n_dimensions))
        self.total = total
        if total <= size:
            return np.arange(total)
        rng = np.random.default_rng([self.seed, 1001])  # not the stream of a part of the card
        return np.sort(rng.choice(total, size, replace=False))


def take_rows(
    stream: IO[bytes],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    places: npt.NDArray[np.intp],
    *,
    in_columns: bool = False,
) -> npt.NDArray[Any]:
    """Read the rows at ascending positions of an array from a stream, in pieces."""
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
            raise ValueError("it ends inside its numbers")
        content += piece
    return content
