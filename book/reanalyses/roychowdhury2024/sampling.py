"""Interval widths, deviations of NDCG, and losses due to the paper's threshold, for samples of questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd
from scipy import special

from isotropy_lab._core import checks

#: Numbers of samples and of questions per sample that are not stated, but implied by interval widths.
PAPER_SIZES = MappingProxyType({"n_resamples": 100, "n_questions": 100})

_TAILS = np.array([(1.0 - 0.95) / 2.0, 0.975])
_Z = float(special.ndtri(0.975))


def interval_widths(
    accuracy: float,
    n_questions: Sequence[int],
    *,
    n_repeats: int = 1000,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return the widths of 95% intervals of an accuracy p by the number l of questions in a sample.

    Widths are fractions. ``normal`` is 2z√(p(1 − p)/l); ``mean``, ``sd``, and the 95% range from ``low`` to
    ``high`` describe `n_repeats` simulated percentile intervals from 100 samples each, with binomial numbers
    of hits.
    """
    generator = checks.as_generator(rng)
    rows = []
    for n in n_questions:
        hits = generator.binomial(n, accuracy, size=(n_repeats, PAPER_SIZES["n_resamples"]))
        widths = np.diff(np.quantile(hits, _TAILS, axis=1), axis=0)[0] / n
        low, high = np.quantile(widths, _TAILS)
        rows.append(
            {
                "n_questions": n,
                "normal": 2.0 * _Z * math.sqrt(accuracy * (1.0 - accuracy) / n),
                "mean": float(widths.mean()),
                "sd": float(widths.std(ddof=1)),
                "low": float(low),
                "high": float(high),
            }
        )
    return pd.DataFrame(rows)


def ndcg_deviation_bounds(ndcg: float, accuracy: float, *, k: int = 10) -> tuple[float, float]:
    """Return the smallest and largest standard deviation of NDCG@K over questions, given mean and accuracy.

    A hit at rank r has the gain 1/log₂(1 + r). Given their mean, the gains of the hits vary least if the hits
    have two adjacent ranks, and most if they have the ranks 1 and K.
    """
    gains = 1.0 / np.log2(1.0 + np.arange(k, 0, -1))  # ascending
    if accuracy == 0:
        return 0.0, 0.0
    mean_gain = float(np.clip(ndcg / accuracy, gains[0], 1.0))
    smallest = float(np.interp(mean_gain, gains, gains**2))  # mean square of the hits at two adjacent ranks
    largest = float(np.interp(mean_gain, gains[[0, -1]], gains[[0, -1]] ** 2))  # at ranks 1 and K
    low, high = (math.sqrt(max(accuracy * square - ndcg**2, 0.0)) for square in (smallest, largest))
    return low, high


def largest_loss(psi: float, n_questions: int) -> float:
    """Return the largest fraction of questions that can lose a hit to the paper's threshold τ.

    In each sample of l questions, γ is the smallest similarity of a retrieved document, and τ is the ψ-th
    percentile of γ over samples (the paper's set Γ). A question can lose its relevant document only if its
    K-th similarity is below τ. If F is the fraction of such questions, a sample has γ below τ with
    probability 1 − (1 − F)ˡ, which is at most ψ/100 for exact percentiles (infinitely many samples). So F is
    at most 1 − (1 − ψ/100)^(1/l), which the losses in Table II of Roychowdhury et al. (2025) exceed tenfold.
    """
    fraction = psi / 100.0
    return 1.0 if fraction == 1.0 else -math.expm1(math.log1p(-fraction) / n_questions)


def questions_needed(width: float, deviation: float) -> int:
    """Return the number of questions for a 95% interval of a given width: (2z · deviation/width)².

    The normal approximation uses the standard deviation of single questions, √(p(1 − p)) for an accuracy p.
    """
    return max(1, math.ceil((2.0 * _Z * deviation / width) ** 2))
