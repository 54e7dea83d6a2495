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


def lists(rows):
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
        f"select i, 'a title', v::vector from (values {','.join(lists(X))}) as given (i, v)"
    )
    server.psql("create table empty (embedding vector(8))")
    server.psql(
        "create table holes (embedding vector(8)); insert into holes values ('[1,2,3,4,5,6,7,8]'), (null)"
    )
    server.psql(f"create role reader login password '{SECRET}'; grant select on docs to reader")
    yield server
    server.cleanup()


QUERY = "select embedding::real[] as embedding from docs order by id"


def asked(capsys, address, query, *words):
    return call(capsys, "scores", "--database", address, "--query", query, "--quiet", *words)


def test_a_server_a_folder_and_a_file_give_the_same_numbers(capsys, postgres, tmp_path, monkeypatch):
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
    for given in (("data",), query):
        assert call_json(capsys, "report", *given) | {"name": "x.npy"} == first
    address = postgres.get_uri().replace("postgres:@", f"reader:{SECRET}@")
    out = call(capsys, "report", "--database", address, "--query", QUERY, "-o", "card.html")[1]
    assert Path("card.html").exists()
    assert SECRET not in out + Path("card.html").read_text(encoding="utf-8")


WRONG = {
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


@pytest.mark.parametrize("name", WRONG)
def test_what_goes_wrong_is_one_line_and_writes_nothing(capsys, postgres, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    query, says = WRONG[name]
    code, out, err = asked(capsys, postgres.get_uri(), query, "-o", "x.txt")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert says in err
    assert list(tmp_path.iterdir()) == []
    assert postgres.psql("select count(*) from docs").split()[2] == "300"


@pytest.mark.parametrize(
    "place", ["127.0.0.1:1/docs", "127.0.0.1:1/docs?connect_timeout=1&sslpassword=" + SECRET]
)
def test_passwords_stand_in_no_message(capsys, place):
    pytest.importorskip("adbc_driver_postgresql")
    code, out, err = asked(capsys, f"postgresql://someone:{SECRET}@{place}", "select 1")
    assert code == 2
    assert "127.0.0.1" in err
    assert SECRET not in out + err
    assert "someone" not in err


def test_messages_are_cleaned_of_what_is_secret():
    address = "postgresql://me:a%20b@host/db?password=xyz&sslmode=disable"
    assert (
        _redact(f"{address}: a b, a%20b, xyz, me, some, disable", address) == "…: …, …, …, …, some, disable"
    )


def test_files_of_duckdb_and_sqlite(capsys, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    first = call_json(capsys, "scores", "x.npy")
    with duckdb.connect("x.duckdb") as base:
        base.execute(
            f"create table docs as select i, v::float[8] v from (values {','.join(lists(X))}) t (i, v)"
        )
    given = ("--database", "duckdb://x.duckdb", "--query", "select v from docs order by i")
    assert call_json(capsys, "scores", *given) | {"name": "x.npy"} == first
    with sqlite3.connect("x.sqlite") as base:
        base.execute(f"create table docs ({', '.join(f'x{i} real' for i in range(8))})")
        base.executemany(f"insert into docs values ({','.join('?' * 8)})", X.tolist())
    code, out, _ = asked(capsys, "sqlite://x.sqlite", "select * from docs", "--json")
    assert code == 0
    assert "300" in out
    assert "read-only" in asked(capsys, "duckdb://x.duckdb", "drop table docs")[2]
    assert "readonly" in asked(capsys, "sqlite://x.sqlite", "delete from docs")[2]
    before = Path("x.sqlite").read_bytes()
    assert asked(capsys, "sqlite://x.sqlite", "select * from docs", "-o", "x.sqlite")[0] == 2
    assert Path("x.sqlite").read_bytes() == before
    code, _, err = asked(capsys, "duckdb://none.duckdb", "select 1")
    assert (code, "does not exist" in err, Path("none.duckdb").exists()) == (2, True, False)


@pytest.fixture
def sqlite(tmp_path, monkeypatch):
    """Create vectors as SQLite extensions store them: float32 in bytes, or JSON."""
    monkeypatch.chdir(tmp_path)
    base = sqlite3.connect("x.sqlite")
    base.execute("create table docs (id integer, title text, f4 blob, js text, f2 blob, f8 blob, cut blob)")
    base.executemany(
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
    base.commit()
    base.close()


@pytest.mark.parametrize("kind", ["f4", "js"])
def test_vectors_in_bytes_and_in_json(capsys, sqlite, kind):
    expected = isoscore(X / np.linalg.norm(X, axis=1)[:, None])
    given = ("scores", "--database", "sqlite://x.sqlite", "--query")
    whole = f"select id, title, {kind} from docs order by id"
    for words in ((f"select {kind} from docs",), (whole, "--column", kind)):
        found = call_json(capsys, *given, *words)["sections"]["isotropy"]["numbers"]["isoscore"]
        assert found["value"] == pytest.approx(expected, rel=1e-6)
    code, _, err = asked(capsys, "sqlite://x.sqlite", whole)
    assert (code, f"--column {kind}" in err, "--drop" in err) == (2, True, False)


@pytest.mark.parametrize("kind", ["title", "f2", "f8", "cut"])
def test_what_is_neither_is_refused_by_its_column(capsys, sqlite, kind):
    for query, more in ((f"select {kind} from docs", ()), ("select * from docs", ("--column", kind))):
        code, out, err = asked(capsys, "sqlite://x.sqlite", query, *more)
        assert (code, out, f"column '{kind}'" in err) == (2, "", True)


def test_a_data_set_of_lance(tmp_path):
    lance = pytest.importorskip("lance")
    import pyarrow as pa

    fixed = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 8)
    lance.write_dataset(pa.table({"vector": fixed}), str(tmp_path / "x.lance"))
    np.testing.assert_array_equal(read(lance.dataset(str(tmp_path / "x.lance"))), X)
