"""Distances between all pairs of points, tile by tile, of the data and of their projection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import as_distance_matrix, check_same_points
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import choose
from isotropy_lab.projection._pairs.kernels import distances as kernels

__all__ = ["Distances", "Pairs", "Points", "Tile", "pairs_of"]

Floats = NDArray[np.float64]

_ROWS, _COLUMNS = 128, 512
"""Size of a tile: half a megabyte for each side."""

_NARROW = 8
"""Up to this many coordinates `narrow_distance_tile` is faster."""

_LARGEST = 1e152
"""Squares of larger coordinates, or of those below its inverse, leave float64."""


@dataclass(frozen=True)
class Distances:
    """One side: the distances between N points.

    `resolution` is the difference of distances that the rounding of the numbers they come from can make.
    """

    points: Any
    resolution: float

    @property
    def n_points(self) -> int:
        """The number of points."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """The number of coordinates of a point; 0 where only distances are known."""
        return int(self.points.shape[1])

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Points(Distances):
    """Euclidean distances between the rows of an array of float32 or float64."""

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        narrow = self.n_dimensions <= _NARROW
        kernel = kernels.narrow_distance_tile if narrow else kernels.distance_tile
        loop = choose(kernel, plain.distance_tile, reorder=not narrow)
        loop(self.points[i0:i1], self.points[j0:j1], out)


@dataclass(frozen=True)
class Matrix(Distances):
    """Distances that the caller has computed; the upper triangle is read."""

    @property
    def n_dimensions(self) -> int:
        return 0

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: Floats) -> None:
        out[...] = self.points[i0:i1, j0:j1]


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
    """All pairs i < j of N points with their two distances, in the data and in the projection."""

    x: Distances
    y: Distances

    @property
    def n_pairs(self) -> int:
        """N(N − 1)/2."""
        n = self.x.n_points
        return n * (n - 1) // 2

    def tiles(self) -> list[Tile]:
        """Return the tiles that contain a pair i < j, in a fixed order."""
        n, first, found = self.x.n_points, 0, []
        for i0 in range(0, n, _ROWS):
            i1 = min(i0 + _ROWS, n)
            for j0 in range(i0, n, _COLUMNS):
                j1 = min(j0 + _COLUMNS, n)
                n_pairs = (i1 - i0) * (j1 - j0)
                if j0 == i0:  # without the triangle i ≥ j
                    n_pairs -= (i1 - i0) * (i1 - i0 + 1) // 2
                if n_pairs:
                    found.append(Tile(i0, i1, j0, j1, first, n_pairs))
                    first += n_pairs
        return found

    def each(self, tiles: list[Tile], work: Callable[[int, Tile, Floats, Floats], None]) -> None:
        """Call work(number, tile, distances in the data, distances in the projection) for every tile."""
        rooms = np.empty((_ROWS, _COLUMNS)), np.empty((_ROWS, _COLUMNS))
        for number, tile in enumerate(tiles):
            blocks = []
            for side, room in zip((self.x, self.y), rooms, strict=True):
                block = room[: tile.i1 - tile.i0, : tile.j1 - tile.j0]
                side.tile(tile.i0, tile.i1, tile.j0, tile.j1, block)
                blocks.append(block)
            work(number, tile, blocks[0], blocks[1])


def pairs_of(X: checks.Points, Y: checks.Points, *, metric: str) -> Pairs:
    """Check the data, or their distances, and their projection; return their pairs."""
    checks.check_option(metric, "metric", ("euclidean", "precomputed"))
    y = checks.as_points(Y, "Y")
    x: Distances
    if metric == "precomputed":
        matrix = as_distance_matrix(X)
        check_same_points(matrix.shape[0], y.shape[0])
        # The comparison accounts for the rounding of float64, a fixed fraction of the largest distance.
        x = Matrix(matrix, _resolution(matrix) if matrix.dtype == np.float32 else 0.0)
    else:
        points = checks.as_points(X, "X")
        check_same_points(points.shape[0], y.shape[0])
        x = _points(points, "X")
    return Pairs(x, _points(y, "Y"))


def _resolution(array: checks.FloatArray) -> float:
    """Return what rounding makes of the difference of two equal distances.

    Coordinates and their differences are rounded to half a unit in the last place of the largest one. A distance is
    off by the mean of these errors along its direction: eight such units leave room.
    """
    return 4.0 * float(np.finfo(array.dtype).eps) * max(float(array.max()), -float(array.min()))


def _points(points: checks.FloatArray, name: str) -> Points:
    largest = float(np.abs(points).max(initial=0.0))
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise ValueError(
            f"{name} has a largest coordinate of {largest:.3g}, so that squared distances leave float64; expected rescaled "
            f"data, between {1.0 / _LARGEST:g} and {_LARGEST:g}"
        )
    # numba would compile every loop once more for points that can be written.
    view = np.ascontiguousarray(points).view()
    view.flags.writeable = False
    return Points(view, _resolution(points))
