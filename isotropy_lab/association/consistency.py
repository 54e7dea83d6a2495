"""Consistency index: the fraction of sublists of a word list that are most similar to themselves.

Kindel (2023) calls a similarity geometrically consistent if it does for all lengths q of sublists of k words,
and J_{q,k} the fraction of sublists most similar to themselves ("inconsistency" only by name).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_vectors, rank_tolerance
from isotropy_lab.association._sublists import Subsets, combinations, coordinates, indicators, subset_bases

__all__ = ["consistency_profile"]

Array = npt.NDArray[np.float64]

SIMILARITIES = ("mean-cosine", "normalized", "canonical")

TOLERANCE = 1e-12
"""Similarities nearer than this are ties: above rounding (1e−15), below any difference between words."""

LARGEST_LIST = 25
"""Longest list whose sublists are all visited."""

_LARGEST_MATRIX = 6_500
"""Most sublists whose mean directions are compared in pairs."""

_LARGEST_DEPENDENT = 16
"""Most linearly dependent words whose sublists are all visited."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """Counts of the sublists of one length; see `consistency_profile`."""

    n_subsets: int
    n_beaten: int
    n_tied: int
    smallest_margin: float
    n_undefined: int = 0


def cosines_of(units: Array) -> Array:
    """Return the exactly symmetric matrix of the cosines of unit-norm rows."""
    cosines = units @ units.T
    return np.asarray((cosines + cosines.T) / 2)


_CHUNK_BITS = 13
"""Words of the half whose table is used as a whole: its 2¹³ columns of eight bytes stay in the cache."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetCounts:
    """Counts of the sublists of each length; all arrays have one row per q = 0 … k.

    beating_words[q, b] is the number of q-word sublists with exactly b words outside whose mean cosine with
    the sublist is larger than the smallest of a word inside.
    """

    beaten: npt.NDArray[np.int64]
    tied: npt.NDArray[np.int64]
    smallest_margin: Array
    beating_words: npt.NDArray[np.int64]


def _half(cosines: Array, first: int, last: int) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp], Array]:
    """Return members, sizes and sums of cosines of all sublists of a range of words, by size."""
    n = last - first
    masks = np.arange(2**n)
    members = (masks[None, :] >> np.arange(n)[:, None]) & 1 == 1
    sizes = members.sum(axis=0)
    order = np.argsort(sizes, kind="stable")
    members, sizes = members[:, order], sizes[order]
    return members, sizes, np.ascontiguousarray(cosines[:, first:last] @ members.astype(np.float64))


def count_subsets(cosines: Array, *, only: int | None = None, with_beating: bool = False) -> SubsetCounts:
    """Visit all sublists, or those of `only` words, of a list with the given matrix of cosines.

    Let s_j be the sum of the cosines of word j with the words of a sublist. The sublist is tied if the
    smallest s/q inside and the largest outside are within `TOLERANCE`, beaten if the one outside is larger by
    more. The smallest margin is over sublists that are not tied. Each sublist is a pair of a sublist of the
    first half of the words and one of the second, and s is the sum of two table entries; 2²⁵ sublists take
    seconds and a few megabytes.
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
        slack = TOLERANCE * lengths
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


def chunks(n: int, size: int) -> list[tuple[int, int]]:
    """Return the starts and sizes of the chunks of n things."""
    return [(start, min(size, n - start)) for start in range(0, n, size)]


def _dependent_words(units: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the words that lie in the span of the others: those with a part in a linear relation."""
    left, values, _ = np.linalg.svd(units)
    rank = int(np.count_nonzero(values > tolerance * values[0]))
    return np.flatnonzero(np.linalg.norm(left[:, rank:], axis=1) > 1e-10)


def _distances(units: Array, subsets: Subsets, rank_limit: float) -> Array:
    """Return the distance of every word from the span of every sublist, inf for its own words."""
    bases, _ = subset_bases(units, subsets, rank_limit)
    parts = units[None] @ bases
    residuals = units[None] - parts @ np.swapaxes(bases, 1, 2)
    distances = np.sqrt(np.einsum("mij,mij->mi", residuals, residuals))
    np.put_along_axis(distances, subsets, np.inf, axis=1)
    return np.asarray(distances)


