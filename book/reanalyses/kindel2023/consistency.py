"""Condition numbers of outscored sublists, and the expected consistency as a list grows."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_vectors, rank_tolerance
from isotropy_lab.association._sublists import Subsets, combinations, coordinates
from isotropy_lab.association.consistency import TOLERANCE, check_list_length, cosines_of, count_subsets
from reanalyses.kindel2023.consistency_index import margins_of

__all__ = ["BeatingWords", "beating_words", "expected_consistency", "subset_conditions"]

Array = npt.NDArray[np.float64]


def subset_conditions(W: checks.Points, q: int) -> pd.DataFrame:
    """Return the condition number of every q-word sublist, and whether another sublist outscores it.

    Rows are in lexicographic order. The margin is the smallest mean cosine of a word of the sublist with the
    sublist minus the largest of an outside word. It is unclear which of three condition numbers Figure 1 of
    Kindel (2023), right panel, shows: that of the cosine matrix (main text), or that of the words (definition
    of J).
    """
    words = as_word_vectors(W, "W", min_words=2)
    units = unit_rows(words)
    k, p = words.shape
    subsets = combinations(k, q)
    limit = rank_tolerance(words[:q])
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    of_units = _conditions(coordinates(units), subsets, limit, p)
    margins = margins_of(subsets, units @ units.T)
    return pd.DataFrame(
        {
            "subset": [tuple(row) for row in subsets.tolist()],
            "vectors": _conditions(coordinates(raw), subsets, limit, p),
            "unit_vectors": of_units,
            "cosine_matrix": of_units**2,
            "beaten": margins < -TOLERANCE,
            "margin": margins,
        }
    )


def _conditions(rows: Array, subsets: Subsets, limit: float, p: int) -> Array:
    if subsets.shape[1] > p:
        return np.full(len(subsets), np.inf)
    values = np.linalg.svd(rows[subsets], compute_uv=False)
    largest, smallest = values[:, 0], values[:, -1]
    full = smallest > limit * largest
    return np.where(full, largest / np.where(full, smallest, 1.0), np.inf)


@dataclasses.dataclass(frozen=True, eq=False)
class BeatingWords:
    """Numbers of sublists by the number of outside words that would displace a word of the sublist."""

    #: counts[q, b] is the number of q-word sublists S for which exactly b outside words have a larger mean
    #: cosine with S than the least similar word of S. Rows sum to C(k, q).
    counts: npt.NDArray[np.int64]
    n_words: int  #: Number of words, k.


def beating_words(W: checks.Points) -> BeatingWords:
    """Count the sublists of a list of 2 to 25 words by the number of outside words that displace an inside word.

    Mean cosines within 1e−12 are tied and do not displace a word; a sublist with the number 0 is unbeaten.
    The cost of one pass over 2^k sublists is about 3 s and 50 MB for 25 words.
    """
    words = as_word_vectors(W, "W", min_words=2)
    check_list_length(len(words))
    cosines = cosines_of(unit_rows(words))
    return BeatingWords(count_subsets(cosines, with_beating=True).beating_words, len(words))


def expected_consistency(W: checks.Points | BeatingWords) -> pd.DataFrame:
    """Return the exact mean of J_{q,k} under mean cosine over all k-word sublists of a list, for all q < k.

    A q-word sublist S of the K words with b(S) displacing outside words is unbeaten in C(K − q − b, k − q) of
    the C(K − q, k − q) lists of k words that contain it. All lists and all their sublists have equal weights,
    so

        E J_{q,k} = Σ_S C(K − q − b(S), k − q) / [C(K − q, k − q)·C(K, q)].

    No summand increases with k. Therefore, the property that Kindel (2023) finds particularly worrisome, a J
    that decreases as words are added, does not depend on the data: the mean over random lists always has it.
    """
    beating = W if isinstance(W, BeatingWords) else beating_words(W)
    total = beating.n_words
    rows = []
    for q in range(1, total):
        occurring = [(b, int(n)) for b, n in enumerate(beating.counts[q]) if n]
        for k in range(q + 1, total + 1):
            unbeaten = sum(n * math.comb(total - q - b, k - q) for b, n in occurring)
            rows.append((q, k, float(Fraction(unbeaten, math.comb(total - q, k - q) * math.comb(total, q)))))
    return pd.DataFrame(rows, columns=["q", "k", "expected_weak"])
