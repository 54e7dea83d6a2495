"""Similarities of questions to relevant, best, and random documents, and their overlaps COE and ROE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.resampling import question_weights
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import (
    as_embeddings,
    check_n_best,
    check_n_resamples,
    check_percentile,
    check_percentiles,
    check_type,
)
from isotropy_lab.retrieval.ranking import most_similar_relevant, pair_similarities, top_k

__all__ = ["Overlap", "SimilaritySamples", "overlap", "similarity_samples"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_CHUNK_ENTRIES = 2**18  # similarities counted at a time: 2 MB of counts, which stay in the cache


@dataclass(frozen=True, eq=False)
class SimilaritySamples(Result):
    """Cosine similarities of Q questions to relevant, best, and random documents.

    Attributes
    ----------
    S_corr, S_topK, S_rand : ndarray of shape (Q,), (Q, k) and (Q,)
        To the relevant document; to the k most similar, descending along rows; to one drawn at random.
    random_documents : ndarray of shape (Q,), int64
        Position of the document drawn at random for each question.
    hit_ranks : ndarray of shape (Q,), int64
        Rank of the relevant document among the k best, from 1 to k; k + 1 for a miss.
    n_documents : int
        Number of documents N.
    """

    S_corr: Floats
    S_topK: Floats
    S_rand: Floats
    random_documents: Counts
    hit_ranks: Counts
    n_documents: int

    @property
    def n_questions(self) -> int:
        """Number of questions Q."""
        return int(self.S_topK.shape[0])

    @property
    def k(self) -> int:
        """Number of best documents per question."""
        return int(self.S_topK.shape[1])

    @property
    def accuracy(self) -> float:
        """Fraction of questions whose relevant document is among their k best."""
        return float((self.hit_ranks <= self.k).mean())


def similarity_samples(
    questions: checks.Points,
    documents: checks.Points,
    gold: npt.ArrayLike,
    *,
    k: int = 10,
    rng: checks.RandomState = None,
) -> SimilaritySamples:
    """Compute the similarities of questions to relevant, best, and random documents.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model; rows are scaled to unit length.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Position of each question's relevant document, from 0 to N − 1; or the positions of several relevant
        documents (see `answer_ranks`), of which only the most similar is used.
    k : int
        Number of best documents per question, from 1 to N.
    rng : numpy.random.Generator, int or None
        Generator or seed for drawing one document per question, uniformly from all N documents.

    Returns
    -------
    SimilaritySamples
        Dimensionless similarities in [−1, 1].

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension, or contain NaN, inf, or zero rows; if `gold` is
        missing or out of range; or if `k` is less than 1 or greater than N.

    Notes
    -----
    The samples are invariant under a rotation of all embeddings and positive factors on any of them, up to
    rounding. Similarities are computed as in `answer_ranks` and `top_k`, so a relevant document among the k
    best has *the same* similarity in `S_corr` as in `S_topK`. Duplicates of the relevant document do not
    count as hits. Cost: O(Q N n). Roychowdhury et al. (2025), Section II-C.

    Examples
    --------
    >>> from isotropy_lab.retrieval import similarity_samples
    >>> documents = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
    >>> samples = similarity_samples([[2.0, 0.0], [0.0, 1.0]], documents, [1, 0], k=2, rng=0)
    >>> samples.S_corr.round(6).tolist(), samples.S_topK.round(6).tolist()
    ([0.6, 0.0], [[1.0, 0.6], [1.0, 0.8]])
    >>> samples.hit_ranks.tolist(), samples.accuracy
    ([2, 3], 0.5)
    """
    left, right = as_embeddings(questions, documents)
    n_questions, n_documents = len(left), len(right)
    positions, similarities = most_similar_relevant(left, right, gold)
    n_best = check_n_best(k, n_documents)
    generator = checks.as_generator(rng)
    random_documents = generator.integers(0, n_documents, size=n_questions)
    best = top_k(left, right, n_best)
    relevant = best.indices == positions[:, None]
    return SimilaritySamples(
        S_corr=similarities,
        S_topK=best.similarities,
        S_rand=pair_similarities(left, right, random_documents),
        random_documents=random_documents.astype(np.int64),
        hit_ranks=np.where(relevant.any(axis=1), relevant.argmax(axis=1) + 1, n_best + 1).astype(np.int64),
        n_documents=n_documents,
    )


# --- COE and ROE


@dataclass(frozen=True)
class Overlap(Result):
    """Overlaps COE and ROE at one percentile: fractions of relevant and random documents above a threshold.

    Attributes
    ----------
    psi : float
        The percentile of S_topK, in percent.
    threshold, threshold_full : float
        The cosine θ: its mean over bootstrap samples, and its value for all questions.
    coe, coe_low, coe_high : float
        Mean over bootstrap samples of the fraction of relevant documents with a similarity above θ, and the
        ends of its interval.
    roe, roe_low, roe_high : float
        The same for random documents.
    coe_full, roe_full : float
        COE and ROE of all questions, without bootstrap.
    n_resamples, n_questions, confidence_level : int, int, float
        Number of bootstrap samples, questions in each, and the nominal coverage of the intervals.
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
    n_resamples: int
    n_questions: int
    confidence_level: float


