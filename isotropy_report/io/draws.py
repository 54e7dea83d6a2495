"""Rows of a file drawn at random, for files that are larger than what is to be measured."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

__all__ = ["Draw"]

_PIECE = 1 << 20
_FEWEST = 10


class Draw:
    """Rows drawn from a file without replacement, every set of them equally likely.

    Which are drawn depends on their number and the seed alone, whatever the format: in two files with as many
    rows they are the same ones. They keep their order.

    Parameters
    ----------
    n_rows, n_numbers : int, optional
        How many rows to draw, or how many numbers they may have (10 rows at least); one of the two, at least
        1.
    seed : int, default 0
        Of the draw, at least 0.

    Attributes
    ----------
    total : int
        How many rows the file has; known when it has been read, 0 before.

    Raises
    ------
    TypeError, ValueError
        A number is not whole or too small, or not one of `n_rows` and `n_numbers` is given.

    Examples
    --------
    >>> draw = Draw(n_rows=10, seed=0)
    >>> places = draw.places(1000, 2)
    >>> places.size, draw.total
    (10, 1000)
    """

    def __init__(self, *, n_rows: int | None = None, n_numbers: int | None = None, seed: int = 0) -> None:
        if (n_rows is None) == (n_numbers is None):
            raise ValueError("n_rows and n_numbers are both given, or none of them; expected one")
        self.n_rows = None if n_rows is None else checks.check_integer(n_rows, "n_rows", low=1)
        self.n_numbers = None if n_numbers is None else checks.check_integer(n_numbers, "n_numbers", low=1)
        self.seed = checks.check_integer(seed, "seed", low=0)
        self.total = 0

    def places(self, total: int, n_dimensions: int) -> npt.NDArray[np.intp]:
        """Return the places of the rows that are drawn of `total`, ascending."""
        size = self.n_rows or max(_FEWEST, (self.n_numbers or 0) // max(1, n_dimensions))
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
