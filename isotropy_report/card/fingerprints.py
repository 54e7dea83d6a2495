"""Equal rows, found by 64-bit fingerprints without comparing rows with one another."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

_KEYS = 0x1505_2022
"""Seed of the random multipliers; any other does as well."""


@dataclasses.dataclass(frozen=True)
class Duplicates:
    """How many rows repeat an earlier one."""

    n_duplicates: int
    largest: int  # how often the most frequent row occurs
    first: tuple[int, ...]  # places of its first two copies; empty if all rows differ


class Fingerprints:
    """Fingerprints of rows that come block by block.

    A row is read as 64-bit words; each is multiplied by a random odd number, its halves are mixed, and it is multiplied
    by another one; the sum is the fingerprint. Equal rows have equal ones (−0 counts as 0), two different rows with a
    probability of about 2⁻⁶⁴.
    """

    def __init__(self) -> None:
        self._prints: list[npt.NDArray[np.uint64]] = []

    def add(self, block: npt.NDArray[Any]) -> None:
        """Add the rows that follow."""
        self._prints.append(_fingerprints(block))

    def result(self) -> Duplicates:
        """Count the rows that occur more than once."""
        prints = np.concatenate(self._prints)
        order = np.argsort(prints, kind="stable")
        sorted_prints = prints[order]
        starts = np.flatnonzero(np.concatenate([[True], sorted_prints[1:] != sorted_prints[:-1]]))
        counts = np.diff(np.append(starts, prints.size))
        largest = int(counts.max())
        most = int(starts[np.argmax(counts)])
        first = tuple(int(i) for i in order[most : most + 2]) if largest > 1 else ()
        return Duplicates(int((counts - 1).sum()), largest, first)


def _fingerprints(block: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    if block.dtype.kind == "f":
        block = block + block.dtype.type(0)  # −0 becomes 0
    if block.dtype.itemsize > 8:  # long double has bytes that hold nothing
        block = block.astype(np.float64)
    n_bytes = block.shape[1] * block.dtype.itemsize
    n_words = -(-n_bytes // 8)
    if n_bytes == 8 * n_words:
        words = np.ascontiguousarray(block).view(np.uint64)
    else:
        padded = np.zeros((block.shape[0], 8 * n_words), np.uint8)
        padded[:, :n_bytes] = np.ascontiguousarray(block).view(np.uint8).reshape(block.shape[0], n_bytes)
        words = padded.view(np.uint64)
    keys = np.random.default_rng(_KEYS).integers(2**64, size=(2, n_words), dtype=np.uint64) | np.uint64(1)
    prints = np.empty(block.shape[0], np.uint64)
    few = max(1, 2**17 // n_words)  # so that the words stay in the cache
    for start in range(0, block.shape[0], few):
        mixed = words[start : start + few] * keys[0]
        mixed ^= mixed >> np.uint64(32)
        mixed *= keys[1]
        mixed ^= mixed >> np.uint64(29)
        prints[start : start + few] = mixed.sum(axis=1, dtype=np.uint64)
    return prints
