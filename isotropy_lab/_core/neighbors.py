"""Exact nearest neighbors in bounded memory: candidates are found in float32 and compared in float64.

A tile of products shows which pairs may be among the nearest, given a bound of the rounding error. Only these
pairs are computed again in float64, each from its two rows in a fixed order of additions, and rounded to 40
bits. The result therefore does not depend on the linear algebra library, and rows equal up to rounding are
tied. On one core, this takes 0.3 to 1.2 times as long as scikit-learn's brute force and 1.4 times as long as
faiss's flat index (20,000 × 384), both of which decide in float32 and break ties differently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import scaled_rows

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

METRICS = ("cosine", "euclidean")

#: Cosines are rounded to multiples of this number, 9.1e-13. It exceeds the rounding error of a float64
#: product of a few thousand terms, and is far below the rounding error of float32 embeddings. Squared
#: distances are rounded to the same number of bits.
GRID = 2.0**-40
_TILE_COLUMNS, _TILE_ROWS = 4096, 1024  # size of a tile of products: 16 MB
_LINE = 16  # float32 numbers per cache line
_CHUNK_ENTRIES = 2**17  # entries loaded at a time for float64 pairs: 1 MB, to stay in the cache
_UNDECIDED = 64  # a tile is recomputed in float64 if float32 leaves more than 1/64 of its entries undecided
_QUERY_ENTRIES = 2**22  # entries of the queries that are processed together: 16 MB in float32
_MAX_WAITING = 2  # candidates waiting for float64, as a multiple of the points requested
_CENTER_ROWS = 4096  # rows whose mean becomes the origin


@dataclass(frozen=True, eq=False)
class Neighbors(Result):
    """The k nearest neighbors of each query, nearest first: indices, and cosines or distances."""

    indices: NDArray[np.int64]
    values: Floats


class NeighborBlock(NamedTuple):
    """Nearest neighbors of the queries at `positions`; see `Neighbors`."""

    positions: Indices
    indices: NDArray[np.int64]
    values: Floats


def nearest_neighbors(
    X: checks.Points, k: int, *, metric: str = "cosine", queries: Any = None, name: str = "X"
) -> Neighbors:
    """Return the exact k nearest neighbors of every point, or of the points in `queries`.

    A point is not its own neighbor, but its duplicates are. Cosines are rounded to multiples of 2⁻⁴⁰, and
    squared distances to 40 bits, and ties are broken by position, so that the result does not depend on the
    linear algebra library. Up to this rounding, it is invariant under rotation and scaling; cosines are also
    invariant under a positive factor on any row, and distances under translation. Cost: O(Q N n) time; about
    60 MB plus 8 to 16 bytes per row, X, and the result. It is very slow if very many points are closer to
    each other than 1e-7 of the size of the cloud.

    >>> result = nearest_neighbors([[0.0], [1.0], [3.0], [1.0]], 2, metric="euclidean")
    >>> result.indices.tolist()
    [[1, 3], [3, 0], [1, 3], [1, 0]]
    """
    blocks = list(neighbor_blocks(X, k, metric=metric, queries=queries, name=name))
    indices, values = (np.concatenate(parts) for parts in list(zip(*blocks, strict=True))[1:])
    return Neighbors(indices=indices, values=values)


def neighbor_blocks(
    X: checks.Points, k: int, *, metric: str = "cosine", queries: Any = None, name: str = "X"
) -> Iterator[NeighborBlock]:
    """Yield the result of `nearest_neighbors` in blocks of queries, to avoid an (N, k) array.

    The number of queries per block depends only on n: vectors of equal width give the same blocks.
    """
    checks.check_option(metric, "metric", METRICS)
    points = checks.as_points(X, name, min_points=2, finite=False)
    n_points = len(points)
    k = checks.check_integer(k, "k", low=1, high=n_points - 1, why=f"{name} has {n_points} points")
    positions = np.arange(n_points) if queries is None else _check_queries(queries, n_points, name)
    rows: Rows = (Directions if metric == "cosine" else Positions).of(points, name)
    return _blocks(rows, positions, k, block_rows(points.shape[1]))


def block_rows(n_dimensions: int) -> int:
    """Return the number of queries in a block of `neighbor_blocks`."""
    return max(_TILE_ROWS, _QUERY_ENTRIES // n_dimensions)


def _blocks(rows: Rows, positions: Indices, k: int, chunk_size: int) -> Iterator[NeighborBlock]:
    for start in range(0, len(positions), chunk_size):
        block = positions[start : start + chunk_size]
        indices, values = best(rows[block], rows, k, own=block)
        yield NeighborBlock(block, indices, rows.in_metric_units(values))


def _check_queries(queries: Any, size: int, name: str) -> Indices:
    array = checks.as_array(queries, "queries", ndim=1, expected=f"positions of rows of {name}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"queries has dtype {array.dtype}; expected integer positions of rows")
    invalid = np.flatnonzero((array < 0) | (array >= size))
    if invalid.size or not array.size:
        problem = f"{array[invalid[0]]} in entry {invalid[0]}" if invalid.size else "no entry"
        raise ValueError(f"queries has {problem}; expected positions from 0 to {size - 1}")
    return array.astype(np.intp)


# --- rows and their nearness --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """Points whose nearness is the product of a left and a right factor, larger for nearer points."""

    rows: checks.FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | Indices) -> Rows:
        raise NotImplementedError

    def left(self, *, precise: bool) -> NDArray[Any]:
        """Return the left factors of products, for queries, in float64 if `precise` and float32 otherwise."""
        raise NotImplementedError

    def right(self, *, precise: bool) -> NDArray[Any]:
        """Return the right factors of products, for the points that are searched."""
        return self.left(precise=precise)

    def pairs(self, other: Rows, rows: Indices, columns: Indices) -> Floats:
        """Return the nearness of pairs, each computed from its two rows in a fixed order of additions."""
        values = np.empty(len(rows))
        chunk_size = max(1, _CHUNK_ENTRIES // self.rows.shape[1])
        for start in range(0, len(rows), chunk_size):
            block = slice(start, start + chunk_size)
            left, right = self.rows[rows[block]], other.rows[columns[block]]
            values[block] = self._sums(left.astype(np.float64), right)
        return self._nearness(other, rows, columns, values)

    def _sums(self, left: Floats, right: checks.FloatArray) -> Floats:
        """Return each pair's sum of terms over the coordinates; the first input may be overwritten."""
        return np.asarray(np.einsum("ij,ij->i", left, right.astype(np.float64)))

    def _nearness(self, other: Any, rows: Indices, columns: Indices, sums: Floats) -> Floats:
        """Return the rounded nearness of pairs, given the result of `_sums`."""
        raise NotImplementedError

    def margin(self, dtype: Any) -> float:
        """Return a bound on the difference between a product in `dtype` and the result of `pairs`."""
        raise NotImplementedError

    def in_metric_units(self, values: Floats) -> Floats:
        """Convert a result of `pairs` to the units of the metric."""
        return values


