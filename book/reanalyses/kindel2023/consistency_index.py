"""The consistency index of Kindel (2023) for one sublist length, computed exactly or from random sublists."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_vectors, rank_tolerance
from isotropy_lab.association._sublists import Subsets, coordinates, indicators
from isotropy_lab.association.consistency import (
    TOLERANCE,
    Counts,
    chunks,
    cosines_of,
    count_ties,
    exact_counts,
)

Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class ConsistencyIndex:
    """The fraction of sublists of q words that are most similar to themselves, with counts of the others."""

    weak: float  #: Fraction that no other sublist outscores; 1 means consistent.
    strict: float  #: Fraction that outscores all other sublists.
    n_subsets: int  #: Number of sublists: C(k, q), or the number drawn.
    n_beaten: int  #: Number of sublists that another one outscores.
    n_not_strict: int  #: Number of sublists that another one outscores or ties with.
    smallest_margin: float  #: Smallest absolute margin that is not a tie.
    n_undefined: int  #: Number of sublists without a direction, which are not counted in the fractions.
    method: str  #: "exact" or "sampled".


def _index_from_counts(counts: Counts, *, sampled: bool = False) -> ConsistencyIndex:
    n_defined, n_not_strict = counts.n_subsets - counts.n_undefined, counts.n_beaten + counts.n_tied
    return ConsistencyIndex(
        weak=(n_defined - counts.n_beaten) / n_defined,
        strict=(n_defined - n_not_strict) / n_defined,
        n_subsets=counts.n_subsets,
        n_beaten=counts.n_beaten,
        n_not_strict=n_not_strict,
        smallest_margin=counts.smallest_margin,
        n_undefined=counts.n_undefined,
        method="sampled" if sampled else "exact",
    )


def compute_margins(subsets: Subsets, cosines: Array) -> Array:
    """Return each sublist's smallest mean cosine with inside words minus its largest with outside words."""
    members = indicators(subsets, len(cosines)) > 0
    means = members @ cosines / subsets.shape[1]
    return np.asarray(
        np.where(members, means, np.inf).min(axis=1) - np.where(members, -np.inf, means).max(axis=1)
    )


def _draw_subsets(k: int, q: int, n: int, rng: np.random.Generator) -> Subsets:
    """Return n random q-subsets of 0, …, k − 1, each sorted."""
    return np.sort(np.argpartition(rng.random((n, k)), q - 1, axis=1)[:, :q], axis=1)


def _sample_counts(units: Array, q: int, n: int, rng: np.random.Generator) -> Counts:
    """Count outscored and tied sublists among n random ones."""
    cosines, k = cosines_of(units), len(units)
    n_beaten = n_tied = 0
    smallest = math.inf
    for _, size in chunks(n, max(1, 2**20 // k)):
        margins = compute_margins(_draw_subsets(k, q, size, rng), cosines)
        is_tied = np.abs(margins) <= TOLERANCE
        n_tied += int(is_tied.sum())
        n_beaten += int((margins < -TOLERANCE).sum())
        smallest = min(smallest, float(np.min(np.abs(margins[~is_tied]), initial=np.inf)))
    return Counts(n, n_beaten, n_tied, smallest)


def consistency_index(
    W: checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    n_resamples: int | None = None,
    rng: checks.RandomState = None,
) -> ConsistencyIndex:
    """Return J_{q,k} of Kindel (2023), the fraction of q-word sublists that no other sublist outscores.

    If `n_resamples` is given, the result is an estimate from this number of random sublists, drawn with
    replacement. This is not possible for "normalized", which compares each sublist with all others.
    """
    words = as_word_vectors(W, "W", min_words=2)
    if n_resamples is None:
        return _index_from_counts(exact_counts(words, range(q, q + 1), similarity)[0])
    generator, units = checks.as_generator(rng), unit_rows(words)
    if similarity == "mean-cosine":
        return _index_from_counts(_sample_counts(units, q, n_resamples, generator), sampled=True)
    subsets = _draw_subsets(len(words), q, n_resamples, generator)
    n_tied, smallest = count_ties(coordinates(units), subsets, rank_tolerance(words))
    return _index_from_counts(Counts(n_resamples, 0, n_tied, smallest), sampled=True)
