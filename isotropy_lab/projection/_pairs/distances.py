"""The distances between all pairs of points, tile by tile, of the data and of their picture."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from isotropy_lab import _checks
from isotropy_lab.projection._checks import as_distance_matrix, check_same_points
from isotropy_lab.projection._pairs.compilation import compiled
from isotropy_lab.projection._pairs.kernels import distances as kernels

__all__ = ["Distances", "Pairs", "Tile", "pairs_of"]

_ROWS, _COLUMNS = 128, 512
"""Size of a tile: half a megabyte for each side."""

_NARROW = 8
"""Up to so many dimensions columns are worked on side by side, above them coordinates."""


class Distances(Protocol):
    """One side: the distances between N points, in units of 2 to the power of `exponent`.

    The power of two brings the data near 1, so that no square over- or underflows; it costs no accuracy.
    """

    @property
    def n_points(self) -> int:
        """How many points there are."""

    @property
    def n_dimensions(self) -> int:
        """How many coordinates the points have; 0 where only distances are known."""

    @property
    def exponent(self) -> int:
        """The power of two that is the unit of the distances."""

    @property
    def resolution(self) -> float:
        """A difference of distances, in their unit, that the rounding of the numbers they come from can make."""

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: NDArray[np.float64]) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""


@dataclass(frozen=True)
class Points:
    """Euclidean distances between the rows of an array of float32 or float64."""

    points: _checks.FloatArray
    exponent: int
    resolution: float
    shift: int = 0
    """The power of two that the array has been divided by already, where its squares would leave float64."""

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """How many coordinates they have."""
        return int(self.points.shape[1])

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: NDArray[np.float64]) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""
        if self.n_dimensions <= _NARROW:
            loop = compiled(kernels.narrow_tile)
        else:
            loop = compiled(kernels.wide_tile, reorder=True)
        loop(self.points[i0:i1], self.points[j0:j1], math.ldexp(1.0, self.shift - self.exponent), out)


@dataclass(frozen=True)
class Matrix:
    """Distances that the caller has computed; the upper triangle is read."""

    distances: _checks.FloatArray
    exponent: int
    resolution: float

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return int(self.distances.shape[0])

    @property
    def n_dimensions(self) -> int:
        """0: only distances are known."""
        return 0

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: NDArray[np.float64]) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""
        np.multiply(self.distances[i0:i1, j0:j1], math.ldexp(1.0, -self.exponent), out=out, dtype=np.float64)


@dataclass(frozen=True)
class Metric:
    """Distances by one of scikit-learn's or SciPy's metrics."""

    points: _checks.FloatArray | NDArray[np.bool_]
    metric: str
    parameters: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    exponent: int = 0
    resolution: float = 0.0

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """How many coordinates they have."""
        return int(self.points.shape[1])

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: NDArray[np.float64]) -> None:
        """Write the distances between points i₀ … i₁ and j₀ … j₁ to `out`."""
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
    """All pairs i < j of N points with their two distances, that of the data and that of the picture."""

    x: Distances
    y: Distances

    @property
    def n_pairs(self) -> int:
        """N(N − 1)/2."""
        n = self.x.n_points
        return n * (n - 1) // 2

    def tiles(self) -> list[Tile]:
        """The tiles that hold a pair i < j, in a fixed order."""
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

    def each(
        self,
        tiles: list[Tile],
        work: Callable[[int, Tile, NDArray[np.float64], NDArray[np.float64]], None],
        *,
        n_threads: int,
    ) -> None:
        """Call work(number, tile, distances of the data, distances of the picture) for every tile.

        Threads take tiles as they come; the work must write to a place of its own for every tile, so that the result
        does not depend on their number.
        """
        own = threading.local()

        def one(number: int) -> None:
            if not hasattr(own, "tiles"):
                own.tiles = (np.empty((_ROWS, _COLUMNS)), np.empty((_ROWS, _COLUMNS)))
            tile = tiles[number]
            blocks = []
            for side, memory in zip((self.x, self.y), own.tiles, strict=True):
                block = memory[: tile.i1 - tile.i0, : tile.j1 - tile.j0]
                side.tile(tile.i0, tile.i1, tile.j0, tile.j1, block)
                blocks.append(block)
            work(number, tile, blocks[0], blocks[1])

        if n_threads == 1:
            for number in range(len(tiles)):
                one(number)
        else:
            with ThreadPoolExecutor(n_threads) as pool:
                for _ in pool.map(one, range(len(tiles))):
                    pass


def pairs_of(X: _checks.Points, Y: _checks.Points, *, metric: str) -> Pairs:
    """Check the data and their picture and return their pairs.

    Parameters
    ----------
    X : array-like of shape (N, n)
        Points, or square distances with ``metric="precomputed"``.
    Y : array-like of shape (N, t)
        Their picture; distances in it are Euclidean.
    metric : str
        "euclidean", "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.

    Returns
    -------
    Pairs

    Raises
    ------
    TypeError
        If `X` or `Y` does not hold real numbers, or `metric` is not a name.
    ValueError
        If the numbers of points differ or are below 3, a value is NaN or inf, a precomputed matrix is not square,
        symmetric and non-negative with a zero diagonal, or there is no such metric.

    Examples
    --------
    >>> pairs_of([[0.0], [1.0], [3.0]], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], metric="euclidean").n_pairs
    3
    """
    metric = _check_metric(metric, _METRICS)
    y = _checks.as_points(Y, "Y")
    x: Distances
    if metric == "precomputed":
        matrix = as_distance_matrix(X, "X")
        check_same_points(matrix.shape[0], y.shape[0])
        exponent = _exponent(matrix)
        # What float64 rounds is left to those who compare: it is a fixed share of the largest distance.
        x = Matrix(matrix, exponent, _resolution(matrix, exponent) if matrix.dtype == np.float32 else 0.0)
    else:
        points = _checks.as_points(X, "X")
        check_same_points(points.shape[0], y.shape[0])
        x = _points(points) if metric in ("euclidean", "l2") else _metric(points, metric)
    return Pairs(x, _points(y))


_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_COORDINATES = ("cityblock", "manhattan", "l1", "chebyshev", "minkowski")
_METRICS = (
    *("euclidean", "l2", "precomputed", "cityblock", "manhattan", "l1", "cosine", "haversine"),
    *("braycurtis", "canberra", "chebyshev", "correlation", "hamming", "mahalanobis", "minkowski"),
    *("seuclidean", "sqeuclidean", *_BOOLEAN),
)


def _largest(array: _checks.FloatArray) -> float:
    return max(float(array.max()), -float(array.min()))


def _exponent(array: _checks.FloatArray) -> int:
    """The power of two just above the largest entry, short of where it or its inverse is no normal number."""
    return min(max(math.frexp(_largest(array))[1], -1000), 1000)


def _resolution(array: _checks.FloatArray, exponent: int) -> float:
    """What rounding makes of the difference of two equal distances, in units of 2^exponent.

    Coordinates and their differences are rounded to half a unit in the last place of the largest one. A distance is
    off by the mean of these errors along its direction: eight such units leave room.
    """
    return 4.0 * float(np.finfo(array.dtype).eps) * math.ldexp(_largest(array), -exponent)


def _points(points: _checks.FloatArray) -> Points:
    exponent = _exponent(points)
    resolution = _resolution(points, exponent)
    if abs(exponent) > 256:
        scaled = np.ldexp(points.astype(np.float64), -exponent)
        return Points(np.ascontiguousarray(scaled), exponent, resolution, exponent)
    return Points(np.ascontiguousarray(points), exponent, resolution)


def _metric(points: _checks.FloatArray, metric: str) -> Metric:
    if metric in _BOOLEAN:
        return Metric(points.astype(bool), metric)
    given, points = points, points.astype(np.float64, copy=False)
    parameters: dict[str, NDArray[np.float64]] = {}
    # These two depend on all points, so that a block of them must not find them out for itself.
    if metric == "seuclidean":
        parameters["V"] = np.var(points, axis=0, ddof=1)
    elif metric == "mahalanobis":
        parameters["VI"] = _inverse_covariance(points)
    elif metric == "haversine":
        _check_on_sphere(points.shape[1])
    side = Metric(points, metric, parameters)
    # No distance is more than twice the largest one from the first point, or four times if it is a square.
    row = np.empty((1, side.n_points))
    side.tile(0, 1, 0, side.n_points, row)
    exponent = _exponent(row)
    if (
        metric in _COORDINATES
    ):  # these are in the units of the coordinates; a sum of n of them is off by √n times as much
        resolution = _resolution(given, exponent) * math.sqrt(points.shape[1])
        return replace(side, exponent=exponent, resolution=resolution)
    return replace(side, exponent=exponent)


def _check_metric(metric: Any, metrics: Iterable[str]) -> str:
    """Return the name of a metric if it is one of `metrics`, else raise listing them."""
    if not isinstance(metric, str):
        raise TypeError(
            f"metric is {_checks.describe(metric)}; expected the name of a metric, or metric='precomputed' with a square matrix "
            "of your own distances as X"
        )
    return _checks.check_option(metric, "metric", sorted(metrics))


def _check_metric_block(block: npt.NDArray[np.float64], metric: str) -> None:
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


def _inverse_covariance(points: _checks.FloatArray) -> npt.NDArray[np.float64]:
    """Return the inverse covariance of X for the Mahalanobis metric, or say that there is none."""
    cov = np.atleast_2d(np.cov(points, rowvar=False))
    if np.linalg.matrix_rank(cov, hermitian=True) < cov.shape[0]:
        raise ValueError(
            f"X has a covariance of rank {np.linalg.matrix_rank(cov, hermitian=True)} in {cov.shape[0]} dimensions, "
            "where metric='mahalanobis' is undefined; expected points that fill their dimensions"
        )
    return np.asarray(np.linalg.inv(cov))


def _check_on_sphere(n_dimensions: int) -> None:
    """Raise ValueError unless points have a latitude and a longitude."""
    if n_dimensions != 2:
        raise ValueError(
            f"X has {_checks.how_many(n_dimensions, 'dimension')} with metric='haversine'; expected 2: latitude and longitude in radians"
        )
