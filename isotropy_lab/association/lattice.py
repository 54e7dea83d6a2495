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
import pandas as pd

from isotropy_lab import _checks
from isotropy_lab.association._checks import (
    as_word_lists,
    as_word_vectors,
    check_mean_direction,
    check_sublist_length,
)
from isotropy_lab.association.canonical import check_scale
from isotropy_lab.association.cosine import rank_tolerance, unit_vectors

__all__ = [
    "BetweenLattice",
    "SubsetSimilarities",
    "between_lattice",
    "lattice_summary",
    "subset_conditions",
    "subset_similarities",
    "within_lattice",
]

Array = npt.NDArray[np.float64]
Subsets = npt.NDArray[np.intp]

LATTICE_SIMILARITIES = ("mean-cosine", "normalized", "canonical", "mean-squared-cosine")

LARGEST_MATRIX = 6_500
"""Most sublists whose table of similarities is formed: 340 MB; all of 15 words are fewer."""

_MOST_CONDITIONS = 200_000
"""Most sublists whose condition numbers are put in one table."""


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetSimilarities:
    """The similarity of every q-word sublist of a list to every other.

    Attributes
    ----------
    q : int
        Words in a sublist.
    similarity : str
        Its name.
    values : array of shape (m, m)
        Symmetric; m = C(k, q). Kindel (2023), Figure 1, shows one of these for every q.
    subsets : array of shape (m, q)
        The places in the list, in lexicographic order.
    """

    q: int
    similarity: str
    values: Array
    subsets: Subsets


@dataclasses.dataclass(frozen=True, eq=False)
class BetweenLattice:
    """The similarity of every q-word sublist of one list to every one of another.

    Attributes
    ----------
    q : int
        Words in a sublist.
    similarity : str
        Its name.
    values : array of shape (m_a, m_b)
        m = C(k, q) for each list. Kindel (2023), Figure 2, shows one of these for every q.
    a_subsets, b_subsets : array of shape (m_a, q) and (m_b, q)
        The places in the lists, in lexicographic order.
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


def _indicators(subsets: Subsets, k: int) -> Array:
    table = np.zeros((len(subsets), k))
    np.put_along_axis(table, subsets, 1.0, axis=1)
    return table


def _directions(rows: Array, subsets: Subsets, tolerance: float, name: str) -> Array:
    """Return the unit vectors along the mean unit vectors of sublists; refuse a mean of zero."""
    means = _indicators(subsets, len(rows)) @ rows / subsets.shape[1]
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
        sums = _indicators(s, len(a)) @ cosines @ _indicators(t, len(b)).T
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
    if scale == "geometric":
        traces /= np.sqrt(np.multiply.outer(ranks_a, ranks_b))
    elif scale == "minimum":
        traces /= smaller
    return np.asarray(traces)


def _prepared(W: _checks.Points, name: str, min_words: int) -> tuple[Array, Array]:
    """Return a checked list with its own dtype and its unit rows."""
    words = as_word_vectors(W, name, min_words=min_words)
    return np.asarray(words), unit_vectors(words, name=name)


def sublist_tolerance(words: npt.NDArray[np.floating], q: int) -> float:
    """Return the tolerance that `row_basis` uses for a sublist of q words."""
    return rank_tolerance(words[: max(1, q)])


def subset_similarities(
    W: _checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
) -> SubsetSimilarities:
    """Return the similarity of every q-word sublist of a list to every other one.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero.
    q : int
        Words in a sublist, from 1 to k − 1; C(k, q) may be at most 6,500.
    similarity : {"mean-cosine", "normalized", "canonical", "mean-squared-cosine"}
        See `mean_cosine_similarity`, `normalized_mean_cosine_similarity`, `canonical_similarity` and
        `mean_squared_cosine_similarity`.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.

    Returns
    -------
    SubsetSimilarities
        A symmetric table. A similarity is consistent for q if each row has its maximum on the diagonal. Mean cosine in
        [−1, 1] with a diagonal in [0, 1]; normalized in [−1, 1] with a diagonal of 1; canonical, when scaled, and
        mean squared cosine in [0, 1].

    Raises
    ------
    TypeError
        If `W` does not hold real numbers or `q` is no whole number.
    ValueError
        If there are fewer than 2 words, a row is zero, a value is NaN or inf, `q` is outside 1 … k − 1, an option does
        not exist, there are too many sublists, or (normalized only) the unit vectors of a sublist cancel.

    Notes
    -----
    Invariances are those of the measures; a new order of the words reorders the table. The mean of the whole table is
    the same for every q with "mean-cosine" and "mean-squared-cosine", because each pair of words, itself included,
    occurs in the same share of the cells. Repeated words are right: ranks are found, not assumed. Cost, with
    m = C(k, q): O(m k² + m² k²) for canonical, O(m² k) for the others. Kindel (2023), Figure 1.

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
    words, units = _prepared(W, "W", 2)
    k = len(words)
    q = check_sublist_length(q, k - 1, "W", k)
    _checks.check_option(similarity, "similarity", LATTICE_SIMILARITIES)
    scale = check_scale(scale)
    _checks.check_table_size(math.comb(k, q), LARGEST_MATRIX, f"W has {k} words and q is {q}")
    return _within(words, coordinates(units), q, similarity, scale)


