"""Distances between all pairs of points, tile by tile, of the data and of their projection."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import as_distance_matrix, check_same_points
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import available, choose, compiled
from isotropy_lab.projection._pairs.kernels import distances as kernels
from isotropy_lab.projection._pairs.threads import Threads

__all__ = ["Distances", "Pairs", "Points", "Tile", "by_products", "pairs_of", "times_power"]

Floats = NDArray[np.float64]

_ROWS, _COLUMNS = 128, 512
"""Size of a tile: half a megabyte for each side."""

_SINGLE_ROWS = 512
"""Rows of a tile where products are in float32: BLAS wants more of them."""

_BLOCK = 4096
"""Points that are centered at a time."""

_NARROW = 8
"""Use the column-wise kernel up to this dimension."""

_WIDE = 32
"""From this dimension on inner products are faster than differences."""


@dataclass(frozen=True)
class Distances:
    """One side: the distances between N points, in units of 2 to the power of `exponent`.

    The power of two brings the data near 1, so that no square over- or underflows; it costs no accuracy. `resolution`
    is the difference of distances, in their unit, that the rounding of the numbers they come from can make.
    """

    points: Any
    exponent: int
    resolution: float

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """How many coordinates the points have; 0 where only distances are known."""
        return int(self.points.shape[1])

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Points(Distances):
    """Euclidean distances between the rows of an array of float32 or float64."""

    shift: int = 0
    """The power of two that the array has been divided by already, where its squares would leave float64."""

    @property
    def factor(self) -> float:
        """What brings the array to the unit of the distances."""
        return math.ldexp(1.0, self.shift - self.exponent)

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        narrow = self.n_dimensions <= _NARROW
        loop = kernels.narrow_tile if narrow else kernels.wide_tile
        choose(loop, plain.distance_tile, reorder=not narrow)(
            self.points[i0:i1], self.points[j0:j1], self.factor, out
        )


@dataclass(frozen=True)
class _Products(Points):
    """The same from inner products of the points centered, in float64 and in the unit of the distances."""

    centered: Any = None
    norms: Any = None

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        loop = compiled(kernels.product_tile, reorder=True)
        rows, columns = slice(i0, i1), slice(j0, j1)
        centered = self.centered[rows], self.centered[columns], self.norms[rows], self.norms[columns]
        if not loop(*centered, self.points[rows], self.points[columns], self.factor, out):
            super().tile(i0, i1, j0, j1, out)


@dataclass(frozen=True)
class _SingleProducts(_Products):
    """The same with the products in float32, by BLAS; norms, near pairs and all else are in float64."""

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        rows, columns = slice(i0, i1), slice(j0, j1)
        products = self.centered[rows] @ self.centered[columns].T
        norms, points = (self.norms[rows], self.norms[columns]), (self.points[rows], self.points[columns])
        if not compiled(kernels.from_products, reorder=True)(products, *norms, *points, self.factor, out):
            Points.tile(self, i0, i1, j0, j1, out)


@dataclass(frozen=True)
class Matrix(Distances):
    """Distances that the caller has computed; the upper triangle is read."""

    @property
    def n_dimensions(self) -> int:
        return 0

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        np.multiply(self.points[i0:i1, j0:j1], math.ldexp(1.0, -self.exponent), out=out, dtype=np.float64)


@dataclass(frozen=True)
class Metric(Distances):
    """Distances by one of scikit-learn's or SciPy's metrics."""

    metric: str
    parameters: dict[str, Floats] = field(default_factory=dict)

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        from sklearn.metrics import pairwise_distances

        block = pairwise_distances(
            self.points[i0:i1], self.points[j0:j1], metric=self.metric, **self.parameters
        )
        _check_metric_block(block, self.metric)
        np.maximum(block, 0.0, out=out)
        np.ldexp(out, -self.exponent, out=out)


@dataclass(frozen=True)
class Tile:
    """Rows i₀ … i₁ and columns j₀ … j₁, and the place of its first pair i < j among the pairs of all tiles."""

    i0: int
    i1: int
    j0: int
    j1: int
    first: int
    n_pairs: int


@dataclass(frozen=True)
class Pairs:
    """All pairs i < j of N points with their two distances, that of the data and that of the projection.

    They are visited in tiles of so many `rows`.
    """

    x: Distances
    y: Distances
    rows: int = _ROWS

    @property
    def n_pairs(self) -> int:
        """N(N − 1)/2."""
        n = self.x.n_points
        return n * (n - 1) // 2

    def tiles(self) -> list[Tile]:
        """The tiles that hold a pair i < j, in a fixed order."""
        n, first, found = self.x.n_points, 0, []
        for i0 in range(0, n, self.rows):
            i1 = min(i0 + self.rows, n)
            for j0 in range(i0, n, _COLUMNS):
                j1 = min(j0 + _COLUMNS, n)
                n_pairs = (i1 - i0) * (j1 - j0)
                if j0 == i0:  # without the triangle i ≥ j
                    n_pairs -= (i1 - i0) * (i1 - i0 + 1) // 2
                if n_pairs:
                    found.append(Tile(i0, i1, j0, j1, first, n_pairs))
                    first += n_pairs
        return found

    def each(
        self, tiles: list[Tile], work: Callable[[int, Tile, Floats, Floats], None], *, n_threads: int
    ) -> None:
        """Call work(number, tile, distances of the data, of the projection) for every tile.

        Threads take tiles as they come; the work must write to a place of its own for every tile, so that the result
        does not depend on their number.
        """
        own = threading.local()

        def one(number: int) -> None:
            if not hasattr(own, "tiles"):
                own.tiles = (np.empty((self.rows, _COLUMNS)), np.empty((self.rows, _COLUMNS)))
            tile = tiles[number]
            blocks = []
            for side, memory in zip((self.x, self.y), own.tiles, strict=True):
                block = memory[: tile.i1 - tile.i0, : tile.j1 - tile.j0]
                side.tile(tile.i0, tile.i1, tile.j0, tile.j1, block)
                blocks.append(block)
            work(number, tile, blocks[0], blocks[1])

        with Threads(n_threads) as threads:
            threads.map(one, range(len(tiles)))


def pairs_of(X: checks.Points, Y: checks.Points, *, metric: str) -> Pairs:
    """Check the data, by a metric, and their projection, whose distances are Euclidean, and return their pairs."""
    metric = _check_metric(metric)
    y = checks.as_points(Y, "Y")
    x: Distances
    if metric == "precomputed":
        matrix = as_distance_matrix(X)
        check_same_points(matrix.shape[0], y.shape[0])
        exponent = _exponent(matrix)
        # What float64 rounds is left to those who compare: it is a fixed fraction of the largest distance.
        x = Matrix(matrix, exponent, _resolution(matrix, exponent) if matrix.dtype == np.float32 else 0.0)
    else:
        points = checks.as_points(X, "X")
        check_same_points(points.shape[0], y.shape[0])
        x = _points(points) if metric in ("euclidean", "l2") else _metric(points, metric)
    return Pairs(x, _points(y))


def by_products(pairs: Pairs, *, single: bool = False) -> Pairs:
    """Return the same pairs with compiled distances in many dimensions found from inner products, which is faster.

    ‖x‖² + ‖y‖² − 2x·y loses the digits of a distance that is small beside the norms. The points are centered, so that
    norms are about as large as distances; pairs whose squared distance is less than 1/32 of ‖x‖² + ‖y‖² are done by
    differences after all, and so are tiles with many of them. What is left is a relative error of some 1e-15, larger
    than that of differences, which ranks that must know ties from near ties need. With `single` the products are
    in float32, and so is the error, some 1e-7. Memory: a copy of the points, in float32 with `single`.
    """
    if not available():
        return pairs
    x, y = _products(pairs.x, single), _products(pairs.y, single)
    some_single = isinstance(x, _SingleProducts) or isinstance(y, _SingleProducts)
    return Pairs(x, y, _SINGLE_ROWS if some_single else pairs.rows)


def _products(side: Distances, single: bool) -> Distances:
    if not isinstance(side, Points) or side.n_dimensions < _WIDE:
        return side
    mean = side.points.mean(axis=0, dtype=np.float64)
    centered = np.empty(side.points.shape, np.float32 if single else np.float64)
    norms = np.empty(side.n_points)
    for start in range(0, side.n_points, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = side.points[part] - mean
        block *= side.factor
        norms[part] = np.einsum("ij,ij->i", block, block)
        centered[part] = block
    kind = _SingleProducts if single else _Products
    return kind(side.points, side.exponent, side.resolution, side.shift, centered, norms)


def times_power(value: float, exponent: int) -> float:
    """Return value · 2^exponent, infinite where that overflows."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)


