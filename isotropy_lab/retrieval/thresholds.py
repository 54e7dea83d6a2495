"""Thresholds of similarity below which documents are hidden, with their costs and savings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from isotropy_lab._core import checks
from isotropy_lab._core.resampling import bca_quantile, certain_ends, class_means
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import (
    as_ranks,
    check_n_resamples,
    check_percentiles,
    check_same_questions,
)
from isotropy_lab.retrieval.relevance import RelevantRanks
from isotropy_lab.retrieval.scores import scores_of_ranks

__all__ = ["SimilarityThreshold", "score_at_threshold", "similarity_threshold", "threshold_percentile"]

Floats: TypeAlias = NDArray[np.float64]

METRICS = ("accuracy", "ndcg", "mrr")  # of one document of each question
METHODS = ("pooled", "gamma")
BOUNDS = ("bca", "percentile")
_PERCENTAGES = np.arange(101.0)  # that a threshold is chosen from
_LEVEL = 0.95  # of the bounds, on one side


@dataclass(frozen=True)
class SimilarityThreshold(Result):
    """A threshold chosen on some questions, and its effect on others.

    Attributes
    ----------
    threshold, psi : float
        The highest one that was shown to be harmless, and its percentile.
    method, metric, bound, margin : str, str, str, float
        As given: the percentile of what, what is scored at K, how its loss is bounded, and what may be lost.
    calibration_loss, calibration_bound : float
        What the questions that chose it lose, and an upper bound of that for all questions.
    before, after : float
        The metric of the other questions, without and with the threshold.
    loss, loss_bound : float
        What they lose, and an upper bound of that for all questions.
    holds : bool
        Whether that bound is within the margin, too. A threshold at the edge of the margin often fails this
        by chance.
    suppressed, mean_kept, n_empty : float, float, int
        Fraction of the documents retrieved for the others that it hides, how many of the K a question keeps
        on average, and questions left without any.
    confidence_level : float
        Of the bounds, on one side.
    n_calibration, n_report, n_resamples : int
        Questions that chose it, the others, and bootstrap samples.
    """

    threshold: float
    psi: float
    method: str
    metric: str
    margin: float
    calibration_loss: float
    calibration_bound: float
    before: float
    after: float
    loss: float
    loss_bound: float
    holds: bool
    suppressed: float
    mean_kept: float
    n_empty: int
    confidence_level: float
    bound: str
    n_calibration: int
    n_report: int
    n_resamples: int


def threshold_percentile(
    similarities: Any,
    psi: float | Any,
    *,
    method: str = "pooled",
    n_resamples: int | None = None,
    n_questions: int | None = None,
    rng: checks.RandomState = None,
) -> Any:
    """Return a threshold: a percentile of the similarities of retrieved documents, or of the paper's Γ.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of the K best documents of each question, descending along rows, as from `top_k`.
    psi : float or array-like
        Percentage from 0 to 100; a number between 0 and 1 is refused, since it must be a fraction.
    method : {"pooled", "gamma"}, default "pooled"
        "pooled": the percentile of all Q·K similarities, so that ψ% of the documents retrieved lie below.
        "gamma": that of Γ, the least similarity in each of many bootstrap samples of l questions, K documents
        each.
    n_resamples : int, optional
        With "gamma", samples, m ≥ 40; by default the percentile for endless samples, which has a closed form.
    n_questions : int, optional
        With "gamma", questions in a sample, l; by default all Q.
    rng : numpy.random.Generator or int, optional
        Draws the samples.

    Returns
    -------
    float, or numpy.ndarray for several percentages
        Similarities.

    Raises
    ------
    TypeError, ValueError
        If `similarities` are empty, not finite or rise along a row; if ψ is a fraction; if there are too few
        samples; or if an option does not exist.

    Notes
    -----
    The least similarity of a sample is that of the K-th document of one of its questions. So τ(ψ) of Γ is
    nearly the 100(1 − (1 − ψ/100)^(1/l))-th percentile of the K-th similarities: with l = 100 and ψ = 40,
    about one question in 200 has any document below. O(Q K log(Q K)) time. An increasing affine map of the
    similarities maps the threshold with them. Roychowdhury et al. (2025), section II-B, where P(x < τ) = ψ
    lacks the division by 100.

    Examples
    --------
    >>> from isotropy_lab.retrieval import threshold_percentile
    >>> similarities = [[0.9, 0.5], [0.8, 0.6], [0.7, 0.1]]
    >>> round(threshold_percentile(similarities, 50), 6)
    0.65
    >>> threshold_percentile(similarities, 50, method="gamma", n_questions=1)
    0.5
    """
    values = _values(similarities)
    percentages = check_percentiles(psi)
    checks.check_option(method, "method", METHODS)
    size = len(values) if n_questions is None else checks.check_integer(n_questions, "n_questions", low=1)
    m = None if n_resamples is None else check_n_resamples(n_resamples)
    found = _thresholds(values, percentages, method, m, size, checks.as_generator(rng))
    return float(found[0]) if np.ndim(psi) == 0 else found


def _thresholds(
    values: Floats, psi: Floats, method: str, m: int | None, size: int, rng: np.random.Generator
) -> Floats:
    if method == "pooled":
        return _percentiles(values, psi)
    last = np.sort(values[:, -1])
    n = last.size
    if m is None:
        # P(γ ≤ the t-th smallest) = 1 − ((n − t)/n)ˡ, as it rises with t
        chances = 1.0 - (np.arange(n - 1, -1, -1) / n) ** size
        places = np.searchsorted(chances, psi / 100.0 - 1e-15)
        return np.asarray(last[np.minimum(places, n - 1)])
    # The place of the least of `size` draws from n, by the inverse of that chance.
    chance = -np.expm1(np.log1p(-rng.random(m)) / size)
    places = np.maximum(np.ceil(n * chance).astype(np.intp), 1)
    return _percentiles(last[places - 1], psi)


def _percentiles(values: Floats, psi: Floats) -> Floats:
    """Return linear percentiles, which are exact at order statistics, so that rounding hides no document."""
    ordered = np.sort(values, axis=None)
    place = psi * (ordered.size - 1) / 100.0
    below = np.floor(place).astype(np.intp)
    lower, upper = ordered[below], ordered[np.minimum(below + 1, ordered.size - 1)]
    return np.asarray(np.clip(lower + (upper - lower) * (place - below), lower, upper))


def score_at_threshold(similarities: Any, ranks: Any, threshold: float, *, metric: str = "accuracy") -> float:
    """Return accuracy, NDCG or reciprocal rank at K without documents below a threshold.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of the K best documents of each question, descending along rows.
    ranks : array-like of shape (Q,)
        Rank of each question's relevant document; where it is at most K, its similarity stands in that place.
        Of several relevant ones the best-placed counts, for NDCG too: `RelevantRanks.best`.
    threshold : float
        Documents whose similarity equals it are kept.
    metric : {"accuracy", "ndcg", "mrr"}, default "accuracy"
        What is scored.

    Returns
    -------
    float
        In [0, 1], 1 being best.

    Raises
    ------
    TypeError, ValueError
        If `similarities` are not as described, `ranks` are below 1 or of another number, or the option does
        not exist.

    Notes
    -----
    Where the relevant document is kept, so are all before it, and its rank stays: each question's score is
    what it was, or 0, so that no threshold can raise it. Unchanged by any increasing map of similarities and
    threshold together. Cost: O(Q K).

    Examples
    --------
    >>> from isotropy_lab.retrieval import score_at_threshold
    >>> similarities = [[0.9, 0.5], [0.8, 0.6], [0.7, 0.1]]
    >>> [round(score_at_threshold(similarities, [1, 2, 5], t), 4) for t in (0.0, 0.7, 0.95)]
    [0.6667, 0.3333, 0.0]
    """
    values, numbers = _ranked(similarities, ranks)
    checks.check_option(metric, "metric", METRICS)
    limit = checks.check_real(threshold, "threshold", low=-math.inf, high=math.inf)
    scores = scores_of_ranks(numbers, metric, values.shape[1])
    return float(np.where(_gold(values, numbers) >= limit, scores, 0.0).mean())


def _ranked(similarities: Any, ranks: Any) -> tuple[Floats, NDArray[np.int64]]:
    if isinstance(ranks, RelevantRanks):
        raise TypeError("ranks is RelevantRanks; expected one rank for each question, such as ranks.best")
    values, numbers = _values(similarities), as_ranks(ranks)
    check_same_questions({"similarities": len(values), "ranks": numbers.size})
    return values, numbers


def _gold(values: Floats, ranks: NDArray[np.int64]) -> Floats:
    """Return the similarity of each question's relevant document, −inf where it is not retrieved."""
    k = values.shape[1]
    places = np.minimum(ranks, k) - 1
    return np.where(ranks <= k, values[np.arange(ranks.size), places], -np.inf)


