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
from isotropy_report.io._refusals import errors_name
from isotropy_report.io.archives import npy_header, npz_array, npz_shapes, read_array
from isotropy_report.io.arrow import is_arrow, read_arrow, read_arrow_file
from isotropy_report.io.columns import as_selection
from isotropy_report.io.draws import Draw, take_rows
from isotropy_report.io.formats import FORMATS, TEXT_FORMATS, detect, existing_file, is_gzipped, open_binary
from isotropy_report.io.growing import NamedVectors
from isotropy_report.io.limits import limits_raised
from isotropy_report.io.lists import read_json_lines
from isotropy_report.io.shards import is_address, read_address, read_shards, shards
from isotropy_report.io.tables import read_table
from isotropy_report.io.word_files import READERS, read_words

_LONGEST_TENSOR_HEADER = 4 << 20
#: In a browser, there are no files to memory-map.
MAPPED: Literal["r"] | None = None if sys.platform == "emscripten" else "r"
OPTIONS = ("key", "header", "column", "columns", "drop", "format", "max_bytes")
"""Options of `read`."""

_TENSORS = {f"{kind}{8 * size}": f"<{kind.lower()}{size}" for kind in "FIU" for size in (1, 2, 4, 8)}
_TENSORS = _TENSORS | {"BF16": "<u2", "BOOL": "?"}
del _TENSORS["F8"]
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
    TypeError, FileNotFoundError, IsADirectoryError, OSError
        If `path` or an option has the wrong type, or `path` is not a file.
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
    given = (key, header, column, columns, drop, format, max_bytes)
    options: dict[str, Any] = dict(zip(OPTIONS, given, strict=True))
    return read_named(path, **options).vectors


def read_named(
    path: str | os.PathLike[str], *, draw: Draw | None = None, with_names: bool = False, **options: Any
) -> NamedVectors:
    """Read vectors as `read` does, optionally with row names, or only a random sample of rows.

    `options` are those of `read`. For ``.npy`` and ``.safetensors`` files, memory holds only the sample; for
    other files, all rows at first.
    """
    options = dict.fromkeys(OPTIONS) | options
    _, header, column, columns, drop, format, max_bytes = options.values()
    for name in ("key", "column", "format", "header"):
        wanted = bool if name == "header" else str
        if options[name] is not None and not isinstance(options[name], wanted):
            expected = f"a {wanted.__name__} or None"
            raise TypeError(f"{name} is {checks.describe(options[name])}; expected {expected}")
    if format is not None:
        checks.check_option(format, "format", FORMATS)
    limits = limits_raised(max_bytes)
    selection = as_selection(columns, drop)
    if is_arrow(path):
        for name in ("key", "header", "format"):
            if options[name] is not None:
                raise ValueError(f"{name} is given, but path is {checks.describe(path)}; leave {name} out")
        named = read_arrow(path, column=column, selection=selection, with_names=with_names)
        return drawn(named, draw)
    files = shards(path)
    if files or is_address(path):
        read_one = functools.partial(read_named, with_names=with_names, **options)
        text = os.fspath(path)
        if files:
            return drawn(read_shards(text, [(Path(file), file) for file in files], read_one), draw)
        return drawn(read_address(text, read_one), draw)
    file = existing_file(path)
    with limits:
        kind = _kind(file, format, table=header is not None or bool(selection) or column is not None)
        check_fits(file, kind, options)
        if kind in ("parquet", "arrow"):
            named = read_arrow_file(file, column=column, selection=selection, with_names=with_names)
        elif kind == "jsonl":
            named = read_json_lines(file, column=column, with_names=with_names)
        elif kind in _SEPARATORS:
            table = read_table(file, _SEPARATORS[kind], header=header, column=column, selection=selection)
            named = NamedVectors(table, None)
        elif kind in READERS:
            named = read_words(file, kind)
        elif kind == "npz":
            name = _choose(file, npz_shapes(file), options["key"])
            named = NamedVectors(_checked(file, npz_array(file, name)), None)
        elif kind == "npy" and is_gzipped(file):
            named = NamedVectors(_checked(file, read_array(file, lambda: open_binary(file))), None)
        elif kind == "npy":
            return NamedVectors(_read_npy(file, draw), None)
        else:
            return NamedVectors(_checked(file, _read_safetensors(file, options["key"], draw)), None)
    return drawn(named if with_names else named._replace(names=None), draw)