_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_COORDINATES = ("cityblock", "manhattan", "l1", "chebyshev", "minkowski")
_METRICS = (
    *("euclidean", "l2", "precomputed", "cityblock", "manhattan", "l1", "cosine", "haversine"),
    *("braycurtis", "canberra", "chebyshev", "correlation", "hamming", "mahalanobis", "minkowski"),
    *("seuclidean", "sqeuclidean", *_BOOLEAN),
)


def _largest(array: checks.FloatArray) -> float:
    return max(float(array.max()), -float(array.min()))


def _exponent(array: checks.FloatArray) -> int:
    """The power of two just above the largest entry, short of where it or its inverse is no normal number."""
    return min(max(math.frexp(_largest(array))[1], -1000), 1000)


def _resolution(array: checks.FloatArray, exponent: int) -> float:
    """What rounding makes of the difference of two equal distances, in units of 2^exponent.

    Coordinates and their differences are rounded to half a unit in the last place of the largest one. A distance is
    off by the mean of these errors along its direction: eight such units leave room.
    """
    return 4.0 * float(np.finfo(array.dtype).eps) * math.ldexp(_largest(array), -exponent)


def _points(points: checks.FloatArray) -> Points:
    exponent = _exponent(points)
    resolution = _resolution(points, exponent)
    if abs(exponent) > 256:
        scaled = np.ldexp(points.astype(np.float64), -exponent)
        return Points(_read_only(scaled), exponent, resolution, exponent)
    return Points(_read_only(points), exponent, resolution)


