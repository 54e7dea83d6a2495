"""`read`: a file of vectors as one (N, n) array, whatever its format."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.vectors._extras import require
from isotropy_lab.vectors._refusals import naming, raise_pickle, short
from isotropy_lab.vectors.archives import npy_header, npz_array, npz_shapes
from isotropy_lab.vectors.draws import Draw, take_rows
from isotropy_lab.vectors.formats import detect, existing_file
from isotropy_lab.vectors.limits import Allowance
from isotropy_lab.vectors.tables import frame_numbers, read_table
from isotropy_lab.vectors.word_files import READERS

_LONGEST_TENSOR_HEADER = 4 << 20
_ROWS = 1 << 14
#: A browser has no files to map into memory.
MAPPED: Literal["r"] | None = None if sys.platform == "emscripten" else "r"
_TENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1"}
_TENSORS |= {"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}
_SEPARATORS = {"csv": ",", "tsv": "\t", "numbers": None}


def read(
    path: str | os.PathLike[str],
    *,
    key: str | None = None,
    header: bool | None = None,
    draw: Draw | None = None,
) -> npt.NDArray[Any]:
    """Read the vectors of a file as an (N, n) array: one row per point.

    Parameters
    ----------
    path : str or path
        ``.npy`` (memory-mapped), ``.npz``, ``.csv``, ``.tsv``, ``.parquet``, ``.safetensors``, word2vec text or
        binary, GloVe, fastText ``.vec``, or numbers separated by spaces, recognized by content; text and word2vec
        binary may be gzipped.
    key : str, optional
        Which array of an ``.npz`` or ``.safetensors`` file; needed only if it holds more than one with two axes.
    header : bool, optional
        Whether the first line of a table in text, after comments with ``#``, holds names of columns. By default it
        does if commas or tabs separate its cells and none is, or begins like, a number or spells a missing one. A line
        that may be either (a point with a typo, or the 0, 1, …, n - 1 of pandas) is refused until `header` says which.
    draw : isotropy_lab.vectors.draws.Draw, optional
        Return rows drawn at random, in memory that grows with them alone. In text and word2vec binary the numbers of
        other rows are not checked.

    Returns
    -------
    numpy.ndarray or numpy.memmap
        Shape (N, n), in the dtype of the file (text: float64 for tables, float32 for word vectors). A ``.npy`` is not
        searched for NaN, since that would read it all; the scores do that.

    Raises
    ------
    ValueError
        The file is empty, damaged, truncated or a pickle (never unpickled), its array has not two axes or is not
        numeric, its table has text or gaps, or `key` or `header` does not fit. Also for compressed content of more than
        twice the file's size plus 80 MB (or three times its size), or more than 32 times plus 64 MiB when unpacked,
        and for lines of more than 4 MiB or 500,000 numbers. The message names the file and the place.
    TypeError, FileNotFoundError, IsADirectoryError
        `path`, `key` or `header` has another type, or `path` is no file.
    ImportError
        The format needs a package that is not installed (pyarrow for Parquet).

    Warns
    -----
    UserWarning
        If text does not end with a line break: nothing else tells that a file was cut inside its last number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", np.zeros((4, 3)))
    ...     read(f"{folder}/points.npy").shape
    (4, 3)
    """
    if key is not None and not isinstance(key, str):
        raise TypeError(f"key is {_checks.describe(key)}; expected the name of an array or None")
    if header is not None and not isinstance(header, bool):
        raise TypeError(f"header is {_checks.describe(header)}; expected True, False or None")
    file = existing_file(path)
    kind = detect(file)
    if header is not None and kind == "glove":
        kind = "numbers"  # a few lines of numbers under names look like words with their rows
    if header is not None and kind not in _SEPARATORS:
        raise ValueError(f"header is {header}, but {file} ({kind}) is not a table in text; leave header out")
    if key is not None and kind not in ("npz", "safetensors"):
        raise ValueError(f"key is {short(key)!r}, but {file} ({kind}) holds one table only; leave key out")
    if kind == "npy":
        return _read_npy(file, draw)
    if kind == "npz":
        return _read_npz(file, key, draw)
    if kind == "safetensors":
        return _checked(file, _read_safetensors(file, key, draw))
    if kind == "parquet":
        array = _read_parquet(file)
        return array if draw is None else array[draw.places(*array.shape)]
    if kind in _SEPARATORS:
        return read_table(file, _SEPARATORS[kind], header=header, draw=draw)
    if kind in READERS:
        return READERS[kind](file, draw=draw)[1]
    raise ValueError(
        f"{file} is a fastText .bin; read it with isotropy_lab.vectors.load_word_vectors(path).vectors"
    )


def _read_npy(path: Path, draw: Draw | None) -> npt.NDArray[Any]:
    with naming(path), path.open("rb") as stream:
        shape, in_columns, dtype = npy_header(stream)  # which refuses one that asks for gigabytes
        if dtype.hasobject:
            raise_pickle(path)
        promised, found = math.prod(shape) * dtype.itemsize, path.stat().st_size - stream.tell()
        if promised > found:
            raise ValueError(f"its header promises {promised:,} bytes of numbers, and {found:,} are there")
        if draw is not None and len(shape) == 2 and promised and dtype.kind in "biuf":
            places = draw.places(*shape)
            if places.size < shape[0]:
                return take_rows(stream, shape, dtype, places, in_columns=in_columns)
    with naming(path):
        array: npt.NDArray[Any] = np.load(path, mmap_mode=MAPPED, allow_pickle=False)
    return _checked(path, array)


def _read_npz(path: Path, key: str | None, draw: Draw | None) -> npt.NDArray[Any]:
    shapes = npz_shapes(path)
    name = _choose(path, shapes, key)
    places = None
    if draw is not None and len(shapes[name]) == 2 and 0 not in shapes[name]:
        places = draw.places(*shapes[name])
    return _checked(path, npz_array(path, name, places=places))


def _read_safetensors(path: Path, key: str | None, draw: Draw | None) -> npt.NDArray[Any]:
    """Read a tensor by ourselves: a header in JSON, and numbers. Errors are the same where its package is missing."""
    tensors, start = _tensors(path)
    name = _choose(path, {name: tensor.shape for name, tensor in tensors.items()}, key)
    tensor = tensors[name]
    if tensor.kind not in _TENSORS:
        raise ValueError(
            f"{path}: {short(name)!r} has dtype {short(tensor.kind)}, which numpy does not know; expected F16, F32 or F64"
        )
    dtype, shape = np.dtype(_TENSORS[tensor.kind]), tensor.shape
    with naming(path):
        first, last = tensor.place
        if min((*shape, first)) < 0 or last - first != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"{short(name)!r} has not the bytes that its shape {shape} takes")
    with path.open("rb") as stream:
        stream.seek(start + first)
        if draw is not None and len(shape) == 2 and 0 not in shape:
            places = draw.places(*shape)
            if places.size < shape[0]:
                return take_rows(stream, shape, dtype, places)
        array = np.empty(shape, dtype)
        stream.readinto(array.reshape(-1).view(np.uint8).data)
        return array


class _Tensor(NamedTuple):
    shape: tuple[int, ...]
    kind: str
    place: tuple[int, int]


def _tensors(path: Path) -> tuple[dict[str, _Tensor], int]:
    """Return what a ``.safetensors`` holds, by name, and where its numbers begin."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > _LONGEST_TENSOR_HEADER:  # each of its names takes ten times as much when it has been read
            raise ValueError(
                f"{path} is damaged or truncated: its header would take {length / 1e6:.0f} MB; expected a .safetensors "
                "with a few thousand tensors at most"
            )
        with naming(path):
            text = stream.read(length)
            if len(text) < length:
                raise ValueError("it ends inside its header")
            header = json.loads(text.decode("utf-8"))
            header.pop("__metadata__", None)
            found = {name: _tensor(name, entry) for name, entry in header.items()}
            promised = 8 + length + max((tensor.place[1] for tensor in found.values()), default=0)
            if promised != size:
                raise ValueError(f"{size:,} bytes; its header promises {promised:,}")
    return found, 8 + length


