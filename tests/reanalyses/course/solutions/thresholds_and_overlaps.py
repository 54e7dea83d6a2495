"""Correct answers to the exercises of the lesson "Thresholds: when a search should return nothing"."""

from typing import Any

import numpy as np

from reanalyses.course.retrieval import thresholds_and_overlaps as lesson


def thresholds_by_loop(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    """Compute question by question."""
    by_document, by_list = 9.0, 9.0
    for row, row_rank, similarity in zip(best.tolist(), rank, answer, strict=True):
        if row_rank <= 3:
            by_document, by_list = min(by_document, float(similarity)), min(by_list, max(row))
    return max(best.tolist()[-1]), by_document, by_list


def fraction_by_table(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    """Give misses a similarity above all others, and sort every row at once."""
    similarities = np.where(hit[samples], own[samples], np.inf)
    thresholds = np.partition(similarities, k, axis=1)[:, k]
    losses = (np.sort(own[hit])[None, :] < thresholds[:, None]).sum(axis=1) / len(own)
    return float((losses > margin).mean())


def best_above_median(ours: Any, theirs: Any, hit: Any, allowed: int) -> list[Any]:
    """Return how far the best similarity is above the median, in interdecile ranges."""
    values = []
    for S in (ours, theirs):
        low, middle, high = np.quantile(S, [0.1, 0.5, 0.9], axis=1)
        values.append((S.max(axis=1) - middle) / (high - low))
    return values


def best_against_others(ours: Any, theirs: Any, hit: Any, allowed: int) -> dict[str, Any]:
    """Compare the best similarity with the mean and standard deviation of all others."""
    values = {}
    for name, S in (("ours", np.sort(ours, axis=1)), ("theirs", np.sort(theirs, axis=1))):
        others = S[:, :-1]
        values[name] = (S[:, -1] - others.mean(axis=1)) / others.std(axis=1)
    return values


SOLUTIONS = {
    "silent": (lesson.three_thresholds, thresholds_by_loop),
    "promise": (lesson.fraction_of_excessive_losses, fraction_by_table),
    "foreign": (lesson.standardized_best, best_above_median, best_against_others),
}
