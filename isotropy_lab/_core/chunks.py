"""Evaluation of functions on the chunks of a Dask array, by the workers that store them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

Found = TypeVar("Found")

_AT_ONCE = 64
"""Number of chunks computed together; only their results are in memory at the same time."""


def over_chunks(X: Any, function: Callable[..., Found], *shared: Any) -> Iterator[Found]:
    """Yield ``function(start, chunk, *shared)`` for each chunk of rows, in order.

    Dask's scheduler calls the function in threads of this process or, if a `distributed.Client` is active, in
    its workers, which receive the shared arguments once and return only results. `start` is the position of
    the chunk's first row.
    """
    dask: Any = importlib.import_module("dask")  # annotated as Any because its functions are not typed
    chunks = X.rechunk({1: -1}).to_delayed().ravel()
    starts = np.cumsum([0, *X.chunks[0]]).tolist()
    sent = [dask.delayed(one, traverse=False) for one in (function, *shared)]
    call = dask.delayed(_call, pure=False)
    for first in range(0, len(chunks), _AT_ONCE):
        part = range(first, min(first + _AT_ONCE, len(chunks)))
        yield from dask.compute(*(call(starts[i], chunks[i], *sent) for i in part))


def _call(start: int, chunk: Any, function: Callable[..., Found], *shared: Any) -> Found:
    return function(start, np.asarray(chunk), *shared)