def _tensor(name: str, entry: Any) -> _Tensor:
    """Return what a header says of a tensor; ValueError unless it says all of it."""
    kind, shape, place = (
        (entry.get(field) for field in ("dtype", "shape", "data_offsets"))
        if isinstance(entry, dict)
        else (None,) * 3
    )
    if isinstance(kind, str) and isinstance(shape, list) and isinstance(place, list) and len(place) == 2:
        numbers = [number for number in (*shape, *place) if type(number) is int]
        if len(numbers) == len(shape) + 2:
            return _Tensor(tuple(shape), kind, (place[0], place[1]))
    raise ValueError(f"its header gives no dtype, shape and data_offsets of {short(name)!r}")


def matrices(path: Path) -> list[str]:
    """Return the names of the arrays with two axes of an .npz or .safetensors; of any other file none."""
    kind = detect(path)
    if kind == "npz":
        shapes = npz_shapes(path)
    elif kind == "safetensors":
        shapes = {name: tensor.shape for name, tensor in _tensors(path)[0].items()}
    else:
        return []
    return [name for name, shape in shapes.items() if len(shape) == 2]


def _choose(path: Path, shapes: dict[str, tuple[int, ...]], key: str | None) -> str:
    shown = [f"{short(name, 80)} {shape}" for name, shape in itertools.islice(shapes.items(), 20)]
    listing = ", ".join([*shown, f"and {len(shapes) - 20} more"] if len(shapes) > 20 else shown)
    if key is not None:
        if key not in shapes:
            raise ValueError(f"key is {short(key)!r}; {path} holds {listing}")
        return key
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    if len(matrices) != 1:
        count = "no array" if not matrices else f"{len(matrices)} arrays"
        raise ValueError(
            f"{path} holds {count} with two axes; expected one, or key=… to choose among: {listing}"
        )
    return matrices[0]


