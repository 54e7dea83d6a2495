"""Correct answers to the exercises of the lesson "Scaling up"."""

from typing import Any

import numpy as np

from reanalyses.course.report.scaling_up import colleague, no_pair, recall


def with_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    """Compute with all pairs, for comparison."""
    from math import comb

    from scipy.spatial.distance import pdist

    return float((pdist(few) ** 2).sum()), comb(n_rows, 2) * np.dtype(np.float32).itemsize / 1e9


def recall_by_table(exact: Any, fast: Any) -> tuple[float, float]:
    """Compare every neighbor with every neighbor of the same question."""
    from scipy.stats import sem

    shares = (exact[:, :, None] == fast[:, None, :]).any(axis=2).mean(axis=1)
    return float(shares.mean()), float(sem(shares))


def colleague_by_package(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> list[float]:
    """Use the package's average cosine for all vectors, and without each module."""
    from scipy.stats import norm, sem, t

    from isotropy_lab.isotropy import average_cosine

    names = set(np.asarray(module).tolist())
    without = np.array([average_cosine(units[module != one]) for one in names])
    reach = np.sqrt((len(names) - 1) * without.var()) * t.isf(0.025, len(names) - 1)
    lead = hits - other_hits
    return [average_cosine(units), float(reach), float((norm.isf(0.025) - norm.isf(0.8)) * sem(lead))]


SOLUTIONS = {
    "no-pair": (no_pair, with_pairs),
    "recall": (recall, recall_by_table),
    "colleague": (colleague, colleague_by_package),
}
