"""Machine code that numba keeps on disk: what is damaged there is compiled again, what does not fit is done without.

numba's own cache raises what it meets: a damaged file or a full disk would end a call that needs neither. Nor would it see
that a byte of the machine code has changed. Here each file ends with a SHA-256 of what it holds.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import logging
import pickle  # numba's form of machine code that this user compiled; nothing is downloaded
from pathlib import Path
from typing import Any

__all__ = ["keep"]

_LOGGER = logging.getLogger("isotropy_lab")
_DIGEST = hashlib.sha256().digest_size


def keep(dispatcher: Any) -> None:
    """Let a dispatcher of numba, made with ``cache=True``, survive what can happen to files."""
    kept = _classes()
    if kept is not None:
        dispatcher._cache = kept(dispatcher.py_func)


@functools.cache
def _classes() -> Any:
    """Return our form of numba's cache; None if another numba has none to build it on."""
    try:
        caching: Any = importlib.import_module("numba.core.caching")  # as Any: it is not typed
    except ImportError:
        return None

    class Files(caching.IndexDataCacheFile):  # type: ignore[misc]
        """numba's files with a digest at the end, which whoever unpickles them does not look at."""

        def _dump(self, obj: Any) -> bytes:
            content: bytes = super()._dump(obj)
            return content + hashlib.sha256(content).digest()

        def _load_index(self) -> Any:
            version = pickle.dumps(self._version, protocol=-1)
            path = Path(self._index_path)
            content = path.read_bytes() if path.exists() else b""
            if content.startswith(version):  # else that of another numba, in whose place numba puts a new one
                _check(content[len(version) :], path)
            return super()._load_index()

        def _load_data(self, name: str) -> Any:
            path = Path(self._data_path(name))
            _check(path.read_bytes(), path)
            return super()._load_data(name)

    class Kept(caching.FunctionCache):  # type: ignore[misc]
        """numba's cache of one loop."""

        _cache_file: Any

        def __init__(self, py_func: Any) -> None:
            super().__init__(py_func)
            file = self._cache_file
            self._cache_file = Files(
                file._cache_path, file._index_name.removesuffix(".nbi"), file._source_stamp
            )

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                return super().load_overload(sig, target_context)
            except Exception:
                _say_damaged(self.cache_path)
                # Without its index nothing of this loop is found, and all of it is written again.
                with contextlib.suppress(OSError):
                    Path(self._cache_file._index_path).unlink(missing_ok=True)
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except Exception as error:
                _say_not_kept(self.cache_path, str(getattr(error, "strerror", None) or error))

    return Kept


def _check(content: bytes, path: Path) -> None:
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError(f"{path} is damaged")


@functools.cache  # once, not for every loop
def _say_damaged(folder: str) -> None:
    _LOGGER.warning("machine code in %s is damaged and is compiled again; nothing needs to be done", folder)


@functools.cache
def _say_not_kept(folder: str, why: str) -> None:
    _LOGGER.warning(
        "machine code cannot be kept in %s (%s), so that the next process compiles it again; free some space there, or set "
        "NUMBA_CACHE_DIR to a folder that can be written",
        folder,
        why,
    )