def _checked(path: Path, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path} holds an array of dtype {short(str(array.dtype))}; expected real numbers")
    if array.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {array.shape}; expected two axes: (points, dimensions)"
        )
    if 0 in array.shape:
        raise ValueError(f"{path} holds an array of shape {array.shape}: there is nothing in it")
    return array


def _read_parquet(path: Path) -> npt.NDArray[np.float64]:
    """Read a table some rows at a time, so that it is there once, and not as a table and as an array."""
    parquet = require("pyarrow.parquet", f"reading {path}", install="pyarrow")
    with naming(path):
        file = parquet.ParquetFile(path)
        n_rows, n_leaves = file.metadata.num_rows, file.metadata.num_columns
    Allowance(path, compressed=True, advice="write it to a .npy").check(8 * n_rows * n_leaves)
    array: npt.NDArray[np.float64] | None = None
    start = 0
    with file:
        batches = file.iter_batches(batch_size=max(_ROWS, min(n_rows, (1 << 21) // max(n_leaves, 1))))
        while True:
            with naming(path):
                batch = next(batches, None)
                frame = None if batch is None else batch.to_pandas()
            if frame is None:
                break
            if array is None:
                array = np.empty((n_rows, frame.shape[1]))
            array[start : start + len(frame)] = frame_numbers(path, frame, first_row=start)
            start += len(frame)
    if array is None or start != n_rows:
        raise ValueError(
            f"{path} holds {start} rows; its footer promises {n_rows}"
            if n_rows
            else f"{path} holds a table without rows: there is nothing in it"
        )
    return array
