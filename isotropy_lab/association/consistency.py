"""Consistency index: the fraction of sublists of a word list that are most similar to themselves.

Kindel (2023) calls a similarity geometrically consistent if this holds for all lengths q of sublists of k
words, and J_{q,k} the fraction of such sublists (the name "inconsistency" is misleading).
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
"""Similarities that differ by less are tied: more than rounding (1e−15), less than word differences."""

MAX_WORDS = 25
"""Maximum length of a list whose sublists are all visited."""

_MAX_SUBLISTS = 6_500
"""Maximum number of sublists whose mean directions are compared pairwise."""

_MAX_DEPENDENT = 16
"""Maximum number of linearly dependent words whose sublists are all visited."""


@dataclasses.dataclass(frozen=True)
class Counts:
    """Counts of the sublists of one length: see `consistency_profile`."""

    n_subsets: int
    n_beaten: int
    n_tied: int
    smallest_margin: float
    n_undefined: int = 0


def cosines_of(units: Array) -> Array:
    """Return the exactly symmetric matrix of the cosines of unit-norm rows."""
    cosines = units @ units.T
    return np.asarray((cosines + cosines.T) / 2)


_MAX_LOW_WORDS = 13
"""Maximum number of words in the first half, so that the 2¹³ columns of its table stay in the cache."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetCounts:
    """Counts of the sublists of each length q = 0, …, k; row q of every array belongs to length q.

    beating_words[q, b] is the number of q-word sublists for which exactly b other words have a larger mean
    cosine with the sublist than the word of the sublist with the smallest mean cosine.
    """

    beaten: npt.NDArray[np.int64]
    tied: npt.NDArray[np.int64]
    smallest_margin: Array
    beating_words: npt.NDArray[np.int64]


def _sublists_of_range(cosines: Array, first: int, last: int) -> tuple[npt.NDArray[np.bool_], Subsets, Array]:
    """Return the members, sizes, and cosine sums of all sublists of a range of words, sorted by size."""
    n = last - first
    masks = np.arange(2**n)
    members = (masks[None, :] >> np.arange(n)[:, None]) & 1 == 1
    sizes = members.sum(axis=0)
    order = np.argsort(sizes, kind="stable")
    members, sizes = members[:, order], sizes[order]
    return members, sizes, np.ascontiguousarray(cosines[:, first:last] @ members.astype(np.float64))