def _read_only(points: checks.FloatArray) -> NDArray[Any]:
    """Return contiguous points that cannot be written: numba would compile every loop once more for those that can."""
    view = np.ascontiguousarray(points).view()
    view.flags.writeable = False
    return view


def _metric(points: checks.FloatArray, metric: str) -> Metric:
    if metric in _BOOLEAN:
        return Metric(points.astype(bool), 0, 0.0, metric)
    given, points = points, points.astype(np.float64, copy=False)
    parameters: dict[str, Floats] = {}
    # These two depend on all points, so that a block of them must not find them out for itself.
    if metric == "seuclidean":
        parameters["V"] = np.var(points, axis=0, ddof=1)
    elif metric == "mahalanobis":
        parameters["VI"] = _inverse_covariance(points)
    elif metric == "haversine" and points.shape[1] != 2:
        raise ValueError(
            f"X has {checks.how_many(points.shape[1], 'dimension')} with metric='haversine'; expected 2: latitude and "
            "longitude in radians"
        )
    side = Metric(points, 0, 0.0, metric, parameters)
    # No distance is more than twice the largest one from the first point, or four times if it is a square.
    row = np.empty((1, side.n_points))
    side.tile(0, 1, 0, side.n_points, row)
    exponent = _exponent(row)
    # Sums of n differences of coordinates are off by √n times as much as one.
    off = _resolution(given, exponent) * math.sqrt(points.shape[1]) if metric in _COORDINATES else 0.0
    return replace(side, exponent=exponent, resolution=off)


def _check_metric(metric: Any) -> str:
    if not isinstance(metric, str):
        raise TypeError(
            f"metric is {checks.describe(metric)}; expected the name of a metric, or metric='precomputed' with a square matrix "
            "of your own distances as X"
        )
    return checks.check_option(metric, "metric", sorted(_METRICS))


def _check_metric_block(block: Floats, metric: str) -> None:
    """Raise ValueError if a metric gives numbers that are no distances."""
    if not np.isfinite(block).all():
        bad = block[~np.isfinite(block)][0]
        raise ValueError(
            f"metric {metric!r} gives a distance of {bad} between points of X; expected data for which it is defined and "
            "finite"
        )
    # Rounding: 1 − cos of a point and its multiple is −2e-16.
    if float(block.min()) < -1e-12 * max(float(block.max()), 1.0):
        raise ValueError(
            f"metric {metric!r} gives a negative distance ({float(block.min()):g}) between points of X; expected a metric"
        )


def _inverse_covariance(points: checks.FloatArray) -> Floats:
    """Return the inverse covariance of X for the Mahalanobis metric, or say that there is none."""
    cov = np.atleast_2d(np.cov(points, rowvar=False))
    if np.linalg.matrix_rank(cov, hermitian=True) < cov.shape[0]:
        raise ValueError(
            f"X has a covariance of rank {np.linalg.matrix_rank(cov, hermitian=True)} in {cov.shape[0]} dimensions, "
            "where metric='mahalanobis' is undefined; expected points that fill their dimensions"
        )
    return np.asarray(np.linalg.inv(cov))
