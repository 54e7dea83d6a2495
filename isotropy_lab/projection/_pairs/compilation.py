"""Choice between loops over pairs compiled by numba and, if numba is not installed, equivalent NumPy code."""

from __future__ import annotations

import functools
import logging
import os
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["LOOPS", "available", "choose", "compiled", "loops"]

_LOGGER = logging.getLogger("isotropy_lab")

LOOPS: list[Any] = []
"""Loops that this process has compiled or loaded from disk, or will compile or load at the first call."""


def available() -> bool:
    """Return whether loops are compiled: numba is installed and ``ISOTROPY_LAB_NUMBA`` is not 0."""
    return os.environ.get("ISOTROPY_LAB_NUMBA") != "0" and _import_numba() is not None


def choose(
    loop: Callable[..., Any], counterpart: Callable[..., Any], *, reorder: bool = False
) -> Callable[..., Any]:
    """Return the compiled loop or, without numba, its NumPy counterpart with the same arguments."""
    return compiled(loop, reorder=reorder) if available() else counterpart


def loops() -> types.ModuleType:
    """Return the module of loops for affinities and KL divergence: compiled, or NumPy without numba."""
    if available():
        from isotropy_lab.projection._pairs.kernels import kl  # needs numba

        return kl
    from isotropy_lab.projection._pairs import plain

    return plain


@functools.cache
def compiled(function: Callable[..., Any], *, reorder: bool = False) -> Callable[..., Any]:
    """Return a loop compiled by numba, which releases the global interpreter lock.

    The machine code is stored in ``NUMBA_CACHE_DIR`` if that is set, or next to the module, or in the user's
    cache folder; if none of these is writable, it is kept only in memory. `isotropy_lab.projection.warm_up`
    compiles all loops in advance by calling each of them, which a test checks. With `reorder`, sums may be
    computed as several partial sums, but NaN and inf are still respected.
    """
    import numba

    _announce_compilation()
    flags = {"contract", "reassoc"} if reorder else {"contract"}  # "contract" rounds a·b + c only once.
    # Functions of the same module that the loop calls must be compiled first.
    namespace = dict(function.__globals__)
    for name in function.__code__.co_names:
        called = namespace.get(name)
        if isinstance(called, types.FunctionType) and called.__module__ == function.__module__:
            namespace[name] = compiled(called, reorder=reorder)
    plain = types.FunctionType(function.__code__, namespace, function.__name__)
    # The cache of numba identifies code by the name of the function, but not by the flags.
    plain.__qualname__ = "_".join([function.__qualname__, *sorted(flags)])
    compile_ = functools.partial(numba.njit, nogil=True, error_model="numpy", fastmath=flags)
    try:
        dispatcher = compile_(cache=True)(plain)
    except RuntimeError:  # numba found no writable folder for its cache
        dispatcher = compile_(cache=False)(plain)
    LOOPS.append(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


@functools.cache
def _import_numba() -> types.ModuleType | None:
    try:
        import numba
    except ImportError:
        _LOGGER.info(
            "Without numba, sums over all pairs of points run in NumPy, which takes several times as long."
        )
        return None
    return numba  # type: ignore[no-any-return]


def _log_and_print(message: str) -> None:
    """Log a message, and print it to a terminal if the log is not enabled."""
    _LOGGER.info(message)
    if not _LOGGER.isEnabledFor(logging.INFO) and sys.stderr is not None and sys.stderr.isatty():
        print(f"isotropy_lab: {message}", file=sys.stderr)


@functools.cache
def _announce_compilation() -> None:
    """Announce the first time that a loop of this package is compiled instead of loaded from the cache."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        announced = False

        def on_start(self, event: Any) -> None:
            module = getattr(event.data["dispatcher"].py_func, "__module__", "")
            if not self.announced and module.startswith("isotropy_lab."):
                self.announced = True
                _log_and_print(
                    "compiling the loops over pairs of points, which takes seconds, once per machine: numba "
                    "caches the code (python -m isotropy_lab.projection.warm_up compiles every loop)"
                )

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
