"""Separability: whether a word list's centroid is closer to its own words than to those of another list."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_lists
from isotropy_lab.association.cosine import centroid_direction

__all__ = ["Separability", "separability"]


@dataclasses.dataclass(frozen=True)
class Separability(Result):
    """Ranks and counts of words by their cosine with the centroid of list B.

    Attributes
    ----------
    rank : int
        Best rank of any word of A among the words of both lists, by descending cosine, from 1 to k_b + 1.
    separable : bool
        Whether every word of B is closer to the centroid than every word of A, so that the rank is k_b + 1.
    n_closer : int
        Number of words of the vocabulary closer to the centroid than the farthest word of B.
    closer_subspaces : int
        Number of lists of k_b such words, C(n_closer, k_b).
    log_closer_subspaces : float
        Natural logarithm of `closer_subspaces`, which is −inf if there are none.
    """

    rank: int
    separable: bool
    n_closer: int
    closer_subspaces: int
    log_closer_subspaces: float


def separability(
    A: checks.Points, B: checks.Points, *, vocabulary: checks.Points | None = None
) -> Separability:
    """Measure how well the centroid of B separates the words of B from the words of A.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.
    vocabulary : array-like of shape (N, p), optional
        Words counted in `n_closer`; by default, the words of both lists.

    Returns
    -------
    Separability
        Rank of at most k_b + 1, and counts; `n_closer` is at least k_b − 1 if the vocabulary contains B.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; or if
        the words of B cancel each other.

    Notes
    -----
    Words with equal cosines share the better rank. The result is invariant under rotation, a common positive
    rescaling of B, and positive rescaling of any other word. Cost: O((k_a + k_b + N) p). Kindel (2023),
    supplement, whose formula C(n_closer − 1, k_b) contradicts its own example, in which two words are closer
    than the farther of two words and make one subspace.

    Examples
    --------
    >>> from isotropy_lab.association import separability
    >>> B = [[1.0, 0.0], [0.0, 1.0]]  # both words are 45° away from their centroid
    >>> result = separability([[1.0, 1.1], [1.0, -1.0]], B, vocabulary=[[1.0, 1.1], [1.0, 0.9], *B])
    >>> result.rank, result.separable, result.n_closer, result.closer_subspaces
    (1, False, 2, 1)
    """
    lists = {"A": A, "B": B} if vocabulary is None else {"A": A, "B": B, "vocabulary": vocabulary}
    a, b, *rest = as_word_lists(lists)
    centroid = centroid_direction(b, "B")
    cosines_a, cosines_b = unit_rows(a) @ centroid, unit_rows(b) @ centroid
    cosines = unit_rows(rest[0]) @ centroid if rest else np.concatenate([cosines_a, cosines_b])
    # The cosine of a word may be rounded differently in B and in the vocabulary.
    rounding = 4 * math.sqrt(b.shape[1]) * np.finfo(np.float64).eps
    rank = 1 + int(np.count_nonzero(cosines_b > cosines_a.max() + rounding))
    n_closer = int(np.count_nonzero(cosines > cosines_b.min() + rounding))
    subspaces = math.comb(n_closer, len(b))
    logarithm = math.log(subspaces) if subspaces else -math.inf
    return Separability(rank, rank == len(b) + 1, n_closer, subspaces, logarithm)
