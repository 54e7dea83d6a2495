"""Distances between all pairs of points of the data and of their projection, tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import as_distance_matrix, check_same_points
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import choose
from isotropy_lab.projection._pairs.kernels import distances as kernels

__all__ = ["Distances", "Pairs", "pairs_of"]

Floats = NDArray[np.float64]

_TILE_ROWS, _TILE_COLUMNS = 128, 512
"""Numbers of rows and columns of a tile, which takes half a megabyte each for data and projection."""

_NARROW = 8
"""Maximum number of coordinates for which `narrow_distance_tile` is faster."""

_MAX_COORDINATE = 1e152
"""Limit above which, or below whose inverse, squares of coordinates exceed the range of float64."""


@dataclass(frozen=True)
class Distances:
    """Distances between N points, either Euclidean or given as a square matrix.

    `resolution` is the maximum difference between two equal distances that rounding of the input can cause.
    """

    points: Any
    resolution: float
    precomputed: bool = False

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """Number of coordinates of a point, or 0 if only distances are known."""
        return 0 if self.precomputed else int(self.points.shape[1])

    def tile(self, rows: Any, columns: slice, out: Floats) -> None:
        """Write the distances of some points from the points of `columns` to `out`."""
        if self.precomputed:
            out[...] = self.points[rows, columns]
            return
        is_narrow = self.n_dimensions <= _NARROW
        kernel = kernels.narrow_distance_tile if is_narrow else kernels.distance_tile
        loop = choose(kernel, plain.distance_tile, reorder=not is_narrow)
        points = self.points[rows]
        points.flags.writeable = False  # for writable arrays, numba would compile all loops again
        loop(points, self.points[columns], out)


@dataclass(frozen=True)
class Pairs:
    """All pairs i < j of N points, with their distances in the data and in the projection."""

    x: Distances
    y: Distances

    @property
    def n_pairs(self) -> int:
        """Number of pairs, N(N − 1)/2."""
        n = self.x.n_points
        return n * (n - 1) // 2

    def tiles(self) -> Iterator[tuple[slice, slice, Floats, Floats]]:
        """Yield rows, columns, and both distances of every tile on and above the diagonal, in a fixed order.

        The next tile overwrites the distances.
        """
        n, buffers = self.x.n_points, np.empty((2, _TILE_ROWS, _TILE_COLUMNS))
        for i0 in range(0, n - 1, _TILE_ROWS):
            i1 = min(i0 + _TILE_ROWS, n)
            for j0 in range(i0, n, _TILE_COLUMNS):
                rows, columns = slice(i0, i1), slice(j0, min(j0 + _TILE_COLUMNS, n))
                D, E = buffers[:, : i1 - i0, : columns.stop - j0]
                self.x.tile(rows, columns, D)
                self.y.tile(rows, columns, E)
                yield rows, columns, D, E

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield both distances of every pair as two vectors per tile, in a fixed order.

        The next block may overwrite the vectors, except those of the first block.
        """
        for rows, columns, D, E in self.tiles():
            yield plain.upper(D, rows.start, columns.start), plain.upper(E, rows.start, columns.start)


def pairs_of(X: checks.Points, Y: checks.Points, *, metric: str) -> Pairs:
    """Return the pairs of points, after checking the data (or distances) and the projection."""
    checks.check_option(metric, "metric", ("euclidean", "precomputed"))
    y = checks.as_points(Y, "Y")
    if metric == "precomputed":
        matrix = as_distance_matrix(X)
        check_same_points(matrix.shape[0], y.shape[0])
        # Comparisons allow for float64 rounding by a fixed fraction of the maximum distance.
        resolution = _resolution(matrix) if matrix.dtype == np.float32 else 0.0
        x = Distances(matrix, resolution, precomputed=True)
    else:
        points = checks.as_points(X, "X")
        check_same_points(points.shape[0], y.shape[0])
        x = _as_distances(points, "X")
    return Pairs(x, _as_distances(y, "Y"))


def _resolution(array: checks.FloatArray) -> float:
    """Return the maximum difference between two equal distances that rounding can cause.

    Coordinates and their differences are rounded to half a unit in the last place of the largest coordinate.
    The error of a distance is the mean of these errors along its direction, for which eight units suffice.
    """
    return 4.0 * float(np.finfo(array.dtype).eps) * max(float(array.max()), -float(array.min()))


def _as_distances(points: checks.FloatArray, name: str) -> Distances:
    largest = max(float(points.max(initial=0.0)), -float(points.min(initial=0.0)))
    if largest > _MAX_COORDINATE or 0.0 < largest < 1.0 / _MAX_COORDINATE:
        raise ValueError(
            f"{name} has a largest coordinate of {largest:.3g}, whose square overflows float64; expected "
            f"rescaled data with a largest coordinate from {1.0 / _MAX_COORDINATE:g} to {_MAX_COORDINATE:g}"
        )
    view = np.ascontiguousarray(points).view()
    view.flags.writeable = False
    return Distances(view, _resolution(points))