@dataclass(frozen=True, eq=False)
class Directions(Rows):
    """Rows whose nearness is their cosine; storing their lengths avoids a scaled copy."""

    lengths: Floats

    @classmethod
    def of(cls, rows: checks.FloatArray, name: str) -> Directions:
        lengths = _lengths(rows)
        if not np.isfinite(lengths).all() or float(lengths.min()) < 1e-30 or float(lengths.max()) > 1e30:
            checks.raise_if_not_finite(rows, name)
            checks.check_no_zero_rows(np.abs(rows).max(axis=1), name)
            rows = scaled_rows(rows)  # otherwise, squares or their float32 values would overflow or underflow
            lengths = _lengths(rows)
        return cls(rows, lengths)

    def __getitem__(self, part: slice | Indices) -> Directions:
        return Directions(self.rows[part], self.lengths[part])

    def left(self, *, precise: bool) -> NDArray[Any]:
        if precise:
            return np.asarray(self.rows / self.lengths[:, None], dtype=np.float64)
        units = np.empty(self.rows.shape, dtype=np.float32)
        # Scaling float32 rows rounds each number twice, which the margin allows for.
        factors = (1.0 / self.lengths).astype(self.rows.dtype)
        return np.multiply(self.rows, factors[:, None], out=units, casting="same_kind")

    def _nearness(self, other: Any, rows: Indices, columns: Indices, sums: Floats) -> Floats:
        return np.asarray(np.rint(sums / (self.lengths[rows] * other.lengths[columns]) / GRID) * GRID)

    def margin(self, dtype: Any) -> float:
        return _rounding_bound(self.rows.shape[1] + 8, dtype) + GRID


