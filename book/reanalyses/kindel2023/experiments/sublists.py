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

#: Metrics of the lattices within a list: the paper's two metrics and the normalized mean cosine.
METRICS = ("mean-cosine", "normalized", "canonical")


def _named_lists(space: Any, test: str) -> dict[str, Array]:
    labels = list_labels(test)
    return {labels[role]: words for role, words in list_vectors(space, test).items()}


def within_list_similarities(
    space: Any = "googlenews-weat", *, similarity: str = "mean-cosine"
) -> dict[str, list[Any]]:
    """Return the similarities between all sublists of equal size, for each list of a test (Figure 1).

    The keys are the labels of the lists; there is one entry for each q from 1 to k − 1.
    """
    return {
        label: [lattice.subset_similarities(words, q, similarity=similarity) for q in range(1, len(words))]
        for label, words in _named_lists(space, "gender-sentiment").items()
    }


def outscored_sublists(space: Any = "googlenews-weat", *, role: str = "A", q: int = 5) -> pd.DataFrame:
    """Return the sublists that are more similar to another sublist than to themselves by mean cosine.

    The sublist with the largest difference comes first.

    >>> table = outscored_sublists("googlenews-weat", q=3)
    >>> bool((table["with_closest"] > table["with_itself"]).all())
    True
    """
    words = find_test(space, "gender-sentiment").words[role]
    level = lattice.subset_similarities(list_vectors(space)[role], q)
    names = [", ".join(words[i] for i in subset) for subset in level.subsets]
    itself, best = np.diagonal(level.values), level.values.argmax(axis=1)
    table = pd.DataFrame(
        {
            "sublist": names,
            "with_itself": itself,
            "closest": [names[i] for i in best],
            "with_closest": level.values.max(axis=1),
        }
    )
    difference = table["with_closest"] - table["with_itself"]
    beaten = table.loc[difference > consistency.TOLERANCE]
    order = difference[beaten.index].sort_values(ascending=False, kind="stable").index
    return beaten.loc[order].reset_index(drop=True)


def consistency_table(
    space: Any = "googlenews-weat", test: str = "gender-sentiment", *, similarities: Sequence[str] = METRICS
) -> pd.DataFrame:
    """Count the sublists that are more similar to another sublist than to themselves (Figures 1 and S1)."""
    parts = []
    for label, words in _named_lists(space, test).items():
        for similarity in similarities:
            profile = consistency.consistency_profile(words, similarity=similarity)
            front = pd.DataFrame({"list": label, "similarity": similarity}, index=profile.index)
            parts.append(pd.concat([front, profile], axis=1))
    return pd.concat(parts, ignore_index=True)


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
    parts = []
    for role, words in lists.items():
        for q in range(1, len(words)):
            part = subset_conditions(words, q)
            chosen = [", ".join(names[role][i] for i in subset) for subset in part["subset"]]
            front = pd.DataFrame({"list": labels[role], "q": q, "words": chosen}, index=part.index)
            parts.append(pd.concat([front, part], axis=1))
    return pd.concat(parts, ignore_index=True)


def condition_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rank correlation of a sublist's margin with the condition number of its cosines.

    At q = 1, the condition number is 1 for every word, so there is no correlation. The paper expects sublists
    with a low condition number to be mistaken for others.
    """
    rows = []
    for label, whole in table.groupby("list", sort=False):
        rest = whole.loc[whole["q"] > 1]
        for q, part in [*rest.groupby("q"), ("all", rest)]:
            beaten = part.loc[part["beaten"], "cosine_matrix"]
            unbeaten = part.loc[~part["beaten"], "cosine_matrix"]
            rows.append(
                {
                    "list": label,
                    "q": q,
                    "sublists": len(part),
                    "beaten": len(beaten),
                    "correlation": float(stats.spearmanr(part["cosine_matrix"], part["margin"]).statistic),
                    "median_beaten": float(beaten.median()) if len(beaten) else np.nan,
                    "median_unbeaten": float(unbeaten.median()) if len(unbeaten) else np.nan,
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
    """Return the mean, minimum, and maximum similarity between sublists of two lists, by size (Figure 2).

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
                summary = float(values.min()), float(values.mean()), float(values.max())
                rows.append((label, metric, q, *summary))
    return pd.DataFrame(rows, columns=["lists", "metric", "q", "minimum", "mean", "maximum"])


def between_list_matrices(space: Any = "googlenews-weat") -> dict[int, Array]:
    """Return the heatmaps of Figure 2 by size q: similarities between all q-sublists of lists A and C."""
    a, _, c, _ = list_vectors(space).values()
    return {
        q: lattice.between_subset_similarities(a, c, q, similarity="canonical")
        for q in range(1, min(len(a), len(c)) + 1)
    }
