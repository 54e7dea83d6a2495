"""Cosines between the words of two lists, and their means."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import (
    as_pair,
    check_equal_lengths,
    check_mean_direction,
    rank_tolerance,
)

__all__ = ["cosine_similarities", "mean_cosine_similarity"]

Array = npt.NDArray[np.float64]
Names = tuple[str, str]


def _clip(value: float) -> float:
    return float(min(max(value, -1.0), 1.0))


def cosine_similarities(A: checks.Points, B: checks.Points) -> Array:
    """Return the cosine between each word of one list and each word of another.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.

    Returns
    -------
    array of shape (k_a, k_b)
        Cosines in [−1, 1], float64: 1 for equal directions, and 0 for orthogonal ones.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; or if dimensions differ.

    Notes
    -----
    The cosines of uncentered vectors are invariant under rotation and positive rescaling. Cost: O(k_a k_b p).

    Examples
    --------
    >>> from isotropy_lab.association import cosine_similarities
    >>> cosine_similarities([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0]]).tolist()
    [[1.0], [0.0]]
    """
    a, b = as_pair(A, B)
    return np.clip(unit_rows(a) @ unit_rows(b).T, -1.0, 1.0)


def mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean cosine over all pairs of words, one from each list.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.

    Returns
    -------
    float
        Mean in [−1, 1]. For a list and itself, it is in [0, 1], and 1 only if all words have the same
        direction; a list can therefore be more similar to another list than to itself.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; or if dimensions differ.

    Notes
    -----
    The mean is the inner product of the two mean unit vectors. It is symmetric, and invariant under rotation,
    reordering, and positive rescaling. Cost: O((k_a + k_b) p). Caliskan et al. (2017); MCS in Kindel (2023).

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


def paired_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the mean cosine over corresponding words of two checked lists."""
    check_equal_lengths(len(a), len(b), names)
    return _clip(float(np.einsum("ij,ij->", unit_rows(a), unit_rows(b))) / len(a))


def centroid_cosine(a: checks.FloatArray, b: checks.FloatArray, names: Names = ("A", "B")) -> float:
    """Return the mean cosine of the words of one checked list with the centroid of another."""
    return _clip(float(unit_rows(a).mean(axis=0) @ centroid_direction(b, names[1])))


def centroid_direction(words: checks.FloatArray, name: str) -> Array:
    """Return the unit vector along the mean of the unnormalized words of a checked list."""
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
    """Return the normalized mean unit vector of a checked list."""
    mean: Array = unit_rows(words).mean(axis=0)
    length = float(np.sqrt(mean @ mean))
    check_mean_direction(length, rank_tolerance(words), name, "mean unit vector")
    return mean / length
