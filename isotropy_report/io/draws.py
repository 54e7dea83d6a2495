"""Rows drawn at random while a file is read, for files that are larger than what is to be measured."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

__all__ = ["Draw"]

_AT_ONCE = 1 << 16
_PIECE = 1 << 20
_FEWEST = 10


class Draw:
    """Rows drawn from a file without replacement, every set of them equally likely: a reservoir.

    How many rows there are need not be known. Which are drawn depends on their number and the seed alone, whatever the
    format: in two files with as many rows they are the same ones. They keep their order.

    Parameters
    ----------
    n_rows, n_numbers : int, optional
        How many rows to draw, or how many numbers they may have (10 rows at least); one of the two, at least 1.
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

    Notes
    -----
    Row i, counted from 0, is drawn with probability n_rows/(i + 1) and takes the place of one that was drawn before:
    algorithm R of Waterman, in Vitter (1985). Cost: a random number for each row of the file.

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
        size = self._size(n_dimensions)
        self.total = total
        if total <= size:
            return np.arange(total)
        kept = np.arange(size)
        for at, slots in self._slots(size):
            drawn = (slots < size) & (at < total)
            kept[slots[drawn]] = at[drawn]  # of those for one slot the last stays
            if at[-1] >= total:
                break
        return np.sort(kept)

    def _size(self, n_dimensions: int) -> int:
        if self.n_rows is not None:
            return self.n_rows
        assert self.n_numbers is not None
        return max(_FEWEST, self.n_numbers // max(1, n_dimensions))

    def _slots(self, size: int) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield rows and the slot that each would take: below `size` it is drawn, in place of the one before."""
        rng = np.random.default_rng([self.seed, 1001])  # not the stream of a part of the card
        for start in itertools.count(0, _AT_ONCE):
            at = np.arange(start, start + _AT_ONCE)
            yield at, np.where(at < size, at, rng.integers(at + 1))

    def one_by_one(self, n_dimensions: int) -> Iterator[int]:
        """Yield for row after row the slot that it takes, or -1 if it is not drawn."""
        size = self._size(n_dimensions)
        for _, slots in self._slots(size):
            yield from np.where(slots < size, slots, -1).tolist()


class Content:
    """Numbers of rows that come one by one, in a memory that grows: of all rows, or of those that are drawn."""

    def __init__(self, dtype: type[np.floating[Any]], n: int, draw: Draw | None) -> None:
        self.dtype, self.n, self.draw = dtype, n, draw
        self.bytes = bytearray()
        self.n_rows = 0  # that came
        self._slots = itertools.repeat(-1) if draw is None else draw.one_by_one(n)
        self._kept: list[int] = []
        self._names: list[str] = []
        self._slot = -1

    def wants(self) -> bool:
        """Say of the next row whether it is to be added."""
        self._slot = next(self._slots)
        self.n_rows += 1
        return self.draw is None or self._slot >= 0

    def add(self, row: npt.NDArray[np.floating[Any]], name: str | None = None) -> None:
        """Add the row that was wanted, and its name if rows have names."""
        width = self.n * row.itemsize
        if self.draw is None or self._slot == len(self._kept):
            self.bytes += row.tobytes()
            if self.draw is not None:
                self._kept.append(self.n_rows - 1)
            if name is not None:
                self._names.append(name)
        else:
            self.bytes[self._slot * width : (self._slot + 1) * width] = row.tobytes()
            self._kept[self._slot] = self.n_rows - 1
            if name is not None and self._slot < len(self._names):
                self._names[self._slot] = name

    def names(self) -> list[str]:
        """Return the names that were added, in the order of the rows; call it before `array`."""
        if self.draw is None or len(self._names) < len(self._kept):
            return self._names
        return [self._names[i] for i in np.argsort(self._kept)]

    def array(self) -> npt.NDArray[Any]:
        """Return the rows, in the order in which they came."""
        rows = np.frombuffer(self.bytes, dtype=self.dtype).reshape(-1, self.n)
        if self.draw is None:
            return rows
        self.draw.total = self.n_rows
        if self.n_rows == len(self._kept):
            return rows
        order = np.argsort(self._kept)
        for j in range(0, self.n, 16):  # not all at once, which would take their memory twice
            rows[:, j : j + 16] = rows[order, j : j + 16]
        return rows


def take_rows(
    stream: IO[bytes],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    places: npt.NDArray[np.intp],
    *,
    in_columns: bool = False,
) -> npt.NDArray[Any]:
    """Read some rows of an array forward from where a stream stands, in pieces."""
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
