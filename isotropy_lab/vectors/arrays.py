"""Read a file of vectors as one (N, n) array, whatever its format."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab.vectors._extras import require
from isotropy_lab.vectors.formats import detect, existing_file, open_binary, raise_pickle
from isotropy_lab.vectors.word_files import read_glove, read_word2vec_binary, read_word2vec_text

# A small archive can claim to unpack to any size.
_LARGEST_MEMBER = 1 << 36


def read(path: str | os.PathLike[str], *, key: str | None = None) -> npt.NDArray[Any]:
    """Read the vectors of a file as an (N, n) array: one row per point.

    Parameters
    ----------
    path : str or path
        A ``.npy`` (memory-mapped, so that it may be larger than memory), ``.npz``, ``.csv`` or ``.tsv`` (with or
        without a line of column names), ``.parquet``, ``.safetensors``, word2vec text or binary, GloVe or fastText
        ``.vec`` file. The format is told from the content; text may be gzipped.
    key : str, optional
        Which array of an ``.npz`` or ``.safetensors`` file; needed only if it holds more than one with two axes.

    Returns
    -------
    numpy.ndarray or numpy.memmap
        Shape (N, n), real numbers, in the dtype of the file (text: float64 for tables, float32 for word vectors).
        A ``.npy`` is not searched for NaN, since that would read it all; the scores do that.

    Raises
    ------
    ValueError
        For an empty, damaged or truncated file, a pickle (never unpickled), an array that is not two-dimensional or
        not numeric, a table with text or gaps, a `key` that is missing or does not exist. The message names the file
        and the place.
    FileNotFoundError, IsADirectoryError
        For a path without a file.
    ImportError
        If the format needs a package that is not installed (pyarrow for Parquet, safetensors).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", np.zeros((4, 3)))
    ...     read(f"{folder}/points.npy").shape
    (4, 3)
    """
    file = existing_file(Path(path))
    kind = detect(file)
    if key is not None and kind not in ("npz", "safetensors"):
        raise ValueError(f"key is {key!r}, but {file} ({kind}) holds one table only; leave key out")
    if kind == "npy":
        return _read_npy(file)
    if kind == "npz":
        return _checked(file, _read_npz(file, key))
    if kind == "safetensors":
        return _checked(file, _read_safetensors(file, key))
    if kind == "parquet":
        return _numbers(file, _read_parquet(file), first_line=None)
    if kind in ("csv", "tsv", "numbers"):
        return _read_table(file, {"csv": ",", "tsv": "\t", "numbers": r"\s+"}[kind])
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
    """Read the named arrays of an .npz one by one, without pickles."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        present = [name.removesuffix(".npy") for name in archive.namelist()]
        for name in names:
            if name not in present:
                raise ValueError(f"{path} holds no array {name!r}; it holds {', '.join(present)}")
            if archive.getinfo(f"{name}.npy").file_size > _LARGEST_MEMBER:
                raise ValueError(
                    f"{path}: {name!r} would unpack to more than {_LARGEST_MEMBER >> 30} GiB; refused"
                )
            try:
                with archive.open(f"{name}.npy") as member:
                    arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
            except (ValueError, EOFError, zipfile.BadZipFile) as error:
                _explain(path, error)
    return arrays


def _read_npy(path: Path) -> npt.NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        _explain(path, error)
        raise
    return _checked(path, array)


def _explain(path: Path, error: Exception) -> None:
    if "allow_pickle" in str(error) or "Object arrays" in str(error) or "Python objects" in str(error):
        raise_pickle(path)
    raise ValueError(f"{path} is damaged or truncated: {error}") from error


def _read_npz(path: Path, key: str | None) -> npt.NDArray[Any]:
    shapes: dict[str, tuple[int, ...]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            try:
                with archive.open(name) as member:
                    version = np.lib.format.read_magic(member)
                    header = (
                        np.lib.format.read_array_header_1_0
                        if version == (1, 0)
                        else np.lib.format.read_array_header_2_0
                    )
                    shapes[name.removesuffix(".npy")] = header(member)[0]
            except (ValueError, EOFError, zipfile.BadZipFile) as error:
                _explain(path, error)
    name = _choose(path, shapes, key)
    return npz_arrays(path, (name,))[name]


def _read_safetensors(path: Path, key: str | None) -> npt.NDArray[Any]:
    safetensors = require("safetensors", "reading .safetensors")
    try:
        with safetensors.safe_open(str(path), framework="numpy") as stored:
            shapes = {name: tuple(stored.get_slice(name).get_shape()) for name in stored.keys()}  # noqa: SIM118
            name = _choose(path, shapes, key)
            try:
                tensor: npt.NDArray[Any] = stored.get_tensor(name)
            except TypeError as error:
                kind = stored.get_slice(name).get_dtype()
                raise ValueError(
                    f"{path}: {name!r} has dtype {kind}, which numpy does not know; wanted F16, F32 or F64"
                ) from error
            return tensor
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is damaged or truncated: {error}") from error


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


def _read_table(path: Path, separator: str) -> npt.NDArray[np.float64]:
    try:
        # Everything as text first: what is no number shall be reported where it stands.
        with open_binary(path) as stream:
            table = pd.read_csv(
                stream, sep=separator, header=None, dtype=str, keep_default_na=False, encoding="utf-8"
            )
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 ({error.reason}); wanted UTF-8 text") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, EOFError, OSError) as error:
        raise ValueError(f"{path} is no regular table: {str(error).strip()}") from error
    first_line = 1
    if (
        pd.to_numeric(table.iloc[0], errors="coerce").isna().any()
        and not (table.iloc[0].str.strip() == "").any()
    ):
        table, first_line = table.iloc[1:].set_axis(table.iloc[0].tolist(), axis=1), 2
    return _numbers(path, table, first_line=first_line)


def _numbers(path: Path, table: pd.DataFrame, *, first_line: int | None) -> npt.NDArray[np.float64]:
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise ValueError(f"{path} holds a table of shape {table.shape}: there is nothing in it")
    columns = []
    for i, name in enumerate(table.columns):
        column = table.iloc[:, i]
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            place = f"row {wrong[0]}" if first_line is None else f"line {wrong[0] + first_line}"
            raise ValueError(
                f"{path}, {place}, column {name!r}: {column.iloc[wrong[0]]!r} is no finite number ({len(wrong)} such in "
                "this column); wanted numbers only: drop columns of text first"
            )
        columns.append(numbers)
    return np.stack(columns, axis=1)