class _SortedSimilarities:
    """Similarities sorted once, so that each bootstrap sample needs only its weights."""

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
        """Return linearly interpolated percentiles of S_topK, with weighted questions.

        `weights` has shape (samples, Q) and equal row sums; the result has shape (samples, percentiles).
        """
        n_samples, width = weights.shape[0], self.top.size
        total = int(weights[0].sum()) * self.k
        # Multiplying first keeps positions exact for integer percentages that fall on an order statistic.
        positions = psi * (total - 1) / 100.0
        below = np.floor(positions).astype(np.int64)
        # The counts accumulate over all samples: row i starts at i · total. The value at 0-based position r
        # is the first whose count exceeds r.
        counts = np.cumsum(weights[:, self.top_question].ravel())
        row = np.arange(n_samples)[:, None]

        def order_statistics(r: Counts) -> Floats:
            indices = np.searchsorted(counts, row * total + r, side="right") - row * width
            return np.asarray(self.top[indices])

        lower, upper = order_statistics(below), order_statistics(np.minimum(below + 1, total - 1))
        interpolated = lower + (upper - lower) * (positions - below)
        # Rounding must not move a percentile beyond the two order statistics around it.
        return np.asarray(np.clip(interpolated, lower, upper))

    def exceedances(self, weights: Counts, thresholds: Floats) -> tuple[Floats, Floats]:
        """Return the weighted fractions of S_corr and S_rand above each sample's thresholds."""
        total = int(weights[0].sum())
        fractions = []
        for values, order in ((self.corr, self.order_corr), (self.rand, self.order_rand)):
            counts = np.zeros((weights.shape[0], self.n_questions + 1), dtype=np.int64)
            np.cumsum(weights[:, order], axis=1, out=counts[:, 1:])
            at_most = np.take_along_axis(counts, np.searchsorted(values, thresholds, side="right"), axis=1)
            fractions.append((total - at_most) / total)
        return fractions[0], fractions[1]


def overlap(
    samples: SimilaritySamples,
    psi: float,
    *,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> Overlap:
    """Estimate COE and ROE: the fractions of relevant and random documents above a percentile of S_topK.

    For each bootstrap sample Q_j of the questions, θ_j is the ψ-th percentile of the S_topK similarities of
    Q_j, COE_j is the fraction of its questions whose relevant document has a similarity above θ_j, and ROE_j
    is the same fraction for the random document.

    Parameters
    ----------
    samples : SimilaritySamples
        From `similarity_samples`.
    psi : float
        A percentage from 0 to 100: 35, not 0.35.
    n_resamples : int
        Number of bootstrap samples; at least 40 for 95% intervals.
    confidence_level : float
        Nominal coverage of the percentile intervals, in (0, 1).
    rng : numpy.random.Generator, int or None
        Generator or seed for drawing the bootstrap samples.

    Returns
    -------
    Overlap
        Fractions in [0, 1]; 1 is best for COE, and 0 for ROE.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or if a percentage is between 0 and 1.

    Notes
    -----
    The paper calls these ECDFs; P(sim > θ) is an exceedance, 1 − ECDF. Both fall as ψ rises, to 0 at ψ = 100.
    The overlap is invariant under any increasing affine map of the similarities. Percentiles are linear
    between order statistics. Cost: O(Q k log(Q k)) to sort, then O(m Q k) for m bootstrap samples.
    Roychowdhury et al. (2025), Section II-C, equations (1) and (2).

    Examples
    --------
    >>> from isotropy_lab.retrieval import overlap, similarity_samples
    >>> documents = np.random.default_rng(0).standard_normal((200, 16))
    >>> questions = documents[:50] + np.random.default_rng(1).standard_normal((50, 16))
    >>> samples = similarity_samples(questions, documents, range(50), k=5, rng=0)
    >>> result = overlap(samples, 50, n_resamples=200, rng=0)
    >>> result.coe_full, result.roe_full, result.coe_low < result.coe_full < result.coe_high
    (0.84, 0.04, True)
    """
    row = overlaps_at(
        samples, [check_percentile(psi)], n_resamples=n_resamples, confidence_level=confidence_level, rng=rng
    )
    values: dict[str, Any] = {str(name): float(value) for name, value in row.iloc[0].items()}
    return Overlap(**values, **row.attrs)


def overlaps_at(
    samples: SimilaritySamples,
    psi: npt.ArrayLike,
    *,
    n_resamples: int,
    n_questions: int | None = None,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return COE and ROE, one row per percentile, from the same bootstrap samples."""
    check_type(samples, "samples", SimilaritySamples)
    percentages = check_percentiles(psi)
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    size = n_questions or samples.n_questions
    generator = checks.as_generator(rng)

    ordered = _SortedSimilarities(samples)
    equal_weights = np.ones((1, samples.n_questions), dtype=np.int64)
    full_thresholds = ordered.thresholds(equal_weights, percentages)
    coe_full, roe_full = ordered.exceedances(equal_weights, full_thresholds)
    thresholds, coe, roe = np.empty((3, m, percentages.size))
    chunk_size = max(1, _CHUNK_ENTRIES // max(ordered.top.size, size))
    for chunk, weights in question_weights(samples.n_questions, size, m, chunk_size, generator):
        thresholds[chunk] = ordered.thresholds(weights, percentages)
        coe[chunk], roe[chunk] = ordered.exceedances(weights, thresholds[chunk])

    tail = 50.0 * (1.0 - level)
    columns: dict[str, Floats] = {
        "psi": percentages,
        "threshold": thresholds.mean(axis=0),
        "threshold_full": full_thresholds[0],
    }
    for name, values, full_value in (("coe", coe, coe_full), ("roe", roe, roe_full)):
        low, high = np.percentile(values, [tail, 100.0 - tail], axis=0)
        columns |= {name: values.mean(axis=0), f"{name}_low": low, f"{name}_high": high}
        columns[f"{name}_full"] = full_value[0]
    table = pd.DataFrame(columns)
    table.attrs = {"n_resamples": m, "n_questions": size, "confidence_level": level}
    return table
