"""Correct answers to the exercises of the lesson "Thresholds: when a search should return nothing"."""

from typing import Any

import numpy as np

from reanalyses.course.retrieval.thresholds_and_overlaps import foreign, promise, silent


def silent_by_loop(best: Any, rank: Any, answer: Any) -> tuple[float, float, float]:
    """Compute question by question."""
    each, lists = 9.0, 9.0
    for row, place, similar in zip(best.tolist(), rank, answer, strict=True):
        if place <= 3:
            each, lists = min(each, float(similar)), min(lists, max(row))
    return max(best.tolist()[-1]), each, lists


def promise_by_table(own: Any, hit: Any, samples: Any, k: int, margin: float) -> float:
    """Give misses a similarity above all others, and sort every row at once."""
    drawn = np.where(hit[samples], own[samples], np.inf)
    t = np.partition(drawn, k, axis=1)[:, k]
    losses = (np.sort(own[hit])[None, :] < t[:, None]).sum(axis=1) / len(own)
    return float((losses > margin).mean())


def foreign_by_quantiles(ours: Any, theirs: Any, hit: Any, allowed: int) -> list[Any]:
    """Return how far the best similarity is above the median, in interquartile ranges."""
    found = []
    for S in (ours, theirs):
        low, middle, high = np.quantile(S, [0.1, 0.5, 0.9], axis=1)
        found.append((S.max(axis=1) - middle) / (high - low))
    return found


def foreign_by_rest(ours: Any, theirs: Any, hit: Any, allowed: int) -> dict[str, Any]:
    """Compare the best similarity with the mean and standard deviation of all others."""
    found = {}
    for name, S in (("ours", np.sort(ours, axis=1)), ("theirs", np.sort(theirs, axis=1))):
        rest = S[:, :-1]
        found[name] = (S[:, -1] - rest.mean(axis=1)) / rest.std(axis=1)
    return found


SOLUTIONS = {
    "silent": (silent, silent_by_loop),
    "promise": (promise, promise_by_table),
    "foreign": (foreign, foreign_by_quantiles, foreign_by_rest),
}
