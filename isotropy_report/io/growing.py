"""Rows whose number is not known before they have come."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt

_IN_MEMORY = 2**28 if sys.platform != "emscripten" else sys.maxsize  # a browser has no files to map
"""Bytes that are held in memory; more are written to a temporary file without a name, which is mapped."""


class Growing:
    """Rows that are added block by block: held in memory while they are few, else in a temporary file.

    A block whose dtype is wider than those before it is refused; one that fits is cast.
    """

    def __init__(self, name: object) -> None:
        self.name = name  # in errors
        self.n: int | None = None
        self.dtype: np.dtype[Any] | None = None
        self.n_bytes = 0
        self._stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115, closed at the end

    def add(self, block: npt.NDArray[Any]) -> None:
        """Add rows; ValueError if their numbers are more, fewer or of a wider type than those above."""
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
        """Return all rows: an array, or a memory map of the temporary file, which goes with it."""
        assert self.n is not None
        stream: Any
        with self._stream as stream:
            stream.seek(0)
            if self.n_bytes <= _IN_MEMORY:
                return np.frombuffer(bytearray(stream.read()), self.dtype).reshape(-1, self.n)
            mapped: npt.NDArray[Any] = np.memmap(stream, self.dtype or np.dtype(float), "r")
        return mapped.reshape(-1, self.n)
