"""Consistency index: whether every sublist of a word list resembles itself more than any other sublist.

Kindel (2023) calls a similarity geometrically consistent if it does for all lengths q of sublists of k words, and
J_{q,k} the fraction of sublists that are most similar to themselves (an index of inconsistency by name only).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.association import lattice
from isotropy_lab.association._checks import as_word_vectors, check_sublist_length, rank_tolerance, unit_rows

__all__ = ["ConsistencyIndex", "consistency_index", "consistency_profile"]

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

SIMILARITIES = ("mean-cosine", "normalized", "canonical")

TOLERANCE = 1e-12
"""Similarities nearer than this are ties: far above rounding (1e−15), far below any difference between words."""

LARGEST_LIST = 25
"""Longest list whose sublists are all visited."""

_LARGEST_DEPENDENT = 16
"""Most linearly dependent words whose sublists are all visited."""

_SAMPLING = "consistency_index(..., n_resamples=10_000), which looks at random sublists of one length"


@dataclasses.dataclass(frozen=True)
class ConsistencyIndex(Result):
    """How many sublists of q words are most similar to themselves.

    Attributes
    ----------
    weak
        Fraction that no other sublist beats, in [0, 1]; 1 is consistent.
    strict
        Fraction that beat all others, at most `weak`.
    n_subsets
        Sublists looked at: C(k, q), or the number drawn.
    n_beaten
        Sublists that resemble another more than themselves.
    n_not_strict
        Sublists that are beaten or tied.
    smallest_margin : float
        How near the nearest decision was, beyond ties: the smallest difference of mean cosines inside and outside, for
        "normalized" 1 − cos of two mean directions (or a lower bound), for "canonical" the sine between a word and a
        span. Infinite if there was nothing to decide.
    n_undefined
        Sublists whose unit vectors cancel, for "normalized"; they are left out of both fractions.
    method : "exact" or "sampled".
    """

    weak: float
    strict: float
    n_subsets: int
    n_beaten: int
    n_not_strict: int
    smallest_margin: float
    n_undefined: int
    method: str


@dataclasses.dataclass(frozen=True)
class _Counts:
    n_subsets: int
    n_beaten: int
    n_tied: int
    smallest_margin: float
    n_undefined: int = 0


def _index(counts: _Counts, *, sampled: bool = False) -> ConsistencyIndex:
    n = counts.n_subsets - counts.n_undefined
    weak, strict = n - counts.n_beaten, n - counts.n_beaten - counts.n_tied
    return ConsistencyIndex(
        weak / n,
        strict / n,
        counts.n_subsets,
        counts.n_beaten,
        counts.n_beaten + counts.n_tied,
        counts.smallest_margin,
        counts.n_undefined,
        "sampled" if sampled else "exact",
    )


def cosines_of(units: Array) -> Array:
    """Return the exactly symmetric matrix of the cosines of unit rows."""
    cosines = units @ units.T
    return np.asarray((cosines + cosines.T) / 2)


_CHUNK_BITS = 13
"""Words of the half whose table is used as a whole: its 2¹³ columns of eight bytes stay in the cache."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetCounts:
    """Counts of the sublists of each length; all arrays have one row per q = 0 … k.

    beating_words[q, b] is the number of q-word sublists with exactly b words outside whose mean cosine with the
    sublist is larger than the smallest of a word inside.
    """

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