@dataclass(frozen=True, eq=False)
class Products(Rows):
    """Rows whose nearness is their inner product, divided by powers of two that exceed their lengths."""

    lengths: Floats
    scales: Floats

    @classmethod
    def of(cls, rows: checks.FloatArray, name: str, *, one_scale: bool) -> Products:
        lengths = _lengths(rows)
        if not np.isfinite(lengths).all():
            checks.raise_if_not_finite(rows, name)
        nonzero = lengths[lengths > 0]
        if nonzero.size == 0 or nonzero.min() < 1e-100 or nonzero.max() > 1e100:
            problem = "only zero rows"
            if nonzero.size:
                problem = f"lengths from {nonzero.min():.3g} to {nonzero.max():.3g}"
            raise ValueError(
                f"{name} has {problem}; expected 1e-100 to 1e100 for inner products (rescale the rows)"
            )
        mantissa, exponent = np.frexp(lengths)
        lengths = np.ldexp(np.rint(mantissa / GRID) * GRID, exponent)
        return cls(
            rows, lengths, np.ldexp(1.0, np.full_like(exponent, exponent.max()) if one_scale else exponent)
        )

    def __getitem__(self, part: slice | Indices) -> Products:
        return Products(self.rows[part], self.lengths[part], self.scales[part])

    def left(self, *, precise: bool) -> NDArray[Any]:
        scaled = np.empty(self.rows.shape, dtype=np.float64 if precise else np.float32)
        return np.multiply(self.rows, 1.0 / self.scales[:, None], out=scaled, casting="same_kind")

    def _nearness(self, other: Any, rows: Indices, columns: Indices, sums: Floats) -> Floats:
        unit = np.ldexp(GRID, np.frexp(self.lengths[rows] * other.lengths[columns])[1])
        return np.asarray(np.rint(sums / unit) * unit / (self.scales[rows] * other.scales[columns]))

    def margin(self, dtype: Any) -> float:
        return _rounding_bound(self.rows.shape[1] + 8, dtype) + GRID


