"""Evaluation of functions on the chunks of a Dask array, by Dask's workers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")

_CHUNKS_PER_BATCH = 64
"""Number of chunks per call of `dask.compute`; only the results of one batch are held in memory."""


def over_chunks(X: Any, function: Callable[..., Result], *shared: Any) -> Iterator[Result]:
    """Yield ``function(start, chunk, *shared)`` for each chunk of rows, in order.

    Dask calls the function in threads of this process or, if a `distributed.Client` is active, on its
    workers. The shared arguments are sent with each batch of chunks, and only results are returned. `start`
    is the index of the chunk's first row.
    """
    dask: Any = importlib.import_module("dask")  # annotated as Any because its functions are not typed
    chunks = X.rechunk({1: -1}).to_delayed().ravel()
    starts = np.cumsum([0, *X.chunks[0]]).tolist()
    arguments = [dask.delayed(value, traverse=False) for value in (function, *shared)]
    task = dask.delayed(_apply_to_chunk, pure=False)
    for batch_start in range(0, len(chunks), _CHUNKS_PER_BATCH):
        batch = range(batch_start, min(batch_start + _CHUNKS_PER_BATCH, len(chunks)))
        yield from dask.compute(*(task(starts[i], chunks[i], *arguments) for i in batch))


def _apply_to_chunk(start: int, chunk: Any, function: Callable[..., Result], *shared: Any) -> Result:
    return function(start, np.asarray(chunk), *shared)
