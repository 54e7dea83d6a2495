"""Right answers to the exercises of the lesson "Layer by layer", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.isotropy.layer_by_layer import how_many, index, unnoticed, used


def unnoticed_by_pairs(X: Any, first: Any) -> tuple[float, float]:
    """All cosines, without the diagonal."""
    found = []
    for cloud in (X, X[~first]):
        U = cloud / np.sqrt((cloud**2).sum(axis=1, keepdims=True))
        cosines = U @ U.T
        found.append(float(cosines[np.triu_indices(len(U), 1)].mean()))
    return found[0], found[1]


def unnoticed_by_package(X: Any, first: Any) -> tuple[float, float]:
    from isotropy_lab.isotropy import average_cosine

    return average_cosine(X), average_cosine(X[first == 0])


def how_many_by_list(X: Any, first: Any) -> int:
    """All counts first, and then the first of them below two."""
    far, rest = X[first], X[~first]
    counts = np.array([used(np.concatenate([rest, far[:m]])) for m in range(len(far) + 1)])
    return int(np.flatnonzero(counts < 2)[0])


def how_many_by_package(X: Any, first: Any) -> int:
    from isotropy_lab.isotropy import dimensions_used

    places = np.flatnonzero(first)
    for m in range(len(places)):
        if dimensions_used(np.delete(X, places[m:], axis=0)) < 2:
            return m
    return len(places)


def index_by_matrix(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """A matrix of weights times the tokens."""
    found = []
    for keep in (np.ones(len(X)), (~first).astype(float)):
        weights = (sentence == np.unique(sentence)[:, None]) * keep
        found.append(used(weights @ X / weights.sum(axis=1, keepdims=True)))
    return found[0], found[1]


def index_by_counts(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """Sums by sentence, divided by the numbers of tokens."""
    found = []
    for keep in (first | ~first, ~first):
        totals = np.zeros((sentence.max() + 1, X.shape[1]))
        np.add.at(totals, sentence[keep], X[keep])
        found.append(used(totals / np.bincount(sentence[keep])[:, None]))
    return found[0], found[1]


SOLUTIONS = {
    "unnoticed": (unnoticed, unnoticed_by_pairs, unnoticed_by_package),
    "how many": (how_many, how_many_by_list, how_many_by_package),
    "index": (index, index_by_matrix, index_by_counts),
}
