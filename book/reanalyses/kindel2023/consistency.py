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
from reanalyses.kindel2023.consistency_index import margins_of
from reanalyses.kindel2023.similarities import conditions_of


def subset_conditions(W: checks.Points, q: int) -> pd.DataFrame:
    """Return the condition number of every q-word sublist, and whether another sublist outscores it.

    Rows are in lexicographic order. The margin is the smallest mean cosine of a word of the sublist with the
    sublist minus the largest of an outside word. The condition number is that of the cosine matrix, as in the main
    text of Kindel (2023), Figure 1, right panel.
    """
    words = np.asarray(W)
    units = unit_rows(words)
    subsets = combinations(len(words), q)
    margins = margins_of(subsets, units @ units.T)
    return pd.DataFrame(
        {
            "subset": [tuple(row) for row in subsets.tolist()],
            "cosine_matrix": conditions_of(coordinates(units)[subsets], rank_tolerance(words[:q])) ** 2,
            "beaten": margins < -TOLERANCE,
            "margin": margins,
        }
    )


def expected_consistency(W: checks.Points) -> pd.DataFrame:
    """Return the exact mean of J_{q,k} under mean cosine over all k-word sublists of a list, for all q < k.

    A q-word sublist S of the K words with b(S) displacing outside words is unbeaten in C(K − q − b, k − q) of
    the C(K − q, k − q) lists of k words that contain it. All lists and all their sublists have equal weights,
    so

        E J_{q,k} = Σ_S C(K − q − b(S), k − q) / [C(K − q, k − q)·C(K, q)].

    No summand increases with k. Therefore, the property that Kindel (2023) finds particularly worrisome, a J
    that decreases as words are added, does not depend on the data: the mean over random lists always has it.
    Mean cosines within 1e−12 are tied and do not displace a word. The cost of one pass over 2^K sublists is about
    3 s and 50 MB for 25 words.
    """
    units = unit_rows(np.asarray(W))
    total = len(units)
    # counts[q, b] is the number of q-word sublists for which exactly b outside words have a larger mean cosine
    # with the sublist than the least similar word of the sublist.
    counts = count_subsets(cosines_of(units), with_beating=True).beating_words
    rows = []
    for q in range(1, total):
        occurring = [(b, int(n)) for b, n in enumerate(counts[q]) if n]
        for k in range(q + 1, total + 1):
            unbeaten = sum(n * math.comb(total - q - b, k - q) for b, n in occurring)
            rows.append((q, k, float(Fraction(unbeaten, math.comb(total - q, k - q) * math.comb(total, q)))))
    return pd.DataFrame(rows, columns=["q", "k", "expected_weak"])
