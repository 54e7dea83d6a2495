"""Intervals for questions that come in groups: whole groups are drawn, since questions of one group are alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import as_ranks, check_n_resamples
from isotropy_lab.retrieval._resampling import class_means, percentile_ends
from isotropy_lab.retrieval.scores import scores_of_ranks

__all__ = ["accuracy_by_group", "clustered_intervals"]


def clustered_intervals(
    ranks: Any,
    groups: Any,
    *,
    k: int = 10,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: _checks.RandomState = 0,
) -> pd.DataFrame:
    """Return the interval of each metric from samples of questions, and from samples of whole groups of questions.

    Returns a table: two rows for each metric ("accuracy", "ndcg", "mrr"), with what is drawn in ``drawn``
    ("questions" or "groups") and how many of them in ``n_drawn``: estimate, low, high and width, fractions from
    0 to 1; and ``worth``, the number of questions drawn singly that would give this standard error, inf if
    all groups have the same metric.

    A sample of groups has as many groups as there are, each with all of its questions, and its metric is the mean over
    them: a ratio of two sums, whose denominator varies too. With fewer than some 20 groups, or very unequal ones,
    such intervals are too narrow. O(m (Q + G)) time. Cameron, Gelbach and Miller (2008).

    Examples
    --------
    >>> ranks = [1] * 30 + [50] * 30  # two books of ten pages each are found, two are not
    >>> books = [row // 10 for row in range(60)]
    >>> table = clustered_intervals(ranks, books, k=10)
    >>> table.loc[table["metric"] == "accuracy", ["drawn", "n_drawn"]].to_numpy().tolist()
    [['questions', 60], ['groups', 6]]
    >>> bool(table["width"].iloc[1] > 2.5 * table["width"].iloc[0])
    True
    """
    numbers = as_ranks(ranks)
    last = _checks.check_integer(k, "k", low=1)
    label = _checks.as_labels(groups, "groups", length=numbers.size, per="ranks")
    sizes = np.bincount(label)
    _checks.check_integer(sizes.size, "number of different groups", low=2, why="groups are drawn as wholes")
    level = _checks.check_confidence_level(confidence_level)
    m = check_n_resamples(n_resamples, level)
    generator = _checks.as_generator(rng)
    rows = []
    for metric in ("accuracy", "ndcg", "mrr"):
        scores = scores_of_ranks(numbers, metric, None if metric == "mrr" else last)
        # The same classes and draws as those of bootstrap_accuracy and its like: one width in all tables.
        places, counts = np.unique(
            numbers if metric == "mrr" else np.minimum(numbers, last + 1), return_counts=True
        )
        values = scores_of_ranks(places, metric, None if metric == "mrr" else last)
        spread = float(scores.std())
        if not spread > 0:
            raise ValueError(
                f"ranks have the same {metric} for all {scores.size} questions; expected some hits and some misses, or no "
                "sample varies: bootstrap_accuracy gives Wilson's interval"
            )
        singly = class_means(values, counts, scores.size, m, _checks.as_generator(rng))
        sums = np.column_stack([np.bincount(label, weights=scores), sizes.astype(np.float64)])
        together = class_means(sums, np.ones(sizes.size, dtype=np.int64), sizes.size, m, generator)
        for drawn, n_drawn, means in (
            ("questions", scores.size, singly),
            ("groups", sizes.size, together[:, 0] / together[:, 1]),
        ):
            low, high = percentile_ends(means, level)
            error = float(means.std(ddof=1))
            # Groups that are all alike differ by rounding at most.
            worth = (spread / error) ** 2 if error > 1e-12 * spread else math.inf
            rows.append(
                {
                    "metric": metric,
                    "drawn": drawn,
                    "n_drawn": n_drawn,
                    "estimate": float(scores.mean()),
                    "low": low,
                    "high": high,
                    "width": high - low,
                    "worth": worth,
                }
            )
    return pd.DataFrame(rows)


def accuracy_by_group(ranks: Any, groups: Any, *, k: int = 10, n_least: int = 15) -> pd.DataFrame:
    """Return the accuracy of each large group of questions, the hardest group first.

    Columns group, n, accuracy (a fraction).

    Examples
    --------
    >>> accuracy_by_group([1, 1, 30, 40, 1], ["a", "a", "b", "b", "c"], n_least=2).to_numpy().tolist()
    [['b', 2, 0.0], ['a', 2, 1.0]]
    """
    numbers = as_ranks(ranks)
    last = _checks.check_integer(k, "k", low=1)
    label = _checks.as_labels(groups, "groups", length=numbers.size, per="ranks")
    names, sizes = np.unique(np.asarray(groups)), np.bincount(label)
    least = _checks.check_integer(n_least, "n_least", low=1, high=int(sizes.max()))
    hits = np.bincount(label, weights=(numbers <= last).astype(np.float64)) / sizes
    table = pd.DataFrame({"group": names, "n": sizes, "accuracy": hits})
    return table[table["n"] >= least].sort_values("accuracy", kind="stable", ignore_index=True)
