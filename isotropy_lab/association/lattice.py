"""Similarities between all q-word sublists: within one list, and between two.

The sublists of a list, ordered by inclusion, form a lattice; Kindel (2023) compares two measures on it, row by row.
All sublists of one length are handled in one batch, in coordinates of the span of the words.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.association._checks import (
    as_pair,
    as_word_vectors,
    check_mean_direction,
    check_sublist_length,
    rank_tolerance,
    unit_rows,
)
from isotropy_lab.association.canonical import check_scale, scaled_trace

__all__ = [
    "BetweenLattice",
    "SubsetSimilarities",
    "between_lattice",
    "subset_similarities",
]

Array = npt.NDArray[np.float64]
Subsets = npt.NDArray[np.intp]

LATTICE_SIMILARITIES = ("mean-cosine", "normalized", "canonical", "mean-squared-cosine")

LARGEST_MATRIX = 6_500
"""Most sublists whose table of similarities is formed: 340 MB; all of 15 words are fewer."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetSimilarities(Result):
    """The similarity of every q-word sublist of a list to every other.

    Attributes
    ----------
    q
        Words in a sublist.
    similarity
        Its name.
    values : array of shape (m, m)
        Symmetric; m = C(k, q). Kindel (2023), Figure 1, shows one of these for
        every q.
    subsets : array of shape (m, q)
        The places in the list, in lexicographic order.
    """

    q: int
    similarity: str
    values: Array
    subsets: Subsets


@dataclasses.dataclass(frozen=True, eq=False)
class BetweenLattice(Result):
    """The similarity of every q-word sublist of one list to every one of another.

    Attributes
    ----------
    q
        Words in a sublist.
    similarity
        Its name.
    values : array of shape (m_a, m_b)
        m = C(k, q) for each list. Kindel (2023), Figure 2, shows one of these for every q.
    a_subsets, b_subsets
        array of shape (m_a, q) and (m_b, q); the places in the lists, in lexicographic order.
    """

    q: int
    similarity: str
    values: Array
    a_subsets: Subsets
    b_subsets: Subsets


def combinations(k: int, q: int) -> Subsets:
    """Return all q-subsets of 0 … k−1 in lexicographic order, one per row."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(k), q))
    return np.fromiter(flat, dtype=np.intp, count=math.comb(k, q) * q).reshape(-1, q)


def coordinates(units: Array) -> Array:
    """Return rows with the same inner products in at most as many dimensions as there are rows."""
    if units.shape[0] >= units.shape[1]:
        return units
    return np.ascontiguousarray(np.linalg.qr(units.T)[1].T)


def subset_bases(rows: Array, subsets: Subsets, tolerance: float) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return orthonormal bases of the spans of sublists of unit rows, (m, d, q), and their ranks.

    Columns past the rank are zero, so that products of bases give the right traces and congruences.
    """
    chosen = np.swapaxes(rows[subsets], 1, 2)
    m, d, q = chosen.shape
    ranks = np.full(m, q, dtype=np.intp)
    if q <= d:
        bases, r = np.linalg.qr(chosen)
        volume = np.abs(np.prod(np.diagonal(r, axis1=1, axis2=2), axis=1))
        # q unit rows of volume v have no singular value below v/√e, and none above √q: these are independent.
        doubtful = np.flatnonzero(volume <= 2.0 * tolerance * math.sqrt(q))
    else:
        bases, doubtful = np.zeros_like(chosen), np.arange(m)
    if doubtful.size:
        left, values, _ = np.linalg.svd(chosen[doubtful], full_matrices=False)
        kept = values > tolerance * values[:, :1]
        ranks[doubtful] = kept.sum(axis=1)
        mended = np.zeros((doubtful.size, d, q))
        mended[:, :, : left.shape[2]] = left * kept[:, None, :]
        bases[doubtful] = mended
    return bases, ranks


def indicators(subsets: Subsets, k: int) -> Array:
    """Return a table of zeros and ones: which of k words each sublist holds."""
    table = np.zeros((len(subsets), k))
    np.put_along_axis(table, subsets, 1.0, axis=1)
    return table


def _directions(rows: Array, subsets: Subsets, tolerance: float, name: str) -> Array:
    """Return the unit vectors along the mean unit vectors of sublists; refuse a mean of zero."""
    means = indicators(subsets, len(rows)) @ rows / subsets.shape[1]
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    shortest = int(np.argmin(lengths))
    check_mean_direction(
        float(lengths[shortest]),
        tolerance,
        f"{name}[{subsets[shortest].tolist()}]",
        "mean unit vector",
    )
    return np.asarray(means / lengths[:, None])


def _table(
    rows: tuple[Array, Array],
    subsets: tuple[Subsets, Subsets],
    tolerances: tuple[float, float],
    names: tuple[str, str],
    similarity: str,
    scale: str | None,
) -> Array:
    """Return the similarity of each sublist of one list to each of another."""
    (a, b), (s, t), q = rows, subsets, subsets[0].shape[1]
    if similarity in ("mean-cosine", "mean-squared-cosine"):
        cosines = a @ b.T
        if similarity == "mean-squared-cosine":
            cosines = cosines**2
        sums = indicators(s, len(a)) @ cosines @ indicators(t, len(b)).T
        return np.asarray(np.clip(sums / (q * q), -1.0, 1.0))
    same = a is b and s is t
    if similarity == "normalized":
        u = _directions(a, s, tolerances[0], names[0])
        v = u if same else _directions(b, t, tolerances[1], names[1])
        return np.asarray(np.clip(u @ v.T, -1.0, 1.0))
    bases_a, ranks_a = subset_bases(a, s, tolerances[0])
    bases_b, ranks_b = (bases_a, ranks_a) if same else subset_bases(b, t, tolerances[1])
    flat_a = (bases_a @ np.swapaxes(bases_a, 1, 2)).reshape(len(s), -1)
    flat_b = flat_a if same else (bases_b @ np.swapaxes(bases_b, 1, 2)).reshape(len(t), -1)
    smaller = np.minimum.outer(ranks_a, ranks_b)
    traces = np.clip(flat_a @ flat_b.T, 0.0, smaller)
    return np.asarray(scaled_trace(traces, ranks_a[:, None], ranks_b, scale))


