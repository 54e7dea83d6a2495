"""Scores of well-known encoders, with which a score can be compared.

The table is made by ``scripts/make_reference_scores.py``; its record says from what, and which encoders it
lacks.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

_FILE = "reference-encoders.csv"


@dataclasses.dataclass(frozen=True)
class KnownEncoder:
    """What an encoder makes of a number of texts of a collection, and its scores, by the key of the card."""

    encoder: str
    collection: str
    n_points: int
    n_dimensions: int
    scores: Mapping[str, float]

    @property
    def name(self) -> str:
        """The encoder, with the collection unless it is the book's."""
        return (
            self.encoder if self.collection.startswith("YANG") else f"{self.encoder}, {self.collection[:4]}"
        )


def dimensions_of(one: KnownEncoder) -> float:
    """Return how many dimensions an encoder uses, from its corrected IsoScore."""
    return 1.0 + one.scores["isoscore_corrected"] * (one.n_dimensions - 1)


def known_encoders(n_points: int) -> tuple[KnownEncoder, ...]:
    """Return the known encoders, each with the number of rows nearest to the one asked for (as a ratio).

    Scores depend on the number of rows N and the dimensions n. N is matched as nearly as the table goes, n is
    the encoder's own.

    Examples
    --------
    >>> found = known_encoders(450)
    >>> found[0].encoder, found[0].n_points, found[0].n_dimensions
    ('MiniLM', 500, 384)
    """
    sizes: dict[tuple[str, str], list[KnownEncoder]] = {}
    for one in _table():
        sizes.setdefault((one.collection, one.encoder), []).append(one)
    return tuple(
        min(found, key=lambda one: abs(math.log(one.n_points / n_points))) for found in sizes.values()
    )


@lru_cache(maxsize=1)
def _table() -> tuple[KnownEncoder, ...]:
    text = resources.files("isotropy_report.card").joinpath("data", _FILE).read_text(encoding="utf-8")
    scores: dict[tuple[str, str, int, int], dict[str, float]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = row["encoder"], row["collection"], int(row["rows"]), int(row["dimensions"])
        scores.setdefault(key, {})[row["measure"]] = float(row["value"])
    return tuple(KnownEncoder(*key, values) for key, values in scores.items())
