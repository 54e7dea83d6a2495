"""Figures 1 and 2 of Kindel (2023) as tables: similarities of sublists within one list and between two lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab.association import consistency
from reanalyses.kindel2023 import lattice
from reanalyses.kindel2023.consistency import expected_consistency, subset_conditions
from reanalyses.kindel2023.experiments.spaces import find_test, list_labels, list_vectors, pairs_of_lists

__all__ = [
    "between_list_matrices",
    "between_list_summary",
    "condition_correlations",
    "condition_table",
    "consistency_counts",
    "consistency_table",
    "expected_consistency_by_k",
    "outscored_sublists",
    "within_list_similarities",
]

Array = NDArray[np.float64]

#: Similarities within a list: the paper's two metrics and the normalized mean cosine.
METRICS = ("mean-cosine", "normalized", "canonical")


def _lists_by_label(space: Any, test: str) -> dict[str, Array]:
    labels = list_labels(test)
    return {labels[role]: words for role, words in list_vectors(space, test).items()}


def within_list_similarities(
    space: Any = "googlenews-weat", *, similarity: str = "mean-cosine"
) -> dict[str, list[Any]]:
    """Return the similarities between all sublists of equal length, for each list of a test (Figure 1).

    The keys are the labels of the lists; there is one entry for each q from 1 to k − 1.
    """
    return {
        label: [lattice.subset_similarities(words, q, similarity=similarity) for q in range(1, len(words))]
        for label, words in _lists_by_label(space, "gender-sentiment").items()
    }


def outscored_sublists(space: Any = "googlenews-weat", *, role: str = "A", q: int = 5) -> pd.DataFrame:
    """Return the sublists that are more similar to another sublist than to themselves by mean cosine.

    The sublist with the largest difference comes first.

    >>> table = outscored_sublists("googlenews-weat", q=3)
    >>> bool((table["with_closest"] > table["with_itself"]).all())
    True
    """
    words = find_test(space, "gender-sentiment").words[role]
    similarities = lattice.subset_similarities(list_vectors(space)[role], q)
    names = [", ".join(words[i] for i in subset) for subset in similarities.subsets]
    closest = similarities.values.argmax(axis=1)
    table = pd.DataFrame(
        {
            "sublist": names,
            "with_itself": np.diagonal(similarities.values),
            "closest": [names[i] for i in closest],
            "with_closest": similarities.values.max(axis=1),
        }
    )
    difference = table["with_closest"] - table["with_itself"]
    differences = difference[difference > consistency.TOLERANCE].sort_values(ascending=False, kind="stable")
    return table.loc[differences.index].reset_index(drop=True)


def consistency_table(
    space: Any = "googlenews-weat", test: str = "gender-sentiment", *, similarities: Sequence[str] = METRICS
) -> pd.DataFrame:
    """Count the sublists that are more similar to another sublist than to themselves (Figures 1 and S1)."""
    tables = []
    for label, words in _lists_by_label(space, test).items():
        for similarity in similarities:
            profile = consistency.consistency_profile(words, similarity=similarity)
            keys = pd.DataFrame({"list": label, "similarity": similarity}, index=profile.index)
            tables.append(pd.concat([keys, profile], axis=1))
    return pd.concat(tables, ignore_index=True)


def consistency_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return `consistency_table` in the layout of the book: one row per list, and one column per q."""
    by_cosine = table.loc[table["similarity"] == "mean-cosine"]
    counts = by_cosine.pivot(index="list", columns="q", values="n_beaten").loc[by_cosine["list"].unique()]
    sizes = by_cosine.groupby("q")["n_subsets"].max()
    counts = pd.concat([pd.DataFrame([sizes], index=["sublists"]), counts])
    return counts.astype(int).rename_axis(index="list", columns="q")


def condition_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the condition number of every sublist, and its margin (right panel of Figure 1)."""
    lists, labels = list_vectors(space), list_labels()
    names = find_test(space, "gender-sentiment").words
    tables = []
    for role, words in lists.items():
        for q in range(1, len(words)):
            table = subset_conditions(words, q)
            subset_words = [", ".join(names[role][i] for i in subset) for subset in table["subset"]]
            keys = pd.DataFrame({"list": labels[role], "q": q, "words": subset_words}, index=table.index)
            tables.append(pd.concat([keys, table], axis=1))
    return pd.concat(tables, ignore_index=True)


def condition_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return, by list and q, the rank correlation of sublists' margins with their condition numbers.

    At q = 1, the condition number is 1 for every word, so there is no correlation. The paper expects sublists
    with a low condition number to be confused with others.
    """
    rows = []
    for label, sublists in table.loc[table["q"] > 1].groupby("list", sort=False):
        for q, group in [*sublists.groupby("q"), ("all", sublists)]:
            outscored = group.loc[group["outscored"], "cosine_matrix"]
            consistent = group.loc[~group["outscored"], "cosine_matrix"]
            rows.append(
                {
                    "list": label,
                    "q": q,
                    "sublists": len(group),
                    "outscored": len(outscored),
                    "correlation": float(stats.spearmanr(group["cosine_matrix"], group["margin"]).statistic),
                    "median_beaten": float(outscored.median()) if len(outscored) else np.nan,
                    "median_unbeaten": float(consistent.median()) if len(consistent) else np.nan,
                }
            )
    return pd.DataFrame(rows)


def expected_consistency_by_k(
    space: Any = "googlenews-weat",
    test: str = "weat-1",
    *,
    role: str = "C",
    q: Sequence[int] = (2, 4, 5, 6, 8),
) -> pd.DataFrame:
    """Return the expected consistency of mean cosine over all sublists of k words, as k increases.

    All 2^K sublists of a list of K words are visited once, which takes seconds for K = 25.
    """
    table = expected_consistency(list_vectors(space, test)[role])
    return table.loc[table["q"].isin(list(q))].assign(list=list_labels(test)[role]).reset_index(drop=True)


def between_list_summary(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the mean, minimum, and maximum similarity between sublists of two lists, by length q (Figure 2).

    The mean of the mean cosine, and that of the mean squared cosine, do not depend on q, because every pair
    of words is in equally many pairs of sublists. The paper's decreasing expectation can be neither of them;
    the mean of the *squared mean cosine* decreases.
    """
    rows = []
    for label, a, b in pairs_of_lists(space):
        for q in range(1, min(len(a), len(b)) + 1):
            mean_cosines = lattice.between_subset_similarities(a, b, q)
            for metric, values in {
                "canonical, trace": lattice.between_subset_similarities(
                    a, b, q, similarity="canonical", scale=None
                ),
                "canonical, scaled": lattice.between_subset_similarities(a, b, q, similarity="canonical"),
                "mean cosine": mean_cosines,
                "squared mean cosine": mean_cosines**2,
                "mean squared cosine": lattice.between_subset_similarities(
                    a, b, q, similarity="mean-squared-cosine"
                ),
            }.items():
                rows.append((label, metric, q, values.min(), values.mean(), values.max()))
    return pd.DataFrame(rows, columns=["lists", "metric", "q", "minimum", "mean", "maximum"])


def between_list_matrices(space: Any = "googlenews-weat") -> dict[int, Array]:
    """Return the canonical similarities between all q-word sublists of lists A and C, by q (Figure 2)."""
    a, _, c, _ = list_vectors(space).values()
    return {
        q: lattice.between_subset_similarities(a, c, q, similarity="canonical")
        for q in range(1, min(len(a), len(c)) + 1)
    }
