"""Similarity thresholds below which documents are hidden, with their costs and savings."""

from __future__ import annotations

import decimal
import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_groups, check_percentiles, check_same_questions
from isotropy_lab.retrieval.relevance import check_metric, judged_ranks, judged_scores

__all__ = ["SimilarityThreshold", "score_at_threshold", "similarity_threshold", "threshold_percentile"]

Floats: TypeAlias = NDArray[np.float64]

METHODS = ("pooled", "gamma")
HIDES = ("documents", "lists")


def round_down(threshold: float, below: float) -> float:
    """Round a threshold down to four digits, or to as many as are needed to stay above `below`."""
    contexts = (decimal.Context(prec=digits, rounding=decimal.ROUND_FLOOR) for digits in range(4, 17))
    shorter = (float(context.create_decimal(repr(threshold))) for context in contexts)
    return next((short for short in shorter if below < short), threshold)


@dataclass(frozen=True)
class SimilarityThreshold(Result):
    """A similarity threshold with a guarantee on its cost; printing it gives a readable summary.

    Attributes
    ----------
    threshold : float
        Highest threshold that the test accepts, rounded down to four digits, or to as many as needed to hide
        the same documents. A document whose similarity equals the threshold is shown.
    hide, metric, k, margin, confidence_level : str, str, int, float, float
        The arguments; k is the number of documents retrieved for each question.
    before, after : float
        Metric of these questions without and with the threshold; with groups, the mean over groups.
    loss, loss_bound : float
        Loss of the metric on these questions, and an upper bound of the loss on all such questions, valid if
        only this threshold had been tested. It is at most `margin`, the only guaranteed bound.
    n_questions, n_groups, n_out_of_scope : int, int or None, int
        Numbers of questions, of groups, and of out-of-scope questions.
    suppressed, mean_kept, n_empty : float, float, int
        Fraction of the retrieved documents that are hidden, mean number of documents shown per question, and
        number of questions for which none is shown.
    rejected, rejected_low : float or None
        Fraction of the out-of-scope questions that get no document, and a lower bound of this fraction for
        all such questions.
    auc : float or None
        Fraction of the pairs of a question and an out-of-scope question in which the best document is more
        similar to the former (ties count half); near 0.5, no threshold separates the two kinds.
    """

    threshold: float
    hide: str
    metric: str
    k: int
    margin: float
    confidence_level: float
    before: float
    after: float
    loss: float
    loss_bound: float
    n_questions: int
    n_groups: int | None
    suppressed: float
    mean_kept: float
    n_empty: int
    rejected: float | None
    rejected_low: float | None
    auc: float | None
    n_out_of_scope: int

    def __str__(self) -> str:
        """Return a text with the rule, its maximum cost, and its effect on these questions."""
        target = (
            "each document with" if self.hide == "documents" else "the whole list if its best document has"
        )
        unit, n = "question" if self.n_groups is None else "group", self.n_questions
        mean = "" if self.n_groups is None else ", averaged over groups"
        change = f"falls from {self.before:.4f} to" if self.after < self.before else "stays at"
        share = f" ({self.margin / self.before:.1%} of its value here)" if self.before else ""
        text = (
            f"Hide {target} a similarity below {self.threshold}. With {100 * self.confidence_level:g}% "
            f"confidence this costs all {unit}s like these at most {self.margin:g} of {self.metric}@{self.k}"
            f"{share}{mean}, if they are independent. On these ({self.n_groups or n:,} {unit}s) it "
            f"{change} {self.after:.4f}. {self.suppressed:.1%} of the retrieved documents are hidden; "
            f"{checks.how_many(self.n_empty, 'question')} of {n:,} get{'s' * (self.n_empty == 1)} none."
        )
        if self.rejected is not None and self.auc is not None:
            at_least = f" (of all such questions at least {self.rejected_low:.1%})" * bool(self.rejected_low)
            outside = checks.how_many(self.n_out_of_scope, "out-of-scope question")
            text += f" Of {outside}, {self.rejected:.1%} get no document{at_least}. In {1 - self.auc:.1%} "
            text += "of all pairs of the two kinds, the out-of-scope question has the more similar document."
        return textwrap.fill(text, 72, break_on_hyphens=False)


