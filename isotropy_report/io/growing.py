"""Storage for rows whose number is not known in advance."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isotropy_report.io.limits import Allowance

_IN_MEMORY = 2**28 if sys.platform != "emscripten" else sys.maxsize  # a browser has no files to map
"""Maximum number of bytes in memory; larger data are written to an unnamed, memory-mapped temporary file."""


class NamedVectors(NamedTuple):
    """Vectors, with a name for each of them if the file contains names."""

    vectors: npt.NDArray[Any]
    names: list[str] | None


class Growing:
    """Rows that are added block by block and kept in memory or, if there are many, in a temporary file.

    A block whose dtype is wider than that of the first block is rejected; a narrower dtype is cast. With an
    allowance, rows and names that exceed it are rejected.
    """

    def __init__(self, name: object, allowance: Allowance | None = None) -> None:
        self.name = name  # used in errors
        self.n: int | None = None
        self.dtype: np.dtype[Any] = np.dtype(float)
        self.names: list[str] = []
        self.n_bytes = self._n_letters = 0
        self._allowance = allowance
        self._stream: Any = io.BytesIO()

    def add(self, block: npt.NDArray[Any], names: Sequence[str] = ()) -> None:
        """Add rows; raise ValueError if their length or dtype does not match that of earlier rows."""
        if self.n is None:
            self.n, self.dtype = block.shape[1], block.dtype
        if block.shape[1] != self.n:
            rows = f"{self.name} has rows of {block.shape[1]} numbers"
            raise ValueError(f"{rows}; expected {self.n} numbers, as in earlier rows")
        if block.dtype != self.dtype and not np.can_cast(block.dtype, self.dtype):
            raise ValueError(
                f"{self.name} contains {block.dtype} numbers; expected {self.dtype}, as in earlier rows"
            )
        self.n_bytes += block.size * self.dtype.itemsize
        self.names += names
        self._n_letters += sum(map(len, names))
        if self._allowance is not None:
            self._allowance.check(self.n_bytes + self._n_letters, n_words=len(self.names))
        block_rows = max(1, 2**22 // self.n)
        try:
            if self.n_bytes > _IN_MEMORY and isinstance(self._stream, io.BytesIO):
                content, self._stream = self._stream, tempfile.TemporaryFile()  # noqa: SIM115, closed at the end
                self._stream.write(content.getbuffer())
            for start in range(0, len(block), block_rows):
                self._stream.write(np.ascontiguousarray(block[start : start + block_rows], self.dtype).data)
        except OSError as error:
            raise type(error)(
                f"{self.name} cannot be copied to {tempfile.gettempdir()} ({error.strerror}); expected free "
                "space there (delete files, or set TMPDIR to another folder)"
            ) from error

    def result(self) -> NamedVectors:
        """Return all rows as an array or a memory map, with their names if each row has a unique one."""
        assert self.n is not None
        if isinstance(self._stream, io.BytesIO):
            array: npt.NDArray[Any] = np.frombuffer(self._stream.getbuffer(), self.dtype)
        else:
            with self._stream as stream:
                array = np.memmap(stream, self.dtype, "r")
        array = array.reshape(-1, self.n)
        return NamedVectors(array, self.names if len(set(self.names)) == len(array) else None)
