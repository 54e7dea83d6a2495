"""A served site for the tests that look at pages."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import must

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "book" / "_build" / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line each."""

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback address; yield its base address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve the built site; yield its base address."""
    if not (SITE.parent / "inputs.sha256").exists():
        must("no built site: run `make book` first")
    with served(SITE) as address:
        yield address
