"""Does every sublist of a word list resemble itself more than it resembles any other sublist?

Kindel (2023) calls a similarity geometrically consistent if it does, for all lengths q of sublists of a list of k
words, and J_{q,k} the share of sublists that are most similar to themselves. (The paper names J an index of
inconsistency; as defined it is one of consistency.) Here are exact counts for all sublists of up to 25 words under
mean cosine similarity, and for lists of any length under the two similarities that no sublist can beat.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from isotropy_lab import _checks
from isotropy_lab.association import lattice
from isotropy_lab.association._checks import as_word_vectors, check_sublist_length
from isotropy_lab.association.canonical import check_scale
from isotropy_lab.association.cosine import rank_tolerance, unit_vectors
from isotropy_lab.association.subset_sums import LARGEST_LIST, count_subsets

__all__ = [
    "BeatingWords",
    "ConsistencyIndex",
    "beating_words",
    "consistency_index",
    "consistency_profile",
    "expected_consistency",
]

Array = npt.NDArray[np.float64]

SIMILARITIES = ("mean-cosine", "normalized", "canonical")

TOLERANCE = 1e-12
"""Similarities nearer than this are ties: far above rounding (1e−15), far below any difference between words."""

_LARGEST_DEPENDENT = 16
"""Most linearly dependent words whose sublists are all visited."""


@dataclasses.dataclass(frozen=True)
class ConsistencyIndex:
    """How many sublists of q words are most similar to themselves.

    Attributes
    ----------
    weak : float
        Share that no other sublist beats, in [0, 1]; 1 is consistent.
    strict : float
        Share that beat all others, at most `weak`.
    n_subsets : int
        Sublists looked at: C(k, q), or the number drawn.
    n_beaten : int
        Sublists that resemble another more than themselves.
    n_not_strict : int
        Sublists that are beaten or tied.
    smallest_margin : float
        How near the nearest decision was, beyond ties; well above rounding (1e−15), the counts are exact integers.
        For "mean-cosine" the smallest difference between a mean cosine inside and one outside; for "normalized" the
        smallest 1 − cos of two mean directions, or a lower bound of it; for "canonical" the smallest sine between a
        word and a span without it. Infinite if there was nothing to decide.
    n_undefined : int
        Sublists whose unit vectors cancel, for "normalized"; they are left out of both shares.
    method : str
        "exact" or "sampled".
    weak_interval, strict_interval : pair of float or None
        Wilson's 95% intervals for the shares of all sublists, when sampled.
    """

    weak: float
    strict: float
    n_subsets: int
    n_beaten: int
    n_not_strict: int
    smallest_margin: float
    n_undefined: int
    method: str
    weak_interval: tuple[float, float] | None = None
    strict_interval: tuple[float, float] | None = None


@dataclasses.dataclass(frozen=True)
class _Counts:
    n_subsets: int
    n_beaten: int
    n_tied: int
    smallest_margin: float
    n_undefined: int = 0


def _index(counts: _Counts, *, sampled: bool) -> ConsistencyIndex:
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
        wilson_interval(weak, n) if sampled else None,
        wilson_interval(strict, n) if sampled else None,
    )


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share."""
    z = float(ndtri(0.5 + confidence / 2))
    share = successes / trials
    center = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    # At 0 and 1 rounding can leave the bound on the wrong side of the share.
    return min(max(center - half, 0.0), share), max(min(center + half, 1.0), share)


def _cosines(units: Array) -> Array:
    cosines = units @ units.T
    return np.asarray((cosines + cosines.T) / 2)


# --- mean cosine similarity -----------------------------------------------------------------------------------


