"""Right answers to the exercises of the lesson "Scaling up", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.report.scaling_up import colleague, no_pair, recall


def no_pair_by_products(few: Any, n_rows: int) -> list[float]:
    """Expand the square: N times the sum of the squares less the square of the sum."""
    total = few.sum(axis=0)
    return [float(len(few) * (few**2).sum() - total @ total), 2e-9 * n_rows * (n_rows - 1)]


def with_pairs(few: Any, n_rows: int) -> tuple[float, float]:
    """By the pairs, for comparison."""
    from math import comb

    from scipy.spatial.distance import pdist

    return float((pdist(few) ** 2).sum()), comb(n_rows, 2) * np.dtype(np.float32).itemsize / 1e9


def recall_by_sets(exact: Any, fast: Any) -> list[float]:
    """With sets, and the standard library."""
    from statistics import fmean, stdev

    shares = [
        len(set(true) & set(found)) / len(true)
        for true, found in zip(exact.tolist(), fast.tolist(), strict=True)
    ]
    return [fmean(shares), stdev(shares) / len(shares) ** 0.5]


def recall_by_table(exact: Any, fast: Any) -> tuple[float, float]:
    """Every neighbor with every neighbor of its question."""
    from scipy.stats import sem

    shares = (exact[:, :, None] == fast[:, None, :]).any(axis=2).mean(axis=1)
    return float(shares.mean()), float(sem(shares))


def colleague_by_tables(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> dict[str, float]:
    """All cosines in one table, from which rows and columns are struck; the error of both lists of hits together."""
    from scipy import stats

    C = units @ units.T
    np.fill_diagonal(C, 0)
    without = []
    for one in np.unique(module):
        kept = np.asarray(module) != one
        without.append(C[np.ix_(kept, kept)].sum() / (kept.sum() * (kept.sum() - 1)))
    m, n = len(without), len(units)
    reach = np.std(without) * np.sqrt(m - 1) * stats.t(m - 1).ppf(0.975)
    both = np.cov(hits, other_hits)
    error = np.sqrt((both[0, 0] + both[1, 1] - 2 * both[0, 1]) / len(hits))
    factor = sum(stats.norm.ppf([0.975, 0.8]))
    return {"average cosine": C.sum() / (n * (n - 1)), "reach": reach, "least lead": factor * error}


def colleague_by_package(
    units: Any, module: Any, sums: Any, counts: Any, hits: Any, other_hits: Any
) -> list[float]:
    """The package's average cosine of all vectors, and without each module."""
    from scipy.stats import norm, sem, t

    from isotropy_lab.isotropy import average_cosine

    names = set(np.asarray(module).tolist())
    without = np.array([average_cosine(units[module != one]) for one in names])
    reach = np.sqrt((len(names) - 1) * without.var()) * t.isf(0.025, len(names) - 1)
    lead = hits - other_hits
    return [average_cosine(units), float(reach), float((norm.isf(0.025) - norm.isf(0.8)) * sem(lead))]


SOLUTIONS = {
    "no-pair": (no_pair, no_pair_by_products, with_pairs),
    "recall": (recall, recall_by_sets, recall_by_table),
    "colleague": (colleague, colleague_by_tables, colleague_by_package),
}
