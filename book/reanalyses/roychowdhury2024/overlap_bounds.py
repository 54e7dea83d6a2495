"""COE taken apart into hits and misses, and the bounds that ranks alone set it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import check_kind
from isotropy_lab.retrieval._overlap import SimilaritySamples
from isotropy_lab.retrieval.thresholds import threshold_percentile

__all__ = ["HitsAndOverlap", "hits_and_overlap"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HitsAndOverlap(Result):
    """What accuracy at k says about COE, and what it leaves open."""

    psi: float  #: The percentile of S_topK, in percent.
    threshold: float  #: θ, a cosine.
    accuracy: float  #: Fraction of hits, A.
    coe: float  #: Fraction of right documents with a similarity above θ.
    #: coe_of_hits, coe_of_misses: the same among hits, C_h, and among misses, C_m; None if there are none.
    coe_of_hits: float | None
    coe_of_misses: float | None
    #: low, high: the least and greatest COE that the ranks of the right documents and the number of
    #: similarities in S_topK above θ allow.
    low: float
    high: float


def hits_and_overlap(samples: SimilaritySamples, psi: float) -> HitsAndOverlap:
    """Split COE into the part of the hits and that of the misses, and bound it by what the ranks alone say.

    *Identity.* COE = A C_h + (1 − A) C_m, with accuracy A and the fractions above θ among hits and misses.

    *Bounds.* Let B of the Q k similarities in S_topK be at most θ (about ψ percent). A hit at place r that is
    not above θ has k − r + 1 similarities of its question with it in B. A hit at place r above θ takes r of
    the other Q k − B, and a miss above θ takes all k of its question. Filling either budget with the cheapest
    questions first gives the least and the greatest possible COE, `low` and `high`. So accuracy binds COE
    only at high or low ψ.
    """
    check_kind(samples, "samples", SimilaritySamples)
    threshold = float(threshold_percentile(samples.S_topK, psi))
    above = samples.S_corr > threshold
    hit = samples.hit_ranks <= samples.k
    n_at_most = int((samples.S_topK <= threshold).sum())
    low, high = _bounds(np.bincount(samples.hit_ranks, minlength=samples.k + 2)[1:], n_at_most)
    return HitsAndOverlap(
        psi=float(psi),
        threshold=threshold,
        accuracy=samples.accuracy,
        coe=float(above.mean()),
        coe_of_hits=float(above[hit].mean()) if hit.any() else None,
        coe_of_misses=float(above[~hit].mean()) if not hit.all() else None,
        low=low,
        high=high,
    )


def _bounds(n_at_rank: Counts, n_at_most: int) -> tuple[float, float]:
    """Return the least and greatest COE; `n_at_rank` counts questions by place 1, …, k and, last, misses."""
    k, n_questions = n_at_rank.size - 1, int(n_at_rank.sum())
    fallen = _most(
        n_at_rank[k - 1 :: -1], np.arange(1, k + 1), n_at_most
    )  # hits at k cost 1, at k − 1 two, …
    risen = _most(n_at_rank, np.append(np.arange(1, k + 1), k), n_questions * k - n_at_most)
    return (int(n_at_rank[:k].sum()) - fallen) / n_questions, risen / n_questions


def _most(numbers: Counts, costs: Counts, budget: int) -> int:
    """Return how many questions a budget pays for, the cheapest first."""
    total = 0
    for number, cost in zip(numbers.tolist(), costs.tolist(), strict=True):
        bought = min(number, budget // cost)
        total += bought
        budget -= bought * cost
        if bought < number:
            break
    return total
