"""Intervals for grouped questions, from samples of whole groups, whose questions are similar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.retrieval import bootstrap_interval, question_scores
from isotropy_lab.retrieval._checks import as_ranks

__all__ = ["accuracy_by_group", "clustered_intervals"]


def clustered_intervals(ranks: Any, groups: Any) -> pd.DataFrame:
    """Return each metric's intervals from samples of questions, and from samples of whole question groups.

    ``worth`` is the number of independently drawn questions with this standard error, inf if all groups have
    the same metric. With fewer than about 20 groups, or very unequal ones, such intervals are too narrow
    (Cameron, Gelbach, and Miller, 2008).
    """
    options: Any = {"n_resamples": 10_000, "confidence_level": 0.95, "rng": 0}
    rows = []
    for metric in ("accuracy", "ndcg", "mrr"):
        last = None if metric == "mrr" else 10
        scores = question_scores(ranks, metric, k=last)
        spread = float(scores.std())
        for drawn, labels in (("questions", None), ("groups", groups)):
            found = bootstrap_interval(ranks, metric=metric, k=last, groups=labels, **options)
            error = found.standard_error
            rows.append(
                {
                    "metric": metric,
                    "drawn": drawn,
                    "n_drawn": found.n_groups or found.n_questions,
                    "estimate": found.estimate,
                    "low": found.low,
                    "high": found.high,
                    "width": found.high - found.low,
                    "worth": (spread / error) ** 2 if error > 0 else math.inf,
                }
            )
    return pd.DataFrame(rows)


def accuracy_by_group(ranks: Any, groups: Any, *, n_least: int = 15) -> pd.DataFrame:
    """Return the accuracy of each large group of questions, in ascending order.

    Columns group, n, accuracy (a fraction).
    """
    numbers = as_ranks(ranks)
    label = checks.as_labels(groups, "groups", length=numbers.size, per="ranks")
    names, sizes = np.unique(np.asarray(groups)), np.bincount(label)
    hits = np.bincount(label, weights=(numbers <= 10).astype(np.float64)) / sizes
    table = pd.DataFrame({"group": names, "n": sizes, "accuracy": hits})
    return table[table["n"] >= n_least].sort_values("accuracy", kind="stable", ignore_index=True)
