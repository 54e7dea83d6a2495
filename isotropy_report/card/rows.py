"""Readers of the rows of an array in blocks; memory use does not depend on the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import reduce
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.chunks import over_chunks
from isotropy_lab._core.rows import release
from isotropy_report._options import assign
from isotropy_report.io.arrow import as_vectors
from isotropy_report.measures.equal_rows import Hashes, row_hashes

Progress: TypeAlias = Callable[[str, int, int], None]
"""Function of the name of the step, the number of rows done, and the total number of rows."""

Result = TypeVar("Result")
Item = TypeVar("Item")

_CHUNK_ENTRIES = 2**22
"""Maximum number of values in a block: 32 MB in float64."""

_MAX_CHUNK_ROWS = 2**15

_SAMPLE_ENTRIES = 2**24
"""Maximum number of values in a sample: 128 MB in float64."""

_PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)


def show_progress_with(show: Progress) -> AbstractContextManager[None]:
    """Call `show` with every progress report of long computations within this context."""
    return assign(_PROGRESS, show)


def report_progress(task: str, done: int, total: int) -> None:
    """Report progress to the function that displays it, if there is one."""
    if show := _PROGRESS.get():
        show(task, done, total)


def report_each(items: Sequence[Item], task: str) -> Iterator[Item]:
    """Yield items, and report progress before each item and after the last one."""
    for i, item in enumerate(items):
        report_progress(task, i, len(items))
        yield item
    report_progress(task, len(items), len(items))


def as_rows(X: Any, name: str) -> Any:
    """Return vectors as an array; a Dask array is returned unchanged, and its rows stay on the workers."""
    if not checks.is_dask(X):
        return checks.as_array(as_vectors(X), name, ndim=2)
    checks.check_chunks(X, name)
    return X


class Rows:
    """All or some rows of an array, read in blocks; the rows of a Dask array are read on its workers."""

    def __init__(self, array: Any, *, index: npt.NDArray[np.intp] | None = None, model: str = "") -> None:
        if index is not None and checks.is_dask(array):
            array, index = array[index], None
        self.array, self.index, self.model = array, index, model
        self.n_rows = int(array.shape[0] if index is None else index.size)
        self.n_dimensions = int(array.shape[1])

    def progress(self, task: str, done: int, total: int) -> None:
        """Report progress, with the name of the model to which these rows belong."""
        report_progress(f"{self.model}: {task}" if self.model else task, done, total)

    @property
    def block_rows(self) -> int:
        """Number of rows in a block."""
        return min(max(64, _CHUNK_ENTRIES // max(1, self.n_dimensions)), _MAX_CHUNK_ROWS)

    def each(
        self,
        function: Callable[[int, npt.NDArray[Any]], Result],
        task: str,
        *,
        merge: Callable[[Result, Result], Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of ``function(position of the first row, block)`` for each block, in order.

        For a Dask array, the workers call the function and may merge the results of a chunk before sending
        them. Blocks are copies in native byte order.
        """
        if checks.is_dask(self.array):
            done = 0
            for results, size in over_chunks(self.array, _apply_to_blocks, function, self.block_rows, merge):
                self.progress(task, done, self.n_rows)
                done += size
                yield from results
        else:
            for start in range(0, self.n_rows, self.block_rows):
                stop = min(start + self.block_rows, self.n_rows)
                self.progress(task, start, self.n_rows)
                chosen = slice(start, stop) if self.index is None else self.index[start:stop]
                block = _copy_native(self.array[chosen])
                release(self.array)
                yield function(start, block)
        self.progress(task, self.n_rows, self.n_rows)

    def hashes(self, task: str) -> Hashes:
        """Return the hash of each row."""
        return np.concatenate(list(self.each(lambda _, block: row_hashes(block), task)))

    def take(self, positions: npt.NDArray[np.intp]) -> checks.FloatArray:
        """Return the rows at the given positions as float32 or float64."""
        chosen = positions if self.index is None else self.index[positions]
        rows = np.asarray(self.array[chosen])
        return np.ascontiguousarray(rows, dtype=checks.working_dtype(rows.dtype))


def _copy_native(rows: Any) -> npt.NDArray[Any]:
    return np.array(rows, dtype=rows.dtype.newbyteorder("="), order="C")


def _apply_to_blocks(
    start: int,
    chunk: npt.NDArray[Any],
    function: Callable[[int, npt.NDArray[Any]], Result],
    n_rows: int,
    merge: Callable[[Result, Result], Result] | None,
) -> tuple[list[Result], int]:
    """Return the results of a function for the blocks of a chunk, and the number of rows in the chunk."""
    results = (function(start + i, _copy_native(chunk[i : i + n_rows])) for i in range(0, len(chunk), n_rows))
    merged = list(results) if merge is None or not len(chunk) else [reduce(merge, results)]
    return merged, len(chunk)


def random_pairs(
    n_rows: int, n_pairs: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the positions of `n_pairs` random pairs of distinct rows, or of all pairs if fewer exist."""
    if n_rows * (n_rows - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n_rows, 1)
        return first, second
    first = rng.integers(n_rows, size=n_pairs)
    second = rng.integers(n_rows - 1, size=n_pairs)
    return first, second + (second >= first)


def check_sample_size(sample_size: Any, n_dimensions: int) -> int:
    """Return the number of rows to sample: the given number, or fewer if they would take too much memory."""
    size = checks.check_integer(sample_size, "sample_size", low=10)
    return max(10, min(size, _SAMPLE_ENTRIES // max(1, n_dimensions)))


def sample_rows(n_rows: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return ascending positions of `size` rows drawn without replacement, or of all rows if fewer exist."""
    if size >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, size=size, replace=False, shuffle=False)).astype(np.intp)