def similarity_threshold(
    similarities: Any,
    ranks: Any,
    *,
    margin: float = 0.02,
    metric: str = "accuracy",
    method: str = "pooled",
    n_resamples: int = 10000,
    bound: str = "bca",
    rng: checks.RandomState = None,
) -> SimilarityThreshold:
    """Choose the highest threshold that loses at most a margin, and report its loss on other questions.

    A random half of the questions chooses among the percentages 0, 1, …, 100, with bounds of 95% on one side.

    Parameters
    ----------
    similarities, ranks : array-like of shape (Q, K), or TopK, and (Q,)
        See `score_at_threshold`.
    margin : float, default 0.02
        What the metric may lose at most, in (0, 1): 0.02 is two percentage points of accuracy.
    metric : {"accuracy", "ndcg", "mrr"}, default "accuracy"
        What is scored, at K.
    method : {"pooled", "gamma"}, default "pooled"
        Percentiles of what: see `threshold_percentile`; for "gamma" those of endless samples of as many as
        choose.
    n_resamples : int, default 10000
        Samples that bound the loss; at least 40.
    bound : {"bca", "percentile"}, default "bca"
        How the loss is bounded. Losses are rare, so that their bootstrap is skewed and plain percentiles are
        too low.
    rng : numpy.random.Generator or int, optional
        Draws the half and the samples.

    Returns
    -------
    SimilarityThreshold

    Raises
    ------
    TypeError, ValueError
        As `score_at_threshold`; if there is no question to choose with, or none to report on; or if the
        margin is too small for the questions at hand.

    Notes
    -----
    The same bootstrap samples bound the loss of every candidate. Candidates are tried from the lowest, and
    the last before the first failure is taken: a fixed order needs no correction for their number. Where
    nothing is lost at all, Wilson's bound for 0 of n is used. Both are approximate, and a little low where
    few hits are lost: for 3 of 368 BCa gives 0.0190, and the exact bound of a share,
    ``scipy.stats.beta.ppf(0.95, 4, 365)``, is 0.0209. A threshold that is merely "not significantly worse",
    as Roychowdhury et al. (2025), section II-B, choose it, may cost the more the fewer questions there are;
    here fewer questions give a lower threshold. An increasing affine map of the similarities maps the
    threshold with them and leaves the loss unchanged. O(m Q + m C T) time for C classes of questions and T
    candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import similarity_threshold
    >>> rng = np.random.default_rng(0)
    >>> ranks = rng.integers(1, 13, size=600)
    >>> similarities = np.sort(rng.uniform(0.2, 0.9, size=(600, 10)))[:, ::-1]
    >>> found = similarity_threshold(similarities, ranks, margin=0.05, rng=0)
    >>> 0.2 < found.threshold < 0.25, found.loss <= 0.05, found.n_calibration, found.n_report
    (True, True, 300, 300)
    """
    values, numbers = _ranked(similarities, ranks)
    allowed = checks.check_real(margin, "margin", low=0.0, high=1.0, open_low=True, open_high=True)
    checks.check_option(metric, "metric", METRICS)
    checks.check_option(method, "method", METHODS)
    checks.check_option(bound, "bound", BOUNDS)
    m = check_n_resamples(n_resamples)
    generator = checks.as_generator(rng)
    chosen, others = _halves(numbers.size, generator)
    gold, scores = _gold(values, numbers), scores_of_ranks(numbers, metric, values.shape[1])

    limits = _thresholds(values[chosen], _PERCENTAGES, method, None, chosen.size, generator)
    losses, bounds = _bounded_losses(gold[chosen], scores[chosen], limits, m, bound, generator)
    n_good = int(np.argmax(np.append(bounds, np.inf) > allowed))
    if not n_good:
        needed = math.ceil(special.ndtri(_LEVEL) ** 2 * (1.0 - allowed) / allowed)
        cause = (
            "lower percentages may help, too"
            if losses[0]
            else f"a threshold that loses nothing needs {needed}"
        )
        raise ValueError(
            f"margin is {allowed:g}, but with {checks.how_many(chosen.size, 'calibration question')} even "
            f"the lowest threshold may lose up to {bounds[0]:.3g}; expected a larger margin, or more "
            f"questions ({cause})"
        )
    limit = limits[n_good - 1 : n_good]
    loss, loss_bound = _bounded_losses(gold[others], scores[others], limit, m, bound, generator)
    before = float(scores[others].mean())
    kept = (values[others] >= limit).sum(axis=1)
    return SimilarityThreshold(
        threshold=float(limit[0]),
        psi=float(_PERCENTAGES[n_good - 1]),
        method=method,
        metric=metric,
        margin=allowed,
        calibration_loss=float(losses[n_good - 1]),
        calibration_bound=float(bounds[n_good - 1]),
        before=before,
        after=float(np.where(gold[others] >= limit, scores[others], 0.0).mean()),
        loss=float(loss[0]),
        loss_bound=float(loss_bound[0]),
        holds=bool(loss_bound[0] <= allowed),
        suppressed=1.0 - float(kept.sum()) / values[others].size,
        mean_kept=float(kept.mean()),
        n_empty=int((kept == 0).sum()),
        confidence_level=_LEVEL,
        bound=bound,
        n_calibration=int(chosen.size),
        n_report=int(others.size),
        n_resamples=m,
    )


