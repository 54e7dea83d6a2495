"""Functions of the chunks of a Dask array, computed where the chunks lie."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

Found = TypeVar("Found")

_AT_ONCE = 64
"""Chunks whose results are awaited together: they, and no others, are in memory."""


def over_chunks(X: Any, function: Callable[..., Found], *shared: Any) -> Iterator[Found]:
    """Yield ``function(start, chunk, *shared)`` of each chunk of rows, in their order.

    Dask's scheduler calls it: threads of this process or, where a `distributed.Client` is active, its
    workers, which are sent the shared arguments once and return nothing but results. `start` is the position
    of the first row of the chunk.
    """
    dask: Any = importlib.import_module("dask")  # as Any: its functions are not typed
    chunks = X.rechunk({1: -1}).to_delayed().ravel()
    starts = np.cumsum([0, *X.chunks[0]]).tolist()
    sent = [dask.delayed(one, traverse=False) for one in (function, *shared)]
    call = dask.delayed(_call, pure=False)
    for first in range(0, len(chunks), _AT_ONCE):
        part = range(first, min(first + _AT_ONCE, len(chunks)))
        yield from dask.compute(*(call(starts[i], chunks[i], *sent) for i in part))


def _call(start: int, chunk: Any, function: Callable[..., Found], *shared: Any) -> Found:
    return function(start, np.asarray(chunk), *shared)
