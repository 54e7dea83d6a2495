"""The rows of an array, block by block, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.rows import release

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how many rows of it are done, and how many there are."""

_BLOCK_NUMBERS = 2**22
"""Numbers in a block: 32 MB in float64."""

_MOST_ROWS = 2**15


_SHOWN: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def progress_shown_by(show: Progress) -> Iterator[None]:
    """Within this context, call `show` whenever a long computation reports its progress."""
    token = _SHOWN.set(show)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def report_progress(what: str, done: int, total: int) -> None:
    """Report progress to whoever shows it, if anyone does."""
    if show := _SHOWN.get():
        show(what, done, total)


class Rows:
    """The rows of an array, or some of them, read in blocks."""

    def __init__(
        self,
        array: npt.NDArray[Any],
        *,
        index: npt.NDArray[np.intp] | None = None,
        model: str = "",
    ) -> None:
        self.array, self.index, self.model = array, index, model
        self.n_rows = int(array.shape[0] if index is None else index.size)
        self.n_dimensions = int(array.shape[1])

    def progress(self, what: str, done: int, total: int) -> None:
        """Report progress, with the name of the model whose rows these are."""
        report_progress(f"{self.model}: {what}" if self.model else what, done, total)

    @property
    def step(self) -> int:
        """Rows of a block."""
        return min(max(64, _BLOCK_NUMBERS // max(1, self.n_dimensions)), _MOST_ROWS)

    def blocks(self, what: str) -> Iterator[tuple[int, npt.NDArray[Any]]]:
        """Yield blocks of rows, copied in native byte order, each with the position of its first row."""
        dtype = self.array.dtype.newbyteorder("=")
        for start in range(0, self.n_rows, self.step):
            stop = min(start + self.step, self.n_rows)
            self.progress(what, start, self.n_rows)
            chosen = slice(start, stop) if self.index is None else self.index[start:stop]
            block = np.array(self.array[chosen], dtype=dtype, order="C")
            release(self.array)
            yield start, block
        self.progress(what, self.n_rows, self.n_rows)

    def take(self, places: npt.NDArray[np.intp]) -> checks.FloatArray:
        """Return the rows at the given positions as float32 or float64."""
        chosen = places if self.index is None else self.index[places]
        rows = np.asarray(self.array[chosen])
        return np.ascontiguousarray(rows, dtype=checks.working_dtype(rows.dtype))


def random_pairs(
    n_rows: int, n_pairs: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the positions of random pairs of different rows, or of all pairs if there are no more."""
    if n_rows * (n_rows - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n_rows, 1)
        return first, second
    first = rng.integers(n_rows, size=n_pairs)
    second = rng.integers(n_rows - 1, size=n_pairs)
    return first, second + (second >= first)


def spread_sample(n_rows: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return the positions of `size` rows drawn without replacement, ascending, or of all rows."""
    if size >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, size=size, replace=False, shuffle=False)).astype(np.intp)
