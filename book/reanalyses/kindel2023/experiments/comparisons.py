"""Comparisons for Table 1 of Kindel (2023): other similarities, chance levels, permutation tests, and coverage."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab.association import keywords
from isotropy_lab.association._weat import weat, word_associations
from isotropy_lab.association.canonical import canonical_congruences, canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from reanalyses.kindel2023.experiments.reanalysis import TESTS
from reanalyses.kindel2023.experiments.spaces import (
    COMPONENTS,
    find_test,
    list_labels,
    list_vectors,
    word_vectors,
)
from reanalyses.kindel2023.similarities import normalized_mean_cosine_similarity

__all__ = [
    "chance_levels",
    "coverage_gaps",
    "list_lengths",
    "permutation_by_similarity",
    "scores_by_similarity",
    "two_planes",
    "two_planes_at",
    "word_association_table",
]

Array = NDArray[np.float64]


def two_planes_at(angle: float = 60.0) -> dict[str, Array]:
    """Return four lists of two words: in a plane, rotated within this plane, and two in a plane tilted by an angle."""
    tilt = np.deg2rad(angle)
    half = np.sqrt(0.5)
    tilted = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(tilt), np.sin(tilt)]])
    return {
        "A": np.eye(2, 3),
        "same plane": np.array([[half, half, 0.0], [-half, half, 0.0]]),
        "tilted": tilted,
        "one word reversed": tilted * [[1.0], [-1.0]],
    }


def two_planes(angle: float = 60.0) -> pd.DataFrame:
    """Compare a list of two words with four others by three measures, as a minimal example.

    Two planes in three dimensions intersect in a line, so the first congruence is always 1.
    """
    lists = two_planes_at(angle)
    first = lists.pop("A")
    rows = []
    # Two planes in three dimensions necessarily intersect.
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        for name, second in {"itself": first, **lists}.items():
            rows.append(
                (
                    name,
                    mean_cosine_similarity(first, second),
                    normalized_mean_cosine_similarity(first, second),
                    canonical_similarity(first, second),
                    *canonical_congruences(first, second),
                )
            )
    return pd.DataFrame(rows, columns=["A_with", "mean_cosine", "normalized", "canonical", "first", "second"])


def word_association_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return each target word's association: its mean cosine with C minus its mean cosine with D."""
    lists, labels = (list_vectors(space, "weat-1", spelling="tested"), list_labels("weat-1"))
    words = find_test(space, "weat-1", spelling="tested").words
    tables = []
    for role in "AB":
        values = word_associations(lists[role], lists["C"], lists["D"])
        means = {
            name: [mean_cosine_similarity(row[None], lists[attribute]) for row in lists[role]]
            for name, attribute in (("with_c", "C"), ("with_d", "D"))
        }
        table = pd.DataFrame({"list": labels[role], "word": words[role], **means, "association": values})
        tables.append(table.sort_values("association", ascending=False, kind="stable"))
    return pd.concat(tables, ignore_index=True)


def scores_by_similarity(space: Any) -> pd.DataFrame:
    """Score every test by every similarity, and compare the scores with those by mean cosine.

    ``median_absolute_ratio`` is the median over tests of |score by mean cosine| / |score by the similarity|.
    The trace is the canonical similarity times √(k_1 k_2), so its median differs by about the length of the
    lists.
    """
    similarities = (
        "mean-cosine",
        "normalized",
        "canonical",
        "canonical-minimum",
        "canonical-trace",
        "canonical-corrected",
    )
    lists = {test: list_vectors(space, test).values() for test in TESTS}
    scores = pd.DataFrame(
        {
            test: [weat(*four_lists, similarity=similarity).score for similarity in similarities]
            for test, four_lists in lists.items()
        },
        index=pd.Index(similarities, name="similarity"),
    )
    ratios = scores.loc["mean-cosine"] / scores
    return scores.assign(median_absolute_ratio=ratios.abs().median(axis=1)).reset_index()


