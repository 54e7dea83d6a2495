"""Rank sums and monotone regression of distances, computed in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import check_distances_vary, check_some_distance
from isotropy_lab.projection._pairs.compilation import available, compiled
from isotropy_lab.projection._pairs.distances import Pairs
from isotropy_lab.projection._pairs.kernels import ranks as kernels

__all__ = ["RankSums", "rank_sums", "rank_sums_compiled", "rank_sums_numpy"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankSums:
    """Sums over pairs that determine both rank measures.

    Ranks are expressed as 2r − (P + 1), where r is the average rank among P pairs.
    """

    n_pairs: int
    products: float
    squares_x: float
    squares_y: float
    residual: float
    sum_e2: float

    def correlation(self) -> float:
        """Return Spearman's ρ."""
        check_distances_vary(self.squares_x, "X")
        check_distances_vary(self.squares_y, "Y")
        cosine = self.products / math.sqrt(self.squares_x * self.squares_y)
        return float(min(max(cosine, -1.0), 1.0))

    def stress(self, *, squared: bool) -> float:
        """Return the non-metric stress, or its square."""
        check_some_distance(self.sum_e2, "Y")
        value = min(max(self.residual / self.sum_e2, 0.0), 1.0)
        return value if squared else math.sqrt(value)


def rank_sums(pairs: Pairs, *, ties: str | None, ranks: bool = True) -> RankSums:
    """Return sums for Shepard goodness if `ranks` is True, and for non-metric stress if `ties` is given."""
    if ties is not None:
        checks.check_option(ties, "ties", ("primary", "secondary"))
    d, e = np.empty(pairs.n_pairs), np.empty(pairs.n_pairs)
    start = 0
    for block_d, block_e in pairs.blocks():
        block = slice(start, start + block_d.size)
        d[block], e[block] = block_d, block_e
        start = block.stop
    tolerances = (
        side.resolution + 16 * np.finfo(float).eps * float(values.max())
        for side, values in ((pairs.x, d), (pairs.y, e))
    )
    sums = rank_sums_compiled if available() else rank_sums_numpy
    return sums(d, e, *tolerances, ranks=ranks, stress=ties is not None, primary=ties == "primary")


def rank_sums_compiled(
    d: Floats, e: Floats, tolerance_d: float, tolerance_e: float, *, ranks: bool, stress: bool, primary: bool
) -> RankSums:
    """Return the rank sums of distances, which are overwritten.

    Most of the time is spent on random access to memory, which is therefore done once: the distances of the
    projection are arranged in the order of the data's distances, and the second sort keeps track of their
    positions in this order.
    """
    n = d.size
    sum_e2 = float(np.einsum("i,i->", e, e)) if stress else 0.0
    keys = np.empty(n, np.uint64)
    bits, reach = _sort_keys(keys, d, tolerance_d)
    tied = np.zeros(n // 8 + 1, np.uint8)
    tied_ranks = np.empty(n)  # memory pages that are never written are not allocated
    squares_d = compiled(kernels.find_ties)(keys, bits, d, reach, tolerance_d, tied, tied_ranks)
    ordered = d
    compiled(kernels.take_values)(keys, bits, e, ordered)
    residual, sums = 0.0, np.zeros(2)
    if stress:
        blocks = np.empty((3, n))
        n_blocks = compiled(kernels.regress)(ordered, tied, tied_ranks, primary, blocks)
        residual = float(blocks[1, :n_blocks].sum())
    if ranks:
        bits, reach = _sort_keys(keys, ordered, tolerance_e)
        compiled(kernels.multiply_ranks)(keys, bits, ordered, reach, tolerance_e, tied, tied_ranks, sums)
    return RankSums(n, sums[0], squares_d if ranks else 0.0, sums[1], residual, sum_e2)


def _sort_keys(keys: NDArray[np.uint64], values: Floats, tolerance: float) -> tuple[int, int]:
    """Sort `keys` by value; return the number of low bits that contain the index, and the tolerance of keys.

    The index leaves about 40 of 64 bits for the value. Distances between a few thousand points rarely agree
    in these bits; those that do are compared in full.
    """
    bits = max(values.size - 1, 1).bit_length()
    largest = float(values.max())
    # Use half of the available range, so that rounding cannot exceed it.
    factor = min(2.0 ** (63 - bits) / largest, 2.0**1000) if largest > 0 else 0.0
    compiled(kernels.write_keys)(values, factor, bits, keys)
    keys.sort()
    compiled(kernels.sort_equal_keys)(keys, values, bits)
    # Keys are rounded down, so a difference of keys has an error of at most 1, plus a smaller rounding error.
    return bits, int(min(tolerance * factor, 2.0**62)) + 3


# --- NumPy counterparts -------------------------------------------------------------------------------------


def rank_sums_numpy(
    d: Floats, e: Floats, tolerance_d: float, tolerance_e: float, *, ranks: bool, stress: bool, primary: bool
) -> RankSums:
    """Return the rank sums; distances within a tolerance of the first distance of a group are tied."""
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
        ranks_d = _ranks(order, starts)
        order = np.argsort(e, kind="stable")
        ranks_e = _ranks(order, _groups(e[order], tolerance_e))
        products, squares_d, squares_e = (
            float((a * b).sum()) for a, b in ((ranks_d, ranks_e), (ranks_d, ranks_d), (ranks_e, ranks_e))
        )
    return RankSums(n, products, squares_d, squares_e, residual, sum_e2)


def _groups(ordered: Floats, tolerance: float) -> NDArray[np.intp]:
    """Return the start of each group of sorted values within a tolerance of the first value of the group."""
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > tolerance]))
    ends = starts + _sizes(starts, ordered.size)
    is_too_wide = ordered[ends - 1] - ordered[starts] > tolerance
    new_starts = []
    for start, end in zip(starts[is_too_wide], ends[is_too_wide], strict=True):
        while True:  # needed when a chain of close values exceeds the tolerance
            k = int(np.searchsorted(ordered[start:end], ordered[start] + tolerance, side="right")) + start
            while k < end and ordered[k] - ordered[start] <= tolerance:  # the sum above may be rounded
                k += 1
            while ordered[k - 1] - ordered[start] > tolerance:
                k -= 1
            if k == end:
                break
            new_starts.append(k)
            start = k
    return np.sort(np.concatenate([starts, np.array(new_starts, np.intp)]))


def _sizes(starts: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    return np.diff(starts, append=n)


def _ranks(order: NDArray[np.intp], starts: NDArray[np.intp]) -> Floats:
    """Return 2r − (P + 1) for each of P values, where r is the average rank of its group."""
    sizes = _sizes(starts, order.size)
    ranks = np.empty(order.size)
    ranks[order] = np.repeat(2.0 * starts + sizes - order.size, sizes)
    return ranks


def _residual(values: Floats, starts: NDArray[np.intp]) -> float:
    """Return Σ(v − v̂)² for the best nondecreasing function v̂ of the groups that start at `starts`."""
    fit = isotonic_regression(_means(values, starts), weights=_sizes(starts, values.size).astype(np.float64))
    blocks = starts[fit.blocks[:-1]]
    return float(np.square(values - np.repeat(_means(values, blocks), _sizes(blocks, values.size))).sum())


def _means(values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Return the mean of each run of values; it is exact if all values of the run are equal."""
    sizes = _sizes(starts, values.size)
    return values[starts] + np.add.reduceat(values - np.repeat(values[starts], sizes), starts) / sizes
