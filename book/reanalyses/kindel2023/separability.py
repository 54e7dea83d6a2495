"""Is the centroid of a list near its own words? Ranks around it, and what lies nearer."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
from isotropy_lab import _checks
from isotropy_lab.association import lattice
from isotropy_lab.association._checks import as_word_lists, check_mean_direction
from isotropy_lab.association.cosine import centroid_direction, rank_tolerance, unit_vectors

__all__ = ["Separability", "separability", "separability_profile"]

_LONGEST = 16
"""Longest list whose sublists are all visited."""


@dataclasses.dataclass(frozen=True)
class Separability:
    """How the words of two lists, and of a vocabulary, lie around the centroid of one of them.

    Attributes
    ----------
    rank : int
        Sep(A|C(B)): the best rank of a word of A among the words of both lists, by descending cosine with the centroid
        of B. From 1 to k_b + 1.
    separable : bool
        Whether every word of B is nearer to the centroid than every word of A: rank = k_b + 1.
    n_closer : int
        n_B: words of the vocabulary nearer to the centroid than the farthest word of B.
    closer_subspaces : int
        C(n_B, k_b): lists of k_b words of the vocabulary that are all nearer than the farthest word of B.
    log_closer_subspaces : float
        Its natural logarithm; −inf for none.
    """

    rank: int
    separable: bool
    n_closer: int
    closer_subspaces: int
    log_closer_subspaces: float


def separability(
    A: _checks.Points, B: _checks.Points, *, vocabulary: _checks.Points | None = None
) -> Separability:
    """Return how well the centroid of a list separates its own words from those of another list.

    Returns best value of `rank`: k_b + 1; of `n_closer`: k_b − 1, the other words of B.

    Equal cosines share the better rank. Invariant under rotation, the order of the words, and positive rescaling of any
    word of `A` and of the whole of `B`.

    Kindel (2023), supplement, prints (n_B − 1)!/(k!(n_B − 1 − k)!) for the number of nearer subspaces, which is
    C(n_B − 1, k) and contradicts the example beside it: two vectors nearer than the farther of k = 2 words make one
    subspace, which is C(n_B, k) with n_B = 2. That is returned here. Cost: O(N p).

    Examples
    --------
    >>> from reanalyses.kindel2023.separability import separability
    >>> B = [[1.0, 0.0], [0.0, 1.0]]  # the centroid is at 45 degrees, its words 45 degrees away
    >>> A = [[1.0, 1.1], [1.0, -1.0]]  # at 48 degrees and at −45
    >>> result = separability(A, B, vocabulary=[[1.0, 1.1], [1.0, 0.9], *B])
    >>> result.rank, result.separable, result.n_closer, result.closer_subspaces
    (1, False, 2, 1)
    """
    lists = {"A": A, "B": B} if vocabulary is None else {"A": A, "B": B, "vocabulary": vocabulary}
    a, b, *rest = as_word_lists(lists)
    centroid = centroid_direction(b, "B")
    cosines_a = unit_vectors(a, name="A") @ centroid
    cosines_b = unit_vectors(b, name="B") @ centroid
    if rest:
        cosines = unit_vectors(rest[0], name="vocabulary") @ centroid
    else:
        cosines = np.concatenate([cosines_a, cosines_b])
    # A word of B is in the vocabulary under other roundings, too.
    rounding = 4 * math.sqrt(b.shape[1]) * np.finfo(np.float64).eps
    rank = 1 + int(np.count_nonzero(cosines_b > cosines_a.max() + rounding))
    n_closer = int(np.count_nonzero(cosines > cosines_b.min() + rounding))
    subspaces = math.comb(n_closer, len(b))
    return Separability(
        rank, rank == len(b) + 1, n_closer, subspaces, math.log(subspaces) if subspaces else -math.inf
    )


def separability_profile(
    A: _checks.Points,
    B: _checks.Points,
    *,
    n_samples: int | None = None,
    rng: _checks.RandomState = None,
) -> pd.DataFrame:
    """Return how separable the centroids of ever longer sublists of a list are from another list.

    Returns a table: one row per q = 1, …, k_b with means over sublists S of q words: q, n_subsets; mean_rank,
    of Sep(A|C(S)) among the words of A and S, from 1 to q + 1; share_separable, of those with q + 1;
    cosine_own, of the centroid with the words of S; cosine_other, with those of A.

    Kindel (2023), supplement, says that with more words the centroid comes closer to A and goes further from B. For
    words of one length the second must be so: cosine_own is the length √(1/q + (1 − 1/q)c) of a mean of q unit vectors
    with mean cosine c, and the mean length never rises with q, because a mean of q + 1 vectors is a mean of means of
    q. The first is a tendency: cosine_other is the mean cosine of S with A over that length, and the mean cosine is on
    average the same for all q; where it is positive, dividing by a falling length makes it rise. Invariances as for
    `separability`. Cost: O(2^k_b (k_a + k_b)²).

    Examples
    --------
    >>> from reanalyses.kindel2023.separability import separability_profile
    >>> B = [[1.0, 0.0], [0.0, 1.0]]
    >>> table = separability_profile([[1.0, 1.1], [1.0, -1.0]], B)
    >>> table[["q", "mean_rank", "share_separable", "cosine_own"]].round(4).values.tolist()
    [[1.0, 2.0, 1.0, 1.0], [2.0, 1.0, 0.0, 0.7071]]
    """
    a, b = as_word_lists({"A": A, "B": B})
    units_a, units_b = unit_vectors(a, name="A"), unit_vectors(b, name="B")
    k = len(b)
    generator = _checks.as_generator(rng)
    if n_samples is None:
        _check_sublists_of_list(k, _LONGEST)
    else:
        n_samples = _checks.check_integer(n_samples, "n_samples", low=1)
    raw = b.astype(np.float64)
    exponents = np.frexp(np.abs(raw).max(axis=1))[1]
    lengths = np.linalg.norm(np.ldexp(raw, -exponents[:, None]), axis=1)
    coordinates = lattice.coordinates(np.concatenate([units_a, units_b]))
    units_a, units_b = coordinates[: len(a)], coordinates[len(a) :]
    rounding = 4 * math.sqrt(b.shape[1]) * np.finfo(np.float64).eps
    rows = []
    for q in range(1, k + 1):
        if n_samples is None:
            subsets = lattice.combinations(k, q)
        else:
            subsets = np.sort(np.argsort(generator.random((n_samples, k)), axis=1)[:, :q], axis=1)
        weights = np.zeros((len(subsets), k))
        # Relative to the longest word of each sublist, so that short words do not vanish beside one elsewhere.
        relative_exponents = exponents[subsets] - exponents[subsets].max(axis=1, keepdims=True)
        np.put_along_axis(weights, subsets, np.ldexp(lengths[subsets], relative_exponents), axis=1)
        centroids = weights @ units_b / q
        size = np.sqrt(np.einsum("ij,ij->i", centroids, centroids))
        relative = size / weights.max(axis=1)
        worst = int(np.argmin(relative))
        check_mean_direction(
            float(relative[worst]), rank_tolerance(b), f"B[{subsets[worst].tolist()}]", "relative centroid"
        )
        directions = centroids / size[:, None]
        own = np.take_along_axis(directions @ units_b.T, subsets, axis=1)
        other = directions @ units_a.T
        ranks = 1 + (own > other.max(axis=1, keepdims=True) + rounding).sum(axis=1)
        rows.append(
            {
                "q": q,
                "n_subsets": len(subsets),
                "mean_rank": float(ranks.mean()),
                "share_separable": float((ranks == q + 1).mean()),
                "cosine_own": float(own.mean()),
                "cosine_other": float(other.mean()),
            }
        )
    return pd.DataFrame(rows)


def _check_sublists_of_list(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to take the centroids of them all."""
    if k > most:
        raise ValueError(
            f"B has {k} words and so 2^{k} sublists; expected at most {most} words, or n_samples=1_000, which looks at "
            "random sublists of each length"
        )
