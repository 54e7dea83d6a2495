"""Correct answers to the exercises of the lesson "Scaling up"."""

from typing import Any

import numpy as np

from reanalyses.course.report import scaling_up as lesson


def squared_sum_by_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    """Compute with all pairs, for comparison."""
    from math import comb

    from scipy.spatial.distance import pdist

    return float((pdist(few) ** 2).sum()), comb(n_rows, 2) * np.dtype(np.float32).itemsize / 1e9


def recall_by_comparison(exact: Any, fast: Any) -> tuple[float, float]:
    """Compare every neighbor with every neighbor of the same question."""
    from scipy.stats import sem

    recalls = (exact[:, :, None] == fast[:, None, :]).any(axis=2).mean(axis=1)
    return float(recalls.mean()), float(sem(recalls))


def cosine_and_half_width_by_package(units: Any, module: Any, sums: Any, counts: Any) -> list[float]:
    """Use the package's average cosine for all vectors, and without each module."""
    from scipy.stats import t

    from isotropy_lab.isotropy import average_cosine

    names = set(np.asarray(module).tolist())
    leave_one_out = np.array([average_cosine(units[module != name]) for name in names])
    half_width = np.sqrt((len(names) - 1) * leave_one_out.var()) * t.isf(0.025, len(names) - 1)
    return [average_cosine(units), float(half_width)]


SOLUTIONS = {
    "no-pair": (lesson.squared_sum_and_memory, squared_sum_by_pairs),
    "recall": (lesson.recall_and_error, recall_by_comparison),
    "colleague": (lesson.cosine_and_half_width, cosine_and_half_width_by_package),
}
