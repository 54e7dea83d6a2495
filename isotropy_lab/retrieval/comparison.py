"""Paired comparisons of models on the same questions: score and bootstrap intervals, exact tests."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.resampling import (
    certain_ends,
    class_means,
    group_means,
    group_sums,
    paired_score_ends,
    percentile_ends,
    sign_flip_pvalue,
)
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_groups, check_models, check_n_resamples, check_same_questions
from isotropy_lab.retrieval.relevance import RelevantRanks, check_metric, judged_ranks, judged_scores

__all__ = ["Comparison", "compare_all_models", "compare_models"]


@dataclass(frozen=True)
class Comparison(Result):
    """The difference in a metric between two models, the first minus the second.

    Attributes
    ----------
    estimate : float
        The difference, from −1 to 1; above 0 if the first model is better.
    low, high, confidence_level : float
        Ends of the interval for the difference, and its nominal coverage.
    pvalue : float
        Two-sided p-value of the paired randomization test; for accuracy without groups, of McNemar's exact
        test, which is the same.
    n_better, n_worse : int
        Numbers of questions on which the first model scores higher, and lower.
    first, second : float
        Value of the metric for each model.
    method : str
        "score" for accuracy without groups, or else "percentile"; "wilson" if all questions, or groups, have
        the same difference.
    metric, k : str, int or None
        The metric compared, and the last rank that counts; None for all ranks.
    n_questions, n_resamples : int
        Number of questions that both models ranked, and number of bootstrap samples.
    n_groups : int or None
        Number of groups in a sample; None if questions are drawn individually.
    """

    estimate: float
    low: float
    high: float
    pvalue: float
    n_better: int
    n_worse: int
    first: float
    second: float
    confidence_level: float
    method: str
    metric: str
    k: int | None
    n_questions: int
    n_resamples: int
    n_groups: int | None = None


def compare_models(
    ranks_a: Any,
    ranks_b: Any,
    *,
    metric: str = "accuracy",
    k: int | None = 10,
    n_resamples: int = 10000,
    confidence_level: float = 0.95,
    groups: checks.Groups = None,
    rng: checks.RandomState = None,
) -> Comparison:
    """Compute the difference in a metric between two models, with a confidence interval and tests.

    Parameters
    ----------
    ranks_a, ranks_b : array-like of shape (Q,), or RelevantRanks
        Rank of each question's relevant document under each model, with questions in the same order; or the
        ranks of all relevant documents under both models, from the same judgments.
    metric : {"accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map"}, default "accuracy"
        The metric to compare: see `question_scores`.
    k : int or None, default 10
        Last rank that counts; None for all ranks, allowed only with "mrr" and "map".
    n_resamples : int, default 10000
        Number m of bootstrap samples of Q questions, and of random exchanges for the test; at least 40 and
        at least 2/(1 − confidence_level).
    confidence_level : float, default 0.95
        Nominal coverage of the interval.
    groups : array-like of shape (Q,), optional
        Group label of each question, to draw whole groups: see `bootstrap_interval`.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the samples.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError, ValueError
        If ranks are not positive integers, are empty, or come from other questions or judgments; if `k` is
        0; if there are too few samples or groups; or if an option, or the number of labels, is wrong.

    Notes
    -----
    What makes a question hard for both models cancels, so the interval is narrower than two separate ones
    suggest. For accuracy without groups, the interval is Tango's (1998), and the test is McNemar's (1947).
    Otherwise, bootstrap samples of questions, or groups, give the interval, and the test exchanges the
    results of both models at random (Fisher 1935): in all ways if at most 12 results differ, or else in m
    ways, for a p-value of (b + 1)/(m + 1) if b differences are as far from 0. It assumes that without a
    difference, the results are exchangeable, for groups those of a whole group. An interval that excludes 0
    although the test does not reject it is extended to 0. With the same seed, swapping the models changes
    only signs. The result does not depend on the order of the questions, if it is the same for both. Cost:
    O(Q log Q + m C) time for C ≤ (K + 1)² distinct pairs of ranks.

    Examples
    --------
    >>> from isotropy_lab.retrieval import compare_models
    >>> result = compare_models([1] * 50 + [30] * 10, [1] * 40 + [30] * 20, rng=0)
    >>> round(result.estimate, 4), result.n_better, result.n_worse, round(result.pvalue, 4)
    (0.1667, 10, 0, 0.002)
    """
    last = check_metric(metric, k)
    a, b = judged_ranks(ranks_a, "ranks_a"), judged_ranks(ranks_b, "ranks_b")
    n_questions = len(a[0])
    check_same_questions({"ranks_a": n_questions, "ranks_b": len(b[0])})
    _check_same_judgments(ranks_a, ranks_b, a[1], b[1])
    level = checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    labels = None if groups is None else as_groups(groups, n_questions)
    generator = checks.as_generator(rng)
    first, second = judged_scores(*a, metric, last), judged_scores(*b, metric, last)
    differences = first - second
    if max(a[0].shape[1], b[0].shape[1]) > 1:
        # Sums of several terms that should be equal may differ by rounding.
        differences[np.abs(differences) < 1e-15] = 0.0
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    if labels is None:
        values, counts = np.unique(differences, return_counts=True)
        mirrored, units = (-values[::-1], counts[::-1]), differences
    else:
        values, sizes = group_sums(differences, labels)
        counts = np.ones(values.size, dtype=np.int64)
        mirrored, units = (-values, counts), values / sizes
    exchanged = differences if labels is None else values
    # Samples are drawn for the models in sorted order, so that swapping the models does not change them.
    given_key, swapped_key = ([*v.tolist(), *c.tolist()] for v, c in ((values, counts), mirrored))
    is_swapped, is_symmetric = swapped_key < given_key, swapped_key == given_key
    if is_swapped:
        values, counts = mirrored
    estimate = float(counts @ values) / n_questions
    method = "percentile"
    if np.ptp(units) <= (0.0 if labels is None else 1e-14):
        method = "wilson"
        low, high = certain_ends(estimate, units.size, level, lowest=-1.0, highest=1.0)
    elif metric == "accuracy" and labels is None:
        method, changes = "score", (worse, better) if is_swapped else (better, worse)
        low, high = paired_score_ends(*changes, n_questions, level)
    else:
        if labels is None:
            means = class_means(values, counts, n_questions, m, generator)
        else:
            means = group_means(values, sizes, m, generator)
        low, high = percentile_ends(means, level)
    if is_symmetric:  # the two results are mirror images, so the interval must be symmetric
        estimate, low, high = 0.0, (low - high) / 2.0, (high - low) / 2.0
    elif is_swapped:
        estimate, low, high = 0.0 - estimate, 0.0 - high, 0.0 - low
    pvalue = sign_flip_pvalue(exchanged, m, generator)
    if pvalue > 1.0 - level:  # the interval must not exclude what the test does not reject
        low, high = min(low, 0.0), max(high, 0.0)
    return Comparison(
        estimate=estimate,
        low=low,
        high=high,
        pvalue=pvalue,
        n_better=better,
        n_worse=worse,
        first=float(first.mean()),
        second=float(second.mean()),
        confidence_level=level,
        method=method,
        metric=metric,
        k=last,
        n_questions=n_questions,
        n_resamples=m,
        n_groups=None if labels is None else int(values.size),
    )


def _check_same_judgments(a: Any, b: Any, grades_a: NDArray[np.int64], grades_b: NDArray[np.int64]) -> None:
    """Raise ValueError unless both models were ranked with the same judgments."""
    if not isinstance(a, RelevantRanks) and not isinstance(b, RelevantRanks):
        return
    ids = [x.questions for x in (a, b) if isinstance(x, RelevantRanks) and x.questions is not None]
    if len(ids) == 2 and ids[0] != ids[1]:
        raise ValueError(
            "ranks_a and ranks_b have different questions, or a different order; expected the same qrels"
        )
    documents = [x.documents for x in (a, b) if isinstance(x, RelevantRanks)]
    # Positions can be compared only with positions, and IDs only with IDs.
    comparable = len(documents) == 2 and documents[0].dtype.kind == documents[1].dtype.kind
    keys = documents if comparable else [grades_a, grades_b]
    left, right = (_sorted_rows(key, grades) for key, grades in zip(keys, (grades_a, grades_b), strict=True))
    width = min(grades_a.shape[1], grades_b.shape[1])
    is_different = np.zeros(len(grades_a), dtype=bool)
    for first, second in zip(left, right, strict=True):
        is_different |= (first[:, :width] != second[:, :width]).any(axis=1)
    for _, grades in (left, right):
        is_different |= (grades[:, width:] > 0).any(axis=1)
    if is_different.any():
        raise ValueError(
            f"ranks_a and ranks_b have different {'' if comparable else 'numbers of '}relevant documents, or "
            f"grades, for {is_different.sum()} of {checks.how_many(is_different.size, 'question')}, first "
            f"for question {is_different.argmax()}; expected the same judgments"
        )


def _sorted_rows(key: NDArray[Any], grades: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return both arrays, with rows in descending order of the first array, which puts padding last."""
    order = np.argsort(key, axis=1)[:, ::-1]
    return np.take_along_axis(key, order, axis=1), np.take_along_axis(grades, order, axis=1)


