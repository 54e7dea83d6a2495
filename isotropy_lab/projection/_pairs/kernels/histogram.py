"""Loops over the pairs of a tile that count distances in bins. Plain Python, as in `kernels_pairs`.

The bin of a distance is what is left of the bits of its float32 without the last seven: 65,536 bins between a number
and its double, whatever its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

BINS = 2**24
SHIFT = np.uint32(7)
OCTAVE = np.uint32(16)
"""Bins between a number and its double, as a power of two."""


def count_tile(
    D: Any, E: Any, i0: int, j0: int, unit: float, octaves: Any, counts_d: Any, counts_e: Any, sums: Any
) -> tuple[float, float]:
    """Count the pairs of a tile in the bins of d and of e, and add e to the bin of d in whole multiples of `unit`.

    Whole numbers: their sums do not depend on which thread adds which tile. Marks the octaves of d and of e that hold a
    pair in the two rows of `octaves`: to look through all bins would take longer than to count some million pairs.
    Returns Σe² and the largest e.
    """
    per_unit = 1.0 / unit  # a power of two
    n_rows, n_columns = D.shape
    d, e = np.empty(n_columns, np.float32), np.empty(n_columns, np.float32)
    d_bits, e_bits = d.view(np.uint32), e.view(np.uint32)
    squares, largest = 0.0, 0.0
    for i in range(n_rows):
        for j in range(n_columns):
            d[j] = D[i, j]
            e[j] = E[i, j]
        part = 0.0
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            place, other = d_bits[j] >> SHIFT, e_bits[j] >> SHIFT
            octaves[0, place >> OCTAVE] = True
            octaves[1, other >> OCTAVE] = True
            counts_d[place] += 1
            counts_e[other] += 1
            sums[place] += np.int64(E[i, j] * per_unit + 0.5)
            part += E[i, j] * E[i, j]
            largest = max(largest, E[i, j])
        squares += part
    return squares, largest


def rank_tile(D: Any, E: Any, i0: int, j0: int, ranks_d: Any, ranks_e: Any) -> float:
    """The sum of the products of the ranks that the bins of d and of e have."""
    n_rows, n_columns = D.shape
    d, e = np.empty(n_columns, np.float32), np.empty(n_columns, np.float32)
    d_bits, e_bits = d.view(np.uint32), e.view(np.uint32)
    products = 0.0
    for i in range(n_rows):
        for j in range(n_columns):
            d[j] = D[i, j]
            e[j] = E[i, j]
        part = 0.0
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            part += ranks_d[d_bits[j] >> SHIFT] * ranks_e[e_bits[j] >> SHIFT]
        products += part
    return products