def drawn(named: NamedVectors, draw: Draw | None) -> NamedVectors:
    """Return the sampled rows, or all rows if no sample is requested."""
    if draw is None:
        return named
    places = draw.places(*named.vectors.shape)
    names = None if named.names is None else [named.names[i] for i in places]
    return NamedVectors(named.vectors[places], names)


def _kind(path: Path, format: str | None, *, table: bool) -> str:
    """Return the format of a file: the requested format, if the content is compatible with it."""
    if format in TEXT_FORMATS and not _is_binary(path):
        return format
    kind = detect(path)
    if format is not None and format != kind:
        raise ValueError(
            f"{option('format')} is {format!r}, but {path} is {kind} by its content; omit format"
        )
    if table and kind == "glove":
        return "numbers"  # a few lines of numbers below column names look like GloVe text
    return kind


def _is_binary(path: Path) -> bool:
    with open_binary(path) as stream:
        return b"\x00" in stream.read(1 << 12) or detect(path) not in TEXT_FORMATS


def check_fits(path: Path, kind: str, options: dict[str, Any]) -> None:
    """Raise ValueError for an option that does not apply to a file of this format."""
    tables = ("parquet", "arrow", *_SEPARATORS)
    fitting = {
        "key": (("npz", "safetensors"), "contains only one table"),
        "header": (tuple(_SEPARATORS), "is not a text table"),
        "column": (("parquet", "arrow", "jsonl", "csv", "tsv"), "has no columns of lists"),
        "columns": (tables, "is not a table with columns"),
        "drop": (tables, "is not a table with columns"),
    }
    given = {name: options[name] for name in fitting if options[name] is not None}
    shown = {name: f"{option(name)} is {short(repr(value))}" for name, value in given.items()}
    if "header" in given:
        shown["header"] = f"{setting('header', given['header'])} is given"
    for name in given:
        kinds, why = fitting[name]
        if kind not in kinds:
            raise ValueError(f"{shown[name]}, but {path} ({kind}) {why}; leave {name} out")
    for name in ("columns", "drop", "header"):
        if "column" in given and name in given and given[name] is not True:
            raise ValueError(f"{shown['column']} and {shown[name]}; expected only one of them")


def _read_npy(path: Path, draw: Draw | None) -> npt.NDArray[Any]:
    with errors_name(path), path.open("rb") as stream:
        shape, in_columns, dtype = npy_header(stream)  # rejects headers with implausible sizes
        if dtype.hasobject:
            raise ValueError("the array contains Python objects")
        declared, found = math.prod(shape) * dtype.itemsize, path.stat().st_size - stream.tell()
        if declared > found:
            raise ValueError(
                f"the header declares {declared:,} bytes of numbers, but the file contains {found:,}"
            )
        if draw is not None and len(shape) == 2 and declared and dtype.kind in "biuf":
            places = draw.places(*shape)
            if places.size < shape[0]:
                return take_rows(stream, shape, dtype, places, in_columns=in_columns)
    with errors_name(path):
        array: npt.NDArray[Any] = np.load(path, mmap_mode=MAPPED, allow_pickle=False)
    return _checked(path, array)


