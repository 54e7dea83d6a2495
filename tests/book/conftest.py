"""A served site and a browser for the tests that look at pages."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "book" / "_build" / "html"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def must(reason: str) -> None:
    """Skip with a sentence, or fail where CI has promised a browser and a built site."""
    if os.environ.get("ISOTROPY_LAB_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line each."""

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve the built site on the loopback address; yield its base address."""
    if not (SITE.parent / "inputs.sha256").exists():
        must("no built site: run `make book` first")
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the machine's Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next((found for name in names if (found := shutil.which(name))), None)
    if executable is None:
        must("no Chromium on this machine: on Debian, `apt-get install chromium`")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()