def compare_all_models(
    models: Mapping[str, Any],
    *,
    baseline: str | None = None,
    metric: str = "accuracy",
    k: int | None = 10,
    confidence_level: float = 0.95,
    groups: checks.Groups = None,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Compare all pairs of models, or all models with a baseline, with Holm-corrected p-values.

    Parameters
    ----------
    models : mapping of str to array-like of shape (Q,), or to RelevantRanks
        Ranks under each of at least two models, with questions in the same order.
    baseline : str, optional
        Name of the model with which the others are compared; by default, all pairs are compared.
    metric, k, confidence_level, groups, rng
        Options for each comparison: see `compare_models`.

    Returns
    -------
    pandas.DataFrame
        One row per comparison: the names ``first`` and ``second``, the fields of `Comparison` (each model's
        value as ``first_value`` or ``second_value``), and Holm's correction ``pvalue_holm``. The intervals
        are not corrected.

    Raises
    ------
    TypeError, ValueError
        If `models` is not a mapping with at least two models, if no model has the name of the baseline, or as
        in `compare_models`.

    Notes
    -----
    With B comparisons, no corrected p-value of drawn exchanges is below B/(m + 1). The result does not depend
    on the order of the questions, if it is the same for all models. Cost: B times as much as
    `compare_models`, O(B (Q log Q + m C)) for C pairs of ranks. Holm (1979).

    Examples
    --------
    >>> from isotropy_lab.retrieval import compare_all_models
    >>> ranks = {"base": [1, 20, 30, 2] * 9, "tuned": [1, 2, 30, 2] * 9, "merged": [1, 2, 3, 2] * 9}
    >>> table = compare_all_models(ranks, baseline="base", rng=0)
    >>> table[["first", "second", "estimate"]].to_numpy().tolist()
    [['tuned', 'base', 0.25], ['merged', 'base', 0.5]]
    """
    options = {"metric": metric, "k": k, "confidence_level": confidence_level, "groups": groups}
    return comparisons(models, baseline, **options, rng=rng)


def comparisons(
    models: Mapping[str, Any], baseline: str | None, *, rng: checks.RandomState, **options: Any
) -> pd.DataFrame:
    """Return the table of `compare_all_models`, accepting all options of `compare_models`."""
    names = check_models(models, baseline)
    generator = checks.as_generator(rng)
    check_same_questions(
        {f"ranks of {name!r}": len(judged_ranks(models[name], f"ranks of {name!r}")[0]) for name in names}
    )
    rows = []
    for first, second in pairs_of_models(names, baseline):
        comparison = compare_models(models[first], models[second], **options, rng=generator)
        row = asdict(comparison)
        row["first_value"], row["second_value"] = row.pop("first"), row.pop("second")
        rows.append({"first": first, "second": second, **row})
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("pvalue") + 1, "pvalue_holm", holm(table["pvalue"]))
    return table


def pairs_of_models(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return all pairs of models, or each other model paired with the baseline."""
    if baseline is None:
        return list(itertools.combinations(names, 2))
    return [(name, baseline) for name in names if name != baseline]