def chance_levels(components: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return every canonical component, with the chance level implied by the lengths of its lists.

    The chance level is √(k_1 k_2)/p. Published components are assumed to be for lists with the lengths of
    Table S2 in 300 dimensions.
    """
    first_table = next(iter(components.values()))
    rows: list[tuple[str, str, str, int, float, float]] = []
    for row in first_table.itertuples():
        lengths = keywords.load(row.test).sizes()
        x, y, _ = COMPONENTS[row.component]
        chance = float(np.sqrt(lengths[x] * lengths[y])) / _PUBLISHED_DIMENSIONS
        shortest = min(lengths.values())
        rows.append(("as printed", row.test, row.component, shortest, chance, row.printed_canonical))
    for space, table in components.items():
        shortest_by_test = table.groupby("test")[["k_1", "k_2"]].min().min(axis=1)
        rows += [
            (space, row.test, row.component, int(shortest_by_test[row.test]), row.chance, row.canonical)
            for row in table.itertuples()
        ]
    return pd.DataFrame(rows, columns=["space", "test", "component", "n", "chance", "canonical"])


#: Number of dimensions of the vectors in Table 1.
_PUBLISHED_DIMENSIONS = 300


def permutation_by_similarity(
    space: Any = "googlenews-weat",
    *,
    tests: Sequence[str] = ("weat-6", "weat-7", "weat-8", "weat-9", "weat-10"),
    similarities: Sequence[str] = ("mean-cosine", "normalized", "canonical"),
    n_resamples: int | str = "exact-if-feasible",
) -> pd.DataFrame:
    """Return p-values of permutation tests of the same lists by several similarities, with the smallest possible p."""
    generator = np.random.default_rng(0)
    rows = []
    for test in tests:
        lists = list_vectors(space, test, spelling="tested")
        outcomes = {
            similarity: weat_permutation_test(
                *lists.values(), similarity=similarity, n_resamples=n_resamples, rng=generator
            )
            for similarity in similarities
        }
        outcome = outcomes[similarities[-1]]
        rows.append(
            {
                "test": test,
                "count": outcome.count,
                "method": outcome.method,
                "smallest_p": 1.0 / (outcome.count + (outcome.method != "exact")),
                **{similarity: outcome.pvalue for similarity, outcome in outcomes.items()},
            }
        )
    return pd.DataFrame(rows)


def list_lengths() -> pd.DataFrame:
    """Return the length of every list in the publication, in the test on word2vec, and in Kindel (2023)."""
    rows = [
        (name, words.label, *(len(words.words(spelling)) for spelling in ("original", "tested", "adjusted")))
        for name in TESTS
        for words in keywords.load(name).lists.values()
    ]
    table = pd.DataFrame(rows, columns=["test", "list", "original", "tested", "adjusted"])
    counts = table[["original", "tested", "adjusted"]]
    return table.loc[counts.nunique(axis=1) > 1].reset_index(drop=True)


def coverage_gaps(spaces: Mapping[str, Any]) -> pd.DataFrame:
    """Return the word lists with words missing from a space, ignoring case.

    Words that were only lower-cased are not counted.

    >>> coverage_gaps({"GloVe": "glove-weat"})[["test", "list", "left_out"]].to_numpy().tolist()
    [['weat-3', 'Black names', 'Sharice']]
    """
    rows = []
    for name, space in spaces.items():
        for test in TESTS:
            report = keywords.find(test, word_vectors(space)).report
            for _, words in report.groupby("role", sort=False):
                respelled = words.loc[words["outcome"].str.startswith("spelled")]
                missing = words.loc[words["used"] == ""]
                if len(respelled) or len(missing):
                    spellings = [f"{row.word} as {row.used}" for row in respelled.itertuples()]
                    rows.append(
                        {
                            "space": name,
                            "test": test,
                            "list": words["label"].iloc[0],
                            "asked": len(words),
                            "found": len(words) - len(missing),
                            "respelled": ", ".join(spellings) or "–",
                            "left_out": ", ".join(missing["word"]) or "–",
                        }
                    )
    return pd.DataFrame(rows, columns=["space", "test", "list", "asked", "found", "respelled", "left_out"])
