"""Ranks of distances that are rounded to float32, two to an integer of 64 bits, and sorted in buckets."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs.compilation import available, compiled
from isotropy_lab.projection._pairs.distances import Pairs, Tile
from isotropy_lab.projection._pairs.kernels import distances as kernels_distances
from isotropy_lab.projection._pairs.kernels import ranks as kernels
from isotropy_lab.projection._pairs.rank_sums import RankSums, gathered, ranks_in_numpy

__all__ = ["packed_ranks"]

_BUCKET = 2**12
"""Keys in a bucket, about: 32 kilobytes, which the nearest caches hold."""

_MOST_BUCKETS = 2**12
"""More places to write to than that slow down the writing."""

Keys = NDArray[np.uint64]


def packed_ranks(pairs: Pairs, *, n_threads: int, ranks: bool, stress: bool, ties: str) -> RankSums:
    """Rank the distances of both sides as float32, and fit those of the projection to the order of the data's.

    Memory: 16 bytes for each pair, and up to 32 more where the projection is nearly perfect. Sums are taken bucket by
    bucket, and the buckets depend on the keys alone, not on the number of threads.
    """
    if not available():
        return _in_numpy(pairs, n_threads=n_threads, ranks=ranks, stress=stress, primary=ties == "primary")
    n = pairs.n_pairs
    keys, room = np.empty(n, np.uint64), np.empty(n, np.uint64)
    tiles = pairs.tiles()
    slots = np.zeros((len(tiles), 2))
    pack = compiled(kernels_distances.pack_tile)

    def packing(number: int, tile: Tile, D: NDArray[np.float64], E: NDArray[np.float64]) -> None:
        slots[number] = pack(D, E, tile.i0, tile.j0, keys[tile.first : tile.first + tile.n_pairs])

    pairs.each(tiles, packing, n_threads=n_threads)
    starts = _spread(keys, room, n_threads)
    _each(lambda b: room[starts[b] : starts[b + 1]].sort(), starts.size - 1, n_threads)
    residual = _residual(room, starts, ties == "primary", n_threads) if stress else 0.0
    by_data = np.zeros((starts.size - 1, 3))
    rank = compiled(kernels.rank_bucket)
    _each(
        lambda b: rank(room[starts[b] : starts[b + 1]], starts[b], n, by_data[b]), starts.size - 1, n_threads
    )
    by_projection = np.zeros((1, 3))
    if ranks:
        starts = _spread(room, keys, n_threads)
        by_projection = np.zeros((starts.size - 1, 3))
        multiply = compiled(kernels.multiply_ranks)

        def multiplying(b: int) -> None:
            bucket = keys[starts[b] : starts[b + 1]]
            bucket.sort()
            multiply(bucket, starts[b], n, by_projection[b])

        _each(multiplying, starts.size - 1, n_threads)
    return RankSums(
        n,
        math.fsum(by_projection[:, 0]),
        math.fsum(by_data[:, 0]),
        math.fsum(by_projection[:, 1]),
        residual,
        math.fsum(slots[:, 0]),
        cubes_x=math.fsum(by_data[:, 2]),
        cubes_y=math.fsum(by_projection[:, 2]),
        largest_group=int(by_data[:, 1].max()),
        max_e=float(slots[:, 1].max()),
        rounding=2.0**-23,
    )


def _in_numpy(pairs: Pairs, *, n_threads: int, ranks: bool, stress: bool, primary: bool) -> RankSums:
    d, e = (side.astype(np.float32).astype(np.float64) for side in gathered(pairs, n_threads=n_threads))
    sums = ranks_in_numpy(d, e, 0.0, 0.0, ranks=ranks, stress=stress, primary=primary)
    of_d, of_e = (np.unique(side, return_counts=True)[1].astype(np.float64) for side in (d, e))
    return replace(
        sums,
        sum_e2=float((e * e).sum()),
        cubes_x=float(((of_d - 1.0) * of_d * (of_d + 1.0)).sum()),
        cubes_y=float(((of_e - 1.0) * of_e * (of_e + 1.0)).sum()) if ranks else 0.0,
        largest_group=int(of_d.max()),
        max_e=float(e.max()),
        rounding=2.0**-23,
    )


def _spread(keys: Keys, out: Keys, n_threads: int) -> NDArray[np.int64]:
    """Copy keys into buckets by their upper halves; return where each bucket starts, and where the last one ends.

    The buckets divide the range that all but a few keys of a sample lie in; what is below or above goes into the first
    or the last one.
    """
    sample = np.sort((keys[:: max(keys.size >> 16, 1)] >> np.uint64(32)).astype(np.int64))
    rare = sample.size >> 10
    low, high = int(sample[rare]), int(sample[-1 - rare])
    n_buckets = min(max(keys.size // _BUCKET, 1), _MOST_BUCKETS)
    shift = 0
    while (high - low) >> shift >= n_buckets:
        shift += 1
    # Threads share out the keys, not the buckets: a key's place in its bucket does not matter before that is sorted.
    edges = [keys.size * part // n_threads for part in range(n_threads + 1)]
    counts = np.zeros((n_threads, n_buckets), np.int64)
    count, spread = compiled(kernels.count_keys), compiled(kernels.spread_keys)
    _each(lambda p: count(keys[edges[p] : edges[p + 1]], low, shift, counts[p]), n_threads, n_threads)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts.sum(axis=0))])
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts
    _each(lambda p: spread(keys[edges[p] : edges[p + 1]], low, shift, places[p], out), n_threads, n_threads)
    return starts


def _residual(keys: Keys, starts: NDArray[np.int64], primary: bool, n_threads: int) -> float:
    """Fit the lower halves of sorted keys by a non-decreasing function of the place; return what that leaves."""
    n_buckets = int(np.searchsorted(starts, keys.size))  # those after them are empty
    blocks = [(np.empty(0), np.empty(0))] * n_buckets
    left = np.zeros(n_buckets)
    pool, gaps = compiled(kernels.pool_bucket), compiled(kernels.bucket_residual, reorder=True)

    def pooling(b: int) -> None:
        blocks[b] = pool(keys[starts[b] : starts[b + 1]], primary)

    _each(pooling, n_buckets, n_threads)
    sums, sizes = (np.concatenate(side) for side in zip(*blocks, strict=True))
    blocks.clear()
    compiled(kernels.join_blocks)(sums, sizes)
    first, used = np.zeros(n_buckets, np.int64), np.zeros(n_buckets, np.int64)
    compiled(kernels.find_blocks)(starts, sizes, first, used)

    def summing(b: int) -> None:
        left[b] = gaps(keys[starts[b] : starts[b + 1]], first[b], used[b], sums, sizes)

    _each(summing, n_buckets, n_threads)
    return math.fsum(left)


def _each(work: Callable[[int], object], count: int, n_threads: int) -> None:
    """Call work(0) … work(count − 1); threads take numbers as they come."""
    numbers = iter(range(count))

    def some(_: int) -> None:
        for number in numbers:
            work(number)

    if n_threads == 1:
        some(0)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            for _ in pool.map(some, range(n_threads)):
                pass
