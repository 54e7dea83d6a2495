"""One pass over all sublists of a list that finds, for each, how it stands to the words outside it.

Let s_j(S) be the sum of the cosines of word j with the words of a sublist S. Everything that mean cosine similarity
says about S is in the smallest s of the words inside and the largest of those outside. Sublists are pairs of a
sublist of the first half of the words and one of the second, and s is the sum of two table entries; 2²⁵ sublists
take seconds and a few megabytes.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

__all__: list[str] = []

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

LARGEST_LIST = 25
"""Longest list whose sublists are all visited."""

_CHUNK_BITS = 13
"""Words of the half whose table is used as a whole: its 2¹³ columns of eight bytes stay in the cache."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetCounts:
    """What the sublists of each length have in sum; all arrays have one row per q = 0 … k."""

    beaten: Counts
    tied: Counts
    smallest_margin: Array
    beating_words: Counts


def _half(cosines: Array, first: int, last: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp], Array]:
    """Return members, sizes and sums of cosines with all words, for the sublists of words first … last − 1 by size."""
    n = last - first
    masks = np.arange(2**n)
    members = (masks[None, :] >> np.arange(n)[:, None]) & 1 == 1
    sizes = members.sum(axis=0)
    order = np.argsort(sizes, kind="stable")
    members, sizes = members[:, order], sizes[order]
    return members, sizes, np.ascontiguousarray(cosines[:, first:last] @ members.astype(np.float64))


def count_subsets(
    cosines: Array, tolerance: float, *, only: int | None = None, with_beating: bool = False
) -> SubsetCounts:
    """Visit all sublists, or those of `only` words, of a list with the given matrix of cosines.

    A sublist is tied if the smallest mean cosine (s/q) inside and the largest outside are within `tolerance`, beaten
    if the one outside is larger by more. The smallest margin is over sublists that are not tied.
    """
    k = len(cosines)
    n_low = min((k + 1) // 2, _CHUNK_BITS)
    low_members, low_sizes, low_sums = _half(cosines, 0, n_low)
    high_members, high_sizes, high_sums = _half(cosines, n_low, k)
    # Infinite where a word is on the other side, so that minima and maxima pass over it.
    inside = np.where(low_members, low_sums[:n_low], np.inf)
    outside = np.where(low_members, -np.inf, low_sums[:n_low])
    bounds = np.searchsorted(low_sizes, np.arange(n_low + 2))
    beaten, tied = np.zeros(k + 1, dtype=np.int64), np.zeros(k + 1, dtype=np.int64)
    smallest = np.full(k + 1, np.inf)
    beating = np.zeros((k + 1, k + 1), dtype=np.int64)
    width = low_sums.shape[1]
    worst, best, sums = np.empty(width), np.empty(width), np.empty(width)
    above, n_above = np.empty(width, dtype=np.bool_), np.empty(width, dtype=np.int8)
    for place, size in enumerate(high_sizes):
        first, last = 0, width
        if only is not None:
            if not 0 <= only - size <= n_low:
                continue
            first, last = int(bounds[only - size]), int(bounds[only - size + 1])
        here = slice(first, last)
        low, top, s = worst[: last - first], best[: last - first], sums[: last - first]
        low.fill(np.inf)
        top.fill(-np.inf)
        added, chosen = high_sums[:, place], high_members[:, place]
        for j in range(n_low):
            np.add(inside[j, here], added[j], out=s)
            np.minimum(low, s, out=low)
            np.add(outside[j, here], added[j], out=s)
            np.maximum(top, s, out=top)
        for j in range(n_low, k):
            np.add(low_sums[j, here], added[j], out=s)
            if chosen[j - n_low]:
                np.minimum(low, s, out=low)
            else:
                np.maximum(top, s, out=top)
        lengths = low_sizes[here] + size
        slack = tolerance * lengths
        if with_beating:
            limit = low + slack
            count, flag = n_above[: last - first], above[: last - first]
            count.fill(0)
            for j in range(n_low):
                np.add(outside[j, here], added[j], out=s)
                np.greater(s, limit, out=flag)
                np.add(count, flag, out=count)
            for j in range(n_low, k):
                if not chosen[j - n_low]:
                    np.add(low_sums[j, here], added[j], out=s)
                    np.greater(s, limit, out=flag)
                    np.add(count, flag, out=count)
            pairs = np.bincount(lengths * (k + 1) + count, minlength=(k + 1) ** 2)
            beating += pairs.reshape(k + 1, k + 1)
        with np.errstate(invalid="ignore"):  # the empty and the full list have no other side
            np.subtract(low, top, out=low)
        is_tied = np.abs(low) <= slack
        is_beaten = low < -slack
        tied += np.bincount(lengths, weights=is_tied, minlength=k + 1).astype(np.int64)
        beaten += np.bincount(lengths, weights=is_beaten, minlength=k + 1).astype(np.int64)
        np.abs(low, out=low)
        low[is_tied] = np.inf
        # Sublists of one size lie side by side.
        starts = bounds[:-1][(bounds[:-1] >= first) & (bounds[:-1] < last)] - first
        least = np.minimum.reduceat(low, starts)
        at = lengths[starts]
        smallest[at] = np.minimum(smallest[at], least / np.maximum(at, 1))
    return SubsetCounts(beaten, tied, smallest, beating)
