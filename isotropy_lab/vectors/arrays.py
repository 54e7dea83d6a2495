"""Read a file of vectors as one (N, n) array, whatever its format."""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab import _validation
from isotropy_lab.vectors._extras import require
from isotropy_lab.vectors.formats import detect, existing_file, raise_pickle
from isotropy_lab.vectors.tables import frame_numbers, read_table
from isotropy_lab.vectors.word_files import read_glove, read_word2vec_binary, read_word2vec_text

# A small archive can claim to unpack to any size.
_LARGEST_MEMBER = 1 << 36
_PIECE = 1 << 20


def read(
    path: str | os.PathLike[str], *, key: str | None = None, header: bool | None = None
) -> npt.NDArray[Any]:
    """Read the vectors of a file as an (N, n) array: one row per point.

    Parameters
    ----------
    path : str or path
        A ``.npy`` (memory-mapped, so that it may be larger than memory), ``.npz``, ``.csv`` or ``.tsv`` (with or
        without a line of column names), ``.parquet``, ``.safetensors``, word2vec text or binary, GloVe or fastText
        ``.vec`` file, or text with numbers parted by spaces. The format is told from the content; text and word2vec
        binary may be gzipped.
    key : str, optional
        Which array of an ``.npz`` or ``.safetensors`` file; needed only if it holds more than one with two axes.
    header : bool, optional
        Whether the first line of a table in text holds names of columns. By default it does if the numbers are parted
        by commas or tabs and no cell of it is a number, spells a missing one (``nan``, ``NA``, …) or begins with a
        digit. A line of which only a part are numbers is refused, so that a point with a typo is not taken for names,
        and so is the line 0, 1, …, n - 1, which pandas writes over columns without names; either is read as `header`
        says. Lines above it that begin with ``#``, as `numpy.savetxt` writes them, are left out.

    Returns
    -------
    numpy.ndarray or numpy.memmap
        Shape (N, n), real numbers, in the dtype of the file (text: float64 for tables, float32 for word vectors).
        A ``.npy`` is not searched for NaN, since that would read it all; the scores do that.

    Raises
    ------
    ValueError
        For an empty, damaged or truncated file, a pickle (never unpickled), an array that is not two-dimensional or
        not numeric, a table with text or gaps or whose first line may be names or a point, a gzipped file of a format
        that must be unpacked first, a `key` that is missing or does not exist, a `key` or `header` for a format that
        has none, an empty path. The message names the file and the place.
    TypeError
        For a `path` that is no path, a `key` that is no text, a `header` that is neither a bool nor None.
    FileNotFoundError, IsADirectoryError
        For a path without a file.
    ImportError
        If the format needs a package that is not installed (pyarrow for Parquet, safetensors).

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
        raise TypeError(f"key is {_validation.describe(key)}; wanted the name of an array or None")
    if header is not None and not isinstance(header, bool):
        raise TypeError(f"header is {_validation.describe(header)}; wanted True, False or None")
    file = existing_file(path)
    kind = detect(file)
    if header is not None and kind == "glove":
        kind = "numbers"  # a few lines of numbers under names look like words with their rows
    if header is not None and kind not in ("csv", "tsv", "numbers"):
        raise ValueError(f"header is {header}, but {file} ({kind}) is no table in text; leave header out")
    if key is not None and kind not in ("npz", "safetensors"):
        raise ValueError(f"key is {key!r}, but {file} ({kind}) holds one table only; leave key out")
    if kind == "npy":
        return _read_npy(file)
    if kind == "npz":
        return _checked(file, _read_npz(file, key))
    if kind == "safetensors":
        return _checked(file, _read_safetensors(file, key))
    if kind == "parquet":
        return frame_numbers(file, _read_parquet(file))
    if kind in ("csv", "tsv", "numbers"):
        return read_table(file, {"csv": ",", "tsv": "\t", "numbers": None}[kind], header=header)
    if kind == "word2vec-text":
        return read_word2vec_text(file)[1]
    if kind == "word2vec-binary":
        return read_word2vec_binary(file)[1]
    if kind == "glove":
        return read_glove(file)[1]
    raise ValueError(
        f"{file} is a fastText .bin; read it with isotropy_lab.vectors.load_word_vectors(path).vectors"
    )


def npz_arrays(path: Path, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Read the named arrays of an .npz one by one, without pickles and without trusting the sizes it claims."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        present = [name.removesuffix(".npy") for name in archive.namelist()]
        for name in names:
            if name not in present:
                raise ValueError(f"{path} holds no array {name!r}; it holds {', '.join(present)}")
            arrays[name] = _npz_array(path, archive, name)
    return arrays


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn what numpy, zipfile or safetensors say of a damaged file, whatever its type, into one error naming it."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if "allow_pickle" in text or "Object arrays" in text or "Python objects" in text:
            raise_pickle(path)
        raise ValueError(f"{path} is damaged or truncated: {text.strip() or type(error).__name__}") from error


def _npz_array(path: Path, archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    with _naming(path), archive.open(f"{name}.npy") as member:
        shape, in_columns, dtype = _npy_header(member)
        wanted = math.prod(shape) * dtype.itemsize
        claimed = archive.getinfo(f"{name}.npy").file_size - member.tell()
    if dtype.hasobject:
        raise_pickle(path)
    if claimed > _LARGEST_MEMBER:
        raise ValueError(f"{path}: {name!r} would unpack to more than {_LARGEST_MEMBER >> 30} GiB; refused")
    if min(shape, default=1) < 0 or dtype.itemsize == 0 or wanted != claimed:
        raise ValueError(
            f"{path} is damaged or truncated: {name!r} says it is an array of shape {shape} and dtype {dtype}, and "
            f"{claimed} bytes are there for it"
        )
    with _naming(path), archive.open(f"{name}.npy") as member:
        _npy_header(member)
        # The memory grows with what comes out, since the size in the archive's directory may be a lie, too.
        content = bytearray()
        while piece := member.read(_PIECE):
            content += piece
        array = np.frombuffer(content, dtype=dtype)
        return array.reshape(shape[::-1]).T if in_columns else array.reshape(shape)


def _npy_header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(member)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, in_columns, dtype = header(member)
    return shape, in_columns, dtype


def _read_npy(path: Path) -> npt.NDArray[Any]:
    with _naming(path):
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return _checked(path, array)


def _read_npz(path: Path, key: str | None) -> npt.NDArray[Any]:
    shapes: dict[str, tuple[int, ...]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with _naming(path), archive.open(name) as member:
                shapes[name.removesuffix(".npy")] = _npy_header(member)[0]
    name = _choose(path, shapes, key)
    return npz_arrays(path, (name,))[name]


def _read_safetensors(path: Path, key: str | None) -> npt.NDArray[Any]:
    safetensors = require("safetensors", "reading .safetensors")
    with _naming(path):
        stored = safetensors.safe_open(str(path), framework="numpy")
    with stored:
        with _naming(path):
            slices = {name: stored.get_slice(name) for name in stored.keys()}  # noqa: SIM118
            shapes = {name: tuple(part.get_shape()) for name, part in slices.items()}
        name = _choose(path, shapes, key)
        try:
            tensor: npt.NDArray[Any] = stored.get_tensor(name)
        except Exception as error:  # TypeError or AttributeError, by the dtype that numpy lacks
            raise ValueError(
                f"{path}: {name!r} has dtype {slices[name].get_dtype()}, which numpy does not know; wanted F16, F32 or "
                "F64"
            ) from error
        return tensor


def _choose(path: Path, shapes: dict[str, tuple[int, ...]], key: str | None) -> str:
    listing = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
    if key is not None:
        if key not in shapes:
            raise ValueError(f"key is {key!r}; {path} holds {listing}")
        return key
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    if len(matrices) != 1:
        count = "no array" if not matrices else f"{len(matrices)} arrays"
        raise ValueError(
            f"{path} holds {count} with two axes; wanted one, or key=… to choose among: {listing}"
        )
    return matrices[0]


def _checked(path: Path, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path} holds an array of dtype {array.dtype}; wanted real numbers")
    if array.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {array.shape}; wanted two axes: (points, dimensions)"
        )
    if 0 in array.shape:
        raise ValueError(f"{path} holds an array of shape {array.shape}: there is nothing in it")
    return array


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)
    except ImportError as error:
        raise ImportError(
            f"reading {path} needs the package pyarrow: `python -m pip install pyarrow`"
        ) from error
    except Exception as error:  # pyarrow has errors of its own, some of them no ValueError
        raise ValueError(f"{path} is damaged or truncated: {error}") from error
