"""Interval widths, deviations of NDCG, and losses due to the paper's threshold, for small samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy import special

from isotropy_lab._core import checks

#: Values implied by the interval widths in Roychowdhury et al. (2025) but not stated in the paper.
PAPER_MODE = MappingProxyType({"n_resamples": 100, "n_questions": 100})

_TAILS = np.array([(1.0 - 0.95) / 2.0, 0.975])
_Z = float(special.ndtri(0.975))


def interval_width(
    accuracy: float,
    n_questions: Sequence[int],
    *,
    n_repeats: int = 1000,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return, by sample size, the mean and spread of the width of percentile intervals of an accuracy.

    Widths are fractions: ``normal``, 2z√(p(1 − p)/l), and those of `n_repeats` intervals simulated
    from 100 samples each. The number of hits in a sample of l questions is binomial for any model.
    """
    generator = checks.as_generator(rng)
    rows = []
    for size in n_questions:
        hits = generator.binomial(size, accuracy, size=(n_repeats, PAPER_MODE["n_resamples"]))
        low, high = np.quantile(hits, _TAILS, axis=1)
        widths = (high - low) / size
        least, most = np.quantile(widths, _TAILS)
        rows.append(
            {
                "n_questions": size,
                "normal": 2.0 * _Z * math.sqrt(accuracy * (1.0 - accuracy) / size),
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
    gains = 1.0 / np.log2(1.0 + np.arange(k, 0, -1))  # ascending
    if accuracy == 0:
        return 0.0, 0.0
    gain = float(np.clip(ndcg / accuracy, gains[0], 1.0))
    least = float(np.interp(gain, gains, gains**2))  # the chord between adjacent ranks
    most = float(np.interp(gain, gains[[0, -1]], gains[[0, -1]] ** 2))
    low, high = (math.sqrt(max(accuracy * square - ndcg**2, 0.0)) for square in (least, most))
    return low, high


def largest_loss(psi: float, n_questions: int) -> float:
    """Return the largest fraction of questions that can lose a hit at the ψ-th percentile of the paper's Γ.

    It is 1 − (1 − ψ/100)^(1/l) with l questions in a sample. A question can lose its relevant document only if its
    K-th similarity is below τ. Let F be the fraction of such questions: a sample has γ below τ with probability 1 −
    (1 − F)ˡ, which is at most ψ/100 if τ is the ψ-th percentile of γ. This holds for exact percentiles, that is,
    infinitely many samples. The losses printed by Roychowdhury et al. (2025) in Table II exceed it tenfold.
    """
    fraction = psi / 100.0
    return 1.0 if fraction == 1.0 else -math.expm1(math.log1p(-fraction) / n_questions)


def questions_needed(width: float, deviation: float) -> int:
    """Return the number of questions for a 95% interval of a given width, by the normal approximation.

    The standard deviation is that of single questions, √(p(1 − p)) for an accuracy: (2z · deviation/width)².
    """
    return max(1, math.ceil((2.0 * _Z * deviation / width) ** 2))