def _read_safetensors(path: Path, key: str | None, draw: Draw | None) -> npt.NDArray[Any]:
    """Read a tensor from its JSON header and numbers, without the safetensors package."""
    tensors, start = _tensors(path)
    name = _choose(path, {name: tensor.shape for name, tensor in tensors.items()}, key)
    tensor = tensors[name]
    if tensor.kind not in _TENSORS:
        raise ValueError(
            f"{path}: {short(name)!r} has the dtype {short(tensor.kind)}, which NumPy does not support; "
            "expected BF16, F16, F32, or F64"
        )
    dtype, shape = np.dtype(_TENSORS[tensor.kind]), tensor.shape
    with errors_name(path):
        first, last = tensor.place
        if min((*shape, first)) < 0 or last - first != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"{short(name)!r} has {last - first} bytes, too few or too many for {shape}")
    with path.open("rb") as stream:
        stream.seek(start + first)
        places = draw.places(*shape) if draw is not None and len(shape) == 2 and 0 not in shape else None
        if places is not None and places.size < shape[0]:
            array = take_rows(stream, shape, dtype, places)
        else:
            array = np.empty(shape, dtype)
            stream.readinto(array.reshape(-1).view(np.uint8).data)
    return _widened(array) if tensor.kind == "BF16" else array


def _widened(halves: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return bfloat16 numbers, which are the upper 16 bits of float32, as float32."""
    bits = halves.astype(np.uint32)
    bits <<= np.uint32(16)
    return bits.view(np.float32)


class _Tensor(NamedTuple):
    shape: tuple[int, ...]
    kind: str
    place: tuple[int, int]


def _tensors(path: Path) -> tuple[dict[str, _Tensor], int]:
    """Return the tensors of a ``.safetensors`` file by name, and the position of the first number."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > _LONGEST_TENSOR_HEADER:  # parsed names need ten times as much memory
            raise ValueError(
                f"{path} is damaged or truncated: its header declares a length of {length / 1e6:.0f} MB; "
                "expected a .safetensors file with at most a few thousand tensors"
            )
        with errors_name(path):
            text = stream.read(length)
            if len(text) < length:
                raise ValueError("the file ends inside its header")
            header = json.loads(text.decode("utf-8"))
            header.pop("__metadata__", None)
            found = {name: _tensor(name, entry) for name, entry in header.items()}
            declared = 8 + length + max((tensor.place[1] for tensor in found.values()), default=0)
            if declared != size:
                raise ValueError(f"the file has {size:,} bytes, but its header declares {declared:,}")
    return found, 8 + length


def _tensor(name: str, entry: Any) -> _Tensor:
    """Return the description of a tensor in a header, or raise ValueError if it is incomplete."""
    fields = entry if isinstance(entry, dict) else {}
    kind, shape, place = map(fields.get, ("dtype", "shape", "data_offsets"))
    if isinstance(kind, str) and isinstance(shape, list) and isinstance(place, list) and len(place) == 2:
        numbers = [number for number in (*shape, *place) if type(number) is int]
        if len(numbers) == len(shape) + 2:
            return _Tensor(tuple(shape), kind, (place[0], place[1]))
    raise ValueError(f"the header has no valid dtype, shape, and data_offsets for {short(name)!r}")


def matrices(path: Path) -> list[str]:
    """Return the names of the arrays with two axes in an NPZ or safetensors file; other files have none."""
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
            raise ValueError(f"{option('key')} is {short(key)!r}; expected one of {listing} (in {path})")
        return key
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    if len(matrices) != 1:
        count = "no array" if not matrices else f"{len(matrices)} arrays"
        raise ValueError(
            f"{path} contains {count} with two axes; expected exactly one, or {setting('key')} with one of "
            f"{listing}"
        )
    return matrices[0]


def _checked(path: Path, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} contains an array of dtype {short(str(array.dtype))}; expected real numbers"
        )
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{path} contains an array of shape {array.shape}; expected two axes, at least one point, and at "
            f"least one dimension{f', such as X.reshape(-1, {array.shape[-1]})' * (array.ndim > 2)}"
        )
    return array
