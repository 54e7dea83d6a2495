"""COE and ROE: how many right, and how many random, documents are as similar as the best that a search returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import check_bootstraps, check_kind, check_percentile, check_percentiles
from isotropy_lab.retrieval.similarities import SimilaritySamples

__all__ = ["HitsAndOverlap", "Overlap", "hits_and_overlap", "overlap", "overlap_curve"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

EXCEEDANCES = ("sample", "all")

_BLOCK = 2**18
"""Similarities counted at a time, 2 MB of counts: they stay in the cache."""


@dataclass(frozen=True)
class Overlap:
    """COE and ROE at one percentile, with intervals.

    Attributes
    ----------
    psi : float
        The percentile of S_topK, in per cent.
    threshold, threshold_full : float
        θ, a cosine: mean over bootstrap samples, and of all questions.
    coe, coe_low, coe_high : float
        Mean over bootstrap samples of the share of right documents with a similarity above θ, and its interval.
    roe, roe_low, roe_high : float
        The same for random documents.
    coe_full, roe_full : float
        Both shares for all questions, without bootstrap.
    n_bootstraps, n_questions : int
        Number of samples and questions in each.
    confidence : float
        Of the intervals.
    """

    psi: float
    threshold: float
    threshold_full: float
    coe: float
    coe_low: float
    coe_high: float
    coe_full: float
    roe: float
    roe_low: float
    roe_high: float
    roe_full: float
    n_bootstraps: int
    n_questions: int
    confidence: float


@dataclass(frozen=True)
class HitsAndOverlap:
    """What accuracy at k says about COE, and what it leaves open.

    Attributes
    ----------
    psi : float
        The percentile of S_topK, in per cent.
    threshold : float
        θ, a cosine.
    accuracy : float
        Share of hits, A.
    coe : float
        Share of right documents with a similarity above θ.
    coe_of_hits, coe_of_misses : float or None
        The same share among hits, C_h, and among misses, C_m; None if there are none of the kind.
    low, high : float
        The least and greatest COE that the ranks of the right documents and the number of similarities in S_topK
        above θ allow.
    """

    psi: float
    threshold: float
    accuracy: float
    coe: float
    coe_of_hits: float | None
    coe_of_misses: float | None
    low: float
    high: float


class _Sorted:
    """The three samples sorted once, so that a bootstrap sample needs only its weights."""

    def __init__(self, samples: SimilaritySamples) -> None:
        top = samples.S_topK.ravel()
        self.n_questions, self.k = samples.n_questions, samples.k
        order = np.argsort(top, kind="stable")
        self.top, self.top_question = top[order], (order // self.k).astype(np.intp)
        self.order_corr = np.argsort(samples.S_corr, kind="stable")
        self.corr = samples.S_corr[self.order_corr]
        self.order_rand = np.argsort(samples.S_rand, kind="stable")
        self.rand = samples.S_rand[self.order_rand]

    def thresholds(self, weights: Counts, psi: Floats) -> Floats:
        """Return the percentiles (linear between order statistics) of S_topK with each question so often.

        `weights` is (samples, Q), with the same sum in every row; the result is (samples, percentiles).
        """
        n_samples, width = weights.shape[0], self.top.size
        total = int(weights[0].sum()) * self.k
        # In this order the place is exact for whole percentages that fall on an order statistic.
        place = psi * (total - 1) / 100.0
        below = np.floor(place).astype(np.int64)
        # One running count through all samples: row i starts at i · total. The value with 0-based place r is the
        # first whose count exceeds r.
        counts = np.cumsum(weights[:, self.top_question].ravel())
        row = np.arange(n_samples)[:, None]

        def at(places: Counts) -> Floats:
            found = np.searchsorted(counts, row * total + places, side="right") - row * width
            return np.asarray(self.top[found])

        lower, upper = at(below), at(np.minimum(below + 1, total - 1))
        between = lower + (upper - lower) * (place - below)
        # Rounding must not carry a percentile past the order statistics that it lies between.
        return np.asarray(np.clip(between, lower, upper))

    def exceedances(self, weights: Counts, thresholds: Floats) -> tuple[Floats, Floats]:
        """Return the weighted shares of S_corr and S_rand that are above the thresholds of each sample."""
        total = int(weights[0].sum())
        shares = []
        for values, order in ((self.corr, self.order_corr), (self.rand, self.order_rand)):
            counts = np.zeros((weights.shape[0], self.n_questions + 1), dtype=np.int64)
            np.cumsum(weights[:, order], axis=1, out=counts[:, 1:])
            at_most = np.take_along_axis(counts, np.searchsorted(values, thresholds, side="right"), axis=1)
            shares.append((total - at_most) / total)
        return shares[0], shares[1]


def _weights(
    n_questions: int, size: int, number: int, block: int, rng: np.random.Generator
) -> Iterator[Counts]:
    """Yield, some samples at a time, how often each question occurs in each bootstrap sample: multinomial counts."""
    for start in range(0, number, block):
        n_samples = min(block, number - start)
        drawn = rng.integers(0, n_questions, size=(n_samples, size))
        drawn += np.arange(n_samples)[:, None] * n_questions
        yield np.bincount(drawn.ravel(), minlength=n_samples * n_questions).reshape(n_samples, n_questions)


def overlap(
    samples: SimilaritySamples,
    psi: float,
    *,
    n_bootstraps: int = 10_000,
    n_questions: int | None = None,
    confidence: float = 0.95,
    exceedance: str = "sample",
    rng: _checks.RandomState = None,
) -> Overlap:
    """Estimate COE and ROE: the shares of right and random documents above the ψ-th percentile of S_topK.

    For each bootstrap sample Q_j of the questions, θ_j is the ψ-th percentile of the similarities in S_topK of Q_j,
    COE_j the share of its questions whose right document has a similarity above θ_j, and ROE_j the same for the
    random document.

    Parameters
    ----------
    samples : SimilaritySamples
        From `similarity_samples`.
    psi : float
        A percentage from 0 to 100: 35, not 0.35.
    n_bootstraps : int
        Bootstrap samples; at least 40 for 95% intervals. The paper does not say how many; its decimals fit 100.
    n_questions : int or None
        Questions in each sample, drawn with replacement; None draws as many as there are. With fewer the intervals
        are those of smaller question sets; the paper's decimals fit 100.
    confidence : float
        Of the percentile intervals, in (0, 1).
    exceedance : {"sample", "all"}
        Over which questions the shares are taken. "sample" is Q_j. "all" takes θ_j from Q_j but both shares over all
        questions, as the paper's S_corr and S_rand can also be read: then only the threshold varies, and the
        intervals are far too narrow to be those of COE and ROE.
    rng : numpy.random.Generator, int or None
        For the bootstrap samples.

    Returns
    -------
    Overlap
        Shares in [0, 1], without unit; COE is best at 1, ROE at 0.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If `psi` is no percentage (numbers between 0 and 1 are taken for shares and refused), or an option does not
        exist or is out of range.

    Notes
    -----
    The paper calls these ECDFs; P(sim > θ) is an exceedance, 1 − ECDF. Its θ_j has a j that its set S_topK lacks:
    here S_topK is that of Q_j. At ψ = 100 the threshold is the largest similarity of all, and nothing is above it.
    Both fall as ψ rises. Unchanged by any increasing affine map of the similarities. Percentiles are linear between
    order statistics. Cost: one sort, then O(Q k) for each bootstrap sample. Roychowdhury et al. (2025), Section II-C,
    equations (1) and (2).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import overlap, similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((200, 16))
    >>> questions = documents[:50] + np.random.default_rng(1).standard_normal((50, 16))
    >>> samples = similarity_samples(questions, documents, range(50), k=5, rng=0)
    >>> found = overlap(samples, 50, n_bootstraps=200, rng=0)
    >>> found.coe_full, found.roe_full
    (0.84, 0.04)
    >>> found.coe_low < found.coe_full < found.coe_high
    True
    """
    row = overlap_curve(
        samples,
        [check_percentile(psi)],
        n_bootstraps=n_bootstraps,
        n_questions=n_questions,
        confidence=confidence,
        exceedance=exceedance,
        rng=rng,
    )
    values = {str(name): float(value) for name, value in row.iloc[0].items()}
    return Overlap(
        **values,
        n_bootstraps=int(row.attrs["n_bootstraps"]),
        n_questions=int(row.attrs["n_questions"]),
        confidence=float(row.attrs["confidence"]),
    )


def overlap_curve(
    samples: SimilaritySamples,
    psi: npt.ArrayLike | None = None,
    *,
    n_bootstraps: int = 10_000,
    n_questions: int | None = None,
    confidence: float = 0.95,
    exceedance: str = "sample",
    rng: _checks.RandomState = None,
) -> pd.DataFrame:
    """Estimate COE and ROE at many percentiles, all from the same bootstrap samples.

    Parameters
    ----------
    samples : SimilaritySamples
        From `similarity_samples`.
    psi : array-like or None
        Percentages; None takes 0, 5, …, 100.
    n_bootstraps, n_questions, confidence, exceedance, rng
        As for `overlap`, whose rows these are.

    Returns
    -------
    pandas.DataFrame
        One row per percentile: psi, threshold, threshold_full, coe, coe_low, coe_high, coe_full, roe, roe_low,
        roe_high, roe_full. ``attrs`` holds n_bootstraps, n_questions, confidence and exceedance. The intervals are
        for one percentile at a time, not for the whole curve.

    Raises
    ------
    TypeError, ValueError
        As for `overlap`.

    Notes
    -----
    Cost: as for one percentile; more of them cost next to nothing. Memory: three numbers for each bootstrap sample
    and percentile. Unchanged by any increasing affine map of the similarities.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import overlap_curve, similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((200, 16))
    >>> questions = documents[:50] + np.random.default_rng(1).standard_normal((50, 16))
    >>> samples = similarity_samples(questions, documents, range(50), k=5, rng=0)
    >>> overlap_curve(samples, [25, 50, 75], n_bootstraps=200, rng=0)["coe_full"].to_list()
    [0.9, 0.84, 0.76]
    """
    check_kind(samples, "samples", SimilaritySamples)
    percentages = check_percentiles(np.arange(0, 101, 5) if psi is None else psi)
    confidence = _checks.check_real(
        confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True
    )
    n_bootstraps = check_bootstraps(n_bootstraps, confidence)
    size = samples.n_questions
    if n_questions is not None:
        size = _checks.check_integer(n_questions, "n_questions", low=1)
    _checks.check_option(exceedance, "exceedance", EXCEEDANCES)
    generator = _checks.as_generator(rng)

    ordered = _Sorted(samples)
    once = np.ones((1, samples.n_questions), dtype=np.int64)
    full = ordered.thresholds(once, percentages)
    coe_full, roe_full = ordered.exceedances(once, full)
    thresholds, coe, roe = np.empty((3, n_bootstraps, percentages.size))
    block = max(1, _BLOCK // max(ordered.top.size, size))
    done = 0
    for weights in _weights(samples.n_questions, size, n_bootstraps, block, generator):
        part = slice(done, done + len(weights))
        thresholds[part] = ordered.thresholds(weights, percentages)
        counted = weights if exceedance == "sample" else np.broadcast_to(once, weights.shape)
        coe[part], roe[part] = ordered.exceedances(counted, thresholds[part])
        done += len(weights)

    tail = 50.0 * (1.0 - confidence)
    columns: dict[str, Floats] = {
        "psi": percentages,
        "threshold": thresholds.mean(axis=0),
        "threshold_full": full[0],
    }
    for name, values, whole in (("coe", coe, coe_full), ("roe", roe, roe_full)):
        low, high = np.percentile(values, [tail, 100.0 - tail], axis=0)
        columns |= {name: values.mean(axis=0), f"{name}_low": low, f"{name}_high": high}
        columns[f"{name}_full"] = whole[0]
    table = pd.DataFrame(columns)
    table.attrs = {
        "n_bootstraps": n_bootstraps,
        "n_questions": size,
        "confidence": confidence,
        "exceedance": exceedance,
    }
    return table


def hits_and_overlap(samples: SimilaritySamples, psi: float) -> HitsAndOverlap:
    """Split COE into the part of the hits and that of the misses, and bound it by what the ranks alone say.

    Parameters
    ----------
    samples : SimilaritySamples
        From `similarity_samples`.
    psi : float
        A percentage from 0 to 100.

    Returns
    -------
    HitsAndOverlap
        For all questions, without bootstrap. Shares in [0, 1].

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If `psi` is no percentage.

    Notes
    -----
    *Identity.* COE = A C_h + (1 − A) C_m, with accuracy A and the shares above θ among hits and misses. If C_h and
    C_m are alike in all models, COE is a linear function of accuracy with slope C_h − C_m. And C_h is the greater of
    the two, other things equal, since a hit's similarity is one of its question's k best and a miss's is above none
    of them.

    *Bounds.* Let B of the Q k similarities in S_topK be at most θ (about ψ per cent). A hit at place r that is not
    above θ has k − r + 1 similarities of its question with it in B. A hit at place r above θ takes r of the other
    Q k − B, and a miss above θ takes all k of its question. So filling either budget with the cheapest questions
    first gives the least and the greatest possible COE, `low` and `high`. In particular

    - COE ≥ A(r) − B/(Q (k − r + 1)) for any r ≤ k, where A(r) is accuracy at r: COE ≥ A − B/Q at r = k, and
      COE ≥ A(1) − B/(Q k), or about A(1) − ψ/100, at r = 1;
    - COE ≤ A (1 − 1/k) + 1 − B/(Q k), or about A + 1 − ψ/100.

    So accuracy binds COE only at high or low ψ: at ψ = 0, ties aside, only the hit with the smallest similarity of
    all can be missing from it. At percentiles around 30 the bounds are wide, and a strong correlation between
    accuracy and COE across models is for the data to show. Nothing of this holds for ROE, in which the right
    document has no part. Cost: O(Q k log(Q k)). Unchanged by any increasing affine map of the similarities.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import hits_and_overlap, similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((200, 16))
    >>> questions = documents[:50] + np.random.default_rng(1).standard_normal((50, 16))
    >>> samples = similarity_samples(questions, documents, range(50), k=5, rng=0)
    >>> found = hits_and_overlap(samples, 75)
    >>> found.accuracy, found.coe, found.low, found.high
    (0.9, 0.76, 0.12, 0.92)
    """
    check_kind(samples, "samples", SimilaritySamples)
    percentage = np.array([check_percentile(psi)])
    ordered = _Sorted(samples)
    once = np.ones((1, samples.n_questions), dtype=np.int64)
    threshold = float(ordered.thresholds(once, percentage)[0, 0])
    above = samples.S_corr > threshold
    hit = samples.hit_ranks <= samples.k
    n_at_most = int((samples.S_topK <= threshold).sum())
    low, high = _bounds(np.bincount(samples.hit_ranks, minlength=samples.k + 2)[1:], n_at_most)
    return HitsAndOverlap(
        psi=float(percentage[0]),
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
