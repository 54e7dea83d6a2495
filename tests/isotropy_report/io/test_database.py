"""Tests of vectors from databases: Postgres with pgvector, DuckDB, SQLite, and Lance."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab import isoscore
from isotropy_report import read
from isotropy_report.io.database import _redact
from tests.isotropy_report.command_line import call, call_json

pytestmark = pytest.mark.rest
X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
SECRET = "s3cret-word"


def sql_rows(rows):
    return (f"({i}, '[{','.join(map(repr, row))}]')" for i, row in enumerate(rows.tolist()))


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """Start a server from the wheel `pgserver`, which includes pgvector; Python 3.13 has no such wheel."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver has no wheel for this Python")
    pytest.importorskip("adbc_driver_postgresql")
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="stop")
    server.psql("create extension vector")
    server.psql(
        "create table docs (id int, title text, embedding vector(8)); insert into docs "
        f"select i, 'a title', v::vector from (values {','.join(sql_rows(X))}) as given (i, v)"
    )
    server.psql("create table empty (embedding vector(8))")
    server.psql(
        "create table holes (embedding vector(8)); insert into holes values ('[1,2,3,4,5,6,7,8]'), (null)"
    )
    server.psql(f"create role reader login password '{SECRET}'; grant select on docs to reader")
    yield server
    server.cleanup()


QUERY = "select embedding::real[] as embedding from docs order by id"


def scores_of_query(capsys, address, query, *words):
    return call(capsys, "scores", "--database", address, "--query", query, "--quiet", *words)


def test_server_folder_and_file_give_equal_reports(capsys, postgres, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    import pyarrow as pa
    import pyarrow.parquet as pq

    Path("data").mkdir()
    for i, rows in enumerate(np.array_split(X, 10)):
        fixed = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 8)
        pq.write_table(pa.table({"embedding": fixed}), f"data/{i}.parquet")
    first = call_json(capsys, "report", "x.npy")
    query = ("--database", postgres.get_uri(), "--query", QUERY)
    for source in (("data",), query):
        assert call_json(capsys, "report", *source) | {"name": "x.npy"} == first
    address = postgres.get_uri().replace("postgres:@", f"reader:{SECRET}@")
    out = call(capsys, "report", "--database", address, "--query", QUERY, "-o", "card.html")[1]
    assert Path("card.html").exists()
    assert SECRET not in out + Path("card.html").read_text(encoding="utf-8")


