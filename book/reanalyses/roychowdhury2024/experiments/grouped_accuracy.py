"""Accuracy of several searches by groups of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.retrieval import question_scores
from reanalyses.roychowdhury2024.datasets.judgments import question_ratings

__all__ = ["accuracy_by_rating", "accuracy_of_groups"]

RATINGS = ("1 or 2", "3", "4", "5")  # rating 1 is too rare to be shown separately


def accuracy_of_groups(
    ranks: Mapping[str, Any], group: NDArray[np.integer[Any]], names: Sequence[str]
) -> pd.DataFrame:
    """Return the accuracy at 10 of each search in each group of questions; groups are indices into `names`.

    The columns are search, group, n, accuracy, and Wilson's interval (low, high). Empty groups have no row.
    """
    rows = []
    for search, search_ranks in ranks.items():
        hits = question_scores(search_ranks, "accuracy", k=10) > 0
        for index, name in enumerate(names):
            in_group = hits[group == index]
            if in_group.size:
                wilson = stats.binomtest(int(in_group.sum()), in_group.size).proportion_ci(method="wilson")
                ends = (float(wilson.low), float(wilson.high))
                rows.append((search, name, in_group.size, float(in_group.mean()), *ends))
    return pd.DataFrame(rows, columns=["search", "group", "n", "accuracy", "low", "high"])


def accuracy_by_rating(ranks: Mapping[str, Any]) -> pd.DataFrame:
    """Return the accuracy of each search by the naturalness ratings of the YANG questions.

    The columns are those of `accuracy_of_groups`; groups are ratings of `question_ratings`.
    """
    group = np.maximum(question_ratings()["rating"].to_numpy() - 2, 0)
    return accuracy_of_groups(ranks, group, RATINGS)
