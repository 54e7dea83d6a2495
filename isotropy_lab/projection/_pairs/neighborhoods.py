"""Nearest points, ranks of given points and orders of all points, as seen from some rows: exact, in bounded memory.

Distances are rounded to 40 bits and equal ones ordered by position; the point itself has no rank. Compiled, matrix
products choose and pairs in float64 decide (`kernels.neighbors`); of all rows, half of the products serve both of their
points. In NumPy every row is sorted. Results are whole numbers, which no number of threads can change.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import available, choose, compiled
from isotropy_lab.projection._pairs.distances import Distances, Points
from isotropy_lab.projection._pairs.kernels import neighbors as kernels
from isotropy_lab.projection._pairs.threads import Threads

__all__ = ["CoRanks", "co_ranks", "nearest", "ranks_of"]

Floats = NDArray[np.float64]
Places = NDArray[Any]

_NARROW = 16
"""Up to this dimension squares of differences are faster than products."""

_TILE = 4096
"""Rows and columns of a tile of products: 128 MB, or 64 in float32."""

_STRIP = 128
"""Rows that are worked on together where each row is looked at as a whole."""

_STRIP_ENTRIES = 2**21
"""Entries of such rows at a time: 16 MB for each thread."""

_MANY = 1.0 / 16.0
"""Where more pairs in float64 than this fraction of a tile are needed, products in float64 are faster than in float32."""


class Space:
    """The distances of one side as the compiled loops take them: approximate squares, and how far these can be off."""

    def __init__(self, side: Distances) -> None:
        self.side = side
        self.size = side.n_points
        self.narrow = side.n_dimensions <= _NARROW
        self.points: NDArray[Any] = np.empty((0, 0))
        self.points.flags.writeable = False  # as points are, so that no loop is compiled for others
        self.unit, self.factor = 1.0, 1.0
        self.squares = np.zeros(self.size)
        self.precise = True
        self.margins = (0.0, 0.0)
        if isinstance(side, Points):
            self._center(side)

    def _center(self, side: Points) -> None:
        """Centered points have norms about as large as their distances, whatever their offset."""
        self.points, self.unit = side.points, side.factor
        self.mean = self.points.mean(axis=0, dtype=np.float64)
        squares = np.empty(self.size)
        for start in range(0, self.size, _TILE):
            part = slice(start, start + _TILE)
            block = self.block(part)
            squares[part] = np.einsum("ij,ij->i", block, block)
        # Rounding of products and norms, each term at most the largest norm, and of the keys to 40 bits.
        terms, largest = side.n_dimensions + 8, float(squares.max())
        fine = largest * (4.0 * terms * 2.0**-53 + 2.0**-36)
        coarse = fine + largest * 2.1 * terms * 2.0**-24
        self.margins = (coarse, fine)
        if self.narrow:
            self.columns = np.ascontiguousarray(self.block(slice(None)).T)
        else:
            self.factor, self.squares = -2.0, squares
            # Norms of less would leave float32.
            self.precise = not 2.0**-80 < largest < 2.0**80

    @property
    def exact(self) -> bool:
        """Whether v is the key itself."""
        return bool(self.points.shape[1] == 0)

    @property
    def margin(self) -> float:
        """How far v can be off the square of its key."""
        return self.margins[self.precise]

    def block(self, part: slice | Places, *, precise: bool = True) -> NDArray[Any]:
        """Some points, centered, in the unit of the distances."""
        block: NDArray[Any] = self.points[part] - self.mean
        block *= self.unit
        return block if precise else block.astype(np.float32)

    def rows(self, own: Places, columns: slice) -> NDArray[Any]:
        """V between the points `own` and a range of points; see `kernels.visit`."""
        if self.exact:
            return exact_keys(self.side, own, columns)
        if not self.narrow:
            left, right = (self.block(part, precise=self.precise) for part in (own, columns))
            return np.asarray(left @ right.T)
        out = np.empty((own.size, columns.stop - columns.start))
        # Contiguous columns let the loop run in vector registers.
        compiled(kernels.narrow_squares)(self.columns[:, own], self.columns[:, columns], out)
        return out

    def given_keys(self, own: Places, near: Places) -> Floats:
        """Keys between points and some of the points, where the loops cannot find them."""
        if not self.exact:
            return np.empty(near.shape)
        keys = np.empty(near.shape)
        for part in strips(own.size, self.size):
            block = exact_keys(self.side, own[part], slice(0, self.size))
            keys[part] = np.take_along_axis(block, near[part], axis=1)
        return keys


class State:
    """What the loops know of some rows so far: counts between given points, and candidates for the nearest k."""

    def __init__(self, space: Space, own: Places, near: Places | None, k: int) -> None:
        m = own.size
        self.space, self.own, self.k = space, own, k
        given = 0 if near is None else near.shape[1]
        self.keys = np.empty((m, given))
        self.places = np.empty((m, given), np.int32)
        self.slots = np.empty((m, given), np.int32)
        self.counts = np.zeros((m, given), np.int32)
        width = k + max(128, k) if k else 0
        self.near_v, self.near_p = np.empty((m, width)), np.empty((m, width), np.int32)
        self.n_near = np.zeros(m, np.int32)
        self.bounds = np.full(m, np.inf)
        self.near_margin = space.margin
        if near is not None:
            self.keys = space.given_keys(own, near)

    def give(self, near: Places, part: slice) -> None:
        space = self.space
        state = (self.keys[part], self.places[part], self.slots[part])
        compiled(kernels.give)(near[part], self.own[part], space.points, space.unit, *state)

    def visit(self, V: NDArray[Any], part: slice, columns: slice, margin: float) -> int:
        """Go through the entries of a tile; return how many were decided in float64."""
        space = self.space
        loop = compiled(kernels.visit)
        given = (self.keys[part], self.places[part], self.counts[part])
        near = (self.near_v[part], self.near_p[part], self.n_near[part], self.bounds[part])
        parts = space.squares[self.own[part]], space.squares[columns], space.factor, columns.start
        pair = space.points, space.unit, margin
        return int(loop(V, *parts, self.own[part], *pair, *given, *near, self.near_margin, self.k))

    def finish(self, part: slice, ranks: Places, found: Places) -> None:
        space = self.space
        if self.keys.shape[1]:
            compiled(kernels.take_ranks)(self.counts[part], self.slots[part], ranks[part])
        if self.k:
            near = self.near_v[part], self.near_p[part], self.n_near[part], self.near_margin
            compiled(kernels.take_nearest)(*near, self.own[part], space.points, space.unit, found[part])


def strips(n_rows: int, width: int, most: int = _STRIP) -> list[slice]:
    """Parts of some rows whose entries fit into the room of a strip; they do not depend on the number of threads."""
    step = max(1, min(most, _STRIP_ENTRIES // width))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def nearest(side: Distances, own: Places, k: int, *, n_threads: int) -> Places:
    """Return the places of the k nearest other points of some points, the nearest first."""
    return ranks_of(side, own, None, k, n_threads=n_threads)[1]


def ranks_of(
    side: Distances, own: Places, near: Places | None, k: int = 0, *, n_threads: int
) -> tuple[Places, Places]:
    """Return the ranks that given points have as seen from some points, and the k nearest of these.

    `near` has a row of places for every point of `own`; without it, or with k = 0, that part of the result is empty.
    """
    m, given = own.size, 0 if near is None else near.shape[1]
    ranks, found = np.empty((m, given), np.int32), np.empty((m, k), np.int32)
    with Threads(n_threads) as threads:
        if not available():
            _by_sorting(side, own, near, ranks, found, threads)
            return ranks, found
        space = Space(side)
        if m == space.size and not space.exact and not space.narrow:
            _Halves(space, near, k, threads).run(ranks, found)
            return ranks, found

        def strip(part: slice) -> None:
            few = None if near is None else near[part]
            state = State(space, own[part], few, k)
            everything = slice(None)
            if few is not None:
                state.give(few, everything)
            for start in range(0, space.size, width):
                columns = slice(start, min(start + width, space.size))
                state.visit(space.rows(own[part], columns), everything, columns, space.margin)
            state.finish(everything, ranks[part], found[part])

        space.precise = True
        # Products want more rows, and the tables of a row are worth long rows.
        n_rows = _STRIP if space.narrow else 4 * _STRIP
        width = _STRIP_ENTRIES // n_rows
        threads.map(strip, strips(m, width, n_rows))
    return ranks, found


class _Halves:
    """One pass over half of the products of all points: a tile serves its rows, and then its columns.

    Products begin in float32, and go on in float64 once too many entries are too near to a given point for float32.
    """

    def __init__(self, space: Space, near: Places | None, k: int, threads: Threads) -> None:
        self.space, self.near, self.threads = space, near, threads
        self.state = State(space, np.arange(space.size), near, k)
        side = min(_TILE, space.size)
        # Rows of a power of two would compete for a few places in the cache.
        self.room = np.empty((side, side + 8))

    def run(self, ranks: Places, found: Places) -> None:
        """Fill the ranks of given points, and the nearest."""
        size, near, state = self.space.size, self.near, self.state
        parts = strips(size, _TILE)
        if near is not None:
            self.threads.map(lambda part: state.give(near, part), parts)
        edges = [slice(start, min(start + _TILE, size)) for start in range(0, size, _TILE)]
        for first, rows in enumerate(edges):
            for columns in edges[first:]:
                self.tile(rows, columns)
        self.threads.map(lambda part: state.finish(part, ranks, found), parts)

    def tile(self, rows: slice, columns: slice) -> None:
        """Go through one tile."""
        space, state, margin = self.space, self.state, self.space.margin
        left, right = (self.block(side) for side in (rows, columns))
        product = self.room.view(left.dtype)[: len(left), : len(right)]

        def by_rows(part: slice) -> int:
            here = slice(part.start - rows.start, part.stop - rows.start)
            np.matmul(left[here], right.T, out=product[here])
            return state.visit(product[here], part, columns, margin)

        def by_columns(part: slice) -> int:
            room = np.empty((_STRIP, _TILE + 8), product.dtype)
            decided = 0
            for start in range(part.start, part.stop, _STRIP):
                few = slice(start, min(start + _STRIP, part.stop))
                here = slice(few.start - columns.start, few.stop - columns.start)
                turned = room[: few.stop - few.start, : len(left)]
                compiled(kernels.transpose)(product[:, here], turned)
                decided += state.visit(turned, few, rows, margin)
            return decided

        decided = sum(self.threads.map(by_rows, self.shares(rows)))
        if columns != rows:
            decided += sum(self.threads.map(by_columns, self.shares(columns)))
        if decided > _MANY * product.size:
            space.precise = True

    def block(self, side: slice) -> NDArray[Any]:
        """Some points as the product takes them."""
        precise = self.space.precise
        return np.concatenate(
            self.threads.map(lambda part: self.space.block(part, precise=precise), self.shares(side))
        )

    def shares(self, side: slice) -> list[slice]:
        """A range of points in parts, two for each thread."""
        n_parts = 1 if self.threads.n_threads == 1 else 2 * self.threads.n_threads
        cuts = np.linspace(side.start, side.stop, n_parts + 1).astype(int).tolist()
        return [slice(a, b) for a, b in itertools.pairwise(cuts) if a < b]


# --- all ranks --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CoRanks:
    """Sums over some rows of what the co-ranking matrix says, by K from 0 to N − 1; see `kernels.compare_orders`."""

    sums: Places
    squares: Floats
    areas: Floats


def co_ranks(x: Distances, y: Distances, own: Places, weights: Floats, *, n_threads: int) -> CoRanks:
    """Compare the two orders of all points as seen from some rows. `weights`, by K, are those of the areas."""
    n = x.n_points
    areas = np.empty(own.size)
    orders = [
        partial(compiled_order, Space(side)) if available() else partial(sorted_order, side)
        for side in (x, y)
    ]
    loop = choose(kernels.compare_orders, plain.compare_orders)

    def strip(part: slice) -> tuple[Places, Floats]:
        sums, squares = np.zeros((3, n), np.int64), np.zeros((3, n))
        loop(*(order(own[part]) for order in orders), weights, sums, squares, areas[part])
        return sums, squares

    sums, squares = np.zeros((3, n), np.int64), np.zeros((3, n))
    with Threads(n_threads) as threads:
        parts = strips(own.size, n)
        step = 4 * n_threads
        for start in range(0, len(parts), step):  # in order: float64 sums do not depend on the threads
            for one, other in threads.map(strip, parts[start : start + step]):
                sums += one
                squares += other
    return CoRanks(sums, squares, areas)


def compiled_order(space: Space, own: Places) -> NDArray[np.uint64]:
    """Return all places in the order of distance from some points, the point itself last."""
    space.precise = True
    V = space.rows(own, slice(0, space.size))
    bits = max(space.size - 1, 1).bit_length()
    parts = space.squares[own], space.squares, space.factor
    # No square is farther than four times the largest norm.
    largest = float(V.max()) if space.exact or space.narrow else 4.0 * float(space.squares.max())
    scale = min(2.0 ** (62 - bits) / (largest + 2.0 * space.margin), 2.0**1000) if largest > 0.0 else 0.0
    packed = np.empty(V.shape, np.uint64)
    compiled(kernels.pack)(V, *parts, own, scale, bits, packed)
    packed.sort(axis=1)
    apart = math.ceil(2.0 * space.margin * scale) + 1
    compiled(kernels.settle)(packed, bits, apart, V, own, space.points, space.unit)
    return packed


# --- in NumPy ---------------------------------------------------------------------------------------------------


def exact_keys(side: Distances, own: Places, columns: slice) -> Floats:
    """Return the distances between some points and a range of points, rounded to 40 bits."""
    out = np.empty((own.size, columns.stop - columns.start))
    start = 0
    while start < own.size:  # runs of neighbors among the rows share a tile
        stop = start + 1
        while stop < own.size and own[stop] == own[stop - 1] + 1:
            stop += 1
        side.tile(int(own[start]), int(own[stop - 1]) + 1, columns.start, columns.stop, out[start:stop])
        start = stop
    mantissa, exponent = np.frexp(out)
    keys: Floats = np.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)
    return keys


def sorted_order(side: Distances, own: Places) -> Places:
    """Return all places in the order of distance from some points, the point itself last."""
    keys = exact_keys(side, own, slice(0, side.n_points))
    keys[np.arange(own.size), own] = np.inf
    return np.argsort(keys, axis=1, kind="stable")


def _by_sorting(
    side: Distances,
    own: Places,
    near: Places | None,
    ranks: Places,
    found: Places,
    threads: Threads,
) -> None:
    def strip(part: slice) -> None:
        order = sorted_order(side, own[part])
        found[part] = order[:, : found.shape[1]]
        if near is not None:
            all_ranks = np.empty_like(order)
            np.put_along_axis(all_ranks, order, np.arange(1, side.n_points + 1)[None, :], axis=1)
            ranks[part] = np.take_along_axis(all_ranks, near[part], axis=1)

    threads.map(strip, strips(own.size, side.n_points))
