"""Correct answers to the exercises of the lesson "Comparing models"."""

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.report.comparing_models import bits, bonferroni, by_module


def bonferroni_by_pairs(names: Any, p: Any, best: int) -> set[str]:
    """Divide the level instead of multiplying the p-values, pair by pair."""
    tied = {str(names[best])}
    for (i, j), value in zip(combinations(range(len(names)), 2), p, strict=True):
        if best in (i, j) and value > 0.05 / len(p):
            tied.add(str(names[i + j - best]))
    return tied


def by_module_by_loop(first: Any, second: Any, module: Any, n_pairs: int) -> list[float]:
    """Compute with a mask for each module."""
    from statistics import NormalDist

    d = np.asarray(first) - np.asarray(second)
    values = [d[module != one].mean() for one in np.unique(module)]
    n = len(values)
    error = ((n - 1) / n * sum((value - sum(values) / n) ** 2 for value in values)) ** 0.5
    normal = NormalDist()
    return [float(error), float(error * (normal.inv_cdf(0.8) - normal.inv_cdf(0.025 / n_pairs)))]


def bits_by_signs(D: Any) -> tuple[float, float]:
    """Check for a mean sign beyond ±0.9."""
    one, other = (np.abs(np.where(X > 0, 1.0, -1.0).mean(axis=0)) for X in (D, D - D.mean(axis=0)))
    return float((one > 0.9 + 1e-12).mean()), float((other > 0.9 + 1e-12).mean())


SOLUTIONS = {
    "bonferroni": (bonferroni, bonferroni_by_pairs),
    "by-module": (by_module, by_module_by_loop),
    "bits": (bits, bits_by_signs),
}
