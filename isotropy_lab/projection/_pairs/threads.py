"""Threads for loops that release the lock of the interpreter."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, TypeVar

__all__ = ["Threads", "one_blas_thread"]

A = TypeVar("A")
B = TypeVar("B")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let BLAS work in the thread that calls it alone, for the length of a `with`."""
    return nullcontext() if sys.platform == "emscripten" else _controller().limit(limits=1, user_api="blas")


@functools.cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Threads:
    """So many threads, for the length of a `with`; one thread does without a pool, and a browser has no other.

    Beside several of ours BLAS starts none of its own: twice as many as there are processors hinder each other.
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = 1 if sys.platform == "emscripten" else n_threads
        self._pool = ThreadPoolExecutor(self.n_threads) if self.n_threads > 1 else None

    def __enter__(self) -> Threads:
        self._limits = ExitStack()
        if self._pool is not None:
            self._limits.enter_context(one_blas_thread())
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._limits.close()

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        """Call work(part) for every part; return what it returned, in order."""
        return list(map(work, parts) if self._pool is None else self._pool.map(work, parts))

    def share(self, n: int, work: Callable[[slice], object]) -> None:
        """Call work(part) for as many parts of 0 … n as there are threads."""
        edges = [n * i // self.n_threads for i in range(self.n_threads + 1)]
        self.map(work, map(slice, edges[:-1], edges[1:]))

    def both(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Return what two functions return; the second one runs here, and may share its work."""
        if self._pool is None:
            return first(), second()
        running = self._pool.submit(first)
        other = second()
        return running.result(), other