def threshold_percentile(
    similarities: Any, psi: float | Any, *, method: str = "pooled", n_questions: int | None = None
) -> Any:
    """Return a percentile of retrieved documents' similarities, or of sample minima (Γ), as a threshold.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of each question's K best documents, descending along rows, for example from `top_k`.
    psi : float or array-like
        Percentage from 0 to 100; numbers between 0 and 1 are rejected, because they look like fractions.
    method : {"pooled", "gamma"}, default "pooled"
        "pooled": the percentile of all Q·K similarities, so that ψ% of the retrieved documents lie below.
        "gamma": the percentile of Γ, the smallest similarity in each of infinitely many bootstrap samples of
        l questions with K documents each. It has a closed form.
    n_questions : int, optional
        With "gamma", the number l of questions in a sample; by default, Q.

    Returns
    -------
    float, or numpy.ndarray for several percentages
        Threshold for each percentage, a similarity.

    Raises
    ------
    TypeError, ValueError
        If `similarities` are empty, not finite, or increase along a row; if ψ is a fraction; or if an option
        does not exist.

    Notes
    -----
    The smallest similarity in a sample is that of some question's K-th document. Therefore, τ(ψ) of Γ is
    nearly the 100(1 − (1 − ψ/100)^(1/l))-th percentile of the K-th similarities: with l = 100 and ψ = 40,
    about one question in 200 has any document below it. Cost: O(Q K log(Q K)) time. An increasing affine map
    of the similarities transforms the threshold in the same way. Roychowdhury et al. (2025), Section II-B,
    where P(x < τ) = ψ omits the division by 100.

    Examples
    --------
    >>> from isotropy_lab.retrieval import threshold_percentile
    >>> similarities = [[0.9, 0.5], [0.8, 0.6], [0.7, 0.1]]
    >>> round(threshold_percentile(similarities, 50), 6)
    0.65
    >>> threshold_percentile(similarities, 50, method="gamma", n_questions=1)
    0.5
    """
    values = _as_similarities(similarities)
    percentages = check_percentiles(psi)
    checks.check_option(method, "method", METHODS)
    n = len(values) if n_questions is None else checks.check_integer(n_questions, "n_questions", low=1)
    percentiles = _percentiles(values, percentages) if method == "pooled" else _gammas(values, percentages, n)
    return float(percentiles[0]) if np.ndim(psi) == 0 else percentiles


def _gammas(values: Floats, psi: Floats, sample_size: int) -> Floats:
    lowest = np.sort(values[:, -1])
    n = lowest.size
    # P(γ ≤ the t-th smallest value) = 1 − ((n − t)/n)ˡ, in ascending order of t.
    probabilities = 1.0 - (np.arange(n - 1, -1, -1) / n) ** sample_size
    return np.asarray(lowest[np.searchsorted(probabilities, psi / 100.0 - 1e-15)])


def _percentiles(values: Floats, psi: Floats) -> Floats:
    """Return linear percentiles, exact at order statistics so that rounding hides no document."""
    ordered = np.sort(values, axis=None)
    positions = psi * (ordered.size - 1) / 100.0
    below = np.floor(positions).astype(np.intp)
    lower, upper = ordered[below], ordered[np.minimum(below + 1, ordered.size - 1)]
    return np.asarray(np.clip(lower + (upper - lower) * (positions - below), lower, upper))


