"""Correct answers to the exercises of the lesson "Layer by layer"."""

from typing import Any

import numpy as np

from reanalyses.course.isotropy import layer_by_layer as lesson


def average_cosines_by_pairs(X: Any, first: Any) -> tuple[float, float]:
    """Average all cosines without the diagonal."""
    means = []
    for cloud in (X, X[~first]):
        U = cloud / np.sqrt((cloud**2).sum(axis=1, keepdims=True))
        means.append(float((U @ U.T)[np.triu_indices(len(U), 1)].mean()))
    return means[0], means[1]


def outliers_needed_by_package(X: Any, first: Any) -> int:
    from isotropy_lab.isotropy import dimensions_used

    outlier_rows = np.flatnonzero(first)
    for n in range(len(outlier_rows)):
        if dimensions_used(np.delete(X, outlier_rows[n:], axis=0)) < 2:
            return n
    return len(outlier_rows)


def dimensions_by_counts(X: Any, first: Any, sentence: Any) -> tuple[float, float]:
    """Divide sums by sentence by the numbers of tokens."""
    dimensions = []
    for keep in (first | ~first, ~first):
        totals = np.zeros((sentence.max() + 1, X.shape[1]))
        np.add.at(totals, sentence[keep], X[keep])
        dimensions.append(lesson.participation_ratio(totals / np.bincount(sentence[keep])[:, None]))
    return dimensions[0], dimensions[1]


SOLUTIONS = {
    "unnoticed": (lesson.average_cosines, average_cosines_by_pairs),
    "how many": (lesson.outliers_needed, outliers_needed_by_package),
    "index": (lesson.dimensions_of_sentence_means, dimensions_by_counts),
}