def sublist_tolerance(words: checks.FloatArray, q: int) -> float:
    """Return the tolerance that a list of the first q words has for its rank."""
    return rank_tolerance(words[: max(1, q)])


def check_table_size(k: int, q: int, most: int, name: str = "W") -> None:
    """Raise ValueError if a table of the similarities of all sublists would be too large."""
    if math.comb(k, q) > most:
        raise ValueError(
            f"{name} has {k} words and q is {q}, which makes {math.comb(k, q):,} sublists; expected at most {most:,}, "
            "because a table with a cell for every pair is formed: use fewer words, or consistency_profile, which "
            "forms no table"
        )


def subset_similarities(
    W: checks.Points, q: int, *, similarity: str = "mean-cosine", scale: str | None = "geometric"
) -> SubsetSimilarities:
    """Return the similarity of every q-word sublist of a list to every other one.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero.
    q : int
        Words in a sublist, from 1 to k − 1; C(k, q) may be at most 6,500.
    similarity : {"mean-cosine", "normalized", "canonical", "mean-squared-cosine"}
        As `weat` names them; the last is the mean of the squared cosines of all pairs of words.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.

    Returns
    -------
    SubsetSimilarities
        A symmetric table; a similarity is consistent for q if each row has its maximum on the diagonal. In [−1, 1], for
        mean squared cosine and scaled canonical similarity in [0, 1].

    Raises
    ------
    TypeError, ValueError
        If `W` does not hold real numbers, has fewer than 2 words, a zero row, NaN or inf, `q` is outside 1 … k − 1, an
        option does not exist, there are too many sublists, or (normalized only) the words of a sublist cancel.

    Notes
    -----
    Invariances are those of the measures; a new order of the words reorders the table. Cost, with m = C(k, q):
    O(k² p) for the products of the words, then O(m² k²) for canonical, O(m² k) for the others. Kindel (2023), Figure 1.

    Examples
    --------
    >>> from isotropy_lab.association import subset_similarities
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> result = subset_similarities(W, 2)
    >>> result.subsets.tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> result.values[1].round(6).tolist()  # {0, 2} is more similar to both others than to itself
    [0.375, 0.25, 0.375]
    """
    words = as_word_vectors(W, "W", min_words=2)
    k = len(words)
    q = check_sublist_length(q, k - 1, "W", k)
    checks.check_option(similarity, "similarity", LATTICE_SIMILARITIES)
    scale = check_scale(scale)
    check_table_size(k, q, LARGEST_MATRIX)
    rows, subsets, tolerance = coordinates(unit_rows(words)), combinations(k, q), sublist_tolerance(words, q)
    values = _table((rows, rows), (subsets, subsets), (tolerance, tolerance), ("W", "W"), similarity, scale)
    return SubsetSimilarities(q, similarity, values, subsets)


def between_lattice(
    A: checks.Points,
    B: checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
) -> BetweenLattice:
    """Return the similarity of every q-word sublist of one list to every q-word sublist of another.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.
    q : int
        Words in a sublist, from 1 to min(k_a, k_b); C(k, q) may be at most 6,500.
    similarity : {"mean-cosine", "normalized", "canonical", "mean-squared-cosine"}
        See `subset_similarities`.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.

    Returns
    -------
    BetweenLattice
        A row per sublist of `A`, a column per sublist of `B`; ranges are those of `subset_similarities`.

    Raises
    ------
    TypeError, ValueError
        If a list does not hold real numbers, is empty, has a zero row, NaN or inf, the dimensions differ, `q` is out of
        range, an option does not exist, there are too many sublists, or (normalized only) the words of one cancel.

    Notes
    -----
    As q grows, the mean over the table is constant for mean cosines and mean squared cosines (every pair of words lies
    in the same number of cells), never falls for unscaled traces (a word adds a positive semidefinite matrix to the
    projection), and may do either for scaled canonical similarities. Kindel (2023), Figure 2, which calls the first of
    these decreasing. Invariances are those of the measures, the cost that of `subset_similarities`.

    Examples
    --------
    >>> from isotropy_lab.association import between_lattice
    >>> A, B = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, -1.0], [2.0, 1.0]]
    >>> [round(float(between_lattice(A, B, q).values.mean()), 6) for q in (1, 2)]
    [0.381721, 0.381721]
    """
    a, b = as_pair(A, B)
    k_a, k_b = len(a), len(b)
    q = check_sublist_length(q, min(k_a, k_b), "the shorter list", min(k_a, k_b))
    checks.check_option(similarity, "similarity", LATTICE_SIMILARITIES)
    scale = check_scale(scale)
    for name, k in (("A", k_a), ("B", k_b)):
        check_table_size(k, q, LARGEST_MATRIX, name)
    rows = coordinates(np.concatenate([unit_rows(a), unit_rows(b)]))
    subsets = combinations(k_a, q), combinations(k_b, q)
    tolerances = sublist_tolerance(a, q), sublist_tolerance(b, q)
    values = _table((rows[:k_a], rows[k_a:]), subsets, tolerances, ("A", "B"), similarity, scale)
    return BetweenLattice(q, similarity, values, *subsets)
