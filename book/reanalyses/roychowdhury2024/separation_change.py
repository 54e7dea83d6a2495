"""Change of a domain's separation due to adaptation, absolute and relative to distances within the domain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isotropy_lab._core.resampling import question_weights
from isotropy_lab.results import Separation

_TILE = 2**19  # weights drawn at a time: 4 MB


@dataclass(frozen=True)
class SeparationChange:
    """Separation of the same sentences before and after adaptation."""

    #: difference, difference_low, difference_high: mean of Δ after minus before, with its 95% interval.
    difference: float
    difference_low: float
    difference_high: float
    #: log_ratio: log of the factor by which distances to the outside grew, relative to distances within the
    #: domain. It is positive if the domain moved away from the outside by more than its own sentences moved
    #: apart. log_ratio_low, log_ratio_high: ends of its confidence interval.
    log_ratio: float
    log_ratio_low: float
    log_ratio_high: float


def compare_separation(
    before: Separation,
    after: Separation,
    *,
    n_resamples: int,
    rng: np.random.Generator | int,
) -> SeparationChange:
    """Test whether adaptation moved a domain's sentences away from others, or all sentences apart.

    Both separations are for the same sentences in the same order, with equal numbers of candidates. Δ itself
    increases if all distances do, whereas its ratio to the distance within the domain does not change if all
    distances grow alike. The bootstrap treats domain sentences as independent, although those with a common
    neighbor are not.
    """
    generator = np.random.default_rng(rng)
    # One column for each mean that bootstrap samples need.
    columns = np.column_stack([after.distances, after.within, before.distances, before.within])
    n_sentences = len(columns)
    means = np.empty((n_resamples, 4))
    block_size = max(1, _TILE // n_sentences)
    for samples, weights in question_weights(n_sentences, n_sentences, n_resamples, block_size, generator):
        means[samples] = weights @ columns / n_sentences
    ratios = np.log(means[:, 0] / means[:, 1]) - np.log(means[:, 2] / means[:, 3])
    low, high = np.percentile(np.column_stack([means[:, 0] - means[:, 2], ratios]), [2.5, 97.5], axis=0)
    return SeparationChange(
        difference=float((after.distances - before.distances).mean()),
        difference_low=float(low[0]),
        difference_high=float(high[0]),
        log_ratio=math.log(after.ratio) - math.log(before.ratio),
        log_ratio_low=float(low[1]),
        log_ratio_high=float(high[1]),
    )
