"""Similarities of all q-word sublists, within one list and between two lists.

The sublists of a list, ordered by inclusion, form a lattice; Kindel (2023) compares two measures on its rows,
each of which has the sublists of one length. They are handled in one batch, in coordinates of the span of the
words.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import rank_tolerance
from isotropy_lab.association._sublists import (
    Array,
    Subsets,
    combinations,
    coordinates,
    indicators,
    subset_bases,
)
from isotropy_lab.association.canonical import scaled_trace


@dataclasses.dataclass(frozen=True, eq=False)
class SubsetSimilarities:
    """The similarities of all pairs of q-word sublists of a list."""

    q: int
    values: Array  #: Symmetric matrix of shape (m, m) with m = C(k, q).
    subsets: Subsets  #: Indices in the list, of shape (m, q), in lexicographic order.


def _mean_cosines(cosines: Array, row_subsets: Subsets, column_subsets: Subsets) -> Array:
    """Return the means of a matrix of cosines over all pairs of sublists of its rows and of its columns."""
    rows, columns = cosines.shape
    sums = indicators(row_subsets, rows) @ cosines @ indicators(column_subsets, columns).T
    return np.asarray(np.clip(sums / (row_subsets.shape[1] * column_subsets.shape[1]), -1.0, 1.0))


def _projections(units: Array, subsets: Subsets, tolerance: float) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return the projections onto the spans of sublists, each flattened to one row, and their ranks."""
    bases, ranks = subset_bases(units, subsets, tolerance)
    return (bases @ np.swapaxes(bases, 1, 2)).reshape(len(subsets), -1), ranks


def _canonical(
    first: tuple[Array, npt.NDArray[np.intp]], second: tuple[Array, npt.NDArray[np.intp]], scale: str | None
) -> Array:
    """Return the canonical similarities of all pairs of spans, given their projections and ranks."""
    (projections_a, ranks_a), (projections_b, ranks_b) = first, second
    traces = np.clip(projections_a @ projections_b.T, 0.0, np.minimum.outer(ranks_a, ranks_b))
    return np.asarray(scaled_trace(traces, ranks_a[:, None], ranks_b, scale))


def subset_similarities(
    W: checks.Points, q: int, *, similarity: str = "mean-cosine", scale: str | None = "geometric"
) -> SubsetSimilarities:
    """Return the similarities between all q-word sublists of a list (Kindel, 2023, Figure 1).

    `similarity` is "mean-cosine", "normalized", or "canonical" (scaled by `scale`). A similarity is consistent for q
    if each row has its maximum on the diagonal. Cost, with m = C(k, q): O(m² k²) for canonical, and O(m² k) for the
    others.

    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> subset_similarities(W, 2).values[1].round(6).tolist()  # {0, 2} is more similar to both others than to itself
    [0.375, 0.25, 0.375]
    """
    words = np.asarray(W)
    units, subsets = coordinates(unit_rows(words)), combinations(len(words), q)
    if similarity == "mean-cosine":
        values = _mean_cosines(units @ units.T, subsets, subsets)
    elif similarity == "normalized":
        directions = unit_rows(indicators(subsets, len(words)) @ units)
        values = np.clip(directions @ directions.T, -1.0, 1.0)
    else:
        spans = _projections(units, subsets, rank_tolerance(words[:q]))
        values = _canonical(spans, spans, scale)
    return SubsetSimilarities(q, values, subsets)


def between_subset_similarities(
    A: checks.Points,
    B: checks.Points,
    q: int,
    *,
    similarity: str = "mean-cosine",
    scale: str | None = "geometric",
) -> Array:
    """Return the similarities of all q-word sublists of one list with all those of another (Figure 2).

    `similarity` is "mean-cosine", "mean-squared-cosine", or "canonical" (scaled by `scale`).
    """
    a, b = np.asarray(A), np.asarray(B)
    units = coordinates(np.concatenate([unit_rows(a), unit_rows(b)]))
    units_a, units_b = units[: len(a)], units[len(a) :]
    subsets_a, subsets_b = combinations(len(a), q), combinations(len(b), q)
    if similarity == "canonical":
        spans_a = _projections(units_a, subsets_a, rank_tolerance(a[:q]))
        spans_b = _projections(units_b, subsets_b, rank_tolerance(b[:q]))
        return _canonical(spans_a, spans_b, scale)
    cosines = units_a @ units_b.T
    values = cosines**2 if similarity == "mean-squared-cosine" else cosines
    return _mean_cosines(values, subsets_a, subsets_b)