def count_subsets(cosines: Array, *, only: int | None = None, with_beating: bool = False) -> SubsetCounts:
    """Visit all sublists, or those of `only` words, of a list with the given matrix of cosines.

    Let s_j be the sum of the cosines of word j with the words of a sublist. The sublist is tied if the smallest s/q
    inside and the largest outside are within `TOLERANCE`, beaten if the one outside is larger by more. The smallest
    margin is over sublists that are not tied. Each sublist is a pair of a sublist of the first half of the words and
    one of the second, and s is the sum of two table entries; 2²⁵ sublists take seconds and a few megabytes.
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


def _sampled_margins(units: Array, q: int, n: int, rng: np.random.Generator) -> _Counts:
    cosines, k = cosines_of(units), len(units)
    n_beaten = n_tied = 0
    smallest = math.inf
    for _, size in _chunks(n, max(1, 2**20 // k)):
        margins = margins_of(_draw_subsets(k, q, size, rng), cosines)
        tied = np.abs(margins) <= TOLERANCE
        n_tied += int(tied.sum())
        n_beaten += int((margins < -TOLERANCE).sum())
        smallest = min(smallest, float(np.min(np.abs(margins[~tied]), initial=np.inf)))
    return _Counts(n, n_beaten, n_tied, smallest)


def _chunks(n: int, size: int) -> list[tuple[int, int]]:
    """Return the starts and sizes of the chunks of n things."""
    return [(start, min(size, n - start)) for start in range(0, n, size)]


def margins_of(subsets: lattice.Subsets, cosines: Array) -> Array:
    """Return, for each sublist, its smallest mean cosine with a word inside less the largest with a word outside."""
    members = lattice.indicators(subsets, len(cosines)) > 0
    means = members @ cosines / subsets.shape[1]
    return np.asarray(
        np.where(members, means, np.inf).min(axis=1) - np.where(members, -np.inf, means).max(axis=1)
    )


def _draw_subsets(k: int, q: int, n: int, rng: np.random.Generator) -> lattice.Subsets:
    """Return n random q-subsets of 0 … k−1, each sorted."""
    return np.sort(np.argpartition(rng.random((n, k)), q - 1, axis=1)[:, :q], axis=1)


def _dependent_words(units: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the words that lie in the span of the others: those with a part in a linear relation."""
    left, values, _ = np.linalg.svd(units)
    rank = int(np.count_nonzero(values > tolerance * values[0]))
    return np.flatnonzero(np.linalg.norm(left[:, rank:], axis=1) > 1e-10)


def _distances(units: Array, subsets: lattice.Subsets, rank_limit: float) -> Array:
    """Return the distance of every word from the span of every sublist, inf for its own words."""
    bases, _ = lattice.subset_bases(units, subsets, rank_limit)
    parts = units[None] @ bases
    residuals = units[None] - parts @ np.swapaxes(bases, 1, 2)
    distances = np.sqrt(np.einsum("mij,mij->mi", residuals, residuals))
    np.put_along_axis(distances, subsets, np.inf, axis=1)
    return np.asarray(distances)


