"""Loops over pairs of points, compiled by numba when they are first called and kept on disk after that."""

from __future__ import annotations

import functools
import logging
import sys
import types
from collections.abc import Callable
from typing import Any

from isotropy_lab.vectors import _extras

__all__ = ["compiled"]

_LOGGER = logging.getLogger("isotropy_lab")


@functools.cache
def compiled(function: Callable[..., Any], *, reorder: bool = False) -> Callable[..., Any]:
    """Return a compiled form of a plain loop that releases the lock of the interpreter.

    The machine code is kept in ``NUMBA_CACHE_DIR`` if that is set, else beside the module, else in the user's cache
    folder; where none of these can be written it is kept in memory only. The first compilation in a process is
    announced at level INFO by the logger ``isotropy_lab``, and at a terminal where that level is not logged; code that is found on disk is loaded silently.

    Parameters
    ----------
    function : callable
        Plain Python over arrays and numbers.
    reorder : bool, default False
        Whether sums may be taken in another order, as several partial sums at once. NaN and inf keep their meaning.

    Returns
    -------
    callable
        The same at every call with the same arguments.

    Raises
    ------
    ImportError
        If numba is not installed; the message says what to install.

    Examples
    --------
    >>> def count_above(values, limit):
    ...     n = 0
    ...     for value in values:
    ...         n += value > limit
    ...     return n
    >>> import numpy as np
    >>> compiled(count_above)(np.array([1.0, 2.0, 3.0]), 1.5)
    2
    """
    numba = _extras.require("numba", "A measure over all pairs of points", install='"isotropy-lab[fast]"')
    _announce()
    flags = {"contract", "reassoc"} if reorder else {"contract"}  # contract: a·b + c with one rounding
    # numba looks for code on disk by the name of the function, not by the flags.
    known = function.__globals__
    called = [name for name in function.__code__.co_names if _is_neighbor(known.get(name), function)]
    known = {**known, **{name: compiled(known[name], reorder=reorder) for name in called}}
    plain = types.FunctionType(function.__code__, known, function.__name__)
    plain.__module__ = function.__module__
    plain.__qualname__ = "_".join([function.__qualname__, *sorted(flags)])
    compile_ = functools.partial(numba.njit, nogil=True, error_model="numpy", fastmath=flags)
    try:
        dispatcher = compile_(cache=True)(plain)
    except RuntimeError:  # numba's word for "no folder to keep the code in"
        dispatcher = compile_(cache=False)(plain)
    return dispatcher  # type: ignore[no-any-return]


def _is_neighbor(thing: object, function: Callable[..., Any]) -> bool:
    """Whether a name that a loop uses is another plain loop of its module, which must be compiled before it."""
    return isinstance(thing, types.FunctionType) and thing.__module__ == function.__module__


def _say(message: str) -> None:
    """Log a message; who waits at a terminal and has not asked for the log is told there."""
    _LOGGER.info(message)
    if not _LOGGER.isEnabledFor(logging.INFO) and sys.stderr is not None and sys.stderr.isatty():
        print(f"isotropy_lab: {message}", file=sys.stderr)


@functools.cache
def _announce() -> None:
    """Let numba tell when it compiles one of this package's loops."""
    event = _extras.require("numba.core.event", "A measure over all pairs of points")

    class Listener(event.Listener):  # type: ignore[misc, name-defined]
        said = False

        def on_start(self, event: Any) -> None:
            module = getattr(event.data["dispatcher"].py_func, "__module__", "")
            if not self.said and module.startswith("isotropy_lab."):
                self.said = True
                _say(
                    "compiling the loops over pairs of points, which takes some seconds and happens once on a machine: "
                    "the machine code is kept in numba's cache"
                )

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Listener())
