"""Fixtures that serve the built site and open interactive figures in a browser."""

import functools
import http.server
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import skip_or_fail

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
SITE = BOOK / "_build" / "html"
sys.path.append(str(BOOK / "_ext"))  # Sphinx extensions import each other by name

import inline_expressions as inline_expressions  # noqa: E402


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """HTTP handler that does not log requests."""

    def log_message(self, *arguments: Any) -> None:
        """Suppress the log message."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on the loopback address, and yield its base address."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def built() -> Path:
    """Return the folder of the built site."""
    if not (SITE.parent / "inputs.sha256").exists():
        skip_or_fail("no built site: run `make book` first")
    return SITE


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """Serve the built site, and yield its base address."""
    with serve(built) as address:
        yield address


def address(site: str, path: Path) -> str:
    """Return the address at which the page of a notebook is served."""
    return site + path.relative_to(BOOK).with_suffix(".html").as_posix()


#: The variables of the site's theme, light and dark.
THEME = """
:root { --pst-color-background: #fff; --pst-color-border: #d1d5da; --pst-color-text-base: #222832;
        --pst-color-text-muted: #48566b; --pst-color-surface: #f3f4f5; }
body { background: #fff; color: #222832; font-family: sans-serif; margin: 12px; }
@media (prefers-color-scheme: dark) {
  :root { --pst-color-background: #14181e; --pst-color-border: #48566b; --pst-color-text-base: #ced6dd;
          --pst-color-text-muted: #9ca4af; --pst-color-surface: #29313d; }
  body { background: #14181e; color: #ced6dd; } }
"""


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page that contains only interactive figures; it must not raise errors or send requests."""
    pages = []

    def open_page(*figures: Any, script: str = "", **options: Any) -> Any:
        page = browser.new_context(**{"reduced_motion": "reduce", **options}).new_page()
        pages.append(page)
        page.errors = []
        page.on("pageerror", lambda e: page.errors.append(str(e)))
        page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
        page.on("request", lambda r: None if r.url.startswith("file:") else page.errors.append(r.url))
        file = tmp_path / f"page-{len(pages)}.html"
        file.write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>figure</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<style>{THEME}</style></head><body>"
            f"{''.join(figure._repr_html_() for figure in figures)}{script}</body></html>",
            encoding="utf-8",
        )
        page.goto(file.as_uri())
        return page

    yield open_page
    for page in pages:
        assert page.errors == []
        page.context.close()
