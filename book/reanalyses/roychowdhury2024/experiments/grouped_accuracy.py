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

    Columns search, group, n, accuracy, low and high (Wilson's interval); groups without a question are left out.
    """
    rows = []
    for search, found in ranks.items():
        hits = question_scores(found, "accuracy", k=10) > 0
        for place, name in enumerate(names):
            mine = hits[group == place]
            if mine.size:
                ends = stats.binomtest(int(mine.sum()), mine.size).proportion_ci(method="wilson")
                rows.append((search, name, mine.size, float(mine.mean()), float(ends.low), float(ends.high)))
    return pd.DataFrame(rows, columns=["search", "group", "n", "accuracy", "low", "high"])


def accuracy_by_rating(ranks: Mapping[str, Any]) -> pd.DataFrame:
    """Return the accuracy of each search by the naturalness ratings of the YANG questions.

    Columns search, group (the rating, of `question_ratings`), n, accuracy, low and high (Wilson's interval).
    """
    group = np.maximum(question_ratings()["rating"].to_numpy() - 2, 0)
    return accuracy_of_groups(ranks, group, RATINGS)
