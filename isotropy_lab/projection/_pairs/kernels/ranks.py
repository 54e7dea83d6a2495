"""Loops over sorted pairs for ranks and monotone regression, in plain Python to be compiled.

A rank is expressed as twice its distance from the middle rank: first position + last position − (P − 1) for
tied pairs among P pairs. This is an integer with mean zero, so sums of products of ranks are covariances.

Monotone regression pools adjacent violators on a stack of blocks (mean, sum of squares about the mean, size).
Sums of squares are merged, not subtracted, so that the residual of a perfect projection is exactly zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_CHUNK_ENTRIES = 4096
"""Number of values that are read before use, so that the processor can fetch many at the same time."""


def write_keys(values: Any, factor: float, bits: int, out: Any) -> None:
    """Write keys whose high bits are the rounded values and whose low bits are the indices."""
    shift = np.uint64(bits)
    for k in range(values.size):
        out[k] = (np.uint64(values[k] * factor) << shift) | np.uint64(k)


def sort_equal_keys(keys: Any, values: Any, bits: int) -> None:
    """Sort keys with equal high bits by their values."""
    shift = np.uint64(bits)
    low = (np.uint64(1) << shift) - np.uint64(1)
    start = 0
    n = keys.size
    while start < n:
        high_bits = keys[start] >> shift
        stop = start + 1
        while stop < n and keys[stop] >> shift == high_bits:
            stop += 1
        if stop - start > 1:
            equal_keys = keys[start:stop].copy()
            key_values = np.empty(stop - start)
            for k in range(stop - start):
                key_values[k] = values[np.int64(equal_keys[k] & low)]
            order = np.argsort(key_values)
            for k in range(stop - start):
                keys[start + k] = equal_keys[order[k]]
        start = stop


def pool_block(mean: Any, squares: Any, size: Any, top: int, m: float, s: float, n: float) -> int:
    """Push a block, pool it with earlier blocks whose mean is not smaller, and return the new top."""
    while top > 0 and mean[top - 1] >= m:
        top -= 1
        gap = m - mean[top]
        total = n + size[top]
        s = s + squares[top] + gap * gap * (n * size[top] / total)
        m = mean[top] + gap * (n / total)
        n = total
    mean[top], squares[top], size[top] = m, s, n
    return top + 1


def take_values(keys: Any, bits: int, values: Any, out: Any) -> None:
    """Write the values at the indices of the keys to `out`."""
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for k in range(keys.size):
        out[k] = values[np.int64(keys[k] & low)]


def find_ties(
    keys: Any, bits: int, values: Any, reach: int, tolerance: float, tied: Any, ranks: Any
) -> float:
    """Mark tied pairs in the bits of `tied`, write their ranks, and return Σrank² over all pairs.

    Pairs within `tolerance` of the first pair of a group are tied. Pairs whose keys differ by more than
    `reach` are not tied, so their values, which are scattered in memory, need not be read. Only ranks of tied
    pairs are written.
    """
    shift = np.uint64(bits)
    low = (np.uint64(1) << shift) - np.uint64(1)
    n = keys.size
    start = 0
    rank_squares, part = 0.0, 0.0
    anchor = np.int64(0)
    for k in range(n + 1):
        if k % _CHUNK_ENTRIES == 0:
            rank_squares, part = rank_squares + part, 0.0
        if k > 0:
            ends = k == n or np.int64(keys[k] >> shift) - anchor > reach
            if not ends:
                gap = values[np.int64(keys[k] & low)] - values[np.int64(keys[start] & low)]
                ends = gap > tolerance
            if ends:
                rank = float(start + k - n)
                part += rank * rank * (k - start)
                if k - start > 1:
                    for c in range(start, k):
                        tied[c >> 3] |= np.uint8(1 << (c & 7))
                        ranks[c] = rank
                start = k
        if k < n and start == k:
            anchor = np.int64(keys[k] >> shift)
    return rank_squares + part


def regress(e: Any, tied: Any, ranks: Any, primary: bool, stack: Any) -> int:
    """Write the blocks of a monotone regression to `stack`, and return their number."""
    mean, squares, size = stack[0], stack[1], stack[2]
    n = e.size
    top, k = 0, 0
    while k < n:
        if not (tied[k >> 3] >> (k & 7)) & 1:
            top = pool_block(mean, squares, size, top, e[k], 0.0, 1.0)
            k += 1
            continue
        stop = np.int64(ranks[k]) + n - k
        if primary:
            tied_values = e[k:stop].copy()
            tied_values.sort()
            for c in range(tied_values.size):
                top = pool_block(mean, squares, size, top, tied_values[c], 0.0, 1.0)
        else:
            m, s = 0.0, 0.0
            for c in range(k, stop):
                gap = e[c] - m
                m += gap / (c - k + 1)
                s += gap * gap * ((c - k) / (c - k + 1))
            top = pool_block(mean, squares, size, top, m, s, float(stop - k))
        k = stop
    return top


def multiply_ranks(
    keys: Any, bits: int, e: Any, reach: int, tolerance: float, tied: Any, ranks: Any, out: Any
) -> None:
    """Sum the products of the ranks of pairs in the projection and in the data.

    The indices in the keys are positions in the order of the data's distances, which determine the ranks of
    pairs without ties. `reach` has the same meaning as in `find_ties`. Write the sum of the products and the
    sum of the squared ranks to `out`.
    """
    shift = np.uint64(bits)
    low = (np.uint64(1) << shift) - np.uint64(1)
    next_ranks = np.empty(_CHUNK_ENTRIES)
    n = keys.size
    start = 0
    anchor = np.int64(0)
    rank_sum = 0.0
    products, squares, part, part_squares = 0.0, 0.0, 0.0, 0.0
    for k in range(n + 1):
        offset = k % _CHUNK_ENTRIES
        if offset == 0:
            products, squares = products + part, squares + part_squares
            part, part_squares = 0.0, 0.0
            for c in range(min(_CHUNK_ENTRIES, n - k)):
                position = np.int64(keys[k + c] & low)
                if (tied[position >> 3] >> (position & 7)) & 1:
                    next_ranks[c] = ranks[position]
                else:
                    next_ranks[c] = 2 * position + 1 - n
        if k > 0:
            ends = k == n or np.int64(keys[k] >> shift) - anchor > reach
            if not ends:
                gap = e[np.int64(keys[k] & low)] - e[np.int64(keys[start] & low)]
                ends = gap > tolerance
            if ends:
                rank = float(start + k - n)
                part += rank * rank_sum
                part_squares += rank * rank * (k - start)
                start, rank_sum = k, 0.0
        if k < n:
            if start == k:
                anchor = np.int64(keys[k] >> shift)
            rank_sum += next_ranks[offset]
    out[0], out[1] = products + part, squares + part_squares
