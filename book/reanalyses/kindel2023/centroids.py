"""Whether the centroid of a list is nearer to its own words than to others."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_word_lists, unit_rows
from isotropy_lab.association.cosine import centroid_direction

__all__ = ["Separability", "separability"]


@dataclasses.dataclass(frozen=True)
class Separability:
    """How the words of two lists, and of a vocabulary, lie around the centroid of one of them."""

    #: Sep(A|C(B)): the best rank of a word of A among the words of both lists, by descending cosine with the
    #: centroid of B. From 1 to k_b + 1.
    rank: int
    #: Whether every word of B is nearer to the centroid than every word of A: rank = k_b + 1.
    separable: bool
    n_closer: int  #: n_B: words of the vocabulary nearer to the centroid than the farthest word of B.
    #: C(n_B, k_b): lists of k_b words of the vocabulary that are all nearer than the farthest word of B.
    closer_subspaces: int
    log_closer_subspaces: float  #: Its natural logarithm; −inf for none.


def separability(
    A: checks.Points, B: checks.Points, *, vocabulary: checks.Points | None = None
) -> Separability:
    """Return how well the centroid of B separates its own words from those of A, among a vocabulary (by default both).

    The best `rank` is k_b + 1, the least `n_closer` k_b − 1, the other words of B. Equal cosines share the better rank.

    Kindel (2023), supplement, prints (n_B − 1)!/(k!(n_B − 1 − k)!) for the number of nearer subspaces, which is
    C(n_B − 1, k) and contradicts the example beside it: two vectors nearer than the farther of k = 2 words make one
    subspace, which is C(n_B, k) with n_B = 2. That is returned here.

    >>> B = [[1.0, 0.0], [0.0, 1.0]]  # the centroid is at 45 degrees, its words 45 degrees away
    >>> A = [[1.0, 1.1], [1.0, -1.0]]  # at 48 degrees and at −45
    >>> result = separability(A, B, vocabulary=[[1.0, 1.1], [1.0, 0.9], *B])
    >>> result.rank, result.separable, result.n_closer, result.closer_subspaces
    (1, False, 2, 1)
    """
    lists = {"A": A, "B": B} if vocabulary is None else {"A": A, "B": B, "vocabulary": vocabulary}
    a, b, *rest = as_word_lists(lists)
    centroid = centroid_direction(b, "B")
    cosines_a = unit_rows(a) @ centroid
    cosines_b = unit_rows(b) @ centroid
    cosines = unit_rows(rest[0]) @ centroid if rest else np.concatenate([cosines_a, cosines_b])
    # A word of B is in the vocabulary under other roundings, too.
    rounding = 4 * math.sqrt(b.shape[1]) * np.finfo(np.float64).eps
    rank = 1 + int(np.count_nonzero(cosines_b > cosines_a.max() + rounding))
    n_closer = int(np.count_nonzero(cosines > cosines_b.min() + rounding))
    subspaces = math.comb(n_closer, len(b))
    return Separability(
        rank, rank == len(b) + 1, n_closer, subspaces, math.log(subspaces) if subspaces else -math.inf
    )