@dataclass(frozen=True, eq=False)
class Positions(Rows):
    """Rows whose nearness is −½ times their squared distance, in units where the cloud has radius 1.

    The nearness is the product of (x, 1, −½‖x‖²) and (y, −½‖y‖², 1), about an origin near the mean.
    """

    squares: Floats
    """Squared distances ‖x‖² from the origin, in these units."""
    origin: Floats
    """Origin near the mean, in these units."""
    exponent: int
    """Exponent of the unit of length, 2**exponent."""
    largest: float = 1.0
    """Largest square of all points, at most 1."""

    @classmethod
    def of(cls, rows: checks.FloatArray, name: str) -> Positions:
        largest = _max_magnitude(rows)
        if not math.isfinite(largest):
            checks.raise_if_not_finite(rows, name)
        exponent = math.frexp(largest)[1]
        sample = rows[:: max(1, len(rows) // _CENTER_ROWS)]
        origin = np.ldexp(sample.astype(np.float64), -exponent).mean(axis=0)
        positions = cls(rows, np.empty(0), origin, exponent)
        squares = np.empty(len(rows))
        chunk_size = max(1, _CHUNK_ENTRIES // rows.shape[1])
        for start in range(0, len(rows), chunk_size):
            centered = positions._centered(slice(start, start + chunk_size))
            np.einsum("ij,ij->i", centered, centered, out=squares[start : start + chunk_size])
        shift = math.frexp(math.sqrt(float(squares.max())))[1]
        squares = np.ldexp(squares, -2 * shift)
        largest = float(squares.max()) or 1.0  # the margin is positive even if all points coincide
        return cls(rows, squares, np.ldexp(origin, -shift), exponent + shift, largest)

    def __getitem__(self, part: slice | Indices) -> Positions:
        return Positions(self.rows[part], self.squares[part], self.origin, self.exponent, self.largest)

    def _centered(self, part: slice) -> Floats:
        centered = self.rows[part].astype(np.float64)
        _scale(centered, self.exponent)
        centered -= self.origin
        return centered

    def _factor(self, offsets: tuple[int, int], *, precise: bool) -> NDArray[Any]:
        column_of_one, column_of_square = offsets
        n = self.rows.shape[1]
        factor = np.empty((len(self), n + 2), dtype=np.float64 if precise else np.float32)
        chunk_size = max(1, _CHUNK_ENTRIES // n)
        for start in range(0, len(self), chunk_size):
            part = slice(start, start + chunk_size)
            factor[part, :n] = self._centered(part)
        factor[:, n + column_of_one] = 1.0
        factor[:, n + column_of_square] = -0.5 * self.squares
        return factor

    def left(self, *, precise: bool) -> NDArray[Any]:
        return self._factor((0, 1), precise=precise)

    def right(self, *, precise: bool) -> NDArray[Any]:
        return self._factor((1, 0), precise=precise)

    def _sums(self, left: Floats, right: checks.FloatArray) -> Floats:
        is_huge = self.exponent > 1000  # differences could overflow before they are scaled
        left = np.subtract(left / 4.0, right / 4.0) if is_huge else np.subtract(left, right, out=left)
        _scale(left, self.exponent - 2 * is_huge)
        return np.asarray(np.einsum("ij,ij->i", left, left))

    def _nearness(self, other: Any, rows: Indices, columns: Indices, sums: Floats) -> Floats:
        mantissa, exponent = np.frexp(sums)
        return np.asarray(-0.5 * np.ldexp(np.rint(mantissa / GRID) * GRID, exponent))

    def margin(self, dtype: Any) -> float:
        return 2.0 * self.largest * (_rounding_bound(self.rows.shape[1] + 12, dtype) + GRID)  # (‖x‖ + ‖y‖)²/2

    def in_metric_units(self, values: Floats) -> Floats:
        with np.errstate(over="ignore"):
            distances = np.ldexp(np.sqrt(-2.0 * values), self.exponent)
        checks.check_representable(distances, "a distance between points")
        return np.asarray(distances)


def _scale(rows: Floats, exponent: int) -> None:
    """Divide rows by 2**exponent in place, without rounding."""
    if abs(exponent) > 1000:  # the power itself may overflow float64
        np.ldexp(rows, -exponent, out=rows)
    else:
        rows *= math.ldexp(1.0, -exponent)


def _max_magnitude(rows: checks.FloatArray) -> float:
    """Return the largest absolute value, or NaN if any entry is NaN."""
    chunk_size = max(1, 8 * _CHUNK_ENTRIES // rows.shape[1])
    maxima = [np.abs(rows[start : start + chunk_size]).max() for start in range(0, len(rows), chunk_size)]
    return float(np.max(maxima))


def _lengths(rows: checks.FloatArray) -> Floats:
    lengths = np.empty(len(rows))
    chunk_size = max(1, _CHUNK_ENTRIES // rows.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(rows), chunk_size):
            block = np.asarray(rows[start : start + chunk_size], dtype=np.float64)
            np.einsum("ij,ij->i", block, block, out=lengths[start : start + chunk_size])
        return np.asarray(np.sqrt(lengths, out=lengths))


def _rounding_bound(n_terms: int, dtype: Any) -> float:
    """Return a bound on the rounding errors of a product and of its recomputation in float64."""
    unit, float64_unit = float(np.finfo(dtype).eps) / 2.0, float(np.finfo(np.float64).eps)
    return n_terms * (unit / (1.0 - n_terms * unit) + float64_unit)


# --- tiles --------------------------------------------------------------------------------------------------


class Tiles:
    """Products of queries and points, computed tile by tile in one reusable block of memory.

    `own` is None, or the position of each query among the points, whose product is set to −inf. If Q is D, a
    product serves both points of a pair. Setting `exact` makes all further products float64.
    """

    def __init__(self, Q: Rows, D: Rows, own: Indices | None = None) -> None:
        self.Q, self.D, self.own, self.exact = Q, D, own, False
        self.width = min(math.isqrt(_TILE_ROWS * _TILE_COLUMNS) if Q is D else _TILE_COLUMNS, len(D))
        # If Q is D, use square tiles, so that the two orders of a pair are in a tile and in its transpose.
        self.height = self.width if Q is D else min(len(Q), max(1, _TILE_ROWS * _TILE_COLUMNS // self.width))
        self.queries = None if Q is D else Q.left(precise=False)
        size = self.height * self.width
        self.block = np.empty(size, dtype=np.float32)
        self.above, self.within = np.empty(size, dtype=bool), np.empty(size, dtype=bool)

    def __iter__(self) -> Iterator[tuple[slice, slice, NDArray[Any]]]:
        for first in range(0, len(self.D), self.width):
            columns = slice(first, min(first + self.width, len(self.D)))
            right = self.D[columns].right(precise=False)
            for start in range(0, columns.stop if self.Q is self.D else len(self.Q), self.height):
                rows = slice(start, min(start + self.height, len(self.Q)))
                product = self.precise(rows, columns) if self.exact else self._single(rows, columns, right)
                yield rows, columns, product
                if self.Q is self.D and start < first:
                    if self.exact and product.dtype == np.float32:
                        product = self.precise(rows, columns)
                    transposed = np.empty(product.shape[::-1], product.dtype)
                    for row in range(0, len(product), _LINE):  # several times faster than all rows at once
                        transposed[:, row : row + _LINE] = product[row : row + _LINE].T
                    yield columns, rows, transposed

    def _single(self, rows: slice, columns: slice, right: NDArray[Any]) -> NDArray[Any]:
        left = self.Q[rows].left(precise=False) if self.queries is None else self.queries[rows]
        product = self.block[: len(left) * len(right)].reshape(len(left), len(right))
        np.matmul(left, right.T, out=product)
        self._exclude_own(product, rows, columns)
        return product

    def precise(self, rows: slice, columns: slice) -> Floats:
        """Return the products of a tile in float64, for tiles that float32 leaves undecided."""
        product = np.asarray(self.Q[rows].left(precise=True) @ self.D[columns].right(precise=True).T)
        self._exclude_own(product, rows, columns)
        return product

    def _exclude_own(self, product: NDArray[Any], rows: slice, columns: slice) -> None:
        if self.own is not None:
            own = self.own[rows]
            in_tile = np.flatnonzero((own >= columns.start) & (own < columns.stop))
            product[in_tile, own[in_tile] - columns.start] = -np.inf

    def reaches(self, product: NDArray[Any], bounds: Floats, *, above: bool = False) -> NDArray[np.bool_]:
        """Return a mask, reused by later calls, of entries that may reach or (`above`) exceed `bounds`."""
        out = (self.above if above else self.within)[: product.size].reshape(product.shape)
        if above:
            np.greater(product, -_round_down(-bounds, product.dtype)[:, None], out=out)
        else:
            np.greater_equal(product, _round_down(bounds, product.dtype)[:, None], out=out)
        return out

    def is_crowded(self, n_undecided: Any, product: NDArray[Any], expected: int) -> bool:
        """Return whether so many entries are undecided that a float64 product is faster than pairs."""
        return bool(n_undecided > product.size // _UNDECIDED + expected * product.shape[0])


def _round_down(values: Floats, dtype: Any) -> NDArray[Any]:
    """Round values downward to `dtype`."""
    return np.asarray(np.nextafter(values.astype(dtype), np.asarray(-np.inf, dtype=dtype)))


# --- search -------------------------------------------------------------------------------------------------


def best(
    Q: Rows, D: Rows, k: int, *, own: Indices | None = None, on_tile: Callable[..., Any] | None = None
) -> tuple[NDArray[np.int64], Floats]:
    """Return the positions and nearness of the k points nearest to every query, nearest first.

    `own` is the position of each query among the points, which is excluded. `on_tile` is called with each
    tile and returns its product, in float64 if it needed that.
    """
    nearest = _Nearest(Q, D, k)
    tiles = Tiles(Q, D, own)
    for rows, columns, product in tiles:
        if on_tile is not None:
            product = on_tile(tiles, rows, columns, product)
        is_candidate = _candidates(tiles, product, nearest.lower_bounds[rows], k)
        if product.dtype != np.float64 and tiles.is_crowded(np.count_nonzero(is_candidate), product, 4 * k):
            product = tiles.precise(rows, columns)
            is_candidate = _candidates(tiles, product, nearest.lower_bounds[rows], k)
        flat = np.flatnonzero(is_candidate)
        r, c = flat // product.shape[1], flat % product.shape[1] + columns.start
        products = product.ravel()[flat]
        if own is not None:
            is_other = c != own[rows][r]
            r, c, products = r[is_other], c[is_other], products[is_other]
        nearest.add(r + rows.start, c, products)
    nearest.flush()
    return nearest.indices, nearest.values


class _Nearest:
    """The nearest points found so far for every query, and candidates with close float32 products.

    Candidates wait until there are many, because most candidates of a tile are not among the nearest points
    of all tiles, and those ruled out in the meantime need not be computed in float64.
    """

    def __init__(self, Q: Rows, D: Rows, k: int) -> None:
        self.Q, self.D, self.k = Q, D, k
        self.values = np.full((len(Q), k), -np.inf)
        self.indices = np.full((len(Q), k), len(D), dtype=np.int64)
        self.lower_bounds = np.full(len(Q), -np.inf)
        """Lower bounds on the nearness of each query's k-th nearest point."""
        self.waiting: list[tuple[Indices, Indices, NDArray[Any]]] = []
        self.n_waiting = 0

    def add(self, rows: Indices, columns: Indices, products: NDArray[Any]) -> None:
        """Add candidates with products of one precision to the waiting list; `rows` must be ascending."""
        if self.waiting and self.waiting[-1][2].dtype != products.dtype:
            self.flush()
        self.waiting.append((rows, columns, products))
        self.n_waiting += len(rows)
        if self.n_waiting > min(_MAX_WAITING * self.k * len(self.Q), _QUERY_ENTRIES // 4):
            self.flush()

    def flush(self) -> None:
        """Compute the nearness of waiting candidates in float64, unless they have been ruled out."""
        if self.n_waiting:
            rows, columns, products = (np.concatenate(parts) for parts in zip(*self.waiting, strict=True))
            self.waiting, self.n_waiting = [], 0
            margin = self.Q.margin(products.dtype)
            order = _order_by_value(rows, products)
            rows, columns, products = rows[order], columns[order], products[order]
            last = np.flatnonzero(np.append(rows[1:] != rows[:-1], True))
            kth = np.append(0, last[:-1] + 1) + self.k - 1
            has_k = kth <= last
            bounded, kth = rows[last[has_k]], kth[has_k]
            self.lower_bounds[bounded] = np.maximum(self.lower_bounds[bounded], products[kth] - margin)
            kept = products + margin >= self.lower_bounds[rows]
            rows, columns = rows[kept], columns[kept]
            merge(self.values, self.indices, rows, columns, self.Q.pairs(self.D, rows, columns))
            self.lower_bounds = np.maximum(self.lower_bounds, self.values[:, -1])


def _candidates(tiles: Tiles, product: NDArray[Any], bound: Floats, k: int) -> NDArray[np.bool_]:
    """Return a mask of points that may be among the k nearest, and raise the lower bounds in place."""
    margin = tiles.Q.margin(product.dtype)
    is_candidate = tiles.reaches(product, bound - margin)
    if np.count_nonzero(is_candidate) > 2 * k * len(bound):  # the tile itself may give a better bound
        np.maximum(bound, _lower_bound(product, k) - margin, out=bound)
        is_candidate = tiles.reaches(product, bound - margin)
    return is_candidate


def _lower_bound(product: NDArray[Any], k: int) -> Floats:
    """Return a lower bound on the k-th largest entry of every row, or −inf for fewer than k columns.

    The bound is the k-th largest maximum of about 16·k groups; hardly more than k entries reach it.
    """
    n_rows, n_columns = product.shape
    if n_columns < k:
        return np.full(n_rows, -np.inf)
    depth = n_columns // max(16 * k, 1)
    if depth >= 4:
        n_groups = n_columns // depth
        product = product[:, : depth * n_groups].reshape(n_rows, depth, n_groups).max(axis=1)
    kth = product.shape[1] - k
    return np.partition(product, kth, axis=1)[:, kth].astype(np.float64)


def merge(values: Floats, indices: NDArray[np.int64], rows: Indices, columns: Indices, added: Floats) -> None:
    """Merge more points into the nearest points of their rows, in place; `rows` must be ascending."""
    affected, first = np.unique(rows, return_index=True)
    k = values.shape[1]
    r = np.concatenate([np.repeat(affected, k), rows])
    v = np.concatenate([values[affected].ravel(), added])
    i = np.concatenate([indices[affected].ravel(), columns])
    order = _order_by_value(r, v, i)
    starts = k * np.arange(affected.size) + first
    chosen = order[starts[:, None] + np.arange(k)]
    values[affected], indices[affected] = v[chosen], i[chosen]


def _order_by_value(rows: Indices, values: NDArray[Any], *ties: Indices) -> Indices:
    """Return ``np.lexsort((*ties, -values, rows))``, but several times faster if few values are tied.

    One number of 64 bits, the row and the first bits of the value, decides all but equal numbers.
    """
    bits = (0.0 - values.astype(np.float64)).view(np.int64)
    bits ^= (bits >> 63) & np.int64(2**63 - 1)  # ascending bits for negative numbers, too
    n_bits = int(rows.max(initial=0)).bit_length()
    keys = (bits.view(np.uint64) + np.uint64(2**63)) >> np.uint64(n_bits)
    keys |= rows.astype(np.uint64) << np.uint64(64 - n_bits)
    order = np.argsort(keys)
    keys = keys[order]
    equals_previous = np.append(False, keys[1:] == keys[:-1]) & (values[order] > -np.inf)
    tied = np.flatnonzero(equals_previous | np.append(equals_previous[1:], False))
    group = order[tied]
    order[tied] = group[np.lexsort((*(key[group] for key in ties), -values[group], rows[group]))]
    return order
