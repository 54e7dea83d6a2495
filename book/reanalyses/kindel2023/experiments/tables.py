"""Small tables that the pages display without further computation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab.association.canonical import canonical_similarity, corrected_canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from reanalyses.kindel2023.experiments.spaces import pool_words
from reanalyses.kindel2023.lattice import subset_similarities

__all__ = ["similarities_by_k", "three_vectors", "three_vectors_at"]

Array = NDArray[np.float64]

#: The pairs of three words, with the pair S first.
PAIRS = ((0, 2), (0, 1), (1, 2))
#: Similarities within this distance of the largest are ties; shorter mean vectors count as zero.
_ROUNDING = 1e-9


def three_vectors_at(theta_1: float, theta_2: float, lift: float = 0.0) -> Array:
    """Return three unit vectors: two in a plane, and one between them that may be raised out of it.

    The rows are vectors 1, 2, and 3. Angles are in degrees: vectors 1 and 3 are at −theta_1 and theta_2, and
    vector 2 is raised by lift.
    """
    a, b, c = np.deg2rad([theta_1, theta_2, lift])
    return np.array([[np.cos(a), -np.sin(a), 0.0], [np.cos(c), 0.0, np.sin(c)], [np.cos(b), np.sin(b), 0.0]])


def three_vectors(theta_1: float = 60.0, theta_2: float = 60.0, lift: float = 0.0) -> pd.DataFrame:
    """Compare the pair S = {1, 3} of three vectors with all pairs: the smallest example of inconsistency.

    Mean cosine similarity prefers {1, 2} to S itself if cos(1, 2) + cos(2, 3) > 1 + cos(1, 3), as at angles
    of 60° and 60°, where S has 1/4 and the others 3/8. Three vectors and pairs are therefore sufficient. In a
    plane (no lift), independent pairs all span the same plane, so canonical similarity cannot distinguish
    them. An undefined similarity is NaN.
    """
    words = three_vectors_at(theta_1, theta_2, lift)
    lengths_of_means = np.array([np.linalg.norm(words[list(pair)].mean(axis=0)) for pair in PAIRS])
    undefined = np.minimum(lengths_of_means, lengths_of_means[0]) < _ROUNDING
    rows = []
    for metric in ("mean-cosine", "normalized", "canonical"):
        with np.errstate(invalid="ignore"):  # the mean of a pair may be zero
            table = subset_similarities(words, 2, similarity=metric)
        positions = [table.subsets.tolist().index(list(pair)) for pair in PAIRS]
        values = table.values[positions[0], positions]
        if metric == "normalized":
            values[undefined] = np.nan
        is_defined = ~np.isnan(values)
        largest = np.max(values, where=is_defined, initial=-np.inf)
        for pair, value, defined in zip(PAIRS, values, is_defined, strict=True):
            name = "{" + ", ".join(str(i + 1) for i in pair) + "}"
            rows.append((metric, name, value, bool(defined), bool(value > largest - _ROUNDING)))
    return pd.DataFrame(rows, columns=["metric", "pair", "similarity", "defined", "closest"])


def similarities_by_k(
    space: Any = "glove-weat", *, k: Sequence[int] = (1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99)
) -> pd.DataFrame:
    """Return the similarities of two lists of random words that grow until they span the space.

    k is the length of both lists, and ``forced`` the number of congruences that must be 1: max(2k − p, 0).
    """
    generator = np.random.default_rng(0)
    _, pool = pool_words(space)
    p = pool.shape[1]
    longest = max(k)
    rows = generator.choice(len(pool), 2 * longest, replace=False)
    first, second = pool[rows[:longest]], pool[rows[longest:]]
    results = []
    # The lists are meant to span the space.
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        for length in k:
            a, b = first[:length], second[:length]
            results.append(
                {
                    "k": length,
                    "p": p,
                    "mean_cosine": mean_cosine_similarity(a, b),
                    "canonical": canonical_similarity(a, b),
                    "chance": length / p,
                    "forced": max(2 * length - p, 0),
                    "corrected": corrected_canonical_similarity(a, b) if length < p else np.nan,
                }
            )
    return pd.DataFrame(results)