def _not_strict(units: Array, subsets: lattice.Subsets, rank_limit: float) -> tuple[int, float]:
    """Return how many sublists another one equals in similarity, and the smallest distance not taken for 0."""
    n_not_strict, smallest, tolerance = 0, math.inf, max(TOLERANCE, rank_limit)
    k, d = units.shape
    for start, size in _chunks(len(subsets), max(1, 2**21 // (k * d))):
        distances = _distances(units, subsets[start : start + size], rank_limit)
        n_not_strict += int((distances <= tolerance).any(axis=1).sum())
        smallest = min(smallest, float(np.min(distances[distances > tolerance], initial=np.inf)))
    return n_not_strict, smallest


def _canonical_counts(words: checks.FloatArray, units: Array) -> list[_Counts]:
    """Return the counts for q = 1 … k − 1, from the sublists of those words that others span."""
    k, limit = len(units), rank_tolerance(words)
    rows = lattice.coordinates(units)
    dependent = _dependent_words(rows, limit)
    n = dependent.size
    if n > _LARGEST_DEPENDENT:
        raise ValueError(
            f"W has {n} words in the span of the others (rows {dependent[:5].tolist()} …); expected at most "
            f"{_LARGEST_DEPENDENT}, or {_SAMPLING}"
        )
    free = [j for j in range(k) if j not in set(dependent.tolist())]
    smallest = min((_distance_from_others(rows, j) for j in free), default=math.inf)
    not_strict = [0] * (n + 1)
    chosen = rows[dependent]
    for q in range(1, n):  # no word outside is in a relation with none of these words, or with all of them
        not_strict[q], nearest = _not_strict(chosen, lattice.combinations(n, q), limit)
        smallest = min(smallest, nearest)
    return [
        _Counts(
            math.comb(k, q),
            0,
            sum(not_strict[d] * math.comb(k - n, q - d) for d in range(min(n, q) + 1)),
            smallest,
        )
        for q in range(1, k)
    ]


def _distance_from_others(rows: Array, j: int) -> float:
    others = np.delete(rows, j, axis=0)
    if len(others) <= rows.shape[1]:
        basis = np.linalg.qr(others.T)[0]
    else:
        _, values, directions = np.linalg.svd(others, full_matrices=False)
        basis = directions[values > 1e-12 * values[0]].T
    residual = rows[j] - basis @ (basis.T @ rows[j])
    return float(np.sqrt(residual @ residual))


def _normalized_counts(words: checks.FloatArray, units: Array, q: int) -> _Counts:
    k, limit = len(units), rank_tolerance(words)
    rows = lattice.coordinates(units)
    n_subsets = math.comb(k, q)
    if n_subsets > lattice.LARGEST_MATRIX:
        # Mean directions Σ x_i w_i of two sublists have coefficients that differ by at least 1/q at two words, so they
        # are √2 σ/q apart with σ the smallest singular value, and 1 − cos is at least (σ/q)².
        values = np.linalg.svd(rows, compute_uv=False)
        bound = (float(values[-1]) / q) ** 2 if k <= units.shape[1] else 0.0
        if not bound > TOLERANCE:
            dependent = _dependent_words(rows, limit)
            where = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
            raise ValueError(
                f"W has linearly dependent words ({where} in the span of the others) and {n_subsets:,} sublists; "
                f"expected independent words or at most {lattice.LARGEST_MATRIX:,} sublists to compare in pairs"
            )
        return _Counts(n_subsets, 0, 0, bound)
    means = lattice.indicators(lattice.combinations(k, q), k) @ rows / q
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    defined = lengths > limit
    directions = means[defined] / lengths[defined, None]
    n_tied, smallest = 0, math.inf
    for start, size in _chunks(len(directions), 1024):
        gaps = 1.0 - directions[start : start + size] @ directions.T
        gaps[np.arange(size), np.arange(start, start + size)] = np.inf
        n_tied += int((gaps.min(axis=1) <= TOLERANCE).sum())
        smallest = min(smallest, float(np.min(gaps[gaps > TOLERANCE], initial=np.inf)))
    return _Counts(n_subsets, 0, n_tied, smallest, int((~defined).sum()))


def check_list_length(k: int) -> None:
    """Raise ValueError if a list has too many sublists to visit them all."""
    if k > LARGEST_LIST:
        raise ValueError(
            f"W has {k} words and so 2^{k} sublists; expected at most {LARGEST_LIST} words, or {_SAMPLING}"
        )


def _exact_counts(words: checks.FloatArray, lengths: range, similarity: str) -> list[_Counts]:
    """Return the counts for some lengths of sublists."""
    units, k = unit_rows(words), len(words)
    if similarity == "canonical":
        counts = _canonical_counts(words, units)
        return [counts[q - 1] for q in lengths]
    if similarity == "normalized":
        return [_normalized_counts(words, units, q) for q in lengths]
    check_list_length(k)
    visited = count_subsets(cosines_of(units), only=lengths[0] if len(lengths) == 1 else None)
    return [
        _Counts(
            math.comb(k, q), int(visited.beaten[q]), int(visited.tied[q]), float(visited.smallest_margin[q])
        )
        for q in lengths
    ]


def consistency_index(
    W: checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    n_resamples: int | None = None,
    rng: checks.RandomState = None,
) -> ConsistencyIndex:
    """Return the fraction of q-word sublists of a list that no other sublist beats: J_{q,k} of Kindel (2023).

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero; at most 25 for an exact count under "mean-cosine".
    q : int
        Words in a sublist, from 1 to k − 1.
    similarity : {"mean-cosine", "normalized", "canonical"}
        What the sublists are compared by.
    n_resamples, rng : optional
        Look at this many random sublists (with replacement) instead of all, and the generator or seed that draws them;
        not for "normalized".

    Returns
    -------
    ConsistencyIndex
        Fractions in [0, 1], best value 1, and the integers behind them.

    Raises
    ------
    TypeError, ValueError
        If `W` does not hold real numbers, has fewer than 2 words, a zero row, NaN or inf, `q` is outside 1 … k − 1, an
        option does not exist, or there are too many sublists for an exact count: more than 25 words under
        "mean-cosine", more than 16 linearly dependent words under "canonical", dependent words and more than 6,500
        sublists under "normalized".

    Notes
    -----
    Invariant under rotation, the order of the words and positive rescaling of any word; under "canonical" also under
    changes of sign.

    *Mean cosine.* Let s_j be the sum of the cosines of word j with the words of S. Then q²·MCS(S, T) is the sum of s
    over T, which is largest for the q words with the largest s. So S is not beaten exactly if the smallest s inside
    is at least the largest outside, and no pairs of sublists need be compared.

    *Normalized.* By Cauchy–Schwarz no cosine of mean directions exceeds 1, the value of S with itself. Ties are
    sublists with parallel means, such as {±60°} and {±30°}. Linearly independent words have none.

    *Canonical.* tr(P_S P_T) is at most the smaller rank, so no sublist is beaten. S is tied exactly if another word w
    of the list lies in its span: exchange w for a word of S with a non-zero coefficient, or, if S is dependent, for a
    word that the rest of S spans, and the span stays. So only sublists of linearly dependent words are visited.

    Similarities within 1e−12 of each other are ties; for "canonical" a word within 1e−12, or max(k, p)·ε with ε of the
    input's type, of a span lies in it. Cost: O(k² p) for the cosines of the words, then O(k·C(k, q)) for an exact mean
    cosine.

    Examples
    --------
    >>> from isotropy_lab.association import consistency_index
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> result = consistency_index(W, 2)
    >>> result.n_beaten, result.n_subsets
    (1, 3)
    >>> consistency_index(W, 2, similarity="normalized").strict
    1.0
    """
    words = as_word_vectors(W, "W", min_words=2)
    checks.check_option(similarity, "similarity", SIMILARITIES)
    k = len(words)
    q = check_sublist_length(q, k - 1, "W", k)
    if n_resamples is None:
        return _index(_exact_counts(words, range(q, q + 1), similarity)[0])
    n = checks.check_integer(n_resamples, "n_resamples", low=1)
    if similarity == "normalized":
        raise ValueError(
            "n_resamples cannot be used with similarity='normalized', where each sublist is compared with all others; "
            "expected n_resamples=None: lists of linearly independent words need no sampling"
        )
    generator, units = checks.as_generator(rng), unit_rows(words)
    if similarity == "mean-cosine":
        return _index(_sampled_margins(units, q, n, generator), sampled=True)
    subsets = _draw_subsets(k, q, n, generator)
    n_tied, smallest = _not_strict(lattice.coordinates(units), subsets, rank_tolerance(words))
    return _index(_Counts(n, 0, n_tied, smallest), sampled=True)


def consistency_profile(W: checks.Points, *, similarity: str = "mean-cosine") -> pd.DataFrame:
    """Return the exact counts of `consistency_index` for every length of sublist.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero; at most 25 under "mean-cosine".
    similarity : {"mean-cosine", "normalized", "canonical"}
        What the sublists are compared by.

    Returns
    -------
    DataFrame
        One row per q = 1, …, k − 1: q, n_subsets, n_beaten, n_tied, n_undefined, weak, strict, smallest_margin, as in
        `ConsistencyIndex`, whose n_not_strict is n_beaten + n_tied.

    Raises
    ------
    TypeError, ValueError
        If `W` does not hold real numbers, has fewer than 2 words, a zero row, NaN or inf, an option does not exist, or
        there are too many sublists to visit; for longer lists `consistency_index` has `n_resamples`.

    Notes
    -----
    Invariances are those of `consistency_index`. Cost under "mean-cosine": O(k² p), then all sublists in one pass,
    O(k 2^k), about 2 s and 50 MB for 25 words. Kindel (2023), Figure 1, marks the row maxima of which n_beaten counts those off the diagonal.

    Examples
    --------
    >>> from isotropy_lab.association import consistency_profile
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> consistency_profile(W)[["q", "n_subsets", "n_beaten", "n_tied"]].values.tolist()
    [[1, 3, 0, 0], [2, 3, 1, 0]]
    """
    words = as_word_vectors(W, "W", min_words=2)
    checks.check_option(similarity, "similarity", SIMILARITIES)
    rows = []
    for q, count in enumerate(_exact_counts(words, range(1, len(words)), similarity), 1):
        index = _index(count)
        rows.append(vars(index) | {"q": q, "n_tied": index.n_not_strict - index.n_beaten})
    return pd.DataFrame(rows)[
        ["q", "n_subsets", "n_beaten", "n_tied", "n_undefined", "weak", "strict", "smallest_margin"]
    ]
