"""Fixture for a built site with Python for the browser."""

from collections.abc import Iterator

import pytest

from tests.book.conftest import SITE, serve
from tests.conftest import skip_or_fail


@pytest.fixture(scope="session")
def live() -> Iterator[str]:
    """Serve the built site, and yield its base address."""
    if not (SITE.parent / "inputs.sha256").exists():
        skip_or_fail("no built site: run `make book` first")
    if not (SITE / "_static" / "live" / "files.json").exists():
        skip_or_fail("this site was built without Python for the browser")
    with serve(SITE) as address:
        yield address
