"""Vectors from a database query, read as an Arrow stream with ADBC drivers or DuckDB."""

from __future__ import annotations

import contextlib
import os
import re
import urllib.parse
from typing import Any

from isotropy_report._extras import require
from isotropy_report._options import short
from isotropy_report.io.arrow import read_arrow
from isotropy_report.io.columns import as_selection
from isotropy_report.io.growing import NamedVectors
from isotropy_report.io.shards import without_credentials

_DRIVERS = {
    "postgresql": ("adbc_driver_postgresql.dbapi", '"isotropy-lab[database]"'),
    "postgres": ("adbc_driver_postgresql.dbapi", '"isotropy-lab[database]"'),
    "sqlite": ("adbc_driver_sqlite.dbapi", '"isotropy-lab[database]"'),
    "duckdb": ("duckdb", "duckdb"),
}


def read_query(address: str, query: str, *, column: str | None, columns: Any, drop: Any) -> NamedVectors:
    """Run one query in one transaction, and read its result once as a stream.

    Messages never contain the user, password, or options of the address.
    """
    scheme, separator, database = address.partition("://")
    if not separator or scheme not in _DRIVERS:
        raise ValueError(
            f"--database is {short(without_credentials(address), 80)!r}; expected an address that begins "
            f"with {', '.join(f'{name}://' for name in _DRIVERS)}"
        )
    display_name = without_credentials(address)
    module, install = _DRIVERS[scheme]
    driver = require(module, f"reading {display_name}", install=install)
    if scheme in ("sqlite", "duckdb"):
        database = urllib.parse.unquote(database)
        if not os.path.isfile(database):  # otherwise, the driver would create the file
            raise FileNotFoundError(f"{display_name} does not exist; expected an existing database")
    selection = as_selection(columns, drop)
    try:
        if scheme == "duckdb":
            with driver.connect(database, read_only=True) as session:
                return read_arrow(session.sql(query), name=display_name, column=column, selection=selection)
        uri = f"file:{urllib.parse.quote(database)}?mode=ro" if scheme == "sqlite" else address
        with driver.connect(uri) as connection, connection.cursor() as cursor:
            if scheme != "sqlite":
                cursor.execute("set transaction read only")
            cursor.execute(query)
            return read_arrow(cursor, name=display_name, column=column, selection=selection)
    except (ValueError, TypeError, ImportError) as error:
        raise type(error)(_redact(str(error), address)) from None
    except Exception as error:  # every driver defines its own errors
        text = " ".join(_redact(str(error), address).split())
        raise ValueError(f"{display_name}: {short(text, 400)}") from None


def _redact(text: str, address: str) -> str:
    """Return a message without the database's address and the user names and passwords in it."""
    secrets = {address}
    with contextlib.suppress(ValueError):
        parts = urllib.parse.urlsplit(address)
        options = urllib.parse.parse_qsl(parts.query)
        secrets |= {parts.username or "", parts.password or ""}
        secrets |= {value for name, value in options if name == "user" or "pass" in name}
    secrets |= {urllib.parse.unquote(secret) for secret in secrets}
    pieces = text.split(display_name := without_credentials(address))
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        pieces = [re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "…", piece) for piece in pieces]
    return display_name.join(pieces)
