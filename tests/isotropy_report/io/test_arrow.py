"""Tests of vectors in Arrow streams, Feather files, folders, patterns of files, and remote addresses."""

import os
import warnings
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from isotropy_report import compare, read, report_card
from isotropy_report.io import growing
from isotropy_report.io.arrays import read_named
from isotropy_report.io.shards import without_credentials
from tests.isotropy_report.command_line import call, call_json

duckdb = pytest.importorskip("duckdb")
X = np.random.default_rng(0).standard_normal((120, 6)).astype(np.float32)
IDS = [f"id {i}" for i in range(120)]


def table(kind=pa.list_, dtype=np.float32, **columns):
    values = pa.array(X.astype(dtype).ravel())
    fixed = pa.FixedSizeListArray.from_arrays(values, 6)
    lists = fixed if kind is pa.list_ else fixed.cast(kind(values.type))
    return pa.table({"id": IDS, "embedding": lists, **columns})


def table_batches():
    yield from table().to_batches(max_chunksize=7)


SOURCES = {
    "pyarrow table": table,
    "large lists": lambda: table(kind=pa.large_list),
    "reader of batches": lambda: pa.RecordBatchReader.from_batches(table().schema, table_batches()),
    "data set": lambda: pa.dataset.dataset(table()),
    "polars": lambda: polars.from_arrow(table()),
    "pandas": lambda: table().to_pandas(types_mapper=pd.ArrowDtype),
    "DuckDB": lambda: duckdb.from_arrow(table()),
    "a cursor": lambda: Cursor(),
}


class Cursor:
    """Stand-in for an ADBC cursor."""

    def fetch_record_batch(self):
        return pa.RecordBatchReader.from_batches(table().schema, table_batches())


@pytest.mark.parametrize("name", SOURCES)
def test_arrow_sources_are_read(name):
    vectors = read(SOURCES[name]())
    np.testing.assert_array_equal(vectors, X)
    assert vectors.dtype == np.float32
    assert read_named(SOURCES[name](), with_names=True).names == IDS


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8])
def test_number_types_are_kept(dtype):
    vectors = read(table(dtype=dtype))
    np.testing.assert_array_equal(vectors, X.astype(dtype))
    assert vectors.dtype == (np.float64 if dtype is np.int8 else dtype)


def test_cards_and_comparisons_accept_tables():
    card = report_card(polars.from_arrow(table()), pictures=False)
    assert card.to_dict() == report_card(X, pictures=False).to_dict()
    projected = X @ np.random.default_rng(1).standard_normal((6, 4))
    frame = polars.DataFrame({"v": projected}, schema={"v": polars.Array(polars.Float64, 4)})
    comparison = compare({"a": table(), "b": frame}, pictures=False)
    assert comparison.to_dict() == compare({"a": X, "b": projected}, pictures=False).to_dict()


INVALID_TABLES = {
    "nulls": (lambda: pa.table({"v": [[1.0, 2.0]] * 9 + [None]}), "row 9, column 'v': the list is missing"),
    "holes": (lambda: pa.table({"v": [[1.0, 2.0]] * 9 + [[1.0, None]]}), "row 9, column 'v': entry 1"),
    "NaN": (lambda: pa.table({"v": [[1.0, 2.0], [np.nan, 1.0]]}), "row 1, column 'v': entry 0"),
    "ragged": (lambda: pa.table({"v": [[1.0, 2.0], [1.0]]}), "row 1, column 'v': the list has 1 numbers"),
    "empty": (lambda: table().slice(0, 0), "no rows"),
    "no columns": (lambda: pa.table({}), "no columns"),
    "texts": (lambda: pa.table({"v": [["a"]]}), "column 'v' .*contains no numbers"),
    "one column": (lambda: pa.table({"v": ["a"]}), "column 'v' .* JSON"),
    "array": (lambda: pa.array([1.0]), "expected the path of a file"),
    "cut off": (lambda: pa.RecordBatchReader.from_batches(table().schema, fail_midway()), "went away"),
}


def fail_midway():
    yield from table().to_batches(max_chunksize=60)[:1]
    raise OSError("the server went away")


@pytest.mark.parametrize("name", INVALID_TABLES)
def test_error_names_the_row_and_column_of_a_bad_table(name):
    make, expected_pattern = INVALID_TABLES[name]
    with pytest.raises((ValueError, TypeError), match=expected_pattern):
        read(make())
    with pytest.raises(ValueError, match="header is given"):
        read(table(), header=True)


