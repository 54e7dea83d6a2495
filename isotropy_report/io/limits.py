"""Limits on the memory that a file may use, regardless of the sizes it states or expands to.

An uncompressed file is limited by its own length. Among compressed vectors in circulation, the GoogleNews
vectors expand the most, to 2.5 times their size, words included.
"""

from __future__ import annotations

import gzip
import io
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import TypeAlias

from isotropy_lab._core import checks
from isotropy_report._options import assign, setting

Stream: TypeAlias = io.BufferedIOBase

LONGEST_LINE = 4 * 2**20
"""Maximum number of bytes in a line of text: 200,000 numbers with all their digits."""

MOST_EMPTY_LINES = 100_000
"""Maximum number of blank lines and comments in a text file."""

WORD_BYTES = 200
"""Bytes of memory that a word takes in the dictionaries that contain it, besides its letters."""

_BASE, _UNPACKED_BASE = 80 * 10**6, 64 * 2**20
_UNPACKED_RATIO = 32
_MAX_BYTES: ContextVar[int] = ContextVar("max_bytes", default=0)


def raise_limits(max_bytes: int | None) -> AbstractContextManager[None]:
    """Allow the content of a file to take `max_bytes` within this context, if the limits are lower."""
    if max_bytes is None:  # limits that an outer context has raised stay
        return nullcontext()
    return assign(_MAX_BYTES, checks.check_integer(max_bytes, "max_bytes", low=1))


def longest_line() -> int:
    """Return the maximum number of bytes in a line of text."""
    return max(LONGEST_LINE, _MAX_BYTES.get())


class Unpacked(gzip.GzipFile):
    """The content of a gzipped file, rejected if it is far longer than any text of numbers."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")
        self.path = path
        self.n_left = max(_UNPACKED_BASE + _UNPACKED_RATIO * path.stat().st_size, _MAX_BYTES.get())

    def read(self, size: int | None = -1) -> bytes:
        """Read and return up to `size` bytes."""
        return self._count(super().read(size))

    def readline(self, size: int | None = -1) -> bytes:
        """Read and return a line, or its first `size` bytes."""
        return self._count(super().readline(size))

    def _count(self, content: bytes) -> bytes:
        self.n_left -= len(content)
        if self.n_left < 0:
            raise ValueError(
                f"{self.path} expands to more than {_UNPACKED_RATIO} times its size, like a file made to "
                "fill the memory; expected a smaller ratio (if you trust the file, gunzip it first, or allow "
                f"more with {setting('max_bytes')})"
            )
        return content


class Allowance:
    """Number of bytes that the content of a compressed file may have; unlimited for uncompressed files."""

    def __init__(self, path: Path, *, compressed: bool, advice: str = "gunzip it first") -> None:
        size = path.stat().st_size
        self.path, self.advice = path, advice
        self.bytes = max(_BASE + 2 * size, 3 * size, _MAX_BYTES.get()) if compressed else None

    def check(self, n_bytes: int, *, n_words: int = 0) -> None:
        """Raise ValueError if the given numbers of bytes and words exceed the limit."""
        if self.bytes is not None and n_bytes + WORD_BYTES * n_words > self.bytes:
            raise ValueError(
                f"{self.path} expands from {self.path.stat().st_size / 1e6:,.1f} MB to more than "
                f"{self.bytes / 1e6:,.0f} MB, like a file made to fill the memory; expected a smaller ratio "
                f"(if you trust the file, {self.advice}, or allow more with {setting('max_bytes')})"
            )