def score_at_threshold(similarities: Any, ranks: Any, threshold: float, *, metric: str = "accuracy") -> float:
    """Return a retrieval metric at K after hiding documents below a threshold.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of each question's K best documents, descending along rows.
    ranks : RelevantRanks, or array-like of shape (Q,)
        Result of `relevant_ranks`; or the rank of each question's only relevant document. A document of rank
        r ≤ K has the r-th similarity of its row.
    threshold : float
        Threshold; documents whose similarity equals the threshold are kept.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}, default "accuracy"
        The metric to compute at K: see `question_scores`.

    Returns
    -------
    float
        Value in [0, 1]; 1 is best.

    Raises
    ------
    TypeError, ValueError
        If `similarities` are not as described; if `ranks` are below 1 or their number differs; or if the
        option does not exist.

    Notes
    -----
    All documents before a kept relevant document are also kept, so its rank is unchanged, and no threshold
    increases a question's score. Without groups, the result equals `SimilarityThreshold.after` at that
    threshold. The score is invariant under increasing maps of similarities and threshold. Cost: O(Q K) time.

    Examples
    --------
    >>> from isotropy_lab.retrieval import score_at_threshold
    >>> similarities = [[0.9, 0.5], [0.8, 0.6], [0.7, 0.1]]
    >>> [round(score_at_threshold(similarities, [1, 2, 5], t), 4) for t in (0.0, 0.7, 0.95)]
    [0.6667, 0.3333, 0.0]
    """
    values = _as_similarities(similarities)
    rank_rows, grades = judged_ranks(ranks)
    check_same_questions({"similarities": len(values), "ranks": len(rank_rows)})
    check_metric(metric, values.shape[1])
    limit = checks.check_real(threshold, "threshold", low=-math.inf, high=math.inf)
    n_shown = (values >= limit).sum(axis=1, keepdims=True)  # rows are descending
    ranks_shown = np.where(rank_rows <= n_shown, rank_rows, 0)
    return float(judged_scores(ranks_shown, grades, metric, values.shape[1]).mean())


