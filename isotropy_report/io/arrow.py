"""Arrow data as batches of rows: Parquet, Feather, and Arrow files, data frames, and database results."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_report._extras import require
from isotropy_report._options import setting, short
from isotropy_report.io._refusals import name_file_in_errors
from isotropy_report.io.columns import Selection, droppable, warn_of_row_numbers
from isotropy_report.io.growing import Growing, NamedVectors
from isotropy_report.io.limits import Allowance
from isotropy_report.io.lists import ID_NAMES, only_list

_CHUNK_ENTRIES = 1 << 21
_BUFFER_BYTES = 1 << 20
_ADVICE = "write it to a .npy"


class _Table(NamedTuple):
    """A table read in batches of rows, with its name in errors and its numbers of rows and values.

    `batches` takes column names and the desired number of rows per batch, which it may ignore.
    """

    name: Path | str
    schema: Any
    batches: Callable[[list[str], int], Iterator[Any]]
    n_rows: int | None = None
    n_values: Callable[[str], int] = lambda _: 0
    allowance: Allowance | None = None
    problem: str = "is damaged or truncated"

    def blocks(self, columns: list[str], rows_at_once: int) -> Iterator[tuple[int, Any]]:
        """Yield the batches, each with the number of rows before it; the total must match the footer."""
        with name_file_in_errors(self.name, self.problem):
            batches = self.batches(columns, max(1, rows_at_once))
        n_before = 0
        while True:
            with name_file_in_errors(self.name, self.problem):
                batch = next(batches, None)
            n_read = n_before if batch is None else n_before + len(batch)
            n_rows = n_read if self.n_rows is None else self.n_rows
            if n_read > n_rows or (batch is None and n_read < n_rows):
                raise ValueError(f"{self.name} has {n_read} rows; expected {n_rows}, as its footer declares")
            if batch is None:
                if not n_before:
                    raise ValueError(f"{self.name} has no rows; expected at least one row")
                return
            if len(batch):
                yield n_before, batch
            n_before = n_read

    def allow(self, n_bytes: int) -> None:
        """Reject a file if its content needs more bytes than allowed."""
        if self.allowance is not None:
            self.allowance.check(n_bytes)


def is_arrow(table: object) -> bool:
    """Return whether an object provides an Arrow stream: a table, reader, data set, or cursor."""
    is_stream = any(hasattr(table, name) for name in ("__arrow_c_stream__", "fetch_record_batch", "scanner"))
    return is_stream and type(table).__name__ != "Series"


def as_vectors(X: Any) -> Any:
    """Return the vectors of an Arrow table, or X itself for pandas data frames and anything else."""
    return read_arrow(X).vectors if is_arrow(X) and not isinstance(X, pd.DataFrame) else X


def read_arrow(
    table: Any,
    *,
    name: str = "",
    column: str | None = None,
    selection: Selection | None = None,
    with_names: bool = False,
) -> NamedVectors:
    """Read a table from pyarrow, polars, pandas, DuckDB, or Lance, a batch reader, or an ADBC cursor."""
    pyarrow = require("pyarrow", "reading a table of Arrow", install="pyarrow")
    display_name, problem = name or f"the {type(table).__name__}", "cannot be read"
    with name_file_in_errors(display_name, problem):
        if hasattr(table, "__arrow_c_stream__"):
            reader = pyarrow.RecordBatchReader.from_stream(table)
        elif hasattr(table, "fetch_record_batch"):
            reader = table.fetch_record_batch()
        else:
            reader = table.scanner().to_reader()
    arrow_table = _table_of_stream(display_name, reader)._replace(problem=problem)
    return _read(arrow_table, column=column, selection=selection, with_names=with_names)


def read_arrow_file(
    path: Path, *, column: str | None = None, selection: Selection | None = None, with_names: bool = False
) -> NamedVectors:
    """Read a Parquet, Feather, or Arrow file in batches of rows.

    The vectors are the lists in `column` or in the only column of lists, or else the columns of numbers that
    `selection` contains.
    """
    require("pyarrow", f"reading {path}", install="pyarrow")
    from pyarrow import ipc, memory_map
    from pyarrow import parquet as pq

    allowance = Allowance(path, compressed=True, advice=_ADVICE)
    with ExitStack() as stack, path.open("rb") as stream:
        start = stream.read(4)
        with name_file_in_errors(path):
            if start == b"PAR1":  # without its own buffer, pyarrow keeps an entire row group in memory
                file = stack.enter_context(pq.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False))
                table = _Table(
                    path,
                    file.schema_arrow,
                    lambda columns, rows: file.iter_batches(batch_size=rows, columns=columns),
                    file.metadata.num_rows,
                    lambda name: _n_values(file, name),
                    allowance,
                )
            else:
                source = stack.enter_context(memory_map(str(path)))
                if start == b"ARRO":
                    reader = ipc.open_file(source)
                    batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
                    table = _Table(path, reader.schema, _select_columns(batches), allowance=allowance)
                else:
                    table = _table_of_stream(path, ipc.open_stream(source))._replace(allowance=allowance)
        return _read(table, column=column, selection=selection, with_names=with_names)


def _table_of_stream(name: Path | str, reader: Any) -> _Table:
    return _Table(name, reader.schema, _select_columns(iter(reader)))


def _select_columns(batches: Iterator[Any]) -> Callable[[list[str], int], Iterator[Any]]:
    return lambda columns, _: (batch.select(columns) for batch in batches)


def _read(
    table: _Table, *, column: str | None, selection: Selection | None, with_names: bool
) -> NamedVectors:
    path, schema = table.name, table.schema
    types = {field.name: field.type for field in schema}
    if len(types) < len(schema.names):
        raise ValueError(
            f"{path} has two columns with the same name; expected a different name for each column"
        )
    if table.n_rows == 0 or not types:
        raise ValueError(f"{path} has no rows or no columns; expected at least one of each")
    index_columns = (schema.pandas_metadata or {}).get("index_columns", ())  # row names of pandas
    chosen = [name for name in types if name not in index_columns]
    if selection:
        chosen = [list(types)[i] for i in selection.positions(path, list(types)) or ()]
    decodes = column is not None or len(types) == 1  # bytes and text are decoded only in this case
    lists = [name for name in types if _has_lists(types[name]) or (decodes and _encoding(types[name]))]
    if column is None and not (lists and (not selection or set(chosen) & set(lists))):
        return NamedVectors(_read_columns(table, {name: types[name] for name in chosen}), None)
    if selection and column is None:
        lists = [name for name in chosen if name in lists]
    name = only_list(path, lists, column, list(types), noun="column")
    if name not in lists:
        raise ValueError(
            f"{path}, column {short(name, 80)!r}, contains {short(str(types[name]), 80)}; expected lists of "
            f"numbers{_query_hint(types[name])}"
        )
    others = [other for other in chosen if other != name]
    if column is None and not set(others) <= set(ID_NAMES):
        warnings.warn(
            f"{path}: the vectors are read from column {name!r}, the only column of lists; left out: "
            f"{short(', '.join(map(repr, others)))}",
            UserWarning,
            stacklevel=2,
        )
    id_name = next((other for other in ID_NAMES if other in types), None) if with_names else None
    return _read_lists(table, name, id_name)


def _query_hint(*dtypes: Any) -> str:
    """Return a hint on how to query vectors that a database returns as a type of its own."""
    return ": write embedding::real[] in the query" * any("type_name=vector" in str(t) for t in dtypes)


def _encoding(dtype: Any) -> str:
    """Return the possible content of a column of bytes or text, or an empty string for other columns."""
    content = str(dtype).removeprefix("large_").removesuffix("_view")
    return {"binary": "float32 in bytes", "string": "lists in JSON"}.get(content, "")


def _decode_lists(column: Any) -> Any:
    """Decode a column of bytes or text into lists of numbers."""
    import pyarrow

    is_binary = _encoding(column.type) == "float32 in bytes"
    parse = _parse_float32 if is_binary else json.loads
    rows = [None if row is None else parse(row) for row in column.to_pylist()]
    return pyarrow.array(rows, pyarrow.list_(pyarrow.float32() if is_binary else pyarrow.float64()))


def _parse_float32(row: bytes) -> npt.NDArray[np.float32]:
    """Return bytes as float32 numbers, or raise ValueError if their size suggests another type."""
    numbers = np.frombuffer(row, np.float32)
    magnitudes = np.abs(numbers[numbers != 0])
    if magnitudes.size and not 1e-9 < np.median(magnitudes) <= magnitudes.max() < 1e9:
        raise ValueError(
            f"a row read as float32 has the absolute values {magnitudes[:3]}; expected float32 numbers (in "
            "Python, numpy.frombuffer reads other types)"
        )
    return numbers


def _has_lists(dtype: Any) -> bool:
    """Return whether an Arrow type stands for lists of numbers."""
    from pyarrow import types

    dtype = getattr(dtype, "storage_type", dtype)  # unwrap an extension type
    is_list = types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype)
    return is_list and _is_number(dtype.value_type)


def _is_number(dtype: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(dtype):
        dtype = dtype.value_type
    return bool(types.is_integer(dtype) or types.is_floating(dtype))


def _numbers(values: Any) -> npt.NDArray[Any]:
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _read_columns(table: _Table, types: dict[str, Any]) -> npt.NDArray[Any]:
    path, n_rows = table.name, table.n_rows
    invalid = [name for name, dtype in types.items() if not _is_number(dtype)]
    if invalid:
        shown = ", ".join(f"{short(name, 40)!r} ({short(str(types[name]), 40)})" for name in invalid[:5])
        more = f" and {len(invalid) - 5} more" if len(invalid) > 5 else ""
        to_drop = droppable(invalid, list(types))
        encoded = [name for name in invalid if _encoding(types[name])]
        advice = _query_hint(*types.values())
        if len(to_drop) < len(types):
            advice = f": {setting('drop', to_drop)} leaves out what is not a number{advice}"
        elif encoded:
            advice = f": {setting('column', encoded[-1])} reads float32 in bytes, and lists in JSON{advice}"
        clause = "column {} contains" if len(invalid) == 1 else "columns {} contain"
        raise ValueError(
            f"{path}: {clause.format(shown + more)} no numbers; expected columns of numbers, or a column of "
            f"lists of numbers{advice}"
        )
    n = len(types)
    if n == 0:
        raise ValueError(f"{path} has no column of numbers; expected at least one")
    table.allow(8 * n * (n_rows or 0))
    rows = Growing(path, table.allowance)
    for n_before, batch in table.blocks(list(types), max(1 << 14, _CHUNK_ENTRIES // n)):
        block = np.empty((len(batch), n))
        for i, name in enumerate(types):
            with name_file_in_errors(path):
                values = batch.column(name)
                block[:, i] = _numbers(values)
            bad = np.flatnonzero(~np.isfinite(block[:, i]))
            if len(bad):
                value = values[int(bad[0])].as_py()
                raise ValueError(
                    f"{path}, row {n_before + bad[0]}, column {short(name, 80)!r}: {value!r} is not a "
                    f"finite number (one of {len(bad)} in {len(batch)} rows); expected only finite numbers"
                )
        rows.add(block)
    array = rows.result().vectors
    warn_of_row_numbers(path, array, list(types), named=True)
    return array


def _read_lists(table: _Table, name: str, id_name: str | None) -> NamedVectors:
    path = table.name
    with name_file_in_errors(path):
        n_values = 0 if _encoding(table.schema.field(name).type) else table.n_values(name)
    table.allow(4 * n_values)
    rows = Growing(path, table.allowance)
    columns = [name] if id_name is None else [name, id_name]
    row_size = math.ceil(n_values / table.n_rows) if n_values and table.n_rows else 1 << 10
    for n_before, batch in table.blocks(columns, _CHUNK_ENTRIES // row_size):
        block = _list_rows(path, name, batch.column(name), n_before, rows.n)
        with name_file_in_errors(path):  # the names may not be valid UTF-8
            names = () if id_name is None else [str(value) for value in batch.column(id_name).to_pylist()]
        rows.add(block, names)
    return rows.result()


def _n_values(file: Any, name: str) -> int:
    """Return the number of values in the lists of a Parquet column, from the footer."""
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    chunks = (group.column(j) for group in groups for j in range(group.num_columns))
    return sum(chunk.num_values for chunk in chunks if f"{chunk.path_in_schema}.".startswith(f"{name}."))


def _list_rows(path: Path | str, name: str, column: Any, first_row: int, n: int | None) -> npt.NDArray[Any]:
    """Return the lists of a batch as rows of n numbers, where n defaults to the length of the first list."""
    import pyarrow.compute as compute

    location = f"column {short(name, 80)!r}"
    if content := _encoding(column.type):
        with name_file_in_errors(path, f"has a {location} that cannot be read as {content}"):
            column = _decode_lists(column)
    with name_file_in_errors(path):
        lists = getattr(column, "storage", column)
        missing = np.flatnonzero(lists.is_null().to_numpy(zero_copy_only=False))
        lengths = compute.list_value_length(lists)
    if len(missing):
        raise ValueError(
            f"{path}, row {first_row + missing[0]}, {location}: the list is missing (in {len(missing)} of "
            f"{len(lists)} rows); expected a list in every row"
        )
    counts = lengths.to_numpy(zero_copy_only=False)
    n = int(counts[0]) if n is None else n
    differing = np.flatnonzero(counts != n)
    if n == 0 or len(differing):
        row = 0 if n == 0 else int(differing[0])
        expected = "at least one number" if n == 0 else f"{n} numbers, as in row 0"
        position = f"{path}, row {first_row + row}, {location}"
        raise ValueError(f"{position}: the list has {int(counts[row])} numbers; expected {expected}")
    with name_file_in_errors(path):
        values = lists.flatten()
        block = _numbers(values)
    if block.dtype.kind != "f" or values.null_count:
        block = block.astype(np.float64)
    rows: npt.NDArray[Any] = block.reshape(-1, n)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        entry = int(np.flatnonzero(~np.isfinite(rows[bad[0]]))[0])
        value = values[int(bad[0]) * n + entry].as_py()
        raise ValueError(
            f"{path}, row {first_row + bad[0]}, {location}: entry {entry} of the list is {value!r} "
            f"(in {len(bad)} of {len(rows)} rows, numbers are not finite); expected only finite numbers"
        )
    return rows
