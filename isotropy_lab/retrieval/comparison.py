"""Is one model better than another on the same questions? Paired bootstrap, exact McNemar test, Holm's correction."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import as_ranks, check_bootstraps, check_models, check_same_questions
from isotropy_lab.retrieval.resampling import certain_ends, class_means, percentile_ends, scores_of_ranks

__all__ = ["Comparison", "compare_all_models", "compare_models", "holm"]

METRICS = ("accuracy", "ndcg", "mrr")


@dataclass(frozen=True)
class Comparison:
    """The difference of a metric between two models, the first minus the second.

    Attributes
    ----------
    difference : float
        From −1 to 1; above 0 if the first model is better.
    low, high : float
        Ends of its interval.
    p : float
        Two-sided, from the bootstrap: how often samples are as far from the difference as it is from 0. Not below the
        exact sign test's where all questions have the same difference.
    mcnemar_p : float or None
        Two-sided and exact, for accuracy; None for other metrics.
    n_better, n_worse : int
        Questions on which the first model scores higher, and lower.
    first, second : float
        The metric of each model.
    confidence : float
        Nominal coverage.
    method : str
        "percentile"; "wilson" where all questions have the same difference, so that samples do not vary.
    metric : str
        "accuracy", "ndcg" or "mrr".
    k : int or None
        The last rank that counts; None for all.
    n_questions, n_bootstraps : int
        Questions that both models ranked, and samples.
    """

    difference: float
    low: float
    high: float
    p: float
    mcnemar_p: float | None
    n_better: int
    n_worse: int
    first: float
    second: float
    confidence: float
    method: str
    metric: str
    k: int | None
    n_questions: int
    n_bootstraps: int


def compare_models(
    ranks_a: Any,
    ranks_b: Any,
    *,
    metric: str = "accuracy",
    k: int | None = 10,
    n_bootstraps: int = 10000,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
) -> Comparison:
    """Return how much better the first model is than the second on the same questions, with interval and tests.

    Parameters
    ----------
    ranks_a, ranks_b : array-like of shape (Q,)
        Rank of each question's right document under either model, questions in the same order.
    metric : {"accuracy", "ndcg", "mrr"}, default "accuracy"
        What is compared.
    k : int or None, default 10
        Last rank that counts; None for all, with "mrr" only.
    n_bootstraps : int, default 10000
        Samples of Q questions, m; at least 40, and 2/(1 − confidence).
    confidence : float, default 0.95
        Nominal coverage.
    rng : numpy.random.Generator or int, optional
        Draws the samples.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If ranks are not whole numbers.
    ValueError
        If the models ranked different numbers of questions; if ranks are empty or below 1; if k is 0; if there are too
        few samples; or if an option does not exist.

    Notes
    -----
    A sample draws questions, and with each the results of both models: what makes a question hard for both cancels,
    and the interval is narrower than two separate ones suggest. p is (b + 1)/(m + 1), b counting the samples whose
    distance from the difference is at least the difference's from 0. McNemar's exact test asks whether questions on
    which one model alone hits are equally often the one's and the other's. Exchanging the models changes the signs
    only, the interval's and p's with the same seed. O(Q log Q + m C) time, C ≤ (K + 1)² being the number of pairs of ranks up to K that differ in their
    effect. Another order of the questions, the same for both, leaves all unchanged. Efron and Tibshirani (1993);
    McNemar (1947).

    Examples
    --------
    >>> from isotropy_lab.retrieval import compare_models
    >>> found = compare_models([1] * 50 + [30] * 10, [1] * 40 + [30] * 20, rng=0)
    >>> round(found.difference, 4), found.n_better, found.n_worse, round(found.mcnemar_p, 4)
    (0.1667, 10, 0, 0.002)
    """
    _checks.check_option(metric, "metric", METRICS)
    last = _check_last_rank(k, metric)
    a, b = as_ranks(ranks_a, "ranks_a"), as_ranks(ranks_b, "ranks_b")
    check_same_questions({"ranks_a": a.size, "ranks_b": b.size})
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    m = check_bootstraps(n_bootstraps, level)
    generator = _checks.as_generator(rng)
    first, second = scores_of_ranks(a, metric, last), scores_of_ranks(b, metric, last)
    differences = first - second
    values, counts = np.unique(differences, return_counts=True)
    # Samples are drawn for that one of the two orders of the models which comes first, so that with one seed both get
    # the same.
    other = -values[::-1], counts[::-1]
    own_key, other_key = ([*v.tolist(), *c.tolist()] for v, c in ((values, counts), other))
    exchanged, balanced = other_key < own_key, other_key == own_key
    if exchanged:
        values, counts = other
    estimate = float(counts @ values) / a.size
    method = "percentile"
    if values.size == 1:
        method = "wilson"
        low, high = certain_ends(estimate, a.size, level, lowest=-1.0, highest=1.0)
        # Samples would count any number of questions as certainty, even one.
        p = max(1.0 / (m + 1), _sign_test(int((differences > 0).sum()), int((differences < 0).sum())))
    else:
        means = class_means(values, counts, a.size, m, generator)
        low, high = percentile_ends(means, level)
        # Distances that are equal may differ in their last digits.
        far = int((np.abs(means - estimate) >= abs(estimate) - 1e-12).sum())
        p = (far + 1) / (m + 1)
    if balanced:  # the models' results are mirror images, and so are the ends
        estimate, low, high = 0.0, (low - high) / 2.0, (high - low) / 2.0
    elif exchanged:
        estimate, low, high = 0.0 - estimate, 0.0 - high, 0.0 - low
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    return Comparison(
        difference=estimate,
        low=low,
        high=high,
        p=p,
        mcnemar_p=_sign_test(better, worse) if metric == "accuracy" else None,
        n_better=better,
        n_worse=worse,
        first=float(first.mean()),
        second=float(second.mean()),
        confidence=level,
        method=method,
        metric=metric,
        k=last,
        n_questions=int(a.size),
        n_bootstraps=m,
    )


def _sign_test(better: int, worse: int) -> float:
    """Return the exact two-sided p; McNemar's is the one for hits."""
    if better + worse == 0:
        return 1.0
    return min(1.0, 2.0 * float(stats.binom.cdf(min(better, worse), better + worse, 0.5)))


