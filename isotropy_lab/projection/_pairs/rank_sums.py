"""Rank sums and monotone regression of distances, exact in float64, and what rank measures follow from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from isotropy_lab.projection._checks import check_distances_vary, check_some_distance
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import available, choose, compiled
from isotropy_lab.projection._pairs.distances import Pairs, Tile
from isotropy_lab.projection._pairs.kernels import distances as kernels_distances
from isotropy_lab.projection._pairs.kernels import ranks as kernels
from isotropy_lab.projection._pairs.threads import Threads

__all__ = ["RankSums", "exact_ranks", "ranks_in_numpy"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankSums:
    """Sums over pairs from which both rank measures and bounds of their errors follow.

    Ranks are 2r − (P + 1) for the average rank r among P pairs. The later fields say how coarsely a histogram tells
    distances apart: `cubes_x` and `cubes_y` are Σ(t³ − t) over groups of t pairs that were taken as tied.
    """

    n_pairs: int
    products: float
    squares_x: float
    squares_y: float
    residual: float
    sum_e2: float
    cubes_x: float = 0.0
    cubes_y: float = 0.0
    largest_group: int = 0
    max_e: float = 0.0
    rounding: float = 0.0

    def correlation(self) -> float:
        """Spearman's ρ."""
        check_distances_vary(self.squares_x, "X")
        check_distances_vary(self.squares_y, "Y")
        cosine = self.products / math.sqrt(self.squares_x * self.squares_y)
        return float(min(max(cosine, -1.0), 1.0))

    def correlation_error(self) -> float:
        """How far ρ can be from that of the ranks within the groups.

        Averaging ranks within groups turns their vector by an angle with the sine √(Σ(t³ − t)/3)/‖ranks‖ at most; ρ is
        the cosine of the angle between two such vectors.
        """
        angle = 0.0
        for cubes, squares in ((self.cubes_x, self.squares_x), (self.cubes_y, self.squares_y)):
            angle += math.atan2(math.sqrt(cubes / 3.0), math.sqrt(squares))
        return min(angle, 2.0)

    def stress(self, squared: bool) -> tuple[float, float]:
        """Non-metric stress and how far it can be from that of distances told apart.

        Let u be the best fit without ties and ū its average over groups, which is non-decreasing too: the fit to groups
        leaves at most Σ(e − ū)² = Σ(e − u)² + 2Σ(e − u)(u − ū) + Σ(u − ū)². Here |e − u| ≤ max e, and |u − ū| is at most
        the rise of u in its group; the rises add up to at most max e. So the last two terms are at most 3·t·(max e)²
        for a largest group of t. Rounding e by a fraction ε moves the value by no more than 2ε.
        """
        check_some_distance(self.sum_e2, "Y")
        value = min(max(self.residual / self.sum_e2, 0.0), 1.0)
        slack = 3.0 * self.largest_group * self.max_e**2 / self.sum_e2 if self.largest_group > 1 else 0.0
        root = math.sqrt(value)
        error = max(math.sqrt(value + slack) - root, root - math.sqrt(max(value - slack, 0.0)))
        error = min(error + self.rounding, 1.0)
        if squared:
            return value, min(error * (2.0 * root + error), 1.0)
        return root, error


def exact_ranks(
    pairs: Pairs, tie_tolerance: float | None, *, n_threads: int, ranks: bool, ties: str | None
) -> RankSums:
    """Rank the distances of both sides in float64, and fit those of the projection to the order of the data's."""
    d, e = np.empty(pairs.n_pairs), np.empty(pairs.n_pairs)
    gather = choose(kernels_distances.gather_tile, plain.gather_tile)

    def work(number: int, tile: Tile, D: Floats, E: Floats) -> None:
        place = slice(tile.first, tile.first + tile.n_pairs)
        gather(D, E, tile.i0, tile.j0, d[place], e[place])

    pairs.each(pairs.tiles(), work, n_threads=n_threads)
    tolerance_d, tolerance_e = (
        side.resolution + 16 * np.finfo(float).eps * float(values.max())
        if tie_tolerance is None
        else tie_tolerance * float(values.max())
        for side, values in ((pairs.x, d), (pairs.y, e))
    )
    primary, stress = ties == "primary", ties is not None
    if not available():
        return ranks_in_numpy(d, e, tolerance_d, tolerance_e, ranks=ranks, stress=stress, primary=primary)
    with Threads(n_threads) as threads:
        return _by_keys(d, e, tolerance_d, tolerance_e, threads, ranks=ranks, stress=stress, primary=primary)