@pytest.mark.parametrize("kind", ["feather", "stream", "compressed"])
def test_arrow_files_are_read(tmp_path, kind):
    path = tmp_path / "x.arrow"
    if kind == "stream":
        with pa.ipc.new_stream(path, table().schema) as sink:
            sink.write_table(table(), max_chunksize=9)
    else:
        pyarrow.feather.write_feather(
            table(), path, compression="zstd" if kind == "compressed" else "uncompressed"
        )
    np.testing.assert_array_equal(read(path), X)
    np.testing.assert_array_equal(read(path, column="embedding", format="arrow"), X)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ValueError, match=r"x\.arrow is damaged or truncated"):
        read(path)


def write_shards(folder, suffix, n=12):
    """Write the rows to parts whose numbers sort differently as text, and return their pattern."""
    folder.mkdir()
    for i, rows in enumerate(np.array_split(np.arange(len(X)), n)):
        path = folder / f"part-{i}.{suffix}"
        if suffix == "npy":
            np.save(path, X[rows])
        elif suffix == "csv":
            pd.DataFrame(X[rows]).to_csv(path, index=False, header=[f"x{j}" for j in range(6)])
        else:
            pq.write_table(table().take(rows), path)
    return str(folder / f"*.{suffix}")


@pytest.mark.parametrize("suffix", ["parquet", "npy", "csv"])
def test_shards_are_concatenated_in_order(tmp_path, suffix):
    pattern = write_shards(tmp_path / "data", suffix)
    (tmp_path / "data" / "_SUCCESS").touch()
    for source in (pattern, tmp_path / "data", f"file://{pattern}"):
        np.testing.assert_allclose(read(source), X, rtol=1e-6)
    if suffix == "parquet":
        assert read_named(pattern, with_names=True).names == IDS


def test_errors_of_folders_and_patterns(tmp_path):
    write_shards(tmp_path / "data", "npy")
    with pytest.raises(FileNotFoundError, match="matches no file"):
        read(str(tmp_path / "data/*.parquet"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(IsADirectoryError, match="folder without files of vectors"):
        read(tmp_path / "empty")
    np.save(tmp_path / "data" / "part-7.npy", X[:, :4])
    with pytest.raises(ValueError, match=r"part-7\.npy has rows of 4 numbers; expected 6"):
        read(tmp_path / "data")
    (tmp_path / "data" / "x.csv").write_text("1,2\n")
    with pytest.raises(ValueError, match="csv and npy"):
        read(tmp_path / "data")
    for address in ("s3://user:word@host/x?y=z", "s3://user:wo/?r@d@host/x"):
        assert without_credentials(address) == "s3://host/x"
    with pytest.raises(ValueError, match="nosuch://host/x cannot be read"):
        read("nosuch://user:word@host/x")


def test_large_results_are_kept_in_a_file(tmp_path, monkeypatch):
    pattern = write_shards(tmp_path / "data", "parquet")
    expected = report_card(read(pattern), pictures=False).to_dict()
    monkeypatch.setattr(growing, "_IN_MEMORY", 1000)
    vectors = read(pattern)
    assert isinstance(vectors, np.memmap)
    np.testing.assert_array_equal(vectors, X)
    assert report_card(vectors, pictures=False).to_dict() == expected
    rows = growing.Growing("x")
    disk_full = Mock(side_effect=OSError(28, os.strerror(28)))
    monkeypatch.setattr(rows, "_stream", SimpleNamespace(write=disk_full))
    with pytest.raises(OSError, match="TMPDIR"):
        rows.add(X)


def test_command_reads_shards_as_one_file(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_shards(tmp_path / "data", "parquet")
    np.save("x.npy", X)
    first, *others = (
        call_json(capsys, "scores", source, "--quiet") for source in ("x.npy", "data/*.parquet", "data")
    )
    for other in others:
        assert other | {"name": "x.npy"} == first
    assert call(capsys, "report", "data/*.parquet", "-o", "data/part-3.parquet")[0] == 2
    code, _, err = call(capsys, "scores", "data/*.parquet", "-o", "data/part-3.parquet")
    assert code == 2
    assert "is the same file as FILE" in err


def test_equal_warnings_of_shards_are_given_once(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for i in range(3):
        pq.write_table(table(text=IDS), folder / f"{i}.parquet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(read(folder)) == 360
    assert ["left out" in str(warning.message) for warning in caught] == [True]
