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


#: The pairs of lists that are separated: the list of the centroid, and the other list.
_OPPOSITES = (("A", "B"), ("B", "A"), ("C", "D"), ("D", "C"))


def separability_by_k(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the separation of a list by its centroid as words are added, averaged over all sublists.

    A sublist is separable if its centroid is closer to all of its words than to any word of the opposite
    list. For unit vectors, the mean cosine with its own words is the length of the mean vector, which
    decreases on average as words are added; the cosine with any other vector is divided by this length.
    """
    lists, labels = list_vectors(space), list_labels()
    rows = []
    for own, other in _OPPOSITES:
        b, away = lists[own], unit_rows(lists[other])
        for k in range(1, len(b) + 1):
            values = []
            for chosen in combinations(len(b), k):
                centroid = centroid_direction(b[chosen], own)
                near, far = (unit_rows(b[chosen]) @ centroid, away @ centroid)
                values.append((near.mean(), far.mean(), separability(lists[other], b[chosen]).separable))
            means = np.mean(np.array(values, dtype=np.float64), axis=0)
            rows.append((labels[own], labels[other], k, *(float(mean) for mean in means)))
    return pd.DataFrame(rows, columns=["centroid_of", "other", "k", "own", "others", "separable"])
