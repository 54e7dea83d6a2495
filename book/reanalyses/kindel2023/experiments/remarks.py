"""The supplement's remarks on estimators, centroids, and significance tests as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core.multiplicity import holm
from isotropy_lab.association import congruence_test, separability
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from reanalyses.kindel2023.estimators import center_lists, centroid_length_ratios, pairing_range
from reanalyses.kindel2023.experiments.spaces import (
    COMPONENTS,
    list_labels,
    list_vectors,
    other_words,
    pairs_of_lists,
    word_vectors,
)
from reanalyses.kindel2023.similarities import (
    centroid_mean_cosine_similarity,
    normalized_mean_cosine_similarity,
)

__all__ = [
    "centroid_length_ratios_table",
    "congruence_tests_table",
    "estimators_table",
    "recentering_table",
    "separability_table",
]


def estimators_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Compare the supplement's estimators by pair of lists: grand mean, paired, centroid, and normalized.

    The paired columns are missing if the lists differ in length.
    """
    rows = []
    for label, a, b in pairs_of_lists(space):
        pairings = pairing_range(a, b) if len(a) == len(b) else None
        rows.append(
            {
                "test": "gender-sentiment",
                "lists": label,
                "grand_mean": mean_cosine_similarity(a, b),
                "paired": np.nan if pairings is None else pairings.in_given_order,
                "paired_minimum": np.nan if pairings is None else pairings.minimum,
                "paired_maximum": np.nan if pairings is None else pairings.maximum,
                "paired_deviation": np.nan if pairings is None else pairings.standard_deviation,
                "centroid": centroid_mean_cosine_similarity(a, b),
                "normalized": normalized_mean_cosine_similarity(a, b),
            }
        )
    return pd.DataFrame(rows)


def separability_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Measure, for all ordered pairs of lists, how well a centroid separates its words from the other list.

    ``n_closer`` is the number of words of the vocabulary that are closer to the centroid than the farthest of
    its own words, and ``log10_subspaces`` the logarithm of the number of lists of that length among them. The
    vocabulary consists of the pool in `spaces.POOLS` and the words of the test.
    """
    rows = []
    lists, labels = list_vectors(space), list_labels()
    vocabulary = np.concatenate([other_words(space)[1], *lists.values()])
    for x, y, _ in COMPONENTS.values():
        for first, second in ((x, y), (y, x)):
            outcome = separability(lists[first], lists[second], vocabulary=vocabulary)
            rows.append(
                {
                    "lists": f"{labels[first]} / {labels[second]}",
                    "rank": outcome.rank,
                    "separable": outcome.separable,
                    "n_closer": outcome.n_closer,
                    "log10_subspaces": outcome.log_closer_subspaces / np.log(10.0),
                }
            )
    return pd.DataFrame(rows)


def centroid_length_ratios_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return, by list, the range and the mean of the length ratios ψ of centroid and words.

    >>> bool((centroid_length_ratios_table("googlenews-weat")["mean"] < 1).all())
    True
    """
    labels = list_labels()
    rows = []
    for role, words in list_vectors(space).items():
        ratios = centroid_length_ratios(words)
        rows.append((labels[role], ratios.min(), ratios.mean(), ratios.max()))
    return pd.DataFrame(rows, columns=["list", "smallest", "mean", "largest"])


def recentering_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Compare the similarities of lists that are uncentered, centered by their own means, or by the mean of both."""
    rows = []
    for label, *pair in pairs_of_lists(space):
        for centering in ("none", "own", "union"):
            a, b = pair if centering == "none" else center_lists(*pair, by=centering)
            rows.append((label, centering, mean_cosine_similarity(a, b), canonical_similarity(a, b)))
    return pd.DataFrame(rows, columns=["lists", "centering", "mean_cosine", "canonical"])


def congruence_tests_table(nulls: Any, *, space: Any) -> pd.DataFrame:
    """Compare parametric tests of a congruence with randomization, for all congruences of all list pairs.

    The parametric tests assume *one* cosine between random directions. A canonical congruence is the largest
    of many, so the tests call nearly all large ones significant; randomization compares equal indices.
    """
    p = word_vectors(space).vectors.shape[1]
    table = nulls.congruences.loc[nulls.congruences["null"] == "both random"]
    tests = [congruence_test(float(value), p) for value in table["observed"]]
    return pd.DataFrame(
        {
            "lists": table["lists"].to_numpy(),
            "index": table["index"].to_numpy(),
            "congruence": table["observed"].to_numpy(),
            "p_randomization": table["p_greater"].to_numpy(),
            "p_holm": holm(table["p_greater"].to_numpy()),
            "p_direct": [test.pvalue for test in tests],
            "p_fisher": [test.fisher_pvalue for test in tests],
        }
    )
