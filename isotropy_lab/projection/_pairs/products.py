"""Distances from inner products of centered points, half the arithmetic of differences, where that costs no digits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs.compilation import compiled
from isotropy_lab.projection._pairs.distances import Distances, Pairs, Points
from isotropy_lab.projection._pairs.kernels import products as kernels

__all__ = ["by_products"]

_WIDE = 32
"""From so many dimensions on products are faster."""


@dataclass(frozen=True)
class _Products:
    """Another side with its points centered, in float64 and in the unit of the distances, and their squared norms."""

    side: Points
    points: NDArray[np.float64]
    norms: NDArray[np.float64]

    @property
    def n_points(self) -> int:
        return self.side.n_points

    @property
    def n_dimensions(self) -> int:
        return self.side.n_dimensions

    @property
    def exponent(self) -> int:
        return self.side.exponent

    @property
    def resolution(self) -> float:
        return self.side.resolution

    def tile(self, i0: int, i1: int, j0: int, j1: int, out: NDArray[np.float64]) -> None:
        loop = compiled(kernels.product_tile, reorder=True)
        rows, columns = slice(i0, i1), slice(j0, j1)
        centered = self.points[rows], self.points[columns], self.norms[rows], self.norms[columns]
        given = self.side.points[rows], self.side.points[columns]
        if not loop(*centered, *given, math.ldexp(1.0, self.side.shift - self.side.exponent), out):
            self.side.tile(i0, i1, j0, j1, out)


def by_products(pairs: Pairs) -> Pairs:
    """Return the same pairs with distances between points in many dimensions found from inner products.

    ‖x‖² + ‖y‖² − 2x·y loses the digits of a distance that is small beside the norms. The points are centered, so that
    norms are about as large as distances; pairs whose squared distance is less than 1/32 of ‖x‖² + ‖y‖² are done by
    differences after all, and so are tiles with many of them. What is left is a relative error of some 1e-15, larger
    than that of differences, which ranks that must know ties from near ties need.

    Parameters
    ----------
    pairs : Pairs
        The two sides.

    Returns
    -------
    Pairs
        A side that does not consist of points in at least 32 dimensions is the same.

    Notes
    -----
    Memory: a copy of the points in float64.

    Examples
    --------
    >>> from isotropy_lab.projection._pairs.distances import pairs_of
    >>> pairs = pairs_of(np.eye(40), np.ones((40, 2)), metric="euclidean")
    >>> block = np.empty((1, 2))
    >>> by_products(pairs).x.tile(0, 1, 1, 3, block)
    >>> (block * 2.0**pairs.x.exponent).round(12)
    array([[1.41421356, 1.41421356]])
    """
    return Pairs(_products(pairs.x), _products(pairs.y))


def _products(side: Distances) -> Distances:
    if not isinstance(side, Points) or side.n_dimensions < _WIDE:
        return side
    points = side.points - side.points.mean(axis=0, dtype=np.float64)
    points *= math.ldexp(1.0, side.shift - side.exponent)
    return _Products(side, points, np.einsum("ij,ij->i", points, points))
