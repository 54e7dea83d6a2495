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
from isotropy_lab.projection._pairs.distances import Distances
from isotropy_lab.projection._pairs.kernels import neighbors as kernels

__all__ = ["co_ranks", "nearest", "ranks_of"]

Floats = NDArray[np.float64]
Indices = NDArray[Any]

_BLOCK_ENTRIES = 2**21
"""Number of entries of the rows that are sorted together: 16 MB."""


def nearest(side: Distances, own: Indices, k: int) -> Indices:
    """Return the indices of the k nearest neighbors of the points `own`, nearest first."""
    if side.precomputed:
        return np.concatenate(
            [sorted_order(side, own[part])[:, :k] for part in row_blocks(own.size, side.n_points)]
        )
    rows = Positions.of(side.points, "points")
    step = block_rows(side.n_dimensions)
    parts = [own[start : start + step] for start in range(0, own.size, step)]
    return np.concatenate([best(rows[part], rows, k, own=part)[0] for part in parts])


def ranks_of(side: Distances, own: Indices, near: Indices) -> Indices:
    """Return the ranks of the points `near` by distance from each of the points `own`, one row per point."""
    if not side.precomputed:
        rows = Positions.of(side.points, "points")
        step = block_rows(side.n_dimensions)
        parts = [slice(start, start + step) for start in range(0, own.size, step)]
        return np.concatenate([_count_ranks(rows, own[part], near[part]) for part in parts])
    ranks = np.empty(near.shape, np.int64)
    for part in row_blocks(own.size, side.n_points):
        order = sorted_order(side, own[part])
        all_ranks = np.empty_like(order)
        np.put_along_axis(all_ranks, order, np.arange(1, side.n_points + 1)[None, :], axis=1)
        ranks[part] = np.take_along_axis(all_ranks, near[part], axis=1)
    return ranks


def _count_ranks(points: Positions, own: Indices, near: Indices) -> Indices:
    """Return the ranks of given points by counting the points that are closer."""
    queries, shape, k = points[own], near.shape, near.shape[1]
    goals = queries.pairs(points, np.repeat(np.arange(own.size), k), near.ravel()).reshape(shape)
    order = np.lexsort((-near, goals), axis=1)  # nearest last; tied points by descending position
    goals, places = (np.take_along_axis(side, order, axis=1) for side in (goals, near))
    counts = np.zeros((own.size, k + 1), np.int64)
    count = choose(kernels.count_nearer, plain.count_nearer)
    tiles = Tiles(queries, points, own)
    for rows, columns, single in tiles:
        product: NDArray[Any] = single
        given = goals[rows], places[rows], columns.start
        found = np.zeros((len(product), k + 1), np.int64)
        undecided = np.zeros(product.shape, np.bool_)
        count(product, *given, points.margin(product.dtype), found, undecided)
        if tiles.crowded(np.count_nonzero(undecided), product, k):
            product = tiles.precise(rows, columns)
            found[:], undecided[:] = 0, False
            count(product, *given, points.margin(product.dtype), found, undecided)
        r, c = np.nonzero(undecided)
        other = own[rows][r] != c + columns.start
        r, c = r[other], c[other] + columns.start
        values = queries.pairs(points, r + rows.start, c)[:, None]
        ahead = (values > goals[rows][r]) | ((values == goals[rows][r]) & (c[:, None] < places[rows][r]))
        np.add.at(found, (r, ahead.sum(axis=1)), 1)
        counts[rows] += found
    ranks = np.empty(shape, np.int64)
    # A point that is closer than m given points precedes the first m of them.
    np.put_along_axis(ranks, order, 1 + np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1], axis=1)
    return ranks


def row_blocks(n_rows: int, width: int) -> list[slice]:
    """Return slices of rows whose entries fit into one block of memory."""
    step = max(1, _BLOCK_ENTRIES // width)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def co_ranks(x: Distances, y: Distances) -> Indices:
    """Return the sums of `kernels.compare_orders` over all points, for each K < N."""
    n = x.n_points
    sums = np.zeros((3, n), np.int64)
    loop = choose(kernels.compare_orders, plain.compare_orders)
    for part in row_blocks(n, n):
        loop(*(sorted_order(side, np.arange(n)[part]) for side in (x, y)), sums)
    return sums


def sorted_order(side: Distances, own: Indices) -> Indices:
    """Return all indices sorted by distance from each given point, with the point itself last."""
    keys = np.empty((own.size, side.n_points))
    start = 0
    while start < own.size:  # consecutive rows share a tile
        stop = start + 1
        while stop < own.size and own[stop] == own[stop - 1] + 1:
            stop += 1
        side.tile(int(own[start]), int(own[stop - 1]) + 1, 0, side.n_points, keys[start:stop])
        start = stop
    mantissa, exponent = np.frexp(keys)
    keys = np.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)
    keys[np.arange(own.size), own] = np.inf
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if tied.any():  # a stable sort of all rows would take several times as long
        order[tied] = np.argsort(keys[tied], axis=1, kind="stable")
    return order
