"""Arrays in an NPZ file, read without pickles and without trusting the sizes stated in the file."""

from __future__ import annotations

import functools
import io
import math
import os
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isotropy_report._options import short
from isotropy_report.io._refusals import name_file_in_errors, raise_pickle
from isotropy_report.io.limits import Allowance

_CHUNK_BYTES = 1 << 20
_MAX_HEADER_BYTES = 10_000
_MAX_DIRECTORY_BYTES = 4 << 20
"""Maximum number of bytes in an archive's list of names, which takes ten times as much memory once read."""

Header = tuple[tuple[int, ...], bool, np.dtype[Any]]


class _BoundedFile(io.FileIO):
    """A file that rejects a read longer than the limit for an archive's list of names."""

    def read(self, size: int | None = -1, /) -> bytes:
        n_left = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        n_bytes = n_left if size is None or size < 0 else min(size, n_left)
        if n_bytes > _MAX_DIRECTORY_BYTES:
            raise ValueError(f"the archive's list of names takes {n_bytes / 1e6:.0f} MB")
        return super().read(n_bytes) or b""


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    with _BoundedFile(path) as file:
        with name_file_in_errors(path):
            archive = zipfile.ZipFile(file)
        with archive:
            yield archive


def check_archive(path: Path) -> None:
    """Reject an archive that is damaged or contains anything but arrays; torch.save writes a pickle."""
    try:
        with _open_archive(path) as archive:
            names = archive.namelist()
    except ValueError as error:
        raise ValueError(f"{error}; expected a complete .npz file") from error
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        raise_pickle(path)
    if not names or not all(name.endswith(".npy") for name in names):
        shown = short(", ".join(names[:3])) or "nothing"
        raise ValueError(
            f"{path} is an archive that contains {shown}; expected an .npz file with arrays only"
        )


def npz_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all arrays in an NPZ file, as stated in their headers."""
    shapes: dict[str, tuple[int, ...]] = {}
    with _open_archive(path) as archive:
        for member in archive.infolist():
            with _open_member(path, archive, member) as stream:
                shapes[member.filename.removesuffix(".npy")] = npy_header(stream)[0]
    return shapes


def npz_array(path: Path, name: str) -> npt.NDArray[Any]:
    """Read one array from an NPZ file."""
    with _open_archive(path) as archive:
        try:
            member = archive.getinfo(f"{name}.npy")
        except KeyError:
            names = ", ".join(n.removesuffix(".npy") for n in archive.namelist()[:20])
            raise ValueError(
                f"{path} contains the arrays {short(names)}; expected one with the name {name!r}"
            ) from None
        labels = {"name": repr(name), "advice": "save it with numpy.save or numpy.savez"}
        open_stream = functools.partial(_open_member, path, archive, member)
        return read_array(path, open_stream, size=member.file_size, **labels)


def read_array(
    path: Path,
    open_stream: Callable[[], AbstractContextManager[Any]],
    *,
    name: str = "it",
    size: int | None = None,
    advice: str = "gunzip it first",
) -> npt.NDArray[Any]:
    """Read a compressed array; memory grows with its actual content, not with its stated `size`."""
    with name_file_in_errors(path), open_stream() as stream:
        shape, fortran_order, dtype = npy_header(stream)
        start = stream.tell()
    if dtype.hasobject:
        raise_pickle(path)
    expected = math.prod(shape) * dtype.itemsize
    stated = expected if size is None else size - start
    if min(shape, default=1) < 0 or dtype.itemsize == 0 or expected != stated:
        raise ValueError(
            f"{path} is damaged or truncated: {name} declares an array of shape {shape} and dtype "
            f"{short(str(dtype))}, but has {stated} bytes"
        )
    Allowance(path, compressed=True, advice=advice).check(expected)
    content = bytearray()  # the directory may state a false size
    with name_file_in_errors(path), open_stream() as stream:
        npy_header(stream)
        while len(content) <= expected and (chunk := stream.read(_CHUNK_BYTES)):
            content += chunk
        if len(content) != expected:
            comparison = "more" if len(content) > expected else "less"
            raise ValueError(f"the file has {comparison} than the array of shape {shape} and dtype {dtype}")
    array = np.frombuffer(content, dtype=dtype)
    return array.reshape(shape[::-1]).T if fortran_order else array.reshape(shape)


@contextmanager
def _open_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    # NumPy writes only these two methods; others may allocate gigabytes before they return the first byte.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(
            f"{path}: {short(member.filename)!r} is compressed by method {member.compress_type}; expected an "
            "archive written by numpy.savez or numpy.savez_compressed"
        )
    with name_file_in_errors(path), archive.open(member) as stream:
        yield stream


def npy_header(stream: IO[bytes]) -> Header:
    """Read the header of an array, but no more bytes than a valid header can have."""
    version = np.lib.format.read_magic(stream)
    size_format = "<H" if version == (1, 0) else "<I"
    length = stream.read(struct.calcsize(size_format))
    if len(length) < struct.calcsize(size_format):
        raise ValueError("the array ends inside its header")
    (n_bytes,) = struct.unpack(size_format, length)
    if n_bytes > _MAX_HEADER_BYTES:
        raise ValueError(f"the array's header declares a length of {n_bytes} bytes")
    header = io.BytesIO(length + stream.read(n_bytes))
    parse = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        shape, fortran_order, dtype = parse(header)
    except (MemoryError, RecursionError) as error:  # raised by the parser for deeply nested brackets
        raise ValueError(f"the array's header cannot be parsed ({error})") from error
    if bool in map(type, shape):  # NumPy accepts Booleans in a shape, but reshape does not
        raise ValueError(f"the array's header declares the shape {shape}")
    return shape, fortran_order, dtype
