"""Condition numbers of outscored sublists, and the expected consistency as a list grows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import rank_tolerance
from isotropy_lab.association._sublists import combinations, coordinates
from isotropy_lab.association.consistency import TOLERANCE, cosines_of, count_subsets
from reanalyses.kindel2023.consistency_index import compute_margins
from reanalyses.kindel2023.similarities import conditions_of


def subset_conditions(W: checks.Points, q: int) -> pd.DataFrame:
    """Return the condition number of every q-word sublist, and whether another sublist outscores it.

    The columns are subset (indices of its words), cosine_matrix (the condition number of this matrix, as in
    Kindel (2023), Figure 1, right panel), outscored (whether it is), and margin (the smallest mean
    cosine of its words with the sublist minus the largest of outside words). Rows are in lexicographic order.
    """
    words = np.asarray(W)
    units = unit_rows(words)
    subsets = combinations(len(words), q)
    margins = compute_margins(subsets, units @ units.T)
    return pd.DataFrame(
        {
            "subset": [tuple(row) for row in subsets.tolist()],
            "cosine_matrix": conditions_of(coordinates(units)[subsets], rank_tolerance(words[:q])) ** 2,
            "outscored": margins < -TOLERANCE,
            "margin": margins,
        }
    )


def expected_consistency(W: checks.Points) -> pd.DataFrame:
    """Return the exact mean of J_{q,k} under mean cosine over all k-word sublists of a list, for all q < k.

    J_{q,k} is the fraction of the q-word sublists of a k-word list that no other sublist outscores. Let b(S) be
    the number of outside words with a larger mean cosine with the sublist S than its least similar word. Of the
    C(K − q, k − q) lists of k words that contain S, C(K − q − b, k − q) have no sublist that outscores S. All
    lists and all their sublists have equal weights, so

        E J_{q,k} = Σ_S C(K − q − b(S), k − q) / [C(K − q, k − q)·C(K, q)].

    No summand increases with k, so the mean decreases as words are added, whatever the data; Kindel (2023)
    finds this property particularly worrisome. Mean cosines within 1e−12 are tied. The pass over all 2^K
    sublists takes about 3 s and 50 MB for 25 words.
    """
    units = unit_rows(np.asarray(W))
    total = len(units)
    # counts[q, b] is the number of q-word sublists S with b(S) = b.
    counts = count_subsets(cosines_of(units), with_beating=True).beating_words
    rows = []
    for q in range(1, total):
        counts_by_b = [(b, int(n)) for b, n in enumerate(counts[q]) if n]
        for k in range(q + 1, total + 1):
            n_consistent = sum(n * math.comb(total - q - b, k - q) for b, n in counts_by_b)
            rows.append(
                (q, k, float(Fraction(n_consistent, math.comb(total - q, k - q) * math.comb(total, q))))
            )
    return pd.DataFrame(rows, columns=["q", "k", "expected_weak"])