def compare_all_models(
    models: Mapping[str, Any],
    *,
    baseline: str | None = None,
    metric: str = "accuracy",
    k: int | None = 10,
    n_bootstraps: int = 10000,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
) -> pd.DataFrame:
    """Return the comparisons of all pairs of models, or of all with one, with p-values corrected for their number.

    Parameters
    ----------
    models : mapping of str to array-like of shape (Q,)
        Ranks under each model, questions in the same order; at least two models.
    baseline : str, optional
        Name of the model with which the others are compared; by default all pairs are.
    metric, k, n_bootstraps, confidence, rng
        As for `compare_models`.

    Returns
    -------
    pandas.DataFrame
        A row for each comparison: the names ``first`` and ``second``, the fields of `Comparison` (the models' own
        values as ``first_value`` and ``second_value``), and Holm's corrections ``p_holm`` and, for accuracy,
        ``mcnemar_p_holm``. The intervals are not corrected.

    Raises
    ------
    TypeError
        If `models` is not a mapping, or ranks are not whole numbers.
    ValueError
        As for `compare_models`; if there is one model only, or no model has the name of the baseline.

    Notes
    -----
    With C comparisons no corrected p from the bootstrap is below C/(m + 1). Unchanged by another order of the
    questions, the same for all models. Cost: that of `compare_models` for each comparison. Holm (1979).

    Examples
    --------
    >>> from isotropy_lab.retrieval import compare_all_models
    >>> ranks = {"base": [1, 20, 30, 2] * 9, "tuned": [1, 2, 30, 2] * 9, "merged": [1, 2, 3, 2] * 9}
    >>> table = compare_all_models(ranks, baseline="base", rng=0)
    >>> table[["first", "second", "difference"]].to_numpy().tolist()
    [['tuned', 'base', 0.25], ['merged', 'base', 0.5]]
    """
    names = check_models(models, baseline)
    generator = _checks.as_generator(rng)
    pairs = (
        list(itertools.combinations(names, 2))
        if baseline is None
        else [(name, baseline) for name in names if name != baseline]
    )
    ranks = {name: as_ranks(models[name], f"ranks of {name!r}") for name in names}
    check_same_questions({f"ranks of {name!r}": ranks[name].size for name in names})
    rows = []
    for first, second in pairs:
        found = asdict(
            compare_models(
                ranks[first],
                ranks[second],
                metric=metric,
                k=k,
                n_bootstraps=n_bootstraps,
                confidence=confidence,
                rng=generator,
            )
        )
        found["first_value"], found["second_value"] = found.pop("first"), found.pop("second")
        rows.append({"first": first, "second": second, **found})
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("p") + 1, "p_holm", holm(table["p"]))
    if metric == "accuracy":
        table.insert(table.columns.get_loc("mcnemar_p") + 1, "mcnemar_p_holm", holm(table["mcnemar_p"]))
    return table


def holm(p_values: Any) -> NDArray[np.float64]:
    """Return p-values corrected for their number by Holm's step-down method, in the order given.

    Parameters
    ----------
    p_values : array-like of shape (C,)
        From 0 to 1.

    Returns
    -------
    numpy.ndarray of shape (C,), float64
        At most 1; never below the p-values given.

    Raises
    ------
    TypeError, ValueError
        If `p_values` are not numbers from 0 to 1.

    Notes
    -----
    The share of families of tests with any false rejection stays below the level, whatever the dependence of the
    tests. Cost: O(C log C). Holm (1979).

    Examples
    --------
    >>> from isotropy_lab.retrieval import holm
    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _as_p_values(p_values)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def _check_last_rank(k: Any, metric: str) -> int | None:
    """Return the last rank that counts; None, for all, with the reciprocal rank only."""
    if k is None:
        if metric != "mrr":
            raise ValueError(f"k is None with metric {metric!r}; expected the number of documents retrieved")
        return None
    return _checks.check_integer(k, "k", low=1)


def _as_p_values(x: Any, name: str = "p_values") -> npt.NDArray[np.float64]:
    """Return at least one number, all from 0 to 1."""
    array = np.asarray(
        _checks.as_array(x, name, ndim=1, expected="p-values, one for each test"), dtype=np.float64
    )
    if array.size == 0:
        raise ValueError(f"{name} is empty; expected at least one p-value")
    _checks.raise_if_not_finite(array, name, unit="entry")
    bad = np.flatnonzero((array < 0) | (array > 1))
    if bad.size:
        raise ValueError(f"{name} has {array[bad[0]]:g} in entry {bad[0]}; expected numbers from 0 to 1")
    return array
