"""Correct answers to the exercises of the lesson "How accurate is it, really?"."""

from typing import Any

import numpy as np

from reanalyses.course.retrieval.accuracy_with_intervals import alike, twice, width


def twice_by_package(Q: Any, D: Any, gold: Any) -> list[float]:
    """Use duplicated documents and the package's two ways to break ties."""
    from isotropy_lab.retrieval import answer_ranks

    both = np.vstack([D, D])
    strict, kind = (answer_ranks(Q, both, gold, ties=ties) for ties in ("worst", "lower-index"))
    return [float(np.mean(strict <= 1)), float(np.mean(kind <= 10))]


def width_by_search(A: float, width: float, n_test: int) -> list[float]:
    """Find the sample size for the given width by bisection."""
    low, high = 1.0, 1e6
    for _ in range(80):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if 3.92 * np.sqrt(A * (1 - A) / middle) > width else (low, middle)
    return [low, float(3.92 * np.sqrt(A * (1 - A) / n_test))]


def alike_by_package(hits: Any, other: Any, module: Any) -> dict[str, float]:
    """Use the package with rank 1 for a hit and 99 for a miss."""
    from isotropy_lab.retrieval import bootstrap_interval, compare_models

    ranks, others = (np.where(each > 0, 1, 99) for each in (hits, other))
    pair = compare_models(ranks, others, groups=module, n_resamples=4_000, rng=1)
    return {
        "error by question": bootstrap_interval(ranks, n_resamples=4_000, rng=1).standard_error,
        "error by module": bootstrap_interval(ranks, groups=module, n_resamples=4_000, rng=1).standard_error,
        "error of the lead": (pair.high - pair.low) / 3.92,
    }


SOLUTIONS = {
    "twice": (twice, twice_by_package),
    "width": (width, width_by_search),
    "alike": (alike, alike_by_package),
}
