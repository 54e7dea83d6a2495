"""Label, meaning, and chapter of every number on the card."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from types import MappingProxyType
from typing import NamedTuple

from isotropy_report._options import read_texts


class Meaning(NamedTuple):
    """Label of a number, a sentence about its meaning, and the chapter that explains it (may be empty)."""

    label: str
    sentence: str
    chapter: str


_TEXTS = read_texts("isotropy_report.card", "meanings.toml")

_NUMBERS = {key: Meaning(**texts) for key, texts in _TEXTS["numbers"].items()}
MEANINGS: Mapping[str, Meaning] = MappingProxyType(_NUMBERS)
"""Meaning of every number on the card, by key."""

CHAPTERS: Mapping[str, str] = MappingProxyType(_TEXTS["chapters"])
"""Titles of the chapters to which the card refers."""

WARNINGS: Mapping[str, str] = MappingProxyType(_TEXTS["warnings"])
"""Short phrase for every kind of warning."""

ADVICE: Mapping[str, str] = MappingProxyType(_TEXTS["advice"])
"""Advice on what to do about each kind of warning."""

ENDS: Mapping[str, str] = MappingProxyType(_TEXTS["ends"])
"""Scores that have a strip plot, with an explanation of their two ends."""

TEXTS: Mapping[str, str] = MappingProxyType(_TEXTS["texts"])
"""Sentences of warnings and notes, in which braces stand for values."""


def chapter_address(chapter: str) -> str | None:
    """Return the address of a chapter on the declared site, or None if the package is not installed."""
    try:
        entries = metadata.metadata("isotropy-lab").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    sites = [entry.partition(", ")[2] for entry in entries if entry.startswith("Documentation, ")]
    return f"{sites[0].rstrip('/')}/{chapter}.html" if sites else None
