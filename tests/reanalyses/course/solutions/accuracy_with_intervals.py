"""Correct answers to the exercises of the lesson "How accurate is it, really?"."""

from typing import Any

import numpy as np

from reanalyses.course.retrieval import accuracy_with_intervals as lesson


def accuracies_by_package(Q: Any, D: Any, gold: Any) -> list[float]:
    """Use duplicated documents and the package's two ways to break ties."""
    from isotropy_lab.retrieval import answer_ranks

    D = np.vstack([D, D])
    worst_rank, best_rank = (answer_ranks(Q, D, gold, ties=ties) for ties in ("worst", "lower-index"))
    return [float(np.mean(worst_rank <= 1)), float(np.mean(best_rank <= 9))]


def sample_size_by_bisection(A: float, width: float, n_test: int) -> list[float]:
    """Find the sample size for the given width by bisection."""
    low, high = 1.0, 1e6
    for _ in range(80):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if 3.92 * np.sqrt(A * (1 - A) / middle) > width else (low, middle)
    return [low, float(3.92 * np.sqrt(A * (1 - A) / n_test))]


def standard_errors_by_package(hits: Any, other: Any, module: Any) -> dict[str, float]:
    """Use the package with rank 1 for a hit and 99 for a miss."""
    from isotropy_lab.retrieval import bootstrap_interval, compare_models

    ranks, others = (np.where(values > 0, 1, 99) for values in (hits, other))
    comparison = compare_models(ranks, others, groups=module, n_resamples=4_000, rng=1)
    return {
        "error of the accuracy": bootstrap_interval(
            ranks, groups=module, n_resamples=4_000, rng=1
        ).standard_error,
        "error of the lead": (comparison.high - comparison.low) / 3.92,
    }


SOLUTIONS = {
    "twice": (lesson.accuracies_with_duplicates, accuracies_by_package),
    "width": (lesson.sample_size_and_width, sample_size_by_bisection),
    "alike": (lesson.standard_errors, standard_errors_by_package),
}
