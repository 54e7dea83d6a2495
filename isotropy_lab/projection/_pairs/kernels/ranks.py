"""Loops over sorted or counted pairs: ranks and monotone regression. Plain Python, to be compiled.

A rank is kept as twice its distance from the middle, first place + last place − (P − 1) of the pairs that share it: an
integer, positive and negative ones in balance, so that products of ranks sum to a covariance.

Monotone regression pools adjacent violators on a stack of blocks (mean, sum of squares about the mean, size). The
sums of squares are merged, not subtracted from each other, so that a perfect projection leaves exactly nothing.

A packed key has the float32 bits of one distance above those of the other, or above a rank: 32 bits each. A bucket is a
range of sorted keys that fits into the processor's cache; keys with the same upper half are in the same one.

The histogram's bin of a distance is what is left of the bits of its float32 without the last seven: 65,536 bins between
a number and its double, whatever its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)

CHUNK = 4096
"""Places whose values are fetched before they are used: fetching alone, the machine waits for many at a time."""

BINS = 2**24
SHIFT = np.uint32(7)
OCTAVE = np.uint32(16)
"""Bins between a number and its double, as a power of two."""


def key_places(values: Any, factor: float, bits: int, out: Any) -> None:
    """Write each value, in multiples of 1/factor, above its place: numbers that sort nearly as the values do."""
    shift = np.uint64(bits)
    for k in range(values.size):
        out[k] = (np.uint64(values[k] * factor) << shift) | np.uint64(k)


def settle(keys: Any, values: Any, bits: int) -> None:
    """Put sorted `key_places` in the order of the values themselves, where several have the same multiple."""
    shift = np.uint64(bits)
    low = (np.uint64(1) << shift) - np.uint64(1)
    start = 0
    n = keys.size
    while start < n:
        head = keys[start] >> shift
        stop = start + 1
        while stop < n and keys[stop] >> shift == head:
            stop += 1
        if stop - start > 24:
            places = keys[start:stop].copy()
            own = np.empty(stop - start)
            for k in range(stop - start):
                own[k] = values[np.int64(places[k] & low)]
            order = np.argsort(own)
            for k in range(stop - start):
                keys[start + k] = places[order[k]]
        else:
            for k in range(start + 1, stop):
                key = keys[k]
                value = values[np.int64(key & low)]
                m = k
                while m > start and values[np.int64(keys[m - 1] & low)] > value:
                    keys[m] = keys[m - 1]
                    m -= 1
                keys[m] = key
        start = stop


def push(mean: Any, squares: Any, size: Any, top: int, m: float, s: float, n: float) -> int:
    """Put a block on the stack, pool it with those before it that are not below it, return the new top."""
    while top > 0 and mean[top - 1] >= m:
        top -= 1
        gap = m - mean[top]
        both = n + size[top]
        s = s + squares[top] + gap * gap * (n * size[top] / both)
        m = mean[top] + gap * (n / both)
        n = both
    mean[top], squares[top], size[top] = m, s, n
    return top + 1


def total(values: Any, n: int) -> float:
    """The sum of the first n values, in parts so that rounding does not grow with n."""
    result = 0.0
    for start in range(0, n, 4096):
        part = 0.0
        for k in range(start, min(start + 4096, n)):
            part += values[k]
        result += part
    return result


def walk_data(
    keys: Any,
    bits: int,
    d: Any,
    e: Any,
    tolerance: float,
    ranks: bool,
    stress: bool,
    primary: bool,
    stack: Any,
    out: Any,
) -> None:
    """Walk the pairs by the distances of the data: rank them, and regress those of the projection on them.

    Pairs whose d is within `tolerance` of the first of a group are tied. With `ranks`, d is overwritten with ranks.
    Writes to `out`: residual sum of squares, sum of the squared ranks.
    """
    mean, squares, size = stack[0], stack[1], stack[2]
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    d_next, e_next, places = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK, np.int64)
    n = keys.size
    top, start = 0, 0
    anchor, m, s = 0.0, 0.0, 0.0
    rank_squares, part = 0.0, 0.0
    for k in range(n + 1):
        place = k % CHUNK
        if place == 0:
            rank_squares, part = rank_squares + part, 0.0
            for c in range(min(CHUNK, n - k)):
                places[c] = np.int64(keys[k + c] & low)
            for c in range(min(CHUNK, n - k)):
                d_next[c] = d[places[c]]
            if stress:
                for c in range(min(CHUNK, n - k)):
                    e_next[c] = e[places[c]]
        if k > 0 and (k == n or d_next[place] - anchor > tolerance):  # the group ends
            if stress:
                if primary and k - start > 1:
                    own = np.empty(k - start)
                    for c in range(start, k):
                        own[c - start] = e[np.int64(keys[c] & low)]
                    own.sort()
                    for c in range(k - start):
                        top = push(mean, squares, size, top, own[c], 0.0, 1.0)
                else:
                    top = push(mean, squares, size, top, m, s, float(k - start))
            if ranks:
                rank = float(start + k - n)
                for c in range(start, k):
                    d[np.int64(keys[c] & low)] = rank
                part += rank * rank * (k - start)
            start = k
        if k < n:
            if start == k:
                anchor, m, s = d_next[place], 0.0, 0.0
            if stress:
                gap = e_next[place] - m
                m += gap / (k - start + 1)
                s += gap * gap * ((k - start) / (k - start + 1))
    out[0], out[1] = total(squares, top), rank_squares + part


def walk_projection(keys: Any, bits: int, e: Any, ranks: Any, tolerance: float, out: Any) -> None:
    """Walk the pairs by the distances of the projection and multiply their ranks with those of the data.

    Writes to `out`: sum of the products, sum of the squared ranks.
    """
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    e_next, r_next, places = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK, np.int64)
    n = keys.size
    start = 0
    anchor, other = 0.0, 0.0
    products, squares, part, part_squares = 0.0, 0.0, 0.0, 0.0
    for k in range(n + 1):
        place = k % CHUNK
        if place == 0:
            products, squares = products + part, squares + part_squares
            part, part_squares = 0.0, 0.0
            for c in range(min(CHUNK, n - k)):
                places[c] = np.int64(keys[k + c] & low)
            for c in range(min(CHUNK, n - k)):
                e_next[c] = e[places[c]]
            for c in range(min(CHUNK, n - k)):
                r_next[c] = ranks[places[c]]
        if k > 0 and (k == n or e_next[place] - anchor > tolerance):  # the group ends
            rank = float(start + k - n)
            part += rank * other
            part_squares += rank * rank * (k - start)
            start, other = k, 0.0
        if k < n:
            if start == k:
                anchor = e_next[place]
            other += r_next[place]
    out[0], out[1] = products + part, squares + part_squares


def fit_bins(counts: Any, means: Any, stack: Any) -> float:
    """Fit bins in their order by a non-decreasing function of them; return Σ(size · mean²) of the blocks."""
    mean, squares, size = stack[0], stack[1], stack[2]
    top = 0
    for k in range(counts.size):
        top = push(mean, squares, size, top, means[k], 0.0, float(counts[k]))
    for k in range(top):
        squares[k] = size[k] * mean[k] * mean[k]
    return total(squares, top)


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
    """Regress the distances of the projection in the lower halves of sorted keys on their order; return sums and sizes of blocks.

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


def count_tile(
    D: Any, E: Any, i0: int, j0: int, unit: float, octaves: Any, counts_d: Any, counts_e: Any, sums: Any
) -> tuple[float, float]:
    """Count the pairs of a tile in the bins of d and of e, and add e to the bin of d in multiples of `unit`.

    Integers: their sums do not depend on which thread adds which tile. Marks the octaves of d and of e that hold a
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
