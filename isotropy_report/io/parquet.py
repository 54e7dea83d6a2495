"""Parquet: a table of numbers, or one column of lists as data sets of embeddings have it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_report._extras import require
from isotropy_report._options import setting
from isotropy_report.io._refusals import errors_name, short
from isotropy_report.io.columns import Selection, warn_of_ids
from isotropy_report.io.limits import Allowance
from isotropy_report.io.lists import ID_NAMES, NamedVectors, only_list

_BATCH_NUMBERS = 1 << 21
_BUFFER = 1 << 20


def read_parquet(
    path: Path, *, column: str | None = None, selection: Selection | None = None, with_names: bool = False
) -> NamedVectors:
    """Read a table some rows at a time, so that it is there once, and not as a table and as an array.

    The vectors are the lists of `column`, or of the only column of lists, or the columns of numbers, of which
    `selection` takes some.
    """
    parquet = require("pyarrow.parquet", f"reading {path}", install="pyarrow")
    with errors_name(path):
        file = parquet.ParquetFile(
            path, buffer_size=_BUFFER, pre_buffer=False
        )  # else a whole group of rows is held
        schema = file.schema_arrow
        n_rows = file.metadata.num_rows
        types = {field.name: field.type for field in schema}
        index = _index_columns(schema)
    if len(types) < len(schema.names):
        raise ValueError(f"{path} has two columns of one name; expected a name for each")
    with file:
        if n_rows == 0 or not types:
            raise ValueError(
                f"{path} holds a table of shape ({n_rows}, {len(types)}): there is nothing in it"
            )
        lists = [name for name in types if _list_of(types[name]) == "numbers"]
        chosen = [name for name in types if name not in index]
        if selection:
            names = list(types)
            chosen = [names[i] for i in selection.places(path, names) or ()]
        if column is None and not (lists and (not selection or set(chosen) & set(lists))):
            return NamedVectors(
                _read_columns(path, file, {name: types[name] for name in chosen}, n_rows), None
            )
        if selection and column is None:
            lists = [name for name in chosen if name in lists]
        name = only_list(path, lists, column, list(types), what="column")
        if _list_of(types[name]) != "numbers":
            raise ValueError(
                f"{path}, column {short(name, 80)!r} holds {short(str(types[name]), 80)}; expected lists of "
                "numbers"
            )
        if column is None and len(chosen) > 1:
            others = short(", ".join(repr(other) for other in chosen if other != name))
            warnings.warn(
                f"{path}: the vectors are those of column {name!r}, the only one of lists; left out: "
                f"{others}",
                UserWarning,
                stacklevel=2,
            )
        id_name = next((other for other in ID_NAMES if other in types), None) if with_names else None
        return _read_lists(path, file, name, n_rows, id_name)


def _index_columns(schema: Any) -> set[str]:
    """Return the columns in which pandas keeps the names of rows."""
    stored = schema.pandas_metadata or {}
    return {name for name in stored.get("index_columns", ()) if isinstance(name, str)}


def _list_of(kind: Any) -> str:
    """Return the content of the lists of a column: "numbers", "something else", or "" without lists."""
    from pyarrow import types

    if isinstance(kind, _extension()):
        kind = kind.storage_type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return ""
    return "numbers" if _is_number(kind.value_type) else "something else"


def _extension() -> Any:
    import pyarrow

    return pyarrow.BaseExtensionType


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_integer(kind) or types.is_floating(kind))


def _batches(
    path: Path, file: Any, columns: list[str], rows_at_once: int, n_rows: int
) -> Iterator[tuple[int, Any]]:
    """Yield batches, each with the number of rows before it; ValueError if the footer counts others."""
    batches = file.iter_batches(batch_size=max(1, rows_at_once), columns=columns)
    done = 0
    while True:
        with errors_name(path):
            batch = next(batches, None)
        n_found = done if batch is None else done + len(batch)
        if n_found > n_rows or (batch is None and n_found < n_rows):
            raise ValueError(f"{path} holds {n_found} rows; its footer promises {n_rows}")
        if batch is None:
            return
        yield done, batch
        done = n_found


def _numbers(values: Any) -> npt.NDArray[Any]:
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _read_columns(path: Path, file: Any, types: dict[str, Any], n_rows: int) -> npt.NDArray[np.float64]:
    wrong = [name for name, kind in types.items() if not _is_number(kind)]
    if wrong:
        shown = ", ".join(f"{short(name, 40)!r} ({short(str(types[name]), 40)})" for name in wrong[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        rest = f"{setting('drop', wrong)} leaves {'it' if len(wrong) == 1 else 'them'} out"
        if len(wrong) == len(types):
            rest = "there are none"
        raise ValueError(
            f"{path}: {'column' if len(wrong) == 1 else 'columns'} {shown}{more} "
            f"{'holds' if len(wrong) == 1 else 'hold'} no "
            f"numbers; expected columns of numbers, or one of lists of numbers: {rest}"
        )
    n = len(types)
    if n == 0:
        raise ValueError(f"{path} holds a table of shape ({n_rows}, 0): there is nothing in it")
    Allowance(path, compressed=True, advice="write it to a .npy").check(8 * n_rows * n)
    array = np.empty((n_rows, n))
    rows_at_once = min(n_rows, max(1 << 14, _BATCH_NUMBERS // n))
    for done, batch in _batches(path, file, list(types), rows_at_once, n_rows):
        for i, name in enumerate(types):
            with errors_name(path):
                part = batch.column(name)
                numbers = _numbers(part).astype(np.float64)
            bad = np.flatnonzero(~np.isfinite(numbers))
            if len(bad):
                found = part[int(bad[0])].as_py()
                raise ValueError(
                    f"{path}, row {done + bad[0]}, column {short(name, 80)!r}: {_shown(found)} is not a "
                    f"finite number ({len(bad)} such in {len(batch)} rows); expected finite numbers only"
                )
            array[done : done + len(batch), i] = numbers
    warn_of_ids(path, array, list(types), named=True)
    return array


def _read_lists(path: Path, file: Any, name: str, n_rows: int, id_name: str | None) -> NamedVectors:
    allowance = Allowance(path, compressed=True, advice="write it to a .npy")
    with errors_name(path):
        n_values = _n_values(file, name)
    allowance.check(4 * n_values)
    array: npt.NDArray[Any] | None = None
    names: list[str] = []
    columns = [name] if id_name is None else [name, id_name]
    rows_at_once = min(n_rows, _BATCH_NUMBERS // max(1, n_values // n_rows))
    for done, batch in _batches(path, file, columns, rows_at_once, n_rows):
        block = _block(path, name, batch.column(name), done, array)
        if array is None:
            allowance.check(block.dtype.itemsize * block.shape[1] * n_rows)
            array = np.empty((n_rows, block.shape[1]), block.dtype)
        array[done : done + len(block)] = block
        if id_name is not None:
            with errors_name(path):  # which may be no UTF-8
                names += map(str, batch.column(id_name).to_pylist())
            allowance.check(array.nbytes + sum(map(len, names[done:])), n_words=len(names))
    assert array is not None
    return NamedVectors(array, names if len(set(names)) == n_rows else None)


def _n_values(file: Any, name: str) -> int:
    """Return the number of values in the lists of a column, from the footer."""
    count = 0
    for i in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(i)
        for j in range(group.num_columns):
            chunk = group.column(j)
            if chunk.path_in_schema == name or chunk.path_in_schema.startswith(f"{name}."):
                count += chunk.num_values
    return count


def _block(
    path: Path, name: str, column: Any, first_row: int, above: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    import pyarrow.compute as compute

    place = f"column {short(name, 80)!r}"
    with errors_name(path):
        lists = column.storage if isinstance(column.type, _extension()) else column
        missing = np.flatnonzero(lists.is_null().to_numpy(zero_copy_only=False))
        lengths = compute.list_value_length(lists)
    if len(missing):
        raise ValueError(
            f"{path}, row {first_row + missing[0]}, {place}: the list is missing ({len(missing)} such in "
            f"{len(lists)} rows); expected one in every row"
        )
    counts = lengths.to_numpy(zero_copy_only=False)
    n = int(counts[0]) if above is None else above.shape[1]
    different = np.flatnonzero(counts != n)
    if n == 0 or len(different):
        row = 0 if n == 0 else int(different[0])
        raise ValueError(
            f"{path}, row {first_row + row}, {place}: the list has {int(counts[row])} numbers"
            + ("; expected at least one" if n == 0 else f"; expected {n}, as in row 0")
        )
    with errors_name(path):
        values = lists.flatten()
        block = _numbers(values)
    if block.dtype.kind != "f" or values.null_count:
        block = block.astype(np.float64)
    rows: npt.NDArray[Any] = block.reshape(-1, n)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        entry = int(np.flatnonzero(~np.isfinite(rows[bad[0]]))[0])
        found = values[int(bad[0]) * n + entry].as_py()
        raise ValueError(
            f"{path}, row {first_row + bad[0]}, {place}: entry {entry} of the list is {_shown(found)} "
            f"({len(bad)} such rows in {len(rows)}); expected finite numbers only"
        )
    return rows


def _shown(value: Any) -> str:
    return "a missing one (nan)" if value is None else repr(value)
