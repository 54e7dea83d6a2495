"""Rows that repeat an earlier row, detected by 64-bit hashes instead of by comparing rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.retrieval._checks import as_groups
from isotropy_report.measures._checks import TEXTS

Hashes = npt.NDArray[np.uint64]

_CHUNK_ENTRIES = 2**20  # entries hashed at a time
_SEED = 0x1505_2022
"""Seed of the column weights; any other would do."""

_FEW_REPEATS = 0.01
"""Up to this fraction, repeated questions hardly change a result."""


@dataclasses.dataclass(frozen=True)
class Duplicates:
    """Number of rows that repeat an earlier row, with examples."""

    n_duplicates: int
    most_occurrences: int  # number of occurrences of the most frequent row
    most_frequent: tuple[int, ...]  # indices of that row's first two occurrences; empty if all rows differ
    repeats: tuple[int, ...]  # the first rows that repeat an earlier one, at most 11


def row_hashes(rows: npt.NDArray[Any]) -> Hashes:
    """Return a hash of each row; hashes of different rows are equal with a probability of about 2⁻⁶³."""
    weights = np.random.default_rng(_SEED).integers(2**64, size=rows.shape[1], dtype=np.uint64) | np.uint64(1)
    hashes = np.empty(len(rows), np.uint64)
    chunk_size = max(1, _CHUNK_ENTRIES // rows.shape[1])
    for start in range(0, len(rows), chunk_size):
        block = rows[start : start + chunk_size]
        if block.dtype == np.longdouble:  # the padding bytes of a long double are arbitrary
            block = block.astype(np.float64)
        if block.dtype.kind == "f":
            block = block + block.dtype.type(0)  # converts −0 to 0
        entries = pd.util.hash_array(block.ravel()).reshape(block.shape)
        hashes[start : start + chunk_size] = (entries * weights).sum(axis=1, dtype=np.uint64)
    return hashes


def count_duplicates(hashes: Hashes) -> Duplicates:
    """Count the rows that repeat an earlier row, from the hashes of all rows."""
    distinct, first_rows, counts = np.unique(hashes, return_index=True, return_counts=True)
    repeats = np.delete(np.arange(hashes.size), first_rows)
    most_frequent = np.flatnonzero(hashes == distinct[counts.argmax()])[:2] if repeats.size else repeats
    return Duplicates(
        n_duplicates=repeats.size,
        most_occurrences=int(counts.max()),
        most_frequent=tuple(most_frequent.tolist()),
        repeats=tuple(repeats[:11].tolist()),
    )


def repeated_questions(
    questions: Sequence[Any], groups: checks.Groups = None, *, answered: bool = True
) -> str:
    """Return a sentence if more than a few questions repeat earlier ones, or an empty string.

    Questions repeat each other if their vectors are equal for every model, whatever their gold. Repeats count
    once if their group is the same. Only questions that are answered have gold.
    """
    codes = [row_hashes(checks.as_points(vectors)) for vectors in questions]
    n = len(codes[0])
    labels = np.arange(n) if groups is None else as_groups(groups, n)
    n_asked, n_distinct = (
        np.unique(np.stack(rows), axis=1).shape[1] for rows in ([*codes, labels.astype(np.uint64)], codes)
    )
    n_repeats = n_asked - n_distinct
    gold = TEXTS["repeated_gold"] * answered
    text: str = TEXTS["repeated"].format(repeats=n_repeats, asked=n_asked, distinct=n_distinct, gold=gold)
    return text if n_repeats > _FEW_REPEATS * n_asked else ""
