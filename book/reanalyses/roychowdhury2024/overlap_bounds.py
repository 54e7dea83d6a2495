"""Decomposition of COE into hits and misses, and its bounds given only the ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isotropy_lab.retrieval._overlap import SimilaritySamples
from isotropy_lab.retrieval.thresholds import threshold_percentile

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HitsAndOverlap:
    """Parts of COE, and the range of COE that is compatible with accuracy at k."""

    threshold: float  #: The threshold θ, a cosine.
    accuracy: float  #: Fraction of hits, A.
    coe: float  #: Fraction of relevant documents with a similarity above θ.
    #: coe_of_hits, coe_of_misses: the same among hits (C_h) and misses (C_m); NaN if there are none.
    coe_of_hits: float
    coe_of_misses: float
    #: low, high: smallest and largest COE that are compatible with the ranks of the relevant documents and
    #: the number of similarities in S_topK above θ.
    low: float
    high: float


def hits_and_overlap(samples: SimilaritySamples, psi: float) -> HitsAndOverlap:
    """Decompose COE into contributions of hits and misses, and bound it by the information in the ranks.

    *Identity.* COE = A C_h + (1 − A) C_m, with accuracy A and the fractions above θ among hits and misses.

    *Bounds.* Let B of the Q k similarities in S_topK be at most θ (about ψ percent). A hit at rank r that is
    not above θ uses k − r + 1 similarities of its question in B. A hit at rank r above θ uses r of the other
    Q k − B, and a miss above θ uses all k of its question. Filling either budget with the cheapest questions
    first gives the smallest and the largest possible COE, `low` and `high`. Therefore, accuracy restricts COE
    only at high or low ψ.
    """
    threshold = threshold_percentile(samples.S_topK, psi)
    above = samples.S_corr > threshold
    hit = samples.hit_ranks <= samples.k
    n_at_most = int((samples.S_topK <= threshold).sum())
    low, high = _bounds(np.bincount(samples.hit_ranks, minlength=samples.k + 2)[1:], n_at_most)
    return HitsAndOverlap(
        threshold=threshold,
        accuracy=samples.accuracy,
        coe=float(above.mean()),
        coe_of_hits=float(above[hit].mean()) if hit.any() else math.nan,
        coe_of_misses=float(above[~hit].mean()) if not hit.all() else math.nan,
        low=low,
        high=high,
    )


def _bounds(n_at_rank: Counts, n_at_most: int) -> tuple[float, float]:
    """Return the bounds of COE; `n_at_rank` has the numbers of questions at ranks 1, …, k and of misses."""
    k, n_questions = n_at_rank.size - 1, int(n_at_rank.sum())
    # A hit at rank k that is not above θ costs 1 similarity, a hit at rank k − 1 costs 2, and so on.
    n_not_above = _count_affordable(n_at_rank[k - 1 :: -1], np.arange(1, k + 1), n_at_most)
    costs_above = np.append(np.arange(1, k + 1), k)
    n_above = _count_affordable(n_at_rank, costs_above, n_questions * k - n_at_most)
    return (int(n_at_rank[:k].sum()) - n_not_above) / n_questions, n_above / n_questions


def _count_affordable(numbers: Counts, costs: Counts, budget: int) -> int:
    """Return the maximum number of questions within a budget, taking the cheapest questions first."""
    total = 0
    for number, cost in zip(numbers.tolist(), costs.tolist(), strict=True):
        affordable = min(number, budget // cost)
        total += affordable
        budget -= affordable * cost
    return total
