"""Exact nearest neighbors, ranks of given points, and orders of all points, in bounded memory.

Euclidean distances are compared by `isotropy_lab._core.neighbors`, which selects candidates by matrix
products and decides in float64. Precomputed distances, and orders of all points, are sorted row by row.
Distances are rounded to 40 bits, and ties are ordered by position; a point has no rank relative to itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core.neighbors import Positions, Tiles, best, block_rows
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import choose
from isotropy_lab.projection._pairs.distances import Distances, Pairs
from isotropy_lab.projection._pairs.kernels import neighbors as kernels

__all__ = ["co_ranks", "nearest", "neighbors_of_both", "ranks_of"]

Floats = NDArray[np.float64]
Indices = NDArray[Any]

_NARROW = 32
"""Maximum number of coordinates for which both products of a pair are computed."""

_CHUNK_ENTRIES = 2**21
"""Number of entries of the rows that are sorted together: 16 MB."""


def nearest(side: Distances, own: Indices, k: int) -> Indices:
    """Return the indices of the k nearest neighbors of the points at indices `own`, nearest first."""
    return _neighbors_and_ranks(side, own, k, np.empty((own.size, 0), np.intp))[0]


def ranks_of(side: Distances, own: Indices, targets: Indices) -> Indices:
    """Return the ranks of the points `targets` by distance from the points `own`, one row per point."""
    return _neighbors_and_ranks(side, own, 0, targets)[1]


def neighbors_of_both(pairs: Pairs, own: Indices, k: int) -> tuple[Indices, Indices, Indices, Indices]:
    """Return neighbors in the projection with their ranks in the data, and the same with roles exchanged."""
    in_map = nearest(pairs.y, own, k)
    in_data, data_ranks = _neighbors_and_ranks(pairs.x, own, k, in_map)
    return in_map, data_ranks, in_data, ranks_of(pairs.y, own, in_data)


def _neighbors_and_ranks(side: Distances, own: Indices, k: int, targets: Indices) -> tuple[Indices, Indices]:
    """Return the results of `nearest` and `ranks_of`, from one pass over the pairs."""
    results = []
    if side.precomputed:
        for chunk in row_blocks(own.size, side.n_points):
            order = sorted_order(side, own[chunk])
            ranks = np.empty_like(order)
            np.put_along_axis(ranks, order, np.arange(1, side.n_points + 1)[None, :], axis=1)
            results.append((order[:, :k].copy(), np.take_along_axis(ranks, targets[chunk], axis=1)))
    else:
        points = Positions.of(side.points, "points")
        # One product serves both points of a pair, unless computing it again is faster than storing it twice.
        all_pairs = own.size == side.n_points and side.n_dimensions > _NARROW
        chunk_size = own.size if all_pairs else block_rows(side.n_dimensions)
        for chunk in (slice(start, start + chunk_size) for start in range(0, own.size, chunk_size)):
            queries = points if all_pairs else points[own[chunk]]
            results.append(_search(queries, points, own[chunk], k, targets[chunk]))
    indices, ranks = (np.concatenate(parts) for parts in zip(*results, strict=True))
    return indices, ranks


def _search(
    queries: Positions, points: Positions, own: Indices, k: int, targets: Indices
) -> tuple[Indices, Indices]:
    """Return the k nearest points, and the ranks of the targets, computed by counting closer points."""
    n_targets = targets.shape[1]
    pair_rows = np.repeat(np.arange(own.size), n_targets)
    goals = queries.pairs(points, pair_rows, targets.ravel()).reshape(targets.shape)
    order = np.lexsort((-targets, goals), axis=1)  # nearest last; tied points by descending position
    goals, positions = (np.take_along_axis(values, order, axis=1) for values in (goals, targets))
    counts = np.zeros((own.size, n_targets + 1), np.int64)
    loop = choose(kernels.count_nearer, plain.count_nearer)

    def count(tiles: Tiles, rows: slice, columns: slice, product: NDArray[Any]) -> NDArray[Any]:
        """Count the closer points of a tile, and return its product, in float64 if float32 cannot decide."""
        tile_counts = np.zeros((len(product), n_targets + 1), np.int64)
        undecided = np.zeros(product.shape, np.bool_)
        arguments = goals[rows], positions[rows], columns.start
        loop(product, *arguments, points.margin(product.dtype), tile_counts, undecided)
        n_undecided = np.count_nonzero(undecided)
        if not tiles.exact and tiles.is_crowded(n_undecided, product, n_targets):
            tiles.exact = True  # other tiles are as crowded
            return count(tiles, rows, columns, tiles.precise(rows, columns))
        if n_undecided:
            r, c = np.nonzero(undecided)
            is_other = own[rows][r] != c + columns.start
            r, c = r[is_other], c[is_other] + columns.start
            values = queries.pairs(points, r + rows.start, c)[:, None]
            limits, is_earlier = goals[rows][r], c[:, None] < positions[rows][r]
            ahead = (values > limits) | ((values == limits) & is_earlier)
            np.add.at(tile_counts, (r, ahead.sum(axis=1)), 1)
        counts[rows] += tile_counts
        return product

    if k:
        indices = best(queries, points, k, own=own, on_tile=count if n_targets else None)[0]
    else:
        indices, tiles = order[:, :0], Tiles(queries, points, own)
        for rows, columns, product in tiles:
            count(tiles, rows, columns, product)
    ranks = np.empty(targets.shape, np.int64)
    # A point that is closer than m targets precedes the first m of them.
    np.put_along_axis(ranks, order, 1 + np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1], axis=1)
    return indices, ranks


def row_blocks(n_rows: int, width: int) -> list[slice]:
    """Return slices of rows, each of at most `_CHUNK_ENTRIES` entries."""
    chunk_size = max(1, _CHUNK_ENTRIES // width)
    return [slice(start, min(start + chunk_size, n_rows)) for start in range(0, n_rows, chunk_size)]


def co_ranks(x: Distances, y: Distances) -> Indices:
    """Return the sums of `kernels.compare_orders` over all points, for each K < N."""
    n = x.n_points
    sums = np.zeros((3, n), np.int64)
    loop = choose(kernels.compare_orders, plain.compare_orders)
    for block in row_blocks(n, n):
        loop(*(sorted_order(side, np.arange(n)[block]) for side in (x, y)), sums)
    return sums


def sorted_order(side: Distances, own: Indices) -> Indices:
    """Return all indices sorted by distance from each given point, with the point itself last."""
    keys = np.empty((own.size, side.n_points))
    side.tile(own, slice(None), keys)
    mantissa, exponent = np.frexp(keys)
    keys = np.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)
    keys[np.arange(own.size), own] = np.inf
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    has_ties = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if has_ties.any():  # a stable sort of all rows would take several times as long
        order[has_ties] = np.argsort(keys[has_ties], axis=1, kind="stable")
    return order