def count_subsets(cosines: Array, *, only: int | None = None, with_beating: bool = False) -> SubsetCounts:
    """Count the sublists of a word list by length, or only those with `only` words, given the cosines.

    Let s_j be the sum of the cosines of word j with the words of a sublist. A sublist is tied if the smallest
    s/q inside and the largest s/q outside differ by at most `TOLERANCE`, and outscored if the one outside is
    larger by more than that. The smallest margin is taken over sublists that are not tied. Each sublist
    combines a sublist of the first half of the words with one of the second half, and s is the sum of two
    table entries; 2²⁵ sublists take seconds and a few megabytes.
    """
    k = len(cosines)
    n_low = min((k + 1) // 2, _MAX_LOW_WORDS)
    low_members, low_sizes, low_sums = _sublists_of_range(cosines, 0, n_low)
    high_members, high_sizes, high_sums = _sublists_of_range(cosines, n_low, k)
    # Words of the other half get infinite entries, so that minima and maxima ignore them.
    inside = np.where(low_members, low_sums[:n_low], np.inf)
    outside = np.where(low_members, -np.inf, low_sums[:n_low])
    bounds = np.searchsorted(low_sizes, np.arange(n_low + 2))
    beaten, tied = np.zeros(k + 1, dtype=np.int64), np.zeros(k + 1, dtype=np.int64)
    smallest_margin = np.full(k + 1, np.inf)
    beating_words = np.zeros((k + 1, k + 1), dtype=np.int64)
    width = low_sums.shape[1]
    minima, maxima, sums = np.empty(width), np.empty(width), np.empty(width)
    is_above, n_above = np.empty(width, dtype=np.bool_), np.empty(width, dtype=np.int8)
    for i, size in enumerate(high_sizes):
        first, last = 0, width
        if only is not None:
            if not 0 <= only - size <= n_low:
                continue
            first, last = int(bounds[only - size]), int(bounds[only - size + 1])
        columns = slice(first, last)
        lowest, highest, s = minima[: last - first], maxima[: last - first], sums[: last - first]
        lowest.fill(np.inf)
        highest.fill(-np.inf)
        offsets, is_member = high_sums[:, i], high_members[:, i]
        for j in range(n_low):
            np.add(inside[j, columns], offsets[j], out=s)
            np.minimum(lowest, s, out=lowest)
            np.add(outside[j, columns], offsets[j], out=s)
            np.maximum(highest, s, out=highest)
        for j in range(n_low, k):
            np.add(low_sums[j, columns], offsets[j], out=s)
            if is_member[j - n_low]:
                np.minimum(lowest, s, out=lowest)
            else:
                np.maximum(highest, s, out=highest)
        lengths = low_sizes[columns] + size
        tolerances = TOLERANCE * lengths
        if with_beating:
            limits = lowest + tolerances
            counts, flags = n_above[: last - first], is_above[: last - first]
            counts.fill(0)
            for j in range(n_low):
                np.add(outside[j, columns], offsets[j], out=s)
                np.greater(s, limits, out=flags)
                np.add(counts, flags, out=counts)
            for j in range(n_low, k):
                if not is_member[j - n_low]:
                    np.add(low_sums[j, columns], offsets[j], out=s)
                    np.greater(s, limits, out=flags)
                    np.add(counts, flags, out=counts)
            pair_counts = np.bincount(lengths * (k + 1) + counts, minlength=(k + 1) ** 2)
            beating_words += pair_counts.reshape(k + 1, k + 1)
        with np.errstate(invalid="ignore"):  # the empty and the full list have no words on one side
            margins = np.subtract(lowest, highest, out=lowest)
        is_tied = np.abs(margins) <= tolerances
        is_beaten = margins < -tolerances
        tied += np.bincount(lengths, weights=is_tied, minlength=k + 1).astype(np.int64)
        beaten += np.bincount(lengths, weights=is_beaten, minlength=k + 1).astype(np.int64)
        np.abs(margins, out=margins)
        margins[is_tied] = np.inf
        # Sublists of the same size are contiguous.
        starts = bounds[:-1][(bounds[:-1] >= first) & (bounds[:-1] < last)] - first
        smallest = np.minimum.reduceat(margins, starts)
        sizes = lengths[starts]
        smallest_margin[sizes] = np.minimum(smallest_margin[sizes], smallest / np.maximum(sizes, 1))
    return SubsetCounts(beaten, tied, smallest_margin, beating_words)


def chunks(n: int, size: int) -> list[tuple[int, int]]:
    """Return the starts and sizes of consecutive chunks of n items."""
    return [(start, min(size, n - start)) for start in range(0, n, size)]


def _dependent_words(units: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the indices of the words that lie in the span of the remaining words."""
    left, values, _ = np.linalg.svd(units)
    rank = int(np.count_nonzero(values > tolerance * values[0]))
    return np.flatnonzero(np.linalg.norm(left[:, rank:], axis=1) > 1e-10)


def _distances(units: Array, subsets: Subsets, rank_limit: float) -> Array:
    """Return the distance of each word from the span of each sublist, or inf if the word belongs to it."""
    bases, _ = subset_bases(units, subsets, rank_limit)
    coefficients = units[None] @ bases
    residuals = units[None] - coefficients @ np.swapaxes(bases, 1, 2)
    distances = np.sqrt(np.einsum("mij,mij->mi", residuals, residuals))
    np.put_along_axis(distances, subsets, np.inf, axis=1)
    return np.asarray(distances)


def count_ties(units: Array, subsets: Subsets, rank_limit: float) -> tuple[int, float]:
    """Return the number of tied sublists, and the smallest distance that does not count as 0."""
    n_tied, smallest, tolerance = 0, math.inf, max(TOLERANCE, rank_limit)
    k, d = units.shape
    for start, size in chunks(len(subsets), max(1, 2**21 // (k * d))):
        distances = _distances(units, subsets[start : start + size], rank_limit)
        n_tied += int((distances <= tolerance).any(axis=1).sum())
        smallest = min(smallest, float(np.min(distances[distances > tolerance], initial=np.inf)))
    return n_tied, smallest


def _canonical_counts(words: checks.FloatArray, units: Array) -> list[Counts]:
    """Return the counts for q = 1, …, k − 1, based on the sublists of linearly dependent words."""
    k, limit = len(units), rank_tolerance(words)
    rows = coordinates(units)
    dependent = _dependent_words(rows, limit)
    n = dependent.size
    if n > _MAX_DEPENDENT:
        raise ValueError(
            f"W has {n} words in the span of the others (rows {dependent[:5].tolist()} …); expected at most "
            f"{_MAX_DEPENDENT} dependent words"
        )
    independent = [j for j in range(k) if j not in set(dependent.tolist())]
    others = [np.delete(np.arange(k), j)[None] for j in independent]
    distances = [_distances(rows, rest, 1e-12)[0, j] for j, rest in zip(independent, others, strict=True)]
    smallest = min(map(float, distances), default=math.inf)
    n_tied = [0] * (n + 1)
    dependent_rows = rows[dependent]
    for q in range(1, n):  # sublists with none or all of the dependent words cannot be tied
        n_tied[q], nearest = count_ties(dependent_rows, combinations(n, q), limit)
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
    k, tolerance = len(units), rank_tolerance(words)
    rows = coordinates(units)
    n_subsets = math.comb(k, q)
    if n_subsets > _MAX_SUBLISTS:
        # The coefficients of the means Σ x_i w_i of two sublists differ by at least 1/q for two words. The
        # means are therefore at least √2 σ/q apart, with the smallest singular value σ, and 1 − cos ≥ (σ/q)².
        values = np.linalg.svd(rows, compute_uv=False)
        bound = (float(values[-1]) / q) ** 2 if k <= units.shape[1] else 0.0
        if not bound > TOLERANCE:
            dependent = _dependent_words(rows, tolerance)
            subject = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
            raise ValueError(
                f"W has linearly dependent words ({subject} in the span of the others) and {n_subsets:,} "
                f"sublists; expected independent words, or at most {_MAX_SUBLISTS:,} sublists"
            )
        return Counts(n_subsets, 0, 0, bound)
    means = indicators(combinations(k, q), k) @ rows / q
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    is_defined = lengths > tolerance
    directions = means[is_defined] / lengths[is_defined, None]
    n_tied, smallest = 0, math.inf
    for start, size in chunks(len(directions), 1024):
        margins = 1.0 - directions[start : start + size] @ directions.T
        margins[np.arange(size), np.arange(start, start + size)] = np.inf
        n_tied += int((margins.min(axis=1) <= TOLERANCE).sum())
        smallest = min(smallest, float(np.min(margins[margins > TOLERANCE], initial=np.inf)))
    return Counts(n_subsets, 0, n_tied, smallest, int((~is_defined).sum()))


def check_list_length(k: int) -> None:
    """Raise ValueError if a list has too many sublists to visit."""
    if k > MAX_WORDS:
        raise ValueError(f"W has {k} words and thus 2^{k} sublists; expected at most {MAX_WORDS} words")


def exact_counts(words: checks.FloatArray, lengths: range, similarity: str) -> list[Counts]:
    """Return the counts of sublists for each of the given lengths."""
    units, k = unit_rows(words), len(words)
    if similarity == "canonical":
        counts = _canonical_counts(words, units)
        return [counts[q - 1] for q in lengths]
    if similarity == "normalized":
        return [_normalized_counts(words, units, q) for q in lengths]
    check_list_length(k)
    result = count_subsets(cosines_of(units), only=lengths[0] if len(lengths) == 1 else None)
    return [
        Counts(math.comb(k, q), int(result.beaten[q]), int(result.tied[q]), float(result.smallest_margin[q]))
        for q in lengths
    ]


def consistency_profile(W: checks.Points, *, similarity: str = "mean-cosine") -> pd.DataFrame:
    """Count the sublists that are more similar to another sublist than to themselves, for each length q.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, one nonzero vector per row; at most 25 for "mean-cosine".
    similarity : {"mean-cosine", "normalized", "canonical"}
        Similarity of two sublists.

    Returns
    -------
    DataFrame
        One row for each q = 1, …, k − 1. n_subsets is the number of sublists, C(k, q); n_beaten counts those
        more similar to another sublist than to themselves; n_tied counts ties; and n_undefined, for
        "normalized", counts those whose unit vectors cancel. Among the sublists that are not undefined, weak
        is the fraction that no other beats (J_{q,k} of Kindel, 2023), and strict the fraction that beats all
        others; 1 means consistent. smallest_margin is the margin of the closest decision except ties: for
        "mean-cosine", the smallest difference between mean cosines inside and outside; for "normalized", 1 −
        cos of two mean directions, or a lower bound; for "canonical", the sine of the angle between a word
        and a span. It is infinite if there is no decision.

    Raises
    ------
    TypeError, ValueError
        If `W` is not numeric, has fewer than 2 words, or contains NaN, inf, or a zero row; if an option does
        not exist; or if there are too many sublists: more than 25 words for "mean-cosine", more than 16
        linearly dependent words for "canonical", or dependent words and over 6,500 sublists for "normalized".

    Notes
    -----
    The counts are invariant under rotation, word order, and positive rescaling of words; those for
    "canonical" also under sign changes.

    *Mean cosine.* Let s_j be the sum of the cosines of word j with the words of S. Then q²·MCS(S, T) is the
    sum of s over T, which is largest for the q words with the largest s. S is therefore not outscored if
    and only if the smallest s inside is at least the largest s outside; pairs need not be compared.

    *Normalized.* By the Cauchy–Schwarz inequality, no cosine of mean directions exceeds 1, the value for S
    and itself. Ties are sublists with parallel means, such as {±60°} and {±30°}; independent words have none.

    *Canonical.* tr(P_S P_T) is at most the smaller rank, so no sublist is outscored. S is tied if and only if
    its span contains another word w of the list: w can then replace a word of S that has a nonzero
    coefficient, or, if S is dependent, a word that the rest of S spans, without changing the span. Only
    sublists of linearly dependent words are therefore visited.

    Similarities that differ by at most 1e−12 are tied. For "canonical", a word lies in a span if its distance
    is at most 1e−12, or max(k, p)·ε with the machine epsilon ε of the input's dtype. Cost for "mean-cosine":
    O(k² p), then one pass over all sublists, O(k 2^k), about 2 s and 50 MB for 25 words. Kindel (2023),
    Figure 1, marks row maxima; n_beaten counts those off the diagonal.

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
    table = pd.DataFrame([{"q": q, **vars(count)} for q, count in enumerate(counts, 1)])
    # Counts may exceed 2⁶³, so fractions are computed from Python integers.
    defined = [count.n_subsets - count.n_undefined for count in counts]
    weak = [n - count.n_beaten for n, count in zip(defined, counts, strict=True)]
    table["weak"] = [w / n for w, n in zip(weak, defined, strict=True)]
    table["strict"] = [(w - c.n_tied) / n for w, n, c in zip(weak, defined, counts, strict=True)]
    return table[["q", "n_subsets", "n_beaten", "n_tied", "n_undefined", "weak", "strict", "smallest_margin"]]
