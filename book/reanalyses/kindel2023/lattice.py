"""Similarities of all q-word sublists, within one list and between two lists.

The sublists of a list, ordered by inclusion, form a lattice; Kindel (2023) compares two measures on it, row by row.
All sublists of one length are handled in one batch, in coordinates of the span of the words.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_pair, as_word_vectors, check_mean_direction, rank_tolerance
from isotropy_lab.association._sublists import (
    Array,
    Subsets,
    combinations,
    coordinates,
    indicators,
    subset_bases,
)
from isotropy_lab.association.canonical import scaled_trace

__all__ = ["BetweenLattice", "SubsetSimilarities", "between_lattice", "subset_similarities"]


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetSimilarities:
    """The similarities of all pairs of q-word sublists of a list."""

    q: int
    similarity: str
    values: Array  #: Symmetric matrix of shape (m, m) with m = C(k, q).
    subsets: Subsets  #: Indices in the list, of shape (m, q), in lexicographic order.


@dataclasses.dataclass(frozen=True, eq=False)
class BetweenLattice:
    """The similarity of every q-word sublist of one list with every q-word sublist of another."""

    q: int
    similarity: str
    values: Array  #: Similarities, of shape (m_a, m_b).


def _directions(rows: Array, subsets: Subsets, tolerance: float, name: str) -> Array:
    """Return the normalized mean unit vectors of sublists; raise ValueError if a mean is zero."""
    means = indicators(subsets, len(rows)) @ rows / subsets.shape[1]
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means))
    shortest = int(np.argmin(lengths))
    check_mean_direction(
        float(lengths[shortest]), tolerance, f"{name}[{subsets[shortest].tolist()}]", "mean unit vector"
    )
    return np.asarray(means / lengths[:, None])


def _table(
    rows: tuple[Array, Array],
    subsets: tuple[Subsets, Subsets],
    tolerances: tuple[float, float],
    names: tuple[str, str],
    similarity: str,
    scale: str | None,
) -> Array:
    """Return the similarity of each sublist of one list with each sublist of another."""
    (a, b), (s, t), q = rows, subsets, subsets[0].shape[1]
    if similarity in ("mean-cosine", "mean-squared-cosine"):
        cosines = a @ b.T
        if similarity == "mean-squared-cosine":
            cosines = cosines**2
        sums = indicators(s, len(a)) @ cosines @ indicators(t, len(b)).T
        return np.asarray(np.clip(sums / (q * q), -1.0, 1.0))
    same = a is b and s is t
    if similarity == "normalized":
        u = _directions(a, s, tolerances[0], names[0])
        v = u if same else _directions(b, t, tolerances[1], names[1])
        return np.asarray(np.clip(u @ v.T, -1.0, 1.0))
    bases_a, ranks_a = subset_bases(a, s, tolerances[0])
    bases_b, ranks_b = (bases_a, ranks_a) if same else subset_bases(b, t, tolerances[1])
    flat_a = (bases_a @ np.swapaxes(bases_a, 1, 2)).reshape(len(s), -1)
    flat_b = flat_a if same else (bases_b @ np.swapaxes(bases_b, 1, 2)).reshape(len(t), -1)
    smaller = np.minimum.outer(ranks_a, ranks_b)
    traces = np.clip(flat_a @ flat_b.T, 0.0, smaller)
    return np.asarray(scaled_trace(traces, ranks_a[:, None], ranks_b, scale))


def subset_similarities(
    W: checks.Points, q: int, *, similarity: str = "mean-cosine", scale: str | None = "geometric"
) -> SubsetSimilarities:
    """Return the similarities between all q-word sublists of a list (Kindel, 2023, Figure 1).

    `similarity` is "mean-cosine", "normalized", "canonical" (scaled by `scale`), or "mean-squared-cosine". A
    similarity is consistent for q if each row has its maximum on the diagonal. Cost, with m = C(k, q): O(m² k²) for
    canonical, and O(m² k) for the others.

    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> subset_similarities(W, 2).values[1].round(6).tolist()  # {0, 2} is more similar to both others than to itself
    [0.375, 0.25, 0.375]
    """
    words = as_word_vectors(W, "W", min_words=2)
    rows, subsets = coordinates(unit_rows(words)), combinations(len(words), q)
    tolerance = rank_tolerance(words[:q])
    values = _table((rows, rows), (subsets, subsets), (tolerance, tolerance), ("W", "W"), similarity, scale)
    return SubsetSimilarities(q, similarity, values, subsets)


def between_lattice(
    A: checks.Points,
    B: checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
) -> BetweenLattice:
    """Return the similarities between all q-word sublists of one list and of another (Figure 2)."""
    a, b = as_pair(A, B)
    k_a, k_b = len(a), len(b)
    rows = coordinates(np.concatenate([unit_rows(a), unit_rows(b)]))
    subsets = combinations(k_a, q), combinations(k_b, q)
    tolerances = rank_tolerance(a[:q]), rank_tolerance(b[:q])
    values = _table((rows[:k_a], rows[k_a:]), subsets, tolerances, ("A", "B"), similarity, scale)
    return BetweenLattice(q, similarity, values)
