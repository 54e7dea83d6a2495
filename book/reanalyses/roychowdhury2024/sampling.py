"""Interval widths, deviations of NDCG, and losses due to the paper's threshold, for small samples."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from isotropy_lab._core import checks
from isotropy_lab.retrieval._checks import check_n_resamples, check_percentile

__all__ = ["PAPER_MODE", "interval_width", "largest_loss", "ndcg_deviation_bounds", "questions_needed"]

#: Values implied by the interval widths in Roychowdhury et al. (2025) but not stated in the paper.
PAPER_MODE = MappingProxyType({"n_resamples": 100, "n_questions": 100})

_DRAWS = 2**20  # accuracies simulated at a time: 8 MB


def interval_width(
    accuracy: float,
    n_questions: Any,
    *,
    n_resamples: int = 100,
    n_repeats: int = 1000,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return, by sample size, the mean and spread of the width of percentile intervals of an accuracy.

    Widths are fractions: ``normal``, 2z√(p(1 − p)/l); ``wilson``; ``binomial``, from exact percentiles; and
    those of `n_repeats` simulated intervals. The number of hits in a sample of l questions is binomial for
    any model.
    """
    p = accuracy
    sizes = list(np.atleast_1d(n_questions))
    m = check_n_resamples(n_resamples)
    generator = checks.as_generator(rng)
    z = float(special.ndtri(0.975))
    tails = np.array([(1.0 - 0.95) / 2.0, 0.975])
    rows = []
    for size in sizes:
        widths = np.empty(n_repeats)
        step = max(1, _DRAWS // m)
        for start in range(0, n_repeats, step):
            part = slice(start, min(start + step, n_repeats))
            hits = generator.binomial(size, p, size=(part.stop - part.start, m))
            low, high = np.quantile(hits, tails, axis=1)
            widths[part] = (high - low) / size
        least, most = np.quantile(widths, tails)
        exact = stats.binom.ppf(tails, size, p) / size
        variance = p * (1.0 - p) / size
        rows.append(
            {
                "n_questions": size,
                "normal": 2.0 * z * math.sqrt(variance),
                # The fraction need not correspond to an integer number of hits, unlike in scipy.stats.binomtest.
                "wilson": 2.0 * z * math.sqrt(variance + z**2 / (4.0 * size**2)) / (1.0 + z**2 / size),
                "binomial": float(exact[1] - exact[0]),
                "mean": float(widths.mean()),
                "sd": float(widths.std(ddof=1)),
                "low": float(least),
                "high": float(most),
            }
        )
    return pd.DataFrame(rows)


def ndcg_deviation_bounds(ndcg: float, accuracy: float, *, k: int = 10) -> tuple[float, float]:
    """Return the minimum and maximum standard deviation of single questions' NDCG@K, given its mean.

    The mean and the fraction of hits are given. The gains of the hits, 1/log₂(1 + rank), vary least if they have two
    adjacent ranks, and most if they have ranks 1 and K.
    """
    mean = ndcg
    hits = accuracy
    gains = 1.0 / np.log2(1.0 + np.arange(k, 0, -1))  # ascending
    if hits == 0:
        return 0.0, 0.0
    gain = float(np.clip(mean / hits, gains[0], 1.0))
    least = float(np.interp(gain, gains, gains**2))  # the chord between adjacent ranks
    most = float(np.interp(gain, gains[[0, -1]], gains[[0, -1]] ** 2))
    low, high = (math.sqrt(max(hits * square - mean**2, 0.0)) for square in (least, most))
    return low, high


def largest_loss(psi: float, n_questions: int) -> float:
    """Return the largest fraction of questions that can lose a hit at the ψ-th percentile of the paper's Γ.

    It is 1 − (1 − ψ/100)^(1/l) with l questions in a sample. A question can lose its relevant document only if its
    K-th similarity is below τ. Let F be the fraction of such questions: a sample has γ below τ with probability 1 −
    (1 − F)ˡ, which is at most ψ/100 if τ is the ψ-th percentile of γ. This holds for exact percentiles, that is,
    infinitely many samples. The losses printed by Roychowdhury et al. (2025) in Table II exceed it tenfold.
    """
    fraction = check_percentile(psi) / 100.0
    return 1.0 if fraction == 1.0 else -math.expm1(math.log1p(-fraction) / n_questions)


def questions_needed(width: float, deviation: float, *, confidence_level: float = 0.95) -> int:
    """Return the number of questions for an interval of a given width, computed by the normal approximation.

    The standard deviation is that of single questions, √(p(1 − p)) for an accuracy: (2z · deviation/width)².
    """
    z = float(special.ndtri((1.0 + confidence_level) / 2.0))
    return max(1, math.ceil((2.0 * z * deviation / width) ** 2))
