"""Word vectors that ship with the package; each file comes with a record of its source."""

from __future__ import annotations

from pathlib import Path

NAMES = ("glove-weat", "glove-pool")


def data_file(name: str) -> Path:
    """Return the path of a bundled file."""
    return Path(__file__).with_name("data") / name