FAILING_QUERIES = {
    "a query that fails": ("select nope from docs", "nope"),
    "a column that is no vector": ("select title from docs", "title"),
    "pgvector's own type": ("select embedding from docs", "embedding::real[]"),
    "an empty result": ("select embedding::real[] from empty", "no rows"),
    "nulls": ("select embedding::real[] as v from holes", "row 1, column 'v': the list is missing"),
    "what would change it": ("with gone as (delete from docs returning id) select id from gone", "read-only"),
    "a server that goes away": (
        "select case when i = 90000 then array[pg_terminate_backend(pg_backend_pid())::int::real, 1] "
        "else array[1, 2]::real[] end as v from generate_series(1, 100000) i", "terminat"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING_QUERIES)
def test_failing_queries_give_one_line_and_no_file(capsys, postgres, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    query, expected_text = FAILING_QUERIES[name]
    code, out, err = scores_of_query(capsys, postgres.get_uri(), query, "-o", "x.txt")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert expected_text in err
    assert list(tmp_path.iterdir()) == []
    assert postgres.psql("select count(*) from docs").split()[2] == "300"


@pytest.mark.parametrize(
    "place", ["127.0.0.1:1/docs", "127.0.0.1:1/docs?connect_timeout=1&sslpassword=" + SECRET]
)
def test_messages_contain_no_passwords(capsys, place):
    pytest.importorskip("adbc_driver_postgresql")
    code, out, err = scores_of_query(capsys, f"postgresql://someone:{SECRET}@{place}", "select 1")
    assert code == 2
    assert "127.0.0.1" in err
    assert SECRET not in out + err
    assert "someone" not in err


def test_secrets_are_removed_from_messages():
    address = "postgresql://me:a%20b@host/db?password=xyz&sslmode=disable"
    assert (
        _redact(f"{address}: a b, a%20b, xyz, me, some, disable", address) == "…: …, …, …, …, some, disable"
    )


def test_duckdb_and_sqlite_files_are_read_only(capsys, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    first = call_json(capsys, "scores", "x.npy")
    with duckdb.connect("x.duckdb") as database:
        database.execute(
            f"create table docs as select i, v::float[8] v from (values {','.join(sql_rows(X))}) t (i, v)"
        )
    options = ("--database", "duckdb://x.duckdb", "--query", "select v from docs order by i")
    assert call_json(capsys, "scores", *options) | {"name": "x.npy"} == first
    with sqlite3.connect("x.sqlite") as database:
        database.execute(f"create table docs ({', '.join(f'x{i} real' for i in range(8))})")
        database.executemany(f"insert into docs values ({','.join('?' * 8)})", X.tolist())
    code, out, _ = scores_of_query(capsys, "sqlite://x.sqlite", "select * from docs", "--json")
    assert code == 0
    assert "300" in out
    assert "read-only" in scores_of_query(capsys, "duckdb://x.duckdb", "drop table docs")[2]
    assert "readonly" in scores_of_query(capsys, "sqlite://x.sqlite", "delete from docs")[2]
    before = Path("x.sqlite").read_bytes()
    assert scores_of_query(capsys, "sqlite://x.sqlite", "select * from docs", "-o", "x.sqlite")[0] == 2
    assert Path("x.sqlite").read_bytes() == before
    code, _, err = scores_of_query(capsys, "duckdb://none.duckdb", "select 1")
    assert (code, "does not exist" in err, Path("none.duckdb").exists()) == (2, True, False)


@pytest.fixture
def sqlite(tmp_path, monkeypatch):
    """Create vectors as SQLite extensions store them: float32 in bytes, or JSON."""
    monkeypatch.chdir(tmp_path)
    db = sqlite3.connect("x.sqlite")
    db.execute("create table docs (id integer, title text, f4 blob, js text, f2 blob, f8 blob, cut blob)")
    db.executemany(
        "insert into docs values (?, 'a title', ?, ?, ?, ?, ?)",
        [
            (
                i,
                row.tobytes(),
                json.dumps(row.tolist()),
                *(row.astype(t).tobytes() for t in ("f2", "f8")),
                b"1",
            )
            for i, row in enumerate(X / np.linalg.norm(X, axis=1)[:, None])
        ],
    )
    db.commit()
    db.close()


@pytest.mark.parametrize("kind", ["f4", "js"])
def test_vectors_as_bytes_and_json_are_read(capsys, sqlite, kind):
    expected = isoscore(X / np.linalg.norm(X, axis=1)[:, None])
    options = ("scores", "--database", "sqlite://x.sqlite", "--query")
    all_columns = f"select id, title, {kind} from docs order by id"
    for words in ((f"select {kind} from docs",), (all_columns, "--column", kind)):
        isoscore_number = call_json(capsys, *options, *words)["sections"]["isotropy"]["numbers"]["isoscore"]
        assert isoscore_number["value"] == pytest.approx(expected, rel=1e-6)
    code, _, err = scores_of_query(capsys, "sqlite://x.sqlite", all_columns)
    assert (code, f"--column {kind}" in err, "--drop" in err) == (2, True, False)


@pytest.mark.parametrize("kind", ["title", "f2", "f8", "cut"])
def test_error_names_a_column_without_vectors(capsys, sqlite, kind):
    for query, options in ((f"select {kind} from docs", ()), ("select * from docs", ("--column", kind))):
        code, out, err = scores_of_query(capsys, "sqlite://x.sqlite", query, *options)
        assert (code, out, f"column '{kind}'" in err) == (2, "", True)


def test_lance_data_sets_are_read(tmp_path):
    lance = pytest.importorskip("lance")
    import pyarrow as pa

    fixed = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 8)
    lance.write_dataset(pa.table({"vector": fixed}), str(tmp_path / "x.lance"))
    np.testing.assert_array_equal(read(lance.dataset(str(tmp_path / "x.lance"))), X)
