"""Loops over the keys of pairs, bucket by bucket. Plain Python; `compilation.compiled` makes them fast.

A key has the float32 bits of one distance above those of the other, or above a rank: 32 bits each. A bucket is a range
of sorted keys that fits into the processor's cache; keys with the same upper half are in the same one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isotropy_lab.projection._pairs.kernels.ranks import HALF, LOW


def count_keys(keys: Any, low: int, shift: int, counts: Any) -> None:
    """Count the keys whose upper half is in each bucket of width 2 to the power of `shift` from `low`."""
    last = counts.size - 1
    for k in range(keys.size):
        counts[min(max((np.int64(keys[k] >> HALF) - low) >> shift, 0), last)] += 1


def spread_keys(keys: Any, low: int, shift: int, places: Any, out: Any) -> None:
    """Put every key into its bucket, at the next of its places."""
    last = places.size - 1
    for k in range(keys.size):
        bucket = min(max((np.int64(keys[k] >> HALF) - low) >> shift, 0), last)
        out[places[bucket]] = keys[k]
        places[bucket] += 1


def pool_bucket(keys: Any, primary: bool) -> tuple[Any, Any]:
    """Regress the picture's distances in the lower halves of sorted keys on their order; return sums and sizes of blocks.

    Adjacent violators are pooled on a stack of blocks. The float32 values of up to 2²⁹ pairs add up without rounding
    where they are equal, so that the mean of equal ones is their value.
    """
    n = keys.size
    bits = np.empty(n, np.uint32)
    for k in range(n):
        bits[k] = np.uint32(keys[k] & LOW)
    values = bits.view(np.float32)
    sums, sizes = np.empty(n), np.empty(n)
    top, start = 0, 0
    while start < n:
        total = np.float64(values[start])
        stop = start + 1
        if not primary:
            head = keys[start] >> HALF
            while stop < n and keys[stop] >> HALF == head:
                total += np.float64(values[stop])
                stop += 1
        size = np.float64(stop - start)
        while top > 0 and sums[top - 1] * size >= total * sizes[top - 1]:
            top -= 1
            total += sums[top]
            size += sizes[top]
        sums[top], sizes[top] = total, size
        top += 1
        start = stop
    return sums[:top].copy(), sizes[:top].copy()


def join_blocks(sums: Any, sizes: Any) -> int:
    """Pool the blocks of all buckets, one after the other, on a stack at the front; return their number."""
    top = 0
    for k in range(sums.size):
        total, size = sums[k], sizes[k]
        while top > 0 and sums[top - 1] * size >= total * sizes[top - 1]:
            top -= 1
            total += sums[top]
            size += sizes[top]
        sums[top], sizes[top] = total, size
        top += 1
    return top


def find_blocks(starts: Any, sizes: Any, first: Any, used: Any) -> None:
    """Find the block that each bucket starts in, and how many of its pairs lie before."""
    block, end = 0, np.int64(sizes[0])
    for bucket in range(first.size):
        while end <= starts[bucket]:
            block += 1
            end += np.int64(sizes[block])
        first[bucket], used[bucket] = block, starts[bucket] - (end - np.int64(sizes[block]))


def bucket_residual(keys: Any, block: int, used: int, sums: Any, sizes: Any) -> float:
    """The sum of the squared gaps between the lower halves of keys and the means of their blocks."""
    n = keys.size
    bits = np.empty(n, np.uint32)
    for k in range(n):
        bits[k] = np.uint32(keys[k] & LOW)
    values = bits.view(np.float32)
    result, start = 0.0, 0
    while start < n:
        stop = min(start + np.int64(sizes[block]) - used, n)
        mean = sums[block] / sizes[block]
        for begin in range(start, stop, 4096):  # in parts so that rounding does not grow with the number
            part = 0.0
            for k in range(begin, min(begin + 4096, stop)):
                gap = np.float64(values[k]) - mean
                part += gap * gap
            result += part
        start, used = stop, 0
        block += 1
    return result


def rank_bucket(keys: Any, before: int, n: int, out: Any) -> None:
    """Make keys of e above the rank of d from sorted keys of d above e, with `before` of all n keys below them.

    Writes to `out`: sum of the squared ranks, largest group of equal d, Σ(t³ − t) over groups of t.
    """
    start, largest, counted = 0, 0, 0
    squares, part, cubes = 0.0, 0.0, 0.0
    while start < keys.size:
        head = keys[start] >> HALF
        stop = start + 1
        while stop < keys.size and keys[stop] >> HALF == head:
            stop += 1
        t = float(stop - start)
        largest = max(largest, stop - start)
        cubes += (t - 1.0) * t * (t + 1.0)
        rank = float(2 * before + start + stop - n)
        part += rank * rank * t
        counted += stop - start
        if counted >= 4096:
            squares, part, counted = squares + part, 0.0, 0
        place = np.uint64(2 * before + start + stop)
        for k in range(start, stop):
            keys[k] = ((keys[k] & LOW) << HALF) | place
        start = stop
    out[0], out[1], out[2] = squares + part, float(largest), cubes


def multiply_ranks(keys: Any, before: int, n: int, out: Any) -> None:
    """Multiply the ranks of e with those of d in sorted keys that `rank_bucket` has made.

    Writes to `out`: sum of the products, sum of the squared ranks, Σ(t³ − t) over groups of t with equal e.
    """
    start, counted = 0, 0
    products, squares, part, part_squares, cubes = 0.0, 0.0, 0.0, 0.0, 0.0
    while start < keys.size:
        head = keys[start] >> HALF
        other = 0.0
        stop = start
        while stop < keys.size and keys[stop] >> HALF == head:
            other += np.float64(np.int64(keys[stop] & LOW) - n)
            stop += 1
        t = float(stop - start)
        cubes += (t - 1.0) * t * (t + 1.0)
        rank = float(2 * before + start + stop - n)
        part += rank * other
        part_squares += rank * rank * t
        counted += stop - start
        if counted >= 4096:
            products, squares = products + part, squares + part_squares
            part, part_squares, counted = 0.0, 0.0, 0
        start = stop
    out[0], out[1], out[2] = products + part, squares + part_squares, cubes