def _by_keys(
    d: Floats,
    e: Floats,
    tolerance_d: float,
    tolerance_e: float,
    threads: Threads,
    *,
    ranks: bool,
    stress: bool,
    primary: bool,
) -> RankSums:
    """Return the rank sums of distances, whose memory is used for other things.

    Most of the time goes into reading memory here and there. So that is done once: the distances of the projection are
    put in the order of those of the data, and the places in that order are what the second sort carries along.
    """
    n = d.size
    sum_e2 = float(np.einsum("i,i->", e, e)) if stress else 0.0
    keys = np.empty(n, np.uint64)
    bits, reach = _sort(keys, d, tolerance_d, threads)
    tied = np.zeros(n // 8 + 1, np.uint8)
    tied_ranks = np.empty(n)  # what is never written to takes no memory
    squares_d = compiled(kernels.find_ties)(keys, bits, d, reach, tolerance_d, tied, tied_ranks)
    ordered, take = d, compiled(kernels.take_places)
    threads.share(n, lambda part: take(keys[part], bits, e, ordered[part]))

    def fit() -> float:
        return float(
            compiled(kernels.regress)(ordered, tied, tied_ranks, primary, np.empty((3, n))) if stress else 0.0
        )

    def multiply() -> Floats:
        found = np.zeros(2)
        if ranks:
            bits, reach = _sort(keys, ordered, tolerance_e, threads)
            compiled(kernels.multiply_ranks)(keys, bits, ordered, reach, tolerance_e, tied, tied_ranks, found)
        return found

    residual, (products, squares_e) = threads.both(fit, multiply)
    return RankSums(n, products, squares_d if ranks else 0.0, squares_e, residual, sum_e2)


def _sort(keys: NDArray[np.uint64], values: Floats, tolerance: float, threads: Threads) -> tuple[int, int]:
    """Order the places of `values` by value; return how many low bits of a key are the place, and how far ties reach.

    A place leaves some 40 of 64 bits for the value, of which the distances of a few thousand points hardly ever share
    one; where they do they are compared in full.
    """
    n = values.size
    bits = max(n - 1, 1).bit_length()
    largest = float(values.max())
    # Half of the room, so that no rounding reaches its end.
    factor = min(2.0 ** (63 - bits) / largest, 2.0**1000) if largest > 0 else 0.0
    make = compiled(kernels.key_places)
    threads.share(n, lambda part: make(values[part], factor, bits, part.start, keys[part]))
    if threads.n_threads > 1:  # first what belongs into the part of each thread
        keys.partition([n * i // threads.n_threads for i in range(1, threads.n_threads)])
    threads.share(n, lambda part: keys[part].sort())
    compiled(kernels.settle)(keys, values, bits)
    # A key is rounded down, so that a difference of keys is off by one, and by less for rounding.
    return bits, int(min(tolerance * factor, 2.0**62)) + 3


# --- the NumPy twin of the walks --------------------------------------------------------------------------------


def ranks_in_numpy(
    d: Floats, e: Floats, tolerance_d: float, tolerance_e: float, *, ranks: bool, stress: bool, primary: bool
) -> RankSums:
    """Return the rank sums of distances of which those are tied that lie within a tolerance of the first of a group."""
    n = d.size
    order = np.argsort(d, kind="stable")
    starts = _groups(d[order], tolerance_d)
    residual = sum_e2 = products = squares_d = squares_e = 0.0
    if stress:
        sum_e2 = float(np.einsum("i,i->", e, e))
        ordered = e[order]
        if primary:
            ordered = ordered[np.lexsort((ordered, np.repeat(np.arange(starts.size), _sizes(starts, n))))]
        residual = _residual(ordered, np.arange(n) if primary else starts)
    if ranks:
        by_d = _ranks(order, starts)
        order = np.argsort(e, kind="stable")
        by_e = _ranks(order, _groups(e[order], tolerance_e))
        products, squares_d, squares_e = (
            float((a * b).sum()) for a, b in ((by_d, by_e), (by_d, by_d), (by_e, by_e))
        )
    return RankSums(n, products, squares_d, squares_e, residual, sum_e2)


def _groups(ordered: Floats, tolerance: float) -> NDArray[np.intp]:
    """Return where groups of sorted values start: a group is what lies within the tolerance of its first."""
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > tolerance]))
    ends = starts + _sizes(starts, ordered.size)
    within = []
    for start, end in zip(
        *(side[ordered[ends - 1] - ordered[starts] > tolerance] for side in (starts, ends)), strict=True
    ):
        while True:  # a chain of neighbors that reaches beyond the tolerance
            k = int(np.searchsorted(ordered[start:end], ordered[start] + tolerance, side="right")) + start
            while k < end and ordered[k] - ordered[start] <= tolerance:  # the sum above is rounded
                k += 1
            while ordered[k - 1] - ordered[start] > tolerance:
                k -= 1
            if k == end:
                break
            within.append(k)
            start = k
    return np.sort(np.concatenate([starts, np.array(within, np.intp)]))


def _sizes(starts: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    return np.diff(starts, append=n)


def _ranks(order: NDArray[np.intp], starts: NDArray[np.intp]) -> Floats:
    """Return 2r − (P + 1) for the average rank r in its group of each of P values."""
    sizes = _sizes(starts, order.size)
    ranks = np.empty(order.size)
    ranks[order] = np.repeat(2.0 * starts + sizes - order.size, sizes)
    return ranks


def _residual(values: Floats, starts: NDArray[np.intp]) -> float:
    """Return Σ(v − v̂)² with v̂ the best non-decreasing function of the groups that start at `starts`."""
    fit = isotonic_regression(_means(values, starts), weights=_sizes(starts, values.size).astype(np.float64))
    blocks = starts[fit.blocks[:-1]]
    return float(np.square(values - np.repeat(_means(values, blocks), _sizes(blocks, values.size))).sum())


def _means(values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Return the means of runs of values: their value where all of a run are equal."""
    sizes = _sizes(starts, values.size)
    return values[starts] + np.add.reduceat(values - np.repeat(values[starts], sizes), starts) / sizes