def _halves(n_questions: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the questions that choose a threshold, and those on which it is reported."""
    if n_questions < 2:
        raise ValueError(
            f"ranks has {checks.how_many(n_questions, 'question')}; expected at least 2, one to choose the "
            "threshold and one to report on"
        )
    order = rng.permutation(n_questions)
    return np.sort(order[: n_questions // 2]), np.sort(order[n_questions // 2 :])


def _bounded_losses(
    gold: Floats, scores: Floats, limits: Floats, m: int, bound: str, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the mean loss at each of ascending thresholds, and its upper bound from common samples."""
    # A hit is lost from the first threshold above its similarity on.
    first_lost = np.where(scores > 0, np.searchsorted(limits, gold, side="right"), limits.size)
    kinds = np.column_stack([first_lost, np.where(first_lost < limits.size, scores, 0.0)])
    classes, counts = np.unique(kinds, axis=0, return_counts=True)
    lost = np.where(np.arange(limits.size) >= classes[:, :1], classes[:, 1:], 0.0)
    losses = np.asarray(counts @ lost) / gold.size
    bounds = np.empty(limits.size)
    means = class_means(lost, counts, gold.size, m, rng) if losses.any() else np.zeros((m, limits.size))
    for place in range(limits.size):
        if np.ptp(lost[:, place]) == 0:
            _, bounds[place] = certain_ends(
                float(losses[place]), gold.size, _LEVEL, lowest=0.0, highest=1.0, one_sided=True
            )
        elif bound == "bca":
            bounds[place] = bca_quantile(means[:, place], lost[:, place], counts, gold.size, _LEVEL)
        else:
            bounds[place] = np.quantile(means[:, place], _LEVEL)
    return losses, bounds


def _values(similarities: Any) -> Floats:
    """Return the similarities of each question's best documents, in descending order along rows."""
    array = checks.as_array(
        getattr(similarities, "similarities", similarities),
        "similarities",
        ndim=2,
        expected="a matrix of shape (Q, K): the K best of each question",
    )
    if 0 in array.shape:
        raise ValueError(
            f"similarities is empty (shape {array.shape}); expected at least 1 question and 1 document"
        )
    values: Floats = np.asarray(array, dtype=np.float64)
    checks.raise_if_not_finite(values, "similarities")
    rising = np.flatnonzero((np.diff(values, axis=1) > 0).any(axis=1))
    if rising.size:
        raise ValueError(
            f"similarities rises along {rising.size} of {len(values)} rows, first in row {rising[0]}; "
            "expected the best document first, as from top_k"
        )
    return values
