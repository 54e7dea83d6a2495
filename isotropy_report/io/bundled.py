"""Word vectors that ship with the package; beside each file stands a record of where it comes from."""

from __future__ import annotations

from pathlib import Path

NAMES = ("glove-weat", "glove-pool")


def data_file(name: str) -> Path:
    """Return the path of a bundled file."""
    return Path(__file__).with_name("data") / name
