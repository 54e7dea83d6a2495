"""Further means of cosines that the paper discusses, and condition numbers of a word list."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_pair, as_word_vectors, rank_tolerance
from isotropy_lab.association.cosine import centroid_cosine, normalized_cosine, paired_cosine

Array = npt.NDArray[np.float64]


def centroid_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean cosine of the words of one list with the raw centroid of another: "WEAT_k" of the supplement."""
    return centroid_cosine(*as_pair(A, B))


def normalized_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the cosine of the mean unit vectors, MCS(A, B)/√(MCS(A, A)·MCS(B, B)), which is largest for equal lists."""
    return normalized_cosine(*as_pair(A, B))


def paired_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean cosine of corresponding words of two lists: "WEAT₁" of the supplement."""
    return paired_cosine(*as_pair(A, B))


@dataclasses.dataclass(frozen=True)
class ConditionNumbers:
    """Condition numbers of a word list in the 2-norm: at least 1, and inf if the words are linearly dependent."""

    vectors: float  #: Of the raw vectors; it increases if their lengths differ.
    unit_vectors: float  #: Of the unit vectors, which depend only on the directions.
    cosine_matrix: float  #: Of the matrix of cosines, which is the square of `unit_vectors`.


def condition_numbers(A: checks.Points) -> ConditionNumbers:
    """Return the condition numbers of a word list's vectors, its unit vectors, and their cosine matrix.

    They are ratios of the largest to the smallest of k singular values, or inf if the smallest is at most max(k, p)·ε
    times the largest. Kindel (2023), Figure 1, right, relates the condition of sublists to inconsistency.

    >>> condition_numbers([[1.0, 0.0], [0.0, 2.0]])
    ConditionNumbers(vectors=2.0, unit_vectors=1.0, cosine_matrix=1.0)
    """
    words = as_word_vectors(A, "A")
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    vectors, units = conditions_of(np.stack([raw, unit_rows(words)]), rank_tolerance(words)).tolist()
    return ConditionNumbers(vectors, units, units * units)


def conditions_of(sublists: Array, tolerance: float) -> Array:
    """Return the condition number of each list of vectors (m, q, p); infinite for dependent vectors."""
    if sublists.shape[1] > sublists.shape[2]:
        return np.full(len(sublists), np.inf)
    values = np.linalg.svd(sublists, compute_uv=False)
    largest, smallest = values[:, 0], values[:, -1]
    is_independent = smallest > tolerance * largest
    return np.where(is_independent, largest / np.where(is_independent, smallest, 1.0), np.inf)
