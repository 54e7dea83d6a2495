"""Similarities to the centroid of a word list as words are added to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association import separability
from isotropy_lab.association._sublists import combinations
from isotropy_lab.association.cosine import centroid_direction
from reanalyses.kindel2023.experiments.spaces import list_labels, list_vectors

__all__ = ["separability_by_k"]


#: Pairs of lists to separate: the list of the centroid, and the opposite list.
_OPPOSITES = (("A", "B"), ("B", "A"), ("C", "D"), ("D", "C"))


def separability_by_k(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the separation of a list by its centroid as words are added, averaged over all sublists.

    A sublist is separable if its centroid is closer to all of its words than to any word of the opposite list.
    For unit vectors, the mean cosine of the centroid with its own words is the length of their mean, which
    decreases on average as words are added; the cosine with any other vector is divided by this length.
    """
    lists, labels = list_vectors(space), list_labels()
    rows = []
    for role, opposite in _OPPOSITES:
        words, opposite_units = lists[role], unit_rows(lists[opposite])
        for k in range(1, len(words) + 1):
            values = []
            for indices in combinations(len(words), k):
                sublist = words[indices]
                centroid = centroid_direction(sublist, role)
                cosines, opposite_cosines = unit_rows(sublist) @ centroid, opposite_units @ centroid
                is_separable = separability(lists[opposite], sublist).separable
                values.append((cosines.mean(), opposite_cosines.mean(), is_separable))
            means = np.mean(np.array(values, dtype=np.float64), axis=0)
            rows.append((labels[role], labels[opposite], k, *map(float, means)))
    return pd.DataFrame(rows, columns=["centroid_of", "other", "k", "own", "others", "separable"])
