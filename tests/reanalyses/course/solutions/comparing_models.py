"""Correct answers to the exercises of the lesson "Comparing models"."""

from itertools import combinations
from typing import Any

import numpy as np

from reanalyses.course.report import comparing_models as lesson


def tied_by_pairs(names: Any, p: Any, best: int) -> set[str]:
    """Divide the level instead of multiplying the p-values, pair by pair."""
    tied = {str(names[best])}
    for (i, j), pvalue in zip(combinations(range(len(names)), 2), p, strict=True):
        if best in (i, j) and pvalue > 0.05 / len(p):
            tied.add(str(names[i + j - best]))
    return tied


def errors_by_loop(first: Any, second: Any, module: Any) -> list[float]:
    """Compute with a mask for each module."""
    from statistics import NormalDist

    d = np.asarray(first) - np.asarray(second)
    values = [d[module != name].mean() for name in np.unique(module)]
    n = len(values)
    error = ((n - 1) / n * sum((value - sum(values) / n) ** 2 for value in values)) ** 0.5
    normal = NormalDist()
    return [float(error), float(error * (normal.inv_cdf(0.8) - normal.inv_cdf(0.025)))]


def fractions_by_signs(D: Any) -> tuple[float, float]:
    """Check for a mean sign beyond ±0.9."""
    raw, centered = (np.abs(np.where(X > 0, 1.0, -1.0).mean(axis=0)) for X in (D, D - D.mean(axis=0)))
    return float((raw > 0.9 + 1e-12).mean()), float((centered > 0.9 + 1e-12).mean())


SOLUTIONS = {
    "bonferroni": (lesson.tied_by_bonferroni, tied_by_pairs),
    "by-module": (lesson.error_and_least_difference, errors_by_loop),
    "bits": (lesson.one_signed_fractions, fractions_by_signs),
}
