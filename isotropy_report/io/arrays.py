"""`read`, which returns a file of vectors in any format as one (N, n) array."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_report._options import option, setting, short
from isotropy_report.io._refusals import name_file_in_errors
from isotropy_report.io.archives import npy_header, npz_array, npz_shapes, read_array
from isotropy_report.io.arrow import is_arrow, read_arrow, read_arrow_file
from isotropy_report.io.columns import as_selection
from isotropy_report.io.draws import Draw, take_rows
from isotropy_report.io.formats import FORMATS, TEXT_FORMATS, detect, existing_file, is_gzipped, open_binary
from isotropy_report.io.growing import NamedVectors
from isotropy_report.io.limits import raise_limits
from isotropy_report.io.lists import read_json_lines
from isotropy_report.io.shards import is_address, read_address, read_shards, shards
from isotropy_report.io.tables import read_table
from isotropy_report.io.word_files import READERS, read_words

_MAX_TENSOR_HEADER_BYTES = 4 << 20
#: A browser has no files to memory-map.
MMAP_MODE: Literal["r"] | None = None if sys.platform == "emscripten" else "r"
OPTIONS = ("key", "header", "column", "columns", "drop", "format", "max_bytes")
"""Options of `read`."""

_TENSOR_DTYPES = {f"{kind}{8 * size}": f"<{kind.lower()}{size}" for kind in "IU" for size in (1, 2, 4, 8)}
_TENSOR_DTYPES |= {"BF16": "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8", "BOOL": "?"}
_SEPARATORS = {"csv": ",", "tsv": "\t", "numbers": None}


def read(
    path: str | os.PathLike[str],
    *,
    key: str | None = None,
    header: bool | None = None,
    column: str | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    format: str | None = None,
    max_bytes: int | None = None,
) -> npt.NDArray[Any]:
    """Read the vectors of a file as an (N, n) array: one row per point.

    Parameters
    ----------
    path : str, path, or table of Arrow
        A file, recognized by its content: ``.npy`` (memory-mapped, or gzipped), ``.npz``, ``.csv``,
        ``.tsv``, ``.parquet``, Feather and Arrow, ``.safetensors``, JSON Lines (or a list of records in one
        line, alone or at the key "data" or "embeddings"), word2vec text or binary, GloVe, fastText ``.vec``,
        or numbers separated by spaces; text and word2vec binary may be gzipped. Or several files, which are
        concatenated: a folder, or a pattern such as ``data/*.parquet``, with numbers in file names in
        numerical order, or an address that fsspec opens. Or an object with an Arrow stream: a table of
        pyarrow, polars, pandas, or DuckDB, a Lance data set, a batch reader, or an ADBC cursor. Content
        longer than 256 MB goes into a temporary file, which is memory-mapped.
    key : str, optional
        The array to read from an ``.npz`` or ``.safetensors`` file; required only if the file contains more
        than one array with two axes.
    header : bool, optional
        Whether the first line of a text table, after comments with ``#``, contains column names. By default,
        it does if its cells are separated by commas or tabs, and no cell is a number, begins like a number,
        or stands for a missing number. A line that may be either (a point with a typo, or the 0, 1, …, n - 1
        of pandas) is rejected unless `header` is given.
    column : str, optional
        The column of a Parquet file, or the key in JSON Lines, that contains each point as a list of
        numbers; required only if several do. In a text table, a column whose cells are such lists, as pandas
        writes them.
    columns, drop : str or sequence of str, optional
        Columns of numbers to keep or to leave out, in a text table or Parquet: names, patterns such as
        ``"e*"``, or positions from 1 if columns have no names. The columns keep the order of the file.
    format : str, optional
        One of csv, tsv, numbers (separated by spaces), jsonl, word2vec-text, or glove, if the content is
        ambiguous; or npy, npz, parquet, arrow, safetensors, or word2vec-binary, to require that format.
    max_bytes : int, optional
        Number of bytes that a trusted file may take; raises the limits on compressed files and on lines.

    Returns
    -------
    numpy.ndarray or numpy.memmap
        Shape (N, n), in the dtype of the file (text and columns of numbers: float64; word vectors: float32;
        lists of integers: float64; bfloat16: float32, exactly). An ``.npy`` file is not checked for NaN,
        which would read the entire file; the scores check it.

    Raises
    ------
    ValueError
        If the file is empty, damaged, truncated, or a pickle (never unpickled); if its array does not have
        two axes or is not numeric; if its table contains text, dates, Booleans, or gaps; if its lists differ
        in length; or if an option does not apply. Also for compressed content of more than twice the file's
        size plus 80 MB (or three times its size), or more than 32 times plus 64 MiB when unpacked, and for
        lines of more than 4 MiB, unless `max_bytes` allows it. Messages name the position.
    TypeError
        If `path` or an option has the wrong type.
    FileNotFoundError, IsADirectoryError, OSError
        If `path` does not exist, is a folder without files of vectors, or is a pipe or a device.
    ImportError
        If the format requires a package that is not installed (pyarrow for Parquet).

    Warns
    -----
    UserWarning
        If text does not end with a newline, the only sign that a file may be cut off inside its last number;
        if a column has a name such as id or index, or contains integers that increase from row to row; or if
        a Parquet file has one column of lists, which is read, and other columns, which are ignored.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", np.zeros((4, 3)))
    ...     read(f"{folder}/points.npy").shape
    (4, 3)
    """
    values = (key, header, column, columns, drop, format, max_bytes)
    options: dict[str, Any] = dict(zip(OPTIONS, values, strict=True))
    return read_named(path, **options).vectors


def read_named(
    path: str | os.PathLike[str], *, draw: Draw | None = None, with_names: bool = False, **options: Any
) -> NamedVectors:
    """Read vectors as `read` does, optionally with row names, or only a random sample of rows.

    `options` are those of `read`. For ``.npy`` and ``.safetensors`` files, memory holds only the sample; for
    other files, all rows at first.
    """
    options = dict.fromkeys(OPTIONS) | options
    if unknown := options.keys() - {*OPTIONS}:
        raise TypeError(f"options contain {', '.join(sorted(unknown))}; expected {', '.join(OPTIONS)}")
    _, header, column, columns, drop, format, max_bytes = options.values()
    for name in ("key", "column", "format", "header"):
        expected_type = bool if name == "header" else str
        if options[name] is not None and not isinstance(options[name], expected_type):
            description = checks.describe(options[name])
            raise TypeError(f"{name} is {description}; expected a {expected_type.__name__} or None")
    if format is not None:
        checks.check_option(format, "format", FORMATS)
    limits = raise_limits(max_bytes)
    selection = as_selection(columns, drop)
    if is_arrow(path):
        for name in ("key", "header", "format"):
            if options[name] is not None:
                raise ValueError(f"{name} is given, but path is {checks.describe(path)}; leave {name} out")
        named = read_arrow(path, column=column, selection=selection, with_names=with_names)
        return take_sample(named, draw)
    files = shards(path)
    if files or is_address(path):
        read_one = functools.partial(read_named, with_names=with_names, **options)
        text = os.fspath(path)
        if files:
            return take_sample(read_shards(text, [(Path(file), file) for file in files], read_one), draw)
        return take_sample(read_address(text, read_one), draw)
    file = existing_file(path)
    is_table = header is not None or column is not None or bool(selection)
    with limits:
        file_format = _resolve_format(file, format, table=is_table)
        check_options_apply(file, file_format, options)
        if file_format in ("parquet", "arrow"):
            named = read_arrow_file(file, column=column, selection=selection, with_names=with_names)
        elif file_format == "jsonl":
            named = read_json_lines(file, column=column, with_names=with_names)
        elif file_format in _SEPARATORS:
            separator = _SEPARATORS[file_format]
            vectors = read_table(file, separator, header=header, column=column, selection=selection)
            named = NamedVectors(vectors, None)
        elif file_format in READERS:
            named = read_words(file, file_format)
        elif file_format == "npz":
            name = _choose_array(file, npz_shapes(file), options["key"])
            named = NamedVectors(_check_matrix(file, npz_array(file, name)), None)
        elif file_format == "npy" and is_gzipped(file):
            named = NamedVectors(_check_matrix(file, read_array(file, lambda: open_binary(file))), None)
        elif file_format == "npy":
            return NamedVectors(_read_npy(file, draw), None)
        else:
            return NamedVectors(_check_matrix(file, _read_safetensors(file, options["key"], draw)), None)
    return take_sample(named if with_names else named._replace(names=None), draw)


def take_sample(named: NamedVectors, draw: Draw | None) -> NamedVectors:
    """Return the sampled rows, or all rows if no sample is requested."""
    if draw is None:
        return named
    positions = draw.positions(*named.vectors.shape)
    names = None if named.names is None else [named.names[i] for i in positions]
    return NamedVectors(named.vectors[positions], names)


def _resolve_format(path: Path, format: str | None, *, table: bool) -> str:
    """Return the format of a file: the requested format, if the content is compatible with it."""
    detected = detect(path)
    if format in TEXT_FORMATS and detected in TEXT_FORMATS:
        with open_binary(path) as stream:
            if b"\x00" not in stream.read(1 << 12):
                return format
    if format is not None and format != detected:
        raise ValueError(
            f"{option('format')} is {format!r}, but {path} is {detected} by its content; omit format"
        )
    if table and detected == "glove":
        return "numbers"  # a few lines of numbers below column names look like GloVe text
    return detected


def check_options_apply(path: Path, file_format: str, options: dict[str, Any]) -> None:
    """Raise ValueError for an option that does not apply to a file of this format."""
    tables = ("parquet", "arrow", *_SEPARATORS)
    applicable = {
        "key": (("npz", "safetensors"), "contains only one table"),
        "header": (tuple(_SEPARATORS), "is not a text table"),
        "column": (("parquet", "arrow", "jsonl", "csv", "tsv"), "has no columns of lists"),
        "columns": (tables, "is not a table with columns"),
        "drop": (tables, "is not a table with columns"),
    }
    values = {name: options[name] for name in applicable if options[name] is not None}
    subjects = {name: f"{option(name)} is {short(repr(value))}" for name, value in values.items()}
    if "header" in values:
        subjects["header"] = f"{setting('header', values['header'])} is given"
    for name in values:
        formats, reason = applicable[name]
        if file_format not in formats:
            raise ValueError(f"{subjects[name]}, but {path} ({file_format}) {reason}; leave {name} out")
    for name in ("columns", "drop", "header"):
        if "column" in values and name in values and values[name] is not True:
            raise ValueError(f"{subjects['column']} and {subjects[name]}; expected only one of them")


def _read_npy(path: Path, draw: Draw | None) -> npt.NDArray[Any]:
    with name_file_in_errors(path), path.open("rb") as stream:
        shape, fortran_order, dtype = npy_header(stream)  # rejects headers with implausible sizes
        if dtype.hasobject:
            raise ValueError("the array contains Python objects")
        declared, available = math.prod(shape) * dtype.itemsize, path.stat().st_size - stream.tell()
        if declared > available:
            raise ValueError(
                f"the header declares {declared:,} bytes of numbers, but the file contains {available:,}"
            )
        if draw is not None and len(shape) == 2 and declared and dtype.kind in "biuf":
            positions = draw.positions(*shape)
            if positions.size < shape[0]:
                return take_rows(stream, shape, dtype, positions, fortran_order=fortran_order)
    with name_file_in_errors(path):
        array: npt.NDArray[Any] = np.load(path, mmap_mode=MMAP_MODE, allow_pickle=False)
    return _check_matrix(path, array)


def _read_safetensors(path: Path, key: str | None, draw: Draw | None) -> npt.NDArray[Any]:
    """Read a tensor from its JSON header and numbers, without the safetensors package."""
    infos, start = _read_tensor_infos(path)
    name = _choose_array(path, {name: info.shape for name, info in infos.items()}, key)
    info = infos[name]
    if info.dtype not in _TENSOR_DTYPES:
        raise ValueError(
            f"{path}: {short(name)!r} has the dtype {short(info.dtype)}, which NumPy does not support; "
            f"expected one of {', '.join(_TENSOR_DTYPES)}"
        )
    dtype, shape = np.dtype(_TENSOR_DTYPES[info.dtype]), info.shape
    begin, end = info.data_offsets
    with name_file_in_errors(path):
        if min((*shape, begin)) < 0 or end - begin != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"{short(name)!r} has {end - begin} bytes, too few or too many for {shape}")
    with path.open("rb") as stream:
        stream.seek(start + begin)
        rows = draw.positions(*shape) if draw is not None and len(shape) == 2 and 0 not in shape else None
        if rows is not None and rows.size < shape[0]:
            array = take_rows(stream, shape, dtype, rows)
        else:
            array = np.empty(shape, dtype)
            stream.readinto(array.reshape(-1).view(np.uint8).data)
    return _bfloat16_to_float32(array) if info.dtype == "BF16" else array


def _bfloat16_to_float32(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return bfloat16 numbers, which are the upper 16 bits of float32, as float32."""
    bits = values.astype(np.uint32)
    bits <<= np.uint32(16)
    return bits.view(np.float32)


class _TensorInfo(NamedTuple):
    shape: tuple[int, ...]
    dtype: str
    data_offsets: tuple[int, int]


def _read_tensor_infos(path: Path) -> tuple[dict[str, _TensorInfo], int]:
    """Return the tensors of a ``.safetensors`` file by name, and the position of the first number."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > _MAX_TENSOR_HEADER_BYTES:  # parsed names need ten times as much memory
            raise ValueError(
                f"{path} is damaged or truncated: its header declares a length of {length / 1e6:.0f} MB; "
                "expected a .safetensors file with at most a few thousand tensors"
            )
        with name_file_in_errors(path):
            text = stream.read(length)
            if len(text) < length:
                raise ValueError("the file ends inside its header")
            header = json.loads(text.decode("utf-8"))
            header.pop("__metadata__", None)
            infos = {name: _parse_tensor_info(name, entry) for name, entry in header.items()}
            declared = 8 + length + max((info.data_offsets[1] for info in infos.values()), default=0)
            if declared != size:
                raise ValueError(f"the file has {size:,} bytes, but its header declares {declared:,}")
    return infos, 8 + length


def _parse_tensor_info(name: str, entry: Any) -> _TensorInfo:
    """Return the description of a tensor in a header, or raise ValueError if it is incomplete."""
    fields = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = map(fields.get, ("dtype", "shape", "data_offsets"))
    if isinstance(dtype, str) and isinstance(shape, list) and isinstance(offsets, list) and len(offsets) == 2:
        numbers = [number for number in (*shape, *offsets) if type(number) is int]
        if len(numbers) == len(shape) + 2:
            return _TensorInfo(tuple(shape), dtype, (offsets[0], offsets[1]))
    raise ValueError(f"the header has no valid dtype, shape, and data_offsets for {short(name)!r}")


def matrix_names(path: Path) -> list[str]:
    """Return the names of the arrays with two axes in an NPZ or safetensors file; other files have none."""
    file_format = detect(path)
    if file_format == "npz":
        shapes = npz_shapes(path)
    elif file_format == "safetensors":
        shapes = {name: info.shape for name, info in _read_tensor_infos(path)[0].items()}
    else:
        return []
    return [name for name, shape in shapes.items() if len(shape) == 2]


def _choose_array(path: Path, shapes: dict[str, tuple[int, ...]], key: str | None) -> str:
    listed = [f"{short(name, 80)} {shape}" for name, shape in itertools.islice(shapes.items(), 20)]
    listing = ", ".join([*listed, f"and {len(shapes) - 20} more"] if len(shapes) > 20 else listed)
    if key is not None:
        if key not in shapes:
            raise ValueError(f"{option('key')} is {short(key)!r}; expected one of {listing} (in {path})")
        return key
    matrix_names = [name for name, shape in shapes.items() if len(shape) == 2]
    if len(matrix_names) != 1:
        count = "no array" if not matrix_names else f"{len(matrix_names)} arrays"
        raise ValueError(
            f"{path} contains {count} with two axes; expected exactly one, or {setting('key')} with one of "
            f"{listing}"
        )
    return matrix_names[0]


def _check_matrix(path: Path, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} contains an array of dtype {short(str(array.dtype))}; expected real numbers"
        )
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{path} contains an array of shape {array.shape}; expected two axes, at least one point, and at "
            f"least one dimension{f', such as X.reshape(-1, {array.shape[-1]})' if array.ndim > 2 else ''}"
        )
    return array
