"""Batches of sublists of equal length, in coordinates of the span of a word list."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Subsets = npt.NDArray[np.intp]


def combinations(k: int, q: int) -> Subsets:
    """Return all q-element subsets of 0, …, k − 1 in lexicographic order, one per row."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(k), q))
    return np.fromiter(flat, dtype=np.intp, count=math.comb(k, q) * q).reshape(-1, q)


def coordinates(units: Array) -> Array:
    """Return rows with the same inner products, in no more dimensions than there are rows."""
    if units.shape[0] >= units.shape[1]:
        return units
    return np.ascontiguousarray(np.linalg.qr(units.T)[1].T)


def subset_bases(rows: Array, subsets: Subsets, tolerance: float) -> tuple[Array, npt.NDArray[np.intp]]:
    """Return orthonormal bases (m, d, q) of the spans of sublists of unit-norm rows, and their ranks.

    Columns beyond the rank are zero, so products of bases have the correct traces and singular values.
    """
    vectors = np.swapaxes(rows[subsets], 1, 2)
    m, d, q = vectors.shape
    ranks = np.full(m, q, dtype=np.intp)
    if q <= d:
        bases, r = np.linalg.qr(vectors)
        volume = np.abs(np.prod(np.diagonal(r, axis1=1, axis2=2), axis=1))
        # If q unit-norm rows have volume v, their singular values lie between v/√e and √q. All remaining
        # sublists are therefore linearly independent.
        unresolved = np.flatnonzero(volume <= 2.0 * tolerance * math.sqrt(q))
    else:
        bases, unresolved = np.zeros_like(vectors), np.arange(m)
    if unresolved.size:
        left, values, _ = np.linalg.svd(vectors[unresolved], full_matrices=False)
        kept = values > tolerance * values[:, :1]
        ranks[unresolved] = kept.sum(axis=1)
        padded = np.zeros((unresolved.size, d, q))
        padded[:, :, : left.shape[2]] = left * kept[:, None, :]
        bases[unresolved] = padded
    return bases, ranks


def indicators(subsets: Subsets, k: int) -> Array:
    """Return a matrix of zeros and ones that marks which of k words each sublist contains."""
    table = np.zeros((len(subsets), k))
    np.put_along_axis(table, subsets, 1.0, axis=1)
    return table
