"""Intervals for grouped questions, from samples of whole groups, whose questions are similar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab.retrieval import bootstrap_interval, question_scores
from reanalyses.roychowdhury2024.experiments.precision import LAST_RANKS

__all__ = ["accuracy_by_group", "clustered_intervals"]


def clustered_intervals(ranks: Any, groups: Any) -> pd.DataFrame:
    """Return each metric's intervals from samples of questions, and from samples of whole question groups.

    ``worth`` is the number of independently drawn questions with this standard error, inf if all groups have
    the same metric. With fewer than about 20 groups, or very unequal ones, such intervals are too narrow
    (Cameron, Gelbach, and Miller, 2008).
    """
    rows = []
    for metric, k in LAST_RANKS.items():
        spread = float(question_scores(ranks, metric, k=k).std())
        for unit, labels in (("questions", None), ("groups", groups)):
            interval = bootstrap_interval(ranks, metric=metric, k=k, groups=labels, rng=0)
            error = interval.standard_error
            rows.append(
                {
                    "metric": metric,
                    "drawn": unit,
                    "n_drawn": interval.n_groups or interval.n_questions,
                    "estimate": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "width": interval.high - interval.low,
                    "worth": (spread / error) ** 2 if error > 0 else math.inf,
                }
            )
    return pd.DataFrame(rows)


def accuracy_by_group(ranks: Any, groups: Any) -> pd.DataFrame:
    """Return the accuracy of each group of at least 15 questions, in ascending order.

    The columns are group, n, and accuracy (a fraction).
    """
    hits = pd.Series(np.asarray(ranks) <= 10).groupby(np.asarray(groups))
    table = hits.agg(n="size", accuracy="mean").rename_axis("group").reset_index()
    return table[table["n"] >= 15].sort_values("accuracy", kind="stable", ignore_index=True)