def similarity_threshold(
    similarities: Any,
    ranks: Any,
    *,
    margin: float = 0.02,
    metric: str = "accuracy",
    hide: str = "documents",
    groups: checks.Groups = None,
    out_of_scope: Any = None,
    confidence_level: float = 0.95,
) -> SimilarityThreshold:
    """Return a similarity threshold whose cost is at most a given margin, with a stated confidence.

    If the questions are an independent sample of any size, the metric over all such questions falls by more
    than the margin with probability at most 1 − `confidence_level`.

    Parameters
    ----------
    similarities : array-like of shape (Q, K), or TopK
        Similarities of each question's K best documents, descending along rows, for example from `top_k`.
    ranks : RelevantRanks, or array-like of shape (Q,)
        Result of `relevant_ranks`; or the rank of each question's only relevant document. A document of rank
        r ≤ K has the r-th similarity of its row.
    margin : float, default 0.02
        Maximum loss of the metric, in (0, 1); 0.02 is two percentage points of accuracy.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}, default "accuracy"
        The metric to compute at K: see `question_scores`.
    hide : {"documents", "lists"}, default "documents"
        "documents": each document below the threshold is hidden. "lists": a question gets all K documents, or
        none if its best document is below; the guarantee for "documents" also holds for "lists".
    groups : array-like of shape (Q,), optional
        Group label of each question, such as its document or user. The groups are then the independent
        sample, with equal weights: the metric is the mean over groups of each group's mean.
    out_of_scope : array-like of shape (M,) or (M, K), or TopK, optional
        Similarities of the best documents for independent questions that no document answers. They affect the
        threshold only by its rounding; a second guarantee, with the same confidence, is the fraction that get
        no document. Include only one per source.
    confidence_level : float, default 0.95
        Confidence level of each of the two guarantees, both of which are one-sided.

    Returns
    -------
    SimilarityThreshold

    Raises
    ------
    TypeError, ValueError
        If `similarities` are empty, not finite, or increase along a row; if `ranks` are not ranks or differ
        in length; if an option does not exist; if no question has a relevant document among the K, or the
        margin allows hiding all of them; or if there are too few questions.

    Notes
    -----
    A higher threshold never loses less. Thresholds are tested from the lowest upward, each against the
    hypothesis that it loses at least the margin, up to the first that fails; in this fixed order, each is
    tested at the full level (fixed-sequence testing; Angelopoulos et al. 2025, *Learn then test*). For
    accuracy without groups, the test is exact binomial, and the bound is that of Clopper and Pearson (1934);
    otherwise, the p-value is the smaller of those of Hoeffding and Bentkus, valid for any losses from 0 to 1
    (Bates et al. 2021). Future questions must resemble these. The threshold is deterministic and ignores the
    order of questions. Up to rounding, increasing affine maps of the similarities transform it likewise.
    Cost: O(Q K log(Q K)) time. The rule of Roychowdhury et al. (2025), Section II-B, accepts larger losses
    with fewer questions, as "not statistically different"; here, fewer questions lower the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.retrieval import similarity_threshold
    >>> rng = np.random.default_rng(0)
    >>> ranks = rng.integers(1, 13, size=600)
    >>> similarities = np.sort(rng.uniform(0.2, 0.9, size=(600, 10)))[:, ::-1]
    >>> result = similarity_threshold(similarities, ranks, margin=0.05)
    >>> round(result.threshold, 4), round(result.loss, 4), round(result.loss_bound, 4)
    (0.2252, 0.0333, 0.0481)
    """
    values = _as_similarities(similarities)
    rank_rows, grades = judged_ranks(ranks)
    check_same_questions({"similarities": len(values), "ranks": len(rank_rows)})
    n, k = values.shape
    allowed = checks.check_real(margin, "margin", low=0.0, high=1.0, open_low=True, open_high=True)
    level = checks.check_confidence_level(confidence_level)
    check_metric(metric, k)
    checks.check_option(hide, "hide", HIDES)
    labels = np.arange(n) if groups is None else as_groups(groups, n)
    outside = None if out_of_scope is None else _best_similarities(out_of_scope)

    # Scores if only the m best documents are shown; their differences are the losses per hidden document.
    scores = np.column_stack(
        [judged_scores(np.where(rank_rows <= m, rank_rows, 0), grades, metric, k) for m in range(k + 1)]
    )
    full_scores = scores[:, -1]
    if not full_scores.any():
        raise ValueError(f"k is {k}, but no question's top {k} has a relevant document; expected a hit")
    steps = np.diff(scores, axis=1) if hide == "documents" else full_scores[:, None]
    is_loss = steps > 0
    sizes = np.bincount(labels)
    weights = 1.0 / (sizes.size * sizes[labels])  # weights of the questions, which sum to 1
    candidates, indices = np.unique(values[:, : steps.shape[1]][is_loss], return_inverse=True)
    # A candidate threshold keeps documents with exactly that similarity and hides those below.
    new_losses = np.bincount(indices, (steps * weights[:, None])[is_loss])
    losses = np.append(0.0, np.cumsum(new_losses))
    # Choose the test by the type of loss, not by the observed values: in a small sample, all may be 0 or 1.
    test = binomial if metric == "accuracy" and groups is None else hoeffding_bentkus
    accepted = test(losses, sizes.size, allowed) <= 1.0 - level
    unit = "question" if groups is None else "group"
    if not accepted[0]:
        n_needed = math.ceil(math.log(1.0 - level) / math.log1p(-allowed) - 1e-9)
        raise ValueError(
            f"margin is {allowed:g} with {checks.how_many(sizes.size, unit)}, too few for a bound within the "
            f"margin even if no {unit} loses anything; expected at least {n_needed} {unit}s, "
            f"or a margin of {math.ceil(1e4 * (1.0 - (1.0 - level) ** (1.0 / sizes.size))) / 1e4:g}"
        )
    if accepted[-1] or losses[-1] <= allowed:
        raise ValueError(
            f"margin is {allowed:g}, but the metric is {losses[-1]:.3g}, so all documents could be hidden; "
            "expected a smaller margin, and relevant documents that belong to these questions"
        )
    last = int(np.argmin(accepted)) - 1
    limit, loss = float(candidates[last]), float(losses[last])
    observed = values if outside is None else np.append(values, outside)
    limit = round_down(limit, float(observed.max(where=observed < limit, initial=-math.inf)))
    is_shown = values >= limit if hide == "documents" else np.repeat(values[:, :1] >= limit, k, axis=1)
    before = float((np.bincount(labels, full_scores) / sizes).mean())
    rejected = rejected_low = auc = None
    if outside is not None:
        rejected = float((outside < limit).mean())
        rejected_low = 1.0 - upper_bound(binomial, 1.0 - rejected, outside.size, 1.0 - level)
        best = np.sort(values[:, 0])
        auc = 1.0 - float(np.mean([np.searchsorted(best, outside, side) for side in ("left", "right")])) / n
    return SimilarityThreshold(
        threshold=limit,
        hide=hide,
        metric=metric,
        k=k,
        margin=allowed,
        confidence_level=level,
        before=before,
        after=before - loss,
        loss=loss,
        loss_bound=upper_bound(test, loss, sizes.size, 1.0 - level),
        n_questions=n,
        n_groups=None if groups is None else sizes.size,
        suppressed=1.0 - float(is_shown.mean()),
        mean_kept=float(is_shown.sum()) / n,
        n_empty=int((~is_shown[:, 0]).sum()),
        rejected=rejected,
        rejected_low=rejected_low,
        auc=auc,
        n_out_of_scope=0 if outside is None else outside.size,
    )