def not_strict(units: Array, subsets: Subsets, rank_limit: float) -> tuple[int, float]:
    """Return the number of tied sublists, and the smallest distance that is not taken for 0."""
    n_not_strict, smallest, tolerance = 0, math.inf, max(TOLERANCE, rank_limit)
    k, d = units.shape
    for start, size in chunks(len(subsets), max(1, 2**21 // (k * d))):
        distances = _distances(units, subsets[start : start + size], rank_limit)
        n_not_strict += int((distances <= tolerance).any(axis=1).sum())
        smallest = min(smallest, float(np.min(distances[distances > tolerance], initial=np.inf)))
    return n_not_strict, smallest


def _canonical_counts(words: checks.FloatArray, units: Array) -> list[Counts]:
    """Return the counts for q = 1 … k − 1, from the sublists of those words that others span."""
    k, limit = len(units), rank_tolerance(words)
    rows = coordinates(units)
    dependent = _dependent_words(rows, limit)
    n = dependent.size
    if n > _LARGEST_DEPENDENT:
        raise ValueError(
            f"W has {n} words in the span of the others (rows {dependent[:5].tolist()} …); expected at most "
            f"{_LARGEST_DEPENDENT}"
        )
    free = [j for j in range(k) if j not in set(dependent.tolist())]
    others = np.array([np.delete(np.arange(k), j) for j in free], dtype=np.intp).reshape(-1, k - 1)
    distances = [_distances(rows, row[None], 1e-12)[0, j] for j, row in zip(free, others, strict=True)]
    smallest = min(map(float, distances), default=math.inf)
    n_tied = [0] * (n + 1)
    chosen = rows[dependent]
    for q in range(1, n):  # no word outside is in a relation with none of these words, or with all of them
        n_tied[q], nearest = not_strict(chosen, combinations(n, q), limit)
        smallest = min(smallest, nearest)
    return [
        Counts(
            math.comb(k, q),
            0,
            sum(n_tied[d] * math.comb(k - n, q - d) for d in range(min(n, q) + 1)),
            smallest,
        )
        for q in range(1, k)
    ]


def _normalized_counts(words: checks.FloatArray, units: Array, q: int) -> Counts:
    k, limit = len(units), rank_tolerance(words)
    rows = coordinates(units)
    n_subsets = math.comb(k, q)
    if n_subsets > _LARGEST_MATRIX:
        # Mean directions Σ x_i w_i of two sublists have coefficients that differ by at least 1/q at two
        # words, so they are √2 σ/q apart with σ the smallest singular value, and 1 − cos is at least (σ/q)².
        values = np.linalg.svd(rows, compute_uv=False)
        bound = (float(values[-1]) / q) ** 2 if k <= units.shape[1] else 0.0
        if not bound > TOLERANCE:
            dependent = _dependent_words(rows, limit)
            where = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
            raise ValueError(
                f"W has linearly dependent words ({where} in the span of the others) and {n_subsets:,} "
                f"sublists; expected independent words or at most {_LARGEST_MATRIX:,} sublists"
            )
        return Counts(n_subsets, 0, 0, bound)
    means = indicators(combinations(k, q), k) @ rows / q
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    defined = lengths > limit
    directions = means[defined] / lengths[defined, None]
    n_tied, smallest = 0, math.inf
    for start, size in chunks(len(directions), 1024):
        gaps = 1.0 - directions[start : start + size] @ directions.T
        gaps[np.arange(size), np.arange(start, start + size)] = np.inf
        n_tied += int((gaps.min(axis=1) <= TOLERANCE).sum())
        smallest = min(smallest, float(np.min(gaps[gaps > TOLERANCE], initial=np.inf)))
    return Counts(n_subsets, 0, n_tied, smallest, int((~defined).sum()))


def check_list_length(k: int) -> None:
    """Raise ValueError if a list has too many sublists to visit them all."""
    if k > LARGEST_LIST:
        raise ValueError(f"W has {k} words and so 2^{k} sublists; expected at most {LARGEST_LIST} words")


def exact_counts(words: checks.FloatArray, lengths: range, similarity: str) -> list[Counts]:
    """Return the counts of sublists of each of the given lengths."""
    units, k = unit_rows(words), len(words)
    if similarity == "canonical":
        counts = _canonical_counts(words, units)
        return [counts[q - 1] for q in lengths]
    if similarity == "normalized":
        return [_normalized_counts(words, units, q) for q in lengths]
    check_list_length(k)
    visited = count_subsets(cosines_of(units), only=lengths[0] if len(lengths) == 1 else None)
    return [
        Counts(
            math.comb(k, q), int(visited.beaten[q]), int(visited.tied[q]), float(visited.smallest_margin[q])
        )
        for q in lengths
    ]


def consistency_profile(W: checks.Points, *, similarity: str = "mean-cosine") -> pd.DataFrame:
    """Return how many sublists another sublist outscores, for every length q of sublist.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero; at most 25 under "mean-cosine".
    similarity : {"mean-cosine", "normalized", "canonical"}
        What the sublists are compared by.

    Returns
    -------
    DataFrame
        One row per q = 1, …, k − 1: q; n_subsets, all C(k, q); n_beaten, those that resemble another more
        than themselves; n_tied; n_undefined, for "normalized" those whose unit vectors cancel; of the others,
        the fractions weak that none beats (J_{q,k} of Kindel, 2023) and strict that beat all others, 1 being
        consistent; and smallest_margin, how near the nearest decision was, beyond ties: the smallest
        difference of mean cosines inside and outside, for "normalized" 1 − cos of two mean directions (or a
        lower bound), for "canonical" the sine between a word and a span, infinite if there was nothing to
        decide.

    Raises
    ------
    TypeError, ValueError
        If `W` does not contain real numbers, has fewer than 2 words, a zero row, NaN or inf, an option does
        not exist, or there are too many sublists to visit: more than 25 words under "mean-cosine", more than
        16 linearly dependent words under "canonical", dependent words and more than 6,500 sublists under
        "normalized".

    Notes
    -----
    Invariant under rotation, the order of the words and positive rescaling of any word; under "canonical"
    also under changes of sign.

    *Mean cosine.* Let s_j be the sum of the cosines of word j with the words of S. Then q²·MCS(S, T) is the
    sum of s over T, which is largest for the q words with the largest s. So S is not beaten exactly if the
    smallest s inside is at least the largest outside, and no pairs of sublists need be compared.

    *Normalized.* By Cauchy–Schwarz no cosine of mean directions exceeds 1, the value of S with itself. Ties
    are sublists with parallel means, such as {±60°} and {±30°}. Linearly independent words have none.

    *Canonical.* tr(P_S P_T) is at most the smaller rank, so no sublist is beaten. S is tied exactly if
    another word w of the list lies in its span: exchange w for a word of S with a non-zero coefficient, or,
    if S is dependent, for a word that the rest of S spans, and the span stays. So only sublists of linearly
    dependent words are visited.

    Similarities within 1e−12 of each other are ties; for "canonical" a word within 1e−12, or max(k, p)·ε with
    ε of the input's type, of a span lies in it. Cost under "mean-cosine": O(k² p), then all sublists in one
    pass, O(k 2^k), about 2 s and 50 MB for 25 words. Kindel (2023), Figure 1, marks the row maxima of which
    n_beaten counts those off the diagonal.

    Examples
    --------
    >>> from isotropy_lab.association import consistency_profile
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> consistency_profile(W)[["q", "n_subsets", "n_beaten", "n_tied"]].values.tolist()
    [[1, 3, 0, 0], [2, 3, 1, 0]]
    """
    words = as_word_vectors(W, "W", min_words=2)
    checks.check_option(similarity, "similarity", SIMILARITIES)
    counts = exact_counts(words, range(1, len(words)), similarity)
    table = pd.DataFrame([{"q": q, **vars(one)} for q, one in enumerate(counts, 1)])
    # Counts may be larger than 2⁶³, so that fractions are those of Python's whole numbers.
    defined = [one.n_subsets - one.n_undefined for one in counts]
    weak = [n - one.n_beaten for n, one in zip(defined, counts, strict=True)]
    table["weak"] = [w / n for w, n in zip(weak, defined, strict=True)]
    table["strict"] = [(w - one.n_tied) / n for w, n, one in zip(weak, defined, counts, strict=True)]
    return table[["q", "n_subsets", "n_beaten", "n_tied", "n_undefined", "weak", "strict", "smallest_margin"]]