def _sampled_margins(units: Array, q: int, tolerance: float, n: int, rng: np.random.Generator) -> _Counts:
    cosines, k = _cosines(units), len(units)
    n_beaten = n_tied = 0
    smallest = math.inf
    for size in _chunks(n, max(1, 2**20 // k)):
        members = np.zeros((size, k), dtype=np.bool_)
        np.put_along_axis(members, draw_subsets(k, q, size, rng), True, axis=1)
        means = members @ cosines / q
        margins = np.where(members, means, np.inf).min(axis=1) - np.where(members, -np.inf, means).max(axis=1)
        tied = np.abs(margins) <= tolerance
        n_tied += int(tied.sum())
        n_beaten += int((margins < -tolerance).sum())
        smallest = min(smallest, float(np.min(np.abs(margins[~tied]), initial=np.inf)))
    return _Counts(n, n_beaten, n_tied, smallest)


def _chunks(n: int, size: int) -> list[int]:
    return [min(size, n - start) for start in range(0, n, size)]


def draw_subsets(k: int, q: int, n: int, rng: np.random.Generator) -> lattice.Subsets:
    """Return n random q-subsets of 0 … k−1, each sorted."""
    return np.sort(np.argpartition(rng.random((n, k)), q - 1, axis=1)[:, :q], axis=1)


# --- canonical similarity -------------------------------------------------------------------------------------


def dependent_words(units: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Return the words that lie in the span of the others: those with a part in a linear relation."""
    left, values, _ = np.linalg.svd(units)
    rank = int(np.count_nonzero(values > tolerance * values[0]))
    return np.flatnonzero(np.linalg.norm(left[:, rank:], axis=1) > 1e-10)


def _distances(
    units: Array, subsets: lattice.Subsets, rank_limit: float
) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return the distance of every word from the span of every sublist, inf for its own words, and the ranks."""
    bases, ranks = lattice.subset_bases(units, subsets, rank_limit)
    parts = units[None] @ bases
    residuals = units[None] - parts @ np.swapaxes(bases, 1, 2)
    distances = np.sqrt(np.einsum("mij,mij->mi", residuals, residuals))
    np.put_along_axis(distances, subsets, np.inf, axis=1)
    return distances, ranks


def _not_strict(
    units: Array, subsets: lattice.Subsets, tolerance: float, rank_limit: float, scale: str | None
) -> tuple[int, float]:
    """Return how many sublists another one equals in similarity, and the smallest distance not taken for 0."""
    n_not_strict, smallest = 0, math.inf
    k, d = units.shape
    start = 0
    for size in _chunks(len(subsets), max(1, 2**21 // (k * d))):
        distances, ranks = _distances(units, subsets[start : start + size], rank_limit)
        start += size
        not_strict = (distances <= tolerance).any(axis=1)
        if scale != "geometric":
            not_strict |= ranks < subsets.shape[1]
        n_not_strict += int(not_strict.sum())
        smallest = min(smallest, float(np.min(distances[distances > tolerance], initial=np.inf)))
    return n_not_strict, smallest


def _canonical_counts(
    words: _checks.FloatArray, units: Array, tolerance: float, scale: str | None
) -> list[_Counts]:
    """Return the counts for q = 1 … k − 1, from the sublists of those words that others span."""
    k, limit = len(units), rank_tolerance(words)
    rows = lattice.coordinates(units)
    dependent = dependent_words(rows, limit)
    _check_dependent_words(dependent, _LARGEST_DEPENDENT)
    n = dependent.size
    free = [j for j in range(k) if j not in set(dependent.tolist())]
    smallest = min((_distance_from_others(rows, j) for j in free), default=math.inf)
    not_strict = [0] * (n + 1)
    chosen = rows[dependent]
    # None of no words and all of them are in no relation with a word outside; all of them together are dependent.
    if n and scale != "geometric":
        not_strict[n] = 1
    for q in range(1, n):
        not_strict[q], nearest = _not_strict(chosen, lattice.combinations(n, q), tolerance, limit, scale)
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
    basis = np.linalg.qr(others.T)[0] if len(others) <= rows.shape[1] else _span(others)
    residual = rows[j] - basis @ (basis.T @ rows[j])
    return float(np.sqrt(residual @ residual))


def _span(rows: Array) -> Array:
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[values > 1e-12 * values[0]].T)


# --- normalized mean cosine similarity ------------------------------------------------------------------------


def _normalized_counts(words: _checks.FloatArray, units: Array, q: int, tolerance: float) -> _Counts:
    k, limit = len(units), rank_tolerance(words)
    rows = lattice.coordinates(units)
    n_subsets = math.comb(k, q)
    if n_subsets > lattice.LARGEST_MATRIX:
        # Mean directions Σ x_i w_i of two sublists have coefficients that differ by at least 1/q at two words, so they
        # are √2 σ/q apart with σ the smallest singular value, and 1 − cos is at least (σ/q)².
        values = np.linalg.svd(rows, compute_uv=False)
        bound = (float(values[-1]) / q) ** 2 if k <= units.shape[1] else 0.0
        _check_pairs_decided(
            bound > tolerance, dependent_words(rows, limit), n_subsets, lattice.LARGEST_MATRIX
        )
        return _Counts(n_subsets, 0, 0, bound)
    subsets = lattice.combinations(k, q)
    members = np.zeros((n_subsets, k))
    np.put_along_axis(members, subsets, 1.0, axis=1)
    means = members @ rows / q
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    defined = lengths > limit
    directions = means[defined] / lengths[defined, None]
    n_tied, smallest, start = 0, math.inf, 0
    for size in _chunks(len(directions), 1024):
        gaps = 1.0 - directions[start : start + size] @ directions.T
        gaps[np.arange(size), np.arange(start, start + size)] = np.inf
        start += size
        nearest = gaps.min(axis=1)
        n_tied += int((nearest <= tolerance).sum())
        smallest = min(smallest, float(np.min(gaps[gaps > tolerance], initial=np.inf)))
    return _Counts(n_subsets, 0, n_tied, smallest, int((~defined).sum()))


# --- public ---------------------------------------------------------------------------------------------------


def consistency_index(
    W: _checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
    tolerance: float | None = None,
    n_samples: int | None = None,
    rng: _checks.RandomState = None,
) -> ConsistencyIndex:
    """Return the share of q-word sublists of a list that no other sublist beats: J_{q,k} of Kindel (2023).

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero; at most 25 for an exact count under "mean-cosine".
    q : int
        Words in a sublist, from 1 to k − 1.
    similarity : {"mean-cosine", "normalized", "canonical"}
        What the sublists are compared by.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.
    tolerance : float, optional
        Similarities nearer than this are ties, for "canonical" words nearer than this to a span are in it. By default
        1e−12, for "canonical" at least max(k, p)·ε with ε of the input's type.
    n_samples : int, optional
        Look at so many random sublists (with replacement) instead of all; not for "normalized".
    rng : numpy.random.Generator or int, optional
        Draws them.

    Returns
    -------
    ConsistencyIndex
        Shares in [0, 1], best value 1, and the integers behind them.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers, or `q` or `n_samples` is no whole number.
    ValueError
        If there are fewer than 2 words, a row is zero, a value is NaN or inf, `q` is outside 1 … k − 1, an option does
        not exist, or there are too many sublists for an exact count: more than 25 words under "mean-cosine", more than
        16 linearly dependent words under "canonical", dependent words and more than 6,500 sublists under "normalized".

    Notes
    -----
    Invariant under rotation, the order of the words and positive rescaling of any word; under "canonical" also under
    changes of sign.

    *Mean cosine.* Let s_j be the sum of the cosines of word j with the words of S. Then q²·MCS(S, T) is the sum of s
    over T, which is largest for the q words with the largest s. So S is not beaten exactly if the smallest s inside
    is at least the largest outside, and no pairs of sublists need be compared. Three words are enough to fail: unit
    vectors at −60°, 0° and 60° with q = 2, where {−60°, 60°} has .25 with itself and .375 with either other pair.

    *Normalized.* By Cauchy–Schwarz no cosine of mean directions exceeds 1, the value of S with itself. Ties are
    sublists with parallel means, such as {±60°} and {±30°}. Linearly independent words have none.

    *Canonical.* tr(P_S P_T) is at most the smaller rank, so with "geometric" and "minimum" nothing exceeds 1 and with
    None nothing exceeds r_S: no sublist is beaten. With "geometric" S is tied exactly if another word of the list
    lies in the span of S. For if T spans the same space, its words outside S lie there. And if w does, then w is a
    combination of S; exchange it for a word of S with a non-zero coefficient, or, if S is dependent, for a word that
    the rest of S spans: the span stays. With "minimum" and None, S is also tied if it is dependent: exchange a
    superfluous word for any other, and the span contains that of S; if S is independent, no other sublist contains
    its span except an equal one. Words that no others span have no part in this, so only sublists of the dependent
    words are visited: none for most lists.

    Cost: exact mean cosine O(k·C(k, q)) at about 10⁸ sublists a second for one word; all 2²⁵ sublists of 25 words take
    about 2 s and 50 MB (see `consistency_profile`).

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
    units = unit_vectors(words, name="W")
    k = len(words)
    q = check_sublist_length(q, k - 1, "W", k)
    _checks.check_option(similarity, "similarity", SIMILARITIES)
    scale = check_scale(scale)
    tolerance = _tolerance(tolerance, similarity, words)
    if n_samples is not None:
        n = _checks.check_integer(n_samples, "n_samples", low=1)
        _check_can_sample(similarity)
        generator = _checks.as_generator(rng)
        if similarity == "mean-cosine":
            return _index(_sampled_margins(units, q, tolerance, n, generator), sampled=True)
        subsets = draw_subsets(k, q, n, generator)
        n_tied, smallest = _not_strict(
            lattice.coordinates(units), subsets, tolerance, rank_tolerance(words), scale
        )
        return _index(_Counts(n, 0, n_tied, smallest), sampled=True)
    if similarity == "canonical":
        return _index(_canonical_counts(words, units, tolerance, scale)[q - 1], sampled=False)
    if similarity == "normalized":
        return _index(_normalized_counts(words, units, q, tolerance), sampled=False)
    _check_list_length(k, LARGEST_LIST)
    found = count_subsets(_cosines(units), tolerance, only=q)
    return _index(
        _Counts(math.comb(k, q), int(found.beaten[q]), int(found.tied[q]), float(found.smallest_margin[q])),
        sampled=False,
    )


def _tolerance(tolerance: float | None, similarity: str, words: _checks.FloatArray) -> float:
    if tolerance is None:
        return max(TOLERANCE, rank_tolerance(words)) if similarity == "canonical" else TOLERANCE
    return _checks.check_real(tolerance, "tolerance", low=0.0, high=1.0)


def consistency_profile(
    W: _checks.Points,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
    tolerance: float | None = None,
) -> pd.DataFrame:
    """Return the exact counts of `consistency_index` for every length of sublist.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero; at most 25 under "mean-cosine".
    similarity : {"mean-cosine", "normalized", "canonical"}
        What the sublists are compared by.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.
    tolerance : float, optional
        As for `consistency_index`.

    Returns
    -------
    DataFrame
        One row per q = 1, …, k − 1: q, n_subsets, n_beaten, n_tied, n_undefined, weak, strict, smallest_margin. See
        `ConsistencyIndex`; n_not_strict there is n_beaten + n_tied.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers.
    ValueError
        As for `consistency_index`; for longer lists that has `n_samples`.

    Notes
    -----
    Invariances as for `consistency_index`. Cost under "mean-cosine": all 2^k sublists in one pass, about 2 s and 50 MB
    for 25 words. Kindel (2023), Figure 1, marks the row maxima of which n_beaten counts those off the diagonal.

    Examples
    --------
    >>> from isotropy_lab.association import consistency_profile
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> consistency_profile(W)[["q", "n_subsets", "n_beaten", "n_tied"]].values.tolist()
    [[1, 3, 0, 0], [2, 3, 1, 0]]
    """
    words = as_word_vectors(W, "W", min_words=2)
    units = unit_vectors(words, name="W")
    k = len(words)
    _checks.check_option(similarity, "similarity", SIMILARITIES)
    scale = check_scale(scale)
    tolerance = _tolerance(tolerance, similarity, words)
    if similarity == "canonical":
        counts = _canonical_counts(words, units, tolerance, scale)
    elif similarity == "normalized":
        counts = [_normalized_counts(words, units, q, tolerance) for q in range(1, k)]
    else:
        _check_list_length(k, LARGEST_LIST)
        found = count_subsets(_cosines(units), tolerance)
        counts = [
            _Counts(
                math.comb(k, q), int(found.beaten[q]), int(found.tied[q]), float(found.smallest_margin[q])
            )
            for q in range(1, k)
        ]
    rows = []
    for q, count in enumerate(counts, 1):
        index = _index(count, sampled=False)
        rows.append(
            {
                "q": q,
                "n_subsets": index.n_subsets,
                "n_beaten": index.n_beaten,
                "n_tied": index.n_not_strict - index.n_beaten,
                "n_undefined": index.n_undefined,
                "weak": index.weak,
                "strict": index.strict,
                "smallest_margin": index.smallest_margin,
            }
        )
    return pd.DataFrame(rows)


@dataclasses.dataclass(frozen=True, eq=False)
class BeatingWords:
    """How many sublists have how many outside words that would displace one of theirs.

    Attributes
    ----------
    counts : array of shape (k + 1, k + 1)
        counts[q, b] is the number of q-word sublists S with exactly b words outside S whose mean cosine with S is
        larger than the smallest of a word of S. Rows sum to C(k, q).
    n_words : int
        k.
    """

    counts: npt.NDArray[np.int64]
    n_words: int


def beating_words(W: _checks.Points, *, tolerance: float = TOLERANCE) -> BeatingWords:
    """Return, for all sublists of a list, how many words outside displace one inside under mean cosine similarity.

    Parameters
    ----------
    W : array-like of shape (k, p)
        2 to 25 words, none of them zero.
    tolerance : float
        Mean cosines nearer than this are ties, which do not displace.

    Returns
    -------
    BeatingWords
        Counts; a sublist is unbeaten if its number is 0. From these `expected_consistency` follows.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers.
    ValueError
        If there are fewer than 2 or more than 25 words, a row is zero, a value is NaN or inf, or the tolerance is
        outside [0, 1].

    Notes
    -----
    Invariant under rotation, the order of the words and positive rescaling of any word. Cost: one pass over 2^k
    sublists, about 3 s and 50 MB for 25 words.

    Examples
    --------
    >>> from isotropy_lab.association import beating_words
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> beating_words(W).counts[2].tolist()  # one of the three pairs is displaced by one word
    [2, 1, 0, 0]
    """
    words = as_word_vectors(W, "W", min_words=2)
    _check_list_length(len(words), LARGEST_LIST)
    slack = _checks.check_real(tolerance, "tolerance", low=0.0, high=1.0)
    cosines = _cosines(unit_vectors(words, name="W"))
    return BeatingWords(count_subsets(cosines, slack, with_beating=True).beating_words, len(words))


def expected_consistency(W: _checks.Points | BeatingWords, *, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Return the exact mean of J_{q,k} over all k-word sublists of a list, for all q < k, under mean cosine similarity.

    Parameters
    ----------
    W : array-like of shape (K, p), or BeatingWords
        2 to 25 words, none of them zero, or what `beating_words` returned for them.
    tolerance : float
        As for `beating_words`; not used if these are given.

    Returns
    -------
    DataFrame
        One row per 1 ≤ q < k ≤ K: q, k, expected_weak in [0, 1].

    Raises
    ------
    TypeError
        If `W` does not hold real numbers.
    ValueError
        As for `beating_words`.

    Notes
    -----
    It never rises with k, and falls as soon as some sublist is beaten. Take a q-word sublist S of the K words with
    b(S) displacing words outside. Of the C(K − q, k − q) lists of k words that contain S, it is unbeaten in the
    C(K − q − b, k − q) that contain no displacing word. Each list and each of its sublists counts alike, so

        E J_{q,k} = Σ_S C(K − q − b(S), k − q) / [C(K − q, k − q)·C(K, q)].

    Each summand is Π_{i<b} (K − k − i)/(K − q − i) (0 once b > K − k), which does not rise with k. So the property
    that Kindel (2023) finds particularly worrisome, a J that falls as words are added, is not a property of certain
    data: the mean over random lists always has it. Invariances and cost as for `beating_words`.

    Examples
    --------
    >>> from isotropy_lab.association import expected_consistency
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> expected_consistency(W).round(6).values.tolist()
    [[1.0, 2.0, 1.0], [1.0, 3.0, 1.0], [2.0, 3.0, 0.666667]]
    """
    found = W if isinstance(W, BeatingWords) else beating_words(W, tolerance=tolerance)
    total = found.n_words
    rows = []
    for q in range(1, total):
        occurring = [(b, int(n)) for b, n in enumerate(found.counts[q]) if n]
        for k in range(q + 1, total + 1):
            unbeaten = sum(n * math.comb(total - q - b, k - q) for b, n in occurring)
            rows.append((q, k, float(Fraction(unbeaten, math.comb(total - q, k - q) * math.comb(total, q)))))
    return pd.DataFrame(rows, columns=["q", "k", "expected_weak"])


def _check_list_length(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to visit them all."""
    if k > most:
        raise ValueError(
            f"W has {k} words and so 2^{k} sublists; expected at most {most} words, or "
            "consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def _check_dependent_words(dependent: npt.NDArray[np.intp], most: int) -> None:
    """Raise ValueError if too many words of a list are in the span of the others to visit all their sublists."""
    if dependent.size > most:
        raise ValueError(
            f"W has {dependent.size} words in the span of the others (rows {dependent[:5].tolist()} …); expected at most "
            f"{most}, or consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def _check_can_sample(similarity: str) -> None:
    """Raise ValueError for a similarity that does not decide from a sublist alone."""
    if similarity == "normalized":
        raise ValueError(
            "n_samples cannot be used with similarity='normalized', where each sublist is compared with all others; "
            "expected n_samples=None: lists of linearly independent words need no sampling"
        )


def _check_pairs_decided(decided: bool, dependent: npt.NDArray[np.intp], n_subsets: int, most: int) -> None:
    """Raise ValueError if mean directions may coincide and there are too many to compare all pairs."""
    if not decided:
        where = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
        raise ValueError(
            f"W has linearly dependent words ({where} in the span of the others) and {n_subsets:,} sublists; "
            f"expected independent words or at most {most:,} sublists to compare in pairs"
        )
