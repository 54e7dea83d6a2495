"""Storage for rows whose number is not known in advance."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt

_IN_MEMORY = 2**28 if sys.platform != "emscripten" else sys.maxsize  # in a browser, there are no files to map
"""Maximum number of bytes in memory; more are written to an unnamed temporary file, which is mapped."""


class Growing:
    """Rows that are added block by block, kept in memory or, if there are many, in a temporary file.

    A block whose dtype is wider than that of the first block is rejected; a narrower dtype is cast.
    """

    def __init__(self, name: object) -> None:
        self.name = name  # used in errors
        self.n: int | None = None
        self.dtype: np.dtype[Any] | None = None
        self.n_bytes = 0
        self._stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115, closed at the end

    def add(self, block: npt.NDArray[Any]) -> None:
        """Add rows; raise ValueError if their length or dtype does not match the earlier rows."""
        if self.n is None or self.dtype is None:
            self.n, self.dtype = block.shape[1], block.dtype
        if block.shape[1] != self.n:
            raise ValueError(f"{self.name} has rows of {block.shape[1]} numbers; expected {self.n}, as above")
        if not np.can_cast(block.dtype, self.dtype):
            raise ValueError(f"{self.name} holds {block.dtype}; expected {self.dtype}, as above")
        step = max(1, 2**22 // self.n)
        for start in range(0, len(block), step):
            part = np.ascontiguousarray(block[start : start + step], self.dtype)
            try:
                self._stream.write(part.tobytes())
            except OSError as error:
                raise type(error)(
                    f"{self.name} cannot be copied to {tempfile.gettempdir()} ({error.strerror}); free some "
                    "space there, or set TMPDIR to another folder"
                ) from error
            self.n_bytes += part.nbytes

    def result(self) -> npt.NDArray[Any]:
        """Return all rows as an array or as a memory map, whose temporary file is deleted with the map."""
        assert self.n is not None
        stream: Any
        with self._stream as stream:
            stream.seek(0)
            if self.n_bytes <= _IN_MEMORY:
                return np.frombuffer(bytearray(stream.read()), self.dtype).reshape(-1, self.n)
            mapped: npt.NDArray[Any] = np.memmap(stream, self.dtype or np.dtype(float), "r")
        return mapped.reshape(-1, self.n)
