"""Correct answers to the exercises of the lesson "Layer by layer"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy.layer_by_layer import how_many, index, unnoticed, used


def unnoticed_by_pairs(X: Any, first: Any) -> tuple[float, float]:
    """Average all cosines without the diagonal."""
    found = []
    for cloud in (X, X[~first]):
        U = cloud / np.sqrt((cloud**2).sum(axis=1, keepdims=True))
        found.append(float((U @ U.T)[np.triu_indices(len(U), 1)].mean()))
    return found[0], found[1]


def how_many_by_package(X: Any, first: Any) -> int:
    from isotropy_lab.isotropy import dimensions_used

    places = np.flatnonzero(first)
    for m in range(len(places)):
        if dimensions_used(np.delete(X, places[m:], axis=0)) < 2:
            return m
    return len(places)


def index_by_counts(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """Divide sums by sentence by the numbers of tokens."""
    found = []
    for keep in (first | ~first, ~first):
        totals = np.zeros((sentence.max() + 1, X.shape[1]))
        np.add.at(totals, sentence[keep], X[keep])
        found.append(used(totals / np.bincount(sentence[keep])[:, None]))
    return found[0], found[1]


SOLUTIONS = {
    "unnoticed": (unnoticed, unnoticed_by_pairs),
    "how many": (how_many, how_many_by_package),
    "index": (index, index_by_counts),
}
