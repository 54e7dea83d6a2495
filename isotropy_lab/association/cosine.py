"""Cosines between the words of two lists, and the means that are taken of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.association._checks import (
    as_pair,
    as_word_vectors,
    check_equal_lengths,
    check_mean_direction,
    rank_tolerance,
    unit_rows,
)

__all__ = [
    "ConditionNumbers",
    "condition_numbers",
    "cosine_similarities",
    "mean_cosine_similarity",
    "paired_mean_cosine_similarity",
    "unit_vectors",
]

Array = npt.NDArray[np.float64]
Names = tuple[str, str]


def unit_vectors(A: checks.Points) -> Array:
    """Return the words of a list at length 1, whatever their size."""
    return unit_rows(as_word_vectors(A, "A"))


def _clip(value: float) -> float:
    return float(min(max(value, -1.0), 1.0))


def cosine_similarities(A: checks.Points, B: checks.Points) -> Array:
    """Return the cosine of every word of one list with every word of another.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.

    Returns
    -------
    array of shape (k_a, k_b)
        Each in [−1, 1], float64; 1 for the same direction, 0 for a right angle.

    Raises
    ------
    TypeError, ValueError
        If a list does not hold real numbers, is empty, has a zero row, NaN or inf, or the dimensions differ.

    Notes
    -----
    Invariant under rotation and positive rescaling of any word; nothing is centered. Cost: O(k_a k_b p).

    Examples
    --------
    >>> from isotropy_lab.association import cosine_similarities
    >>> cosine_similarities([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0]]).tolist()
    [[1.0], [0.0]]
    """
    a, b = as_pair(A, B)
    return np.clip(unit_rows(a) @ unit_rows(b).T, -1.0, 1.0)


def mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean of the cosines of all pairs of a word of one list and a word of another.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.

    Returns
    -------
    float
        In [−1, 1]. Of a list with itself it is in [0, 1], and 1 only if all words have one direction: a list can be
        more similar to another list than to itself.

    Raises
    ------
    TypeError, ValueError
        If a list does not hold real numbers, is empty, has a zero row, NaN or inf, or the dimensions differ.

    Notes
    -----
    The inner product of the two mean unit vectors. Symmetric; invariant under rotation, the order of the words and
    positive rescaling of any word. Cost: O((k_a + k_b) p). Caliskan et al. (2017); "MCS" in Kindel (2023).

    Examples
    --------
    >>> from isotropy_lab.association import mean_cosine_similarity
    >>> mean_cosine_similarity([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0]])
    0.5
    """
    return mean_cosine(*as_pair(A, B))


def mean_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the mean cosine of checked lists."""
    return _clip(float(unit_rows(a).mean(axis=0) @ unit_rows(b).mean(axis=0)))


def paired_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean cosine of the first word with the first, the second with the second, and so on.

    Parameters
    ----------
    A, B : array-like of shape (k, p)
        Word lists of equal length, one word per row, none of them zero.

    Returns
    -------
    float
        In [−1, 1]; 1 for a list with itself.

    Raises
    ------
    TypeError, ValueError
        If a list does not hold real numbers, is empty, has a zero row, NaN or inf, or lengths or dimensions differ.

    Notes
    -----
    Invariant under rotation and positive rescaling of any word, not under the order of the words; the mean over all
    pairings is `mean_cosine_similarity`. Cost: O(k p). The estimator "WEAT₁" of Kindel (2023), supplement.

    Examples
    --------
    >>> from isotropy_lab.association import paired_mean_cosine_similarity
    >>> paired_mean_cosine_similarity([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [1.0, 0.0]])
    0.5
    """
    return paired_cosine(*as_pair(A, B))


def paired_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the mean cosine of the pairs of checked lists."""
    check_equal_lengths(len(a), len(b), names)
    return _clip(float(np.einsum("ij,ij->", unit_rows(a), unit_rows(b))) / len(a))


def centroid_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the mean cosine of the words of one checked list with the raw centroid of another."""
    return _clip(float(unit_rows(a).mean(axis=0) @ centroid_direction(b, names[1])))


def centroid_direction(words: checks.FloatArray, name: str) -> Array:
    """Return the unit vector along the mean of the raw (not normalized) words of a checked list."""
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    centroid: Array = raw.mean(axis=0)
    longest = float(np.sqrt(np.einsum("ij,ij->i", raw, raw)).max())
    length = float(np.sqrt(centroid @ centroid))
    check_mean_direction(length / longest, rank_tolerance(words), name, "relative centroid")
    return centroid / length


def normalized_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the cosine of the mean unit vectors of checked lists."""
    return _clip(float(mean_direction(a, names[0]) @ mean_direction(b, names[1])))


def mean_direction(words: checks.FloatArray, name: str) -> Array:
    """Return the unit vector along the mean unit vector of a checked list."""
    mean: Array = unit_rows(words).mean(axis=0)
    length = float(np.sqrt(mean @ mean))
    check_mean_direction(length, rank_tolerance(words), name, "mean unit vector")
    return mean / length


@dataclasses.dataclass(frozen=True)
class ConditionNumbers(Result):
    """How nearly dependent the words of a list are: 2-norm condition numbers, at least 1, inf if dependent.

    Attributes
    ----------
    vectors
        Of the raw rows; different lengths of the words raise it.
    unit_vectors
        Of the unit rows; only their directions count.
    cosine_matrix
        Of the matrix of their cosines, which is the square of `unit_vectors`.
    """

    vectors: float
    unit_vectors: float
    cosine_matrix: float


def condition_numbers(A: checks.Points) -> ConditionNumbers:
    """Return the condition numbers of a word list: of its rows, its unit rows and their cosine matrix.

    Parameters
    ----------
    A : array-like of shape (k, p)
        k ≥ 1 words, none of them zero.

    Returns
    -------
    ConditionNumbers
        Ratios of the largest to the smallest of k singular values: 1 for orthogonal words (of equal length, for
        `vectors`), inf when the smallest is at most max(k, p)·ε times the largest, with ε of the input's type.

    Raises
    ------
    TypeError, ValueError
        If `A` does not hold real numbers, is empty, or has a zero row, NaN or inf.

    Notes
    -----
    All three are invariant under rotation and the order of the words, the last two also under rescaling of any word.
    Cost: O(k² p). Kindel (2023), Figure 1, right, relates the condition of sublists to inconsistency.

    Examples
    --------
    >>> from isotropy_lab.association import condition_numbers
    >>> condition_numbers([[1.0, 0.0], [0.0, 2.0]])
    ConditionNumbers(vectors=2.0, unit_vectors=1.0, cosine_matrix=1.0)
    """
    words = as_word_vectors(A, "A")
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    units = _condition(unit_rows(words), rank_tolerance(words))
    return ConditionNumbers(_condition(raw, rank_tolerance(words)), units, units * units)


def _condition(rows: Array, tolerance: float) -> float:
    if rows.shape[0] > rows.shape[1]:
        return float("inf")
    values = np.linalg.svd(rows, compute_uv=False)
    smallest, largest = float(values[-1]), float(values[0])
    return largest / smallest if smallest > tolerance * largest else float("inf")