def _within(
    words: npt.NDArray[np.floating], rows: Array, q: int, similarity: str, scale: str | None
) -> SubsetSimilarities:
    subsets = combinations(len(words), q)
    tolerance = sublist_tolerance(words, q)
    values = _table((rows, rows), (subsets, subsets), (tolerance, tolerance), ("W", "W"), similarity, scale)
    return SubsetSimilarities(q, similarity, values, subsets)


def within_lattice(
    W: _checks.Points, *, similarity: str = "mean-cosine", scale: str | None = "geometric"
) -> tuple[SubsetSimilarities, ...]:
    """Return `subset_similarities` of a list for every length of sublist, 1 … k − 1.

    Parameters
    ----------
    W : array-like of shape (k, p)
        2 to 15 words, none of them zero.
    similarity : {"mean-cosine", "normalized", "canonical", "mean-squared-cosine"}
        See `subset_similarities`.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.

    Returns
    -------
    tuple of SubsetSimilarities
        For q = 1, …, k − 1.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers.
    ValueError
        As for `subset_similarities`.

    Notes
    -----
    Invariances are those of the measures. 2^k sublists in all: a few milliseconds for 8 words. Kindel (2023),
    Figure 1.

    Examples
    --------
    >>> from isotropy_lab.association import within_lattice
    >>> [level.values.shape for level in within_lattice([[1, 0, 0], [0, 1, 0], [1, 1, 1]], similarity="canonical")]
    [(3, 3), (3, 3)]
    """
    words, units = _prepared(W, "W", 2)
    k = len(words)
    _checks.check_option(similarity, "similarity", LATTICE_SIMILARITIES)
    scale = check_scale(scale)
    _checks.check_table_size(math.comb(k, k // 2), LARGEST_MATRIX, f"W has {k} words and q is {k // 2}")
    rows = coordinates(units)
    return tuple(_within(words, rows, q, similarity, scale) for q in range(1, k))


def between_lattice(
    A: _checks.Points,
    B: _checks.Points,
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
        A table with one row per sublist of `A` and one column per sublist of `B`; ranges as for
        `subset_similarities`.

    Raises
    ------
    TypeError
        If a list does not hold real numbers or `q` is no whole number.
    ValueError
        If a list is empty, the dimensions differ, a row is zero, a value is NaN or inf, `q` is too large or small, an
        option does not exist, there are too many sublists, or (normalized only) unit vectors of a sublist cancel.

    Notes
    -----
    What the mean over the table does as q grows can be proved, because a random q-word sublist is a random
    (q + 1)-word sublist less a random word:

    - Mean cosine and mean squared cosine: constant. Every pair of a word of A and a word of B lies in the same number
      of cells.
    - The *square* of mean cosine similarity: never rises. At q + 1 the mean cosine is the mean of those of the
      q-word sublists inside, and the square of a mean is at most the mean of the squares.
    - The unscaled trace: never falls. Adding a word adds a positive semidefinite matrix to the projection.
    - The scaled canonical similarity may do either: numerator and denominator both grow.

    Kindel (2023), Figure 2, which calls the first of these decreasing. Cost as for `subset_similarities`.

    Examples
    --------
    >>> from isotropy_lab.association import between_lattice
    >>> A, B = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, -1.0], [2.0, 1.0]]
    >>> [round(float(between_lattice(A, B, q).values.mean()), 6) for q in (1, 2)]
    [0.381721, 0.381721]
    """
    return _between(*_between_lists(A, B), q, similarity, scale)


def _between_lists(A: _checks.Points, B: _checks.Points) -> tuple[list[npt.NDArray[np.floating]], Array]:
    a, b = as_word_lists({"A": A, "B": B})
    units = np.concatenate([unit_vectors(a, name="A"), unit_vectors(b, name="B")])
    return [np.asarray(a), np.asarray(b)], coordinates(units)


def _between(
    words: list[npt.NDArray[np.floating]], rows: Array, q: int, similarity: str, scale: str | None
) -> BetweenLattice:
    k_a, k_b = len(words[0]), len(words[1])
    q = check_sublist_length(q, min(k_a, k_b), "the shorter list", min(k_a, k_b))
    _checks.check_option(similarity, "similarity", LATTICE_SIMILARITIES)
    scale = check_scale(scale)
    for name, k in (("A", k_a), ("B", k_b)):
        _checks.check_table_size(math.comb(k, q), LARGEST_MATRIX, f"{name} has {k} words and q is {q}")
    subsets = combinations(k_a, q), combinations(k_b, q)
    tolerances = sublist_tolerance(words[0], q), sublist_tolerance(words[1], q)
    values = _table((rows[:k_a], rows[k_a:]), subsets, tolerances, ("A", "B"), similarity, scale)
    return BetweenLattice(q, similarity, values, *subsets)


def lattice_summary(
    A: _checks.Points,
    B: _checks.Points,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
) -> pd.DataFrame:
    """Return minimum, mean and maximum of `between_lattice` for every length of sublist.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists of up to 15 words, one word per row, none of them zero.
    similarity : {"mean-cosine", "normalized", "canonical", "mean-squared-cosine"}
        See `subset_similarities`.
    scale : {"geometric", "minimum", None}
        Of the canonical similarity; the others have none.

    Returns
    -------
    DataFrame
        One row per q = 1, …, min(k_a, k_b): q, n_pairs, minimum, mean, maximum, mean_of_squares.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        As for `between_lattice`.

    Notes
    -----
    See `between_lattice` for what these means must do as q grows. The right panel of Kindel (2023), Figure 2, shows
    minimum, mean and maximum. Cost: that of all the tables, a few milliseconds for two lists of 8 words.

    Examples
    --------
    >>> from isotropy_lab.association import lattice_summary
    >>> A, B = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, -1.0], [2.0, 1.0]]
    >>> lattice_summary(A, B)[["q", "n_pairs", "mean"]].round(6).values.tolist()
    [[1.0, 6.0, 0.381721], [2.0, 3.0, 0.381721]]
    """
    words, rows = _between_lists(A, B)
    lines = []
    for q in range(1, min(len(words[0]), len(words[1])) + 1):
        values = _between(words, rows, q, similarity, scale).values
        squares = float(np.vdot(values, values)) / values.size
        lines.append(
            (q, values.size, float(values.min()), float(values.mean()), float(values.max()), squares)
        )
    return pd.DataFrame(lines, columns=["q", "n_pairs", "minimum", "mean", "maximum", "mean_of_squares"])


def subset_conditions(W: _checks.Points, q: int, *, tolerance: float = 1e-12) -> pd.DataFrame:
    """Return the condition numbers of every q-word sublist, and whether another sublist beats it.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero.
    q : int
        Words in a sublist, from 1 to k − 1; C(k, q) may be at most 200,000.
    tolerance : float
        Mean cosines nearer than this are ties.

    Returns
    -------
    DataFrame
        One row per sublist in lexicographic order: subset (places in the list); vectors, unit_vectors and
        cosine_matrix (see `condition_numbers`: at least 1, inf if dependent); beaten; margin, the smallest mean cosine
        of a word of the sublist with the sublist less the largest of a word outside, negative if beaten.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers or `q` is no whole number.
    ValueError
        If there are fewer than 2 words, a row is zero, a value is NaN or inf, `q` is outside 1 … k − 1, there are too
        many sublists, or the tolerance is outside [0, 1].

    Notes
    -----
    All but `vectors` are invariant under positive rescaling of any word; all under rotation. Kindel (2023), Figure 1,
    right panel, whose text does not say which of the three numbers it shows: of the cosine matrix by the main text, of
    the words by the definition of J. Cost: O(C(k, q) k q²).

    Examples
    --------
    >>> from isotropy_lab.association import subset_conditions
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> subset_conditions(W, 2)[["subset", "cosine_matrix", "beaten", "margin"]].round(6).values.tolist()
    [[(0, 1), 3.0, False, 0.75], [(0, 2), 3.0, True, -0.25], [(1, 2), 3.0, False, 0.75]]
    """
    words = as_word_vectors(W, "W", min_words=2)
    units = unit_vectors(words, name="W")
    k, p = words.shape
    q = check_sublist_length(q, k - 1, "W", k)
    slack = _checks.check_real(tolerance, "tolerance", low=0.0, high=1.0)
    _checks.check_table_size(math.comb(k, q), _MOST_CONDITIONS, f"W has {k} words and q is {q}")
    subsets = combinations(k, q)
    limit = sublist_tolerance(words, q)
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    of_units = _conditions(coordinates(units), subsets, limit, p)
    members = np.zeros((len(subsets), k), dtype=np.bool_)
    np.put_along_axis(members, subsets, True, axis=1)
    means = members @ (units @ units.T) / q
    margins = np.where(members, means, np.inf).min(axis=1) - np.where(members, -np.inf, means).max(axis=1)
    return pd.DataFrame(
        {
            "subset": [tuple(row) for row in subsets.tolist()],
            "vectors": _conditions(coordinates(raw), subsets, limit, p),
            "unit_vectors": of_units,
            "cosine_matrix": of_units**2,
            "beaten": margins < -slack,
            "margin": margins,
        }
    )


def _conditions(rows: Array, subsets: Subsets, limit: float, p: int) -> npt.NDArray[np.float64]:
    if subsets.shape[1] > p:
        return np.full(len(subsets), np.inf)
    values = np.linalg.svd(rows[subsets], compute_uv=False)
    largest, smallest = values[:, 0], values[:, -1]
    full = smallest > limit * largest
    return np.where(full, largest / np.where(full, smallest, 1.0), np.inf)