def binomial(loss: Any, n: int, expected: float) -> Any:
    """Return p-values for an expected loss of at least `expected`, from the mean of n losses of 0 or 1."""
    return stats.binom.cdf(np.rint(np.multiply(loss, n)), n, expected)


def hoeffding_bentkus(loss: Any, n: int, expected: float) -> Any:
    """Return p-values for an expected loss of at least `expected`, from the mean of n losses in [0, 1]."""
    low = np.minimum(loss, expected)
    distance = special.rel_entr(low, expected) + special.rel_entr(1.0 - low, 1.0 - expected)
    # The tolerance compensates for rounding that has raised a sum above an integer.
    bentkus = math.e * stats.binom.cdf(np.ceil(np.multiply(loss, n) - 1e-9), n, expected)
    return np.minimum(np.exp(-n * distance), bentkus)


def upper_bound(test: Callable[..., Any], loss: float, n: int, alpha: float) -> float:
    """Return the smallest expected loss that the test rejects at level alpha, given the mean loss."""
    if loss >= 1.0 - 1e-12:
        return 1.0
    return float(optimize.brentq(lambda mean: float(test(loss, n, mean)) - alpha, 0.0, 1.0, xtol=1e-12))


def _best_similarities(out_of_scope: Any) -> Floats:
    """Return the similarity of the best document for each out-of-scope question."""
    values = getattr(out_of_scope, "similarities", out_of_scope)
    name, ndim = "out_of_scope", 1 if np.ndim(values) < 2 else 2
    array = checks.as_array(values, name, ndim=ndim, expected="the best similarity of each question")
    return _as_similarities(array if ndim == 2 else array[:, None], name)[:, 0]


def _as_similarities(similarities: Any, name: str = "similarities") -> Floats:
    """Return the similarities of each question's best documents, descending along rows."""
    if hasattr(similarities, "ranks"):
        raise TypeError(f"{name} are ranks; expected similarities, as from top_k, with the ranks after them")
    matrix = getattr(similarities, "similarities", similarities)
    expected = "a matrix of shape (Q, K): the K best of each question"
    array = checks.as_array(matrix, name, ndim=2, expected=expected)
    if 0 in array.shape:
        raise ValueError(f"{name} is empty (shape {array.shape}); expected a question and a document")
    values: Floats = np.asarray(array, dtype=np.float64)
    checks.raise_if_not_finite(values, name)
    bad = np.flatnonzero((np.diff(values, axis=1) > 0).any(axis=1))
    if bad.size:
        raise ValueError(
            f"{name} increases along {bad.size} of {len(values)} rows, first in row {bad[0]}; expected "
            "descending similarities, as from top_k"
        )
    return values
