"""Ranks of distances from counts in bins: no memory for pairs, two passes, and a bound of the error."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import choose
from isotropy_lab.projection._pairs.distances import Distances, Pairs, Tile
from isotropy_lab.projection._pairs.kernels import ranks as kernels
from isotropy_lab.projection._pairs.rank_sums import RankSums

__all__ = ["histogram_ranks"]

Floats = NDArray[np.float64]

_KEPT_PAIRS = 2**28
"""Up to this many pairs the distances of the data are kept as float32, a gigabyte, instead of computed twice."""


@dataclass(frozen=True)
class _Kept(Distances):
    """The distances of another side as float32, tile by tile: all that a bin is made from."""

    blocks: dict[tuple[int, int], NDArray[np.float32]]

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        out[...] = self.blocks[i0, j0]


def histogram_ranks(pairs: Pairs, *, n_threads: int, ranks: bool, stress: bool) -> RankSums:
    """Rank the distances of both sides by their bins, and fit those of the projection to the bins of the data.

    Without `ranks` the second pass is left out. Memory: some megabytes for the bins that are used, for each thread, and
    4 bytes for each pair to keep the distances of the data from the first pass for the second; above 2²⁸ pairs
    (N = 23,170) these are computed twice instead.
    """
    tiles = pairs.tiles()
    n = pairs.n_pairs
    slots = np.zeros((len(tiles), 3))
    # The projection lies in a cube of side 2 in its units: Σe in multiples of `unit` stays below 2⁶².
    largest = 2.0 * math.sqrt(pairs.y.n_dimensions)
    unit = math.ldexp(1.0, math.frexp(n * largest)[1] - 62)
    books: list[tuple[NDArray[np.int64], ...]] = []
    octaves: list[NDArray[np.bool_]] = []
    own = threading.local()
    count = choose(kernels.count_tile, plain.count_tile)
    kept = _Kept(pairs.x.points, pairs.x.exponent, pairs.x.resolution, {})
    keeps = ranks and n <= _KEPT_PAIRS

    def counting(number: int, tile: Tile, D: Floats, E: Floats) -> None:
        if not hasattr(own, "books"):
            # Pages of zeros take no memory until they are written to.
            own.octaves = np.zeros((2, kernels.BINS >> int(kernels.OCTAVE)), np.bool_)
            own.books = np.zeros((kernels.BINS, 2), np.int64), np.zeros(kernels.BINS, np.int64)
            octaves.append(own.octaves)
            books.append(own.books)
        if keeps:
            kept.blocks[tile.i0, tile.j0] = D.astype(np.float32)
        slots[number, :2] = count(D, E, tile.i0, tile.j0, unit, own.octaves, *own.books)

    pairs.each(tiles, counting, n_threads=n_threads)
    in_d, in_e = np.any(octaves, axis=0)
    used_d, counts_d, sums = _merged([(book[:, 0], book[:, 1]) for book, _ in books], in_d)
    used_e, counts_e, _ = _merged([(counts, counts) for _, counts in books], in_e)
    sum_e2 = math.fsum(slots[:, 0])
    residual = 0.0
    if stress:
        fit = choose(kernels.fit_bins, plain.fit_bins)
        fitted = fit(counts_d, sums * unit / counts_d, np.empty((3, used_d.size)))
        residual = max(sum_e2 - fitted, 0.0)
    products = squares_d = squares_e = 0.0
    if ranks:
        table_d, squares_d = _ranks(used_d, counts_d)
        table_e, squares_e = _ranks(used_e, counts_e)
        multiply = choose(kernels.rank_tile, plain.rank_tile)

        def multiplying(number: int, tile: Tile, D: Floats, E: Floats) -> None:
            slots[number, 2] = multiply(D, E, tile.i0, tile.j0, table_d, table_e)

        (Pairs(kept, pairs.y) if keeps else pairs).each(tiles, multiplying, n_threads=n_threads)
        products = math.fsum(slots[:, 2])
    return RankSums(
        n,
        products,
        squares_d,
        squares_e,
        residual,
        sum_e2,
        cubes_x=_cubes(counts_d),
        cubes_y=_cubes(counts_e),
        largest_group=int(counts_d.max()),
        max_e=float(slots[:, 1].max()),
        rounding=2.0**-23,
    )


def _merged(
    books: list[tuple[NDArray[np.int64], NDArray[np.int64]]], octaves: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64]]:
    """The bins that any thread has used, all in the marked octaves, their counts and their sums."""
    width = 1 << int(kernels.OCTAVE)
    found = []
    for octave in np.flatnonzero(octaves):
        part = slice(octave * width, (octave + 1) * width)
        counts = np.sum([counts[part] for counts, _ in books], axis=0)
        sums = np.sum([sums[part] for _, sums in books], axis=0)
        used = np.flatnonzero(counts)
        found.append((used + part.start, counts[used], sums[used]))
    bins, counts, sums = (np.concatenate(side) for side in zip(*found, strict=True))
    return bins, counts, sums


def _ranks(used: NDArray[np.intp], counts: NDArray[np.int64]) -> tuple[Floats, float]:
    """A table from bin to rank, of which only the used places are set, and Σrank²."""
    last = np.cumsum(counts)
    ranks = (2 * last - counts - last[-1]).astype(np.float64)
    table = np.empty(kernels.BINS)
    table[used] = ranks
    return table, math.fsum(ranks * ranks * counts)


def _cubes(counts: NDArray[np.int64]) -> float:
    sizes = counts.astype(np.float64)
    return math.fsum((sizes - 1.0) * sizes * (sizes + 1.0))
